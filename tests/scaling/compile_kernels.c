/* SPDX-License-Identifier: MIT */
/* Compiles every kernel of a module some times, as the runtime would:
 * compile_kernels LIBRARY MODULE [COUNT] [X]
 *
 * The masked instance, or, where the work-group size X is given, the instance for X work-items. Each
 * compilation writes the times of the pipeline's rows to stderr (LANEWISE_DUMP=time).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../spirv/module.h"
#include "../../src/compiler.h"

static uint32_t *
read_words(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint32_t *words = malloc(size ? size : 1);
    *count = words ? fread(words, 4, size / 4, file) : 0;
    fclose(file);
    return words;
}

static const struct lw_compiler *
load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    lw_compiler_entry_function *entry = NULL;

    if (!library) {
        fprintf(stderr, "error: %s\n", dlerror());
        return NULL;
    }
    *(void **)&entry = dlsym(library, LW_COMPILER_ENTRY);
    return entry ? entry() : NULL;
}

static bool
compile_one(const struct lw_compiler *compiler, const struct lw_compile_request *request)
{
    lw_error error = {0};
    struct lw_code *code = compiler->compile(request, &error);

    if (!code) {
        fprintf(stderr, "error: %s\n", error.text);
        return false;
    }
    compiler->release(code);
    return true;
}

int
main(int argc, char **argv)
{
    size_t count = 0;
    lw_error error = {0};

    if (argc < 3) {
        fprintf(stderr, "usage: compile_kernels LIBRARY MODULE [COUNT] [X]\n");
        return 2;
    }
    const struct lw_compiler *compiler = load(argv[1]);
    uint32_t *words = read_words(argv[2], &count);
    lw_module *module = words ? lw_module_read(words, count * 4, &error) : NULL;
    if (!compiler || !module) {
        fprintf(stderr, "error: %s: %s\n", argv[2], error.text);
        return 1;
    }
    int times = argc > 3 ? atoi(argv[3]) : 1;
    uint32_t local = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    bool good = true;
    __builtin_cpu_init();
    bool avx512 = __builtin_cpu_supports("x86-64-v4"), avx2 = __builtin_cpu_supports("x86-64-v3");
    for (uint32_t k = 0; k < module->entry_point_count; k++) {
        struct lw_compile_request request = {
            .words = words,
            .word_count = count,
            .kernel = module->entry_points[k].name,
            .shape = {.work_dim = 1,
                      .local_size = {local, local ? 1 : 0, local ? 1 : 0},
                      .lanes = avx512 ? 16 : 8,
                      .sub_group_size = avx512 ? 16 : 8,
                      .isa = avx512 ? LW_ISA_AVX512 : avx2 ? LW_ISA_AVX2 : LW_ISA_SSE42,
                      .offset_zero = true,
                      .index31 = true,
                      .buffers_4g = true,
                      .row_multiple = local && local % 16 == 0,
                      .flat = true},
            .dump = "time",
        };
        for (int n = 0; n < times; n++)
            good &= compile_one(compiler, &request);
    }
    lw_module_free(module);
    free(words);
    return good ? 0 : 1;
}
