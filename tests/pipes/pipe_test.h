/* SPDX-License-Identifier: MIT */
/* What the tests of pipes share: a device and program, kernels run with them, pipes, and what failed. */
#ifndef LW_TESTS_PIPE_TEST_H
#define LW_TESTS_PIPE_TEST_H

#include <lanewise/lanewise.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned passed, failed;
static char place[200]; /* what is being tested */

static struct setting {
    lw_device *device;
    lw_program *program;
    uint32_t sub_group_size;
    size_t global, local;
} now;

static void
expect(bool good, const char *what)
{
    passed += good;
    if (good)
        return;
    failed++;
    printf("FAILED %s: N %u, %zu in %zu: %s\n", place, now.sub_group_size, now.global, now.local, what);
}

/* Arguments in turn: 'p' pipe, 'b' buffer, 'i' int, 'l' size_t of local memory. */
static bool
run(const char *kernel, size_t global, size_t local, const char *kinds, void *const *arguments)
{
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 1, .global = {global}, .local = {local}};
    lw_kernel *k = lw_kernel_create(now.program, kernel, &error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.sub_group_size, &error);
    for (uint32_t i = 0; good && kinds[i]; i++)
        good = kinds[i] == 'p'   ? lw_kernel_set_arg_pipe(k, i, arguments[i], &error)
               : kinds[i] == 'b' ? lw_kernel_set_arg_pointer(k, i, arguments[i], SIZE_MAX, &error)
               : kinds[i] == 'i' ? lw_kernel_set_arg(k, i, arguments[i], 4, &error)
                                 : lw_kernel_set_arg_local(k, i, *(size_t *)arguments[i], &error);
    good = good && lw_kernel_run(k, &range, &error);
    if (!good)
        printf("  %s: %s\n", kernel, error.text);
    expect(good, kernel);
    lw_kernel_release(k);
    return good;
}

static void *
make_pipe(uint32_t size, uint32_t packets)
{
    size_t bytes = (lw_pipe_memory_size(size, packets) + 127) & ~(size_t)127;
    void *memory = aligned_alloc(128, bytes);
    memset(memory, 0xa5, bytes);
    lw_pipe_init(memory, size, packets);
    return memory;
}

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void
hang(int number)
{
    (void)number;
    static const char text[] = "\nHANGS: ";
    if (write(1, text, sizeof text - 1) < 0 || write(1, place, strlen(place)) < 0)
        _exit(3);
    _exit(2);
}

#endif
