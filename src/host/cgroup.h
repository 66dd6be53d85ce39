/* SPDX-License-Identifier: MIT */
/* Where this process's control groups tell their limits. */
#ifndef LW_SRC_CGROUP_H
#define LW_SRC_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* `unified`: of version 2, whose files have other names. */
typedef void lw_cgroup_visitor(const char *directory, bool unified, void *data);

/* Every directory whose limits hold for this process, by this controller ("cpu", "memory"). */
void lw_cgroup_visit(const char *controller, lw_cgroup_visitor *visit, void *data);
/* The first line of a file there; false: there is none. */
bool lw_cgroup_line(const char *directory, const char *name, char *text, size_t size);

#endif
