/* SPDX-License-Identifier: MIT */
/* Bytes that are widened to 16 bits, changed and narrowed again, as filters of images do: the even lanes and
 * the odd ones apart, each where its 16 bits are.
 *
 *     zext <32 x i8> to <32 x i16>                     even: bytes & 0xff; odd: bytes >> 8, as <16 x i16>
 *     the same for all lanes                   ->      twice, of half as many lanes
 *     trunc <32 x i16> to <32 x i8>                    even & 0xff | odd << 8
 *
 * In a sum of products by constants, bytes that lie side by side in memory are one pmaddubsw: of the lane's
 * own two bytes for the even lanes, and of those that were loaded one place further for the odd ones. Two
 * bytes' average, (x + y + 1) >> 1, is pavgb, and bytes again.
 *
 * Enters: a module after its last LLVM pass. Leaves: the same bytes. Relies on: lanes being little-endian;
 * sums of 16 bits wrapping. Never: does what others use twice, or in another block; lets pmaddubsw saturate.
 * Why: widening and narrowing cross lanes of registers, and take longer than the arithmetic in between.
 */
#include "bytes.h"

#include <string.h>

#include "../facts/calls.h"
#include "../facts/instructions.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"
#include "pack_internal.h"
#include "../../src/compiler.h"

enum { MOST_VALUES = 96, MOST_SUM = 32, DEEPEST = 40 };

enum form {
    BYTES, /* zero-extended */
    ALIKE, /* one number in all lanes */
    OPERATION,
    CALL,
    FROZEN
};

struct value {
    enum form form;
    V v, source; /* source: of BYTES */
    int x, y;    /* operands; y: -1 where there is one */
    unsigned users;
    bool known; /* BYTES: where they were loaded from is */
    struct address from;
    uint32_t writes; /* writes to memory before the load, in its block */
    V half[2];       /* of the even lanes, of the odd ones */
};

struct bytes {
    lw_lanes *l;
    LLVMTargetDataRef layout;
    LLVMBasicBlockRef block;
    LLVMTypeRef halves; /* <n/2 x i16> */
    unsigned lanes, register_bits;
    struct value values[MOST_VALUES];
    unsigned count;
};

/* Numbers times values, and a number. */
struct sum {
    struct term {
        int value;
        int16_t times;
    } terms[MOST_SUM];
    unsigned count;
    uint16_t number;
};

static bool
is_of(V v, unsigned lanes, unsigned bits)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == lanes &&
           LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) == bits;
}

static bool
is_number(V v, uint16_t *number)
{
    V scalar = LLVMIsConstant(v) ? lw_lane_splat_source(v) : NULL;
    uint64_t value;

    if (!scalar || !lw_is_int_constant(scalar, &value))
        return false;
    *number = (uint16_t)value;
    return true;
}

/* ---- what a narrowed value is made of ---- */

/* Lane by lane, of operands of 16 bits. */
static bool
is_call(V v)
{
    static const char *const names[] = {"llvm.umin.",     "llvm.umax.",     "llvm.smin.",
                                        "llvm.smax.",     "llvm.uadd.sat.", "llvm.usub.sat.",
                                        "llvm.sadd.sat.", "llvm.ssub.sat.", "llvm.abs."};

    for (size_t k = 0; LLVMIsACallInst(v) && k < sizeof names / sizeof *names; k++)
        if (lw_is_call_like(v, names[k]))
            return true;
    return false;
}

static bool
find_form(struct value *n)
{
    V v = n->v;
    uint16_t number;

    n->form = ALIKE;
    if (is_number(v, &number) || (!LLVMIsConstant(v) && lw_lane_splat_source(v)))
        return true;
    if (!LLVMIsAInstruction(v))
        return false;
    n->form = LLVMIsAFreezeInst(v) ? FROZEN : is_call(v) ? CALL : OPERATION;
    if (LLVMGetInstructionOpcode(v) == LLVMZExt) {
        n->form = BYTES;
        n->source = LLVMGetOperand(v, 0);
    }
    return n->form != OPERATION || lw_is_int_operation(LLVMGetInstructionOpcode(v));
}

