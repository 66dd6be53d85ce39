/* SPDX-License-Identifier: MIT */
#define NAME local_transpose
#define LAUNCHES 8
#include "transpose.h"
