/* SPDX-License-Identifier: MIT */
/* Element types, numbers as text, and SPEC: what a buffer is filled with or compared with. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

static const struct cli_type types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'}, {"i32", 4, 'i'}, {"u32", 4, 'u'},
    {"i64", 8, 'i'}, {"u64", 8, 'u'}, {"f16", 2, 'f'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
};

const struct cli_type *
cli_find_type(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
            return &types[i];
    return NULL;
}

uint64_t
cli_load_bits(const struct cli_type *type, const void *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element, type->size); /* little-endian host */
    return bits;
}

void
cli_store_bits(const struct cli_type *type, void *element, uint64_t bits)
{
    memcpy(element, &bits, type->size);
}

static int64_t
sign_extend(const struct cli_type *type, uint64_t bits)
{
    unsigned shift = 64 - 8 * type->size;
    return (int64_t)(bits << shift) >> shift;
}

double
cli_bits_to_double(const struct cli_type *type, uint64_t bits)
{
    float f;
    double d;

    if (type->kind == 'i')
        return (double)sign_extend(type, bits);
    if (type->kind == 'u')
        return (double)bits;
    if (type->size == 2)
        return cli_half_to_double((uint16_t)bits);
    if (type->size == 4) {
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, 4);
        return f;
    }
    memcpy(&d, &bits, 8);
    return d;
}

uint64_t
cli_bits_from_double(const struct cli_type *type, double value)
{
    uint64_t bits = 0;
    if (type->size == 2)
        return cli_half_from_double(value);
    if (type->size == 4) {
        float f = (float)value;
        memcpy(&bits, &f, 4);
    } else {
        memcpy(&bits, &value, 8);
    }
    return bits;
}

