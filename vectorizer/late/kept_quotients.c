/* SPDX-License-Identifier: MIT */
/* `x / d` and `x % d` of scalars, where x goes on by little from round to round, as indices do in the loop
 * over sub-groups, and d is an argument: most rounds are in the row of d that the one before was in, and have
 * its quotient.
 *
 *     q = x / d;  r = x % d    ->    if (x - begin >= length) {       (without a sign; never in the same row)
 *                                        kept = x / d;  begin = kept * d;  length = d;
 *                                    }
 *                                    q = kept;  r = x - begin;
 *
 * Enters: a module behind its last LLVM pass. Leaves: the same values, blocks more. Legal: d is the same as
 * long as the function runs, as its block runs once, and a row is kept only where x and d are below 2^62:
 * then nothing wraps, and what is in none, a negative x or one of another row, divides as it did. So does the
 * first round, whose row has no length. Never: divides where the code did not. Pays: a division by a number
 * that is not known takes 10 to 40 cycles, and follows on the one whose remainder it divides.
 */
#include "kept_quotients.h"

#include <stdint.h>

#include "../../spirv/arena.h"
#include "../facts/counters.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../facts/model.h"
#include "../flow/module_pass.h"
#include "../flow/promote.h"
#include "../lanes/internal.h"

enum { MOST_KEPT = 32, MOST_LOOKS = 64, MOST_STEP = 1024 };
#define BITS_IN_ROW 62

struct keeper {
    lw_lanes *l;
    const struct lw_model *m;
    V found[MOST_KEPT];
    uint32_t found_count;
};

/* ---- which divisions ---- */

/* What a value goes on by in each round of `loop`. */
struct pace {
    const struct lw_model *m;
    uint32_t loop;
    int64_t step;
    unsigned looks; /* at values so far: paths to one may be very many */
    bool counts, unknown;
};

static void add_pace(struct pace *p, V v, int64_t times);

static void
add_operation(struct pace *p, V v, int64_t times)
{
    V a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    uint64_t constant;

    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr: /* of bits that are not in both, where anyone divides the result */
    case LLVMAdd:
        add_pace(p, a, times);
        add_pace(p, b, times);
        return;
    case LLVMSub:
        /* A remainder goes on as what is divided does, but for the begins of rows. */
        add_pace(p, a, times);
        if (!LLVMIsABinaryOperator(b) || LLVMGetInstructionOpcode(b) != LLVMMul ||
            !LLVMIsABinaryOperator(LLVMGetOperand(b, 0)) ||
            !lw_is_int_division(LLVMGetInstructionOpcode(LLVMGetOperand(b, 0))))
            add_pace(p, b, -times);
        return;
    case LLVMAnd: /* bits that an index never has */
        p->unknown |= !LLVMIsAConstantInt(b);
        add_pace(p, a, times);
        return;
    case LLVMShl:
        if (!lw_is_int_constant(b, &constant) || constant > 10)
            break;
        add_pace(p, a, times << constant);
        return;
    case LLVMMul:
        if (!lw_is_int_constant(b, &constant) || constant > MOST_STEP)
            break;
        add_pace(p, a, times * (int64_t)constant);
        return;
    case LLVMUDiv:
    case LLVMSDiv: /* slower than what is divided */
    case LLVMURem:
    case LLVMSRem:
        add_pace(p, a, times);
        return;
    default:
        break;
    }
    p->unknown = true;
}

static void
add_pace(struct pace *p, V v, int64_t times)
{
    const struct lw_loop *loop = &p->m->loops[p->loop];
    struct lw_round r;

    if (p->unknown || !lw_loop_computes(p->m, p->loop, v))
        return;
    if (p->looks++ == MOST_LOOKS || times > MOST_STEP || times < -MOST_STEP) {
        p->unknown = true;
    } else if (LLVMIsAPHINode(v)) {
        bool counts = LLVMGetInstructionParent(v) == p->m->blocks[loop->header].ref &&
                      lw_read_round(v, p->m->blocks[loop->latch].ref, &r) && r.step;
        int64_t step = counts ? LLVMConstIntGetSExtValue(r.step) : 0;
        if (!counts || step > MOST_STEP || step < -MOST_STEP) {
            p->unknown = true;
            return;
        }
        p->counts = true;
        p->step += step * times;
    } else if (LLVMIsABinaryOperator(v)) {
        add_operation(p, v, times);
    } else if (lw_is_int_cast(LLVMGetInstructionOpcode(v)) || LLVMIsAFreezeInst(v)) {
        add_pace(p, LLVMGetOperand(v, 0), times);
    } else {
        p->unknown = true;
    }
}

/* The innermost loop that changes `x` changes it by little. */
static bool
goes_on_slowly(const struct lw_model *m, uint32_t loop, V x)
{
    for (; loop != LW_NONE; loop = m->loops[loop].parent) {
        struct pace p = {.m = m, .loop = loop};
        add_pace(&p, x, 1);
        if (p.unknown)
            return false;
        if (p.counts)
            return p.step >= -MOST_STEP && p.step <= MOST_STEP && p.step != 0;
    }
    return false;
}

