/* SPDX-License-Identifier: MIT */
/* One program of kernels at which a compiler dies by their names (crashing_compiler.c), see apart.h. */
#include "apart.h"

#include <stdio.h>
#include <stdlib.h>

static lw_device *device;
static lw_program *program;

void
open_program_with(const lw_device_options *options)
{
    lw_error e;
    char path[4096];
    snprintf(path, sizeof path, "%s/apart.spv", getenv("LANEWISE_TEST_MODULES"));
    device = lw_device_create(options, &e);
    ck_assert_msg(device, "%s", e.text);
    program = lw_program_load_file(device, path, &e);
    ck_assert_msg(program, "%s", e.text);
}

void
open_program(void)
{
    open_program_with(&(lw_device_options){.threads = 1});
}

void
close_program(void)
{
    lw_program_release(program);
    lw_device_release(device);
}

lw_kernel *
make_kernel(const char *name)
{
    lw_error e;
    lw_kernel *kernel = lw_kernel_create(program, name, &e);
    ck_assert_msg(kernel, "%s", e.text);
    return kernel;
}

bool
run_kernel(lw_kernel *kernel, lw_error *e)
{
    uint32_t out[N] = {0};
    ck_assert(lw_kernel_set_arg_pointer(kernel, 0, out, sizeof out, e));
    if (!lw_kernel_run(kernel, &(lw_ndrange){1, {N}, {GROUP}, {0}}, e))
        return false;
    for (uint32_t i = 0; i < N; i++)
        if (out[i] != i * 3 + i % GROUP)
            ck_abort_msg("out[%u] is %u", i, out[i]);
    return true;
}

void
run_good(const char *name)
{
    lw_error e;
    lw_kernel *kernel = make_kernel(name);
    ck_assert_msg(run_kernel(kernel, &e), "%s", e.text);
    lw_kernel_release(kernel);
}

lw_compile_info
info_of(const lw_kernel *kernel)
{
    lw_compile_info info;
    lw_kernel_compile_info(kernel, &info);
    return info;
}
