/* SPDX-License-Identifier: MIT */
/* The table of collectives: every operation x type x scope x sub-group size x ISA level x local size with a
 * tail, against plain loops over the work-items. Kernels and the order of their results:
 * collective_kernels.py.
 *
 *     test_collectives MODULE.spv [KERNEL | --every N]
 *
 * --every N: of the pairs of instruction set and sub-group size, each kernel gets every N-th, from another
 * one on.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanewise/lanewise.h>

#include "../local_sizes.h"

enum { MAX_ITEMS = MOST_ITEMS_OF_PEOPLE, MULTIPLIED_ITEMS = 640, MAX_RESULTS = 32, OWN_RANGES = 7 };

enum op { ADD, MUL, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR, ANY, ALL, NONE };
enum how { REDUCE, INCLUSIVE, EXCLUSIVE, BROADCAST };

/* One work-item's value: integers zero-extended in `u`, floating point in `f`. */
union value {
    uint64_t u;
    double f;
};

struct type {
    const char *name;
    unsigned bits;
    bool is_float, is_bool;
    unsigned ops; /* how many of the table below */
    enum op op[9];
    uint8_t source[9]; /* 0 adds, 1 muls, 2 edges */
};

static const struct type types[] = {
    {"i8", 8, false, false, 9, {ADD, MUL, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR}, {0, 1, 2, 2, 2, 2, 2, 2, 2}},
    {"i16", 16, false, false, 9, {ADD, MUL, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR},
     {0, 1, 2, 2, 2, 2, 2, 2, 2}},
    {"i32", 32, false, false, 9, {ADD, MUL, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR},
     {0, 1, 2, 2, 2, 2, 2, 2, 2}},
    {"i64", 64, false, false, 9, {ADD, MUL, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR},
     {0, 1, 2, 2, 2, 2, 2, 2, 2}},
    {"f16", 16, true, false, 4, {ADD, MUL, SMIN, SMAX}, {0, 1, 2, 2}},
    {"f32", 32, true, false, 4, {ADD, MUL, SMIN, SMAX}, {0, 1, 2, 2}},
    {"f64", 64, true, false, 4, {ADD, MUL, SMIN, SMAX}, {0, 1, 2, 2}},
    {"bool", 32, false, true, 3, {AND, OR, XOR}, {0, 0, 0}},
};

static const struct {
    unsigned dims;
    size_t global[3], local[3];
} ranges[] = {
    {1, {64, 1, 1}, {64, 1, 1}},  {1, {120, 1, 1}, {60, 1, 1}}, {1, {10, 1, 1}, {3, 1, 1}},
    {1, {5, 1, 1}, {1, 1, 1}},
    {2, {16, 11, 1}, {7, 5, 1}},  {3, {6, 9, 7}, {4, 4, 5}},    {1, {600, 1, 1}, {256, 1, 1}},
#define ONE(global, local, offset) {1, {global, 1, 1}, {local, 1, 1}},
#define MORE(dims, gx, gy, gz, lx, ly, lz, ox, oy) {dims, {gx, gy, gz}, {lx, ly, lz}},
    LINES_OF_PEOPLE(ONE) BLOCKS_OF_PEOPLE(MORE)
};
enum { RANGES = sizeof ranges / sizeof *ranges };

static const unsigned sizes[] = {4, 8, 16, 32, 64};

/* ---- values ---- */

static uint16_t
to_half(double f)
{
    _Float16 h = (_Float16)f;
    uint16_t bits;
    memcpy(&bits, &h, 2);
    return bits;
}

static double
from_half(uint16_t bits)
{
    _Float16 h;
    memcpy(&h, &bits, 2);
    return (double)h;
}

static void
write_value(const struct type *t, void *array, size_t at, union value v)
{
    unsigned char *p = (unsigned char *)array + at * (t->bits / 8);
    if (!t->is_float) {
        memcpy(p, &v.u, t->bits / 8);
    } else if (t->bits == 16) {
        uint16_t h = to_half(v.f);
        memcpy(p, &h, 2);
    } else if (t->bits == 32) {
        float f = (float)v.f;
        memcpy(p, &f, 4);
    } else {
        memcpy(p, &v.f, 8);
    }
}