/* The number of the value; negative: it cannot be done in halves. */
static int
collect(struct bytes *f, V v, int depth)
{
    struct value n = {.v = v, .x = -1, .y = -1, .users = 1};

    for (unsigned k = 0; k < f->count; k++) {
        if (f->values[k].v == v) {
            f->values[k].users++;
            return (int)k;
        }
    }
    if (depth == 0 || f->count == MOST_VALUES || !is_of(v, f->lanes, 16) || !find_form(&n) ||
        (n.form == BYTES && !is_of(n.source, f->lanes, 8)))
        return -1;
    if (n.form >= OPERATION) {
        bool two = n.form == OPERATION || (n.form == CALL && LLVMGetNumArgOperands(v) == 2 &&
                                           LLVMTypeOf(LLVMGetOperand(v, 1)) == LLVMTypeOf(v));
        if (LLVMGetInstructionParent(v) != f->block)
            return -1;
        n.x = collect(f, LLVMGetOperand(v, 0), depth - 1);
        n.y = n.x >= 0 && two ? collect(f, LLVMGetOperand(v, 1), depth - 1) : -1;
        if (n.x < 0 || (two && n.y < 0) || f->count == MOST_VALUES)
            return -1;
    }
    f->values[f->count] = n;
    return (int)f->count++;
}

/* All that is changed serves nothing but the root, and something is bytes. */
static bool
is_worth_it(const struct bytes *f, V root)
{
    bool any = false;

    for (unsigned k = 0; k < f->count; k++) {
        const struct value *n = &f->values[k];
        unsigned users = 0;
        any |= n->form == BYTES;
        if (n->form < OPERATION)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(n->v); use; use = LLVMGetNextUse(use))
            users++;
        if (users != n->users)
            return false;
    }
    return any && LLVMGetFirstUse(root);
}

/* Where bytes come from, and how often memory may have changed before. */
static void
find_addresses(struct bytes *f, V root)
{
    uint32_t writes = 0;

    for (V i = LLVMGetFirstInstruction(f->block); i != root; i = LLVMGetNextInstruction(i)) {
        writes += lw_memory_effect(i) == LW_WRITES_MEMORY;
        for (unsigned k = 0; LLVMIsALoadInst(i) && !lw_is_ordered_access(i) && k < f->count; k++) {
            struct value *n = &f->values[k];
            if (n->form != BYTES || n->source != i)
                continue;
            n->known = lw_pack_address(f->layout, LLVMGetOperand(i, 0), &n->from);
            n->writes = writes;
        }
    }
}

/* ---- sums ---- */

/* Is it `times` operand x, and, of a sum, `other` times y? */
static bool
is_sum(const struct bytes *f, const struct value *n, int16_t *times, int16_t *other)
{
    LLVMOpcode op = n->form == OPERATION ? LLVMGetInstructionOpcode(n->v) : LLVMRet;
    uint16_t number;

    *times = 1;
    *other = op == LLVMAdd ? 1 : op == LLVMSub ? -1 : 0;
    if (*other)
        return true;
    if ((op != LLVMMul && op != LLVMShl) || !is_number(f->values[n->y].v, &number) ||
        (op == LLVMShl && number > 15))
        return false;
    *times = (int16_t)(op == LLVMShl ? 1u << number : number);
    return true;
}

static V half_of(struct bytes *f, int value, unsigned odd);

