/* SPDX-License-Identifier: MIT */
/* Kernels through the whole pipeline, as the runtime would: compiled, run, compared with plain C. */
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "../work_group.h"
#include "../../spirv/reflect.h"

#define MOST 1024

extern const struct lw_compiler *lw_compiler_entry(void);

/* ---- expectations; an item that writes nothing keeps what is there ---- */

static void
expect_reduce(const struct group *g, int32_t *out)
{
    int32_t sum = 0;
    for (uint64_t l = 0; l < g->n; l++)
        sum += g->in[l];
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = sum + (int32_t)g->arg;
}

static void
expect_scan(const struct group *g, int32_t *out)
{
    int32_t sum = 0;
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = (sum += g->in[l]) * (int32_t)g->arg;
}

static void
expect_arrays(const struct group *g, int32_t *out)
{
    static _Thread_local int32_t mine[MOST][5], tmp[MOST];
    for (uint64_t l = 0; l < g->n; l++)
        for (int i = 0; i < 5; i++)
            mine[l][i] = g->in[l] + i;
    for (uint32_t i = 0; i < g->arg; i++) {
        for (uint64_t l = 0; l < g->n; l++)
            tmp[l] = mine[l][i % 5];
        for (uint64_t l = 0; l < g->n; l++)
            mine[l][((uint32_t)g->in[l] + i) % 5] += tmp[g->n - 1 - l];
    }
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = mine[l][0] ^ mine[l][1] ^ mine[l][2] ^ mine[l][3] ^ mine[l][4];
}

static void
expect_collatz(const struct group *g, int32_t *out)
{
    for (uint64_t l = 0; l < g->n; l++) {
        int32_t x = g->in[l], steps = 0;
        if (x % 7 == 3)
            continue;
        while (x > 1) {
            x = x & 1 ? 3 * x + 1 : x / 2;
            if (++steps > (int32_t)g->arg * 10)
                break;
        }
        out[l] = steps;
    }
}

static void
expect_fixed_local(const struct group *g, int32_t *out)
{
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = g->in[((l + 1) % g->n + g->arg) % g->n] + g->in[0] * 2;
}

static void
expect_loaded(const struct group *g, int32_t *out)
{
    uint32_t tmp[MOST], sum[MOST];
    for (uint64_t l = 0; l < g->n; l++)
        sum[l] = (uint32_t)l;
    for (int i = 0; g->all[i] % 16; i++) {
        memcpy(tmp, sum, sizeof sum);
        for (uint64_t l = 0; l < g->n; l++)
            sum[l] = g->all[i] & 1 ? sum[l] + tmp[g->n - 1 - l] : sum[l] * 3;
    }
    memcpy(out, sum, g->n * sizeof *out);
}

static void
expect_ids(const struct group *g, int32_t *out)
{
    for (uint64_t l = 0; l < g->n; l++) {
        uint64_t x[3] = {l % g->size[0], l / g->size[0] % g->size[1], l / g->size[0] / g->size[1]}, global[3];
        for (int d = 0; d < 3; d++)
            global[d] = g->id[d] * g->launch.local_size[d] + x[d] + g->launch.global_offset[d];
        out[l] = (int32_t)(global[0] + 100 * global[1] + 10000 * global[2] + 1000000 * x[0] +
                           20000000 * x[1] + 300000000 * (x[2] & 1));
    }
}

static void
expect_sub_groups(const struct group *g, int32_t *out)
{
    int32_t most = INT32_MIN, scan = 0;
    for (uint64_t l = 0; l < g->n; l++)
        most = g->in[l] > most ? g->in[l] : most;
    for (uint64_t first = 0; first < g->n; first += g->lanes) {
        uint64_t size = g->n - first < g->lanes ? g->n - first : g->lanes;
        int32_t sum = 0, before = 0;
        for (uint64_t k = 0; k < size; k++)
            sum += g->in[first + k];
        for (uint64_t k = 0; k < size; k++) {
            int32_t x = g->in[first + k];
            scan += x;
            out[first + k] = sum * 7 + before * 5 + most * 3 + scan + (int32_t)(first / g->lanes * 1000) +
                             (int32_t)((g->n + g->lanes - 1) / g->lanes * 100000 + size * 17 + k * 31);
            before += x;
        }
    }
}

