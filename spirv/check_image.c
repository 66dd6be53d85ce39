/* SPDX-License-Identifier: MIT */
/* Images and samplers: their types, reading, writing, questions (SPIR-V 3.49.10). See check_code.c. */
#include "check_parts.h"

/* ---- types and constants ---- */

bool
lw_check_image_type(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint32_t dim = lw_word(m, inst, 3), array = lw_word(m, inst, 5), access = lw_word(m, inst, 9);
    if (inst->op == SpvOpTypeSampledImage)
        return lw_op_of(m, lw_word(m, inst, 2)) == SpvOpTypeImage ||
               lw_invalid(c, inst, "it is of no image");
    if (inst->op != SpvOpTypeImage)
        return true;
    if (inst->count < 9 || lw_op_of(m, lw_word(m, inst, 2)) != SpvOpTypeVoid || array > 1)
        return lw_invalid(c, inst, "it is no type of an image in OpenCL");
    if (dim != SpvDim1D && dim != SpvDim2D && dim != SpvDim3D && dim != SpvDimBuffer)
        return lw_refused(c, inst, "images are of one, two or three dimensions, or of a buffer");
    if (array && dim != SpvDim1D && dim != SpvDim2D)
        return lw_refused(c, inst, "arrays are of images of one or two dimensions");
    if (lw_word(m, inst, 6))
        return lw_refused(c, inst, "images of several samples (cl_khr_gl_msaa_sharing) are not supported");
    if (inst->count > 9 && access > SpvAccessQualifierReadWrite)
        return lw_invalid(c, inst, "its access qualifier is none");
    return true;
}

bool
lw_check_sampler_constant(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    return (inst->count == 6 && lw_op_of(m, inst->type) == SpvOpTypeSampler &&
            lw_word(m, inst, 3) <= SpvSamplerAddressingModeRepeatMirrored && lw_word(m, inst, 4) <= 1 &&
            lw_word(m, inst, 5) <= SpvSamplerFilterModeLinear) ||
           lw_invalid(c, inst, "it is no constant of a sampler");
}

/* ---- instructions ---- */

static const struct lw_inst *
image_type(const lw_module *m, uint32_t id)
{
    const struct lw_inst *type = lw_def(m, lw_type_of(m, id));
    if (type && type->op == SpvOpTypeSampledImage)
        type = lw_def(m, lw_word(m, type, 2));
    return type && type->op == SpvOpTypeImage ? type : NULL;
}

static bool
is_image(const lw_module *m, uint32_t id)
{
    return lw_op_of(m, lw_type_of(m, id)) == SpvOpTypeImage;
}

/* How many numbers say where a texel is, with the layer. */
static uint32_t
coordinates(const lw_module *m, const struct lw_inst *type)
{
    uint32_t dim = lw_word(m, type, 3);
    return (dim == SpvDim2D ? 2u : dim == SpvDim3D ? 3u : 1u) + lw_word(m, type, 5);
}

static bool
check_coordinate(struct lw_check *c, const struct lw_inst *inst, uint32_t image, uint32_t id, bool floating)
{
    const struct lw_inst *type = image_type(c->m, image);
    struct lw_shape s = lw_shape_of(c->m, id);
    if (!type)
        return lw_invalid(c, inst, "its image is none");
    return (s.width == 32 && s.lanes >= coordinates(c->m, type) &&
            (s.class == LW_CLASS_INT || (floating && s.class == LW_CLASS_FLOAT))) ||
           lw_invalid(c, inst, "its coordinate does not fit the image");
}

/* Image operands from `word` on: no more than a level of detail of zero, and how integers are extended, which
 * the format says as well. */
