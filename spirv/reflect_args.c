/* SPDX-License-Identifier: MIT */
/* Kernel arguments: kinds, sizes, the layout of the argument buffer, names and types as OpenCL C spells them.
 *
 * Enters: a read module.  Leaves: args of a lw_kernel_desc.
 * Relies on: nothing.  Never: follows more than MAX_STARS pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "image.h"
#include "reflect_parts.h"

#define MAX_STARS 4
#define MAX_ARG_BYTES (1u << 20)
#define MAX_ARG_ALIGN 128u

/* What the host calls a type that it cannot pass. */
static const char *
refused_type_name(uint32_t op)
{
    switch (op) {
    case SpvOpTypeImage: return "an image of such a kind";
    case SpvOpTypeSampledImage: return "a sampled image";
    case SpvOpTypeEvent:
    case SpvOpTypeDeviceEvent: return "an event";
    case SpvOpTypeBool: return "a boolean";
    case SpvOpTypeUntypedPointerKHR: return "an untyped pointer (SPV_KHR_untyped_pointers is not supported)";
    default: return "a value of such a type";
    }
}

static void
write_scalar(const lw_module *m, const struct lw_inst *type, char out[8])
{
    out[0] = 0;
    if (type && type->op == SpvOpTypeInt)
        snprintf(out, 8, "i%u", lw_word(m, type, 2) % 128);
    else if (type && type->op == SpvOpTypeFloat)
        snprintf(out, 8, "f%u", lw_word(m, type, 2) % 128);
}

/* "image2d_array_depth_t" */
static void
write_image_type(const lw_module *m, const struct lw_inst *type, char *out, size_t room)
{
    static const char *const names[] = {"1d", "2d", "3d", "", "", "1d_buffer"};
    uint32_t dim = lw_word(m, type, 3);
    snprintf(out, room, "image%s%s%s_t", dim < sizeof names / sizeof names[0] ? names[dim] : "",
             lw_word(m, type, 5) ? "_array" : "", lw_word(m, type, 4) == 1 ? "_depth" : "");
}

/* "uint", "half", "struct S"; "" where OpenCL C has no word for it. */
static void
write_plain_type(const lw_module *m, uint32_t id, char *out, size_t room)
{
    const struct lw_inst *type = lw_def(m, id);
    uint32_t width = type ? lw_word(m, type, 2) : 0;
    bool is_signed = type && type->op == SpvOpTypeInt && lw_word(m, type, 3);
    const char *word = "";
    switch (type ? type->op : SpvOpNop) {
    case SpvOpTypeVoid: word = "void"; break;
    case SpvOpTypePipe: word = "pipe"; break;
    case SpvOpTypeSampler: word = "sampler_t"; break;
    case SpvOpTypeImage: write_image_type(m, type, out, room); return;
    case SpvOpTypeQueue: word = "queue_t"; break;
    case SpvOpTypeBool: word = "bool"; break;
    case SpvOpTypeInt:
        word = width == 8    ? "uchar"
               : width == 16 ? "ushort"
               : width == 32 ? "uint"
               : width == 64 ? "ulong"
                             : "";
        word += is_signed && *word;
        break;
    case SpvOpTypeFloat:
        word = width == 16 ? "half" : width == 32 ? "float" : width == 64 ? "double" : "";
        break;
    case SpvOpTypeStruct: {
        const char *name = lw_name_of(m, id);
        if (strncmp(name, "struct.", 7) == 0 || strncmp(name, "union.", 6) == 0)
            snprintf(out, room, "%.*s %.200s", name[0] == 's' ? 6 : 5, name, strchr(name, '.') + 1);
        else
            snprintf(out, room, "struct %.200s", name);
        return;
    }
    default: break;
    }
    snprintf(out, room, "%s", word);
}

static const char *
space_word(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassCrossWorkgroup: return "global ";
    case SpvStorageClassUniformConstant: return "constant ";
    case SpvStorageClassWorkgroup: return "local ";
    case SpvStorageClassFunction: return "private ";
    default: return "";
    }
}

