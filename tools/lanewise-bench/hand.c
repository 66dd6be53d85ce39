/* SPDX-License-Identifier: MIT */
/* What a kernel's C file defines, found in a module by name. */
#include "hand.h"

#include <dlfcn.h>
#include <stdio.h>
#include "text.h"

static void *
find(void *module, const char *what, const struct description *description)
{
    char *symbol =
        text_make("limit_%s_%s", what, description->reference ? description->reference : description->name);
    void *found = dlsym(module, symbol);

    free(symbol);
    return found;
}

bool
hand_find(const char *module, const struct description *description, struct hand *hand, char *error,
          size_t error_bytes)
{
    void *handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);

    *hand = (struct hand){0};
    if (!handle) {
        snprintf(error, error_bytes, "%s", dlerror());
        return false;
    }
    *(void **)&hand->reference = find(handle, "reference", description);
    *(void **)&hand->fill = find(handle, "fill", description);
    *(void **)&hand->phases = find(handle, "phases", description);
    *(void **)&hand->scratch = find(handle, "scratch", description);
    *(void **)&hand->units = find(handle, "units", description);
    *(void **)&hand->run = find(handle, "run", description);
    *(void **)&hand->openmp = find(handle, "openmp", description);
    *(void **)&hand->openmp_spin = dlsym(handle, "limit_openmp_spin");
    return true;
}

void
hand_limit(const struct bench_case *of, void *const *buffers, struct limit_argument arguments[MAX_ARGUMENTS],
           struct limit *limit)
{
    size_t count = 0;

    *limit = (struct limit){.size = (size_t)of->size, .subgroup = (size_t)of->subgroup_used, .threads = 1};
    for (int i = 0; i < 3; i++) {
        limit->global[i] = of->launches[0].global[i];
        limit->local[i] = of->launches[0].local[i];
    }
    for (unsigned i = 0; i < of->description->argument_count; i++) {
        const struct case_argument *argument = &of->arguments[i];

        if (!has_contents(argument->line) && argument->line->kind != ARGUMENT_VALUE)
            continue;
        arguments[count++] = (struct limit_argument){
            argument->line->name,
            has_contents(argument->line) ? buffers[i] : (void *)argument->value,
            argument->bytes,
            has_contents(argument->line),
        };
    }
    limit->argument_count = count;
    limit->arguments = arguments;
}

bool
hand_supported(const char *isa)
{
    bool avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");

    if (!strcmp(isa, "avx2"))
        return avx2;
    return avx2 && !strcmp(isa, "avx512") && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vnni") &&
           __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq");
}
