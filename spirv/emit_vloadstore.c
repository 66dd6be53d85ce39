/* SPDX-License-Identifier: MIT */
/* vloadn, vstoren and the half forms. The pointer is that of an element, whatever the module calls its
 * pointee. */
#include <spirv/unified1/OpenCL.std.h>
#include "emitter.h"

/* Element `offset * stride` from `pointer`. */
static V
address(lw_emitter *e, T element, V pointer, V offset, unsigned stride)
{
    if (e->failed || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind ||
        LLVMGetTypeKind(LLVMTypeOf(offset)) != LLVMIntegerTypeKind) {
        lw_emit_fail(e, "vload or vstore with operands of the wrong types");
        return NULL;
    }
    offset = LLVMBuildIntCast2(e->b, offset, e->i64, false, "");
    if (stride != 1)
        offset = LLVMBuildMul(e->b, offset, lw_int(e->i64, stride), "");
    return LLVMBuildGEP2(e->b, element, pointer, &offset, 1, "");
}

/* vload_half and kin store elements of half, `result` has float or double. `aligned`: vloada, as a vector
 * lies. */
static void
emit_load(lw_emitter *e, bool half, bool aligned)
{
    V offset = lw_operand_value(e, 5), pointer = lw_operand_value(e, 6);
    T result = lw_emit_type(e, e->inst->type);
    if (e->failed)
        return;
    T memory = half ? lw_like(e->f16, result) : result;
    unsigned n = lw_parts(result), size = lw_bits(memory) / 8, stride = aligned && n == 3 ? 4 : n;
    if (half && !lw_is_float(result))
        lw_emit_fail(e, "vload_half of integers");
    V value = lw_load_plain(e, memory, address(e, lw_scalar(memory), pointer, offset, stride),
                            aligned ? size * stride : size, false);
    if (!e->failed)
        lw_emit_result(e, half ? lw_float_to_float(e, value, result, LW_RTE) : value);
}

static void
emit_store(lw_emitter *e, bool half, bool aligned, bool rounded)
{
    V data = lw_operand_value(e, 5), offset = lw_operand_value(e, 6), pointer = lw_operand_value(e, 7);
    if (e->failed)
        return;
    T type = LLVMTypeOf(data);
    if (half && !lw_is_float(type))
        lw_emit_fail(e, "vstore_half of integers");
    T memory = half ? lw_like(e->f16, type) : type;
    unsigned n = lw_parts(type), size = lw_bits(memory) / 8, stride = aligned && n == 3 ? 4 : n;
    if (half)
        data = lw_float_to_float(e, data, memory, rounded ? lw_operand(e, 8) : LW_RTE);
    lw_store_plain(e, data, address(e, lw_scalar(memory), pointer, offset, stride),
                   aligned ? size * stride : size, false);
}

bool
lw_emit_vloadstore(lw_emitter *e, uint32_t number)
{
    switch (number) {
    case OpenCLstd_Vloadn: emit_load(e, false, false); return true;
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn: emit_load(e, true, false); return true;
    case OpenCLstd_Vloada_halfn: emit_load(e, true, true); return true;
    case OpenCLstd_Vstoren: emit_store(e, false, false, false); return true;
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_halfn: emit_store(e, true, false, false); return true;
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn_r: emit_store(e, true, false, true); return true;
    case OpenCLstd_Vstorea_halfn: emit_store(e, true, true, false); return true;
    case OpenCLstd_Vstorea_halfn_r: emit_store(e, true, true, true); return true;
    default: return false;
    }
}
