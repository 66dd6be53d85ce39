/* SPDX-License-Identifier: MIT */
/* Runs emitted scalar kernels one work-item at a time in an LLJIT, the id functions answered by a record. */
#include "jit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>

struct item item;
_Alignas(128) uint8_t local_memory[4096];
static LLVMOrcLLJITRef jit;

#define PER_DIMENSION(name, field) static uint64_t name(uint32_t d) { return item.field[d]; }
PER_DIMENSION(global_id, global_id)
PER_DIMENSION(global_size, global_size)
PER_DIMENSION(global_offset, offset)
PER_DIMENSION(local_id, local_id)
PER_DIMENSION(local_size, local_size)
PER_DIMENSION(group_id, group_id)
PER_DIMENSION(num_groups, num_groups)
static uint64_t work_dim(void) { return item.work_dim; }
static uint64_t local_linear_id(void)
{
    return (item.local_id[2] * item.local_size[1] + item.local_id[1]) * item.local_size[0] + item.local_id[0];
}
static uint64_t global_linear_id(void)
{
    uint64_t id[3];
    for (int d = 0; d < 3; d++)
        id[d] = item.global_id[d] - item.offset[d];
    return (id[2] * item.global_size[1] + id[1]) * item.global_size[0] + id[0];
}
static uint64_t sub_group_size(void) { return item.sub_group_size; }
static uint64_t sub_group_local_id(void) { return local_linear_id() % item.sub_group_size; }
static void *local_base(void) { return local_memory; }
static void barrier(void) {}
static int32_t clz_i32(int32_t x) { return x ? __builtin_clz((uint32_t)x) : 32; }
static int32_t popcount_i32(int32_t x) { return __builtin_popcount((uint32_t)x); }
static int32_t mul_hi_i32(int32_t x, int32_t y) { return (int32_t)((int64_t)x * y >> 32); }
static int32_t rotate_i32(int32_t x, int32_t y)
{
    uint32_t u = (uint32_t)x, by = (uint32_t)y & 31;
    return (int32_t)(by ? u << by | u >> (32 - by) : u);
}
static int32_t same_i32(int32_t x) { return x; }
static float rsqrt_f32(float x) { return 1 / sqrtf(x); }
static double rsqrt_f64(double x) { return 1 / sqrt(x); }
static float fract_f32(float x, float *whole)
{
    *whole = floorf(x);
    return fminf(x - *whole, 0x1.fffffep-1f);
}
static float frexp_f32(float x, int32_t *e)
{
    int exponent;
    x = frexpf(x, &exponent);
    *e = exponent;
    return x;
}

static const struct {
    const char *name;
    void *address;
} symbols[] = {
    {"lw.global_id", (void *)global_id},
    {"lw.global_size", (void *)global_size},
    {"lw.global_offset", (void *)global_offset},
    {"lw.local_id", (void *)local_id},
    {"lw.local_size", (void *)local_size},
    {"lw.enqueued_local_size", (void *)local_size},
    {"lw.group_id", (void *)group_id},
    {"lw.num_groups", (void *)num_groups},
    {"lw.work_dim", (void *)work_dim},
    {"lw.local_linear_id", (void *)local_linear_id},
    {"lw.global_linear_id", (void *)global_linear_id},
    {"lw.sub_group_size", (void *)sub_group_size},
    {"lw.sub_group_local_id", (void *)sub_group_local_id},
    {"lw.local_base", (void *)local_base},
    {"lw.wg.barrier", (void *)barrier},
    {"lw.wg.reduce.iadd.i32", (void *)same_i32},
    {"lw.cl.fmod.f32", (void *)fmodf},
    {"lw.cl.fract.f32", (void *)fract_f32},
    {"lw.cl.frexp.f32", (void *)frexp_f32},
    {"lw.cl.clz.i32", (void *)clz_i32},
    {"lw.cl.popcount.i32", (void *)popcount_i32},
    {"lw.cl.s_mul_hi.i32", (void *)mul_hi_i32},
    {"lw.cl.rotate.i32", (void *)rotate_i32},
    {"lw.cl.fma.f32", (void *)fmaf},
    {"lw.cl.mad.f32", (void *)fmaf},
    {"lw.cl.exp.f32", (void *)expf},
    {"lw.cl.rsqrt.f32", (void *)rsqrt_f32},
    {"lw.cl.rsqrt.f64", (void *)rsqrt_f64},
    {"lw.cl.near_rsqrt.f64", (void *)rsqrt_f64},
    {"lw.cl.near_sqrt.f64", (void *)sqrt},
    {"fmodf", (void *)fmodf},
    {"memcpy", (void *)memcpy},
    {"memset", (void *)memset},
    {"memmove", (void *)memmove},
    {"ceilf", (void *)ceilf},
    {"ceil", (void *)ceil},
    {"floorf", (void *)floorf},
    {"floor", (void *)floor},
    {"roundevenf", (void *)nearbyintf},
    {"roundeven", (void *)nearbyint},
    {"fmaf", (void *)fmaf},
    {"fma", (void *)fma},
};

