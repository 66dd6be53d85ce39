/* SPDX-License-Identifier: MIT */
/* The runtime and the real compiler together: kernels against C, on each ISA level, in every tier. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <lanewise/lanewise.h>

#include "../run_suite.h"

#define N 5000

static lw_device *device;
static lw_program *program;

/* Loop index: ISA level * 3 + tier. */
static void
open_program(int variant)
{
    lw_error e;
    char path[4096];
    static const char *const tiers[] = {"masked", "specialised", "first"};
    setenv("LANEWISE_TIER", tiers[variant % 3], 1);
    device = lw_device_create(&(lw_device_options){.threads = 2, .isa = (lw_isa)(variant / 3 + 1)}, &e);
    ck_assert_msg(device, "%s", e.text);
    snprintf(path, sizeof path, "%s/real.spv", getenv("LANEWISE_TEST_MODULES"));
    program = lw_program_load_file(device, path, &e);
    ck_assert_msg(program, "%s", e.text);
}

static lw_kernel *
make_kernel(const char *name)
{
    lw_error e;
    lw_kernel *kernel = lw_kernel_create(program, name, &e);
    ck_assert_msg(kernel, "%s", e.text);
    return kernel;
}

static void
set_buffer(lw_kernel *kernel, uint32_t index, void *buffer, size_t bytes)
{
    lw_error e;
    ck_assert_msg(lw_kernel_set_arg_pointer(kernel, index, buffer, bytes, &e), "%s", e.text);
}

static void
run(lw_kernel *kernel, const lw_ndrange *range)
{
    lw_error e;
    ck_assert_msg(lw_kernel_run(kernel, range, &e), "%s", e.text);
}

static void
close_program(lw_kernel *kernel)
{
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}

START_TEST(saxpy_is_a_c_function)
{
    lw_error e;
    static float x[N], y[N];
    open_program(_i);
    lw_kernel *kernel = make_kernel("saxpy");
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 3;
    }
    lw_ndrange range = {1, {N}, {0}, {0}};
    lw_function *function = lw_function_create(kernel, &range, &e);
    ck_assert_msg(function, "%s", e.text);
    void (*saxpy)(uint32_t n, float a, const float *x, float *y);
    *(void **)&saxpy = lw_function_pointer(function);
    saxpy(N - 3, 2.0f, x, y);
    for (int i = 0; i < N; i++)
        if (y[i] != (i < N - 3 ? 2.0f * (float)i + 3 : 3))
            ck_abort_msg("y[%d] is %g", i, (double)y[i]);
    lw_function_release(function);
    close_program(kernel);
}
END_TEST

START_TEST(barriers_and_local_memory)
{
    lw_error e;
    static uint32_t data[N];
    static const size_t locals[] = {1, 3, 8, 60, 64, 100, 1000, 8192};
    open_program(_i);
    lw_kernel *kernel = make_kernel("reverse");
    for (size_t k = 0; k < sizeof locals / sizeof locals[0]; k++) {
        size_t local = locals[k];
        for (uint32_t i = 0; i < N; i++)
            data[i] = i * 3;
        set_buffer(kernel, 0, data, sizeof data);
        ck_assert(lw_kernel_set_arg_local(kernel, 1, local * 4, &e));
        run(kernel, &(lw_ndrange){1, {N}, {local}, {0}});
        for (size_t i = 0; i < N; i++) {
            size_t begin = i / local * local, size = N - begin < local ? N - begin : local;
            if (data[i] != (begin + size - 1 - (i - begin)) * 3)
                ck_abort_msg("local size %zu: data[%zu] is %u", local, i, data[i]);
        }
    }
    close_program(kernel);
}
END_TEST

