/* SPDX-License-Identifier: MIT */
/* One printf of OpenCL C: its format taken apart, each conversion done by the C library's.
 *
 * The arguments come with their types (compiler.h), so that a format which does not fit them does no harm:
 * such a conversion is printed as it stands, and the call fails. Signedness and what is a character, which
 * SPIR-V does not tell, are the conversion's to say.
 */
#include "print.h"

#include <stdio.h>
#include <string.h>

#define MOST_DIGITS 65536 /* of a width or precision; more is taken for a mistake */

struct conversion {
    char flags[6];
    int width, precision; /* -1: none */
    unsigned lanes;       /* vN; 0: a scalar */
    unsigned bytes;       /* of the length modifier, 0: none */
    char letter;
};

struct arguments {
    const char *types; /* the next one's; at its end where there is none */
    const uint64_t *words;
    size_t stride;
};

struct argument {
    char kind; /* 'i' 'f' 'p', 0: there is none */
    unsigned bytes, lanes;
    const uint64_t *words;
    size_t stride;
};

static struct argument
next_argument(struct arguments *a)
{
    struct argument made = {0};
    if (!a->types[0])
        return made;
    made = (struct argument){.kind = a->types[0],
                             .bytes = (unsigned)(a->types[1] - '0'),
                             .lanes = (unsigned)(a->types[2] - '@'),
                             .words = a->words,
                             .stride = a->stride};
    a->types += 3;
    a->words += made.lanes * a->stride;
    return made;
}

/* ---- the format ---- */

static bool
take_number(const char **at, int *number)
{
    *number = 0;
    while (**at >= '0' && **at <= '9') {
        *number = *number * 10 + (*(*at)++ - '0');
        if (*number > MOST_DIGITS)
            return false;
    }
    return true;
}

/* A number, or `*` for an argument. */
static bool
take_size(const char **at, struct arguments *arguments, int *number)
{
    if (**at != '*')
        return take_number(at, number);
    (*at)++;
    struct argument a = next_argument(arguments);
    if (a.kind != 'i' || a.lanes != 1)
        return false;
    *number = (int)(int32_t)a.words[0];
    return *number <= MOST_DIGITS && *number >= -MOST_DIGITS;
}

static void
add_flag(struct conversion *c, char flag)
{
    size_t n = strlen(c->flags);
    if (!strchr(c->flags, flag) && n + 1 < sizeof c->flags)
        c->flags[n] = flag;
}

static bool
take_vector(const char **at, struct conversion *c)
{
    int lanes = 0;
    if (**at != 'v')
        return true;
    (*at)++;
    bool good = take_number(at, &lanes);
    c->lanes = (unsigned)lanes;
    return good && (lanes == 2 || lanes == 3 || lanes == 4 || lanes == 8 || lanes == 16);
}

/* ll, j, z, t and L are C's and reserved here: what they measure has 64 bits. */
static bool
take_length(const char **at, struct conversion *c)
{
    static const struct {
        const char *text;
        unsigned bytes;
    } lengths[] = {{"hh", 1}, {"hl", 4}, {"h", 2}, {"ll", 8}, {"l", 8},
                   {"j", 8},  {"z", 8},  {"t", 8}, {"L", 8}};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = strlen(lengths[i].text);
        if (strncmp(*at, lengths[i].text, n) == 0) {
            *at += n;
            c->bytes = lengths[i].bytes;
            break;
        }
    }
    return c->bytes != 4 || c->lanes; /* hl is for vectors */
}

/* From behind the `%`; leaves `at` behind the conversion's letter, or where it stops being one. */
static bool
take_conversion(const char **at, struct arguments *arguments, struct conversion *c)
{
    *c = (struct conversion){.width = -1, .precision = -1};
    while (**at && strchr("-+ #0", **at))
        add_flag(c, *(*at)++);
    if ((**at == '*' || (**at >= '1' && **at <= '9')) && !take_size(at, arguments, &c->width))
        return false;
    if (c->width < -1) {
        add_flag(c, '-');
        c->width = -c->width;
    }
    if (**at == '.') {
        (*at)++;
        if (!take_size(at, arguments, &c->precision))
            return false;
        c->precision = c->precision < 0 ? -1 : c->precision;
    }
    if (!take_vector(at, c) || !take_length(at, c) || !**at)
        return false;
    c->letter = *(*at)++;
    return true;
}

/* ---- values ---- */

