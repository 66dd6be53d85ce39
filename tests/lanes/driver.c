/* SPDX-License-Identifier: MIT */
/* The driver of the tests of this folder, see driver.h. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

struct tally {
    unsigned passed, failed;
};

static const char *
name_of(const struct driver *driver, size_t form)
{
    return *(const char *const *)((const char *)driver->forms + form * driver->form_size);
}

static void
run_form(const struct driver *driver, struct attempt *attempt, struct tally *tally)
{
    static const unsigned sizes[] = {0, 4, 8, 16, 32, 64};

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        attempt->size = sizes[s];
        for (attempt->range = 0; attempt->range < driver->range_count; attempt->range++) {
            if (!driver->wants(attempt, attempt->form + s + attempt->range))
                continue;
            bool ok = driver->run(attempt);
            tally->failed += !ok;
            tally->passed += ok;
        }
    }
}

static void
run_isa(const struct driver *driver, const char *module, const char *only, lw_isa isa, unsigned threads,
        struct tally *tally)
{
    lw_error error = {0};
    lw_device_options options = {.isa = isa, .threads = threads};
    struct attempt attempt = {.threads = threads, .data = driver->data};

    attempt.device = lw_device_create(&options, &error);
    attempt.program = attempt.device ? lw_program_load_file(attempt.device, module, &error) : NULL;
    if (!attempt.program) {
        printf("FAILED %s: %s\n", lw_isa_name(isa), error.text);
        tally->failed++;
    }
    for (; attempt.program && attempt.form < driver->form_count; attempt.form++)
        if (!only || !strcmp(only, name_of(driver, attempt.form)))
            run_form(driver, &attempt, tally);
    lw_program_release(attempt.program);
    lw_device_release(attempt.device);
}

int
lanes_main(int argc, char **argv, const struct driver *driver)
{
    const char *module = argc > 1 ? argv[1] : "", *only = argc > 2 ? argv[2] : NULL;
    struct tally tally = {0};

    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Of AVX-512 what the machine has; the tests of tests/language and others run the least of it. */
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512_FP16; isa++) {
        if (isa >= LW_ISA_AVX512 && isa < (int)lw_isa_host())
            continue;
        if (isa > (int)lw_isa_host()) {
            printf("not run: %s, which this machine lacks\n", lw_isa_name((lw_isa)isa));
            continue;
        }
        for (unsigned threads = 1; threads <= driver->most_threads; threads += 3)
            run_isa(driver, module, only, (lw_isa)isa, threads, &tally);
    }
    printf("%u passed, %u failed\n", tally.passed, tally.failed);
    return tally.failed || !tally.passed;
}

void
lanes_failed(const struct attempt *attempt, const char *kernel)
{
    printf("FAILED %s, %s, %u threads, sub-group size %u, ", kernel,
           lw_isa_name(lw_device_isa(attempt->device)), attempt->threads, attempt->size);
}

lw_kernel *
lanes_kernel(const struct attempt *attempt, const char *name, lw_error *error)
{
    lw_kernel *kernel = lw_kernel_create(attempt->program, name, error);

    if (!kernel || !attempt->size || lw_kernel_set_sub_group_size(kernel, attempt->size, error))
        return kernel;
    lw_kernel_release(kernel);
    return NULL;
}

unsigned char *
lanes_area(void)
{
    unsigned char *area =
        mmap(NULL, LANES_MOST + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED || mprotect(area, PAGE, PROT_NONE) ||
        mprotect(area + PAGE + LANES_MOST, PAGE, PROT_NONE))
        abort();
    return area;
}

unsigned char *
lanes_fenced(unsigned char *area, size_t bytes)
{
    return area + PAGE + LANES_MOST - bytes;
}

/* The bits of a number that is next behind *x. */
static unsigned
next_number(unsigned *x)
{
    *x = *x * 1664525u + 1013904223u;
    return *x;
}

void
lanes_fill(unsigned char *data, size_t bytes)
{
    unsigned x = 77;

    for (size_t k = 0; k < bytes; k++)
        data[k] = (unsigned char)(next_number(&x) >> 24);
    for (size_t k = 0; k + 4 <= bytes; k += 4) {
        float f = (float)(data[k] - 100);
        memcpy(data + k, &f, 4);
    }
}

void
lanes_fill_ints(int *data, size_t count, int lowest)
{
    unsigned x = 5;

    for (size_t k = 0; k < count; k++)
        data[k] = (int)(next_number(&x) >> 8) % 1000 + lowest;
}
