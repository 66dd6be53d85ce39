/* SPDX-License-Identifier: MIT */
/* Fields of words, as ushort2 and uchar4 have them, that are taken out, changed alike and put together again:
 * they stay where they are.
 *
 *     a = trunc x;  b = trunc (x >> 16)                p = bitcast x to <2n x i16>
 *     a' = a * 3;  b' = b * 3                   ->     p' = p * 3
 *     zext a' | zext b' << 16                          bitcast p'
 *
 * Enters: a module after its last LLVM pass. Leaves: the same words. Relies on: lanes being little-endian;
 * both halves of a word being needed wherever one is. Never: does what others use twice, or in another block.
 * Why: the narrowing and widening of half vectors crosses registers, and takes as long as the arithmetic in
 * between.
 */
#include "fields.h"

#include <string.h>

#include "../facts/calls.h"
#include "../facts/integers.h"
#include "../flow/module_pass.h"

enum { MOST_NODES = 64, MOST_PIECES = 4, MOST_STEPS = 1000, DEPTH = 12 };

enum kind { FIELD, TWICE, CONSTANT, OPERATION, CALL, FREEZE };

/* Two half vectors, a in the lower halves and b in the upper ones. */
struct node {
    enum kind kind;
    V a, b; /* may have fewer bits than half a word: the others are zero */
    V word; /* FIELD, and TWICE where it is one: (word >> shift) & mask */
    unsigned shift;
    uint64_t mask, upper; /* upper: of b, in a FIELD */
    int x, y;             /* operands */
    V made;
};

struct fields {
    lw_lanes *l;
    LLVMBasicBlockRef block;
    LLVMTypeRef words, halves; /* <n x i2S>, <2n x iS> */
    unsigned bits, lanes;      /* S, n */
    struct node nodes[MOST_NODES];
    struct tally {
        unsigned nodes, taken, changed, spread; /* all; FIELDs; with a != b; TWICE of no field */
    } count;
    unsigned steps; /* of the search */
};

/* What is put into half a word: v, v << by, or v without its lowest bits. */
struct piece {
    V v;
    enum { WHOLE, SHIFTED, CUT } how;
    unsigned by;
};

struct pieces {
    struct piece piece[2][MOST_PIECES];
    unsigned count[2];
};

static unsigned
element_bits(V v)
{
    LLVMTypeRef type = LLVMTypeOf(v);

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
        return 0;
    return LLVMGetIntTypeWidth(LLVMGetElementType(type));
}

