/* SPDX-License-Identifier: MIT */
/* Buffers from .npy files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contents.h"
#include "text.h"

/* The header's dictionary holds 'descr': '<f4': its letter and size must be the buffer's. */
static bool
check_type(const char *path, const char *header, const struct element *element, char *error,
           size_t error_bytes)
{
    static const char letters[] = {'i', 'u', 'f'};
    const char *at = strstr(header, "'descr'");
    char order, letter;
    unsigned bytes;

    if (!at || sscanf(at, "'descr' : '%c%c%u'", &order, &letter, &bytes) != 3) {
        snprintf(error, error_bytes, "%s: the header of the .npy file is not understood", path);
        return false;
    }
    if (order == '>' || letter != letters[element->kind] || bytes != element->bytes) {
        snprintf(error, error_bytes, "%s: has elements of type %c%c%u, the buffer takes <%c%u", path, order,
                 letter, bytes, letters[element->kind], element->bytes);
        return false;
    }
    if (strstr(header, "'fortran_order': True")) {
        snprintf(error, error_bytes, "%s: is in Fortran order; C order is taken", path);
        return false;
    }
    return true;
}

bool
npy_read(const char *path, const struct element *element, size_t components, void *data, char *error,
         size_t error_bytes)
{
    size_t bytes = 0, header_bytes, start, wanted = components * element->bytes;
    unsigned char *file = (unsigned char *)file_read(path, &bytes);
    char *header;
    bool good;

    if (!file) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        return false;
    }
    start = bytes >= 12 && file[6] >= 2 ? 12 : 10;
    if (bytes < 12 || memcmp(file, "\x93NUMPY", 6)) {
        snprintf(error, error_bytes, "%s: is no .npy file", path);
        free(file);
        return false;
    }
    header_bytes = file[8] | (size_t)file[9] << 8;
    if (start == 12)
        header_bytes |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (header_bytes > bytes - start) {
        snprintf(error, error_bytes, "%s: the .npy file is cut short", path);
        free(file);
        return false;
    }
    header = text_make("%.*s", (int)header_bytes, (const char *)file + start);
    good = check_type(path, header, element, error, error_bytes);
    free(header);
    if (good && bytes - start - header_bytes < wanted) {
        snprintf(error, error_bytes, "%s: holds %zu bytes of data, the buffer takes %zu", path,
                 bytes - start - header_bytes, wanted);
        good = false;
    }
    if (good)
        memcpy(data, file + start + header_bytes, wanted);
    free(file);
    return good;
}
