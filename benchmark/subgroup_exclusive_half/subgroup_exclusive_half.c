/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_exclusive_half
#define TYPE _Float16
#define SUM float
#define EXCLUSIVE 1
#define SCAN_HALF
#define SCAN_BITS 16
#include "subgroup_scan.h"
