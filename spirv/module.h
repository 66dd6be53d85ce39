/* SPDX-License-Identifier: MIT */
/* The indexed module: what read.c leaves, and its invariants.
 *
 * After lw_module_read succeeds:
 *  - `words` is ours, native-endian; every instruction lies inside it and its word count is not 0;
 *  - every id is below `bound`, `bound` is limited (LW_MAX_BOUND), each result id is defined once;
 *  - every operand that the grammar calls an id is in range (it may still be undefined: check.c refuses
 * that);
 *  - literal strings end inside their instruction;
 *  - functions and blocks are well bracketed.
 * After lw_module_check: everything spirv/emit* relies on; see module_check.h. Nothing here uses LLVM.
 */
#ifndef LW_SPIRV_MODULE_H
#define LW_SPIRV_MODULE_H

#include <lanewise/lanewise.h>
#include "spirv_numbers.h" /* generated: SpvOp..., from the grammar through <spirv/unified1/spirv.h> */

#define LW_MAX_BOUND (1u << 22)
#define LW_NO_INST UINT32_MAX
#define LW_NO_MEMBER UINT32_MAX

struct lw_inst {
    uint32_t at;     /* word offset of the instruction in `words` */
    uint16_t op;     /* SpvOp */
    uint16_t count;  /* words, the first included */
    uint32_t type;   /* result type id or 0 */
    uint32_t result; /* result id or 0 */
    uint32_t line;   /* of OpLine / DebugLine in force, 0: none */
    uint32_t file;   /* OpString id of its file, 0: none */
};

struct lw_decoration {
    uint32_t target; /* id; group decorations are already spread to their targets */
    uint32_t member; /* LW_NO_MEMBER for the whole */
    uint32_t kind;   /* SpvDecoration */
    uint32_t at;     /* word offset of the first literal operand */
    uint32_t count;  /* literal words */
};

struct lw_block {
    uint32_t label;  /* id */
    uint32_t first;  /* index of the instruction after OpLabel */
    uint32_t end;    /* index of the terminator, which belongs to the block */
};

struct lw_spirv_function {
    uint32_t id;
    uint32_t type;           /* OpTypeFunction id */
    uint32_t inst;           /* index of OpFunction */
    uint32_t end;            /* index of OpFunctionEnd */
    uint32_t first_param; /* index of the first OpFunctionParameter; params are consecutive but for OpLine */
    uint32_t param_count;
    uint32_t first_block;    /* into blocks[] */
    uint32_t block_count;    /* 0: a declaration (import) */
    const char *import_name; /* LinkageAttributes Import, or NULL */
};

struct lw_entry_point {
    uint32_t function; /* index into functions[] */
    uint32_t inst;     /* OpEntryPoint; OpFunction of a block that has none */
    const char *name;
    uint32_t block;    /* the function by which instructions name it (enqueue.h); else `function` */
};

#define LW_MAX_ENTRY_POINTS 16384u

enum lw_ext_set {
    LW_EXT_UNKNOWN,
    LW_EXT_OPENCL_STD,
    LW_EXT_NON_SEMANTIC,      /* others than the next */
    LW_EXT_SHADER_DEBUG_INFO, /* NonSemantic.Shader.DebugInfo */
    LW_EXT_DEBUG_INFO         /* OpenCL.DebugInfo, with literals where the one above has constants */
};

struct lw_spec_override {
    uint32_t spec_id;
    uint64_t value;
};

/* Layout of a type in memory, OpenCL C rules: natural alignment, vec3 as vec4, packed structs by CPacked. */
struct lw_layout {
    uint64_t size;  /* of one object, tail padding included */
    uint32_t align;
};

#define LW_MAX_OBJECT ((uint64_t)1 << 47) /* no type is larger */
#define LW_MAX_NESTING 255u               /* of aggregates, as SPIR-V's universal limits */

struct lw_type_layout {
    struct lw_layout layout;
    uint32_t first_member; /* struct: into member_offsets */
    uint32_t leaves; /* scalars and pointers in it, one for an empty struct; UINT32_MAX: at least so many */
    uint32_t depth;        /* of nesting; 0 for a scalar */
    bool valid;
};

/* A variable in the memory of the program, see program_variables.c. */
struct lw_program_variable {
    uint32_t id;
    uint64_t offset;
    uint64_t size;
};

