/* SPDX-License-Identifier: MIT */
/* OpenCL C to SPIR-V: clang, where one with the SPIR-V target is installed, as a child process.
 *
 * Source and headers are written to a private folder, the child's messages to a file in it; both are gone
 * when this returns. LANEWISE_CLANG names another compiler. What was compiled before comes from the disk
 * cache (source_cache.c).
 */
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../folder.h"
#include "../object_cache.h"
#include "spirv/module.h"

extern char **environ;

const char lw_cl_how_to_install[] = "error: OpenCL C needs clang with the SPIR-V target: install clang-22, "
                                    "or name a compiler in LANEWISE_CLANG; "
                                    "SPIR-V modules (clCreateProgramWithIL) need none";

bool
lw_cl_source_compiler(char *path, size_t size)
{
    static const char *const names[] = {"clang-22", "clang-23", "clang-24"};
    const char *own = secure_getenv("LANEWISE_CLANG"); /* it is run */
    if (own && *own)
        return snprintf(path, size, "%s", own) < (int)size && access(path, X_OK) == 0;
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : "/usr/bin"; *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (snprintf(path, size, "%.*s/%s", (int)length, at, names[i]) < (int)size &&
                access(path, X_OK) == 0)
                return true;
        at += length;
    }
    return false;
}

/* ---- Files ---- */

static bool
write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wxe");
    if (!file)
        return false;
    bool good = fputs(text, file) >= 0;
    return (fclose(file) == 0) && good;
}

/* In a folder of its own, where includes in quotes look first, under a name that none has. */
#define TEXT "/text"
#define PROGRAM TEXT "/lanewise-program.cl"
#define PREAMBLE "/preamble.h"
/* Where headers are: where names climb, so deep that they are still in the folder. */
static const char *
header_folder(const struct lw_cl_source *source)
{
    for (cl_uint i = 0; i < source->header_count; i++)
        if (strstr(source->headers[i].name, ".."))
            return "/include/1/2/3/4/5/6/7/8";
    return "/include";
}

static bool
make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* All folders on the way, first to last; `path` is the headers' own. */
static bool
make_header_folders(const char *folder, const char *headers, char *path, size_t size)
{
    snprintf(path, size, "%s%s", folder, headers);
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        bool good = make_folder(path);
        *at = '/';
        if (!good)
            return false;
    }
    return make_folder(path);
}

/* A header may be in folders of its own, and its name may climb, but not out of ours. Of several with one
 * name the first counts. */
static bool
write_header(const char *folder, const char *headers, const struct lw_cl_header *header)
{
    char path[PATH_MAX];
    const char *name = header->name;
    if (name[0] == '/' || strlen(folder) + strlen(headers) + strlen(name) + 2 > sizeof path ||
        !make_header_folders(folder, headers, path, sizeof path))
        return false;
    const size_t least = strlen(folder) + strlen("/include");
    for (size_t used = strlen(path);; name += strspn(name, "/")) {
        size_t length = strcspn(name, "/");
        bool last = !name[length], here = length == 1 && *name == '.';
        if (length == 2 && strncmp(name, "..", 2) == 0) {
            path[used] = '\0';
            used = (size_t)(strrchr(path, '/') - path);
            if (last || used < least)
                return false;
        } else if (length && !here) {
            path[used++] = '/';
            memcpy(path + used, name, length);
            used += length;
        }
        path[used] = '\0';
        if (last)
            return length && !here && (write_file(path, header->text) || errno == EEXIST);
        if (!make_folder(path))
            return false;
        name += length;
    }
}

