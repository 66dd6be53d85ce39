/* SPDX-License-Identifier: MIT */
/* Kernels whose sub-groups go several together (side_by_side.cl), for every type, sub-group size and ISA
 * level, with work-groups that leave a tail and remainders: against plain loops, and the specialised code,
 * which has them together, against the masked code, which has not: equal to the last bit, floating point
 * included.
 *
 *     test_side_by_side MODULE.spv [KERNEL]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lanewise/lanewise.h>

enum { MAX_ITEMS = 4096, BYTES = MAX_ITEMS * 8 };
enum kind { SUM, ENDS, SPREAD, SCANS, TOPS, GROUP, KINDS };

static const char *const kinds[] = {"sum", "ends", "spread", "scans", "tops", "group"};
static const struct type {
    const char *name;
    unsigned bytes;
    bool is_float;
} types[] = {{"char", 1, false}, {"short", 2, false}, {"int", 4, false},  {"long", 8, false},
             {"half", 2, true},  {"float", 4, true},  {"double", 8, true}};
static const size_t ranges[][2] = {{2048, 1024}, {1100, 256}, {600, 200}, {65, 32}};
static const unsigned sizes[] = {4, 8, 16, 32, 64};

struct buffers {
    unsigned char in[BYTES], out[BYTES], more[BYTES];
};

/* ---- values ---- */

/* Small numbers of eighths: their sums are exact in every order, but for half, whose sums are rounded once.
 */
static double
value_of(const struct type *t, size_t i)
{
    uint32_t x = (uint32_t)(i + 1) * 2654435761u;
    int small = (int)(x >> 20) % 100 - 50;
    return t->is_float ? small / 8.0 : small;
}

/* Anything, so that a sum shows the order of its additions. */
static double
rough_value_of(const struct type *t, size_t i)
{
    uint32_t x = (uint32_t)(i + 1) * 2246822519u;
    return t->is_float ? ((double)x / 4294967296.0 - 0.5) * 3 : (double)(int32_t)x;
}

static void
write_value(const struct type *t, unsigned char *array, size_t at, double value)
{
    unsigned char *p = array + at * t->bytes;
    int64_t whole = t->is_float ? 0 : (int64_t)value;
    _Float16 half = (_Float16)value;
    float single = (float)value;
    if (!t->is_float)
        memcpy(p, &whole, t->bytes);
    else if (t->bytes == 2)
        memcpy(p, &half, 2);
    else if (t->bytes == 4)
        memcpy(p, &single, 4);
    else
        memcpy(p, &value, 8);
}

/* What a value of the type keeps of a number. */
static double
rounded(const struct type *t, double value)
{
    if (t->is_float)
        return t->bytes == 2 ? (double)(_Float16)value : t->bytes == 4 ? (double)(float)value : value;
    int64_t whole = (int64_t)value;
    return t->bytes == 1   ? (double)(int8_t)whole
           : t->bytes == 2 ? (double)(int16_t)whole
           : t->bytes == 4 ? (double)(int32_t)whole
                           : (double)whole;
}

static double
read_value(const struct type *t, const unsigned char *array, size_t at)
{
    const unsigned char *p = array + at * t->bytes;
    int64_t whole = 0;
    _Float16 half;
    float single;
    double value;
    if (!t->is_float) {
        memcpy(&whole, p, t->bytes);
        return rounded(t, (double)((int64_t)((uint64_t)whole << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes)));
    }
    memcpy(&half, p, 2);
    memcpy(&single, p, t->bytes >= 4 ? 4 : 2);
    memcpy(&value, p, t->bytes == 8 ? 8 : 2);
    return t->bytes == 2 ? (double)half : t->bytes == 4 ? (double)single : value;
}

/* ---- expected results ---- */

struct run {
    const struct type *t;
    enum kind kind;
    unsigned size;
    size_t global, local;
    struct buffers *b;
    unsigned wrong;
};

static void
expect(struct run *r, const unsigned char *array, const char *which, size_t at, double want)
{
    double got = read_value(r->t, array, at);
    want = rounded(r->t, want);
    if (got == want)
        return;
    if (r->wrong++ == 0)
        printf("%s[%zu] is %g, not %g: ", which, at, got, want);
}

static void
check_sub_group(struct run *r, size_t first, size_t n, size_t number)
{
    double sum = 0, more = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = first; i < first + n; i++) {
        double x = read_value(r->t, r->b->in, i), before = sum;
        sum += x;
        more += rounded(r->t, x + 1);
        least = fmin(least, x);
        most = fmax(most, x);
        if (r->kind == SCANS) {
            expect(r, r->b->out, "out", i, sum);
            expect(r, r->b->more, "more", i, before);
        } else if (r->kind == TOPS) {
            expect(r, r->b->more, "more", i, most);
        }
    }
    more = rounded(r->t, rounded(r->t, more) * 2);
    for (size_t i = first; i < first + n && r->kind == SPREAD; i++)
        expect(r, r->b->more, "more", i, more - read_value(r->t, r->b->in, i));
    if (r->kind == SUM || r->kind == ENDS || r->kind == SPREAD)
        expect(r, r->b->out, "out", number, r->kind == SUM ? sum : r->kind == ENDS ? least : more);
    if (r->kind == ENDS)
        expect(r, r->b->more, "more", number, most);
}

