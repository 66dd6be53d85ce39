/* SPDX-License-Identifier: MIT */
/* From clang's IR to a module that our own check takes; see translate.c. */
#ifndef LW_OPENCL_TRANSLATE_H
#define LW_OPENCL_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

struct lw_cl_source;

/* The path of lanewise-spirv; false: it is not installed. */
bool lw_cl_spirv_writer(char *path, size_t size);
/* SPIR-V of clang's IR, malloc'd; NULL: nothing could write it. `last`: clang's back end is to try whatever
 * the IR has. `log`: the file for what clang says. */
void *lw_cl_write_spirv(const char *ir, const struct lw_cl_source *source, bool last, int log, size_t *size);
/* The same of IR that no pass has seen yet, by lanewise-spirv alone: it is optimized there so that work-items
 * of a sub-group meet where the source says. */
void *lw_cl_write_meetings(const char *ir, const struct lw_cl_source *source, size_t *size);
/* Whether no kernel of the module is refused for what its writer did. */
bool lw_cl_is_sound(const void *words, size_t size);
/* The other producer's compiler, where both its parts are installed, and SPIR-V of what it writes. */
bool lw_cl_other_compiler(char *path, size_t size);
/* The name of the part that is not installed; NULL: both are. */
const char *lw_cl_other_missing(void);
void *lw_cl_translate_bitcode(const void *bitcode, size_t size, int log, size_t *written);

#endif
