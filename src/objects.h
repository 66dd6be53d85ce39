/* SPDX-License-Identifier: MIT */
/* The runtime's objects: what a device, a program and a kernel hold, and who keeps whom alive.
 *
 *   lw_function -> lw_kernel -> lw_build, lw_program -> lw_source, lw_device -> pool, cache -> lw_instance ->
 * lw_source
 *
 * Every arrow is a counted reference but the last two (the device owns its pool, its cache and its compile
 * thread). Nothing here is global: two devices in a process know nothing of each other.
 */
#ifndef LW_SRC_OBJECTS_H
#define LW_SRC_OBJECTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <lanewise/lanewise.h>
#include "../spirv/reflect.h"
#include "api.h"
#include "compiler.h"
#include "options.h"

#define LW_MAX_WORK_GROUP 8192u
#define LW_MAX_LOCAL_BYTES ((size_t)256 << 20)
#define LW_MAX_FRAME_BYTES ((uint64_t)4 << 30)
#define LW_MAX_PRIVATE_BYTES ((uint64_t)1 << 30) /* of a work-group's private variables */

/* host_isa.c: loads of the lanes' elements, one by one, are faster than this processor's gathers. */
bool lw_host_gathers_slowly(void);

struct lw_cache;
struct lw_compile_threads;
struct lw_pool;
struct lw_instance;

/* ---- device.c ---- */

/* The loaded compiler library, see loader.c. */
struct lw_loader {
    pthread_mutex_t lock;
    const struct lw_compiler *compiler;
    char *program, *library; /* absolute, malloc'd, NULL: not found (yet) */
    struct lw_build_id {
        size_t size; /* 0: not known */
        uint8_t bytes[32];
    } build_id;
    bool looked; /* for the build id */
};

struct lw_device {
    atomic_uint refs;
    struct lw_options options;
    lw_isa isa;
    bool slow_gathers; /* loads one by one are faster */
    unsigned threads;
    bool explain;
    bool trace_groups;
    uint64_t most_local;  /* bytes that a kernel's own variables may have */
    unsigned guard_local; /* 0: no guards; else the least alignment of local arguments between them */
    bool contain_faults;  /* of kernels: faults.h */
    char *dump; /* NULL: none */
    int trace; /* a file, see trace.h; -1: none */
    struct lw_explain *explanations; /* explain.h; NULL: none are wanted */
    struct lw_loader loader;
    struct lw_pool *pool;
    struct lw_cache *cache;
    struct lw_compile_threads *compile_threads;
    char *cache_folder; /* of the disk cache, NULL: there is none */
    pthread_mutex_t sources_lock;
    struct lw_source *sources; /* the modules alive, so that equal ones share code */
    uint64_t created;                    /* nanoseconds of the clock */
    _Atomic uint64_t prompt_nanoseconds; /* tiers.c: that first dispatches waited for special code */
    pthread_mutex_t check_lock; /* cross_check.c */
    uint64_t checked[2]; /* dispatches that were not compared, and that were */
    atomic_uint *fork_mark;    /* a page that reads zero in a forked child, see device.c */
};

void lw_device_retain(lw_device *device); /* another reference; given back by lw_device_release */
/* Call first in whatever takes a lock of the device: in a forked child it makes the locks, the pool and the
 * cache usable again (their threads stayed in the parent). */
void lw_device_after_fork(lw_device *device);

/* loader.c: the compiler in this process, loaded on the first call. NULL and `error` where it cannot be had.
 */
const struct lw_compiler *lw_load_compiler(lw_device *device, lw_error *error);
/* The program of the compiler process and the library that it is to compile by. False: one of them is not
 * found. */
bool lw_find_compilers(lw_device *device, const char **program, const char **library);
/* What tells this compiler library from every other, read from its file without loading it. False: nothing
 * does. */
bool lw_compiler_build_id(lw_device *device, struct lw_build_id *out);

/* cpus.c: processors that this process may use, by affinity mask and cgroup quota; at least 1. */
unsigned lw_usable_cpus(void);

/* ---- program.c, build.c ---- */

/* A module as loaded. Never changes; two programs of one device with equal words share it. */
struct lw_source {
    atomic_uint refs;
    uint64_t hash;
    lw_module *module;
    struct lw_source *next;
    bool digested; /* under device->sources_lock */
    uint8_t digest[32];
    lw_device
        *device; /* not counted: removes itself from device->sources while a program still holds the device */
};

/* The device's source of these words, a reference to it: takes the module, which is freed where an equal one
 * is there, or no memory (NULL). The last reference that is released takes it from the device. */
struct lw_source *lw_source_intern(lw_device *device, lw_module *module);
void lw_source_retain(struct lw_source *source);
void lw_source_release(struct lw_source *source);

/* A module with certain specialization constants. Its kernels are checked and reflected at once where it is
 * the module as loaded, else when they are asked for (every constant set makes a build). */
