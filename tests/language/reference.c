/* SPDX-License-Identifier: MIT */
/* The reference machine: work-items as coroutines, the work-item functions by their formulae, and meetings.
 *
 * The kernels are compiled at -O0, so the addresses of call sites follow the source. Where the work-items of
 * a sub-group wait at different call sites, those at the lowest go on first: the others wait where flow joins
 * again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "reference.h"

enum { MAX_ITEMS = 8192, STACK = 64 * 1024, VALUE = 128 };
enum state { READY, WAITING, DONE };
enum scope { SUB_GROUP, WORK_GROUP };

/* What a meeting gives each who came: the values of all. Known to reference.cl with the same layout. */
struct ref_meeting {
    unsigned size; /* members of the group, come or not */
    unsigned self;
    const unsigned char *came;   /* size flags */
    const unsigned char *values; /* size rows of VALUE bytes */
};

struct item {
    ucontext_t context;
    enum state state;
    enum scope scope;
    uintptr_t site;
    size_t local[3];
    size_t linear;
    unsigned bytes;
    struct ref_meeting meeting;
    unsigned char value[VALUE];
};

static struct {
    struct ref_range range;
    size_t group[3], size[3], items; /* of the work-group that runs */
    unsigned sub_group_size;
    unsigned char *stacks;
    struct item *all, *self;
    unsigned char *came[2], (*values[2])[VALUE]; /* snapshots, by scope */
    ucontext_t scheduler;
    void *kernel;
    uintptr_t arguments[6];
} r;

