/* SPDX-License-Identifier: MIT */
/* Source lines of generated code, from the DWARF of its object. */
#ifndef LW_SRC_LINE_TABLE_H
#define LW_SRC_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct lw_line_row {
    uintptr_t address; /* the line's code begins here and goes on to the next row; sorted */
    uint32_t line;     /* 0: none */
    uint32_t file;     /* index into files */
};

struct lw_line_table {
    struct lw_line_row *rows;
    char **files; /* paths */
    size_t row_count, file_count;
};

/* Of an object, whose sections lie at `addresses` (0: nowhere). Nothing in it is trusted. NULL: it has no
 * lines that this reads (DWARF 4), or there is no memory. */
struct lw_line_table *lw_line_table_read(const void *object, size_t size, const uint64_t *addresses);
/* The row that the address is in; NULL: none with a line. `table` may be NULL. */
const struct lw_line_row *lw_line_table_find(const struct lw_line_table *table, uintptr_t address);
void lw_line_table_free(struct lw_line_table *table);

#endif
