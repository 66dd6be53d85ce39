/* SPDX-License-Identifier: MIT */
/* Modules that compilers made: read, reflected and checked. The expected values follow from the .cl by the
 * rules of OpenCL C. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "spirv/module_check.h"
#include "spirv/reflect.h"

static char **files;

static lw_module *
read_file(const char *path)
{
    lw_error error = {0};
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s", path);
    size_t room = 1 << 22, size;
    char *bytes = malloc(room);
    size = fread(bytes, 1, room, f);
    fclose(f);
    lw_module *m = lw_module_read(bytes, size, &error);
    free(bytes);
    ck_assert_msg(m != NULL, "%s: %s", path, error.text);
    return m;
}

/* Is `path` a module of this .cl? */
static bool
is_of(const char *path, const char *name)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return strncmp(base, name, strlen(name)) == 0;
}

static uint32_t
kernel_named(const lw_module *m, const char *name)
{
    for (uint32_t k = 0; k < m->entry_point_count; k++)
        if (strcmp(m->entry_points[k].name, name) == 0)
            return k;
    ck_abort_msg("no kernel %s", name);
    return 0;
}

static struct lw_kernel_desc *
reflect(const lw_module *m, const char *name)
{
    lw_error error = {0};
    struct lw_kernel_desc *d = lw_reflect_kernel(m, kernel_named(m, name), &error);
    ck_assert_msg(d != NULL, "%s", error.text);
    return d;
}

START_TEST(all_kernels_pass)
{
    const char *path = files[_i];
    lw_module *m = read_file(path);
    lw_error error = {0};
    ck_assert_uint_gt(m->entry_point_count, 0);
    ck_assert_msg(lw_module_check(m, &error), "%s: %s", path, error.text);
    for (uint32_t k = 0; k < m->entry_point_count && !is_of(path, "refused"); k++)
        ck_assert_msg(lw_kernel_check(m, k, &error), "%s: %s", path, error.text);
    lw_module_free(m);
}
END_TEST

START_TEST(refused_by_name)
{
    static const struct {
        const char *kernel, *word;
    } wanted[] = {{"images", "image"}};
    if (!is_of(files[_i], "refused"))
        return;
    lw_module *m = read_file(files[_i]);
    lw_error error = {0};
    ck_assert_msg(lw_kernel_check(m, kernel_named(m, "fine"), &error), "%s", error.text);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        ck_assert(!lw_kernel_check(m, kernel_named(m, wanted[i].kernel), &error));
        ck_assert_int_eq(error.status, LW_UNSUPPORTED);
        ck_assert_msg(strstr(error.text, wanted[i].word) && strstr(error.text, wanted[i].kernel), "%s",
                      error.text);
    }
    lw_module_free(m);
}
END_TEST

struct wanted_arg {
    lw_arg_kind kind;
    const char *scalar;
    uint32_t components, size, offset, slot, address_space;
};

