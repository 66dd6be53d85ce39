/* SPDX-License-Identifier: MIT */
/* Vectors in memory are loaded and stored wherever they lie: by instructions that ask for no alignment but
 * their elements', which take as long.
 *
 * `*(global float4 *)(p + 1)` is undefined by OpenCL C, and other devices read what lies there; x86's aligned
 * moves would end the launch.
 *
 * Enters: the module as it goes to code generation. Leaves: the same accesses; atomic ones have no vectors.
 */
#include "../facts/calls.h"
#include "../flow/module_pass.h"
#include "../lanes/internal.h"

#define MOST 8 /* bytes; of words beyond registers, too */

static unsigned
element_bytes(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        unsigned bits = lw_lane_bits(LLVMGetElementType(type));
        return bits < 8 * MOST ? (bits + 7) / 8 : MOST;
    }
    return MOST;
}

static void
lower_masked(V call, unsigned pointer, LLVMTypeRef type)
{
    unsigned bytes = element_bytes(type);

    if (lw_pointer_align(call, pointer) > bytes)
        lw_set_pointer_align(call, pointer, bytes);
}

static void
visit(lw_lanes *l, V i)
{
    bool store = LLVMIsAStoreInst(i);

    (void)l;
    if (store || LLVMIsALoadInst(i)) {
        unsigned bytes = element_bytes(LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i));
        if (LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && LLVMGetAlignment(i) > bytes)
            LLVMSetAlignment(i, bytes);
    } else if (lw_is_call_like(i, "llvm.masked.load.")) {
        lower_masked(i, 0, LLVMTypeOf(i));
    } else if (lw_is_call_like(i, "llvm.masked.store.")) {
        lower_masked(i, 1, LLVMTypeOf(LLVMGetOperand(i, 0)));
    }
}

void
lw_lower_alignments(LLVMModuleRef module, lw_isa isa)
{
    lw_visit_instructions(module, isa, visit);
}
