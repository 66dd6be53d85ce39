/* SPDX-License-Identifier: MIT */
/* Source lines and variables of the IR on their way into SPIR-V, for which LLVM's back end has no
 * instruction. */
#ifndef LW_PRODUCER_MARKS_H
#define LW_PRODUCER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

/* What marks call: with numbers of file and line; with a variable's number and its value, one function for
 * each type of value, told apart by what follows the name. */
#define LW_MARK_LINE "lw_mark_line"
#define LW_MARK_VALUE "lw_mark_value."

/* Encodings of the debug information's basic types, as OpenCL.DebugInfo.100 numbers them. */
enum lw_encoding { LW_BOOLEAN = 2, LW_FLOAT = 3, LW_SIGNED = 4, LW_UNSIGNED = 6 };

struct lw_variable {
    LLVMMetadataRef known_by;
    char *name, *type;
    enum lw_encoding encoding;
    unsigned bits, components, file, line;
};

/* What the marks mean: numbers are from 1 on, one more than the index here. */
struct lw_marks {
    char **files;
    struct lw_variable *variables;
    unsigned file_count, variable_count;
};

/* IR with debug information: a mark before each instruction of another line than the one before it, and where
 * a variable has another value. False: no memory. */
bool lw_mark(struct lw_marks *marks, LLVMModuleRef module);
/* The marks of the module become OpLine and DebugValue; malloc'd. NULL: no memory, or the module is not as it
 * should be. */
uint32_t *lw_write_marks(const struct lw_marks *marks, const uint32_t *words, size_t count, size_t *written);
void lw_free_marks(struct lw_marks *marks);

#endif