#define LW_MAX_VECTOR 64u /* components; OpenCL C has at most 16, clang's passes make longer ones */
#define LW_PROGRAM_ALIGN 4096u                       /* of that memory */
#define LW_MAX_PRIVATE_ALIGN 128u                    /* of a private variable that asks for more */
#define LW_MAX_PROGRAM_BYTES ((uint64_t)1 << 30)     /* of it; offsets into it fit into 32 bits */

struct lw_constant { /* a scalar or vector whose value is known */
    uint32_t first_lane; /* into constant_lanes */
    uint32_t lanes;
    uint32_t width;      /* bits of a lane; 1 for a boolean */
    bool is_float;
};

typedef struct lw_module {
    uint32_t *words;
    size_t word_count;
    uint32_t version;   /* 0x00010400 */
    uint32_t generator;
    uint32_t bound;

    struct lw_inst *insts;
    uint32_t inst_count;
    uint32_t global_count; /* instructions before the first OpFunction */
    uint32_t *def;         /* [bound] id -> index into insts, LW_NO_INST where undefined */
    const char **names;    /* [bound] OpName, NULL where none; points into `words` */
    uint8_t *ext_sets;     /* [bound] enum lw_ext_set of an OpExtInstImport id */

    struct lw_decoration *decorations; /* sorted by target, then member, in module order */
    uint32_t decoration_count;
    uint32_t *first_decoration;        /* [bound + 1] */

    struct lw_spirv_function *functions;
    uint32_t function_count;
    struct lw_block *blocks;
    uint32_t block_count;
    struct lw_entry_point *entry_points;
    uint32_t entry_point_count;
    uint32_t kernel_count; /* of them, the first: those that a host may run. Blocks are behind them */
    bool names_blocks;     /* some function does */
    bool asks_any_block;   /* some function asks about a block and does not tell which (clang-22) */
    char **block_names;    /* made for blocks without an entry point of their own */
    uint32_t block_name_count;
    uint32_t *modes; /* indices of OpExecutionMode and OpExecutionModeId, sorted by function id, then order */
    uint32_t mode_count;
    uint32_t *arg_strings; /* indices of OpString "kernel_arg_...", sorted by text */
    uint32_t arg_string_count;
    uint32_t *spec_constants; /* indices of scalar constants with a SpecId */
    uint32_t spec_constant_count;

    struct lw_spec_override *overrides; /* set by lw_module_specialize */
    uint32_t override_count;

    /* Layouts and constants, computed in module order by lw_module_evaluate; read them through the functions.
     */
    uint32_t *slots; /* [bound] type id -> type_layouts, constant id -> constants; LW_NO_INST: none */
    struct lw_type_layout *type_layouts;
    uint32_t type_layout_count;
    uint64_t *member_offsets;   /* of all structs, one after the other */
    struct lw_constant *constants;
    uint32_t constant_count;
    uint64_t *constant_lanes;   /* of all constants, one after the other */

    struct lw_program_variable *program_variables; /* sorted by id */
    uint32_t program_variable_count;
    uint64_t program_bytes;     /* above LW_MAX_PROGRAM_BYTES: too many */
} lw_module;

/* ---- read.c ---- */

/* Reads `size` bytes (either endianness), builds the index. NULL and `error` on bad input. Free with
 * lw_module_free. Linear in the size; allocates at most a small multiple of it. */
lw_module *lw_module_read(const void *data, size_t size, lw_error *error);
void lw_module_free(lw_module *module);
/* An independent copy (overrides included). */
lw_module *lw_module_copy(const lw_module *module);

/* ---- module.c: looking things up. None of these fail on a read module. ---- */

static inline const struct lw_inst *
lw_def(const lw_module *m, uint32_t id)
{
    return id < m->bound && m->def[id] != LW_NO_INST ? &m->insts[m->def[id]] : NULL;
}

/* The op defining `id`, SpvOpNop where undefined. */
static inline uint32_t
lw_op_of(const lw_module *m, uint32_t id)
{
    const struct lw_inst *i = lw_def(m, id);
    return i ? i->op : 0;
}

/* Word `n` of the instruction (0 is the opcode word); 0 past its end. */
static inline uint32_t
lw_word(const lw_module *m, const struct lw_inst *i, uint32_t n)
{
    return n < i->count ? m->words[i->at + n] : 0;
}

