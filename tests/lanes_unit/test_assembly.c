/* SPDX-License-Identifier: MIT */
/* The instructions chosen, read from the assembly: no ISA level needs the host for that. */
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the function's body; counts what must not be there. */
struct text_facts {
    unsigned instructions, stack, jumps, calls;
};

static struct text_facts
read_text(const char *text)
{
    struct text_facts facts = {0};
    char copy[256];

    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        snprintf(copy, sizeof copy, "%.*s", (int)(length < 255 ? length : 255), line);
        line += length + (line[length] == '\n');
        if (copy[0] != '\t' || copy[1] == '.' || copy[1] == '#')
            continue;
        facts.instructions++;
        facts.stack += strstr(copy, "(%rsp") || strstr(copy, "(%rbp") || !strncmp(copy, "\tpush", 5);
        facts.jumps += copy[1] == 'j' || strstr(copy, "loop") != NULL;
        facts.calls += !strncmp(copy, "\tcall", 5);
    }
    return facts;
}

static struct text_facts
facts_of(void (*build)(struct unit *u, const struct unit_case *c), const struct unit_case *c, lw_isa isa,
         unsigned n)
{
    struct unit u;

    unit_begin(&u, isa, n);
    unit_define(&u, "f");
    build(&u, c);
    unit_finish(&u);
    char *text = unit_assembly(&u);
    struct text_facts facts = read_text(text);
    if (getenv("LANES_UNIT_PRINT"))
        printf("---- %s, %s %u: %s %d\n%s\n", unit_isa(isa), type_name(c->t), n, c->what, c->a, text);
    free(text);
    unit_end(&u);
    return facts;
}

static void
build_reduce(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lw_subgroup_reduce(&u->l, (enum lw_group_op)c->a, unit_in(u, c->t, 0), c->b ? u->mask : NULL),
             0);
}

static void
build_inclusive(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lw_subgroup_scan_inclusive(&u->l, (enum lw_group_op)c->a, unit_in(u, c->t, 0),
                                           c->b ? u->mask : NULL), 0);
}

static void
build_exclusive(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lw_subgroup_scan_exclusive(&u->l, (enum lw_group_op)c->a, unit_in(u, c->t, 0),
                                           c->b ? u->mask : NULL), 0);
}

static void
build_shuffle(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lw_subgroup_shuffle(&u->l, unit_in(u, c->t, 0), unit_in(u, T_I32, 512)), 0);
}

static void
build_divide(struct unit *u, const struct unit_case *c)
{
    unit_out(u, lane_divide(&u->l, (LLVMOpcode)c->a, unit_in(u, c->t, 0), unit_in(u, c->t, 512), NULL), 0);
}

static void
expect(void (*build)(struct unit *u, const struct unit_case *c), struct unit_case c, lw_isa isa, unsigned n,
       unsigned most)
{
    struct text_facts facts = facts_of(build, &c, isa, n);

    ck_assert_msg(!facts.stack && !facts.jumps && !facts.calls,
                  "%s, %s %u: %s: %u accesses of the stack, %u jumps, %u calls", unit_isa(isa),
                  type_name(c.t), n, c.what, facts.stack, facts.jumps, facts.calls);
    ck_assert_msg(facts.instructions <= most, "%s, %s %u: %s: %u instructions, not %u", unit_isa(isa),
                  type_name(c.t), n, c.what, facts.instructions, most);
}

START_TEST(reductions_and_scans_stay_in_registers)
{
    expect(build_reduce, (struct unit_case){.what = "reduce fadd", .t = T_FLOAT, .a = LW_GROUP_FADD},
           LW_ISA_AVX512, 16, 16);
    expect(build_reduce, (struct unit_case){.what = "reduce iadd", .t = T_I32, .a = LW_GROUP_IADD, .b = 1},
           LW_ISA_AVX512, 16, 16);
    expect(build_inclusive, (struct unit_case){.what = "scan iadd", .t = T_I32, .a = LW_GROUP_IADD},
           LW_ISA_AVX512, 16, 24);
    expect(build_exclusive,
           (struct unit_case){.what = "exclusive scan iadd", .t = T_I32, .a = LW_GROUP_IADD, .b = 1},
           LW_ISA_AVX512, 16, 28);
    expect(build_inclusive, (struct unit_case){.what = "scan fadd", .t = T_FLOAT, .a = LW_GROUP_FADD},
           LW_ISA_AVX512, 16, 24);
    expect(build_inclusive, (struct unit_case){.what = "scan smin", .t = T_I32, .a = LW_GROUP_SMIN},
           LW_ISA_AVX512, 16, 24);
    expect(build_reduce, (struct unit_case){.what = "reduce fadd", .t = T_FLOAT, .a = LW_GROUP_FADD},
           LW_ISA_AVX2, 8, 14);
    expect(build_inclusive, (struct unit_case){.what = "scan iadd", .t = T_I32, .a = LW_GROUP_IADD},
           LW_ISA_AVX2, 8, 18);
    expect(build_reduce, (struct unit_case){.what = "reduce fadd", .t = T_FLOAT, .a = LW_GROUP_FADD},
           LW_ISA_SSE42, 4, 10);
    expect(build_inclusive, (struct unit_case){.what = "scan iadd", .t = T_I32, .a = LW_GROUP_IADD},
           LW_ISA_SSE42, 8, 28);
}
END_TEST

START_TEST(shuffles_stay_in_registers)
{
    expect(build_shuffle, (struct unit_case){.what = "shuffle", .t = T_FLOAT}, LW_ISA_AVX512, 16, 6);
    expect(build_shuffle, (struct unit_case){.what = "shuffle", .t = T_I32}, LW_ISA_AVX512, 32, 14);
    expect(build_shuffle, (struct unit_case){.what = "shuffle", .t = T_I32}, LW_ISA_AVX2, 8, 6);
    expect(build_shuffle, (struct unit_case){.what = "shuffle", .t = T_I32}, LW_ISA_AVX2, 16, 26);
    expect(build_shuffle, (struct unit_case){.what = "shuffle", .t = T_I32}, LW_ISA_SSE42, 4, 12);
    expect(build_shuffle, (struct unit_case){.what = "shuffle", .t = T_I8}, LW_ISA_SSE42, 16, 20);
}
END_TEST

START_TEST(divisions_stay_in_registers)
{
    expect(build_divide, (struct unit_case){.what = "sdiv", .t = T_I32, .a = LLVMSDiv}, LW_ISA_AVX512, 16,
           20);
    expect(build_divide, (struct unit_case){.what = "urem", .t = T_I32, .a = LLVMURem}, LW_ISA_AVX512, 16,
           26);
    expect(build_divide, (struct unit_case){.what = "sdiv", .t = T_I32, .a = LLVMSDiv}, LW_ISA_AVX2, 8, 20);
    expect(build_divide, (struct unit_case){.what = "udiv", .t = T_I32, .a = LLVMUDiv}, LW_ISA_AVX2, 8, 40);
}
END_TEST

void
add_assembly(TCase *tests)
{
    tcase_add_test(tests, reductions_and_scans_stay_in_registers);
    tcase_add_test(tests, shuffles_stay_in_registers);
    tcase_add_test(tests, divisions_stay_in_registers);
}