START_TEST(arguments)
{
    static const struct wanted_arg wanted[] = {
        {LW_ARG_POINTER, NULL, 1, 8, 0, 8, 1},    {LW_ARG_POINTER, "i8", 1, 8, 8, 8, 1},
        {LW_ARG_LOCAL, NULL, 1, 0, 16, 8, 3},     {LW_ARG_STRUCT, "", 0, 80, 32, 80, 0},
        {LW_ARG_STRUCT, "", 0, 7, 112, 7, 0},     {LW_ARG_VALUE, "i16", 1, 2, 120, 2, 0},
        {LW_ARG_VALUE, "f64", 3, 32, 128, 32, 0}, {LW_ARG_POINTER, NULL, 1, 8, 160, 8, 2},
        {LW_ARG_VALUE, "i8", 1, 1, 168, 1, 0},    {LW_ARG_VALUE, "i64", 2, 16, 176, 16, 0}};
    if (!is_of(files[_i], "arguments"))
        return;
    lw_module *m = read_file(files[_i]);
    struct lw_kernel_desc *d = reflect(m, "arguments");
    ck_assert_uint_eq(d->arg_count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < d->arg_count; i++) {
        const lw_arg_info *info = &d->args[i].info;
        ck_assert_int_eq(info->kind, wanted[i].kind);
        ck_assert_uint_eq(info->size, wanted[i].size);
        ck_assert_uint_eq(info->address_space, wanted[i].address_space);
        ck_assert_uint_eq(d->args[i].slot, wanted[i].slot);
        if (wanted[i].scalar) /* clang-22 makes byte pointers of others at -O0 */
            ck_assert_str_eq(info->scalar, wanted[i].scalar);
        if (wanted[i].components)
            ck_assert_uint_eq(info->components, wanted[i].components);
        ck_assert_uint_eq(d->args[i].offset % info->align, 0);
        /* The packed structure's parameter is aligned to 1 or, as its Alignment says, more: what follows may
         * move. */
        if (i < 4)
            ck_assert_uint_eq(d->args[i].offset, wanted[i].offset);
        else
            ck_assert_uint_ge(d->args[i].offset, d->args[i - 1].offset + d->args[i - 1].slot);
    }
    ck_assert_str_eq(d->args[6].info.type, "double3");
    ck_assert_uint_eq(d->info.required_local_size[0], 8);
    ck_assert_uint_eq(d->info.required_local_size[1], 4);
    ck_assert_uint_eq(d->info.required_local_size[2], 2);
    ck_assert_uint_eq(d->local_count, 2);
    ck_assert_uint_eq(d->info.local_bytes, 256); /* 33 * 4 = 132, padded to 136, + 32 = 168 */
    ck_assert(d->info.has_barrier && !d->info.observes_sub_groups && !d->uses_only_global_ids);
    lw_kernel_desc_free(d);
    d = reflect(m, "plain");
    ck_assert(d->uses_only_global_ids && !d->info.has_barrier && !d->has_collective && !d->has_atomics);
    ck_assert_uint_eq(d->info.local_size_hint[0], 64);
    ck_assert_uint_eq(d->info.local_bytes, 0);
    lw_kernel_desc_free(d);
    static const struct {
        const char *name;
        bool columns;
        uint64_t cost[2]; /* of lanes along dimensions 0 and 1: 8 of an access that is not in one piece */
    } orders[] = {{"columns", true, {9, 9}},
                  {"columns_of_1024", true, {8, 1}},
                  {"rows", false, {20, 27}},
                  {"triangle", false, {9, 72}},
                  {"plain", false, {1, 1}}};
    bool followed = strstr(files[_i], "-O2") != NULL; /* not through variables */
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        d = reflect(m, orders[k].name);
        if (followed || !orders[k].columns)
            ck_assert_msg(d->columns.any == orders[k].columns, "%s: %s", files[_i], orders[k].name);
        for (unsigned c = 0; followed && c < 2; c++)
            ck_assert_msg(d->columns.lane_cost[c] == orders[k].cost[c], "%s: %s: cost %u is %llu", files[_i],
                          orders[k].name, c,
                          (unsigned long long)d->columns.lane_cost[c]);
        lw_kernel_desc_free(d);
    }
    lw_module_free(m);
}
END_TEST

static const struct lw_inst *
struct_named(const lw_module *m, uint32_t members, uint64_t size)
{
    for (uint32_t i = 0; i < m->global_count; i++) {
        struct lw_layout layout;
        const struct lw_inst *inst = &m->insts[i];
        if (inst->op == SpvOpTypeStruct && inst->count == 2 + members &&
            lw_type_layout(m, inst->result, &layout) && layout.size == size)
            return inst;
    }
    return NULL;
}

START_TEST(layouts)
{
    if (!is_of(files[_i], "arguments"))
        return;
    lw_module *m = read_file(files[_i]);
    /* llvm-spirv shows the padding at the end as a member. */
    const struct lw_inst *natural = struct_named(m, strstr(files[_i], "-15-") ? 6 : 5, 80),
                         *packed = struct_named(m, 3, 7);
    static const uint64_t offsets[] = {0, 16, 32, 40, 64}, packed_offsets[] = {0, 1, 5};
    struct lw_layout layout;
    if (natural) { /* clang-22 may know it as bytes only */
        ck_assert(lw_type_layout(m, natural->result, &layout));
        ck_assert_uint_eq(layout.align, 16);
        for (uint32_t i = 0; i < 5; i++)
            ck_assert_uint_eq(lw_member_offset(m, natural->result, i), offsets[i]);
    }
    ck_assert(natural != NULL || strstr(files[_i], "-22-"));
    ck_assert(packed != NULL);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(lw_member_offset(m, packed->result, i), packed_offsets[i]);
    lw_module_free(m);
}
END_TEST

