/* SPDX-License-Identifier: MIT */
/* The uniformity analysis against execution: random functions run lane by lane, every claim is checked. */
#include <check.h>

#include "random_ir.h"
#include "vectorizer/flow/canonical.h"
#include "vectorizer/facts/uniformity.h"

#define ITEMS 48
#define STEPS 1500
#define DEPTH 12
/* ck_assert_msg writes a mark for each assertion that holds, which is too slow here. */
#define CLAIM(holds, ...)                                                                                    \
    do {                                                                                                     \
        if (!(holds))                                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                                       \
    } while (0)

/* ---- A small interpreter ---- */

struct record { /* one execution of one value by one work-item */
    uint32_t value, item;
    uint64_t instance; /* hash of the iteration numbers of the loops around, and of the entry into them */
    uint64_t bits;
};

struct run {
    const struct lw_model *m;
    const struct lw_shape *shape;
    uint32_t local[3]; /* what the dispatch really has */
    uint64_t seed;
    struct record *records;
    size_t count, room;
};

static uint64_t
mix(uint64_t a, uint64_t b)
{
    uint64_t h =
        (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2))) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

static unsigned
width_of(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 64;
}

static uint64_t
cut(uint64_t value, unsigned width)
{
    return width >= 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

static int64_t
extend(uint64_t value, unsigned width)
{
    return width >= 64 ? (int64_t)value : (int64_t)(value << (64 - width)) >> (64 - width);
}

static void
note(struct run *r, uint32_t value, uint32_t item, uint64_t instance, uint64_t bits)
{
    if (r->count == r->room) {
        r->room = 2 * r->room + 4096;
        r->records = realloc(r->records, r->room * sizeof *r->records);
        if (!r->records)
            abort();
    }
    r->records[r->count++] = (struct record){value, item, instance, bits};
}

static uint64_t
item_function(const struct run *r, const char *name, unsigned dim, uint32_t item)
{
    uint32_t w = r->shape->lanes;
    uint64_t id[3], rest = item;
    for (unsigned d = 0; d < 3; d++) { /* lanes that do not exist count on in the highest dimension */
        bool top = d == 2 || (r->local[2] == 1 && (d == 1 || r->local[1] == 1));
        id[d] = top ? rest : rest % r->local[d];
        rest = top ? 0 : rest / r->local[d];
    }
    if (strcmp(name, "lw.local_id") == 0)
        return id[dim];
    if (strcmp(name, "lw.global_id") == 0)
        return id[dim] + (uint64_t)r->local[dim] * (dim < r->shape->work_dim ? 5 : 0) +
               (r->shape->offset_zero || dim >= r->shape->work_dim ? 0 : 13);
    if (strcmp(name, "lw.local_linear_id") == 0)
        return item;
    if (strcmp(name, "lw.sub_group_local_id") == 0)
        return item % w;
    if (strcmp(name, "lw.sub_group_id") == 0)
        return item / w;
    if (strcmp(name, "lw.group_id") == 0)
        return 5;
    if (strcmp(name, "lw.work_dim") == 0)
        return r->shape->work_dim;
    ck_abort_msg("%s", name);
    return 0;
}

static uint64_t
fetch(const struct run *r, const uint64_t *values, LLVMValueRef v)
{
    uint32_t id = lw_value_id(r->m, v);
    if (id != LW_NONE)
        return values[id];
    return LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
}

static uint64_t
binary(LLVMOpcode op, uint64_t a, uint64_t b, unsigned w)
{
    switch (op) {
    case LLVMAdd:
        return a + b;
    case LLVMSub:
        return a - b;
    case LLVMMul:
        return a * b;
    case LLVMShl:
        return b < w ? a << b : 0;
    case LLVMLShr:
        return b < w ? a >> b : 0;
    case LLVMAShr:
        return b < w ? (uint64_t)(extend(a, w) >> b) : 0;
    case LLVMAnd:
        return a & b;
    case LLVMOr:
        return a | b;
    case LLVMXor:
        return a ^ b;
    case LLVMUDiv:
        return b ? a / b : 0;
    case LLVMURem:
        return b ? a % b : 0;
    case LLVMSDiv:
        return b && extend(b, w) != -1 ? (uint64_t)(extend(a, w) / extend(b, w)) : 0;
    case LLVMSRem:
        return b && extend(b, w) != -1 ? (uint64_t)(extend(a, w) % extend(b, w)) : 0;
    default:
        ck_abort_msg("operation %d", op);
        return 0;
    }
}

static uint64_t
execute(const struct run *r, const uint64_t *values, LLVMValueRef i, uint32_t item, uint64_t instance,
        uint64_t *memory)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    uint64_t a = LLVMGetNumOperands(i) > 0 ? fetch(r, values, LLVMGetOperand(i, 0)) : 0;
    uint64_t b = LLVMGetNumOperands(i) > 1 ? fetch(r, values, LLVMGetOperand(i, 1)) : 0;
    uint32_t id = lw_value_id(r->m, i);
    unsigned from = op == LLVMAlloca || op == LLVMCall ? 0 : width_of(LLVMGetOperand(i, 0));
    switch (op) {
    case LLVMAlloca:
        return (uint64_t)1 << 40 | (uint64_t)id << 8; /* memory[id] */
    case LLVMStore:
        memory[b >> 8 & 0xffff] = a;
        return 0;
    case LLVMLoad: /* not private: memory that others may change; constant memory is the same for all */
        if (a >> 40 == 1)
            return memory[a >> 8 & 0xffff];
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 0))) == 2)
            return mix(r->seed, a);
        return mix(mix(mix(r->seed, a), instance), mix(id, item / r->shape->lanes));
    case LLVMGetElementPtr:
        return a + (uint64_t)extend(b, width_of(LLVMGetOperand(i, 1))) *
                       (LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(i)) / 8);
    case LLVMCall: {
        size_t length;
        const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
        return item_function(r, name, LLVMGetNumArgOperands(i) ? (unsigned)a : 0, item);
    }
    case LLVMICmp:
        switch (LLVMGetICmpPredicate(i)) {
        case LLVMIntEQ:
            return a == b;
        case LLVMIntNE:
            return a != b;
        default:
            return a < b;
        }
    case LLVMSelect:
        return a ? b : fetch(r, values, LLVMGetOperand(i, 2));
    case LLVMZExt:
    case LLVMTrunc:
        return a;
    case LLVMSExt:
        return (uint64_t)extend(a, from);
    default:
        return binary(op, a, b, from);
    }
}