struct lw_build {
    atomic_uint refs;
    struct lw_source *source;
    lw_module *module;          /* the source's own, or a specialised copy */
    struct lw_spec_value *spec; /* overrides, sorted by id */
    size_t spec_count;
    uint32_t kernel_count;
    atomic_bool refuses; /* some range of some kernel, see lw_kernel_is_refused */
    pthread_mutex_t lock; /* of what follows, by entry point: see lw_build_kernel */
    bool *known;
    struct lw_kernel_desc **kernels;
    lw_error *checks;
    _Atomic uint64_t *strides; /* by entry point: shape.c's, 0: nobody asked */
    void *memory; /* of the program-scope variables: from the first kernel on, NULL where there are none */
};

/* NULL where not even its signature can be told. `why` (may be NULL): LW_OK where the kernel is supported,
 * else the reason. Both live as long as the build. */
const struct lw_kernel_desc *lw_build_kernel(struct lw_build *build, uint32_t kernel, const lw_error **why);
struct lw_build *lw_build_create(struct lw_source *source, const struct lw_build *base,
                                 const struct lw_spec_value *spec, size_t count, lw_error *error);
/* Makes the build's memory, once. */
bool lw_build_allocate(struct lw_build *build, lw_error *error);
void lw_build_retain(struct lw_build *build);
void lw_build_release(struct lw_build *build);

struct lw_text {
    struct lw_text *next;
    char text[];
};

struct lw_program {
    atomic_uint refs;
    lw_device *device;
    struct lw_source *source;
    struct lw_build *original; /* owns every string handed out, for as long as the program lives */
    pthread_mutex_t lock;      /* of what follows */
    struct lw_build *current;  /* with the constants set so far */
    unsigned flags;            /* of enum lw_build_flag, set before there are kernels */
    unsigned enqueue;          /* of enum lw_enqueue_flag, likewise */
    struct lw_text *texts;
};

/* Of the program-scope variables, with the constants set so far. */
size_t lw_program_variable_bytes(const lw_program *program);
/* One of them by name: the host's (HostAccessINTEL), the linker's, or the source's. The address is good as
 * long as the program. */
bool lw_program_variable(lw_program *program, const char *name, void **address, size_t *size);

/* ---- kernel.c ---- */

/* The code last used, so that a repeated dispatch takes no lock (tiers.c). */
enum lw_code_slot {
    LW_SLOT_MASKED,
    LW_SLOT_SPECIAL,
    LW_SLOT_FIRST_MASKED,
    LW_SLOT_FIRST_SPECIAL,
    LW_SLOT_STEADY, /* special code that knows arguments (steady.h), in the race or not yet */
    LW_SLOT_WINNER, /* of a race (race.h): in the place of special code */
    LW_SLOT_COUNT
};

/* Memory that a kernel may reach by other ways than its arguments. */
struct lw_listed {
    void *base;
    size_t size;
};

struct lw_kernel {
    lw_program *program;
    struct lw_build *build;
    const struct lw_kernel_desc *desc;
    uint32_t entry_point;
    uint32_t sub_group_size;    /* N */
    unsigned threads;           /* at most so many run it, 0: all of the device's */
    uint32_t asked;             /* by the caller or LANEWISE_SUB_GROUP_SIZE, 0: nobody */
    uint8_t *args;              /* packed, reflect.h */
    bool *set;                  /* by argument */
    size_t *bytes;              /* by argument: size of a buffer (SIZE_MAX unknown), of local memory */
    uint32_t *facts;            /* by argument: of an image or a sampler, spirv/image.h */
    struct lw_instance *code[LW_SLOT_COUNT];
    enum lw_code_slot used; /* by the last run, for most of its work-groups */
    const struct lw_listed *listed; /* the caller's, for LANEWISE_CROSS_CHECK */
    size_t listed_count;
    struct lw_plan *plan;     /* of the last range (run.c), NULL: none yet */
    struct lw_family *family; /* blocks.h; NULL: it names no blocks, or was never run */
    struct lw_child *child;   /* that it runs as, of the family; NULL: the host runs it */
    uint64_t begun;           /* nanoseconds of the clock: its code was there; 0: and had been before */
    uint64_t ended;           /* nanoseconds of the clock: its own work-items, when last run; 0: no family */
    lw_kernel *next_idle;     /* of those that children run by */
    struct lw_device_queue *default_queue; /* held; NULL: there is none */
    char *explanation;        /* malloc'd: the report and what compilations failed, as last asked for */
    lw_compile_info info;
};

/* A block of the kernel's module, by entry point, asked for the same sub-group size as far as it goes. NULL
 * and `error`: refused, or no memory. */
lw_kernel *lw_kernel_of_block(const lw_kernel *kernel, uint32_t entry_point, lw_error *error);
/* Are all arguments set? */
bool lw_kernel_check_arguments(const lw_kernel *kernel, lw_error *error);
/* Places the local arguments behind the module's own local memory; how many bytes a work-group needs in all.
 */
bool lw_kernel_place_local(lw_kernel *kernel, size_t *total, lw_error *error);

#endif
