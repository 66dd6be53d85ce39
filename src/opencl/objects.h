/* SPDX-License-Identifier: MIT */
/* The objects of the OpenCL face: what each handle points to, and who keeps whom alive.
 *
 *   kernel -> program -> context -> devices;  event -> queue -> context;  buffer -> parent -> context
 *
 * Every arrow is a hold. An object has two counts: `refs`, those of the program that uses us (clRetain...),
 * and `holds`, ours. It is gone with the last hold; all the program's references together are one of them. So
 * what is released while a command uses it lives until the command is done.
 *
 * One lock per context guards its queues and events (context->lock); nothing else is locked inside it.
 */
#ifndef LW_OPENCL_OBJECTS_H
#define LW_OPENCL_OBJECTS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "newer.h"
#include "../dispatch/bulk.h"
#include "../objects.h"

/* ---- handles.c: cells that no garbage handle can fault on ---- */

enum lw_cl_kind { /* magic words; a free cell has 0 */
    LW_CL_PLATFORM = 0x4c57504cu,
    LW_CL_DEVICE = 0x4c574456u,
    LW_CL_CONTEXT = 0x4c574358u,
    LW_CL_QUEUE = 0x4c575155u,
    LW_CL_DEVICE_QUEUE = 0x4c574451u, /* a cl_command_queue that only kernels enqueue to */
    LW_CL_EVENT = 0x4c574556u,
    LW_CL_MEMORY = 0x4c574d4du,
    LW_CL_PROGRAM = 0x4c575052u,
    LW_CL_KERNEL = 0x4c574b52u,
    LW_CL_SAMPLER = 0x4c57534du
};

struct lw_cl_object {
    const cl_icd_dispatch *dispatch; /* first: the loader reads it */
    void *dispatch_data;             /* second: the loader's own, see lw_cl_set_dispatch_data */
    uint32_t magic;
    atomic_uint refs;
    atomic_uint holds;
    void (*destroy)(void *object);
};

/* A zeroed object with one reference, NULL where there is no memory. */
void *lw_cl_new(enum lw_cl_kind kind, size_t size, void (*destroy)(void *object));
/* Is it a live handle of this kind? Any value may be asked about. */
bool lw_cl_is(const void *handle, enum lw_cl_kind kind);
/* Every object, those to come too, gets what the loader wants to find in it. */
void lw_cl_set_dispatch_data(void *data);
void lw_cl_hold(void *object);
void lw_cl_drop(void *object);
/* clRetain... and clRelease...: the kind's error where `handle` is none of it, or has no reference left. */
cl_int lw_cl_retain(void *handle, enum lw_cl_kind kind);
cl_int lw_cl_release(void *handle, enum lw_cl_kind kind);
static inline cl_uint
lw_cl_refs(const void *object)
{
    return atomic_load(&((struct lw_cl_object *)object)->refs);
}

/* ---- info.c: answers to clGet...Info ---- */

struct lw_cl_answer { /* what the caller of clGet...Info gave */
    size_t size;
    void *value;
    size_t *size_ret;
};

cl_int lw_cl_answer_bytes(const struct lw_cl_answer *to, const void *data, size_t size);
cl_int lw_cl_answer_text(const struct lw_cl_answer *to, const char *text);
cl_int lw_cl_answer_uint(const struct lw_cl_answer *to, cl_uint value);
cl_int lw_cl_answer_ulong(const struct lw_cl_answer *to, cl_ulong value); /* and bit-fields */
cl_int lw_cl_answer_size(const struct lw_cl_answer *to, size_t value);
cl_int lw_cl_answer_pointer(const struct lw_cl_answer *to, const void *value);
/* Stores an error where asked to, and gives NULL. */
void *lw_cl_fail(cl_int *errcode_ret, cl_int error);
/* Stores success where asked to, and gives what was made. */
void *lw_cl_give(cl_int *errcode_ret, void *made);

struct lw_cl_properties { /* as the program gave them, the zero at the end included; NULL: none were given */
    cl_properties *list;
    size_t words;
};

/* false: no memory. Free the list with free(). */
bool lw_cl_copy_properties(struct lw_cl_properties *out, const cl_properties *given);
cl_int lw_cl_answer_properties(const struct lw_cl_answer *to, const struct lw_cl_properties *properties);