static uint64_t
ones(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static bool
is_op(V v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* A vector of which all elements are one number. */
static bool
is_splat(V v, uint64_t *value)
{
    unsigned count = LLVMIsConstant(v) && element_bits(v) ? LLVMGetVectorSize(LLVMTypeOf(v)) : 0;

    for (unsigned k = 0; k < count; k++) {
        V element = LLVMGetAggregateElement(v, k);
        uint64_t mine;
        if (!element || !lw_is_int_constant(element, &mine) || (k > 0 && mine != *value))
            return false;
        *value = mine;
    }
    return count > 0;
}

static bool
operates_by(V v, LLVMOpcode op, uint64_t *by)
{
    return is_op(v, op) && is_splat(LLVMGetOperand(v, 1), by);
}

/* v = (word >> shift) & mask; false: something else. */
static bool
read_field(struct fields *f, V v, int depth, struct node *out)
{
    uint64_t by;
    unsigned bits = element_bits(v);

    if (depth == 0 || !LLVMIsAInstruction(v))
        return false;
    if (bits == 2 * f->bits) {
        out->word = v;
        out->shift = 0;
        if (operates_by(v, LLVMLShr, &by) && by < bits) {
            out->word = LLVMGetOperand(v, 0);
            out->shift = (unsigned)by;
        }
        out->mask = ones(bits - out->shift);
        return true;
    }
    if (is_op(v, LLVMTrunc) || is_op(v, LLVMZExt)) {
        bool good = read_field(f, LLVMGetOperand(v, 0), depth - 1, out);
        out->mask &= ones(bits);
        return good;
    }
    if (operates_by(v, LLVMAnd, &by)) {
        bool good = read_field(f, LLVMGetOperand(v, 0), depth - 1, out);
        out->mask &= by;
        return good;
    }
    if (operates_by(v, LLVMLShr, &by) && by < bits && read_field(f, LLVMGetOperand(v, 0), depth - 1, out)) {
        out->shift += (unsigned)by;
        out->mask >>= by;
        return true;
    }
    return false;
}

static int
add_node(struct fields *f, const struct node *n)
{
    if (f->count.nodes == MOST_NODES)
        return -1;
    f->count.taken += n->kind == FIELD;
    f->count.spread += n->kind == TWICE && !n->word;
    f->count.changed += n->kind >= OPERATION && n->a != n->b;
    f->nodes[f->count.nodes] = *n;
    return (int)f->count.nodes++;
}

static bool
is_alike(LLVMOpcode op, bool narrow)
{
    bool exact = op == LLVMAnd || op == LLVMOr || op == LLVMXor || op == LLVMLShr;

    return narrow ? exact : lw_is_int_operation(op);
}

/* Lane by lane, of two operands. */
static bool
is_call_alike(V a, V b)
{
    static const char *const names[] = {"llvm.umin.",     "llvm.umax.",     "llvm.smin.",
                                        "llvm.smax.",     "llvm.uadd.sat.", "llvm.usub.sat.",
                                        "llvm.sadd.sat.", "llvm.ssub.sat."};

    if (!LLVMIsACallInst(a) || !LLVMIsACallInst(b) || LLVMGetCalledValue(a) != LLVMGetCalledValue(b))
        return false;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (lw_is_call_like(a, names[k]))
            return true;
    return false;
}

static int pair(struct fields *f, V a, V b, int depth);

static bool
pair_operands(struct fields *f, struct node *n, int depth)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(n->a);
    bool swaps = op == LLVMAdd || op == LLVMMul || op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    struct tally before = f->count;

    for (unsigned swap = 0; swap < (swaps ? 2 : 1); swap++) {
        n->x = pair(f, LLVMGetOperand(n->a, 0), LLVMGetOperand(n->b, swap), depth - 1);
        n->y = n->x < 0 ? -1 : pair(f, LLVMGetOperand(n->a, 1), LLVMGetOperand(n->b, !swap), depth - 1);
        if (n->y >= 0)
            return true;
        f->count = before;
    }
    return false;
}

/* Both in the block at hand, which is done once for each of the words. */
static bool
is_here(const struct fields *f, V a, V b)
{
    return LLVMIsAInstruction(a) && LLVMIsAInstruction(b) && LLVMGetInstructionParent(a) == f->block &&
           LLVMGetInstructionParent(b) == f->block;
}

static bool
pair_changed(struct fields *f, struct node *n, int depth)
{
    unsigned bits = element_bits(n->a);
    V a = n->a, b = n->b;

    if (!is_here(f, a, b) || bits != element_bits(b))
        return false;
    if (LLVMIsAFreezeInst(a) || LLVMIsAFreezeInst(b)) { /* where one is, both may be */
        n->kind = FREEZE;
        n->x = pair(f, LLVMIsAFreezeInst(a) ? LLVMGetOperand(a, 0) : a,
                    LLVMIsAFreezeInst(b) ? LLVMGetOperand(b, 0) : b, depth - 1);
        return n->x >= 0;
    }
    if (LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b))
        return false;
    bool call = bits == f->bits && is_call_alike(a, b);
    n->kind = call ? CALL : OPERATION;
    return (call || is_alike(LLVMGetInstructionOpcode(a), bits < f->bits)) && pair_operands(f, n, depth);
}

