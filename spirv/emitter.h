/* SPDX-License-Identifier: MIT */
/* What the files emit*.c share; nobody else includes it.
 *
 * Values are in value form: bool is i1, vec3 <3 x T>, a struct an unpadded literal struct. Memory form, used
 * for allocas, address arithmetic and constant globals, has the layout of lw_type_layout exactly: bool is i8,
 * vec3 [4 x T], a struct is packed with explicit padding. Composites are loaded and stored member by member.
 *
 * An error is recorded once (lw_emit_fail) and every helper then returns NULL; handlers may go on with NULL
 * only as far as the next helper, so they test `e->failed` before handing a value to LLVM themselves.
 */
#ifndef LW_SPIRV_EMITTER_H
#define LW_SPIRV_EMITTER_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include "emit.h"
#include "intrinsics.h"
#include "support.h"

#define LW_MAX_LEAVES 8192     /* parts of a composite moved as a value */
#define LW_MAX_COMPONENTS LW_MAX_VECTOR   /* of a vector */
#define LW_MAX_LOCAL_ITEMS 8192 /* work-items of a work-group, and in each dimension */

typedef LLVMValueRef V;
typedef LLVMTypeRef T;

struct lw_emitter {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;        /* where instructions go */
    LLVMBuilderRef prologue; /* allocas, local variables' addresses: dominates the whole function */
    const lw_module *spv;
    const struct lw_kernel_desc *kernel;
    const struct lw_emit_facts *facts;
    lw_error *error;
    bool failed;

    T *types;                   /* [bound] value form */
    T *memory_types;            /* [bound] */
    V *values;                  /* [bound] */
    LLVMBasicBlockRef *blocks;  /* [bound] by label */
    uint32_t *block_of;         /* [bound] label -> index into blocks of the module + 1 */
    uint16_t *inputs;           /* [bound] BuiltIn + 1 of an Input variable, of a pointer to a component of it
                                   (values[] holds the bytes between), or of the whole vector loaded */
    uint32_t *function_of;      /* [bound] index into functions + 1 */
    V *functions;               /* by function index */
    uint32_t *rooms;            /* [bound] emit_memory.c, made where first asked: bytes of variables */
    uint32_t *scratch;          /* ids with a value per function: dropped at its end */
    uint32_t scratch_count;
    V function;                 /* being written */
    const struct lw_inst *inst; /* being emitted */
    unsigned nesting;
    unsigned image_reads;       /* emit_image.c: of the kernel once it is inlined, + 1 where it is counted */

    LLVMDIBuilderRef di;
    LLVMMetadataRef di_file, di_unit, di_type, di_scope;
    LLVMMetadataRef *di_files;  /* [bound] file by OpString id */
    LLVMMetadataRef *di_blocks; /* [bound] scope of that file in the current function */
    uint32_t *di_used;          /* OpString ids with a scope in the current function */
    uint32_t di_used_count;

    struct lw_shown *shown; /* of the current function; emit_variables.c */
    uint32_t shown_count;
    uint32_t *shown_of; /* [bound] by DebugLocalVariable: index into them + 1 */
    uint32_t *declared; /* [bound] the DebugLocalVariable of an OpVariable */
    struct lw_place *places; /* of the current function; emit_places.c */
    uint32_t place_count, places_shown; /* shown: in all of the kernel */
    bool places_changed; /* since they were shown */

    T i1, i8, i16, i32, i64, f16, f32, f64, ptr;
};

typedef struct lw_emitter lw_emitter;