/* ---- icd.c, platform.c, device.c ---- */

extern const cl_icd_dispatch lw_cl_dispatch;

struct _cl_platform_id {
    struct lw_cl_object object;
    cl_device_id device;
};

struct _cl_device_id {
    struct lw_cl_object object;
    cl_platform_id platform;
    lw_device *device; /* a sub-device has its root's */
    cl_device_id parent;
    cl_uint units; /* threads */
    cl_device_type type;
    cl_device_partition_property *partition; /* that made it */
    size_t partition_words;
    char name[64];
    char vendor[64];
    char driver[64];
    cl_uint vendor_id;
    cl_uint clock_mhz;
    cl_ulong memory_bytes;
    cl_ulong cache_bytes;
};

/* Made at the first call; NULL: no memory, or no processor that we run on. */
cl_platform_id lw_cl_platform(void);
cl_device_id lw_cl_device_create(cl_platform_id platform);

/* sub_device.c: what only it knows. */
cl_int lw_cl_answer_partition(cl_device_id device, cl_device_info name, const struct lw_cl_answer *to);

/* device_lists.c */
const char *lw_cl_extensions(const struct _cl_device_id *device); /* separated by spaces */
const char *lw_cl_extension(const struct _cl_device_id *device,
                            size_t index); /* the same; NULL: there are no more */
const char *lw_cl_feature(const struct _cl_device_id *device,
                          size_t index); /* of OpenCL C; NULL: there are no more */
cl_int lw_cl_answer_extensions(const struct lw_cl_answer *to,
                               const struct _cl_device_id *device); /* with versions */
cl_int lw_cl_answer_list(const struct _cl_device_id *device, const struct lw_cl_answer *to,
                         cl_device_info name); /* the other lists */

#define LW_CL_LOCAL_BYTES ((size_t)256 << 10)
#define LW_CL_QUEUE_BYTES ((cl_uint)64 << 20) /* of a queue on the device that has no size */
#define LW_CL_MAX_DEVICE_QUEUES 1024u /* on a device, of one context */
#define LW_CL_MAX_QUEUE_BYTES ((cl_uint)1 << 30)
#define LW_CL_BASE_ALIGN 128u /* bytes, of every buffer */
#define LW_CL_MAX_ARG_BYTES 4096u
#define LW_CL_VERSION CL_MAKE_VERSION(3, 1, 0)
#define LW_CL_VERSION_TEXT "OpenCL 3.1 Lanewise " LW_VERSION

/* Of images, in texels. */
#define LW_CL_IMAGE_2D_SIZE ((size_t)16384) /* each way */
#define LW_CL_IMAGE_3D_SIZE ((size_t)2048)
#define LW_CL_IMAGE_LAYERS ((size_t)2048)
#define LW_CL_IMAGE_BUFFER_SIZE ((size_t)1 << 27)

static inline bool
lw_cl_has_images(const struct _cl_device_id *device)
{
    return device->device->options.images;
}

static inline cl_ulong
lw_cl_max_alloc(const struct _cl_device_id *device)
{
    return device->memory_bytes / 4 * 3;
}

/* ---- context.c ---- */

typedef void CL_CALLBACK lw_cl_context_callback(cl_context context, void *data);

struct lw_cl_destructor { /* the last one registered is called first */
    struct lw_cl_destructor *next;
    void *function, *data; /* the function's type is the owner's */
};

cl_int lw_cl_push_destructor(cl_context context, struct lw_cl_destructor **stack, void *function, void *data);
/* false: none is left. */
bool lw_cl_pop_destructor(struct lw_cl_destructor **stack, struct lw_cl_destructor *out);

/* Memory of clSVMAlloc and of cl_intel_unified_shared_memory. */
struct lw_cl_allocation {
    char *base;
    size_t size;
    cl_uint type; /* CL_MEM_TYPE_..._INTEL; 0: SVM */
    cl_device_id device;
    cl_mem_alloc_flags_intel flags;
    bool mapped; /* ahead of a kernel: pages.h */
};

