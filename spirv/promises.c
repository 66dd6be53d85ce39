/* SPDX-License-Identifier: MIT */
/* What a device promises of the modules that it takes: the lists of promises.def. */
#include "promises.h"

#include "module.h"

static const uint32_t capabilities[] = {
#define LW_CAPABILITY(name) SpvCapability##name,
#include "promises.def"
};

static const char *const extensions[] = {
#define LW_EXTENSION(text) text,
#include "promises.def"
};

static const char *const instruction_sets[] = {
#define LW_INSTRUCTION_SET(text) text,
#include "promises.def"
};

const uint32_t *
lw_promised_capabilities(size_t *count)
{
    *count = sizeof capabilities / sizeof *capabilities;
    return capabilities;
}

const char *const *
lw_promised_extensions(size_t *count)
{
    *count = sizeof extensions / sizeof *extensions;
    return extensions;
}

const char *const *
lw_promised_instruction_sets(size_t *count)
{
    *count = sizeof instruction_sets / sizeof *instruction_sets;
    return instruction_sets;
}
