/* SPDX-License-Identifier: MIT */
/* Faults in words, see fault_report.h: what the landing tells, as far as the address does. */
#include "fault_report.h"
#include "../native/line_table.h"
#include "local_guard.h"

#include <signal.h>
#include <stdio.h>

/* " at file.cl:9", or "". */
static void
tell_line(uintptr_t place, const struct lw_instance *const *codes, unsigned count, char *text, size_t size)
{
    *text = '\0';
    for (unsigned i = 0; i < count && !*text; i++) {
        const struct lw_line_table *lines = codes[i] ? codes[i]->loaded.lines : NULL;
        uintptr_t begin = lines ? (uintptr_t)codes[i]->loaded.text : 0;
        bool mine = lines && place >= begin && place - begin < codes[i]->loaded.text_bytes;
        const struct lw_line_row *row = mine ? lw_line_table_find(lines, place) : NULL;
        if (row)
            snprintf(text, size, " at %s:%u", lines->files[row->file], row->line);
    }
}

static void
tell_access(const struct lw_found_fault *f, char *text, size_t size)
{
    intptr_t at = (intptr_t)(f->fault.address - f->memory);
    bool near = at >= -(intptr_t)LW_CONTAINED_GUARD && at < (intptr_t)f->frame_offset;
    bool is_access = f->fault.signal == SIGSEGV || f->fault.signal == SIGBUS;
    if (!is_access)
        snprintf(text, size, "raised signal %d", f->fault.signal);
    else if (!f->fault.address) /* nor does the processor tell addresses that cannot be */
        snprintf(text, size, "touched a null pointer, or an address beyond 47 bits");
    else if (near && at < 0)
        snprintf(text, size, "reached %lld bytes before its local memory", -(long long)at);
    else if (near)
        snprintf(text, size, "reached byte %lld of its local memory, which has %llu", (long long)at,
                 (unsigned long long)f->local_bytes);
    else
        snprintf(text, size, "touched address 0x%llx, where it may not",
                 (unsigned long long)f->fault.address);
}

bool
lw_tell_fault(const struct lw_found_fault *f, const char *kernel, const struct lw_group_grid *grid,
              const struct lw_instance *const *codes, unsigned count, lw_error *error)
{
    uint64_t group[3];
    char what[200], line[200];
    lw_find_group(grid, f->first, group);
    tell_line(f->fault.place, codes, count, line, sizeof line);
    tell_access(f, what, sizeof what);
    return lw_runtime_error(error, LW_FAULT,
                            "kernel %s: work-group (%llu, %llu, %llu)%s %s%s; the launch has ended there, "
                            "and what it wrote is undefined (spirv-run tells more)",
                            kernel, (unsigned long long)group[0], (unsigned long long)group[1],
                            (unsigned long long)group[2], f->count > 1 ? ", or one that follows it," : "",
                            what, line);
}
