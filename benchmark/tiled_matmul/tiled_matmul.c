/* SPDX-License-Identifier: MIT */
#define NAME tiled_matmul
#include "matmul.h"
