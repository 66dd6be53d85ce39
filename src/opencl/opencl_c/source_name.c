/* SPDX-License-Identifier: MIT */
/* The name that a program's text goes by in messages, __FILE__ and lines.
 *
 * For a debugger (LANEWISE_GDB) and reports (LANEWISE_EXPLAIN) it is a file that has the text,
 * TMPDIR/lanewise-UID/HASH/lanewise-program.cl, where they find what to show. It stays: debuggers read it
 * when they stop. The folder is the user's own, or not used.
 */
#include "../objects.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../objects.h"
#include "../../host/sha256.h"

#define PLAIN_NAME "lanewise-program.cl"

/* A folder that nobody else writes into. */
static bool
make_folder(const char *path)
{
    struct stat status;
    (void)mkdir(path, 0700);
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Whole, or not at all: another process may write the same. */
static bool
write_file(const char *path, const char *text)
{
    char partial[PATH_MAX];
    size_t size = strlen(text);
    if (access(path, R_OK) == 0)
        return true;
    if (snprintf(partial, sizeof partial, "%s.XXXXXX", path) >= (int)sizeof partial)
        return false;
    int file = mkstemp(partial);
    if (file < 0)
        return false;
    bool good = write(file, text, size) == (ssize_t)size;
    good = close(file) == 0 && good && rename(partial, path) == 0;
    if (!good)
        unlink(partial);
    return good;
}

void
lw_cl_source_name(cl_program program, char *path, size_t size)
{
    const char *temporary = secure_getenv("TMPDIR");
    struct lw_sha256 hash;
    unsigned char digest[32];
    int length = snprintf(path, size, "%s/lanewise-%u", temporary && *temporary ? temporary : "/tmp",
                          (unsigned)geteuid());
    const struct lw_options *settings = &program->devices[0]->device->options;
    bool good = (settings->gdb || settings->explain) && length < (int)size - 64 && make_folder(path);
    if (good) {
        lw_sha256_begin(&hash);
        lw_sha256_add(&hash, program->source, strlen(program->source));
        lw_sha256_end(&hash, digest);
        for (unsigned i = 0, at = (unsigned)length; i < 8; i++)
            at += (unsigned)snprintf(path + at, size - at, "%s%02x", i ? "" : "/", digest[i]);
        good = make_folder(path);
        strcat(path, "/" PLAIN_NAME);
        good = good && write_file(path, program->source);
    }
    if (!good)
        snprintf(path, size, "%s", PLAIN_NAME);
}
