/* SPDX-License-Identifier: MIT */
/* What work-items of a work-group may do while others of it are in a loop, see meanwhile.c. */
#ifndef LW_VECTORIZER_MEANWHILE_H
#define LW_VECTORIZER_MEANWHILE_H

#include "../../spirv/arena.h"
#include "../facts/model.h"

struct lw_meanwhile;

struct lw_meanwhile *lw_meanwhile_create(struct lw_arena *arena, const struct lw_model *model);
/* The instruction: is no barrier of the work-group between it and the loop, on some way? */
bool lw_is_meanwhile(struct lw_meanwhile *meanwhile, uint32_t loop, LLVMValueRef instruction);

#endif
