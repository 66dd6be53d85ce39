/* SPDX-License-Identifier: MIT */
/* Programs: IL, specialization constants, options, logs, binaries, compile and link, source. */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

START_TEST(test_il)
{
    size_t size, il_size;
    unsigned char *module = read_module("opencl_kernels.spv", &size), *il;
    makes(CL_INVALID_VALUE, clCreateProgramWithIL(w.context, NULL, 4, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithIL(w.context, module, 0, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithIL(w.context, module, 19, code_ret));
    makes(CL_INVALID_VALUE, clCreateProgramWithIL(w.context, "not SPIR-V at all, but long", 24, code_ret));
    ok(clGetProgramInfo(w.program, CL_PROGRAM_IL, 0, NULL, &il_size));
    ck_assert_uint_eq(il_size, size);
    il = malloc(size);
    ok(clGetProgramInfo(w.program, CL_PROGRAM_IL, size, il, NULL));
    ck_assert_mem_eq(il, module, size);
    free(il);
    free(module);
}
END_TEST

START_TEST(test_kernel_names)
{
    char names[1000];
    size_t count;
    cl_kernel kernels[20];
    cl_uint made;
    ok(clGetProgramInfo(w.program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 7);
    ok(clGetProgramInfo(w.program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    ck_assert_ptr_nonnull(strstr(names, "reverse"));
    ok(clCreateKernelsInProgram(w.program, 20, kernels, &made));
    ck_assert_uint_eq(made, 7);
    fails(CL_INVALID_OPERATION, clBuildProgram(w.program, 0, NULL, NULL, NULL, NULL)); /* kernels attached */
    for (cl_uint i = 0; i < made; i++)
        ok(clReleaseKernel(kernels[i]));
    fails(CL_INVALID_VALUE, clCreateKernelsInProgram(w.program, 3, kernels, NULL));
    makes(CL_INVALID_KERNEL_NAME, clCreateKernel(w.program, "nowhere", code_ret));
    makes(CL_INVALID_VALUE, clCreateKernel(w.program, NULL, code_ret));
    makes(CL_INVALID_PROGRAM, clCreateKernel((cl_program)w.queue, "add", code_ret));
}
END_TEST

START_TEST(test_not_built)
{
    cl_program program = load_program("opencl_spec.spv");
    cl_build_status status;
    size_t count;
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    ck_assert_int_eq(status, CL_BUILD_NONE);
    makes(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "constant", code_ret));
    fails(CL_INVALID_PROGRAM_EXECUTABLE,
          clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_specialization)
{
    cl_program program = load_program("opencl_spec.spv");
    const int value = 1234;
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    ck_assert_int_eq(run_one(program, "constant"), 42);
    fails(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 8, 4, &value));
    fails(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, 2, &value));
    fails(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, 4, NULL));
    ok(clSetProgramSpecializationConstant(program, 7, 4, &value));
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    ck_assert_int_eq(run_one(program, "constant"), 1234);
    ok(clReleaseProgram(program));
}
END_TEST

enum { MANY = 3000 };

/* kernel void k(global uint *o) { *o = the sum of MANY specialization constants, which are 0; } */
static size_t
sum_module(uint32_t *words)
{
    enum { VOID = 1, UINT, POINTER, TYPE, KERNEL, OUT, LABEL, FIRST, SUM = FIRST + MANY, BOUND = SUM + MANY };
    const uint32_t head[] = {0x07230203,   0x10000, 0, BOUND,        0, 2 << 16 | 17, 4,  2 << 16 | 17, 6,
                             3 << 16 | 14, 2,       2, 4 << 16 | 15, 6, KERNEL,       'k'};
    const uint32_t types[] = {2 << 16 | 19, VOID, 4 << 16 | 21, UINT,         32,   0,    4 << 16 | 32,
                              POINTER,      5,    UINT,         4 << 16 | 33, TYPE, VOID, POINTER};
    const uint32_t body[] = {
        5 << 16 | 54, VOID, KERNEL,         0, TYPE, 3 << 16 | 55,  POINTER,     OUT, 2 << 16 | 248, LABEL,
        5 << 16 | 62, OUT,  SUM + MANY - 1, 2, 4,    1 << 16 | 253, 1 << 16 | 56};
    uint32_t *at = words;
    at = (uint32_t *)memcpy(at, head, sizeof head) + sizeof head / sizeof *head;
    for (uint32_t i = 0; i < MANY; i++)
        at = (uint32_t *)memcpy(at, (uint32_t[]){4 << 16 | 71, FIRST + i, 1, i}, 16) + 4;
    at = (uint32_t *)memcpy(at, types, sizeof types) + sizeof types / sizeof *types;
    for (uint32_t i = 0; i < MANY; i++)
        at = (uint32_t *)memcpy(at, (uint32_t[]){4 << 16 | 50, UINT, FIRST + i, 0}, 16) + 4;
    for (uint32_t i = 0; i < MANY; i++)
        at = (uint32_t *)memcpy(
                 at, (uint32_t[]){6 << 16 | 52, UINT, SUM + i, 128, i ? SUM + i - 1 : FIRST, FIRST + i}, 24) +
             6;
    at = (uint32_t *)memcpy(at, body, sizeof body) + sizeof body / sizeof *body;
    return (size_t)(at - words) * sizeof *words;
}

/* Setting all takes no time with their square: it was minutes. */
START_TEST(test_many_constants)
{
    static uint32_t words[100 + 14 * MANY];
    cl_int error;
    cl_uint sum = 0;
    size_t size = sum_module(words);
    cl_program program = clCreateProgramWithIL(w.context, words, size, &error);
    ok(error);
    for (cl_uint i = 0; i < MANY; i++) {
        const cl_uint value = i * i;
        ok(clSetProgramSpecializationConstant(program, i, sizeof value, &value));
        sum += value;
    }
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    ck_assert_uint_eq((cl_uint)run_one(program, "k"), sum); /* the first, which is 0, twice */
    ok(clReleaseProgram(program));
}
END_TEST

static atomic_int notified;

static void CL_CALLBACK
notify(cl_program program, void *data)
{
    (void)program;
    atomic_fetch_add(&notified, *(int *)data);
}

/* What a callback saw of its program, and when it may go on. */
struct watched {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool go_on, inside, done;
    pthread_t thread;
    cl_build_status status;
    cl_program program;
};

static void CL_CALLBACK
watch(cl_program program, void *data)
{
    struct watched *seen = data;
    pthread_mutex_lock(&seen->lock);
    seen->inside = true;
    seen->thread = pthread_self();
    seen->program = program;
    clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, sizeof seen->status, &seen->status,
                          NULL);
    pthread_cond_broadcast(&seen->changed);
    while (!seen->go_on)
        pthread_cond_wait(&seen->changed, &seen->lock);
    seen->done = true;
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
}

static void
await(struct watched *seen, const bool *what)
{
    pthread_mutex_lock(&seen->lock);
    while (!*what)
        pthread_cond_wait(&seen->changed, &seen->lock);
    pthread_mutex_unlock(&seen->lock);
}

static void
let_go_on(struct watched *seen)
{
    pthread_mutex_lock(&seen->lock);
    seen->go_on = true;
    pthread_cond_broadcast(&seen->changed);
    pthread_mutex_unlock(&seen->lock);
}

/* The callback comes from another thread, with the build done; the call was back before it. */
START_TEST(test_asynchronous_build)
{
    struct watched seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    cl_program program = load_program("opencl_spec.spv");
    ok(clBuildProgram(program, 0, NULL, NULL, watch, &seen)); /* would never be back if it waited */
    await(&seen, &seen.inside);
    ck_assert(!pthread_equal(seen.thread, pthread_self()));
    ck_assert_int_eq(seen.status, CL_BUILD_SUCCESS);
    ck_assert_ptr_eq(seen.program, program);
    ck_assert_int_eq(run_one(program, "constant"), 42);
    let_go_on(&seen);
    await(&seen, &seen.done);
    ok(clReleaseProgram(program));
}
END_TEST

/* Clang takes long enough for the state in between to be seen. */
START_TEST(test_while_it_builds)
{
    struct watched seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                           .go_on = true};
    const char *source = "kernel void k(global int *o) { o[get_global_id(0)] = 6; }";
    cl_build_status status;
    cl_int error;
    cl_program_binary_type type;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(clBuildProgram(program, 0, NULL, NULL, watch, &seen));
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    if (status == CL_BUILD_IN_PROGRESS) {
        /* It may end between two calls: then they answer as for a finished one. */
        error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        ck_assert(error == CL_INVALID_OPERATION || error == CL_SUCCESS);
        makes(CL_INVALID_OPERATION,
              clLinkProgram(w.context, 0, NULL, NULL, 1, &program, NULL, NULL, code_ret));
    }
    await(&seen, &seen.done);
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    ck_assert_int_eq(run_one(program, "k"), 6);
    ok(clReleaseProgram(program));
    /* Released while it builds. */
    seen.done = false;
    program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    ok(clBuildProgram(program, 0, NULL, NULL, watch, &seen));
    ok(clReleaseProgram(program));
    await(&seen, &seen.done);
    ck_assert_int_eq(seen.status, CL_BUILD_SUCCESS);
}
END_TEST

