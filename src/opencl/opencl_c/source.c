/* SPDX-License-Identifier: MIT */
/* OpenCL C to SPIR-V: clang, where one with the SPIR-V target is installed, as a child process (producer.c).
 *
 * Texts go to it and come back by anonymous files. LANEWISE_CLANG names another compiler. What was compiled
 * before comes from the disk cache (source_cache.c).
 */
#include "../objects.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../native/object_cache.h"
#include "../../objects.h"
#include "dependencies.h"
#include "headers.h"
#include "messages.h"
#include "producer.h"
#include "producer/spirv_options.h"
#include "producer/telling.h"
#include "translate.h"

#include <dlfcn.h>

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

/* ---- What the device has ---- */

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

/* ---- Commands ---- */

static const char newest_version[] = "-cl-std=CL3.1";

/* The last of them counts. */
static const char *
version_asked(const struct lw_cl_options *options)
{
    const char *version = "-cl-std=CL1.2";
    for (const char *word = options->compiler; *word; word += strlen(word) + 1)
        if (strncmp(word, "-cl-std=", 8) == 0)
            version = word;
    return version;
}

static bool
is_cxx(const struct lw_cl_options *options)
{
    return strncmp(version_asked(options), "-cl-std=CLC++", 13) == 0;
}

/* What clang is told besides, in turn, until its back end can write what its passes made. The tests of loops
 * and the values that they leave are what integers of odd widths come from. */
enum { WITHOUT_PASSES = 2, ATTEMPTS };
static const char *const attempts[ATTEMPTS][8] = {
    {NULL},
    {"-mllvm", "-disable-lftr", "-mllvm", "-replexitval=never", NULL},
    [WITHOUT_PASSES] = {"-Xclang", "-disable-llvm-passes", NULL},
};

/* The anonymous files of one compilation; those that were not made are -1. */
struct texts {
    int program, preamble, options, rule; /* the last for clang to write */
    struct lw_cl_headers headers;
};

static void
add_words(struct lw_cl_words *words, const char *const *list)
{
    for (; *list; list++)
        lw_cl_add_word(words, *list);
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

static void
add_file(struct lw_cl_words *words, const char *before, int file)
{
    char name[LW_CL_FILE_NAME_BYTES], word[LW_CL_FILE_NAME_BYTES + 8];
    lw_cl_file_name(file, name);
    snprintf(word, sizeof word, "%s%s", before, name);
    lw_cl_add_word(words, word);
}

static void
add_headers(struct lw_cl_words *words, const struct texts *texts, const struct lw_cl_source *source)
{
    char include[PATH_MAX];
    snprintf(include, sizeof include, "-I%s", lw_cl_header_folder(source));
    lw_cl_add_word(words, "-ivfsoverlay");
    add_file(words, "", texts->headers.overlay);
    lw_cl_add_word(words, include); /* before the program's own folders */
}

/* How clang is to compile. */
struct form {
    bool keep_inline;
    bool other; /* clang-15, to bitcode, instead of clang-22, to text */
};

/* What clang is to tell of lines and variables, where a debugger or profiler asks; NULL: what the program's
 * builder says. */
static const char *
debug_word(const struct lw_cl_source *source)
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
    return debug_word(source) != NULL;
}

