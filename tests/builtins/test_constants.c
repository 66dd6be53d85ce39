/* SPDX-License-Identifier: MIT */
/* Operations of constants: LLVM folds what it can, and must fold it to what the code would give. For each, of
 * all pairs of a few special values, both constant; for those that round nothing, and pown, whose small
 * exponents become products, one constant and one loaded too. */
#include "tests/builtins/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES 7

/* 1.2, a signalling and a quiet NaN, infinity, -0, a subnormal number, the greatest. */
static const uint64_t values[3][VALUES] = {
    {0x3ccd, 0x7d01, 0x7e00, 0x7c00, 0x8000, 0x0003, 0x7bff},
    {0x3f9e0651, 0x7fa00001, 0x7fc00000, 0x7f800000, 0x80000000, 3, 0x7f7fffff},
    {0x3ff3c0ca2a5b1d5d, 0x7ff4000000000001, 0x7ff8000000000000, 0x7ff0000000000000, 0x8000000000000000, 3,
     0x7fefffffffffffff}};
static const int exponents[VALUES] = {-8, -2, -1, 0, 2, 3, 7};

static void
fill_pairs(struct trial *t)
{
    t->count = t->operands > 1 ? VALUES * VALUES : VALUES;
    for (unsigned k = 0; k < t->operands; k++) {
        t->in[k] = malloc((size_t)t->count * t->sizes[k]);
        for (int64_t i = 0; i < t->count; i++) {
            int64_t which = k == 0 ? i % VALUES : k == 1 ? i / VALUES : 0;
            uint64_t bits =
                t->row->signature[k + 1] == 'T' ? values[t->sizes[k] / 4][which] : (uint64_t)exponents[which];
            memcpy((char *)t->in[k] + i * t->sizes[k], &bits, t->sizes[k]);
        }
    }
}

static const char *
type_text(char letter, const char *type, bool is_float)
{
    static const char *const floats[3] = {"half", "float", "double"};
    static const char *const integers[3] = {"i16", "i32", "i64"};
    unsigned at = letter_size(letter, type) / 4;
    return (is_float ? floats : integers)[at];
}

/* Which operands are loaded: bit k. */
static void
write_call(FILE *f, const struct trial *t, int64_t i, unsigned loaded)
{
    const char *text[4], *result = type_text(t->row->signature[0], t->type, t->row->signature[0] == 'T');
    char values_text[4][80];
    unsigned count = (unsigned)strlen(t->row->signature) - 1;
    for (unsigned k = 0; k < count; k++) {
        char letter = t->row->signature[k + 1];
        if (letter == 'P' || letter == 'Q') {
            text[k] = "ptr";
            snprintf(values_text[k], sizeof values_text[k], "%%second");
            continue;
        }
        const char *integer = type_text(letter, t->type, false);
        text[k] = type_text(letter, t->type, letter == 'T');
        if (loaded >> k & 1) {
            fprintf(f, "  %%a%lld.%u = getelementptr %s, ptr %%in%u, i64 %lld\n", (long long)i, k, text[k], k,
                    (long long)i);
            fprintf(f, "  %%v%lld.%u = load %s, ptr %%a%lld.%u\n", (long long)i, k, text[k], (long long)i, k);
            snprintf(values_text[k], sizeof values_text[k], "%%v%lld.%u", (long long)i, k);
        } else {
            long long bits = sign_extend(load(t->in[k], i, t->sizes[k]), t->sizes[k]);
            snprintf(values_text[k], sizeof values_text[k],
                     letter == 'T' ? "bitcast (%s %lld to %s)" : "%s %lld", letter == 'T' ? integer : "",
                     bits, text[k]);
        }
    }
    fprintf(f, "  %%r%lld = call %s @lw.cl.%s.%s(", (long long)i, result, t->row->name, t->type);
    for (unsigned k = 0; k < count; k++)
        fprintf(f, "%s%s %s", k ? ", " : "", text[k], values_text[k]);
    fprintf(f, ")\n  %%o%lld = getelementptr %s, ptr %%out, i64 %lld\n", (long long)i, result, (long long)i);
    fprintf(f, "  store %s %%r%lld, ptr %%o%lld\n", result, (long long)i, (long long)i);
    if (t->second) {
        const char *second = type_text(t->second, t->type, t->second == 'P');
        fprintf(f, "  %%s%lld = load %s, ptr %%second\n", (long long)i, second);
        fprintf(f, "  %%p%lld = getelementptr %s, ptr %%out2, i64 %lld\n", (long long)i, second,
                (long long)i);
        fprintf(f, "  store %s %%s%lld, ptr %%p%lld\n", second, (long long)i, (long long)i);
    }
}

