/* SPDX-License-Identifier: MIT */
/* Finds loops in loops that come again to what they stored, in memory of each work-item's own: eliminations,
 * substitutions and recurrences over `m = a + id * 72`. Written out they keep it in registers.
 *
 * Enters: the blocks of a loop that holds another one, of the scalar kernel of a specialised shape. Leaves:
 * nothing changed. Legal: only says what pays; loops may always be written out. Pays: where each lane has an
 * address of its own, an access is a gather or a scatter in every round, and a value that was stored is
 * gathered back.
 */
#include "revisited.h"

#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/memory_effects.h"

enum {
    MOST_PLACES = 16, /* different addresses */
    DEPTH = 10
};

/* What an address begins at: an argument, or an array; `own`: the way there differs from lane to lane. */
struct root {
    LLVMValueRef at; /* NULL: several, or not found */
    bool own;
};

struct places {
    LLVMValueRef address[MOST_PLACES];
    struct root root[MOST_PLACES];
    unsigned count;
};

/* Does the integer depend on which work-item it is? */
static bool
differs(LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v))
        return false; /* counters; what begins with an id is not found */
    if (LLVMIsACallInst(v) && lw_is_call_like(v, "lw."))
        return lw_call_same(v) != LW_SAME_GROUP && lw_call_same(v) != LW_SAME_SUB_GROUP;
    if (LLVMIsALoadInst(v) || depth == 0)
        return true;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (differs(LLVMGetOperand(v, k), depth - 1))
            return true;
    return false;
}

/* Pointers that walk begin where the edge leads that is not their own round's. */
static LLVMValueRef
first_of(LLVMValueRef phi)
{
    LLVMBasicBlockRef at = LLVMGetInstructionParent(phi);

    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k), base = v;
        for (unsigned depth = 0; depth < DEPTH && base != phi && LLVMIsAGetElementPtrInst(base); depth++)
            base = LLVMGetOperand(base, 0);
        if (base != phi && LLVMGetIncomingBlock(phi, k) != at)
            return v;
    }
    return NULL;
}

static struct root
find_root(LLVMValueRef pointer)
{
    struct root r = {pointer, false};

    for (unsigned depth = 0; depth < 2 * DEPTH; depth++) {
        if (LLVMIsAGetElementPtrInst(r.at)) {
            for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(r.at); k++)
                r.own |= differs(LLVMGetOperand(r.at, k), DEPTH);
            r.at = LLVMGetOperand(r.at, 0);
        } else if (LLVMIsAPHINode(r.at)) {
            r.at = first_of(r.at);
            if (!r.at)
                return r;
        } else {
            return r;
        }
    }
    return (struct root){NULL, false};
}

static void
add(struct places *p, LLVMValueRef address)
{
    for (unsigned k = 0; k < p->count; k++)
        if (p->address[k] == address)
            return;
    struct root root = find_root(address);
    if (p->count == MOST_PLACES || !root.at || !root.own)
        return;
    p->address[p->count] = address;
    p->root[p->count++] = root;
}

bool
lw_revisits_rows(const LLVMBasicBlockRef *blocks, uint32_t count)
{
    struct places loads = {0}, stores = {0};

    for (uint32_t b = 0; b < count; b++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(blocks[b]); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef address = lw_plain_address(i);
            if (address)
                add(LLVMIsALoadInst(i) ? &loads : &stores, address);
        }
    }
    for (unsigned l = 0; l < loads.count; l++)
        for (unsigned s = 0; s < stores.count; s++)
            if (loads.root[l].at == stores.root[s].at && loads.address[l] != stores.address[s])
                return true;
    return false;
}
