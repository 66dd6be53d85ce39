/* SPDX-License-Identifier: MIT */
/* Tests of a number's class, which LLVM makes of x > 0 && x < INFINITY: as comparisons
 * (spirv/number_class.h), where code generation would take the number's bits apart, by 64-bit integers for
 * doubles.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same answers. Tests that are no comparisons stay.
 */
#include "../../spirv/number_class.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"
#include "../facts/instructions.h"

static void
visit(lw_lanes *l, V i)
{
    V compared = lw_compare_class(l->builder, i);

    if (!compared)
        return;
    lw_replace(i, compared);
}

void
lw_settle_classes(LLVMModuleRef module)
{
    lw_visit_instructions(module, LW_ISA_AUTO, visit);
}