/* false: took too long. */
static bool
run_item(struct run *r, uint32_t item)
{
    uint64_t values[4096] = {0}, memory[4096] = {0}, iteration[DEPTH] = {0}, next[256];
    uint32_t block = 0, from = LW_NONE;
    const uint64_t edges[4] = {0xfffffffa, 0x7ffffffb, 0x17, r->seed};
    for (uint32_t p = 0; p < r->m->param_count; p++) /* integers where sums wrap */
        values[p] = cut(p ? mix(r->seed, p) : edges[mix(r->seed, p) % 4], width_of(r->m->values[p]));
    for (uint32_t steps = 0; steps < STEPS; steps++) {
        const struct lw_vblock *b = &r->m->blocks[block];
        uint64_t instance = 1;
        if (b->loop != LW_NONE && r->m->loops[b->loop].header == block) {
            uint32_t depth = r->m->loops[b->loop].depth;
            CLAIM(depth < DEPTH, "too deep");
            iteration[depth] = from == r->m->loops[b->loop].latch ? iteration[depth] + 1 : 0;
        }
        uint32_t depth = b->loop == LW_NONE ? 0 : r->m->loops[b->loop].depth;
        for (uint32_t d = 1; d <= depth; d++)
            instance = mix(instance, iteration[d]);
        uint32_t phis = 0;
        for (uint32_t id = b->first_value; id < b->value_end; id++) {
            LLVMValueRef i = r->m->values[id];
            if (LLVMGetInstructionOpcode(i) != LLVMPHI)
                break;
            for (unsigned j = 0; j < LLVMCountIncoming(i); j++)
                if (lw_block_id(r->m, LLVMGetIncomingBlock(i, j)) == from)
                    next[phis] = fetch(r, values, LLVMGetIncomingValue(i, j));
            phis++;
        }
        for (uint32_t id = b->first_value; id + 1 < b->value_end; id++) {
            uint32_t k = id - b->first_value;
            LLVMValueRef i = r->m->values[id];
            uint64_t bits = k < phis ? next[k] : execute(r, values, i, item, instance, memory);
            values[id] = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind ? 0 : cut(bits, width_of(i));
            note(r, id, item, instance, values[id]);
        }
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
        uint32_t id = lw_value_id(r->m, end);
        if (b->succ_count == 0) {
            note(r, id, item, instance, 0);
            return true;
        }
        uint32_t way = b->succ_count == 2 && !fetch(r, values, LLVMGetCondition(end));
        note(r, id, item, instance, b->succs[way]);
        from = block;
        block = b->succs[way];
    }
    return false;
}

