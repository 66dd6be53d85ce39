/* SPDX-License-Identifier: MIT */
/* What clang-22's SPIR-V back end writes wrongly, seen and said otherwise in the IR that it reads.
 *
 * `sitofp i1`, which (float)(a ? -1 : 0) and -(float)(a > b) become, gives 1 where it must give -1. By way of
 * an i32 it is right. Integers of widths that SPIR-V does not have, an i2 for a loop of `x & 3` rounds, it
 * takes for wider ones: IR with those must be made anew without the passes that they come from. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

static const char conversion[] = " = sitofp ";

/* The words between an instruction's name and its operand: flags, then the type, of lanes of i1. NULL: it is
 * of another type. */
static const char *
after_truth_type(const char *at, unsigned *lanes)
{
    static const char rest[] = " x i1> ";
    char *end;
    *lanes = 0;
    if (strncmp(at, "i1 ", 3) == 0)
        return at + 3;
    if (*at != '<')
        return NULL;
    *lanes = (unsigned)strtoul(at + 1, &end, 10);
    return strncmp(end, rest, sizeof rest - 1) == 0 ? end + sizeof rest - 1 : NULL;
}

static void
write_type(FILE *out, unsigned lanes, const char *element)
{
    if (lanes)
        fprintf(out, "<%u x %s>", lanes, element);
    else
        fputs(element, out);
}

/* One line of IR, without its end. */
static void
mend_line(FILE *out, const char *line, size_t length, unsigned *made)
{
    const char *at = memmem(line, length, conversion, sizeof conversion - 1);
    unsigned lanes;
    const char *operand = at ? after_truth_type(at + sizeof conversion - 1, &lanes) : NULL;
    const char *to = operand && operand < line + length
                         ? memmem(operand, length - (size_t)(operand - line), " to ", 4)
                         : NULL;
    if (!to || line[strspn(line, " ")] != '%') {
        fwrite(line, 1, length, out);
        return;
    }
    fprintf(out, "  %%lw.truth.%u = sext ", *made);
    write_type(out, lanes, "i1");
    fprintf(out, " %.*s to ", (int)(to - operand), operand);
    write_type(out, lanes, "i32");
    fprintf(out, "\n%.*s%s", (int)(at - line), line, conversion);
    write_type(out, lanes, "i32");
    fprintf(out, " %%lw.truth.%u%.*s", *made, (int)(line + length - to), to);
    ++*made;
}

char *
lw_cl_mend_ir(const char *ir)
{
    char *text = NULL;
    size_t size;
    unsigned made = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *line = ir; *line;) {
        size_t length = strcspn(line, "\n");
        mend_line(out, line, length, &made);
        line += length;
        if (*line) {
            fputc('\n', out);
            line++;
        }
    }
    bool good = !ferror(out);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

/* At a type's first character: an integer that SPIR-V lacks? */
static bool
is_odd(const char *at)
{
    char *end;
    if (*at != 'i' || !isdigit((unsigned char)at[1]))
        return false;
    unsigned long bits = strtoul(at + 1, &end, 10);
    return *end && strchr(" ,)>]\n", *end) && bits != 1 && bits != 8 && bits != 16 && bits != 32 &&
           bits != 64;
}

bool
lw_cl_ir_is_plain(const char *ir)
{
    /* Names begin with other characters than types do. */
    for (const char *at = ir; (at = strpbrk(at, " (<[,")); at++)
        if (is_odd(at + 1))
            return false;
    return true;
}
