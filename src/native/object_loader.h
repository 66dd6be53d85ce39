/* SPDX-License-Identifier: MIT */
/* Relocatable objects of generated code, mapped by a small loader of our own. */
#ifndef LW_SRC_OBJECT_LOADER_H
#define LW_SRC_OBJECT_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code in memory. Executable and read-only parts, and private data; nothing is writable and executable. */
struct lw_loaded {
    void *base; /* of the mapping */
    size_t bytes;
    void *entry; /* the symbol asked for */
    const void *text; /* all instructions */
    size_t text_bytes;
    uint64_t *addresses; /* of each section, 0: not loaded */
    struct lw_gdb_entry *told;
    struct lw_line_table *lines; /* NULL: not asked for, or there are none */
};

/* Loads an ELF64 relocatable object for x86-64 and finds the function `symbol` in it. Every word of the
 * object is checked against its size, nothing in it is trusted to be well-formed; whether its instructions
 * make sense is not looked at. False, with the reason in `why`: it uses what the loader does not do (the
 * compiler library's linker does more), or is damaged, or there is no memory. */
bool lw_object_load(const void *object, size_t size, const char *symbol, struct lw_loaded *loaded,
                    const char **why);
/* The same object: debuggers learn where its code is. Nothing where there is no memory for that. */
void lw_object_tell_debugger(struct lw_loaded *loaded, const void *object, size_t size);
/* The same object: its lines are kept, where it has any. */
void lw_object_keep_lines(struct lw_loaded *loaded, const void *object, size_t size);
void lw_object_unload(struct lw_loaded *loaded);

#endif
