/* SPDX-License-Identifier: MIT */
/* Every handle of every entry point of the dispatch table, asked with NULL, garbage, handles of the other
 * kinds and released ones: each "... if X is not a valid Y" of the API specification, sections 4 and 5. The
 * entry points are called as a loader calls them, since loaders themselves follow whatever they are given. */
#include "support.h"

#include <CL/cl_gl.h>
#include <CL/cl_icd.h>
#include <stdint.h>

static const cl_icd_dispatch *d;
static cl_mem buffer;
static cl_kernel kernel;
static cl_event event;
static const size_t one = 1, three[3] = {1, 1, 1}, zero[3];
static char bytes[64];

static void CL_CALLBACK
never(void)
{
    ck_abort_msg("called back");
}

static void CL_CALLBACK
nothing(void *data)
{
    (void)data;
}

#define NEVER(type) ((type)(uintptr_t)never)

typedef void(CL_CALLBACK *context_callback)(cl_context, void *);
typedef void(CL_CALLBACK *memory_callback)(cl_mem, void *);
typedef void(CL_CALLBACK *program_callback)(cl_program, void *);
typedef void(CL_CALLBACK *event_callback)(cl_event, cl_int, void *);
typedef void(CL_CALLBACK *native_kernel)(void *);

#include "handle_rows.h"

#define CALL(slot, variant, kind, error, null_ok, ...)                                                       \
    static cl_int call_##slot##variant(void *h)                                                              \
    {                                                                                                        \
        cl_int e = CL_SUCCESS;                                                                               \
        cl_uint count;                                                                                       \
        (void)e, (void)count;                                                                                \
        return __VA_ARGS__;                                                                                  \
    }
ROWS(CALL)

enum kind { PLATFORM, DEVICE, CONTEXT, QUEUE, MEMORY, SAMPLER, PROGRAM, KERNEL, EVENT, KINDS };

static const struct row {
    size_t slot; /* in the dispatch table */
    const char *name;
    enum kind kind;
    cl_int error;
    bool null_ok;
    cl_int (*call)(void *handle);
} rows[] = {
#define ROW(slot, variant, kind, error, null_ok, ...)                                                        \
    {offsetof(cl_icd_dispatch, slot), #slot #variant, kind, error, null_ok, call_##slot##variant},
    ROWS(ROW)};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

static void
open_objects(void)
{
    d = *(const cl_icd_dispatch **)w.platform;
    cl_int error;
    buffer = make_buffer(NULL, 64);
    kernel = make_kernel("indirect");
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    event = clCreateUserEvent(w.context, &error);
    ok(error);
}

static void
close_objects(void)
{
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
    ok(clReleaseEvent(event));
}

/* One object of each kind that was released; NULL where none can be. */
static void
make_released(void *released[KINDS])
{
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(w.context, w.device, 0, &error);
    cl_mem memory = make_buffer(NULL, 4);
    cl_program program = load_program("opencl_spec.spv");
    cl_kernel added = make_kernel("add");
    cl_event user = clCreateUserEvent(w.context, &error);
    ok(clReleaseContext(context));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseMemObject(memory));
    ok(clReleaseProgram(program));
    ok(clReleaseKernel(added));
    ok(clReleaseEvent(user));
    void *const all[KINDS] = {[CONTEXT] = context, [QUEUE] = queue,     [MEMORY] = memory,
                              [KERNEL] = added,    [PROGRAM] = program, [EVENT] = user};
    memcpy(released, all, sizeof all);
}

static void
expect(const struct row *row, const char *what, void *handle)
{
    cl_int error = row->call(handle);
    ck_assert_msg(error == row->error, "%s, %s: %d instead of %d", row->name, what, error, row->error);
}

START_TEST(test_wrong_handles)
{
    static const char *const names[KINDS] = {"a platform", "a device",  "a context", "a queue", "a buffer",
                                             "a sampler",  "a program", "a kernel",  "an event"};
    static char zeros[256];
    void *released[KINDS];
    open_objects();
    make_released(released);
    void *const live[KINDS] = {w.platform, w.device,  w.context, w.queue, buffer,
                               NULL,       w.program, kernel,    event};
    for (const struct row *row = rows; row < rows + ROW_COUNT; row++) {
        if (row->null_ok)
            ok(row->call(NULL));
        else
            expect(row, "NULL", NULL);
        expect(row, "an address without memory", (void *)(uintptr_t)8);
        expect(row, "the end of the address space", (void *)UINTPTR_MAX);
        expect(row, "zeros", zeros);
        expect(row, "the inside of a handle", (char *)w.queue + 8);
        for (int kind = 0; kind < KINDS; kind++)
            if (kind != (int)row->kind && live[kind])
                expect(row, names[kind], live[kind]);
        if (released[row->kind])
            expect(row, "what was released", released[row->kind]);
    }
    ok(clFinish(w.queue));
    close_objects();
}
END_TEST

/* Nothing in the dispatch table is left out above but what takes no handle, and what is not there. */
START_TEST(test_every_entry_point)
{
    static const size_t without[] = {offsetof(cl_icd_dispatch, clGetPlatformIDs),
                                     offsetof(cl_icd_dispatch, clUnloadCompiler),
                                     offsetof(cl_icd_dispatch, clGetExtensionFunctionAddress),
                                     offsetof(cl_icd_dispatch, clGetGLContextInfoKHR)};
    const cl_icd_dispatch *table = *(const cl_icd_dispatch **)w.platform;
    for (size_t at = 0; at < sizeof *table; at += sizeof(void *)) {
        void *function;
        bool listed = false;
        memcpy(&function, (const char *)table + at, sizeof function);
        for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
            listed |= at == without[i];
        for (size_t i = 0; i < ROW_COUNT; i++)
            listed |= at == rows[i].slot;
        ck_assert_msg(listed == (function != NULL), "row %zu of the dispatch table", at / sizeof(void *));
    }
}
END_TEST

