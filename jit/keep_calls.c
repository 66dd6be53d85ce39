/* SPDX-License-Identifier: MIT */
/* Decides which functions are kept as calls: where all of them inlined would pass a budget.
 *
 * Enters: the scalar kernel, the functions that it reaches and the bodies of built-in functions, not inlined.
 * Leaves: those that are kept named kept.* (vectorizer/facts/kept.h) and told apart from the others, which
 * the next row inlines. Relies on: no recursion (the check). Never: keeps one that may come to a barrier or a
 * collective of the work-group: the regions between them are the kernel's, so these are inlined whatever it
 * costs, and the check refuses what would be too long by that. Nor one with a loop in which work-items may
 * wait for each other, up to MOST_WAITING: what gets them on is done for loops of the kernel
 * (vectorizer/flow/late_meeting.c).
 *
 * Bottom-up over the calls, with a threshold: a function is kept that is called from several places and is
 * longer than that with what is inlined into it. The highest threshold of 2^k that keeps the whole within the
 * budget is taken, or the one that makes it shortest: large pieces, few calls. Instructions are those of the
 * producer, before any clean-up. The budget is LANEWISE_INLINE's; 0 keeps every function that can be, and is
 * how the tests come to kept functions of all kinds.
 *
 * The budget is less where the same would be written a hundred times, as functions make it that each call the
 * one before twice, and functions that only compute, of no pointers, suffice to stay within it: their code is
 * as good, but for the mask, and what is written once is compiled once.
 */
#include "jit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../spirv/arena.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/instructions.h"
#include "../vectorizer/facts/kept.h"
#include "../vectorizer/flow/wait_sources.h"
#include "../vectorizer/facts/value_map.h"

#define BUDGET 100000u
#define REPEATED 100u          /* times that an instruction is written, on an average, and from then on */
#define REPEATED_BUDGET 10000u
#define SHORTEST 64     /* thresholds below are not tried */
#define CALL_SIZE 4     /* instructions of a call that is kept */
#define MOST_LEVELS 40u /* calls inside of calls, each with a frame on the stack of the thread */
#define MOST_SIZE (UINT64_C(1) << 40)
#define MOST_WAITING (4 * BUDGET) /* instructions in all for the sake of loops that wait */

struct function {
    LLVMValueRef ref;
    uint64_t own, size;    /* instructions; with those that are inlined into it */
    uint32_t first, calls; /* of keeper.callees */
    uint32_t sites;        /* from where it is called */
    uint32_t levels;       /* of kept calls inside */
    bool forced;           /* to be inlined */
    bool lanes;            /* has operations of the sub-group */
    bool asks;             /* has something that a loop may wait for */
    bool waits;            /* has such a loop */
    bool points;           /* takes a pointer */
    bool kept;
    uint8_t state; /* of the search: 0 not seen, 1 open, 2 done */
};

struct keeper {
    LLVMModuleRef module;
    LLVMValueRef kernel;
    struct function *functions;
    uint32_t count;
    uint32_t *callees; /* numbers of functions, by call */
    uint32_t call_count;
    uint32_t *order; /* callees before callers */
    struct lw_value_map *numbers;
    uint64_t budget;
    bool inlines_waits;
    bool keeps_pointers; /* functions that take some, too */
    bool none;           /* nothing is kept */
};

/* ---- the calls ---- */

static uint64_t
leaves_of(LLVMTypeRef type)
{
    uint64_t leaves = 0;

    switch (LLVMGetTypeKind(type)) {
    case LLVMVectorTypeKind:
        return LLVMGetVectorSize(type);
    case LLVMArrayTypeKind: /* types nest as deep as the module's, which the check bounds */
        leaves = LLVMGetArrayLength2(type) > LW_KEPT_LEAVES ? LW_KEPT_LEAVES + 1 : LLVMGetArrayLength2(type);
        return leaves * leaves_of(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type) && leaves <= LW_KEPT_LEAVES; k++)
            leaves += leaves_of(LLVMStructGetTypeAtIndex(type, k));
        return leaves;
    default:
        return 1;
    }
}

