/* SPDX-License-Identifier: MIT */
/* Masks of lanes that fill two registers or four, in as many parts. For AVX-512: there LLVM keeps <32 x i1>
 * in one mask register between blocks, shifts it apart for every use and puts it together after every
 * comparison.
 *
 * Enters: a module after its last LLVM pass.
 * Leaves: masks that go around loops or into other blocks, what is computed from them and for them by and,
 * or, xor, select, freeze and comparisons, in parts of one register's lanes; selects and gathers by them in
 * parts; where other instructions read them, a whole mask made before the reader. Relies on: no pass after it
 * but lw_settle_masks. Never: touches masks that are compared, or select, more often in one register.
 */
#include "../facts/calls.h"
#include "../facts/elementwise.h"
#include "../facts/flags.h"
#include "../facts/instructions.h"
#include "../lanes/internal.h"
#include "../flow/module_pass.h"
#include "mask_webs.h"

#define REGISTER 512
#define MOST_PARTS 4
#define LEAST_LANES 8 /* of a part */

/* Masks that are computed from each other. */
struct web {
    uint32_t votes[MOST_PARTS + 1]; /* by the number of registers that their lanes fill */
    bool crosses;                   /* goes into another block */
    unsigned parts;                 /* 0: stays whole */
};

struct halver {
    lw_lanes l;
    struct lw_arena *arena;
    struct lw_mask_webs s;
    struct web *webs; /* by the number of the web's root */
    V (*parts)[MOST_PARTS];
};

static bool
is_mask(V v)
{
    if (!LLVMIsAInstruction(v) || !lw_lane_is_mask(v))
        return false;
    unsigned n = lw_lane_count(v);
    return n == 16 || n == 32 || n == 64;
}

static bool
is_compare(V v)
{
    return LLVMIsAICmpInst(v) || LLVMIsAFCmpInst(v);
}

/* Registers that a vector fills; 1: a part of one too. */
static unsigned
registers_of(LLVMTypeRef vector)
{
    LLVMTypeRef element = LLVMGetElementType(vector);
    unsigned bits = LLVMGetVectorSize(vector) * lw_lane_bits(element);
    return bits <= REGISTER ? 1 : bits / REGISTER;
}

/* ---- webs ---- */

static bool
chooses(V user, V mask)
{
    return LLVMIsASelectInst(user) && LLVMGetOperand(user, 0) == mask && !is_mask(user);
}

/* Does a gather read these lanes? From a base and indices, of which every part is found alike. */
static bool
gathers(V user, V mask)
{
    if (!lw_is_call_like(user, "llvm.masked.gather.") || LLVMGetOperand(user, 1) != mask)
        return false;
    V from = LLVMGetOperand(user, 0);
    return LLVMIsAGetElementPtrInst(from) && LLVMGetNumOperands(from) == 2 &&
           !lw_lane_is_vector(LLVMGetOperand(from, 0)) && lw_lane_is_vector(LLVMGetOperand(from, 1));
}

static void
vote(struct halver *h, uint32_t k)
{
    V mask = h->s.masks[k];
    struct web *web = &h->webs[lw_mask_web(&h->s, k)];
    LLVMBasicBlockRef home = LLVMGetInstructionParent(mask);

    web->crosses |= LLVMIsAPHINode(mask) != NULL;
    if (is_compare(mask)) {
        unsigned registers = registers_of(LLVMTypeOf(LLVMGetOperand(mask, 0)));
        web->votes[registers <= MOST_PARTS ? registers : 1]++;
    }
    for (LLVMUseRef use = LLVMGetFirstUse(mask); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        web->crosses |= LLVMGetInstructionParent(user) != home;
        if ((is_mask(user) && lw_lane_is_mask_logic(user)) || lw_lane_question(user))
            continue;
        bool apart = chooses(user, mask) || gathers(user, mask);
        unsigned registers = apart ? registers_of(LLVMTypeOf(user)) : 1;
        web->votes[registers <= MOST_PARTS ? registers : 1]++;
    }
}

