/* SPDX-License-Identifier: MIT */
/* Images through the C API against reference.c: modules of both front ends, every format, kind, sampler,
 * instruction set, sub-group size and tier. usage: test_images FOLDER [SEED], with which every case of every
 * set and tier runs, of other numbers, where the test draws some. An image ends at a page that may not be
 * touched, and what lies between its rows must stay as it is. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"", "1d", "1d_buffer", "1d_array", "2d", "2d_array", "3d"};

static const char *
named(const char *what, uint32_t kind, char out)
{
    static char name[80];
    snprintf(name, sizeof name, "%s_%s_%c", what, kinds[kind], out);
    return name;
}

/* Every kind with every sampler, or with one in `step` of them. */
static void
test_samplers(unsigned step)
{
    for (uint32_t kind = LW_IMAGE_1D; kind <= LW_IMAGE_3D; kind++) {
        for (uint32_t s = 0; kind != LW_IMAGE_1D_BUFFER && s < 32; s++) {
            uint32_t mode = LW_SAMPLER_ADDRESSING(s);
            if (mode > 4 || (mode >= 3 && !LW_SAMPLER_NORMALIZED(s)) || draw(step))
                continue;
            struct lw_image i;
            if (LW_SAMPLER_LINEAR(s) || draw(2)) {
                i = some_image(kind, common[draw(8)]);
                test_read(named("sample", kind, 'f'), &i, SAMPLE, s, 'f', 0);
            } else {
                i = some_image(kind, integers[draw(7)]);
                test_read(named("sample", kind, 'i'), &i, SAMPLE, s, 'i', 0);
            }
            if (!LW_SAMPLER_NORMALIZED(s) && !LW_SAMPLER_LINEAR(s)) {
                i = some_image(kind, common[draw(8)]);
                test_read(named("fetch", kind, 'f'), &i, FETCH, s, 'f', 0);
                i = some_image(kind, integers[draw(7)]);
                test_read(named("fetch", kind, 'u'), &i, FETCH, s, 'i', 0);
            }
        }
        if (draw(step))
            continue;
        struct lw_image i = some_image(kind, common[draw(8)]);
        test_read(named("read", kind, 'f'), &i, READ, 0, 'f', 0);
        test_write(named("write", kind, 'f'), &i, 'f', 0);
        i = some_image(kind, common[2]);
        test_change(named("change", kind, 'f'), &i);
        i = some_image(kind, integers[draw(7)]);
        test_read(named("read", kind, 'i'), &i, READ, 0, 'i', 0);
        test_write(named("write", kind, i.type < 10 ? 'i' : 'u'), &i, i.type < 10 ? 'i' : 'u', 0);
    }
}

/* Every format in two dimensions, or one in `step`. */
static void
test_formats(unsigned step)
{
    for (uint32_t f = draw(step); f < 20 * 17; f += step) {
        uint32_t format[] = {f % 20, f / 20};
        if (!format_size(format[0], format[1]))
            continue;
        struct lw_image i = make_image(LW_IMAGE_2D, format[0], format[1], 23, 9, 1);
        snprintf(strchr(place, '|'), 40, "| order %u type %u", format[0], format[1]);
        char kind = format[1] >= 10 ? 'u' : 'i';
        if (is_integer(format[1])) {
            test_read("fetch_2d_u", &i, FETCH, 2, 'i', 0);
            test_read("sample_2d_i", &i, SAMPLE, 9, 'i', 0);
            test_write(named("write", LW_IMAGE_2D, kind), &i, kind, 0);
            if (draw(4) == 0)
                test_read("unknown_fetch_2d_u", &i, FETCH, 1, 'i', UNKNOWN);
            if (kind == 'u' && draw(4) == 0)
                test_write("unknown_write_2d_u", &i, 'u', UNKNOWN);
            continue;
        }
        test_read("fetch_2d_f", &i, FETCH, 2, 'f', 0);
        test_read("sample_2d_f", &i, SAMPLE, 8 + 16 + 3, 'f', 0);
        test_write("write_2d_f", &i, 'f', 0);
        if (draw(4) == 0) {
            test_read("half_2d", &i, SAMPLE, 2, 'h', 0);
            test_write("half_write", &i, 'h', 0);
        }
        if (draw(8) == 0)
            test_write("unknown_write_2d_f", &i, 'f', UNKNOWN);
        if (format[0] == 13) {
            test_read("depth_2d", &i, SAMPLE, 18, 'd', 0);
            test_write("depth_write", &i, 'f', 0);
        }
        if (draw(16) == 0) {
            struct lw_image deep = make_image(LW_IMAGE_3D, format[0], format[1], 13, 9, 5);
            test_read("unknown_sample_3d_f", &deep, SAMPLE, (uint32_t[]){1, 26, 27, 9, 18, 12}[draw(6)], 'f',
                      UNKNOWN);
        }
    }
    strchr(place, '|')[1] = 0;
}

/* One in `step` of the cases. */
static void
test_all(unsigned step, const char *blocks)
{
    lw_error error = {0};
    test_samplers(step);
    test_formats(step == 1 ? 2 : 2 * step + 1);
    for (int k = 0; k < 5; k += step < 8 ? 2 : 4) {
        test_divergent();
        now.n = sizes[k];
        test_rows("rows");
        test_rows("whole_floats");
    }
    test_questions();
    lw_program_release(now.program);
    now.program = lw_program_load_file(now.device, blocks, &error);
    if (!now.program)
        fail("blocks", error.text, 0);
    for (int s = 0; now.program && s < 5; s++) {
        now.n = sizes[s];
        test_blocks("blocks_i", 4, 1);
        test_blocks("blocks_i2", 4, 2);
        test_blocks("blocks_s4", 2, 4);
    }
}

int
main(int count, char **arguments)
{
    static const char *const modules[] = {"images.spv", "images15.spv", "images0.spv"},
                             *const tiers[] = {"specialised", "masked", "first"};
    const char *folder = count > 1 ? arguments[1] : ".";
    unsigned seed = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 0) : 0;
    draws += seed;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!map_images())
        return 1;
    for (int isa = LW_ISA_SSE42; isa <= LW_ISA_AVX512; isa++) {
        for (unsigned t = 0; t < 3; t++) {
            lw_error error = {0};
            char path[1000], blocks[1000];
            unsigned m = ((unsigned)isa + t + seed) % 3;
            setenv("LANEWISE_TIER", tiers[t], 1);
            now.device = lw_device_create(&(lw_device_options){.isa = (lw_isa)isa, .cache_entries = 8},
                                          &error);
            if (!now.device) {
                printf("not run: %s: %s\n", lw_isa_name((lw_isa)isa), error.text);
                continue;
            }
            snprintf(path, sizeof path, "%s/%s", folder, modules[m]);
            snprintf(blocks, sizeof blocks, "%s/blocks.spv", folder);
            snprintf(place, sizeof place, "%s %s %s |", lw_isa_name((lw_isa)isa), tiers[t], modules[m]);
            now.program = lw_program_load_file(now.device, path, &error);
            if (!now.program) {
                fail("", error.text, 0);
                continue;
            }
            test_all(count > 2 || (isa == LW_ISA_AVX2 && t == 0) ? 1 : t == 0 ? 5 : 12, blocks);
            printf("%s done: %llu passed, %u failed\n", place, passed, failed);
            lw_program_release(now.program);
            lw_device_release(now.device);
        }
    }
    printf("%llu passed, %u failed\n", passed, failed);
    return failed || !passed;
}
