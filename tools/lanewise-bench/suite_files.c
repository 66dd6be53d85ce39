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

static void
compile_source(struct suite_kernel *kernel, const char *folder)
{
    const struct description *description = kernel->description;
    struct command command = {0};

    kernel->il = text_make("%s/%s.spv", folder, description->name);
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
        kernel->source = find_file(description, wanted);
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

/* A user's C file, as the build compiles those of the suite. */
static bool
compile_c(struct suite_kernel *kernel, const char *file, const char *variant, const char *folder, char **made,
          char *error, size_t error_bytes)
{
    struct command command = {0};
    char *said;

    *made = text_make("%s/%s.%s.so", folder, kernel->description->name, variant);
    command_add_one(&command, paths_clang());
    command_add(&command,
                "-std=gnu17 -O3 -fPIC -shared -ffp-contract=off -fno-math-errno -Wall -Wno-unused-function");
    if (!strcmp(variant, "reference"))
        command_add(&command, "-march=x86-64");
    else if (!strcmp(variant, "avx2"))
        command_add(&command, "-march=x86-64-v3");
    else
        command_add(&command,
                    "-march=x86-64-v4 -mavx512ifma -mavx512vbmi -mavx512vbmi2 -mavx512vnni -mavx512bitalg "
                    "-mavx512vpopcntdq -mprefer-vector-width=512");
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

bool
suite_prepare(struct suite_kernel *kernel, const char *folder, const char *isa, char *error,
              size_t error_bytes)
{
    const struct description *description = kernel->description;
    char *file,
        *name = text_make("%s.c", description->reference ? description->reference : description->name);
    bool good = true;

    if (!kernel->prepared && !find_program(kernel, folder, error, error_bytes)) {
        free(name);
        return false;
    }
    file = find_file(description, name);
    if (kernel->built_in && !getenv("LANEWISE_BENCH_SUITE")) {
        if (!kernel->prepared)
            kernel->reference = text_make("%s/limit-reference.so", paths_limits());
        free(kernel->limit);
        kernel->limit = isa ? text_make("%s/limit-%s.so", paths_limits(), isa) : NULL;
    } else if (file) {
        if (!kernel->prepared)
            good = compile_c(kernel, file, "reference", folder, &kernel->reference, error, error_bytes);
        free(kernel->limit);
        kernel->limit = NULL;
        if (good && isa)
            good = compile_c(kernel, file, isa, folder, &kernel->limit, error, error_bytes);
    }
    free(file);
    free(name);
    kernel->prepared = true;
    return good;
}
