/* SPDX-License-Identifier: MIT */
/* A sub-group size demanded of every kernel of a module: what reqd_sub_group_size in its source would do, so
 * that a sweep needs neither source nor compiler. */
#include "spirv_patch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"

enum { OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16, OP_CAPABILITY = 17 };
enum { MODE_SUBGROUP_SIZE = 35, CAPABILITY_SUBGROUP_DISPATCH = 58, MODEL_KERNEL = 6, HEADER_WORDS = 5 };

uint32_t *
spirv_demand_subgroup(const uint32_t *words, size_t count, uint32_t subgroup, size_t *new_count)
{
    struct text made = {0};
    uint32_t entries[256];
    size_t entry_count = 0;
    bool capable = false, wrote = false;

    if (count < HEADER_WORDS || words[0] != 0x07230203)
        return NULL;
    text_add_bytes(&made, words, HEADER_WORDS * 4);
    for (size_t at = HEADER_WORDS, length; at < count; at += length) {
        uint32_t opcode = words[at] & 0xffff;

        length = words[at] >> 16;
        if (length == 0 || length > count - at) {
            text_free(&made);
            return NULL;
        }
        if (opcode == OP_CAPABILITY && length > 1 && words[at + 1] == CAPABILITY_SUBGROUP_DISPATCH)
            capable = true;
        else if (opcode != OP_CAPABILITY && !capable) {
            uint32_t capability[2] = {2 << 16 | OP_CAPABILITY, CAPABILITY_SUBGROUP_DISPATCH};

            text_add_bytes(&made, capability, sizeof capability);
            capable = true;
        }
        if (opcode == OP_ENTRY_POINT && length > 2 && words[at + 1] == MODEL_KERNEL && entry_count < 256)
            entries[entry_count++] = words[at + 2];
        else if (opcode != OP_ENTRY_POINT && entry_count && !wrote) {
            for (size_t i = 0; i < entry_count; i++) {
                uint32_t mode[4] = {4 << 16 | OP_EXECUTION_MODE, entries[i], MODE_SUBGROUP_SIZE, subgroup};

                text_add_bytes(&made, mode, sizeof mode);
            }
            wrote = true;
        }
        if (opcode == OP_EXECUTION_MODE && length > 2 && words[at + 2] == MODE_SUBGROUP_SIZE)
            continue;
        text_add_bytes(&made, words + at, length * 4);
    }
    *new_count = made.length / 4;
    return (uint32_t *)text_take(&made);
}
