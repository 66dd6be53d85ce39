/* SPDX-License-Identifier: MIT */
/* What the files of the widener share: widen/ and forms/.
 *
 * A scalar value becomes, by its form (uniformity.h):
 *   uniform   one scalar, of its own type
 *   strided   one scalar: the base; the vector, base + offsets, is made where it is used
 *   varying   one <W x leaf> per leaf of its type (a vector, struct or array has several)
 * Each of these is kept in *slots*: SSA inside the block that makes it, an alloca for other blocks, which
 * sroa turns into SSA again (so nobody repairs phis by hand). Phis are slots that the edges into their block
 * write.
 */
#ifndef LW_VECTORIZER_WIDENER_H
#define LW_VECTORIZER_WIDENER_H

#include <llvm-c/Target.h>

#include "../flow/homes.h"
#include "../forms/forms.h"
#include "../facts/calls.h"
#include "../lanes/lanes.h"
#include "../flow/linearize.h"
#include "../facts/private_arrays.h"
#include "widen.h"

struct lw_leaf {
    LLVMTypeRef type; /* integer, floating point or pointer */
    uint64_t offset;  /* bytes from the start of the value in memory */
    uint64_t size;
};

typedef struct lw_widener {
    lw_lanes l;
    struct lw_arena *arena; /* of what is kept until the function is written */
    const struct lw_model *m;
    const struct lw_uniformity *u;
    const struct lw_linear_plan *plan;
    struct lw_homes *homes;
    const struct lw_shape *shape;
    struct lw_report *report;
    lw_error *error;
    bool failed;
    LLVMTargetDataRef layout;
    LLVMBuilderRef alloca_builder; /* in the entry block of the new function */

    uint32_t *first_slot; /* by value: index into the three below */
    uint32_t *slot_count; /* by value: 1, or its leaves */
    V *slots;             /* allocas, NULL until needed */
    V *now;               /* the value inside the block being written, valid where the stamp says */
    uint32_t *stamp;
    V *spread; /* by value: vector made of a uniform or strided value, valid by spread_stamp */
    uint32_t *spread_stamp;
    bool *escapes;          /* by value: used in other blocks, or by phis */
    bool *may_be_unwritten; /* by value: some linear way to a use avoids it */

    LLVMBasicBlockRef *entries; /* by block: where jumps to it go */
    V *whole_slots; /* by block: i1 alloca, whether all lanes wait there; NULL: not known without them */
    LLVMBasicBlockRef *some; /* by block: its entry in the code with masks, while a full arm is written */
    uint32_t *full_edges;    /* by block: edges forward to it, in the full arm, that bring all lanes */
    V *mask_slots;           /* by block: <W x i1> alloca of the lanes that wait there; NULL where unmasked */
    uint32_t *last_exit; /* by loop: the exit block whose lanes are those that take no other exit; LW_NONE */
    V *entered;          /* by loop that has one: <W x i1> alloca of the lanes that entered it */
    V entry_mask;        /* NULL: all lanes */
    bool by_item;        /* it has one lane: work-items take turns */
    V *params;           /* of a function that is kept: by slot; NULL: the kernel's, as they are */
    V mask;              /* active lanes of the block being written; NULL: all */
    bool may_be_empty;   /* the block may run with no lane active */
    uint32_t block;      /* being written */
    uint32_t turn;       /* how many blocks were written so far, with this one */
    uint32_t written_twice;   /* instructions of arms that have a copy for when all lanes are active */
    uint32_t full_arm;        /* the block whose copy for all lanes is being written; LW_NONE */
    uint32_t partial_end;     /* up to this block, some lanes are missing: those with all have a copy */
    unsigned incoming;        /* where the last block was found among those of a phi */
    LLVMValueRef instruction; /* being widened, for the report */

    uint32_t left_out;           /* forms that are not asked, a bit each */
    void *forms[LW_FORM_COUNT];  /* the state of each that has any (forms/forms.h) */
    const struct lw_privates *privates;
    unsigned scratch;           /* pieces of lw.group_scratch used */
    V looks;                    /* alloca: how often the sub-group looked at memory in vain; NULL: never */
    unsigned service_table;     /* the piece of the words for the runtime, + 1; 0: none */
} lw_widener;

/* widen.c */
/* Fails the pass, with the instruction printed: LW_INTERNAL, or what is out of memory. */
void lw_widen_fail(lw_widener *w, LLVMValueRef instruction, const char *why);
void lw_widen_block(lw_widener *w, uint32_t b); /* may be called for one more copy, with another entry */

