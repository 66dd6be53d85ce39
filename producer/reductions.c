/* SPDX-License-Identifier: MIT */
/* llvm.vector.reduce.* as the operations that it stands for: SPIR-V has none, and clang's passes give it
 * vectors of booleans and of any length. */
#include "legal.h"

#include <string.h>

static const char prefix[] = "llvm.vector.reduce.";

static const struct {
    const char *name;
    LLVMOpcode op;         /* 0: */
    const char *intrinsic; /* this */
    bool starts;           /* its first operand is a value to begin with */
} reductions[] = {
    {"add.", LLVMAdd, NULL, false},          {"mul.", LLVMMul, NULL, false},
    {"and.", LLVMAnd, NULL, false},          {"or.", LLVMOr, NULL, false},
    {"xor.", LLVMXor, NULL, false},          {"fadd.", LLVMFAdd, NULL, true},
    {"fmul.", LLVMFMul, NULL, true},         {"smin.", 0, "llvm.smin", false},
    {"smax.", 0, "llvm.smax", false},        {"umin.", 0, "llvm.umin", false},
    {"umax.", 0, "llvm.umax", false},        {"fmin.", 0, "llvm.minnum", false},
    {"fmax.", 0, "llvm.maxnum", false},      {"fminimum.", 0, "llvm.minimum", false},
    {"fmaximum.", 0, "llvm.maximum", false},
};

static V
combined(struct lw_legal *l, size_t k, V a, V b)
{
    T type = LLVMTypeOf(a);
    if (!reductions[k].intrinsic)
        return LLVMBuildBinOp(l->b, reductions[k].op, a, b, "");
    unsigned id = LLVMLookupIntrinsicID(reductions[k].intrinsic, strlen(reductions[k].intrinsic));
    V function = LLVMGetIntrinsicDeclaration(l->module, id, &type, 1);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(function), function, (V[]){a, b}, 2, "");
}

static V
expanded(struct lw_legal *l, V call, const char *name)
{
    for (size_t k = 0; k < sizeof reductions / sizeof reductions[0]; k++) {
        if (strncmp(name, reductions[k].name, strlen(reductions[k].name)) != 0)
            continue;
        V vector = LLVMGetOperand(call, reductions[k].starts);
        lw_write_at(l, call);
        V value = reductions[k].starts ? LLVMGetOperand(call, 0) : NULL;
        for (unsigned i = 0; i < lw_count_of(LLVMTypeOf(vector)); i++) {
            V part = lw_part(l, vector, i);
            value = value ? combined(l, k, value, part) : part;
        }
        return value;
    }
    l->why = "a reduction of a vector that is not known";
    return NULL;
}

static V
meant(struct lw_legal *l, V i)
{
    const char *name = lw_called(i);
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? expanded(l, i, name + sizeof prefix - 1) : NULL;
}

bool
lw_legal_reductions(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}
