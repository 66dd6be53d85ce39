/* SPDX-License-Identifier: MIT */
/* Compiles every kernel of some modules some times, as the runtime would:
 * compile_kernels LIBRARY MODULE [COUNT [X [MODULE...]]]
 *
 * The masked instance, or, where the work-group size X is given (not 0), the instance for X work-items; for
 * the highest instruction set that the machine has, LANEWISE_ISA caps it. Each compilation writes the times
 * of the pipeline's rows to stderr (LANEWISE_DUMP=time). With the environment variable FIRST it is first code
 * that is compiled. With TOUCHED, a file of offsets, standard output has which functions of the library ran
 * (touched.h).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../spirv/module.h"
#include "../../src/compiler.h"
#include "touched.h"

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
    touched_again();
    struct lw_code *code = compiler->compile(request, &error);

    if (!code) {
        fprintf(stderr, "error: %s\n", error.text);
        return false;
    }
    compiler->release(code);
    return true;
}

/* The highest that the machine has and the environment allows. */
static lw_isa
choose_isa(void)
{
    const char *cap = getenv("LANEWISE_ISA");
    bool capped = cap && strcmp(cap, "auto") != 0, sse42 = capped && strcmp(cap, "sse4.2") == 0;

    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4") && (!capped || strcmp(cap, "avx512") == 0))
        return LW_ISA_AVX512;
    return __builtin_cpu_supports("x86-64-v3") && !sse42 ? LW_ISA_AVX2 : LW_ISA_SSE42;
}

static bool
compile_module(const struct lw_compiler *compiler, const char *path, int times, uint32_t local)
{
    size_t count = 0;
    lw_error error = {0};
    uint32_t *words = read_words(path, &count);
    lw_module *module = words ? lw_module_read(words, count * 4, &error) : NULL;
    lw_isa isa = choose_isa();
    bool good = true;

    if (!module) {
        fprintf(stderr, "error: %s: %s\n", path, error.text);
        free(words);
        return false;
    }
    for (uint32_t k = 0; k < module->entry_point_count; k++) {
        struct lw_compile_request request = {
            .words = words,
            .word_count = count,
            .kernel = module->entry_points[k].name,
            .shape = {.work_dim = 1,
                      .local_size = {local, local ? 1 : 0, local ? 1 : 0},
                      .lanes = isa == LW_ISA_AVX512 ? 16 : 8,
                      .sub_group_size = isa == LW_ISA_AVX512 ? 16 : 8,
                      .isa = isa,
                      .offset_zero = true,
                      .index31 = true,
                      .buffers_4g = true,
                      .row_multiple = local && local % 16 == 0,
                      .flat = true,
                      .build = getenv("FIRST") ? LW_BUILD_FIRST : 0},
            .skip = getenv("LANEWISE_SKIP"),
            .dump = getenv("STEPS") ? getenv("STEPS") : "time",
            .unlinked = getenv("TOUCHED") || getenv("FIRST"), /* as the runtime asks for it */
        };
        for (int n = 0; n < times; n++)
            good &= compile_one(compiler, &request);
    }
    lw_module_free(module);
    free(words);
    return good;
}

int
main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: compile_kernels LIBRARY MODULE [COUNT [X [MODULE...]]]\n");
        return 2;
    }
    const struct lw_compiler *compiler = load(argv[1]);
    if (!compiler)
        return 1;
    const char *offsets = getenv("TOUCHED");
    if (offsets && !touched_begin(argv[1], offsets)) {
        fprintf(stderr, "error: the functions of %s cannot be watched\n", argv[1]);
        return 1;
    }
    int times = argc > 3 ? atoi(argv[3]) : 1;
    uint32_t local = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    bool good = compile_module(compiler, argv[2], times, local);
    for (int k = 5; k < argc; k++)
        good &= compile_module(compiler, argv[k], times, local);
    if (offsets)
        touched_print();
    return good ? 0 : 1;
}
