/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_scan_float
#define TYPE float
#define SUM float
#define EXCLUSIVE 0
#define SCAN_FLOAT
#define SCAN_BITS 32
#include "subgroup_scan.h"
