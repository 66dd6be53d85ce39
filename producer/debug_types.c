/* SPDX-License-Identifier: MIT */
/* Types of the source's variables, as the debug information has them: tables for the marks, and what a
 * variable of an array or a structure consists of.
 *
 * Names (typedef) and qualifiers are looked through. A pointer inside of a structure points to nothing that
 * is told, so that no type is part of itself.
 */
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

enum { MOST_OPERANDS = 32, NAMES_DEEP = 16, NESTING = 8, MOST_DIMENSIONS = 4, MOST_MEMBERS = 64 };
enum {
    TAG_ARRAY = 0x01,
    TAG_ENUMERATION = 0x04,
    TAG_MEMBER = 0x0d,
    TAG_POINTER = 0x0f,
    TAG_STRUCT = 0x13,
    TAG_TYPEDEF = 0x16,
    TAG_UNION = 0x17,
    TAG_CONST = 0x26,
    TAG_VOLATILE = 0x35,
    TAG_RESTRICT = 0x37,
    TAG_ATOMIC = 0x47
};

struct reader {
    struct lw_marks *marks;
    LLVMContextRef context;
    unsigned deep;
    bool inside; /* of a structure */
};

static unsigned number_of(struct reader *r, LLVMMetadataRef node);

/* ---- Nodes ---- */

static unsigned
operands_of(const struct reader *r, LLVMMetadataRef node, LLVMValueRef operands[MOST_OPERANDS])
{
    LLVMValueRef value = LLVMMetadataAsValue(r->context, node);
    unsigned count = LLVMGetMDNodeNumOperands(value);
    if (count > MOST_OPERANDS)
        return 0;
    LLVMGetMDNodeOperands(value, operands);
    return count;
}

/* The last operand of such a kind, wherever it is: that differs between LLVM's versions. A member's scope
 * comes before its type. */
static LLVMMetadataRef
last_operand(const struct reader *r, LLVMMetadataRef node, bool (*wanted)(LLVMMetadataRef))
{
    LLVMValueRef operands[MOST_OPERANDS];
    for (unsigned i = operands_of(r, node, operands); i--;)
        if (operands[i] && !LLVMIsAMDString(operands[i]) && wanted(LLVMValueAsMetadata(operands[i])))
            return LLVMValueAsMetadata(operands[i]);
    return NULL;
}

static bool
is_type(LLVMMetadataRef node)
{
    unsigned kind = LLVMGetMetadataKind(node);
    return kind == LLVMDIBasicTypeMetadataKind || kind == LLVMDIDerivedTypeMetadataKind ||
           kind == LLVMDICompositeTypeMetadataKind;
}

static bool
is_list(LLVMMetadataRef node)
{
    return LLVMGetMetadataKind(node) == LLVMMDTupleMetadataKind;
}

/* Below names, qualifiers and enumerations; NULL: there is none. */
static LLVMMetadataRef
plain_type(const struct reader *r, LLVMMetadataRef node)
{
    for (unsigned deep = 0; node && deep < NAMES_DEEP; deep++) {
        switch (LLVMGetDINodeTag(node)) {
        case TAG_TYPEDEF:
        case TAG_CONST:
        case TAG_VOLATILE:
        case TAG_RESTRICT:
        case TAG_ATOMIC:
        case TAG_ENUMERATION:
            node = last_operand(r, node, is_type);
            break;
        default:
            return node;
        }
    }
    return NULL;
}

/* ---- The table ---- */

bool
lw_marks_room(void **list, unsigned count, size_t size)
{
    if (count & (count - 1)) /* it grows at powers of two */
        return true;
    void *grown = realloc(*list, (count ? 2 * count : 1) * size);
    if (grown)
        *list = grown;
    return grown != NULL;
}

static unsigned
add_type(struct reader *r, struct lw_debug_type type)
{
    struct lw_marks *marks = r->marks;
    if (!lw_marks_room((void **)&marks->types, marks->type_count, sizeof type)) {
        free(type.name);
        return 0;
    }
    marks->types[marks->type_count++] = type;
    return marks->type_count;
}

static char *
name_of(LLVMMetadataRef node)
{
    size_t length = 0;
    const char *name = LLVMDITypeGetName(node, &length);
    return name ? strndup(name, length) : strdup("");
}

