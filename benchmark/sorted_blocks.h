/* SPDX-License-Identifier: MIT */
/* The reference of a kernel that sorts blocks of BLOCK integers: by NAME. */
#include "named.h"

static int
compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

REFERENCE(NAME)
{
    LIMIT_BUFFER(const int32_t, in);
    LIMIT_BUFFER(int32_t, out);

    memcpy(out, in, limit->size * sizeof *out);
    for (size_t i = 0; i < limit->size; i += BLOCK)
        qsort(out + i, BLOCK, sizeof *out, compare);
}