/* Each sub-group's sum, id and count, as the queries tell where sub-groups begin and end. */
START_TEST(sub_groups_are_where_the_queries_say)
{
    lw_error e;
    static uint32_t in[N], out[N];
    static const size_t locals[] = {1, 3, 8, 16, 60, 64, 100};
    open_program(_i);
    lw_kernel *kernel = make_kernel("sums");
    for (uint32_t i = 0; i < N; i++)
        in[i] = i % 1013;
    set_buffer(kernel, 0, out, sizeof out);
    set_buffer(kernel, 1, in, sizeof in);
    for (uint32_t n = 4; n <= 64; n *= 4)
        for (size_t k = 0; k < sizeof locals / sizeof locals[0]; k++) {
            size_t local = locals[k];
            ck_assert_msg(lw_kernel_set_sub_group_size(kernel, n, &e), "%s", e.text);
            run(kernel, &(lw_ndrange){1, {N}, {local}, {0}});
            for (size_t i = 0; i < N; i++) {
                size_t group = i / local * local, size = N - group < local ? N - group : local;
                size_t id = (i - group) / n, begin = group + id * n;
                size_t end = begin + n < group + size ? begin + n : group + size;
                uint32_t sum = 0, count = lw_kernel_sub_group_count(kernel, 1, &size);
                for (size_t j = begin; j < end; j++)
                    sum += in[j];
                if (out[i] != sum * 1000 + id * 10 + count)
                    ck_abort_msg("N %u, local size %zu: out[%zu] is %u, not %zu", n, local, i, out[i],
                                 sum * 1000 + id * 10 + count);
            }
        }
    close_program(kernel);
}
END_TEST

START_TEST(remainders_in_three_dimensions)
{
    static uint32_t out[17 * 18 * 19];
    static const size_t locals[][3] = {{4, 4, 5}, {16, 2, 2}, {17, 18, 19}, {7, 5, 1}, {32, 1, 1}};
    open_program(_i);
    lw_kernel *kernel = make_kernel("places");
    set_buffer(kernel, 0, out, sizeof out);
    for (size_t k = 0; k < sizeof locals / sizeof locals[0]; k++) {
        const size_t *l = locals[k], g[3] = {17, 18, 19};
        run(kernel, &(lw_ndrange){3, {17, 18, 19}, {l[0], l[1], l[2]}, {0}});
        for (size_t i = 0; i < 17 * 18 * 19; i++) {
            size_t p[3] = {i % 17, i / 17 % 18, i / 17 / 18}, group[3], at[3], size[3];
            for (unsigned d = 0; d < 3; d++) {
                group[d] = p[d] / l[d];
                at[d] = p[d] % l[d];
                size[d] = g[d] - group[d] * l[d] < l[d] ? g[d] - group[d] * l[d] : l[d];
            }
            size_t wanted = (at[2] * size[1] + at[1]) * size[0] + at[0] +
                            10000 * (group[0] + 10 * group[1] + 100 * group[2]);
            if (out[i] != wanted)
                ck_abort_msg("local size %zu x %zu x %zu: out[%zu] is %u, not %zu", l[0], l[1], l[2], i,
                             out[i], wanted);
        }
    }
    close_program(kernel);
}
END_TEST

/* Rows and planes longer and shorter than the lanes, in every combination. */
START_TEST(local_ids_in_every_shape)
{
    static const size_t widths[] = {1, 2, 3, 5, 8, 16, 17, 33};
    static const size_t heights[] = {1, 2, 3, 5, 17}, depths[] = {1, 2, 3};
    static uint32_t out[66 * 34 * 6];
    open_program(_i);
    lw_kernel *kernel = make_kernel("corners");
    set_buffer(kernel, 0, out, sizeof out);
    for (size_t k = 0; k < 8 * 5 * 3; k++) {
        size_t l[3] = {widths[k % 8], heights[k / 8 % 5], depths[k / 40]};
        size_t g[3] = {2 * l[0], 2 * l[1], 2 * l[2]};
        run(kernel, &(lw_ndrange){3, {g[0], g[1], g[2]}, {l[0], l[1], l[2]}, {0}});
        for (size_t i = 0; i < g[0] * g[1] * g[2]; i++) {
            size_t y = i / g[0] % g[1] % l[1], z = i / g[0] / g[1] % l[2];
            size_t wanted = i % g[0] % l[0] + 100 * y + 10000 * z;
            if (out[i] != wanted)
                ck_abort_msg("local size %zu x %zu x %zu: out[%zu] is %u, not %zu", l[0], l[1], l[2], i,
                             out[i], wanted);
        }
    }
    close_program(kernel);
}
END_TEST