/* widen/edges.c */
/* The edges from the block being written, and the jump at its end. */
void lw_widen_terminator(lw_widener *w, LLVMValueRef terminator);
/* Nobody waits at `b`, and its phis are of no lane. */
void lw_empty_slots(lw_widener *w, uint32_t b);
/* To `in` where the condition holds, else to `to`, which may be outside of loops. */
void lw_branch_or_leave(lw_widener *w, V condition, LLVMBasicBlockRef in, uint32_t to);

/* widen/exits.c */
void lw_find_last_exits(lw_widener *w);
/* Does the edge lead to the last exit of the loop it leaves? */
bool lw_is_last_exit(lw_widener *w, uint32_t from, uint32_t to);
/* `mask`: NULL: all lanes. Nothing on other edges. */
void lw_enter_loop(lw_widener *w, uint32_t from, uint32_t to, V mask);
/* Control goes from one block to another: are loops left that hand on lanes? And hand them on. */
bool lw_leaves_loop(lw_widener *w, uint32_t from, uint32_t to);
void lw_leave_loops(lw_widener *w, uint32_t from, uint32_t to);
/* widen/full.c */
bool lw_has_full_arm(lw_widener *w, uint32_t b); /* is what `b` dominates written once more, for all lanes? */
bool lw_may_run_full(lw_widener *w, uint32_t b); /* is it likely, before anything is written? */
bool lw_runs_full(lw_widener *w, uint32_t b);    /* does block `b` of the full arm always have all lanes? */
/* i1: whether all lanes answer so, or none does; each may say no where it is. NULL, of the latter: it would
 * take vectors. */
V lw_all_agree(lw_widener *w, LLVMValueRef condition, bool answer);
V lw_none_agrees(lw_widener *w, LLVMValueRef condition, bool answer);

/* widen/values.c */
void lw_values_open(lw_widener *w); /* fails where a value has too many parts */
uint32_t lw_leaf_count(lw_widener *w, LLVMTypeRef type);
struct lw_leaf lw_leaf_at(lw_widener *w, LLVMTypeRef type, uint32_t index);
struct lw_vinfo lw_info(lw_widener *w, LLVMValueRef value);
V lw_use_scalar(lw_widener *w, LLVMValueRef value); /* uniform, or the base of a strided one */
V lw_use_vector(lw_widener *w, LLVMValueRef value, uint32_t leaf);
/* The register of a varying value, in whichever order it is (forms/in_order.c). */
V lw_use_leaf(lw_widener *w, LLVMValueRef value, uint32_t leaf);
/* An operand of `of`, or what comes to it as a phi, in its order, component by component. */
V lw_use_for(lw_widener *w, LLVMValueRef of, LLVMValueRef value, uint32_t leaf);
void lw_define_scalar(lw_widener *w, LLVMValueRef value, V scalar);
/* A scalar is spread over the lanes where the value is varying; of a vector the first lane's is taken where
 * the value is uniform, as that of a lane that is alone is. */
void lw_define_leaf(lw_widener *w, LLVMValueRef value, uint32_t leaf, V scalar_or_vector);
V lw_slot(lw_widener *w, LLVMValueRef value, uint32_t leaf); /* the alloca */
/* A leaf of a scalar aggregate, and the one of all these. */
V lw_scalar_leaf(lw_widener *w, V aggregate, uint32_t leaf);
V lw_scalar_from_leaves(lw_widener *w, LLVMTypeRef type, V *leaves);
bool lw_is_varying(lw_widener *w, LLVMValueRef value); /* is it a register for each of its leaves? */
/* The scalar instruction over scalar operands: uniform values and bases. */
V lw_clone_scalar(lw_widener *w, LLVMValueRef instruction);

/* widen/ops.c: arithmetic, conversions, selects, vector and aggregate shuffling. false: not one of these. */
bool lw_widen_elementwise(lw_widener *w, LLVMValueRef instruction);
/* Uniform and strided results: the scalar instruction, made safe to run for lanes that are not there. */
void lw_widen_uniform(lw_widener *w, LLVMValueRef instruction);

/* forms/forms.c */
void lw_widen_load(lw_widener *w, LLVMValueRef instruction);
void lw_widen_store(lw_widener *w, LLVMValueRef instruction);

/* widen/memory.c */
/* Scalar where they are uniform, else one for each lane. */
V lw_addresses_of(lw_widener *w, LLVMValueRef pointer);
void lw_widen_gep(lw_widener *w, LLVMValueRef instruction);
void lw_widen_atomic_rmw(lw_widener *w, LLVMValueRef instruction);
void lw_widen_cmpxchg(lw_widener *w, LLVMValueRef instruction);

