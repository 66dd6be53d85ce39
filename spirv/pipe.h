/* SPDX-License-Identifier: MIT */
/* The memory of a pipe, as the host, generated code and the runtime's services see it. No LLVM.
 *
 * A pipe is a ring of `max_packets` places. A position in it is a place and a lap, how often the ring has
 * gone round before; `state` tells of each place at which lap it may be written, or has been. So reservations
 * may be committed in any order: readers get what is committed without a gap, writers what is read without a
 * gap. All zero but for the first three members is an empty pipe.
 *
 * A reservation is 64 bits: the lowest 31 its first place, the next 32 how many packets, the highest one set;
 * zero is none. */
#ifndef LW_SPIRV_PIPE_H
#define LW_SPIRV_PIPE_H

#include <stdint.h>

#define LW_PIPE_ALIGN 128u
#define LW_MAX_PIPE_PACKET 65536u /* bytes of a packet */
#define LW_MAX_PIPE_PACKETS (1u << 28)

struct lw_pipe {
    uint32_t max_packets;
    uint32_t packet_size;
    uint64_t packets; /* from here to the first packet, in bytes */
    /* lap << 32 | place that is reserved next */
    _Alignas(64) uint64_t write_next;
    /* Packets committed by writers, ever; those who reserve need not wait for it. */
    _Alignas(64) uint64_t written;
    _Alignas(64) uint64_t read_next;
    _Alignas(64) uint32_t state[]; /* 2 * lap: may be written; 2 * lap + 1: is written */
};

#define LW_PIPE_PLACE_MASK 0x7fffffffull
#define LW_PIPE_COUNT_SHIFT 31
#define LW_PIPE_VALID (1ull << 63)

/* Bytes of a pipe's memory, 0 where one so large cannot be. */
static inline uint64_t
lw_pipe_bytes(uint32_t packet_size, uint32_t max_packets, uint64_t *packets)
{
    uint64_t begin = (sizeof(struct lw_pipe) + 4 * (uint64_t)max_packets + LW_PIPE_ALIGN - 1) &
                     ~(uint64_t)(LW_PIPE_ALIGN - 1);
    if (!packet_size || !max_packets || packet_size > LW_MAX_PIPE_PACKET || max_packets > LW_MAX_PIPE_PACKETS)
        return 0;
    *packets = begin;
    return begin + (uint64_t)packet_size * max_packets;
}

/* An empty pipe in memory that is zero. */
static inline void
lw_pipe_begin(struct lw_pipe *pipe, uint32_t packet_size, uint32_t max_packets)
{
    pipe->max_packets = max_packets;
    pipe->packet_size = packet_size;
    lw_pipe_bytes(packet_size, max_packets, &pipe->packets);
}

/* What generated code asks of the runtime: columns as of lw_service_function (src/compiler.h), the pipe's
 * address the first; the result takes its place. */
enum lw_service {
    LW_SERVICE_PIPE_RESERVE_WRITE = 1, /* pipe, packets -> reservation, 0: none */
    LW_SERVICE_PIPE_RESERVE_READ,
    LW_SERVICE_PIPE_COMMIT_WRITE, /* pipe, reservation; 0 is ignored */
    LW_SERVICE_PIPE_COMMIT_READ,
    LW_SERVICE_PIPE_COUNT, /* pipe -> packets that can be read */
    /* A packet of each lane, all of one pipe: pipe -> the lanes that have moved theirs. `width` is a packet's
     * size, and the packets of the lanes lie LW_PIPE_TABLE bytes behind the first column, one behind the
     * other. */
    LW_SERVICE_PIPE_WRITE,
    LW_SERVICE_PIPE_READ
};

#define LW_PIPE_TABLE 64

#endif
