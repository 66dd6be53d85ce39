/* SPDX-License-Identifier: MIT */
/* Variables that become values: functions of random control flow, which must give what they gave before. */
#include <check.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "ir.h"
#include "jit/jit.h"
#include "vectorizer/flow/promote.h"

enum { SLOTS = 6, MOST_BLOCKS = 24, FUNCTIONS = 200 };

static unsigned
next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33);
}

/* One read, something added, one write, in any order and of any variables. */
static void
write_body(FILE *out, uint64_t *state, unsigned b)
{
    unsigned count = next_random(state) % 4;

    for (unsigned k = 0; k < count; k++) {
        unsigned from = next_random(state) % SLOTS, to = next_random(state) % SLOTS;
        fprintf(out, "  %%l%u.%u = load i32, ptr %%s%u\n", b, k, from);
        if (next_random(state) % 3)
            fprintf(out, "  %%a%u.%u = mul i32 %%l%u.%u, %u\n  store i32 %%a%u.%u, ptr %%s%u\n", b, k, b, k,
                    2 * next_random(state) % 1000 + 3, b, k, to);
        else
            fprintf(out, "  store i32 %%l%u.%u, ptr %%s%u\n", b, k, to);
    }
}

/* Ends when the fuel does; else goes by the bits of a variable to two or three blocks, perhaps to the same.
 */
static void
write_end(FILE *out, uint64_t *state, unsigned b, unsigned blocks)
{
    unsigned to[3];

    for (unsigned k = 0; k < 3; k++)
        to[k] = next_random(state) % blocks;
    fprintf(out,
            "  %%f%u = load i32, ptr %%fuel\n  %%g%u = sub i32 %%f%u, 1\n  store i32 %%g%u, ptr %%fuel\n"
            "  %%empty%u = icmp eq i32 %%g%u, 0\n  br i1 %%empty%u, label %%end, label %%go%u\ngo%u:\n"
            "  %%c%u = load i32, ptr %%s%u\n  %%h%u = lshr i32 %%c%u, %u\n  %%w%u = and i32 %%h%u, 3\n",
            b, b, b, b, b, b, b, b, b, b, next_random(state) % SLOTS, b, b, next_random(state) % 8, b, b);
    fprintf(out, "  switch i32 %%w%u, label %%b%u [ i32 0, label %%b%u i32 1, label %%b%u ]\n", b, to[0],
            to[1], to[2]);
}

static void
write_function(FILE *out, uint64_t seed)
{
    uint64_t state = seed;
    unsigned blocks = 2 + next_random(&state) % (MOST_BLOCKS - 2);

    fprintf(out, "define i32 @lw_run(i32 %%x) {\nentry:\n  %%fuel = alloca i32\n");
    for (unsigned s = 0; s < SLOTS; s++)
        fprintf(out, "  %%s%u = alloca i32\n", s);
    fprintf(out, "  %%never = alloca i32\n  %%taken = alloca ptr\n  store ptr %%taken, ptr %%taken\n");
    fprintf(out, "  store i32 100, ptr %%fuel\n");
    for (unsigned s = 0; s < SLOTS; s++)
        fprintf(out, "  %%i%u = mul i32 %%x, %u\n  store i32 %%i%u, ptr %%s%u\n", s, 77 * s + 1, s, s);
    fprintf(out, "  br label %%b0\n");
    for (unsigned b = 0; b < blocks; b++) {
        fprintf(out, "b%u:\n", b);
        write_body(out, &state, b);
        write_end(out, &state, b, blocks);
    }
    fprintf(out, "end:\n  %%r0 = add i32 %%x, 0\n");
    for (unsigned s = 0; s < SLOTS; s++)
        fprintf(out,
                "  %%e%u = load i32, ptr %%s%u\n  %%m%u = mul i32 %%r%u, 31\n"
                "  %%r%u = xor i32 %%m%u, %%e%u\n",
                s, s, s, s, s + 1, s, s);
    fprintf(out, "  ret i32 %%r%u\n}\n", SLOTS);
}

