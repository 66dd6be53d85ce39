/* SPDX-License-Identifier: MIT */
#define NAME tree_reduction
#define LAUNCHES 4
#include "group_sums.h"
