/* SPDX-License-Identifier: MIT */
#ifndef LW_VECTORIZER_SAME_TESTS_H
#define LW_VECTORIZER_SAME_TESTS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

/* Lets ways through a loop that end with the same test make it together, see same_tests.c. true: any did. */
bool lw_join_same_tests(LLVMModuleRef module);

#endif
