/* SPDX-License-Identifier: MIT */
/* Sub-group sizes, counts and local sizes: the queries, and that dispatches agree with them. */
#include "support.h"

static unsigned
last_n(lw_kernel *kernel, const lw_ndrange *range)
{
    lw_error e;
    assert_good(lw_kernel_prepare(kernel, range, &e), e);
    return fake()->shapes[fake()->compilations - 1].sub_group_size;
}

/* Whether the kernel's list of the processor's features has all words of `wanted`. */
static bool
processor_has(const char *wanted)
{
    char line[8192] = "", word[32];
    FILE *file = fopen("/proc/cpuinfo", "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0)
        ;
    fclose(file);
    ck_assert_int_eq(strncmp(line, "flags", 5), 0);
    line[strcspn(line, "\n")] = ' ';
    for (int length; sscanf(wanted, "%30s%n", word + 1, &length) == 1; wanted += length) {
        word[0] = ' ';
        strcat(word, " ");
        if (!strstr(line, word))
            return false;
    }
    return true;
}

START_TEST(host_isa_is_what_the_kernel_lists)
{
    bool v2 = processor_has("pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm");
    bool v3 = v2 && processor_has("avx avx2 bmi1 bmi2 f16c fma abm movbe xsave");
    bool v4 = v3 && processor_has("avx512f avx512bw avx512cd avx512dq avx512vl");
    bool vbmi = v4 && processor_has("avx512vbmi avx512_vbmi2 avx512_bitalg avx512_vpopcntdq avx512_vnni") &&
                processor_has("avx512ifma gfni");
    ck_assert_int_eq(lw_isa_host(), vbmi && processor_has("avx512_fp16") ? LW_ISA_AVX512_FP16
                                    : vbmi ? LW_ISA_AVX512_VBMI
                                    : v4 ? LW_ISA_AVX512
                                    : v3 ? LW_ISA_AVX2
                                    : v2 ? LW_ISA_SSE42
                                         : LW_ISA_AUTO);
}
END_TEST

START_TEST(sub_group_size_by_isa)
{
    static const uint32_t expected[] = {0, 4, 8, 16, 16, 16};
    for (lw_isa isa = LW_ISA_SSE42; isa <= lw_isa_host(); isa++) {
        lw_device *device = make_device_with(&(lw_device_options){.threads = 1, .isa = isa});
        lw_program *program = load(device, "kernels.spv");
        lw_kernel *kernel = make_kernel(program, "observing");
        ck_assert_int_eq(lw_device_isa(device), isa);
        ck_assert_uint_eq(lw_kernel_sub_group_size(kernel), expected[isa]);
        for (size_t local = 1; local <= 300; local = local * 2 + 1)
            ck_assert_uint_eq(last_n(kernel, &(lw_ndrange){1, {local * 2}, {local}, {0}}), expected[isa]);
        lw_kernel_release(kernel);
        lw_program_release(program);
        lw_device_release(device);
    }
}
END_TEST

START_TEST(counts_and_local_sizes_agree)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "observing");
    for (uint32_t n = 4; n <= 64; n *= 2) {
        assert_good(lw_kernel_set_sub_group_size(kernel, n, &e), e);
        ck_assert_uint_eq(lw_kernel_sub_group_size(kernel), n);
        ck_assert_uint_eq(lw_kernel_max_work_group_size(kernel), 8192);
        ck_assert_uint_eq(lw_kernel_max_sub_groups(kernel), 8192 / n);
        for (uint32_t count = 1; count <= 8192 / n; count++) {
            size_t local[3];
            lw_kernel_local_size_for_count(kernel, count, local);
            ck_assert_uint_eq(local[0], (size_t)count * n);
            ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 3, local), count);
        }
        size_t none[3];
        lw_kernel_local_size_for_count(kernel, 8192 / n + 1, none);
        ck_assert_uint_eq(none[0] + none[1] + none[2], 0);
        ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 2, (size_t[]){7, 5}), (35 + n - 1) / n);
        ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 1, (size_t[]){1}), 1);
        ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 1, (size_t[]){0}), 0);
        ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 1, (size_t[]){8193}), 0);
    }
    assert_refused(lw_kernel_set_sub_group_size(kernel, 3, &e), e, LW_BAD_ARGUMENT, "4, 8, 16, 32 and 64");
    assert_refused(lw_kernel_set_sub_group_size(kernel, 128, &e), e, LW_BAD_ARGUMENT, "4, 8, 16, 32 and 64");
    ck_assert_uint_eq(lw_kernel_sub_group_size(kernel), 64);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(execution_modes_rule)
{
    lw_error e;
    lw_device *device = make_device_with(&(lw_device_options){.threads = 1, .isa = LW_ISA_SSE42});
    lw_program *program = load(device, "modes.spv");
    lw_kernel *kernel = make_kernel(program, "size8");
    ck_assert_uint_eq(lw_kernel_sub_group_size(kernel), 8);
    assert_refused(lw_kernel_set_sub_group_size(kernel, 16, &e), e, LW_BAD_ARGUMENT,
                   "requires a sub-group size of 8");
    assert_good(lw_kernel_set_sub_group_size(kernel, 8, &e), e);
    lw_kernel_release(kernel);

    assert_refused(lw_kernel_create(program, "size7", &e), e, LW_UNSUPPORTED, "7");

    kernel = make_kernel(program, "three"); /* three sub-groups of four */
    size_t local[3];
    lw_ndrange range = line(1000, 0), wrong = line(1000, 16), right = line(1000, 11);
    assert_good(lw_kernel_suggest_local_size(kernel, &range, local, &e), e);
    ck_assert_uint_eq(local[0], 12);
    assert_refused(lw_kernel_prepare(kernel, &wrong, &e), e, LW_BAD_ARGUMENT, "requires 3 sub-groups");
    assert_good(lw_kernel_prepare(kernel, &right, &e), e);
    ck_assert_uint_eq(lw_kernel_max_work_group_size(kernel), 12);
    ck_assert_uint_eq(lw_kernel_max_sub_groups(kernel), 3);
    lw_kernel_local_size_for_count(kernel, 2, local);
    ck_assert_uint_eq(local[0], 0);
    lw_kernel_release(kernel);

    kernel = make_kernel(program, "five_of_forty");
    ck_assert_uint_eq(lw_kernel_sub_group_size(kernel), 8);
    lw_kernel_local_size_for_count(kernel, 5, local);
    ck_assert_uint_eq(local[0] * local[1] * local[2], 40);
    ck_assert_uint_eq(lw_kernel_max_work_group_size(kernel), 40);
    assert_refused(lw_kernel_set_sub_group_size(kernel, 4, &e), e, LW_BAD_ARGUMENT, "5 sub-groups");
    lw_kernel_release(kernel);
    assert_refused(lw_kernel_create(program, "nine_of_forty", &e), e, LW_UNSUPPORTED, "9 sub-groups");
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(suggestions_fit_and_run)
{
    lw_error e;
    static const lw_ndrange ranges[] = {
        {1, {1}, {0}, {0}},      {1, {1 << 20}, {0}, {0}},    {1, {1000003}, {0}, {0}},
        {1, {100}, {0}, {0}},    {2, {1920, 1080}, {0}, {0}}, {2, {3, 100000}, {0}, {0}},
        {2, {61, 67}, {0}, {0}}, {3, {64, 64, 64}, {0}, {0}}, {3, {5, 7, 11}, {0}, {0}},
    };
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped"), *required = make_kernel(program, "required");
    size_t local[3];
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        assert_good(lw_kernel_suggest_local_size(kernel, &ranges[i], local, &e), e);
        ck_assert_uint_le(local[0] * local[1] * local[2], 256);
        ck_assert_uint_ge(local[0] * local[1] * local[2], 1);
        for (unsigned d = 0; d < 3; d++)
            ck_assert_uint_le(local[d], d < ranges[i].dimensions && ranges[i].global[d] > 64 ? 256 : 64);
        lw_ndrange explicit = ranges[i];
        memcpy(explicit.local, local, sizeof local);
        assert_good(lw_kernel_prepare(kernel, &explicit, &e), e);
        /* What is suggested is what a run takes. */
        unsigned before = fake()->compilations;
        assert_good(lw_kernel_prepare(kernel, &ranges[i], &e), e);
        ck_assert_uint_eq(fake()->compilations, before);
    }
    assert_good(lw_kernel_suggest_local_size(kernel, &ranges[1], local, &e), e);
    ck_assert_uint_eq(local[0], 256);
    assert_good(lw_kernel_suggest_local_size(required, &ranges[4], local, &e), e);
    ck_assert(local[0] == 8 && local[1] == 4 && local[2] == 1);
    lw_kernel *hinted = make_kernel(program, "hinted");
    assert_good(lw_kernel_suggest_local_size(hinted, &ranges[4], local, &e), e);
    ck_assert(local[0] == 32 && local[1] == 2 && local[2] == 1);
    lw_kernel_release(hinted);
    lw_kernel_release(kernel);
    lw_kernel_release(required);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

TCase *
query_cases(void)
{
    TCase *cases = tcase_create("queries");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, host_isa_is_what_the_kernel_lists);
    tcase_add_test(cases, sub_group_size_by_isa);
    tcase_add_test(cases, counts_and_local_sizes_agree);
    tcase_add_test(cases, execution_modes_rule);
    tcase_add_test(cases, suggestions_fit_and_run);
    return cases;
}
