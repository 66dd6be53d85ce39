/* SPDX-License-Identifier: MIT */
/* --list, and a kernel's signature with a command line that would work. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

static const char *
kind_word(lw_arg_kind kind)
{
    static const char *const words[] = {"value", "struct", "pointer", "local",
                                        "pipe",  "image",  "sampler", "queue"};
    return (unsigned)kind < 8 ? words[kind] : "?";
}

static const char *
space_word(uint32_t space)
{
    static const char *const words[] = {"private", "global", "constant", "local", "generic"};
    return space < 5 ? words[space] : "?";
}

static bool
any(const uint32_t sizes[3])
{
    return sizes[0] || sizes[1] || sizes[2];
}

static void
list_argument(struct cli *cli, uint32_t index, const lw_arg_info *arg)
{
    struct lw_json *json = &cli->json;

    if (json->depth) {
        lw_json_open(json, NULL, '{');
        lw_json_unsigned(json, "index", index);
        lw_json_text(json, "name", arg->name);
        lw_json_text(json, "type", arg->type);
        lw_json_text(json, "kind", kind_word(arg->kind));
        lw_json_text(json, "address_space", space_word(arg->address_space));
        lw_json_text(json, "scalar", arg->scalar);
        lw_json_unsigned(json, "components", arg->components);
        lw_json_unsigned(json, "size", arg->size);
        lw_json_close(json);
        return;
    }
    fprintf(cli->text, "  %-3u %-16s %-24s ", index, *arg->name ? arg->name : "-", arg->type);
    if (arg->kind == LW_ARG_LOCAL)
        fprintf(cli->text, "local memory (local:BYTES)\n");
    else if (arg->kind == LW_ARG_PIPE)
        fprintf(cli->text, "pipe (pipe:TYPE[N])\n");
    else if (arg->kind == LW_ARG_QUEUE)
        fprintf(cli->text, "device queue (queue)\n");
    else if (arg->kind == LW_ARG_POINTER)
        fprintf(cli->text, "%s buffer\n", space_word(arg->address_space));
    else
        fprintf(cli->text, "%s of %u bytes\n", arg->kind == LW_ARG_STRUCT ? "struct" : "value", arg->size);
}

static void
list_sizes(struct cli *cli, const lw_kernel_info *info)
{
    const uint32_t *r = info->required_local_size, *h = info->local_size_hint;

    if (any(r))
        fprintf(cli->text, "  required work-group size %u,%u,%u\n", r[0], r[1], r[2]);
    if (any(h))
        fprintf(cli->text, "  work-group size hint %u,%u,%u\n", h[0], h[1], h[2]);
    if (info->required_sub_group_size)
        fprintf(cli->text, "  required sub-group size %u\n", info->required_sub_group_size);
    if (info->required_sub_groups_per_group)
        fprintf(cli->text, "  required sub-groups per work-group %u\n", info->required_sub_groups_per_group);
    if (info->local_bytes)
        fprintf(cli->text, "  local memory of its own: %u bytes\n", info->local_bytes);
    if (info->observes_sub_groups || info->has_barrier)
        fprintf(cli->text, "  uses %s%s%s\n", info->observes_sub_groups ? "sub-groups" : "",
                info->observes_sub_groups && info->has_barrier ? ", " : "",
                info->has_barrier ? "work-group barriers or collectives" : "");
    if (info->unsupported)
        fprintf(cli->text, "  not supported: %s\n", info->unsupported);
}

static void
json_sizes(struct lw_json *json, const char *key, const uint32_t sizes[3])
{
    if (!any(sizes))
        return;
    lw_json_open(json, key, '[');
    for (int d = 0; d < 3; d++)
        lw_json_unsigned(json, NULL, sizes[d]);
    lw_json_close(json);
}

static void
list_kernel(struct cli *cli, uint32_t kernel)
{
    struct lw_json *json = &cli->json;
    lw_kernel_info info;
    lw_arg_info arg;

    if (!lw_program_kernel_info(cli->program, kernel, &info))
        return;
    if (!json->depth)
        fprintf(cli->text, "kernel %s\n", info.name);
    lw_json_open(json, NULL, '{');
    lw_json_text(json, "name", info.name);
    lw_json_open(json, "arguments", '[');
    for (uint32_t i = 0; i < info.arg_count; i++)
        if (lw_program_arg_info(cli->program, kernel, i, &arg))
            list_argument(cli, i, &arg);
    lw_json_close(json);
    if (!json->depth)
        list_sizes(cli, &info);
    json_sizes(json, "required_work_group_size", info.required_local_size);
    json_sizes(json, "work_group_size_hint", info.local_size_hint);
    if (info.required_sub_group_size)
        lw_json_unsigned(json, "required_sub_group_size", info.required_sub_group_size);
    if (info.required_sub_groups_per_group)
        lw_json_unsigned(json, "required_sub_groups_per_work_group", info.required_sub_groups_per_group);
    lw_json_unsigned(json, "local_bytes", info.local_bytes);
    lw_json_bool(json, "observes_sub_groups", info.observes_sub_groups);
    lw_json_bool(json, "has_barrier", info.has_barrier);
    lw_json_text(json, "unsupported", info.unsupported);
    lw_json_close(json);
}

static void
list_spec_constants(struct cli *cli)
{
    struct lw_json *json = &cli->json;
    lw_spec_constant c;
    char value[32];

    lw_json_open(json, "spec_constants", '[');
    for (uint32_t i = 0; i < lw_program_spec_constant_count(cli->program); i++) {
        if (!lw_program_spec_constant(cli->program, i, &c))
            continue;
        /* SPIR-V integers carry no sign here: shown as signed, and "bool" as 0 or 1 */
        const struct cli_type *type = cli_find_type(c.type, strlen(c.type));
        if (!type)
            type = cli_find_type("u8", 2);
        cli_format_bits(type, c.value, value);
        if (json->depth) {
            lw_json_open(json, NULL, '{');
            lw_json_unsigned(json, "id", c.id);
            lw_json_text(json, "name", c.name ? c.name : "");
            lw_json_text(json, "type", c.type);
            lw_json_open(json, "value", '[');
            cli_json_bits(json, type, c.value);
            lw_json_close(json);
            lw_json_close(json);
        } else {
            fprintf(cli->text, "spec constant %u %s %s = %s\n", c.id, c.name ? c.name : "-", c.type, value);
        }
    }
    lw_json_close(json);
}

