/* SPDX-License-Identifier: MIT */
/* Values of the element types in plain C. */
#include "unit.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned size;
} types[TYPE_COUNT] = {
    [T_I1] = {"i1", 1},       [T_I8] = {"i8", 1},         [T_I16] = {"i16", 2},
    [T_I32] = {"i32", 4},     [T_I64] = {"i64", 8},       [T_HALF] = {"half", 2},
    [T_FLOAT] = {"float", 4}, [T_DOUBLE] = {"double", 8}, [T_PTR] = {"ptr", 8},
};

unsigned
type_size(enum type t)
{
    return types[t].size;
}

const char *
type_name(enum type t)
{
    return types[t].name;
}

bool
type_float(enum type t)
{
    return t == T_HALF || t == T_FLOAT || t == T_DOUBLE;
}

uint64_t
value_get(const void *buffer, enum type t, unsigned i)
{
    uint64_t raw = 0;

    memcpy(&raw, (const char *)buffer + (size_t)i * type_size(t), type_size(t));
    return t == T_I1 ? raw & 1 : raw;
}

void
value_set(void *buffer, enum type t, unsigned i, uint64_t raw)
{
    if (t == T_I1)
        raw &= 1;
    memcpy((char *)buffer + (size_t)i * type_size(t), &raw, type_size(t));
}

double
value_real(enum type t, uint64_t raw)
{
    _Float16 h;
    float f;
    double d;

    switch (t) {
    case T_HALF: memcpy(&h, &raw, 2); return (double)(float)h;
    case T_FLOAT: memcpy(&f, &raw, 4); return f;
    default: memcpy(&d, &raw, 8); return d;
    }
}

uint64_t
value_from_real(enum type t, double d)
{
    _Float16 h = (_Float16)(float)d;
    float f = (float)d;
    uint64_t raw = 0;

    switch (t) {
    case T_HALF: memcpy(&raw, &h, 2); return raw;
    case T_FLOAT: memcpy(&raw, &f, 4); return raw;
    default: memcpy(&raw, &d, 8); return raw;
    }
}

int64_t
value_signed(enum type t, uint64_t raw)
{
    unsigned shift = 64 - 8 * type_size(t);

    return (int64_t)(raw << shift) >> shift;
}

bool
value_same(enum type t, uint64_t a, uint64_t b)
{
    if (!type_float(t))
        return a == b;
    double x = value_real(t, a), y = value_real(t, b);
    return x == y || (isnan(x) && isnan(y));
}

static uint64_t state = 0x9e3779b97f4a7c15ull;

uint64_t
random_bits(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

uint64_t
random_value(enum type t)
{
    static const double reals[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, 6.1e-5, -5.9e-8, 65504.0};
    uint64_t bits = random_bits(), low = type_size(t) < 8 ? (1ull << (8 * type_size(t))) - 1 : ~0ull;
    uint64_t sign = (low >> 1) + 1, choice = random_bits() % 8;

    if (type_float(t)) {
        if (choice == 0)
            return value_from_real(t, NAN);
        if (choice < 3)
            return value_from_real(t, reals[bits % (sizeof reals / sizeof *reals)]);
        return value_from_real(t, (double)(int64_t)(bits % 20001) / 16.0 - 600.0);
    }
    if (t == T_I1)
        return bits & 1;
    if (choice == 0)
        return ((uint64_t[]){0, 1, low, sign, sign - 1})[bits % 5];
    return choice < 4 ? bits & low & 0xff : bits & low;
}

void
random_fill(void *buffer, enum type t, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        value_set(buffer, t, i, random_value(t));
}