/* The node of a and b; -1: they are not alike. */
static int
pair(struct fields *f, V a, V b, int depth)
{
    struct node n = {0}, other = {0};
    uint64_t number;

    while (is_op(a, LLVMZExt))
        a = LLVMGetOperand(a, 0);
    while (is_op(b, LLVMZExt))
        b = LLVMGetOperand(b, 0);
    for (unsigned k = 0; k < f->count.nodes; k++)
        if (f->nodes[k].a == a && f->nodes[k].b == b)
            return (int)k;
    unsigned bits = element_bits(a);
    if (depth == 0 || ++f->steps > MOST_STEPS || !bits || bits > f->bits || element_bits(b) > f->bits)
        return -1;
    n.a = a;
    n.b = b;
    n.kind = CONSTANT;
    if (is_splat(a, &number) && is_splat(b, &number))
        return add_node(f, &n);
    bool fields = read_field(f, a, 4, &n) && read_field(f, b, 4, &other) && n.word == other.word;
    n.kind = FIELD;
    n.upper = other.mask;
    if (fields && other.shift == n.shift + f->bits && !(n.mask & ~ones(f->bits - n.shift)))
        return add_node(f, &n);
    bool same = a == b, constant = same && LLVMIsAInstruction(a) && LLVMGetNumOperands(a) == 2 &&
                                   is_splat(LLVMGetOperand(a, 1), &number);
    n.kind = TWICE;
    if (same && fields)
        return add_node(f, &n);
    n.word = NULL;
    if ((!same || constant) && pair_changed(f, &n, depth))
        return add_node(f, &n);
    n.kind = TWICE;
    return same ? add_node(f, &n) : -1;
}

/* ---- how words are put together ---- */

static bool
add_piece(struct pieces *p, unsigned half, V v, int how, uint64_t by)
{
    if (p->count[half] == MOST_PIECES)
        return false;
    p->piece[half][p->count[half]++] = (struct piece){.v = v, .how = how, .by = (unsigned)by};
    return true;
}

static bool
is_used_once(V v)
{
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use);
}

/* Half a word, which may be put together itself. */
static bool
split_half(struct fields *f, struct pieces *p, unsigned half, V v, int depth)
{
    uint64_t by;

    if (element_bits(v) > f->bits || depth == 0)
        return false;
    if (is_op(v, LLVMOr) && is_used_once(v))
        return split_half(f, p, half, LLVMGetOperand(v, 0), depth - 1) &&
               split_half(f, p, half, LLVMGetOperand(v, 1), depth - 1);
    if (operates_by(v, LLVMShl, &by) && element_bits(v) == f->bits && by < f->bits)
        return add_piece(p, half, LLVMGetOperand(v, 0), SHIFTED, by);
    if (operates_by(v, LLVMAnd, &by) && element_bits(v) == f->bits && by) {
        unsigned low = (unsigned)__builtin_ctzll(by);
        if (low && by == (ones(f->bits) & ~ones(low)))
            return add_piece(p, half, LLVMGetOperand(v, 0), CUT, low);
    }
    return add_piece(p, half, v, WHOLE, 0);
}

static bool
split_word(struct fields *f, struct pieces *p, V v, bool root, int depth)
{
    uint64_t by = 0, back;

    if (depth == 0)
        return false;
    if (is_op(v, LLVMOr) && (root || is_used_once(v)))
        return split_word(f, p, LLVMGetOperand(v, 0), false, depth - 1) &&
               split_word(f, p, LLVMGetOperand(v, 1), false, depth - 1);
    V wide = operates_by(v, LLVMShl, &by) ? LLVMGetOperand(v, 0) : v;
    V half = is_op(wide, LLVMZExt) ? LLVMGetOperand(wide, 0) : NULL;
    if (!half || (by && by < f->bits) || by >= 2 * f->bits)
        return false;
    if (by == 0 || by == f->bits)
        return split_half(f, p, by > 0, half, depth - 1);
    by -= f->bits;
    if (element_bits(half) == f->bits && operates_by(half, LLVMLShr, &back) && back == by)
        return add_piece(p, 1, LLVMGetOperand(half, 0), CUT, by);
    return add_piece(p, 1, half, SHIFTED, by);
}

/* ---- who else uses them ---- */

static bool
is_covered(const struct fields *f, const struct pieces *p, V v)
{
    for (unsigned k = 0; k < f->count.nodes; k++)
        if (f->nodes[k].kind >= OPERATION && (f->nodes[k].a == v || f->nodes[k].b == v))
            return true;
    for (unsigned half = 0; half < 2; half++)
        for (unsigned k = 0; k < p->count[half]; k++)
            if (p->piece[half][k].v == v)
                return true;
    return false;
}