/* Is an OpExtInst of debug information? */
static inline bool
lw_is_debug_set(const lw_module *m, const struct lw_inst *i)
{
    uint8_t set = m->ext_sets[lw_word(m, i, 3)];
    return set == LW_EXT_SHADER_DEBUG_INFO || set == LW_EXT_DEBUG_INFO;
}

/* Is an OpExtInst none of the code? */
static inline bool
lw_is_non_semantic(const lw_module *m, const struct lw_inst *i)
{
    return lw_is_debug_set(m, i) || m->ext_sets[lw_word(m, i, 3)] == LW_EXT_NON_SEMANTIC;
}

/* The type id of a value id, 0 where it has none. */
uint32_t lw_type_of(const lw_module *m, uint32_t id);
/* First decoration `kind` of `id` (member LW_NO_MEMBER: the whole), or NULL. */
const struct lw_decoration *lw_find_decoration(const lw_module *m, uint32_t id, uint32_t member,
                                               uint32_t kind);
/* Is a parameter decorated with the attribute, as ByVal? */
bool lw_has_attribute(const lw_module *m, uint32_t id, uint32_t attribute);
/* The literal string at word offset `at`. */
const char *lw_string_at(const lw_module *m, uint32_t at);
const char *lw_name_of(const lw_module *m, uint32_t id); /* "" where none */
const char *lw_op_name(uint32_t op);                     /* "OpIAdd"; "Op#unknown" where unknown */
const char *lw_opencl_std_name(uint32_t instruction);    /* "exp"; NULL where unknown */

bool lw_type_layout(const lw_module *m, uint32_t type, struct lw_layout *out);        /* false: no layout */
/* What a word says where an alignment stands; 0: none. clang-22 writes a signed byte: 128 comes as
 * 4294967168. dpcpp-llvm-spirv writes 0 for a copy of which nothing is known. */
uint32_t lw_alignment(uint32_t word);
/* The Alignment decoration of an id, 1 where it has none. */
uint32_t lw_alignment_asked(const lw_module *m, uint32_t id);
uint32_t lw_type_leaves(const lw_module *m, uint32_t type); /* see lw_type_layout; 1 */
uint64_t lw_member_offset(const lw_module *m, uint32_t struct_type, uint32_t member); /* in bytes */
uint64_t lw_array_length(const lw_module *m, uint32_t array_type); /* spec constants applied */

/* ---- spec_constants.c ---- */

/* Value of an integer/boolean/float scalar constant, specialised (OpSpecConstantOp included), zero-extended
 * bits. false where `id` is no scalar constant. */
bool lw_constant_bits(const lw_module *m, uint32_t id, uint64_t *bits);
/* The same for a vector too: its lanes, at most 16. Returns how many, 0 where the value is no scalar or
 * vector constant that is known (OpUndef counts as zeros). Works for every op: OpConstantComposite,
 * OpConstantNull, OpSpecConstantOp, ... */
uint32_t lw_constant_values(const lw_module *m, uint32_t id, uint64_t lanes[LW_MAX_VECTOR]);
/* (Re)computes layouts and constants from types, constants and overrides. false: out of memory. */
bool lw_module_evaluate(lw_module *m);
/* Part of lw_module_evaluate. */
bool lw_place_program_variables(lw_module *m);
/* By the name of HostAccessINTEL, of LinkageAttributes, or OpName. */
const struct lw_program_variable *lw_program_variable_named(const lw_module *m, const char *name);
/* NULL where the variable is none that lies in the program's memory. */
const struct lw_program_variable *lw_find_program_variable(const lw_module *m, uint32_t id);
/* Initialises program_bytes of zeros at their final address. */
void lw_fill_program_variables(const lw_module *m, void *memory);
/* The function with this id as an index into functions[], LW_NO_INST where there is none. */
uint32_t lw_function_index(const lw_module *m, uint32_t id);
/* Where the execution modes of a function (by id) begin in modes[]. */
uint32_t lw_first_mode(const lw_module *m, uint32_t function);
/* false: no such SpecId, or the size is wrong. The constants are as they were until lw_module_evaluate. */
bool lw_module_override(lw_module *m, uint32_t spec_id, const void *value, size_t size, lw_error *error);
/* Both for one constant. */
bool lw_module_specialize(lw_module *m, uint32_t spec_id, const void *value, size_t size, lw_error *error);

#endif
