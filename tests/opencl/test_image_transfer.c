/* SPDX-License-Identifier: MIT */
/* Commands on images (API 5.3.3 to 5.3.6), against a copy of the texels in plain memory. */
#include "image_model.h"

static const size_t one[3] = {1, 1, 1};
static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};

static void
check_model(cl_mem image, const struct model *m)
{
    unsigned char got[sizeof m->bytes];
    ok(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, m->extent, 0, 0, got, 0, NULL, NULL));
    ck_assert_mem_eq(got, m->bytes, m->extent[0] * m->extent[1] * m->extent[2] * m->element);
}

/* A box inside each kind's extent that touches its far end. */
static void
take_box(const struct model *m, size_t origin[3], size_t region[3])
{
    for (int d = 0; d < 3; d++) {
        origin[d] = m->extent[d] > 2 ? 2 : 0;
        region[d] = m->extent[d] - origin[d];
    }
}

static const cl_image_format formats[] = {{CL_R,
                                           CL_UNSIGNED_INT8},   {CL_RG, CL_SNORM_INT8},  {CL_RGBA,
                                                                                          CL_UNORM_INT8},
                                          {CL_RGBA,
                                           CL_HALF_FLOAT},   {CL_RGBA, CL_FLOAT},     {CL_RGB,
                                                                                       CL_UNORM_SHORT_565},
                                          {CL_R, CL_FLOAT}};

START_TEST(test_read_and_write)
{
    unsigned char host[20000];
    struct model m;
    for (int k = 0; k < KINDS; k++)
        for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
            for (int pitched = 0; pitched < 2; pitched++) {
                cl_mem image = make_model(k, &formats[f], 0, &m, (unsigned)(k * 100 + (int)f));
                size_t o[3], r[3], e = m.element;
                take_box(&m, o, r);
                bool sliced = k == K1D_ARRAY || k == K2D_ARRAY || k == K3D;
                size_t row = r[0] * e + (pitched ? 5 : 0), height = k == K1D_ARRAY ? 1 : r[1];
                size_t slice = row * height + (pitched && sliced ? 11 : 0);
                check_model(image, &m);
                memset(host, 0xee, sizeof host);
                ok(clEnqueueReadImage(w.queue, image, CL_TRUE, o, r, pitched ? row : 0,
                                      pitched && sliced ? slice : 0, host,
                                      0, NULL, NULL));
                size_t next_y = k == K1D_ARRAY ? slice : row;
                for (size_t z = 0; z < r[2]; z++)
                    for (size_t y = 0; y < r[1]; y++) {
                        unsigned char *at = host + z * slice + y * next_y;
                        ck_assert_mem_eq(at, texel(&m, o[0], o[1] + y, o[2] + z), r[0] * e);
                        if (pitched)
                            ck_assert_uint_eq(at[r[0] * e], 0xee); /* the gaps are left alone */
                        for (size_t i = 0; i < r[0] * e; i++)
                            at[i] ^= 0x5a;
                        memcpy(texel(&m, o[0], o[1] + y, o[2] + z), at, r[0] * e);
                    }
                ok(clEnqueueWriteImage(w.queue, image, CL_FALSE, o, r, pitched ? row : 0,
                                       pitched && sliced ? slice : 0,
                                       host, 0, NULL, NULL));
                check_model(image, &m);
                ok(clReleaseMemObject(image));
            }
}
END_TEST

