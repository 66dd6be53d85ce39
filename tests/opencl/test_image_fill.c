/* SPDX-License-Identifier: MIT */
/* clEnqueueFillImage: the colour as each format's bytes, and nothing beside the box. */
#include "image_model.h"

#include <math.h>

static double
half_value(unsigned bits)
{
    unsigned e = bits >> 10 & 31, f = bits & 1023;
    double m = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, (int)e - 25) : ldexp(f, -24);
    return bits & 0x8000 ? -m : m;
}

/* What a code of `bits` bits stands for. */
static double
value_of(cl_channel_type type, unsigned code, unsigned bits)
{
    switch (type) {
    case CL_SNORM_INT8: return (signed char)code < -127 ? -1 : (signed char)code / 127.0;
    case CL_SNORM_INT16: return (short)code < -32767 ? -1 : (short)code / 32767.0;
    case CL_HALF_FLOAT: return half_value(code);
    default: return code / (ldexp(1, (int)bits) - 1);
    }
}

/* No other code is nearer, but for what rounding the product to a float moves the colour by. */
static void
check_nearest(cl_channel_type type, unsigned code, unsigned bits, double wanted)
{
    if (type != CL_HALF_FLOAT) {
        double least = type == CL_SNORM_INT8 || type == CL_SNORM_INT16 ? -1 : 0;
        wanted = wanted < least ? least : wanted > 1 ? 1 : wanted;
    }
    double off = fabs(value_of(type, code, bits) - wanted), nearest = off;
    for (unsigned other = 0; other < 1u << bits; other++)
        nearest = fmin(nearest, fabs(value_of(type, other, bits) - wanted));
    off = off * (1 - 1e-6) - ldexp(fabs(wanted), -23);
    ck_assert_msg(off <= nearest, "type 0x%x: %g became %u", type, wanted, code);
}

static unsigned
bits_at(const unsigned char *texel, unsigned low, unsigned count)
{
    cl_ulong word;
    memcpy(&word, texel + low / 8, 8);
    return (unsigned)(word >> low % 8) & ((1u << count) - 1);
}

static void
fill_one(cl_image_format format, const void *colour, unsigned char out[24])
{
    struct model m;
    cl_mem image = make_model(K2D, &format, 0, &m, 77);
    const size_t o[3] = {2, 1, 0}, r[3] = {4, 3, 1};
    unsigned char got[7 * 5 * 16];
    ok(clEnqueueFillImage(w.queue, image, colour, o, r, 0, NULL, NULL));
    ok(clEnqueueReadImage(w.queue, image, CL_TRUE, zero, m.extent, 0, 0, got, 0, NULL, NULL));
    memset(out, 0, 24);
    memcpy(out, got + (7 + 2) * m.element, m.element);
    for (size_t y = 0; y < 5; y++)
        for (size_t x = 0; x < 7; x++) {
            bool inside = x >= 2 && x < 6 && y >= 1 && y < 4;
            ck_assert_mem_eq(got + (y * 7 + x) * m.element, inside ? out : texel(&m, x, y, 0), m.element);
        }
    ok(clReleaseMemObject(image));
}

static const float colours[][4] = {{0, 0.25f, 0.5f, 1}, {0.1f, 0.3f, 0.7f, 0.9f}, {-3, 2, 0.4999f, -0.5001f},
                                   {0.0019f, 0.00196f, 0.0021f, -0.9999f},
                                   {INFINITY, -INFINITY, 1e-30f, -0.0f}};

/* Places of channels in memory by order, in components of the colour. */
static const struct {
    cl_channel_order order;
    const char *channels; /* of "RGBA"; x: anything */
} places[] = {{CL_R, "R"},       {CL_A, "A"},       {CL_RG, "RG"},     {CL_RA, "RA"},        {CL_Rx, "Rx"},
              {CL_RGBA, "RGBA"}, {CL_RGBx, "RGBx"}, {CL_BGRA, "BGRA"},
              {CL_ARGB, "ARGB"},    {CL_ABGR, "ABGR"},
              {CL_INTENSITY, "R"}, {CL_LUMINANCE, "R"}, {CL_DEPTH, "R"}};