static void *
read_back(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rbe");
    struct stat status;
    if (!file)
        return NULL;
    char *data = fstat(fileno(file), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    if (data) {
        *size = fread(data, 1, (size_t)status.st_size, file);
        data[*size] = '\0';
    }
    fclose(file);
    return data;
}

/* ---- What the device has ---- */

/* The name at the front of a list of extensions, and what is behind it; NULL: there is none. */
static const char *
next_extension(const char *list, char name[80])
{
    size_t length = strcspn(list, " ");
    if (!length || length >= 80)
        return NULL;
    memcpy(name, list, length);
    name[length] = '\0';
    return list + length + strspn(list + length, " ");
}

/* Versions, and a macro for every extension and feature: clang knows few of them by itself. */
static void
write_device(FILE *file, bool features, bool newest)
{
    char name[80];
    fputs("#define __OPENCL_VERSION__ 310\n#define CL_VERSION_3_1 310\n", file);
    if (newest)
        fputs("#undef __OPENCL_C_VERSION__\n#define __OPENCL_C_VERSION__ 310\n", file);
    for (const char *at = lw_cl_extensions; (at = next_extension(at, name));)
        fprintf(file, "#ifndef %s\n#define %s 1\n#endif\n", name, name);
    for (size_t i = 0; features && lw_cl_feature(i); i++)
        fprintf(file, "#ifndef %s\n#define %s 1\n#endif\n", lw_cl_feature(i), lw_cl_feature(i));
    fputs(lw_cl_declarations, file);
}

/* clang's own opinion of them: the target alone would promise everything. It passes over unknown names. */
static void
name_extensions(char *out, size_t size)
{
    char name[80];
    size_t used = (size_t)snprintf(out, size, "-cl-ext=-all");
    for (const char *at = lw_cl_extensions; used < size && (at = next_extension(at, name));)
        used += (size_t)snprintf(out + used, size - used, ",+%s", name);
    for (size_t i = 0; lw_cl_feature(i) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, ",+%s", lw_cl_feature(i));
}

/* SPIR-V extensions that clang-22 may write; without them it ends where a function needs one. */
static const char spirv_extensions[] =
    "--spirv-ext=+SPV_EXT_relaxed_printf_string_address_space,+SPV_KHR_bit_instructions,"
    "+SPV_KHR_subgroup_rotate,+SPV_KHR_uniform_group_instructions,+SPV_KHR_integer_dot_product,"
    "+SPV_KHR_expect_assume,"
    "+SPV_KHR_linkonce_odr,+SPV_EXT_shader_atomic_float_add,+SPV_EXT_shader_atomic_float16_add,"
    "+SPV_EXT_shader_atomic_float_min_max,+SPV_INTEL_subgroups";

/* ---- The child ---- */

#define MAX_WORDS 1024

struct command {
    const char *words[MAX_WORDS + 1];
    size_t count;
    char extensions[4096];
};

static void
add(struct command *command, const char *word)
{
    if (command->count < MAX_WORDS)
        command->words[command->count++] = word;
}

static bool
run_child(const struct command *command, const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    pid_t child;
    int status = -1;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGCHLD);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawn(&child, command->words[0], &files, &attributes, (char **)command->words, environ);
    if (error == 0)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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

/* What clang is told besides, in turn, until its back end can write what its passes made. The tests of loops
 * and the values that they leave are what integers of odd widths come from. */
enum { ATTEMPTS = 3 };
static const char *const attempts[ATTEMPTS][8] = {
    {NULL},
    {"-mllvm", "-disable-lftr", "-mllvm", "-replexitval=never", NULL},
    {"-Xclang", "-disable-llvm-passes", NULL},
};

static void
fill_command(struct command *command, const char *compiler, const char *include,
             const struct lw_cl_options *options, unsigned attempt, bool keep_inline)
{
    const char *version = version_asked(options);
    bool optimise = true;
    add(command, compiler);
    add(command, "--target=spirv64");
    add(command, "-x");
    add(command, "cl");
    if (include) /* before the program's own folders */
        add(command, include);
    for (const char *word = options->compiler; *word; word += strlen(word) + 1) {
        /* Of code without any pass the back end makes operands of two widths: (uint)(ushort)a_long. */
        bool plain = strcmp(word, "-cl-opt-disable") == 0;
        optimise &= !plain;
        if (!plain && strncmp(word, "-cl-std=", 8) != 0)
            add(command, word);
    }
    /* To clang 3.1 is 3.0 with extensions, which the device has. */
    add(command, strcmp(version, newest_version) == 0 ? "-cl-std=CL3.0" : version);
    name_extensions(command->extensions, sizeof command->extensions);
    add(command, "-Xclang");
    add(command, command->extensions);
    add(command, "-U__IMAGE_SUPPORT__");
    add(command, optimise ? "-O2" : "-O1");
    for (const char *const *word = attempts[attempt]; *word; word++)
        add(command, *word);
    if (keep_inline)
        add(command, "-fgnu89-inline");
    /* Warnings in the days when many programs were written (clFFT's kernels). */
    if (!options->werror) {
        add(command, "-Wno-error=incompatible-pointer-types");
        add(command, "-Wno-error=int-conversion");
    }
    add(command, "-fno-discard-value-names");
    add(command, "-cl-kernel-arg-info");
    add(command, "-fno-color-diagnostics");
}

/* In two steps, as clang would: between them the IR tells what SPIR-V does not. */
static bool
make_ir(const char *folder, const struct lw_cl_source *source, const char *log, unsigned attempt,
        bool keep_inline)
{
    char input[PATH_MAX], output[PATH_MAX], include[PATH_MAX], preamble[PATH_MAX], rule[PATH_MAX];
    snprintf(input, sizeof input, "%s" PROGRAM, folder);
    snprintf(output, sizeof output, "%s/program.ll", folder);
    snprintf(include, sizeof include, "-I%s%s", folder, header_folder(source));
    snprintf(preamble, sizeof preamble, "%s" PREAMBLE, folder);
    snprintf(rule, sizeof rule, "%s/rule", folder);
    struct command *command = calloc(1, sizeof *command);
    if (!command)
        return false;
    fill_command(command, source->compiler, source->header_count ? include : NULL, source->options, attempt,
                 keep_inline);
    const char *const rest[] = {"-include", preamble,     "-MD", "-MF", rule,
                                "-S",       "-emit-llvm", input, "-o",  output};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
        add(command, rest[i]);
    bool good = command->count < MAX_WORDS && run_child(command, log);
    free(command);
    return good;
}

static bool
make_spirv(const char *folder, const char *compiler, const char *log)
{
    char source[PATH_MAX], output[PATH_MAX];
    snprintf(source, sizeof source, "%s/mended.ll", folder);
    snprintf(output, sizeof output, "%s/program.spv", folder);
    struct command *command = calloc(1, sizeof *command);
    if (!command)
        return false;
    const char *const words[] = {
        compiler, "--target=spirv64", "-x", "ir", "-O2", "-Xclang", "-disable-llvm-passes", "-mllvm",
        spirv_extensions,
        /* It counts in integers of two or three bits, which SPIR-V does not have and
         * clang-22 writes as wider ones: wrong rounds, and operands of two widths. */
        "-mllvm", "-disable-lsr", "-fno-color-diagnostics", "-c", source, "-o", output};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        add(command, words[i]);
    bool good = run_child(command, log);
    free(command);
    return good;
}

/* ---- From texts to the module ---- */

/* What the program is read behind; malloc'd. */
static char *
make_preamble(const struct lw_cl_source *source)
{
    const char *version = version_asked(source->options);
    bool newest = strcmp(version, newest_version) == 0;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    write_device(file, strncmp(version, "-cl-std=CL1", 11) != 0, newest);
    lw_cl_write_conversions(file);
    bool good = !ferror(file);
    if (fclose(file) == 0 && good)
        return text;
    free(text);
    return NULL;
}

static bool
write_texts(const char *folder, cl_program program, const struct lw_cl_source *source, const char *preamble)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s" TEXT, folder);
    bool good = make_folder(path);
    snprintf(path, sizeof path, "%s" PROGRAM, folder);
    good = good && write_file(path, program->source);
    snprintf(path, sizeof path, "%s" PREAMBLE, folder);
    if (!good || !write_file(path, preamble)) {
        lw_cl_log(program, "error: cannot write to %s", folder);
        return false;
    }
    for (cl_uint i = 0; i < source->header_count; i++)
        if (!write_header(folder, header_folder(source), &source->headers[i])) {
            lw_cl_log(program, "error: cannot write the header %.200s", source->headers[i].name);
            return false;
        }
    return true;
}

