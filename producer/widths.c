/* SPDX-License-Identifier: MIT */
/* Integers of widths that SPIR-V does not have, an i2 for a loop of `x & 3` rounds, which the back end takes
 * for wider ones: each becomes the next wider integer, whose upper bits are zero.
 *
 * First every such instruction gets a stand-in, its zero extension; then it is computed of its operands'
 * wider values, with the sign extended where the operation asks for it.
 *
 * Enters: a function.  Leaves: integers of 1, 8, 16, 32 and 64 bits.  Refuses: more than 64 bits but in moves
 * of bits, functions that take or return such integers, structures with them.
 */
#include "legal.h"

#include <stdlib.h>
#include <string.h>

struct wide {
    V instruction, stand_in, made;
};

struct widths {
    struct lw_legal *l;
    struct wide *wides;
    size_t count, room;
};

static bool
refuse(struct widths *s, const char *why)
{
    s->l->why = why;
    return false;
}

static bool
is_odd(T type)
{
    T scalar = lw_scalar_of(type);
    return LLVMGetTypeKind(scalar) == LLVMIntegerTypeKind && !lw_is_legal_width(LLVMGetIntTypeWidth(scalar));
}

static T
like(T scalar, T type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(scalar, LLVMGetVectorSize(type))
                                                       : scalar;
}

/* The wider type that stands for an odd one. */
static T
wide_type(struct widths *s, T type)
{
    return like(LLVMIntTypeInContext(s->l->context, lw_wider(lw_bits_of(lw_scalar_of(type)))), type);
}

static int
compare(const void *left, const void *right)
{
    const struct wide *a = left, *b = right;
    return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

/* ---- Operands ---- */

static struct wide *
find(struct widths *s, V value)
{
    struct wide key = {.instruction = value};
    return s->count ? bsearch(&key, s->wides, s->count, sizeof *s->wides, compare) : NULL;
}

/* The wider value, zero-extended. */
static V
wide(struct widths *s, V value)
{
    struct wide *found = find(s, value);
    if (!is_odd(LLVMTypeOf(value)))
        return value;
    return found ? found->stand_in : LLVMBuildZExt(s->l->b, value, wide_type(s, LLVMTypeOf(value)), "");
}

/* Its upper bits as the sign's. */
static V
wide_signed(struct widths *s, V value)
{
    V x = wide(s, value);
    T odd = LLVMTypeOf(value), type = LLVMTypeOf(x);
    if (!is_odd(odd))
        return x;
    V shift = lw_number(s->l, type, lw_bits_of(lw_scalar_of(type)) - lw_bits_of(lw_scalar_of(odd)));
    return LLVMBuildAShr(s->l->b, LLVMBuildShl(s->l->b, x, shift, ""), shift, "");
}

/* The bits of the odd type alone. */
static V
masked(struct widths *s, V x, T odd)
{
    unsigned bits = lw_bits_of(lw_scalar_of(odd));
    return LLVMBuildAnd(s->l->b, x, lw_number(s->l, LLVMTypeOf(x), ((uint64_t)1 << bits) - 1), "");
}

/* ---- What makes such integers: their wider values ---- */

static V
binary(struct widths *s, V i)
{
    LLVMBuilderRef b = s->l->b;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    V x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    bool of_sign = op == LLVMSDiv || op == LLVMSRem || op == LLVMAShr;
    bool second_too = of_sign && op != LLVMAShr;
    V made = LLVMBuildBinOp(b, op, of_sign ? wide_signed(s, x) : wide(s, x),
                            second_too ? wide_signed(s, y) : wide(s, y), "");
    return masked(s, made, LLVMTypeOf(i));
}

/* A conversion into an odd type. */
static V
converted(struct widths *s, V i)
{
    LLVMBuilderRef b = s->l->b;
    T odd = LLVMTypeOf(i), type = wide_type(s, odd);
    V x = LLVMGetOperand(i, 0);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMTrunc:
        return masked(s, LLVMBuildIntCast2(b, wide(s, x), type, false, ""), odd);
    case LLVMZExt:
        return LLVMBuildIntCast2(b, wide(s, x), type, false, "");
    case LLVMSExt:
        return masked(s, LLVMBuildIntCast2(b, wide_signed(s, x), type, true, ""), odd);
    case LLVMFPToUI:
        return masked(s, LLVMBuildFPToUI(b, x, type, ""), odd);
    case LLVMFPToSI:
        return masked(s, LLVMBuildFPToSI(b, x, type, ""), odd);
    case LLVMPtrToInt:
        return masked(s, LLVMBuildPtrToInt(b, x, type, ""), odd);
    default:
        return NULL;
    }
}

