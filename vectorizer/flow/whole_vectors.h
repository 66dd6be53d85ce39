/* SPDX-License-Identifier: MIT */
/* Vectors of OpenCL C whose components are computed one by one, as one again. */
#ifndef LW_VECTORIZER_WHOLE_VECTORS_H
#define LW_VECTORIZER_WHOLE_VECTORS_H

#include <llvm-c/Core.h>

/* fma(v, w, x) of float4 is four calls of scalars and four insertelements as it is emitted: one call of
 * vectors behind this. */
void lw_form_whole_vectors(LLVMModuleRef module);

#endif
