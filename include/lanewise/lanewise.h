/* SPDX-License-Identifier: MIT */
/* Lanewise: OpenCL SPIR-V kernels on the lanes of x86 SIMD registers. The public C API.
 *
 * A program in five calls: lw_device_create, lw_program_load_file, lw_kernel_create, lw_kernel_set_arg_*,
 * lw_kernel_run. Every function that can fail takes an `lw_error *` (may be NULL), returns false or NULL, and
 * leaves a sentence in it that names the file, the kernel or the instruction.
 *
 * Threads: devices and programs may be used from any number of threads at once. A kernel object carries its
 * arguments, so one thread at a time may use it; make one per thread (they share the compiled code).
 *
 * Processes: a child of fork() goes on with the devices, programs and kernels that it has, and gets threads
 * of its own, and a compiler process of its own. Fork while no other thread is in a call of this library. The
 * device's own thread may be compiling at that moment: what it had begun the child compiles itself. (Where
 * LANEWISE_COMPILER_PROCESS=0 has LLVM in the process, its locks are held for moments; a child forked in one
 * of these would wait for ever when it compiles. LANEWISE_TIER=masked or specialised does without that
 * thread.)
 */
#ifndef LANEWISE_H
#define LANEWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "image.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LW_API __attribute__((visibility("default")))

/* What went wrong. The numbers are stable. */
typedef enum lw_status {
    LW_OK = 0,
    LW_BAD_ARGUMENT = 1, /* the caller's argument: a NULL, an index, a size, a type, an NDRange */
    LW_BAD_MODULE = 2,   /* the bytes are no valid SPIR-V module */
    LW_UNSUPPORTED = 3,  /* valid, but Lanewise does not support it (the text names the construct) */
    LW_NOT_FOUND = 4,    /* no such file, kernel, specialization constant */
    LW_OUT_OF_MEMORY = 5,
    LW_COMPILER_MISSING = 6, /* liblanewise-compiler.so could not be loaded, or is of another build */
    LW_INTERNAL = 7,         /* a defect of ours */
    LW_FAULT = 8 /* lw_device_options.contain_faults: a kernel reached for memory that it has not */
} lw_status;

typedef struct lw_error {
    lw_status status;
    uint32_t word; /* offset in 32-bit words of the instruction in the module, 0 where there is none */
    char text[1000];
} lw_error;

typedef enum lw_isa {
    LW_ISA_AUTO = 0,
    LW_ISA_SSE42 = 1,      /* x86-64-v2 */
    LW_ISA_AVX2 = 2,       /* x86-64-v3 */
    LW_ISA_AVX512 = 3,     /* x86-64-v4: AVX-512 F, BW, CD, DQ and VL */
    LW_ISA_AVX512_VBMI = 4, /* and VBMI, VBMI2, BITALG, VPOPCNTDQ, VNNI, IFMA, GFNI: since Ice Lake, Zen 4 */
    LW_ISA_AVX512_FP16 = 5  /* and arithmetic in half: since Sapphire Rapids */
} lw_isa;

/* "sse4.2", "avx2", "avx512-v4", "avx512-vbmi", "avx512"; "auto" for LW_ISA_AUTO. "avx512", which is
 * LW_ISA_AVX512_FP16, and LW_ISA_AVX512_VBMI ask for what the processor has of AVX-512, if that is less. */
LW_API const char *lw_isa_name(lw_isa isa);
/* The highest level that this machine runs. */
LW_API lw_isa lw_isa_host(void);

/* ---- Device: the worker threads and the settings ------------------------------------------------------ */

typedef struct lw_device lw_device;

typedef struct lw_device_options {
    unsigned threads; /* 0: as many as the affinity mask and cgroup quota give (or LANEWISE_THREADS) */
    lw_isa isa;       /* a cap; LW_ISA_AUTO: the host's highest (or LANEWISE_ISA). Above the host: an error */
    const char *dump; /* stages to print to stderr, comma-separated, as LANEWISE_DUMP; NULL: none */
    bool explain;     /* keep the vectorizer's report of each compilation, see lw_kernel_explain */
    unsigned cache_entries; /* how many specialisations are kept in memory per device; 0: 256 */
    bool trace_groups; /* run one work-group at a time, as the caller shaped them, so that lw_current_activity
                          tells exactly which; slower */
    unsigned guard_local; /* 0: local memory is as it is fastest. Else each argument and each variable in it
                             lies between pages that may not be touched, ends at one of them as near as its
                             alignment allows, arguments are aligned to at least so many bytes (a power of two
                             up to 128), and lw_kernel_local_object tells where they are */
    bool contain_faults; /* a kernel that touches memory where there is none ends its launch (LW_FAULT), not
                            the process: the first launch installs handlers of SIGSEGV, SIGBUS, SIGFPE and
                            SIGILL, which pass on what no kernel caused. Local memory is then apart from all
                            other. With LANEWISE_FAULTS=0 or guard_local it does nothing */
    size_t most_local; /* bytes of local memory; a kernel whose own variables need more is unsupported
                          (lw_kernel_info). 0: 256 MiB */
} lw_device_options;