/* ---- Claims ---- */

static int
by_instance(const void *x, const void *y)
{
    const struct record *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->instance != b->instance)
        return a->instance < b->instance ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

struct tally {
    unsigned uniform, strided, assumed, varying, group, divergent_branches, uniform_branches, divergent_loops,
        masked, unmasked;
};

static void
check_value(const struct run *r, const struct lw_uniformity *u, const struct record *a,
            const struct record *b, const char *context)
{
    const struct lw_vinfo *v = &u->values[a->value];
    uint32_t w = r->shape->lanes;
    LLVMValueRef i = r->m->values[a->value];
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
    if (kind == LLVMVoidTypeKind)
        return;
    bool same_sub_group = a->item / w == b->item / w;
    if (v->form == LW_UNIFORM && same_sub_group)
        CLAIM(a->bits == b->bits, "%s: %s is not uniform", context, LLVMPrintValueToString(i));
    if (v->group_uniform)
        CLAIM(a->bits == b->bits, "%s: %s is not group-uniform", context, LLVMPrintValueToString(i));
    if (v->form == LW_STRIDED && same_sub_group) {
        uint64_t apart = (uint64_t)(v->offsets[b->item % w] - v->offsets[a->item % w]);
        CLAIM(v->offsets[0] == 0, "%s: offset of lane 0", context);
        if (v->linear)
            CLAIM(v->offsets[w - 1] == v->stride * (w - 1), "%s: linear", context);
        CLAIM(cut(b->bits - a->bits, width_of(i)) == cut(apart, width_of(i)), "%s: %s is not so strided",
              context, LLVMPrintValueToString(i));
    }
    if (v->lo <= v->hi && kind == LLVMIntegerTypeKind) {
        int64_t number = extend(b->bits, width_of(i));
        CLAIM(v->lo <= number && number <= v->hi, "%s: %s: %lld is not in its range", context,
              LLVMPrintValueToString(i), (long long)number);
    }
}

/* What the terminators' records say: branches, masks, loops. */
static void
check_control(const struct run *r, const struct lw_uniformity *u, const struct record *group, size_t count,
              uint32_t block, const char *context)
{
    uint32_t w = r->shape->lanes;
    for (size_t k = 0; k < count; k++) {
        uint32_t sub_group = group[k].item / w, members = 0;
        for (size_t j = 0; j < count; j++) {
            if (group[j].item / w != sub_group)
                continue;
            members++;
            if (!u->divergent_branch[block])
                CLAIM(group[j].bits == group[k].bits, "%s: block %u diverges", context, block);
            for (uint32_t l = r->m->blocks[block].loop; l != LW_NONE; l = r->m->loops[l].parent)
                if (!u->divergent_loop[l] && r->m->blocks[block].succ_count)
                    CLAIM(lw_loop_contains(r->m, l, (uint32_t)group[j].bits) ==
                              lw_loop_contains(r->m, l, (uint32_t)group[k].bits),
                          "%s: loop %u diverges at block %u", context, l, block);
        }
        if (!u->masked[block])
            CLAIM(members == w, "%s: block %u is masked", context, block);
    }
}

/* Do all lanes that access memory together stay within one buffer (compiler.h: buffers_4g)? Every GEP here is
 * an access's address. */
static bool
fits_buffers(const struct run *r)
{
    for (size_t k = 0, first = 0; k < r->count; k++) {
        const struct record *a = &r->records[first], *b = &r->records[k];
        if (a->value != b->value || a->instance != b->instance ||
            a->item / r->shape->lanes != b->item / r->shape->lanes)
            first = k;
        else if (LLVMIsAGetElementPtrInst(r->m->values[b->value]) &&
                 b->bits - a->bits + (UINT64_C(7) << 28) > UINT64_C(14) << 28)
            return false;
    }
    return true;
}