START_TEST(test_asynchronous_link)
{
    struct watched seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                           .go_on = true};
    cl_program parts[2] = {load_program("opencl_main_part.spv"), load_program("opencl_library_part.spv")};
    cl_int error;
    for (unsigned i = 0; i < 2; i++) {
        seen.done = false;
        ok(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, watch, &seen));
        await(&seen, &seen.done);
        ck_assert_int_eq(seen.status, CL_BUILD_SUCCESS);
    }
    seen.done = false;
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, watch, &seen, &error);
    ok(error);
    ok(clReleaseProgram(parts[0]));
    ok(clReleaseProgram(parts[1]));
    await(&seen, &seen.done);
    ck_assert_ptr_eq(seen.program, linked);
    ck_assert_int_eq(run_one(linked, "linked"), 1);
    ok(clReleaseProgram(linked));
    /* The failure of a link that the call did not wait for is in its status. */
    seen.done = false;
    parts[0] = load_program("opencl_main_part.spv");
    ok(clCompileProgram(parts[0], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(w.context, 0, NULL, NULL, 1, parts, watch, &seen, &error);
    ok(error);
    await(&seen, &seen.done);
    ck_assert_int_eq(seen.status, CL_BUILD_ERROR);
    ok(clReleaseProgram(linked));
    ok(clReleaseProgram(parts[0]));
}
END_TEST

static void
run_types(cl_program program, int got[4])
{
    const size_t one = 1;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "types", &error);
    ok(error);
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_READ_WRITE, 4 * sizeof *got, NULL, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4 * sizeof *got, got, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
}