/* `options` may be NULL (all defaults). Release with lw_device_release; programs keep their device alive. */
LW_API lw_device *lw_device_create(const lw_device_options *options, lw_error *error);
LW_API void lw_device_release(lw_device *device);
LW_API unsigned lw_device_threads(const lw_device *device);
LW_API lw_isa lw_device_isa(const lw_device *device);

/* ---- Program: a SPIR-V module ------------------------------------------------------------------------- */

typedef struct lw_program lw_program;

/* Reads, indexes and checks a module completely (`size` bytes, binary SPIR-V of either endianness, copied).
 */
LW_API lw_program *lw_program_create(lw_device *device, const void *data, size_t size, lw_error *error);
LW_API lw_program *lw_program_load_file(lw_device *device, const char *path, lw_error *error);
LW_API void lw_program_release(lw_program *program);

typedef struct lw_spec_constant {
    uint32_t id;      /* the SpecId decoration */
    const char *name; /* OpName or NULL; owned by the program */
    char type[8];     /* "bool", "i8" ... "u64", "f16", "f32", "f64" */
    uint32_t size;    /* bytes: 1 for bool */
    uint64_t value;   /* default, or as last set; low `size` bytes */
} lw_spec_constant;

/* How many specialization constants (SpecId) the module has, and the one of that index, as it is set now.
 * false: there is none such. */
LW_API uint32_t lw_program_spec_constant_count(const lw_program *program);
LW_API bool lw_program_spec_constant(const lw_program *program, uint32_t index, lw_spec_constant *out);
/* Sets one for all kernels created afterwards. `size` must be the constant's. SPIR-V 2.9 (specialization). */
LW_API bool lw_program_specialize(lw_program *program, uint32_t id, const void *value, size_t size,
                                  lw_error *error);

/* ---- What kernels there are --------------------------------------------------------------------------- */

typedef enum lw_arg_kind {
    LW_ARG_VALUE,   /* a scalar or vector, by value */
    LW_ARG_STRUCT,  /* an aggregate by value */
    LW_ARG_POINTER, /* pointer to global or constant memory */
    LW_ARG_LOCAL,   /* pointer to local memory: its size is set, not its address */
    LW_ARG_PIPE,    /* a pipe: lw_kernel_set_arg_pipe */
    LW_ARG_IMAGE,   /* lw_kernel_set_arg_image */
    LW_ARG_SAMPLER, /* lw_kernel_set_arg_sampler */
    LW_ARG_QUEUE    /* a device queue: lw_kernel_set_arg_queue */
} lw_arg_kind;

typedef struct lw_arg_info {
    const char *name; /* "" where the module does not tell */
    const char *type; /* OpenCL C spelling as far as the module tells: "uint", "float4", "global uchar*" */
    lw_arg_kind kind;
    char scalar[8]; /* element type of a value or pointee: "i8" .. "u64" "f16" "f32" "f64"; "" for others.
                       SPIR-V integers carry no sign: "iN" */
    uint32_t components; /* of a vector value: 2, 3, 4, 8, 16; 1 for a scalar */
    uint32_t size;       /* bytes that lw_kernel_set_arg takes; 0 for LW_ARG_LOCAL */
    uint32_t align;
    uint32_t address_space; /* 0 private/value, 1 global, 2 constant, 3 local, 4 generic */
} lw_arg_info;

typedef struct lw_kernel_info {
    const char *name;
    uint32_t arg_count;
    uint32_t required_local_size[3];        /* LocalSize mode; 0 where not required */
    uint32_t local_size_hint[3];            /* LocalSizeHint; 0 where none */
    uint32_t required_sub_group_size;       /* SubgroupSize mode; 0 */
    uint32_t required_sub_groups_per_group; /* SubgroupsPerWorkgroup mode; 0 */
    uint32_t local_bytes;                   /* module-scope local memory */
    bool observes_sub_groups;               /* its result can depend on the sub-group size */
    bool has_barrier;                       /* barriers or work-group collectives */
    const char *unsupported; /* NULL, or why this kernel cannot be built (siblings are unaffected) */
} lw_kernel_info;

/* By index: kernels in the order of the module's entry points, arguments in that of the kernel's parameters,
 * with the specialization constants as they are set. Texts are the program's and stay as long as it does.
 * false: there is no such kernel, or no such argument; of a kernel that is not supported there is none, and
 * only `name` and `unsupported` are told. */