/* false: the kernel breaks a promise of the shape. */
static bool
check_claims(struct run *r, const struct lw_uniformity *u, const char *context, struct tally *tally)
{
    qsort(r->records, r->count, sizeof *r->records, by_instance);
    if (r->shape->buffers_4g && !fits_buffers(r))
        return false;
    uint32_t *block_of = calloc(r->m->value_count, sizeof *block_of);
    for (uint32_t b = 0; b < r->m->block_count; b++)
        block_of[r->m->blocks[b].value_end - 1] = b + 1;
    for (size_t k = 0, end, first; k < r->count; k = end) {
        first = k; /* of the same sub-group; all claims are transitive */
        for (end = k; end < r->count && r->records[end].value == r->records[k].value &&
                      r->records[end].instance == r->records[k].instance;
             end++) {
            if (r->records[end].item / r->shape->lanes != r->records[first].item / r->shape->lanes)
                first = end;
            check_value(r, u, &r->records[first], &r->records[end], context);
            check_value(r, u, &r->records[k], &r->records[end], context);
        }
        if (block_of[r->records[k].value])
            check_control(r, u, &r->records[k], end - k, block_of[r->records[k].value] - 1, context);
    }
    free(block_of);
    for (uint32_t v = r->m->param_count; v < r->m->value_count; v++) {
        tally->uniform += u->values[v].form == LW_UNIFORM;
        tally->group += u->values[v].group_uniform;
        tally->strided += u->values[v].form == LW_STRIDED;
        tally->assumed += u->values[v].assumes_no_wrap;
        tally->varying += u->values[v].form == LW_VARYING;
    }
    for (uint32_t b = 0; b < r->m->block_count; b++) {
        tally->divergent_branches += u->divergent_branch[b];
        tally->uniform_branches += r->m->blocks[b].succ_count == 2 && !u->divergent_branch[b];
        tally->masked += u->masked[b];
        tally->unmasked += !u->masked[b];
    }
    for (uint32_t l = 0; l < r->m->loop_count; l++)
        tally->divergent_loops += u->divergent_loop[l];
    return true;
}

/* ---- Random functions ---- */

static void
add_operation(struct text *t, uint64_t *seed, uint32_t *temp)
{
    static const char *const ops[] = {"add", "sub", "mul",  "shl",  "lshr", "and",
                                      "or",  "xor", "urem", "udiv", "ashr"};
    uint32_t n = *temp, kind = random_below(seed, 20), a = random_below(seed, 5), b = random_below(seed, 5);
    uint32_t c = random_below(seed, 5);
    text_add(t, "  %%t%u = load i32, ptr %%x%u\n  %%t%u = load i32, ptr %%x%u\n", n, a, n + 1, b);
    if (kind < 11)
        text_add(t, "  %%t%u = %s i32 %%t%u, %u\n", n + 2, ops[kind], n,
                 1 + random_below(seed, kind > 2 ? 9 : 70));
    else if (kind < 14)
        text_add(t, "  %%t%u = %s i32 %%t%u, %%t%u\n", n + 2, ops[kind - 11 + 5 * (kind == 13)], n, n + 1);
    else if (kind == 14)
        text_add(t, "  %%c%u = icmp ult i32 %%t%u, %%t%u\n  %%t%u = select i1 %%c%u, i32 %%t%u, i32 %%t%u\n",
                 n, n, n + 1, n + 2, n, n, n + 1);
    else if (kind == 15)
        text_add(
            t,
            "  %%z%u = %s i32 %%t%u to i64\n  %%y%u = %s i64 %%z%u, %u\n  %%t%u = trunc i64 %%y%u to i32\n",
            n, random_below(seed, 2) ? "sext" : "zext", n, n, ops[random_below(seed, 8)], n,
            1 + random_below(seed, 9), n + 2, n);
    else if (kind == 16)
        text_add(t, "  %%z%u = trunc i32 %%t%u to i8\n  %%t%u = %s i8 %%z%u to i32\n", n, n, n + 2,
                 random_below(seed, 2) ? "sext" : "zext", n);
    else
        text_add(t,
                 "  %%p%u = getelementptr i32, ptr addrspace(%u) %%p%u, i32 %%t%u\n"
                 "  %%t%u = load i32, ptr addrspace(%u) %%p%u\n",
                 n, kind == 17 ? 2 : 1, kind == 17 ? 2 : 1, n, n + 2, kind == 17 ? 2 : 1, n);
    if (kind >= 17) {
        text_add(t, "  %%s%u = and i32 %%t%u, 15\n", n, n + 2);
        text_add(t, "  store i32 %%s%u, ptr %%x%u\n", n, c);
    } else {
        text_add(t, "  store i32 %%t%u, ptr %%x%u\n", n + 2, c);
    }
    *temp += 3;
}