#define MANY 16384

/* Arguments change now and then, one of them each time in the end; code that knows them comes and goes. */
START_TEST(arguments_that_stay_and_change)
{
    static uint32_t in[MANY], out[MANY];
    const lw_ndrange range = {1, {MANY}, {64}, {0}};
    lw_error e;
    open_program(_i);
    lw_kernel *kernel = make_kernel("by_arguments");
    for (uint32_t i = 0; i < MANY; i++)
        in[i] = i * 2654435761u;
    set_buffer(kernel, 0, out, sizeof out);
    set_buffer(kernel, 1, in, sizeof in);
    for (uint32_t k = 0; k < 2400; k++) {
        uint32_t width = k / 600 * 7 + 16, seed = k * 2246822519u;
        int32_t rounds = (int32_t)(k / 300 % 3) * 8 - 1;
        uint64_t step = k % 1200 < 600 ? 1 : UINT64_C(1) << 32 | 3;
        uint8_t bias = (uint8_t)(k < 1500 ? 200 : seed >> 24);
        uint16_t end = (uint16_t)(k / 800 * 1000 + 12000);
        const void *const values[] = {&width, &rounds, &step, &bias, &end};
        static const size_t sizes[] = {4, 4, 8, 1, 2};
        for (uint32_t a = 0; a < 5; a++)
            ck_assert_msg(lw_kernel_set_arg(kernel, a + 2, values[a], sizes[a], &e), "%s", e.text);
        memset(out, 0, sizeof out);
        run(kernel, &range);
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t wanted = i < end ? bias : 0;
            for (int32_t r = 0; r < rounds && i < end; r++)
                wanted += in[(i + (uint64_t)r * step) & (MANY - 1)] * (uint32_t)(r + 1);
            if (out[i] != wanted)
                ck_abort_msg("dispatch %u: out[%u] is %u, not %u", k, i, out[i], wanted);
        }
    }
    close_program(kernel);
}
END_TEST

/* Only the global id is used: work-groups are regrouped, offsets hold. */
START_TEST(regrouped_ranges)
{
    lw_error e;
    static uint32_t out[101 * 97];
    static const size_t widths[] = {1, 3, 31, 64, 101};
    open_program(_i);
    lw_kernel *kernel = make_kernel("where");
    set_buffer(kernel, 0, out, sizeof out);
    for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++) {
        uint32_t width = (uint32_t)widths[k];
        ck_assert(lw_kernel_set_arg(kernel, 1, &width, 4, &e));
        run(kernel, &(lw_ndrange){2, {width, 97}, {1, 3}, {k % 2 ? 5 : 0, k % 2 ? 9 : 0}});
        for (uint32_t i = 0; i < width * 97; i++)
            if (out[i] != (i % width + (k % 2 ? 5 : 0)) * 7 + i / width + (k % 2 ? 9 : 0))
                ck_abort_msg("width %u: out[%u] is %u", width, i, out[i]);
    }
    close_program(kernel);
}
END_TEST

