/* SPDX-License-Identifier: MIT */
#define NAME workgroup_reduce
#define LAUNCHES 8
#include "group_sums.h"