static union value
read_value(const struct type *t, const void *array, size_t at)
{
    const unsigned char *p = (const unsigned char *)array + at * (t->bits / 8);
    union value v = {0};
    if (!t->is_float) {
        memcpy(&v.u, p, t->bits / 8);
    } else if (t->bits == 16) {
        uint16_t h;
        memcpy(&h, p, 2);
        v.f = from_half(h);
    } else if (t->bits == 32) {
        float f;
        memcpy(&f, p, 4);
        v.f = (double)f;
    } else {
        memcpy(&v.f, p, 8);
    }
    return v;
}

/* Inputs whose floating-point results are exact in any order: small integers, powers of two, edges for min
 * and max. */
static union value
make_value(const struct type *t, unsigned source, size_t k)
{
    uint32_t r = (uint32_t)k * 2654435761u ^ (source * 0x9e3779b9u);
    r ^= r >> 15;
    union value v = {0};
    uint64_t top = (uint64_t)1 << (t->bits - 1), mask = top | (top - 1);
    if (t->is_float) {
        static const double muls[] = {1, -1, 1, 2, 0.5, 1, -2, -0.5};
        static const double edges[] = {0.0, -0.0, INFINITY, -INFINITY, 1.5, -2.25, 65504.0, -0.0625};
        double mul = k < MULTIPLIED_ITEMS ? muls[k % 8] : 1;
        v.f = source == 0 ? (double)(r % 5) - 2 : source == 1 ? mul : k % 3 ? edges[r % 8] :
        (double)(r % 100);
        return v;
    }
    if (t->is_bool)
        v.u = k % 11 == 3 ? r : r | 1;
    else if (source == 1)
        v.u = (r | 1) & mask;
    else
        v.u = r % 7 == 0 ? top : r % 7 == 1 ? top - 1 : r % 7 == 2 ? mask :
        ((uint64_t)r << 32 | r * 3u) & mask;
    return v;
}

/* ---- the reference ---- */

static int64_t
sign_extend(const struct type *t, uint64_t u)
{
    unsigned shift = 64 - t->bits;
    return (int64_t)(u << shift) >> shift;
}

static uint64_t
mask_of(const struct type *t)
{
    return t->is_bool ? 1 : ~(uint64_t)0 >> (64 - t->bits);
}

static union value
identity(const struct type *t, enum op op)
{
    uint64_t mask = mask_of(t);
    union value v = {0};
    if (t->is_float)
        v.f = op == ADD ? 0 : op == MUL ? 1 : op == SMIN ? INFINITY : -INFINITY;
    else
        v.u = op == MUL ? 1 : op == SMIN ? mask >> 1 : op == UMIN || op == AND ? mask : op == SMAX ?
        (mask >> 1) + 1 : 0;
    if (t->is_bool)
        v.u = op == AND;
    return v;
}

static union value
combine(const struct type *t, enum op op, union value a, union value b)
{
    union value v = {0};
    if (t->is_float) {
        v.f = op == ADD ? a.f + b.f : op == MUL ? a.f * b.f : op == SMIN ? fmin(a.f, b.f) : fmax(a.f, b.f);
        return v;
    }
    int64_t sa = sign_extend(t, a.u), sb = sign_extend(t, b.u);
    switch (op) {
    case ADD: v.u = a.u + b.u; break;
    case MUL: v.u = a.u * b.u; break;
    case SMIN: v.u = (uint64_t)(sa < sb ? sa : sb); break;
    case SMAX: v.u = (uint64_t)(sa > sb ? sa : sb); break;
    case UMIN: v.u = a.u < b.u ? a.u : b.u; break;
    case UMAX: v.u = a.u > b.u ? a.u : b.u; break;
    case AND: v.u = a.u & b.u; break;
    case OR: v.u = a.u | b.u; break;
    default: v.u = a.u ^ b.u; break;
    }
    v.u &= mask_of(t);
    return v;
}

static union value
input(const struct type *t, const void *array, size_t at)
{
    union value v = read_value(t, array, at);
    if (t->is_bool)
        v.u &= 1;
    return v;
}

/* What the items `ids[0..count)` of one group must get. */
static void
expect_group(const struct type *t, enum op op, enum how how, const void *in, const size_t *ids, size_t count,
             size_t lane, union value *want)
{
    union value carry = identity(t, op);
    for (size_t k = 0; k < count; k++) {
        union value x = input(t, in, ids[k]), next = combine(t, op, carry, x);
        want[ids[k]] = how == EXCLUSIVE ? carry : next;
        carry = next;
    }
    for (size_t k = 0; k < count && (how == REDUCE || how == BROADCAST); k++)
        want[ids[k]] = how == REDUCE ? carry : input(t, in, ids[lane]);
}

