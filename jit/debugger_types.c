/* SPDX-License-Identifier: MIT */
/* Types of variables for a debugger: an array of lanes for each number; vectors, arrays and structures of
 * such arrays, put together of the names of their parts ("v.x", "a[2].b").
 *
 * Enters: variables with a slot each. Leaves: each described; parts, of one number of lanes, with their
 * places in one variable. Never: looks into code.
 */
#include "debugger_types.h"

#include <stdlib.h>
#include <string.h>

#include "spirv/debug_encoding.h"
#include "spirv/intrinsics.h"

enum { MOST_MEMBERS = 64, MOST_PATH = 256, MOST_ELEMENTS = 1024 };

/* Parts of one variable, by one number of lanes. */
struct group {
    const struct lw_describer *d;
    struct lw_variable *list;
    unsigned count, first; /* the part that it is known by */
    unsigned root;         /* length of the variable's name */
    bool good;
};

static const char *
name_of(const struct lw_variable *x, unsigned *length)
{
    return LLVMGetMDString(x->name, length);
}

/* How long the name is without what tells parts apart. */
static unsigned
root_of(LLVMValueRef name)
{
    unsigned length, k = 0;
    const char *text = LLVMGetMDString(name, &length);
    while (k < length && text[k] != '.' && text[k] != '[')
        k++;
    return k;
}

bool
lw_is_part(LLVMValueRef name)
{
    unsigned length;
    LLVMGetMDString(name, &length);
    return root_of(name) < length;
}

static unsigned
lanes_of(const struct lw_variable *x)
{
    return LLVMGetTypeKind(x->type) == LLVMVectorTypeKind ? LLVMGetVectorSize(x->type) : 1;
}

/* ---- Numbers and pointers ---- */

static LLVMMetadataRef
describe_number(const struct lw_describer *d, LLVMTypeRef type, unsigned encoding)
{
    static const char *const names[][4] = {{"char", "short", "int", "long"},
                                           {"uchar", "ushort", "uint", "ulong"},
                                           {"?", "half", "float", "double"}};
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind  ? LLVMGetIntTypeWidth(type)
                    : kind == LLVMHalfTypeKind   ? 16
                    : kind == LLVMDoubleTypeKind ? 64
                                                 : 32;
    unsigned size = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
    bool number = kind == LLVMIntegerTypeKind;
    bool natural = encoding == OpenCLDebugInfo100Unsigned || encoding == OpenCLDebugInfo100UnsignedChar;
    const char *name = number && encoding == OpenCLDebugInfo100Boolean ? "bool"
                                                                       : names[!number   ? 2
                                                                               : natural ? 1
                                                                                         : 0][size];
    return LLVMDIBuilderCreateBasicType(d->builder, name, strlen(name), bits,
                                        lw_dwarf_encoding(number ? encoding : OpenCLDebugInfo100Float),
                                        LLVMDIFlagZero);
}

/* One value, or the lanes'. */
static LLVMMetadataRef
describe_lanes(const struct lw_describer *d, const struct lw_variable *x)
{
    unsigned encoding = (unsigned)LLVMConstIntGetZExtValue(x->encoding), lanes = lanes_of(x);
    LLVMTypeRef element = lanes > 1 ? LLVMGetElementType(x->type) : x->type;
    LLVMMetadataRef pointee = x->pointee ? LLVMValueAsMetadata(x->pointee) : NULL;
    LLVMMetadataRef type = encoding == LW_ENCODED_POINTER
                               ? LLVMDIBuilderCreatePointerType(d->builder, pointee, 64, 64, 0, "", 0)
                               : describe_number(d, element, encoding);
    if (lanes == 1)
        return type;
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(d->builder, 0, lanes);
    return LLVMDIBuilderCreateArrayType(d->builder, LLVMSizeOfTypeInBits(d->layout, x->type), 0, type, &range,
                                        1);
}

static LLVMMetadataRef
describe_variable(const struct lw_describer *d, const struct lw_variable *x, unsigned length,
                  LLVMMetadataRef type)
{
    unsigned whole;
    return LLVMDIBuilderCreateAutoVariable(d->builder, d->scope, name_of(x, &whole), length, d->file,
                                           (unsigned)LLVMConstIntGetZExtValue(x->line), type, true,
                                           LLVMDIFlagZero, 0);
}

/* ---- Parts ---- */

static bool
is_in(const struct group *g, const struct lw_variable *x)
{
    unsigned length, other;
    const struct lw_variable *first = &g->list[g->first];
    return x->part && x->line == first->line && lanes_of(x) == lanes_of(first) &&
           root_of(x->name) == g->root && !memcmp(name_of(x, &length), name_of(first, &other), g->root);
}

/* The next step of a part's name behind `path` (".b", "[2]"), its length; 0: it has none, or another path. */
static unsigned
step_of(const struct lw_variable *x, const char *path, const char **step)
{
    unsigned length, begin = (unsigned)strlen(path), k = 1;
    const char *name = name_of(x, &length);
    if (length <= begin || memcmp(name, path, begin) || (name[begin] != '.' && name[begin] != '['))
        return 0;
    while (begin + k < length && name[begin + k] != '.' && name[begin + k] != '[')
        k++;
    *step = name + begin;
    return k;
}

static LLVMMetadataRef describe_path(struct group *g, const char *path, uint64_t offset);