static char *
read_from(const char *folder, const char *name, size_t *size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_back(path, size);
}

static bool
write_mended(const char *folder, const char *ir, bool keep_all)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/mended.ll", folder);
    char *mended = lw_cl_mend_ir(ir, keep_all);
    unlink(path); /* of a first attempt */
    bool good = mended && write_file(path, mended);
    free(mended);
    return good;
}

/* Whether the back end wrote vectors that the compiler takes: clang's passes make 32 words of a long16. */
static bool
has_sound_vectors(const uint32_t *words, size_t count)
{
    for (size_t i = 5; i < count;) {
        size_t length = words[i] >> 16;
        if ((words[i] & 0xffff) == SpvOpTypeVector && i + 3 < count) {
            if (words[i + 3] > 16)
                return false;
        }
        if (length == 0)
            return true; /* the reader will say so */
        i += length;
    }
    return true;
}

/* C leaves out what is only `inline` and too large for it: programs count on it all the same. (C++ does not.)
 */
static char *
read_ir(const char *folder, const struct lw_cl_source *source, const char *log, unsigned attempt)
{
    size_t ignored;
    bool plain_c = strncmp(version_asked(source->options), "-cl-std=CLC++", 13) != 0;
    char *ir =
        make_ir(folder, source, log, attempt, false) ? read_from(folder, "program.ll", &ignored) : NULL;
    if (!ir || !plain_c || !lw_cl_ir_lacks_inline(ir))
        return ir;
    free(ir);
    return make_ir(folder, source, log, attempt, true) ? read_from(folder, "program.ll", &ignored) : NULL;
}