START_TEST(regrouped_columns)
{
    lw_error e;
    static uint32_t out[101 * 97];
    static const size_t sizes[][2] = {{32, 32}, {40, 97}, {64, 72}, {101, 50}, {31, 40}};
    open_program(_i);
    lw_kernel *kernel = make_kernel("turned");
    set_buffer(kernel, 0, out, sizeof out);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint32_t width = (uint32_t)sizes[k][0], height = (uint32_t)sizes[k][1];
        ck_assert(lw_kernel_set_arg(kernel, 1, &height, 4, &e));
        run(kernel, &(lw_ndrange){2, {width, height}, {1, 1}, {k % 2 ? 5 : 0, k % 2 ? 9 : 0}});
        for (uint32_t i = 0; i < width * height; i++)
            if (out[i] != (i / height + (k % 2 ? 5 : 0)) * 7 + i % height + (k % 2 ? 9 : 0))
                ck_abort_msg("%u x %u: out[%u] is %u", width, height, i, out[i]);
    }
    close_program(kernel);
}
END_TEST

START_TEST(regrouped_tiles)
{
    lw_error e;
    static uint32_t in[101 * 97], out[101 * 97];
    static const size_t sizes[][2] = {{32, 32}, {40, 97}, {64, 72}, {101, 50}, {31, 40}};
    for (uint32_t i = 0; i < 101 * 97; i++)
        in[i] = i * 2654435761u;
    open_program(_i);
    lw_kernel *kernel = make_kernel("tiled");
    set_buffer(kernel, 0, in, sizeof in);
    set_buffer(kernel, 1, out, sizeof out);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        uint32_t width = (uint32_t)sizes[k][0], height = (uint32_t)sizes[k][1];
        ck_assert(lw_kernel_set_arg(kernel, 2, &width, 4, &e));
        ck_assert(lw_kernel_set_arg(kernel, 3, &height, 4, &e));
        run(kernel, &(lw_ndrange){2, {width, height}, {1, 1}, {k % 2 ? 5 : 0, k % 2 ? 9 : 0}});
        for (uint32_t i = 0; i < width * height; i++)
            if (out[i] != in[i % height * width + i / height] + (i / height + (k % 2 ? 5 : 0)) * 7 +
                              i % height + (k % 2 ? 9 : 0))
                ck_abort_msg("%u x %u: out[%u] is %u", width, height, i, out[i]);
    }
    close_program(kernel);
}
END_TEST

START_TEST(turned_ranges)
{
    lw_error e;
    static uint32_t out[2 * 20 * 33 * 70];
    static const lw_ndrange ranges[] = {{3, {20, 5, 33}, {0}, {0}},
                                        {3, {20, 33, 64}, {1, 1, 64}, {0}},
                                        {3, {7, 33, 70}, {7, 1, 2}, {3, 4, 5}},
                                        {3, {1, 2, 65}, {0}, {1, 0, 2}},
                                        {3, {20, 30, 3}, {4, 4, 1}, {0}},
                                        {2, {20, 65}, {1, 16}, {2, 3}}};
    open_program(_i);
    lw_kernel *kernel = make_kernel("turned_queries");
    set_buffer(kernel, 0, out, sizeof out);
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
        const lw_ndrange *r = &ranges[k];
        uint32_t n[3], o[3];
        for (unsigned d = 0; d < 3; d++) {
            n[d] = d < r->dimensions ? (uint32_t)r->global[d] : 1;
            o[d] = d < r->dimensions ? (uint32_t)r->offset[d] : 0;
        }
        uint32_t all = n[0] + 3 * n[1] + 5 * n[2] + 7 * o[0] + 11 * o[1] + 13 * o[2] + r->dimensions;
        ck_assert(lw_kernel_set_arg(kernel, 1, &n[1], 4, &e));
        ck_assert(lw_kernel_set_arg(kernel, 2, &n[2], 4, &e));
        memset(out, 0xff, sizeof out);
        run(kernel, r);
        for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++) {
            uint32_t z = i % n[2], y = i / n[2] % n[1], x = i / n[2] / n[1];
            if (out[2 * i] != (z * n[1] + y) * n[0] + x ||
                out[2 * i + 1] != all + 1000 * (x + o[0]) + 100000 * (y + o[1]) + 10000000 * (z + o[2]))
                ck_abort_msg("range %zu: %u, %u, %u: %u, %u", k, x, y, z, out[2 * i], out[2 * i + 1]);
        }
    }
    close_program(kernel);
}
END_TEST

