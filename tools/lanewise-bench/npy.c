/* SPDX-License-Identifier: MIT */
/* Buffers from .npy files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contents.h"
#include "tools/shared/npy.h"

/* Reads all of it; false where the file became shorter. */
static bool
read_data(int fd, off_t from, unsigned char *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = pread(fd, to + done, bytes - done, from + (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Its letter and size must be the buffer's. */
static bool
check(const struct lw_npy *npy, const struct element *element, size_t components, const char *path,
      char *error, size_t error_bytes)
{
    static const char letters[] = {'i', 'u', 'f'};

    if (npy->letter != letters[element->kind] || npy->bytes != element->bytes) {
        snprintf(error, error_bytes, "%s: has elements of type %c%u, the buffer takes %c%u", path,
                 npy->letter, npy->bytes, letters[element->kind], element->bytes);
        return false;
    }
    if (npy->count < components) {
        snprintf(error, error_bytes, "%s: holds %zu elements, the buffer takes %zu", path, npy->count,
                 components);
        return false;
    }
    return true;
}

bool
npy_read(const char *path, const struct element *element, size_t components, void *data, char *error,
         size_t error_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct lw_npy npy;
    char why[200];
    bool good = false;

    if (fd < 0) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        return false;
    }
    if (!lw_npy_read_header(fd, &npy, why))
        snprintf(error, error_bytes, "%s: %s", path, why);
    else if (check(&npy, element, components, path, error, error_bytes) &&
             !(good = read_data(fd, npy.data, data, components * element->bytes)))
        snprintf(error, error_bytes, "%s: cannot be read", path);
    close(fd);
    if (good && npy.swapped)
        lw_npy_swap(components, npy.bytes, data);
    return good;
}