/* ---- running ---- */

struct run {
    const struct type *t;
    unsigned size;
    bool sub_groups;
    size_t total;
    unsigned lane;
    void *in[3];
    void *out;
};

/* Walks all groups of a range: global linear ids in order of local linear id, cut into sub-groups if asked.
 * */
static void
expect_all(const struct run *r, size_t at, enum op op, enum how how, const void *in, union value *want)
{
    const size_t *g = ranges[at].global, *l = ranges[at].local;
    for (size_t z = 0; z < g[2]; z += l[2])
        for (size_t y = 0; y < g[1]; y += l[1])
            for (size_t x = 0; x < g[0]; x += l[0]) {
                size_t ids[MAX_ITEMS], count = 0;
                for (size_t k = z; k < z + l[2] && k < g[2]; k++)
                    for (size_t j = y; j < y + l[1] && j < g[1]; j++)
                        for (size_t i = x; i < x + l[0] && i < g[0]; i++)
                            ids[count++] = (k * g[1] + j) * g[0] + i;
                size_t step = r->sub_groups ? r->size : count;
                for (size_t first = 0; first < count; first += step) {
                    size_t n = count - first < step ? count - first : step;
                    expect_group(r->t, op, how, in, ids + first, n, r->lane, want);
                }
            }
}

static bool
same(const struct type *t, union value want, union value got)
{
    return t->is_float ? want.f == got.f || (isnan(want.f) && isnan(got.f)) : want.u == got.u;
}

static unsigned failures_shown;

static bool
check_result(const struct run *r, size_t range, const char *what, unsigned result, enum op op, enum how how,
             const void *in)
{
    union value want[MAX_ITEMS];
    static const char *const hows[] = {"reduce", "inclusive scan", "exclusive scan", "broadcast"};
    static const char *const ops[] = {"add", "mul", "smin", "umin", "smax", "umax", "and", "or", "xor", "",
                                      "", ""};
    expect_all(r, range, op, how, in, want);
    for (size_t k = 0; k < r->total; k++) {
        union value got = read_value(r->t, r->out, result * r->total + k);
        if (same(r->t, want[k], got))
            continue;
        if (failures_shown++ < 40) {
            printf("FAILED %s: %s %s, item %zu: ", what, ops[op], hows[how], k);
            if (r->t->is_float)
                printf("%g, not %g\n", got.f, want[k].f);
            else
                printf("%#llx, not %#llx\n", (unsigned long long)got.u, (unsigned long long)want[k].u);
        }
        return false;
    }
    return true;
}

static bool
check_results(const struct run *r, size_t range, const char *what, bool broadcast)
{
    bool ok = true;
    unsigned at = 0;
    for (unsigned k = 0; k < r->t->ops; k++)
        for (int how = REDUCE; how <= EXCLUSIVE; how++)
            ok &= check_result(r, range, what, at++, r->t->op[k], (enum how)how, r->in[r->t->source[k]]);
    if (r->t->is_bool) {
        ok &= check_result(r, range, what, at++, AND, REDUCE, r->in[0]);
        ok &= check_result(r, range, what, at++, OR, REDUCE, r->in[0]);
    } else if (broadcast) {
        ok &= check_result(r, range, what, at++, ADD, BROADCAST, r->in[2]);
    }
    return ok;
}

/* A lane that every group, or sub-group, of the range has, in dimension 0: the last such. */
static unsigned
common_lane(const struct run *r, size_t at)
{
    size_t smallest = SIZE_MAX, items = 1, rest_items = 1;
    for (int d = 0; d < 3; d++) {
        size_t g = ranges[at].global[d], l = ranges[at].local[d], rest = g % l;
        if (d == 0)
            smallest = rest ? rest : l < g ? l : g;
        items *= l < g ? l : g;
        rest_items *= rest ? rest : l;
    }
    /* Tails of the full and of the smallest work-group; those between have at least one lane. */
    if (r->sub_groups)
        smallest = items % r->size == 0 && rest_items == items ? r->size : 1;
    return (unsigned)smallest - 1;
}

