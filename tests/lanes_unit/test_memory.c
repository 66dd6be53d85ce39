/* SPDX-License-Identifier: MIT */
/* Loads and stores of lanes: values, untouched neighbours, and (guards) inactive lanes on unmapped pages. */
#include "borders.h"
#include "tests.h"

#include <string.h>

/* ---- contiguous and uniform: `in` and `out` are the memory accessed ---- */

static unsigned
alignment(const struct unit_case *c)
{
    return c->a ? 1 : type_size(c->t);
}

/* c->b: the address space of what is accessed; records have their count there. */
static V
in_space(struct unit *u, V pointer, const struct unit_case *c)
{
    LLVMTypeRef type = LLVMPointerTypeInContext(u->l.context, (unsigned)c->b);

    if (!c->b)
        return pointer;
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMVectorTypeKind)
        type = LLVMVectorType(type, u->l.n);
    return LLVMBuildAddrSpaceCast(u->l.builder, pointer, type, "");
}

static void
build_load(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lane_load_contiguous(&u->l, unit_type(u, c->t), in_space(u, u->in, c), u->mask,
                                     alignment(c)), 0);
}

static void
build_store(struct unit *u, const struct unit_case *c)
{
    lane_store_contiguous(&u->l, unit_in(u, c->t, 0), in_space(u, u->out, c), u->mask, alignment(c));
}

/* Behind very many others: without branches. */
static void
build_late_load(struct unit *u, const struct unit_case *c)
{
    u->l.detours = UINT_MAX;
    build_load(u, c);
}

static void
build_late_store(struct unit *u, const struct unit_case *c)
{
    u->l.detours = UINT_MAX;
    build_store(u, c);
}

static void
build_load_uniform(struct unit *u, const struct unit_case *c)
{
    unit_out(u,
             lane_load_uniform(&u->l, unit_type(u, c->t == T_I1 ? T_I8 : c->t), in_space(u, u->in, c),
                               u->mask, 1, c->a),
             0);
}

static void
build_store_uniform(struct unit *u, const struct unit_case *c)
{
    lane_store_uniform(&u->l, unit_in(u, c->t, 0), in_space(u, u->out, c), u->mask, alignment(c));
}

static bool
check_load(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[640] = {0}, out[512];
    unsigned shift = c->a ? 3 : 0;

    random_fill(in + shift, c->t, n);
    f(in + shift, mask, out);
    for (unsigned i = 0; i < n; i++)
        if (active(mask, i) && value_get(in + shift, c->t, i) != value_get(out, c->t, i))
            return false;
    return true;
}

static bool
check_store(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[640], expected[640];
    unsigned shift = c->a ? 3 : 64;

    random_fill(in, c->t, n);
    memset(out, 0x5a, sizeof out);
    memset(expected, 0x5a, sizeof expected);
    for (unsigned i = 0; i < n; i++)
        if (active(mask, i))
            value_set(expected + shift, c->t, i, value_get(in, c->t, i));
    f(in, mask, out + shift);
    return !memcmp(out, expected, sizeof out);
}

static bool
check_load_uniform(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    unsigned char in[8] = {0}, out[8], zero[8] = {0};

    (void)n;
    for (unsigned i = 0; i < 8; i++)
        in[i] = (unsigned char)random_bits();
    f(mask ? in : (void *)1, mask, out);
    return !memcmp(out, mask ? in : zero, type_size(c->t));
}

static bool
check_store_uniform(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[64], expected[64];

    random_fill(in, c->t, n);
    memset(out, 0x5a, sizeof out);
    memset(expected, 0x5a, sizeof expected);
    for (unsigned i = 0; i < n; i++)
        if (active(mask, i))
            value_set(expected + 16, c->t, 0, value_get(in, c->t, i));
    f(in, mask, mask ? out + 16 : (void *)16);
    return !memcmp(out, expected, sizeof out);
}

/* ---- gather and scatter: pointers at in + 512 (inactive ones wild) ---- */