/* The components of any reinterpreted value, odd ones as they are. */
static V
reinterpreted(struct widths *s, V i)
{
    V from[LW_MOST_COMPONENTS];
    V x = LLVMGetOperand(i, 0);
    T odd = LLVMTypeOf(i), source = LLVMTypeOf(x);
    unsigned count = lw_count_of(source), to_count = lw_count_of(odd);
    if (!lw_bits_of(lw_scalar_of(source)) || count > LW_MOST_COMPONENTS || to_count != 1 || is_odd(source))
        return NULL;
    /* The bits one behind the other, in the wider integer. */
    T type = wide_type(s, odd);
    unsigned bits = lw_bits_of(lw_scalar_of(source));
    V value = NULL;
    for (unsigned k = 0; k < count; k++) {
        from[k] = lw_part(s->l, x, k);
        if (LLVMGetTypeKind(LLVMTypeOf(from[k])) != LLVMIntegerTypeKind)
            from[k] = LLVMBuildBitCast(s->l->b, from[k], LLVMIntTypeInContext(s->l->context, bits), "");
        V piece = LLVMBuildZExt(s->l->b, from[k], type, "");
        if (k)
            piece = LLVMBuildShl(s->l->b, piece, LLVMConstInt(type, (uint64_t)k * bits, false), "");
        value = value ? LLVMBuildOr(s->l->b, value, piece, "") : piece;
    }
    return value;
}

static V
joined(struct widths *s, V phi)
{
    LLVMPositionBuilder(s->l->b, LLVMGetInstructionParent(phi), phi);
    V made = LLVMBuildPhi(s->l->b, wide_type(s, LLVMTypeOf(phi)), "");
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);
        LLVMPositionBuilderBefore(s->l->b, LLVMGetBasicBlockTerminator(from));
        V value = wide(s, LLVMGetIncomingValue(phi, n));
        LLVMAddIncoming(made, &value, &from, 1);
    }
    return made;
}

/* min, max, population count, of LLVM's functions. */
static V
called(struct widths *s, V i)
{
    static const struct {
        const char *name;
        bool of_sign;
    } known[] = {{"llvm.umin.", false},
                 {"llvm.umax.", false},
                 {"llvm.smin.", true},
                 {"llvm.smax.", true},
                 {"llvm.ctpop.", false}};
    size_t length;
    V args[2];
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        if (strncmp(name, known[k].name, strlen(known[k].name)) != 0)
            continue;
        unsigned count = LLVMGetNumArgOperands(i);
        for (unsigned a = 0; a < count; a++)
            args[a] = known[k].of_sign ? wide_signed(s, LLVMGetOperand(i, a)) : wide(s, LLVMGetOperand(i, a));
        T type = LLVMTypeOf(args[0]);
        V function =
            LLVMGetIntrinsicDeclaration(s->l->module, LLVMGetIntrinsicID(LLVMGetCalledValue(i)), &type, 1);
        return masked(s, LLVMBuildCall2(s->l->b, LLVMGlobalGetValueType(function), function, args, count, ""),
                      LLVMTypeOf(i));
    }
    return NULL;
}

