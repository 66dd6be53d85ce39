/* SPDX-License-Identifier: MIT */
/* Buffers, sub-buffers, and the commands that move their bytes. */
#include "support.h"

#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

START_TEST(test_create)
{
    int data[4] = {1, 2, 3, 4};
    cl_int error;
    size_t size;
    void *pointer;
    makes(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w.context, 0, 0, NULL, code_ret));
    makes(CL_INVALID_BUFFER_SIZE, clCreateBuffer(w.context, 0, (size_t)1 << 62, NULL, code_ret));
    makes(CL_INVALID_HOST_PTR, clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, 16, NULL, code_ret));
    makes(CL_INVALID_HOST_PTR, clCreateBuffer(w.context, 0, 16, data, code_ret));
    makes(CL_INVALID_VALUE,
          clCreateBuffer(w.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, code_ret));
    makes(CL_INVALID_VALUE, clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, data,
                                           code_ret));
    makes(CL_INVALID_CONTEXT, clCreateBuffer((cl_context)w.queue, 0, 16, NULL, code_ret));
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof data, data, &error);
    ok(error);
    ok(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    ck_assert_uint_eq(size, sizeof data);
    ok(clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    ck_assert_ptr_eq(pointer, data);
    /* Used in place: mapping gives the very pointer. */
    pointer = clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_READ, 4, 4, 0, NULL, NULL, &error);
    ok(error);
    ck_assert_ptr_eq(pointer, data + 1);
    ok(clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueUnmapMemObject(w.queue, buffer, pointer, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(buffer));
    fails(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
}
END_TEST

START_TEST(test_sub_buffer)
{
    int data[128];
    for (int i = 0; i < 128; i++)
        data[i] = i;
    cl_int error;
    int got[2];
    cl_mem parent = make_buffer(data, 128), associated;
    const cl_buffer_region good = {256, 64}, askew = {4, 64}, outside = {256, 512}, empty = {0, 0};
    cl_mem part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, &error);
    ok(error);
    makes(CL_MISALIGNED_SUB_BUFFER_OFFSET,
          clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &askew, code_ret));
    makes(CL_INVALID_VALUE, clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, code_ret));
    makes(CL_INVALID_BUFFER_SIZE,
          clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, code_ret));
    makes(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &good, code_ret));
    ok(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof associated, &associated, NULL));
    ck_assert_ptr_eq(associated, parent);
    ok(clReleaseMemObject(parent)); /* the part keeps it */
    ok(clEnqueueReadBuffer(w.queue, part, CL_TRUE, 4, sizeof got, got, 0, NULL, NULL));
    ck_assert_int_eq(got[0], 65);
    ck_assert_int_eq(got[1], 66);
    ok(clReleaseMemObject(part));
}
END_TEST

