/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_exclusive_float
#define TYPE float
#define SUM float
#define EXCLUSIVE 1
#define SCAN_FLOAT
#define SCAN_BITS 32
#include "subgroup_scan.h"