static void
fill_command(struct lw_cl_words *words, const struct texts *texts, const struct lw_cl_source *source,
             unsigned attempt, const struct form *form)
{
    const struct lw_cl_options *options = source->options;
    const char *version = version_asked(options);
    char extensions[4096];
    name_extensions(source->device, extensions, sizeof extensions);
    lw_cl_add_word(words, source->compiler);
    if (!form->other) /* which does not know it */
        lw_cl_add_word(words, "--no-default-config");
    add_words(words, (const char *const[]){"-fno-crash-diagnostics",
                                           form->other ? "--target=spir64" : "--target=spirv64", "-x", "cl",
                                           NULL});
    if (source->header_count)
        add_headers(words, texts, source);
    add_file(words, "@", texts->options);
    if (!getauxval(AT_SECURE)) /* the folder is of a privileged program's user's choice */
        lw_cl_add_word(words, "-I."); /* the last of the folders, as other platforms have it */
    /* To clang 3.1 is 3.0 with extensions, which the device has. */
    lw_cl_add_word(words, strcmp(version, newest_version) == 0 ? "-cl-std=CL3.0" : version);
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
    else if (debug_word(source))
        lw_cl_add_word(words, debug_word(source));
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

/* clang's IR of the program: it tells what SPIR-V does not. */
static char *
make_ir(const struct texts *texts, const struct lw_cl_source *source, int log, unsigned attempt,
        const struct form *form, size_t *size)
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

/* ---- From texts to the module ---- */

/* What the program is read behind; malloc'd. */
static char *
make_preamble(const struct lw_cl_source *source, const char *program)
{
    const char *version = version_asked(source->options);
    bool newest = strcmp(version, newest_version) == 0;
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

static bool
write_texts(struct texts *texts, cl_program program, const struct lw_cl_source *source, const char *preamble)
{
    char name[PATH_MAX];
    lw_cl_source_name(program, name, sizeof name);
    *texts = (struct texts){.program = write_text(name, program->source),
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

static void
close_texts(struct texts *texts)
{
    const int own[] = {texts->program, texts->preamble, texts->options, texts->rule};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i] >= 0)
            close(own[i]);
    lw_cl_headers_free(&texts->headers);
}

/* C leaves out what is only `inline` and too large for it: programs count on it all the same. (C++ does not.)
 */
static char *
read_ir(const struct texts *texts, const struct lw_cl_source *source, int log, unsigned attempt)
{
    size_t ignored;
    char *ir = make_ir(texts, source, log, attempt, &(struct form){0}, &ignored);
    if (!ir || is_cxx(source->options) || !lw_cl_ir_lacks_inline(ir))
        return ir;
    free(ir);
    return make_ir(texts, source, log, attempt, &(struct form){.keep_inline = true}, &ignored);
}

/* Where some of a sub-group may meet, clang's passes have led them elsewhere: of IR that no pass has seen
 * lanewise-spirv makes a module in which they meet where the source has it. NULL: `ir` has nothing of the
 * kind, or there is no such module. */
static void *
compile_meetings(const struct texts *texts, const struct lw_cl_source *source, const char *ir, size_t *size)
{
    int log = lw_names_telling(ir) ? lw_cl_file(NULL, 0) : -1; /* all was said the first time */
    if (log < 0)
        return NULL;
    char *plain = read_ir(texts, source, log, WITHOUT_PASSES);
    void *module = plain ? lw_cl_write_meetings(plain, source, size) : NULL;
    free(plain);
    close(log);
    if (module && !lw_cl_is_sound(module, *size)) {
        free(module);
        module = NULL;
    }
    return module;
}

/* By clang-15 and llvm-spirv-15, where they are installed: other faults than clang-22's, if any. */
static void *
compile_otherwise(const struct texts *texts, const struct lw_cl_source *source, size_t *size, char **said)
{
    char compiler[PATH_MAX];
    struct lw_cl_source other = *source;
    size_t bitcode_size;
    int log = lw_cl_other_compiler(compiler, sizeof compiler) ? lw_cl_file(NULL, 0) : -1;
    if (log < 0)
        return NULL;
    other.compiler = compiler;
    void *module = NULL;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !module; attempt += WITHOUT_PASSES) {
        void *bitcode = make_ir(texts, &other, log, attempt, &(struct form){.other = true}, &bitcode_size);
        module = bitcode ? lw_cl_translate_bitcode(bitcode, bitcode_size, log, size) : NULL;
        free(bitcode);
    }
    if (said && !module) {
        size_t ignored;
        *said = lw_cl_file_text(log, &ignored);
    }
    close(log);
    return module;
}

/* Device-side enqueue: clang-22's SPIR-V back end ends on queues and events, and loses which block is meant.
 */
static bool
has_queues(const char *ir)
{
    return strstr(ir, "\"spirv.Queue\"") || strstr(ir, "\"spirv.DeviceEvent\"") ||
           strstr(ir, "@__enqueue_kernel_");
}

static bool
has_blocks(const char *ir)
{
    return has_queues(ir) || strstr(ir, "_block_invoke_kernel(");
}

/* What the log says where neither front end can do it. */
static char *
say_missing(void)
{
    char text[300];
    const char *missing = lw_cl_other_missing();
    snprintf(text, sizeof text,
             "error: programs with queues on the device need clang-15 and llvm-spirv-15, as clang-22 makes "
             "no SPIR-V of "
             "them; %s is not installed\n",
             missing ? missing : "no file of theirs");
    return strdup(text);
}

/* The first attempt's module that our check takes; else another producer's, else the first one, of which the
 * check says what is wrong. There is IR, unless the program is at fault. */
static void *
compile_attempts(const struct texts *texts, const struct lw_cl_source *source, char **ir, char **said)
{
    void *module = NULL, *refused = NULL;
    size_t size = 0, refused_size = 0, ignored;
    char *objection = NULL; /* of the other producer */
    bool queues = false;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !module && !queues && (*ir || attempt == 0); attempt++) {
        int log = lw_cl_file(NULL, 0);
        if (log < 0)
            break;
        free(*ir);
        *ir = read_ir(texts, source, log, attempt);
        queues = *ir && has_queues(*ir);
        if (attempt == 0 && *ir && has_blocks(*ir))
            module = compile_otherwise(texts, source, &size, queues ? &objection : NULL);
        if (!module && !queues && *ir && attempt == 0)
            module = compile_meetings(texts, source, *ir, &size);
        if (!module && !queues)
            module = *ir ? lw_cl_write_spirv(*ir, source, attempt + 1 == ATTEMPTS, log, &size) : NULL;
        free(*said);
        *said = lw_cl_file_text(log, &ignored);
        close(log);
        if (!module || queues || lw_cl_is_sound(module, size))
            continue;
        if (refused)
            free(module);
        else
            refused = module, refused_size = size;
        module = NULL;
    }
    if (!module && queues) {
        free(*said);
        *said = objection ? objection : say_missing();
        objection = NULL;
    } else if (!module && (*ir || (*said && lw_cl_has_died(*said)))) { /* of queues compared, say */
        module = compile_otherwise(texts, source, &size, NULL);
    }
    if (module && !*ir) { /* nobody wants to know of it */
        free(*said);
        *said = NULL;
    }
    free(objection);
    if (module && refused && !lw_cl_is_sound(module, size)) {
        free(module);
        module = NULL;
    }
    *source->size = module ? size : refused_size;
    if (module)
        free(refused);
    return module ? module : refused;
}

