/* SPDX-License-Identifier: MIT */
/* Images read several times by each work-item, in flow that differs, along rows, in blocks of sub-groups; and
 * what an image tells of itself. */
#include "support.h"

#include <string.h>

/* ---- flow, rows, questions ---- */

void
test_divergent(void)
{
    static float c[ITEMS][4], values[ITEMS][4];
    struct lw_image i = some_image(LW_IMAGE_2D, common[draw(5)]);
    struct arguments a = {0, &i, false, 0, c, values};
    fill_coordinates(&i, false, true, c);
    if (!run("divergent_2d", &a))
        return;
    for (size_t k = 0; k < ITEMS; k++) {
        double sum[4] = {0};
        size_t times = k % 3 == 0 ? 1 : k % 5 == 0 ? k % 7 : k % 4 != 0;
        for (size_t t = 0; t < times; t++) {
            bool inner = k % 3 && k % 5 == 0;
            float at[4] = {c[k][0] + (float)t, c[k][1] + (float)t};
            struct colour r = reference_read(&i, SAMPLE, inner ? 1 : 2, at);
            for (int n = 0; n < 4; n++)
                sum[n] += r.f[n];
        }
        bool good = true;
        for (int n = 0; n < 4; n++)
            good &= near(values[k][n], sum[n], 1e-5);
        passed += good;
        if (!good)
            fail("divergent_2d", "sums of texels", k);
    }
    i = some_image(LW_IMAGE_2D, common[draw(5)]);
    test_write("divergent_write", &i, 'f', 0);
}

/* `kernel` is of sums along rows: rows, whole_floats. */
void
test_rows(const char *kernel)
{
    static float result[64][131][4];
    static const uint32_t formats[][2] = {{5, 2}, {0, 2}, {5, 14}, {0, 14}, {6, 3}, {5, 13}, {0, 13}};
    const uint32_t *format = formats[draw(7)];
    uint32_t w = 60 + draw(71), h = 1 + draw(20);
    struct lw_image i = make_image(LW_IMAGE_2D, format[0], format[1], w, h, 1), o = i;
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 2, .global = {w + draw(3), h + draw(3)}, .local = {16, 1 + draw(3)}};
    o.data = result, o.order = 5, o.type = 14, o.element_size = 16, o.row_pitch = sizeof result[0];
    memset(result, 0xff, sizeof result);
    lw_kernel *k = lw_kernel_create(now.program, kernel, &error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.n,
                                                  &error) && lw_kernel_set_arg_image(k, 0, &i, &error) &&
                lw_kernel_set_arg_image(k, 1, &o, &error) && lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good)
        fail(kernel, error.text, 0);
    for (uint32_t y = 0; good && y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            double sum[4] = {0};
            for (int d = -2; d <= 2; d++) {
                struct colour a = reference_read(&i, FETCH, 1,
                                                 (float[4]){(float)x + (float)d, (float)y - (float)d}),
                              b = reference_read(&i, FETCH, 2,
                                                 (float[4]){(float)x - (float)d, (float)y + (float)d});
                for (int n = 0; n < 4; n++)
                    sum[n] += a.f[n] + 2 * b.f[n];
            }
            bool fine = true;
            for (int n = 0; n < 4; n++)
                fine &= near(result[y][x][n], sum[n] / 15, 1e-5);
            passed += fine;
            if (!fine)
                fail(kernel, "a sum of neighbours", y * 1000 + x);
        }
    }
}

/* `rows` of `bytes` each of what sub-groups read and write in one piece. */
void
test_blocks(const char *kernel, uint32_t bytes, uint32_t rows)
{
    enum { WIDE = 128, HIGH = 3 };
    static uint8_t out[WIDE * HIGH * 16], before[MAPPED], wanted[MAPPED];
    struct lw_image i = make_image(LW_IMAGE_2D, 5, 2, 40 + draw(40), 8, 1), from = i;
    lw_error error = {0};
    int dx = (int)draw(9) - 4;
    int64_t length = (int64_t)i.width * 4 / bytes;
    lw_ndrange range = {.dimensions = 2, .global = {WIDE, HIGH}, .local = {64, 1}};
    memcpy(before, mapping, MAPPED);
    memcpy(wanted, mapping, MAPPED);
    from.data = before + ((uint8_t *)i.data - mapping);
    lw_kernel *k = lw_kernel_create(now.program, kernel, &error);
    bool good = k && lw_kernel_set_sub_group_size(k, now.n,
                                                  &error) && lw_kernel_set_arg_image(k, 0, &from, &error) &&
                lw_kernel_set_arg_image(k, 1, &i, &error) &&
                lw_kernel_set_arg_pointer(k, 2, out, sizeof out,
                                          &error) && lw_kernel_set_arg(k, 3, &dx, 4, &error) &&
                lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good)
        fail(kernel, error.text, 0);
    for (int64_t n = 0; good && n < WIDE * HIGH * rows; n++) {
        int64_t item = n / rows, x = item % WIDE + dx, y = item / WIDE * rows + n % rows;
        int64_t cx = x < 0 ? 0 : x < length ? x : length - 1, cy = y < i.height ? y : i.height - 1;
        uint64_t at = (uint64_t)((uint8_t *)i.data - mapping) + (uint64_t)cy * i.row_pitch + (uint64_t)cx *
        bytes;
        uint32_t value = 0;
        memcpy(&value, before + at, bytes);
        if (memcmp(out + n * bytes, &value, bytes))
            fail(kernel, "what a block holds", (size_t)n);
        value++;
        if (x == cx && y == cy)
            memcpy(wanted + at, &value, bytes);
        passed++;
    }
    if (good && memcmp(wanted, mapping, MAPPED))
        fail(kernel, "what a block became", 0);
}

void
test_questions(void)
{
    struct lw_image images[6];
    int32_t answers[17] = {0};
    lw_error error = {0};
    lw_ndrange range = {.dimensions = 1, .global = {1}, .local = {1}};
    for (uint32_t k = 0; k < 6; k++)
        images[k] = make_image(k + 1, 6, 2, 20 + k, 30 + k, 5 + k);
    int32_t wanted[17] = {20, 21, 22, 7, 23, 33, 33, 24, 34, 9, 25, 35, 10, 0, 10, 0x10B6, 0x10D2};
    lw_kernel *k = lw_kernel_create(now.program, "ask", &error);
    bool good = k != NULL;
    for (uint32_t n = 0; n < 6; n++)
        good = good && lw_kernel_set_arg_image(k, n, &images[n], &error);
    good = good && lw_kernel_set_arg_pointer(k, 6, answers, sizeof answers, &error) &&
           lw_kernel_run(k, &range, &error);
    lw_kernel_release(k);
    if (!good)
        fail("ask", error.text, 0);
    for (size_t n = 0; good && n < 17; n++) {
        passed += answers[n] == wanted[n];
        if (answers[n] != wanted[n])
            fail("ask", "an answer", n);
    }
}