static bool
check_operands(struct lw_check *c, const struct lw_inst *inst, uint32_t word)
{
    const lw_module *m = c->m;
    if (inst->count <= word)
        return true;
    uint32_t mask = lw_word(m, inst, word), rest = mask & ~0x3000u; /* SignExtend, ZeroExtend */
    uint64_t lod = 1;
    if (rest & ~(uint32_t)SpvImageOperandsLodMask)
        return lw_refused(c, inst, "its image operands are not supported: mipmaps (ImageMipmap) and others");
    if (!rest)
        return inst->count == word + 1 || lw_invalid(c, inst, "it has too many operands");
    if (inst->count != word + 2)
        return lw_invalid(c, inst, "it has the wrong number of image operands");
    return (lw_constant_bits(m, lw_word(m, inst, word + 1), &lod) && lod == 0) ||
           lw_constant_operand(m, inst, word + 1, 1) == 0 ||
           lw_refused(c, inst, "mipmaps (ImageMipmap) are not supported: its level of detail is not 0");
}

/* Four numbers, or one of a depth image. */
static bool
check_texel(struct lw_check *c, const struct lw_inst *inst, struct lw_shape s, uint32_t image)
{
    bool depth = lw_word(c->m, image_type(c->m, image), 4) == 1;
    bool number = (s.class == LW_CLASS_INT && s.width == 32) ||
                  (s.class == LW_CLASS_FLOAT && (s.width == 32 || s.width == 16));
    return (number && (s.lanes == 4 || (depth && s.lanes == 1))) ||
           lw_invalid(c, inst, "its texel is not four integers, floats or halves");
}

static bool
check_sampled_image(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint32_t image = lw_word(m, inst, 3);
    return (inst->count == 5 && lw_op_of(m, inst->type) == SpvOpTypeSampledImage && is_image(m, image) &&
            lw_word(m, lw_def(m, inst->type), 2) == lw_type_of(m, image) &&
            lw_op_of(m, lw_type_of(m, lw_word(m, inst, 4))) == SpvOpTypeSampler) ||
           lw_invalid(c, inst, "it does not put an image and a sampler together");
}

static bool
check_sample(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    uint32_t sampled = lw_word(m, inst, 3);
    if (inst->count < 5 || lw_op_of(m, lw_type_of(m, sampled)) != SpvOpTypeSampledImage)
        return lw_invalid(c, inst, "it samples no sampled image");
    if (lw_word(m, image_type(m, sampled), 3) == SpvDimBuffer)
        return lw_invalid(c, inst, "an image of a buffer is not sampled");
    return check_coordinate(c, inst, sampled, lw_word(m, inst, 4), true) &&
           check_texel(c, inst, lw_shape_of_type(m, inst->type), sampled) && check_operands(c, inst, 5);
}

static bool
check_access(struct lw_check *c, const struct lw_inst *inst, bool write)
{
    const lw_module *m = c->m;
    uint32_t first = write ? 1 : 3, image = lw_word(m, inst, first);
    if (inst->count < first + 2u + write || !is_image(m, image))
        return lw_invalid(c, inst, "its image is none");
    const struct lw_inst *type = image_type(m, image);
    uint32_t access = type->count > 9 ? lw_word(m, type, 9) : SpvAccessQualifierReadOnly;
    if (access == (write ? SpvAccessQualifierReadOnly : SpvAccessQualifierWriteOnly))
        return lw_invalid(c, inst, "its image is open for the opposite only");
    struct lw_shape texel = write ? lw_shape_of(m, lw_word(m, inst, 3)) : lw_shape_of_type(m, inst->type);
    return check_coordinate(c, inst, image, lw_word(m, inst, first + 1), false) &&
           check_texel(c, inst, texel, image) && check_operands(c, inst, first + 2 + write);
}

static bool
check_block(struct lw_check *c, const struct lw_inst *inst, bool write)
{
    const lw_module *m = c->m;
    uint32_t first = write ? 1 : 3, image = lw_word(m, inst, first);
    struct lw_shape v = write ? lw_shape_of(m, lw_word(m, inst, 3)) : lw_shape_of_type(m, inst->type);
    if (inst->count != 5 - write || !is_image(m, image) || lw_word(m, image_type(m, image), 3) != SpvDim2D ||
        lw_word(m, image_type(m, image), 5))
        return lw_invalid(c, inst, "its image is none of two dimensions");
    return (v.class == LW_CLASS_INT && v.lanes <= 16 &&
            (v.width == 8 || v.width == 16 || v.width == 32 || v.width == 64)) ?
               check_coordinate(c, inst, image, lw_word(m, inst, first + 1), false) :
               lw_refused(c, inst, "its block is not of integers");
}

