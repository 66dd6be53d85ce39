/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_scan_double
#define TYPE double
#define SUM double
#define EXCLUSIVE 0
#define SCAN_FLOAT
#define SCAN_BITS 64
#include "subgroup_scan.h"