/* forms/extent.c */
/* The bytes from the address of `access` in lane 0 that it and those beside it touch: `low` up to `high`. */
void lw_find_extent(lw_widener *w, LLVMValueRef access, int64_t *low, int64_t *high);
/* Is the address `b` a constant number of bytes behind `a`, in lane 0? */
bool lw_is_beside(lw_widener *w, LLVMValueRef a, LLVMValueRef b, int64_t *apart);
/* A call that touches no memory that the kernel knows of, and waits for nobody. */
bool lw_is_pure_call(LLVMValueRef call);

/* forms/pairs.c */
bool lw_is_plain_store(LLVMValueRef i); /* not volatile, not atomic */
/* An address: root + constant + sum of scale * term, each of which is extended or has 64 bits. */
#define LW_PLACE_TERMS 4
struct lw_place {
    LLVMValueRef root, term[LW_PLACE_TERMS];
    LLVMOpcode extension[LW_PLACE_TERMS]; /* LLVMZExt or LLVMSExt; LLVMAdd: none */
    bool natural[LW_PLACE_TERMS]; /* not negative before the extension in lanes that access the place */
    int64_t scale[LW_PLACE_TERMS], constant;
    int64_t within[LW_PLACE_TERMS]; /* what is added to the term before it is extended: part of `constant` */
    unsigned terms;
    bool in_buffer; /* root is local memory, or a buffer of less than 4 GiB */
};
/* How far it is from others in its buffer; what wraps would lie elsewhere. */
bool lw_find_place(lw_widener *w, LLVMValueRef pointer, struct lw_place *p);
/* What it is, whatever wraps. */
bool lw_find_exact_place(lw_widener *w, LLVMValueRef pointer, struct lw_place *p);
/* The range of term k as it is extended, in all lanes. false: it is not known. */
bool lw_find_term_range(lw_widener *w, const struct lw_place *p, unsigned k, int64_t *lo, int64_t *hi);
/* So many bytes may be read from the place on, whatever lanes are active, with term `but` taken as 0: in the
 * kernel's local memory, constants, the heads of its buffers, or what describes an image. */
int64_t lw_readable_from(lw_widener *w, const struct lw_place *p, unsigned but);
/* May a value of the type be read there, whatever lanes are active? */
bool lw_is_readable(lw_widener *w, LLVMValueRef pointer, LLVMTypeRef type);
bool lw_places_match(const struct lw_place *a, const struct lw_place *b); /* equal but for the constant */
bool lw_is_among(const int64_t *list, unsigned count, int64_t at);

/* forms/records.c */
/* Looks for accesses of the block, about to be widened, that make up whole records of its lanes. */
void lw_find_records(lw_widener *w, uint32_t block);
bool lw_is_in_record(lw_widener *w, LLVMValueRef access);
/* Is a record's store in front of this load put off to behind it, and may it be of the same bytes? */
bool lw_record_is_put_off(lw_widener *w, LLVMValueRef load);

/* forms/pieces.c */
/* false: out of memory. */
void lw_pieces_open(lw_widener *w);
void lw_pieces_close(lw_widener *w);
/* forms/repeated.c */
/* After how many lanes an address begins anew, where lanes are active; all: not known to. */
unsigned lw_repeats_after(lw_widener *w, LLVMValueRef pointer);
/* Of lanes that repeat, one row: what an active lane has, where one is. Of truths: is any of them so? */
V lw_one_row(lw_widener *w, V lanes, unsigned row);
V lw_all_rows(lw_widener *w, V one, unsigned row);
/* forms/streams.c */
/* false: out of memory. */
void lw_streams_open(lw_widener *w);
/* Is `b` the header of a loop that lw_widen_rounds writes, all of it? */
bool lw_begins_streams(lw_widener *w, uint32_t b);
void lw_widen_rounds(lw_widener *w, uint32_t header);
/* Where edges to it lead; back edges to the next round. */
LLVMBasicBlockRef lw_entry_of(lw_widener *w, uint32_t b);
bool lw_in_rounds(lw_widener *w, uint32_t loop); /* is the loop written so? */
/* Does another round begin behind this one whether any lane is left or not? */
bool lw_goes_on_empty(lw_widener *w);
/* Bytes, or what an index grows by, in each round of the loop: what it does not change, and phis of its
 * header that constants are added to. false: not known. */
bool lw_find_step(lw_widener *w, uint32_t loop, LLVMValueRef v, int64_t *step);
/* May what loads of the loop read be read earlier, by all that can be seen in this instruction of it? */
bool lw_lets_read_early(LLVMValueRef instruction);
/* The lanes that are not active get what an active one has. */
V lw_only_active(lw_widener *w, V lanes);

/* forms/rows.c */
/* false: out of memory. */
void lw_rows_open(lw_widener *w);
void lw_rows_close(lw_widener *w);
void lw_enter_rows(lw_widener *w, uint32_t from, uint32_t to); /* on the way into a loop */

