/* SPDX-License-Identifier: MIT */
/* Vectors of c->b components, gathered and scattered, each lane's against a border; c->a: aligned to a power
 * of two. */
#include "borders.h"
#include "tests.h"

#include <string.h>

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
    unmap_pages();
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
    unmap_pages();
    return good;
}

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

void
add_vectors(TCase *tests)
{
    tcase_add_test(tests, vectors_at_borders);
}
