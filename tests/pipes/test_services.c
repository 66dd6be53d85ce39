/* SPDX-License-Identifier: MIT */
/* What generated code asks of the runtime about pipes (spirv/pipe.h), by four threads at once: packets of
 * lanes, reservations of which several are open and committed the other way round, reservations of lanes.
 * Each value must come out once. Without generated code, so that ThreadSanitizer sees everything. */
#include "../../src/services/pipe.h"
#include <lanewise/lanewise.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOTAL = 10000, BATCH = 20, WORDS = 64 };

static struct lw_pipe *pipe_;
static unsigned char seen[TOTAL];
static uint64_t next_value, taken, failures;

struct side {
    uint64_t random;
    _Alignas(64) uint64_t table[WORDS]; /* of the service */
};

static void
expect(bool good, const char *what)
{
    if (!good && __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 20)
        printf("FAILED, %u packets: %s\n", pipe_->max_packets, what);
}

static uint32_t
draw(struct side *s, uint32_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->random >> 33) % below;
}

/* One service for one lane. */
static uint64_t
ask(struct side *s, enum lw_service service, uint64_t word)
{
    s->table[0] = (uint64_t)(uintptr_t)pipe_;
    s->table[1] = word;
    lw_serve(service, 1, 1, s->table);
    return s->table[0];
}

static uint32_t *
packet(uint64_t reservation, uint32_t index)
{
    uint64_t place = (reservation & LW_PIPE_PLACE_MASK) + index;
    place -= place >= pipe_->max_packets ? pipe_->max_packets : 0;
    return (uint32_t *)(void *)((char *)pipe_ + pipe_->packets) + place;
}

static void
mark(uint32_t value)
{
    expect(value < TOTAL && !__atomic_fetch_add(&seen[value < TOTAL ? value : 0], 1, __ATOMIC_RELAXED),
           "a value that was not written, or comes twice");
    __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
}

/* ---- writing: how many of `count` values from `value` on ---- */

static uint32_t
put_lanes(struct side *s, uint32_t value, uint32_t count)
{
    uint64_t lanes = 0;
    uint32_t *packets = (uint32_t *)(void *)((char *)s->table + LW_PIPE_TABLE);
    while ((uint32_t)__builtin_popcountll(lanes) < count)
        lanes |= 1ull << draw(s, 64);
    for (uint32_t i = 0; i < count; i++)
        packets[i] = value + i;
    s->table[0] = (uint64_t)(uintptr_t)pipe_;
    lw_serve(LW_SERVICE_PIPE_WRITE, lanes, 4, s->table);
    uint64_t served = s->table[0], rest = lanes & ~served;
    expect(!(served & ~lanes) && !(rest && served >> __builtin_ctzll(rest)), "others than the first lanes");
    return (uint32_t)__builtin_popcountll(served);
}

static uint32_t
put_reserved(struct side *s, uint32_t value, uint32_t count)
{
    uint32_t first = 1 + draw(s, count);
    uint64_t a = ask(s, LW_SERVICE_PIPE_RESERVE_WRITE, first);
    uint64_t b = a && first < count ? ask(s, LW_SERVICE_PIPE_RESERVE_WRITE, count - first) : 0;
    for (uint32_t i = 0; b && i < count - first; i++)
        *packet(b, i) = value + first + i;
    ask(s, LW_SERVICE_PIPE_COMMIT_WRITE, b);
    for (uint32_t i = 0; a && i < first; i++)
        *packet(a, i) = value + i;
    ask(s, LW_SERVICE_PIPE_COMMIT_WRITE, a);
    return (a ? first : 0) + (b ? count - first : 0);
}

static uint32_t
put_each(struct side *s, uint32_t value, uint32_t count)
{
    uint64_t reservations[8];
    uint32_t put = 0;
    count = count < 8 ? count : 8;
    for (uint32_t i = 0; i < 8; i++) {
        s->table[i] = (uint64_t)(uintptr_t)pipe_;
        s->table[8 + i] = 1;
    }
    lw_serve(LW_SERVICE_PIPE_RESERVE_WRITE, (1u << count) - 1, 8, s->table);
    memcpy(reservations, s->table, sizeof reservations);
    for (uint32_t i = 0; i < count; i++)
        if (reservations[i])
            *packet(reservations[i], 0) = value + put++;
    for (uint32_t i = 0; i < 8; i++) {
        s->table[i] = (uint64_t)(uintptr_t)pipe_;
        s->table[8 + i] = i < count ? reservations[i] : 0;
    }
    lw_serve(LW_SERVICE_PIPE_COMMIT_WRITE, 255, 8, s->table);
    return put;
}

