/* SPDX-License-Identifier: MIT */
/* What one compilation of OpenCL C reads. */
#ifndef LW_OPENCL_TEXTS_H
#define LW_OPENCL_TEXTS_H

#include "headers.h"

/* The anonymous files of one compilation; those that were not made are -1. */
struct lw_cl_texts {
    int program, preamble, options, rule; /* the last for clang to write */
    struct lw_cl_headers headers;
};

/* The -cl-std= of a program's builder, the last of them; without one, that of OpenCL C 1.2. */
const char *lw_cl_version_asked(const struct lw_cl_options *options);
extern const char lw_cl_newest_version[]; /* a word of that kind */
/* Is it one of C++ for OpenCL? */
bool lw_cl_is_cxx(const struct lw_cl_options *options);

/* What the program is read behind; malloc'd. NULL: no memory. */
char *lw_cl_make_preamble(const struct lw_cl_source *source, const char *program);

/* false, with the reason in the log: close them all the same. */
bool lw_cl_write_texts(struct lw_cl_texts *texts, cl_program program, const struct lw_cl_source *source,
                       const char *preamble);
void lw_cl_close_texts(struct lw_cl_texts *texts);

#endif