/* Masks of all sizes: false where there is none that is worth it. */
static bool
find_webs(struct halver *h, V function)
{
    bool any = false;

    for (V i = lw_first_instruction(function); i; i = lw_next_instruction(i))
        if (is_mask(i))
            lw_mask_add(&h->s, i);
    for (uint32_t k = 0; k < h->s.count; k++)
        for (int o = 0; lw_lane_is_mask_logic(h->s.masks[k]) && o < LLVMGetNumOperands(h->s.masks[k]); o++)
            lw_mask_join(&h->s, k, LLVMGetOperand(h->s.masks[k], (unsigned)o));
    for (uint32_t k = 0; k < h->s.count; k++)
        vote(h, k);
    for (uint32_t k = 0; k < h->s.count; k++) {
        struct web *web = &h->webs[k];
        unsigned n = lw_lane_count(h->s.masks[k]), best = 1;
        for (unsigned p = 2; p <= MOST_PARTS; p *= 2)
            best = web->votes[p] > web->votes[best] ? p : best;
        if (web->crosses && best > 1 && n / best >= LEAST_LANES)
            web->parts = best;
        any |= web->parts != 0;
    }
    return any;
}

static unsigned
parts_of(struct halver *h, uint32_t k)
{
    return h->webs[lw_mask_web(&h->s, k)].parts;
}

/* ---- parts ---- */

/* Bit i of what a constant was cast from, as LLVM leaves `bitcast (<1 x i32> splat (i32 7) to <32 x i1>)`. */
static V
bit_of_cast(struct halver *h, V vector, unsigned i)
{
    LLVMTypeRef type = lw_lane_int_type(&h->l, 1);
    V from = LLVMGetConstOpcode(vector) == LLVMBitCast ? LLVMGetOperand(vector, 0) : NULL;
    LLVMTypeRef of = from ? LLVMTypeOf(from) : NULL;
    unsigned parts = of && lw_lane_is_vector(from) ? LLVMGetVectorSize(of) : 1;
    unsigned width = lw_lane_count(vector) / parts;
    V word = of && lw_lane_is_vector(from) ? LLVMGetAggregateElement(from, i / width) : from;
    if (!word || !LLVMIsAConstantInt(word))
        return LLVMGetPoison(type);
    return LLVMConstInt(type, LLVMConstIntGetZExtValue(word) >> i % width & 1, 0);
}

static V
part_of(struct halver *h, V vector, unsigned part, unsigned parts)
{
    unsigned n = lw_lane_count(vector) / parts;
    V lanes[64];

    if (!lw_lane_is_vector(vector))
        return vector;
    uint32_t k = lw_mask_number(&h->s, vector);
    if (k != UINT32_MAX && parts_of(h, k))
        return h->parts[k][part];
    if (!LLVMIsConstant(vector))
        return lw_lane_part(&h->l, vector, part * n, n);
    for (unsigned i = 0; i < n; i++) {
        lanes[i] = LLVMGetAggregateElement(vector, part * n + i);
        if (!lanes[i])
            lanes[i] = bit_of_cast(h, vector, part * n + i);
    }
    return LLVMConstVector(lanes, n);
}

static V
build_part(struct halver *h, V mask, unsigned part, unsigned parts)
{
    V operands[3];

    for (unsigned o = 0; o < (unsigned)LLVMGetNumOperands(mask); o++)
        operands[o] = part_of(h, LLVMGetOperand(mask, o), part, parts);
    return lw_build_like(h->l.builder, mask, NULL, operands);
}

