/* SPDX-License-Identifier: MIT */
/* Stacks in blocks of mapped memory, none of which is touched before it is used.
 *
 * A guard page ends each of the first stacks of a block only: maps are counted by the system, and all stacks
 * of a thread run the same code. Never: a signal mask, or floating-point modes, which are the thread's.
 */
#include "stacks.h"

#include <stdlib.h>
#include <sys/mman.h>
#include "../compiler.h"

/* Compiled code keeps 16 KiB of variables there at most and what registers do not hold, which the compiler
 * holds to this size; printf some more. */
#define STACK_BYTES ((size_t)LW_WAITING_STACK)
#define GUARD_BYTES ((size_t)4096)
#define LEAST_STACKS 16u
#define MOST_GUARDS 64u

struct lw_stack_block {
    struct lw_stack_block *next;
    char *map;
    unsigned count;
    struct lw_stack stacks[];
};

/* System V: what a function keeps for its caller, and where it returns to. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl lw_stack_switch\n"
        ".hidden lw_stack_switch\n"
        ".type lw_stack_switch, @function\n"
        "lw_stack_switch:\n"
        "\tpushq %rbp\n"
        "\tpushq %rbx\n"
        "\tpushq %r12\n"
        "\tpushq %r13\n"
        "\tpushq %r14\n"
        "\tpushq %r15\n"
        "\tmovq %rsp, (%rdi)\n"
        "\tmovq %rsi, %rsp\n"
        "\tpopq %r15\n"
        "\tpopq %r14\n"
        "\tpopq %r13\n"
        "\tpopq %r12\n"
        "\tpopq %rbx\n"
        "\tpopq %rbp\n"
        "\tret\n"
        ".size lw_stack_switch, .-lw_stack_switch\n"
        /* The first switch to a stack returns here. */
        ".p2align 4\n"
        ".type lw_stack_begin, @function\n"
        "lw_stack_begin:\n"
        "\tmovq %r12, %rdi\n"
        "\tcallq *%r13\n"
        "\tud2\n"
        ".size lw_stack_begin, .-lw_stack_begin\n");
void lw_stack_begin(void) __attribute__((visibility("hidden")));

static bool
add_block(struct lw_stacks *stacks)
{
    unsigned count = stacks->count > LEAST_STACKS ? stacks->count : LEAST_STACKS;
    struct lw_stack_block *block = calloc(1, sizeof *block + count * sizeof *block->stacks);
    if (!block)
        return false;
    block->map = mmap(NULL, count * STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (block->map == MAP_FAILED) {
        free(block);
        return false;
    }
    madvise(block->map, count * STACK_BYTES, MADV_NOHUGEPAGE);
    block->count = count;
    block->next = stacks->blocks;
    stacks->blocks = block;
    stacks->count += count;
    for (unsigned i = 0; i < count && i < MOST_GUARDS; i++)
        mprotect(block->map + i * STACK_BYTES, GUARD_BYTES, PROT_NONE);
    for (unsigned i = count; i-- > 0;) {
        block->stacks[i].end = block->map + (i + 1) * STACK_BYTES;
        lw_stack_give(stacks, &block->stacks[i]);
    }
    return true;
}

/* Registers as lw_stack_switch pops them, with a return address of 0 above, where unwinding ends. */
struct lw_stack *
lw_stack_take(struct lw_stacks *stacks, void (*begin)(struct lw_stack *stack))
{
    if (!stacks->idle && !add_block(stacks))
        return NULL;
    struct lw_stack *stack = stacks->idle;
    stacks->idle = stack->next;
    uint64_t *top = stack->end;
    *--top = 0;
    *--top = 0;
    *--top = (uintptr_t)lw_stack_begin;
    *--top = 0;                /* rbp */
    *--top = 0;                /* rbx */
    *--top = (uintptr_t)stack; /* r12 */
    *--top = (uintptr_t)begin; /* r13 */
    *--top = 0;                /* r14 */
    *--top = 0;                /* r15 */
    stack->top = top;
    stack->next = NULL;
    return stack;
}

void
lw_stack_give(struct lw_stacks *stacks, struct lw_stack *stack)
{
    stack->next = stacks->idle;
    stacks->idle = stack;
}

void
lw_stacks_free(struct lw_stacks *stacks)
{
    for (struct lw_stack_block *block = stacks->blocks, *next; block; block = next) {
        next = block->next;
        munmap(block->map, block->count * STACK_BYTES);
        free(block);
    }
    *stacks = (struct lw_stacks){0};
}
