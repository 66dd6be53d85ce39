/* SPDX-License-Identifier: MIT */
/* OpenCL.std instructions and calls, imported ones among them. See check_signature.c for the codes. */
#include <string.h>

#include "check_parts.h"

struct ext_row {
    char result;
    const char *operands;
    const char *names; /* of instructions, between spaces */
};

static const struct ext_row rows[] = {
    {'f', "=",
     " acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erfc erf exp exp2 "
     "exp10 "
     "expm1 fabs floor log log2 log10 log1p logb lgamma rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi "
     "tgamma trunc half_cos half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_recip "
     "half_rsqrt "
     "half_sin half_sqrt half_tan native_cos native_exp native_exp2 native_exp10 native_log native_log2 "
     "native_log10 native_recip native_rsqrt native_sin native_sqrt native_tan degrees radians sign "
     "normalize "
     "fast_normalize "},
    {'f', "==",
     " atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr remainder "
     "half_divide half_powr native_divide native_powr fmax_common fmin_common step "},
    {'f', "===", " fma mad fclamp mix smoothstep "},
    {'f', "=p", " fract modf sincos frexp lgamma_r "},
    {'f', "==p", " remquo "},
    {'f', "=w", " ldexp pown rootn "},
    {'f', "x", " nan "},
    {'i', "f", " ilogb "},
    {'F', "u", " length fast_length "},
    {'F', "u1", " distance fast_distance "},
    {'i', "=", " s_abs u_abs clz ctz popcount "},
    {'i', "==",
     " s_abs_diff u_abs_diff s_add_sat u_add_sat s_hadd u_hadd s_rhadd u_rhadd s_max u_max s_min u_min "
     "s_mul_hi u_mul_hi rotate s_sub_sat u_sub_sat s_mul24 u_mul24 "},
    {'i', "===", " s_clamp u_clamp s_mad_hi u_mad_hi s_mad_sat u_mad_sat s_mad24 u_mad24 "},
    {'i', "hh", " u_upsample s_upsample "},
    {'n', "===", " bitselect "},
    {'n', "==x", " select "},
    {'F', "sp", " vload_half "},
    {'v', "ksp", " vstore_half vstoren vstore_halfn vstorea_halfn "},
    {'v', "kspL", " vstore_half_r vstore_halfn_r vstorea_halfn_r "},
    {'v', "ps", " prefetch "},
};

static const struct ext_row *
row_of(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const char *at = strstr(rows[i].names, name); at; at = strstr(at + 1, name))
            if (at[-1] == ' ' && at[n] == ' ')
                return &rows[i];
    return NULL;
}

/* vloadn, vload_halfn, vloada_halfn: (offset, pointer, n) -> vector of n. */
static bool
check_vload(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    uint32_t number = lw_word(c->m, inst, 4);
    bool half = number != LW_CL_vloadn;
    if (!lw_check_signature(c, inst, half ? 'f' : 'n', "spL", 5))
        return false;
    return (r.lanes > 1 && lw_word(c->m, inst, 7) == r.lanes) ||
           lw_invalid(c, inst, "its result has not as many components as are loaded");
}

/* What the halves are converted from or to is float or double; where memory is written it can be. */
static bool
check_vstore(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape data = lw_shape_of(c->m, lw_word(c->m, inst, 5)),
                    p = lw_shape_of(c->m, lw_word(c->m, inst, 7));
    bool half = lw_word(c->m, inst, 4) != LW_CL_vstoren;
    bool scalar =
        lw_word(c->m, inst, 4) == LW_CL_vstore_half || lw_word(c->m, inst, 4) == LW_CL_vstore_half_r;
    if (data.class == LW_CLASS_BOOL || (half && data.class != LW_CLASS_FLOAT) || scalar != (data.lanes == 1))
        return lw_invalid(c, inst, "its data is not what it stores");
    if (p.storage == SpvStorageClassUniformConstant || p.storage == SpvStorageClassInput)
        return lw_invalid(c, inst, "it stores to memory that cannot be written");
    return true;
}