void
cli_format_bits(const struct cli_type *type, uint64_t bits, char out[32])
{
    if (type->kind == 'i') {
        snprintf(out, 32, "%lld", (long long)sign_extend(type, bits));
        return;
    }
    if (type->kind == 'u') {
        snprintf(out, 32, "%llu", (unsigned long long)bits);
        return;
    }
    double value = cli_bits_to_double(type, bits);
    if (!isfinite(value)) {
        snprintf(out, 32, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    int enough = type->size == 2 ? 5 : type->size == 4 ? 9 : 17;
    for (int digits = enough - 3; digits <= enough; digits++) {
        snprintf(out, 32, "%.*g", digits, value);
        /* strtof rather than strtod and a cast: no double rounding */
        double back = type->size == 4 ? strtof(out, NULL) : strtod(out, NULL);
        if (cli_bits_from_double(type, back) == bits)
            break;
    }
}

bool
cli_parse_count(const char *text, size_t length, uint64_t *out)
{
    char copy[32], *end;

    if (length == 0 || length >= sizeof copy || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    errno = 0;
    bool hex = copy[0] == '0' && (copy[1] == 'x' || copy[1] == 'X');
    *out = strtoull(copy, &end, hex ? 16 : 10);
    return errno == 0 && *end == 0;
}

static bool
parse_integer(const struct cli_type *type, bool any_sign, const char *text, uint64_t *bits, char why[200])
{
    unsigned width = 8 * type->size;
    bool negative = text[0] == '-';
    const char *digits = text + (negative || text[0] == '+');
    uint64_t magnitude;

    if (!cli_parse_count(digits, strlen(digits), &magnitude)) {
        char *end;
        strtod(text, &end);
        if (errno != ERANGE && *end == 0)
            snprintf(why, 200, "'%.60s' is no integer, and the type is %s", text, type->name);
        else
            snprintf(why, 200, "'%.60s' is no number of type %s", text, type->name);
        return false;
    }
    bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    uint64_t all = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    uint64_t top = UINT64_C(1) << (width - 1);
    /* hexadecimal gives the bit pattern, so 0xff is an i8 too */
    uint64_t highest = type->kind == 'u' || any_sign || hex ? all : top - 1;
    uint64_t lowest = type->kind == 'u' && !any_sign ? 0 : top; /* magnitude of the most negative */
    if (magnitude > (negative ? lowest : highest)) {
        snprintf(why, 200, "%.60s does not fit in %s", text, type->name);
        return false;
    }
    *bits = (negative ? -magnitude : magnitude) & all;
    return true;
}

bool
cli_parse_number(const struct cli_type *type, bool any_sign, const char *text, size_t length, uint64_t *bits,
                 char why[200])
{
    char copy[128], *end;

    if (length == 0 || length >= sizeof copy) {
        snprintf(why, 200, length ? "'%.40s...' is too long for a number" : "a number is missing", text);
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    if (type->kind != 'f')
        return parse_integer(type, any_sign, copy, bits, why);
    double value = type->size == 4 ? strtof(copy, &end) : strtod(copy, &end);
    if (*end != 0 || copy[0] == ' ') {
        snprintf(why, 200, "'%.60s' is no number of type %s", copy, type->name);
        return false;
    }
    *bits = cli_bits_from_double(type, value);
    return true;
}

/* Any element by its index, so that nothing has to be stored: splitmix64 of seed and index
 * (docs/spirv-run.md). */
static uint64_t
random_bits(const struct cli_type *type, uint64_t seed, size_t index)
{
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    if (type->kind != 'f')
        return z >> (64 - 8 * type->size);
    /* as many bits as the significand has: every value is exact, and below 1 */
    unsigned precision = type->size == 2 ? 11 : type->size == 4 ? 24 : 53;
    return cli_bits_from_double(type, ldexp((double)(z >> (64 - precision)), -(int)precision));
}

uint64_t
cli_spec_bits(const struct cli_spec *spec, const struct cli_type *type, size_t index)
{
    switch (spec->kind) {
    case CLI_IOTA:
        if (type->kind == 'f')
            return cli_bits_from_double(type, (double)index);
        return type->size == 8 ? index : index & ((UINT64_C(1) << 8 * type->size) - 1);
    case CLI_FILL:
        return spec->value;
    case CLI_RAND:
        return random_bits(type, spec->value, index);
    case CLI_LIST:
        return spec->list[index];
    case CLI_ZEROS:
        break;
    }
    return 0;
}

void
cli_spec_fill(const struct cli_spec *spec, const struct cli_type *type, size_t first, size_t end, void *out)
{
    unsigned char *to = out;
    for (size_t i = first; i < end; i++)
        cli_store_bits(type, to + i * type->size, cli_spec_bits(spec, type, i));
}

static bool
parse_list(struct cli_spec *spec, const struct cli_type *type, size_t count, const char *text, char why[200])
{
    size_t given = 1;
    for (const char *c = text; *c; c++)
        given += *c == ',';
    if (given != count) {
        snprintf(why, 200, "%zu value%s for %zu element%s%s", given, given == 1 ? "" : "s", count,
                 count == 1 ? "" : "s", given == 1 ? " (fill:V repeats one)" : "");
        return false;
    }
    spec->list = calloc(given, sizeof *spec->list);
    if (!spec->list) {
        snprintf(why, 200, "out of memory");
        return false;
    }
    for (size_t i = 0; i < given; i++) {
        size_t length = strcspn(text, ",");
        if (!cli_parse_number(type, false, text, length, &spec->list[i], why))
            return false;
        text += length + 1;
    }
    spec->kind = CLI_LIST;
    return true;
}

bool
cli_spec_parse(struct cli_spec *spec, const struct cli_type *type, size_t count, const char *text,
               char why[200])
{
    memset(spec, 0, sizeof *spec);
    if (!strcmp(text, "zeros"))
        return true;
    if (!strcmp(text, "iota")) {
        spec->kind = CLI_IOTA;
        return true;
    }
    if (!strncmp(text, "fill:", 5)) {
        spec->kind = CLI_FILL;
        return cli_parse_number(type, false, text + 5, strlen(text + 5), &spec->value, why);
    }
    if (!strncmp(text, "rand:", 5)) {
        spec->kind = CLI_RAND;
        if (cli_parse_count(text + 5, strlen(text + 5), &spec->value))
            return true;
        snprintf(why, 200, "'%.60s': the seed of rand: is a whole number", text);
        return false;
    }
    bool number = text[0] && strchr("+-.0123456789", text[0]);
    if (number || !strncmp(text, "inf", 3) || !strncmp(text, "nan", 3))
        return parse_list(spec, type, count, text, why);
    snprintf(why, 200,
             "'%.60s' is none of zeros, iota, fill:V, rand:SEED, V,V,V; a file is a whole argument, @FILE",
             text);
    return false;
}

void
cli_spec_free(struct cli_spec *spec)
{
    free(spec->list);
    spec->list = NULL;
}