/* Adds `times` the value; parts of it that others use too stay whole. */
static bool
add_to_sum(struct bytes *f, struct sum *s, int value, int16_t times)
{
    const struct value *n = &f->values[value];
    int16_t a, b;
    uint16_t number;

    if (is_number(n->v, &number)) {
        s->number = (uint16_t)(s->number + (uint32_t)number * (uint16_t)times);
        return true;
    }
    if (n->users == 1 && is_sum(f, n, &a, &b))
        return add_to_sum(f, s, n->x, (int16_t)((uint16_t)a * (uint32_t)(uint16_t)times)) &&
               (!b || add_to_sum(f, s, n->y, (int16_t)((uint16_t)b * (uint32_t)(uint16_t)times)));
    for (unsigned k = 0; k < s->count; k++) {
        if (s->terms[k].value == value) {
            s->terms[k].times = (int16_t)((uint16_t)s->terms[k].times + (uint32_t)(uint16_t)times);
            return true;
        }
    }
    if (s->count == MOST_SUM)
        return false;
    s->terms[s->count++] = (struct term){.value = value, .times = times};
    return true;
}

/* Do a and b, so often, stay within 16 bits with a sign? */
static bool
multiplies(int16_t a, int16_t b)
{
    int most = 255 * ((a > 0 ? a : 0) + (b > 0 ? b : 0)), least = 255 * ((a < 0 ? a : 0) + (b < 0 ? b : 0));

    return a >= -128 && a <= 127 && b >= -128 && b <= 127 && most <= INT16_MAX && least >= INT16_MIN;
}

static bool
is_next(const struct bytes *f, const struct term *a, const struct term *b)
{
    const struct value *x = &f->values[a->value], *y = &f->values[b->value];

    return x->known && y->known && x->writes == y->writes && multiplies(a->times, b->times) &&
           lw_pack_follows(&x->from, &y->from, 1);
}

/* For each term the one whose bytes lie one further, -1: none. Each has one partner at most, and those at the
 * lower end of a row choose first. */
static void
find_pairs(const struct bytes *f, const struct sum *s, int *next, bool *taken)
{
    int follower[MOST_SUM];
    bool follows[MOST_SUM] = {false}, changed = true;

    for (unsigned k = 0; k < s->count; k++) {
        next[k] = follower[k] = -1;
        taken[k] = false;
        for (unsigned j = 0; j < s->count && follower[k] < 0; j++)
            if (j != k && is_next(f, &s->terms[k], &s->terms[j]) && !follows[j]) {
                follower[k] = (int)j;
                follows[j] = true;
            }
    }
    while (changed) {
        changed = false;
        for (unsigned k = 0; k < s->count; k++) {
            int j = follower[k];
            if (taken[k] || follows[k] || next[k] >= 0)
                continue;
            if (j >= 0) {
                next[k] = j;
                taken[j] = changed = true;
                if (follower[j] >= 0)
                    follows[follower[j]] = false;
            }
        }
    }
}

/* ---- writing ---- */

static V
splat(const struct bytes *f, uint16_t low, uint16_t high, bool of_bytes)
{
    V elements[LW_MAX_LANES];
    unsigned count = of_bytes ? f->lanes : f->lanes / 2;
    LLVMTypeRef type = lw_lane_int_type(f->l, of_bytes ? 8 : 16);

    for (unsigned k = 0; k < count; k++)
        elements[k] = LLVMConstInt(type, k % 2 ? high : low, false);
    return LLVMConstVector(elements, count);
}

/* One instruction for each register of x and y; its names for those of 16, 32 and 64 bytes. */
static V
by_registers(struct bytes *f, const char *const *names, V x, V y)
{
    unsigned width = f->register_bits / 8, parts = f->lanes / width;
    V made[LW_MAX_LANES / 16];

    for (unsigned k = 0; k < parts; k++) {
        V args[] = {lw_lane_part(f->l, x, k * width, width), lw_lane_part(f->l, y, k * width, width)};
        made[k] = lw_lane_call(f->l, names[width / 32], NULL, 0, args, 2);
    }
    return lw_lane_concat(f->l, made, parts);
}

/* Of two bytes side by side: low times the one, and high times the other. */
static V
multiply_add(struct bytes *f, V bytes, int16_t low, int16_t high)
{
    static const char *const names[] = {"llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.avx2.pmadd.ub.sw",
                                        "llvm.x86.avx512.pmaddubs.w.512"};

    return by_registers(f, names, bytes, splat(f, (uint8_t)low, (uint8_t)high, true));
}

