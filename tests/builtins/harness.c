/* SPDX-License-Identifier: MIT */
/* Loops over the operations, resolved, vectorized by LLVM and run by ORC without any symbol of the process.
 */
#include "tests/builtins/harness.h"
#include "builtins/builtins.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

struct jit {
    LLVMOrcLLJITRef lljit;
    const char *type;
};

#define V3 "+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt"
#define V4 V3 ",+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd"

static const char *const features[] = {[LW_ISA_SSE42] = "+sse4.2,+popcnt",
                                       [LW_ISA_AVX2] = V3,
                                       [LW_ISA_AVX512] = V4,
                                       [LW_ISA_AVX512_FP16] = V4 ",+avx512fp16"};

unsigned
letter_size(char letter, const char *type)
{
    unsigned size = (unsigned)atoi(type + 1) / 8;
    return letter == 'I' || letter == 'Q' ? 4 : letter == 'L' ? 2 * size : size;
}

static LLVMTypeRef
value_type(LLVMContextRef c, char letter, const char *type)
{
    unsigned bits = 8 * letter_size(letter, type);
    bool is_float = letter == 'F' || ((letter == 'T' || letter == 'P') && type[0] == 'f');
    if (!is_float)
        return LLVMIntTypeInContext(c, bits);
    return bits == 16   ? LLVMHalfTypeInContext(c)
           : bits == 32 ? LLVMFloatTypeInContext(c)
                        : LLVMDoubleTypeInContext(c);
}

static LLVMValueRef
element_address(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef i)
{
    return LLVMBuildGEP2(b, type, base, &i, 1, "");
}

static void
build_loop(LLVMModuleRef m, const struct lw_builtin_row *row, const char *type)
{
    LLVMContextRef c = LLVMGetModuleContext(m);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c, 0), i64 = LLVMInt64TypeInContext(c);
    LLVMTypeRef params[4] = {ptr, ptr, ptr, i64};
    char name[80];
    snprintf(name, sizeof name, "run_%s", row->name);
    LLVMValueRef f = LLVMAddFunction(m, name, LLVMFunctionType(LLVMVoidTypeInContext(c), params, 4, false));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c, f, "entry");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(c, f, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(c, f, "done");
    LLVMPositionBuilderAtEnd(b, entry);
    unsigned count = (unsigned)strlen(row->signature) - 1;
    LLVMValueRef bases[3], operands[4], temporary = NULL;
    LLVMTypeRef types[4], result = value_type(c, row->signature[0], type), pointee = NULL;
    for (unsigned k = 0; k < count; k++) {
        char letter = row->signature[k + 1];
        types[k] = letter == 'P' || letter == 'Q' ? ptr : value_type(c, letter, type);
        if (types[k] == ptr) {
            pointee = value_type(c, letter, type);
            temporary = LLVMBuildAlloca(b, pointee, "");
        } else {
            LLVMValueRef slot = LLVMConstInt(i64, k, 0);
            bases[k] = LLVMBuildLoad2(b, ptr, element_address(b, ptr, LLVMGetParam(f, 0), slot), "");
        }
    }
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef i = LLVMBuildPhi(b, i64, "");
    for (unsigned k = 0; k < count; k++)
        operands[k] = types[k] == ptr
                          ? temporary
                          : LLVMBuildLoad2(b, types[k], element_address(b, types[k], bases[k], i), "");
    char callee_name[80];
    snprintf(callee_name, sizeof callee_name, "lw.cl.%s.%s", row->name, type);
    LLVMTypeRef callee_type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef callee = LLVMAddFunction(m, callee_name, callee_type);
    LLVMValueRef value = LLVMBuildCall2(b, callee_type, callee, operands, count, "");
    LLVMBuildStore(b, value, element_address(b, result, LLVMGetParam(f, 1), i));
    if (temporary)
        LLVMBuildStore(b, LLVMBuildLoad2(b, pointee, temporary, ""),
                       element_address(b, pointee, LLVMGetParam(f, 2), i));
    LLVMValueRef next = LLVMBuildAdd(b, i, LLVMConstInt(i64, 1, 0), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, LLVMGetParam(f, 3), ""), loop, done);
    LLVMValueRef values[2] = {LLVMConstInt(i64, 0, 0), next};
    LLVMBasicBlockRef blocks[2] = {entry, loop};
    LLVMAddIncoming(i, values, blocks, 2);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
}

static bool
unresolved(LLVMModuleRef m)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (LLVMIsDeclaration(f) && strncmp(name, "llvm.", 5)) {
            fprintf(stderr, "%s stayed unresolved\n", name);
            return true;
        }
    }
    return false;
}

