/* SPDX-License-Identifier: MIT */
/* The home of a block: the nearest block that linear control flow always passes on its way there, before any
 * lane begins to wait there.
 *
 * Enters: a linear plan.
 * Leaves: for every block its home, outside of loops that the block is not in, so that lanes which leave a
 * loop in different rounds meet in slots that no round empties.
 * Relies on: the plan's order: all but back edges lead to higher numbers, and a loop is entered by its
 * header.
 *
 * Slots emptied at the function's entry would live from there to their block, and around every loop: with n
 * joins, n values in each of n blocks. The dominators are those of the linear plan, not of the scalar
 * function: a guard leaves blocks out.
 */
#include <stdlib.h>

#include "homes.h"

struct finder {
    const struct lw_model *m;
    uint32_t *idom, *depth, *jump; /* jump: an ancestor about half-way up, so that no climb is long */
};

static void
settle(struct finder *f, uint32_t b)
{
    uint32_t p = f->idom[b];
    if (p == LW_NONE) {
        f->jump[b] = b;
        return;
    }
    uint32_t over = f->jump[p];
    bool even = f->depth[p] - f->depth[over] == f->depth[over] - f->depth[f->jump[over]];
    f->depth[b] = f->depth[p] + 1;
    f->jump[b] = even ? f->jump[over] : p;
}

static uint32_t
common(const struct finder *f, uint32_t a, uint32_t b)
{
    if (f->depth[a] < f->depth[b]) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    while (f->depth[a] > f->depth[b])
        a = f->depth[f->jump[a]] >= f->depth[b] ? f->jump[a] : f->idom[a];
    while (a != b) {
        bool far = f->jump[a] != f->jump[b];
        a = far ? f->jump[a] : f->idom[a];
        b = far ? f->jump[b] : f->idom[b];
    }
    return a;
}

static void
lead(struct finder *f, uint32_t from, uint32_t to)
{
    if (to != LW_NONE && to > from)
        f->idom[to] = f->idom[to] == LW_NONE ? from : common(f, f->idom[to], from);
}

static void
find_dominators(struct finder *f, const struct lw_linear_plan *plan)
{
    for (uint32_t b = 0; b < f->m->block_count; b++)
        f->idom[b] = LW_NONE;
    for (uint32_t b = 0; b < f->m->block_count; b++) {
        const struct lw_block_plan *p = &plan->blocks[b];
        settle(f, b); /* all that leads here has a lower number */
        if (p->guarded)
            lead(f, b, p->guard_else);
        if (p->exit != LW_EXIT_RETURN)
            lead(f, b, p->to[0]);
        if (p->exit == LW_EXIT_BRANCH || p->exit == LW_EXIT_LOOP)
            lead(f, b, p->to[1]);
    }
}

/* The loop whose rounds the slots of `b` belong to: a header's are filled from outside. */
static uint32_t
round_of(const struct lw_model *m, uint32_t b)
{
    uint32_t loop = m->blocks[b].loop;
    return loop != LW_NONE && m->loops[loop].header == b ? m->loops[loop].parent : loop;
}

static uint32_t
home_of(const struct finder *f, uint32_t b)
{
    const struct lw_model *m = f->m;
    const struct lw_vblock *k = &m->blocks[b];
    uint32_t p = f->idom[b];
    for (uint32_t i = 0; i < k->pred_count && p != LW_NONE; i++)
        if (k->preds[i] < b) /* whose lanes may start to wait long before */
            p = common(f, p, k->preds[i]);
    while (p != LW_NONE && m->blocks[p].loop != LW_NONE && m->blocks[p].loop != round_of(m, b) &&
           !(b != m->loops[m->blocks[p].loop].header && lw_loop_contains(m, m->blocks[p].loop, b)))
        p = f->idom[m->loops[m->blocks[p].loop].header];
    return p;
}

struct lw_homes *
lw_find_homes(struct lw_arena *arena, const struct lw_model *model, const struct lw_linear_plan *plan)
{
    uint32_t n = model->block_count;
    struct lw_homes *h = LW_ARENA_NEW(arena, struct lw_homes, 1);
    *h = (struct lw_homes){.home = LW_ARENA_NEW(arena, uint32_t, n),
                           .first = LW_ARENA_NEW(arena, uint32_t, n),
                           .next = LW_ARENA_NEW(arena, uint32_t, n),
                           .idom = LW_ARENA_NEW(arena, uint32_t, n),
                           .depth = LW_ARENA_NEW(arena, uint32_t, n),
                           .jump = LW_ARENA_NEW(arena, uint32_t, n)};
    struct finder f = {.m = model, .idom = h->idom, .depth = h->depth, .jump = h->jump};
    find_dominators(&f, plan);
    for (uint32_t b = 0; b < n; b++)
        h->first[b] = LW_NONE;
    for (uint32_t b = n; b-- > 0;) {
        uint32_t p = home_of(&f, b);
        h->home[b] = p;
        if (p != LW_NONE) {
            h->next[b] = h->first[p];
            h->first[p] = b;
        }
    }
    return h;
}

bool
lw_home_is_near(const struct lw_model *model, const struct lw_homes *homes, uint32_t block)
{
    uint32_t home = homes->home[block];
    return home != LW_NONE && model->blocks[home].loop == round_of(model, block);
}

bool
lw_runs_before(const struct lw_model *model, const struct lw_linear_plan *plan, const struct lw_homes *homes,
               uint32_t a, uint32_t b)
{
    uint32_t at = b;
    if (plan->blocks[a].guarded && (b < a || b >= model->blocks[a].dom_end))
        return false;
    while (homes->depth[at] > homes->depth[a])
        at = homes->depth[homes->jump[at]] >= homes->depth[a] ? homes->jump[at] : homes->idom[at];
    return at == a;
}
