/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_reduce_float
#define TYPE float
#define SUM float
#define REDUCE_FLOAT
#include "subgroup_reduce.h"