static bool
holds_pointer(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return true;
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind:
        return holds_pointer(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++)
            if (holds_pointer(LLVMStructGetTypeAtIndex(type, k)))
                return true;
        return false;
    default:
        return false;
    }
}

static bool
takes_pointer(LLVMValueRef function)
{
    for (unsigned k = 0; k < LLVMCountParams(function); k++)
        if (holds_pointer(LLVMTypeOf(LLVMGetParam(function, k))))
            return true;
    return false;
}

static bool
can_be_passed(LLVMValueRef function)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    bool fits = LLVMCountParams(function) <= LW_KEPT_PARAMS && !LLVMIsFunctionVarArg(type);

    for (unsigned k = 0; fits && k < LLVMCountParams(function); k++)
        fits = leaves_of(LLVMTypeOf(LLVMGetParam(function, k))) <= LW_KEPT_LEAVES;
    return fits && leaves_of(LLVMGetReturnType(type)) <= LW_KEPT_LEAVES;
}

/* Called, and nothing else: its address is nowhere. */
static bool
is_called_only(LLVMValueRef function)
{
    for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u))
        if (!LLVMIsACallInst(LLVMGetUser(u)) || LLVMGetCalledValue(LLVMGetUser(u)) != function)
            return false;
    return true;
}

/* Counts, and notes the calls where there is room for them. */
static void
read_function(struct keeper *k, struct function *f, bool note)
{
    f->first = k->call_count;
    f->own = 0;
    for (LLVMValueRef i = lw_first_instruction(f->ref); i; i = lw_next_instruction(i)) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        f->own++;
        f->asks |= lw_may_be_waited_for(i);
        if (!callee || !LLVMIsAFunction(callee))
            continue;
        f->forced |= lw_call_meets(i) == LW_MEETS_WORK_GROUP;
        f->lanes |= lw_call_meets(i) == LW_MEETS_SUB_GROUP;
        if (LLVMIsDeclaration(callee))
            continue;
        if (note)
            k->callees[k->call_count] = lw_value_map_get(k->numbers, callee);
        k->call_count++;
    }
    f->calls = k->call_count - f->first;
}

static void
read_module(struct keeper *k, struct lw_arena *arena)
{
    uint32_t at = 0;

    for (LLVMValueRef f = LLVMGetFirstFunction(k->module); f; f = LLVMGetNextFunction(f))
        k->count += !LLVMIsDeclaration(f);
    k->functions = LW_ARENA_NEW(arena, struct function, k->count);
    k->order = LW_ARENA_NEW(arena, uint32_t, k->count);
    k->numbers = lw_value_map_create(arena, k->count);
    for (LLVMValueRef f = LLVMGetFirstFunction(k->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f)) {
            lw_value_map_add(k->numbers, f, at);
            k->functions[at++].ref = f;
        }
    for (uint32_t n = 0; n < k->count; n++)
        read_function(k, &k->functions[n], false);
    k->callees = LW_ARENA_NEW(arena, uint32_t, k->call_count);
    k->call_count = 0;
    for (uint32_t n = 0; n < k->count; n++)
        read_function(k, &k->functions[n], true);
    for (uint32_t c = 0; c < k->call_count; c++)
        k->functions[k->callees[c]].sites++;
}

/* ---- loops that wait ---- */

struct walk {
    struct lw_value_map *numbers; /* of blocks */
    uint32_t *seen;               /* by number: the walk that came there last */
    LLVMBasicBlockRef *stack;
    uint32_t round;
};

static struct walk
make_walk(struct lw_arena *arena, LLVMValueRef function)
{
    uint32_t blocks = LLVMCountBasicBlocks(function), at = 0;
    struct walk w = {lw_value_map_create(arena, blocks), LW_ARENA_NEW(arena, uint32_t, blocks),
                     LW_ARENA_NEW(arena, LLVMBasicBlockRef, blocks + 1), 0};

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        lw_value_map_add(w.numbers, b, at++);
    return w;
}