static bool
is_kept(const struct lw_model *m, uint32_t block, V i)
{
    unsigned width = lw_int_width(i);

    if (!LLVMIsABinaryOperator(i) || !lw_is_int_division(LLVMGetInstructionOpcode(i)) ||
        (width != 32 && width != 64) || m->blocks[block].loop == LW_NONE)
        return false;
    V d = LLVMGetOperand(i, 1);
    if (LLVMIsAConstant(d) || (LLVMIsAInstruction(d) && m->blocks[lw_block_id_of(m, d)].loop != LW_NONE))
        return false;
    return goes_on_slowly(m, m->blocks[block].loop, LLVMGetOperand(i, 0));
}

/* ---- rows ---- */

static V
new_variable(struct keeper *k, LLVMTypeRef type)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(k->m->function);
    LLVMBuilderRef b = k->l->builder;

    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
    V variable = LLVMBuildAlloca(b, type, "");
    LLVMBuildStore(b, LLVMConstNull(type), variable);
    return variable;
}

static V
widen(struct keeper *k, V x, bool is_signed)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(k->l->context);
    return is_signed ? LLVMBuildSExt(k->l->builder, x, i64, "") : LLVMBuildZExt(k->l->builder, x, i64, "");
}

/* 0: x or d is none that a row is kept of. */
static V
length_of_row(struct keeper *k, V x, V d, bool is_signed)
{
    LLVMBuilderRef b = k->l->builder;
    V length = widen(k, d, is_signed);

    if (!is_signed && lw_int_width(x) <= BITS_IN_ROW)
        return length;
    V most = LLVMConstInt(LLVMTypeOf(length), UINT64_C(1) << BITS_IN_ROW, false);
    V both = LLVMBuildOr(b, widen(k, x, is_signed), length, "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, both, most, ""), length,
                           LLVMConstNull(LLVMTypeOf(length)), "");
}

static void
keep(struct keeper *k, V division)
{
    LLVMBuilderRef b = k->l->builder;
    LLVMOpcode op = LLVMGetInstructionOpcode(division);
    LLVMTypeRef type = LLVMTypeOf(division), i64 = LLVMInt64TypeInContext(k->l->context);
    bool is_signed = op == LLVMSDiv || op == LLVMSRem, remains = op == LLVMURem || op == LLVMSRem;
    V x = LLVMGetOperand(division, 0), d = LLVMGetOperand(division, 1);
    V begin = new_variable(k, i64), length = new_variable(k, i64), kept = new_variable(k, type);
    LLVMBasicBlockRef before = lw_part_block(b, division), here = LLVMGetInstructionParent(division);
    LLVMBasicBlockRef other = LLVMInsertBasicBlockInContext(k->l->context, here, "other_row");

    LLVMPositionBuilderAtEnd(b, before);
    V wide = widen(k, x, is_signed);
    V rest = LLVMBuildSub(b, wide, LLVMBuildLoad2(b, i64, begin, ""), "");
    V same = LLVMBuildICmp(b, LLVMIntULT, rest, LLVMBuildLoad2(b, i64, length, ""), "");
    V answer = remains ? LLVMBuildTrunc(b, rest, type, "") : LLVMBuildLoad2(b, type, kept, "");
    lw_lane_branch_likely(k->l, same, here, other);

    LLVMPositionBuilderAtEnd(b, other);
    V quotient = is_signed ? LLVMBuildSDiv(b, x, d, "") : LLVMBuildUDiv(b, x, d, "");
    V row = LLVMBuildMul(b, quotient, d, "");
    LLVMBuildStore(b, LLVMBuildZExt(b, row, i64, ""), begin);
    LLVMBuildStore(b, length_of_row(k, x, d, is_signed), length);
    LLVMBuildStore(b, quotient, kept);
    V divided = remains ? LLVMBuildSub(b, x, row, "") : quotient;
    LLVMBuildBr(b, here);

    LLVMPositionBuilderBefore(b, division);
    V result = LLVMBuildPhi(b, type, "");
    LLVMAddIncoming(result, (V[]){answer, divided}, (LLVMBasicBlockRef[]){before, other}, 2);
    lw_replace(division, result);
}

static void
keep_of(struct keeper *k)
{
    const struct lw_model *m = k->m;

    for (uint32_t block = 0; block < m->block_count; block++)
        for (V i = LLVMGetFirstInstruction(m->blocks[block].ref); i; i = LLVMGetNextInstruction(i))
            if (k->found_count < MOST_KEPT && is_kept(m, block, i))
                k->found[k->found_count++] = i;
    for (uint32_t i = 0; i < k->found_count; i++)
        keep(k, k->found[i]);
}

static void
visit(lw_lanes *l, struct lw_arena *arena, void *data)
{
    bool *kept = data;

    (void)arena;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        const char *why;
        struct lw_model *m = LLVMIsDeclaration(f) ? NULL : lw_model_build(f, &why);
        struct keeper k = {.l = l, .m = m};
        if (m)
            keep_of(&k);
        *kept |= k.found_count != 0;
        lw_model_free(m);
    }
}

bool
lw_keep_quotients(LLVMModuleRef module)
{
    bool kept = false;
    return lw_run_pass(module, LW_ISA_AUTO, visit, &kept) && (!kept || lw_promote_slots(module));
}
