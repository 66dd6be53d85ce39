/* SPDX-License-Identifier: MIT */
/* Buffers and the commands that move their bytes (API 5.2): flags, bounds, overlaps, patterns, rectangles. */
#include "support.h"

/* ---- Flags (5.2.1, "Memory Flags" and the errors below it) ---- */

#define USE CL_MEM_USE_HOST_PTR
#define COPY CL_MEM_COPY_HOST_PTR
#define ALLOC CL_MEM_ALLOC_HOST_PTR

START_TEST(test_buffer_flags)
{
    static char data[64] __attribute__((aligned(128)));
    static const struct {
        cl_mem_flags flags;
        bool pointer;
        cl_int error;
        cl_mem_flags answer;
    } rows[] = {
        {0, false, CL_SUCCESS, CL_MEM_READ_WRITE}, /* the default */
        {CL_MEM_READ_ONLY, false, CL_SUCCESS, CL_MEM_READ_ONLY},
        {CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY, false, CL_SUCCESS,
         CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY},
        {CL_MEM_READ_WRITE | ALLOC, false, CL_SUCCESS, CL_MEM_READ_WRITE | ALLOC},
        {CL_MEM_READ_WRITE | USE, true, CL_SUCCESS, CL_MEM_READ_WRITE | USE},
        {CL_MEM_READ_ONLY | COPY | ALLOC, true, CL_SUCCESS, CL_MEM_READ_ONLY | COPY | ALLOC},
        {CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, false, CL_INVALID_VALUE, 0},
        {CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, false, CL_INVALID_VALUE, 0},
        {CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY, false, CL_INVALID_VALUE, 0},
        {CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY, false, CL_INVALID_VALUE, 0},
        {CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, false, CL_INVALID_VALUE, 0},
        {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, false, CL_INVALID_VALUE, 0},
        {USE | ALLOC, true, CL_INVALID_VALUE, 0},
        {USE | COPY, true, CL_INVALID_VALUE, 0},
        {CL_MEM_KERNEL_READ_AND_WRITE, false, CL_INVALID_VALUE, 0}, /* only to ask for image formats */
        {(cl_mem_flags)1 << 40, false, CL_INVALID_VALUE, 0},
        {USE, false, CL_INVALID_HOST_PTR, 0},
        {COPY, false, CL_INVALID_HOST_PTR, 0},
        {0, true, CL_INVALID_HOST_PTR, 0},
        {ALLOC, true, CL_INVALID_HOST_PTR, 0},
    };
    const cl_mem_properties unknown[] = {0x7777, 1, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error;
        cl_mem_flags flags;
        cl_mem memory = clCreateBuffer(w.context, rows[i].flags, 64, rows[i].pointer ? data : NULL, &error);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
        ck_assert(!memory == (error != CL_SUCCESS));
        if (error)
            continue;
        ok(clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
        ck_assert_uint_eq(flags, rows[i].answer);
        ok(clReleaseMemObject(memory));
    }
    makes(CL_INVALID_PROPERTY, clCreateBufferWithProperties(w.context, unknown, 0, 16, NULL, code_ret));
}
END_TEST

/* What a sub-buffer inherits, and what contradicts its parent (clCreateSubBuffer). */
START_TEST(test_sub_buffer_flags)
{
    static char data[512] __attribute__((aligned(128)));
    static const struct {
        cl_mem_flags parent, flags, answer; /* 0: CL_INVALID_VALUE */
    } rows[] = {
        {CL_MEM_READ_WRITE, 0, CL_MEM_READ_WRITE},
        {CL_MEM_READ_ONLY, 0, CL_MEM_READ_ONLY},
        {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_READ_ONLY},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, 0, CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
         CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS},
        {CL_MEM_READ_WRITE | USE, 0, CL_MEM_READ_WRITE | USE},
        {CL_MEM_READ_WRITE | COPY | ALLOC, CL_MEM_READ_ONLY, CL_MEM_READ_ONLY | COPY | ALLOC},
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, 0},
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY, 0},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, 0},
        {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, 0},
        {CL_MEM_READ_WRITE, USE, 0},
        {CL_MEM_READ_WRITE, ALLOC, 0},
        {CL_MEM_READ_WRITE, COPY, 0},
        {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, 0},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, 0},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, 0},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY, 0},
    };
    const cl_buffer_region region = {128, 128};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error;
        cl_mem_flags flags;
        char *pointer;
        bool host = rows[i].parent & (USE | COPY);
        cl_mem parent = clCreateBuffer(w.context, rows[i].parent, 512, host ? data : NULL, &error);
        ok(error);
        cl_mem part = clCreateSubBuffer(parent, rows[i].flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        ck_assert_msg(error == (rows[i].answer ? CL_SUCCESS : CL_INVALID_VALUE), "row %zu: %d", i, error);
        if (part) {
            ok(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
            ck_assert_uint_eq(flags, rows[i].answer);
            ok(clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
            ck_assert_ptr_eq(pointer, rows[i].parent & USE ? data + 128 : NULL);
            ok(clReleaseMemObject(part));
        }
        ok(clReleaseMemObject(parent));
    }
}
END_TEST

START_TEST(test_sub_buffer_regions)
{
    cl_mem parent = make_buffer(NULL, 128);
    static const struct {
        cl_buffer_region region;
        cl_int error;
    } rows[] = {
        {{0, 512}, CL_SUCCESS},
        {{384, 128}, CL_SUCCESS},
        {{384, 129}, CL_INVALID_VALUE},
        {{512, 1}, CL_INVALID_VALUE},
        {{1024, 1}, CL_INVALID_VALUE},
        {{128, SIZE_MAX}, CL_INVALID_VALUE},
        {{SIZE_MAX - 127, 256}, CL_INVALID_VALUE},
        {{128, 0}, CL_INVALID_BUFFER_SIZE},
        {{1, 4}, CL_MISALIGNED_SUB_BUFFER_OFFSET},
        {{64, 64}, CL_MISALIGNED_SUB_BUFFER_OFFSET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error;
        cl_mem part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &rows[i].region, &error);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
        if (part)
            ok(clReleaseMemObject(part));
    }
    makes(CL_INVALID_VALUE, clCreateSubBuffer(parent, 0, 0x1234, &rows[0].region, code_ret));
    makes(CL_INVALID_VALUE, clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, code_ret));
    ok(clReleaseMemObject(parent));
}
END_TEST