/* Is there a way from the block back to itself? */
static bool
comes_again(struct walk *w, LLVMBasicBlockRef block)
{
    uint32_t depth = 0;

    w->round++;
    for (LLVMBasicBlockRef at = block; at; at = depth ? w->stack[--depth] : NULL) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(at);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, s);
            uint32_t number = lw_value_map_get(w->numbers, next);
            if (next == block)
                return true;
            if (w->seen[number] != w->round)
                w->stack[depth++] = next;
            w->seen[number] = w->round;
        }
    }
    return false;
}

/* Relies on what is known of its callees. */
static bool
has_waiting_loop(struct keeper *k, struct lw_arena *arena, const struct function *f)
{
    struct walk w = make_walk(arena, f->ref);

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->ref); b; b = LLVMGetNextBasicBlock(b)) {
        bool asks = false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !asks; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
            uint32_t number = callee ? lw_value_map_get(k->numbers, callee) : UINT32_MAX;
            asks = lw_may_be_waited_for(i) || (number != UINT32_MAX && k->functions[number].asks);
        }
        if (asks && comes_again(&w, b))
            return true;
    }
    return false;
}

static void
find_waiting(struct keeper *k, struct lw_arena *arena)
{
    for (uint32_t o = 0; o < k->count; o++) {
        struct function *f = &k->functions[k->order[o]];
        for (uint32_t c = f->first; c < f->first + f->calls; c++) {
            f->asks |= k->functions[k->callees[c]].asks;
            f->waits |= k->functions[k->callees[c]].waits;
        }
        if (f->asks && !f->waits && f->ref != k->kernel)
            f->waits = has_waiting_loop(k, arena, f);
    }
}

/* Those that the kernel reaches; the others are left out of k->order. */
static void
sort_functions(struct keeper *k, struct lw_arena *arena)
{
    uint32_t *stack = LW_ARENA_NEW(arena, uint32_t, k->count + 1),
             *next = LW_ARENA_NEW(arena, uint32_t, k->count);
    uint32_t depth = 0, sorted = 0;

    stack[depth++] = lw_value_map_get(k->numbers, k->kernel);
    while (depth) {
        uint32_t n = stack[depth - 1];
        struct function *f = &k->functions[n];
        f->state = 1;
        if (next[n] == f->calls) {
            f->state = 2;
            k->order[sorted++] = n;
            depth--;
            continue;
        }
        uint32_t callee = k->callees[f->first + next[n]++];
        k->none |= k->functions[callee].state == 1; /* a built-in one that calls itself: there is none */
        if (k->functions[callee].state == 0)
            stack[depth++] = callee;
    }
    k->count = sorted;
    for (uint32_t o = 0; o < sorted; o++) {
        struct function *f = &k->functions[k->order[o]];
        for (uint32_t c = f->first; c < f->first + f->calls; c++) {
            f->forced |= k->functions[k->callees[c]].forced;
            f->lanes |= k->functions[k->callees[c]].lanes;
        }
    }
    for (uint32_t o = 0; o < sorted; o++) {
        struct function *f = &k->functions[k->order[o]];
        f->forced |= f->ref == k->kernel || !can_be_passed(f->ref) || !is_called_only(f->ref);
        f->points = takes_pointer(f->ref);
    }
}

/* ---- the choice ---- */

/* What is written in all with this threshold. */
static uint64_t
plan(struct keeper *k, uint64_t threshold)
{
    uint64_t total = 0;

    for (uint32_t o = 0; o < k->count; o++) {
        struct function *f = &k->functions[k->order[o]];
        f->size = f->own;
        f->levels = 0;
        for (uint32_t c = f->first; c < f->first + f->calls; c++) {
            const struct function *callee = &k->functions[k->callees[c]];
            uint32_t levels = callee->levels + callee->kept;
            f->size += callee->kept ? CALL_SIZE : callee->size;
            f->size = f->size > MOST_SIZE ? MOST_SIZE : f->size;
            f->levels = levels > f->levels ? levels : f->levels;
        }
        f->kept = !f->forced && !(f->waits && k->inlines_waits) && !(f->points && !k->keeps_pointers) &&
                  f->size > threshold && (f->sites > 1 || !threshold) && f->levels < MOST_LEVELS;
        if (f->kept || f->ref == k->kernel)
            total += f->size;
    }
    return total;
}