LW_API uint32_t lw_program_kernel_count(const lw_program *program);
LW_API bool lw_program_kernel_info(const lw_program *program, uint32_t kernel, lw_kernel_info *out);
LW_API bool lw_program_arg_info(const lw_program *program, uint32_t kernel, uint32_t arg, lw_arg_info *out);

/* ---- Kernel: one entry point with its arguments ------------------------------------------------------- */

typedef struct lw_kernel lw_kernel;

/* The program may be released afterwards. An unsupported kernel is an error here, LW_UNSUPPORTED. */
LW_API lw_kernel *lw_kernel_create(lw_program *program, const char *name, lw_error *error);
LW_API void lw_kernel_release(lw_kernel *kernel);

/* A value or struct: `size` bytes are copied; `size` must be lw_arg_info.size. */
LW_API bool lw_kernel_set_arg(lw_kernel *kernel, uint32_t index, const void *value, size_t size,
                              lw_error *error);
/* Global or constant memory: the caller's own memory, used in place, never copied, alive until the run ends.
 * `bytes` is the size of the object it points to (bounds facts for the code; SIZE_MAX where unknown). */
LW_API bool lw_kernel_set_arg_pointer(lw_kernel *kernel, uint32_t index, void *pointer, size_t bytes,
                                      lw_error *error);
/* Local memory of `bytes` bytes per work-group. */
LW_API bool lw_kernel_set_arg_local(lw_kernel *kernel, uint32_t index, size_t bytes, lw_error *error);
/* A pipe (OpenCL C 6.15.18): memory of the caller's that lw_pipe_init has laid out, alive until the run ends;
 * runs and threads may share it. */
LW_API bool lw_kernel_set_arg_pipe(lw_kernel *kernel, uint32_t index, void *memory, lw_error *error);
/* An image (image.h) of the parameter's kind; it and its texels are the caller's, alive and, but for the
 * texels, unchanged until the run ends. */
LW_API bool lw_kernel_set_arg_image(lw_kernel *kernel, uint32_t index, const struct lw_image *image,
                                    lw_error *error);
/* A sampler's LW_SAMPLER_BITS. */
LW_API bool lw_kernel_set_arg_sampler(lw_kernel *kernel, uint32_t index, uint32_t bits, lw_error *error);
/* Bytes of memory that a pipe takes, to be aligned to 128; 0 where there can be none: packets have 1 to 65536
 * bytes, and a pipe at most 2^28. Both functions are safe on any thread. */
LW_API size_t lw_pipe_memory_size(uint32_t packet_size, uint32_t max_packets);
/* Makes `memory` an empty pipe; no kernel may be running with it. */
LW_API void lw_pipe_init(void *memory, uint32_t packet_size, uint32_t max_packets);

/* A queue for kernels that enqueue others (OpenCL C 6.15.17): `bytes` of commands that have not begun, each
 * some 200 and what its block captured; 0: 64 MiB. lw_kernel_run returns when all that the kernel enqueued
 * has ended. */
typedef struct lw_device_queue lw_device_queue;
LW_API lw_device_queue *lw_device_queue_create(lw_device *device, size_t bytes, lw_error *error);
LW_API void lw_device_queue_release(lw_device_queue *queue);
/* Alive until the run ends. */
LW_API bool lw_kernel_set_arg_queue(lw_kernel *kernel, uint32_t index, lw_device_queue *queue,
                                    lw_error *error);
/* What get_default_queue() gives the kernel and all that it enqueues; the kernel holds it. NULL: none, as at
 * first. */
LW_API bool lw_kernel_set_default_queue(lw_kernel *kernel, lw_device_queue *queue, lw_error *error);
/* Sub-group size asked by the caller: 0 (chosen), 4, 8, 16, 32 or 64. Conflicts with a SubgroupSize mode:
 * error. */
LW_API bool lw_kernel_set_sub_group_size(lw_kernel *kernel, uint32_t size, lw_error *error);

typedef struct lw_ndrange {
    uint32_t dimensions; /* 1 to 3 */
    size_t global[3];    /* work-items; zero is legal and runs nothing */
    size_t local[3];     /* work-group size; all zero: chosen (lw_kernel_suggest_local_size) */
    size_t offset[3];
} lw_ndrange;

/* Runs the kernel over the range and returns when every work-item is done. The calling thread works too.
 * Sizes that do not divide give remainder work-groups (OpenCL API 3.2.1). */
LW_API bool lw_kernel_run(lw_kernel *kernel, const lw_ndrange *range, lw_error *error);
/* Runs a part of the range: the work-groups whose id in the last dimension is `first` or more and less than
 * `end`. They see the whole range (ids, sizes, numbers of work-groups). For several processes that share one.
 */
LW_API bool lw_kernel_run_slab(lw_kernel *kernel, const lw_ndrange *range, size_t first, size_t end,
                               lw_error *error);