struct parts {
    int8_t a;
    int32_t b;
    int64_t c[2];
};

static const struct parts parts = {-3, 1000, {5, 70000}};

static void
expect_by_value(const struct group *g, int32_t *out)
{
    for (uint64_t l = 0; l < g->n; l++)
        out[l] = -100 + parts.a * 2 + parts.b * 3 + (int32_t)parts.c[1] - 7 + 12 + (int32_t)l;
}

static const struct kernel {
    const char *name;
    void (*expect)(const struct group *g, int32_t *out);
} kernels[] = {
    {"reduce", expect_reduce},   {"scan", expect_scan},         {"arrays", expect_arrays},
    {"collatz", expect_collatz}, {"ids", expect_ids},           {"fixed_local", expect_fixed_local},
    {"loaded", expect_loaded},   {"by_value", expect_by_value}, {"sub_groups", expect_sub_groups},
};
#define KERNEL_COUNT ((int)(sizeof kernels / sizeof kernels[0]))

static const struct range ranges[] = {
    {1, {5, 1, 1}, {1, 1, 1}, {0, 0, 0}},    {1, {10, 1, 1}, {3, 1, 1}, {4, 0, 0}},
    {1, {200, 1, 1}, {60, 1, 1}, {0, 0, 0}}, {1, {256, 1, 1}, {64, 1, 1}, {0, 0, 0}},
    {2, {17, 11, 1}, {7, 5, 1}, {2, 9, 0}},  {2, {32, 16, 1}, {16, 8, 1}, {0, 0, 0}},
    {3, {9, 8, 11}, {4, 4, 5}, {1, 2, 3}},
};
#define RANGE_COUNT ((int)(sizeof ranges / sizeof ranges[0]))

/* ---- the module, read once ---- */

static const char *path;
static uint32_t words[1 << 16];
static size_t word_count;
static lw_module *module;

static void
load_module(void)
{
    FILE *file = fopen(path, "rb");
    lw_error error;

    ck_assert_ptr_nonnull(file);
    word_count = fread(words, sizeof *words, sizeof words / sizeof *words, file);
    fclose(file);
    module = lw_module_read(words, word_count * sizeof *words, &error);
    ck_assert_msg(module != NULL, "%s", error.text);
}

static struct lw_kernel_desc *
reflect(const char *name)
{
    for (uint32_t k = 0; k < module->entry_point_count; k++)
        if (strcmp(module->entry_points[k].name, name) == 0)
            return lw_reflect_kernel(module, k, NULL);
    ck_abort_msg("no kernel %s", name);
}

static void
pack(const struct lw_kernel_desc *desc, char *args, const void *const *values)
{
    for (uint32_t k = 0; k < desc->arg_count; k++) {
        const struct lw_kernel_arg *a = &desc->args[k];
        uint64_t local = desc->info.local_bytes;
        memcpy(args + a->offset, a->info.kind == LW_ARG_LOCAL ? &local : values[k],
               a->info.kind == LW_ARG_LOCAL ? 8 : a->info.size);
    }
}

/* ---- running ---- */

#define GUARD 0x5a5a5a5a

static void
compare(const struct kernel *kernel, const struct group *g, const int32_t *got, const struct lw_shape *s)
{
    int32_t want[MOST];
    for (int l = 0; l < MOST; l++)
        want[l] = GUARD;
    kernel->expect(g, want);
    for (uint64_t l = 0; l < MOST; l++)
        if (got[l] != want[l])
            ck_abort_msg("%s, isa %u, %u lanes, %s: group %" PRIu64 " of %" PRIu64 "x%" PRIu64 "x%" PRIu64
                         ", item %" PRIu64 ": %d instead of %d",
                         kernel->name, s->isa, s->lanes, s->local_size[0] ? "fixed size" : "any size",
                         g->linear, g->size[0], g->size[1], g->size[2], l, got[l], want[l]);
}

