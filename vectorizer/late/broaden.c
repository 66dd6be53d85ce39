/* SPDX-License-Identifier: MIT */
/* Masks that outlive a block become vectors of integers, 0 or -1, as wide as what they are masks of. For
 * levels without mask registers: there LLVM keeps <8 x i1> between blocks as <8 x i16>, <16 x i1> as
 * <16 x i8>, and packs and unpacks in every one.
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
#include "../flow/module_pass.h"
#include "../facts/value_map.h"

struct broadener {
    lw_lanes l;
    struct lw_arena *arena;
    struct lw_value_map *map; /* mask -> number */
    V *masks, *wide;
    uint32_t count, room;
    unsigned element[LW_MAX_LANES + 1]; /* by number of lanes: bits of the integers */
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
    if (!is_mask(v) || lw_value_map_get(z->map, v) != UINT32_MAX || z->count == z->room)
        return;
    lw_value_map_add(z->map, v, z->count);
    z->masks[z->count++] = v;
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
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (is_mask(i) && (LLVMIsAPHINode(i) || outlives_block(i)))
                add(z, i);
    for (uint32_t k = 0; k < z->count; k++) {
        V v = z->masks[k];
        for (int o = 0; is_logic(v) && o < LLVMGetNumOperands(v); o++)
            add(z, LLVMGetOperand(v, (unsigned)o));
        for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
            if (is_mask(LLVMGetUser(use)) && is_logic(LLVMGetUser(use)))
                add(z, LLVMGetUser(use));
    }
}

/* The width most often compared and selected. */
static void
choose_elements(struct broadener *z, V function)
{
    uint32_t votes[LW_MAX_LANES + 1][4] = {{0}};
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            bool compares = LLVMIsAICmpInst(i) || LLVMIsAFCmpInst(i);
            V of = compares || LLVMIsASelectInst(i) ? LLVMGetOperand(i, compares ? 0 : 1) : NULL;
            if (!of || !lw_lane_is_vector(of) || lw_lane_count(of) > LW_MAX_LANES)
                continue;
            unsigned bits = lw_lane_bits(lw_lane_element(of));
            for (unsigned k = 0; k < 4; k++)
                votes[lw_lane_count(of)][k] += bits == 8u << k;
        }
    for (unsigned n = 0; n <= LW_MAX_LANES; n++) {
        unsigned best = 2;
        for (unsigned k = 0; k < 4; k++)
            if (votes[n][k] > votes[n][best])
                best = k;
        z->element[n] = 8u << best;
    }
}

/* ---- wide forms ---- */

static LLVMTypeRef
wide_type(struct broadener *z, V mask)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(mask));
    return LLVMVectorType(lw_lane_int_type(&z->l, z->element[n]), n);
}

static V
wide_constant(struct broadener *z, V constant)
{
    int64_t values[LW_MAX_LANES];
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(constant));
    for (unsigned k = 0; k < n; k++) {
        V bit = LLVMGetAggregateElement(constant, k);
        values[k] = bit && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit) ? -1 : 0;
    }
    return lw_lane_const_vector(&z->l, lw_lane_int_type(&z->l, z->element[n]), values, n);
}