static bool
check_shuffle(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    struct lw_shape mask = lw_shape_of(c->m, lw_word(c->m, inst, inst->count - 1u));
    bool two = lw_word(c->m, inst, 4) == LW_CL_shuffle2;
    if (!lw_check_signature(c, inst, 'n', two ? "e1V" : "eV", 5))
        return false;
    return (r.lanes > 1 && mask.width == r.width) || lw_invalid(c, inst, "its mask does not fit its result");
}

/* (format, arguments...). What the format says of them is seen when it is printed. */
static bool
check_printf(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    if (r.class != LW_CLASS_INT || r.lanes != 1 || r.width != 32)
        return lw_invalid(c, inst, "its result has 32 bits");
    if (inst->count < 6 || lw_shape_of(c->m, lw_word(c->m, inst, 5)).class != LW_CLASS_POINTER)
        return lw_invalid(c, inst, "its format is no pointer");
    for (uint32_t i = 6; i < inst->count; i++) {
        struct lw_shape a = lw_shape_of(c->m, lw_word(c->m, inst, i));
        bool number = a.class == LW_CLASS_INT || a.class == LW_CLASS_FLOAT;
        if (a.class != LW_CLASS_POINTER && (!number || a.width < 8 || (a.width & (a.width - 1))))
            return lw_refused(c, inst, "an argument of printf is no number, vector of numbers or pointer");
    }
    return true;
}

static bool
check_opencl(struct lw_check *c, const struct lw_inst *inst, uint32_t number, const char *name)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    switch (number) {
    case LW_CL_printf: return check_printf(c, inst);
    case LW_CL_vloadn:
    case LW_CL_vload_halfn:
    case LW_CL_vloada_halfn: return check_vload(c, inst);
    case LW_CL_shuffle:
    case LW_CL_shuffle2: return check_shuffle(c, inst);
    case LW_CL_cross:
        return lw_check_signature(c, inst, 'f', "==", 5) && (r.lanes == 3 || r.lanes == 4 ||
               lw_invalid(c, inst, "cross takes three or four components"));
    case LW_CL_ilogb:
        if (r.width != 32)
            return lw_invalid(c, inst, "its result has 32 bits");
        break;
    default: break;
    }
    const struct ext_row *row = row_of(name);
    if (!row)
        return lw_refused(c, inst, "this instruction of OpenCL.std is not supported");
    if (!lw_check_signature(c, inst, row->result, row->operands, 5))
        return false;
    return row->operands[0] != 'k' || check_vstore(c, inst);
}

bool
lw_check_ext_inst(struct lw_check *c, const struct lw_inst *inst)
{
    uint32_t number = lw_word(c->m, inst, 4);
    const char *name;
    switch (c->m->ext_sets[lw_word(c->m, inst, 3)]) {
    case LW_EXT_NON_SEMANTIC:
    case LW_EXT_SHADER_DEBUG_INFO:
    case LW_EXT_DEBUG_INFO: return true;
    case LW_EXT_OPENCL_STD:
        name = lw_opencl_std_name(number);
        if (!name)
            return lw_refused(c, inst, "OpenCL.std has no such instruction");
        return check_opencl(c, inst, number, name);
    default: return lw_refused(c, inst, "its instruction set is not known");
    }
}

/* ---- calls ---- */

static bool
check_import_conversion(struct lw_check *c, const struct lw_inst *inst, const char *name)
{
    struct lw_import_conversion parts;
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), o = lw_shape_of(c->m, lw_word(c->m, inst, 4));
    if (!lw_import_conversion(name, &parts))
        return false;
    return inst->count == 5 && r.class == (parts.to == 'f' ? LW_CLASS_FLOAT : LW_CLASS_INT) &&
           o.class == (parts.from == 'f' ? LW_CLASS_FLOAT : LW_CLASS_INT) && r.width == parts.to_width &&
           r.lanes == parts.lanes && o.lanes == parts.lanes;
}

