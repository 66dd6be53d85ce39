/* SPDX-License-Identifier: MIT */
/* Masks that outlive a block become vectors of integers, 0 or -1, as wide as what they are masks of. For
 * levels without mask registers: there LLVM keeps <8 x i1> between blocks as <8 x i16>, <16 x i1> as
 * <16 x i8>, and packs and unpacks in every one. Masks that are computed from each other are a web, and have
 * one width: that which costs least, in registers and where comparisons, blends and masked accesses
 * have another one.
 *
 * Enters: a module after its last LLVM pass.
 * Leaves: phis of masks, what is computed from them and for them by and, or, xor, select and freeze, and
 * masks used in other blocks than they are made in, as integers; where other instructions read them, a sign
 * test stands in the block of the reader: blends, masked accesses and vmovmsk read nothing but signs. Tests
 * whether any or all lanes of several registers are set join the registers first. Relies on: no pass after
 * it. Never: touches masks of four lanes, which LLVM keeps as they should be.
 */
#include "../../src/compiler.h"
#include "../lanes/internal.h"
#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../flow/module_pass.h"
#include "mask_webs.h"

#define WIDTHS 4

struct votes {
    uint32_t of[WIDTHS]; /* comparisons and readers of 8, 16, 32, 64 bits */
    uint32_t masks;
};

struct broadener {
    lw_lanes l;
    struct lw_arena *arena;
    struct lw_mask_webs s;
    V *wide;             /* by mask */
    struct votes *votes; /* by web */
    unsigned register_bits;
};

static bool
is_mask(V v)
{
    if (!LLVMIsAInstruction(v) || !lw_lane_is_mask(v))
        return false;
    unsigned n = lw_lane_count(v);
    return n > 4 && n <= LW_MAX_LANES && (n & (n - 1)) == 0;
}

/* Is it computed in the wide form, where its operands are there? */
static bool
is_logic(V v)
{
    return lw_lane_is_mask_logic(v) && (!LLVMIsASelectInst(v) || lw_lane_is_vector(LLVMGetOperand(v, 0)));
}

/* ---- which masks ---- */

static void
add(struct broadener *z, V v)
{
    if (is_mask(v))
        lw_mask_add(&z->s, v);
}

static bool
outlives_block(V v)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(v);
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionParent(LLVMGetUser(use)) != home)
            return true;
    return false;
}

static void
find_masks(struct broadener *z, V function)
{
    for (V i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        if (is_mask(i) && (LLVMIsAPHINode(i) || outlives_block(i)))
            add(z, i);
    for (uint32_t k = 0; k < z->s.count; k++) {
        V v = z->s.masks[k];
        for (int o = 0; is_logic(v) && o < LLVMGetNumOperands(v); o++)
            add(z, LLVMGetOperand(v, (unsigned)o));
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
            if (is_mask(LLVMGetUser(use)) && is_logic(LLVMGetUser(use)))
                add(z, LLVMGetUser(use));
    }
}

/* ---- webs and their widths ---- */

static void
find_webs(struct broadener *z)
{
    for (uint32_t k = 0; k < z->s.count; k++) {
        V v = z->s.masks[k];
        for (unsigned e = 0; LLVMIsAPHINode(v) && e < LLVMCountIncoming(v); e++)
            lw_mask_join(&z->s, k, LLVMGetIncomingValue(v, e));
        for (int o = 0; is_logic(v) && o < LLVMGetNumOperands(v); o++)
            lw_mask_join(&z->s, k, LLVMGetOperand(v, (unsigned)o));
    }
}

/* What `v` compares, blends, loads or stores: a value for each lane of its mask. NULL: nothing such. */
static V
masked_by(V v)
{
    if (LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v) || lw_is_call_like(v, "llvm.masked.store.") ||
        lw_is_call_like(v, "llvm.masked.scatter."))
        return LLVMGetOperand(v, 0);
    if (LLVMIsASelectInst(v))
        return LLVMGetOperand(v, 1);
    return lw_is_call_like(v, "llvm.masked.") ? v : NULL;
}

static void
vote(struct broadener *z, uint32_t k, V by)
{
    V lanes = masked_by(by);
    if (!lanes || !lw_lane_is_vector(lanes) || lw_lane_is_mask(lanes))
        return;
    unsigned bits = lw_lane_bits(lw_lane_element(lanes));
    for (unsigned w = 0; w < WIDTHS; w++)
        z->votes[lw_mask_web(&z->s, k)].of[w] += bits == 8u << w;
}

static void
count_votes(struct broadener *z)
{
    for (uint32_t k = 0; k < z->s.count; k++) {
        z->votes[lw_mask_web(&z->s, k)].masks++;
        vote(z, k, z->s.masks[k]);
        for (LLVMUseRef use = LLVMGetFirstUse(z->s.masks[k]); use; use = LLVMGetNextUse(use))
            vote(z, k, LLVMGetUser(use));
    }
}