/* The least that it comes to. */
static uint64_t
plan_within(struct keeper *k, uint64_t budget)
{
    uint64_t threshold = budget, best = MOST_SIZE, least = UINT64_MAX;

    for (; threshold >= SHORTEST; threshold /= 2) {
        uint64_t total = plan(k, threshold);
        if (total < least) {
            least = total;
            best = threshold;
        }
        if (total <= budget)
            break;
    }
    return plan(k, best);
}

/* Is the same written so often that calls are kept sooner, and does that help? */
static bool
keeps_repeated(struct keeper *k)
{
    uint64_t own = 0;

    for (uint32_t o = 0; o < k->count; o++)
        own += k->functions[k->order[o]].own;
    k->keeps_pointers = false;
    bool helps = k->budget > REPEATED_BUDGET && plan(k, MOST_SIZE) > REPEATED_BUDGET &&
                 plan(k, MOST_SIZE) > REPEATED * own && plan_within(k, REPEATED_BUDGET) <= REPEATED_BUDGET;
    k->keeps_pointers = true;
    return helps;
}

static uint64_t
choose(struct keeper *k)
{
    if (k->budget == 0)
        return plan(k, 0);
    if (keeps_repeated(k) || plan(k, MOST_SIZE) <= k->budget)
        return 0;
    return plan_within(k, k->budget);
}

static void
set_attribute(struct keeper *k, LLVMValueRef function, const char *name, bool set)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
    if (set)
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(LLVMGetModuleContext(k->module), kind, 0));
}

static void
keep(struct keeper *k, const struct function *f, uint32_t number)
{
    char name[32];

    snprintf(name, sizeof name, LW_KEPT_PREFIX "%u", number);
    LLVMSetValueName2(f->ref, name, strlen(name));
    LLVMSetLinkage(f->ref, LLVMInternalLinkage);
    set_attribute(k, f->ref, "alwaysinline", false);
    set_attribute(k, f->ref, "noinline", true);
    /* Loops with convergent calls are unrolled for the sake of those. */
    set_attribute(k, f->ref, "convergent", f->lanes);
    if (f->asks)
        LLVMAddTargetDependentFunctionAttr(f->ref, LW_KEPT_ASKS, "");
    set_attribute(k, f->ref, "noduplicate", f->lanes);
    set_attribute(k, f->ref, "nomerge", f->lanes);
}

static void
keep_calls(struct lw_arena *arena, void *data)
{
    struct keeper *k = data;

    read_module(k, arena);
    sort_functions(k, arena);
    if (k->none)
        return;
    find_waiting(k, arena);
    k->inlines_waits = true;
    if (choose(k) > MOST_WAITING) {
        k->inlines_waits = false;
        choose(k);
    }
    for (uint32_t o = 0; o < k->count; o++)
        if (k->functions[k->order[o]].kept)
            keep(k, &k->functions[k->order[o]], o);
}

static uint64_t
budget(void)
{
    const char *text = secure_getenv("LANEWISE_INLINE");
    char *end;

    errno = 0;
    unsigned long long value = text && *text ? strtoull(text, &end, 10) : BUDGET;
    return text && *text && (errno || *end || value > MOST_SIZE) ? BUDGET : value;
}

bool
lw_keep_calls(LLVMModuleRef module)
{
    struct keeper k = {.module = module,
                       .kernel = LLVMGetNamedFunction(module, "lw.kernel"),
                       .budget = budget(),
                       .keeps_pointers = true};

    return lw_with_arena(keep_calls, &k);
}