static void
build_gather(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lane_gather(&u->l, unit_type(u, c->t), in_space(u, unit_in(u, T_PTR, 512), c), u->mask,
                            alignment(c)), 0);
}

static void
build_scatter(struct unit *u, const struct unit_case *c)
{
    lane_scatter(&u->l, unit_in(u, c->t, 0), in_space(u, unit_in(u, T_PTR, 512), c), u->mask, alignment(c));
}

static void
build_scatter_away(struct unit *u, const struct unit_case *c)
{
    V pointers = in_space(u, unit_in(u, T_PTR, 512), c);
    lane_scatter_away(&u->l, unit_in(u, c->t, 0), pointers, u->mask, alignment(c));
}

/* Random places, some of them shared. */
static void
make_pointers(unsigned char *pointers, unsigned char *base, unsigned size, unsigned n, uint64_t mask)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned char *p = active(mask, i) ? base + size * (random_bits() % 48) : (unsigned char *)0x10 + i;
        memcpy(pointers + 8 * i, &p, 8);
    }
}

static bool
check_gather(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, data[512], out[512];
    unsigned char *base = data + (c->a ? 3 : 0);

    random_fill(base, c->t, 48);
    make_pointers(in + 512, base, type_size(c->t), n, mask);
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++) {
        unsigned char *p;
        memcpy(&p, in + 512 + 8 * i, 8);
        if (active(mask, i) && value_get(p, c->t, 0) != value_get(out, c->t, i))
            return false;
    }
    return true;
}

static bool
check_scatter(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, data[512], expected[512];
    unsigned char *base = data + (c->a ? 3 : 0);

    memset(data, 0x5a, sizeof data);
    memset(expected, 0x5a, sizeof expected);
    random_fill(in, c->t, n);
    make_pointers(in + 512, base, type_size(c->t), n, mask);
    for (unsigned i = 0; i < n; i++) {
        unsigned char *p;
        memcpy(&p, in + 512 + 8 * i, 8);
        if (active(mask, i))
            value_set(expected + (p - data), c->t, 0, value_get(in, c->t, i));
    }
    f(in, mask, NULL);
    return !memcmp(data, expected, sizeof data);
}

/* ---- the active lanes one after the other; nothing is written behind the last ---- */

static void
build_compressed(struct unit *u, const struct unit_case *c)
{
    lane_store_compressed(&u->l, unit_in(u, c->t, 0), u->out, u->mask, type_size(c->t));
}

static bool
check_compressed(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[512] = {0}, out[512], expected[512];
    unsigned kept = 0;

    random_fill(in, c->t, n);
    memset(out, 0x5a, sizeof out);
    memset(expected, 0x5a, sizeof expected);
    for (unsigned i = 0; i < n; i++)
        if (active(mask, i))
            value_set(expected, c->t, kept++, value_get(in, c->t, i));
    f(in, mask, out);
    return !memcmp(out, expected, sizeof out);
}

/* ---- guards: memory that ends, or begins, at an unmapped page ---- */

static bool
check_load_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    map_pages();
    random_fill(pages, c->t, 4096 / type_size(c->t));
    bool good = check_at_borders(c, f, n, mask, type_size(c->t), false);
    unmap_pages();
    return good;
}

static bool
check_store_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    map_pages();
    bool good = check_at_borders(c, f, n, mask, type_size(c->t), true);
    unmap_pages();
    return good;
}

/* Single elements against both borders: small gathers read more than the element. */
static bool
check_gather_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[1024] = {0}, out[512];

    map_pages();
    random_fill(pages, c->t, 4096 / type_size(c->t));
    for (unsigned i = 0; i < n; i++) {
        unsigned char *p = i % 2 ? pages : pages + 4096 - type_size(c->t);
        p = active(mask, i) ? p : pages - 8;
        memcpy(in + 512 + 8 * i, &p, 8);
    }
    f(in, mask, out);
    bool good = true;
    for (unsigned i = 0; i < n; i++)
        if (active(mask, i))
            good = good && value_get(i % 2 ? pages : pages + 4096 - type_size(c->t), c->t, 0) ==
                               value_get(out, c->t, i);
    unmap_pages();
    return good;
}

