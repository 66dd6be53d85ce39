/* SPDX-License-Identifier: MIT */
#define NAME tree_reduction
#include "group_sums.h"
