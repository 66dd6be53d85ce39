/* SPDX-License-Identifier: MIT */
/* Transposes of square blocks in registers: within 16 bytes first, then of parts of 16 bytes, two registers
 * at a time, which all levels have instructions for. */
#include <string.h>

#include "internal.h"

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

/* Element 0, or 1, of both in each 16 bytes. */
static void
turn_twos(lw_lanes *l, V *rows)
{
    int low[64], high[64];
    unsigned count = lw_lane_count(rows[0]);
    V a = rows[0], b = rows[1];

    for (unsigned k = 0; k < count; k++) {
        low[k] = (int)(k / 2 * 2 + (k % 2 ? count : 0));
        high[k] = low[k] + 1;
    }
    rows[0] = lw_lane_shuffle_const(l, a, b, low, count);
    rows[1] = lw_lane_shuffle_const(l, a, b, high, count);
}

void
lw_lane_turn_square(lw_lanes *l, V *rows, unsigned bits)
{
    unsigned count = lw_lane_count(rows[0]), part = 128 / bits, parts = count / part;
    V r[LW_SQUARE];

    for (unsigned q = 0; q < count; q += part) {
        if (part == 4)
            lw_lane_turn_quads(l, rows + q);
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
