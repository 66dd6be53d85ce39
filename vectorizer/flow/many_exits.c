/* SPDX-License-Identifier: MIT */
/* Loops of very many exits, with code behind each, get one.
 *
 * Enters: branches and one return, simple loops in LCSSA. Leaves: where very many branches of one loop lead
 * to blocks of their own behind it, a number of the way out, what is taken along, and a switch:
 *
 *     u1: if (..) goto x1     x1: a           u1: if (..) { way = 0; goto J; }
 *     u2: if (..) goto x2     x2: b     ->    u2: if (..) { way = 1; goto J; }    J: switch (way) x1 x2
 *
 * Why: lanes wait behind a loop until all have left it. With n places to wait at, each with values of its
 * own, n masks and n values are kept in each of the loop's n blocks. What ways out take along they share,
 * type by type, since a lane takes one; but pointers, of which more is known one by one. Never: touches loops
 * of few exits.
 */
#include "many_exits.h"
#include "../facts/instructions.h"

#include <stdlib.h>

#define MANY 32

struct carried {
    LLVMValueRef phi; /* in J */
    bool taken;       /* by the exit at hand */
};

struct exits {
    const struct lw_model *m;
    LLVMBuilderRef builder;
    uint32_t *exit, count; /* blocks behind the loop at hand */
    LLVMBasicBlockRef join;
    struct carried *carried;
    uint32_t carried_count, carried_room;
    bool *used; /* by block: one of its ways leads to a J */
};

/* The only block before `x`, which leaves a loop there; LW_NONE: there is none. */
static uint32_t
branch_before(const struct lw_model *m, uint32_t x)
{
    const struct lw_vblock *k = &m->blocks[x];
    if (k->pred_count != 1)
        return LW_NONE;
    const struct lw_vblock *u = &m->blocks[k->preds[0]];
    bool parts = u->succ_count == 2 && u->succs[0] != u->succs[1];
    return parts && u->loop != LW_NONE && !lw_loop_contains(m, u->loop, x) ? k->preds[0] : LW_NONE;
}

static LLVMBasicBlockRef
block_before(const struct exits *s, uint32_t k)
{
    return s->m->blocks[s->m->blocks[s->exit[k]].preds[0]].ref;
}

static void
add(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from)
{
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* One that the k-th exit may take; NULL: out of memory. */
static struct carried *
carry(struct exits *s, LLVMTypeRef type, uint32_t k)
{
    bool shared = LLVMGetTypeKind(type) != LLVMPointerTypeKind;
    for (uint32_t i = 0; i < s->carried_count && shared; i++)
        if (!s->carried[i].taken && LLVMTypeOf(s->carried[i].phi) == type)
            return &s->carried[i];
    if (s->carried_count == s->carried_room) {
        uint32_t room = 2 * s->carried_room + 8;
        struct carried *larger = realloc(s->carried, room * sizeof *larger);
        if (!larger)
            return NULL;
        s->carried = larger;
        s->carried_room = room;
    }
    LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(s->join));
    struct carried *made = &s->carried[s->carried_count++];
    *made = (struct carried){.phi = LLVMBuildPhi(s->builder, type, "")};
    for (uint32_t before = 0; before < k; before++)
        add(made->phi, LLVMGetPoison(type), block_before(s, before));
    return made;
}

/* What the k-th exit has from before goes by J. */
static bool
carry_all(struct exits *s, uint32_t k)
{
    const struct lw_vblock *x = &s->m->blocks[s->exit[k]];
    LLVMBasicBlockRef from = block_before(s, k);
    for (uint32_t i = 0; i < s->carried_count; i++)
        s->carried[i].taken = false;
    for (uint32_t n = x->first_value; n < x->value_end; n++) {
        LLVMValueRef phi = s->m->values[n];
        if (!LLVMIsAPHINode(phi))
            break;
        struct carried *c = carry(s, LLVMTypeOf(phi), k);
        if (!c)
            return false;
        c->taken = true;
        add(c->phi, LLVMGetIncomingValue(phi, 0), from);
        lw_replace(phi, c->phi);
    }
    for (uint32_t i = 0; i < s->carried_count; i++)
        if (!s->carried[i].taken)
            add(s->carried[i].phi, LLVMGetPoison(LLVMTypeOf(s->carried[i].phi)), from);
    return true;
}

static bool
join_exits(struct exits *s)
{
    LLVMBasicBlockRef first = s->m->blocks[s->exit[0]].ref;
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(first)));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);

    s->join = LLVMInsertBasicBlockInContext(context, first, "exits");
    s->carried_count = 0;
    LLVMPositionBuilderAtEnd(s->builder, s->join);
    LLVMValueRef way = LLVMBuildPhi(s->builder, i32, "way");
    LLVMValueRef ways =
        LLVMBuildSwitch(s->builder, way, s->m->blocks[s->exit[s->count - 1]].ref, s->count - 1);
    for (uint32_t k = 0; k < s->count; k++) {
        const struct lw_vblock *x = &s->m->blocks[s->exit[k]], *u = &s->m->blocks[x->preds[0]];
        LLVMValueRef number = LLVMConstInt(i32, k, false);
        if (!carry_all(s, k))
            return false;
        add(way, number, u->ref);
        if (k + 1 < s->count)
            LLVMAddCase(ways, number, x->ref);
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(u->ref), u->succs[1] == s->exit[k], s->join);
        s->used[x->preds[0]] = true;
    }
    return true;
}

/* The exits of `loop` that branches right inside of it lead to, each from one. */
static void
find_exits(struct exits *s, uint32_t loop)
{
    const struct lw_loop *l = &s->m->loops[loop];
    s->count = 0;
    for (uint32_t e = 0; e < l->exit_count && l->exit_count > MANY; e++) {
        uint32_t u = branch_before(s->m, l->exit_edges[2 * e + 1]);
        bool last = e && l->exit_edges[2 * e - 2] == u; /* the other way of the same branch */
        if (u != LW_NONE && !last && !s->used[u] && s->m->blocks[u].loop == loop)
            s->exit[s->count++] = l->exit_edges[2 * e + 1];
    }
}

bool
lw_join_many_exits(const struct lw_model *model, bool *changed)
{
    uint32_t n = model->block_count;
    struct exits s = {.m = model, .exit = calloc(n, sizeof *s.exit), .used = calloc(n, sizeof *s.used)};
    bool good = s.exit && s.used;

    *changed = false;
    s.builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(model->function)));
    for (uint32_t l = 0; l < model->loop_count && good; l++) {
        find_exits(&s, l);
        if (s.count <= MANY)
            continue;
        good = join_exits(&s);
        *changed = true;
    }
    LLVMDisposeBuilder(s.builder);
    free(s.exit);
    free(s.used);
    free(s.carried);
    return good;
}
