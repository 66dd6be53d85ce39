/* SPDX-License-Identifier: MIT */
/* The fuzz target: bytes through everything that reads a module. libFuzzer calls it, and mutate.c. */
#include <stdlib.h>

#include "module_check.h"
#include "reflect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_KERNELS 8u /* of one input */

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_error error = {0};
    lw_module *m = lw_module_read(data, size, &error);
    if (!m)
        return 0;
    lw_spec_constant constant;
    uint64_t value = 3;
    if (lw_module_spec_constant(m, 0, &constant))
        lw_module_specialize(m, constant.id, &value, constant.size, &error);
    if (lw_module_check(m, &error))
        for (uint32_t k = 0; k < m->entry_point_count && k < MAX_KERNELS; k++) {
            lw_kernel_desc_free(lw_reflect_kernel(m, k, &error));
            lw_kernel_check(m, k, &error);
        }
    lw_module_free(m);
    return 0;
}
