/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_reduce_char
#define TYPE int8_t
#define SUM uint8_t
#define REDUCE_CHAR
#include "subgroup_reduce.h"
