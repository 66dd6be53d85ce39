/* SPDX-License-Identifier: MIT */
/* Events of device-side enqueue: numbers into a table of the family.
 *
 * Counted are the kernels' references, one of the child whose end it is, and one for each child that waits
 * for it. A place in the table is used again under another generation, so that an event that is gone is known
 * for what it is. */
#include "../../spirv/enqueue.h"
#include "family.h"

#include <stdlib.h>

struct lw_waiter {
    struct lw_waiter *next;
    struct lw_child *child;
};

struct lw_profile {
    struct lw_profile *next;
    uint64_t *place;
};

#define GENERATION_SHIFT 32

static bool
make_room(struct lw_family *f)
{
    uint32_t room = f->event_room ? 2 * f->event_room : 64;
    if (f->event_count < f->event_room)
        return true;
    struct lw_device_event *events = realloc(f->events, room * sizeof *events);
    if (events)
        f->events = events;
    uint32_t *next = realloc(f->next_free, room * sizeof *next);
    if (next)
        f->next_free = next;
    if (events && next)
        f->event_room = room;
    return events && next;
}

uint32_t
lw_event_make(struct lw_family *f, bool user)
{
    uint32_t number = f->free_event, generation = 0;
    if (number) {
        f->free_event = f->next_free[number];
        generation = (f->events[number].generation + 1) & INT32_MAX;
    } else {
        if (!f->event_count)
            f->event_count = 1; /* no event is number 0 */
        if (f->event_count >= LW_MAX_DEVICE_EVENTS || !make_room(f))
            return 0;
        number = f->event_count++;
    }
    f->events[number] =
        (struct lw_device_event){.refs = 1, .generation = generation, .status = 1, .is_user = user};
    return number;
}

uint64_t
lw_event_handle(const struct lw_family *f, uint32_t event)
{
    return event ? (uint64_t)f->events[event].generation << GENERATION_SHIFT | event : 0;
}

uint32_t
lw_event_of_handle(const struct lw_family *f, uint64_t handle)
{
    uint32_t number = (uint32_t)handle;
    bool found = number && number < f->event_count && f->events[number].refs &&
                 f->events[number].generation == handle >> GENERATION_SHIFT;
    return found ? number : 0;
}

void
lw_event_retain(struct lw_family *f, uint32_t event)
{
    if (event && f->events[event].refs < UINT32_MAX)
        f->events[event].refs++;
}

void
lw_event_release(struct lw_family *f, uint32_t event)
{
    if (!event || --f->events[event].refs)
        return;
    struct lw_device_event *e = &f->events[event];
    while (e->profiles) {
        struct lw_profile *profile = e->profiles;
        e->profiles = profile->next;
        free(profile);
    }
    f->next_free[event] = f->free_event;
    f->free_event = event;
}

static void
write_times(const struct lw_device_event *e, uint64_t *place)
{
    place[0] = e->run_time;
    place[1] = e->whole_time;
}

void
lw_event_complete(struct lw_family *f, uint32_t event, int32_t status)
{
    if (!event || f->events[event].status <= 0)
        return;
    f->events[event].status = status < 0 ? status : 0;
    for (struct lw_profile *p = f->events[event].profiles; p; p = p->next)
        write_times(&f->events[event], p->place);
    struct lw_waiter *waiter = f->events[event].waiters;
    f->events[event].waiters = NULL;
    while (waiter) {
        struct lw_waiter *next = waiter->next;
        if (status < 0)
            waiter->child->failed = status;
        lw_child_wait_less(f, waiter->child);
        lw_event_release(f, event);
        free(waiter);
        waiter = next;
    }
}

bool
lw_event_add_waiter(struct lw_family *f, uint32_t event, struct lw_child *child)
{
    struct lw_device_event *e = &f->events[event];
    if (e->status <= 0) {
        if (e->status < 0)
            child->failed = e->status;
        return true;
    }
    struct lw_waiter *waiter = malloc(sizeof *waiter);
    if (!waiter)
        return false;
    *waiter = (struct lw_waiter){e->waiters, child};
    e->waiters = waiter;
    e->refs++;
    child->waiting++;
    return true;
}

void
lw_event_capture(struct lw_family *f, uint32_t event, uint64_t *place)
{
    struct lw_device_event *e = &f->events[event];
    if (!place || (uintptr_t)place % sizeof *place || e->is_user)
        return;
    if (e->status <= 0) {
        write_times(e, place);
        return;
    }
    struct lw_profile *profile = malloc(sizeof *profile);
    if (!profile)
        return;
    *profile = (struct lw_profile){e->profiles, place};
    e->profiles = profile;
}

uint64_t
lw_event_list_add(struct lw_family *f, uint64_t handle, uint64_t event)
{
    struct lw_event_list *list = (struct lw_event_list *)(uintptr_t)handle;
    uint32_t number = lw_event_of_handle(f, event);
    if (handle == LW_BAD_EVENT_LIST)
        return handle;
    if (number && (!list || list->count == list->room)) {
        uint32_t room = list ? 2 * list->room : 4;
        struct lw_event_list *grown = realloc(list, sizeof *grown + room * sizeof *grown->events);
        if (grown) {
            grown->count = list ? grown->count : 0;
            grown->room = room;
            list = grown;
        } else {
            number = 0;
        }
    }
    if (!number) {
        free(list);
        return LW_BAD_EVENT_LIST;
    }
    list->events[list->count++] = number;
    return (uintptr_t)list;
}

void
lw_events_free(struct lw_family *f)
{
    for (uint32_t i = 1; i < f->event_count; i++) {
        while (f->events[i].waiters) {
            struct lw_waiter *waiter = f->events[i].waiters;
            f->events[i].waiters = waiter->next;
            free(waiter);
        }
        if (f->events[i].refs) {
            f->events[i].refs = 1;
            lw_event_release(f, i);
        }
    }
    free(f->events);
    free(f->next_free);
    f->events = NULL;
    f->next_free = NULL;
    f->event_count = f->event_room = f->free_event = 0;
}