static uint32_t
encoding_of(const char *type)
{
    if (!strcmp(type, "half") || !strcmp(type, "float") || !strcmp(type, "double"))
        return NonSemanticShaderDebugInfo100Float;
    if (!strcmp(type, "bool") || !strcmp(type, "_Bool"))
        return NonSemanticShaderDebugInfo100Boolean;
    return strncmp(type, "unsigned", 8) ? NonSemanticShaderDebugInfo100Signed
                                        : NonSemanticShaderDebugInfo100Unsigned;
}

static unsigned
add_basic(struct reader *r, LLVMMetadataRef node)
{
    char *name = name_of(node);
    return name ? add_type(r, (struct lw_debug_type){.known_by = node,
                                                     .name = name,
                                                     .kind = LW_BASIC,
                                                     .encoding = encoding_of(name),
                                                     .bits = LLVMDITypeGetSizeInBits(node),
                                                     .count = 1})
                : 0;
}

static unsigned
add_pointer(struct reader *r, LLVMMetadataRef node)
{
    LLVMMetadataRef to = r->inside ? NULL : last_operand(r, node, is_type);
    unsigned of = to ? number_of(r, to) : 0;
    return add_type(r, (struct lw_debug_type){.known_by = r->inside ? NULL : node,
                                              .kind = LW_POINTER,
                                              .of = of,
                                              .bits = LLVMDITypeGetSizeInBits(node)});
}

/* Elements in each dimension; 0: it is not known. */
static unsigned
dimensions_of(struct reader *r, LLVMMetadataRef node, uint64_t counts[MOST_DIMENSIONS])
{
    LLVMMetadataRef list = last_operand(r, node, is_list);
    LLVMValueRef ranges[MOST_OPERANDS], parts[MOST_OPERANDS];
    unsigned count = list ? operands_of(r, list, ranges) : 0;
    if (count > MOST_DIMENSIONS)
        return 0;
    for (unsigned i = 0; i < count; i++) {
        if (!ranges[i] || !operands_of(r, LLVMValueAsMetadata(ranges[i]), parts) || !parts[0] ||
            !LLVMIsAConstantInt(parts[0]))
            return 0;
        counts[i] = LLVMConstIntGetZExtValue(parts[0]);
    }
    return count;
}

/* An array, or a vector, which is one with a flag. */
static unsigned
add_array(struct reader *r, LLVMMetadataRef node)
{
    uint64_t counts[MOST_DIMENSIONS];
    LLVMMetadataRef element = last_operand(r, node, is_type);
    unsigned dimensions = dimensions_of(r, node, counts), number = element ? number_of(r, element) : 0;
    if (!number || !dimensions)
        return 0;
    if (LLVMDITypeGetFlags(node) & LLVMDIFlagVector) {
        struct lw_debug_type vector = r->marks->types[number - 1];
        vector.known_by = node;
        vector.name = vector.name ? strdup(vector.name) : NULL;
        vector.count = (unsigned)counts[0];
        return vector.kind == LW_BASIC && vector.name ? add_type(r, vector) : 0;
    }
    for (unsigned d = dimensions; d-- && number;)
        number = add_type(r, (struct lw_debug_type){.known_by = d ? NULL : node,
                                                    .kind = LW_ARRAY,
                                                    .of = number,
                                                    .count = (unsigned)counts[d],
                                                    .bits = counts[d] * lw_debug_bits(r->marks, number)});
    return number;
}