static bool
is_made(cl_image_format format)
{
    cl_int error;
    cl_mem image = try_image(K2D, &format, 0, NULL, &error);
    if (image)
        ok(clReleaseMemObject(image));
    return image;
}

START_TEST(test_fill_normalized)
{
    static const cl_channel_type types[] = {CL_UNORM_INT8, CL_SNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT16,
                                            CL_HALF_FLOAT};
    int made = 0;
    for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
        for (size_t t = 0; t < 5; t++) {
            const cl_image_format format = {places[p].order, types[t]};
            unsigned bits = types[t] == CL_UNORM_INT8 || types[t] == CL_SNORM_INT8 ? 8 : 16;
            if (!is_made(format))
                continue;
            made++;
            for (size_t c = 0; c < 5; c++) {
                unsigned char got[24];
                fill_one(format, colours[c], got);
                for (unsigned k = 0; places[p].channels[k]; k++) {
                    const char *place = strchr("RGBA", places[p].channels[k]);
                    if (place && !(types[t] == CL_HALF_FLOAT && isinf(colours[c][place - "RGBA"])))
                        check_nearest(types[t], bits_at(got, k * bits, bits), bits,
                                      (double)colours[c][strcspn("RGBA",
                                                                 (char[]){places[p].channels[k], 0})]);
                }
            }
        }
    ck_assert_int_eq(made, 5 * 9 + 3 * 2 + 1);
}
END_TEST

/* convert_uchar_sat_rte(f * 255.0f) and its like: the product is rounded to a float, which may be a tie. */
START_TEST(test_fill_ties)
{
    static const struct {
        cl_image_format format;
        float colour;
        unsigned bits, wanted;
    } ties[] = {
        {{CL_R, CL_UNORM_INT8}, 0x1.010102p-9f, 8, 0},
        {{CL_R, CL_UNORM_INT8}, 0x1.414142p-7f, 8, 2},
        {{CL_R, CL_SNORM_INT8}, 0x1.204080p-1f, 8, 72},
        {{CL_R, CL_UNORM_INT16}, 0x1.01p-1f, 16, 32896},
        {{CL_R, CL_SNORM_INT16}, 0x1.008p-1f, 16, 16416},
        {{CL_RGB, CL_UNORM_SHORT_565}, 0x1.8c6318p-5f, 5, 2},
        {{CL_RGB, CL_UNORM_INT_101010}, 0x1.1004p-1f, 10, 544},
    };
    for (size_t n = 0; n < sizeof ties / sizeof ties[0]; n++) {
        unsigned char got[24];
        const float colour[4] = {ties[n].colour, 0, ties[n].colour, 0}; /* packed: blue is lowest */
        fill_one(ties[n].format, colour, got);
        ck_assert_uint_eq(bits_at(got, 0, ties[n].bits), ties[n].wanted);
    }
}
END_TEST

START_TEST(test_fill_packed)
{
    static const struct {
        cl_image_format format;
        unsigned low[4], bits[4];
    } packed[] = {{{CL_RGB, CL_UNORM_SHORT_565}, {11, 5, 0, 0}, {5, 6, 5, 0}},
                  {{CL_RGBx, CL_UNORM_SHORT_555}, {10, 5, 0, 0}, {5, 5, 5, 0}},
                  {{CL_RGB, CL_UNORM_INT_101010}, {20, 10, 0, 0}, {10, 10, 10, 0}},
                  {{CL_RGBA, CL_UNORM_INT_101010_2}, {22, 12, 2, 0}, {10, 10, 10, 2}}};
    for (size_t p = 0; p < 4; p++)
        for (size_t c = 0; c < 5; c++) {
            unsigned char got[24];
            fill_one(packed[p].format, colours[c], got);
            for (unsigned k = 0; k < 4 && packed[p].bits[k]; k++)
                check_nearest(CL_UNORM_INT8, bits_at(got, packed[p].low[k], packed[p].bits[k]),
                              packed[p].bits[k],
                              (double)colours[c][k]);
        }
}
END_TEST