START_TEST(test_read_write_copy_fill)
{
    int data[64], got[64];
    for (int i = 0; i < 64; i++)
        data[i] = i * i;
    cl_mem a = make_buffer(NULL, 64), b = make_buffer(NULL, 64);
    const short pattern = 0x1234;
    ok(clEnqueueWriteBuffer(w.queue, a, CL_FALSE, 0, sizeof data, data, 0, NULL, NULL));
    ok(clEnqueueFillBuffer(w.queue, b, &pattern, 2, 0, 256, 0, NULL, NULL));
    ok(clEnqueueCopyBuffer(w.queue, a, b, 40, 80, 20, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, b, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(got[i], i >= 20 && i < 25 ? data[i - 10] : 0x12341234);
    fails(CL_INVALID_VALUE, clEnqueueReadBuffer(w.queue, a, CL_TRUE, 200, 100, got, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBuffer(w.queue, a, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
    fails(CL_INVALID_MEM_OBJECT,
          clEnqueueReadBuffer(w.queue, (cl_mem)w.program, CL_TRUE, 0, 4, got, 0, NULL, NULL));
    fails(CL_INVALID_COMMAND_QUEUE,
          clEnqueueReadBuffer((cl_command_queue)a, a, CL_TRUE, 0, 4, got, 0, NULL, NULL));
    fails(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(w.queue, a, a, 0, 8, 16, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueFillBuffer(w.queue, a, &pattern, 2, 1, 2, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueFillBuffer(w.queue, a, &pattern, 3, 0, 3, 0, NULL, NULL));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueFillBuffer(w.queue, a, &pattern, 2, 0, 2, 1, NULL, NULL));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}
END_TEST

START_TEST(test_other_context)
{
    cl_int error;
    int got;
    cl_context other = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_mem buffer = clCreateBuffer(other, 0, 4, NULL, &error);
    fails(CL_INVALID_CONTEXT, clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseContext(other));
}
END_TEST

START_TEST(test_host_access)
{
    cl_int error;
    int value = 1;
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_HOST_READ_ONLY, 4, NULL, &error);
    fails(CL_INVALID_OPERATION, clEnqueueWriteBuffer(w.queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    ck_assert_ptr_null(
        clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 4, 0, NULL, NULL, &error));
    fails(CL_INVALID_OPERATION, error);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
}
END_TEST

/* A box of 3 x 2 x 2 bytes between layouts of different pitches, against the loops that say what it means. */
START_TEST(test_rectangles)
{
    unsigned char host[400], device[500] = {0}, expected[500] = {0};
    for (int i = 0; i < 400; i++)
        host[i] = (unsigned char)(i * 7 + 1);
    cl_int error;
    cl_mem buffer = clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof device, device, &error);
    const size_t to[3] = {2, 1, 1}, from[3] = {1, 2, 0}, region[3] = {3, 2, 2}, zero[3] = {3, 0, 2};
    ok(clEnqueueWriteBufferRect(w.queue, buffer, CL_TRUE, to, from, region, 10, 60, 20, 100, host, 0, NULL,
                                NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 2; y++)
            for (size_t x = 0; x < 3; x++)
                expected[(z + 1) * 60 + (y + 1) * 10 + x + 2] = host[z * 100 + (y + 2) * 20 + x + 1];
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof device, device, 0, NULL, NULL));
    ck_assert_mem_eq(device, expected, sizeof device);
    const size_t target[3] = {6, 3, 3};
    ok(clEnqueueCopyBufferRect(w.queue, buffer, buffer, to, target, region, 10, 60, 10, 60, 0, NULL, NULL));
    unsigned char box[12];
    const size_t origin[3] = {0, 0, 0};
    ok(clEnqueueReadBufferRect(w.queue, buffer, CL_TRUE, target, origin, region, 10, 60, 0, 0, box, 0, NULL,
                               NULL));
    for (size_t i = 0; i < 12; i++)
        ck_assert_uint_eq(box[i], expected[(i / 6 + 1) * 60 + (i / 3 % 2 + 1) * 10 + i % 3 + 2]);
    const size_t near[3] = {4, 2, 1};
    fails(CL_MEM_COPY_OVERLAP,
          clEnqueueCopyBufferRect(w.queue, buffer, buffer, to, near, region, 10, 60, 10, 60, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(w.queue, buffer, CL_TRUE, to, origin, zero, 10, 60, 0, 0,
                                                    box, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueReadBufferRect(w.queue, buffer, CL_TRUE, to, origin, region, 2, 60, 0, 0,
                                                    box, 0, NULL, NULL));
    ok(clReleaseMemObject(buffer));
}
END_TEST

static char order[8];

static void CL_CALLBACK
note(cl_mem memory, void *data)
{
    (void)memory;
    strcat(order, data);
}

START_TEST(test_destructors)
{
    cl_mem buffer = make_buffer(NULL, 4);
    order[0] = '\0';
    ok(clSetMemObjectDestructorCallback(buffer, note, "a"));
    ok(clSetMemObjectDestructorCallback(buffer, note, "b"));
    fails(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(buffer, NULL, NULL));
    /* Released while a command waits to use it: it lives until that is done. */
    cl_int error;
    int got[4];
    cl_event gate = clCreateUserEvent(w.context, &error);
    ok(clEnqueueReadBuffer(w.queue, buffer, CL_FALSE, 0, 16, got, 1, &gate, NULL));
    ok(clReleaseMemObject(buffer));
    ck_assert_str_eq(order, "");
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(w.queue));
    ck_assert_str_eq(order, "ba");
    ok(clReleaseEvent(gate));
}
END_TEST

/* How many pages of the whole pages inside are there. */
static size_t
pages_there(const char *base, size_t bytes, size_t *all)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), there = 0;
    uintptr_t begin = ((uintptr_t)base + page - 1) / page * page,
    end = ((uintptr_t)base + bytes) / page * page;
    *all = (end - begin) / page;
    unsigned char *bits = calloc(*all, 1);
    ck_assert_int_eq(mincore((void *)begin, end - begin, bits), 0);
    for (size_t i = 0; i < *all; i++)
        there += bits[i] & 1;
    free(bits);
    return there;
}

static char *
place_of(cl_mem buffer)
{
    cl_int error;
    char *place = clEnqueueMapBuffer(w.queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, 1, 0, NULL,
                                     NULL,
                                     &error);
    ok(error);
    ok(clEnqueueUnmapMemObject(w.queue, buffer, place, 0, NULL, NULL));
    ok(clFinish(w.queue));
    return place;
}

/* A kernel meets no page that is not there, but where the buffer is large; and what memory holds stays. */
START_TEST(test_mapped_ahead)
{
    static char own[1 << 20];
    const size_t bytes = (6u << 20) + 12345, most = (64u << 20) + 1;
    cl_int error;
    size_t all;
    cl_kernel kernel = make_kernel("add");
    if (madvise(own, 4096, 23 /* MADV_POPULATE_WRITE */)) {
        printf("not run: memory mapped ahead, which this kernel cannot\n");
        return;
    }
    cl_mem buffer = clCreateBuffer(w.context, 0, bytes, NULL, &error);
    ok(error);
    char *place = place_of(buffer);
    ck_assert_uint_eq((uintptr_t)place % (2u << 20), 0);
    ck_assert_uint_lt(pages_there(place, bytes, &all), all);
    place[5000] = 42;
    const cl_buffer_region region = {1 << 20, 256};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof part, &part));
    ck_assert_uint_eq(pages_there(place, bytes, &all), all);
    ck_assert_int_eq(place[5000], 42);
    ok(clReleaseMemObject(part));
    ok(clReleaseMemObject(buffer));

    place = clSVMAlloc(w.context, 0, bytes, 0);
    ck_assert_ptr_nonnull(place);
    ck_assert_uint_lt(pages_there(place, bytes, &all), all);
    ok(clSetKernelArgSVMPointer(kernel, 0, place + 4));
    ck_assert_uint_eq(pages_there(place, bytes, &all), all);
    clSVMFree(w.context, place);

    buffer = clCreateBuffer(w.context, 0, most, NULL, &error);
    ok(error);
    place = place_of(buffer);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ck_assert_uint_lt(pages_there(place, most, &all), all);
    ok(clReleaseMemObject(buffer));

    buffer = clCreateBuffer(w.context, CL_MEM_USE_HOST_PTR, sizeof own - 8192, own + 8192, &error);
    ok(error);
    ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    ck_assert_uint_lt(pages_there(own + 8192, sizeof own - 8192, &all), all); /* the program's own affair */
    ok(clReleaseMemObject(buffer));
    ok(clReleaseKernel(kernel));
}
END_TEST

/* Small objects have nothing of what was in their memory before, whoever takes it. */
START_TEST(test_nothing_of_before)
{
    static const size_t sizes[] = {4, 100, 4096, 70000, 250000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const cl_uchar ones = 0xff;
        cl_uchar *data = malloc(sizes[i]);
        for (int round = 0; round < 3; round++) {
            cl_int error;
            cl_mem buffer = clCreateBuffer(w.context, CL_MEM_ALLOC_HOST_PTR, sizes[i], NULL, &error);
            ok(error);
            ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizes[i], data, 0, NULL, NULL));
            cl_uchar *shared = clSVMAlloc(w.context, CL_MEM_READ_WRITE, sizes[i], 0);
            for (size_t k = 0; k < sizes[i]; k++)
                ck_assert_msg(data[k] == 0 && shared[k] == 0, "%zu of %zu", k, sizes[i]);
            ok(clEnqueueFillBuffer(w.queue, buffer, &ones, 1, 0, sizes[i], 0, NULL, NULL));
            ok(clFinish(w.queue));
            memset(shared, 0xff, sizes[i]);
            clSVMFree(w.context, shared);
            ok(clReleaseMemObject(buffer));
        }
        free(data);
    }
}
END_TEST