/* The loader's extension functions go by the same rules. */
START_TEST(test_extension_functions)
{
    open_objects();
#define GET(name)                                                                                            \
    name##_fn name;                                                                                          \
    *(void **)&name = clGetExtensionFunctionAddressForPlatform(w.platform, #name);                           \
    ck_assert_ptr_nonnull(*(void **)&name)
    GET(clHostMemAllocINTEL);
    GET(clDeviceMemAllocINTEL);
    GET(clSharedMemAllocINTEL);
    GET(clMemFreeINTEL);
    GET(clMemBlockingFreeINTEL);
    GET(clGetMemAllocInfoINTEL);
    GET(clSetKernelArgMemPointerINTEL);
    GET(clEnqueueMemFillINTEL);
    GET(clEnqueueMemcpyINTEL);
    GET(clEnqueueMigrateMemINTEL);
    GET(clEnqueueMemAdviseINTEL);
    GET(clGetKernelSuggestedLocalWorkSizeKHR);
    void *const bad[] = {NULL, (void *)(uintptr_t)8, bytes, buffer, w.platform};
    size_t size;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        void *h = bad[i];
        makes(CL_INVALID_CONTEXT, clHostMemAllocINTEL(h, NULL, 8, 0, code_ret));
        makes(CL_INVALID_CONTEXT, clDeviceMemAllocINTEL(h, w.device, NULL, 8, 0, code_ret));
        makes(CL_INVALID_CONTEXT, clSharedMemAllocINTEL(h, w.device, NULL, 8, 0, code_ret));
        makes(CL_INVALID_DEVICE, clDeviceMemAllocINTEL(w.context, h, NULL, 8, 0, code_ret));
        if (h)
            makes(CL_INVALID_DEVICE, clSharedMemAllocINTEL(w.context, h, NULL, 8, 0, code_ret));
        fails(CL_INVALID_CONTEXT, clMemFreeINTEL(h, NULL));
        fails(CL_INVALID_CONTEXT, clMemBlockingFreeINTEL(h, NULL));
        fails(CL_INVALID_CONTEXT, clGetMemAllocInfoINTEL(h, bytes, CL_MEM_ALLOC_TYPE_INTEL, 0, NULL, NULL));
        fails(CL_INVALID_KERNEL, clSetKernelArgMemPointerINTEL(h, 0, bytes));
        fails(CL_INVALID_COMMAND_QUEUE, clEnqueueMemFillINTEL(h, bytes, bytes + 8, 1, 4, 0, NULL, NULL));
        fails(CL_INVALID_COMMAND_QUEUE, clEnqueueMemcpyINTEL(h, CL_TRUE, bytes, bytes + 8, 4, 0, NULL, NULL));
        fails(CL_INVALID_COMMAND_QUEUE, clEnqueueMigrateMemINTEL(h, bytes, 4, 0, 0, NULL, NULL));
        fails(CL_INVALID_COMMAND_QUEUE, clEnqueueMemAdviseINTEL(h, bytes, 4, 0, 0, NULL, NULL));
        fails(CL_INVALID_EVENT_WAIT_LIST,
              clEnqueueMemcpyINTEL(w.queue, CL_TRUE, bytes, bytes + 8, 4, 1, (cl_event[]){h}, NULL));
        fails(CL_INVALID_COMMAND_QUEUE,
              clGetKernelSuggestedLocalWorkSizeKHR(h, kernel, 1, NULL, &one, &size));
        fails(CL_INVALID_KERNEL, clGetKernelSuggestedLocalWorkSizeKHR(w.queue, h, 1, NULL, &one, &size));
    }
    close_objects();
}
END_TEST

/* Released once too often; what others still hold lives on, and may be retained again (5.7.2: kernels keep
 * their program). */
START_TEST(test_references)
{
    cl_int error;
    cl_uint refs;
    cl_program program = load_program("opencl_kernels.spv"), asked;
    ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel last = clCreateKernel(program, "add", &error);
    ok(clRetainProgram(program));
    ok(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 2);
    ok(clReleaseProgram(program));
    ok(clReleaseProgram(program));
    fails(CL_INVALID_PROGRAM, clReleaseProgram(program));
    ok(clGetKernelInfo(last, CL_KERNEL_PROGRAM, sizeof asked, &asked, NULL));
    ck_assert_ptr_eq(asked, program);
    ok(clRetainProgram(asked));
    ok(clReleaseKernel(last));
    ok(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    ck_assert_uint_eq(refs, 1);
    ok(clReleaseProgram(program));
    fails(CL_INVALID_PROGRAM, clRetainProgram(program));
}
END_TEST

TCase *
handle_tests(void)
{
    TCase *tests = tcase_create("handles");
    tcase_add_test(tests, test_wrong_handles);
    tcase_add_test(tests, test_every_entry_point);
    tcase_add_test(tests, test_extension_functions);
    tcase_add_test(tests, test_references);
    return tests;
}