static double
half_to_double(uint16_t bits)
{
    uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
    uint64_t sign = (uint64_t)(bits >> 15) << 63, wide;
    double value;
    if (exponent == 0) {
        value = (double)mantissa * 0x1p-24;
        return sign ? -value : value;
    }
    wide = exponent == 31 ? (uint64_t)2047 : (uint64_t)exponent + 1008;
    wide = sign | wide << 52 | (uint64_t)mantissa << 42;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Not by an instruction, which would take subnormal floats for zeros where a kernel's thread is told so. */
static double
real_value(const struct argument *a, uint64_t word)
{
    double value;
    float narrow;
    uint32_t low = (uint32_t)word;
    if (a->bytes == 2)
        return half_to_double((uint16_t)word);
    if (a->bytes == 4) {
        memcpy(&narrow, &low, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t
integer_value(const struct conversion *c, const struct argument *a, uint64_t word)
{
    unsigned bytes = c->bytes && c->bytes < a->bytes ? c->bytes : a->bytes, unused = 64 - 8 * bytes;
    if (c->letter == 'd' || c->letter == 'i')
        return (uint64_t)((int64_t)(word << unused) >> unused);
    return word << unused >> unused;
}

/* ---- output ---- */

static bool
append(struct lw_print *print, const char *text, size_t size)
{
    if (!lw_print_reserve(print, size))
        return false;
    memcpy(print->text + print->used, text, size);
    print->used += size;
    return true;
}

static int
write_value(char *to, size_t room, const char *spec, const struct conversion *c, const struct argument *a,
            uint64_t word)
{
    const char *text = (const char *)(uintptr_t)word;
    switch (c->letter) {
    case 'd':
    case 'i':
        return snprintf(to, room, spec, c->width, c->precision, (long long)integer_value(c, a, word));
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return snprintf(to, room, spec, c->width, c->precision,
                        (unsigned long long)integer_value(c, a, word));
    case 'c':
        return snprintf(to, room, spec, c->width, c->precision, (int)(unsigned char)word);
    case 's':
        return snprintf(to, room, spec, c->width, c->precision, text ? text : "(null)");
    case 'p':
        return snprintf(to, room, spec, c->width, c->precision, (const void *)text);
    default:
        return snprintf(to, room, spec, c->width, c->precision, real_value(a, word));
    }
}

static bool
append_value(struct lw_print *print, const struct conversion *c, const struct argument *a, uint64_t word)
{
    char spec[24];
    bool integer = strchr("dioxXu", c->letter) != NULL;
    /* A negative precision is none; the width is never negative here. */
    snprintf(spec, sizeof spec, "%%%s*.*%s%c", c->flags, integer ? "ll" : "", c->letter);
    if (!lw_print_reserve(print, 64))
        return false;
    struct conversion given = *c;
    given.width = c->width < 0 ? 0 : c->width;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t room = print->room - print->used;
        int size = write_value(print->text + print->used, room, spec, &given, a, word);
        if (size < 0)
            return false;
        if ((size_t)size < room) {
            print->used += (size_t)size;
            return true;
        }
        if (!lw_print_reserve(print, (size_t)size + 1))
            return false;
    }
    return false;
}

/* Is the argument what the conversion converts? */
static bool
fits(const struct conversion *c, const struct argument *a)
{
    if (!a->kind || a->lanes != (c->lanes ? c->lanes : 1))
        return false;
    switch (c->letter) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        return a->kind == 'i';
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return a->kind == 'f';
    case 'c':
        return a->kind == 'i' && !c->lanes && !c->bytes;
    case 's':
        return a->kind == 'p' && !c->bytes;
    case 'p':
        return (a->kind == 'p' || (a->kind == 'i' && a->bytes == 8)) && !c->bytes;
    default:
        return false;
    }
}

static bool
convert(struct lw_print *print, const struct conversion *c, struct arguments *arguments, bool *known)
{
    struct argument a = next_argument(arguments);
    *known = fits(c, &a);
    for (unsigned i = 0; *known && i < a.lanes; i++)
        if ((i && !append(print, ",", 1)) || !append_value(print, c, &a, a.words[i * a.stride]))
            return false;
    return true;
}

/* Appends one printf. `types` as in compiler.h; the n-th word of the arguments is words[n *
 * stride]. False: a conversion is not valid, or has no argument of its type (it then stands in the text as it
 * is written), or there was no memory. */
static bool
print_format(struct lw_print *print, const char *format, const char *types, const uint64_t *words,
             size_t stride)
{
    struct arguments arguments = {types, words, stride};
    bool good = true;
    while (*format) {
        const char *begin = format;
        struct conversion c;
        bool known = false;
        if (*format != '%') {
            format += strcspn(format, "%");
        } else if (format[1] == '%') {
            format += 2;
            begin++;
        } else {
            format++;
            known = take_conversion(&format, &arguments, &c);
            if (known && !convert(print, &c, &arguments, &known))
                return false;
            good &= known;
        }
        if (!known && !append(print, begin, (size_t)(format - begin)))
            return false;
    }
    return good;
}

uint64_t
lw_print_lanes(struct lw_print *print, const char *types, uint64_t lanes, uint32_t width,
               const uint64_t *columns)
{
    uint64_t failed = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint64_t *lane = columns + __builtin_ctzll(lanes);
        const char *format = (const char *)(uintptr_t)lane[0];
        if (!format || !print_format(print, format, types, lane + width, width))
            failed |= lanes & (0 - lanes);
        if (print->used >= LW_PRINT_BYTES)
            lw_print_flush(print);
    }
    return failed;
}