/* Constants are the compiled program's, as they are when it is compiled: another one's of the same number are
 * others. Of all types; of the booleans everything but zero is true. */
START_TEST(test_linked_constants)
{
    cl_program parts[2] = {load_program("opencl_spec_types.spv"), load_program("opencl_spec.spv")}, linked;
    const cl_uchar two = 2, no = 0;
    const cl_char byte = -3;
    const double real = 17.25;
    const cl_ulong wide = 5ull << 32;
    const cl_uint value = 77, late = 99;
    cl_int error;
    int got[4];
    fails(CL_INVALID_VALUE, clSetProgramSpecializationConstant(parts[0], 7, 4, &value));
    ok(clSetProgramSpecializationConstant(parts[0], 7, 1, &no));
    ok(clSetProgramSpecializationConstant(parts[0], 8, 1, &byte));
    ok(clSetProgramSpecializationConstant(parts[0], 9, 8, &real));
    ok(clSetProgramSpecializationConstant(parts[0], 10, 8, &wide));
    ok(clBuildProgram(parts[0], 0, NULL, NULL, NULL, NULL));
    run_types(parts[0], got);
    ck_assert(got[0] == 0 && got[1] == -3 && got[2] == 17 && got[3] == 5);
    for (unsigned i = 0; i < 2; i++)
        ok(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    run_types(linked, got);
    ck_assert(got[0] == 0 && got[1] == -3 && got[2] == 17 && got[3] == 5);
    ck_assert_int_eq(run_one(linked, "constant"), 42); /* nobody set it */
    ok(clReleaseProgram(linked));
    ok(clSetProgramSpecializationConstant(parts[0], 7, 1, &two));
    ok(clSetProgramSpecializationConstant(parts[1], 7, 4, &value));
    for (unsigned i = 0; i < 2; i++)
        ok(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    ok(clSetProgramSpecializationConstant(parts[1], 7, 4, &late));
    linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    run_types(linked, got);
    ck_assert(got[0] == 1 && got[1] == -3 && got[2] == 17 && got[3] == 5);
    ck_assert_int_eq(run_one(linked, "constant"), 77);
    ok(clReleaseProgram(linked));
    for (unsigned i = 0; i < 2; i++)
        ok(clReleaseProgram(parts[i]));
}
END_TEST

START_TEST(test_options)
{
    cl_program program = load_program("opencl_spec.spv");
    char log[500], options[100];
    int two = 2;
    fails(CL_INVALID_BUILD_OPTIONS,
          clBuildProgram(program, 0, NULL, "-cl-fast-relaxed-math -frob", NULL, NULL));
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "-frob"));
    fails(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-cl-std=CL9.9", NULL, NULL));
    fails(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
    fails(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, NULL, NULL, &two));
    ok(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -w -Werror -g -cl-mad-enable -D X=1", notify, &two));
    while (atomic_load(&notified) != 2)
        sched_yield();
    ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL));
    ck_assert_ptr_nonnull(strstr(options, "-cl-mad-enable"));
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_binaries)
{
    cl_program program = load_program("opencl_spec.spv"), again;
    const int value = 77;
    size_t size;
    cl_int status, error;
    ok(clSetProgramSpecializationConstant(program, 7, 4, &value));
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *given = binary;
    again = clCreateProgramWithBinary(w.context, 1, &w.device, &size, &given, &status, &error);
    ok(error);
    ok(status);
    ok(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    ck_assert_int_eq(run_one(again, "constant"), 77);
    ok(clReleaseProgram(again));
    /* Any flipped byte, and any end cut off, is noticed. */
    for (size_t i = 0; i < size; i += 7) {
        binary[i] ^= 0x10;
        makes(CL_INVALID_BINARY,
              clCreateProgramWithBinary(w.context, 1, &w.device, &size, &given, &status, code_ret));
        ck_assert_int_eq(status, CL_INVALID_BINARY);
        binary[i] ^= 0x10;
    }
    for (size_t cut = 1; cut < size; cut += 11)
        makes(CL_INVALID_BINARY,
              clCreateProgramWithBinary(w.context, 1, &w.device, &cut, &given, &status, code_ret));
    free(binary);
    ok(clReleaseProgram(program));
}
END_TEST

START_TEST(test_link)
{
    cl_program parts[2] = {load_program("opencl_main_part.spv"), load_program("opencl_library_part.spv")};
    cl_program_binary_type type;
    cl_int error;
    char log[500];
    makes(CL_INVALID_OPERATION,
          clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, code_ret)); /* not compiled */
    for (unsigned i = 0; i < 2; i++)
        ok(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    /* The import alone is unresolved, and named. */
    cl_program lonely = clLinkProgram(w.context, 0, NULL, NULL, 1, parts, NULL, NULL, &error);
    fails(CL_LINK_PROGRAM_FAILURE, error);
    ok(clGetProgramBuildInfo(lonely, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "shared_function"));
    ok(clReleaseProgram(lonely));
    cl_program twice[2] = {parts[1], parts[1]};
    cl_program doubled = clLinkProgram(w.context, 0, NULL, NULL, 2, twice, NULL, NULL, &error);
    fails(CL_LINK_PROGRAM_FAILURE, error);
    ok(clReleaseProgram(doubled));
    cl_program library =
        clLinkProgram(w.context, 0, NULL, "-create-library", 1, &parts[1], NULL, NULL, &error);
    ok(error);
    ok(clGetProgramBuildInfo(library, w.device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program with_library[2] = {parts[0], library};
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 2, with_library, NULL, NULL, &error);
    ok(error);
    ck_assert_int_eq(run_one(linked, "linked"), 1); /* 0 * 0 + 1 */
    fails(CL_INVALID_OPERATION, clBuildProgram(linked, 0, NULL, NULL, NULL, NULL));
    makes(CL_INVALID_LINKER_OPTIONS,
          clLinkProgram(w.context, 0, NULL, "-D X", 2, with_library, NULL, NULL, code_ret));
    ok(clReleaseProgram(linked));
    ok(clReleaseProgram(library));
    ok(clReleaseProgram(parts[0]));
    ok(clReleaseProgram(parts[1]));
}
END_TEST

/* OpenCL C, through whatever clang the test's environment names. */
START_TEST(test_source)
{
    const char *source = "#include \"inner/value.h\"\n"
                         "kernel void k(global int *o) { o[get_global_id(0)] = VALUE + EXTRA; }\n";
    const char *header = "#define VALUE 40\n", *name = "inner/value.h";
    const char *wrong = "kernel void k(global int *o) { o[0] = undeclared_thing; }";
    char log[4000];
    cl_int error;
    cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    cl_program value = clCreateProgramWithSource(w.context, 1, &header, NULL, &error);
    ok(clCompileProgram(program, 0, NULL, "-DEXTRA=2", 1, &value, &name, NULL, NULL));
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
    ok(error);
    ck_assert_int_eq(run_one(linked, "k"), 42);
    cl_program bad = clCreateProgramWithSource(w.context, 1, &wrong, NULL, &error);
    fails(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(bad, 0, NULL, NULL, NULL, NULL));
    ok(clGetProgramBuildInfo(bad, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    ck_assert_ptr_nonnull(strstr(log, "undeclared_thing"));
    fails(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, NULL, 1, &value, NULL, NULL, NULL));
    makes(CL_INVALID_VALUE, clCreateProgramWithSource(w.context, 0, &source, NULL, code_ret));
    ok(clReleaseProgram(program));
    ok(clReleaseProgram(value));
    ok(clReleaseProgram(linked));
    ok(clReleaseProgram(bad));
}
END_TEST

/* What is declared, used by a kernel and not defined fails the build, whatever other kernels there are. */
START_TEST(test_undefined)
{
    static const struct {
        const char *source;
        bool good;
    } rows[] = {
        {"int f(int x); kernel void k(global int *o) { o[0] = f(1); } kernel void l(global int *o) { o[0] = "
         "4; }",
         false},
        {"extern constant int f[4]; kernel void k(global int *o) { o[0] = f[1]; }\n"
         "kernel void l(global int *o) { o[0] = 4; }",
         false},
        {"int f(int x); extern constant int g[4]; kernel void l(global int *o) { o[0] = 4; }", true},
        {"int f(int x); kernel void l(global int *o) { o[0] = f(4); } int f(int x) { return x; }", true},
        /* A device without images leaves out what uses them. */
        {"kernel void k(read_only image2d_t i, global int *o) { o[0] = get_image_width(i); }\n"
         "kernel void l(global int *o) { o[0] = 4; }",
         true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *source = rows[i].source;
        char log[2000];
        cl_int error;
        cl_program program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
        ok(error);
        error = clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
        ck_assert_msg(error == (rows[i].good ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE), "%zu: %d", i, error);
        if (rows[i].good) {
            ck_assert_int_eq(run_one(program, "l"), 4);
        } else {
            ok(clGetProgramBuildInfo(program, w.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
            ck_assert_ptr_nonnull(strstr(log, "f is declared, but not defined"));
            makes(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(program, "l", code_ret));
        }
        ok(clReleaseProgram(program));
    }
}
END_TEST

static void
link_variables(const char *options)
{
    const char *sources[] = {
        "extern constant int table[4], used[2];\n"
        "extern global int counter;\n"
        "int second(int i);\n"
        "kernel void k(global int *o) { o[0] = table[2] + used[1] + counter + second(1); }\n",
        "constant int table[4] = {10, 20, 30, 40}, used[2] = {100, 200};\n"
        "constant char *constant names[] = {\"a\", \"b\"};\n"
        "static constant int own[] = {1, 2};\n"
        "global int counter = 4000, other;\n"
        "int second(int i) { return used[i] + own[i]; }\n",
    };
    cl_program parts[2];
    cl_int error;
    for (unsigned i = 0; i < 2; i++) {
        parts[i] = clCreateProgramWithSource(w.context, 1, &sources[i], NULL, &error);
        ok(error);
        ok(clCompileProgram(parts[i], 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    }
    cl_program linked = clLinkProgram(w.context, 0, NULL, NULL, 2, parts, NULL, NULL, &error);
    ok(error);
    ck_assert_int_eq(run_one(linked, "k"), 30 + 200 + 4000 + 202);
    for (unsigned i = 0; i < 2; i++)
        ok(clReleaseProgram(parts[i]));
    ok(clReleaseProgram(linked));
}

/* Variables of one program are another's, whether functions beside them use them or not, and whatever is told
 * of lines and variables in them. */
START_TEST(test_linked_variables)
{
    link_variables("-cl-std=CL3.0");
    link_variables("-cl-std=CL3.0 -g");
}
END_TEST

/* What is weak gives way to another program's that is not, wherever it stands; else the first one counts. */
START_TEST(test_weak)
{
    const char *sources[] = {
        "#define W __attribute__((weak))\n"
        "W global int v = 1; W constant int c = 2; W int f(void) { return v + 10 * c; }\n"
        "int g(void) { return f() + 100 * v + 1000 * c; }\n",
        "#define W __attribute__((weak))\n"
        "W global int v = 5; W constant int c = 6; W int f(void) { return 7; }\n",
        "global int v = 3; constant int c = 4;\n",
        "int g(void); kernel void k(global int *o) { o[0] = g(); }\n",
    };
    static const struct {
        unsigned count, parts[4];
        int want;
    } rows[] = {{2, {0, 3}, 2121},       {3, {0, 1, 3}, 2121},   {3, {1, 0, 3}, 6507},
                {3, {0, 2, 3}, 4343},    {3, {2, 3, 0}, 4343},   {4, {1, 0, 3, 2}, 4307},
                {4, {0, 1, 2, 3}, 4343}, {4, {2, 0, 1, 3}, 4343}};
    cl_program parts[4];
    cl_int error;
    for (unsigned i = 0; i < 4; i++) {
        parts[i] = clCreateProgramWithSource(w.context, 1, &sources[i], NULL, &error);
        ok(error);
        ok(clCompileProgram(parts[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    }
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        cl_program some[4];
        for (unsigned i = 0; i < rows[row].count; i++)
            some[i] = parts[rows[row].parts[i]];
        cl_program linked =
            clLinkProgram(w.context, 0, NULL, NULL, rows[row].count, some, NULL, NULL, &error);
        ok(error);
        ck_assert_msg(run_one(linked, "k") == rows[row].want, "row %zu", row);
        ok(clReleaseProgram(linked));
    }
    for (unsigned i = 0; i < 4; i++)
        ok(clReleaseProgram(parts[i]));
}
END_TEST

TCase *
program_tests(void)
{
    TCase *tests = tcase_create("program");
    tcase_add_test(tests, test_il);
    tcase_add_test(tests, test_kernel_names);
    tcase_add_test(tests, test_not_built);
    tcase_add_test(tests, test_specialization);
    tcase_add_test(tests, test_many_constants);
    tcase_add_test(tests, test_linked_constants);
    tcase_add_test(tests, test_options);
    tcase_add_test(tests, test_asynchronous_build);
    tcase_add_test(tests, test_while_it_builds);
    tcase_add_test(tests, test_asynchronous_link);
    tcase_add_test(tests, test_binaries);
    tcase_add_test(tests, test_link);
    tcase_add_test(tests, test_source);
    tcase_add_test(tests, test_undefined);
    tcase_add_test(tests, test_linked_variables);
    tcase_add_test(tests, test_weak);
    return tests;
}