bool
cli_list(struct cli *cli)
{
    uint32_t count = lw_program_kernel_count(cli->program);

    lw_json_open(&cli->json, "kernels", '[');
    for (uint32_t i = 0; i < count; i++)
        list_kernel(cli, i);
    lw_json_close(&cli->json);
    list_spec_constants(cli);
    return true;
}

/* "kernel saxpy(0: uint n, 1: float a, 2: global float* x)" */
static void
signature(const struct cli *cli, FILE *out)
{
    fprintf(out, "kernel %s(", cli->info.name);
    for (uint32_t i = 0; i < cli->info.arg_count; i++) {
        const lw_arg_info *arg = &cli->arg_infos[i];
        fprintf(out, "%s%u: %s%s%s", i ? ", " : "", i, arg->type, *arg->name ? " " : "", arg->name);
    }
    fprintf(out, ")");
}

/* Of what is suggested: every device has room for it. */
#define MOST_ITEMS ((size_t)1 << 20)
#define MOST_WIDTH 1024
#define MOST_LOCAL ((size_t)32 << 10)

static size_t
least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void
suggest_image(const lw_arg_info *arg, size_t items, FILE *out)
{
    const char *end = strstr(arg->type, "_t");
    int length = end ? (int)(end - arg->type) : 0;
    const char *depth = strstr(arg->type, "_depth");
    bool two = !strncmp(arg->type, "image2d", 7) || strstr(arg->type, "1d_array");
    bool three = !strncmp(arg->type, "image3d", 7) || strstr(arg->type, "2d_array");
    fprintf(out, " %.*s:%zu%s:%s", depth ? (int)(depth - arg->type) : length, arg->type,
            least(items, MOST_WIDTH), three ? "x16x4" : two ? "x16" : "", depth ? "depthf32" : "rgba8");
}

