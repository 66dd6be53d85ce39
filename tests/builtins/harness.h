/* SPDX-License-Identifier: MIT */
/* Compiles, per ISA level, one loop per (operation, type) of builtins.def, and the references to compare
 * with. */
#ifndef LW_TESTS_BUILTINS_HARNESS_H
#define LW_TESTS_BUILTINS_HARNESS_H

#include <lanewise/lanewise.h>
#include <stdint.h>

#include "builtins/table.h"

/* out and out2 (what the pointer operand received) for n elements of the operands. */
typedef void (*loop_function)(const void *const in[3], void *out, void *out2, int64_t n);

struct jit;

/* Every operation of `type` compiled for `isa`; NULL with a message on stderr where anything stays
 * unresolved. */
struct jit *jit_create(const char *type, lw_isa isa);
/* Do the rows that are SAME as another resolve? They are not compiled again. */
bool jit_resolves_same(const char *type, lw_isa isa);
/* NULL where the row has nothing for this type. */
loop_function jit_loop(struct jit *jit, const struct lw_builtin_row *row);
/* Textual IR instead, with `count` functions that have the parameters of a loop. */
struct jit *jit_from_text(const char *text, lw_isa isa, const char *const *names, loop_function *loops,
                          int count);
void jit_release(struct jit *jit);

/* The bytes of an operand or result, by its letter of the signature. */
unsigned letter_size(char letter, const char *type);

/* One element's operands and results, floats exactly as long double. */
struct element {
    long double x[3];  /* floating operands */
    int64_t i[3];      /* integer operands, sign-extended; of I and N letters too */
    long double r, r2; /* floating results */
    int64_t ri, ri2;   /* integer results, sign-extended */
    int result_bits;   /* reference_float: 0; where the expected result is an integer, ri: 32 */
    long double slack; /* reference_float: what else may be allowed, absolutely */
};

/* Fills in the expected results. False: no reference (such a row must not be). */
bool reference_float(const char *name, const char *type, struct element *e);
bool reference_integer(const char *name, int bits, struct element *e);
/* x in the nearest number of a format with that many digits and least exponent (of a number in [1, 2)). */
long double round_to(long double x, int digits, int least, int most);

/* An operation of one type, its operands and what they should give. */
struct trial {
    const struct lw_builtin_row *row;
    const char *type;
    unsigned operands, sizes[3], result_size, second_size; /* second_size 0: no pointer operand */
    char second;                                           /* P or Q */
    bool raw;                                              /* a float row that only moves bits */
    bool unknown;                                          /* reference.c lacks it */
    int64_t count;
    void *in[3], *out, *out2;
    struct element *expected;
};

/* ---- arguments.c: numbers as bits, and the operands of a trial ---- */
int digits_of(const char *type);
int least_of(const char *type); /* the exponent of the least normal number */
uint64_t load(const void *array, int64_t i, unsigned size);
int64_t sign_extend(uint64_t bits, unsigned size);
long double float_value(uint64_t bits, unsigned size);
void fill_operands(struct trial *t);

/* ---- trial.c ---- */
#define NEVER 1e30 /* the error of a result that no tolerance permits */
/* False: the type has no such operation, or it is another one. `fill` makes the operands. */
bool trial_create(struct trial *t, const struct lw_builtin_row *row, const char *type,
                  void (*fill)(struct trial *));
void trial_release(struct trial *t);
/* The largest error of the row at one level; the texts of the first that are not permitted are printed. */
double judge(const struct trial *t, const char *level, int *failures);

/* test_constants.c: operations of constants, which LLVM folds; how many results were wrong. */
int test_constants(const char *type, lw_isa isa, const char *level);

/* test_pairs.c: sin and cos of the same; how many results were wrong. */
int test_pairs(const char *type, lw_isa isa, const char *level);

/* test_roots.c: how many divisors were taken wrongly. */
int test_roots(void);

/* test_soften.c: how many results were wrong. */
int test_soften(lw_isa isa);

#endif