/* Phis without their values, and what is made of other values than masks. */
static void
make_first(struct halver *h, uint32_t k, unsigned parts)
{
    V mask = h->s.masks[k];
    unsigned n = lw_lane_count(mask) / parts;
    bool phi = LLVMIsAPHINode(mask);
    V scalar = phi ? NULL : lw_lane_splat_source(mask);

    if (!phi && lw_lane_is_mask_logic(mask))
        return;
    LLVMPositionBuilderBefore(h->l.builder, phi || is_compare(mask) ? mask : LLVMGetNextInstruction(mask));
    for (unsigned p = 0; p < parts; p++) {
        if (phi)
            h->parts[k][p] = LLVMBuildPhi(h->l.builder, LLVMVectorType(lw_lane_int_type(&h->l, 1), n), "");
        else if (is_compare(mask))
            h->parts[k][p] = build_part(h, mask, p, parts);
        else if (scalar)
            h->parts[k][p] = p ? h->parts[k][0] : lw_lane_splat_n(&h->l, scalar, n);
        else
            h->parts[k][p] = lw_lane_part(&h->l, mask, p * n, n);
    }
}

static bool
is_made(void *data, uint32_t k)
{
    const struct halver *h = data;
    return h->parts[k][0];
}

static void
make_logic(void *data, uint32_t k)
{
    struct halver *h = data;
    unsigned parts = parts_of(h, k);

    LLVMPositionBuilderBefore(h->l.builder, h->s.masks[k]);
    for (unsigned p = 0; p < parts; p++)
        h->parts[k][p] = build_part(h, h->s.masks[k], p, parts);
}

static void
make_parts(struct halver *h)
{
    for (uint32_t k = 0; k < h->s.count; k++)
        if (parts_of(h, k))
            make_first(h, k, parts_of(h, k));
    for (uint32_t k = 0; k < h->s.count; k++)
        if (parts_of(h, k) && !h->parts[k][0])
            lw_mask_make(&h->s, k, is_made, make_logic, h);
    for (uint32_t k = 0; k < h->s.count; k++) {
        V mask = h->s.masks[k];
        unsigned parts = parts_of(h, k);
        for (unsigned e = 0; parts && LLVMIsAPHINode(mask) && e < LLVMCountIncoming(mask); e++)
            for (unsigned p = 0; p < parts; p++) {
                V value = part_of(h, LLVMGetIncomingValue(mask, e), p, parts);
                LLVMBasicBlockRef from = LLVMGetIncomingBlock(mask, e);
                LLVMAddIncoming(h->parts[k][p], &value, &from, 1);
            }
    }
}

/* ---- readers ---- */

static void
ask_parts(struct halver *h, V bits, V test, uint32_t k, unsigned parts)
{
    LLVMBuilderRef b = h->l.builder;
    bool all = !LLVMIsNull(LLVMGetOperand(test, 1));
    V joined = h->parts[k][0];

    LLVMPositionBuilderBefore(b, bits);
    for (unsigned p = 1; p < parts; p++)
        joined =
            all ? LLVMBuildAnd(b, joined, h->parts[k][p], "") : LLVMBuildOr(b, joined, h->parts[k][p], "");
    lw_lane_ask_instead(&h->l, bits, test, joined);
}

static void
choose_in_parts(struct halver *h, V choice, uint32_t k, unsigned parts)
{
    LLVMBuilderRef b = h->l.builder;
    V made[MOST_PARTS];

    LLVMPositionBuilderBefore(b, choice);
    for (unsigned p = 0; p < parts; p++) {
        V on = part_of(h, LLVMGetOperand(choice, 1), p, parts),
          off = part_of(h, LLVMGetOperand(choice, 2), p, parts);
        made[p] = LLVMBuildSelect(b, h->parts[k][p], on, off, "");
        lw_copy_fast_math(choice, made[p]);
    }
    lw_replace(choice, lw_lane_concat(&h->l, made, parts));
}

/* The addresses of a part: where indices are extended, the short ones are taken apart. */
static V
addresses_of_part(struct halver *h, V from, unsigned part, unsigned parts)
{
    LLVMBuilderRef b = h->l.builder;
    V index = LLVMGetOperand(from, 1);
    bool natural = LLVMIsAZExtInst(index) != NULL, extended = natural || LLVMIsASExtInst(index);
    V mine = part_of(h, extended ? LLVMGetOperand(index, 0) : index, part, parts);

    if (extended) {
        LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(index)), lw_lane_count(mine));
        mine = LLVMBuildCast(b, natural ? LLVMZExt : LLVMSExt, mine, type, "");
        if (LLVMIsAZExtInst(mine))
            LLVMSetNNeg(mine, LLVMGetNNeg(index));
    }
    return LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(from), LLVMGetOperand(from, 0), &mine, 1, "");
}

