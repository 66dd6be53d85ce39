/* SPDX-License-Identifier: MIT */
/* The real compiler (LANEWISE_TEST_REAL_COMPILER), but that it dies of kernels whose names say so: WHAT_WHEN.
 */
#include "../../src/compiler.h"

#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct lw_compiler *
real(void)
{
    void *library = dlopen(getenv("LANEWISE_TEST_REAL_COMPILER"), RTLD_NOW | RTLD_LOCAL);
    lw_compiler_entry_function *entry = NULL;
    if (library)
        *(void **)&entry = dlsym(library, LW_COMPILER_ENTRY);
    return entry ? entry() : NULL;
}

/* Deeper than any stack. */
static unsigned __attribute__((noinline)) recurse(volatile unsigned *depth)
{
    volatile unsigned here[256] = {*depth + 1};
    return *depth == UINT_MAX ? 0 : recurse(here) + here[0];
}

static void
eat(void)
{
    for (;;) {
        volatile char *block = malloc((size_t)64 << 20);
        if (!block)
            abort();
        *block = 1;
    }
}

static int *volatile nowhere;

static void
die(const char *how)
{
    if (strncmp(how, "segv", 4) == 0)
        *nowhere = 1;
    else if (strncmp(how, "abort", 5) == 0)
        abort();
    else if (strncmp(how, "exit", 4) == 0) {
        fprintf(stderr, "LLVM ERROR: this cannot be selected\n");
        exit(1);
    } else if (strncmp(how, "deep", 4) == 0) {
        volatile unsigned depth = 0;
        recurse(&depth);
    } else if (strncmp(how, "hang", 4) == 0)
        for (volatile unsigned i = 0;; i++)
            ;
    else if (strncmp(how, "eat", 3) == 0)
        eat();
    else if (strncmp(how, "kill", 4) == 0)
        kill(getpid(), SIGKILL);
}

static struct lw_code *
compile(const struct lw_compile_request *r, lw_error *error)
{
    bool special = r->shape.local_size[0], first = r->shape.build & LW_BUILD_FIRST;
    const char *when = strchr(r->kernel, '_'), *slow = getenv("LANEWISE_TEST_SLOW");
    if (slow) /* so that others are under way */
        usleep((unsigned)atoi(slow) * 1000);
    if (when && (strcmp(when, "_always") == 0 || (strcmp(when, "_special") == 0 && special) ||
                 (strcmp(when, "_optimised") == 0 && (special || !first))))
        die(r->kernel);
    struct lw_code *code = real()->compile(r, error);
    if (code && getenv("LANEWISE_TEST_DOUBT"))
        code->doubt = LW_DOUBT;
    return code;
}

static void
release(struct lw_code *code)
{
    real()->release(code);
}

static bool
link_code(struct lw_code *code, lw_error *error)
{
    return real()->link(code, error);
}

__attribute__((visibility("default"))) const struct lw_compiler *lw_compiler_entry(void);

const struct lw_compiler *
lw_compiler_entry(void)
{
    static const struct lw_compiler table = {LW_COMPILER_ABI, compile, release, link_code};
    return real() ? &table : NULL;
}