START_TEST(turned_loops)
{
    lw_error e;
    static float a[19 * 23], b[23 * 77], c[19 * 77];
    const uint32_t columns = 71, depth = 23;
    for (uint32_t i = 0; i < 19 * 23; i++)
        a[i] = (float)(i % 7);
    for (uint32_t i = 0; i < 23 * 77; i++)
        b[i] = (float)(i % 11);
    open_program(_i);
    lw_kernel *kernel = make_kernel("turned_sums");
    set_buffer(kernel, 0, a, sizeof a);
    set_buffer(kernel, 1, b, sizeof b);
    set_buffer(kernel, 2, c, sizeof c);
    ck_assert(lw_kernel_set_arg(kernel, 3, &columns, 4, &e));
    ck_assert(lw_kernel_set_arg(kernel, 4, &depth, 4, &e));
    for (uint32_t i = 0; i < 19 * 77; i++)
        c[i] = -1;
    run(kernel, &(lw_ndrange){2, {19, 77}, {0}});
    for (uint32_t i = 0; i < 19 * 77; i++) {
        float sum = i < 19 * columns ? 0 : -1;
        for (uint32_t k = 0; i < 19 * columns && k < depth; k++)
            sum += a[i / columns * depth + k] * b[k * columns + i % columns]; /* exact: small integers */
        if (c[i] != sum)
            ck_abort_msg("c[%u] is %g, not %g", i, (double)c[i], (double)sum);
    }
    close_program(kernel);
}
END_TEST

/* `out` has what work-items of slabs 0 to `end` - 1 write, which `value` tells, and nothing of others. */
static void
check_slabs(const char *name, const uint32_t *out, const size_t g[2], size_t local, size_t end,
            uint32_t value(size_t x, size_t y), bool by_columns)
{
    for (size_t i = 0; i < g[0] * g[1]; i++) {
        size_t x = i % g[0], y = i / g[0];
        uint32_t wanted = y < end * local ? value(x, y) : UINT32_MAX,
                 got = out[by_columns ? x * g[1] + y : i];
        if (got != wanted)
            ck_abort_msg("%s, work-groups of %zu rows, slab %zu: %zu,%zu is %u, not %u", name, local, end, x,
                         y, got, wanted);
    }
}

static uint32_t
where_value(size_t x, size_t y)
{
    return (uint32_t)((x + 5) * 7 + y + 9);
}

/* Slab by slab: each runs its work-items and no others. Whether the kernel's work-groups are cut anew or not.
 * */
START_TEST(slabs)
{
    lw_error e;
    static const size_t sizes[][4] = {
        {101, 97, 1, 1}, {64, 97, 8, 3}, {32, 96, 32, 32}, {5, 90, 1, 90}, {33, 64, 3, 8}};
    static uint32_t out[101 * 97];
    open_program(_i);
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        const size_t *s = sizes[k / 2];
        const char *name = k % 2 ? "turned" : "where";
        lw_kernel *kernel = make_kernel(name);
        uint32_t length = (uint32_t)s[k % 2];
        set_buffer(kernel, 0, out, sizeof out);
        ck_assert(lw_kernel_set_arg(kernel, 1, &length, 4, &e));
        memset(out, 0xff, sizeof out);
        lw_ndrange range = {2, {s[0], s[1]}, {s[2], s[3]}, {5, 9}};
        size_t slabs = (s[1] + s[3] - 1) / s[3];
        for (size_t first = 0, end; first < slabs; first = end) {
            end = first + 1 + first % 7 < slabs ? first + 1 + first % 7 : slabs;
            ck_assert_msg(lw_kernel_prepare_slab(kernel, &range, first, end, &e), "%s", e.text);
            ck_assert_msg(lw_kernel_run_slab(kernel, &range, first, end, &e), "%s", e.text);
            check_slabs(name, out, s, s[3], end, where_value, k % 2);
        }
        ck_assert(lw_kernel_run_slab(kernel, &range, 3, 3, &e));
        ck_assert(!lw_kernel_run_slab(kernel, &range, slabs, slabs + 1, &e));
        ck_assert_ptr_nonnull(strstr(e.text, "of dimension 1"));
        lw_kernel_release(kernel);
    }
    close_program(NULL);
}
END_TEST