static void
suggest_argument(const lw_arg_info *arg, size_t items, FILE *out)
{
    switch (arg->kind) {
    case LW_ARG_LOCAL:
        fprintf(out, " local:%zu", least(items * 16, MOST_LOCAL));
        break;
    case LW_ARG_POINTER:
        /* untyped bytes as many front ends pass them: room for any 8-byte element */
        if (!cli_find_type(arg->scalar, strlen(arg->scalar)) || !strcmp(arg->scalar, "i8"))
            fprintf(out, " 'i32[%zu]=zeros'", items * 2);
        else
            fprintf(out, " '%s[%zu]=zeros'", arg->scalar,
                    items * (arg->components == 3 ? 4 : arg->components));
        break;
    case LW_ARG_QUEUE:
        fprintf(out, " queue");
        break;
    case LW_ARG_PIPE:
        fprintf(out, " 'pipe:i32[%zu]'", items);
        break;
    case LW_ARG_IMAGE:
        suggest_image(arg, items, out);
        break;
    case LW_ARG_SAMPLER:
        fprintf(out, " sampler:edge");
        break;
    case LW_ARG_STRUCT:
        fprintf(out, " hex:");
        for (uint32_t i = 0; i < arg->size && i < 64; i++)
            fprintf(out, "00");
        break;
    case LW_ARG_VALUE:
        for (uint32_t i = 0; i < (arg->components ? arg->components : 1); i++)
            fprintf(out, "%s1", i ? "," : " ");
        break;
    }
}

static void
print_sizes(FILE *out, const char *option, const size_t *sizes, uint32_t dimensions)
{
    fprintf(out, " %s ", option);
    for (uint32_t d = 0; d < dimensions; d++)
        fprintf(out, "%s%zu", d ? "," : "", sizes[d]);
}

void
cli_hint_usage(struct cli *cli)
{
    char *text = NULL;
    size_t size = 0, local[3] = {64, 1, 1}, global[3] = {64, 1, 1}, items = 1;
    uint32_t dimensions = cli->options.dimensions ? cli->options.dimensions : 1;
    const uint32_t *required = cli->info.required_local_size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return;
    bool fixed = any(required);
    if (fixed)
        dimensions = required[2] > 1 ? 3 : required[1] > 1 ? 2 : 1;
    for (uint32_t d = 0; d < dimensions; d++) {
        local[d] = fixed ? required[d] : dimensions == 1 ? 64 : d < 2 ? 8 : 1;
        global[d] = !fixed && cli->options.dimensions && cli->options.global[d] <= MOST_ITEMS / items
                        ? cli->options.global[d]
                        : local[d];
        items *= global[d] ? global[d] : 1;
    }
    fprintf(out, "  ");
    signature(cli, out);
    fprintf(out, "\n  try: spirv-run");
    if (lw_program_kernel_count(cli->program) > 1)
        fprintf(out, " -k %s", cli->info.name);
    print_sizes(out, "-g", global, dimensions);
    if (fixed)
        print_sizes(out, "-w", local, dimensions);
    fprintf(out, " %s", cli->options.module);
    for (uint32_t i = 0; i < cli->info.arg_count; i++)
        suggest_argument(&cli->arg_infos[i], items, out);
    fprintf(out, "\n");
    if (fclose(out) == 0)
        cli_hint(cli, "%s", text);
    free(text);
}
