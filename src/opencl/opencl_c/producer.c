/* SPDX-License-Identifier: MIT */
/* Child processes that compile, and the anonymous files between them and us; see producer.h. */
#include "producer.h"
#include "../../compiler/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char safe_folders[] = "/usr/local/bin:/usr/bin:/bin";

const char *
lw_cl_program_folders(void)
{
    const char *path = secure_getenv("PATH"); /* what is found there is run */
    return path ? path : safe_folders;
}

/* ---- Anonymous files ---- */

/* Where the kernel or a sandbox has no memfd: a file that never had a name. */
static int
nameless_file(void)
{
    const char *folder = secure_getenv("TMPDIR");
    return open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
}

int
lw_cl_file(const void *data, size_t size)
{
    if (!lw_wire_may_write(size))
        return -1;
    int made = memfd_create("lanewise", MFD_CLOEXEC);
    if (made < 0 && (errno == ENOSYS || errno == EPERM || errno == EACCES))
        made = nameless_file();
    if (made < 0)
        return -1;
    int file = made;
    if (made < 3) { /* the child's standard streams, which this process has closed */
        file = fcntl(made, F_DUPFD_CLOEXEC, 3);
        close(made);
    }
    for (const char *at = data; file >= 0 && size;) {
        ssize_t written = write(file, at, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            close(file);
            return -1;
        }
        at += written;
        size -= (size_t)written;
    }
    return file;
}

void
lw_cl_file_name(int file, char name[LW_CL_FILE_NAME_BYTES])
{
    snprintf(name, LW_CL_FILE_NAME_BYTES, "/proc/self/fd/%d", file);
}

char *
lw_cl_file_text(int file, size_t *size)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return NULL;
    size_t all = (size_t)status.st_size, used = 0;
    char *text = malloc(all + 1);
    while (text && used < all) {
        ssize_t got = pread(file, text + used, all - used, (off_t)used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    if (text)
        text[used] = '\0';
    *size = used;
    return text;
}

/* ---- Arguments ---- */

static void
add_bytes(struct lw_cl_words *words, const char *bytes, size_t size)
{
    if (words->size + size > words->room) {
        size_t room = 2 * words->room + size + 256;
        char *grown = words->failed ? NULL : realloc(words->text, room);
        if (!grown) {
            words->failed = true;
            return;
        }
        words->text = grown;
        words->room = room;
    }
    memcpy(words->text + words->size, bytes, size);
    words->size += size;
}

void
lw_cl_add_word(struct lw_cl_words *words, const char *word)
{
    add_bytes(words, word, strlen(word) + 1);
    words->count += !words->failed;
}

/* A backslash before every character that ends or quotes words. */
int
lw_cl_word_file(const struct lw_cl_words *words)
{
    struct lw_cl_words quoted = {0};
    bool good = !words->failed;
    const char *word = words->text;
    for (size_t i = 0; i < words->count; i++, word += strlen(word) + 1) {
        good = good && *word == '-';
        for (const char *at = word; *at; at++) {
            if (strchr(" \t\r\n\v\f\"'\\", *at))
                add_bytes(&quoted, "\\", 1);
            add_bytes(&quoted, at, 1);
        }
        add_bytes(&quoted, "\n", 1);
    }
    int file = good && !quoted.failed ? lw_cl_file(quoted.text, quoted.size) : -1;
    free(quoted.text);
    return file;
}

/* ---- The child ---- */

/* What changes clang's outcome or makes it write files, and is no part of a program's build. */
static bool
is_for_compilers(const char *variable)
{
    static const char *const names[] = {"CPATH=",
                                        "C_INCLUDE_PATH=",
                                        "CPLUS_INCLUDE_PATH=",
                                        "COMPILER_PATH=",
                                        "CCC_OVERRIDE_OPTIONS=",
                                        "CC_PRINT_",
                                        "CC_LOG_DIAGNOSTICS",
                                        "CLANG_CRASH_DIAGNOSTICS_DIR=",
                                        "DEPENDENCIES_OUTPUT=",
                                        "SUNPRO_DEPENDENCIES=",
                                        "SOURCE_DATE_EPOCH="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The child's environment, which points into ours; NULL: no memory. */
static char **
make_environment(void)
{
    static char path[sizeof "PATH=" + sizeof safe_folders] = "PATH=/usr/local/bin:/usr/bin:/bin";
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    if (!list)
        return NULL;
    if (getauxval(AT_SECURE)) { /* nothing that the user of a privileged program chose */
        list[0] = path;
        return list;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_for_compilers(environ[i]))
            list[kept++] = environ[i];
    return list;
}

static char **
make_arguments(const struct lw_cl_words *words)
{
    char **list = words->failed || !words->count ? NULL : calloc(words->count + 1, sizeof *list);
    char *word = words->text;
    for (size_t i = 0; list && i < words->count; i++, word += strlen(word) + 1)
        list[i] = word;
    return list;
}

/* Its end; a process that ignores or collects all its children leaves us none to ask, only what it wrote. */
static bool
wait_for(pid_t child, int out)
{
    int status = 0;
    struct stat written;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fstat(out, &written) == 0 && written.st_size > 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
give_files(posix_spawn_file_actions_t *actions, const struct lw_cl_child *child)
{
    if (child->in < 0)
        posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(actions, child->in, 0);
    posix_spawn_file_actions_adddup2(actions, child->out < 0 ? child->messages : child->out, 1);
    posix_spawn_file_actions_adddup2(actions, child->messages, 2);
    for (size_t i = 0; i < child->file_count; i++) /* onto itself: it stays open */
        posix_spawn_file_actions_adddup2(actions, child->files[i], child->files[i]);
}

bool
lw_cl_run(struct lw_cl_words *words, const struct lw_cl_child *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    pid_t id;
    char **arguments = make_arguments(words), **environment = make_environment();
    bool good = false;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGCHLD);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    give_files(&actions, child);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    /* A compiler needs none of its parent's privileges: what texts include is read by the user's rights. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              (getauxval(AT_SECURE) ? POSIX_SPAWN_RESETIDS : 0));
    if (child->in >= 0)
        lseek(child->in, 0, SEEK_SET); /* the child shares the place where we stopped writing */
    if (arguments && environment &&
        posix_spawn(&id, arguments[0], &actions, &attributes, arguments, environment) == 0)
        good = wait_for(id, child->out < 0 ? child->messages : child->out);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(arguments);
    free(environment);
    free(words->text);
    *words = (struct lw_cl_words){0};
    return good;
}
