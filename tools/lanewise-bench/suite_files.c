/* SPDX-License-Identifier: MIT */
/* The files of a kernel: made by the build for the built-in suite, by clang-22 here for users' folders. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "paths.h"
#include "suite.h"
#include "text.h"

#define MAX_WORDS 64

struct command {
    char *words[MAX_WORDS + 1];
    size_t count;
};

static void
command_add(struct command *command, const char *words)
{
    char *copy = text_copy(words), *save = NULL;

    for (char *word = strtok_r(copy, " \t", &save); word && command->count < MAX_WORDS;
         word = strtok_r(NULL, " \t", &save))
        command->words[command->count++] = text_copy(word);
    free(copy);
}

static void
command_add_one(struct command *command, const char *word)
{
    if (command->count < MAX_WORDS)
        command->words[command->count++] = text_copy(word);
}

/* Runs and frees the command. NULL: it succeeded; else what it wrote, for the caller to free. */
static char *
command_run(struct command *command, const char *folder)
{
    char *log = text_make("%s/compiler.log", folder), *said;
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        int file = open(log, O_CREAT | O_TRUNC | O_WRONLY, 0600);

        if (file >= 0) {
            dup2(file, 1);
            dup2(file, 2);
        }
        execvp(command->words[0], command->words);
        dprintf(2, "%s: %s\n", command->words[0], strerror(errno));
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    said = child < 0 || status ? file_read(log, NULL) : NULL;
    if ((child < 0 || status) && !said)
        said = text_copy("the compiler could not be run");
    free(log);
    for (size_t i = 0; i < command->count; i++)
        free(command->words[i]);
    return said;
}

