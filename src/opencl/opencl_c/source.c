/* SPDX-License-Identifier: MIT */
/* OpenCL C to SPIR-V: clang, where one with the SPIR-V target is installed, as a child process (producer.c).
 *
 * Texts go to it and come back by anonymous files. LANEWISE_CLANG names another compiler. What was compiled
 * before comes from the disk cache (source_cache.c).
 */
#include "../objects.h"

#include "../../native/object_cache.h"
#include "attempts.h"
#include "clang.h"
#include "dependencies.h"
#include "headers.h"
#include "messages.h"
#include "producer.h"
#include "producer/spirv_options.h"
#include "translate.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char lw_cl_how_to_install[] = "error: OpenCL C needs clang with the SPIR-V target: install clang-22, "
                                    "or the wheel lanewise[clang], or name a compiler in LANEWISE_CLANG; "
                                    "SPIR-V modules (clCreateProgramWithIL) need none";

/* clang-22 in the Python environment whose wheel this library is part of (`lanewise[clang]`), activated or
 * not: P/lib/pythonX.Y/site-packages/lanewise/lib/lanewise/ is ours, P/bin/ the environment's programs. */
static bool
find_in_environment(char *path, size_t size)
{
    static const char ours[] = "/site-packages/lanewise/lib/lanewise/";
    Dl_info info;
    char *real =
        dladdr(__extension__(void *) lw_cl_source_compiler, &info) ? realpath(info.dli_fname, NULL) : NULL;
    char *end = real ? strstr(real, ours) : NULL;

    for (int up = 0; end && up < 2; up++) { /* over pythonX.Y and lib */
        *end = '\0';
        end = strrchr(real, '/');
    }
    if (end)
        *end = '\0';
    bool found = end && snprintf(path, size, "%s/bin/clang-22", real) < (int)size && access(path, X_OK) == 0;
    free(real);
    return found;
}

bool
lw_cl_source_compiler(char *path, size_t size)
{
    static const char *const names[] = {"clang-22", "clang-23", "clang-24"};
    const char *own = secure_getenv("LANEWISE_CLANG"); /* it is run */
    if (own && *own)
        return snprintf(path, size, "%s", own) < (int)size && access(path, X_OK) == 0;
    for (const char *at = lw_cl_program_folders(); *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (snprintf(path, size, "%.*s/%s", (int)length, at, names[i]) < (int)size &&
                access(path, X_OK) == 0)
                return true;
        at += length;
    }
    return find_in_environment(path, size);
}

/* Keeps the module with what clang said, unless it depends on what nobody can know. */
static void
keep(cl_program program, const struct lw_cl_source *source, const struct lw_cl_texts *texts,
     const struct timespec *start, const struct lw_object_key *key, const void *module, const char *said)
{
    size_t size;
    struct lw_cl_words depends = {0};
    char *rule = lw_cl_file_text(texts->rule, &size);
    if (rule && lw_cl_list_dependencies(program, source, rule, start, &depends))
        lw_cl_keep_source(program, key, module, *source->size, said, &depends);
    free(depends.text);
    free(rule);
}

/* With -Werror: a pragma that clang ignores, and that is for no extension of the device. */
static bool
is_pragma_an_error(const struct lw_cl_source *source, const char *said)
{
    return source->options->werror && said && strstr(said, "[-Wignored-pragmas]");
}

/* What clang said is in the program's log and, where it is to be kept, on the disk. */
static void *
compile_texts(const struct lw_cl_texts *texts, cl_program program, const struct lw_cl_source *source,
              const struct lw_object_key *key)
{
    char *ir = NULL, *said = NULL;
    struct timespec start;
    clock_gettime(CLOCK_REALTIME_COARSE, &start);
    void *module = lw_cl_compile_attempts(texts, source, &ir, &said);
    if (said)
        lw_cl_tidy_messages(said, lw_cl_header_folder(source), source->device);
    if (said && *said)
        lw_cl_log(program, "%s", said);
    if (module && is_pragma_an_error(source, said)) {
        lw_cl_log(program, "error: a pragma is ignored (-Werror)");
        free(module);
        module = NULL;
    } else if (!module && ir && !lw_cl_has_queues(ir)) {
        lw_cl_log(program, "error: the SPIR-V back end of %s failed", source->compiler);
    } else if (!module && !(said && *said)) {
        lw_cl_log(program, "error: %s did not run, or was ended", source->compiler);
    }
    if (module && ir)
        module = lw_cl_add_arg_info(ir, program->source, module, source->size);
    if (module && said && key)
        keep(program, source, texts, &start, key, module, said);
    free(said);
    free(ir);
    return module;
}

static void *
compile_anew(cl_program program, const struct lw_cl_source *source, const char *preamble,
             const struct lw_object_key *key)
{
    struct lw_cl_texts texts;
    void *module = lw_cl_write_texts(&texts, program, source, preamble)
                       ? compile_texts(&texts, program, source, key)
                       : NULL;
    lw_cl_close_texts(&texts);
    return module;
}

/* Which lanewise-spirv writes, and which state of it; none is one, too. */
static void
describe_writer(char *text, size_t size)
{
    char path[PATH_MAX];
    struct stat status;
    bool found = lw_cl_spirv_writer(path, sizeof path) && stat(path, &status) == 0;
    snprintf(text, size, "%s %lld %lld.%09ld", found ? path : "", found ? (long long)status.st_size : 0,
             found ? (long long)status.st_mtim.tv_sec : 0, found ? status.st_mtim.tv_nsec : 0);
}

void *
lw_cl_compile_source(cl_program program, const struct lw_cl_options *options,
                     const struct lw_cl_header *headers, cl_uint header_count, bool separate, size_t *size)
{
    char compiler[PATH_MAX];
    struct lw_object_key key;
    if (!lw_cl_source_compiler(compiler, sizeof compiler)) {
        lw_cl_log(program, "%s", lw_cl_how_to_install);
        return NULL;
    }
    struct lw_cl_header *all = lw_cl_is_cxx(options) ? lw_cl_add_own_headers(headers, &header_count) : NULL;
    struct lw_cl_source source = {
        program->context->device, compiler, options, all ? all : headers, header_count, separate, size};
    char *preamble = lw_cl_is_cxx(options) && !all ? NULL : lw_cl_make_preamble(&source, program->source);
    if (!preamble) {
        lw_cl_log(program, "error: no memory");
        free(all);
        return NULL;
    }
    char writer[PATH_MAX + 64], name[PATH_MAX];
    const char *debug = lw_cl_debug_word(&source);
    describe_writer(writer, sizeof writer);
    lw_cl_source_name(program, name, sizeof name);
    bool kept = lw_cl_source_key(
        program, &source, (const char *const[]){preamble, LW_SPIRV_EXTENSIONS, writer, name, debug, NULL},
        &key);
    void *module = kept ? lw_cl_find_source(program, &key, size) : NULL;
    if (!module) {
        const char *folder = program->devices[0]->device->cache_folder;
        int claim = kept ? lw_object_cache_claim(folder, &key) : -1; /* another process may be at it */
        module = kept ? lw_cl_find_source(program, &key, size) : NULL;
        if (!module)
            module = compile_anew(program, &source, preamble, kept ? &key : NULL);
        lw_object_cache_disclaim(claim);
    }
    free(preamble);
    free(all);
    return module;
}