static bool
run_range(lw_kernel *kernel, struct run *r, size_t at, const char *what, bool broadcast)
{
    lw_error error = {0};
    lw_ndrange range = {.dimensions = ranges[at].dims};
    size_t bytes = r->t->bits / 8;
    r->lane = common_lane(r, at);
    r->total = ranges[at].global[0] * ranges[at].global[1] * ranges[at].global[2];
    for (int d = 0; d < 3; d++) {
        range.global[d] = ranges[at].global[d];
        range.local[d] = ranges[at].local[d];
    }
    uint64_t total = r->total;
    bool ok = lw_kernel_set_arg_pointer(kernel, 3, r->out, bytes * r->total * MAX_RESULTS, &error) &&
              lw_kernel_set_arg(kernel, 4, &total, sizeof total, &error) &&
              lw_kernel_set_arg(kernel, 5, &r->lane, sizeof r->lane, &error);
    for (unsigned k = 0; k < 3; k++)
        ok = ok && lw_kernel_set_arg_pointer(kernel, k, r->in[k], bytes * MAX_ITEMS, &error);
    for (int pass = 0; ok && pass < 2; pass++) {
        memset(r->out, 0xa5, bytes * r->total * MAX_RESULTS);
        ok = lw_kernel_run(kernel, &range, &error);
        if (ok && !check_results(r, at, what, broadcast))
            return false;
    }
    if (!ok)
        printf("FAILED %s: %s\n", what, error.text);
    return ok;
}

static bool
run_kernel(lw_device *device, lw_program *program, const struct type *t, const char *name, unsigned size,
           size_t at)
{
    char what[160];
    lw_error error = {0};
    struct run r = {.t = t, .size = size, .sub_groups = strstr(name, "_sg") != NULL, .lane = 0};
    bool nonuniform = strstr(name, "nonuniform") != NULL;
    snprintf(what, sizeof what, "%s on %s, sub-group size %u, local %zux%zux%zu", name,
             lw_isa_name(lw_device_isa(device)), size, ranges[at].local[0], ranges[at].local[1],
             ranges[at].local[2]);
    lw_kernel *kernel = lw_kernel_create(program, name, &error);
    bool ok = kernel && lw_kernel_set_sub_group_size(kernel, size, &error);
    if (!ok)
        printf("FAILED %s: %s\n", what, error.text);
    for (int k = 0; k < 3; k++) {
        r.in[k] = malloc(MAX_ITEMS * 8);
        for (size_t i = 0; i < MAX_ITEMS; i++)
            write_value(t, r.in[k], i, make_value(t, (unsigned)k, i));
    }
    r.out = malloc((size_t)MAX_ITEMS * MAX_RESULTS * 8);
    ok = ok && run_range(kernel, &r, at, what, !nonuniform);
    for (int k = 0; k < 3; k++)
        free(r.in[k]);
    free(r.out);
    lw_kernel_release(kernel);
    return ok;
}

int
main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0, pair = 0;
    bool some = argc > 3 && strcmp(argv[2], "--every") == 0;
    unsigned every = some ? (unsigned)atoi(argv[3]) : 1;
    static const char *const forms[] = {"wg", "sg", "sg_nonuniform"};
    lw_error error = {0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        if (isa > (int)lw_isa_host()) {
            printf("not run: %s, which this machine lacks\n", lw_isa_name((lw_isa)isa));
            continue;
        }
        lw_device_options options = {.isa = (lw_isa)isa, .threads = 1};
        lw_device *device = lw_device_create(&options, &error);
        lw_program *program = device && argc > 1 ? lw_program_load_file(device, argv[1], &error) : NULL;
        if (!program) {
            printf("FAILED: %s\n", error.text);
            return 1;
        }
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t f = 0; f < 3; f++) {
                char name[40];
                snprintf(name, sizeof name, "%s_%s", types[t].name, forms[f]);
                if (argc > 2 && !some && strcmp(argv[2], name))
                    continue;
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                    for (size_t at = 0; at < RANGES && (pair + s) % every == 0; at++) {
                        /* Of the local sizes of people another one each time. */
                        if (at >= OWN_RANGES && at - OWN_RANGES != (pair * 5 + s) % (RANGES - OWN_RANGES))
                            continue;
                        bool ok = run_kernel(device, program, &types[t], name, sizes[s], at);
                        passed += ok;
                        failed += !ok;
                    }
                pair++;
            }
        lw_program_release(program);
        lw_device_release(device);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed || !passed;
}
