/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_scan_half
#define TYPE _Float16
#define SUM float
#define EXCLUSIVE 0
#define SCAN_HALF
#define SCAN_BITS 16
#include "subgroup_scan.h"