/* Is all that uses `v` what is about to be replaced? `depth`: through extensions and what puts words
 * together. */
static bool
serves_words(struct fields *f, const struct pieces *p, V v, V root, int depth)
{
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        V user = LLVMGetUser(use);
        if (++f->steps > MOST_STEPS)
            return false;
        if (user == root || is_covered(f, p, user))
            continue;
        bool passes = is_op(user, LLVMZExt) || is_op(user, LLVMOr) || is_op(user, LLVMShl) ||
                      is_op(user, LLVMAnd) || is_op(user, LLVMLShr);
        if (depth == 0 || !passes || !serves_words(f, p, user, root, depth - 1))
            return false;
    }
    return true;
}

static bool
nobody_else(struct fields *f, const struct pieces *p, V root)
{
    for (unsigned k = 0; k < f->count.nodes; k++) {
        const struct node *n = &f->nodes[k];
        if (n->kind >= OPERATION && n->a != n->b &&
            (!serves_words(f, p, n->a, root, DEPTH) || !serves_words(f, p, n->b, root, DEPTH)))
            return false;
    }
    return true;
}

/* ---- writing ---- */

static V
splat_of(LLVMTypeRef type, uint64_t value)
{
    V elements[2 * 64];
    unsigned count = LLVMGetVectorSize(type);

    for (unsigned k = 0; k < count; k++)
        elements[k] = LLVMConstInt(LLVMGetElementType(type), value, false);
    return LLVMConstVector(elements, count);
}

static V
two_numbers(const struct fields *f, uint64_t low, uint64_t high)
{
    V elements[2 * 64];

    for (unsigned k = 0; k < 2 * f->lanes; k++)
        elements[k] = LLVMConstInt(LLVMGetElementType(f->halves), k % 2 ? high : low, false);
    return LLVMConstVector(elements, 2 * f->lanes);
}

static V
write_twice(const struct fields *f, const struct node *n)
{
    LLVMBuilderRef b = f->l->builder;
    V word = n->word;

    if (!word) {
        word = LLVMBuildZExt(b, n->a, f->words, "");
    } else {
        word = n->shift ? LLVMBuildLShr(b, word, splat_of(f->words, n->shift), "") : word;
        if (n->mask != ones(2 * f->bits - n->shift))
            word = LLVMBuildAnd(b, word, splat_of(f->words, n->mask), "");
    }
    V upper = LLVMBuildShl(b, word, splat_of(f->words, f->bits), "");
    return LLVMBuildBitCast(b, LLVMBuildOr(b, word, upper, ""), f->halves, "");
}

static V
write_field(const struct fields *f, const struct node *n)
{
    LLVMBuilderRef b = f->l->builder;
    V halves = LLVMBuildBitCast(b, n->word, f->halves, "");

    if (n->shift)
        halves = LLVMBuildLShr(b, halves, splat_of(f->halves, n->shift), "");
    if ((n->mask & n->upper) != ones(f->bits - n->shift))
        halves = LLVMBuildAnd(b, halves, two_numbers(f, n->mask, n->upper), "");
    return halves;
}

static V
write_call(const struct fields *f, V call, V x, V y)
{
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(call));
    LLVMTypeRef types[] = {f->halves};
    V callee = LLVMGetIntrinsicDeclaration(f->l->module, id, types, 1), args[] = {x, y};

    return LLVMBuildCall2(f->l->builder, LLVMGlobalGetValueType(callee), callee, args, 2, "");
}

static void
write_node(struct fields *f, struct node *n)
{
    LLVMBuilderRef b = f->l->builder;

    switch (n->kind) {
    case FIELD:
        n->made = write_field(f, n);
        break;
    case TWICE:
        n->made = write_twice(f, n);
        break;
    case CONSTANT:
        is_splat(n->a, &n->mask);
        is_splat(n->b, &n->upper);
        n->made = two_numbers(f, n->mask, n->upper);
        break;
    case FREEZE:
        n->made = LLVMBuildFreeze(b, f->nodes[n->x].made, "");
        break;
    case CALL:
        n->made = write_call(f, n->a, f->nodes[n->x].made, f->nodes[n->y].made);
        break;
    case OPERATION:
        n->made =
            LLVMBuildBinOp(b, LLVMGetInstructionOpcode(n->a), f->nodes[n->x].made, f->nodes[n->y].made, "");
        break;
    }
}

