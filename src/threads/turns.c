/* SPDX-License-Identifier: MIT */
/* Sub-groups, or work-items, that take turns on a thread, each on a stack of its own while it waits.
 *
 * In a round each that can go on does so, in increasing order, until it waits or is done; one that is done
 * leaves its stack to the next that has not begun. Those that wait for their work-group go on when all are
 * there, in the next round, again in increasing order, which work-group collectives rely on. Where a few
 * rounds have brought nothing, the thread begins one more work-group: what is waited for may be there, or
 * another thread's. Work-groups begin in increasing order; no other order is promised to those that wait.
 *
 * Enters: code with turns (compiler.h). Leaves: all given work-groups done. Never: moves a stack to another
 * thread, or blocks one: what is waited for may be the host's.
 */
#include "turns.h"
#include "stacks.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 4u        /* rounds that bring nothing, before another work-group begins */
#define YIELDS 32u         /* before the processor is offered to others */
#define MOST_BEGUN 64u     /* work-groups */
#define MOST_WAITING 4096u /* of theirs */
#define MOST_BYTES ((size_t)64 << 20)
#define KEPT_STACKS 512u
#define KEPT_BYTES ((size_t)8 << 20)

enum state { NEW, READY, HERE, DONE };

struct lw_turns {
    struct lw_stacks stacks;
    struct lw_begun *first, **last, *idle;
    struct lw_giver *giver;
    struct lw_turns *outer;
    void *top; /* of the thread's own stack */
    struct lw_stack *running;
    bool finished; /* the running one's stack is free */
    bool met;      /* all of a work-group were there */
    bool moved;    /* something began or is done */
    bool looked;   /* something waits for memory */
    bool short_of_memory;
    bool more; /* work-groups to begin */
    bool lost; /* one of them, for lack of memory */
    uint32_t begun, most_begun, waiting;
};

static _Thread_local struct lw_turns *current __attribute__((tls_model("initial-exec")));

/* ---- on their stacks ---- */

static LW_SWITCHES_STACKS void
leave(struct lw_stack *stack)
{
    lw_stack_switch(&stack->top, current->top);
}

static void
meet(struct lw_begun *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->states[i] == HERE)
            g->states[i] = READY;
    g->here = 0;
    current->met = true;
}

LW_SWITCHES_STACKS void
lw_wait(uint32_t what)
{
    struct lw_stack *stack = current->running;
    struct lw_begun *g = stack->work;

    if (what == LW_WAIT_MEMORY || (what == LW_WAIT_LOOK && ++stack->looks % LW_LOOKS == 0)) {
        current->looked = true;
        atomic_store_explicit(current->giver->waited, true, memory_order_relaxed);
        leave(stack);
    } else if (what == LW_WAIT_GROUP && g->count - g->done > 1) {
        g->states[stack->number] = HERE;
        if (++g->here + g->done == g->count)
            meet(g);
        leave(stack);
    }
}

/* Where no other work-group waits for its turn, the next one begins in place of one that is done. */
static bool
begin_next(struct lw_turns *t, struct lw_stack *stack, struct lw_begun *g)
{
    if (g->done < g->count || t->begun > 1 || !t->giver->next(t->giver, g))
        return false;
    memset(g->states, NEW, g->count);
    g->done = g->here = 0;
    stack->number = stack->looks = 0;
    t->giver->enter(t->giver, g);
    return true;
}

/* One after the other, as long as none of them waits. */
static LW_SWITCHES_STACKS void
run(struct lw_stack *stack)
{
    struct lw_turns *t = current;
    struct lw_begun *g = stack->work;
    char *memory = g->memory.base;

    for (;;) {
        g->states[stack->number] = READY;
        g->stacks[stack->number] = stack;
        g->code->run(t->giver->launch, t->giver->args, g->group, stack->number, memory,
                     memory + t->giver->frame_offset);
        g->states[stack->number] = DONE;
        g->stacks[stack->number] = NULL;
        t->moved = true;
        if (++g->done + g->here == g->count && g->here)
            meet(g);
        if (stack->number + 1 < g->count && g->states[stack->number + 1] == NEW)
            stack->number++;
        else if (!begin_next(t, stack, g))
            break;
    }
    t->finished = true;
    leave(stack);
}

/* ---- on the thread's ---- */

/* The number that ran last, which may be a later one. */
static uint32_t
give_turn(struct lw_turns *t, struct lw_begun *g, uint32_t number)
{
    struct lw_stack *stack = g->stacks[number];
    if (!stack) {
        stack = lw_stack_take(&t->stacks, run);
        if (!stack) {
            t->short_of_memory = true;
            return number;
        }
        stack->work = g;
        stack->number = number;
        stack->looks = 0;
    }
    t->running = stack;
    t->finished = false;
    lw_stack_switch(&t->top, stack->top);
    number = stack->number;
    if (t->finished)
        lw_stack_give(&t->stacks, stack);
    return number;
}