/* Members whose types are told, in a row of their table. */
static unsigned
add_struct(struct reader *r, LLVMMetadataRef node)
{
    struct lw_marks *marks = r->marks;
    LLVMMetadataRef list = last_operand(r, node, is_list);
    LLVMValueRef parts[MOST_OPERANDS];
    struct lw_debug_member members[MOST_OPERANDS];
    unsigned count = list ? operands_of(r, list, parts) : 0, used = 0;
    bool outside = r->inside;
    r->inside = true;
    for (unsigned i = 0; i < count; i++) {
        LLVMMetadataRef member = parts[i] ? LLVMValueAsMetadata(parts[i]) : NULL;
        if (!member || !is_type(member) || LLVMGetDINodeTag(member) != TAG_MEMBER ||
            LLVMDITypeGetFlags(member) & LLVMDIFlagBitField)
            continue;
        LLVMMetadataRef type = last_operand(r, member, is_type);
        members[used] = (struct lw_debug_member){.type = type ? number_of(r, type) : 0,
                                                 .offset = LLVMDITypeGetOffsetInBits(member)};
        if (members[used].type && (members[used].name = name_of(member)))
            used++;
    }
    r->inside = outside;
    struct lw_debug_type type = {.known_by = outside ? NULL : node,
                                 .name = name_of(node),
                                 .kind = LW_STRUCT,
                                 .bits = LLVMDITypeGetSizeInBits(node),
                                 .first_member = marks->member_count};
    for (unsigned i = 0; i < used; i++) {
        bool room = lw_marks_room((void **)&marks->members, marks->member_count, sizeof *members);
        if (room)
            marks->members[marks->member_count++] = members[i];
        else
            free(members[i].name);
        type.count += room;
    }
    return add_type(r, type);
}

static unsigned
number_of(struct reader *r, LLVMMetadataRef node)
{
    unsigned number = 0;
    node = plain_type(r, node);
    for (unsigned i = 0; node && i < r->marks->type_count; i++)
        if (r->marks->types[i].known_by == node)
            return i + 1;
    if (!node || r->deep == NESTING)
        return 0;
    r->deep++;
    if (LLVMGetMetadataKind(node) == LLVMDIBasicTypeMetadataKind)
        number = add_basic(r, node);
    else if (LLVMGetDINodeTag(node) == TAG_POINTER)
        number = add_pointer(r, node);
    else if (LLVMGetDINodeTag(node) == TAG_ARRAY)
        number = add_array(r, node);
    else if (LLVMGetDINodeTag(node) == TAG_STRUCT || LLVMGetDINodeTag(node) == TAG_UNION)
        number = add_struct(r, node);
    r->deep--;
    return number;
}

unsigned
lw_debug_type_of(struct lw_marks *marks, LLVMContextRef context, LLVMMetadataRef variable)
{
    struct reader r = {.marks = marks, .context = context};
    LLVMMetadataRef type = last_operand(&r, variable, is_type);
    return type ? number_of(&r, type) : 0;
}

uint64_t
lw_debug_bits(const struct lw_marks *marks, unsigned type)
{
    const struct lw_debug_type *t = &marks->types[type - 1];
    return t->kind == LW_BASIC ? t->bits * (t->count == 3 ? 4 : t->count) : t->bits;
}

/* ---- What a variable consists of ---- */

struct walk {
    const struct lw_marks *marks;
    struct lw_part *parts;
    unsigned count;
    bool fits;
};

/* Numbers and vectors in it, at `offset`, by the name `path`. */
static void
walk_parts(struct walk *w, unsigned type, uint64_t offset, const char *path)
{
    const struct lw_debug_type *t = &w->marks->types[type - 1];
    char inner[LW_MOST_PATH];
    bool array = t->kind == LW_ARRAY;
    if (t->kind == LW_POINTER || !w->fits)
        return;
    if (t->kind == LW_BASIC) {
        w->fits = w->count < LW_MOST_PARTS && strlen(path) < LW_MOST_PATH && offset % 8 == 0;
        if (!w->fits)
            return;
        struct lw_part *part = &w->parts[w->count++];
        *part = (struct lw_part){.type = type, .offset = offset};
        strcpy(part->path, path);
        return;
    }
    for (unsigned i = 0; i < t->count && w->fits; i++) {
        const struct lw_debug_member *m = array ? NULL : &w->marks->members[t->first_member + i];
        int length = array ? snprintf(inner, sizeof inner, "%s[%u]", path, i)
                           : snprintf(inner, sizeof inner, "%s.%s", path, m->name);
        w->fits = length < LW_MOST_PATH;
        if (w->fits && array)
            walk_parts(w, t->of, offset + i * lw_debug_bits(w->marks, t->of), inner);
        else if (w->fits)
            walk_parts(w, m->type, offset + m->offset, inner);
    }
}

unsigned
lw_parts_of(const struct lw_marks *marks, unsigned type, struct lw_part parts[LW_MOST_PARTS])
{
    struct walk w = {.marks = marks, .parts = parts, .fits = type != 0};
    if (type)
        walk_parts(&w, type, 0, "");
    return w.fits ? w.count : 0;
}
