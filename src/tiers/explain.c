/* SPDX-License-Identifier: MIT */
/* LANEWISE_EXPLAIN: the vectorizer's report of each compilation, from any program.
 *
 * A report is one write at the end of the file, so that threads and processes may share it. The same report
 * of another shape is no news, and is not told again.
 */
#include "explain.h"
#include "../compiler/report_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct told {
    uint64_t hash;
    struct told *next;
};

struct lw_explain {
    int file;
    bool json;
    struct told *told; /* under the device's sources_lock */
};

struct lw_explain *
lw_explain_open(const char *where)
{
    struct lw_explain *explain = where ? calloc(1, sizeof *explain) : NULL;
    if (!explain)
        return NULL;
    const char *ending = strrchr(where, '.');
    explain->json = ending && !strcmp(ending, ".json");
    explain->file = STDERR_FILENO;
    if (strcmp(where, "1") != 0)
        explain->file = open(where, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (explain->file >= 0)
        return explain;
    fprintf(stderr, "lanewise: warning: LANEWISE_EXPLAIN=%s cannot be written: %s\n", where, strerror(errno));
    free(explain);
    return NULL;
}

void
lw_explain_close(struct lw_explain *explain)
{
    if (!explain)
        return;
    if (explain->file != STDERR_FILENO)
        close(explain->file);
    for (struct told *told = explain->told, *next; told; told = next) {
        next = told->next;
        free(told);
    }
    free(explain);
}

/* Is it said for the first time? */
static bool
is_new(lw_device *device, const char *report)
{
    struct lw_explain *explain = device->explanations;
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = report; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    pthread_mutex_lock(&device->sources_lock);
    struct told *told = explain->told;
    while (told && told->hash != hash)
        told = told->next;
    bool new = !told;
    if (new && (told = malloc(sizeof *told))) {
        *told = (struct told){hash, explain->told};
        explain->told = told;
    }
    pthread_mutex_unlock(&device->sources_lock);
    return new;
}

/* The variable or parameter behind an address; 0: the instruction is no access. */
static uint32_t
find_accessed(const lw_module *module, const struct lw_inst *inst)
{
    uint32_t id = inst->op == SpvOpLoad    ? lw_word(module, inst, 3)
                  : inst->op == SpvOpStore ? lw_word(module, inst, 1)
                                           : 0;
    for (uint32_t op = lw_op_of(module, id);
         op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpPtrAccessChain ||
         op == SpvOpInBoundsPtrAccessChain || op == SpvOpBitcast;
         op = lw_op_of(module, id))
        id = lw_word(module, lw_def(module, id), 3);
    return id;
}

static void
write_id(FILE *out, const lw_module *module, uint32_t id)
{
    if (*lw_name_of(module, id))
        fprintf(out, "%%%s", lw_name_of(module, id));
    else
        fprintf(out, "%%%u", id);
}

/* The module, as far as it can be told without SPIRV-Tools: what each instruction is, makes, and accesses. */
static char *
list_instructions(const lw_module *module)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = module->global_count; out && i < module->inst_count; i++) {
        const struct lw_inst *inst = &module->insts[i];
        uint32_t accessed = find_accessed(module, inst);
        if (inst->result)
            write_id(out, module, inst->result);
        fprintf(out, "%s%s", inst->result ? " = " : "", lw_op_name(inst->op));
        if (accessed) {
            fputs(" of ", out);
            write_id(out, module, accessed);
        }
        fprintf(out, " ; 0x%08lx\n", inst->at * 4ul);
    }
    if (out)
        fclose(out);
    return text;
}

static char *
load_source(const void *data, const char *file)
{
    return strcmp(file, "<spirv>") ? lw_report_read_file(file) : list_instructions(data);
}

/* In the report's own form: what failed, by itself. malloc'd. */
static char *
report_failure(const struct lw_instance *instance, const char *kernel)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("{\"kernel\":", out);
    lw_report_quote(out, kernel);
    fprintf(out,
            ",\"lanes\":%u,\"isa\":\"%s\",\"notes\":[{\"file\":\"\",\"line\":0,\"kind\":\"failed\",\"text\":",
            instance->shape.lanes, lw_isa_name((lw_isa)instance->shape.isa));
    lw_report_quote(out, instance->error.text);
    fputs(",\"count\":1}],\"lines\":[]}", out);
    fclose(out);
    return text;
}

static void
write_json(FILE *out, const struct lw_shape *shape, const char *form, const char *report)
{
    fprintf(out, "{\"code\":\"%s\",\"local_size\":[%u,%u,%u],\"sub_group_size\":%u,%s\n", form,
            shape->local_size[0], shape->local_size[1], shape->local_size[2], shape->sub_group_size,
            report + 1);
}

static void
write_text(FILE *out, const struct lw_instance *instance, const char *kernel, const char *form,
           const char *report)
{
    const struct lw_shape *shape = &instance->shape;
    fprintf(out, "kernel %s as %u lanes of %s, sub-group size %u, %s code for work-groups of ", kernel,
            shape->lanes, lw_isa_name((lw_isa)shape->isa), shape->sub_group_size, form);
    if (shape->local_size[0])
        fprintf(out, "%u x %u x %u\n", shape->local_size[0], shape->local_size[1], shape->local_size[2]);
    else
        fputs("any size\n", out);
    lw_report_print(out, report, load_source, instance->source->module);
}

void
lw_explain_code(lw_device *device, const struct lw_instance *instance, const char *form, bool good)
{
    const struct lw_explain *explain = device->explanations;
    const char *kernel = instance->source->module->entry_points[instance->entry_point].name;
    char *failure = good ? NULL : report_failure(instance, kernel), *text = NULL;
    const char *report = good ? instance->code->report : failure;
    size_t size = 0;
    FILE *out = report && is_new(device, report) ? open_memstream(&text, &size) : NULL;
    if (out) {
        if (explain->json)
            write_json(out, &instance->shape, form, report);
        else
            write_text(out, instance, kernel, form, report);
        fclose(out);
    }
    if (text && write(explain->file, text, size) < 0)
        fprintf(stderr, "lanewise: warning: LANEWISE_EXPLAIN: %s\n", strerror(errno));
    free(text);
    free(failure);
}