static void
write_function(FILE *f, const struct trial *t, const char *name, unsigned loaded)
{
    fprintf(f, "define void @%s(ptr %%in, ptr %%out, ptr %%out2, i64 %%n) {\n", name);
    if (t->second)
        fprintf(f, "  %%second = alloca %s\n", type_text(t->second, t->type, t->second == 'P'));
    for (unsigned k = 0; k < t->operands; k++) {
        fprintf(f, "  %%at%u = getelementptr ptr, ptr %%in, i64 %u\n", k, k);
        fprintf(f, "  %%in%u = load ptr, ptr %%at%u\n", k, k);
    }
    for (int64_t i = 0; i < t->count; i++)
        write_call(f, t, i, loaded);
    fprintf(f, "  ret void\n}\n");
}

static void
write_declaration(FILE *f, const struct trial *t)
{
    fprintf(f, "declare %s @lw.cl.%s.%s(",
            type_text(t->row->signature[0], t->type, t->row->signature[0] == 'T'), t->row->name, t->type);
    for (const char *s = t->row->signature + 1; *s; s++)
        fprintf(f, "%s%s", s == t->row->signature + 1 ? "" : ", ",
                *s == 'P' || *s == 'Q' ? "ptr" : type_text(*s, t->type, *s == 'T'));
    fprintf(f, ")\n");
}

/* The row with all constant, then by what is loaded; the loops of modulo take too long to compile so often.
 */
static int
run_row(struct trial *t, lw_isa isa, const char *level)
{
    static const char *const names[3] = {"constants", "left", "right"};
    loop_function loops[3];
    int failures = 0;
    bool exact = lw_builtin_cell_of(t->row, t->type)->ulp == 0 && !strstr(t->row->name, "mod") &&
                 strncmp(t->row->name, "rem", 3) && strncmp(t->row->name, "fma", 4);
    bool multiplied = !strcmp(t->row->name, "pown"); /* powers.c */
    int count = t->operands == 2 && (exact || multiplied) ? 3 : 1;
    char *text = NULL, where[64];
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return 1;
    write_declaration(f, t);
    for (int k = 0; k < count; k++)
        write_function(f, t, names[k], (unsigned)k);
    fclose(f);
    struct jit *jit = jit_from_text(text, isa, names, loops, count);
    free(text);
    if (!jit)
        return 1;
    for (int k = 0; k < count; k++) {
        memset(t->out, 0xaa, (size_t)t->count * t->result_size);
        loops[k]((const void *const *)t->in, t->out, t->out2, t->count);
        snprintf(where, sizeof where, "%s, %s", level, k ? "one constant" : "constants");
        judge(t, where, &failures);
    }
    jit_release(jit);
    return failures;
}

int
test_constants(const char *type, lw_isa isa, const char *level)
{
    int failures = 0;
    for (size_t r = 0; r < lw_builtin_row_count; r++) {
        struct trial t;
        if (!trial_create(&t, &lw_builtin_rows[r], type, fill_pairs))
            continue;
        if (t.row->signature[0] != 'F' && t.row->signature[0] != 'L' && !t.raw)
            failures += run_row(&t, isa, level);
        trial_release(&t);
    }
    return failures;
}
