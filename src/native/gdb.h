/* SPDX-License-Identifier: MIT */
/* Tells a debugger of code, by the JIT interface that gdb and lldb know. */
#ifndef LW_SRC_GDB_H
#define LW_SRC_GDB_H

#include <stddef.h>

struct lw_gdb_entry;

/* `object`: malloc'd, with its sections' addresses, taken over. NULL: no memory; nothing was told. */
struct lw_gdb_entry *lw_gdb_register(void *object, size_t bytes);
/* NULL: nothing. */
void lw_gdb_unregister(struct lw_gdb_entry *entry);

#endif
