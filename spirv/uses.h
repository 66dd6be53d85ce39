/* SPDX-License-Identifier: MIT */
/* What a kernel uses: the functions that it reaches, and the module-scope items that those name. */
#ifndef LW_SPIRV_USES_H
#define LW_SPIRV_USES_H

#include "module.h"

struct lw_uses {
    uint32_t *functions; /* indices, the kernel's own first */
    uint32_t function_count;
    uint32_t *globals;   /* indices of module-scope instructions that define something, in module order */
    uint32_t global_count;
};

/* Functions reachable from `function` through calls, and all module-scope definitions named in them or in
 * other such definitions, types included. false: out of memory. Linear in what is reached. */
bool lw_uses_collect(const lw_module *m, uint32_t function, struct lw_uses *out);
void lw_uses_free(struct lw_uses *uses);

/* The module scope operand `word`-th of `inst` as a constant, `otherwise` where it is none. */
uint32_t lw_constant_operand(const lw_module *m, const struct lw_inst *inst, uint32_t word,
                             uint32_t otherwise);

#endif
