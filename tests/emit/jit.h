/* SPDX-License-Identifier: MIT */
/* Runs emitted scalar kernels one work-item at a time in an LLJIT, the id functions answered by a record. */
#ifndef LW_TEST_EMIT_JIT_H
#define LW_TEST_EMIT_JIT_H

#include "spirv/emit.h"

struct item {
    uint64_t work_dim, global_id[3], local_id[3], group_id[3], global_size[3], local_size[3], num_groups[3],
        offset[3];
    uint64_t sub_group_size;
};

extern struct item item; /* the work-item that runs */
extern uint8_t local_memory[4096];

/* Address of kernel `name` of the module in `path`, NULL (after a message) where anything failed. */
void *jit_kernel(const char *path, const char *name, const struct lw_emit_facts *facts);
void jit_close(void);

#endif