static LLVMTargetMachineRef
target_machine(lw_isa isa)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target;
    LLVMTargetMachineRef machine = NULL;
    if (!LLVMGetTargetFromTriple(triple, &target, &message))
        machine = LLVMCreateTargetMachine(target, triple, "x86-64", features[isa], LLVMCodeGenLevelDefault,
                                          LLVMRelocPIC, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

static void
set_target(LLVMModuleRef m, LLVMTargetMachineRef machine)
{
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(m, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(m, triple);
    LLVMDisposeMessage(triple);
}

static bool
resolve(LLVMModuleRef m, lw_isa isa)
{
    lw_error error = {0};
    char *message = NULL;
    if (!lw_builtins_resolve(m, isa, &error)) {
        fprintf(stderr, "resolve: %s\n", error.text);
        return false;
    }
    bool broken = LLVMVerifyModule(m, LLVMPrintMessageAction, &message);
    LLVMDisposeMessage(message);
    return !broken && !unresolved(m);
}

/* Loops over the operations of `type`, those that are SAME as another or the rest, and resolves their calls.
 */
static bool
fill_module(LLVMModuleRef m, const char *type, lw_isa isa, LLVMTargetMachineRef machine, bool same)
{
    set_target(m, machine);
    for (size_t i = 0; i < lw_builtin_row_count; i++) {
        const struct lw_builtin_cell *cell = lw_builtin_cell_of(&lw_builtin_rows[i], type);
        if (cell && (cell->how == LW_HOW_SAME) == same)
            build_loop(m, &lw_builtin_rows[i], type);
    }
    return resolve(m, isa);
}

static bool
optimize(LLVMModuleRef m, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMErrorRef failed = LLVMRunPasses(m, "default<O2>", machine, options);
    LLVMDisposePassBuilderOptions(options);
    return !failed;
}

static void
initialize(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

bool
jit_resolves_same(const char *type, lw_isa isa)
{
    initialize();
    LLVMTargetMachineRef machine = target_machine(isa);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext("same", context);
    bool ok = machine && fill_module(m, type, isa, machine, true);
    LLVMDisposeModule(m);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    return ok;
}

/* Takes the module, its context and the machine. */
static struct jit *
jit_add(LLVMModuleRef m, LLVMContextRef context, LLVMTargetMachineRef machine, const char *type)
{
    struct jit *jit = calloc(1, sizeof *jit);
    jit->type = type;
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(machine));
    LLVMErrorRef error = LLVMOrcCreateLLJIT(&jit->lljit, builder);
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
    if (!error)
        error = LLVMOrcLLJITAddLLVMIRModule(jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit),
                                            LLVMOrcCreateNewThreadSafeModule(m, safe));
    LLVMOrcDisposeThreadSafeContext(safe);
    if (!error)
        return jit;
    char *text = LLVMGetErrorMessage(error);
    fprintf(stderr, "%s\n", text);
    LLVMDisposeErrorMessage(text);
    free(jit);
    return NULL;
}

/* Of what made no jit; returns NULL. */
static struct jit *
dispose(LLVMModuleRef m, LLVMContextRef context, LLVMTargetMachineRef machine)
{
    if (m)
        LLVMDisposeModule(m);
    LLVMContextDispose(context);
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return NULL;
}

struct jit *
jit_create(const char *type, lw_isa isa)
{
    initialize();
    LLVMTargetMachineRef machine = target_machine(isa);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = LLVMModuleCreateWithNameInContext("builtins", context);
    if (!machine || !fill_module(m, type, isa, machine, false) || !optimize(m, machine))
        return dispose(m, context, machine);
    return jit_add(m, context, machine, type);
}

static loop_function
look_up(struct jit *jit, const char *name)
{
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef error = LLVMOrcLLJITLookup(jit->lljit, &address, name);
    if (!error)
        return (loop_function)(uintptr_t)address;
    char *text = LLVMGetErrorMessage(error);
    fprintf(stderr, "%s\n", text);
    LLVMDisposeErrorMessage(text);
    return NULL;
}

struct jit *
jit_from_text(const char *text, lw_isa isa, const char *const *names, loop_function *loops, int count)
{
    initialize();
    LLVMTargetMachineRef machine = target_machine(isa);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef m = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "text");
    if (LLVMParseIRInContext(context, buffer, &m, &message)) {
        fprintf(stderr, "%s\n", message);
        LLVMDisposeMessage(message);
        return dispose(NULL, context, machine);
    }
    set_target(m, machine);
    if (!resolve(m, isa) || !optimize(m, machine))
        return dispose(m, context, machine);
    struct jit *jit = jit_add(m, context, machine, "");
    for (int k = 0; jit && k < count; k++)
        if (!(loops[k] = look_up(jit, names[k])))
            return NULL;
    return jit;
}

loop_function
jit_loop(struct jit *jit, const struct lw_builtin_row *row)
{
    char name[80];
    snprintf(name, sizeof name, "run_%s", row->name);
    return lw_builtin_cell_of(row, jit->type) ? look_up(jit, name) : NULL;
}

void
jit_release(struct jit *jit)
{
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->lljit);
    if (error)
        LLVMConsumeError(error);
    free(jit);
}
