/* SPDX-License-Identifier: MIT */
/* Pipes in memory (spirv/pipe.h), and what kernels ask of the runtime about them. */
#ifndef LW_SRC_PIPE_H
#define LW_SRC_PIPE_H

#include "../../spirv/pipe.h"

/* lw_service_function (compiler.h). Safe on any thread; never waits for another one. */
void lw_serve(uint32_t service, uint64_t lanes, uint32_t width, uint64_t *columns);

#endif
