/* SPDX-License-Identifier: MIT */
/* OpenCL C's conversions to integers, written out for clang-22, whose SPIR-V back end mistakes the sign of
 * integer sources: convert_uint(uchar) becomes OpSConvert, convert_int(char) OpUConvert,
 * convert_short_sat(int) the unsigned one. It also makes a vload_half3 of vloada_half3.
 *
 * Widening conversions become the language's own, by macros. What is left of conversions between integers,
 * those with _sat or a rounding mode, and vloada_half3 become functions of ours in the IR, where their names
 * are, however the text came to them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../objects.h"

static const struct {
    const char *name;
    unsigned bytes;
    bool is_signed;
    char mangled;
} types[] = {{"char", 1, true, 'c'},    {"uchar", 1, false, 'h'}, {"short", 2, true, 's'},
             {"ushort", 2, false, 't'}, {"int", 4, true, 'i'},    {"uint", 4, false, 'j'},
             {"long", 8, true, 'l'},    {"ulong", 8, false, 'm'}};

enum { TYPES = sizeof types / sizeof types[0] };

static const char *const lanes[] = {"", "2", "3", "4", "8", "16"};

static void
write_widening(FILE *file, const char *type)
{
    for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++) {
        char name[16];
        snprintf(name, sizeof name, "%s%s", type, lanes[k]);
        fprintf(file,
                "#define convert_%s(...) __builtin_choose_expr(sizeof((__VA_ARGS__)) < sizeof(%s), "
                "%s%s%s(__VA_ARGS__)%s%s), (convert_%s)(__VA_ARGS__))\n",
                name, name, k ? "__builtin_convertvector(" : "((", k ? "" : name, k ? "" : ")", k ? ", " : "",
                k ? name : "", name);
    }
}

void
lw_cl_write_conversions(FILE *file, const char *program)
{
    /* clang's header, some name it themselves, declares what is built in anyway, and what are macros here. */
    if (strstr(program, "opencl-c.h"))
        fputs("#define _OPENCL_H_\n", file);
    fputs("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
          file);
    for (int to = 0; to < TYPES; to++)
        write_widening(file, types[to].name);
}

/* ---- In the IR ---- */

/* Of a conversion between integers, with what is behind each part's text. */
struct conversion {
    int from, to;
    unsigned lanes; /* 0: a scalar */
    bool saturates;
};

/* "uchar4": the type, and the number behind it. */
static const char *
after_type(const char *at, int *type, unsigned *width)
{
    size_t length = strspn(at, "acghilnorstu");
    for (*type = 0; *type < TYPES; ++*type)
        if (strlen(types[*type].name) == length && strncmp(types[*type].name, at, length) == 0) {
            char *end;
            *width = (unsigned)strtoul(at + length, &end, 10);
            return end;
        }
    return NULL;
}

/* "Dv4_h(": the parameter's type in a mangled name, up to the brace. */
static bool
is_parameter(const char *at, struct conversion *c)
{
    unsigned width = 0;
    if (strncmp(at, "Dv", 2) == 0) {
        char *end;
        width = (unsigned)strtoul(at + 2, &end, 10);
        if (*end != '_')
            return false;
        at = end + 1;
    }
    for (c->from = 0; c->from < TYPES; c->from++)
        if (types[c->from].mangled == at[0])
            return at[1] == '(' && width == c->lanes;
    return false;
}

/* "convert_uchar4_sat_rteDv4_h(", the name being of `length`. Between integers a rounding mode says nothing.
 */
static bool
is_conversion(const char *name, size_t length, struct conversion *c)
{
    static const char prefix[] = "convert_";
    const char *end = name + length;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    const char *at = after_type(name + sizeof prefix - 1, &c->to, &c->lanes);
    if (!at)
        return false;
    c->saturates = strncmp(at, "_sat", 4) == 0;
    at += c->saturates ? 4 : 0;
    if (strncmp(at, "_rt", 3) == 0 && at[3] && strchr("ezpn", at[3]))
        at += 4;
    return at == end && is_parameter(end, c);
}

static void
write_integer(FILE *out, const struct conversion *c, int type)
{
    if (c->lanes)
        fprintf(out, "<%u x i%u>", c->lanes, 8 * types[type].bytes);
    else
        fprintf(out, "i%u", 8 * types[type].bytes);
}

