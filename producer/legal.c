/* SPDX-License-Identifier: MIT */
/* The table of what is made legal. */
#include "legal.h"

static const struct {
    bool (*run)(struct lw_legal *l);
    const char *what, *why_here;
} rows[] = {
    {lw_legal_conversions, "conversions between integers", "first: the others see their instructions"},
    {lw_legal_overflows, "signed results that may be too large", "before widths: it makes others"},
    {lw_legal_funnels, "shifts of two integers in a row", "before lengths and widths: they are of any"},
    {lw_legal_intrinsics, "intrinsics of which nothing is selected", "before lengths: vectors of any"},
    {lw_legal_extremes, "extremes with NaNs and zeros", "before lengths: they take vectors of any"},
    {lw_legal_classes, "classes of numbers", "before lengths: they take vectors of any"},
    {lw_legal_orders, "orders and scopes", "anywhere: it changes calls only"},
    {lw_legal_reductions, "reductions of vectors", "before lengths: they take vectors of any"},
    {lw_legal_fused, "products and sums of halves", "before lengths: they take vectors of any"},
    {lw_legal_lengths, "lengths of vectors", "before widths, which then meets few vectors"},
    {lw_legal_truths, "booleans", "before widths: four of them are an i4"},
    {lw_legal_widths, "widths of integers", "behind what makes integers of vectors' bits"},
    {lw_legal_extensions, "extensions of what was cut off", "behind widths, which makes some"},
    {lw_legal_copies, "elements of asynchronous copies", "anywhere: no other row has to do with them"},
    {lw_legal_steps, "steps over pointers", "anywhere: no other row has to do with them"},
    {lw_legal_nulls, "null values of types of SPIR-V", "anywhere: no other row has to do with them"},
    {lw_legal_operands, "operands from which nothing is selected, alignments", "last: the others make some"},
};

bool
lw_make_legal(LLVMModuleRef module, const char **why)
{
    struct lw_legal l = {.context = LLVMGetModuleContext(module), .module = module};
    l.b = LLVMCreateBuilderInContext(l.context);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && !l.why; k++)
        for (V f = LLVMGetFirstFunction(module); f && !l.why; f = LLVMGetNextFunction(f)) {
            l.function = f;
            if (LLVMCountBasicBlocks(f) && !rows[k].run(&l) && !l.why)
                l.why = rows[k].what;
        }
    LLVMDisposeBuilder(l.b);
    *why = l.why;
    return !l.why;
}