static lw_module *
read_module(const char *path, lw_error *error)
{
    FILE *file = fopen(path, "rb");
    static uint8_t data[1 << 22];
    size_t size = file ? fread(data, 1, sizeof data, file) : 0;
    if (file)
        fclose(file);
    return lw_module_read(data, size, error);
}

static LLVMModuleRef
emit(LLVMContextRef context, const char *path, const char *name, const struct lw_emit_facts *facts)
{
    lw_error error = {.status = LW_OK};
    lw_module *module = read_module(path, &error);
    struct lw_kernel_desc *kernel = NULL;
    LLVMModuleRef ir = NULL;
    char *message = NULL;
    for (uint32_t i = 0; module && i < module->entry_point_count; i++)
        if (!strcmp(module->entry_points[i].name, name))
            kernel = lw_reflect_kernel(module, i, &error);
    if (kernel)
        ir = lw_emit_kernel(context, module, kernel, facts, &error);
    if (!ir)
        fprintf(stderr, "%s, kernel %s: %s\n", path, name, error.text);
    if (ir && LLVMVerifyModule(ir, LLVMReturnStatusAction, &message)) {
        fprintf(stderr, "%s, kernel %s: %s\n", path, name, message);
        LLVMDisposeModule(ir);
        ir = NULL;
    }
    LLVMDisposeMessage(message);
    lw_kernel_desc_free(kernel);
    lw_module_free(module);
    return ir;
}

static bool
start(void)
{
    enum { COUNT = sizeof symbols / sizeof *symbols };
    LLVMOrcCSymbolMapPair pairs[COUNT];
    if (jit)
        return true;
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    if (LLVMOrcCreateLLJIT(&jit, NULL))
        return false;
    for (unsigned i = 0; i < COUNT; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit, symbols[i].name);
        pairs[i].Sym.Address = (uint64_t)(uintptr_t)symbols[i].address;
        pairs[i].Sym.Flags.GenericFlags =
            LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable;
        pairs[i].Sym.Flags.TargetFlags = 0;
    }
    return !LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(pairs, COUNT));
}

void *
jit_kernel(const char *path, const char *name, const struct lw_emit_facts *facts)
{
    static const struct lw_emit_facts none = {.sub_group_size = 16};
    static unsigned number;
    char unique[32];
    if (!start())
        return NULL;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef ir = emit(context, path, name, facts ? facts : &none);
    if (!ir) {
        LLVMContextDispose(context);
        return NULL;
    }
    snprintf(unique, sizeof unique, "kernel.%u", number++);
    LLVMSetValueName2(LLVMGetNamedFunction(ir, "lw.kernel"), unique, strlen(unique));
    LLVMSetTarget(ir, LLVMOrcLLJITGetTripleString(jit));
    LLVMSetDataLayout(ir, LLVMOrcLLJITGetDataLayoutStr(jit));
    LLVMOrcThreadSafeContextRef shared = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
    LLVMOrcThreadSafeModuleRef module = LLVMOrcCreateNewThreadSafeModule(ir, shared);
    LLVMOrcDisposeThreadSafeContext(shared);
    uint64_t address = 0;
    LLVMErrorRef error = LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit), module);
    if (!error)
        error = LLVMOrcLLJITLookup(jit, &address, unique);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        fprintf(stderr, "%s, kernel %s: %s\n", path, name, message);
        LLVMDisposeErrorMessage(message);
    }
    return (void *)(uintptr_t)address;
}

void
jit_close(void)
{
    if (jit)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
    jit = NULL;
}
