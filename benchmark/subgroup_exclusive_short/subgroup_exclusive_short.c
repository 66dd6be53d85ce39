/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_exclusive_short
#define TYPE int16_t
#define SUM uint16_t
#define EXCLUSIVE 1
#define SCAN_INT
#define SCAN_BITS 16
#include "subgroup_scan.h"