static void
copy_promises(V from, V to)
{
    lw_set_pointer_align(to, 0, lw_pointer_align(from, 0));
    lw_copy_metadata(from, to);
}

static void
gather_in_parts(struct halver *h, V gather, uint32_t k, unsigned parts)
{
    LLVMBuilderRef b = h->l.builder;
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(gather));
    V made[MOST_PARTS];

    LLVMPositionBuilderBefore(b, gather);
    for (unsigned p = 0; p < parts; p++) {
        V args[] = {addresses_of_part(h, LLVMGetOperand(gather, 0), p, parts), h->parts[k][p],
                    part_of(h, LLVMGetOperand(gather, 2), p, parts)};
        LLVMTypeRef types[] = {LLVMTypeOf(args[2]), LLVMTypeOf(args[0])};
        V callee = LLVMGetIntrinsicDeclaration(h->l.module, id, types, 2);
        made[p] = LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, args, 3, "");
        copy_promises(gather, made[p]);
    }
    lw_replace(gather, lw_lane_concat(&h->l, made, parts));
}

static void
serve_readers(struct halver *h, uint32_t k, unsigned parts)
{
    V mask = h->s.masks[k];

    if (!lw_lane_is_mask_logic(mask) && !is_compare(mask))
        return;
    for (LLVMUseRef use = LLVMGetFirstUse(mask), next; use; use = next) {
        V user = LLVMGetUser(use), test = lw_lane_question(user);
        next = LLVMGetNextUse(use);
        while (next && LLVMGetUser(next) == user)
            next = LLVMGetNextUse(next);
        if (is_mask(user) && lw_lane_is_mask_logic(user))
            continue;
        if (test) {
            ask_parts(h, user, test, k, parts);
        } else if (chooses(user, mask) && registers_of(LLVMTypeOf(user)) == parts) {
            choose_in_parts(h, user, k, parts);
        } else if (gathers(user, mask) && registers_of(LLVMTypeOf(user)) == parts) {
            gather_in_parts(h, user, k, parts);
        } else {
            LLVMPositionBuilderBefore(h->l.builder, user);
            V whole = lw_lane_concat(&h->l, h->parts[k], parts);
            for (int o = 0; o < LLVMGetNumOperands(user); o++)
                if (LLVMGetOperand(user, (unsigned)o) == mask)
                    LLVMSetOperand(user, (unsigned)o, whole);
        }
    }
}

/* Nobody but other masks in parts reads these any more. */
static void
erase_whole(struct halver *h)
{
    for (uint32_t k = 0; k < h->s.count; k++)
        if (!parts_of(h, k) || !(lw_lane_is_mask_logic(h->s.masks[k]) || is_compare(h->s.masks[k])))
            h->s.masks[k] = NULL;
    lw_erase_together(h->s.masks, h->s.count);
}

/* Allocates all it needs before it changes anything. */
static void
halve(struct halver *h, V function)
{
    if (!lw_mask_webs_open(&h->s, h->arena, function, is_mask))
        return;
    h->webs = LW_ARENA_NEW(h->arena, struct web, h->s.room);
    h->parts = lw_arena_alloc(h->arena, h->s.room, sizeof *h->parts);
    if (!find_webs(h, function))
        return;
    make_parts(h);
    for (uint32_t k = 0; k < h->s.count; k++)
        if (parts_of(h, k))
            serve_readers(h, k, parts_of(h, k));
    erase_whole(h);
}

static void
halve_all(lw_lanes *l, struct lw_arena *arena, void *data)
{
    struct halver h = {.l = *l, .arena = arena};

    (void)data;
    for (V f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        halve(&h, f);
}

bool
lw_halve_masks(LLVMModuleRef module)
{
    return lw_run_pass(module, LW_ISA_AVX512, halve_all, NULL);
}
