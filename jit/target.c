/* SPDX-License-Identifier: MIT */
/* The ladder of instruction sets, and what LLVM is told about each. */
#include "jit.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vectorizer/lanes/isa.h"

/* LLVM's own switches: this copy of it is private. They bound what code generation spends on functions with
 * hundreds of loops or accesses, where its time would grow with the square; ordinary kernels get the same
 * code. */
static const char *const switches[] = {
    "lanewise", "-disable-lsr",           /* one sweep over all loops for each one: half of the time */
    "-dag-maps-huge-region=200",          /* memory accesses that the scheduler orders pair by pair */
    "-misched-limit=64",                  /* candidates that it compares for each instruction */
    "-grow-region-complexity-budget=300", /* blocks that one split of a live range may visit */
    /* What finds nothing to do in code of lanes; each also costs its place among the passes. */
    "-disable-early-taildup", "-disable-tail-duplicate", "-disable-partial-libcall-inlining",
    "-disable-mergeicmps", "-disable-select-optimize", "-disable-atexit-based-global-dtor-lowering",
    "-disable-post-ra", "-disable-early-ifcvt", "-disable-replace-with-vec-lib", "-disable-cfi-fixup",
    "-disable-x86-domain-reassignment", "-x86-tile-ra=false", "-disable-constant-hoisting",
    "-enable-shrink-wrap=false", "-disable-postra-machine-licm", "-disable-postra-machine-sink",
    "-cgpp-huge-func=500", /* blocks from which on CodeGenPrepare looks at changed ones again, not at all */
    "-pragma-unroll-threshold=1200", /* instructions of loops that unroll.c, or the kernel, wants unrolled */
};

static pthread_once_t targets_once = PTHREAD_ONCE_INIT;

static void
initialize_targets(void)
{
    LLVMParseCommandLineOptions((int)(sizeof switches / sizeof switches[0]), switches, "");
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static pthread_once_t order_once = PTHREAD_ONCE_INIT;

/* Scheduling moves what is told of variables to the ends of blocks. */
static void
keep_order(void)
{
    static const char *const in_order[] = {"lanewise", "-enable-misched=false", "-pre-RA-sched=source"};
    LLVMParseCommandLineOptions((int)(sizeof in_order / sizeof in_order[0]), in_order, "");
}

void
lw_target_keep_order(void)
{
    pthread_once(&order_once, keep_order);
}

/* The levels' features that are not implied by others, as LLVM asks the processor for them. */
static const char *
asked_of_host(lw_isa isa)
{
    switch (isa) {
    case LW_ISA_SSE42: return "+sse4.2,+popcnt,+cx16,+sahf";
    case LW_ISA_AVX2: return "+avx2,+fma,+bmi2,+f16c,+lzcnt";
    case LW_ISA_AVX512: return "+avx512bw,+avx512cd,+avx512dq,+avx512vl";
    default: return lw_isa_row(isa)->features;
    }
}

static pthread_once_t host_once = PTHREAD_ONCE_INIT;
static lw_isa host;

static bool
has_feature(const char *all, const char *wanted, size_t length)
{
    for (const char *at = all; *at; at += strspn(at, ",")) {
        size_t its = strcspn(at, ",");
        if (its == length && memcmp(at, wanted, length) == 0)
            return true;
        at += its;
    }
    return false;
}

static bool
has_features(const char *all, const char *wanted)
{
    for (; *wanted; wanted += strspn(wanted, ",")) {
        size_t length = strcspn(wanted, ",");
        if (!has_feature(all, wanted, length))
            return false;
        wanted += length;
    }
    return true;
}

static void
ask_host(void)
{
    char *all = LLVMGetHostCPUFeatures();

    for (lw_isa isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512_FP16 && has_features(all, asked_of_host(isa)); isa++)
        host = isa;
    LLVMDisposeMessage(all);
}

bool
lw_target_runs(lw_isa isa)
{
    pthread_once(&host_once, ask_host);
    return isa != LW_ISA_AUTO && isa <= host;
}

LLVMTargetMachineRef
lw_target_create(lw_isa isa, enum lw_effort effort, lw_error *error)
{
    static const LLVMCodeGenOptLevel code_levels[LW_EFFORT_COUNT] = {
        [LW_EFFORT_LEAST] = LLVMCodeGenLevelNone,
        [LW_EFFORT_LESS] = LLVMCodeGenLevelLess,
        [LW_EFFORT_FULL] = LLVMCodeGenLevelDefault,
    };
    static const char triple[] = "x86_64-unknown-linux-gnu";
    LLVMTargetRef target;
    char *message = NULL;

    pthread_once(&targets_once, initialize_targets);
    if (isa < LW_ISA_SSE42 || isa > LW_ISA_AVX512_FP16) {
        lw_jit_fail(error, LW_INTERNAL, "no such instruction set level: %d", (int)isa);
        return NULL;
    }
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        lw_jit_fail(error, LW_INTERNAL, "%s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    const struct lw_isa_row *row = lw_isa_row(isa);
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, row->processor);
    LLVMTargetMachineOptionsSetFeatures(options, row->features);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelSmall);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, code_levels[effort]);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(target, triple, options);
    LLVMDisposeTargetMachineOptions(options);
    if (!machine)
        lw_jit_fail(error, LW_INTERNAL, "LLVM has no target machine for %s", row->processor);
    return machine;
}

