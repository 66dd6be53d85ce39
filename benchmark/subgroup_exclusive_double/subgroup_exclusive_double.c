/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_exclusive_double
#define TYPE double
#define SUM double
#define EXCLUSIVE 1
#define SCAN_FLOAT
#define SCAN_BITS 64
#include "subgroup_scan.h"
