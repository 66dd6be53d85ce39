/* SPDX-License-Identifier: MIT */
/* What callers get wrong, each with its sentence; kernels as C functions. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

START_TEST(null_pointers_are_refused)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "plain");
    lw_ndrange range = line(10, 5);
    assert_refused(lw_program_create(NULL, "x", 1, &e), e, LW_BAD_ARGUMENT, "device");
    assert_refused(lw_program_create(device, NULL, 4, &e), e, LW_BAD_ARGUMENT, "data");
    assert_refused(lw_program_load_file(device, NULL, &e), e, LW_BAD_ARGUMENT, "path");
    assert_refused(lw_kernel_create(program, NULL, &e), e, LW_BAD_ARGUMENT, "name");
    assert_refused(lw_kernel_create(NULL, "x", &e), e, LW_BAD_ARGUMENT, "program");
    assert_refused(lw_kernel_run(NULL, &range, &e), e, LW_BAD_ARGUMENT, "kernel");
    assert_refused(lw_kernel_run(kernel, NULL, &e), e, LW_BAD_ARGUMENT, "range");
    assert_refused(lw_kernel_set_arg(NULL, 0, "x", 1, &e), e, LW_BAD_ARGUMENT, "kernel");
    assert_refused(lw_kernel_set_arg(kernel, 1, NULL, 4, &e), e, LW_BAD_ARGUMENT, "no value");
    assert_refused(lw_function_create(kernel, NULL, &e), e, LW_BAD_ARGUMENT, "range");
    assert_refused(lw_program_specialize(program, 1, NULL, 4, &e), e, LW_BAD_ARGUMENT, "value");
    /* Errors may be ignored everywhere. */
    ck_assert(!lw_kernel_run(kernel, &range, NULL));
    ck_assert(!lw_program_load_file(device, "/nonexistent", NULL));
    lw_device_release(NULL);
    lw_program_release(NULL);
    lw_kernel_release(NULL);
    lw_function_release(NULL);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* What cannot fail answers with nothing. */
