/* SPDX-License-Identifier: MIT */
#define NAME local_transpose
#include "transpose.h"
