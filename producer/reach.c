/* SPDX-License-Identifier: MIT */
/* Functions that no kernel reaches.
 *
 * Enters: the IR of a whole program, which nothing is linked to. Leaves: it without them. Legal: a kernel's
 * name is known by its calling convention; what a call, a variable or a constant names stays. Why: OpenCL C's
 * functions are visible to other modules, so that clang keeps each beside the copies of it that it made in
 * others: of a path tracer three quarters of what the back end would write, in a fifth of the time then.
 */
#include "legal.h"

void
lw_drop_unreached(LLVMModuleRef module)
{
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (V f = LLVMGetFirstFunction(module), next; f; f = next) {
            next = LLVMGetNextFunction(f);
            if (LLVMGetFunctionCallConv(f) == LLVMSPIRKERNELCallConv || LLVMGetFirstUse(f))
                continue;
            LLVMDeleteFunction(f);
            dropped = true;
        }
    }
}