typedef void call6(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static void
enter(void)
{
    const uintptr_t *a = r.arguments;
    ((call6 *)r.kernel)(a[0], a[1], a[2], a[3], a[4], a[5]);
    r.self->state = DONE;
    swapcontext(&r.self->context, &r.scheduler);
}

const struct ref_meeting *ref_meet(unsigned scope, const void *site, const void *value, unsigned bytes);

const struct ref_meeting *
ref_meet(unsigned scope, const void *site, const void *value, unsigned bytes)
{
    struct item *self = r.self;
    size_t first = scope == WORK_GROUP ? 0 : self->linear / r.sub_group_size * r.sub_group_size;
    size_t left = r.items - first;
    self->scope = (enum scope)scope;
    self->site = (uintptr_t)site;
    self->bytes = bytes;
    memcpy(self->value, value, bytes);
    self->state = WAITING;
    swapcontext(&self->context, &r.scheduler);
    self->meeting.size = scope == WORK_GROUP ? (unsigned)r.items
                         : left < r.sub_group_size ? (unsigned)left : r.sub_group_size;
    self->meeting.self = (unsigned)(self->linear - first);
    self->meeting.came = r.came[scope] + first;
    self->meeting.values = r.values[scope][first];
    return &self->meeting;
}

/* Lets those of [first, end) that wait in `scope` at `site` go on (any site: 0). */
static void
release(size_t first, size_t end, enum scope scope, uintptr_t site)
{
    for (size_t k = first; k < end; k++) {
        struct item *i = &r.all[k];
        bool comes = i->state == WAITING && i->scope == scope && (!site || i->site == site);
        r.came[scope][k] = comes;
        memset(r.values[scope][k], 0, VALUE);
        if (comes) {
            memcpy(r.values[scope][k], i->value, i->bytes);
            i->state = READY;
        }
    }
}

static bool
release_sub_groups(void)
{
    bool any = false;
    for (size_t first = 0; first < r.items; first += r.sub_group_size) {
        size_t end = first + r.sub_group_size < r.items ? first + r.sub_group_size : r.items;
        uintptr_t site = 0;
        for (size_t k = first; k < end; k++)
            if (r.all[k].state == WAITING && r.all[k].scope == SUB_GROUP && (!site || r.all[k].site < site))
                site = r.all[k].site;
        if (site)
            release(first, end, SUB_GROUP, site);
        any = any || site;
    }
    return any;
}

static bool
release_work_group(const char **why)
{
    uintptr_t site = 0;
    for (size_t k = 0; k < r.items; k++) {
        if (r.all[k].state != WAITING)
            continue;
        if (site && r.all[k].site != site) {
            *why = "work-items wait at different barriers";
            return false;
        }
        site = r.all[k].site;
    }
    if (site)
        release(0, r.items, WORK_GROUP, site);
    return site != 0;
}

static void
start_item(size_t k)
{
    struct item *i = &r.all[k];
    i->state = READY;
    i->linear = k;
    i->local[0] = k % r.size[0];
    i->local[1] = k / r.size[0] % r.size[1];
    i->local[2] = k / r.size[0] / r.size[1];
    getcontext(&i->context);
    i->context.uc_stack.ss_sp = r.stacks + k * STACK;
    i->context.uc_stack.ss_size = STACK;
    i->context.uc_link = NULL;
    makecontext(&i->context, enter, 0);
}

static bool
run_group(const char **why)
{
    for (size_t k = 0; k < r.items; k++)
        start_item(k);
    do {
        for (size_t k = 0; k < r.items; k++) {
            r.self = &r.all[k];
            if (r.self->state == READY)
                swapcontext(&r.scheduler, &r.self->context);
        }
    } while (release_sub_groups() || release_work_group(why));
    return *why == NULL;
}

static bool
make_room(void)
{
    if (r.stacks)
        return true;
    void *stacks = mmap(NULL, (size_t)MAX_ITEMS * STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        return false;
    r.stacks = stacks;
    r.all = calloc(MAX_ITEMS, sizeof *r.all);
    for (int s = 0; s < 2; s++) {
        r.came[s] = calloc(MAX_ITEMS, 1);
        r.values[s] = calloc(MAX_ITEMS, VALUE);
    }
    return r.all && r.came[0] && r.came[1] && r.values[0] && r.values[1];
}

bool
ref_run(void *kernel, const uintptr_t *arguments, unsigned count, const struct ref_range *range,
        unsigned size,
        const char **why)
{
    *why = NULL;
    if (!make_room()) {
        *why = "out of memory";
        return false;
    }
    r.kernel = kernel;
    r.range = *range;
    r.sub_group_size = size;
    memcpy(r.arguments, arguments, count * sizeof *arguments);
    size_t groups[3];
    for (unsigned d = 0; d < 3; d++) {
        if (d >= range->dimensions) {
            r.range.global[d] = r.range.local[d] = 1;
            r.range.offset[d] = 0;
        }
        groups[d] = (r.range.global[d] + r.range.local[d] - 1) / r.range.local[d];
    }
    for (size_t g = 0; g < groups[0] * groups[1] * groups[2]; g++) {
        r.group[0] = g % groups[0];
        r.group[1] = g / groups[0] % groups[1];
        r.group[2] = g / groups[0] / groups[1];
        for (unsigned d = 0; d < 3; d++) {
            size_t left = r.range.global[d] - r.group[d] * r.range.local[d];
            r.size[d] = left < r.range.local[d] ? left : r.range.local[d];
        }
        r.items = r.size[0] * r.size[1] * r.size[2];
        if (!run_group(why))
            return false;
    }
    return true;
}

/* ---- The work-item functions, spec/000, under the names that clang gives them ---------------------------
 * */

#define ITEM_FUNCTION(type, name, mangled, value)                                                            \
    type name(unsigned d) __asm__(mangled);                                                                  \
    type name(unsigned d)                                                                                    \
    {                                                                                                        \
        return value;                                                                                        \
    }
#define ITEM_VALUE(type, name, mangled, value)                                                               \
    type name(void) __asm__(mangled);                                                                        \
    type name(void)                                                                                          \
    {                                                                                                        \
        return value;                                                                                        \
    }
#define IN (d < r.range.dimensions)
#define GLOBAL(d) (r.group[d] * r.range.local[d] + r.self->local[d])
#define PARTS(items) (((items) + r.sub_group_size - 1) / r.sub_group_size)

ITEM_VALUE(unsigned, ref_work_dim, "_Z12get_work_dimv", r.range.dimensions)
ITEM_FUNCTION(size_t, ref_global_size, "_Z15get_global_sizej", IN ? r.range.global[d] : 1)
ITEM_FUNCTION(size_t, ref_global_id, "_Z13get_global_idj", IN ? GLOBAL(d) + r.range.offset[d] : 0)
ITEM_FUNCTION(size_t, ref_local_size, "_Z14get_local_sizej", IN ? r.size[d] : 1)
ITEM_FUNCTION(size_t, ref_enqueued, "_Z23get_enqueued_local_sizej", IN ? r.range.local[d] : 1)
ITEM_FUNCTION(size_t, ref_local_id, "_Z12get_local_idj", IN ? r.self->local[d] : 0)
ITEM_FUNCTION(size_t, ref_num_groups, "_Z14get_num_groupsj",
              IN ? (r.range.global[d] + r.range.local[d] - 1) / r.range.local[d] : 1)
ITEM_FUNCTION(size_t, ref_group_id, "_Z12get_group_idj", IN ? r.group[d] : 0)
ITEM_FUNCTION(size_t, ref_offset, "_Z17get_global_offsetj", IN ? r.range.offset[d] : 0)
ITEM_VALUE(size_t, ref_global_linear, "_Z20get_global_linear_idv",
           (GLOBAL(2) * r.range.global[1] + GLOBAL(1)) * r.range.global[0] + GLOBAL(0))
ITEM_VALUE(size_t, ref_local_linear, "_Z19get_local_linear_idv", r.self->linear)
ITEM_VALUE(unsigned, ref_max_sub, "_Z22get_max_sub_group_sizev", r.sub_group_size)
ITEM_VALUE(unsigned, ref_num_sub, "_Z18get_num_sub_groupsv", (unsigned)PARTS(r.items))
ITEM_VALUE(unsigned, ref_enqueued_sub, "_Z27get_enqueued_num_sub_groupsv",
           (unsigned)PARTS(r.range.local[0] * r.range.local[1] * r.range.local[2]))
ITEM_VALUE(unsigned, ref_sub_id, "_Z16get_sub_group_idv", (unsigned)(r.self->linear / r.sub_group_size))
ITEM_VALUE(unsigned, ref_lane, "_Z22get_sub_group_local_idv", (unsigned)(r.self->linear % r.sub_group_size))

static unsigned
sub_group_size(void)
{
    size_t left = r.items - r.self->linear / r.sub_group_size * r.sub_group_size;
    return left < r.sub_group_size ? (unsigned)left : r.sub_group_size;
}

ITEM_VALUE(unsigned, ref_sub_size, "_Z18get_sub_group_sizev", sub_group_size())