START_TEST(facts_of_built_ins)
{
    if (!is_of(files[_i], "builtins"))
        return;
    lw_module *m = read_file(files[_i]);
    struct lw_kernel_desc *a = reflect(m, "a"), *b = reflect(m, "b"), *c = reflect(m, "cc");
    ck_assert(a->has_atomics && !a->has_collective && !a->info.observes_sub_groups);
    ck_assert(!b->has_atomics && !b->info.has_barrier);
    ck_assert(c->has_collective && c->info.observes_sub_groups && c->info.has_barrier);
    lw_kernel_desc_free(a);
    lw_kernel_desc_free(b);
    lw_kernel_desc_free(c);
    lw_module_free(m);
}
END_TEST

START_TEST(lines)
{
    if (!is_of(files[_i], "flow-15-g"))
        return;
    lw_module *m = read_file(files[_i]);
    bool seen = false;
    for (uint32_t i = m->global_count; i < m->inst_count; i++) {
        const struct lw_inst *inst = &m->insts[i];
        seen = seen || (inst->line > 4 && inst->file &&
                        strstr(lw_string_at(m, m->insts[m->def[inst->file]].at + 2), "flow.cl"));
    }
    ck_assert(seen);
    lw_module_free(m);
}
END_TEST

/* Every byte order, and a copy, are the same module. */
START_TEST(byte_order)
{
    lw_module *m = read_file(files[_i]), *copy = lw_module_copy(m);
    uint32_t *swapped = malloc(m->word_count * 4);
    for (size_t i = 0; i < m->word_count; i++)
        swapped[i] = __builtin_bswap32(m->words[i]);
    lw_module *foreign = lw_module_read(swapped, m->word_count * 4, NULL);
    ck_assert(copy && foreign);
    ck_assert_uint_eq(foreign->inst_count, m->inst_count);
    ck_assert_int_eq(memcmp(foreign->words, m->words, m->word_count * 4), 0);
    ck_assert_str_eq(foreign->entry_points[0].name, m->entry_points[0].name);
    ck_assert_uint_eq(copy->decoration_count, m->decoration_count);
    free(swapped);
    lw_module_free(m);
    lw_module_free(copy);
    lw_module_free(foreign);
}
END_TEST

/* By both front ends; without optimisation variables hide the index. */
START_TEST(grid_strides)
{
    const char *path = files[_i];
    if (!is_of(path, "strides"))
        return;
    lw_module *m = read_file(path);
    for (uint32_t k = 0; k < m->entry_point_count; k++) {
        unsigned times;
        const char *name = m->entry_points[k].name;
        struct lw_kernel_desc *d = reflect(m, name);
        ck_assert_int_eq(sscanf(name, "times_%u", &times), 1);
        bool is_one = d->grid_stride.latch != 0;
        ck_assert_msg(is_one == (times && strstr(path, "O2")), "%s: %s: %d", path, name, is_one);
        if (is_one)
            ck_assert_uint_ge(d->grid_stride.scale, times);
        if (times == 1 && is_one)
            ck_assert_uint_eq(d->grid_stride.scale, 1);
        lw_kernel_desc_free(d);
    }
    lw_module_free(m);
}
END_TEST

int
main(int argc, char **argv)
{
    files = argv + 1;
    int file_count = argc - 1;
    Suite *suite = suite_create("modules");
    TCase *t = tcase_create("corpus");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, all_kernels_pass, 0, file_count);
    tcase_add_loop_test(t, refused_by_name, 0, file_count);
    tcase_add_loop_test(t, arguments, 0, file_count);
    tcase_add_loop_test(t, layouts, 0, file_count);
    tcase_add_loop_test(t, facts_of_built_ins, 0, file_count);
    tcase_add_loop_test(t, lines, 0, file_count);
    tcase_add_loop_test(t, byte_order, 0, file_count);
    tcase_add_loop_test(t, grid_strides, 0, file_count);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
