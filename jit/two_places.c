/* SPDX-License-Identifier: MIT */
/* Accesses to private arrays at one of two constant places become accesses to both.
 *
 * Enters: the scalar kernel, loops unrolled. Leaves: the same values; where every access to an array lies at
 * a constant place or at one of two that one condition chooses between (`high ? tile[r] : tile[r + 8]`, which
 * front ends turn into `tile[(lane & 8) ^ (r + 8)]`, or into a phi of two addresses), loads become two loads
 * and a select, stores two loads, two selects and two stores. sroa then makes values of the array, which it
 * cannot where an address is not constant. Relies on: private memory is the work-item's own, so that writing
 * back what was there is not seen; both places are as aligned as the access says. Never: touches an array
 * whose address escapes or that has other accesses.
 */
#include "jit.h"
#include "../vectorizer/facts/calls.h"
#include "../vectorizer/facts/gep.h"
#include "../vectorizer/facts/integers.h"
#include "../vectorizer/facts/memory_effects.h"

#include <stdint.h>
#include <stdlib.h>

enum { MOST_POINTERS = 512, MOST_CHOICES = 256, DEPTH = 10, MOST_BYTES = 4096 };

/* What an address or index depends on: an integer, condition or address that has one of two values. */
struct root {
    LLVMValueRef value; /* NULL: it is constant */
    uint64_t first, second;
};

struct access {
    LLVMValueRef instruction;
    struct root root;
    uint64_t first, second; /* offsets in bytes from the array */
};

struct walk {
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMValueRef alloca;
    uint64_t size;
    LLVMValueRef pointers[MOST_POINTERS];
    unsigned pointer_count;
    struct access accesses[MOST_CHOICES];
    unsigned access_count;
};

/* Is `v` a root: one bit of something, a condition, or a choice between two constants? */
static bool
is_root(LLVMValueRef v, struct root *root)
{
    uint64_t a, b;

    if (lw_int_width(v) == 1) {
        *root = (struct root){v, 0, 1};
        return true;
    }
    if (!LLVMIsAInstruction(v) || !lw_int_width(v) || lw_int_width(v) > 64)
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    if (opcode == LLVMAnd && lw_is_int_constant(LLVMGetOperand(v, 1), &b) && b && !(b & (b - 1))) {
        *root = (struct root){v, 0, b};
        return true;
    }
    if (opcode == LLVMLShr && lw_is_int_constant(LLVMGetOperand(v, 1), &b) && b == lw_int_width(v) - 1) {
        *root = (struct root){v, 0, 1};
        return true;
    }
    if (opcode == LLVMPHI && LLVMCountIncoming(v) == 2 &&
        lw_is_int_constant(LLVMGetIncomingValue(v, 0), &a) &&
        lw_is_int_constant(LLVMGetIncomingValue(v, 1), &b)) {
        *root = (struct root){v, a, b};
        return true;
    }
    return false;
}

/* The root of an index; false: it depends on more than that. */
static bool
find_root(LLVMValueRef v, struct root *root, unsigned depth)
{
    struct root mine = {0};

    if (LLVMIsAConstantInt(v))
        return lw_int_width(v) <= 64;
    if (is_root(v, &mine)) {
        if (!root->value)
            *root = mine;
        return root->value == mine.value;
    }
    if (depth == 0 || !LLVMIsAInstruction(v) || !lw_int_width(v) || lw_int_width(v) > 64)
        return false;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    if (!lw_is_int_operation(opcode) && !lw_is_int_cast(opcode) && opcode != LLVMSelect)
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!find_root(LLVMGetOperand(v, k), root, depth - 1))
            return false;
    return true;
}

/* The value of an index whose root has the value `at`. */
static uint64_t
evaluate(LLVMValueRef v, const struct root *root, uint64_t at)
{
    uint64_t a, b, result = 0; /* of a shift by too much */

    if (v == root->value)
        return at;
    if (lw_is_int_constant(v, &a))
        return a;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(v);
    a = evaluate(LLVMGetOperand(v, 0), root, at);
    if (opcode == LLVMSelect)
        return evaluate(LLVMGetOperand(v, a ? 1 : 2), root, at);
    b = lw_is_int_cast(opcode) ? 0 : evaluate(LLVMGetOperand(v, 1), root, at);
    lw_int_operate(opcode, lw_int_width(LLVMGetOperand(v, 0)), lw_int_width(v), a, b, &result);
    return result;
}

