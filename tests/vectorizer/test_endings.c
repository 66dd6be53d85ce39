/* SPDX-License-Identifier: MIT */
/* Loops that are said to end, run: of 8 bits, from everywhere to bounds that no wrap steps over. */
#include <check.h>
#include <stdlib.h>

#include "random_ir.h"
#include "vectorizer/facts/endings.h"

enum { BOUND = 24, MOST_ROUNDS = 1000 };

static const char *const operations[] = {
    "add i8 %i, 1",  "add i8 %i, 3",  "add i8 %i, -1", "add i8 %i, -5", "add i8 %i, 0",  "add i8 %i, %i",
    "lshr i8 %i, 1", "ashr i8 %i, 2", "ashr i8 %i, 0", "udiv i8 %i, 3", "sdiv i8 %i, 2", "shl i8 %i, 1",
    "mul i8 %i, 3",  "mul i8 %i, 1",  "xor i8 %i, 6",  "add i8 %i, %n", "sub i8 9, %i"};
static const char *const predicates[] = {"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"};
static const char *const bounds[] = {"0", "-1", "7", "-20", "%n", "%x"};
static const char *const firsts[] = {"%f", "5", "-4"};

/* `goes_on`: to which side of the test; `both`: another condition beside it, which stays as it is. */
static LLVMModuleRef
make_loop(LLVMContextRef context, const char *first, const char *operation, const char *left,
          const char *predicate, const char *bound, bool goes_on, bool both)
{
    struct text t = {0};
    text_add(&t, "define void @f(i8 %%f, i8 %%n, i1 %%p) {\ne: br label %%h\nh: %%i = phi i8 [%s, %%e], ",
             first);
    text_add(&t, "[%%next, %%h]\n%%x = xor i8 %%i, 1\n%%next = %s\n", operation);
    text_add(&t, "%%test = icmp %s i8 %s, %s\n", predicate, left, bound);
    const char *joined = goes_on ? "select i1 %p, i1 %test, i1 false" : "or i1 %test, %p";
    text_add(&t, "%%c = %s\n", both ? joined : "and i1 %test, true");
    text_add(&t, "br i1 %%c, label %%%s, label %%%s\nout: ret void\n}", goes_on ? "h" : "out",
             goes_on ? "out" : "h");
    LLVMModuleRef module = parse_ir(context, t.bytes);
    free(t.bytes);
    return module;
}

static bool
is_true(const char *predicate, int8_t a, int8_t b)
{
    uint8_t ua = (uint8_t)a, ub = (uint8_t)b;
    bool equal = a == b, less = *predicate == 'u' ? ua < ub : a < b;
    switch (predicate[1]) {
    case 'q':
        return equal;
    case 'e':
        return !equal;
    case 'g':
        return predicate[2] == 'e' ? !less : !less && !equal;
    default:
        return predicate[2] == 'e' ? less || equal : less;
    }
}

static int8_t
operate(const char *operation, int8_t i, int8_t n)
{
    const char *by = strrchr(operation, ' ') + 1;
    int8_t b = *by == '%' ? by[1] == 'n' ? n : i : (int8_t)atoi(by);
    switch (operation[1]) {
    case 'd': /* add, udiv, sdiv */
        return operation[0] == 'a'   ? (int8_t)(i + b)
               : operation[0] == 'u' ? (int8_t)((uint8_t)i / b)
                                     : (int8_t)(i / b);
    case 's':
        return operation[0] == 'l' ? (int8_t)((uint8_t)i >> b) : (int8_t)(i >> b);
    case 'h':
        return (int8_t)((uint8_t)i << b);
    case 'o':
        return i ^ b;
    default: /* mul, sub */
        return operation[0] == 'm' ? (int8_t)(i * b) : (int8_t)(9 - i);
    }
}

struct loop {
    const char *operation, *predicate, *bound;
    bool of_next, goes_on;
};

