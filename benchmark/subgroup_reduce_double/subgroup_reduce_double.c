/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_reduce_double
#define TYPE double
#define SUM double
#define REDUCE_DOUBLE
#include "subgroup_reduce.h"
