/* SPDX-License-Identifier: MIT */
/* Looks up operations in builtins.def and slices in the embedded index. */
#include "builtins/table.h"
#include "builtins/builtins.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define LLVM(x) LW_HOW_LLVM, "llvm." #x
#define NUMBER(x) LW_HOW_NUMBER, "llvm." #x
#define FLAG(x) LW_HOW_FLAG, "llvm." #x
#define ROTATE LW_HOW_ROTATE, "llvm.fshl"
#define FMA LW_HOW_FMA, "llvm.fma"
#define HALF(x) LW_HOW_HALF, "llvm." #x
#define WIDE LW_HOW_WIDE, NULL
#define CLC LW_HOW_CLC, NULL
#define BODY LW_HOW_BODY, NULL
#define SAME(x) LW_HOW_SAME, #x
#define ANY (-1.0)
#define EXPANDED(name)
#define REFUSED(name)
#define INT(name, signature, types, how) {#name, #signature, #types, {{how, 0}}},
#define FLOAT(name, signature, h16, h32, h64, u16, u32, u64) \
    {#name, #signature, NULL, {{h16, u16}, {h32, u32}, {h64, u64}}},
/* clang-format on */

const struct lw_builtin_row lw_builtin_rows[] = {
#include "builtins/builtins.def"
};
const size_t lw_builtin_row_count = sizeof lw_builtin_rows / sizeof *lw_builtin_rows;

const struct lw_builtin_cell *
lw_builtin_cell_of(const struct lw_builtin_row *row, const char *type)
{
    static const char *const floats[3] = {"f16", "f32", "f64"};
    static const char *const integers[4] = {"i8", "i16", "i32", "i64"};
    static const char letters[4] = {'b', 'h', 'w', 'l'};
    if (!row->types) {
        for (int i = 0; i < 3; i++)
            if (!strcmp(type, floats[i]))
                return &row->cell[i];
        return NULL;
    }
    for (int i = 0; i < 4; i++)
        if (!strcmp(type, integers[i]))
            return strchr(row->types, letters[i]) ? &row->cell[0] : NULL;
    return NULL;
}

const struct lw_builtin_row *
lw_builtin_find(const char *name, size_t length, const char *type)
{
    for (size_t i = 0; i < lw_builtin_row_count; i++) {
        const struct lw_builtin_row *row = &lw_builtin_rows[i];
        if (!strncmp(row->name, name, length) && !row->name[length] && lw_builtin_cell_of(row, type))
            return row;
    }
    return NULL;
}

struct slice {
    const char *name;
    struct {
        unsigned offset, size;
    } usual, plain, avx512; /* plain: without fma. Size 0: as usual */
};

static const struct slice slices[] = {
#include "slices.inc"
};

extern const char lw_slices[];

static int
compare_slice(const void *key, const void *item)
{
    return strcmp(key, ((const struct slice *)item)->name);
}

const char *
lw_builtin_slice(const char *name, lw_isa isa, size_t *size)
{
    const struct slice *s =
        bsearch(name, slices, sizeof slices / sizeof *slices, sizeof *slices, compare_slice);
    if (!s)
        return NULL;
    bool plain = isa < LW_ISA_AVX2 && s->plain.size, avx512 = isa >= LW_ISA_AVX512 && s->avx512.size;
    *size = plain ? s->plain.size : avx512 ? s->avx512.size : s->usual.size;
    return lw_slices + (plain ? s->plain.offset : avx512 ? s->avx512.offset : s->usual.offset);
}
