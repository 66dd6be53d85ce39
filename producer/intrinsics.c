/* SPDX-License-Identifier: MIT */
/* Intrinsics from which the back end selects nothing: those with a function of OpenCL C are calls of it, one
 * for each component, the others an expression. A hint is left out. */
#include "legal.h"

#include <stdio.h>
#include <string.h>

enum { CANONICALIZE, LDEXP, EXP10, LRINT, SINCOS, PREFETCH, GET_ROUNDING, COUNT };
static const char *const names[COUNT] = {"llvm.canonicalize.", "llvm.ldexp.",  "llvm.exp10.",
                                         "llvm.lrint.",        "llvm.sincos.", "llvm.prefetch.",
                                         "llvm.get.rounding"};

static V
intrinsic(struct lw_legal *l, const char *name, V x)
{
    T type = LLVMTypeOf(x);
    V function = LLVMGetIntrinsicDeclaration(l->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(function), function, &x, 1, "");
}

/* OpenCL C's function of a scalar, and of an int. */
static V
function(struct lw_legal *l, const char *name, V x, V power)
{
    T types[] = {LLVMTypeOf(x), power ? LLVMTypeOf(power) : NULL};
    unsigned bits = lw_bits_of(types[0]);
    char mangled[32];
    snprintf(mangled, sizeof mangled, "_Z%zu%s%s%s", strlen(name), name,
             bits == 16   ? "Dh"
             : bits == 32 ? "f"
                          : "d",
             power ? "i" : "");
    T type = LLVMFunctionType(types[0], types, power ? 2 : 1, false);
    V declared = LLVMGetNamedFunction(l->module, mangled);
    if (!declared)
        declared = LLVMAddFunction(l->module, mangled, type);
    LLVMSetFunctionCallConv(declared, LLVMSPIRFUNCCallConv);
    V call = LLVMBuildCall2(l->b, type, declared, (V[]){x, power}, power ? 2 : 1, "");
    LLVMSetInstructionCallConv(call, LLVMSPIRFUNCCallConv);
    return call;
}

static V
of_each(struct lw_legal *l, V call, const char *name, bool has_power)
{
    V x = LLVMGetOperand(call, 0), power = has_power ? LLVMGetOperand(call, 1) : NULL;
    V parts[LW_MOST_COMPONENTS];
    for (unsigned k = 0; k < lw_count_of(LLVMTypeOf(x)); k++)
        parts[k] = function(l, name, lw_part(l, x, k), power ? lw_part(l, power, k) : NULL);
    return lw_whole(l, LLVMTypeOf(x), parts);
}

static V
meant(struct lw_legal *l, V call)
{
    unsigned which = lw_which_call(call, names, COUNT);
    if (which == COUNT)
        return NULL;
    T type = LLVMTypeOf(call);
    V x = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
    lw_write_at(l, call);
    switch (which) {
    case CANONICALIZE: /* a NaN is a quiet one */
        return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealUNO, x, x, ""),
                               LLVMBuildFAdd(l->b, x, x, ""), x, "");
    case LDEXP:
        return lw_bits_of(lw_scalar_of(LLVMTypeOf(LLVMGetOperand(call, 1)))) == 32
                   ? of_each(l, call, "ldexp", true)
                   : NULL;
    case EXP10:
        return of_each(l, call, "exp10", false);
    case LRINT:
        return LLVMBuildFPToSI(l->b, intrinsic(l, "llvm.rint", x), type, "");
    case SINCOS: {
        V both = LLVMBuildInsertValue(l->b, LLVMGetPoison(type), intrinsic(l, "llvm.sin", x), 0, "");
        return LLVMBuildInsertValue(l->b, both, intrinsic(l, "llvm.cos", x), 1, "");
    }
    case GET_ROUNDING:
        return LLVMConstInt(type, 1, false); /* to the nearest */
    default:
        LLVMInstructionEraseFromParent(call);
        return NULL;
    }
}

bool
lw_legal_intrinsics(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}
