/* SPDX-License-Identifier: MIT */
/* Attributes of functions and calls, by the names that the LLVM language reference gives them, for whatever
 * makes or marks functions from the emission on. */
#ifndef LW_SPIRV_ATTRIBUTES_H
#define LW_SPIRV_ATTRIBUTES_H

#include <stdint.h>
#include <llvm-c/Core.h>

/* Attributes of the function as a whole; `names` are separated by single spaces ("nounwind willreturn"). One
 * that has a value gets 0: "memory" is memory(none), it neither reads nor writes. */
void lw_add_attributes(LLVMValueRef function, const char *names);

/* One attribute that has a value, of the function as a whole. */
void lw_add_attribute(LLVMValueRef function, const char *name, uint64_t value);

/* The same of its parameter `number`, the first is 0. */
void lw_add_parameter_attribute(LLVMValueRef function, unsigned number, const char *name, uint64_t value);

/* The same as lw_add_attributes, of one call. */
void lw_add_call_attributes(LLVMValueRef call, const char *names);

#endif
