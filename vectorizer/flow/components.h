/* SPDX-License-Identifier: MIT */
/* Components of vectors that scalars were put together to: each computed by itself. */
#ifndef LW_VECTORIZER_COMPONENTS_H
#define LW_VECTORIZER_COMPONENTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* As in `(int2)(get_global_id(0), get_global_id(1)) + (int2)(i, j)` of which x and y are taken apart again:
 * of scalars it is seen that y is the same for all lanes and x goes up with them. Floats too, as in
 * `(convert_float2(at) + 0.5f) * scale`. true: something changed. */
bool lw_take_components(LLVMModuleRef module);

#endif