/* The results of the function's code for some arguments. */
static void
run(LLVMModuleRef module, uint64_t seed, bool promoted, uint32_t *results, int count)
{
    lw_error error = {0};
    char *message = NULL, name[40];
    LLVMTargetMachineRef machine = lw_target_create(LW_ISA_SSE42, LW_EFFORT_LEAST, &error);
    LLVMMemoryBufferRef object;
    void *tracker;

    lw_target_set(module, machine);
    snprintf(name, sizeof name, "lw_run_%u_%d", (unsigned)seed, promoted);
    LLVMSetValueName2(LLVMGetNamedFunction(module, "lw_run"), name, strlen(name));
    ck_assert(!LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object));
    uint32_t (*code)(uint32_t) =
        (uint32_t(*)(uint32_t))(uintptr_t)lw_jit_add(lw_jit_get(&error), object, name, &tracker, &error);
    ck_assert_msg(code != NULL, "%s", error.text);
    for (int k = 0; k < count; k++)
        results[k] = code((uint32_t)k * 2654435761u + 1);
    lw_jit_remove(lw_jit_get(&error), tracker);
    LLVMDisposeTargetMachine(machine);
}

START_TEST(random_flow)
{
    static char text[MOST_BLOCKS * 2000];
    enum { TRIES = 20 };

    for (uint64_t seed = 1; seed <= FUNCTIONS; seed++) {
        LLVMContextRef context = LLVMContextCreate();
        char *message = NULL;
        uint32_t want[TRIES], got[TRIES];

        FILE *out = fmemopen(text, sizeof text, "w");
        write_function(out, seed);
        ck_assert(!fclose(out));
        LLVMModuleRef before = parse_ir(context, text), after = parse_ir(context, text);
        ck_assert(lw_promote_slots(after));
        ck_assert_msg(!LLVMVerifyModule(after, LLVMReturnStatusAction, &message), "seed %u: %s",
                      (unsigned)seed, message);
        LLVMDisposeMessage(message);
        ck_assert_uint_eq(count_opcode(after, LLVMAlloca), 1); /* the one whose address goes elsewhere */
        run(before, seed, false, want, TRIES);
        run(after, seed, true, got, TRIES);
        for (int k = 0; k < TRIES; k++)
            ck_assert_msg(got[k] == want[k], "seed %u, argument %d: %#x, not %#x", (unsigned)seed, k, got[k],
                          want[k]);
        LLVMDisposeModule(before);
        LLVMDisposeModule(after);
        LLVMContextDispose(context);
    }
}
END_TEST

/* What has no value where it is read; code that is never reached; what a volatile access, another type or a
 * struct keeps. */
START_TEST(left_alone)
{
    static const char text[] = "define i32 @lw_run(i32 %x) {\nentry:\n"
                               "  %none = alloca i32\n  %dead = alloca i32\n  %v = alloca i32\n"
                               "  %f = alloca i32\n  %p = alloca { i32, i32 }\n"
                               "  store volatile i32 %x, ptr %v\n  store float 1.0, ptr %f\n"
                               "  %n = load i32, ptr %none\n  %s = load { i32, i32 }, ptr %p\n"
                               "  br label %end\nlost:\n"
                               "  store i32 %round, ptr %dead\n  %round = load i32, ptr %dead\n"
                               "  br i1 undef, label %lost, label %end\nend:\n"
                               "  %d = load i32, ptr %dead\n  %r = freeze i32 %n\n  %t = xor i32 %r, %r\n"
                               "  ret i32 %t\n}\n";
    char *message = NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = parse_ir(context, text);

    ck_assert(lw_promote_slots(module));
    ck_assert_msg(!LLVMVerifyModule(module, LLVMReturnStatusAction, &message), "%s", message);
    LLVMDisposeMessage(message);
    ck_assert_uint_eq(count_opcode(module, LLVMAlloca), 3);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("promote");
    TCase *cases = tcase_create("promote");

    tcase_set_timeout(cases, 100);
    tcase_add_test(cases, random_flow);
    tcase_add_test(cases, left_alone);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
