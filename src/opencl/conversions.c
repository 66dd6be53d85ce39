/* SPDX-License-Identifier: MIT */
/* OpenCL C's conversions to integers, written out for clang-22, whose SPIR-V back end mistakes the sign of integer
 * sources: convert_uint(uchar) becomes OpSConvert, convert_int(char) OpUConvert, convert_short_sat(int) the
 * unsigned one.
 *
 * Widening ones become the language's own, which clang lowers itself. Those with _sat or a rounding mode become
 * functions of ours where a text names them: integers are first brought into the range of the result, so that the
 * sign no longer matters. Narrowing ones without _sat stay: their bits are right either way. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "objects.h"

static const struct {
    const char *name;
    unsigned bytes;
    bool is_signed;
} types[] = {{"char", 1, true}, {"uchar", 1, false}, {"short", 2, true}, {"ushort", 2, false},
             {"int", 4, true},  {"uint", 4, false},  {"long", 8, true},  {"ulong", 8, false}};

enum { TYPES = sizeof types / sizeof types[0] };

static const char *const lanes[] = {"", "2", "3", "4", "8", "16"};
static const char *const roundings[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

/* Whether a text has `name` as a word. */
static bool
has_word(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        bool begins = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

static bool
mentioned(const char *name, const char *source, const struct lw_cl_header *headers, cl_uint header_count)
{
    bool found = has_word(source, name);
    for (cl_uint i = 0; i < header_count && !found; i++)
        found = has_word(headers[i].text, name);
    return found;
}

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

/* The greatest value of type `t`. */
static unsigned long long
greatest(int t)
{
    return ~0ULL >> (64 - 8 * types[t].bytes + types[t].is_signed);
}

static void
write_overload(FILE *file, const char *name, bool saturates, int to, const char *lane, int from)
{
    char value[160] = "x";
    if (saturates && greatest(from) > greatest(to))
        snprintf(value, sizeof value, "min(x, (%s%s)%lluu%s)", types[from].name, lane, greatest(to),
                 types[from].bytes == 8 ? "l" : "");
    if (saturates && types[from].is_signed && !types[to].is_signed) {
        char least[160];
        snprintf(least, sizeof least, "max(%s, (%s%s)0)", value, types[from].name, lane);
        memcpy(value, least, sizeof value);
    } else if (saturates && types[from].is_signed && types[from].bytes > types[to].bytes) {
        char least[160];
        snprintf(least, sizeof least, "max(%s, (%s%s)(-%lldl - 1))", value, types[from].name, lane,
                 (long long)greatest(to));
        memcpy(value, least, sizeof value);
    }
    fprintf(file, "__LW_CONVERSION %s%s __lw_%s(%s%s x) { return ", types[to].name, lane, name,
            types[from].name, lane);
    if (types[from].bytes >= types[to].bytes)
        fprintf(file, "convert_%s%s(%s); }\n", types[to].name, lane, value);
    else if (*lane)
        fprintf(file, "__builtin_convertvector(%s, %s%s); }\n", value, types[to].name, lane);
    else
        fprintf(file, "(%s)(%s); }\n", types[to].name, value);
}

/* Overloads for every source; those of floating sources are clang's. */
static void
write_function(FILE *file, const char *name, bool saturates, int to, const char *lane)
{
    static const char *const floats[] = {"half", "float", "double"};

    for (int from = 0; from < TYPES; from++)
        write_overload(file, name, saturates, to, lane, from);
    for (size_t f = 0; f < sizeof floats / sizeof floats[0]; f++)
        fprintf(file, "__LW_CONVERSION %s%s __lw_%s(%s%s x) { return %s(x); }\n", types[to].name, lane, name,
                floats[f], lane, name);
    fprintf(file, "#define %s(...) __lw_%s(__VA_ARGS__)\n", name, name);
}

void
lw_cl_write_conversions(FILE *file, const char *source, const struct lw_cl_header *headers,
                        cl_uint header_count)
{
    fputs("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
          "#define __LW_CONVERSION static inline __attribute__((overloadable, always_inline))\n",
          file);
    for (int to = 0; to < TYPES; to++)
        for (size_t k = 0; k < sizeof lanes / sizeof lanes[0]; k++)
            for (int form = 1; form < 10; form++) {
                char name[40];
                bool saturates = form >= 5;
                snprintf(name, sizeof name, "convert_%s%s%s%s", types[to].name, lanes[k],
                         saturates ? "_sat" : "", roundings[form % 5]);
                if (mentioned(name, source, headers, header_count))
                    write_function(file, name, saturates, to, lanes[k]);
            }
    for (int to = 0; to < TYPES; to++)
        write_widening(file, types[to].name);
}