/* With barriers, ids of work-groups and a remainder: what places writes of the slabs from 0 on. */
START_TEST(slabs_of_places)
{
    lw_error e;
    static uint32_t out[17 * 18 * 19], whole[17 * 18 * 19];
    open_program(_i);
    lw_kernel *kernel = make_kernel("places");
    lw_ndrange range = {3, {17, 18, 19}, {4, 4, 5}, {0}};
    set_buffer(kernel, 0, whole, sizeof whole);
    run(kernel, &range); /* which remainders_in_three_dimensions checks */
    set_buffer(kernel, 0, out, sizeof out);
    memset(out, 0xff, sizeof out);
    for (size_t slab = 4; slab-- > 0;) {
        ck_assert_msg(lw_kernel_run_slab(kernel, &range, slab, slab + 1, &e), "%s", e.text);
        for (size_t i = 0; i < 17 * 18 * 19; i++)
            ck_assert_uint_eq(out[i], i / 17 / 18 / 5 < slab ? UINT32_MAX : whole[i]);
    }
    close_program(kernel);
}
END_TEST

enum stride_kind { BY_IDS, BY_GROUPS, ONCE_AT_LEAST, STRIDE_KINDS };

/* What the kernels do, one work-item after the other. */
static void
stride_in_c(uint32_t *to, const uint32_t *from, int n, const lw_ndrange *range, enum stride_kind kind)
{
    size_t global = range->global[0], local = range->local[0], groups = (global + local - 1) / local;
    for (size_t id = 0; id < global; id++) {
        size_t group = id / local, size = group * local + local > global ? global % local : local;
        int i = (int)(kind == BY_GROUPS ? group * size + id % local : id + range->offset[0]);
        int stride = (int)(kind == BY_GROUPS ? groups * size : global);
        if (kind == ONCE_AT_LEAST)
            to[i] = from[i] * 3 + 1;
        for (i += kind == ONCE_AT_LEAST ? stride : 0; i < n; i += stride)
            to[i] = from[i] * 3 + 1;
    }
}

/* Loops over what ids stride through, by one kernel object: of several lengths, buffers, and ranges by whose
 * rounds no other range is to be run. */