static V
write_word(struct fields *f, const struct pieces *p, const int *nodes)
{
    LLVMBuilderRef b = f->l->builder;
    V all = NULL;

    for (unsigned k = 0; k < f->count.nodes; k++)
        write_node(f, &f->nodes[k]);
    for (unsigned k = 0; k < p->count[0]; k++) {
        const struct piece *piece = &p->piece[0][k];
        V part = f->nodes[nodes[k]].made;
        if (piece->how == CUT)
            part = LLVMBuildAnd(b, part, splat_of(f->halves, ones(f->bits) & ~ones(piece->by)), "");
        else if (piece->how == SHIFTED)
            part = LLVMBuildShl(b, part, splat_of(f->halves, piece->by), "");
        all = all ? LLVMBuildOr(b, all, part, "") : part;
    }
    return LLVMBuildBitCast(b, all, f->words, "");
}

/* The root, and what stood before it for its sake: users stand behind what they use. */
static void
erase_unused(V root)
{
    unsigned steps = 0;

    for (V i = root, before; i && steps < MOST_STEPS; i = before, steps++) {
        before = LLVMGetPreviousInstruction(i);
        if (element_bits(i) && !LLVMGetFirstUse(i) &&
            (LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsAFreezeInst(i) || is_call_alike(i, i)))
            LLVMInstructionEraseFromParent(i);
    }
}

/* Each piece of the lower halves and its like of the upper ones. */
static bool
match_pieces(struct fields *f, const struct pieces *p, int *nodes)
{
    bool used[MOST_PIECES] = {false};

    if (p->count[0] != p->count[1] || p->count[0] == 0)
        return false;
    for (unsigned k = 0; k < p->count[0]; k++) {
        const struct piece *low = &p->piece[0][k];
        struct tally before = f->count;
        nodes[k] = -1;
        for (unsigned j = 0; j < p->count[1] && nodes[k] < 0; j++) {
            const struct piece *high = &p->piece[1][j];
            if (used[j] || low->how != high->how || low->by != high->by)
                continue;
            nodes[k] = pair(f, low->v, high->v, DEPTH);
            if (nodes[k] < 0)
                f->count = before;
            else
                used[j] = true;
        }
        if (nodes[k] < 0)
            return false;
    }
    return true;
}

static void
join_fields(lw_lanes *l, V root)
{
    unsigned bits = is_op(root, LLVMOr) ? element_bits(root) : 0;
    LLVMUseRef use = LLVMGetFirstUse(root);
    struct pieces p = {.count = {0, 0}};
    int nodes[MOST_PIECES];

    if ((bits != 16 && bits != 32) || !use || LLVMGetVectorSize(LLVMTypeOf(root)) > 64)
        return;
    if (is_op(LLVMGetUser(use), LLVMOr) && is_used_once(root))
        return; /* part of a larger one */
    LLVMTypeRef half = LLVMIntTypeInContext(l->context, bits / 2);
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(root));
    struct fields f;
    f.l = l;
    f.block = LLVMGetInstructionParent(root);
    f.words = LLVMTypeOf(root);
    f.halves = LLVMVectorType(half, 2 * lanes);
    f.bits = bits / 2;
    f.lanes = lanes;
    f.count = (struct tally){0};
    f.steps = 0;
    if (!split_word(&f, &p, root, true, DEPTH) || !match_pieces(&f, &p, nodes) || !f.count.taken ||
        !f.count.changed || f.count.spread > f.count.taken || !nobody_else(&f, &p, root))
        return;
    LLVMPositionBuilderBefore(l->builder, root);
    LLVMReplaceAllUsesWith(root, write_word(&f, &p, nodes));
    erase_unused(root);
}

void
lw_join_fields(LLVMModuleRef module)
{
    lw_visit_instructions(module, join_fields);
}
