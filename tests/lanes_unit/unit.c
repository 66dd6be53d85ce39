/* SPDX-License-Identifier: MIT */
/* The bench: LLVM behind it, values, masks, and the run over all sizes and ISA levels. */
#include "unit.h"

#include <check.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void
must(LLVMErrorRef error)
{
    if (error)
        ck_abort_msg("%s", LLVMGetErrorMessage(error));
}

bool
unit_runs(lw_isa isa)
{
    __builtin_cpu_init();
    return isa == LW_ISA_SSE42 ? __builtin_cpu_supports("x86-64-v2")
           : isa == LW_ISA_AVX2 ? __builtin_cpu_supports("x86-64-v3")
                                : __builtin_cpu_supports("x86-64-v4") &&
                                      (isa == LW_ISA_AVX512 || (__builtin_cpu_supports("avx512vbmi2") &&
                                                                __builtin_cpu_supports("avx512vpopcntdq"))) &&
                                      (isa < LW_ISA_AVX512_FP16 || __builtin_cpu_supports("avx512fp16"));
}

const char *
unit_isa(lw_isa isa)
{
    return isa == LW_ISA_SSE42 ? "sse4.2" : isa == LW_ISA_AVX2 ? "avx2" : lw_isa_row(isa)->text;
}

static void
note(void *data, const char *what)
{
    struct unit *u = data;

    (void)what;
    u->serialised++;
}

void
unit_begin(struct unit *u, lw_isa isa, unsigned n)
{
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetRef target;
    char *message;

    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    memset(u, 0, sizeof *u);
    ck_assert(!LLVMGetTargetFromTriple("x86_64-unknown-linux-gnu", &target, &message));
    LLVMTargetMachineOptionsSetCPU(options, lw_isa_row(isa)->processor);
    LLVMTargetMachineOptionsSetFeatures(options, lw_isa_row(isa)->features);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelLess);
    u->machine = LLVMCreateTargetMachineWithOptions(target, "x86_64-unknown-linux-gnu", options);
    LLVMDisposeTargetMachineOptions(options);
    u->l.context = LLVMContextCreate();
    u->l.module = LLVMModuleCreateWithNameInContext("unit", u->l.context);
    u->l.builder = LLVMCreateBuilderInContext(u->l.context);
    u->l.n = n;
    u->l.isa = isa;
    u->l.serialised = note;
    u->l.serialised_data = u;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(u->machine);
    LLVMSetModuleDataLayout(u->l.module, layout);
    LLVMSetTarget(u->l.module, "x86_64-unknown-linux-gnu");
    LLVMDisposeTargetData(layout);
}

void
unit_define(struct unit *u, const char *name)
{
    LLVMContextRef context = u->l.context;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), i64 = LLVMInt64TypeInContext(context);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(context), params[] = {pointer, i64, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), params, 3, false);

    u->l.function = LLVMAddFunction(u->l.module, name, type);
    LLVMAddTargetDependentFunctionAttr(u->l.function, "prefer-vector-width",
                                       u->l.isa >= LW_ISA_AVX512 ? "512" : "256");
    LLVMPositionBuilderAtEnd(u->l.builder, LLVMAppendBasicBlockInContext(context, u->l.function, "entry"));
    u->in = LLVMGetParam(u->l.function, 0);
    u->bits = LLVMGetParam(u->l.function, 1);
    u->out = LLVMGetParam(u->l.function, 2);
    V few = LLVMBuildTrunc(u->l.builder, u->bits, LLVMIntTypeInContext(context, u->l.n), "");
    u->mask = LLVMBuildBitCast(u->l.builder, few, LLVMVectorType(i1, u->l.n), "mask");
}

void
unit_finish(struct unit *u)
{
    LLVMBuildRetVoid(u->l.builder);
}

