/* SPDX-License-Identifier: MIT */
/* Loads and stores of lanes: values, untouched neighbours, and (guards) inactive lanes on unmapped pages. */
#include "tests.h"

#include <string.h>
#include <sys/mman.h>

static bool
active(uint64_t mask, unsigned i)
{
    return mask >> i & 1;
}

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

/* ---- records of the active lanes one after the other; nothing is written behind the room of all ---- */

static void
build_packed(struct unit *u, const struct unit_case *c)
{
    V fields[4];

    for (int k = 0; k < c->b; k++)
        fields[k] = unit_in(u, c->t, (unsigned)k * 512);
    lane_pack_records(&u->l, fields, (unsigned)c->b, u->out, u->mask);
}

static bool
check_packed(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[2048], out[2048], expected[2048];
    unsigned kept = 0, room = n * (unsigned)c->b * type_size(c->t);

    memset(out, 0x5a, sizeof out);
    memset(expected, 0x5a, sizeof expected);
    for (unsigned k = 0; k < (unsigned)c->b; k++)
        random_fill(in + k * 512, c->t, n);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < (unsigned)c->b && active(mask, i); k++)
            value_set(expected, c->t, kept++, value_get(in + k * 512, c->t, i));
    f(in, mask, out);
    return !memcmp(out, expected, kept * type_size(c->t)) &&
           !memcmp(out + room, expected + room, sizeof out - room);
}

static void
build_unpacked(struct unit *u, const struct unit_case *c)
{
    V fields[4];

    lane_unpack_records(&u->l, unit_type(u, c->t), (unsigned)c->b, u->in, u->mask, fields);
    for (int k = 0; k < c->b; k++)
        unit_out(u, fields[k], (unsigned)k * 512);
}

static bool
check_unpacked(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    _Alignas(64) unsigned char in[2048], out[2048];
    unsigned at = 0;
    bool good = true;

    random_fill(in, c->t, n * (unsigned)c->b);
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < (unsigned)c->b && active(mask, i); k++)
            good &= value_get(out + k * 512, c->t, i) == value_get(in, c->t, at++);
    return good;
}

START_TEST(packed)
{
    struct unit_case cases[2 * 4 * 3];
    unsigned count = 0;

    for (int t = T_I8; t <= T_I64; t++)
        for (int fields = 1; fields <= 4 && fields * (int)type_size((enum type)t) <= 16; fields *= 2) {
            cases[count++] =
                (struct unit_case){build_packed, check_packed, "packed", (enum type)t, 0, fields};
            cases[count++] =
                (struct unit_case){build_unpacked, check_unpacked, "unpacked", (enum type)t, 0, fields};
        }
    unit_run_cases(cases, count);
}
END_TEST

/* ---- records ---- */

static void
build_records_in(struct unit *u, const struct unit_case *c)
{
    V fields[24];

    lane_load_interleaved(&u->l, unit_type(u, c->t), (unsigned)c->b, u->in, u->mask, type_size(c->t), fields);
    for (int k = 0; k < c->b; k++)
        unit_out(u, fields[k], (unsigned)k * 512);
}

#define OF_ALL 2 /* c->a: lanes, whatever the mask says; the fields are no cuts from wider ones */

static void
build_records_out(struct unit *u, const struct unit_case *c)
{
    V fields[24];

    for (int k = 0; k < c->b; k++)
        fields[k] = unit_in(u, c->t, (unsigned)k * 512);
    lane_store_interleaved(&u->l, unit_type(u, c->t), (unsigned)c->b, fields, u->out,
                           c->a == OF_ALL ? NULL : u->mask, type_size(c->t));
}

static bool
check_records_in(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    static _Alignas(64) unsigned char in[64 * 24 * 8], out[24 * 512];
    unsigned count = (unsigned)c->b;

    random_fill(in, c->t, n * count);
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; active(mask, i) && k < count; k++)
            if (value_get(in, c->t, i * count + k) != value_get(out + k * 512, c->t, i))
                return false;
    return true;
}

static bool
check_records_out(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    static _Alignas(64) unsigned char in[24 * 512], out[64 * 24 * 8], expected[sizeof out];
    unsigned count = (unsigned)c->b;

    memset(out, 0x5a, sizeof out);
    memset(expected, 0x5a, sizeof expected);
    for (unsigned k = 0; k < count; k++)
        random_fill(in + k * 512, c->t, n);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; (c->a == OF_ALL || active(mask, i)) && k < count; k++)
            value_set(expected, c->t, i * count + k, value_get(in + k * 512, c->t, i));
    f(in, mask, out);
    return !memcmp(out, expected, sizeof out);
}