/* %to = the one of %from and `bound` that does not lie beyond it. */
static void
write_bound(FILE *out, const struct conversion *c, const char *from, const char *to, const char *less,
            long long bound)
{
    char value[64];
    if (c->lanes)
        snprintf(value, sizeof value, "splat (i%u %lld)", 8 * types[c->from].bytes, bound);
    else
        snprintf(value, sizeof value, "%lld", bound);
    fprintf(out, "  %%is.%s = icmp %s ", to, less);
    write_integer(out, c, c->from);
    fprintf(out, " %%%s, %s\n  %%%s = select ", from, value, to);
    if (c->lanes)
        fprintf(out, "<%u x i1>", c->lanes);
    else
        fputs("i1", out);
    fprintf(out, " %%is.%s, ", to);
    write_integer(out, c, c->from);
    fprintf(out, " %s, ", value);
    write_integer(out, c, c->from);
    fprintf(out, " %%%s\n", from);
}

/* The value bits of a type. */
static unsigned
value_bits(int type)
{
    return 8 * types[type].bytes - types[type].is_signed;
}

static void
write_conversion(FILE *out, const struct conversion *c)
{
    const char *value = "0";
    bool is_signed = types[c->from].is_signed;
    unsigned wide = types[c->from].bytes, result = types[c->to].bytes;
    if (c->saturates && is_signed && (!types[c->to].is_signed || wide > result)) {
        write_bound(out, c, value, "above", "slt",
                    types[c->to].is_signed ? (long long)(~0ull << value_bits(c->to)) : 0);
        value = "above";
    }
    if (c->saturates && value_bits(c->from) > value_bits(c->to)) {
        write_bound(out, c, value, "below", is_signed ? "sgt" : "ugt",
                    (long long)(~0ull >> (64 - value_bits(c->to))));
        value = "below";
    }
    if (wide != result) {
        fprintf(out, "  %%result = %s ", wide > result ? "trunc" : is_signed ? "sext" : "zext");
        write_integer(out, c, c->from);
        fprintf(out, " %%%s to ", value);
        write_integer(out, c, c->to);
        fputc('\n', out);
        value = "result";
    }
    fputs("  ret ", out);
    write_integer(out, c, c->to);
    fprintf(out, " %%%s\n", value);
}

/* Elements of vloada_half3 are four halves apart. Its second parameter's type begins at `pointer`. */
static void
write_load(FILE *out, const char *pointer)
{
    int length = (int)strcspn(pointer, " ");
    if (strncmp(pointer + length, " addrspace", 10) == 0)
        length += 1 + (int)strcspn(pointer + length + 1, " ");
    fprintf(out, "  %%first = shl i64 %%0, 2\n  %%at = getelementptr half, %.*s %%1, i64 %%first\n", length,
            pointer);
    fprintf(out, "  %%halves = load <3 x half>, %.*s %%at, align 8\n", length, pointer);
    fputs("  %floats = fpext <3 x half> %halves to <3 x float>\n  ret <3 x float> %floats\n", out);
}

bool
lw_cl_define_in_ir(FILE *out, const char *line, size_t length)
{
    static const char declare[] = "declare ", load[] = "vloada_half3";
    struct conversion c;
    char *name;
    if (strncmp(line, declare, sizeof declare - 1) != 0)
        return false;
    const char *mangled = memmem(line, length, " @_Z", 4);
    const char *close = memmem(line, length, ") ", 2), *second = memmem(line, length, ", ptr", 5);
    if (!mangled || !close || !isdigit((unsigned char)mangled[4]))
        return false;
    size_t size = strtoul(mangled + 4, &name, 10);
    bool loads = size == sizeof load - 1 && strncmp(name, load, size) == 0 && second;
    if (size > (size_t)(line + length - name) || (!loads && !is_conversion(name, size, &c)))
        return false;
    /* addrspace(4) has a brace too: of the line's, the last before the function's attributes. */
    for (const char *next; (next = memmem(close + 1, length - (size_t)(close + 1 - line), ") ", 2));)
        close = next;
    const char *head = line + sizeof declare - 1;
    while (*head == '!') { /* "!dbg !7 ", of a declaration only */
        head += strcspn(head, " ") + 1;
        head += strcspn(head, " ") + 1;
    }
    fprintf(out, "define internal %.*s {\nentry:\n", (int)(close + 1 - head), head);
    if (loads)
        write_load(out, second + 2);
    else
        write_conversion(out, &c);
    fputc('}', out);
    return true;
}
