/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_reduce_int
#define TYPE int32_t
#define SUM uint32_t
#define REDUCE_INT
#include "subgroup_reduce.h"