/* Declarations, the variables, and ids in four of them. */
static void
begin_kernel(struct text *t, uint64_t *seed)
{
    static const char *const ids[] = {"i64 @lw.local_id(i32 0)",   "i64 @lw.local_id(i32 1)",
                                      "i64 @lw.global_id(i32 0)",  "i64 @lw.global_id(i32 1)",
                                      "i64 @lw.local_linear_id()", "i64 @lw.sub_group_local_id()",
                                      "i64 @lw.sub_group_id()",    "i64 @lw.group_id(i32 0)"};
    text_add(
        t,
        "declare i64 @lw.local_id(i32)\ndeclare i64 @lw.global_id(i32)\ndeclare i64 @lw.local_linear_id()\n"
        "declare i64 @lw.sub_group_local_id()\ndeclare i64 @lw.sub_group_id()\ndeclare i64 "
        "@lw.group_id(i32)\n");
    text_add(t, "define void @lw.kernel(i32 %%q, ptr addrspace(1) %%p1, ptr addrspace(2) %%p2) {\nentry:\n");
    for (int v = 0; v < 5; v++)
        text_add(t, "  %%x%d = alloca i32\n", v);
    text_add(t, "  %%keep = alloca [4 x i32]\n");
    for (int v = 0; v < 4; v++)
        text_add(t, "  %%i%d = call %s\n  %%j%d = trunc i64 %%i%d to i32\n  store i32 %%j%d, ptr %%x%d\n", v,
                 ids[random_below(seed, 8)], v, v, v, v);
    text_add(t, "  store i32 %%q, ptr %%x4\n  store volatile i32 0, ptr %%keep\n");
    if (random_below(seed, 2)) /* lane ids that wrap */
        text_add(t, "  %%w = add i32 %%j0, %%q\n  store i32 %%w, ptr %%x0\n");
    text_add(t, "  br label %%b0\n");
}

static char *
random_kernel(uint64_t *seed)
{
    struct text t = {0};
    uint32_t n = 2 + random_below(seed, 14), temp = 0, kept = random_below(seed, 2);
    begin_kernel(&t, seed);
    for (uint32_t b = 0; b < n; b++) {
        text_add(&t, "b%u:\n", b);
        for (uint32_t k = random_below(seed, 4); k > 0; k--)
            add_operation(&t, seed, &temp);
        if (kept &&
            random_below(seed, 3) == 0) { /* a private array that stays in memory: volatile keeps it */
            if (random_below(seed, 2))
                text_add(&t, "  store volatile i32 %u, ptr %%keep\n", b);
            else
                text_add(&t, "  %%k%u = load i32, ptr %%x%u\n  store volatile i32 %%k%u, ptr %%keep\n", b,
                         random_below(seed, 5), b);
        }
        if (kept && random_below(seed, 2) == 0)
            text_add(&t, "  %%l%u = load volatile i32, ptr %%keep\n  store i32 %%l%u, ptr %%x%u\n", b, b,
                     random_below(seed, 5));
        uint32_t to[2], kind = random_below(seed, 7), low = b > 4 ? b - 4 : 0;
        for (int k = 0; k < 2; k++) {
            to[k] = low + random_below(seed, 9);
            to[k] = to[k] <= b && random_below(seed, 2) ? b + 1 : to[k];
            to[k] = to[k] >= n ? n - 1 : to[k];
        }
        if (b == n - 1) {
            text_add(&t, "  ret void\n");
            break;
        }
        if (kind == 0 && to[0] > b) {
            text_add(&t, "  br label %%b%u\n", to[0]);
            continue;
        }
        if (kind < 4) /* memory decides, for the sub-group as a whole */
            text_add(&t, "  %%d%u = load i32, ptr addrspace(1) %%p1\n", b);
        else
            text_add(&t, "  %%d%u = load i32, ptr %%x%u\n", b, random_below(seed, 5));
        text_add(&t, "  %%e%u = and i32 %%d%u, %u\n  %%f%u = icmp %s i32 %%e%u, 0\n", b, b,
                 1 + random_below(seed, 3), b, random_below(seed, 2) ? "eq" : "ne", b);
        text_add(&t, "  br i1 %%f%u, label %%b%u, label %%b%u\n", b, to[0],
                 random_below(seed, 2) ? b + 1 : to[1]);
    }
    text_add(&t, "}\n");
    return t.bytes;
}