/* ---- guards: memory that ends, or begins, at an unmapped page ---- */

static unsigned char *pages; /* one page between two that cannot be touched */

static void
map_pages(void)
{
    unsigned char *p = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(p != MAP_FAILED && !mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE));
    pages = p + 4096;
}

/* Lane memory at each place around the page's borders, with the lanes inside it (thinned by `mask`) active.
 */
static bool
check_at_borders(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask, unsigned record,
                 bool stores)
{
    static _Alignas(64) unsigned char other[24 * 512];

    for (unsigned inside = 0; inside <= n; inside++) {
        for (unsigned side = 0; side < 2; side++) {
            uint64_t low = inside < 64 ? (1ull << inside) - 1 : ~0ull;
            uint64_t lanes = mask & (side ? low << (n - inside) % 64 : low);
            unsigned char *p = side ? pages - (n - inside) * record : pages + 4096 - inside * record;
            random_fill(other, c->t, n);
            if (stores)
                f(other, inside ? lanes : 0, p);
            else
                f(p, inside ? lanes : 0, other);
            for (unsigned i = 0; inside && i < n && record == type_size(c->t); i++)
                if (active(lanes, i) && value_get(p, c->t, i) != value_get(other, c->t, i))
                    return false;
        }
    }
    return true;
}

static bool
check_load_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    map_pages();
    random_fill(pages, c->t, 4096 / type_size(c->t));
    bool good = check_at_borders(c, f, n, mask, type_size(c->t), false);
    munmap(pages - 4096, 3 * 4096);
    return good;
}

static bool
check_store_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    map_pages();
    bool good = check_at_borders(c, f, n, mask, type_size(c->t), true);
    munmap(pages - 4096, 3 * 4096);
    return good;
}

static bool
check_records_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    if (n * type_size(c->t) * (unsigned)c->b > 4096)
        return true;
    map_pages();
    bool good = check_at_borders(c, f, n, mask, type_size(c->t) * (unsigned)c->b, c->a);
    munmap(pages - 4096, 3 * 4096);
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
    munmap(pages - 4096, 3 * 4096);
    return good;
}

/* ---- vectors of c->b components, each lane's against a border; c->a: aligned to a power of two ---- */

static unsigned
vector_room(const struct unit_case *c)
{
    unsigned bytes = type_size(c->t) * (unsigned)c->b;

    return c->a && c->b == 3 ? bytes / 3 * 4 : bytes;
}

static unsigned
vector_align(const struct unit_case *c)
{
    return c->a ? vector_room(c) : type_size(c->t);
}

static void
build_vectors_in(struct unit *u, const struct unit_case *c)
{
    struct lw_lane_places places = {.pointers = unit_in(u, T_PTR, 512)};
    V parts[16];

    ck_assert(lane_moves_vectors(&u->l, unit_type(u, c->t), (unsigned)c->b, vector_align(c),
                                 false));
    lane_gather_vectors(&u->l, unit_type(u, c->t), (unsigned)c->b, &places, u->mask, vector_align(c), parts);
    for (int k = 0; k < c->b; k++)
        unit_out(u, parts[k], (unsigned)k * 512);
}

static void
build_vectors_out(struct unit *u, const struct unit_case *c)
{
    struct lw_lane_places places = {.pointers = unit_in(u, T_PTR, 512)};
    V parts[16];

    for (int k = 0; k < c->b; k++)
        parts[k] = unit_in(u, c->t, 1024 + (unsigned)k * 512);
    lane_scatter_vectors(&u->l, parts, (unsigned)c->b, &places, u->mask, vector_align(c));
}

static void
make_vector_pointers(const struct unit_case *c, unsigned char *pointers, unsigned n, uint64_t mask)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned place = vector_room(c) * (i / 2);
        unsigned char *p = i % 2 ? pages + place : pages + 4096 - vector_room(c) - place;
        p = active(mask, i) ? p : (unsigned char *)16 + 16 * i;
        memcpy(pointers + 8 * i, &p, 8);
    }
}

static bool
check_vectors_in(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    static _Alignas(64) unsigned char in[1024], out[16 * 512];
    bool good = true;

    map_pages();
    random_fill(pages, c->t, 4096 / type_size(c->t));
    make_vector_pointers(c, in + 512, n, mask);
    f(in, mask, out);
    for (unsigned i = 0; i < n; i++) {
        unsigned char *p;
        memcpy(&p, in + 512 + 8 * i, 8);
        for (unsigned k = 0; active(mask, i) && k < (unsigned)c->b; k++)
            good = good && value_get(p, c->t, k) == value_get(out + k * 512, c->t, i);
    }
    munmap(pages - 4096, 3 * 4096);
    return good;
}