/* Bytes of memory, as many as the type has. */
static V
loaded(struct widths *s, V i)
{
    T odd = LLVMTypeOf(i), type = wide_type(s, odd), byte = LLVMInt8TypeInContext(s->l->context);
    unsigned bits = lw_bits_of(lw_scalar_of(odd));
    if (LLVMGetTypeKind(odd) == LLVMVectorTypeKind || bits % 8)
        return NULL;
    V value = NULL;
    for (unsigned k = 0; k < bits / 8; k++) {
        V at = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), k, false);
        V piece = LLVMBuildLoad2(s->l->b, byte,
                                 LLVMBuildInBoundsGEP2(s->l->b, byte, LLVMGetOperand(i, 0), &at, 1, ""), "");
        LLVMSetAlignment(piece, 1);
        LLVMSetVolatile(piece, LLVMGetVolatile(i));
        piece = LLVMBuildZExt(s->l->b, piece, type, "");
        if (k)
            piece = LLVMBuildShl(s->l->b, piece, LLVMConstInt(type, 8 * k, false), "");
        value = value ? LLVMBuildOr(s->l->b, value, piece, "") : piece;
    }
    return value;
}

static V
compute(struct widths *s, V i)
{
    LLVMBuilderRef b = s->l->b;
    lw_write_at(s->l, i);
    if (LLVMIsABinaryOperator(i))
        return binary(s, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return joined(s, i);
    case LLVMBitCast:
        return reinterpreted(s, i);
    case LLVMCall:
        return called(s, i);
    case LLVMLoad:
        return loaded(s, i);
    case LLVMFreeze:
        return LLVMBuildFreeze(b, wide(s, LLVMGetOperand(i, 0)), "");
    case LLVMSelect:
        return LLVMBuildSelect(b, LLVMGetOperand(i, 0), wide(s, LLVMGetOperand(i, 1)),
                               wide(s, LLVMGetOperand(i, 2)), "");
    case LLVMExtractElement:
        return LLVMBuildExtractElement(b, wide(s, LLVMGetOperand(i, 0)), wide(s, LLVMGetOperand(i, 1)), "");
    case LLVMInsertElement:
        return LLVMBuildInsertElement(b, wide(s, LLVMGetOperand(i, 0)), wide(s, LLVMGetOperand(i, 1)),
                                      wide(s, LLVMGetOperand(i, 2)), "");
    case LLVMShuffleVector: {
        V mask[LW_MOST_COMPONENTS];
        T index = LLVMInt32TypeInContext(s->l->context);
        unsigned count = LLVMGetNumMaskElements(i);
        for (unsigned k = 0; k < count; k++) {
            int from = LLVMGetMaskValue(i, k);
            mask[k] = from < 0 ? LLVMGetPoison(index) : LLVMConstInt(index, (unsigned)from, false);
        }
        return LLVMBuildShuffleVector(b, wide(s, LLVMGetOperand(i, 0)), wide(s, LLVMGetOperand(i, 1)),
                                      LLVMConstVector(mask, count), "");
    }
    default:
        return LLVMIsACastInst(i) ? converted(s, i) : NULL;
    }
}

/* ---- What takes such integers ---- */

/* A conversion out of an odd type. */
static V
converted_back(struct widths *s, V i)
{
    LLVMBuilderRef b = s->l->b;
    V x = LLVMGetOperand(i, 0);
    T type = LLVMTypeOf(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMTrunc:
    case LLVMZExt:
        return LLVMBuildIntCast2(b, wide(s, x), type, false, "");
    case LLVMSExt:
        return LLVMBuildIntCast2(b, wide_signed(s, x), type, true, "");
    case LLVMUIToFP:
        return LLVMBuildUIToFP(b, wide(s, x), type, "");
    case LLVMSIToFP:
        return LLVMBuildSIToFP(b, wide_signed(s, x), type, "");
    case LLVMIntToPtr:
        return LLVMBuildIntToPtr(b, wide(s, x), type, "");
    default:
        return NULL;
    }
}

