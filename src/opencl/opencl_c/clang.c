/* SPDX-License-Identifier: MIT */
/* clang's command line, and the IR that it makes of a program. */
#include "clang.h"

#include "../../objects.h"
#include "producer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* clang's own opinion of them: the target alone would promise everything. It passes over unknown names. */
static void
name_extensions(const struct _cl_device_id *device, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "-cl-ext=-all");
    for (size_t i = 0; lw_cl_extension(device, i) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, ",+%s", lw_cl_extension(device, i));
    for (size_t i = 0; lw_cl_feature(device, i) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, ",+%s", lw_cl_feature(device, i));
}

/* The tests of loops and the values that they leave are what integers of odd widths come from. */
static const char *const attempts[LW_CL_ATTEMPTS][8] = {
    {NULL},
    {"-mllvm", "-disable-lftr", "-mllvm", "-replexitval=never", NULL},
    /* With marks of lifetimes, ways out of blocks would go through one place that tells them apart. */
    [LW_CL_WITHOUT_PASSES] = {"-Xclang", "-disable-llvm-passes", "-Xclang",
                               "-disable-lifetime-markers", NULL},
};

static void
add_words(struct lw_cl_words *words, const char *const *list)
{
    for (; *list; list++)
        lw_cl_add_word(words, *list);
}

static void
add_file(struct lw_cl_words *words, const char *before, int file)
{
    char name[LW_CL_FILE_NAME_BYTES], word[LW_CL_FILE_NAME_BYTES + 8];
    lw_cl_file_name(file, name);
    snprintf(word, sizeof word, "%s%s", before, name);
    lw_cl_add_word(words, word);
}

static void
add_headers(struct lw_cl_words *words, const struct lw_cl_texts *texts, const struct lw_cl_source *source)
{
    char include[PATH_MAX];
    snprintf(include, sizeof include, "-I%s", lw_cl_header_folder(source));
    lw_cl_add_word(words, "-ivfsoverlay");
    add_file(words, "", texts->headers.overlay);
    lw_cl_add_word(words, include); /* before the program's own folders */
}

const char *
lw_cl_debug_word(const struct lw_cl_source *source)
{
    const struct lw_options *settings = &source->device->device->options;
    return settings->gdb ? "-g" : lw_wants_lines(settings) ? "-gline-tables-only" : NULL;
}

static bool
is_debug_asked(const struct lw_cl_source *source)
{
    for (const char *word = source->options->compiler; *word; word += strlen(word) + 1)
        if (strcmp(word, "-g") == 0)
            return true;
    return lw_cl_debug_word(source) != NULL;
}

static void
fill_command(struct lw_cl_words *words, const struct lw_cl_texts *texts, const struct lw_cl_source *source,
             unsigned attempt, const struct lw_cl_form *form)
{
    const struct lw_cl_options *options = source->options;
    const char *version = lw_cl_version_asked(options);
    char extensions[4096];
    name_extensions(source->device, extensions, sizeof extensions);
    lw_cl_add_word(words, source->compiler);
    if (!form->other) /* which does not know it */
        lw_cl_add_word(words, "--no-default-config");
    add_words(words,
              (const char *const[]){"-fno-crash-diagnostics",
                                    form->other ? "--target=spir64" : "--target=spirv64", "-x", "cl", NULL});
    if (source->header_count)
        add_headers(words, texts, source);
    add_file(words, "@", texts->options);
    if (!getauxval(AT_SECURE))        /* the folder is of a privileged program's user's choice */
        lw_cl_add_word(words, "-I."); /* the last of the folders, as other platforms have it */
    /* To clang 3.1 is 3.0 with extensions, which the device has. */
    lw_cl_add_word(words, strcmp(version, lw_cl_newest_version) == 0 ? "-cl-std=CL3.0" : version);
    add_words(words, (const char *const[]){"-Xclang", extensions,
                                           lw_cl_has_images(source->device) ? "-D__IMAGE_SUPPORT__=1"
                                                                            : "-U__IMAGE_SUPPORT__",
                                           options->flags & LW_BUILD_UNOPTIMIZED ? "-O1" : "-O2", NULL});
    add_words(words, attempts[attempt]);
    if (form->other)
        lw_cl_add_word(words, "-fno-slp-vectorize"); /* it makes vectors of pointers, which SPIR-V has not */
    /* llvm-spirv-15 ends on the variables that clang-15 tells of. */
    if (form->other && is_debug_asked(source))
        lw_cl_add_word(words, "-gline-tables-only");
    else if (lw_cl_debug_word(source))
        lw_cl_add_word(words, lw_cl_debug_word(source));
    if (form->keep_inline)
        lw_cl_add_word(words, "-fgnu89-inline");
    /* A warning in the days when many programs were written (clFFT's kernels). */
    if (!options->werror)
        lw_cl_add_word(words, "-Wno-error=incompatible-pointer-types");
    /* It takes #pragma OPENCL EXTENSION for few of the device's extensions; -Werror is to take all. */
    lw_cl_add_word(words, "-Wno-error=ignored-pragmas");
    add_words(words, (const char *const[]){"-fno-discard-value-names", "-cl-kernel-arg-info",
                                           "-fno-color-diagnostics", "-include", NULL});
    add_file(words, "", texts->preamble);
    add_words(words, (const char *const[]){"-MD", "-MT", "program", "-MF", NULL});
    add_file(words, "", texts->rule);
    add_words(words, (const char *const[]){form->other ? "-c" : "-S", "-emit-llvm", "-o", "-", NULL});
    add_file(words, "", texts->program);
}

/* What the child wrote, malloc'd; NULL: it failed. */
static char *
run_for_output(struct lw_cl_words *words, struct lw_cl_child *child, size_t *size)
{
    char *text = NULL;
    child->out = lw_cl_file(NULL, 0);
    if (child->out >= 0 && lw_cl_run(words, child))
        text = lw_cl_file_text(child->out, size);
    if (child->out >= 0)
        close(child->out);
    free(words->text);
    return text;
}

char *
lw_cl_make_ir(const struct lw_cl_texts *texts, const struct lw_cl_source *source, int log, unsigned attempt,
              const struct lw_cl_form *form, size_t *size)
{
    size_t count = 0;
    const struct lw_cl_headers *headers = &texts->headers;
    int *files = malloc((headers->count + 5) * sizeof *files);
    if (!files)
        return NULL;
    const int own[] = {texts->program, texts->preamble, texts->options, texts->rule, headers->overlay};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i] >= 0)
            files[count++] = own[i];
    if (headers->count)
        memcpy(files + count, headers->files, headers->count * sizeof *files);
    struct lw_cl_words words = {0};
    fill_command(&words, texts, source, attempt, form);
    char *ir =
        run_for_output(&words,
                       &(struct lw_cl_child){
                           .in = -1, .messages = log, .files = files, .file_count = count + headers->count},
                       size);
    free(files);
    return ir;
}

/* C leaves out what is only `inline` and too large for it: programs count on it all the same. (C++ does not.)
 */
char *
lw_cl_read_ir(const struct lw_cl_texts *texts, const struct lw_cl_source *source, int log, unsigned attempt)
{
    size_t ignored;
    char *ir = lw_cl_make_ir(texts, source, log, attempt, &(struct lw_cl_form){0}, &ignored);
    if (!ir || lw_cl_is_cxx(source->options) || !lw_cl_ir_lacks_inline(ir))
        return ir;
    free(ir);
    return lw_cl_make_ir(texts, source, log, attempt, &(struct lw_cl_form){.keep_inline = true}, &ignored);
}
