/* SPDX-License-Identifier: MIT */
#define NAME subgroup_transpose
#include "transpose.h"