START_TEST(test_host_pointers)
{
    unsigned char host[4096];
    for (int k = 0; k < KINDS; k++) {
        if (k == K1D_BUFFER)
            continue;
        const size_t *e = image_extents[k];
        bool sliced = k == K1D_ARRAY || k == K2D_ARRAY || k == K3D;
        size_t row = 36, slice = sliced ? (k == K1D_ARRAY ? 72 : 36 * 6) : 0,
        next_y = k == K1D_ARRAY ? slice : row;
        const cl_image_desc desc = {.image_type = image_kinds[k], .image_width = 7, .image_height = 5,
                                    .image_depth = 4,
                                    .image_array_size = 3, .image_row_pitch = row,
                                    .image_slice_pitch = slice};
        for (int use = 0; use < 2; use++) {
            cl_int error = 1;
            cl_uint pixel = 0x01020304;
            size_t pitch[2] = {1, 1}, last[3] = {e[0] - 1, e[1] - 1, e[2] - 1};
            for (size_t i = 0; i < sizeof host; i++)
                host[i] = (unsigned char)(i * 7 + i / 256);
            cl_mem image = clCreateImage(w.context, use ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, &rgba8,
                                         &desc, host,
                                         &error);
            ok(error);
            unsigned char got[4 * 7 * 5 * 4];
            ok(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, e, 0, 0, got, 0, NULL, NULL));
            for (size_t z = 0; z < e[2]; z++)
                for (size_t y = 0; y < e[1]; y++)
                    ck_assert_mem_eq(got + (z * e[1] + y) * 28, host + z * slice + y * next_y, 28);
            ok(clEnqueueWriteImage(w.queue, image, CL_TRUE, last, one, 0, 0, &pixel, 0, NULL, NULL));
            unsigned char *place = host + last[2] * slice + last[1] * next_y + last[0] * 4;
            ck_assert_int_eq(memcmp(place, &pixel, 4) == 0, use);
            unsigned char *p = clEnqueueMapImage(w.queue, image, CL_TRUE, CL_MAP_READ, last, one, &pitch[0],
                                                 &pitch[1], 0,
                                                 NULL, NULL, &error);
            ok(error);
            ck_assert_mem_eq(p, &pixel, 4);
            ck_assert(!use || p == place);
            ck_assert(!use || (pitch[0] == next_y && pitch[1] == slice));
            ok(clEnqueueUnmapMemObject(w.queue, image, p, 0, NULL, NULL));
            void *told;
            ok(clGetMemObjectInfo(image, CL_MEM_HOST_PTR, sizeof told, &told, NULL));
            ck_assert_ptr_eq(told, use ? host : NULL);
            size_t value;
            ok(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof value, &value, NULL));
            ck_assert_uint_eq(value, row);
            ok(clGetImageInfo(image, CL_IMAGE_SLICE_PITCH, sizeof value, &value, NULL));
            ck_assert_uint_eq(value, slice);
            ok(clFinish(w.queue));
            ok(clReleaseMemObject(image));
        }
    }
}
END_TEST

/* Between images of all kinds: one texel deep where one has no third dimension. */
START_TEST(test_copy)
{
    struct model a, b;
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++) {
            cl_mem source = make_model(from, &rgba8, CL_MEM_READ_ONLY, &a, 1),
            target = make_model(to, &rgba8, 0, &b, 2);
            size_t o[3], t[3], r[3];
            for (int d = 0; d < 3; d++) {
                size_t less = a.extent[d] < b.extent[d] ? a.extent[d] : b.extent[d];
                r[d] = less > 1 ? less - 1 : 1;
                o[d] = a.extent[d] - r[d];
                t[d] = 0;
            }
            ok(clEnqueueCopyImage(w.queue, source, target, o, t, r, 0, NULL, NULL));
            for (size_t z = 0; z < r[2]; z++)
                for (size_t y = 0; y < r[1]; y++)
                    memcpy(texel(&b, t[0], t[1] + y, t[2] + z), texel(&a, o[0], o[1] + y, o[2] + z),
                           r[0] * 4);
            check_model(target, &b);
            check_model(source, &a);
            ok(clReleaseMemObject(source));
            ok(clReleaseMemObject(target));
        }
}
END_TEST

START_TEST(test_copy_in_one_image)
{
    struct model m;
    cl_mem image = make_model(K2D, &rgba8, 0, &m, 5);
    const size_t a[3] = {0, 0, 0}, b[3] = {3, 0, 0}, c[3] = {2, 1, 0}, r[3] = {3, 5, 1}, s[3] = {3, 4, 1};
    ok(clEnqueueCopyImage(w.queue, image, image, a, b, r, 0, NULL, NULL));
    for (size_t y = 0; y < 5; y++)
        memcpy(texel(&m, 3, y, 0), texel(&m, 0, y, 0), 12);
    check_model(image, &m);
    fails(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(w.queue, image, image, a, c, s, 0, NULL, NULL));
    fails(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(w.queue, image, image, a, a, r, 0, NULL, NULL));
    ok(clReleaseMemObject(image));
}
END_TEST

