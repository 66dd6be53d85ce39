/* SPDX-License-Identifier: MIT */
/* Functions of C's library that clang's passes know by name and type. A program's own of such a name is no
 * such function, but they would compute it of constants, or think that they know what it returns. Not memset
 * and its like: without them no loop becomes one. */
#include "producer.h"

#include <stdio.h>

static const char *const mathematics[] = {
    "acos", "asin",  "atan", "atan2", "ceil",      "cos",   "cosh",      "erf",  "exp",  "exp10",     "exp2",
    "fabs", "floor", "fmod", "ilogb", "log",       "log10", "log1p",     "log2", "logb", "nearbyint", "pow",
    "rint", "round", "sin",  "sinh",  "remainder", "sqrt",  "roundeven", "tan",  "tanh", "trunc",
};

static const char *const others[] = {
    "labs",    "llabs",  "strlen",   "ffs",      "ffsl",          "ffsll",  "malloc",  "calloc",
    "realloc", "valloc", "reallocf", "memalign", "aligned_alloc", "strdup", "strndup", "free",
};

static void
add_own(struct lw_cl_words *words, const char *name, const char *end)
{
    char word[48];
    snprintf(word, sizeof word, "-fno-builtin-%s%s", name, end);
    lw_cl_add_word(words, word);
}

void
lw_cl_add_own_functions(struct lw_cl_words *words)
{
    for (size_t i = 0; i < sizeof mathematics / sizeof *mathematics; i++) {
        add_own(words, mathematics[i], "");
        add_own(words, mathematics[i], "f");
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_own(words, others[i], "");
}
