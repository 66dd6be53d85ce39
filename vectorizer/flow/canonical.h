/* SPDX-License-Identifier: MIT */
/* Brings a scalar kernel into the shape the other passes rely on, and proves it. */
#ifndef LW_VECTORIZER_CANONICAL_H
#define LW_VECTORIZER_CANONICAL_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <lanewise/lanewise.h>

#define LW_NATURAL "lw.natural"
/* Tells ways out of endless loops, which are never taken. */
#define LW_NEVER_ZERO "lw.work_dim"

/* Who is told of each transformation, and may end the rest; and may leave those out that have a row of their
 * own (jit/passes.def). */
struct lw_after {
    bool (*step)(void *data, const char *transformation);
    bool (*wants)(void *data, const char *row);
    void *data;
};

/* Enters: a module whose lw.kernel has every call inlined but lw.*, LLVM intrinsics and kept functions
 * (kept.h), which are treated like it. Leaves: one return, no switch, reducible, loops with one latch, a
 * preheader and dedicated exits, LCSSA, no critical edges but very many breaks of one loop
 * (critical_edges.h), no llvm.assume, no lifetime markers,
 * memcpy/memset/memmove intrinsics expanded to loads, stores and loops; `sext` in place of `zext nneg`, with
 * metadata of the kind LW_NATURAL. */
bool lw_canonicalize(LLVMModuleRef module, LLVMTargetMachineRef machine, const struct lw_after *after,
                     lw_error *error);
/* Takes a function in that form apart, no phis and no value that crosses blocks, for whoever changes its
 * edges; and puts it together again. */
bool lw_take_apart(LLVMValueRef function, LLVMTargetMachineRef machine, lw_error *error);
bool lw_put_together(LLVMValueRef function, LLVMTargetMachineRef machine, lw_error *error);

#endif