static struct lw_shape
random_shape(uint64_t *seed, uint32_t *local)
{
    static const uint32_t sizes[][3] = {{48, 1, 1}, {8, 6, 1},  {2, 4, 6},  {4, 3, 4},  {16, 3, 1},
                                        {3, 16, 1}, {1, 48, 1}, {2, 2, 12}, {5, 10, 1}, {47, 1, 1}};
    uint32_t k = random_below(seed, 10);
    struct lw_shape s = {.lanes = 4u << random_below(seed, 3), .isa = 2};
    s.sub_group_size = s.lanes;
    s.work_dim = sizes[k][2] > 1 ? 3 : sizes[k][1] > 1 ? 2 : 1 + random_below(seed, 3);
    for (int d = 0; d < 3; d++)
        local[d] = sizes[k][d];
    if (random_below(seed, 3)) /* constants */
        memcpy(s.local_size, local, sizeof s.local_size);
    s.row_multiple = local[0] % s.lanes == 0;
    s.offset_zero = random_below(seed, 2) != 0;
    s.index31 = random_below(seed, 2) != 0;
    s.buffers_4g = random_below(seed, 2) != 0;
    return s;
}

START_TEST(random_kernels)
{
    struct tally tally = {0};
    unsigned checked = 0;
    for (uint32_t round = 0; round < 900; round++) {
        uint64_t seed = round * 104729 + 17;
        uint32_t local[3];
        struct lw_shape shape = random_shape(&seed, local);
        LLVMContextRef context = LLVMContextCreate();
        char *ir = random_kernel(&seed);
        LLVMModuleRef module = parse_ir(context, ir);
        const char *why = "";
        struct lw_model *m = NULL;
        lw_error error = {0};
        run_passes(module, "function(mem2reg)");
        ck_assert_msg(lw_canonicalize(module, NULL, NULL, &error), "round %u: %s", round, error.text);
        m = lw_model_build(LLVMGetNamedFunction(module, "lw.kernel"), &why);
        ck_assert_msg(m != NULL, "round %u: %s", round, why);
        struct lw_uniformity *u = lw_find_uniformity(m, &shape);
        ck_assert_ptr_nonnull(u);
        struct run r = {.m = m, .shape = &shape, .seed = seed};
        memcpy(r.local, local, sizeof local);
        bool ends = m->value_count < 4096 && m->loop_count < 100;
        for (uint32_t item = 0; item < ITEMS && ends; item++)
            ends = run_item(&r, item);
        if (ends) {
            char context_text[32];
            snprintf(context_text, sizeof context_text, "round %u", round);
            checked += check_claims(&r, u, context_text, &tally);
        }
        free(r.records);
        lw_uniformity_free(u);
        lw_model_free(m);
        free(ir);
        LLVMDisposeModule(module);
        LLVMContextDispose(context);
    }
    if (getenv("LANEWISE_TEST_VERBOSE"))
        printf("%u checked: %u uniform (%u group), %u strided (%u assumed), %u varying; branches %u "
               "divergent, %u uniform; "
               "%u divergent loops; blocks %u masked, %u not\n",
               checked, tally.uniform, tally.group, tally.strided, tally.assumed, tally.varying,
               tally.divergent_branches, tally.uniform_branches, tally.divergent_loops, tally.masked,
               tally.unmasked);
    ck_assert_uint_gt(checked, 300); /* the generator makes what is to be tested */
    ck_assert_uint_gt(tally.strided, 300);
    ck_assert_uint_gt(tally.assumed, 4);
    ck_assert_uint_gt(tally.divergent_loops, 100);
    ck_assert_uint_gt(tally.unmasked, tally.masked / 4);
}
END_TEST

Suite *
uniformity_suite(void)
{
    Suite *suite = suite_create("uniformity");
    TCase *cases = tcase_create("uniformity");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, random_kernels);
    suite_add_tcase(suite, cases);
    return suite;
}