/* An odd integer's bits as smaller values. */
static V
scattered(struct widths *s, V i)
{
    V x = wide(s, LLVMGetOperand(i, 0)), parts[LW_MOST_COMPONENTS];
    T to = LLVMTypeOf(i), scalar = lw_scalar_of(to), type = LLVMTypeOf(x);
    unsigned bits = lw_bits_of(scalar), count = lw_count_of(to);
    if (!bits || LLVMGetTypeKind(type) == LLVMVectorTypeKind || count > LW_MOST_COMPONENTS)
        return NULL;
    for (unsigned k = 0; k < count; k++) {
        V piece = k ? LLVMBuildLShr(s->l->b, x, LLVMConstInt(type, (uint64_t)k * bits, false), "") : x;
        T as = LLVMIntTypeInContext(s->l->context, bits);
        piece = LLVMBuildIntCast2(s->l->b, piece, as, false, "");
        parts[k] = as == scalar ? piece : LLVMBuildBitCast(s->l->b, piece, scalar, "");
    }
    return lw_whole(s->l, to, parts);
}

static V
compared(struct widths *s, V i)
{
    LLVMIntPredicate p = LLVMGetICmpPredicate(i);
    bool of_sign = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntSGT || p == LLVMIntSGE;
    V x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
    return LLVMBuildICmp(s->l->b, p, of_sign ? wide_signed(s, x) : wide(s, x),
                         of_sign ? wide_signed(s, y) : wide(s, y), "");
}

static V
switched(struct widths *s, V i)
{
    V x = wide(s, LLVMGetOperand(i, 0));
    unsigned count = LLVMGetNumSuccessors(i) - 1;
    V made = LLVMBuildSwitch(s->l->b, x, LLVMGetSwitchDefaultDest(i), count);
    for (unsigned k = 0; k < count; k++) {
        V value = LLVMGetSwitchCaseValue(i, k + 1);
        LLVMAddCase(made, LLVMConstInt(LLVMTypeOf(x), LLVMConstIntGetZExtValue(value), false),
                    LLVMGetSuccessor(i, k + 1));
    }
    return made;
}

static bool
stored(struct widths *s, V i)
{
    V x = LLVMGetOperand(i, 0), value = wide(s, x);
    unsigned bits = lw_bits_of(lw_scalar_of(LLVMTypeOf(x)));
    T byte = LLVMInt8TypeInContext(s->l->context), type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind || bits % 8)
        return false;
    for (unsigned k = 0; k < bits / 8; k++) {
        V at = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), k, false);
        V piece = k ? LLVMBuildLShr(s->l->b, value, LLVMConstInt(type, 8 * k, false), "") : value;
        V store = LLVMBuildStore(s->l->b, LLVMBuildTrunc(s->l->b, piece, byte, ""),
                                 LLVMBuildInBoundsGEP2(s->l->b, byte, LLVMGetOperand(i, 1), &at, 1, ""));
        LLVMSetAlignment(store, 1);
        LLVMSetVolatile(store, LLVMGetVolatile(i));
    }
    return true;
}

static bool
rewrite_user(struct widths *s, V i)
{
    V made = NULL;
    lw_write_at(s->l, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMICmp:
        made = compared(s, i);
        break;
    case LLVMBitCast:
        made = scattered(s, i);
        break;
    case LLVMSwitch:
        switched(s, i);
        LLVMInstructionEraseFromParent(i);
        return true;
    case LLVMStore:
        if (!stored(s, i))
            return refuse(s, "a store of an odd integer");
        LLVMInstructionEraseFromParent(i);
        return true;
    case LLVMExtractElement:
        made = LLVMBuildExtractElement(s->l->b, LLVMGetOperand(i, 0), wide(s, LLVMGetOperand(i, 1)), "");
        break;
    case LLVMInsertElement:
        made = LLVMBuildInsertElement(s->l->b, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1),
                                      wide(s, LLVMGetOperand(i, 2)), "");
        break;
    case LLVMGetElementPtr:
        for (int k = 1; k < LLVMGetNumOperands(i); k++)
            if (is_odd(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k)))) {
                V index = LLVMBuildIntCast2(s->l->b, wide_signed(s, LLVMGetOperand(i, (unsigned)k)),
                                            LLVMInt64TypeInContext(s->l->context), true, "");
                LLVMSetOperand(i, (unsigned)k, index);
            }
        return true;
    default:
        made = LLVMIsACastInst(i) ? converted_back(s, i) : NULL;
        break;
    }
    if (!made)
        return refuse(s, "an instruction that takes an odd integer");
    LLVMReplaceAllUsesWith(i, made);
    LLVMInstructionEraseFromParent(i);
    return true;
}

