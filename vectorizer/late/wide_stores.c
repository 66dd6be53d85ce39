/* SPDX-License-Identifier: MIT */
/* Vectors of several registers are stored register by register, from the lowest address up.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same memory. Why: LLVM 22 stores the highest
 * register first. Where the addresses are not aligned, as a stencil's or those behind an offset, two
 * neighbours share a line of the cache, and lines that are written downwards take a quarter longer on an
 * Emerald Rapids (16 lanes of double, 16 bytes off). Relies on: no pass after it that joins stores; code
 * generation, which keeps the order of stores beside each other. Never: touches volatile stores, aligned
 * ones, and vectors that do not fill their registers.
 */
#include "../facts/flags.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

static void
visit(lw_lanes *l, V store)
{
    V value = LLVMIsAStoreInst(store) ? LLVMGetOperand(store, 0) : NULL;

    if (!value || LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind || LLVMGetVolatile(store))
        return;
    LLVMTypeRef element = lw_lane_element(value);
    unsigned size = lw_lane_bits(element), width = lw_isa_row(l->isa)->register_bits / (size ? size : 1);
    unsigned n = lw_lane_count(value), align = LLVMGetAlignment(store);
    if (size % 8 || !width || n <= width || n % width || align >= width * size / 8)
        return;
    LLVMPositionBuilderBefore(l->builder, store);
    for (unsigned k = 0; k < n; k += width) {
        V at = lw_lane_gep(l, element, LLVMGetOperand(store, 1), lane_int(l, 64, k));
        V part = LLVMBuildStore(l->builder, lw_lane_part(l, value, k, width), at);
        LLVMSetAlignment(part, lw_align_at(align, k * size / 8));
        lw_copy_metadata(store, part);
    }
    LLVMInstructionEraseFromParent(store);
}

void
lw_part_wide_stores(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, visit);
}
