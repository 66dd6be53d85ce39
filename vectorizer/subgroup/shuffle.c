/* SPDX-License-Identifier: MIT */
/* Broadcasts, shuffles and rotations of a sub-group.
 *
 * Enters: values of any element type; they move as integers of the same width (i1 as i8).
 * Constant lanes make one shufflevector; variable ones are a look-up in the vector (../lanes/permute.c).
 */
#include "../lanes/internal.h"
#include "subgroup_ops.h"

static V
i32_splat(lw_lanes *l, int64_t value, unsigned count)
{
    return lw_lane_splat_n(l, lane_int(l, 32, value), count);
}

/* Lanes as numbers, where they are constants. */
static bool
constant_lanes(lw_lanes *l, V lanes, int *numbers)
{
    if (!LLVMIsConstant(lanes))
        return false;
    for (unsigned i = 0; i < l->n; i++) {
        V element = LLVMGetAggregateElement(lanes, i);
        if (!element || !LLVMIsAConstantInt(element))
            return false;
        numbers[i] = (int)(LLVMConstIntGetZExtValue(element) & (l->n - 1));
    }
    return true;
}

V
lw_subgroup_shuffle(lw_lanes *l, V x, V lanes)
{
    LLVMTypeRef element = lw_lane_element(x);
    int numbers[64];
    V bits, result;

    if (lw_lane_splat_source(x))
        return x;
    bits = lw_lane_to_bits(l, x);
    if (constant_lanes(l, lanes, numbers)) {
        result = lw_lane_shuffle_const(l, bits, NULL, numbers, l->n);
    } else {
        lanes = LLVMBuildAnd(l->builder, lanes, i32_splat(l, l->n - 1, l->n), "");
        result = lw_lane_permute(l, bits, lanes);
    }
    return lw_lane_from_bits(l, result, element);
}

/* A scalar or vector of any integer type as <n x i32>. */
static V
as_lanes(lw_lanes *l, V value)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    LLVMTypeRef type = lw_lane_is_vector(value) ? lane_type(l, i32) : i32;

    value = LLVMBuildIntCast2(l->builder, value, type, false, "");
    return lw_lane_is_vector(value) ? value : lane_splat(l, value);
}

V
lw_subgroup_shuffle_xor(lw_lanes *l, V x, V lane_mask)
{
    V iota = lane_iota(l, lw_lane_int_type(l, 32));

    return lw_subgroup_shuffle(l, x, LLVMBuildXor(l->builder, iota, as_lanes(l, lane_mask), ""));
}

V
lw_subgroup_shuffle_up(lw_lanes *l, V x, V delta)
{
    V iota = lane_iota(l, lw_lane_int_type(l, 32));

    return lw_subgroup_shuffle(l, x, LLVMBuildSub(l->builder, iota, as_lanes(l, delta), ""));
}

V
lw_subgroup_shuffle_down(lw_lanes *l, V x, V delta)
{
    V iota = lane_iota(l, lw_lane_int_type(l, 32));

    return lw_subgroup_shuffle(l, x, LLVMBuildAdd(l->builder, iota, as_lanes(l, delta), ""));
}

V
lw_subgroup_rotate(lw_lanes *l, V x, V delta, unsigned cluster)
{
    LLVMTypeRef i32 = lw_lane_int_type(l, 32);
    int64_t bases[64];

    if (!cluster || cluster > l->n || (cluster & (cluster - 1)))
        cluster = l->n;
    for (unsigned i = 0; i < l->n; i++)
        bases[i] = i & ~(cluster - 1);
    V lanes = LLVMBuildAdd(l->builder, lane_iota(l, i32), as_lanes(l, delta), "");
    lanes = LLVMBuildAnd(l->builder, lanes, i32_splat(l, cluster - 1, l->n), "");
    return lw_subgroup_shuffle(l, x, LLVMBuildOr(l->builder, lanes, lane_offsets(l, i32, bases), ""));
}

V
lw_subgroup_broadcast(lw_lanes *l, V x, V lane)
{
    unsigned bits = lw_lane_bits(lw_lane_element(x)), most = l->isa >= LW_ISA_AVX512 ? 512 : 256;

    if (l->isa < LW_ISA_AVX2 || bits < 32 || bits * l->n > most || LLVMIsAConstantInt(lane) ||
        lw_lane_splat_source(x))
        return lane_extract(l, x, lane);
    return lane_extract(l, lw_subgroup_shuffle(l, x, as_lanes(l, lane)), lane_int(l, 32, 0));
}

V
lw_subgroup_broadcast_first(lw_lanes *l, V x, V mask)
{
    return lw_subgroup_broadcast(l, x, lane_first(l, mask));
}

V
lw_subgroup_all_equal(lw_lanes *l, V x, V mask)
{
    V first = lane_splat(l, lw_subgroup_broadcast_first(l, x, mask)), equal;

    if (lw_lane_is_float(lw_lane_element(x)) && lw_lane_bits(lw_lane_element(x)) == 16)
        equal = LLVMBuildFCmp(l->builder, LLVMRealOEQ, lane_half_to_float(l, x), lane_half_to_float(l, first),
                              "");
    else if (lw_lane_is_float(lw_lane_element(x)))
        equal = LLVMBuildFCmp(l->builder, LLVMRealOEQ, x, first, "");
    else
        equal = LLVMBuildICmp(l->builder, LLVMIntEQ, x, first, "");
    if (!lane_mask_is_all(mask))
        equal = LLVMBuildSelect(l->builder, mask, equal, lane_all_true(l), "");
    return lane_all(l, equal);
}
