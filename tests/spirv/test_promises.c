/* SPDX-License-Identifier: MIT */
/* The capabilities that the device promises against the grammar and the check: an instruction that comes with
 * a promised capability is not among the refused ones. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "../../spirv/check_parts.h"
#include "../../spirv/promises.h"

static const struct {
    uint32_t op, capability;
    const char *op_name, *capability_name;
} rows[] = {
#include "op_capabilities.inc"
};

static bool
is_promised(uint32_t capability)
{
    size_t count;
    const uint32_t *list = lw_promised_capabilities(&count);
    for (size_t i = 0; i < count; i++)
        if (list[i] == capability)
            return true;
    return false;
}

START_TEST(test_no_promised_instruction_is_refused)
{
    unsigned checked = 0, broken = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *topic;
        if (!is_promised(rows[i].capability))
            continue;
        checked++;
        const char *why = lw_refusal_of(rows[i].op, &topic);
        if (why)
            fprintf(stderr, "%s needs %s, which is promised: %s\n", rows[i].op_name, rows[i].capability_name,
                    why);
        broken += why != NULL;
    }
    ck_assert_uint_gt(checked, 40);
    ck_assert_uint_eq(broken, 0);
}
END_TEST

/* What an OpenCL 3.1 device must take (environment, required capabilities), without images. */
START_TEST(test_required_capabilities)
{
    static const uint32_t required[] = {SpvCapabilityAddresses,
                                        SpvCapabilityFloat16Buffer,
                                        SpvCapabilityInt64,
                                        SpvCapabilityInt16,
                                        SpvCapabilityInt8,
                                        SpvCapabilityKernel,
                                        SpvCapabilityLinkage,
                                        SpvCapabilityVector16,
                                        SpvCapabilityGenericPointer,
                                        SpvCapabilityGroups,
                                        SpvCapabilityFloat64,
                                        SpvCapabilitySubgroupDispatch,
                                        SpvCapabilityBitInstructions,
                                        SpvCapabilityUniformDecoration,
                                        SpvCapabilityGroupNonUniformRotateKHR,
                                        SpvCapabilityGroupNonUniformShuffle,
                                        SpvCapabilityGroupNonUniformShuffleRelative};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        ck_assert_msg(is_promised(required[i]), "capability %u is required", required[i]);
}
END_TEST

START_TEST(test_lists_have_no_double_rows)
{
    size_t count;
    const uint32_t *list = lw_promised_capabilities(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            ck_assert_uint_ne(list[i], list[k]);
    const char *const *names = lw_promised_extensions(&count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_eq(strncmp(names[i], "SPV_", 4), 0);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(names[i], names[k]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("promises");
    TCase *tests = tcase_create("promises");
    tcase_add_test(tests, test_no_promised_instruction_is_refused);
    tcase_add_test(tests, test_required_capabilities);
    tcase_add_test(tests, test_lists_have_no_double_rows);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
