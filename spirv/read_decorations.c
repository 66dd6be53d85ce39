/* SPDX-License-Identifier: MIT */
/* Decorations by target.
 *
 * Enters: framed instructions with operands in range.  Leaves: decorations[] and first_decoration[].
 * Relies on: the grammar walk having checked operands.  Never: judges a decoration.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "operands.h"
#include "read_parts.h"

#define MAX_DECORATIONS (1u << 22)
#define MAX_PER_TARGET 4096u /* of one member or whole: lookups are linear in it */

struct collector {
    lw_module *m;
    uint32_t room;
    lw_error *error;
};

static bool
add(struct collector *c, const struct lw_inst *inst, struct lw_decoration d)
{
    lw_module *m = c->m;
    if (m->decoration_count == MAX_DECORATIONS)
        return lw_spirv_fail(c->error, LW_ERR_TOO_MANY, inst->at, lw_op_name(inst->op), inst->at,
                             MAX_DECORATIONS, "decorations");
    if (m->decoration_count == c->room) {
        uint32_t room = c->room ? c->room * 2 : 64;
        struct lw_decoration *grown = realloc(m->decorations, sizeof *grown * room);
        if (!grown)
            return lw_spirv_fail(c->error, LW_ERR_MEMORY, inst->at);
        m->decorations = grown;
        c->room = room;
    }
    m->decorations[m->decoration_count++] = d;
    return true;
}

static bool
collect_plain(struct collector *c)
{
    for (uint32_t i = 0; i < c->m->global_count; i++) {
        const struct lw_inst *inst = &c->m->insts[i];
        struct lw_decoration d = {.target = lw_word(c->m, inst, 1), .member = LW_NO_MEMBER};
        uint32_t kind_at;
        switch (inst->op) {
        case SpvOpDecorate:
        case SpvOpDecorateId:
        case SpvOpDecorateString: kind_at = 2; break;
        case SpvOpMemberDecorate:
        case SpvOpMemberDecorateString:
            d.member = lw_word(c->m, inst, 2);
            kind_at = 3;
            break;
        default: continue;
        }
        d.kind = lw_word(c->m, inst, kind_at);
        d.at = inst->at + kind_at + 1;
        d.count = inst->count - kind_at - 1;
        if (d.target < c->m->bound && !add(c, inst, d))
            return false;
    }
    return true;
}

static int
compare(const void *left, const void *right)
{
    const struct lw_decoration *a = left, *b = right;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void
sort(lw_module *m)
{
    if (m->decoration_count)
        qsort(m->decorations, m->decoration_count, sizeof *m->decorations, compare);
    memset(m->first_decoration, 0, sizeof *m->first_decoration * ((size_t)m->bound + 1));
    for (uint32_t i = 0; i < m->decoration_count; i++)
        m->first_decoration[m->decorations[i].target + 1]++;
    for (uint32_t id = 0; id < m->bound; id++)
        m->first_decoration[id + 1] += m->first_decoration[id];
}

/* Copies the group's decorations to one target. Groups hold plain decorations only, sorted already. */
static bool
spread(struct collector *c, const struct lw_inst *inst, uint32_t group, uint32_t target, uint32_t member)
{
    lw_module *m = c->m;
    for (uint32_t i = m->first_decoration[group]; i < m->first_decoration[group + 1]; i++) {
        struct lw_decoration d = m->decorations[i];
        d.target = target;
        d.member = member;
        if (!add(c, inst, d))
            return false;
    }
    return true;
}

static bool
spread_groups(struct collector *c)
{
    lw_module *m = c->m;
    for (uint32_t i = 0; i < m->global_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        bool members = inst->op == SpvOpGroupMemberDecorate;
        if (inst->op != SpvOpGroupDecorate && !members)
            continue;
        uint32_t group = lw_word(m, inst, 1);
        if (lw_op_of(m, group) != SpvOpDecorationGroup)
            return lw_spirv_fail(c->error, LW_ERR_BRACKETS, inst->at, lw_op_name(inst->op), inst->at,
                                 "it names no decoration group");
        for (uint32_t w = 2; w < inst->count; w += members ? 2 : 1)
            if (!spread(c, inst, group, lw_word(m, inst, w),
                        members ? lw_word(m, inst, w + 1) : LW_NO_MEMBER))
                return false;
    }
    return true;
}

static bool
check_runs(const lw_module *m, lw_error *error)
{
    uint32_t run = 0;
    for (uint32_t i = 1; i < m->decoration_count; i++) {
        const struct lw_decoration *a = &m->decorations[i - 1], *b = &m->decorations[i];
        run = a->target == b->target && a->member == b->member ? run + 1 : 0;
        if (run >= MAX_PER_TARGET)
            return lw_spirv_fail(error, LW_ERR_TOO_MANY, b->at, "OpDecorate", b->at, MAX_PER_TARGET,
                                 "decorations of one id");
    }
    return true;
}

bool
lw_read_decorations(lw_module *m, lw_error *error)
{
    struct collector c = {m, 0, error};
    if (!collect_plain(&c))
        return false;
    sort(m);
    uint32_t plain = m->decoration_count;
    if (!spread_groups(&c))
        return false;
    if (m->decoration_count != plain)
        sort(m);
    return check_runs(m, error);
}