/* ---- The walk ---- */

static bool
add(struct widths *s, V i)
{
    if (!lw_wider(lw_bits_of(lw_scalar_of(LLVMTypeOf(i)))))
        return refuse(s, "an integer of more than 64 bits");
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        struct wide *grown = realloc(s->wides, s->room * sizeof *grown);
        if (!grown)
            return refuse(s, "no memory");
        s->wides = grown;
    }
    lw_write_at(s->l, LLVMGetNextInstruction(i));
    V stand_in = LLVMBuildZExt(s->l->b, i, wide_type(s, LLVMTypeOf(i)), "");
    s->wides[s->count++] = (struct wide){.instruction = i, .stand_in = stand_in};
    return true;
}

static bool
takes_odd(V i)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (is_odd(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k))))
            return true;
    return false;
}

/* What a stand-in stands for, NULL for others. */
static struct wide *
stood_for(struct widths *s, V i)
{
    struct wide *found = LLVMIsAZExtInst(i) ? find(s, LLVMGetOperand(i, 0)) : NULL;
    return found && found->stand_in == i ? found : NULL;
}

/* What was computed, which may be what another one stands for. */
static void
replace(struct widths *s, const struct wide *w)
{
    struct wide *next;
    V value = w->made;
    for (size_t steps = 0; (next = stood_for(s, value)); steps++) {
        if (steps > s->count) { /* a ring, in code that is never reached */
            value = LLVMGetPoison(LLVMTypeOf(value));
            break;
        }
        value = next->made;
    }
    LLVMReplaceAllUsesWith(w->stand_in, value);
}

static bool
each_instruction(struct widths *s, bool (*visit)(struct widths *s, V i), bool users)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(s->l->function); block;
         block = LLVMGetNextBasicBlock(block))
        for (V i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            bool odd = is_odd(LLVMTypeOf(i));
            if ((users ? !odd && takes_odd(i) && !stood_for(s, i) : odd) && !visit(s, i))
                return false;
        }
    return true;
}

bool
lw_legal_widths(struct lw_legal *l)
{
    struct widths s = {.l = l};
    bool good = true;
    for (unsigned k = 0; k < LLVMCountParams(l->function); k++)
        if (is_odd(LLVMTypeOf(LLVMGetParam(l->function, k))))
            good = refuse(&s, "a parameter that is an odd integer");
    good = good && each_instruction(&s, add, false);
    if (s.count)
        qsort(s.wides, s.count, sizeof *s.wides, compare);
    good = good && each_instruction(&s, rewrite_user, true);
    for (size_t k = 0; good && k < s.count; k++)
        if (!(s.wides[k].made = compute(&s, s.wides[k].instruction)))
            good = refuse(&s, "an instruction that makes an odd integer");
    for (size_t k = 0; good && k < s.count; k++)
        replace(&s, &s.wides[k]);
    for (size_t k = 0; good && k < s.count; k++) {
        V i = s.wides[k].instruction;
        LLVMInstructionEraseFromParent(s.wides[k].stand_in);
        LLVMReplaceAllUsesWith(i, LLVMGetPoison(LLVMTypeOf(i)));
        LLVMInstructionEraseFromParent(i);
    }
    free(s.wides);
    return good;
}