/* What a GEP adds to its base with its root at one of its values. */
static uint64_t
gep_bytes(const struct walk *w, LLVMValueRef gep, const struct root *root, uint64_t at)
{
    uint64_t total = 0;

    for (struct lw_gep_walk g = lw_gep_walk(w->layout, gep); lw_gep_step(&g);)
        total += g.bytes *
                 (g.index ? (uint64_t)lw_sign_extend(evaluate(g.index, root, at), lw_int_width(g.index)) : 1);
    return total;
}

/* The two places that an address may be, equal where it is constant. */
static bool
resolve(const struct walk *w, LLVMValueRef pointer, struct root *root, uint64_t *first, uint64_t *second,
        unsigned depth)
{
    if (pointer == w->alloca) {
        *first = *second = 0;
        return true;
    }
    if (depth == 0)
        return false;
    if (LLVMIsAGetElementPtrInst(pointer)) {
        if (!resolve(w, LLVMGetOperand(pointer, 0), root, first, second, depth - 1))
            return false;
        for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(pointer); k++)
            if (!find_root(LLVMGetOperand(pointer, k), root, DEPTH))
                return false;
        *first += gep_bytes(w, pointer, root, root->first);
        *second += gep_bytes(w, pointer, root, root->second);
        return true;
    }
    bool phi = LLVMIsAPHINode(pointer) != NULL;
    if ((!phi && !LLVMIsASelectInst(pointer)) || (phi && LLVMCountIncoming(pointer) != 2))
        return false;
    struct root inner = {0};
    uint64_t one, other, ignored;
    LLVMValueRef a = phi ? LLVMGetIncomingValue(pointer, 0) : LLVMGetOperand(pointer, 1);
    LLVMValueRef b = phi ? LLVMGetIncomingValue(pointer, 1) : LLVMGetOperand(pointer, 2);
    if (!resolve(w, a, &inner, &one, &ignored, depth - 1) ||
        !resolve(w, b, &inner, &other, &ignored, depth - 1) || inner.value)
        return false;
    struct root mine = phi ? (struct root){pointer, 0, 1} : (struct root){LLVMGetOperand(pointer, 0), 1, 0};
    if (root->value && root->value != mine.value)
        return false;
    bool turned = root->value && root->first != mine.first;
    *root = turned ? *root : mine;
    *first = turned ? other : one;
    *second = turned ? one : other;
    return true;
}

static bool
see_access(struct walk *w, LLVMValueRef i, LLVMValueRef pointer)
{
    uint64_t bytes = LLVMStoreSizeOfType(w->layout, LLVMTypeOf(lw_moved_by(i)));
    struct access made = {.instruction = i};

    if (lw_is_ordered_access(i) || lw_moved_by(i) == pointer ||
        !resolve(w, pointer, &made.root, &made.first, &made.second, DEPTH) || bytes > w->size ||
        made.first > w->size - bytes || made.second > w->size - bytes)
        return false;
    if ((made.first - made.second) % LLVMGetAlignment(i)) /* one is less aligned than the access says */
        return false;
    if (made.first == made.second && !made.root.value)
        return true;
    if (w->access_count == MOST_CHOICES)
        return false;
    w->accesses[w->access_count++] = made;
    return true;
}

static bool
add_pointer(struct walk *w, LLVMValueRef pointer)
{
    for (unsigned k = 0; !LLVMIsAGetElementPtrInst(pointer) && k < w->pointer_count; k++)
        if (w->pointers[k] == pointer)
            return true;
    if (w->pointer_count == MOST_POINTERS)
        return false;
    w->pointers[w->pointer_count++] = pointer;
    return true;
}

static bool
is_lifetime(LLVMValueRef i)
{
    return lw_is_call_like(i, "llvm.lifetime.");
}