static void
prepare(struct unit *u, const char *passes)
{
    char *message = NULL;

    if (LLVMVerifyModule(u->l.module, LLVMReturnStatusAction, &message))
        ck_abort_msg("%s, %u lanes: %s", unit_isa(u->l.isa), u->l.n, message);
    LLVMDisposeMessage(message);
    lw_lower_reductions(u->l.module);
    if (passes) {
        LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
        must(LLVMRunPasses(u->l.module, passes, u->machine, options));
        LLVMDisposePassBuilderOptions(options);
    }
    lw_settle_rounds(u->l.module, u->l.isa);
    lw_settle_rounding(u->l.module, u->l.isa);
    lw_settle_lanes(u->l.module, u->l.isa);
    if (u->l.isa < LW_ISA_AVX512) {
        lw_settle_classes(u->l.module);
        lw_settle_conversions(u->l.module);
        lw_settle_words(u->l.module, u->l.isa);
    }
    if (u->l.isa >= LW_ISA_AVX512) {
        ck_assert(lw_halve_masks(u->l.module));
        lw_settle_masks(u->l.module);
    } else {
        ck_assert(lw_broaden_masks(u->l.module, u->l.isa));
    }
    if (LLVMVerifyModule(u->l.module, LLVMReturnStatusAction, &message))
        ck_abort_msg("%s, %u lanes, masks settled: %s", unit_isa(u->l.isa), u->l.n, message);
    LLVMDisposeMessage(message);
}

void
unit_compile(struct unit *u, const char *passes)
{
    static const char *const none[] = {NULL};

    unit_compile_with(u, passes, none, NULL);
}