/* ---- wide forms ---- */

#define CONVERSION 2 /* instructions for each register: extensions, shuffles and packs */

static uint64_t
cost_of(struct broadener *z, const struct votes *votes, unsigned n, unsigned width)
{
    uint64_t registers[WIDTHS], cost;
    for (unsigned w = 0; w < WIDTHS; w++)
        registers[w] = (n * (8u << w) + z->register_bits - 1) / z->register_bits;
    cost = registers[width] * votes->masks;
    for (unsigned w = 0; w < WIDTHS; w++)
        if (w != width)
            cost += CONVERSION * votes->of[w] * registers[w > width ? w : width];
    return cost;
}

static LLVMTypeRef
wide_type(struct broadener *z, uint32_t k)
{
    const struct votes *votes = &z->votes[lw_mask_web(&z->s, k)];
    unsigned n = lw_lane_count(z->s.masks[k]), best = 2;
    uint64_t least = cost_of(z, votes, n, best);
    for (unsigned w = 0; w < WIDTHS; w++) {
        uint64_t cost = cost_of(z, votes, n, w);
        best = cost < least ? w : best;
        least = cost < least ? cost : least;
    }
    return LLVMVectorType(lw_lane_int_type(&z->l, 8u << best), n);
}

static V
wide_constant(V constant, LLVMTypeRef type)
{
    int64_t values[LW_MAX_LANES];
    unsigned n = LLVMGetVectorSize(type);
    for (unsigned k = 0; k < n; k++) {
        V bit = LLVMGetAggregateElement(constant, k);
        values[k] = bit && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit) ? -1 : 0;
    }
    return lw_lane_const_vector(LLVMGetElementType(type), values, n);
}

/* The wide form of an operand of mask `reader`. */
static V
wide_of(struct broadener *z, V operand, uint32_t reader)
{
    uint32_t k = lw_mask_number(&z->s, operand);
    return k != UINT32_MAX ? z->wide[k] : wide_constant(operand, wide_type(z, reader));
}

static V
build_logic(struct broadener *z, V mask, V *operands)
{
    LLVMBuilderRef b = z->l.builder;
    switch (LLVMGetInstructionOpcode(mask)) {
    case LLVMAnd:
        return LLVMBuildAnd(b, operands[0], operands[1], "");
    case LLVMOr:
        return LLVMBuildOr(b, operands[0], operands[1], "");
    case LLVMXor:
        return LLVMBuildXor(b, operands[0], operands[1], "");
    case LLVMFreeze:
        return LLVMBuildFreeze(b, operands[0], "");
    default:
        break;
    }
    /* A select is and, or: what is not selected may be poison, and must not spoil what is. */
    V on = LLVMBuildFreeze(b, operands[1], ""), off = LLVMBuildFreeze(b, operands[2], "");
    on = LLVMBuildAnd(b, operands[0], on, "");
    if (LLVMIsConstant(operands[2]) && LLVMIsNull(operands[2]))
        return on;
    off = LLVMBuildAnd(b, LLVMBuildNot(b, operands[0], ""), off, "");
    return LLVMBuildOr(b, on, off, "");
}

static bool
is_made(void *data, uint32_t k)
{
    const struct broadener *z = data;
    return z->wide[k];
}

static void
make_logic(void *data, uint32_t k)
{
    struct broadener *z = data;
    V mask = z->s.masks[k], operands[3];
    for (int o = 0; o < LLVMGetNumOperands(mask); o++)
        operands[o] = wide_of(z, LLVMGetOperand(mask, (unsigned)o), k);
    LLVMPositionBuilderBefore(z->l.builder, mask);
    z->wide[k] = build_logic(z, mask, operands);
}

static void
make_wide(struct broadener *z)
{
    LLVMBuilderRef b = z->l.builder;
    for (uint32_t k = 0; k < z->s.count; k++) {
        V mask = z->s.masks[k];
        if (LLVMIsAPHINode(mask)) {
            LLVMPositionBuilderBefore(b, mask);
            z->wide[k] = LLVMBuildPhi(b, wide_type(z, k), "");
        } else if (!is_logic(mask)) {
            V scalar = lw_lane_splat_source(mask);
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(mask));
            if (scalar) {
                scalar = LLVMBuildSExt(b, scalar, LLVMGetElementType(wide_type(z, k)), "");
                z->wide[k] = lw_lane_splat_n(&z->l, scalar, lw_lane_count(mask));
            } else {
                z->wide[k] = LLVMBuildSExt(b, mask, wide_type(z, k), "");
            }
        }
    }
    for (uint32_t k = 0; k < z->s.count; k++)
        if (!z->wide[k])
            lw_mask_make(&z->s, k, is_made, make_logic, z);
    for (uint32_t k = 0; k < z->s.count; k++)
        for (unsigned e = 0; LLVMIsAPHINode(z->s.masks[k]) && e < LLVMCountIncoming(z->s.masks[k]); e++) {
            V value = wide_of(z, LLVMGetIncomingValue(z->s.masks[k], e), k);
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(z->s.masks[k], e);
            LLVMAddIncoming(z->wide[k], &value, &from, 1);
        }
}