/* All uses of the array, its accesses gathered. */
static bool
see_array(struct walk *w)
{
    w->pointer_count = w->access_count = 0;
    w->pointers[w->pointer_count++] = w->alloca;
    for (unsigned k = 0; k < w->pointer_count; k++) {
        for (LLVMUseRef u = LLVMGetFirstUse(w->pointers[k]); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (!LLVMIsAInstruction(user))
                return false;
            if (LLVMIsALoadInst(user) || LLVMIsAStoreInst(user)) {
                if (!see_access(w, user, w->pointers[k]))
                    return false;
            } else if (LLVMIsAGetElementPtrInst(user) || LLVMIsAPHINode(user) || LLVMIsASelectInst(user)) {
                if (!add_pointer(w, user))
                    return false;
            } else if (!is_lifetime(user)) {
                return false;
            }
        }
    }
    return w->access_count > 0;
}

/* True where the root has its second value. */
static LLVMValueRef
condition(struct walk *w, const struct root *root)
{
    LLVMBuilderRef b = w->builder;
    LLVMTypeRef type = LLVMTypeOf(root->value);

    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
        return LLVMBuildICmp(b, LLVMIntEQ, root->value, LLVMConstInt(type, root->second, false), "");
    LLVMTypeRef i1 = LLVMInt1TypeInContext(LLVMGetTypeContext(type));
    LLVMPositionBuilder(b, LLVMGetInstructionParent(root->value), root->value);
    LLVMValueRef phi = LLVMBuildPhi(b, i1, "");
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef value = LLVMConstInt(i1, k, false);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(root->value, k);
        LLVMAddIncoming(phi, &value, &from, 1);
    }
    return phi;
}

static LLVMValueRef
place(struct walk *w, uint64_t offset)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(w->alloca));
    LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);

    return LLVMBuildInBoundsGEP2(w->builder, LLVMInt8TypeInContext(context), w->alloca, &index, 1, "");
}

static void
rewrite(struct walk *w, const struct access *a)
{
    LLVMBuilderRef b = w->builder;
    LLVMValueRef i = a->instruction, stored = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
    LLVMTypeRef type = LLVMTypeOf(lw_moved_by(i));
    unsigned align = LLVMGetAlignment(i);

    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef second = condition(w, &a->root);
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef p = place(w, a->first), q = place(w, a->second);
    LLVMValueRef x = LLVMBuildLoad2(b, type, p, ""), y = LLVMBuildLoad2(b, type, q, "");
    LLVMSetAlignment(x, align);
    LLVMSetAlignment(y, align);
    if (stored) {
        LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildSelect(b, second, x, stored, ""), p), align);
        LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildSelect(b, second, stored, y, ""), q), align);
    } else {
        LLVMReplaceAllUsesWith(i, LLVMBuildSelect(b, second, y, x, ""));
    }
    LLVMInstructionEraseFromParent(i);
}

/* Addresses that nothing uses any more: sroa would stumble over them. */
static void
erase_unused(struct walk *w)
{
    for (unsigned k = w->pointer_count; k-- > 1;)
        if (!LLVMGetFirstUse(w->pointers[k]))
            LLVMInstructionEraseFromParent(w->pointers[k]);
}

bool
lw_take_both_places(LLVMModuleRef module)
{
    LLVMValueRef kernel = LLVMGetNamedFunction(module, "lw.kernel");
    struct walk *w = kernel ? calloc(1, sizeof *w) : NULL;
    bool changed = false;

    if (!w)
        return false;
    w->layout = LLVMGetModuleDataLayout(module);
    w->builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
    for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) != 1)
            continue;
        w->alloca = i;
        w->size = LLVMABISizeOfType(w->layout, LLVMGetAllocatedType(i));
        if (w->size > MOST_BYTES || !see_array(w))
            continue;
        for (unsigned k = 0; k < w->access_count; k++)
            rewrite(w, &w->accesses[k]);
        erase_unused(w);
        changed = true;
    }
    LLVMDisposeBuilder(w->builder);
    free(w);
    return changed;
}
