/* SPDX-License-Identifier: MIT */
/* Ranges that images hold, just hold and do not hold: code for the first compares no coordinates, and what
 * runs next may be another image, another range or another offset of the same kernel. */
#include "image_support.h"

enum { PITCH = 64, ROWS = 40, UNTOUCHED = 0xee };

static const char source[] =
    "constant sampler_t edge =\n"
    "    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "#define X (int)get_global_id(0)\n"
    "#define Y (int)get_global_id(1)\n"
    "kernel void plain(read_only image2d_t i, write_only image2d_t o) {\n"
    "    uint a = read_imageui(i, edge, (int2)(X, Y)).x, b = read_imageui(i, (int2)(X, Y)).x;\n"
    "    write_imageui(o, (int2)(X, Y), a + 16 * b); }\n"
    /* y alone or x alone is what the range is compared with */
    "kernel void beside(read_only image2d_t i, write_only image2d_t o) {\n"
    "    uint a = read_imageui(i, edge, (int2)(X, Y - 1)).x, b = read_imageui(i, edge, (int2)(X + 1, Y)).x;\n"
    "    write_imageui(o, (int2)(X, Y), a + 16 * b); }\n"
    /* what is x for one is y for the other */
    "kernel void turned(read_only image2d_t i, write_only image2d_t o) {\n"
    "    uint a = read_imageui(i, edge, (int2)(Y, X)).x, b = read_imageui(i, (int2)(Y, X)).x;\n"
    "    write_imageui(o, (int2)(X, Y), a + 16 * b); }\n";

struct extent {
    int w, h;
};

static const struct extent extents[] = {{48, 36}, {47, 36}, {48, 35}, {20, 3}, {60, 38}};
enum { EXTENTS = sizeof extents / sizeof *extents };

static cl_mem buffers[2], images[2][EXTENTS];
static unsigned char in[ROWS * PITCH];

/* Different images lie over the same bytes, row by row. */
static void
open_images(void)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    cl_int error;
    for (int k = 0; k < ROWS * PITCH; k++)
        in[k] = (unsigned char)((unsigned)k * 2654435761u >> 28 & 15);
    for (int side = 0; side < 2; side++) {
        buffers[side] = clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
        ok(error);
        for (int k = 0; k < EXTENTS; k++) {
            const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                        .image_width = (size_t)extents[k].w,
                                        .image_height = (size_t)extents[k].h,
                                        .image_row_pitch = PITCH,
                                        .mem_object = buffers[side]};
            images[side][k] = clCreateImage(w.context, 0, &format, &desc, NULL, &error);
            ok(error);
        }
    }
}

static void
close_images(void)
{
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < EXTENTS; k++)
            ok(clReleaseMemObject(images[side][k]));
        ok(clReleaseMemObject(buffers[side]));
    }
}

static unsigned
texel(struct extent e, int x, int y, bool edge)
{
    int nx = x < 0 ? 0 : x < e.w ? x : e.w - 1, ny = y < 0 ? 0 : y < e.h ? y : e.h - 1;
    return edge || (x == nx && y == ny) ? in[ny * PITCH + nx] : 0;
}

static unsigned
wanted(int kernel, struct extent e, int x, int y)
{
    switch (kernel) {
    case 0: return texel(e, x, y, true) + 16 * texel(e, x, y, false);
    case 1: return texel(e, x, y - 1, true) + 16 * texel(e, x + 1, y, true);
    default: return texel(e, y, x, true) + 16 * texel(e, y, x, false);
    }
}

static void
run_once(cl_kernel kernel, int which, int from, int to, const size_t offset[2], const size_t *local)
{
    const size_t range[2] = {48, 36};
    unsigned char pattern = UNTOUCHED, out[ROWS * PITCH];
    ok(clEnqueueFillBuffer(w.queue, buffers[1], &pattern, 1, 0, sizeof out, 0, NULL, NULL));
    ok(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[0][from]));
    ok(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[1][to]));
    ok(clEnqueueNDRangeKernel(w.queue, kernel, 2, offset, range, local, 0, NULL, NULL));
    ok(clEnqueueReadBuffer(w.queue, buffers[1], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int k = 0; k < ROWS * PITCH; k++) {
        int x = k % PITCH, y = k / PITCH;
        bool is_written = x < extents[to].w && y < extents[to].h && x >= (int)offset[0] &&
                          y >= (int)offset[1] && x < (int)(range[0] + offset[0]) &&
                          y < (int)(range[1] + offset[1]);
        unsigned want = is_written ? wanted(which, extents[from], x, y) & 255 : UNTOUCHED;
        ck_assert_msg(out[k] == want,
                      "kernel %d from %d x %d to %d x %d at offset %zu, %zu: (%d, %d) is %u, must be %u",
                      which, extents[from].w, extents[from].h, extents[to].w, extents[to].h, offset[0],
                      offset[1], x, y, out[k], want);
    }
}

START_TEST(test_ranges)
{
    static const char *const names[] = {"plain", "beside", "turned"};
    static const size_t offsets[][2] = {{0, 0}, {1, 0}, {0, 1}, {12, 2}}, column[2] = {1, 36};
    const char *text = source;
    cl_int error;
    open_world();
    cl_program program = clCreateProgramWithSource(w.context, 1, &text, NULL, &error);
    ok(error);
    ok(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    open_images();
    cl_kernel kernel = clCreateKernel(program, names[_i], &error);
    ok(error);
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
        for (int k = 0; k < EXTENTS * EXTENTS; k++) {
            run_once(kernel, _i, k / EXTENTS, k % EXTENTS, offsets[o], NULL);
            if (k % 7 == 0)
                run_once(kernel, _i, k / EXTENTS, k % EXTENTS, offsets[o], column);
        }
    ok(clReleaseKernel(kernel));
    close_images();
    ok(clReleaseProgram(program));
    close_world();
}
END_TEST

TCase *
image_range_tests(void)
{
    TCase *tests = tcase_create("images and ranges");
    tcase_add_loop_test(tests, test_ranges, 0, 3);
    tcase_set_timeout(tests, 240);
    return tests;
}