/* What is at `path` with the step behind it. */
static LLVMMetadataRef
describe_step(struct group *g, const char *path, const char *step, unsigned length, uint64_t offset)
{
    char inner[MOST_PATH];
    size_t begin = strlen(path);
    g->good &= begin + length < sizeof inner;
    if (!g->good)
        return NULL;
    memcpy(inner, path, begin);
    memcpy(inner + begin, step, length);
    inner[begin + length] = 0;
    return describe_path(g, inner, offset);
}

/* Elements are where their numbers say; those that have no value anywhere have no part. */
static LLVMMetadataRef
describe_array(struct group *g, const char *path, uint64_t offset)
{
    LLVMMetadataRef element = NULL;
    uint64_t bits = 0, count = 0;
    const char *step;
    for (unsigned pass = 0; pass < 2; pass++) /* how large they are, and where that puts them */
        for (unsigned k = 0; k < g->count; k++) {
            unsigned length = is_in(g, &g->list[k]) ? step_of(&g->list[k], path, &step) : 0;
            unsigned long n = length && *step == '[' ? strtoul(step + 1, NULL, 10) : MOST_ELEMENTS;
            g->good &= !length || n < MOST_ELEMENTS;
            if (!length || !g->good)
                continue;
            count = n + 1 > count ? n + 1 : count;
            LLVMMetadataRef made = describe_step(g, path, step, length, offset + n * bits);
            if (made && LLVMDITypeGetSizeInBits(made) > bits) {
                element = made;
                bits = LLVMDITypeGetSizeInBits(made);
            }
        }
    LLVMMetadataRef range = LLVMDIBuilderGetOrCreateSubrange(g->d->builder, 0, (int64_t)count);
    return element ? LLVMDIBuilderCreateArrayType(g->d->builder, count * bits, 0, element, &range, 1) : NULL;
}

static bool
is_told(const char *const *steps, const unsigned *lengths, unsigned count, const char *step, unsigned length)
{
    for (unsigned k = 0; k < count; k++)
        if (lengths[k] == length && !memcmp(steps[k], step, length))
            return true;
    return false;
}

static LLVMMetadataRef
describe_struct(struct group *g, const char *path, uint64_t offset)
{
    LLVMMetadataRef members[MOST_MEMBERS];
    const char *steps[MOST_MEMBERS], *step;
    unsigned lengths[MOST_MEMBERS], count = 0;
    uint64_t bits = 0;
    for (unsigned k = 0; k < g->count && count < MOST_MEMBERS; k++) {
        unsigned length = is_in(g, &g->list[k]) ? step_of(&g->list[k], path, &step) : 0;
        if (!length || is_told(steps, lengths, count, step, length))
            continue;
        LLVMMetadataRef type = describe_step(g, path, step, length, offset + bits);
        if (!type)
            continue;
        uint64_t size = LLVMDITypeGetSizeInBits(type);
        steps[count] = step;
        lengths[count] = length;
        members[count++] = LLVMDIBuilderCreateMemberType(g->d->builder, g->d->file, step + 1, length - 1,
                                                         g->d->file, 0, size, 0, bits, LLVMDIFlagZero, type);
        bits += size;
    }
    return count ? LLVMDIBuilderCreateStructType(g->d->builder, g->d->file, "", 0, g->d->file, 0, bits, 0,
                                                 LLVMDIFlagZero, NULL, members, count, 0, NULL, "", 0)
                 : NULL;
}

/* The type of what has this name, `offset` bits behind the variable's begin; its parts are put there. */
static LLVMMetadataRef
describe_path(struct group *g, const char *path, uint64_t offset)
{
    const char *step;
    unsigned length;
    for (unsigned k = 0; k < g->count; k++) {
        struct lw_variable *x = &g->list[k];
        const char *name = name_of(x, &length);
        if (!is_in(g, x))
            continue;
        if (length == strlen(path) && !memcmp(name, path, length)) {
            LLVMMetadataRef type = describe_lanes(g->d, x);
            x->offset = offset;
            x->bits = LLVMDITypeGetSizeInBits(type) ? LLVMDITypeGetSizeInBits(type)
                                                    : LLVMSizeOfTypeInBits(g->d->layout, x->type);
            return type;
        }
        if (step_of(x, path, &step))
            return *step == '[' ? describe_array(g, path, offset) : describe_struct(g, path, offset);
    }
    return NULL;
}

/* All parts of the variable that this one is a part of. A part that is all of it needs no place. */
static void
describe_group(const struct lw_describer *d, struct lw_variable *list, unsigned count, unsigned first)
{
    char root[MOST_PATH];
    unsigned length;
    struct group g = {d, list, count, first, root_of(list[first].name), true};
    if (g.root >= sizeof root)
        return;
    memcpy(root, name_of(&list[first], &length), g.root);
    root[g.root] = 0;
    LLVMMetadataRef type = describe_path(&g, root, 0);
    if (!type || !g.good)
        return;
    LLVMMetadataRef described = describe_variable(d, &list[first], g.root, type);
    for (unsigned k = 0; k < count; k++) {
        if (!is_in(&g, &list[k]) || !list[k].bits)
            continue;
        list[k].described = described;
        if (list[k].bits == LLVMDITypeGetSizeInBits(type))
            list[k].bits = 0;
    }
}

void
lw_describe_variables(const struct lw_describer *d, struct lw_variable *list, unsigned count)
{
    unsigned length;
    for (unsigned k = 0; k < count; k++) {
        if (list[k].described)
            continue;
        if (list[k].part) {
            describe_group(d, list, count, k);
        } else {
            name_of(&list[k], &length);
            list[k].described = describe_variable(d, &list[k], length, describe_lanes(d, &list[k]));
        }
    }
}