START_TEST(nothing_has_nothing)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "plain");
    lw_kernel_info info;
    lw_arg_info arg;
    lw_spec_constant constant;
    lw_compile_info compiled;
    const size_t huge[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, none[3] = {0};
    size_t local[3] = {7, 7, 7};
    lw_error e;
    ck_assert_uint_eq(lw_device_threads(NULL), 0);
    ck_assert_int_eq(lw_device_isa(NULL), LW_ISA_AUTO);
    ck_assert_uint_eq(lw_program_kernel_count(NULL), 0);
    ck_assert(!lw_program_kernel_info(NULL, 0, &info) && !lw_program_kernel_info(program, 0, NULL));
    ck_assert(!lw_program_kernel_info(program, UINT32_MAX, &info));
    ck_assert(!lw_program_arg_info(NULL, 0, 0, &arg) && !lw_program_arg_info(program, 0, 0, NULL));
    ck_assert(!lw_program_arg_info(program, 0, UINT32_MAX, &arg));
    ck_assert(!lw_program_arg_info(program, UINT32_MAX, 0, &arg));
    ck_assert_uint_eq(lw_program_spec_constant_count(NULL), 0);
    ck_assert(!lw_program_spec_constant(NULL, 0, &constant) && !lw_program_spec_constant(program, 0, NULL));
    ck_assert(!lw_program_spec_constant(program, UINT32_MAX, &constant));
    ck_assert_uint_eq(lw_kernel_sub_group_size(NULL), 0);
    ck_assert_uint_eq(lw_kernel_sub_group_count(NULL, 1, local), 0);
    ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 1, NULL), 0);
    ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 4, local), 0);
    ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 3, huge), 0);
    ck_assert_uint_eq(lw_kernel_sub_group_count(kernel, 3, none), 0);
    ck_assert_uint_eq(lw_kernel_max_work_group_size(NULL) + lw_kernel_max_sub_groups(NULL), 0);
    lw_kernel_local_size_for_count(NULL, 1, local);
    ck_assert_uint_eq(local[0] + local[1] + local[2], 0);
    lw_kernel_local_size_for_count(kernel, UINT32_MAX, local);
    ck_assert_uint_eq(local[0] + local[1] + local[2], 0);
    lw_kernel_local_size_for_count(kernel, 1, NULL);
    ck_assert(!lw_kernel_suggest_local_size(kernel, NULL, local, &e));
    ck_assert(!lw_kernel_suggest_local_size(kernel, &(lw_ndrange){1, {8}, {0}, {0}}, NULL, NULL));
    ck_assert(!lw_kernel_suggest_local_size(NULL, NULL, NULL, NULL));
    lw_kernel_compile_info(NULL, &compiled);
    ck_assert_uint_eq(compiled.compilations, 0);
    lw_kernel_compile_info(kernel, NULL);
    ck_assert_ptr_null(lw_kernel_explain(NULL));
    ck_assert_ptr_null(lw_kernel_explain(kernel)); /* never compiled */
    ck_assert_ptr_null(lw_function_pointer(NULL));
    ck_assert(!lw_current_activity(NULL));
    ck_assert_ptr_nonnull(lw_isa_name((lw_isa)77));
    lw_help_env(NULL);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(wrong_arguments_are_named)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "saxpy");
    lw_ndrange range = line(10, 5);
    float x[16];
    assert_refused(lw_kernel_set_arg(kernel, 4, "", 1, &e), e, LW_BAD_ARGUMENT,
                   "4 arguments; there is no argument 4");
    assert_refused(lw_kernel_set_arg(kernel, 1, "", 8, &e), e, LW_BAD_ARGUMENT, "has 4 bytes, not 8");
    assert_refused(lw_kernel_set_arg(kernel, 2, "", 8, &e), e, LW_BAD_ARGUMENT, "lw_kernel_set_arg_pointer");
    assert_refused(lw_kernel_set_arg_pointer(kernel, 0, x, 4, &e), e, LW_BAD_ARGUMENT, "a value");
    assert_refused(lw_kernel_set_arg_local(kernel, 2, 4, &e), e, LW_BAD_ARGUMENT, "a pointer");
    assert_good(lw_kernel_set_arg(kernel, 0, &(uint32_t){10}, 4, &e), e);
    assert_refused(lw_kernel_run(kernel, &range, &e), e, LW_BAD_ARGUMENT, "argument 1 (`");
    ck_assert_msg(strstr(e.text, "of kernel saxpy was never set"), "%s", e.text);
    assert_good(lw_kernel_set_arg(kernel, 1, &(float){2}, 4, &e), e);
    assert_refused(lw_kernel_run(kernel, &range, &e), e, LW_BAD_ARGUMENT, "argument 2");
    assert_good(lw_kernel_set_arg_pointer(kernel, 2, x, sizeof x, &e), e);
    assert_good(lw_kernel_set_arg_pointer(kernel, 3, x, sizeof x, &e), e);
    assert_good(lw_kernel_run(kernel, &range, &e), e);
    assert_refused(lw_kernel_create(program, "saxpi", &e), e, LW_NOT_FOUND, "no kernel named saxpi");
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* float4* : 16 bytes where the module says so; a null pointer is no misaligned one. */
START_TEST(misaligned_pointers_are_refused)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "modes.spv");
    lw_kernel *kernel = make_kernel(program, "size8");
    _Alignas(16) char bytes[64];
    assert_refused(lw_kernel_set_arg_pointer(kernel, 0, bytes + 2, 8, &e), e, LW_BAD_ARGUMENT,
                   "not a multiple of 4");
    assert_good(lw_kernel_set_arg_pointer(kernel, 0, bytes + 4, 8, &e), e);
    assert_good(lw_kernel_set_arg_pointer(kernel, 0, NULL, 0, &e), e);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(impossible_ranges_are_refused)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped"), *required = make_kernel(program, "required");
    char record[8];
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, record, 8, &e));
    ck_assert(lw_kernel_set_arg_pointer(required, 0, record, 8, &e));
    static const struct {
        lw_ndrange range;
        const char *words;
    } rows[] = {
        {{0, {1}, {1}, {0}}, "1 to 3 dimensions, not 0"},
        {{4, {1, 1, 1}, {1, 1, 1}, {0}}, "1 to 3 dimensions, not 4"},
        {{2, {8, 8}, {4, 0}, {0}}, "zero in every dimension"},
        {{1, {10000}, {8193}, {0}}, "more than the 8192"},
        {{2, {10000, 100}, {4096, 3}, {0}}, "more than the 8192"},
        {{3, {8, 8, 8}, {SIZE_MAX, SIZE_MAX, 2}, {0}}, "more than the 8192"},
        {{1, {SIZE_MAX}, {64}, {1}}, "overflow a global id"},
        {{1, {SIZE_MAX}, {64}, {0}}, "more than 2^63"},
        {{3, {1 << 30, 1 << 30, 1 << 30}, {1, 1, 1}, {0}}, "more than 2^63"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_refused(lw_kernel_run(kernel, &rows[i].range, &e), e, LW_BAD_ARGUMENT, rows[i].words);
        assert_refused(lw_kernel_prepare(kernel, &rows[i].range, &e), e, LW_BAD_ARGUMENT, rows[i].words);
        assert_refused(lw_function_create(kernel, &rows[i].range, &e), e, LW_BAD_ARGUMENT, rows[i].words);
    }
    lw_ndrange wrong = {2, {64, 64}, {4, 8}, {0}}, right = {2, {64, 64}, {8, 4}, {0}}, flat = line(64, 32);
    assert_refused(lw_kernel_prepare(required, &wrong, &e), e, LW_BAD_ARGUMENT,
                   "requires a local size of 8 x 4 x 1");
    assert_refused(lw_kernel_prepare(required, &flat, &e), e, LW_BAD_ARGUMENT,
                   "requires a local size of 8 x 4 x 1");
    assert_good(lw_kernel_prepare(required, &right, &e), e);
    lw_kernel_release(kernel);
    lw_kernel_release(required);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(empty_ranges_run_nothing)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "grouped");
    static const lw_ndrange ranges[] = {{1, {0}, {64}, {0}},
                                        {1, {0}, {0}, {0}},
                                        {2, {5, 0}, {1, 1}, {7, 7}},
                                        {3, {SIZE_MAX, SIZE_MAX, 0}, {1, 1, 1}, {0}}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct fake_record record = {0};
        ck_assert(lw_kernel_set_arg_pointer(kernel, 0, &record, sizeof record, &e));
        assert_good(lw_kernel_run(kernel, &ranges[i], &e), e);
        ck_assert_uint_eq(record.groups, 0);
    }
    ck_assert_uint_eq(fake()->compilations, 0);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