static bool
import_dot_fits(struct lw_check *c, const struct lw_inst *inst, const struct lw_imported_builtin *b)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    bool fine = inst->count == (b->op >= SpvOpSDotAccSatKHR ? 7 : 6);
    fine = fine && r.class == LW_CLASS_INT && r.lanes == 1 && r.width == 32;
    for (uint32_t w = 4; w < inst->count; w++)
        fine = fine && lw_same_shape(r, lw_shape_of(c->m, lw_word(c->m, inst, w)));
    return fine;
}

static bool
import_shuffle_fits(struct lw_check *c, const struct lw_inst *inst, const struct lw_imported_builtin *b)
{
    bool pair = b->op == SpvOpSubgroupShuffleDownINTEL || b->op == SpvOpSubgroupShuffleUpINTEL;
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    struct lw_shape lane = lw_shape_of(c->m, lw_word(c->m, inst, inst->count - 1u));
    bool fine = inst->count == (pair ? 7 : 6) && (r.class == LW_CLASS_INT || r.class == LW_CLASS_FLOAT) &&
                lane.class == LW_CLASS_INT && lane.lanes == 1;
    for (uint32_t w = 4; w + 1u < inst->count; w++)
        fine = fine && lw_same_shape(r, lw_shape_of(c->m, lw_word(c->m, inst, w)));
    return fine;
}

static bool
import_block_fits(struct lw_check *c, const struct lw_inst *inst, const struct lw_imported_builtin *b)
{
    bool read = b->op == SpvOpSubgroupBlockReadINTEL;
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), p = lw_shape_of(c->m, lw_word(c->m, inst, 4));
    if (inst->count != (read ? 5 : 6) || (!read && r.class != LW_CLASS_VOID))
        return false;
    return lw_fits_block(p, read ? r : lw_shape_of(c->m, lw_word(c->m, inst, 5)), !read);
}

static bool
import_atomic_fits(struct lw_check *c, const struct lw_inst *inst, const struct lw_imported_builtin *b)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type), p = lw_shape_of(m, lw_word(m, inst, 4));
    bool steps = b->op == SpvOpAtomicIIncrement || b->op == SpvOpAtomicIDecrement;
    uint32_t values = steps ? 0 : b->op == SpvOpAtomicCompareExchange ? 2 : 1;
    uint32_t given = inst->count - 5u, extra = b->kind == LW_IMPORT_ATOMIC_EXPLICIT ? given - values : 0;
    bool floating = r.class == LW_CLASS_FLOAT && lw_import_float_op(b->op);
    bool number = r.class == LW_CLASS_INT || floating;
    if (inst->count < 5 || given < values || given - extra != values || extra > 2 || !number ||
        r.lanes != 1 || (r.width != 32 && r.width != 64 && !(floating && r.width == 16)) ||
        p.class != LW_CLASS_POINTER ||
        p.storage == SpvStorageClassUniformConstant || p.storage == SpvStorageClassInput)
        return false;
    for (uint32_t i = 0; i < values; i++)
        if (!lw_same_shape(r, lw_shape_of(m, lw_word(m, inst, 5 + i))))
            return false;
    return true;
}

/* (value), of broadcasts also the ids of the work-item. */
static bool
import_group_fits(struct lw_check *c, const struct lw_inst *inst, const char *name)
{
    struct lw_import_group group;
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), x = lw_shape_of(c->m, lw_word(c->m, inst, 4));
    if (!lw_import_group(name, &group) || inst->count < 5 || !lw_same_shape(r, x))
        return false;
    bool broadcast = group.op == SpvOpGroupBroadcast, of_group = group.scope == SpvScopeWorkgroup;
    for (uint32_t w = 5; w < inst->count; w++) {
        struct lw_shape id = lw_shape_of(c->m, lw_word(c->m, inst, w));
        if (id.class != LW_CLASS_INT || id.lanes != 1)
            return false;
    }
    switch (lw_group_kind(group.op)) {
    case 'B': return inst->count == 5 && r.class == LW_CLASS_INT && r.lanes == 1 && r.width == 32;
    case 'I': return inst->count == 5 && r.class == LW_CLASS_INT && r.lanes == 1;
    case 'F': return inst->count == 5 && r.class == LW_CLASS_FLOAT && r.lanes == 1;
    default:
        return broadcast && (r.class == LW_CLASS_INT || r.class == LW_CLASS_FLOAT) && inst->count > 5 &&
               inst->count <= (of_group ? 8 : 6);
    }
}