/* Runs the child twice; NULL where it failed, or where another attempt is the better choice. There is IR
 * then, unless the program is at fault. */
static void *
compile_once(const char *folder, const struct lw_cl_source *source, const char *log, unsigned attempt,
             char **ir)
{
    free(*ir);
    *ir = read_ir(folder, source, log, attempt);
    if (!*ir || (attempt + 1 < ATTEMPTS && !lw_cl_ir_is_plain(*ir)) ||
        !write_mended(folder, *ir, source->separate && attempt + 1 < ATTEMPTS) ||
        !make_spirv(folder, source->compiler, log))
        return NULL;
    void *module = read_from(folder, "program.spv", source->size);
    if (module && has_sound_vectors(module, *source->size / sizeof(uint32_t)))
        return module;
    free(module);
    return NULL;
}

/* What clang said is in the program's log and, where it is to be kept, on the disk. */
static void *
compile_in(const char *folder, cl_program program, const struct lw_cl_source *source,
           const struct lw_object_key *key)
{
    char log[PATH_MAX], *ir = NULL;
    size_t ignored;
    void *module = NULL;
    for (unsigned attempt = 0; attempt < ATTEMPTS && !module && (ir || attempt == 0); attempt++) {
        snprintf(log, sizeof log, "%s/log%u", folder, attempt);
        module = compile_once(folder, source, log, attempt, &ir);
    }
    char *said = read_back(log, &ignored);
    if (said && *said)
        lw_cl_log(program, "%s", said);
    if (!module && ir)
        lw_cl_log(program, "error: the SPIR-V back end of %s failed", source->compiler);
    else if (!module && !(said && *said))
        lw_cl_log(program, "error: %s did not run, or was ended", source->compiler);
    if (module)
        module = lw_cl_add_arg_info(ir, program->source, module, source->size);
    char *rule = module && key ? read_from(folder, "rule", &ignored) : NULL;
    if (rule && said && lw_cl_source_is_whole(rule, folder))
        lw_cl_keep_source(program, key, module, *source->size, said);
    free(rule);
    free(said);
    free(ir);
    return module;
}

static void *
compile_anew(cl_program program, const struct lw_cl_source *source, const char *preamble,
             const struct lw_object_key *key)
{
    char folder[PATH_MAX / 2];
    const char *where = getenv("TMPDIR");
    int length = snprintf(folder, sizeof folder, "%s/lanewise-XXXXXX", where && *where ? where : "/tmp");
    if (length >= (int)sizeof folder || !mkdtemp(folder)) {
        lw_cl_log(program, "error: no folder for temporary files: %s", strerror(errno));
        return NULL;
    }
    void *module =
        write_texts(folder, program, source, preamble) ? compile_in(folder, program, source, key) : NULL;
    lw_remove_folder(folder);
    return module;
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
    struct lw_cl_source source = {compiler, options, headers, header_count, separate, size};
    char *preamble = make_preamble(&source);
    if (!preamble) {
        lw_cl_log(program, "error: no memory");
        return NULL;
    }
    bool keep =
        lw_cl_source_key(program, &source, (const char *const[]){preamble, spirv_extensions, NULL}, &key);
    void *module = keep ? lw_cl_find_source(program, &key, size) : NULL;
    if (!module)
        module = compile_anew(program, &source, preamble, keep ? &key : NULL);
    free(preamble);
    return module;
}