static void
refuse_file(lw_device *device, const void *bytes, size_t size, lw_status status, const char *words)
{
    char path[] = "/tmp/lanewise-test-XXXXXX";
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, bytes, size), (ssize_t)size);
    close(file);
    lw_error e;
    lw_program *program = lw_program_load_file(device, path, &e);
    unlink(path);
    assert_refused(program, e, status, words);
    ck_assert_msg(strstr(e.text, path), "the file is not named: %s", e.text);
}

START_TEST(files_that_are_no_modules)
{
    lw_error e;
    lw_device *device = make_device(1);
    assert_refused(lw_program_load_file(device, "/nonexistent/k.spv", &e), e, LW_NOT_FOUND, "No such file");
    assert_refused(lw_program_load_file(device, "/tmp", &e), e, LW_NOT_FOUND, "is a directory");
    refuse_file(device, "", 0, LW_BAD_MODULE, "is empty");
    refuse_file(device, "BC\xC0\xDE 1234567890", 16, LW_BAD_MODULE, "LLVM bitcode");
    refuse_file(device, "; SPIR-V\n; Version: 1.4", 22, LW_BAD_MODULE, "assembly");
    refuse_file(device, "kernel void f() {}", 18, LW_BAD_MODULE, "OpenCL C source");
    refuse_file(device, "nonsense of some length", 20, LW_BAD_MODULE, "/tmp/");
    lw_device_release(device);
}
END_TEST

START_TEST(what_kernels_there_are)
{
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel_info info;
    lw_arg_info arg;
    bool found = false;
    ck_assert_uint_eq(lw_program_kernel_count(program), 21);
    for (uint32_t k = 0; k < lw_program_kernel_count(program); k++) {
        ck_assert(lw_program_kernel_info(program, k, &info));
        ck_assert_ptr_null(info.unsupported);
        if (strcmp(info.name, "saxpy") != 0)
            continue;
        found = true;
        ck_assert_uint_eq(info.arg_count, 4);
        ck_assert(lw_program_arg_info(program, k, 1, &arg));
        ck_assert_int_eq(arg.kind, LW_ARG_VALUE);
        ck_assert_str_eq(arg.scalar, "f32");
        ck_assert(lw_program_arg_info(program, k, 3, &arg));
        ck_assert_int_eq(arg.kind, LW_ARG_POINTER);
        ck_assert(!lw_program_arg_info(program, k, 4, &arg));
    }
    ck_assert(found);
    ck_assert(!lw_program_kernel_info(program, 21, &info));
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

START_TEST(specialization_constants_are_listed)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "modes.spv");
    lw_spec_constant c;
    ck_assert_uint_eq(lw_program_spec_constant_count(program), 2);
    ck_assert(!lw_program_spec_constant(program, 2, &c));
    assert_refused(lw_program_specialize(program, 8, &(uint32_t){1}, 4, &e), e, LW_NOT_FOUND, "8");
    assert_refused(lw_program_specialize(program, 7, &(uint64_t){1}, 8, &e), e, LW_BAD_ARGUMENT, "");
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 2; i++) {
            ck_assert(lw_program_spec_constant(program, i, &c));
            if (c.id == 7) {
                ck_assert_str_eq(c.name, "first");
                ck_assert_uint_eq(c.size, 4);
                ck_assert_uint_eq(c.value, round ? 77 : 11);
            } else {
                ck_assert_uint_eq(c.id, 3);
                ck_assert_ptr_null(c.name);
                ck_assert_uint_eq(c.value, 22);
            }
        }
        assert_good(lw_program_specialize(program, 7, &(uint32_t){77}, 4, &e), e);
    }
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