static bool
ends_from(const struct loop *l, int8_t i, int8_t n)
{
    for (int round = 0; round < MOST_ROUNDS; round++) {
        int8_t next = operate(l->operation, i, n), x = i ^ 1;
        int8_t bound = *l->bound == '%' ? l->bound[1] == 'n' ? n : x : (int8_t)atoi(l->bound);
        if (is_true(l->predicate, l->of_next ? next : i, bound) != l->goes_on)
            return true;
        i = next;
    }
    return false;
}

/* Is the bound a constant that no number is beyond, or that a wrap may step over? */
static bool
is_out_of_reach(const struct loop *l)
{
    int bound = *l->bound == '%' ? 1 : atoi(l->bound);
    bool left = false;
    for (int i = -128; i < 128 && !left; i++)
        left = is_true(l->predicate, (int8_t)i, (int8_t)bound) != l->goes_on;
    return !left || (*l->predicate == 'u' && bound < 0);
}

/* `n` is a bound from which no wrap is left out: of unsigned numbers above zero. */
static void
check_ends(const struct loop *l, const char *first)
{
    bool is_unsigned = *l->predicate == 'u';
    for (int f = -128; f < 128; f++) {
        if (*first != '%' && f != atoi(first))
            continue;
        for (int n = is_unsigned ? 6 : -BOUND; n < BOUND; n++)
            ck_assert_msg(ends_from(l, (int8_t)f, (int8_t)n),
                          "%s, %s %s %s, goes on where %d: from %d, n = %d", l->operation,
                          l->of_next ? "next" : "i", l->predicate, l->bound, l->goes_on, f, n);
    }
}

START_TEST(ends)
{
    unsigned found = 0;
    LLVMContextRef context = LLVMContextCreate();
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (size_t p = 0; p < sizeof predicates / sizeof *predicates; p++)
            for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
                for (unsigned bits = 0; bits < 12; bits++) {
                    const char *why = NULL, *first = firsts[bits >> 2];
                    struct loop l = {operations[o], predicates[p], bounds[b], bits & 1, bits & 2};
                    LLVMModuleRef module =
                        make_loop(context, first, l.operation, l.of_next ? "%next" : "%i", l.predicate,
                                  l.bound, l.goes_on, (o + p + b + bits) % 3 == 0);
                    struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "f"), &why);
                    ck_assert_ptr_nonnull(m);
                    bool known = lw_loop_ends(m, 0);
                    lw_model_free(m);
                    LLVMDisposeModule(module);
                    found += known;
                    if (known && !is_out_of_reach(&l))
                        check_ends(&l, first);
                }
    LLVMContextDispose(context);
    ck_assert_uint_gt(found, 300);
}
END_TEST

/* Left by a test that not every round comes to, or in which a loop inside counts. */
START_TEST(other_tests)
{
    static const char *const texts[] = {
        "h: %i = phi i32 [0, %e], [%next, %l]\n br i1 %p, label %a, label %l\n"
        "a: %c = icmp slt i32 %i, %n\n br i1 %c, label %l, label %x\n"
        "l: %next = add i32 %i, 1\n br label %h\n",
        "h: br label %g\n"
        "g: %i = phi i32 [0, %h], [%next, %g]\n %next = add i32 %i, 1\n %d = icmp slt i32 %i, 9\n"
        " br i1 %d, label %g, label %l\n"
        "l: %c = icmp slt i32 %i, %n\n br i1 %c, label %h, label %x\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        struct text t = {0};
        const char *why = NULL;
        text_add(&t, "define void @f(i32 %%n, i1 %%p) {\ne: br label %%h\n%sx: ret void\n}", texts[k]);
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef module = parse_ir(context, t.bytes);
        free(t.bytes);
        struct lw_model *m = lw_model_build(LLVMGetNamedFunction(module, "f"), &why);
        ck_assert_ptr_nonnull(m);
        ck_assert(!lw_loop_ends(m, 0));
        for (uint32_t l = 1; l < m->loop_count; l++)
            ck_assert(lw_loop_ends(m, l));
        lw_model_free(m);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
}
END_TEST

Suite *
endings_suite(void)
{
    Suite *suite = suite_create("endings");
    TCase *cases = tcase_create("endings");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, ends);
    tcase_add_test(cases, other_tests);
    suite_add_tcase(suite, cases);
    return suite;
}
