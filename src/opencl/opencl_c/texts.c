/* SPDX-License-Identifier: MIT */
/* What one compilation of OpenCL C reads: the program, what is put before it, its builder's options and
 * headers, as anonymous files (producer.c). */
#include "texts.h"

#include "producer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char lw_cl_newest_version[] = "-cl-std=CL3.1";

const char *
lw_cl_version_asked(const struct lw_cl_options *options)
{
    const char *version = "-cl-std=CL1.2";
    for (const char *word = options->compiler; *word; word += strlen(word) + 1)
        if (strncmp(word, "-cl-std=", 8) == 0)
            version = word;
    return version;
}

bool
lw_cl_is_cxx(const struct lw_cl_options *options)
{
    return strncmp(lw_cl_version_asked(options), "-cl-std=CLC++", 13) == 0;
}

/* Versions, and a macro for every extension and feature: clang knows few of them by itself. A language has
 * macros of its own. */
static void
write_device(FILE *file, const struct _cl_device_id *device, bool features, bool newest)
{
    fputs("#define __OPENCL_VERSION__ 310\n#define CL_VERSION_3_1 310\n", file);
    if (newest)
        fputs("#undef __OPENCL_C_VERSION__\n#define __OPENCL_C_VERSION__ 310\n", file);
    const char *name;
    for (size_t i = 0; (name = lw_cl_extension(device, i)); i++)
        if (strcmp(name, "cl_ext_cxx_for_opencl") != 0)
            fprintf(file, "#ifndef %s\n#define %s 1\n#endif\n", name, name);
    for (size_t i = 0; features && lw_cl_feature(device, i); i++)
        fprintf(file, "#ifndef %s\n#define %s 1\n#endif\n", lw_cl_feature(device, i),
                lw_cl_feature(device, i));
    fputs(lw_cl_declarations, file);
}

char *
lw_cl_make_preamble(const struct lw_cl_source *source, const char *program)
{
    const char *version = lw_cl_version_asked(source->options);
    bool newest = strcmp(version, lw_cl_newest_version) == 0;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    write_device(file, source->device, strncmp(version, "-cl-std=CL1", 11) != 0, newest);
    lw_cl_write_conversions(file, program);
    bool good = !ferror(file);
    if (fclose(file) == 0 && good)
        return text;
    free(text);
    return NULL;
}

/* What the program's builder chose: to clang by a file, where nothing is too long or taken for another file.
 */
static int
write_options(const struct lw_cl_options *options)
{
    struct lw_cl_words words = {0};
    lw_cl_add_own_functions(&words);
    for (const char *word = options->compiler; *word; word += strlen(word) + 1)
        /* Of code without any pass the back end makes operands of two widths: (uint)(ushort)a_long. */
        if (strcmp(word, "-cl-opt-disable") != 0 && strncmp(word, "-cl-std=", 8) != 0)
            lw_cl_add_word(&words, word);
    int file = lw_cl_word_file(&words);
    free(words.text);
    return file;
}

/* Messages and __FILE__ name the text, not our file. */
static int
write_text(const char *name, const char *text)
{
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    if (!out)
        return -1;
    fprintf(out, "#line 1 \"%s\"\n%s", name, strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text);
    int file = fclose(out) == 0 ? lw_cl_file(all, size) : -1;
    free(all);
    return file;
}

bool
lw_cl_write_texts(struct lw_cl_texts *texts, cl_program program, const struct lw_cl_source *source,
                  const char *preamble)
{
    char name[PATH_MAX];
    lw_cl_source_name(program, name, sizeof name);
    *texts = (struct lw_cl_texts){.program = write_text(name, program->source),
                                  .preamble = write_text("lanewise-preamble.h", preamble),
                                  .options = write_options(source->options),
                                  .rule = lw_cl_file(NULL, 0),
                                  .headers = {.overlay = -1}};
    if (texts->program < 0 || texts->preamble < 0 || texts->options < 0 || texts->rule < 0) {
        lw_cl_log(program, "error: no memory, or too many open files");
        return false;
    }
    return !source->header_count || lw_cl_headers_make(program, source, &texts->headers);
}

void
lw_cl_close_texts(struct lw_cl_texts *texts)
{
    const int own[] = {texts->program, texts->preamble, texts->options, texts->rule};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i] >= 0)
            close(own[i]);
    lw_cl_headers_free(&texts->headers);
}
