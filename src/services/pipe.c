/* SPDX-License-Identifier: MIT */
/* Reservations of pipes: taken by one atomic operation, committed by a store for each packet (OpenCL
 * C 6.15.18).
 *
 * The places of a ring are reserved in order; of each the state tells whether it may be. So whoever reserves
 * looks at the states of the places that it would take and then moves the position on, by one exchange that
 * fails where another was faster. Commits change the states of places that are theirs alone.
 */
#include "pipe.h"
#include <lanewise/lanewise.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

size_t
lw_pipe_memory_size(uint32_t packet_size, uint32_t max_packets)
{
    uint64_t packets;
    return lw_pipe_bytes(packet_size, max_packets, &packets);
}

void
lw_pipe_init(void *memory, uint32_t packet_size, uint32_t max_packets)
{
    memset(memory, 0, sizeof(struct lw_pipe) + 4 * (size_t)max_packets);
    lw_pipe_begin(memory, packet_size, max_packets);
}

/* The position `count` packets on. */
static uint64_t
advance(const struct lw_pipe *pipe, uint64_t position, uint32_t count)
{
    uint64_t place = (position & UINT32_MAX) + count;
    if (place >= pipe->max_packets)
        return (((position >> 32) + 1) << 32) | (place - pipe->max_packets);
    return (position & ~(uint64_t)UINT32_MAX) | place;
}

/* How many of the `count` places from `place` on, none behind the ring's end, are in that state, up to the
 * first that is not. */
static uint32_t
count_in_state(const struct lw_pipe *pipe, uint32_t place, uint32_t count, uint32_t state)
{
    const uint32_t *begin = &pipe->state[place], *at = begin, *end = begin + count;
    while (at < end && __atomic_load_n(at, __ATOMIC_ACQUIRE) == state)
        at++;
    return (uint32_t)(at - begin);
}

static void
set_states(struct lw_pipe *pipe, uint32_t place, uint32_t count, uint32_t state)
{
    for (uint32_t *at = &pipe->state[place], *end = at + count; at < end; at++)
        __atomic_store_n(at, state, __ATOMIC_RELEASE);
}

/* How many of the next `wanted` places, no more than there are, are ready, as far as there is no gap. */
static uint32_t
count_ready(struct lw_pipe *pipe, uint64_t position, uint32_t wanted, bool write)
{
    uint32_t place = (uint32_t)position, state = 2 * (uint32_t)(position >> 32) + !write;
    uint32_t last = pipe->max_packets - place, first = wanted < last ? wanted : last;
    uint32_t n = count_in_state(pipe, place, first, state);
    return n < first || n == wanted ? n : n + count_in_state(pipe, 0, wanted - n, state + 2);
}

/* Of `wanted` packets at least `least`, in one piece; how many, and where it begins. 0: there are not so
 * many. */
static uint32_t
reserve(struct lw_pipe *pipe, uint32_t least, uint32_t wanted, bool write, uint64_t *position)
{
    uint64_t *next = write ? &pipe->write_next : &pipe->read_next;
    __builtin_prefetch(next, 1); /* to be written: not first shared, then taken from the others */
    uint64_t at = __atomic_load_n(next, __ATOMIC_ACQUIRE);
    wanted = wanted < pipe->max_packets ? wanted : pipe->max_packets;
    for (;;) {
        uint32_t count = wanted < least ? 0 : count_ready(pipe, at, wanted, write);
        if (count < least || !count) {
            uint64_t now = __atomic_load_n(next, __ATOMIC_ACQUIRE);
            if (now == at)
                return 0;
            at = now; /* others have moved on meanwhile: what was seen is of the past */
        } else if (__atomic_compare_exchange_n(next, &at, advance(pipe, at, count), false, __ATOMIC_ACQ_REL,
                                               __ATOMIC_ACQUIRE)) {
            *position = at;
            return count;
        }
    }
}

static uint64_t
reservation(uint64_t position, uint32_t count)
{
    return LW_PIPE_VALID | (uint64_t)count << LW_PIPE_COUNT_SHIFT | (position & LW_PIPE_PLACE_MASK);
}

/* Of the `count` places from `place` on, none behind the ring's end, those that are reserved. */
static uint32_t
commit_piece(struct lw_pipe *pipe, uint32_t place, uint32_t count, bool write)
{
    uint32_t done = 0;
    for (uint32_t n; count; place += n, count -= n) {
        uint32_t state = __atomic_load_n(&pipe->state[place], __ATOMIC_RELAXED);
        n = count_in_state(pipe, place, count, state);
        n = n ? n : 1; /* committed at once by another, who may not */
        if ((state & 1) != write) {
            set_states(pipe, place, n, state + 1);
            done += n;
        }
    }
    return done;
}

/* How many packets. A second commit, or one of what was never reserved, finds other states and changes
 * nothing. */
static uint32_t
commit(struct lw_pipe *pipe, uint64_t id, bool write)
{
    uint32_t place = (uint32_t)(id & LW_PIPE_PLACE_MASK), count = (uint32_t)(id >> LW_PIPE_COUNT_SHIFT);
    if (!(id & LW_PIPE_VALID) || place >= pipe->max_packets || count > pipe->max_packets)
        return 0;
    uint32_t last = pipe->max_packets - place, first = count < last ? count : last;
    return commit_piece(pipe, place, first, write) + commit_piece(pipe, 0, count - first, write);
}

/* Those of lanes, of one pipe after the other. */
static void
commit_lanes(bool write, uint64_t lanes, uint32_t width, const uint64_t *columns)
{
    while (lanes) {
        uint64_t pipe = columns[__builtin_ctzll(lanes)], done = 0;
        for (; lanes && columns[__builtin_ctzll(lanes)] == pipe; lanes &= lanes - 1)
            if (pipe)
                done +=
                    commit((struct lw_pipe *)(uintptr_t)pipe, columns[__builtin_ctzll(lanes) + width], write);
        if (write && done)
            __atomic_fetch_add(&((struct lw_pipe *)(uintptr_t)pipe)->written, done, __ATOMIC_RELEASE);
    }
}

