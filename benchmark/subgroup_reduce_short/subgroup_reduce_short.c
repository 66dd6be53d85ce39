/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_reduce_short
#define TYPE int16_t
#define SUM uint16_t
#define REDUCE_SHORT
#include "subgroup_reduce.h"