static void
run_range(const struct kernel *kernel, const struct lw_code *code, const struct lw_shape *s,
          const struct range *r)
{
    struct group g = {.arg = 5, .lanes = s->lanes};
    set_group(&g, r, 0);
    uint64_t groups = g.launch.num_groups[0] * g.launch.num_groups[1] * g.launch.num_groups[2];
    uint64_t items = r->local[0] * r->local[1] * r->local[2], sub_groups = (items + s->lanes - 1) / s->lanes;
    size_t frame_bytes = (code->frame_fixed + sub_groups * code->frame_per_sub_group + 255) / 128 * 128;
    struct lw_kernel_desc *desc = reflect(kernel->name);
    int32_t *in = malloc(groups * MOST * sizeof *in), *out = malloc(groups * MOST * sizeof *out);
    char *frame = aligned_alloc(128, frame_bytes),
         *local = aligned_alloc(128, desc->info.local_bytes + MOST * 8);
    const int8_t c = -100;
    const int16_t v[4] = {1, 2, -7, 0};
    const double d = 12.5;
    const void *common[] = {&out, &in, NULL, &g.arg}, *by_value[] = {&out, &c, &parts, v, NULL, &d};
    char args[256];

    for (uint64_t k = 0; k < groups * MOST; k++) {
        in[k] = k == 20 ? 16 : (int32_t)(k * 2654435761u >> 20) % 5000 * 16 + (k % 3 == 0 ? 3 : 2);
        out[k] = GUARD;
    }
    pack(desc, args, kernel->expect == expect_by_value ? by_value : common);
    for (uint64_t k = 0; k < groups; k++) {
        set_group(&g, r, k);
        if (s->local_size[0] ? g.n == items : k == 0)
            code->run(&g.launch, args, k, s->local_size[0] ? 1 : groups, local, frame);
        g.in = in + k * MOST;
        g.all = in;
        if (!s->local_size[0] || g.n == items)
            compare(kernel, &g, out + k * MOST, s);
    }
    free(local);
    free(frame);
    free(out);
    free(in);
    lw_kernel_desc_free(desc);
}

static const char *skip; /* transformations that are left out; NULL: none */

static struct lw_code *
compile_for(const char *kernel, const struct lw_shape *shape)
{
    struct lw_compile_request request = {.words = words,
                                         .word_count = word_count,
                                         .kernel = kernel,
                                         .shape = *shape,
                                         .dump = getenv("LANEWISE_DUMP"),
                                         .skip = skip};
    lw_error error;
    struct lw_code *code = lw_compiler_entry()->compile(&request, &error);
    if (!code)
        ck_abort_msg("%s, isa %u, %u lanes, without %s: %s", kernel, shape->isa, shape->lanes,
                     skip ? skip : "nothing", error.text);
    return code;
}

static void
test_shape(const struct kernel *kernel, lw_isa isa, uint32_t lanes)
{
    for (uint32_t dims = 1; dims <= 3; dims++) {
        struct lw_shape any = {
            .work_dim = dims, .lanes = lanes, .sub_group_size = lanes, .isa = isa, .index31 = true};
        struct lw_code *code = compile_for(kernel->name, &any);
        for (int r = 0; r < RANGE_COUNT; r++)
            if (ranges[r].dims == dims)
                run_range(kernel, code, &any, &ranges[r]);
        lw_compiler_entry()->release(code);
    }
    for (int r = lanes == 16 ? 0 : 2; r < RANGE_COUNT; r += lanes == 16 ? 1 : 2) {
        struct lw_shape s = {.work_dim = ranges[r].dims, .lanes = lanes, .sub_group_size = lanes, .isa = isa};
        for (int d = 0; d < 3; d++)
            s.local_size[d] = (uint32_t)ranges[r].local[d];
        s.offset_zero = !ranges[r].offset[0] && !ranges[r].offset[1] && !ranges[r].offset[2];
        s.buffers_4g = true;
        s.slow_gathers = r % 2;
        struct lw_code *code = compile_for(kernel->name, &s);
        run_range(kernel, code, &s, &ranges[r]);
        lw_compiler_entry()->release(code);
    }
}

