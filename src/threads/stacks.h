/* SPDX-License-Identifier: MIT */
/* Stacks of a thread's own making: code that runs on one of them may be left in the middle and gone on with.
 */
#ifndef LW_SRC_STACKS_H
#define LW_SRC_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lw_stack {
    void *top;             /* where it was left */
    void *end;
    struct lw_stack *next;
    void *work; /* these are for whoever has it */
    uint32_t number, looks;
};

/* All that a thread ever needed at once; zero: none. Not shared by threads. */
struct lw_stacks {
    struct lw_stack_block *blocks;
    struct lw_stack *idle;
    unsigned count;
};

/* One that nothing runs on, `begin(it)` being where it begins when it is switched to. `begin` never returns.
 * NULL: no memory. */
struct lw_stack *lw_stack_take(struct lw_stacks *stacks, void (*begin)(struct lw_stack *stack));
void lw_stack_give(struct lw_stacks *stacks, struct lw_stack *stack);
/* Of functions that are left or entered by a switch: ThreadSanitizer counts entries and returns, which do not
 * come in pairs there. */
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
#define LW_SWITCHES_STACKS __attribute__((disable_sanitizer_instrumentation))
#else
#define LW_SWITCHES_STACKS __attribute__((no_sanitize("thread")))
#endif

/* Goes on at `to`, until something switches back to `*from`. */
void lw_stack_switch(void **from, void *to);
/* None of them may be in use. */
void lw_stacks_free(struct lw_stacks *stacks);

#endif
