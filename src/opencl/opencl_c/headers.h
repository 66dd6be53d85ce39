/* SPDX-License-Identifier: MIT */
/* Headers of a compilation that are on no disk; see headers.c. */
#ifndef LW_OPENCL_HEADERS_H
#define LW_OPENCL_HEADERS_H

#include "../objects.h"

struct lw_cl_headers {
    int overlay; /* -1: none was made */
    int *files;  /* that the overlay names */
    size_t count;
};

/* The folder that is searched for them. */
const char *lw_cl_header_folder(const struct lw_cl_source *source);
/* Whether clang's name of a file is that of one of them. */
bool lw_cl_is_given_header(const char *path);
/* false, with the reason in the log where it is a name: nothing was made. Free it in either case. */
bool lw_cl_headers_make(cl_program program, const struct lw_cl_source *source, struct lw_cl_headers *made);
void lw_cl_headers_free(struct lw_cl_headers *made);

/* `count` headers and, behind them, those of OpenCL C++ that the library brings; malloc'd, `count` becomes
 * that of all.
 * NULL: no memory. */
struct lw_cl_header *lw_cl_add_own_headers(const struct lw_cl_header *headers, cl_uint *count);

#endif
