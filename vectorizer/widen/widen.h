/* SPDX-License-Identifier: MIT */
/* Scalar kernel in canonical form -> sub-group function (`lw.subgroup`, see workgroup.h for what it still
 * calls). */
#ifndef LW_VECTORIZER_WIDEN_H
#define LW_VECTORIZER_WIDEN_H

#include "../flow/explain.h"
#include "../facts/uniformity.h"

/* Writes `lw.subgroup` beside lw.kernel in the same module and deletes lw.kernel. `report` may be NULL;
 * `left_out`: forms of access that it does without (../forms/forms.h: lw_forms_named). `*doubt`: of the
 * kernel (../facts/doubts.h). */
bool lw_widen(LLVMModuleRef module, const struct lw_shape *shape, uint32_t left_out, struct lw_report *report,
              enum lw_doubt *doubt, lw_error *error);

#endif
