/* SPDX-License-Identifier: MIT */
/* Half arithmetic and conversions that x86 lacks, at each ISA level, against exact integers. */
#include "tests/builtins/harness.h"

#include <math.h>

static const char text[] =
    "define void @run_round(ptr %in, ptr %out, ptr %out2, i64 %n) {\n"
    "entry:\n  %a = load ptr, ptr %in\n  br label %loop\n"
    "loop:\n  %i = phi i64 [ 0, %entry ], [ %j, %loop ]\n"
    "  %p = getelementptr double, ptr %a, i64 %i\n  %x = load double, ptr %p\n"
    "  %h = fptrunc double %x to half\n"
    "  %q = getelementptr half, ptr %out, i64 %i\n  store half %h, ptr %q\n"
    "  %d = fpext half %h to double\n"
    "  %r = getelementptr double, ptr %out2, i64 %i\n  store double %d, ptr %r\n"
    "  %j = add i64 %i, 1\n  %c = icmp ult i64 %j, %n\n  br i1 %c, label %loop, label %done\n"
    "done:\n  ret void\n}\n"
    "define void @run_arithmetic(ptr %in, ptr %out, ptr %out2, i64 %n) {\n"
    "entry:\n  %pa = load ptr, ptr %in\n  %s = getelementptr ptr, ptr %in, i64 1\n  %pb = load ptr, ptr %s\n"
    "  br label %loop\n"
    "loop:\n  %i = phi i64 [ 0, %entry ], [ %j, %loop ]\n"
    "  %p = getelementptr <2 x half>, ptr %pa, i64 %i\n  %a = load <2 x half>, ptr %p\n"
    "  %q = getelementptr <2 x half>, ptr %pb, i64 %i\n  %b = load <2 x half>, ptr %q\n"
    "  %m = fmul <2 x half> %a, %b\n  %t = fadd <2 x half> %m, %a\n  %u = fneg <2 x half> %t\n"
    "  %r = getelementptr <2 x half>, ptr %out, i64 %i\n  store <2 x half> %u, ptr %r\n"
    "  %a0 = extractelement <2 x half> %a, i32 0\n  %b0 = extractelement <2 x half> %b, i32 0\n"
    "  %lt = fcmp olt half %a0, %b0\n  %k = zext i1 %lt to i32\n  %w = sitofp i32 %k to half\n"
    "  %x = fptosi half %w to i32\n"
    "  %o = getelementptr i32, ptr %out2, i64 %i\n  store i32 %x, ptr %o\n"
    "  %j = add i64 %i, 1\n  %c = icmp ult i64 %j, %n\n  br i1 %c, label %loop, label %done\n"
    "done:\n  ret void\n}\n";

static long double
half_value(uint16_t bits)
{
    int e = bits >> 10 & 31, m = bits & 1023;
    long double r = e == 31 ? (m ? NAN : INFINITY) : ldexpl(e ? m + 1024 : m, (e ? e : 1) - 25);
    return bits >> 15 ? -r : r;
}

static bool
same(long double want, long double got)
{
    return isnan(want) ? isnan(got) : want == got && signbit(want) == signbit(got);
}

/* Doubles at, just below and just above each half and each tie between two; those beyond and below all
 * halves. */
static int
check_round(loop_function loop)
{
    enum { COUNT = 0x7c00 * 6 };
    static double in[COUNT], back[COUNT];
    static uint16_t out[COUNT];
    const void *const operands[3] = {in, NULL, NULL};
    int failures = 0;
    for (int k = 0; k < COUNT; k++) {
        long double low = half_value((uint16_t)(k / 6)), high = half_value((uint16_t)(k / 6 + 1));
        high = isinf(high) ? 65536 : high;
        double x = (double)(k % 6 < 3 ? low : (low + high) / 2);
        in[k] = k % 3 == 0 ? x : nextafter(x, k % 3 == 1 ? INFINITY : -INFINITY);
        in[k] = k & 1 ? -in[k] : in[k];
    }
    loop(operands, out, back, COUNT);
    for (int k = 0; k < COUNT; k++) {
        long double want = round_to(in[k], 11, -14, 15);
        want = want == 0 ? copysignl(0, in[k]) : want;
        failures += !same(want, half_value(out[k])) || !same(want, back[k]);
    }
    return failures;
}

static int
check_arithmetic(loop_function loop)
{
    enum { COUNT = 1 << 17 };
    static uint16_t a[2 * COUNT], b[2 * COUNT], out[2 * COUNT];
    static int32_t less[COUNT];
    const void *const operands[3] = {a, b, NULL};
    int failures = 0;
    uint64_t state = 7;
    for (int k = 0; k < 2 * COUNT; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        a[k] = (uint16_t)(state >> 33);
        b[k] = (uint16_t)(state >> 48);
    }
    loop(operands, out, less, COUNT);
    for (int k = 0; k < 2 * COUNT; k++) {
        long double x = half_value(a[k]), y = half_value(b[k]);
        long double want = -round_to(round_to(x * y, 11, -14, 15) + x, 11, -14, 15);
        failures += !same(want, half_value(out[k])) && !(want == 0 && half_value(out[k]) == 0);
        if (k % 2 == 0)
            failures += less[k / 2] != (x < y);
    }
    return failures;
}

int
test_soften(lw_isa isa)
{
    static const char *const names[2] = {"run_round", "run_arithmetic"};
    loop_function loops[2];
    struct jit *jit = jit_from_text(text, isa, names, loops, 2);
    if (!jit)
        return 1;
    int failures = check_round(loops[0]) + check_arithmetic(loops[1]);
    jit_release(jit);
    return failures;
}
