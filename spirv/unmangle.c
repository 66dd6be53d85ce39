/* SPDX-License-Identifier: MIT */
/* The names of imported functions as clang mangles them: _Z7barrierj is "barrier" and "j". */
#include "support.h"

#include <string.h>

uint32_t
lw_unmangle(const char *mangled, const char **name, const char **parameters)
{
    if (mangled[0] != '_' || mangled[1] != 'Z') {
        *name = mangled;
        *parameters = mangled + strlen(mangled);
        return (uint32_t)strlen(mangled);
    }
    const char *c = mangled + 2;
    uint32_t length = 0;
    while (*c >= '0' && *c <= '9' && length < 1000)
        length = length * 10 + (uint32_t)(*c++ - '0');
    if (strlen(c) < length)
        return 0;
    *name = c;
    *parameters = c + length;
    return length;
}
