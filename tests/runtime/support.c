/* SPDX-License-Identifier: MIT */
/* Helpers of the runtime's tests, and their main. */
#include "../run_suite.h"
#include "support.h"

#include <dlfcn.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The processor's time is pretended: whatever else the machine does, races end as the fake code says. The
 * library calls this function in place of libc's. */
static _Thread_local uint64_t worked;

static void
pretend(uint64_t nanoseconds)
{
    worked += nanoseconds;
}

__attribute__((visibility("default"))) int
clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock != CLOCK_THREAD_CPUTIME_ID)
        return (int)syscall(SYS_clock_gettime, clock, time);
    *time = (struct timespec){(time_t)(worked / 1000000000), (long)(worked % 1000000000)};
    return 0;
}

struct fake_state *
fake(void)
{
    void *library = dlopen(getenv("LANEWISE_COMPILER"), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library, "%s", dlerror());
    struct fake_state *state = dlsym(library, "fake_state");
    ck_assert_ptr_nonnull(state);
    state->pretend = pretend;
    return state;
}

lw_device *
make_device_with(const lw_device_options *options)
{
    lw_error error;
    lw_device *device = lw_device_create(options, &error);
    ck_assert_msg(device, "%s", error.text);
    return device;
}

lw_device *
make_device(unsigned threads)
{
    return make_device_with(&(lw_device_options){.threads = threads});
}

lw_program *
load(lw_device *device, const char *file)
{
    char path[4096];
    lw_error error;
    snprintf(path, sizeof path, "%s/%s", getenv("LANEWISE_TEST_MODULES"), file);
    lw_program *program = lw_program_load_file(device, path, &error);
    ck_assert_msg(program, "%s", error.text);
    return program;
}

lw_kernel *
make_kernel(lw_program *program, const char *name)
{
    lw_error error;
    lw_kernel *kernel = lw_kernel_create(program, name, &error);
    ck_assert_msg(kernel, "%s", error.text);
    return kernel;
}

void
let_others_run(unsigned dispatch)
{
    if (dispatch > 500)
        usleep(1000);
}

lw_ndrange
line(size_t global, size_t local)
{
    return (lw_ndrange){.dimensions = 1, .global = {global}, .local = {local}};
}

void
run_checked(lw_kernel *kernel, const lw_ndrange *range, struct fake_record *record)
{
    static atomic_ullong serial;
    lw_error error;
    uint64_t items = 1;
    for (uint32_t d = 0; d < range->dimensions; d++)
        items *= range->global[d];
    record->serial = atomic_fetch_add(&serial, 1) + 1;
    record->items = items;
    record->seen = calloc(items ? items : 1, 1);
    ck_assert_ptr_nonnull(record->seen);
    assert_good(lw_kernel_set_arg_pointer(kernel, 0, record, sizeof *record, &error), error);
    assert_good(lw_kernel_run(kernel, range, &error), error);
    for (uint64_t i = 0; i < items; i++) /* an assertion each would cost more than the dispatch */
        if (record->seen[i] != 1)
            ck_abort_msg("work-item %llu of %llu ran %d times", (unsigned long long)i,
                         (unsigned long long)items, record->seen[i]);
    ck_assert_uint_eq(record->wrong_order, 0);
    ck_assert_uint_eq(record->wrong_size, 0);
    ck_assert_uint_eq(record->wrong_memory, 0);
    ck_assert_uint_eq(record->wrong_environment, 0);
    ck_assert_uint_eq(record->wrong_activity, 0);
    free(record->seen);
    record->seen = NULL;
}

unsigned
compilations_of(lw_kernel *kernel, const lw_ndrange *range)
{
    unsigned before = fake()->compilations;
    struct fake_record record = {0};
    run_checked(kernel, range, &record);
    return fake()->compilations - before;
}

lw_compile_info
compile_info_of(const lw_kernel *kernel)
{
    lw_compile_info info;
    lw_kernel_compile_info(kernel, &info);
    return info;
}

int
main(void)
{
    Suite *suite = suite_create("runtime");
    suite_add_tcase(suite, dispatch_cases());
    suite_add_tcase(suite, cache_cases());
    suite_add_tcase(suite, tiers_cases());
    suite_add_tcase(suite, shape_cases());
    suite_add_tcase(suite, cross_check_cases());
    suite_add_tcase(suite, api_cases());
    suite_add_tcase(suite, query_cases());
    suite_add_tcase(suite, process_cases());
    suite_add_tcase(suite, race_cases());
    suite_add_tcase(suite, crew_cases());
    suite_add_tcase(suite, turn_cases());
    suite_add_tcase(suite, steady_cases());
    return run_suite(suite);
}
