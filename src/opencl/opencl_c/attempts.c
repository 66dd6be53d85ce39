/* SPDX-License-Identifier: MIT */
/* Which of the producers writes a program's module, and of what IR: see attempts.h. */
#include "attempts.h"

#include "clang.h"
#include "messages.h"
#include "producer.h"
#include "producer/telling.h"
#include "translate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
lw_cl_has_queues(const char *ir)
{
    return strstr(ir, "\"spirv.Queue\"") || strstr(ir, "\"spirv.DeviceEvent\"") ||
           strstr(ir, "@__enqueue_kernel_");
}

static bool
has_blocks(const char *ir)
{
    return lw_cl_has_queues(ir) || strstr(ir, "_block_invoke_kernel(");
}

/* Where some of a sub-group may meet, clang's passes have led them elsewhere: of IR that no pass has seen
 * lanewise-spirv makes a module in which they meet where the source has it. NULL: `ir` has nothing of the
 * kind, or there is no such module. */
static void *
compile_meetings(const struct lw_cl_texts *texts, const struct lw_cl_source *source, const char *ir,
                 size_t *size)
{
    int log = lw_names_telling(ir) ? lw_cl_file(NULL, 0) : -1; /* all was said the first time */
    if (log < 0)
        return NULL;
    char *plain = lw_cl_read_ir(texts, source, log, LW_CL_WITHOUT_PASSES);
    void *module = plain ? lw_cl_write_meetings(plain, source, size) : NULL;
    free(plain);
    close(log);
    if (module && !lw_cl_is_sound(module, *size)) {
        free(module);
        module = NULL;
    }
    return module;
}

/* By clang-15 and llvm-spirv-15, where they are installed: other faults than clang-22's, if any. */
static void *
compile_otherwise(const struct lw_cl_texts *texts, const struct lw_cl_source *source, size_t *size,
                  char **said)
{
    char compiler[PATH_MAX];
    struct lw_cl_source other = *source;
    size_t bitcode_size;
    int log = lw_cl_other_compiler(compiler, sizeof compiler) ? lw_cl_file(NULL, 0) : -1;
    if (log < 0)
        return NULL;
    other.compiler = compiler;
    void *module = NULL;
    for (unsigned attempt = 0; attempt < LW_CL_ATTEMPTS && !module; attempt += LW_CL_WITHOUT_PASSES) {
        void *bitcode =
            lw_cl_make_ir(texts, &other, log, attempt, &(struct lw_cl_form){.other = true}, &bitcode_size);
        module = bitcode ? lw_cl_translate_bitcode(bitcode, bitcode_size, log, size) : NULL;
        free(bitcode);
    }
    if (said && !module) {
        size_t ignored;
        *said = lw_cl_file_text(log, &ignored);
    }
    close(log);
    return module;
}

/* What the log says where neither front end can do it. */
static char *
say_missing(void)
{
    char text[300];
    const char *missing = lw_cl_other_missing();
    snprintf(text, sizeof text,
             "error: programs with queues on the device need clang-15 and llvm-spirv-15, as clang-22 makes "
             "no SPIR-V of "
             "them; %s is not installed\n",
             missing ? missing : "no file of theirs");
    return strdup(text);
}

void *
lw_cl_compile_attempts(const struct lw_cl_texts *texts, const struct lw_cl_source *source, char **ir,
                       char **said)
{
    void *module = NULL, *refused = NULL;
    size_t size = 0, refused_size = 0, ignored;
    char *objection = NULL; /* of the other producer */
    bool queues = false;
    for (unsigned attempt = 0; attempt < LW_CL_ATTEMPTS && !module && !queues && (*ir || attempt == 0);
         attempt++) {
        int log = lw_cl_file(NULL, 0);
        if (log < 0)
            break;
        free(*ir);
        *ir = lw_cl_read_ir(texts, source, log, attempt);
        queues = *ir && lw_cl_has_queues(*ir);
        if (attempt == 0 && *ir && has_blocks(*ir))
            module = compile_otherwise(texts, source, &size, queues ? &objection : NULL);
        if (!module && !queues && *ir && attempt == 0)
            module = compile_meetings(texts, source, *ir, &size);
        if (!module && !queues)
            module = *ir ? lw_cl_write_spirv(*ir, source, attempt + 1 == LW_CL_ATTEMPTS, log, &size) : NULL;
        free(*said);
        *said = lw_cl_file_text(log, &ignored);
        close(log);
        if (!module || queues || lw_cl_is_sound(module, size))
            continue;
        if (refused)
            free(module);
        else
            refused = module, refused_size = size;
        module = NULL;
    }
    if (!module && queues) {
        free(*said);
        *said = objection ? objection : say_missing();
        objection = NULL;
    } else if (!module && (*ir || (*said && lw_cl_has_died(*said)))) { /* of queues compared, say */
        module = compile_otherwise(texts, source, &size, NULL);
    }
    if (module && !*ir) { /* nobody wants to know of it */
        free(*said);
        *said = NULL;
    }
    free(objection);
    if (module && refused && !lw_cl_is_sound(module, size)) {
        free(module);
        module = NULL;
    }
    *source->size = module ? size : refused_size;
    if (module)
        free(refused);
    return module ? module : refused;
}