static bool
runs(lw_isa isa)
{
    __builtin_cpu_init();
    bool yes =
        isa == LW_ISA_AVX512 ? __builtin_cpu_supports("x86-64-v4") : __builtin_cpu_supports("x86-64-v3");
    if (!yes)
        fprintf(stderr, "not run: level %d is above this machine\n", (int)isa);
    return yes;
}

START_TEST(sse42)
{
    test_shape(&kernels[_i], LW_ISA_SSE42, 4);
}
END_TEST

START_TEST(avx2)
{
    if (runs(LW_ISA_AVX2)) {
        test_shape(&kernels[_i], LW_ISA_AVX2, 8);
        test_shape(&kernels[_i], LW_ISA_AVX2, 64);
    }
}
END_TEST

START_TEST(avx512)
{
    if (runs(LW_ISA_AVX512)) {
        test_shape(&kernels[_i], LW_ISA_AVX512, 16);
        test_shape(&kernels[_i], LW_ISA_AVX512, 32);
    }
}
END_TEST

static void *
work(void *data)
{
    for (int i = 0; i < KERNEL_COUNT; i++) {
        const struct kernel *k = &kernels[(i + *(int *)data) % KERNEL_COUNT];
        struct lw_shape any = {.work_dim = 1, .lanes = 8, .sub_group_size = 8, .isa = LW_ISA_SSE42};
        struct lw_code *code = compile_for(k->name, &any);
        run_range(k, code, &any, &ranges[2]);
        lw_compiler_entry()->release(code);
    }
    return NULL;
}

START_TEST(threads)
{
    pthread_t thread[4];
    int numbers[4] = {0, 2, 4, 6};

    for (int t = 0; t < 4; t++)
        ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &numbers[t]), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
}
END_TEST

static void
refuse(struct lw_compile_request request, const char *part)
{
    lw_error error = {0};
    ck_assert_ptr_null(lw_compiler_entry()->compile(&request, &error));
    ck_assert_msg(strstr(error.text, part) != NULL, "%s", error.text);
    ck_assert_int_ne(error.status, LW_OK);
    ck_assert_ptr_null(lw_compiler_entry()->compile(&request, NULL));
}

START_TEST(refusals)
{
    struct lw_compile_request good = {.words = words, .word_count = word_count, .kernel = "ids"}, r;
    good.shape = (struct lw_shape){.work_dim = 1, .lanes = 8, .sub_group_size = 8, .isa = LW_ISA_SSE42};
    r = good;
    r.kernel = "nothing";
    refuse(r, "no kernel nothing");
    r = good;
    r.dump = "widen,nonsense";
    refuse(r, "no stage nonsense");
    r = good;
    r.skip = "pack,nonsense";
    refuse(r, "no transformation nonsense; those that may be left out, roots");
    r.skip = "pack,,widen";
    refuse(r, "without widen no right code comes out");
    r = good;
    r.shape.lanes = 12;
    refuse(r, "no such shape");
    r = good;
    r.shape.local_size[0] = 8;
    refuse(r, "no such shape");
    r = good;
    r.shape.isa = 9;
    refuse(r, "no such shape");
    r.shape.isa = LW_ISA_AUTO;
    refuse(r, "does not run");
    r = good;
    r.word_count = 20;
    refuse(r, "");
    struct lw_spec_value spec = {12345, 4, 1};
    r = good;
    r.spec = &spec;
    r.spec_count = 1;
    refuse(r, "12345");
}
END_TEST

