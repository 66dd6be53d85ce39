/* SPDX-License-Identifier: MIT */
/* From clang's IR to a module that our own check takes.
 *
 * lanewise-spirv, beside this library, makes the IR legal and writes it. Where it is missing, or cannot,
 * clang's own back end writes what lw_cl_mend_ir made of the text. A module that the check refuses for what
 * the writer did is made again: of IR with fewer passes (source.c), at last by clang-15 and llvm-spirv-15,
 * where those are installed.
 */
#include "translate.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../objects.h"
#include "producer.h"
#include "producer/spirv_options.h"
#include "spirv/module.h"
#include "spirv/module_check.h"

#define WRITER "lanewise-spirv"

bool
lw_cl_spirv_writer(char *path, size_t size)
{
    static const char *const places[] = {"", "/../../producer"};
    Dl_info info;
    if (!dladdr(__extension__(void *) lw_cl_spirv_writer, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++)
        if (snprintf(path, size, "%.*s%s/" WRITER, (int)(slash - info.dli_fname), info.dli_fname, places[i]) <
                (int)size &&
            access(path, X_OK) == 0)
            return true;
    return false;
}

/* ---- What writes ---- */

static void *
run_on(struct lw_cl_words *words, const void *text, size_t size, int log, size_t *written)
{
    int in = lw_cl_file(text, size), out = lw_cl_file(NULL, 0);
    void *module = NULL;
    if (in < 0 || out < 0)
        free(words->text);
    else if (lw_cl_run(words, &(struct lw_cl_child){.in = in, .out = out, .messages = log}))
        module = lw_cl_file_text(out, written);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return module;
}

/* What it says is for no program's log: another way follows. */
static void *
run_writer(const char *mended, bool whole, const char *optimize, size_t *size)
{
    char path[PATH_MAX];
    struct lw_cl_words words = {0};
    int log = lw_cl_spirv_writer(path, sizeof path) ? lw_cl_file(NULL, 0) : -1;
    if (log < 0)
        return NULL;
    lw_cl_add_word(&words, path);
    if (whole)
        lw_cl_add_word(&words, "--whole");
    if (optimize)
        lw_cl_add_word(&words, optimize);
    void *module = run_on(&words, mended, strlen(mended), log, size);
    close(log);
    return module;
}

static void *
run_clang(const char *mended, const char *compiler, int log, size_t *size)
{
    const char *const list[] = {compiler, "--no-default-config", "-fno-crash-diagnostics", "--target=spirv64",
                                "-x", "ir", "-O2", "-Xclang", "-disable-llvm-passes", "-mllvm",
                                LW_SPIRV_EXTENSIONS,
                                /* It counts in integers of two or three bits, which SPIR-V does not have and
                                 * clang-22 writes as wider ones: wrong rounds, and operands of two widths. */
                                "-mllvm", "-disable-lsr", "-fno-color-diagnostics", "-c", "-", "-o", "-"};
    struct lw_cl_words words = {0};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        lw_cl_add_word(&words, list[i]);
    return run_on(&words, mended, strlen(mended), log, size);
}

void *
lw_cl_write_spirv(const char *ir, const struct lw_cl_source *source, bool last, int log, size_t *size)
{
    char *mended = lw_cl_mend_ir(ir, source->separate && !last);
    void *module = mended ? run_writer(mended, !source->separate, NULL, size) : NULL;
    if (!module && mended && (last || lw_cl_ir_is_plain(ir)))
        module = run_clang(mended, source->compiler, log, size);
    free(mended);
    return module;
}

void *
lw_cl_write_meetings(const char *ir, const struct lw_cl_source *source, size_t *size)
{
    const char *optimize =
        source->options->flags & LW_BUILD_UNOPTIMIZED ? "--optimize=O1" : "--optimize=O2";
    char *mended = lw_cl_mend_ir(ir, source->separate);
    void *module = mended ? run_writer(mended, !source->separate, optimize, size) : NULL;
    free(mended);
    return module;
}

/* ---- Another producer ---- */

/* The executable of a name in the folders for such. */
static bool
find_program(const char *name, char *path, size_t size)
{
    for (const char *at = lw_cl_program_folders(); *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        if (snprintf(path, size, "%.*s/%s", (int)length, at, name) < (int)size && access(path, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

bool
lw_cl_other_compiler(char *path, size_t size)
{
    char translator[PATH_MAX];
    return find_program("llvm-spirv-15", translator, sizeof translator) &&
           find_program("clang-15", path, size);
}

const char *
lw_cl_other_missing(void)
{
    char path[PATH_MAX];
    return !find_program("clang-15", path, sizeof path)        ? "clang-15"
           : !find_program("llvm-spirv-15", path, sizeof path) ? "llvm-spirv-15"
                                                               : NULL;
}

void *
lw_cl_translate_bitcode(const void *bitcode, size_t size, int log, size_t *written)
{
    char path[PATH_MAX];
    struct lw_cl_words words = {0};
    if (!find_program("llvm-spirv-15", path, sizeof path))
        return NULL;
    const char *const list[] = {path,
                                "--spirv-ext=+SPV_KHR_subgroup_rotate,+SPV_KHR_uniform_group_instructions,"
                                "+SPV_KHR_integer_dot_product,+SPV_INTEL_subgroups,"
                                "+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float_min_max",
                                "-", "-o", "-"};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        lw_cl_add_word(&words, list[i]);
    return run_on(&words, bitcode, size, log, written);
}

/* ---- What the check says ---- */

/* Whether another writer might do better: what the program asks for and we lack stays so. */
static bool
is_writers_fault(const lw_module *m, const lw_error *error)
{
    uint32_t op = error->word < m->word_count ? m->words[error->word] & 0xffff : SpvOpNop;
    bool no_program = error->status == LW_UNSUPPORTED && (op == SpvOpTypeInt || op == SpvOpTypeVector);
    bool no_function = error->status == LW_UNSUPPORTED && op == SpvOpFunctionCall &&
                       (strstr(error->text, "function _Z") || strstr(error->text, "function llvm.") ||
                        strstr(error->text, "function spirv."));
    return error->status == LW_BAD_MODULE || no_program || no_function;
}

bool
lw_cl_is_sound(const void *words, size_t size)
{
    lw_error error = {0};
    lw_module *m = lw_module_read(words, size, &error);
    bool sound = m && (lw_module_check(m, &error) || error.status != LW_BAD_MODULE);
    for (uint32_t i = 0; sound && i < m->entry_point_count; i++)
        sound = lw_kernel_check(m, i, &error) || !is_writers_fault(m, &error);
    lw_module_free(m);
    return sound;
}