/* "global uchar*" */
static void
write_type(const lw_module *m, uint32_t id, char *out, size_t room)
{
    const struct lw_inst *type = lw_def(m, id);
    const char *space = "";
    char plain[240], stars[MAX_STARS + 1] = "";
    for (int depth = 0; type && type->op == SpvOpTypePointer && depth < MAX_STARS; depth++) {
        if (depth == 0)
            space = space_word(lw_word(m, type, 2));
        stars[depth] = '*';
        stars[depth + 1] = 0;
        id = lw_word(m, type, 3);
        type = lw_def(m, id);
    }
    if (type && type->op == SpvOpTypeVector) {
        write_plain_type(m, lw_word(m, type, 2), plain, sizeof plain);
        snprintf(out, room, "%s%s%u%s", space, plain, lw_word(m, type, 3), stars);
    } else {
        write_plain_type(m, id, plain, sizeof plain);
        snprintf(out, room, "%s%s%s", space, plain, stars);
    }
}

/* The `index`-th entry of the list in an OpString "PREFIX.KERNEL.a,b,c," into `out`. */
static bool
list_entry(const lw_module *m, const char *prefix, const char *kernel, uint32_t index, char *out, size_t room)
{
    char head[512];
    int length = snprintf(head, sizeof head, "%s.%s.", prefix, kernel);
    if (length < 0 || (size_t)length >= sizeof head)
        return false;
    uint32_t low = 0, high = m->arg_string_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (strcmp(lw_string_at(m, m->insts[m->arg_strings[mid]].at + 2), head) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == m->arg_string_count)
        return false;
    const char *text = lw_string_at(m, m->insts[m->arg_strings[low]].at + 2);
    if (strncmp(text, head, (size_t)length) != 0)
        return false;
    text += length;
    for (uint32_t i = 0; i < index && text; i++) {
        text = strchr(text, ',');
        text = text ? text + 1 : NULL;
    }
    size_t n = text ? strcspn(text, ",") : 0;
    if (n == 0 || n >= room)
        return false;
    memcpy(out, text, n);
    out[n] = 0;
    return true;
}

/* By the front end's own words, else by what it decorated. */
static void
qualify_arg(const lw_module *m, const struct lw_kernel_desc *d, uint32_t index, uint32_t id,
            struct lw_kernel_arg *arg)
{
    char told[200];
    const struct lw_inst *type = lw_def(m, arg->type);
    if (!type || type->op != SpvOpTypePointer || arg->value_type)
        return;
    bool list = list_entry(m, "kernel_arg_type_qual", d->name, index, told, sizeof told);
    arg->is_const = lw_word(m, type, 2) == SpvStorageClassUniformConstant || (list && strstr(told, "const"));
    arg->is_restrict = (list && strstr(told, "restrict")) ||
                       lw_has_attribute(m, id, SpvFunctionParameterAttributeNoAlias);
    arg->is_volatile = (list && strstr(told, "volatile")) ||
                       lw_find_decoration(m, id, LW_NO_MEMBER, SpvDecorationVolatile);
}

static bool
name_arg(const lw_module *m, const struct lw_kernel_desc *d, uint32_t index, uint32_t id,
         struct lw_kernel_arg *arg)
{
    char text[400], told[200];
    if (list_entry(m, "kernel_arg_name", d->name, index, told, sizeof told))
        arg->info.name = strdup(told);
    else
        arg->info.name = strdup(lw_name_of(m, id));
    const struct lw_inst *type = lw_def(m, arg->type);
    bool pointer = type && type->op == SpvOpTypePointer && !arg->value_type;
    if (list_entry(m, "kernel_arg_type", d->name, index, told, sizeof told))
        snprintf(text, sizeof text, "%s%s", pointer ? space_word(lw_word(m, type, 2)) : "", told);
    else
        write_type(m, arg->value_type ? arg->value_type : arg->type, text, sizeof text);
    arg->info.type = strdup(text);
    return arg->info.name && arg->info.type;
}

