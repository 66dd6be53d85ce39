/* SPDX-License-Identifier: MIT */
/* gdb's JIT interface (gdb manual, "JIT Compilation Interface"): a list of objects under a name that
 * debuggers look for, and a function that they set a breakpoint in and that is called when the list has
 * changed.
 */
#include "gdb.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum action { NO_ACTION, REGISTERED, UNREGISTERED };

struct lw_gdb_entry {
    struct lw_gdb_entry *next, *previous;
    const void *object;
    uint64_t bytes;
};

struct descriptor {
    uint32_t version, action;
    struct lw_gdb_entry *relevant, *first;
};

/* Another JIT in the process, LLVM's say, has these names for itself, and its own list. */
#define SEEN __attribute__((visibility("protected"), used))

extern struct descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

SEEN struct descriptor __jit_debug_descriptor = {.version = 1};

/* Debuggers stop here. */
SEEN __attribute__((noinline)) void
__jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct lw_gdb_entry *
lw_gdb_register(void *object, size_t bytes)
{
    struct lw_gdb_entry *entry = calloc(1, sizeof *entry);
    if (!entry) {
        free(object);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    *entry = (struct lw_gdb_entry){.next = __jit_debug_descriptor.first, .object = object, .bytes = bytes};
    if (entry->next)
        entry->next->previous = entry;
    __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = REGISTERED;
    __jit_debug_register_code();
    pthread_mutex_unlock(&lock);
    return entry;
}

void
lw_gdb_unregister(struct lw_gdb_entry *entry)
{
    if (!entry)
        return;
    pthread_mutex_lock(&lock);
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        __jit_debug_descriptor.first = entry->next;
    if (entry->next)
        entry->next->previous = entry->previous;
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = UNREGISTERED;
    __jit_debug_register_code();
    pthread_mutex_unlock(&lock);
    free((void *)(uintptr_t)entry->object);
    free(entry);
}
