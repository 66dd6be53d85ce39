/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_reduce_half
#define TYPE _Float16
#define SUM float
#define REDUCE_HALF
#include "subgroup_reduce.h"
