/* SPDX-License-Identifier: MIT */
#define NAME subgroup_transpose
#define LAUNCHES 4
#include "transpose.h"