/* Keeps the module with what clang said, unless it depends on what nobody can know. */
static void
keep(cl_program program, const struct lw_cl_source *source, const struct texts *texts,
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
compile_texts(const struct texts *texts, cl_program program, const struct lw_cl_source *source,
              const struct lw_object_key *key)
{
    char *ir = NULL, *said = NULL;
    struct timespec start;
    clock_gettime(CLOCK_REALTIME_COARSE, &start);
    void *module = compile_attempts(texts, source, &ir, &said);
    if (said)
        lw_cl_tidy_messages(said, lw_cl_header_folder(source), source->device);
    if (said && *said)
        lw_cl_log(program, "%s", said);
    if (module && is_pragma_an_error(source, said)) {
        lw_cl_log(program, "error: a pragma is ignored (-Werror)");
        free(module);
        module = NULL;
    } else if (!module && ir && !has_queues(ir)) {
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
    struct texts texts;
    void *module =
        write_texts(&texts, program, source, preamble) ? compile_texts(&texts, program, source, key) : NULL;
    close_texts(&texts);
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
    struct lw_cl_header *all = is_cxx(options) ? lw_cl_add_own_headers(headers, &header_count) : NULL;
    struct lw_cl_source source = {
        program->context->device, compiler, options, all ? all : headers, header_count, separate, size};
    char *preamble = is_cxx(options) && !all ? NULL : make_preamble(&source, program->source);
    if (!preamble) {
        lw_cl_log(program, "error: no memory");
        free(all);
        return NULL;
    }
    char writer[PATH_MAX + 64], name[PATH_MAX];
    const char *debug = debug_word(&source);
    describe_writer(writer, sizeof writer);
    lw_cl_source_name(program, name, sizeof name);
    bool kept =
        lw_cl_source_key(program, &source,
                         (const char *const[]){preamble, LW_SPIRV_EXTENSIONS, writer, name, debug, NULL},
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