/* ---- readers ---- */

static V
sign_test(struct broadener *z, V wide)
{
    return LLVMBuildICmp(z->l.builder, LLVMIntSLT, wide, LLVMConstNull(LLVMTypeOf(wide)), "");
}

static void
ask_joined(struct broadener *z, V bits, V test, V wide)
{
    LLVMBuilderRef b = z->l.builder;
    bool all = !LLVMIsNull(LLVMGetOperand(test, 1));
    unsigned n = lw_lane_count(wide), width = lw_lane_bits(lw_lane_element(wide));
    LLVMPositionBuilderBefore(b, bits);
    for (; n * width > z->register_bits; n /= 2) {
        V low = lw_lane_part(&z->l, wide, 0, n / 2), high = lw_lane_part(&z->l, wide, n / 2, n / 2);
        wide = all ? LLVMBuildAnd(b, low, high, "") : LLVMBuildOr(b, low, high, "");
    }
    lw_lane_ask_instead(&z->l, bits, test, sign_test(z, wide));
}

#define KEPT 8 /* blocks of readers at a time that have a sign test already */

/* A mask of i1 in `block` for those who read it so. */
static V
narrow_in(struct broadener *z, uint32_t k, LLVMBasicBlockRef block)
{
    V mask = z->s.masks[k], wide = z->wide[k];
    bool home = LLVMGetInstructionParent(mask) == block;
    if (home && !is_logic(mask))
        return mask;
    V at = home && !LLVMIsAPHINode(mask) ? LLVMGetNextInstruction(wide)
                                         : lw_behind_phis(LLVMGetFirstInstruction(block));
    LLVMPositionBuilderBefore(z->l.builder, at);
    return sign_test(z, wide);
}

static void
serve_readers(struct broadener *z, uint32_t k)
{
    V mask = z->s.masks[k];
    struct {
        LLVMBasicBlockRef block;
        V narrow;
    } kept[KEPT] = {{0}};
    unsigned next_kept = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(mask), next; use; use = next) {
        V user = LLVMGetUser(use), test = lw_lane_question(user), narrow = NULL;
        next = LLVMGetNextUse(use);
        while (next && LLVMGetUser(next) == user)
            next = LLVMGetNextUse(next);
        uint32_t number = lw_mask_number(&z->s, user);
        if (number != UINT32_MAX && is_logic(user))
            continue;
        if (number == UINT32_MAX && test &&
            lw_lane_count(mask) * lw_lane_bits(lw_lane_element(z->wide[k])) > z->register_bits) {
            ask_joined(z, user, test, z->wide[k]);
            continue;
        }
        if (LLVMIsASExtInst(user) && LLVMTypeOf(user) == LLVMTypeOf(z->wide[k])) {
            if (user != z->wide[k])
                lw_replace(user, z->wide[k]);
            continue;
        }
        LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
        for (unsigned i = 0; i < KEPT && !narrow; i++)
            narrow = kept[i].block == block ? kept[i].narrow : NULL;
        if (!narrow) {
            narrow = narrow_in(z, k, block);
            kept[next_kept % KEPT].block = block;
            kept[next_kept++ % KEPT].narrow = narrow;
        }
        for (int o = 0; narrow != mask && o < LLVMGetNumOperands(user); o++)
            if (LLVMGetOperand(user, (unsigned)o) == mask)
                LLVMSetOperand(user, (unsigned)o, narrow);
    }
}

static void
erase_masks(struct broadener *z)
{
    for (uint32_t k = 0; k < z->s.count; k++)
        if (!is_logic(z->s.masks[k]))
            z->s.masks[k] = NULL;
    lw_erase_together(z->s.masks, z->s.count);
}

/* Allocates all it needs before it changes anything. */
static void
broaden(struct broadener *z, V function)
{
    if (!lw_mask_webs_open(&z->s, z->arena, function, is_mask))
        return;
    z->wide = LW_ARENA_NEW(z->arena, V, z->s.room);
    z->votes = LW_ARENA_NEW(z->arena, struct votes, z->s.room);
    find_masks(z, function);
    find_webs(z);
    count_votes(z);
    make_wide(z);
    for (uint32_t k = 0; k < z->s.count; k++)
        serve_readers(z, k);
    erase_masks(z);
}

static void
broaden_all(lw_lanes *l, struct lw_arena *arena, void *data)
{
    struct broadener z = {.l = *l, .arena = arena, .register_bits = lw_isa_row(l->isa)->register_bits};

    (void)data;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        broaden(&z, f);
}

bool
lw_broaden_masks(LLVMModuleRef module, lw_isa isa)
{
    return lw_run_pass(module, isa, broaden_all, NULL);
}
