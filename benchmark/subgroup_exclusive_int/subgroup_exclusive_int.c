/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_exclusive_int
#define TYPE int32_t
#define SUM uint32_t
#define EXCLUSIVE 1
#define SCAN_INT
#define SCAN_BITS 32
#include "subgroup_scan.h"