/* Who may read, write and map for what; copies and fills ignore the flags. */
START_TEST(test_host_flags)
{
    static const struct {
        cl_mem_flags flags;
        bool read, write;
    } rows[] = {
        {0, true, true},
        {CL_MEM_HOST_READ_ONLY, true, false},
        {CL_MEM_HOST_WRITE_ONLY, false, true},
        {CL_MEM_HOST_NO_ACCESS, false, false},
    };
    const size_t zero[3] = {0}, box[3] = {4, 1, 1};
    int value = 0;
    cl_mem other = make_buffer(NULL, 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_int error, read = rows[i].read ? CL_SUCCESS : CL_INVALID_OPERATION;
        cl_int write = rows[i].write ? CL_SUCCESS : CL_INVALID_OPERATION;
        cl_mem m = clCreateBuffer(w.context, rows[i].flags, 16, NULL, &error);
        fails(read, clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
        fails(write, clEnqueueWriteBuffer(w.queue, m, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
        fails(read, clEnqueueReadBufferRect(w.queue, m, CL_TRUE, zero, zero, box, 0, 0, 0, 0, &value, 0, NULL,
                                            NULL));
        fails(write, clEnqueueWriteBufferRect(w.queue, m, CL_TRUE, zero, zero, box, 0, 0, 0, 0, &value, 0,
                                              NULL, NULL));
        ok(clEnqueueCopyBuffer(w.queue, m, other, 0, 0, 4, 0, NULL, NULL));
        ok(clEnqueueCopyBufferRect(w.queue, other, m, zero, zero, box, 0, 0, 0, 0, 0, NULL, NULL));
        ok(clEnqueueFillBuffer(w.queue, m, &value, 4, 0, 16, 0, NULL, NULL));
        static const cl_map_flags maps[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION,
                                            CL_MAP_READ | CL_MAP_WRITE};
        for (size_t k = 0; k < 4; k++) {
            bool good =
                (rows[i].read || !(maps[k] & CL_MAP_READ)) && (rows[i].write || maps[k] == CL_MAP_READ);
            void *p = clEnqueueMapBuffer(w.queue, m, CL_TRUE, maps[k], 0, 16, 0, NULL, NULL, &error);
            ck_assert_int_eq(error, good ? CL_SUCCESS : CL_INVALID_OPERATION);
            if (p)
                ok(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL));
        }
        ok(clFinish(w.queue));
        ok(clReleaseMemObject(m));
    }
    ok(clReleaseMemObject(other));
}
END_TEST

/* ---- Lines ---- */

START_TEST(test_bounds)
{
    char data[64] = {0};
    static const struct {
        size_t offset, size;
        cl_int error;
    } rows[] = {
        {0, 64, CL_SUCCESS},
        {63, 1, CL_SUCCESS},
        {64, 0, CL_SUCCESS},
        {64, 1, CL_INVALID_VALUE},
        {65, 0, CL_INVALID_VALUE},
        {0, 65, CL_INVALID_VALUE},
        {1, SIZE_MAX, CL_INVALID_VALUE},
        {SIZE_MAX, 1, CL_INVALID_VALUE},
        {SIZE_MAX, SIZE_MAX, CL_INVALID_VALUE},
    };
    cl_mem a = make_buffer(NULL, 16), b = make_buffer(NULL, 64);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t offset = rows[i].offset, size = rows[i].size;
        cl_int error = rows[i].error;
        fails(error, clEnqueueReadBuffer(w.queue, a, CL_TRUE, offset, size, data, 0, NULL, NULL));
        fails(error, clEnqueueWriteBuffer(w.queue, a, CL_TRUE, offset, size, data, 0, NULL, NULL));
        fails(error, clEnqueueCopyBuffer(w.queue, a, b, offset, 0, size, 0, NULL, NULL));
        fails(error, clEnqueueCopyBuffer(w.queue, b, a, 0, offset, size, 0, NULL, NULL));
        fails(error, clEnqueueFillBuffer(w.queue, a, data, 1, offset, size, 0, NULL, NULL));
        void *p = clEnqueueMapBuffer(w.queue, a, CL_TRUE, CL_MAP_READ, offset, size, 0, NULL, NULL, &error);
        ck_assert_int_eq(error, size ? rows[i].error : CL_INVALID_VALUE);
        if (p)
            ok(clEnqueueUnmapMemObject(w.queue, a, p, 0, NULL, NULL));
    }
    fails(CL_INVALID_VALUE, clEnqueueReadBuffer(w.queue, a, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueWriteBuffer(w.queue, a, CL_TRUE, 0, 4, NULL, 0, NULL, NULL));
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}
END_TEST

/* Copies within one buffer, directly and by sub-buffers of it: an error where a byte is in both. */
START_TEST(test_copy_overlap)
{
    cl_mem whole = make_buffer(NULL, 128);
    cl_int error;
    const cl_buffer_region low = {0, 256}, high = {128, 256};
    cl_mem a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &low, &error);
    cl_mem b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &high, &error);
    const struct {
        cl_mem from, to;
        size_t from_offset, to_offset, size;
        cl_int error;
    } rows[] = {
        {whole, whole, 0, 8, 8, CL_SUCCESS},
        {whole, whole, 8, 0, 8, CL_SUCCESS},
        {whole, whole, 0, 7, 8, CL_MEM_COPY_OVERLAP},
        {whole, whole, 7, 0, 8, CL_MEM_COPY_OVERLAP},
        {whole, whole, 5, 5, 8, CL_MEM_COPY_OVERLAP},
        {whole, whole, 5, 5, 0, CL_SUCCESS},
        {a, b, 0, 0, 128, CL_SUCCESS},
        {a, b, 0, 0, 129, CL_MEM_COPY_OVERLAP},
        {a, b, 128, 0, 16, CL_MEM_COPY_OVERLAP},
        {b, a, 0, 0, 128, CL_SUCCESS},
        {b, a, 0, 100, 64, CL_MEM_COPY_OVERLAP},
        {a, a, 0, 64, 64, CL_SUCCESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        error = clEnqueueCopyBuffer(w.queue, rows[i].from, rows[i].to, rows[i].from_offset, rows[i].to_offset,
                                    rows[i].size, 0, NULL, NULL);
        ck_assert_msg(error == rows[i].error, "row %zu: %d", i, error);
    }
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
    ok(clReleaseMemObject(whole));
}
END_TEST

/* Patterns of every size, at every multiple of it (5.2.3). */
START_TEST(test_fill)
{
    unsigned char pattern[256], got[512], expected[512];
    for (int i = 0; i < 256; i++)
        pattern[i] = (unsigned char)(i * 37 + 11);
    cl_mem memory = make_buffer(NULL, 128);
    for (size_t size = 1; size <= 128; size *= 2)
        for (size_t first = 0; first<512; first += size> 16 ? size : 16) {
            size_t bytes = (512 - first) / 2 / size * size;
            memset(expected, 0x77, sizeof expected);
            for (size_t i = 0; i < bytes; i++)
                expected[first + i] = pattern[i % size];
            memset(got, 0x77, sizeof got);
            ok(clEnqueueWriteBuffer(w.queue, memory, CL_TRUE, 0, 512, got, 0, NULL, NULL));
            ok(clEnqueueFillBuffer(w.queue, memory, pattern, size, first, bytes, 0, NULL, NULL));
            ok(clEnqueueReadBuffer(w.queue, memory, CL_TRUE, 0, 512, got, 0, NULL, NULL));
            ck_assert_mem_eq(got, expected, sizeof got);
        }
    static const struct {
        size_t pattern_size, offset, size;
    } bad[] = {{0, 0, 16}, {3, 0, 3}, {12, 0, 24}, {256, 0, 256}, {4, 2, 4}, {4, 0, 6}, {128, 0, 64}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        fails(CL_INVALID_VALUE, clEnqueueFillBuffer(w.queue, memory, pattern, bad[i].pattern_size,
                                                    bad[i].offset, bad[i].size, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueFillBuffer(w.queue, memory, NULL, 4, 0, 4, 0, NULL, NULL));
    ok(clReleaseMemObject(memory));
}
END_TEST

/* ---- Rectangles ---- */

START_TEST(test_rectangle_errors)
{
    static char host[1000];
    static const struct {
        size_t origin[3], region[3], row, slice;
        bool read, copy; /* is it right there? */
    } rows[] = {
        {{0, 0, 0}, {4, 2, 2}, 0, 0, true, true},          {{0, 0, 0}, {4, 2, 2}, 4, 8, true, true},
        {{1, 1, 1}, {4, 2, 2}, 10, 40, true, true},        {{0, 0, 0}, {0, 2, 2}, 0, 0, false, false},
        {{0, 0, 0}, {4, 0, 2}, 0, 0, false, false},        {{0, 0, 0}, {4, 2, 0}, 0, 0, false, false},
        {{0, 0, 0}, {4, 2, 2}, 3, 0, false, false}, /* rows shorter than the region's */
        {{0, 0, 0}, {4, 2, 2}, 4, 7, false, false}, /* slices shorter than its rows */
        {{0, 0, 0}, {4, 2, 2}, 4, 10, true, false}, /* no whole number of rows */
        {{0, 0, 0}, {256, 1, 1}, 0, 0, true, true},        {{1, 0, 0}, {256, 1, 1}, 0, 0, false, false},
        {{0, 1, 0}, {128, 2, 1}, 0, 0, false, false},      {{0, 0, 2}, {64, 2, 1}, 64, 128, false, false},
        {{SIZE_MAX, 0, 0}, {2, 1, 1}, 0, 0, false, false}, {{0, SIZE_MAX, 0}, {2, 1, 1}, 0, 0, false, false},
        {{0, 0, SIZE_MAX}, {2, 1, 1}, 0, 0, false, false}, {{0, 0, 0}, {SIZE_MAX, 2, 1}, 0, 0, false, false},
        {{0, 0, 0}, {2, SIZE_MAX, 2}, 0, 0, false, false}, {{0, 0, 0}, {2, 2, SIZE_MAX}, 0, 0, false, false},
    };
    const size_t zero[3] = {0};
    cl_mem a = make_buffer(NULL, 64), b = make_buffer(NULL, 64);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t *origin = rows[i].origin, *region = rows[i].region, row = rows[i].row;
        size_t slice = rows[i].slice;
        cl_int error = rows[i].read ? CL_SUCCESS : CL_INVALID_VALUE;
        fails(error, clEnqueueReadBufferRect(w.queue, a, CL_TRUE, origin, zero, region, row, slice, 0, 0,
                                             host, 0, NULL, NULL));
        fails(error, clEnqueueWriteBufferRect(w.queue, a, CL_TRUE, origin, zero, region, row, slice, 0, 0,
                                              host, 0, NULL, NULL));
        error = rows[i].copy ? CL_SUCCESS : CL_INVALID_VALUE;
        fails(error,
              clEnqueueCopyBufferRect(w.queue, a, b, origin, zero, region, row, slice, 0, 0, 0, NULL, NULL));
        fails(error,
              clEnqueueCopyBufferRect(w.queue, b, a, zero, origin, region, 0, 0, row, slice, 0, NULL, NULL));
    }
    const size_t box[3] = {4, 2, 1}, far[3] = {0, 0, 4};
    cl_command_queue q = w.queue;
    fails(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(q, a, CL_TRUE, NULL, zero, box, 0, 0, 0, 0, host, 0, NULL, NULL));
    fails(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(q, a, CL_TRUE, zero, NULL, box, 0, 0, 0, 0, host, 0, NULL, NULL));
    fails(CL_INVALID_VALUE,
          clEnqueueWriteBufferRect(q, a, CL_TRUE, zero, zero, NULL, 0, 0, 0, 0, host, 0, NULL, NULL));
    fails(CL_INVALID_VALUE,
          clEnqueueWriteBufferRect(q, a, CL_TRUE, zero, zero, box, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    fails(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(q, a, CL_TRUE, zero, zero, box, 0, 0, 3, 0, host, 0, NULL, NULL));
    fails(CL_INVALID_VALUE,
          clEnqueueReadBufferRect(q, a, CL_TRUE, zero, zero, box, 0, 0, 0, 7, host, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueCopyBufferRect(q, a, b, NULL, zero, box, 0, 0, 0, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueCopyBufferRect(q, a, b, zero, NULL, box, 0, 0, 0, 0, 0, NULL, NULL));
    fails(CL_INVALID_VALUE, clEnqueueCopyBufferRect(q, a, b, zero, zero, NULL, 0, 0, 0, 0, 0, NULL, NULL));
    /* Within one buffer the pitches are the same. */
    fails(CL_INVALID_VALUE, clEnqueueCopyBufferRect(q, a, a, zero, far, box, 4, 8, 5, 10, 0, NULL, NULL));
    ok(clFinish(q));
    ok(clReleaseMemObject(a));
    ok(clReleaseMemObject(b));
}
END_TEST

struct layout {
    size_t origin[3], row, slice;
};

static size_t
place(const struct layout *l, size_t x, size_t y, size_t z)
{
    return (l->origin[2] + z) * l->slice + (l->origin[1] + y) * l->row + l->origin[0] + x;
}

/* A layout around the region, different each time. */
static struct layout
some_layout(const size_t region[3], unsigned *seed)
{
    struct layout l = {{(size_t)rand_r(seed) % 5, (size_t)rand_r(seed) % 3, (size_t)rand_r(seed) % 3}, 0, 0};
    l.row = region[0] + l.origin[0] + (size_t)rand_r(seed) % 4;
    l.slice = l.row * (region[1] + l.origin[1] + (size_t)rand_r(seed) % 3);
    return l;
}

START_TEST(test_random_rectangles)
{
    static unsigned char host[4096], device[4096], expected[4096];
    unsigned seed = 7;
    cl_int error;
    cl_mem memory = clCreateBuffer(w.context, 0, sizeof device, NULL, &error);
    cl_mem other = clCreateBuffer(w.context, 0, sizeof device, NULL, &error);
    for (int round = 0; round < 300; round++) {
        const size_t region[3] = {1 + (size_t)rand_r(&seed) % 9, 1 + (size_t)rand_r(&seed) % 4,
                                  1 + (size_t)rand_r(&seed) % 4};
        struct layout to = some_layout(region, &seed), from = some_layout(region, &seed);
        for (size_t i = 0; i < sizeof host; i++)
            host[i] = (unsigned char)rand_r(&seed);
        memset(device, 0x33, sizeof device);
        memcpy(expected, device, sizeof device);
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++)
                    expected[place(&to, x, y, z)] = host[place(&from, x, y, z)];
        ok(clEnqueueWriteBuffer(w.queue, memory, CL_TRUE, 0, sizeof device, device, 0, NULL, NULL));
        if (round % 3 == 0) {
            ok(clEnqueueWriteBufferRect(w.queue, memory, CL_FALSE, to.origin, from.origin, region, to.row,
                                        to.slice, from.row, from.slice, host, 0, NULL, NULL));
        } else if (round % 3 == 1) {
            ok(clEnqueueWriteBuffer(w.queue, other, CL_FALSE, 0, sizeof host, host, 0, NULL, NULL));
            ok(clEnqueueCopyBufferRect(w.queue, other, memory, from.origin, to.origin, region, from.row,
                                       from.slice, to.row, to.slice, 0, NULL, NULL));
        } else {
            ok(clEnqueueWriteBuffer(w.queue, other, CL_FALSE, 0, sizeof host, host, 0, NULL, NULL));
            ok(clEnqueueReadBufferRect(w.queue, other, CL_TRUE, from.origin, to.origin, region, from.row,
                                       from.slice, to.row, to.slice, device, 0, NULL, NULL));
            ck_assert_mem_eq(device, expected, sizeof device);
            continue;
        }
        ok(clEnqueueReadBuffer(w.queue, memory, CL_TRUE, 0, sizeof device, device, 0, NULL, NULL));
        ck_assert_mem_eq(device, expected, sizeof device);
    }
    ok(clReleaseMemObject(memory));
    ok(clReleaseMemObject(other));
}
END_TEST

/* Every pair of places of a small box on a grid: an error exactly where they share a byte. */
START_TEST(test_rectangle_overlap)
{
    const size_t row = 6, slice = 24;
    cl_mem memory = make_buffer(NULL, 64);
    unsigned seed = 3;
    for (int round = 0; round < 2000; round++) {
        size_t region[3], from[3], to[3];
        const size_t room[3] = {row, slice / row, 3};
        bool apart = false;
        for (int d = 0; d < 3; d++) {
            region[d] = 1 + (size_t)rand_r(&seed) % 2;
            from[d] = (size_t)rand_r(&seed) % (room[d] - region[d] + 1);
            to[d] = (size_t)rand_r(&seed) % (room[d] - region[d] + 1);
            apart |= from[d] >= to[d] + region[d] || to[d] >= from[d] + region[d];
        }
        fails(apart ? CL_SUCCESS : CL_MEM_COPY_OVERLAP,
              clEnqueueCopyBufferRect(w.queue, memory, memory, from, to, region, row, slice, row, slice, 0,
                                      NULL, NULL));
    }
    ok(clFinish(w.queue));
    ok(clReleaseMemObject(memory));
}
END_TEST

/* ---- Much memory, which several threads copy ---- */

/* Again and again, in a period that no piece has. */
static unsigned char *
some_bytes(size_t size, unsigned seed)
{
    const size_t period = 100003;
    unsigned char *bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    for (size_t i = 0; i < size && i < period; i++)
        bytes[i] = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    for (size_t i = period; i < size; i += period)
        memcpy(bytes + i, bytes, size - i < period ? size - i : period);
    return bytes;
}

START_TEST(test_large_rectangles)
{
    static const size_t regions[][3] = {{(3 << 20) + 5, 1, 1},  {(33 << 20) + 7, 1, 1}, {5000, 2300, 3},
                                        {(34 << 20) + 3, 1, 1}, {24, 50000, 2},         {300001, 9, 1},
                                        {4096, 8200, 1}};
    unsigned seed = 5;
    for (unsigned i = 0; i < sizeof regions / sizeof *regions; i++) {
        const size_t *region = regions[i];
        cl_int error;
        struct layout l[3];
        size_t bytes[3];
        for (unsigned k = 0; k < 3; k++) {
            l[k] = some_layout(region, &seed);
            bytes[k] = l[k].slice * (region[2] + 3);
        }
        unsigned char *from = some_bytes(bytes[0], i), *to = some_bytes(bytes[2], i + 100),
                      *expected = some_bytes(bytes[2], i + 100);
        cl_mem one = clCreateBuffer(w.context, 0, bytes[1], NULL, &error);
        cl_mem two = clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, bytes[2], to, &error);
        ok(error);
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                memcpy(expected + place(&l[2], 0, y, z), from + place(&l[0], 0, y, z), region[0]);
        ok(clEnqueueWriteBufferRect(w.queue, one, CL_FALSE, l[1].origin, l[0].origin, region, l[1].row,
                                    l[1].slice, l[0].row, l[0].slice, from, 0, NULL, NULL));
        ok(clEnqueueCopyBufferRect(w.queue, one, two, l[1].origin, l[2].origin, region, l[1].row, l[1].slice,
                                   l[2].row, l[2].slice, 0, NULL, NULL));
        memset(to, 0, bytes[2]);
        ok(clEnqueueReadBuffer(w.queue, two, CL_TRUE, 0, bytes[2], to, 0, NULL, NULL));
        ck_assert_msg(!memcmp(to, expected, bytes[2]), "region %u", i);
        ok(clReleaseMemObject(one));
        ok(clReleaseMemObject(two));
        free(from);
        free(to);
        free(expected);
    }
}
END_TEST

START_TEST(test_large_fills)
{
    static const size_t sizes[] = {(256 << 10) + 128, (3 << 20) - 128, (35 << 20) + 256};
    for (unsigned i = 0; i < 3; i++)
        for (size_t pattern = 2; pattern <= 128; pattern *= 4) {
            size_t first = 3 * pattern, all = sizes[i] + 8 * pattern;
            unsigned char *bytes = some_bytes(all, 9);
            const unsigned char before = bytes[first - 1], behind = bytes[first + sizes[i]];
            cl_int error;
            cl_mem memory =
                clCreateBuffer(w.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, all, bytes, &error);
            ok(error);
            ok(clEnqueueFillBuffer(w.queue, memory, bytes, pattern, first, sizes[i], 0, NULL, NULL));
            unsigned char *got = malloc(all);
            ok(clEnqueueReadBuffer(w.queue, memory, CL_TRUE, 0, all, got, 0, NULL, NULL));
            for (size_t k = 0; k < sizes[i]; k += pattern)
                if (memcmp(got + first + k, bytes, pattern))
                    ck_abort_msg("size %zu, pattern of %zu: byte %zu", sizes[i], pattern, k);
            ck_assert(got[first - 1] == before && got[first + sizes[i]] == behind);
            ok(clReleaseMemObject(memory));
            free(bytes);
            free(got);
        }
}
END_TEST

/* A program may write to a buffer what lies in it already, by its own pointer. */
START_TEST(test_large_shift)
{
    const size_t size = 5 << 20, by = 100;
    unsigned char *bytes = some_bytes(size, 1), *expected = some_bytes(size, 1);
    cl_int error;
    cl_mem memory = clCreateBuffer(w.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, bytes, &error);
    ok(error);
    ok(clEnqueueWriteBuffer(w.queue, memory, CL_TRUE, by, size - by, bytes, 0, NULL, NULL));
    ck_assert(!memcmp(bytes + by, expected, size - by));
    ok(clReleaseMemObject(memory));
    free(bytes);
    free(expected);
}
END_TEST

TCase *
transfer_tests(void)
{
    TCase *tests = tcase_create("transfer");
    tcase_add_test(tests, test_buffer_flags);
    tcase_add_test(tests, test_sub_buffer_flags);
    tcase_add_test(tests, test_sub_buffer_regions);
    tcase_add_test(tests, test_host_flags);
    tcase_add_test(tests, test_bounds);
    tcase_add_test(tests, test_copy_overlap);
    tcase_add_test(tests, test_fill);
    tcase_add_test(tests, test_rectangle_errors);
    tcase_add_test(tests, test_random_rectangles);
    tcase_add_test(tests, test_rectangle_overlap);
    tcase_add_test(tests, test_large_rectangles);
    tcase_add_test(tests, test_large_fills);
    tcase_add_test(tests, test_large_shift);
    return tests;
}
