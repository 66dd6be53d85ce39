/* SPDX-License-Identifier: MIT */
#define NAME workgroup_reduce
#include "group_sums.h"