static bool
check_size(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type);
    uint32_t image = lw_word(m, inst, 3), lod = inst->op == SpvOpImageQuerySizeLod;
    if (inst->count != 4 + lod || !is_image(m, image))
        return lw_invalid(c, inst, "its image is none");
    if (lod && lw_constant_operand(m, inst, 4, 1) != 0)
        return lw_refused(c, inst, "mipmaps (ImageMipmap) are not supported: its level of detail is not 0");
    return (r.class == LW_CLASS_INT && r.lanes == coordinates(m, image_type(m, image)) &&
            (r.width == 32 || r.width == 64)) ||
           lw_invalid(c, inst, "its result is not as many integers as the image has dimensions");
}

static bool
check_question(struct lw_check *c, const struct lw_inst *inst)
{
    struct lw_shape r = lw_shape_of_type(c->m, inst->type);
    return (inst->count == 4 && is_image(c->m, lw_word(c->m, inst, 3)) && r.class == LW_CLASS_INT &&
            r.lanes == 1) ||
           lw_invalid(c, inst, "it asks of no image, or for no integer");
}

static bool
check_image_of(struct lw_check *c, const struct lw_inst *inst)
{
    const lw_module *m = c->m;
    const struct lw_inst *sampled = lw_def(m, lw_type_of(m, lw_word(m, inst, 3)));
    return (inst->count == 4 && sampled && sampled->op == SpvOpTypeSampledImage &&
            lw_word(m, sampled, 2) == inst->type) ||
           lw_invalid(c, inst, "it takes the image out of no sampled image");
}

bool
lw_import_image_fits(struct lw_check *c, const struct lw_inst *inst, const struct lw_imported_builtin *b)
{
    const lw_module *m = c->m;
    struct lw_shape r = lw_shape_of_type(m, inst->type);
    uint32_t image = lw_word(m, inst, 4), sampler = inst->count == 7;
    if (inst->count < 5 || !is_image(m, image))
        return false;
    if (b->kind == LW_IMPORT_IMAGE_QUERY)
        return inst->count == 5 && r.class == LW_CLASS_INT && r.lanes == 1 && r.width == 32;
    if (b->op == SpvOpImageWrite)
        return inst->count == 7 && check_coordinate(c, inst, image, lw_word(m, inst, 5), false) &&
               check_texel(c, inst, lw_shape_of(m, lw_word(m, inst, 6)), image);
    if (sampler && lw_op_of(m, lw_type_of(m, lw_word(m, inst, 5))) != SpvOpTypeSampler)
        return false;
    return (sampler || inst->count == 6) &&
           check_coordinate(c, inst, image, lw_word(m, inst, 5 + sampler), sampler) &&
           check_texel(c, inst, r, image);
}

bool
lw_check_image(struct lw_check *c, const struct lw_inst *inst, bool *fine)
{
    switch (inst->op) {
    case SpvOpSampledImage: *fine = check_sampled_image(c, inst); return true;
    case SpvOpImageSampleExplicitLod: *fine = check_sample(c, inst); return true;
    case SpvOpImageRead: *fine = check_access(c, inst, false); return true;
    case SpvOpImageWrite: *fine = check_access(c, inst, true); return true;
    case SpvOpSubgroupImageBlockReadINTEL: *fine = check_block(c, inst, false); return true;
    case SpvOpSubgroupImageBlockWriteINTEL: *fine = check_block(c, inst, true); return true;
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize: *fine = check_size(c, inst); return true;
    case SpvOpImageQueryFormat:
    case SpvOpImageQueryOrder:
    case SpvOpImageQueryLevels:
    case SpvOpImageQuerySamples: *fine = check_question(c, inst); return true;
    case SpvOpImage: *fine = check_image_of(c, inst); return true;
    default: return false;
    }
}
