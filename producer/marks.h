/* SPDX-License-Identifier: MIT */
/* Source lines and variables of the IR on their way into SPIR-V, for which LLVM's back end has no
 * instruction. */
#ifndef LW_PRODUCER_MARKS_H
#define LW_PRODUCER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

/* What marks call: with numbers of file and line; with a variable's number and its value, or its place in
 * memory, one function for each type of value, told apart by what follows the name. Pointers are passed as
 * integers: as what they are they would have a say in what the back end takes them to point to. */
#define LW_MARK_LINE "lw_mark_line"
#define LW_MARK_VALUE "lw_mark_value."
#define LW_MARK_PLACE "lw_mark_place"

enum lw_debug_kind { LW_BASIC, LW_POINTER, LW_ARRAY, LW_STRUCT };

/* Numbers of other rows are one more than their indices; 0: none. */
struct lw_debug_type {
    LLVMMetadataRef known_by; /* NULL: by nothing */
    enum lw_debug_kind kind;
    uint32_t encoding; /* of a basic type, as DebugTypeBasic has it */
    char *name;            /* of a basic type or a structure */
    uint64_t bits;         /* of a vector: of a component */
    unsigned count;        /* components of a basic type, elements, members */
    unsigned of;           /* what a pointer points to, or an array consists of */
    unsigned first_member; /* an index */
};

struct lw_debug_member {
    char *name;
    unsigned type;
    uint64_t offset; /* in bits */
};

/* A variable, or a number or vector in one that has several. */
struct lw_variable {
    LLVMMetadataRef known_by;
    char *name;
    unsigned type, file, line;
    uint64_t offset; /* bits in the variable */
};

/* What the marks mean: numbers are from 1 on, one more than the index here. */
struct lw_marks {
    char **files;
    struct lw_variable *variables;
    struct lw_debug_type *types;
    struct lw_debug_member *members;
    unsigned file_count, variable_count, type_count, member_count;
};

/* ---- marks_in_ir.c ---- */

/* IR with debug information: a mark before each instruction of another line than the one before it, and where
 * a variable has another value. What the marks hold stays to the process's end. False: no memory. */
bool lw_mark(struct lw_marks *marks, LLVMModuleRef module);

/* ---- marks_in_spirv.c ---- */

/* The marks of the module become OpLine, DebugValue and DebugDeclare; malloc'd. NULL: no memory, or the
 * module is not as it should be. */
uint32_t *lw_write_marks(const struct lw_marks *marks, const uint32_t *words, size_t count, size_t *written);

/* ---- debug_types.c ---- */

enum { LW_MOST_PARTS = 32, LW_MOST_PATH = 96 };

struct lw_part {
    char path[LW_MOST_PATH]; /* behind the variable's name: ".pos", "[2]"; "" where it is the whole */
    unsigned type;
    uint64_t offset; /* in bits */
};

/* Room for one more row behind `count` of them, in any table of the marks. */
bool lw_marks_room(void **list, unsigned count, size_t size);
/* The number of the variable's type; 0: it has none that is told, or there is no memory. */
unsigned lw_debug_type_of(struct lw_marks *marks, LLVMContextRef context, LLVMMetadataRef variable);
uint64_t lw_debug_bits(const struct lw_marks *marks, unsigned type);
/* Numbers and vectors in a type; 0: there are none, or too many. */
unsigned lw_parts_of(const struct lw_marks *marks, unsigned type, struct lw_part parts[LW_MOST_PARTS]);

#endif
