/* SPDX-License-Identifier: MIT */
/* What clang-22's SPIR-V back end writes wrongly, seen and said otherwise in the IR that it reads. Where
 * lanewise-spirv writes (producer/), only the last of it matters; the others are for clang alone.
 *
 * `sitofp i1`, which (float)(a ? -1 : 0) and -(float)(a > b) become, gives 1 where it must give -1. By way of
 * an i32 it is right. Integers of widths that SPIR-V does not have, an i2 for a loop of `x & 3` rounds, it
 * takes for wider ones: IR with those must be made anew without the passes that they come from. Conversions
 * are in conversions.c. Variables that no function of the program uses it leaves out, though others that are
 * linked may: a function is made for each. What is weak it exports as if it were the only one of its name;
 * SPIR-V's word for what another module's gives way to is LinkOnceODR, which it writes for linkonce_odr. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../objects.h"

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

/* The linkage "weak" or "weak_odr" of what the line defines, and the length of that; NULL: it has another. */
static const char *
find_weak(const char *line, size_t length, size_t *word)
{
    const char *at = NULL;
    if (strncmp(line, "define ", 7) == 0)
        at = line + 7;
    else if (*line == '@' && line[1] != '"' && (at = memmem(line, length, " = ", 3)))
        at += 3;
    *word = at ? strcspn(at, " ") : 0;
    return (*word == 4 && memcmp(at, "weak", 4) == 0) || (*word == 8 && memcmp(at, "weak_odr", 8) == 0)
               ? at
               : NULL;
}

static void
write_line(FILE *out, const char *line, size_t length, unsigned *made)
{
    size_t word;
    const char *weak = find_weak(line, length, &word);
    if (weak) {
        fprintf(out, "%.*slinkonce_odr", (int)(weak - line), line);
        length -= (size_t)(weak + word - line);
        line = weak + word;
    }
    mend_line(out, line, length, made);
}

#define MAX_KEPT 1024 /* variables */

/* "@name = local_unnamed_addr addrspace(2) constant ...", defined here and seen elsewhere: the space, else 0.
 */
static unsigned
exported_space(const char *line, size_t length, size_t *name_length)
{
    static const char *const others[] = {" external ", " internal ", " private ", " appending "};
    const char *end = memmem(line, length, " constant ", 10), *global = memmem(line, length, " global ", 8);
    const char *equals = memmem(line, length, " = ", 3);
    if (!end || (global && global < end))
        end = global;
    if (!end || !equals || end < equals || line[1] == '"' || strncmp(line, "@llvm.", 6) == 0)
        return 0;
    *name_length = (size_t)(equals - line);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (memmem(equals, (size_t)(end - equals) + 1, others[i], strlen(others[i])))
            return 0;
    const char *space = memmem(equals, (size_t)(end - equals), " addrspace(", 11);
    return space && (space[11] == '1' || space[11] == '2') && space[12] == ')' ? (unsigned)(space[11] - '0')
                                                                               : 0;
}

static bool
is_mentioned(const char *code, const char *name, size_t length)
{
    for (const char *at = code; (at = strchr(at, '@')); at++)
        if (strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[length]) && at[length] != '_' &&
            at[length] != '.' && at[length] != '$' && at[length] != '-')
            return true;
    return false;
}

static void
keep_variables(FILE *out, const char *ir)
{
    const char *code = strstr(ir, "\ndefine ");
    unsigned kept = 0;
    for (const char *line = ir; *line && line != code && kept < MAX_KEPT; line += *line == '\n') {
        size_t length = strcspn(line, "\n"), name = 0;
        unsigned space = *line == '@' ? exported_space(line, length, &name) : 0;
        if (space && !(code && is_mentioned(code, line, name))) {
            fprintf(out, "\ndefine linkonce_odr spir_func ptr addrspace(%u) @__lanewise_keep.%.*s() {\n",
                    space, (int)name - 1, line + 1);
            fprintf(out, "  ret ptr addrspace(%u) %.*s\n}\n", space, (int)name, line);
            kept++;
        }
        line += length;
        if (line == code)
            break;
    }
}

char *
lw_cl_mend_ir(const char *ir, bool keep_all)
{
    char *text = NULL;
    size_t size;
    unsigned made = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *line = ir; *line;) {
        size_t length = strcspn(line, "\n");
        if (!lw_cl_define_in_ir(out, line, length))
            write_line(out, line, length, &made);
        line += length;
        if (*line) {
            fputc('\n', out);
            line++;
        }
    }
    if (keep_all)
        keep_variables(out, ir);
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

bool
lw_cl_ir_lacks_inline(const char *ir)
{
    const char *lists = strstr(ir, "\nattributes #0 = {");
    if (!lists || !strstr(lists, " inlinehint "))
        return false;
    for (const char *line = ir; (line = strstr(line, "\ndeclare ")); line++) {
        const char *mark = NULL;
        for (const char *at = line + 1; *at && *at != '\n'; at++)
            mark = *at == '#' ? at : mark;
        char start[40];
        snprintf(start, sizeof start, "\nattributes #%lu = {", mark ? strtoul(mark + 1, NULL, 10) : 0);
        const char *list = mark ? strstr(lists, start) : NULL;
        const char *hint = list ? strstr(list, " inlinehint ") : NULL;
        if (hint && (size_t)(hint - list) < 1 + strcspn(list + 1, "\n"))
            return true;
    }
    return false;
}