START_TEST(test_copy_with_buffers)
{
    struct model m;
    unsigned char bytes[4096], got[4096];
    for (int k = 0; k < KINDS; k++) {
        cl_mem image = make_model(k, &rgba8, 0, &m, (unsigned)k);
        size_t o[3], r[3];
        take_box(&m, o, r);
        size_t packed = r[0] * r[1] * r[2] * 4;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)(i * 13);
        cl_mem buffer = make_buffer((int *)bytes, 1024);
        ok(clEnqueueCopyImageToBuffer(w.queue, image, buffer, o, r, 3, 0, NULL, NULL));
        ok(clEnqueueReadBuffer(w.queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (size_t z = 0; z < r[2]; z++)
            for (size_t y = 0; y < r[1]; y++)
                memcpy(bytes + 3 + (z * r[1] + y) * r[0] * 4, texel(&m, o[0], o[1] + y, o[2] + z), r[0] * 4);
        ck_assert_mem_eq(got, bytes, sizeof got);
        ok(clEnqueueCopyBufferToImage(w.queue, buffer, image, 4096 - packed, o, r, 0, NULL, NULL));
        for (size_t z = 0; z < r[2]; z++)
            for (size_t y = 0; y < r[1]; y++)
                memcpy(texel(&m, o[0], o[1] + y, o[2] + z),
                       bytes + 4096 - packed + (z * r[1] + y) * r[0] * 4, r[0] * 4);
        check_model(image, &m);
        fails(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(w.queue, image, buffer, o, r, 4097 - packed, 0,
                                                           NULL, NULL));
        fails(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(w.queue, buffer, image, SIZE_MAX, o, r, 0, NULL,
                                                           NULL));
        fails(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(w.queue, image, image, 0, o, r, 0, NULL,
                                                                NULL));
        fails(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(w.queue, buffer, buffer, o, r, 0, 0, NULL,
                                                                NULL));
        if (k == K1D_BUFFER) {
            cl_mem own;
            ok(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof own, &own, NULL));
            fails(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(w.queue, image, own, o, r, 0, 0, NULL,
                                                                    NULL));
            fails(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(w.queue, own, image, 0, o, r, 0, NULL,
                                                                    NULL));
        }
        ok(clReleaseMemObject(buffer));
        ok(clReleaseMemObject(image));
    }
}
END_TEST

/* ---- Map ---- */

static void *
map(cl_mem image, cl_map_flags flags, const size_t *origin, const size_t *region, size_t pitches[2],
    cl_int expected)
{
    cl_int error = 1;
    void *p = clEnqueueMapImage(w.queue, image, CL_TRUE, flags, origin, region, &pitches[0], &pitches[1], 0,
                                NULL, NULL,
                                &error);
    ck_assert_int_eq(error, expected);
    ck_assert(!p == (expected != CL_SUCCESS));
    return p;
}

START_TEST(test_map)
{
    struct model m;
    for (int k = 0; k < KINDS; k++) {
        cl_mem image = make_model(k, &rgba8, 0, &m, (unsigned)k + 50);
        size_t o[3], r[3], pitches[2] = {99, 99};
        take_box(&m, o, r);
        unsigned char *p = map(image, CL_MAP_READ | CL_MAP_WRITE, o, r, pitches, CL_SUCCESS);
        bool sliced = k == K1D_ARRAY || k == K2D_ARRAY || k == K3D;
        ck_assert_int_eq(pitches[1] != 0, sliced);
        size_t next_y = k == K1D_ARRAY ? pitches[1] : pitches[0];
        for (size_t z = 0; z < r[2]; z++)
            for (size_t y = 0; y < r[1]; y++) {
                unsigned char *at = p + z * pitches[1] + y * next_y;
                ck_assert_mem_eq(at, texel(&m, o[0], o[1] + y, o[2] + z), r[0] * 4);
                memset(at, 0x77, r[0] * 4);
                memset(texel(&m, o[0], o[1] + y, o[2] + z), 0x77, r[0] * 4);
            }
        fails(CL_INVALID_VALUE, clEnqueueUnmapMemObject(w.queue, image, p + 1, 0, NULL, NULL));
        ok(clEnqueueUnmapMemObject(w.queue, image, p, 0, NULL, NULL));
        fails(CL_INVALID_VALUE, clEnqueueUnmapMemObject(w.queue, image, p, 0, NULL, NULL));
        check_model(image, &m);
        ok(clReleaseMemObject(image));
    }
}
END_TEST

