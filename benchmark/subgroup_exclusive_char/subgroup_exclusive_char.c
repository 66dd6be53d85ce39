/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define NAME subgroup_exclusive_char
#define TYPE int8_t
#define SUM uint8_t
#define EXCLUSIVE 1
#define SCAN_INT
#define SCAN_BITS 8
#include "subgroup_scan.h"
