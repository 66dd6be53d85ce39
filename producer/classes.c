/* SPDX-License-Identifier: MIT */
/* llvm.is.fpclass, which clang's passes make of x > 0 && x < INFINITY: SPIR-V has nothing for it, and the
 * back end takes the number's bits apart, which no one puts together again. As comparisons, where it was one.
 */
#include "../spirv/number_class.h"
#include "legal.h"

static V
meant(struct lw_legal *l, V call)
{
    return lw_compare_class(l->b, call);
}

bool
lw_legal_classes(struct lw_legal *l)
{
    return lw_replace_each(l, meant);
}
