/* SPDX-License-Identifier: MIT */
/* Parts of a dispatch, see parts.h: one atomic number each. */
#include "parts.h"

/* Takes the next run of a part, at most `most` work-groups and one of so many of what is left; false: none is
 * left. */
static bool
take(struct lw_part *part, uint64_t share, uint64_t least, uint64_t most, uint64_t *first, uint64_t *end)
{
    uint64_t next = atomic_load_explicit(&part->next, memory_order_relaxed), count;
    do {
        if (next >= part->end)
            return false;
        uint64_t left = part->end - next;
        count = left / share;
        count = count < most ? count : most;
        count = count > least ? count : least;
        count = count < left ? count : left;
    } while (!atomic_compare_exchange_weak_explicit(&part->next, &next, next + count, memory_order_relaxed,
                                                    memory_order_relaxed));
    *first = next;
    *end = next + count;
    return true;
}

bool
lw_parts_take(struct lw_parts *p, unsigned own, uint64_t least, uint64_t most, uint64_t *first, uint64_t *end)
{
    uint64_t share = (uint64_t)p->threads_per_part * LW_RUNS_PER_THREAD;
    own %= p->count;
    for (unsigned i = 0; i < p->count; i++) {
        unsigned number = own + i < p->count ? own + i : own + i - p->count;
        if (take(&p->parts[number], i ? 2 * share : share, least, most, first, end))
            return true;
    }
    return false;
}

void
lw_parts_divide(struct lw_parts *p, uint64_t first, uint64_t end, unsigned threads, bool undivided)
{
    unsigned count = undivided ? 1 : threads < LW_MOST_PARTS ? threads : LW_MOST_PARTS;
    uint64_t each = (end - first) / count;
    p->count = count;
    p->threads_per_part = (threads + count - 1) / count;
    for (unsigned i = 0; i < count; i++) {
        atomic_init(&p->parts[i].next, first + each * i);
        p->parts[i].end = i + 1 < count ? first + each * (i + 1) : end;
    }
}