/* A program that takes all it can get is told where the end is, by every way to get memory; and all of it is
 * there again once it is given back. Nothing is written: that would take the machine's memory. */
START_TEST(test_no_more_than_there_is)
{
    enum { MOST = 8 };
    cl_ulong all, largest;
    cl_mem taken[MOST];
    cl_int error = CL_SUCCESS;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    ok(clGetDeviceInfo(w.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
    const size_t part = all / 8 < largest ? all / 8 : largest;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const size_t width = 16384, height = part / (16 * width) + 1;
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    unsigned count = 0, before = 0;
    mallopt(M_PERTURB, 0); /* which would write all of it (meson sets MALLOC_PERTURB_) */
    for (unsigned round = 0; round < 2; round++) {
        for (count = 0; count < MOST; count++) {
            taken[count] = clCreateBuffer(w.context, 0, part, NULL, &error);
            if (!taken[count])
                break;
        }
        /* The eighth of an eighth is too much: the tests' own is there, too. */
        ck_assert_uint_lt(count, MOST);
        fails(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
        ck_assert_ptr_null(clSVMAlloc(w.context, 0, part, 0));
        if (height <= 16384)
            makes(CL_MEM_OBJECT_ALLOCATION_FAILURE,
                  clCreateImage(w.context, 0, &format, &desc, NULL, code_ret));
        /* What is small is there all the same. */
        cl_mem small = clCreateBuffer(w.context, 0, 4096, NULL, &error);
        ok(error);
        ok(clReleaseMemObject(small));
        for (unsigned i = 0; i < count; i++)
            ok(clReleaseMemObject(taken[i]));
        ck_assert(round == 0 || count + 1 >= before); /* others use the machine, too */
        before = count;
    }
    void *shared = before ? clSVMAlloc(w.context, 0, part, 0) : NULL;
    ck_assert(shared || !before);
    clSVMFree(w.context, shared);
}
END_TEST

/* The same in small pieces. */
START_TEST(test_no_more_than_there_is_in_pieces)
{
    const size_t piece = (size_t)48 << 20;
    cl_ulong all;
    cl_int error = CL_SUCCESS;
    ok(clGetDeviceInfo(w.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
    const size_t most = all / piece + 3; /* up to 64 MiB more than there is are not asked about */
    cl_mem *taken = calloc(most, sizeof *taken);
    size_t count = 0;
    mallopt(M_PERTURB, 0);
    while (count < most && (taken[count] = clCreateBuffer(w.context, 0, piece, NULL, &error)))
        count++;
    ck_assert_uint_lt(count, most);
    fails(CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
    while (count > 0)
        ok(clReleaseMemObject(taken[--count]));
    free(taken);
    cl_mem again = clCreateBuffer(w.context, 0, piece, NULL, &error);
    ok(error);
    ok(clReleaseMemObject(again));
}
END_TEST

TCase *
memory_tests(void)
{
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, test_create);
    tcase_add_test(tests, test_sub_buffer);
    tcase_add_test(tests, test_read_write_copy_fill);
    tcase_add_test(tests, test_other_context);
    tcase_add_test(tests, test_host_access);
    tcase_add_test(tests, test_rectangles);
    tcase_add_test(tests, test_destructors);
    tcase_add_test(tests, test_mapped_ahead);
    tcase_add_test(tests, test_nothing_of_before);
    tcase_add_test(tests, test_no_more_than_there_is);
    tcase_add_test(tests, test_no_more_than_there_is_in_pieces);
    return tests;
}