/* Of places that were just reserved. */
static void
commit_reserved(struct lw_pipe *pipe, uint64_t position, uint32_t count, bool write)
{
    uint32_t place = (uint32_t)position, state = 2 * (uint32_t)(position >> 32) + (write ? 1 : 2);
    uint32_t last = pipe->max_packets - place, first = count < last ? count : last;
    set_states(pipe, place, first, state);
    set_states(pipe, 0, count - first, state + 2);
    if (write)
        __atomic_fetch_add(&pipe->written, count, __ATOMIC_RELEASE);
}

/* What was written less what the readers' position has passed, which is the same again after `round` packets.
 */
static uint64_t
count_packets(const struct lw_pipe *pipe)
{
    uint64_t read = __atomic_load_n(&pipe->read_next, __ATOMIC_ACQUIRE);
    uint64_t written = __atomic_load_n(&pipe->written, __ATOMIC_ACQUIRE);
    uint64_t most = pipe->max_packets, round = most << 32, taken = (read >> 32) * most + (uint32_t)read;
    uint64_t count = (written % round + round - taken) % round;
    if (count > round / 2) /* some are taken that are not counted yet */
        return 0;
    return count < most ? count : most;
}

/* Of the lanes from `lane` on that ask the same of the same pipe, one packet each: how many. */
static uint32_t
lanes_alike(uint64_t lanes, uint32_t width, const uint64_t *columns)
{
    uint64_t pipe = columns[__builtin_ctzll(lanes)];
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1, count++) {
        const uint64_t *lane = columns + __builtin_ctzll(lanes);
        if (lane[0] != pipe || lane[width] != 1)
            break;
    }
    return count;
}

/* Lanes that want a packet each take theirs together, as many as there are; each has a reservation of its
 * own. */
static void
reserve_lanes(bool write, uint64_t lanes, uint32_t width, uint64_t *columns)
{
    while (lanes) {
        uint64_t *lane = columns + __builtin_ctzll(lanes), position = 0;
        struct lw_pipe *pipe = (struct lw_pipe *)(uintptr_t)lane[0];
        uint32_t alike = lanes_alike(lanes, width, columns);
        bool each = alike > 0;
        uint64_t asked = each ? alike : lane[width];
        uint32_t wanted = asked > UINT32_MAX ? UINT32_MAX : (uint32_t)asked;
        uint32_t count = pipe && wanted ? reserve(pipe, each ? 1 : wanted, wanted, write, &position) : 0;
        for (uint32_t i = 0; i < (each ? alike : 1); i++, lanes &= lanes - 1) {
            uint64_t *result = columns + __builtin_ctzll(lanes);
            *result = i >= count ? 0 : reservation(position, each ? 1 : count);
            if (each && i < count)
                position = advance(pipe, position, 1);
        }
    }
}

/* ---- packets of lanes ---- */

/* The first lanes that are among the first `count`. */
static uint64_t
first_lanes(uint64_t lanes, uint32_t count)
{
    for (uint32_t more = (uint32_t)__builtin_popcountll(lanes) - count; more; more--)
        lanes &= ~(1ull << (63 - __builtin_clzll(lanes)));
    return lanes;
}

/* As many as there are, between `packets` and the pipe; in two pieces where the ring ends. The lanes whose
 * packets were moved. */
static uint64_t
move_packets(struct lw_pipe *pipe, bool write, uint64_t lanes, uint32_t size, unsigned char *packets)
{
    uint64_t position = 0;
    uint32_t wanted = (uint32_t)__builtin_popcountll(lanes);
    uint32_t count = pipe->packet_size == size ? reserve(pipe, 1, wanted, write, &position) : 0;
    uint32_t place = (uint32_t)position, last = pipe->max_packets - place;
    unsigned char *ring = (unsigned char *)pipe + pipe->packets, *to = ring + (size_t)place * size;
    size_t first = (size_t)(count < last ? count : last) * size, rest = (size_t)count * size - first;
    if (write) {
        memcpy(to, packets, first);
        memcpy(ring, packets + first, rest);
    } else {
        memcpy(packets, to, first);
        memcpy(packets + first, ring, rest);
    }
    if (count)
        commit_reserved(pipe, position, count, write);
    return first_lanes(lanes, count);
}

void
lw_serve(uint32_t service, uint64_t lanes, uint32_t width, uint64_t *columns)
{
    if (service == LW_SERVICE_PIPE_WRITE || service == LW_SERVICE_PIPE_READ) {
        struct lw_pipe *pipe = lanes ? (struct lw_pipe *)(uintptr_t)*columns : NULL;
        unsigned char *packets = (unsigned char *)columns + LW_PIPE_TABLE;
        *columns = pipe ? move_packets(pipe, service == LW_SERVICE_PIPE_WRITE, lanes, width, packets) : 0;
        return;
    }
    if (service == LW_SERVICE_PIPE_RESERVE_WRITE || service == LW_SERVICE_PIPE_RESERVE_READ) {
        reserve_lanes(service == LW_SERVICE_PIPE_RESERVE_WRITE, lanes, width, columns);
        return;
    }
    if (service != LW_SERVICE_PIPE_COUNT) {
        commit_lanes(service == LW_SERVICE_PIPE_COMMIT_WRITE, lanes, width, columns);
        return;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint64_t *lane = columns + __builtin_ctzll(lanes);
        *lane = *lane ? count_packets((const struct lw_pipe *)(uintptr_t)*lane) : 0;
    }
}
