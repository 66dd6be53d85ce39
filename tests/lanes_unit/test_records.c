/* SPDX-License-Identifier: MIT */
/* Records of lanes, interleaved and packed: values, untouched neighbours, and inactive lanes on unmapped
 * pages. */
#include "borders.h"
#include "tests.h"

#include <string.h>

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

static bool
check_records_guard(const struct unit_case *c, unit_function *f, unsigned n, uint64_t mask)
{
    if (n * type_size(c->t) * (unsigned)c->b > 4096)
        return true;
    map_pages();
    bool good = check_at_borders(c, f, n, mask, type_size(c->t) * (unsigned)c->b, c->a);
    unmap_pages();
    return good;
}

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

START_TEST(records_at_borders)
{
    struct unit_case cases[64];
    unit_run_cases(cases, records_cases(cases, true));
}
END_TEST

void
add_records(TCase *tests)
{
    tcase_add_test(tests, packed);
    tcase_add_test(tests, records);
    tcase_add_test(tests, records_at_borders);
}