START_TEST(moves)
{
    struct unit_case cases[16 * TYPE_COUNT];
    unsigned count = 0;

    for (int t = 0; t < TYPE_COUNT; t++) {
        for (int odd = 0; odd < (t == T_I16 || t == T_FLOAT || t == T_I64 ? 2 : 1); odd++) {
            cases[count++] = (struct unit_case){build_load, check_load, "load", (enum type)t, odd, 0};
            cases[count++] = (struct unit_case){build_store, check_store, "store", (enum type)t, odd, 0};
            cases[count++] =
                (struct unit_case){build_late_load, check_load, "late load", (enum type)t, odd, 0};
            cases[count++] =
                (struct unit_case){build_late_store, check_store, "late store", (enum type)t, odd, 0};
            cases[count++] = (struct unit_case){build_gather, check_gather, "gather", (enum type)t, odd, 0};
            cases[count++] =
                (struct unit_case){build_scatter, check_scatter, "scatter", (enum type)t, odd, 0};
            cases[count++] =
                (struct unit_case){build_scatter_away, check_scatter, "scatter away", (enum type)t, odd, 0};
        }
        if (t == T_I1)
            continue;
        cases[count++] =
            (struct unit_case){build_compressed, check_compressed, "compressed store", (enum type)t, 0, 0};
        cases[count++] =
            (struct unit_case){build_load_uniform, check_load_uniform, "load_uniform", (enum type)t, 0, 0};
        cases[count++] =
            (struct unit_case){build_load_uniform, check_load_uniform, "volatile", (enum type)t, 1, 0};
        cases[count++] =
            (struct unit_case){build_store_uniform, check_store_uniform, "store_uniform", (enum type)t, 0, 0};
    }
    unit_run_cases(cases, count);
}
END_TEST

START_TEST(address_spaces)
{
    static const enum type types[] = {T_I8, T_FLOAT};
    struct unit_case cases[32];
    unsigned count = 0;

    for (int space = 1; space <= 4; space++) {
        enum type t = types[space % 2];
        cases[count++] = (struct unit_case){build_load, check_load, "load", t, 0, space};
        cases[count++] = (struct unit_case){build_store, check_store, "store", t, 0, space};
        cases[count++] = (struct unit_case){build_gather, check_gather, "gather", t, 0, space};
        cases[count++] = (struct unit_case){build_scatter, check_scatter, "scatter", t, 0, space};
        cases[count++] = (struct unit_case){build_scatter_away, check_scatter, "scatter away", t, 0, space};
        cases[count++] =
            (struct unit_case){build_load_uniform, check_load_uniform, "load_uniform", t, 0, space};
        cases[count++] =
            (struct unit_case){build_store_uniform, check_store_uniform, "store_uniform", t, 0, space};
    }
    unit_run_cases(cases, count);
}
END_TEST

START_TEST(moves_at_borders)
{
    struct unit_case cases[8 * TYPE_COUNT];
    unsigned count = 0;

    for (int t = 0; t < TYPE_COUNT; t++) {
        cases[count++] =
            (struct unit_case){build_load, check_load_guard, "load at a border", (enum type)t, 0, 0};
        cases[count++] =
            (struct unit_case){build_store, check_store_guard, "store at a border", (enum type)t, 0, 0};
        cases[count++] =
            (struct unit_case){build_late_load, check_load_guard, "late load at a border", t, 0, 0};
        cases[count++] = (struct unit_case){build_late_store, check_store_guard, "late store at a border",
                                            t, 0, 0};
        cases[count++] =
            (struct unit_case){build_gather, check_gather_guard, "gather at a border", (enum type)t, 0, 0};
    }
    unit_run_cases(cases, count);
}
END_TEST

void
add_memory(TCase *tests)
{
    tcase_add_test(tests, moves);
    tcase_add_test(tests, address_spaces);
}

void
add_guards(TCase *tests)
{
    tcase_add_test(tests, moves_at_borders);
}
