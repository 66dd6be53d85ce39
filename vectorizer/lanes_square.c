/* SPDX-License-Identifier: MIT */
/* Transposes of square blocks in registers: within 16 bytes first, then of parts of 16 bytes, two registers
 * at a time, which all levels have instructions for. */
#include <string.h>

#include "lanes_internal.h"

/* Groups of `group` elements of both: numbers of elements, those of `b` from `group` on. */
static V
pick(lw_lanes *l, V a, V b, unsigned group, const unsigned *from)
{
    int lanes[64];
    unsigned count = lw_lane_count(a);

    for (unsigned k = 0; k < count; k++)
        lanes[k] = (int)(from[k % group] % group + k / group * group + from[k % group] / group * count);
    return lw_lane_shuffle_const(l, a, b, lanes, count);
}

/* Four rows' parts of four elements, turned: row r has elements r of all. */
static void
turn_fours(lw_lanes *l, V *rows)
{
    static const unsigned low[] = {0, 4, 1, 5}, high[] = {2, 6, 3, 7}, lower[] = {0, 1, 4, 5},
                          upper[] = {2, 3, 6, 7};
    V a = pick(l, rows[0], rows[1], 4, low), b = pick(l, rows[2], rows[3], 4, low);
    V c = pick(l, rows[0], rows[1], 4, high), d = pick(l, rows[2], rows[3], 4, high);

    rows[0] = pick(l, a, b, 4, lower);
    rows[1] = pick(l, a, b, 4, upper);
    rows[2] = pick(l, c, d, 4, lower);
    rows[3] = pick(l, c, d, 4, upper);
}

static void
turn_twos(lw_lanes *l, V *rows)
{
    static const unsigned low[] = {0, 2}, high[] = {1, 3};
    V a = pick(l, rows[0], rows[1], 2, low);

    rows[1] = pick(l, rows[0], rows[1], 2, high);
    rows[0] = a;
}

/* Parts of `part` elements: every other one of `a`, then of `b`. */
static V
pick_parts(lw_lanes *l, V a, V b, unsigned part, unsigned first)
{
    int lanes[64];
    unsigned count = lw_lane_count(a), parts = count / part;

    for (unsigned k = 0; k < count; k++) {
        unsigned at = 2 * (k / part) + first;
        lanes[k] = (int)(at % parts * part + k % part + (at < parts ? 0 : count));
    }
    return lw_lane_shuffle_const(l, a, b, lanes, count);
}

void
lw_lane_turn_square(lw_lanes *l, V *rows, unsigned bits)
{
    unsigned count = lw_lane_count(rows[0]), part = 128 / bits, parts = count / part;
    V r[LW_SQUARE];

    for (unsigned q = 0; q < count; q += part) {
        if (part == 4)
            turn_fours(l, rows + q);
        else
            turn_twos(l, rows + q);
    }
    memcpy(r, rows, count * sizeof *r);
    for (unsigned k = 0; k < part && parts == 2; k++) {
        rows[k] = pick_parts(l, r[k], r[k + part], part, 0);
        rows[k + part] = pick_parts(l, r[k], r[k + part], part, 1);
    }
    for (unsigned k = 0; k < part && parts == 4; k++) {
        V a = pick_parts(l, r[k], r[k + part], part, 0);
        V b = pick_parts(l, r[k + 2 * part], r[k + 3 * part], part, 0);
        V c = pick_parts(l, r[k], r[k + part], part, 1);
        V d = pick_parts(l, r[k + 2 * part], r[k + 3 * part], part, 1);
        rows[k] = pick_parts(l, a, b, part, 0);
        rows[k + part] = pick_parts(l, c, d, part, 0);
        rows[k + 2 * part] = pick_parts(l, a, b, part, 1);
        rows[k + 3 * part] = pick_parts(l, c, d, part, 1);
    }
}
