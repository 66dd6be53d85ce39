/* SPDX-License-Identifier: MIT */
/* Names of imported functions as clang mangles them: _Z7barrierj is "barrier" and "j", an unsigned int. */
#include "support.h"

#include <string.h>

/* A number at *c, taken off. */
static uint32_t
take_number(const char **c)
{
    uint32_t number = 0;
    while (**c >= '0' && **c <= '9' && number < 1000)
        number = number * 10 + (uint32_t)(*(*c)++ - '0');
    return number;
}

uint32_t
lw_unmangle(const char *mangled, const char **name, const char **parameters)
{
    if (mangled[0] != '_' || mangled[1] != 'Z') {
        *name = mangled;
        *parameters = mangled + strlen(mangled);
        return (uint32_t)strlen(mangled);
    }
    const char *c = mangled + 2;
    uint32_t length = take_number(&c);
    if (strlen(c) < length)
        return 0;
    *name = c;
    *parameters = c + length;
    return length;
}

/* Behind what qualifies a pointee: "V", "K", "U3AS1", "U7_Atomic". */
static const char *
behind_qualifiers(const char *c)
{
    while (*c == 'V' || *c == 'K' || *c == 'U')
        if (*c++ == 'U')
            for (uint32_t skip = take_number(&c); skip && *c; skip--)
                c++;
    return c;
}

const char *
lw_unmangle_type(const char *c, struct lw_mangled_type *out)
{
    static const struct {
        char letter, kind;
        uint8_t width;
    } types[] = {{'c', 's', 8},  {'a', 's', 8},  {'s', 's', 16}, {'i', 's', 32}, {'l', 's', 64},
                 {'h', 'u', 8},  {'t', 'u', 16}, {'j', 'u', 32}, {'m', 'u', 64}, {'f', 'f', 32},
                 {'d', 'f', 64}};
    *out = (struct lw_mangled_type){.lanes = 1, .points = *c == 'P'};
    if (out->points)
        c = behind_qualifiers(c + 1);
    if (c[0] == 'D' && c[1] == 'v') {
        c += 2;
        out->lanes = take_number(&c);
        c += *c == '_';
    }
    if (c[0] == 'D' && c[1] == 'h') {
        out->kind = 'f';
        out->width = 16;
        return c + 2;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (*c == types[i].letter) {
            out->kind = types[i].kind;
            out->width = types[i].width;
            return c + 1;
        }
    return c;
}