struct _cl_context {
    struct lw_cl_object object;
    cl_device_id device;   /* the first: what is the same for all of them */
    cl_device_id *devices; /* held */
    cl_uint device_count;
    struct lw_cl_properties properties;
    void(CL_CALLBACK *notify)(const char *text, const void *info, size_t size, void *data);
    void *notify_data;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a command completed */
    unsigned sleepers;      /* on `changed` */
    cl_command_queue queues;
    cl_command_queue busy, last_busy; /* with commands that are not complete: in the order they got some */
    cl_ulong times_busy;              /* how often a queue has become so */
    pthread_mutex_t memory_lock; /* of what follows */
    struct lw_cl_allocation *allocations; /* sorted by address */
    size_t allocation_count, allocation_room;
    struct lw_cl_destructor *destructors;
};

/* Is it a device of the context? */
bool lw_cl_context_has(const struct _cl_context *context, const struct _cl_device_id *device);
/* Tells the context's callback and, with LANEWISE_DEBUG, standard error. */
bool lw_cl_debugs(void); /* LANEWISE_DEBUG */
void lw_cl_notify(cl_context context, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- queue.c, event.c, command.c ---- */

struct lw_cl_edge {
    cl_event dependant;
    struct lw_cl_edge *next;
    bool strict; /* of a wait list: failure is passed on */
};

struct lw_cl_event_callback {
    struct lw_cl_event_callback *next;
    cl_int status;
    void(CL_CALLBACK *function)(cl_event event, cl_int status, void *data);
    void *data;
};

struct lw_cl_launch {
    struct lw_cl_runner *runner;
    lw_ndrange range;
    cl_mem *buffers; /* held, in `owned` */
    cl_uint buffer_count;
};

struct lw_cl_other { /* native kernels, svm_free */
    void *function, *data;
    cl_uint count;
    void **pointers; /* in `owned` */
};

struct _cl_event {
    struct lw_cl_object object;
    cl_context context;     /* held by the queue, or by the user event */
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    atomic_int status;
    bool submitted, listed;
    unsigned waiting; /* for so many others */
    cl_int failed;    /* how one of the wait list ended */
    struct lw_cl_edge *dependants;
    struct lw_cl_edge *edges, first_edge; /* its own, in the lists of others */
    struct lw_cl_event_callback *callbacks; /* the latest first */
    cl_event next, previous; /* of the queue's commands that are not complete */
    cl_event next_ready;
    size_t weight; /* bytes or work-items, roughly */
    cl_ulong stamps[5]; /* queued, submitted, started, ended (0: when completed), completed */
    /* What is done; NULL: nothing. A negative result is the event's status. */
    cl_int (*run)(cl_event event);
    cl_mem memory[2]; /* held until it is done */
    lw_program *build; /* held as well */
    void *owned;      /* freed */
    union {
        struct lw_bulk transfer;
        struct lw_cl_launch launch;
        struct lw_cl_other other;
    };
};

struct _cl_command_queue {
    struct lw_cl_object object;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties flags;
    struct lw_cl_properties properties;
    cl_command_queue next, previous; /* of the context's */
    cl_command_queue next_busy, previous_busy;
    cl_ulong busy_since; /* the context's times_busy then */
    cl_event first, last;            /* commands that are not complete, in order */
    cl_event ready, last_ready;      /* of them, those that wait for nothing */
    cl_event unsubmitted;            /* none before it waits to be submitted */
    cl_event barrier;                /* the last one, where it is not complete */
    cl_event gathered;               /* the last that waits for all before it, where it is not complete */
    size_t weight; /* of commands that nobody was woken for */
    pthread_cond_t wake;
    bool started, sleeping;
    pid_t process; /* that the thread is of */
    lw_device_queue *on_device; /* of LW_CL_DEVICE_QUEUE alone, with what follows */
    cl_uint size;
    bool is_default; /* of its device in the context; under the context's lock */
};

/* The default queue on the device, held; NULL: there is none. */
cl_command_queue lw_cl_default_queue(cl_context context, cl_device_id device);

/* Of events of every kind. */
void lw_cl_destroy_event(void *object);
/* A command of `queue`, not yet enqueued; NULL: no memory. */
cl_event lw_cl_command(cl_command_queue queue, cl_command_type type, cl_int (*run)(cl_event event));
/* Gives a command up that was never enqueued. */
void lw_cl_command_discard(cl_event command);
/* CL_SUCCESS, or what is wrong with the wait list. */
cl_int lw_cl_check_wait_list(cl_context context, cl_uint count, const cl_event *list);
/* The same, and whether both memory objects are of the queue's context. */
cl_int lw_cl_check_contexts(cl_command_queue queue, cl_mem one, cl_mem two, cl_uint count,
                            const cl_event *list);
/* Enqueues, takes the command over, waits for it where `blocking`. */
cl_int lw_cl_enqueue(cl_event command, cl_uint count, const cl_event *list, cl_bool blocking,
                     cl_event *event);
void lw_cl_command_hold_memory(cl_event command, unsigned slot, cl_mem memory);
/* Blocks, working on the event's queue meanwhile. The event's final status. */
cl_int lw_cl_wait(cl_event event);
void lw_cl_finish(cl_command_queue queue);
/* Every queue of the context, as lw_cl_finish. */
void lw_cl_finish_all(cl_context context);
/* What was enqueued is submitted, and the queue's thread woken where there is something to do. */
void lw_cl_flush(cl_command_queue queue);
void lw_cl_submit_locked(cl_command_queue queue);
/* Wakes it alone. */
void lw_cl_flush_locked(cl_command_queue queue);
/* Ends it, as its owner (a runner, or clSetUserEventStatus). */
void lw_cl_complete(cl_event event, cl_int status);
cl_event lw_cl_take_ready(cl_command_queue queue, struct lw_cl_event_callback **callbacks);
void lw_cl_execute(cl_event event, struct lw_cl_event_callback *callbacks);
void lw_cl_run_callbacks(cl_event event, struct lw_cl_event_callback *callbacks, cl_int status);
cl_ulong lw_cl_now(void);

/* ---- buffer.c ---- */

struct lw_cl_mapping {
    struct lw_cl_mapping *next;
    cl_mem memory; /* the buffer, or a sub-buffer of it */
    char *pointer;
    size_t size;
    bool writing;
    size_t origin[3], region[3]; /* of an image, in texels */
};

struct _cl_mem {
    struct lw_cl_object object;
    cl_context context;
    cl_mem parent; /* of a sub-buffer, or of an image made from it; held */
    size_t origin, size;
    cl_mem_flags flags;
    char *data;
    bool owns_data;
    atomic_bool mapped; /* ahead of a kernel: pages.h */
    cl_uint packet_size, max_packets; /* of a pipe, else 0 */
    struct lw_image image; /* kernels see it here; kind 0: no image */
    cl_image_format format;
    size_t row_pitch, slice_pitch; /* of an image, as the program knows them */
    void *host_ptr;
    struct lw_cl_properties properties;
    atomic_uint map_count;
    struct lw_cl_mapping *mappings; /* of it and its sub-buffers; under the context's memory_lock */
    struct lw_cl_destructor *destructors;
};

static inline cl_mem
lw_cl_root_of(cl_mem memory)
{
    while (memory->parent)
        memory = memory->parent;
    return memory;
}

static inline bool
lw_cl_is_buffer(cl_mem memory)
{
    return lw_cl_is(memory, LW_CL_MEMORY) && !memory->max_packets && !memory->image.kind;
}

static inline bool
lw_cl_is_image(cl_mem memory)
{
    return lw_cl_is(memory, LW_CL_MEMORY) && memory->image.kind;
}

/* sampler.c */
uint32_t lw_cl_sampler_bits(cl_sampler sampler);
bool lw_cl_sampler_is_of(cl_sampler sampler, const struct _cl_context *context);

/* What the program registered for the end of a memory object. */
void lw_cl_call_memory_destructors(cl_mem memory);
/* buffer.c: it is to be a kernel's argument. Memory of the program's own stays as it is. */
void lw_cl_map_for_kernels(cl_mem memory);
/* transfer.c: what is still mapped of a buffer on its way out. */
void lw_cl_forget_mappings(cl_mem memory);
bool lw_cl_map_flags_are_valid(cl_map_flags flags);
bool lw_cl_migration_flags_are_valid(cl_mem_migration_flags flags);
bool lw_cl_pattern_is_valid(const void *pattern, size_t pattern_size, size_t at, size_t size);
/* Commands on plain memory, not yet enqueued; NULL: no memory. */
cl_event lw_cl_copy_command(cl_command_queue queue, cl_command_type type, void *to, const void *from,
                            size_t size);
cl_event lw_cl_fill_command(cl_command_queue queue, cl_command_type type, void *to, const void *pattern,
                            size_t pattern_size, size_t size);

/* ---- program.c, build.c, build_calls.c, link.c, source.c ---- */

enum lw_cl_program_flag {
    LW_CL_UNIFORM = 1 << 16,     /* work-groups of one size: OpenCL C 1, or -cl-uniform-work-group-size */
    LW_CL_ENQUEUE_CODES = 1 << 18, /* -g: kernels that enqueue are told what is wrong */
    LW_CL_LINK_OPTIONS = 1 << 17 /* a library that lets itself be linked with other options */
};

enum lw_cl_origin { LW_CL_FROM_IL, LW_CL_FROM_SOURCE, LW_CL_FROM_BINARY, LW_CL_FROM_LINK };

struct _cl_program {
    struct lw_cl_object object;
    cl_context context;
    cl_device_id *devices; /* of the context's, which holds them */
    cl_uint device_count;
    enum lw_cl_origin origin;
    char *source;      /* OpenCL C, or NULL */
    void *il;          /* given by clCreateProgramWithIL, or NULL */
    size_t il_size;
    struct lw_spec_value *constants; /* the IL's, with their sizes */
    cl_uint constant_count;
    pthread_mutex_t lock; /* of what follows */
    void *module; /* SPIR-V: what was given, compiled or linked */
    size_t module_size;
    struct lw_spec_value *spec;
    cl_uint spec_count;
    cl_build_status status;
    cl_program_binary_type binary_type;
    char *options; /* of the last build */
    char *log;
    bool *built; /* by device: it was among those of the last build, or of equal ones before it */
    unsigned flags, base_flags; /* of enum lw_build_flag and what follows: the last build's; its binary's */
    bool building; /* claimed, see build.c: the module changes only meanwhile, and by its hand */
    lw_program *program; /* the executable */
    atomic_uint kernels; /* attached kernel objects; grows under the lock */
};

/* The number of the device among the program's; device_count: it is none of them. */
cl_uint lw_cl_program_device(const struct _cl_program *program, const struct _cl_device_id *device);
/* Was it built for the device, or for one that it is a part of? */
bool lw_cl_program_is_built(const struct _cl_program *program, const struct _cl_device_id *device);
/* The same of its program. (While there are kernels nothing is built.) */
bool lw_cl_kernel_runs_on(const struct _cl_kernel *kernel, const struct _cl_device_id *device);
/* It is for these devices of the context from here on. false: no memory. */
bool lw_cl_program_take_devices(cl_program program, cl_uint count, const cl_device_id *devices);
/* A program with its module, which is copied, for all devices of the context. */
cl_program lw_cl_program_create(cl_context context, enum lw_cl_origin origin, const void *module, size_t size,
                                cl_int *errcode_ret);
/* The lines of the build log, replaced by the next build. */
void lw_cl_log(cl_program program, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* options.c: what a build's options say. */
struct lw_cl_options {
    bool werror, quiet, create_library;
    unsigned flags; /* of enum lw_build_flag and enum lw_cl_program_flag */
    char *compiler; /* those that a C compiler takes too, quoted by nobody: NUL-separated, two NULs end */
    size_t compiler_size;
};
/* CL_SUCCESS, or `otherwise` with the option named in the log. */
cl_int lw_cl_read_options(cl_program program, const char *text, bool linking, cl_int otherwise,
                          struct lw_cl_options *out);

/* binary.c: our own container around a module. */
size_t lw_cl_binary_size(cl_program program);
void lw_cl_binary_write(cl_program program, void *out);
struct lw_cl_binary {
    const void *module;
    size_t module_size;
    cl_program_binary_type type;
    struct lw_spec_value *spec; /* free() it */
    cl_uint spec_count;
    unsigned flags;
};
/* CL_INVALID_BINARY where it is none of ours or damaged. */
cl_int lw_cl_binary_read(const void *data, size_t size, struct lw_cl_binary *out);

/* link.c: one module of several, imports resolved. NULL and `error`. Free with free(). */
uint32_t *lw_cl_link(const void *const *modules, const size_t *sizes, cl_uint count, bool library,
                     size_t *size, lw_error *error);

/* declarations.c: what programs are read behind. */
extern const char lw_cl_declarations[];

/* source.c: SPIR-V of OpenCL C by a child process; its diagnostics reach the log. Free with free(). */
struct lw_cl_header {
    const char *name, *text;
};
/* conversions.c: what of OpenCL C's conversions clang-22 has wrong: macros before a program's text, and
 * functions in its IR, in place of the line that declares one; false: the line is none of these. */
void lw_cl_write_conversions(FILE *file, const char *program);
bool lw_cl_define_in_ir(FILE *out, const char *line, size_t length);
void *lw_cl_compile_source(cl_program program, const struct lw_cl_options *options,
                           const struct lw_cl_header *headers, cl_uint header_count, bool separate,
                           size_t *size);
bool lw_cl_source_compiler(char *path, size_t size);
extern const char lw_cl_how_to_install[];

/* source_cache.c: what a program is compiled from beside its own text, and where the module's size goes. */
struct lw_cl_source {
    const struct _cl_device_id *device;
    const char *compiler;
    const struct lw_cl_options *options;
    const struct lw_cl_header *headers;
    cl_uint header_count;
    bool separate; /* to be linked with others */
    size_t *size;
};
/* The name that the text goes by: for a debugger that of a file, which is written. */
void lw_cl_source_name(cl_program program, char *path, size_t size);
struct lw_object_key;
/* False: the module is not to be kept. `texts`: what else decides about it, ended by NULL. */
bool lw_cl_source_key(cl_program program, const struct lw_cl_source *source, const char *const *texts,
                      struct lw_object_key *key);
/* The module, malloc'd, its warnings in the program's log; NULL: not there, or not valid any more. */
void *lw_cl_find_source(cl_program program, const struct lw_object_key *key, size_t *size);
struct lw_cl_words;
void lw_cl_keep_source(cl_program program, const struct lw_object_key *key, const void *module, size_t size,
                       const char *log, const struct lw_cl_words *depends);

/* mend_ir.c: the IR with what clang would write wrongly into SPIR-V put otherwise, malloc'd; NULL: no memory.
 * `keep_all`: what it would leave out too. */
char *lw_cl_mend_ir(const char *ir, bool keep_all);
/* Whether SPIR-V has all integers of the IR; where not, clang's back end may be wrong about it. */
bool lw_cl_ir_is_plain(const char *ir);
/* A function that is `inline` and neither inlined nor there: C has it defined elsewhere. */
bool lw_cl_ir_lacks_inline(const char *ir);
/* arg_info.c: the module with what its LLVM IR tells of arguments, and its text of attributes; a new one may
 * take its place. */
void *lw_cl_add_arg_info(const char *ir, const char *source, void *module, size_t *size);

/* attributes.c */
#define LW_CL_ATTRIBUTES "kernel_attributes." /* strings of a module, "NAME.TEXT" */
/* The next kernel of the text that declares some, one a line; false: none is left. */
bool lw_cl_next_attributes(const char **source, char *name, size_t name_size, char *text, size_t text_size);
cl_int lw_cl_answer_attributes(cl_kernel kernel, const struct lw_cl_answer *to);

/* ---- kernel.c ---- */

/* A kernel object of the runtime with the arguments of one enqueued command. */
struct lw_cl_runner {
    struct lw_cl_runner *next;
    cl_kernel owner; /* held while the runner is out */
    lw_kernel *kernel;
};

struct _cl_kernel {
    struct lw_cl_object object;
    cl_program program;
    lw_kernel *kernel; /* with the arguments as they are set now */
    cl_mem *buffers;   /* by argument, or NULL; a cl_command_queue for a queue on the device; not held: the
                          program that uses us must keep them */
    pthread_mutex_t lock; /* of what follows */
    struct lw_cl_runner *idle;
};

struct lw_cl_runner *lw_cl_runner_take(cl_kernel kernel);
void lw_cl_runner_return(struct lw_cl_runner *runner);
/* How many bytes of an allocation there are from `pointer`'s object; SIZE_MAX: unknown. It is to be a
 * kernel's argument: maps it ahead. */
size_t lw_cl_kernel_pointer_bytes(cl_context context, const void *pointer);

#endif
