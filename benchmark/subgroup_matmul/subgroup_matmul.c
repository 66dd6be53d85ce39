/* SPDX-License-Identifier: MIT */
#define NAME subgroup_matmul
#include "matmul.h"