static void
check_groups(struct run *r)
{
    for (size_t group = 0; group * r->local < r->global; group++) {
        double sum = 0;
        for (size_t i = group * r->local; i < (group + 1) * r->local && i < r->global; i++) {
            double x = read_value(r->t, r->b->in, i), y = read_value(r->t, r->b->in, i + r->global);
            expect(r, r->b->more, "more", i, x + y);
            sum += rounded(r->t, x + y);
        }
        expect(r, r->b->out, "out", group, sum);
    }
}

static void
check(struct run *r)
{
    if (r->kind == GROUP) {
        check_groups(r);
        return;
    }
    size_t each = (r->local + r->size - 1) / r->size;
    for (size_t group = 0; group * r->local < r->global; group++) {
        size_t begin = group * r->local, left = r->global - begin, items = left < r->local ? left : r->local;
        for (size_t s = 0; s * r->size < items; s++) {
            size_t rest = items - s * r->size;
            check_sub_group(r, begin + s * r->size, rest < r->size ? rest : r->size, group * each + s);
        }
    }
}

/* ---- runs ---- */

static bool
run_kernel(lw_program *program, struct run *r, const char *name, bool rough)
{
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 1, .global = {r->global, 1, 1}, .local = {r->local, 1, 1}};
    lw_kernel *kernel = lw_kernel_create(program, name, &error);
    bool ok = kernel && (r->kind == GROUP || lw_kernel_set_sub_group_size(kernel, r->size, &error));
    for (size_t i = 0; i < MAX_ITEMS; i++)
        write_value(r->t, r->b->in, i, rough ? rough_value_of(r->t, i) : value_of(r->t, i));
    memset(r->b->out, 0xa5, BYTES);
    memset(r->b->more, 0xa5, BYTES);
    ok = ok && lw_kernel_set_arg_pointer(kernel, 0, r->b->in, BYTES, &error) &&
         lw_kernel_set_arg_pointer(kernel, 1, r->b->out, BYTES, &error) &&
         lw_kernel_set_arg_pointer(kernel, 2, r->b->more, BYTES, &error) &&
         lw_kernel_run(kernel, &range, &error);
    if (!ok)
        printf("%s: ", error.text);
    lw_kernel_release(kernel);
    return ok;
}

static bool
test(lw_program *programs[2], const struct run *what, const char *name, struct buffers b[2])
{
    bool ok = true;
    struct run r = *what;
    for (int tier = 0; tier < 2; tier++) {
        r.b = &b[tier];
        ok = ok && run_kernel(programs[tier], &r, name, false);
        if (ok)
            check(&r);
    }
    ok = ok && !r.wrong && !memcmp(&b[0], &b[1], sizeof b[0]);
    for (int tier = 0; tier < 2; tier++) {
        r.b = &b[tier];
        ok = ok && run_kernel(programs[tier], &r, name, true);
    }
    if (ok && memcmp(&b[0], &b[1], sizeof b[0])) {
        printf("specialised and masked code differ: ");
        ok = false;
    }
    return ok;
}

static bool
open_tier(int tier, int isa, const char *file, lw_device **device, lw_program **program)
{
    lw_error error = {0};
    lw_device_options options = {.isa = (lw_isa)isa, .threads = 1};
    setenv("LANEWISE_TIER", tier ? "masked" : "specialised", 1);
    *device = lw_device_create(&options, &error);
    *program = *device ? lw_program_load_file(*device, file, &error) : NULL;
    if (!*program)
        printf("FAILED: %s\n", error.text);
    return *program != NULL;
}

static void
test_isa(int isa, const char *file, const char *only, struct buffers *b, unsigned counts[2])
{
    lw_device *devices[2] = {NULL, NULL};
    lw_program *programs[2] = {NULL, NULL};
    bool open = open_tier(0, isa, file, &devices[0], &programs[0]) &&
                open_tier(1, isa, file, &devices[1], &programs[1]);
    counts[0] += !open;
    for (size_t k = 0; open && k < sizeof types / sizeof *types * KINDS; k++) {
        struct run r = {.t = &types[k / KINDS], .kind = (enum kind)(k % KINDS)};
        char name[40];
        snprintf(name, sizeof name, "%s_%s", kinds[r.kind], r.t->name);
        for (size_t c = k % 2; c < 20 && (!only || !strcmp(only, name));
             c += only ? 1 : 2) { /* every other one */
            r.size = sizes[c % 5];
            r.global = ranges[c / 5][0];
            r.local = ranges[c / 5][1];
            bool ok = test(programs, &r, name, b);
            counts[ok]++;
            if (!ok)
                printf("FAILED %s on %s, sub-group size %u, %zu work-items by %zu\n", name,
                       lw_isa_name((lw_isa)isa), r.size, r.global, r.local);
        }
    }
    for (int tier = 0; tier < 2; tier++) {
        lw_program_release(programs[tier]);
        lw_device_release(devices[tier]);
    }
}

int
main(int argc, char **argv)
{
    unsigned counts[2] = {0, 0};
    struct buffers *b = malloc(2 * sizeof *b);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int isa = LW_ISA_SSE42; b && argc > 1 && isa <= LW_ISA_AVX512; isa++) {
        if (isa > (int)lw_isa_host())
            printf("not run: %s, which this machine lacks\n", lw_isa_name((lw_isa)isa));
        else
            test_isa(isa, argv[1], argc > 2 ? argv[2] : NULL, b, counts);
    }
    free(b);
    printf("%u passed, %u failed\n", counts[1], counts[0]);
    return counts[0] || !counts[1];
}
