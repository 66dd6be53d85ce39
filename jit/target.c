/* SPDX-License-Identifier: MIT */
/* The ladder of instruction sets, and what LLVM is told about each. */
#include "jit.h"

#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <string.h>

struct level {
    const char *cpu;
    const char
        *vector_width; /* wider types are split; the widest registers are wanted, whatever the tuning says */
    const char *features; /* beside the processor's */
};

static const struct level levels[] = {
    [LW_ISA_SSE42] = {"x86-64-v2", "128", ""},
    /* Else LLVM makes a branch of each lane, which is slower on every processor that has gathers. */
    [LW_ISA_AVX2] = {"x86-64-v3", "256", "+fast-gather"},
    [LW_ISA_AVX512] = {"x86-64-v4", "512", ""},
    [LW_ISA_AVX512_VBMI] = {"x86-64-v4", "512",
                            "+avx512vbmi,+avx512vbmi2,+avx512bitalg,+avx512vpopcntdq,+avx512vnni,+avx512ifma,"
                            "+gfni"},
    [LW_ISA_AVX512_FP16] = {"x86-64-v4", "512",
                            "+avx512vbmi,+avx512vbmi2,+avx512bitalg,+avx512vpopcntdq,+avx512vnni,+avx512ifma,"
                            "+gfni,+avx512fp16"},
};

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

#define FEATURES 7

/* The levels' features that are not implied by others, as LLVM asks the processor for them. */
static const char *const features[][FEATURES] = {
    [LW_ISA_SSE42] = {"+sse4.2", "+popcnt", "+cx16", "+sahf"},
    [LW_ISA_AVX2] = {"+avx2", "+fma", "+bmi2", "+f16c", "+lzcnt"},
    [LW_ISA_AVX512] = {"+avx512bw", "+avx512cd", "+avx512dq", "+avx512vl"},
    [LW_ISA_AVX512_VBMI] = {"+avx512vbmi", "+avx512vbmi2", "+avx512bitalg", "+avx512vpopcntdq", "+avx512vnni",
                            "+avx512ifma", "+gfni"},
    [LW_ISA_AVX512_FP16] = {"+avx512fp16"},
};

static pthread_once_t host_once = PTHREAD_ONCE_INIT;
static lw_isa host;

static bool
has_feature(const char *all, const char *wanted)
{
    size_t length = strlen(wanted);

    for (const char *at = strstr(all, wanted); at; at = strstr(at + 1, wanted))
        if (at[length] == ',' || !at[length])
            return true;
    return false;
}

static void
ask_host(void)
{
    char *all = LLVMGetHostCPUFeatures();

    for (lw_isa isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512_FP16; isa++) {
        for (size_t i = 0; i < FEATURES && features[isa][i]; i++)
            if (!has_feature(all, features[isa][i])) {
                LLVMDisposeMessage(all);
                return;
            }
        host = isa;
    }
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
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, levels[isa].cpu);
    LLVMTargetMachineOptionsSetFeatures(options, levels[isa].features);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelSmall);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, code_levels[effort]);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachineWithOptions(target, triple, options);
    LLVMDisposeTargetMachineOptions(options);
    if (!machine)
        lw_jit_fail(error, LW_INTERNAL, "LLVM has no target machine for %s", levels[isa].cpu);
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
    char *features = LLVMGetTargetMachineFeatureString(machine);

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        set_string(f, "target-cpu", levels[isa].cpu);
        set_string(f, "target-features", features);
        set_string(f, "prefer-vector-width", levels[isa].vector_width);
        /* "0", as some producers set it, would halve the registers. */
        LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "min-legal-vector-width",
                                         (unsigned)strlen("min-legal-vector-width"));
    }
    LLVMDisposeMessage(features);
}