static bool
check_vectors_out(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    static _Alignas(64) unsigned char in[1024 + 16 * 512];
    static unsigned char expected[4096];

    map_pages();
    memset(pages, 0x5a, sizeof expected);
    memset(expected, 0x5a, sizeof expected);
    make_vector_pointers(c, in + 512, n, mask);
    for (unsigned k = 0; k < (unsigned)c->b; k++) {
        random_fill(in + 1024 + k * 512, c->t, n);
        for (unsigned i = 0; i < n; i++) {
            unsigned char *p;
            memcpy(&p, in + 512 + 8 * i, 8);
            if (active(mask, i))
                value_set(expected + (p - pages), c->t, k, value_get(in + 1024 + k * 512, c->t, i));
        }
    }
    f(in, mask, NULL);
    bool good = !memcmp(pages, expected, sizeof expected);
    munmap(pages - 4096, 3 * 4096);
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

static unsigned
records_cases(struct unit_case *cases, bool guards)
{
    static const int counts[] = {2, 3, 4, 5, 6, 8, 16, 17};
    static const enum type types[] = {T_I8, T_I16, T_FLOAT, T_DOUBLE};
    unsigned count = 0;

    for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++) {
        for (unsigned t = 0; t < 4; t++) {
            if ((counts[k] > 4 && types[t] != T_FLOAT) || (guards && counts[k] > 4 && counts[k] < 16) ||
                (counts[k] != 3 && types[t] == T_DOUBLE))
                continue;
            cases[count++] = (struct unit_case){
                build_records_in, guards ? check_records_guard : check_records_in, "records in", types[t], 0,
                counts[k]};
            cases[count++] = (struct unit_case){build_records_out,
                                                guards ? check_records_guard : check_records_out,
                                                "records out",
                                                types[t],
                                                1,
                                                counts[k]};
        }
    }
    return count;
}

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
        cases[count++] =
            (struct unit_case){build_load_uniform, check_load_uniform, "load_uniform", t, 0, space};
        cases[count++] =
            (struct unit_case){build_store_uniform, check_store_uniform, "store_uniform", t, 0, space};
    }
    unit_run_cases(cases, count);
}
END_TEST

START_TEST(records)
{
    struct unit_case cases[64];
    unsigned count = records_cases(cases, false);

    for (int fields = 2; fields <= 4; fields += 2)
        for (enum type t = T_I8; t <= T_I16; t++)
            cases[count++] =
                (struct unit_case){build_records_out, check_records_out, "all records", t, OF_ALL, fields};
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

START_TEST(vectors_at_borders)
{
    static const enum type types[] = {T_I8, T_I16, T_FLOAT, T_DOUBLE};
    static const int counts[] = {2, 3, 4, 7, 16};
    struct unit_case cases[64];
    unsigned count = 0;

    for (unsigned t = 0; t < 4; t++)
        for (unsigned k = 0; k < sizeof counts / sizeof *counts; k++)
            for (int aligned = 0; aligned < 2; aligned++) {
                unsigned size = type_size(types[t]), bytes = size * (unsigned)counts[k];
                if (bytes > 32 || (size < 4 && bytes > 16) || (size >= 4 && counts[k] > 4))
                    continue;
                cases[count++] = (struct unit_case){build_vectors_in, check_vectors_in, "vectors in",
                                                    types[t], aligned, counts[k]};
                if (size < 4 && bytes != 4)
                    continue;
                cases[count++] = (struct unit_case){build_vectors_out, check_vectors_out, "vectors out",
                                                    types[t], aligned, counts[k]};
            }
    unit_run_cases(cases, count);
}
END_TEST

START_TEST(records_at_borders)
{
    struct unit_case cases[64];
    unit_run_cases(cases, records_cases(cases, true));
}
END_TEST

void
add_memory(TCase *tests)
{
    tcase_add_test(tests, moves);
    tcase_add_test(tests, address_spaces);
    tcase_add_test(tests, packed);
    tcase_add_test(tests, records);
}

void
add_guards(TCase *tests)
{
    tcase_add_test(tests, moves_at_borders);
    tcase_add_test(tests, records_at_borders);
    tcase_add_test(tests, vectors_at_borders);
}