/* Compiles for lw_kernel_run_slab, as lw_kernel_prepare does for the whole range. */
LW_API bool lw_kernel_prepare_slab(lw_kernel *kernel, const lw_ndrange *range, size_t first, size_t end,
                                   lw_error *error);
/* Compiles for the range without running, so that the first run is not the slow one. */
LW_API bool lw_kernel_prepare(lw_kernel *kernel, const lw_ndrange *range, lw_error *error);
/* The work-group size that lw_kernel_run takes where `range->local` is zero. */
LW_API bool lw_kernel_suggest_local_size(lw_kernel *kernel, const lw_ndrange *range, size_t local[3],
                                         lw_error *error);

/* ---- Queries, consistent with the dispatch (clGetKernelSubGroupInfo) ---------------------------------- */

/* The sub-group size N that every dispatch of this kernel uses (CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE). */
LW_API uint32_t lw_kernel_sub_group_size(const lw_kernel *kernel);
/* Sub-groups of a work-group of this local size (CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE). */
LW_API uint32_t lw_kernel_sub_group_count(const lw_kernel *kernel, uint32_t dimensions, const size_t *local);
/* A local size with exactly `count` sub-groups; {0,0,0} where there is none
 * (CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT). */
LW_API void lw_kernel_local_size_for_count(const lw_kernel *kernel, uint32_t count, size_t local[3]);
/* The most work-items a work-group may have, and the most sub-groups. */
LW_API size_t lw_kernel_max_work_group_size(const lw_kernel *kernel);
LW_API uint32_t lw_kernel_max_sub_groups(const lw_kernel *kernel);

/* Facts of the last compilation that this kernel caused or used. */
typedef struct lw_compile_info {
    double milliseconds;   /* spent compiling for this kernel object, all specialisations */
    uint32_t compilations; /* how many were made, the others came from the cache */
    lw_isa isa;
    uint32_t lanes;     /* width of the code last run (N, or free where the kernel cannot observe it) */
    bool specialised;   /* false: the masked instance with dynamic local size */
    size_t frame_bytes; /* per worker */
    size_t code_bytes;
    bool first; /* code made quickly for a first run; later runs have code that took longer to compile */
} lw_compile_info;
/* All zero before the first of them. */
LW_API void lw_kernel_compile_info(const lw_kernel *kernel, lw_compile_info *out);
/* The vectorizer's report as JSON text (see docs/explain.md); NULL unless the device was made with `explain`
 * and the kernel was prepared or run. Owned by the kernel, valid until the next call on it. */
LW_API const char *lw_kernel_explain(lw_kernel *kernel);

/* ---- A kernel as a plain C function ------------------------------------------------------------------- */

typedef struct lw_function lw_function;

/* Makes `pointer` below callable as `void f(args...)`, each parameter the C type of the kernel's: scalars by
 * value, vectors as the compiler's vector types are not supported (error), pointers as pointers, local memory
 * as size_t bytes, structs by value are not supported (error). Calling it runs `range`. A call that fails
 * prints to stderr and returns. Calls from several threads at once are safe. */
LW_API lw_function *lw_function_create(lw_kernel *kernel, const lw_ndrange *range, lw_error *error);
LW_API void *lw_function_pointer(const lw_function *function);
LW_API void lw_function_release(lw_function *function);

/* ---- Others ------------------------------------------------------------------------------------------- */

/* What the calling thread is running, for a signal handler that reports a fault. Async-signal-safe. false
 * where it runs no kernel. */
typedef struct lw_activity {
    const char *kernel;
    uint64_t group[3]; /* id of the first work-group of the run */
    uint64_t groups;   /* how many the run has, dimension 0 fastest (or another, where the kernel cannot
                          notice); 1 with lw_device_options.trace_groups */
    uint64_t local[3]; /* work-group size that `group` counts in: where the kernel cannot notice, not the
                          caller's, unless trace_groups */
    const void *local_memory; /* of the work-group */
    const char *printed; /* by printf and not yet written to stdout, printed_bytes long */
    size_t printed_bytes;
} lw_activity;
LW_API bool lw_current_activity(lw_activity *out);

/* With lw_device_options.guard_local: what the local memory of a kernel whose arguments are set consists of.
 */
typedef struct lw_local_object {
    uint32_t argument;    /* UINT32_MAX: it is a variable */
    const char *name;     /* "" where the module does not tell */
    uint64_t offset;      /* from lw_activity.local_memory */
    uint64_t bytes;
} lw_local_object;
/* false: there are no more, or no guards. */
LW_API bool lw_kernel_local_object(const lw_kernel *kernel, uint32_t index, lw_local_object *out);

/* Prints the LANEWISE_* environment variables, their values and meaning. */
LW_API void lw_help_env(FILE *out);
/* The release, three numbers with points between them; static. */
LW_API const char *lw_version(void);

#ifdef __cplusplus
}
#endif
#endif