/* ---- machines at rest ---- */

#define IDLE_MOST 2

/* A machine has one user at a time, and describes a subtarget at its first use, which is most of its cost. */
static struct {
    pthread_mutex_t lock;
    LLVMTargetMachineRef idle[LW_ISA_AVX512_FP16 + 1][LW_EFFORT_COUNT][IDLE_MOST];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

LLVMTargetMachineRef
lw_target_take(lw_isa isa, enum lw_effort effort, lw_error *error)
{
    LLVMTargetMachineRef found = NULL;

    /* Never waits: a child of a fork may find the lock taken for ever. */
    if (isa <= LW_ISA_AVX512_FP16 && pthread_mutex_trylock(&pool.lock) == 0) {
        for (int k = 0; k < IDLE_MOST && !found; k++) {
            found = pool.idle[isa][effort][k];
            pool.idle[isa][effort][k] = NULL;
        }
        pthread_mutex_unlock(&pool.lock);
    }
    return found ? found : lw_target_create(isa, effort, error);
}

void
lw_target_give(LLVMTargetMachineRef machine, lw_isa isa, enum lw_effort effort)
{
    if (machine && pthread_mutex_trylock(&pool.lock) == 0) {
        for (int k = 0; k < IDLE_MOST && machine; k++) {
            if (pool.idle[isa][effort][k])
                continue;
            pool.idle[isa][effort][k] = machine;
            machine = NULL;
        }
        pthread_mutex_unlock(&pool.lock);
    }
    if (machine)
        LLVMDisposeTargetMachine(machine);
}

void
lw_target_set(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);

    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
}

static void
set_string(LLVMValueRef function, const char *key, const char *value)
{
    LLVMAddTargetDependentFunctionAttr(function, key, value);
}

void
lw_target_attributes(LLVMModuleRef module, LLVMTargetMachineRef machine, lw_isa isa)
{
    char *features = LLVMGetTargetMachineFeatureString(machine), width[12];

    snprintf(width, sizeof width, "%u", lw_isa_row(isa)->register_bits);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        set_string(f, "target-cpu", lw_isa_row(isa)->processor);
        set_string(f, "target-features", features);
        /* Wider types are split; the widest registers are wanted, whatever the tuning says. */
        set_string(f, "prefer-vector-width", width);
        /* LLVM's are NaN for 1 / 0 and 1 / (1 + exp(100)); vectorizer/late/divisions.c. */
        set_string(f, "reciprocal-estimates", "!vec-divf");
        /* "0", as some producers set it, would halve the registers. */
        LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "min-legal-vector-width",
                                         (unsigned)strlen("min-legal-vector-width"));
    }
    LLVMDisposeMessage(features);
}
