/* SPDX-License-Identifier: MIT */
/* Widening of single packets of pipes: one call of the runtime for all active lanes, which reserves, moves
 * and commits as many as there are packets, or room for them (LW_SERVICE_PIPE_WRITE, _READ in spirv/pipe.h).
 *
 * Enters: a call of lw.pipe.write or lw.pipe.read. Leaves: the active lanes' packets one behind the other in
 * the runtime's table; there the lanes that were served are the first of the active ones. Where the pipe
 * differs between lanes, a call for each. Relies on: the runtime ignoring the pipe where no lane is active.
 * Never: acts for a lane that is not active.
 */
#include "../../spirv/pipe.h"
#include "../lanes/internal.h"
#include "widener.h"

struct packets {
    lw_widener *w;
    uint32_t service;
    LLVMTypeRef element; /* of a packet's `count` integers */
    unsigned count, bytes;
    V table, packets;
    V pipes, places; /* a pipe for each lane: in memory, as the packets by lane */
};

static struct packets
begin(lw_widener *w, LLVMTypeRef packet, uint32_t service)
{
    struct packets p = {.w = w, .service = service, .count = lw_leaf_count(w, packet)};
    p.element = lw_leaf_at(w, packet, 0).type;
    p.bytes = p.count * lw_lane_bits(p.element) / 8;
    p.table = lw_service_table(w, LW_PIPE_TABLE + p.bytes * w->l.n);
    V behind = lane_int(&w->l, 64, LW_PIPE_TABLE);
    p.packets = LLVMBuildGEP2(w->l.builder, LLVMInt8TypeInContext(w->l.context), p.table, &behind, 1, "");
    return p;
}

/* The lanes among `bits` (i64) that have moved their packets. */
static V
serve(const struct packets *p, V pipe, V bits)
{
    lw_widener *w = p->w;
    LLVMBuilderRef b = w->l.builder;
    LLVMSetAlignment(LLVMBuildStore(b, pipe, p->table), 64);
    lw_call_runtime(w, "lw.server", LLVMVoidTypeInContext(w->l.context), lane_int(&w->l, 32, p->service),
                    bits, p->bytes, p->table);
    V served = LLVMBuildLoad2(b, LLVMInt64TypeInContext(w->l.context), p->table, "");
    LLVMSetAlignment(served, 64);
    return served;
}

static V
serve_one(lw_lanes *l, V lane, void *data)
{
    struct packets *p = data;
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef i64 = lw_lane_int_type(l, 64);
    V bytes = lane_int(l, 64, p->bytes), at = LLVMBuildMul(b, LLVMBuildZExt(b, lane, i64, ""), bytes, "");
    V place = lw_lane_gep(l, lw_lane_int_type(l, 8), p->places, at);
    if (p->service == LW_SERVICE_PIPE_WRITE)
        LLVMBuildMemCpy(b, p->packets, 64, place, 1, bytes);
    V served = serve(p, lane_reload(l, i64, p->pipes, lane), lane_int(l, 64, 1));
    if (p->service == LW_SERVICE_PIPE_READ)
        LLVMBuildMemCpy(b, place, 1, p->packets, 64, bytes);
    return LLVMBuildSub(b, LLVMBuildTrunc(b, served, lw_lane_int_type(l, 32), ""), lane_int(l, 32, 1), "");
}

/* Lane after lane, the packets in p->places. */
static V
serve_apart(struct packets *p, LLVMValueRef pipe)
{
    lw_widener *w = p->w;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(w->l.context);
    p->pipes = lane_spill(&w->l, lw_use_vector(w, pipe, 0));
    return lane_serialise(&w->l, "packets of several pipes", w->mask, i32, serve_one, p);
}

static V
make_places(const struct packets *p)
{
    lw_lanes *l = &p->w->l;
    return lw_lane_alloca(l, LLVMArrayType2(lw_lane_int_type(l, 8), (uint64_t)p->bytes * l->n), "places");
}

/* 0, or -1 for lanes that were not served. */
static V
status_of(lw_widener *w, V served)
{
    V failed = LLVMBuildNot(w->l.builder, lane_mask_from_bits(&w->l, served), "");
    return LLVMBuildSExt(w->l.builder, failed, lane_type(&w->l, LLVMInt32TypeInContext(w->l.context)), "");
}

static bool
is_one_pipe(lw_widener *w, LLVMValueRef pipe)
{
    return lw_info(w, pipe).form == LW_UNIFORM;
}

static void
tell(lw_widener *w, LLVMValueRef i, const char *how)
{
    lw_report_note(w->report, i, "runtime", "one call of the runtime for %s",
                   is_one_pipe(w, LLVMGetOperand(i, 0)) ? how : "each lane");
}

void
lw_widen_packet_write(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)row;
    LLVMValueRef pipe = LLVMGetOperand(i, 0), packet = LLVMGetOperand(i, 1);
    struct packets p = begin(w, LLVMTypeOf(packet), LW_SERVICE_PIPE_WRITE);
    V values[16], status;
    for (unsigned k = 0; k < p.count; k++)
        values[k] = lw_use_vector(w, packet, k);
    if (is_one_pipe(w, pipe)) {
        lane_pack_records(&w->l, values, p.count, p.packets, w->mask);
        status = status_of(w, serve(&p, lw_use_scalar(w, pipe), lw_active_bits(w)));
    } else {
        p.places = make_places(&p);
        lane_pack_records(&w->l, values, p.count, p.places, NULL);
        status = serve_apart(&p, pipe);
    }
    tell(w, i, "all lanes, packets compressed");
    lw_define_leaf(w, i, 0, status);
}

void
lw_widen_packet_read(lw_widener *w, LLVMValueRef i, const struct lw_call_row *row)
{
    (void)row;
    LLVMValueRef pipe = LLVMGetOperand(i, 0);
    struct packets p = begin(w, LLVMStructGetTypeAtIndex(LLVMTypeOf(i), 0), LW_SERVICE_PIPE_READ);
    V values[16], status;
    if (is_one_pipe(w, pipe)) {
        V served = serve(&p, lw_use_scalar(w, pipe), lw_active_bits(w));
        lane_unpack_records(&w->l, p.element, p.count, p.packets, w->mask, values);
        status = status_of(w, served);
    } else {
        p.places = make_places(&p);
        status = serve_apart(&p, pipe);
        lane_unpack_records(&w->l, p.element, p.count, p.places, NULL, values);
    }
    tell(w, i, "all lanes, packets expanded");
    for (unsigned k = 0; k < p.count; k++)
        lw_define_leaf(w, i, k, values[k]);
    lw_define_leaf(w, i, p.count, status);
}