void
unit_compile_with(struct unit *u, const char *passes, const char *const *names, void *const *addresses)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcDefinitionGeneratorRef process;

    prepare(u, passes);
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(u->machine));
    u->machine = NULL;
    must(LLVMOrcCreateLLJIT(&u->jit, builder));
    LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(u->jit);
    must(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(u->jit),
                                                              NULL, NULL));
    LLVMOrcJITDylibAddGenerator(library, process);
    for (unsigned i = 0; names[i]; i++) {
        LLVMOrcCSymbolMapPair pair = {
            LLVMOrcLLJITMangleAndIntern(u->jit, names[i]),
            {(LLVMOrcExecutorAddress)(uintptr_t)addresses[i],
             {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
        must(LLVMOrcJITDylibDefine(library, LLVMOrcAbsoluteSymbols(&pair, 1)));
    }
    LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(u->l.context);
    LLVMDisposeBuilder(u->l.builder);
    must(
        LLVMOrcLLJITAddLLVMIRModule(u->jit, library, LLVMOrcCreateNewThreadSafeModule(u->l.module, context)));
    LLVMOrcDisposeThreadSafeContext(context);
    u->l.builder = NULL;
}

unit_function *
unit_lookup(struct unit *u, const char *name)
{
    LLVMOrcExecutorAddress address;

    must(LLVMOrcLLJITLookup(u->jit, &address, name));
    return (unit_function *)(uintptr_t)address;
}

char *
unit_assembly(struct unit *u)
{
    LLVMMemoryBufferRef buffer;
    char *message = NULL;

    prepare(u, "instcombine,simplifycfg");
    ck_assert(
        !LLVMTargetMachineEmitToMemoryBuffer(u->machine, u->l.module, LLVMAssemblyFile, &message, &buffer));
    char *text = strdup(LLVMGetBufferStart(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return text;
}

void
unit_end(struct unit *u)
{
    if (u->jit) {
        must(LLVMOrcDisposeLLJIT(u->jit));
    } else {
        LLVMDisposeBuilder(u->l.builder);
        LLVMDisposeModule(u->l.module);
        LLVMContextDispose(u->l.context);
    }
    if (u->machine)
        LLVMDisposeTargetMachine(u->machine);
}

/* Inputs and outputs */

LLVMTypeRef
unit_type(struct unit *u, enum type t)
{
    LLVMContextRef c = u->l.context;

    switch (t) {
    case T_I1: return LLVMInt1TypeInContext(c);
    case T_I8: return LLVMInt8TypeInContext(c);
    case T_I16: return LLVMInt16TypeInContext(c);
    case T_I32: return LLVMInt32TypeInContext(c);
    case T_I64: return LLVMInt64TypeInContext(c);
    case T_HALF: return LLVMHalfTypeInContext(c);
    case T_FLOAT: return LLVMFloatTypeInContext(c);
    case T_DOUBLE: return LLVMDoubleTypeInContext(c);
    default: return LLVMPointerTypeInContext(c, 0);
    }
}

static V
at(struct unit *u, V pointer, unsigned offset)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(u->l.context);
    V index = LLVMConstInt(LLVMInt64TypeInContext(u->l.context), offset, false);

    return LLVMBuildGEP2(u->l.builder, i8, pointer, &index, 1, "");
}

static V
read(struct unit *u, enum type t, unsigned offset, unsigned count)
{
    LLVMTypeRef element = unit_type(u, t == T_I1 ? T_I8 : t), i1 = unit_type(u, T_I1);
    LLVMTypeRef type = count ? LLVMVectorType(element, count) : element;
    V value = LLVMBuildLoad2(u->l.builder, type, at(u, u->in, offset), "");

    LLVMSetAlignment(value, 1);
    if (t == T_I1)
        value = LLVMBuildTrunc(u->l.builder, value, count ? LLVMVectorType(i1, count) : i1, "");
    return value;
}

V
unit_in(struct unit *u, enum type t, unsigned offset)
{
    return read(u, t, offset, u->l.n);
}

V
unit_in_scalar(struct unit *u, enum type t, unsigned offset)
{
    return read(u, t, offset, 0);
}

void
unit_out(struct unit *u, V value, unsigned offset)
{
    LLVMTypeRef type = LLVMTypeOf(value), i1 = unit_type(u, T_I1), i8 = unit_type(u, T_I8);

    if (type == i1)
        value = LLVMBuildZExt(u->l.builder, value, i8, "");
    else if (LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetElementType(type) == i1)
        value = LLVMBuildZExt(u->l.builder, value, LLVMVectorType(i8, LLVMGetVectorSize(type)), "");
    LLVMSetAlignment(LLVMBuildStore(u->l.builder, value, at(u, u->out, offset)), 1);
}

V
unit_splat(struct unit *u, enum type t, uint64_t value)
{
    return lane_splat(&u->l, LLVMConstInt(unit_type(u, t), value, false));
}

V
unit_phi(struct unit *u, V first)
{
    V made = LLVMBuildPhi(u->l.builder, LLVMTypeOf(first), "");
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(u->l.function);

    LLVMAddIncoming(made, &first, &entry, 1);
    return made;
}

/* The run */

bool
unit_mask(unsigned n, unsigned k, uint64_t *mask)
{
    uint64_t all = n < 64 ? (1ull << n) - 1 : ~0ull;

    switch (k) {
    case 0: *mask = all; return true;
    case 1: *mask = 0; return true;
    case 2: *mask = 1; return true;
    case 3: *mask = 1ull << (n - 1); return true;
    case 4: *mask = (1ull << (n - 1)) - 1; return true;
    case 5: *mask = 0xaaaaaaaaaaaaaaaaull & all; return true;
    default:
        *mask = random_bits() & all;
        return k < 10;
    }
}

static void
run_level(const struct unit_case *cases, unsigned count, lw_isa isa, unsigned n, const char *const *names,
          void *const *addresses)
{
    struct unit u;
    char name[32];

    unit_begin(&u, isa, n);
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "case%u", i);
        unit_define(&u, name);
        cases[i].build(&u, &cases[i]);
        unit_finish(&u);
    }
    /* One size sees the clean-up passes too, which act on whatever poison there is. */
    unit_compile_with(&u, n == 8 ? "function(sroa,early-cse,instcombine,simplifycfg,gvn)" : NULL, names,
                      addresses);
    for (unsigned i = 0; i < count; i++) {
        uint64_t mask;
        snprintf(name, sizeof name, "case%u", i);
        unit_function *f = unit_lookup(&u, name);
        for (unsigned k = 0; unit_mask(n, k, &mask); k++)
            if (!cases[i].check(&cases[i], f, n, mask))
                ck_abort_msg("%s, %u lanes: %s of %s (%d, %d) with mask %llx", unit_isa(isa), n,
                             cases[i].what, type_name(cases[i].t), cases[i].a, cases[i].b,
                             (unsigned long long)mask);
    }
    unit_end(&u);
}

void
unit_run_cases(const struct unit_case *cases, unsigned count)
{
    static const char *const none[] = {NULL};

    unit_run_cases_with(cases, count, none, NULL);
}

void
unit_run_cases_with(const struct unit_case *cases, unsigned count, const char *const *names,
                    void *const *addresses)
{
    for (unsigned i = 0; i < sizeof unit_isas / sizeof *unit_isas; i++) {
        if (!unit_runs(unit_isas[i])) {
            printf("not run: %s, which this processor lacks\n", unit_isa(unit_isas[i]));
            continue;
        }
        for (unsigned k = 0; k < sizeof unit_sizes / sizeof *unit_sizes; k++)
            run_level(cases, count, unit_isas[i], unit_sizes[k], names, addresses);
    }
}
