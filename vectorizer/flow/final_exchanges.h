/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_FINAL_EXCHANGES_H
#define LW_VECTORIZER_FINAL_EXCHANGES_H

#include "../../src/compiler.h"
#include "../facts/model.h"

/* Does nobody wait in the loop by this compare-and-exchange (final_exchanges.c)? */
bool lw_is_final_exchange(const struct lw_model *m, const struct lw_shape *shape, uint32_t loop,
                          LLVMValueRef exchange);

#endif
