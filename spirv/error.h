/* SPDX-License-Identifier: MIT */
/* Raising the errors of errors.def. */
#ifndef LW_SPIRV_ERROR_H
#define LW_SPIRV_ERROR_H

#include <lanewise/lanewise.h>

enum lw_spirv_error {
#define LW_ERR(name, status, format) LW_ERR_##name,
#include "errors.def"
#undef LW_ERR
    LW_ERR_COUNT
};

/* Fills `error` (may be NULL) with the text of `code`; `word` is the instruction's offset or 0. Returns
 * false. Control characters that came from the module are replaced by '?'. */
bool lw_spirv_fail(lw_error *error, enum lw_spirv_error code, uint32_t word, ...);

#endif