START_TEST(strides_of_every_kind)
{
    lw_error e;
    enum { ITEMS = 8, LOCAL = 2, ODD = 3, OFFSET = 7 };
    static const char *const names[] = {"strides", "strides_by_groups", "strides_once_at_least"};
    static uint32_t memory[N + ITEMS], wanted[N + ITEMS], other[N];
    static const struct {
        int n;
        size_t local, offset;
        bool over_each_other; /* a round reads what the one before wrote */
    } cases[] = {
        {100, LOCAL, 0, false}, {N, LOCAL, 0, false},    {N, LOCAL, 0, true},  {N - 20, LOCAL, OFFSET, false},
        {N, ODD, 0, false},     {5, LOCAL, 0, false},    {0, LOCAL, 0, false}, {N - 1, LOCAL, 0, false},
        {-3, LOCAL, 0, false},  {ITEMS, LOCAL, 0, true}, {N, LOCAL, 0, false},
    };
    open_program(_i);
    for (enum stride_kind kind = 0; kind < STRIDE_KINDS; kind++) {
        lw_kernel *kernel = make_kernel(names[kind]);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            lw_ndrange range = {1, {ITEMS}, {cases[k].local}, {cases[k].offset}};
            uint32_t *from = cases[k].over_each_other ? memory : other;
            for (uint32_t i = 0; i < N + ITEMS; i++)
                memory[i] = wanted[i] = i * 2654435761u;
            for (uint32_t i = 0; i < N; i++)
                other[i] = i ^ 0x5555;
            set_buffer(kernel, 0, memory + ITEMS, N * sizeof *memory);
            set_buffer(kernel, 1, from, N * sizeof *from);
            ck_assert(lw_kernel_set_arg(kernel, 2, &cases[k].n, sizeof cases[k].n, &e));
            run(kernel, &range);
            from = cases[k].over_each_other ? wanted : other;
            stride_in_c(wanted + ITEMS, from, cases[k].n, &range, kind);
            for (size_t i = 0; i < N + ITEMS; i++)
                if (memory[i] != wanted[i])
                    ck_abort_msg("%s, case %zu: word %zu is %u, must be %u", names[kind], k, i, memory[i],
                                 wanted[i]);
        }
        lw_kernel_release(kernel);
    }
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* Slabs are of the work-groups that were asked for, however many rounds they have. */
START_TEST(slabs_of_strides)
{
    lw_error e;
    enum { ITEMS = 8, LOCAL = 2 };
    static uint32_t to[N], from[N];
    lw_ndrange range = {1, {ITEMS}, {LOCAL}, {0}};
    open_program(_i);
    lw_kernel *kernel = make_kernel("strides_demanded");
    memset(to, 0, sizeof to);
    for (uint32_t i = 0; i < N; i++)
        from[i] = i ^ 0x5555;
    set_buffer(kernel, 0, to, sizeof to);
    set_buffer(kernel, 1, from, sizeof from);
    ck_assert(lw_kernel_set_arg(kernel, 2, &(int){N}, sizeof(int), &e));
    for (size_t slab = 0; slab < ITEMS / LOCAL; slab++) {
        ck_assert_msg(lw_kernel_run_slab(kernel, &range, slab, slab + 1, &e), "%s", e.text);
        for (size_t i = 0; i < N; i++)
            ck_assert_uint_eq(to[i], i % ITEMS / LOCAL <= slab ? from[i] * 3 + 1 : 0);
    }
    close_program(kernel);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("real");
    TCase *cases = tcase_create("real");
    int variants = (int)lw_isa_host() * 3;
    for (lw_isa isa = lw_isa_host() + 1; isa <= LW_ISA_AVX512_FP16; isa++)
        printf("not run: %s, which this machine lacks\n", lw_isa_name(isa));
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, saxpy_is_a_c_function, 0, variants);
    tcase_add_loop_test(cases, arguments_that_stay_and_change, 0, variants);
    tcase_add_loop_test(cases, barriers_and_local_memory, 0, variants);
    tcase_add_loop_test(cases, sub_groups_are_where_the_queries_say, 0, variants);
    tcase_add_loop_test(cases, remainders_in_three_dimensions, 0, variants);
    tcase_add_loop_test(cases, local_ids_in_every_shape, 0, variants);
    tcase_add_loop_test(cases, regrouped_ranges, 0, variants);
    tcase_add_loop_test(cases, regrouped_columns, 0, variants);
    tcase_add_loop_test(cases, regrouped_tiles, 0, variants);
    tcase_add_loop_test(cases, turned_ranges, 0, variants);
    tcase_add_loop_test(cases, turned_loops, 0, variants);
    tcase_add_loop_test(cases, slabs, 0, variants);
    tcase_add_loop_test(cases, slabs_of_places, 0, variants);
    tcase_add_loop_test(cases, strides_of_every_kind, 0, variants);
    tcase_add_loop_test(cases, slabs_of_strides, 0, variants);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