static bool
import_fits(struct lw_check *c, const struct lw_inst *inst, const struct lw_imported_builtin *b,
            const char *name)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type), o = lw_shape_of(c->m, lw_word(c->m, inst, 4));
    bool generic = o.class == LW_CLASS_POINTER && o.storage == SpvStorageClassGeneric && inst->count == 5;
    bool flags = r.class == LW_CLASS_VOID && o.class == LW_CLASS_INT && o.lanes == 1;
    switch (b->kind) {
    case LW_IMPORT_ATOMIC:
    case LW_IMPORT_ATOMIC_EXPLICIT: return import_atomic_fits(c, inst, b);
    case LW_IMPORT_TO_SPACE: return generic && r.class == LW_CLASS_POINTER && r.storage == b->op;
    case LW_IMPORT_GET_FENCE: return generic && r.class == LW_CLASS_INT && r.lanes == 1 && r.width == 32;
    case LW_IMPORT_FENCE: return flags && inst->count == 5;
    case LW_IMPORT_SUB_GROUP_BARRIER: return flags && (inst->count == 5 || inst->count == 6);
    case LW_IMPORT_DOT:
    case LW_IMPORT_DOT_SWAPPED: return import_dot_fits(c, inst, b);
    case LW_IMPORT_INTEL_SHUFFLE: return import_shuffle_fits(c, inst, b);
    case LW_IMPORT_INTEL_BLOCK: return import_block_fits(c, inst, b);
    case LW_IMPORT_GROUP: return import_group_fits(c, inst, name);
    case LW_IMPORT_IMAGE:
    case LW_IMPORT_IMAGE_QUERY: return lw_import_image_fits(c, inst, b);
    case LW_IMPORT_BLOCK: return lw_check_block_import(c, inst, b->op);
    case LW_IMPORT_NULL_HANDLE: return inst->count == 5 && lw_op_of(c->m, inst->type) == b->op;
    case LW_IMPORT_CONVERT: return check_import_conversion(c, inst, name);
    }
    return false;
}

bool
lw_check_call(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint32_t index = lw_function_index(m, lw_word(m, inst, 3));
    if (index == LW_NO_INST)
        return lw_invalid(c, inst, "it calls what is no function");
    const struct lw_spirv_function *f = &m->functions[index];
    const struct lw_inst *type = lw_def(m, f->type);
    if (!type || type->op != SpvOpTypeFunction || inst->count - 4u != type->count - 3u ||
        inst->type != lw_word(m, type, 2))
        return lw_invalid(c, inst, "it does not have the function's result or number of arguments");
    for (uint32_t i = 0; i + 4 < inst->count; i++)
        if (!lw_same_shape(lw_shape_of_type(m, lw_word(m, type, 3 + i)),
                           lw_shape_of(m, lw_word(m, inst, 4 + i))))
            return lw_invalid(c, inst, "an argument is not of its parameter's type");
    if (f->block_count)
        return true;
    const char *name = f->import_name ? f->import_name : lw_name_of(m, f->id);
    const struct lw_imported_builtin *b = f->import_name ? lw_find_imported_builtin(name) : NULL;
    if (!b)
        return lw_spirv_fail(c->error, LW_ERR_IMPORT, inst->at, inst->at, c->kernel, name);
    return import_fits(c, inst, b, name) || lw_invalid(c, inst, "the imported function has other parameters");
}