/* Kind, size and alignment of a pointer argument. */
static bool
classify_pointer(const lw_module *m, uint32_t id, const struct lw_inst *type, struct lw_kernel_arg *arg)
{
    uint32_t pointee = lw_word(m, type, 3);
    struct lw_layout layout;
    arg->info.size = arg->info.align = 8;
    arg->info.components = 1;
    switch (lw_word(m, type, 2)) {
    case SpvStorageClassCrossWorkgroup:
        arg->info.kind = LW_ARG_POINTER;
        arg->info.address_space = 1;
        break;
    case SpvStorageClassUniformConstant:
        arg->info.kind = LW_ARG_POINTER;
        arg->info.address_space = 2;
        break;
    case SpvStorageClassGeneric:
        arg->info.kind = LW_ARG_POINTER;
        arg->info.address_space = 4;
        break;
    case SpvStorageClassWorkgroup:
        arg->info.kind = LW_ARG_LOCAL;
        arg->info.address_space = 3;
        arg->info.size = 0;
        break;
    case SpvStorageClassFunction:
        if (!lw_has_attribute(m, id, SpvFunctionParameterAttributeByVal) ||
            !lw_type_layout(m, pointee, &layout) || layout.size > MAX_ARG_BYTES)
            return false;
        arg->info.kind = LW_ARG_STRUCT;
        arg->value_type = pointee;
        arg->info.size = (uint32_t)layout.size;
        arg->info.align = layout.align > arg->align_decoration ? layout.align : arg->align_decoration;
        return true;
    default: return false;
    }
    const struct lw_inst *element = lw_def(m, pointee);
    if (element && (element->op == SpvOpTypeVector || element->op == SpvOpTypeArray))
        element = lw_def(m, lw_word(m, element, 2));
    write_scalar(m, element, arg->info.scalar);
    return true;
}

/* Those of OpenCL C, by dimensions and what the words of OpTypeImage tell else. */
static uint8_t
image_kind(const lw_module *m, const struct lw_inst *type)
{
    bool arrayed = lw_word(m, type, 5);
    if (lw_word(m, type, 6)) /* multisampled */
        return 0;
    switch (lw_word(m, type, 3)) {
    case SpvDim1D: return arrayed ? LW_IMAGE_1D_ARRAY : LW_IMAGE_1D;
    case SpvDim2D: return arrayed ? LW_IMAGE_2D_ARRAY : LW_IMAGE_2D;
    case SpvDim3D: return arrayed ? 0 : LW_IMAGE_3D;
    case SpvDimBuffer: return arrayed ? 0 : LW_IMAGE_1D_BUFFER;
    default: return 0;
    }
}

static bool
classify_image(const lw_module *m, const struct lw_inst *type, struct lw_kernel_arg *arg)
{
    uint32_t access = type->count > 9 ? lw_word(m, type, 9) : SpvAccessQualifierReadOnly;
    arg->image_kind = image_kind(m, type);
    arg->is_depth = lw_word(m, type, 4) == 1;
    arg->is_write_only = access == SpvAccessQualifierWriteOnly;
    arg->is_read_write = access == SpvAccessQualifierReadWrite;
    arg->info =
        (lw_arg_info){.kind = LW_ARG_IMAGE, .components = 1, .size = 8, .align = 8, .address_space = 1};
    return arg->image_kind != 0;
}