/* ---- emit.c ---- */
void lw_emit_fail(lw_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Emits one instruction that neither begins nor ends a block. Used by constants for OpSpecConstantOp too. */
void lw_emit_instruction(lw_emitter *e, const struct lw_inst *inst);
/* Word `n` of the current instruction; the value of the id there. */
uint32_t lw_operand(const lw_emitter *e, unsigned n);
V lw_operand_value(lw_emitter *e, unsigned n);
/* A number without a sign, as one of another width. */
V lw_unsigned(lw_emitter *e, V number, T type);
/* Remembers the current instruction's result. */
void lw_emit_result(lw_emitter *e, V value);
bool lw_decorated(const lw_emitter *e, uint32_t id, uint32_t decoration);
/* A literal of a decoration; `absent` where there is none. */
uint32_t lw_decoration_value(const lw_emitter *e, uint32_t id, uint32_t decoration, uint32_t absent);

/* ---- emit_debug.c ---- */
void lw_debug_open(lw_emitter *e);
void lw_debug_function(lw_emitter *e, V function, const char *name, const struct lw_inst *inst);
void lw_debug_at(lw_emitter *e, const struct lw_inst *inst);
void lw_debug_close(lw_emitter *e);

/* ---- emit_variables.c: for a debugger, nothing where the facts do not ask for it ---- */
void lw_show_variables(lw_emitter *e);                       /* what the current OpExtInst tells */
void lw_show_store(lw_emitter *e, uint32_t pointer, V value); /* to an OpVariable, told of perhaps */
void lw_show_all_again(lw_emitter *e);                           /* behind a barrier */
void lw_forget_variables(lw_emitter *e);                     /* at a function's end */

/* emit_places.c: of what is in memory. The current instruction was emitted; the next one (NULL: the block's
 * end) will be; the function has ended. */
void lw_note_places(lw_emitter *e);
void lw_show_places(lw_emitter *e, const struct lw_inst *next);
void lw_forget_places(lw_emitter *e);

/* ---- emit_types.c ---- */
T lw_emit_type(lw_emitter *e, uint32_t id);
T lw_emit_memory_type(lw_emitter *e, uint32_t id);
unsigned lw_address_space_of(lw_emitter *e, uint32_t storage_class);
uint32_t lw_pointee(const lw_emitter *e, uint32_t pointer_type);
uint32_t lw_storage_of(const lw_emitter *e, uint32_t pointer_type);
/* The type of a composite's `index`-th part, 0 where it has none. */
uint32_t lw_part_type(const lw_emitter *e, uint32_t type, uint32_t index);
uint64_t lw_size_of(lw_emitter *e, uint32_t type);
unsigned lw_align_of(lw_emitter *e, uint32_t type);
/* Parts of a type in value form: members, elements, components; 1 for a scalar. */
unsigned lw_parts(T type);
T lw_scalar(T type);                               /* of a vector, or itself */
T lw_like(T scalar, T shape);                      /* <n x scalar> with shape's n, or scalar */
unsigned lw_bits(T scalar);
bool lw_is_float(T type);                          /* scalar or vector of */
const char *lw_suffix(T scalar, char buffer[16]);  /* "f32" */

/* ---- emit_constants.c ---- */
V lw_emit_value(lw_emitter *e, uint32_t id);
/* false and failure where it is no scalar constant. */
bool lw_emit_literal(lw_emitter *e, uint32_t id, uint64_t *bits);
V lw_int(T type, uint64_t value);                  /* scalar or splat */
V lw_real(T type, double value);

/* ---- emit_call.c: declared functions, intrinsics, components ---- */
/* Of a function of intrinsics.def: its attributes are by its effect. */
V lw_call(lw_emitter *e, const char *name, T result, V *args, unsigned count);
/* The function of the runtime for a call of any number of arguments. */
V lw_runtime_function(lw_emitter *e, const char *name, T type);
/* [low, high) of a scalar integer call's result. */
void lw_set_range(lw_emitter *e, V call, uint64_t low, uint64_t high);
/* So many bytes at the address that the call gives may be read at any time. */
void lw_set_readable(lw_emitter *e, V call, uint64_t bytes);
/* Overloaded on the type of args[0]. */
V lw_intrinsic(lw_emitter *e, const char *name, V *args, unsigned count);
V lw_intrinsic1(lw_emitter *e, const char *name, V a);
V lw_intrinsic2(lw_emitter *e, const char *name, V a, V b);
V lw_component(lw_emitter *e, V vector, unsigned index);  /* of a vector, or the scalar itself */
V lw_assemble(lw_emitter *e, T type, V *components);      /* the inverse */
V lw_splat(lw_emitter *e, V scalar, T type);
V lw_select_component(lw_emitter *e, V vector, V index);  /* any index, never poison */
V lw_alloca(lw_emitter *e, T type, unsigned align, const char *name);
/* emit_builtins.c: lw.<name>(dimension) and lw.<name>(), folded by the facts. */
V lw_id(lw_emitter *e, const char *name, unsigned dimension);
/* Is it what lw_id gives? */
bool lw_is_id(lw_emitter *e, V value, const char *name, unsigned dimension);
V lw_id0(lw_emitter *e, const char *name);

/* ---- emit_memory.c ---- */
V lw_load(lw_emitter *e, uint32_t type, V pointer, unsigned align, bool is_volatile);
/* Scalar or vector in value form at a pointer: vec3 without its fourth element, bool as bytes. */
V lw_load_plain(lw_emitter *e, T type, V pointer, unsigned align, bool is_volatile);
void lw_store_plain(lw_emitter *e, V value, V pointer, unsigned align, bool is_volatile);
V lw_to_storage(lw_emitter *e, V pointer, T type);        /* address space cast where needed */
/* The storage class a generic pointer comes from; Generic where the module does not show it. */
uint32_t lw_storage_origin(const lw_emitter *e, uint32_t pointer_id);
/* i1: does a generic pointer point into this address space? */
V lw_is_in_space(lw_emitter *e, uint32_t pointer_id, V pointer, unsigned space);
V lw_cast_explicit(lw_emitter *e, uint32_t pointer_id, V pointer, unsigned space);
bool lw_emit_memory(lw_emitter *e);

/* ---- the groups: false where the opcode is not theirs ---- */
bool lw_emit_arithmetic(lw_emitter *e);
bool lw_emit_bits(lw_emitter *e);
bool lw_emit_dot(lw_emitter *e);
bool lw_emit_relational(lw_emitter *e);
bool lw_emit_convert(lw_emitter *e);
bool lw_emit_composite(lw_emitter *e);
bool lw_emit_atomics(lw_emitter *e);
bool lw_emit_groups(lw_emitter *e);
bool lw_emit_async(lw_emitter *e);
bool lw_emit_pipe(lw_emitter *e);
bool lw_emit_image(lw_emitter *e);
bool lw_emit_enqueue(lw_emitter *e);
bool lw_emit_opencl_std(lw_emitter *e);

/* ---- emit_arithmetic.c ---- */
V lw_fast(lw_emitter *e, V value);                        /* fast-math flags of the current instruction */

/* ---- emit_convert.c ---- */
enum lw_rounding { LW_RTE, LW_RTZ, LW_RTP, LW_RTN, LW_ROUND_DEFAULT }; /* SpvFPRoundingMode */
V lw_float_to_float(lw_emitter *e, V x, T to, enum lw_rounding rounding);
V lw_float_to_int(lw_emitter *e, V x, T to, bool is_signed, enum lw_rounding rounding, bool saturate);
V lw_int_to_float(lw_emitter *e, V x, T to, bool is_signed, enum lw_rounding rounding);
V lw_int_to_int(lw_emitter *e, V x, T to, bool from_signed, bool to_signed, bool saturate);

/* ---- emit_builtins.c ---- */
bool lw_is_input(const lw_emitter *e, uint32_t id);
/* NULL without failure for a whole vector: marked in inputs[], made by lw_input_vector if it comes to be
 * needed. */
V lw_load_input(lw_emitter *e, uint32_t pointer, uint32_t type);
/* The result becomes a pointer `offset` bytes (i64, NULL: none) behind such a pointer; false, and nothing
 * done, where `base` is none. */
bool lw_derive_input(lw_emitter *e, uint32_t base, V offset);
V lw_input_vector(lw_emitter *e, uint32_t pointer, T type);
/* A component of a whole loaded built-in, index any i64 value: out of range gives 1 for sizes, else 0. */
V lw_input_component(lw_emitter *e, unsigned builtin, V index, T type);

/* ---- emit_groups.c ---- */
V lw_ballot_vector(lw_emitter *e, V bits, T type);
V lw_imported_group(lw_emitter *e, const struct lw_import_group *group, V *args, unsigned count);
/* OpSubgroupShuffle*INTEL over its operands; a block behind a pointer, read (value NULL) or written. */
V lw_intel_shuffle(lw_emitter *e, uint32_t op, V *args, unsigned count);
V lw_intel_block(lw_emitter *e, V pointer, V value, T type);

/* ---- emit_atomics.c ---- */
V lw_atomic(lw_emitter *e, uint32_t op, V pointer, V value, LLVMAtomicOrdering order);

/* ---- emit_dot.c ---- */
/* OpSDot ... OpSUDotAccSat; the accumulator of those that have none is NULL. */
V lw_dot(lw_emitter *e, uint32_t op, V a, V b, V accumulator, T type);

/* ---- emit_geometric.c, emit_vloadstore.c: instructions of OpenCL.std that are not elementwise ---- */
bool lw_emit_geometric(lw_emitter *e, uint32_t number);
bool lw_emit_vloadstore(lw_emitter *e, uint32_t number);

/* ---- emit_image_constants.c ---- */
V lw_sampler_constant(lw_emitter *e, const struct lw_inst *inst);
/* OpUndef of this type: zeros, or an image without texels. */
V lw_undefined(lw_emitter *e, uint32_t type);

/* ---- emit_image_argument.c ---- */
/* LW_FACT_* of an image or a sampler, 0 where nothing is known. */
uint32_t lw_image_fact(lw_emitter *e, uint32_t id);

/* ---- emit_image.c ---- */
void lw_emit_image_import(lw_emitter *e, const struct lw_imported_builtin *row, V *args, const uint32_t *ids,
                          unsigned count);

/* ---- emit_printf.c ---- */
void lw_emit_printf(lw_emitter *e);

/* ---- emit_enqueue.c ---- */
/* What clang-22 leaves of the query `op`, with all arguments of the call. */
void lw_emit_block_import(lw_emitter *e, uint32_t op, V *args);

/* ---- emit_imports.c ---- */
/* A call of an imported function: name and argument values. */
void lw_emit_import(lw_emitter *e, const char *name, V *args, const uint32_t *ids, unsigned count);

#endif
