/* SPDX-License-Identifier: MIT */
/* A sub-group size demanded of every kernel of a module. */
#ifndef LANEWISE_BENCH_SPIRV_PATCH_H
#define LANEWISE_BENCH_SPIRV_PATCH_H

#include <stddef.h>
#include <stdint.h>

/* A new module, in which OpExecutionMode SubgroupSize of every entry point is `subgroup`; NULL: the words are
 * not a module. The caller frees it. */
uint32_t *spirv_demand_subgroup(const uint32_t *words, size_t count, uint32_t subgroup, size_t *new_count);

#endif
