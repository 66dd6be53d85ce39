/* SPDX-License-Identifier: MIT */
/* A breakpoint on every function, taken away by the first call in a round: costs one signal a function. */
#include "touched.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define BREAKPOINT 0xcc
#define STACK_BYTES 65536

struct function {
    uint8_t *at;
    unsigned rounds, first;
    uint8_t code; /* what the breakpoint stands for */
    bool armed;
};

/* A signal handler has no other way to it. */
static struct {
    uint8_t *base;
    struct function *functions;
    size_t count, room;
    unsigned ran;
} state;

static struct function *
find(const uint8_t *at)
{
    size_t low = 0, high = state.count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (state.functions[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < state.count && state.functions[low].at == at ? &state.functions[low] : NULL;
}

static void
take_breakpoint(int signal, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint8_t *at = (uint8_t *)(uintptr_t)registers[REG_RIP] - 1;
    struct function *f = find(at);

    (void)signal;
    (void)info;
    if (!f)
        _exit(99);
    if (f->armed) { /* else another thread was faster */
        f->armed = false;
        f->rounds++;
        if (!f->first)
            f->first = ++state.ran;
        *at = f->code;
    }
    registers[REG_RIP] = (greg_t)(uintptr_t)at;
}

/* The library's base, and its code writable. */
static bool
open_code(const char *library)
{
    const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library;
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t begin, end;
    char line[1000], rights[5];
    bool found = false;

    while (maps && fgets(line, sizeof line, maps)) {
        if (!strstr(line, name) || sscanf(line, "%lx-%lx %4s", &begin, &end, rights) != 3)
            continue;
        if (!state.base)
            state.base = (uint8_t *)begin;
        if (rights[2] == 'x')
            found = mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
    }
    if (maps)
        fclose(maps);
    return found;
}

static bool
add(unsigned long offset)
{
    if (state.count == state.room) {
        size_t room = state.room ? 2 * state.room : 4096;
        struct function *grown = realloc(state.functions, room * sizeof *grown);
        if (!grown)
            return false;
        state.functions = grown;
        state.room = room;
    }
    state.functions[state.count++] = (struct function){.at = state.base + offset};
    return true;
}

bool
touched_begin(const char *library, const char *offsets)
{
    struct sigaction action = {.sa_sigaction = take_breakpoint, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES}; /* of this thread; kept */
    FILE *file = fopen(offsets, "r");
    unsigned long offset;
    bool good = file && stack.ss_sp && open_code(library);

    while (good && fscanf(file, "%lx", &offset) == 1)
        good = add(offset);
    if (file)
        fclose(file);
    return good && sigaltstack(&stack, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0;
}

void
touched_again(void)
{
    for (size_t k = 0; k < state.count; k++) {
        struct function *f = &state.functions[k];
        if (f->armed)
            continue;
        f->code = *f->at;
        *f->at = BREAKPOINT;
        f->armed = true;
    }
}

void
touched_print(void)
{
    for (size_t k = 0; k < state.count; k++)
        if (state.functions[k].rounds)
            printf("%lx %u %u\n", (unsigned long)(state.functions[k].at - state.base),
                   state.functions[k].rounds, state.functions[k].first);
}