/* ---- C functions ---- */

START_TEST(a_kernel_is_a_c_function)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "saxpy");
    enum { N = 1000 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = 1;
    }
    lw_ndrange range = line(N, 0);
    lw_function *function = lw_function_create(kernel, &range, &e);
    ck_assert_msg(function, "%s", e.text);
    /* The function stands on its own. */
    lw_kernel_release(kernel);
    lw_program_release(program);
    void (*saxpy)(uint32_t n, float a, const float *x, float *y);
    *(void **)&saxpy = lw_function_pointer(function);
    saxpy(N - 1, 3.0f, x, y);
    for (int i = 0; i < N - 1; i++)
        ck_assert(y[i] == 3.0f * i + 1);
    ck_assert(y[N - 1] == 1);
    lw_function_release(function);
    lw_device_release(device);
}
END_TEST

START_TEST(parameters_of_every_c_type)
{
    lw_error e;
    lw_device *device = make_device(1);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "scalars");
    lw_ndrange range = line(16, 16);
    lw_function *function = lw_function_create(kernel, &range, &e);
    ck_assert_msg(function, "%s", e.text);
    void (*scalars)(void *, unsigned char, short, uint64_t, double, size_t);
    *(void **)&scalars = lw_function_pointer(function);
    struct {
        void *record;
        uint8_t c;
        uint16_t s;
        uint64_t l;
        double d;
        uint64_t at;
    } got;
    ck_assert_uint_eq(sizeof got, 40);
    scalars(&got, 250, -2, 0x123456789abcdefull, 2.5, 64);
    ck_assert_ptr_eq(got.record, &got);
    ck_assert_uint_eq(got.c, 250);
    ck_assert_uint_eq(got.s, 0xfffe);
    ck_assert_uint_eq(got.l, 0x123456789abcdefull);
    ck_assert(got.d == 2.5);
    ck_assert_uint_eq(got.at, 0);
    lw_function_release(function);
    lw_kernel_release(kernel);
    kernel = make_kernel(program, "vector");
    assert_refused(lw_function_create(kernel, &range, &e), e, LW_UNSUPPORTED, "no scalar or pointer");
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

struct caller {
    void (*saxpy)(uint32_t, float, const float *, float *);
    float x[256], y[256];
};

static void *
call_often(void *data)
{
    struct caller *c = data;
    for (unsigned i = 0; i < 200; i++)
        c->saxpy(256, 1.0f, c->x, c->y);
    return NULL;
}

START_TEST(calls_may_overlap)
{
    lw_error e;
    lw_device *device = make_device(2);
    lw_program *program = load(device, "kernels.spv");
    lw_kernel *kernel = make_kernel(program, "saxpy");
    lw_ndrange range = line(256, 64);
    lw_function *function = lw_function_create(kernel, &range, &e);
    ck_assert_msg(function, "%s", e.text);
    static struct caller callers[4];
    pthread_t threads[4];
    for (unsigned t = 0; t < 4; t++) {
        *(void **)&callers[t].saxpy = lw_function_pointer(function);
        for (unsigned i = 0; i < 256; i++)
            callers[t].x[i] = (float)(t * 256 + i);
        ck_assert_int_eq(pthread_create(&threads[t], NULL, call_often, &callers[t]), 0);
    }
    for (unsigned t = 0; t < 4; t++) {
        pthread_join(threads[t], NULL);
        for (unsigned i = 0; i < 256; i++)
            ck_assert(callers[t].y[i] == 200.0f * (float)(t * 256 + i));
    }
    lw_function_release(function);
    lw_kernel_release(kernel);
    lw_program_release(program);
    lw_device_release(device);
}
END_TEST

TCase *
api_cases(void)
{
    TCase *cases = tcase_create("api");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, null_pointers_are_refused);
    tcase_add_test(cases, nothing_has_nothing);
    tcase_add_test(cases, wrong_arguments_are_named);
    tcase_add_test(cases, misaligned_pointers_are_refused);
    tcase_add_test(cases, impossible_ranges_are_refused);
    tcase_add_test(cases, empty_ranges_run_nothing);
    tcase_add_test(cases, files_that_are_no_modules);
    tcase_add_test(cases, what_kernels_there_are);
    tcase_add_test(cases, specialization_constants_are_listed);
    tcase_add_test(cases, a_kernel_is_a_c_function);
    tcase_add_test(cases, parameters_of_every_c_type);
    tcase_add_test(cases, calls_may_overlap);
    return cases;
}