/* Side by side for writing, but never the same texel. */
START_TEST(test_map_twice)
{
    const size_t left[3] = {0, 0, 0}, middle[3] = {3, 1, 0}, right[3] = {4, 0, 0}, half[3] = {4, 5, 1},
    rest[3] = {3, 5, 1};
    size_t pitches[2];
    cl_uint count;
    struct model m;
    cl_mem image = make_model(K2D, &rgba8, 0, &m, 9);
    void *a = map(image, CL_MAP_WRITE, left, half, pitches, CL_SUCCESS);
    void *b = map(image, CL_MAP_WRITE_INVALIDATE_REGION, right, rest, pitches, CL_SUCCESS);
    map(image, CL_MAP_WRITE, middle, one, pitches, CL_INVALID_OPERATION);
    void *c = map(image, CL_MAP_READ, middle, one, pitches, CL_SUCCESS);
    ok(clGetMemObjectInfo(image, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    ck_assert_uint_eq(count, 3);
    ok(clEnqueueUnmapMemObject(w.queue, image, a, 0, NULL, NULL));
    ok(clEnqueueUnmapMemObject(w.queue, image, b, 0, NULL, NULL));
    ok(clEnqueueUnmapMemObject(w.queue, image, c, 0, NULL, NULL));
    ok(clReleaseMemObject(image));
}
END_TEST

/* ---- Bad input ---- */

static void
check_boxes(cl_mem image, int kind)
{
    unsigned char host[8192];
    const size_t *e = image_extents[kind];
    size_t pitches[2];
    for (int d = 0; d < 3; d++)
        for (int how = 0; how < 4; how++) {
            size_t o[3] = {0}, r[3] = {1, 1, 1};
            if (how == 0)
                r[d] = 0;
            else if (how == 1)
                r[d] = e[d] + 1;
            else if (how == 2)
                o[d] = e[d];
            else
                o[d] = SIZE_MAX;
            const cl_int bad = CL_INVALID_VALUE;
            fails(bad, clEnqueueReadImage(w.queue, image, CL_TRUE, o, r, 0, 0, host, 0, NULL, NULL));
            fails(bad, clEnqueueWriteImage(w.queue, image, CL_TRUE, o, r, 0, 0, host, 0, NULL, NULL));
            fails(bad, clEnqueueFillImage(w.queue, image, host, o, r, 0, NULL, NULL));
            fails(bad, clEnqueueCopyImage(w.queue, image, image, o, zero, r, 0, NULL, NULL));
            fails(bad, clEnqueueCopyImage(w.queue, image, image, zero, o, r, 0, NULL, NULL));
            map(image, CL_MAP_READ, o, r, pitches, bad);
        }
}

START_TEST(test_bad_boxes)
{
    struct model m;
    char host[512];
    for (int k = 0; k < KINDS; k++) {
        cl_mem image = make_model(k, &rgba8, 0, &m, 3);
        const size_t two[3] = {2, 1, 1};
        bool flat = k == K1D || k == K1D_BUFFER || k == K2D;
        check_boxes(image, k);
        fails(CL_INVALID_VALUE, clEnqueueReadImage(w.queue, image, CL_TRUE, zero, two, 7, 0, host, 0, NULL,
                                                   NULL));
        fails(CL_INVALID_VALUE, clEnqueueReadImage(w.queue, image, CL_TRUE, zero, two, 0, flat ? 8 : 7, host,
                                                   0, NULL, NULL));
        fails(CL_INVALID_VALUE, clEnqueueReadImage(w.queue, image, CL_TRUE, zero, two, 0, 0, NULL, 0, NULL,
                                                   NULL));
        fails(CL_INVALID_VALUE, clEnqueueReadImage(w.queue, image, CL_TRUE, NULL, two, 0, 0, host, 0, NULL,
                                                   NULL));
        fails(CL_INVALID_VALUE, clEnqueueReadImage(w.queue, image, CL_TRUE, zero, NULL, 0, 0, host, 0, NULL,
                                                   NULL));
        fails(CL_INVALID_VALUE, clEnqueueFillImage(w.queue, image, NULL, zero, two, 0, NULL, NULL));
        cl_int error;
        size_t pitch;
        ck_assert_ptr_null(clEnqueueMapImage(w.queue, image, CL_TRUE, CL_MAP_READ, zero, two, NULL, &pitch,
                                             0, NULL, NULL,
                                             &error));
        fails(CL_INVALID_VALUE, error);
        void *p = clEnqueueMapImage(w.queue, image, CL_TRUE, CL_MAP_READ, zero, two, &pitch, NULL, 0, NULL,
                                    NULL, &error);
        fails(flat ? CL_SUCCESS : CL_INVALID_VALUE, error);
        if (p)
            ok(clEnqueueUnmapMemObject(w.queue, image, p, 0, NULL, NULL));
        check_model(image, &m);
        ok(clReleaseMemObject(image));
    }
}
END_TEST

START_TEST(test_bad_objects)
{
    static const struct {
        cl_mem_flags flags;
        bool reads, writes;
    } access[] = {{CL_MEM_HOST_READ_ONLY, true, false},
                  {CL_MEM_HOST_WRITE_ONLY, false, true},
                  {CL_MEM_HOST_NO_ACCESS, false, false}};
    const cl_image_format other_format = {CL_RGBA, CL_SIGNED_INT8};
    char host[512] = {0};
    size_t pitches[2];
    cl_mem image = make_image(K2D, &rgba8, 0, NULL), other = make_image(K2D, &other_format, 0, NULL);
    cl_mem buffer = make_buffer(NULL, 64);
    fails(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(w.queue, image, other, zero, zero, one, 0, NULL,
                                                       NULL));
    fails(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(w.queue, buffer, CL_TRUE, zero, one, 0, 0, host, 0, NULL,
                                                    NULL));
    fails(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(w.queue, NULL, host, zero, one, 0, NULL, NULL));
    fails(CL_INVALID_COMMAND_QUEUE, clEnqueueFillImage(NULL, image, host, zero, one, 0, NULL, NULL));
    fails(CL_INVALID_EVENT_WAIT_LIST, clEnqueueFillImage(w.queue, image, host, zero, one, 1, NULL, NULL));
    map(image, 1 << 7, zero, one, pitches, CL_INVALID_VALUE);
    map(image, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, zero, one, pitches, CL_INVALID_VALUE);
    for (size_t i = 0; i < 3; i++) {
        cl_mem limited = make_image(K2D, &rgba8, access[i].flags, NULL);
        cl_int read = access[i].reads ? CL_SUCCESS : CL_INVALID_OPERATION;
        cl_int write = access[i].writes ? CL_SUCCESS : CL_INVALID_OPERATION;
        fails(read, clEnqueueReadImage(w.queue, limited, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL));
        fails(write, clEnqueueWriteImage(w.queue, limited, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL));
        void *p = map(limited, CL_MAP_READ, zero, one, pitches, read);
        if (p)
            ok(clEnqueueUnmapMemObject(w.queue, limited, p, 0, NULL, NULL));
        p = map(limited, CL_MAP_WRITE_INVALIDATE_REGION, zero, one, pitches, write);
        if (p)
            ok(clEnqueueUnmapMemObject(w.queue, limited, p, 0, NULL, NULL));
        /* the flags do not matter */
        ok(clEnqueueFillImage(w.queue, limited, host, zero, one, 0, NULL, NULL));
        ok(clFinish(w.queue));
        ok(clReleaseMemObject(limited));
    }
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, w.device, NULL, &error);
    fails(CL_INVALID_CONTEXT, clEnqueueReadImage(queue, image, CL_TRUE, zero, one, 0, 0, host, 0, NULL,
                                                 NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueFillImage(queue, image, host, zero, one, 0, NULL, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueCopyImage(queue, image, other, zero, zero, one, 0, NULL, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueCopyImageToBuffer(queue, image, buffer, zero, one, 0, 0, NULL, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueUnmapMemObject(queue, image, host, 0, NULL, NULL));
    fails(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(queue, 1, &image, 0, 0, NULL, NULL));
    ok(clEnqueueMigrateMemObjects(w.queue, 1, &image, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    ok(clReleaseCommandQueue(queue));
    ok(clReleaseContext(context));
    ok(clReleaseMemObject(buffer));
    ok(clReleaseMemObject(image));
    ok(clReleaseMemObject(other));
}
END_TEST

START_TEST(test_events)
{
    static const cl_command_type types[] = {CL_COMMAND_READ_IMAGE,           CL_COMMAND_WRITE_IMAGE,
                                            CL_COMMAND_COPY_IMAGE,           CL_COMMAND_FILL_IMAGE,
                                            CL_COMMAND_COPY_IMAGE_TO_BUFFER, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                                            CL_COMMAND_MAP_IMAGE};
    char host[64] = {0};
    size_t pitch;
    cl_event events[7];
    cl_mem image = make_image(K2D, &rgba8, 0, NULL), other = make_image(K2D, &rgba8, 0, NULL),
    buffer = make_buffer(NULL, 64);
    cl_event gate = clCreateUserEvent(w.context, NULL);
    ok(clEnqueueReadImage(w.queue, image, CL_FALSE, zero, one, 0, 0, host, 1, &gate, &events[0]));
    ok(clEnqueueWriteImage(w.queue, image, CL_FALSE, zero, one, 0, 0, host, 0, NULL, &events[1]));
    ok(clEnqueueCopyImage(w.queue, image, other, zero, zero, one, 0, NULL, &events[2]));
    ok(clEnqueueFillImage(w.queue, image, host, zero, one, 0, NULL, &events[3]));
    ok(clEnqueueCopyImageToBuffer(w.queue, image, buffer, zero, one, 0, 0, NULL, &events[4]));
    ok(clEnqueueCopyBufferToImage(w.queue, buffer, image, 0, zero, one, 0, NULL, &events[5]));
    void *p = clEnqueueMapImage(w.queue, image, CL_FALSE, CL_MAP_READ, zero, one, &pitch, NULL, 0, NULL,
                                &events[6], NULL);
    ok(clEnqueueUnmapMemObject(w.queue, image, p, 0, NULL, NULL));
    ok(clReleaseMemObject(image)); /* the commands keep it */
    ok(clReleaseMemObject(other));
    ok(clReleaseMemObject(buffer));
    ok(clSetUserEventStatus(gate, CL_COMPLETE));
    ok(clFinish(w.queue));
    for (int i = 0; i < 7; i++) {
        cl_command_type type;
        cl_int status;
        ok(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        ck_assert_uint_eq(type, types[i]);
        ok(clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        ck_assert_int_eq(status, CL_COMPLETE);
        ok(clReleaseEvent(events[i]));
    }
    ok(clReleaseEvent(gate));
}
END_TEST

TCase *
image_transfer_tests(void)
{
    TCase *tests = tcase_create("image commands");
    tcase_add_test(tests, test_read_and_write);
    tcase_add_test(tests, test_host_pointers);
    tcase_add_test(tests, test_copy);
    tcase_add_test(tests, test_copy_in_one_image);
    tcase_add_test(tests, test_copy_with_buffers);
    tcase_add_test(tests, test_map);
    tcase_add_test(tests, test_map_twice);
    tcase_add_test(tests, test_bad_boxes);
    tcase_add_test(tests, test_bad_objects);
    tcase_add_test(tests, test_events);
    return tests;
}
