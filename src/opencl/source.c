/* SPDX-License-Identifier: MIT */
/* OpenCL C to SPIR-V: clang, where one with the SPIR-V target is installed, as a child process.
 *
 * Source and headers are written to a private folder, the child's messages to a file in it; both are gone
 * when this returns. LANEWISE_CLANG names another compiler.
 */
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char how_to_install[] = "error: OpenCL C needs clang with the SPIR-V target: install clang-22, "
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

/* A header may be in folders of its own; it may not climb out of ours. */
static bool
write_header(const char *folder, const struct lw_cl_header *header)
{
    char path[PATH_MAX];
    if (header->name[0] == '/' || strstr(header->name, "..") ||
        snprintf(path, sizeof path, "%s/include/%s", folder, header->name) >= (int)sizeof path)
        return false;
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return false;
        *at = '/';
    }
    return write_file(path, header->text);
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

static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* ---- The child ---- */

#define MAX_WORDS 1024

struct command {
    const char *words[MAX_WORDS + 1];
    size_t count;
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

static void
fill_command(struct command *command, const char *compiler, const struct lw_cl_options *options)
{
    bool version = false, optimise = true;
    add(command, compiler);
    add(command, "--target=spirv64");
    add(command, "-x");
    add(command, "cl");
    for (const char *word = options->compiler; *word; word += strlen(word) + 1) {
        version |= strncmp(word, "-cl-std=", 8) == 0;
        optimise &= strcmp(word, "-cl-opt-disable") != 0;
        add(command, word);
    }
    if (!version)
        add(command, "-cl-std=CL1.2");
    /* What the device does not have; the target alone would promise everything. */
    add(command, "-Xclang");
    add(command, "-cl-ext=-__opencl_c_images,-__opencl_c_read_write_images,-__opencl_c_3d_image_writes,"
                 "-__opencl_c_pipes,-__opencl_c_device_enqueue,-cl_khr_3d_image_writes");
    add(command, "-U__IMAGE_SUPPORT__");
    /* Without it clang-22 ends where a string of printf is chosen at run time. */
    add(command, "-mllvm");
    add(command, "--spirv-ext=+SPV_EXT_relaxed_printf_string_address_space");
    if (optimise)
        add(command, "-O2");
    add(command, "-fno-discard-value-names");
    add(command, "-cl-kernel-arg-info");
    add(command, "-fno-color-diagnostics");
}

static bool
compile_in(const char *folder, cl_program program, const struct lw_cl_options *options,
           const struct lw_cl_header *headers, cl_uint header_count, const char *compiler)
{
    char source[PATH_MAX], output[PATH_MAX], log[PATH_MAX], include[PATH_MAX];
    snprintf(source, sizeof source, "%s/program.cl", folder);
    snprintf(output, sizeof output, "%s/program.spv", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(include, sizeof include, "-I%s/include", folder);
    if (!write_file(source, program->source)) {
        lw_cl_log(program, "error: cannot write to %s", folder);
        return false;
    }
    for (cl_uint i = 0; i < header_count; i++)
        if (!write_header(folder, &headers[i])) {
            lw_cl_log(program, "error: cannot write the header %.200s", headers[i].name);
            return false;
        }
    struct command *command = calloc(1, sizeof *command);
    if (!command)
        return false;
    fill_command(command, compiler, options);
    if (header_count)
        add(command, include);
    add(command, "-c");
    add(command, source);
    add(command, "-o");
    add(command, output);
    bool fits = command->count < MAX_WORDS;
    bool good = fits && run_child(command, log);
    free(command);
    size_t size;
    char *text = read_back(log, &size);
    if (text && size)
        lw_cl_log(program, "%s", text);
    else if (!good)
        lw_cl_log(program, "error: %s did not run, or was ended", compiler);
    free(text);
    return good;
}

void *
lw_cl_compile_source(cl_program program, const struct lw_cl_options *options,
                     const struct lw_cl_header *headers, cl_uint header_count, size_t *size)
{
    char compiler[PATH_MAX], folder[PATH_MAX / 2], output[PATH_MAX];
    if (!lw_cl_source_compiler(compiler, sizeof compiler)) {
        lw_cl_log(program, "%s", how_to_install);
        return NULL;
    }
    const char *where = getenv("TMPDIR");
    int length = snprintf(folder, sizeof folder, "%s/lanewise-XXXXXX", where && *where ? where : "/tmp");
    if (length >= (int)sizeof folder || !mkdtemp(folder)) {
        lw_cl_log(program, "error: no folder for temporary files: %s", strerror(errno));
        return NULL;
    }
    void *module = NULL;
    if (compile_in(folder, program, options, headers, header_count, compiler)) {
        snprintf(output, sizeof output, "%s/program.spv", folder);
        module = read_back(output, size);
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return module;
}
