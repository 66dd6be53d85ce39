/* SPDX-License-Identifier: MIT */
/* sin and cos that become one sincos (builtins/pairs.c) give the bits that each gives alone: with the sine
 * first, with the cosine first, and with the cosine in a block that only some operands reach. */
#include "tests/builtins/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 12

static void
write_pairs(FILE *f, const char *real)
{
    fprintf(f, "define void @pairs(ptr %%in, ptr %%out, ptr %%out2, i64 %%n) {\n  %%a = load ptr, ptr %%in\n "
               " br label %%b0\n");
    for (int i = 0; i < COUNT; i++) {
        const char *type = !strcmp(real, "f32") ? "float" : "double";
        const char *order[2] = {i % 2 ? "sin" : "cos", i % 2 ? "cos" : "sin"};
        fprintf(f, "b%d:\n  %%p%d = getelementptr %s, ptr %%a, i64 %d\n  %%x%d = load %s, ptr %%p%d\n", i, i,
                type, i, i, type, i);
        fprintf(
            f,
            "  %%q%d = getelementptr %s, ptr %%out, i64 %d\n  %%r%d = getelementptr %s, ptr %%out2, i64 %d\n",
            i, type, i, i, type, i);
        if (i % 4 == 3) { /* the cosine only below 1 */
            fprintf(f, "  %%s%d = call %s @lw.cl.sin.%s(%s %%x%d)\n  store %s %%s%d, ptr %%q%d\n", i, type,
                    real, type, i, type, i, i);
            fprintf(f,
                    "  store %s 0.0, ptr %%r%d\n  %%t%d = fcmp olt %s %%x%d, 1.0\n  br i1 %%t%d, label "
                    "%%c%d, label %%b%d\nc%d:\n",
                    type, i, i, type, i, i, i, i + 1, i);
            fprintf(f, "  %%k%d = call %s @lw.cl.cos.%s(%s %%x%d)\n  store %s %%k%d, ptr %%r%d\n", i, type,
                    real, type, i, type, i, i);
        } else {
            for (int k = 0; k < 2; k++)
                fprintf(f, "  %%%s%d = call %s @lw.cl.%s.%s(%s %%x%d)\n", order[k], i, type, order[k], real,
                        type, i);
            fprintf(f, "  store %s %%sin%d, ptr %%q%d\n  store %s %%cos%d, ptr %%r%d\n", type, i, i, type, i,
                    i);
        }
        fprintf(f, "  br label %%b%d\n", i + 1);
    }
    fprintf(f, "b%d:\n  ret void\n}\n", COUNT);
}

static struct jit *
compile(const char *real, lw_isa isa, int what, loop_function *loop)
{
    const char *type = !strcmp(real, "f32") ? "float" : "double", *name = what == 0   ? "pairs"
                                                                          : what == 1 ? "sin"
                                                                                      : "cos";
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (what == 0) {
        write_pairs(f, real);
        fprintf(f, "declare %s @lw.cl.sin.%s(%s)\ndeclare %s @lw.cl.cos.%s(%s)\n", type, real, type, type,
                real, type);
    } else {
        fprintf(f,
                "define void @%s(ptr %%in, ptr %%out, ptr %%out2, i64 %%n) {\n  %%a = load ptr, ptr %%in\n",
                name);
        for (int i = 0; i < COUNT; i++) {
            fprintf(f, "  %%p%d = getelementptr %s, ptr %%a, i64 %d\n  %%x%d = load %s, ptr %%p%d\n", i, type,
                    i, i, type, i);
            fprintf(
                f,
                "  %%y%d = call %s @lw.cl.%s.%s(%s %%x%d)\n  %%q%d = getelementptr %s, ptr %%out, i64 %d\n",
                i, type, name, real, type, i, i, type, i);
            fprintf(f, "  store %s %%y%d, ptr %%q%d\n", type, i, i);
        }
        fprintf(f, "  ret void\n}\ndeclare %s @lw.cl.%s.%s(%s)\n", type, name, real, type);
    }
    fclose(f);
    struct jit *jit = jit_from_text(text, isa, &name, loop, 1);
    free(text);
    return jit;
}

int
test_pairs(const char *real, lw_isa isa, const char *level)
{
    size_t size = !strcmp(real, "f32") ? 4 : 8;
    double in[COUNT], out[3][COUNT], out2[COUNT] = {0};
    int failures = 0;
    for (int i = 0; i < COUNT; i++) {
        double x = i % 7 == 5 ? 1e9 * i : i % 7 == 6 ? -0.0 : (i - 4) * 0.37;
        if (size == 4)
            ((float *)in)[i] = (float)x;
        else
            in[i] = x;
    }
    for (int what = 0; what < 3; what++) {
        loop_function loop;
        struct jit *jit = compile(real, isa, what, &loop);
        if (!jit)
            return 1;
        loop((const void *const[]){in}, out[what], out2, COUNT);
        jit_release(jit);
        if (what == 0)
            continue;
        for (size_t i = 0; i < COUNT; i++) {
            double x = size == 4 ? (double)((float *)in)[i] : in[i];
            const char *got = (const char *)(what == 1 ? out[0] : out2) + i * size;
            static const double zero;
            const void *wanted = what == 2 && i % 4 == 3 && !(x < 1) ? (const void *)&zero
                                                                     : (const char *)out[what] + i * size;
            if (!memcmp(got, wanted, size))
                continue;
            fprintf(stderr, "%s, %s: %s(%g) beside its other half differs\n", level, real,
                    what == 1 ? "sin" : "cos", x);
            failures++;
        }
        /* out2 is written by the pairs alone: the others store to out */
    }
    return failures;
}