static void *
write_all(void *data)
{
    static uint32_t (*const ways[])(struct side *, uint32_t, uint32_t) = {put_lanes, put_reserved, put_each};
    struct side *s = data;
    for (;;) {
        uint32_t count = 1 + draw(s, BATCH), done = 0;
        uint64_t from = __atomic_fetch_add(&next_value, count, __ATOMIC_RELAXED);
        if (from >= TOTAL)
            return NULL;
        count = from + count > TOTAL ? (uint32_t)(TOTAL - from) : count;
        while (done < count) {
            uint32_t put = ways[draw(s, 3)](s, (uint32_t)from + done, count - done);
            done += put;
            if (!put)
                sched_yield(); /* the readers may have this processor only */
        }
    }
}

/* ---- reading ---- */

static void
get_lanes(struct side *s)
{
    const uint32_t *packets = (const uint32_t *)(const void *)((char *)s->table + LW_PIPE_TABLE);
    s->table[0] = (uint64_t)(uintptr_t)pipe_;
    lw_serve(LW_SERVICE_PIPE_READ, (uint64_t)draw(s, 1u << 30) << draw(s, 34), 4, s->table);
    for (uint64_t served = s->table[0]; served; served &= served - 1)
        mark(*packets++);
}

static void *
read_all(void *data)
{
    struct side *s = data;
    while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < TOTAL) {
        get_lanes(s);
        uint32_t count = 1 + draw(s, 5);
        uint64_t reservation = ask(s, LW_SERVICE_PIPE_RESERVE_READ, count);
        for (uint32_t i = 0; reservation && i < count; i++)
            mark(*packet(reservation, i));
        ask(s, LW_SERVICE_PIPE_COMMIT_READ, reservation);
        expect(ask(s, LW_SERVICE_PIPE_COUNT, 0) <= pipe_->max_packets, "more packets than fit");
        if (!reservation)
            sched_yield();
    }
    return NULL;
}

/* The second commit changes nothing. */
static void
commit_twice(struct side *s, uint32_t packets)
{
    expect(ask(s, LW_SERVICE_PIPE_COUNT, 0) == 0, "packets are left");
    expect(ask(s, LW_SERVICE_PIPE_RESERVE_WRITE, packets + 1ull) == 0, "more than the pipe holds");
    uint64_t all = ask(s, LW_SERVICE_PIPE_RESERVE_WRITE, packets);
    expect(all && !ask(s, LW_SERVICE_PIPE_RESERVE_WRITE, 1), "all that the pipe holds, and one more");
    ask(s, LW_SERVICE_PIPE_COMMIT_WRITE, all);
    ask(s, LW_SERVICE_PIPE_COMMIT_WRITE, all);
    expect(ask(s, LW_SERVICE_PIPE_COUNT, 0) == packets, "written packets that are committed twice");
    all = ask(s, LW_SERVICE_PIPE_RESERVE_READ, packets);
    expect(all && !ask(s, LW_SERVICE_PIPE_RESERVE_READ, 1), "all that are in the pipe, and one more");
    ask(s, LW_SERVICE_PIPE_COMMIT_READ, all);
    ask(s, LW_SERVICE_PIPE_COMMIT_READ, all);
    expect(ask(s, LW_SERVICE_PIPE_RESERVE_WRITE, packets) != 0, "read packets that are committed twice");
}

/* Behind `lap` rounds of the ring. */
static void
exchange(uint32_t packets, uint32_t lap)
{
    pthread_t threads[4];
    static struct side sides[4];
    size_t bytes = (lw_pipe_memory_size(4, packets) + LW_PIPE_ALIGN - 1) & ~(size_t)(LW_PIPE_ALIGN - 1);
    pipe_ = aligned_alloc(LW_PIPE_ALIGN, bytes);
    lw_pipe_init(pipe_, 4, packets);
    pipe_->write_next = pipe_->read_next = (uint64_t)lap << 32;
    pipe_->written = (uint64_t)lap * packets;
    for (uint32_t i = 0; i < packets; i++)
        pipe_->state[i] = 2 * lap;
    memset(seen, 0, sizeof seen);
    next_value = taken = 0;
    for (unsigned i = 0; i < 4; i++) {
        sides[i].random = packets * 4 + i;
        pthread_create(&threads[i], NULL, i % 2 ? read_all : write_all, &sides[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    commit_twice(&sides[0], packets);
    free(pipe_);
}

int
main(void)
{
    static const uint32_t capacities[] = {1, 2, 3, 7, 17, 64, 65, 1000};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        exchange(capacities[i], 0);
        exchange(capacities[i], UINT32_MAX - 2); /* laps come again */
    }
    printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
