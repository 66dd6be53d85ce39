/* SPDX-License-Identifier: MIT */
/* Where the parts of lanewise-bench are: in the build tree that it runs from, or installed. */
#ifndef LANEWISE_BENCH_PATHS_H
#define LANEWISE_BENCH_PATHS_H

/* The folder of the built-in suite's descriptions and sources; of its .spv files (the same where NULL); of
 * the limit's modules. */
const char *paths_suite(void);
const char *paths_suite_modules(void);
const char *paths_limits(void);
const char *paths_limit_header(void);
/* The platform that was built with this lanewise-bench: an .icd or a library; NULL: it is not there. */
const char *paths_own_icd(void);
/* Another tool of ours, beside this one; NULL: not there. The caller frees it. */
char *paths_tool(const char *name);
/* clang-22 for kernels and C files of user folders. */
const char *paths_clang(void);

#endif
