/* SPDX-License-Identifier: MIT */
/* builtins.def as data, and the slices that slices.py cut. */
#ifndef LW_BUILTINS_TABLE_H
#define LW_BUILTINS_TABLE_H

#include <lanewise/lanewise.h>
#include <stdbool.h>
#include <stddef.h>

enum lw_builtin_how {
    LW_HOW_NONE,
    LW_HOW_LLVM,
    LW_HOW_NUMBER,
    LW_HOW_FLAG,
    LW_HOW_ROTATE,
    LW_HOW_FMA,
    LW_HOW_HALF,
    LW_HOW_WIDE,
    LW_HOW_CLC,
    LW_HOW_BODY,
    LW_HOW_SAME
};

/* How one operation is made for one type. */
struct lw_builtin_cell {
    enum lw_builtin_how how;
    const char *argument; /* the intrinsic, the other operation */
    double ulp;           /* permitted; negative: implementation-defined */
};

struct lw_builtin_row {
    const char *name, *signature;
    const char *types; /* NULL: a FLOAT row, cells f16 f32 f64; else an INT row, cell 0 for all */
    struct lw_builtin_cell cell[3];
};

extern const struct lw_builtin_row lw_builtin_rows[];
extern const size_t lw_builtin_row_count;

/* The cell of `type` in a row, NULL where the row has none. */
const struct lw_builtin_cell *lw_builtin_cell_of(const struct lw_builtin_row *row, const char *type);
/* The row that defines the operation for `type`, or NULL. */
const struct lw_builtin_row *lw_builtin_find(const char *name, size_t length, const char *type);

/* The bitcode that defines `name` for an instruction set. NULL where there is none. */
const char *lw_builtin_slice(const char *name, lw_isa isa, size_t *size);

#endif