static void
go_round(struct lw_turns *t, struct lw_begun *g)
{
    t->met = false;
    t->giver->enter(t->giver, g);
    for (uint32_t i = 0; i < g->count && !t->met; i++)
        if (g->states[i] == NEW || g->states[i] == READY)
            i = give_turn(t, g, i);
}

static bool
make_room(struct lw_begun *g)
{
    if (g->room < g->count) {
        free(g->stacks);
        free(g->states);
        g->stacks = malloc(g->count * sizeof *g->stacks);
        g->states = malloc(g->count);
        g->room = g->stacks && g->states ? g->count : 0;
    }
    if (g->room < g->count)
        return false;
    memset(g->stacks, 0, g->count * sizeof *g->stacks);
    memset(g->states, NEW, g->count);
    g->done = g->here = 0;
    return true;
}

static void
put_away(struct lw_turns *t, struct lw_begun *g)
{
    g->next = t->idle;
    t->idle = g;
}

/* What there is no memory for begins later, when others are done. */
static void
begin(struct lw_turns *t)
{
    struct lw_begun *g = t->idle;
    if (g)
        t->idle = g->next;
    else
        g = calloc(1, sizeof *g);
    if (!g || !t->giver->reserve(t->giver, &g->memory)) {
        t->short_of_memory = true;
        if (g)
            put_away(t, g);
        return;
    }
    t->more = t->giver->begin(t->giver, g);
    if (!t->more || !make_room(g)) {
        t->lost |= t->more;
        put_away(t, g);
        return;
    }
    g->next = NULL;
    *t->last = g;
    t->last = &g->next;
    t->begun++;
    t->waiting += g->count;
    t->most_begun = t->begun > t->most_begun ? t->begun : t->most_begun;
}

static void
end(struct lw_turns *t, struct lw_begun **at)
{
    struct lw_begun *g = *at;
    *at = g->next;
    if (!*at)
        t->last = at;
    t->begun--;
    t->waiting -= g->count;
    put_away(t, g);
}

static bool
may_begin(const struct lw_turns *t, unsigned futile)
{
    return !t->begun || (futile >= PATIENCE && t->begun < MOST_BEGUN && t->waiting < MOST_WAITING &&
                         (t->begun + 1) * t->giver->bytes <= MOST_BYTES);
}

/* false: nothing moves, for lack of memory. */
static bool
take_all(struct lw_turns *t)
{
    for (unsigned futile = 0;;) {
        t->short_of_memory = false;
        if (t->more && may_begin(t, futile))
            begin(t);
        if (!t->begun)
            return !t->short_of_memory && !t->lost;
        t->moved = t->looked = false;
        for (struct lw_begun **at = &t->first; *at;) {
            go_round(t, *at);
            if ((*at)->done == (*at)->count)
                end(t, at);
            else
                at = &(*at)->next;
        }
        if (t->short_of_memory && !t->moved && !t->looked)
            return false;
        futile = t->looked && !t->moved ? futile + 1 : 0;
        if (futile > YIELDS)
            sched_yield();
    }
}

bool
lw_take_turns(struct lw_thread_memory *arena, struct lw_giver *giver)
{
    struct lw_turns *t = arena->turns;
    if (!t)
        t = arena->turns = calloc(1, sizeof *t);
    if (!t)
        return false;
    t->giver = giver;
    t->outer = current;
    t->first = NULL;
    t->last = &t->first;
    t->begun = t->waiting = 0;
    t->most_begun = 0;
    t->more = true;
    t->lost = false;
    current = t;
    bool good = take_all(t);
    current = t->outer;
    if (!good || t->stacks.count > KEPT_STACKS || t->most_begun * giver->bytes > KEPT_BYTES)
        lw_turns_free(arena);
    return good;
}

void
lw_turns_abandon(struct lw_thread_memory *arena)
{
    current = arena->turns->outer;
    lw_turns_free(arena);
}

static void
free_list(struct lw_begun *g)
{
    for (struct lw_begun *next; g; g = next) {
        next = g->next;
        lw_thread_memory_release(&g->memory);
        free(g->stacks);
        free(g->states);
        free(g);
    }
}

void
lw_turns_free(struct lw_thread_memory *arena)
{
    struct lw_turns *t = arena->turns;
    if (!t)
        return;
    if (t->last)
        *t->last = NULL;
    free_list(t->first);
    free_list(t->idle);
    lw_stacks_free(&t->stacks);
    free(t);
    arena->turns = NULL;
}