static V
half_of_bytes(struct bytes *f, V source, unsigned odd)
{
    LLVMBuilderRef b = f->l->builder;
    V words = LLVMBuildBitCast(b, source, f->halves, "");

    return odd ? LLVMBuildLShr(b, words, splat(f, 8, 8, false), "")
               : LLVMBuildAnd(b, words, splat(f, 255, 255, false), "");
}

/* One term, or two where there is a partner. */
static V
write_term(struct bytes *f, const struct term *t, const struct term *partner, unsigned odd)
{
    const struct value *n = &f->values[t->value];

    if (partner)
        return multiply_add(f, odd ? f->values[partner->value].source : n->source, t->times, partner->times);
    if (n->form == BYTES && t->times != 1 && multiplies(t->times, 0))
        return multiply_add(f, n->source, odd ? 0 : t->times, odd ? t->times : 0);
    V half = half_of(f, t->value, odd);
    uint16_t times = (uint16_t)t->times;
    return times == 1 ? half : LLVMBuildMul(f->l->builder, half, splat(f, times, times, false), "");
}

static V
write_sum(struct bytes *f, const struct sum *s, unsigned odd)
{
    LLVMBuilderRef b = f->l->builder;
    V all = s->number || !s->count ? splat(f, s->number, s->number, false) : NULL;
    int next[MOST_SUM];
    bool taken[MOST_SUM];

    find_pairs(f, s, next, taken);
    for (unsigned k = 0; k < s->count; k++) {
        if (taken[k])
            continue;
        V term = write_term(f, &s->terms[k], next[k] >= 0 ? &s->terms[next[k]] : NULL, odd);
        all = all ? LLVMBuildAdd(b, term, all, "") : term;
    }
    return all;
}

static V
write_call(struct bytes *f, const struct value *n, unsigned odd)
{
    V x = half_of(f, n->x, odd), args[] = {x, n->y >= 0 ? half_of(f, n->y, odd) : LLVMGetOperand(n->v, 1)};
    V callee = LLVMGetIntrinsicDeclaration(f->l->module, LLVMGetIntrinsicID(LLVMGetCalledValue(n->v)),
                                           &f->halves, 1);

    return LLVMBuildCall2(f->l->builder, LLVMGlobalGetValueType(callee), callee, args, 2, "");
}

static V
write_operation(struct bytes *f, int value, unsigned odd)
{
    const struct value *n = &f->values[value];
    struct sum s = {.count = 0};
    int16_t times, other;

    if (is_sum(f, n, &times, &other) && add_to_sum(f, &s, n->x, times) &&
        (!other || add_to_sum(f, &s, n->y, other)))
        return write_sum(f, &s, odd);
    V x = half_of(f, n->x, odd), y = half_of(f, n->y, odd);
    return LLVMBuildBinOp(f->l->builder, LLVMGetInstructionOpcode(n->v), x, y, "");
}

static V
half_of(struct bytes *f, int value, unsigned odd)
{
    struct value *n = &f->values[value];

    if (n->half[odd])
        return n->half[odd];
    switch (n->form) {
    case BYTES:
        n->half[odd] = half_of_bytes(f, n->source, odd);
        break;
    case ALIKE:
        n->half[odd] = lw_lane_part(f->l, n->v, 0, f->lanes / 2);
        break;
    case FROZEN:
        n->half[odd] = LLVMBuildFreeze(f->l->builder, half_of(f, n->x, odd), "");
        break;
    case CALL:
        n->half[odd] = write_call(f, n, odd);
        break;
    case OPERATION:
        n->half[odd] = write_operation(f, value, odd);
        break;
    }
    return n->half[odd];
}