/* widen/whole.c */
/* i1: the condition, of the block being widened, is `wanted` in every lane. NULL: not told by scalars. */
V lw_all_lanes(lw_widener *w, LLVMValueRef condition, bool wanted);
/* A truth of each lane: the comparison of integers, which compares ids of many registers with one bound, by
 * their places. NULL: it does not. */
V lw_compare_places(lw_widener *w, LLVMValueRef compare);

/* forms/vectors.c */
/* The leaves' type, where all are alike and packed; else NULL. */
LLVMTypeRef lw_packed_element(lw_widener *w, LLVMTypeRef type, uint32_t leaves);
/* A load of vectors at any addresses, a vector at a time; false, with nothing written: there is no way. */
bool lw_gather_vectors(lw_widener *w, LLVMValueRef load, V *components);

/* forms/as_stored.c */
/* A load of records of `count` components was just written at `pointer`, behind `last` of `block` (NULL: at
 * its start). false: out of memory. */
bool lw_note_as_stored(lw_widener *w, LLVMValueRef load, uint32_t count, V pointer, LLVMBasicBlockRef block,
                       V last);

/* forms/in_order.c */
/* false: out of memory. */
void lw_in_order_open(lw_widener *w);
/* Is the vector kept in the order of memory, its registers' elements lane after lane with all components? */
bool lw_is_in_order(const lw_widener *w, LLVMValueRef v);
/* Register `r` of any vector in that order, a component of one that is, a lane's mask for the elements of
 * register `r` of such a value; NULL stays. */
V lw_use_in_order(lw_widener *w, LLVMValueRef v, uint32_t r);
V lw_use_component(lw_widener *w, LLVMValueRef v, uint32_t k);
V lw_mask_in_order(lw_widener *w, V mask, unsigned count, unsigned r);
void lw_widen_shuffle_in_order(lw_widener *w, LLVMValueRef i);

/* widen/call.c */
void lw_widen_call(lw_widener *w, LLVMValueRef instruction);
/* Of a function that a later pass answers, declared where it is not yet; at most two arguments. */
V lw_call_declared(lw_widener *w, const char *name, LLVMTypeRef result, V *args, unsigned count);
/* The column `how` of spirv/intrinsics.def: ids.c, collectives.c, service.c, call.c */
void lw_widen_id(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_query(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_nothing(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_sub_group_arithmetic(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_sub_group_broadcast(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_shuffle(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_vote(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_group_barrier(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_group_arithmetic(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_group_broadcast(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_printf(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_service(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_packet_write(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_packet_read(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_yield(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);
void lw_widen_dot(lw_widener *w, LLVMValueRef call, const struct lw_call_row *row);

/* widen/service.c */
V lw_active_bits(lw_widener *w);
/* Calls the function that `query` answers, of what is to be done, the active lanes as bits, the table's
 * width. */
V lw_call_runtime(lw_widener *w, const char *query, LLVMTypeRef result, V what, V bits, unsigned width,
                  V table);
/* Memory for it, 64-byte aligned: the same for all calls. */
V lw_service_table(lw_widener *w, unsigned bytes);

/* widen/kept_calls.c */
void lw_widen_kept_call(lw_widener *w, LLVMValueRef instruction);
void lw_widen_kept_return(lw_widener *w, LLVMValueRef terminator);
/* At the start of the function, behind lw_values_open. */
void lw_take_parameters(lw_widener *w);

/* widen/private.c */
void lw_widen_alloca(lw_widener *w, LLVMValueRef instruction);
/* `store` is what became of component `k` of what `instruction` stores, for a debugger perhaps; then true. */
bool lw_mark_variable(lw_widener *w, LLVMValueRef instruction, V store, uint32_t k, uint32_t count);
void lw_widen_private_gep(lw_widener *w, LLVMValueRef instruction);
/* forms/few.c */
/* Are the array's elements few enough, and all its accesses such, that those at varying indices are chosen
 * among all rows? Then these write them: leaf by leaf, `align` is that of a row. */
bool lw_has_few_rows(lw_widener *w, LLVMValueRef alloca, const struct lw_private *array);
V lw_load_few(lw_widener *w, LLVMValueRef load, uint32_t leaf, const struct lw_private *array,
              unsigned align);
void lw_store_few(lw_widener *w, LLVMValueRef store, uint32_t leaf, const struct lw_private *array,
                  unsigned align);
/* widen/private.c */
/* The lane-minor array that a pointer leads into, NULL where it points elsewhere. */
const struct lw_private *lw_lane_minor_behind(lw_widener *w, LLVMValueRef pointer);

#endif