static bool
classify(const lw_module *m, uint32_t id, struct lw_kernel_arg *arg)
{
    const struct lw_inst *type = lw_def(m, arg->type);
    struct lw_layout layout;
    if (!type)
        return false;
    if (type->op == SpvOpTypePointer)
        return classify_pointer(m, id, type, arg);
    if (type->op == SpvOpTypePipe) {
        arg->is_write_only = lw_word(m, type, 2) == SpvAccessQualifierWriteOnly;
        arg->info = (lw_arg_info){
            .kind = LW_ARG_PIPE, .components = 1, .size = 8, .align = 8, .address_space = 1};
        return true;
    }
    if (type->op == SpvOpTypeImage)
        return classify_image(m, type, arg);
    if (type->op == SpvOpTypeSampler) {
        arg->info = (lw_arg_info){.kind = LW_ARG_SAMPLER, .components = 1, .size = 4, .align = 4};
        return true;
    }
    if (type->op == SpvOpTypeQueue) {
        arg->info = (lw_arg_info){.kind = LW_ARG_QUEUE, .components = 1, .size = 8, .align = 8};
        return true;
    }
    if (type->op == SpvOpTypeBool || type->op == SpvOpTypeReserveId || type->op == SpvOpTypeDeviceEvent ||
        type->op == SpvOpTypePipeStorage ||
        !lw_type_layout(m, arg->type, &layout) || layout.size > MAX_ARG_BYTES)
        return false;
    arg->info.size = (uint32_t)layout.size;
    arg->info.align = layout.align;
    arg->info.components = 1;
    if (type->op == SpvOpTypeVector) {
        arg->info.components = lw_word(m, type, 3);
        type = lw_def(m, lw_word(m, type, 2));
    } else if (type->op == SpvOpTypeStruct || type->op == SpvOpTypeArray) {
        arg->info.kind = LW_ARG_STRUCT;
        return true;
    }
    if (type->op != SpvOpTypeInt && type->op != SpvOpTypeFloat)
        return false;
    uint32_t width = lw_word(m, type, 2);
    if (width != 8 && width != 16 && width != 32 && width != 64)
        return false;
    arg->info.kind = LW_ARG_VALUE;
    write_scalar(m, type, arg->info.scalar);
    return true;
}

static bool
reflect_arg(const lw_module *m, const struct lw_inst *param, struct lw_kernel_desc *d, lw_error *error)
{
    uint32_t index = d->arg_count;
    struct lw_kernel_arg *arg = &d->args[d->arg_count++];
    arg->type = param->type;
    arg->align_decoration = lw_alignment_asked(m, param->result);
    uint32_t at = d->arg_bytes;
    if (!classify(m, param->result, arg)) {
        const struct lw_inst *type = lw_def(m, param->type);
        return lw_spirv_fail(error, LW_ERR_ARGUMENT, param->at, d->name, index,
                             refused_type_name(type ? type->op : SpvOpNop));
    }
    qualify_arg(m, d, index, param->result, arg);
    if (!name_arg(m, d, index, param->result, arg))
        return lw_spirv_fail(error, LW_ERR_MEMORY, param->at);
    uint32_t align = arg->info.align < MAX_ARG_ALIGN ? arg->info.align : MAX_ARG_ALIGN;
    arg->info.align = align;
    arg->slot = arg->info.kind == LW_ARG_LOCAL ? 8 : arg->info.size;
    at = (at + align - 1) / align * align;
    arg->offset = at;
    d->arg_bytes = at + arg->slot;
    return d->arg_bytes <= MAX_ARG_BYTES ||
           lw_spirv_fail(error, LW_ERR_ARGUMENT, param->at, d->name, index, "so much data");
}

bool
lw_reflect_args(const lw_module *m, struct lw_kernel_desc *desc, lw_error *error)
{
    const struct lw_spirv_function *f = &m->functions[desc->function];
    const struct lw_inst *function = &m->insts[f->inst];
    if (lw_op_of(m, function->type) != SpvOpTypeVoid)
        return lw_spirv_fail(error, LW_ERR_ENTRY_TYPE, m->insts[m->entry_points[desc->entry_point].inst].at,
                             m->insts[m->entry_points[desc->entry_point].inst].at, desc->name);
    desc->args = calloc(f->param_count + 1u, sizeof *desc->args);
    if (!desc->args)
        return lw_spirv_fail(error, LW_ERR_MEMORY, 0);
    uint32_t left = f->param_count;
    for (uint32_t i = f->first_param; left; i++) {
        if (m->insts[i].op != SpvOpFunctionParameter)
            continue;
        left--;
        if (!reflect_arg(m, &m->insts[i], desc, error))
            return false;
    }
    desc->info.arg_count = desc->arg_count;
    return true;
}