/* The names that may be left out, as the compiler lists them. */
static unsigned
optional_rows(char names[][32], unsigned most)
{
    struct lw_compile_request r = {.words = words, .word_count = word_count, .kernel = "ids", .skip = "?"};
    lw_error error = {0};
    unsigned count = 0;

    r.shape = (struct lw_shape){.work_dim = 1, .lanes = 8, .sub_group_size = 8, .isa = LW_ISA_SSE42};
    ck_assert_ptr_null(lw_compiler_entry()->compile(&r, &error));
    for (char *at = strstr(error.text, ", "); at && count < most; at = strstr(at + 2, ", "))
        ck_assert_int_eq(sscanf(at + 2, "%31[a-z0-9_]", names[count++]), 1);
    ck_assert_uint_gt(count, 45);
    ck_assert_str_eq(names[count - 1], "few"); /* the last of forms.def */
    return count;
}

/* Each by itself, then all together: three kernels in turn, at the highest instruction set, in every tier. */
START_TEST(left_out)
{
    static const uint8_t tiers[] = {0, LW_BUILD_UNOPTIMIZED, LW_BUILD_FIRST};
    char names[96][32], all[2048] = "";
    unsigned count = optional_rows(names, 96);
    lw_isa isa = LW_ISA_SSE42;

    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3"))
        isa = __builtin_cpu_supports("x86-64-v4") ? LW_ISA_AVX512 : LW_ISA_AVX2;
    for (unsigned k = 0; k < count; k++)
        strcat(strcat(all, names[k]), ",");
    for (unsigned k = 0; k <= count; k++) {
        skip = k < count ? names[k] : all;
        for (unsigned n = 0; n < (k < count ? 3u : (unsigned)KERNEL_COUNT); n++) {
            const struct kernel *kernel = &kernels[(3 * k + n) % (unsigned)KERNEL_COUNT];
            struct lw_shape s = {.work_dim = 1, .lanes = 16, .sub_group_size = 16, .isa = isa};
            s.build = tiers[(k + n) % 3];
            struct lw_code *code = compile_for(kernel->name, &s);
            run_range(kernel, code, &s, &ranges[2]);
            lw_compiler_entry()->release(code);
            s.local_size[0] = 64;
            s.local_size[1] = s.local_size[2] = 1;
            s.offset_zero = s.buffers_4g = true;
            code = compile_for(kernel->name, &s);
            run_range(kernel, code, &s, &ranges[3]);
            lw_compiler_entry()->release(code);
        }
    }
    skip = NULL;
}
END_TEST

START_TEST(less_is_other_code)
{
    char names[96][32], all[2048] = "";
    unsigned count = optional_rows(names, 96);
    struct lw_shape s = {.work_dim = 1, .local_size = {64, 1, 1}, .lanes = 4, .sub_group_size = 4};
    s.isa = LW_ISA_SSE42;
    struct lw_code *with = compile_for("collatz", &s);
    for (unsigned k = 0; k < count; k++)
        strcat(strcat(all, names[k]), ",");
    skip = all;
    struct lw_code *without = compile_for("collatz", &s);
    skip = NULL;
    ck_assert_uint_ne(with->code_bytes, without->code_bytes);
    lw_compiler_entry()->release(with);
    lw_compiler_entry()->release(without);
}
END_TEST

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_pipeline MODULE.spv\n");
        return EXIT_FAILURE;
    }
    path = argv[1];
    Suite *suite = suite_create("pipeline");
    TCase *run = tcase_create("run");

    tcase_add_unchecked_fixture(run, load_module, NULL);
    tcase_add_loop_test(run, sse42, 0, KERNEL_COUNT);
    tcase_add_loop_test(run, avx2, 0, KERNEL_COUNT);
    tcase_add_loop_test(run, avx512, 0, KERNEL_COUNT);
    tcase_add_test(run, threads);
    tcase_add_test(run, refusals);
    tcase_add_test(run, left_out);
    tcase_add_test(run, less_is_other_code);
    tcase_set_timeout(run, 240);
    suite_add_tcase(suite, run);
    return run_suite(suite);
}
