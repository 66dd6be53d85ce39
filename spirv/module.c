/* SPDX-License-Identifier: MIT */
/* Looking things up in a read module. */
#include "module.h"

#include <string.h>

#include "operands.h"

uint32_t
lw_type_of(const lw_module *m, uint32_t id)
{
    const struct lw_inst *i = lw_def(m, id);
    return i ? i->type : 0;
}

const struct lw_decoration *
lw_find_decoration(const lw_module *m, uint32_t id, uint32_t member, uint32_t kind)
{
    if (id >= m->bound)
        return NULL;
    uint32_t low = m->first_decoration[id], end = m->first_decoration[id + 1], high = end;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (m->decorations[mid].member < member)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < end && m->decorations[low].member == member; low++)
        if (m->decorations[low].kind == kind)
            return &m->decorations[low];
    return NULL;
}

bool
lw_has_attribute(const lw_module *m, uint32_t id, uint32_t attribute)
{
    for (uint32_t i = m->first_decoration[id]; i < m->first_decoration[id + 1]; i++) {
        const struct lw_decoration *d = &m->decorations[i];
        if (d->kind == SpvDecorationFuncParamAttr && d->count && m->words[d->at] == attribute)
            return true;
    }
    return false;
}

const char *
lw_string_at(const lw_module *m, uint32_t at)
{
    return (const char *)&m->words[at];
}

const char *
lw_name_of(const lw_module *m, uint32_t id)
{
    return id < m->bound && m->names[id] ? m->names[id] : "";
}

