/* SPDX-License-Identifier: MIT */
/* What the tests and their fake compiler library share. */
#ifndef LW_TESTS_RUNTIME_FAKE_H
#define LW_TESTS_RUNTIME_FAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include "../../src/compiler.h"

/* The fake's knobs and records; the tests get it by the symbol "fake_state". */
struct fake_state {
    atomic_uint compilations;
    atomic_uint live; /* compiled and not released */
    atomic_uint concurrent, most_concurrent;
    unsigned delay_microseconds; /* of each compilation */
    atomic_uint wrong; /* saxpy: of specialised code that lasts 1, of first code 2 */
    atomic_bool fail, fail_first; /* all compilations; those of first code for a shape */
    atomic_bool needs_too_much;   /* failures are the kernel's own */
    uint64_t frame_per_sub_group;
    enum lw_doubt doubt; /* of all code */
    bool turns;          /* all code's sub-groups take turns, and do what `owners` below says, nothing else */
    void (*pretend)(uint64_t nanoseconds); /* to have worked so long on this thread's processor */
    unsigned work_of_lanes[LW_MAX_LANES + 1]; /* nanoseconds per work-group, of code of so many lanes */
    unsigned learnt_after; /* 0: never. So many work-groups of scalar code alone on a thread, and its work is
                              a hundredth, on the way there less and less */
    unsigned work_of_unknown;                 /* and of special code that knows no arguments */
    unsigned work_of_known;                   /* and of special code that knows some */
    pthread_mutex_t lock;
    struct lw_shape shapes[4096]; /* of each compilation, in order */
    struct lw_spec_value spec[4096];
};

/* The kernels' first argument points to one of these. Everything a dispatch should be held against. */
struct fake_record {
    _Alignas(LW_HEAD) uint64_t serial; /* differs from dispatch to dispatch; heads of buffers are there */
    uint64_t items;     /* room in `seen` */
    atomic_uchar *seen; /* by linear global id: how often it ran */
    atomic_uint special_calls, masked_calls;
    atomic_uint known_calls; /* of the special ones: by code that knows arguments */
    atomic_uint first_calls; /* of the same: by code made for a first run */
    atomic_uint threads; /* how many took part */
    atomic_uint wrong_order, wrong_size, wrong_memory, wrong_environment, wrong_activity;
    atomic_ullong groups;
    unsigned spin;        /* busy work per work-group */
    uint32_t local_bytes; /* expected to be writable */
    bool one_at_a_time;   /* lw_current_activity is checked */
    bool in_order;        /* no thread goes back */
    bool waiting;         /* a work-group ends after all lower ones */
    unsigned together;    /* so many work-groups meet before any of them ends; else they are `wrong_order` */
    atomic_uint met;
    atomic_uint kept; /* work-groups on threads that may not run everywhere: counted where they meet */
    int processors;   /* that the process has */
    /* Of code with turns: by work-group the number of the thread that ran it, from 1 on. Two threads run one
     * each by turns, for as long as both surely have some. The first waits for memory where one `waits`. */
    atomic_uint *owners, last_owner;
    atomic_bool over; /* they need not take turns any more */
    bool waits;
    const char *kernel;
};

#endif
