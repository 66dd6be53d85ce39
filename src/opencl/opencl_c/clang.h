/* SPDX-License-Identifier: MIT */
/* clang's IR of a program. */
#ifndef LW_OPENCL_CLANG_H
#define LW_OPENCL_CLANG_H

#include "texts.h"

/* What clang is told besides, in turn, until its back end can write what its passes made. */
enum { LW_CL_WITHOUT_PASSES = 2, LW_CL_ATTEMPTS };

/* How clang is to compile. */
struct lw_cl_form {
    bool keep_inline;
    bool other; /* clang-15, to bitcode, instead of clang-22, to text */
};

/* What clang is to tell of lines and variables, where a debugger or profiler asks; NULL: what the program's
 * builder says. */
const char *lw_cl_debug_word(const struct lw_cl_source *source);

/* IR of the program, malloc'd: it tells what SPIR-V does not. NULL: what clang said of it is in the file
 * `log`. */
char *lw_cl_make_ir(const struct lw_cl_texts *texts, const struct lw_cl_source *source, int log,
                    unsigned attempt, const struct lw_cl_form *form, size_t *size);
/* As text, with the functions that are only `inline`. */
char *lw_cl_read_ir(const struct lw_cl_texts *texts, const struct lw_cl_source *source, int log,
                    unsigned attempt);

#endif