/* Integers saturate, floats are as they are, NaNs become 0 where there is none. */
START_TEST(test_fill_others)
{
    const cl_int ints[4] = {-5, 300, -70000, 2147483647};
    const cl_uint uints[4] = {5, 300, 70000, 4294967295};
    const float nans[4] = {NAN, NAN, NAN, NAN}, floats[4] = {1.5f, -0.0f, INFINITY, 1e-40f};
    unsigned char got[24];
    signed char c[4];
    unsigned char uc[4];
    short s[4];
    unsigned short us[4];
    fill_one((cl_image_format){CL_RGBA, CL_SIGNED_INT8}, ints, got);
    ck_assert_mem_eq(got, ((memcpy(c, (signed char[]){-5, 127, -128, 127}, 4)), c), 4);
    fill_one((cl_image_format){CL_BGRA, CL_UNSIGNED_INT8}, uints, got);
    ck_assert_mem_eq(got, ((memcpy(uc, (unsigned char[]){255, 255, 5, 255}, 4)), uc), 4);
    fill_one((cl_image_format){CL_RGBA, CL_SIGNED_INT16}, ints, got);
    ck_assert_mem_eq(got, ((memcpy(s, (short[]){-5, 300, -32768, 32767}, 8)), s), 8);
    fill_one((cl_image_format){CL_RGBA, CL_UNSIGNED_INT16}, uints, got);
    ck_assert_mem_eq(got, ((memcpy(us, (unsigned short[]){5, 300, 65535, 65535}, 8)), us), 8);
    fill_one((cl_image_format){CL_RGBA, CL_SIGNED_INT32}, ints, got);
    ck_assert_mem_eq(got, ints, 16);
    fill_one((cl_image_format){CL_RG, CL_UNSIGNED_INT32}, uints, got);
    ck_assert_mem_eq(got, uints, 8);
    fill_one((cl_image_format){CL_RA, CL_FLOAT}, floats, got);
    ck_assert_mem_eq(got, floats, 4);
    ck_assert_mem_eq(got + 4, floats + 3, 4);
    fill_one((cl_image_format){CL_DEPTH, CL_FLOAT}, floats, got);
    ck_assert_mem_eq(got, floats, 4);
    fill_one((cl_image_format){CL_RGBA, CL_UNORM_INT8}, nans, got);
    ck_assert_uint_eq(bits_at(got, 0, 16) | bits_at(got, 16, 16), 0);
    fill_one((cl_image_format){CL_sRGBA, CL_UNORM_INT8}, nans, got);
    ck_assert_uint_eq(bits_at(got, 0, 16) | bits_at(got, 16, 16), 0);
}
END_TEST

/* The curve and back: what the code stands for is within 0.6 of a code of the colour. */
START_TEST(test_fill_srgb)
{
    for (int i = -10; i <= 1100; i += 3) {
        float x = (float)i / 1000, colour[4] = {x, x, x, x};
        double clamped = x < 0 ? 0 : x > 1 ? 1 : (double)x;
        double wanted = 255 * (clamped < 0.0031308 ? 12.92 * clamped : 1.055 * pow(clamped, 1 / 2.4) - 0.055);
        unsigned char got[24];
        fill_one((cl_image_format){i & 1 ? CL_sRGBA : CL_sBGRA, CL_UNORM_INT8}, colour, got);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(fabs(got[k] - wanted) <= 0.6, "%g: %u", (double)x, got[k]);
        check_nearest(CL_UNORM_INT8, got[3], 8, (double)x);
    }
}
END_TEST

TCase *
image_fill_tests(void)
{
    TCase *tests = tcase_create("image fills");
    tcase_add_test(tests, test_fill_normalized);
    tcase_add_test(tests, test_fill_ties);
    tcase_add_test(tests, test_fill_packed);
    tcase_add_test(tests, test_fill_others);
    tcase_add_test(tests, test_fill_srgb);
    return tests;
}