/* The operand's wide form, NULL where that has to be made first. */
static V
wide_of(struct broadener *z, V operand)
{
    uint32_t k = lw_value_map_get(z->map, operand);
    return k != UINT32_MAX ? z->wide[k] : wide_constant(z, operand);
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

/* Operands first, by a stack: `stack` has room for all masks. */
static void
make_logic(struct broadener *z, uint32_t first, uint32_t *stack)
{
    uint32_t depth = 0;
    stack[depth++] = first;
    while (depth) {
        uint32_t k = stack[depth - 1], missing = UINT32_MAX;
        V mask = z->masks[k], operands[3];
        int n = LLVMGetNumOperands(mask);
        for (int o = 0; o < n && missing == UINT32_MAX && !z->wide[k]; o++) {
            operands[o] = wide_of(z, LLVMGetOperand(mask, (unsigned)o));
            if (!operands[o])
                missing = lw_value_map_get(z->map, LLVMGetOperand(mask, (unsigned)o));
        }
        if (missing != UINT32_MAX) {
            stack[depth++] = missing;
            continue;
        }
        depth--;
        if (z->wide[k])
            continue;
        LLVMPositionBuilderBefore(z->l.builder, mask);
        z->wide[k] = build_logic(z, mask, operands);
    }
}

static void
make_wide(struct broadener *z, uint32_t *stack)
{
    LLVMBuilderRef b = z->l.builder;
    for (uint32_t k = 0; k < z->count; k++) {
        V mask = z->masks[k];
        if (LLVMIsAPHINode(mask)) {
            LLVMPositionBuilderBefore(b, mask);
            z->wide[k] = LLVMBuildPhi(b, wide_type(z, mask), "");
        } else if (!is_logic(mask)) {
            V scalar = lw_lane_splat_source(mask);
            LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(mask));
            if (scalar) {
                scalar = LLVMBuildSExt(b, scalar, LLVMGetElementType(wide_type(z, mask)), "");
                z->wide[k] = lw_lane_splat_n(&z->l, scalar, lw_lane_count(mask));
            } else {
                z->wide[k] = LLVMBuildSExt(b, mask, wide_type(z, mask), "");
            }
        }
    }
    for (uint32_t k = 0; k < z->count; k++)
        if (!z->wide[k])
            make_logic(z, k, stack);
    for (uint32_t k = 0; k < z->count; k++)
        for (unsigned e = 0; LLVMIsAPHINode(z->masks[k]) && e < LLVMCountIncoming(z->masks[k]); e++) {
            V value = wide_of(z, LLVMGetIncomingValue(z->masks[k], e));
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(z->masks[k], e);
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
    unsigned n = lw_lane_count(wide), width = z->element[n];
    LLVMPositionBuilderBefore(b, bits);
    for (; n * width > z->register_bits; n /= 2) {
        V low = lw_lane_part(&z->l, wide, 0, n / 2), high = lw_lane_part(&z->l, wide, n / 2, n / 2);
        wide = all ? LLVMBuildAnd(b, low, high, "") : LLVMBuildOr(b, low, high, "");
    }
    lw_lane_ask_instead(&z->l, bits, test, sign_test(z, wide));
}

#define KEPT 8 /* blocks of readers at a time that have a sign test already */

static V
after_phis(LLVMBasicBlockRef block)
{
    V i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* A mask of i1 in `block` for those who read it so. */
static V
narrow_in(struct broadener *z, uint32_t k, LLVMBasicBlockRef block)
{
    V mask = z->masks[k], wide = z->wide[k];
    bool home = LLVMGetInstructionParent(mask) == block;
    if (home && !is_logic(mask))
        return mask;
    LLVMPositionBuilderBefore(z->l.builder, home && !LLVMIsAPHINode(mask) ? LLVMGetNextInstruction(wide)
                                                                          : after_phis(block));
    return sign_test(z, wide);
}

static void
serve_readers(struct broadener *z, uint32_t k)
{
    V mask = z->masks[k];
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
        uint32_t number = lw_value_map_get(z->map, user);
        if (number != UINT32_MAX && is_logic(user))
            continue;
        if (number == UINT32_MAX && test &&
            lw_lane_count(mask) * z->element[lw_lane_count(mask)] > z->register_bits) {
            ask_joined(z, user, test, z->wide[k]);
            continue;
        }
        if (LLVMIsASExtInst(user) && LLVMTypeOf(user) == LLVMTypeOf(z->wide[k])) {
            if (user != z->wide[k]) {
                LLVMReplaceAllUsesWith(user, z->wide[k]);
                LLVMInstructionEraseFromParent(user);
            }
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
    for (uint32_t k = 0; k < z->count; k++)
        if (!is_logic(z->masks[k]))
            z->masks[k] = NULL;
    lw_erase_together(z->masks, z->count);
}

/* Allocates all it needs before it changes anything. */
static void
broaden(struct broadener *z, V function)
{
    uint32_t room = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (V i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            room += is_mask(i);
    if (!room)
        return;
    z->room = room;
    z->count = 0;
    z->map = lw_value_map_create(z->arena, room);
    z->masks = LW_ARENA_NEW(z->arena, V, room);
    z->wide = LW_ARENA_NEW(z->arena, V, room);
    uint32_t *stack = LW_ARENA_NEW(z->arena, uint32_t, room);
    find_masks(z, function);
    choose_elements(z, function);
    make_wide(z, stack);
    for (uint32_t k = 0; k < z->count; k++)
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