static void
narrow(struct bytes *f, V root, int value)
{
    LLVMBuilderRef b = f->l->builder;

    LLVMPositionBuilderBefore(b, root);
    V even = LLVMBuildAnd(b, half_of(f, value, 0), splat(f, 255, 255, false), "");
    V odd = LLVMBuildShl(b, half_of(f, value, 1), splat(f, 8, 8, false), "");
    V both = LLVMBuildBitCast(b, LLVMBuildOr(b, even, odd, ""), LLVMTypeOf(root), "");
    lw_replace(root, both);
    for (unsigned k = f->count; k-- > 0;)
        if (f->values[k].form >= OPERATION ||
            (f->values[k].form == BYTES && !LLVMGetFirstUse(f->values[k].v)))
            LLVMInstructionEraseFromParent(f->values[k].v);
}

/* ---- averages ---- */

/* Are its addends a one, and bytes? Those, and how many there are. */
static bool
find_addends(const struct bytes *f, V v, unsigned depth, V *bytes, unsigned *count, unsigned *ones)
{
    uint16_t number;

    if (is_number(v, &number))
        return number == 1 && ++*ones == 1;
    if (LLVMIsAZExtInst(v) && is_of(LLVMGetOperand(v, 0), f->lanes, 8) && *count < 2) {
        bytes[(*count)++] = LLVMGetOperand(v, 0);
        return true;
    }
    return depth && LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd &&
           find_addends(f, LLVMGetOperand(v, 0), depth - 1, bytes, count, ones) &&
           find_addends(f, LLVMGetOperand(v, 1), depth - 1, bytes, count, ones);
}

static void
average(struct bytes *f, V shift)
{
    static const char *const names[] = {"llvm.x86.sse2.pavg.b", "llvm.x86.avx2.pavg.b",
                                        "llvm.x86.avx512.pavg.b.512"};
    V bytes[2];
    unsigned count = 0, ones = 0;
    uint16_t by;

    if (!is_number(LLVMGetOperand(shift, 1), &by) || by != 1 ||
        !find_addends(f, LLVMGetOperand(shift, 0), 2, bytes, &count, &ones) || count != 2 || !ones)
        return;
    LLVMPositionBuilderBefore(f->l->builder, shift);
    V mean = by_registers(f, names, bytes[0], bytes[1]);
    lw_replace(shift, LLVMBuildZExt(f->l->builder, mean, LLVMTypeOf(shift), ""));
}

static void
change(struct bytes *f, V i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    bool is_root = op == LLVMTrunc;

    f->count = 0;
    if ((!is_root && op != LLVMLShr) || !lw_lane_is_vector(i))
        return;
    f->lanes = LLVMGetVectorSize(LLVMTypeOf(i));
    if (f->lanes > LW_MAX_LANES || f->lanes * 8 < f->register_bits || f->lanes * 8 % f->register_bits ||
        !is_of(i, f->lanes, is_root ? 8 : 16) || !is_of(LLVMGetOperand(i, 0), f->lanes, 16))
        return;
    f->block = LLVMGetInstructionParent(i);
    f->halves = LLVMVectorType(lw_lane_int_type(f->l, 16), f->lanes / 2);
    if (!is_root) {
        average(f, i);
        return;
    }
    int value = collect(f, LLVMGetOperand(i, 0), DEEPEST);
    if (value < 0 || !is_worth_it(f, i))
        return;
    if (f->values[value].form == BYTES) {
        lw_replace(i, f->values[value].source);
        return;
    }
    find_addresses(f, i);
    narrow(f, i, value);
}

static void
visit(lw_lanes *l, struct lw_arena *arena, void *data)
{
    struct bytes *f = LW_ARENA_NEW(arena, struct bytes, 1);

    (void)data;
    f->l = l;
    f->layout = LLVMGetModuleDataLayout(l->module);
    f->register_bits = lw_isa_row(l->isa)->register_bits;
    for (V g = LLVMGetFirstFunction(l->module); g; g = LLVMGetNextFunction(g))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(g); b; b = LLVMGetNextBasicBlock(b))
            for (V i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                change(f, i);
            }
}

bool
lw_halve_bytes(LLVMModuleRef module, lw_isa isa)
{
    return lw_run_pass(module, isa, visit, NULL);
}
