/* SPDX-License-Identifier: MIT */
/* Images and samplers that are no argument of the kernel: constant samplers, and what is undefined. */
#include "emit_function.h"
#include "image.h"

V
lw_sampler_constant(lw_emitter *e, const struct lw_inst *inst)
{
    const lw_module *m = e->spv;
    return lw_int(e->i32, LW_SAMPLER_BITS(lw_word(m, inst, 3), lw_word(m, inst, 4), lw_word(m, inst, 5)));
}

static V
private_constant(lw_emitter *e, V value, const char *name)
{
    V global = LLVMAddGlobalInAddressSpace(e->module, LLVMTypeOf(value), name, LW_AS_CONSTANT);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetAlignment(global, 16);
    return global;
}

/* The struct lw_image of what is no image: it has no texels, so writes go nowhere. What is read at the edge,
 * one texel before the first, is zeros. clang makes such images of arguments that a function does not use. */
static V
image_without_texels(lw_emitter *e)
{
    enum { BEFORE = 128 };
    V at = lw_int(e->i64, BEFORE), zero = lw_int(e->i32, 0), none = lw_int(e->i64, 0);
    V zeros = private_constant(
        e, LLVMConstNull(LLVMArrayType2(e->i8, BEFORE + LW_IMAGE_PADDING)), "no.texels");
    V fields[] = {
        LLVMConstInBoundsGEP2(e->i8, zeros, &at, 1),
        zero,                                                                     /* kind */
        lw_int(e->i32, SpvImageChannelOrderRGBA), lw_int(e->i32, SpvImageChannelDataTypeFloat),
        lw_int(e->i32, 16),                                                       /* bytes of a texel */
        zero, zero, zero, zero,                                                   /* width to layers */
        none, none,                                                               /* pitches */
        zero, zero, zero, zero,                                                   /* and padding */
    };
    _Static_assert(sizeof(struct lw_image) == 72, "as the fields above");
    V image = LLVMConstStructInContext(e->context, fields, sizeof fields / sizeof *fields, false);
    return private_constant(e, image, "no.image");
}

V
lw_undefined(lw_emitter *e, uint32_t type)
{
    T made = lw_emit_type(e, type);
    uint32_t op = lw_op_of(e->spv, type);
    if (e->failed || (op != SpvOpTypeImage && op != SpvOpTypeSampledImage))
        return LLVMConstNull(made);
    V image = image_without_texels(e);
    if (op == SpvOpTypeImage)
        return image;
    V both[] = {image, lw_int(e->i32, 0)};
    return LLVMConstStructInContext(e->context, both, 2, false);
}