/* Beside the description, or in the folder above. */
static char *
find_file(const struct description *description, const char *name)
{
    const char *slash = strrchr(description->folder, '/');
    char *path = name[0] == '/' ? text_copy(name) : text_make("%s/%s", description->folder, name);

    if (file_exists(path) || name[0] == '/')
        goto done;
    free(path);
    path = slash ? text_make("%.*s/%s", (int)(slash - description->folder), description->folder, name)
                 : text_make("../%s", name);
done:
    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

/* Headers lie where sources do. */
static void
add_folders(struct command *command, const struct description *description)
{
    char *above = text_make("%s/..", description->folder);

    command_add_one(command, "-I");
    command_add_one(command, description->folder);
    command_add_one(command, "-I");
    command_add_one(command, above);
    free(above);
}

/* The same for all kernels of a file, so that it is compiled once: FNV-1a of its path and what else counts.
 */
static char *
made_name(const char *folder, const char *path, const char *options, const char *extension)
{
    const char *parts[2] = {path, options ? options : ""};
    uint64_t hash = 0xcbf29ce484222325;

    for (int i = 0; i < 2; i++)
        for (const char *c = parts[i]; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    return text_make("%s/%016llx.%s", folder, (unsigned long long)hash, extension);
}

static void
compile_source(struct suite_kernel *kernel, const char *folder)
{
    const struct description *description = kernel->description;
    struct command command = {0};

    kernel->il = made_name(folder, kernel->source, description->options, "spv");
    if (file_exists(kernel->il))
        return;
    command_add_one(&command, paths_clang());
    command_add(&command, "--target=spirv64 -x cl -cl-std=CL3.0 -O2 -fno-discard-value-names");
    if (description->options)
        command_add(&command, description->options);
    add_folders(&command, description);
    command_add(&command, "-c");
    command_add_one(&command, kernel->source);
    command_add(&command, "-o");
    command_add_one(&command, kernel->il);
    kernel->il_error = command_run(&command, folder);
    if (kernel->il_error) {
        free(kernel->il);
        kernel->il = NULL;
    }
}

/* NAME.EXTENSION; for a section of a file FILE.txt, else FILE.EXTENSION. NULL: there is none. */
static char *
find_own(const struct description *description, const char *name, const char *extension)
{
    const char *slash = strrchr(description->path, '/'), *stem = slash ? slash + 1 : description->path;
    char *own = text_make("%s.%s", name, extension), *found = find_file(description, own);

    free(own);
    if (found || !description->section || !text_ends_with(stem, ".txt"))
        return found;
    own = text_make("%.*s.%s", (int)strlen(stem) - 4, stem, extension);
    found = find_file(description, own);
    free(own);
    return found;
}

static bool
find_program(struct suite_kernel *kernel, const char *folder, char *error, size_t error_bytes)
{
    const struct description *description = kernel->description;
    char *wanted =
        description->source ? text_copy(description->source) : text_make("%s.cl", description->name);
    char *module = text_make("%s.spv", description->name);

    if (text_ends_with(wanted, ".spv")) {
        kernel->il = find_file(description, wanted);
    } else {
        kernel->source = description->source ? find_file(description, wanted)
                                             : find_own(description, description->name, "cl");
        if (kernel->built_in && paths_suite_modules())
            kernel->il = text_make("%s/%s", paths_suite_modules(), module);
        else
            kernel->il = find_file(description, module);
        if (kernel->il && !file_exists(kernel->il)) {
            free(kernel->il);
            kernel->il = NULL;
        }
        if (!kernel->il && kernel->source)
            compile_source(kernel, folder);
    }
    if (!kernel->il && !kernel->source)
        snprintf(error, error_bytes, "%s: there is no %s beside it, nor %s", description->path, wanted,
                 module);
    free(wanted);
    free(module);
    return kernel->il || kernel->source;
}

#define LIMIT_FLAGS "-ffp-contract=off -fno-math-errno "

/* As the build compiles the suite's C files; the OpenMP loops as a user would who has not heard of us. */
static const struct variant {
    const char *name, *flags;
} variants[] = {
    {"reference", LIMIT_FLAGS "-march=x86-64"},
    {"avx2", LIMIT_FLAGS "-march=x86-64-v3"},
    {"avx512",
     LIMIT_FLAGS "-march=x86-64-v4 -mavx512ifma -mavx512vbmi -mavx512vbmi2 -mavx512vnni -mavx512bitalg "
                 "-mavx512vpopcntdq -mprefer-vector-width=512"},
    {"openmp", "-fopenmp -march=native"},
    {"openmp-sse4.2", "-fopenmp -march=native -mno-avx"},
    {"openmp-avx2", "-fopenmp -march=native -mno-avx512f"},
};

static bool
compile_c(struct suite_kernel *kernel, const char *file, const char *name, const char *more,
          const char *folder, char **made, char *error, size_t error_bytes)
{
    struct command command = {0};
    const struct variant *variant = variants;
    char *said, *extension = text_make("%s%s.so", name, more);

    *made = made_name(folder, file, NULL, extension);
    free(extension);
    if (file_exists(*made))
        return true;
    while (strcmp(variant->name, name))
        variant++;
    command_add_one(&command, paths_clang());
    command_add(&command, "-std=gnu17 -O3 -fPIC -shared -Wall -Wno-unused-function");
    command_add(&command, variant->flags);
    command_add(&command, more);
    command_add(&command, "-I");
    command_add_one(&command, paths_limit_header());
    add_folders(&command, kernel->description);
    command_add_one(&command, file);
    command_add(&command, "-o");
    command_add_one(&command, *made);
    command_add(&command, "-lm");
    said = command_run(&command, folder);
    if (!said)
        return true;
    snprintf(error, error_bytes, "%s does not compile:\n%.3000s", file, said);
    free(said);
    free(*made);
    *made = NULL;
    return false;
}

/* Whether a C file has what a macro of limit.h begins. */
static bool
mentions(const char *file, const char *macro)
{
    char *text = file_read(file, NULL);
    bool found = text && strstr(text, macro);

    free(text);
    return found;
}

/* A user's C file. */
static bool
compile_versions(struct suite_kernel *kernel, const char *file, const char *folder,
                 const struct suite_wants *wants, char *error, size_t error_bytes)
{
    bool openmp = wants->openmp && (mentions(file, "LIMIT_LOOP(") || mentions(file, "LIMIT_OPENMP("));
    bool native = !wants->isa || !strncmp(wants->isa, "avx512", 6);
    char *variant = native ? text_copy("openmp") : text_make("openmp-%s", wants->isa);
    bool good = kernel->prepared ||
                compile_c(kernel, file, "reference", "", folder, &kernel->reference, error, error_bytes);

    if (good && wants->limit && mentions(file, "LIMIT_RUN("))
        good = compile_c(kernel, file, wants->limit, "", folder, &kernel->limit, error, error_bytes);
    for (int fast = 0; fast < 2 && good && openmp; fast++)
        good = compile_c(kernel, file, variant, fast ? " -ffast-math" : "", folder, &kernel->openmp[fast],
                         error, error_bytes);
    free(variant);
    return good;
}

bool
suite_prepare(struct suite_kernel *kernel, const char *folder, const struct suite_wants *wants, char *error,
              size_t error_bytes)
{
    const struct description *description = kernel->description;
    char *file;
    bool good = true;

    if (!kernel->prepared && !find_program(kernel, folder, error, error_bytes))
        return false;
    file = find_own(description, description->reference ? description->reference : description->name, "c");
    for (int i = 0; i < 2; i++) {
        free(kernel->openmp[i]);
        kernel->openmp[i] = NULL;
    }
    free(kernel->limit);
    kernel->limit = NULL;
    if (kernel->built_in && !getenv("LANEWISE_BENCH_SUITE")) {
        if (!kernel->prepared)
            kernel->reference = text_make("%s/limit-reference.so", paths_limits());
        kernel->limit = wants->limit ? text_make("%s/limit-%s.so", paths_limits(), wants->limit) : NULL;
    } else if (file) {
        good = compile_versions(kernel, file, folder, wants, error, error_bytes);
    }
    free(file);
    kernel->prepared = true;
    return good;
}
