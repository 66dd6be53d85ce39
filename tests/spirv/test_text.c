/* SPDX-License-Identifier: MIT */
/* Modules written by hand: specialization constants, and every kind of refusal by its name. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "spirv/module_check.h"
#include "spirv/reflect.h"
#include "spirv/text.h"

#define HEAD                                                                                                 \
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int8\n" \
    "OpCapability Linkage\n" \
    "%cl = OpExtInstImport \"OpenCL.std\"\nOpMemoryModel Physical64 OpenCL\n"                                \
    "OpEntryPoint Kernel %k \"k\"\n"
#define TYPES                                                                                                \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"                \
    "%char = OpTypeInt 8 0\n%float = OpTypeFloat 32\n%int4 = OpTypeVector %int 4\n"                          \
    "%gptr = OpTypePointer CrossWorkgroup %int\n%pptr = OpTypePointer Function %int\n"                       \
    "%fn = OpTypeFunction %void %gptr %int\n%i0 = OpConstant %int 0\n%i2 = OpConstant %int 2\n" \
    "%i3 = OpConstant %int 3\n" \
    "%i5 = OpConstant %int 5\n%true = OpConstantTrue %bool\n"
#define OPEN                                                                                                 \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gptr\n%n = OpFunctionParameter %int\n"        \
    "%entry = OpLabel\n"
#define CLOSE "OpReturn\nOpFunctionEnd\n"

static lw_module *
assemble(const char *text)
{
    uint32_t *words;
    size_t count;
    lw_error error = {0};
    ck_assert_msg(lw_text_assemble(text, strlen(text), &words, &count, &error), "%s\n%s", error.text, text);
    lw_module *m = lw_module_read(words, count * 4, &error);
    free(words);
    ck_assert_msg(m != NULL, "%s", error.text);
    return m;
}

static uint64_t
value_of(const lw_module *m, const char *name)
{
    uint64_t bits;
    for (uint32_t id = 0; id < m->bound; id++)
        if (strcmp(lw_name_of(m, id), name) == 0) {
            ck_assert_msg(lw_constant_bits(m, id, &bits), "%s has no value", name);
            return bits;
        }
    ck_abort_msg("no %s", name);
    return 0;
}

static const char spec_text[] = HEAD
    "OpName %a \"a\"\nOpName %sum \"sum\"\nOpName %neg \"neg\"\nOpName %picked \"picked\"\n"
    "OpName %lane \"lane\"\nOpName %fmod \"fmod\"\nOpName %fmod_below \"fmod_below\"\n"
    "OpName %fmod_none \"fmod_none\"\n"
    "OpName %narrow \"narrow\"\nOpName %wide \"wide\"\nOpName %half \"half\"\nOpName %rem \"rem\"\n"
    "OpDecorate %a SpecId 7\nOpDecorate %f SpecId 8\nOpDecorate %b SpecId 9\nOpDecorate %c SpecId 10\n" TYPES
    "%h = OpTypeFloat 16\n%a = OpSpecConstant %int 10\n%f = OpSpecConstant %float 1.5\n"
    "%b = OpSpecConstantTrue %bool\n%c = OpSpecConstant %char 200\n%m3 = OpConstant %int 0xfffffffd\n"
    "%sum = OpSpecConstantOp %int IAdd %a %i5\n"
    "%neg = OpSpecConstantOp %int SNegate %sum\n"
    "%rem = OpSpecConstantOp %int SMod %neg %i2\n"
    "%picked = OpSpecConstantOp %int Select %b %sum %m3\n"
    "%vec = OpSpecConstantComposite %int4 %a %sum %neg %picked\n"
    "%vec2 = OpSpecConstantOp %int4 VectorShuffle %vec %vec 3 2 1 0\n"
    "%lane = OpSpecConstantOp %int CompositeExtract %vec2 1\n"
    "%narrow = OpSpecConstantOp %char UConvert %neg\n"
    "%wide = OpSpecConstantOp %long SConvert %c\n"
    "%half = OpSpecConstantOp %h FConvert %f\n"
    "%far = OpConstant %float 1e25\n%f7 = OpConstant %float 7\n%m7 = OpConstant %float -7\n"
    "%fmod = OpSpecConstantOp %float FMod %far %f7\n%fmod_below = OpSpecConstantOp %float FMod %far %m7\n"
    "%fmod_none = OpSpecConstantOp %float FMod %f7 %m7\n"
    "%array = OpTypeArray %int %sum\n%aptr = OpTypePointer Workgroup %array\n"
    "%local = OpVariable %aptr Workgroup\n%lptr = OpTypePointer Workgroup %int\n" OPEN
    "%e = OpInBoundsAccessChain %lptr %local %i2\nOpStore %e %i5 Aligned 4\n" CLOSE;

START_TEST(specialization)
{
    lw_module *m = assemble(spec_text);
    lw_error error = {0};
    lw_spec_constant constant;
    ck_assert_uint_eq(lw_module_spec_constant_count(m), 4);
    ck_assert(lw_module_spec_constant(m, 1, &constant));
    ck_assert_uint_eq(constant.id, 8);
    ck_assert_str_eq(constant.type, "f32");
    ck_assert_uint_eq(value_of(m, "sum"), 15);
    ck_assert_uint_eq(value_of(m, "neg"), 0xfffffff1u);
    ck_assert_uint_eq(value_of(m, "rem"), 1); /* the sign of SMod's result is the divisor's */
    ck_assert_uint_eq(value_of(m, "picked"), 15);
    ck_assert_uint_eq(value_of(m, "lane"), 0xfffffff1u);
    ck_assert_uint_eq(value_of(m, "narrow"), 0xf1);
    ck_assert_uint_eq(value_of(m, "wide"), 0xffffffffffffffc8ull); /* 200 is -56 as a signed byte */
    ck_assert_uint_eq(value_of(m, "half"), 0x3e00);               /* 1.5 */
    /* 1e25 is 9999999562023526247432192 as a float: 1 above a multiple of 7. */
    ck_assert_uint_eq(value_of(m, "fmod"), 0x3f800000);       /* 1 */
    ck_assert_uint_eq(value_of(m, "fmod_below"), 0xc0c00000); /* -6 */
    ck_assert_uint_eq(value_of(m, "fmod_none"), 0x80000000);  /* zero has the divisor's sign */
    ck_assert_msg(lw_kernel_check(m, 0, &error), "%s", error.text);
    int32_t a = 100;
    float f = -0.1f;
    uint8_t b = 0;
    ck_assert(lw_module_specialize(m, 7, &a, 4, &error));
    ck_assert(lw_module_specialize(m, 8, &f, 4, &error));
    ck_assert(lw_module_specialize(m, 9, &b, 1, &error));
    lw_module *copy = lw_module_copy(m);
    ck_assert_uint_eq(value_of(copy, "sum"), 105);
    ck_assert_uint_eq(value_of(copy, "picked"), 0xfffffffdu);
    ck_assert_uint_eq(value_of(copy, "half"), 0xae66); /* the half nearest to -0.1 */
    struct lw_kernel_desc *d = lw_reflect_kernel(copy, 0, &error);
    ck_assert_uint_eq(d->info.local_bytes, 512); /* 105 * 4 = 420 */
    lw_kernel_desc_free(d);
    ck_assert(!lw_module_specialize(m, 7, &a, 2, &error) && error.status == LW_BAD_ARGUMENT);
    ck_assert(!lw_module_specialize(m, 77, &a, 4, &error) && error.status == LW_NOT_FOUND);
    lw_module_free(copy);
    lw_module_free(m);
}
END_TEST

/* A body between OPEN and CLOSE, and what the refusal must contain; NULL: none. */
static const struct {
    const char *types, *body, *wanted;
    lw_status status;
} bodies[] = {
    {"", "", NULL, LW_OK},
    {"", "%s = OpIAdd %int %n %i5\nOpStore %p %s Aligned 4\n", NULL, LW_OK},
    {"", "%s = OpIAdd %int %n %true\n", "OpIAdd", LW_BAD_MODULE},
    {"", "%s = OpIAdd %int %n %missing\n", "is not defined", LW_BAD_MODULE},
    {"", "%s = OpFAdd %int %n %n\n", "OpFAdd", LW_BAD_MODULE},
    {"", "OpStore %p %true\n", "OpStore", LW_BAD_MODULE},
    {"", "OpStore %p %n Aligned 3\n", "power of two", LW_BAD_MODULE},
    {"", "%s = OpIAdd %int %t %n\n%t = OpIAdd %int %n %n\n", "before its definition", LW_BAD_MODULE},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\n%s = OpIAdd %int %n %n\nOpBranch %y\n%y = OpLabel\n"
         "OpStore %p %s\n", "does not dominate", LW_BAD_MODULE},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\nOpBranch %y\n%y = OpLabel\n"
         "%s = OpPhi %int %n %entry\n", "predecessor", LW_BAD_MODULE},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\nOpBranch %y\n%y = OpLabel\n"
         "%s = OpPhi %int %n %entry %i5 %x\nOpStore %p %s\n", NULL, LW_OK},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\nOpBranch %y\n%y = OpLabel\n"
         "%s = OpPhi %int %n %entry %i5 %x %n %entry\nOpStore %p %s\n", NULL, LW_OK},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\nOpBranch %y\n%y = OpLabel\n"
         "%s = OpPhi %int %n %entry %i5 %x %i5 %entry\n", "two values for one predecessor", LW_BAD_MODULE},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\nOpBranch %y\n%y = OpLabel\n"
         "%s = OpPhi %int %n %entry %n %entry\n", "does not name each predecessor", LW_BAD_MODULE},
    {"", "OpBranchConditional %true %x %y\n%x = OpLabel\nOpBranch %y\n%y = OpLabel\n"
         "%s = OpPhi %int %n %entry %i5 %x %i5 %y\n", "no predecessor", LW_BAD_MODULE},
    {"", "OpBranch %entry\n%x = OpLabel\n", "entry block", LW_BAD_MODULE},
    {"", "OpSwitch %n %x 1 %x 1 %x\n%x = OpLabel\n", "same case", LW_BAD_MODULE},
    {"", "%s = OpCompositeExtract %int %v 4\n", "OpCompositeExtract", LW_BAD_MODULE},
    {"", "%r = OpFunctionCall %void %k %p %n\n", "recursion", LW_UNSUPPORTED},
    {"", "%s = OpExtInst %int %cl exp %n\n", "OpExtInst", LW_BAD_MODULE},
    {"", "%s = OpExtInst %float %cl exp %f1\n", NULL, LW_OK},
#define IMAGE "%smp = OpTypeSampler\n%img = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly\n" \
              "%both = OpTypeSampledImage %img\n" \
    "%float4 = OpTypeVector %float 4\n%pimg = OpTypePointer Function %img\n"
#define AN_IMAGE "%v1 = OpVariable %pimg Function\n%im = OpLoad %img %v1\n"
#define ANY_IMAGE(type) "%img = OpTypeImage " type "\n%pimg = OpTypePointer Function %img\n"
    {IMAGE, "%im = OpUndef %img\n%s = OpImageQueryFormat %int %im\n", NULL, LW_OK},
    {IMAGE "%nul = OpConstantNull %img\n", "%s = OpImageQueryFormat %int %nul\n", "not supported",
     LW_UNSUPPORTED},
    {IMAGE, AN_IMAGE "%s = OpImageQueryFormat %int %im\n", NULL, LW_OK},
    {IMAGE, AN_IMAGE "%s = OpImageQueryFormat %float %im\n", "no integer", LW_BAD_MODULE},
    {IMAGE, AN_IMAGE "%s = OpImageQuerySize %int %im\n", "dimensions", LW_BAD_MODULE},
    {IMAGE, AN_IMAGE "%s = OpImageRead %float4 %im %n\n", "does not fit the image", LW_BAD_MODULE},
    {IMAGE, AN_IMAGE "%s = OpImageRead %float %im %v\n", "not four", LW_BAD_MODULE},
    {IMAGE, AN_IMAGE "%s = OpImageRead %float4 %im %v\n", NULL, LW_OK},
    {IMAGE, AN_IMAGE "%s = OpImageRead %float4 %im %v Sample %n\n", "image operands", LW_UNSUPPORTED},
    {IMAGE, AN_IMAGE "OpImageWrite %im %v %v\n", "opposite", LW_BAD_MODULE},
    {IMAGE "%cs = OpConstantSampler %smp Clamp 0 Nearest\n",
     AN_IMAGE "%b = OpSampledImage %both %im %cs\n%s = OpImageSampleExplicitLod %float4 %b %v Lod %f1\n",
     "level of detail",
     LW_UNSUPPORTED},
    {IMAGE, AN_IMAGE "%b = OpSampledImage %both %im %im\n", "together", LW_BAD_MODULE},
    {ANY_IMAGE("%void 2D 0 0 1 0 Unknown ReadOnly"), AN_IMAGE, "several samples", LW_UNSUPPORTED},
    {ANY_IMAGE("%void Cube 0 0 0 0 Unknown ReadOnly"), AN_IMAGE, "dimensions", LW_UNSUPPORTED},
    {ANY_IMAGE("%void 3D 0 1 0 0 Unknown ReadOnly"), AN_IMAGE, "arrays", LW_UNSUPPORTED},
    {ANY_IMAGE("%float 2D 0 0 0 0 Unknown ReadOnly"), AN_IMAGE, "OpenCL", LW_BAD_MODULE},
    {"%odd = OpTypeInt 33 0\n", "%s = OpUConvert %odd %n\n%t = OpIMul %odd %s %s\n%u = OpUConvert %int %t\n",
     NULL,
     LW_OK},
    {"%odd = OpTypeInt 33 0\n%op = OpTypePointer Function %odd\n", "%s = OpVariable %op Function\n",
     "can only be computed",
     LW_UNSUPPORTED},
#define ONE "%int1 = OpTypeVector %int 1\n%p1 = OpTypePointer CrossWorkgroup %int1\n"
    {ONE, "%q = OpBitcast %p1 %p\n%r = OpBitcast %gptr %q\n%s = OpLoad %int %r\n", NULL, LW_OK},
    {ONE, "%q = OpBitcast %p1 %p\n%s = OpLoad %int1 %q\n", "cannot be loaded", LW_UNSUPPORTED},
    {ONE, "%q = OpBitcast %p1 %p\n%s = OpAccessChain %gptr %q %i0\n", "no size", LW_UNSUPPORTED},
    {ONE, "%s = OpUndef %int1\n", "not supported", LW_UNSUPPORTED},
#define DPCPP "OpDecorate %id BuiltIn GlobalInvocationId\n"                                                  \
    "%l3 = OpTypeVector %long 3\n%g3 = OpTypePointer CrossWorkgroup %l3\n" \
    "%gl = OpTypePointer CrossWorkgroup %long\n" \
    "%id = OpVariable %g3 CrossWorkgroup\n"
    {DPCPP, "%q = OpBitcast %gl %id\n%r = OpInBoundsPtrAccessChain %gl %q %n\n%s = OpLoad %long %r\n", NULL,
     LW_OK},
    {DPCPP, "%q = OpBitcast %gptr %id\n%s = OpLoad %int %q\n", NULL, LW_OK},
    {DPCPP, "%q = OpBitcast %gl %id\n%r = OpBitcast %g3 %q\n%s = OpLoad %l3 %r\n", NULL, LW_OK},
    {DPCPP "%gf = OpTypePointer CrossWorkgroup %float\n", "%q = OpBitcast %gf %id\n%s = OpLoad %float %q\n",
     "loaded as another type", LW_UNSUPPORTED},
    {DPCPP, "%q = OpBitcast %long %id\n", "built-in variable", LW_UNSUPPORTED},
    {DPCPP, "%q = OpBitcast %gptr %id\n%s = OpAtomicIAdd %int %q %i2 %i0 %n\n", "built-in variable",
     LW_UNSUPPORTED},
    {DPCPP, "%s = OpLoad %l3 %id\nOpStore %id %s\n", "built-in variable", LW_UNSUPPORTED},
    {DPCPP, "%r = OpInBoundsPtrAccessChain %gl %id %n %n\n%s = OpLoad %long %r\n", NULL, LW_OK},
    {DPCPP, "%q = OpAccessChain %gl %id %i0\n%r = OpInBoundsPtrAccessChain %gl %q %n\n%s = OpLoad %long %r\n",
     NULL, LW_OK},
    {"", "%s = OpGroupIAdd %int %i0 Reduce %n\n", "scope", LW_UNSUPPORTED},
    {"", "%s = OpGroupIAdd %int %i2 Reduce %n\n", NULL, LW_OK},
    {"", "%s = OpAtomicFAddEXT %float %p %i2 %i0 %f1\n", "OpAtomicFAddEXT", LW_BAD_MODULE},
    {"%fp = OpTypePointer CrossWorkgroup %float\n",
     "%q = OpBitcast %fp %p\n%s = OpAtomicFAddEXT %float %q %i2 %i0 %f1\n"
     "%t = OpAtomicFMinEXT %float %q %i2 %i0 %s\n",
     NULL, LW_OK},
    {"%fp = OpTypePointer CrossWorkgroup %float\n",
     "%q = OpBitcast %fp %p\n%s = OpAtomicIAdd %float %q %i2 %i0 %f1\n",
     "behind its pointer", LW_BAD_MODULE},
    {"%h = OpTypeInt 16 0\n%hp = OpTypePointer CrossWorkgroup %h\n%h1 = OpConstant %h 1\n",
     "%q = OpBitcast %hp %p\n%s = OpAtomicIAdd %h %q %i2 %i0 %h1\n", "half, float and double",
     LW_UNSUPPORTED},
    {"",
     "%s = OpSDot %int %n %n PackedVectorFormat4x8Bit\n%t = OpUDotAccSat %int %n %n %s "
     "PackedVectorFormat4x8Bit\n"
         "%u = OpSUDot %long %v %v\n", NULL, LW_OK},
    {"", "%s = OpSDot %int %n %n\n", "wrong number of operands", LW_BAD_MODULE},
    {"", "%s = OpSDot %char %v %v\n", "OpSDot", LW_BAD_MODULE},
    {"", "%s = OpSDotAccSat %long %v %v %n\n", "OpSDotAccSat", LW_BAD_MODULE},
    {"", "%s = OpUDot %int %v %n\n", "OpUDot", LW_BAD_MODULE},
    {"", "%s = OpDot %int %v %v\n", "OpDot", LW_BAD_MODULE},
    {"", "%s = OpSubgroupBlockReadINTEL %int4 %p\nOpSubgroupBlockWriteINTEL %p %s\n", NULL, LW_OK},
    {"", "%s = OpSubgroupBlockReadINTEL %bool %p\n", "OpSubgroupBlockReadINTEL", LW_BAD_MODULE},
    {"", "OpSubgroupBlockWriteINTEL %n %v\n", "OpSubgroupBlockWriteINTEL", LW_BAD_MODULE},
    {"%prptr = OpTypePointer Private %int\n%pv = OpVariable %prptr Private\n", "%s = OpLoad %int %pv\n",
     "OpTypePointer", LW_UNSUPPORTED},
    {"%gv = OpVariable %gptr CrossWorkgroup %i5\n", "%s = OpLoad %int %gv\n", NULL, LW_OK},
#define COMPUTED "%gv = OpVariable %gptr CrossWorkgroup %i5\n" \
                 "%gn = OpSpecConstantOp %long ConvertPtrToU %gv\n" \
    "%gs = OpSpecConstantOp %long IAdd %gn %gn\n%lp = OpTypePointer CrossWorkgroup %long\n"
    {COMPUTED, "%s = OpIAdd %long %gs %gs\n", NULL, LW_OK},
    {COMPUTED "%lv = OpVariable %lp CrossWorkgroup %gn\n", "%s = OpLoad %long %lv\n", NULL, LW_OK},
    {COMPUTED "%lv = OpVariable %lp CrossWorkgroup %gs\n", "%s = OpLoad %long %lv\n",
     "computed of an address",
     LW_UNSUPPORTED},
    {COMPUTED "%l2 = OpTypeVector %long 2\n%l2p = OpTypePointer CrossWorkgroup %l2\n"
              "%l2c = OpConstantComposite %l2 %gs %gs\n%lv = OpVariable %l2p CrossWorkgroup %l2c\n",
     "%s = OpLoad %l2 %lv\n", "computed of an address", LW_UNSUPPORTED},
    {COMPUTED "%ga = OpSpecConstantOp %gptr ConvertUToPtr %gs\n%gpp = OpTypePointer CrossWorkgroup %gptr\n"
              "%lv = OpVariable %gpp CrossWorkgroup %ga\n",
     "%s = OpLoad %gptr %lv\n", "computed of an address", LW_UNSUPPORTED},
    {COMPUTED, "%x = OpSpecConstantOp %long IAdd %gn %n\n", "OpSpecConstantOp", LW_UNSUPPORTED},
    {COMPUTED "%gt = OpSpecConstantOp %long FAdd %gn %gn\n", "%s = OpIAdd %long %gt %gt\n", "OpFAdd",
     LW_BAD_MODULE},
};

START_TEST(refusals)
{
    char text[8192];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", HEAD, TYPES,
             "%f1 = OpConstant %float 1\n%v = OpConstantNull %int4\n", bodies[_i].types, OPEN,
             bodies[_i].body, CLOSE);
    lw_module *m = assemble(text);
    lw_error error = {0};
    bool fine = lw_kernel_check(m, 0, &error);
    if (!bodies[_i].wanted) {
        ck_assert_msg(fine, "%s\n%s", error.text, bodies[_i].body);
    } else {
        ck_assert_msg(!fine, "%s", bodies[_i].body);
        ck_assert_msg(strstr(error.text, bodies[_i].wanted) && strstr(error.text, "kernel k"), "%s",
                      error.text);
        ck_assert_int_eq(error.status, bodies[_i].status);
        ck_assert_uint_ne(error.word, 0);
    }
    lw_module_free(m);
}
END_TEST

START_TEST(modes)
{
    static const struct {
        const char *mode;
        bool fine;
    } rows[] = {{"ContractionOff", true}, {"RoundingModeRTZ 32", false}, {"SubgroupSize 16", true},
                {"SubgroupSize 7", false}, {"LocalSize 8 0 1", false}, {"VecTypeHint 5", true}};
    char text[4096];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s%s%s\n%s%s%s", HEAD, "OpExecutionMode %k ", rows[i].mode, TYPES, OPEN,
                 CLOSE);
        lw_module *m = assemble(text);
        lw_error error = {0};
        ck_assert_msg(lw_kernel_check(m, 0, &error) == rows[i].fine, "%s: %s", rows[i].mode, error.text);
        lw_module_free(m);
    }
}
END_TEST

/* A chain of functions, each calling the next twice: kept as calls, but not where a barrier is at its end. */
static void
check_chain(const char *leaf, lw_status status)
{
    size_t room = 65536, used;
    char *text = malloc(room);
    used = (size_t)snprintf(text, room, "%s%s%s%s%s%s", HEAD, TYPES, "%leaf = OpTypeFunction %void\n", OPEN,
                            "%c = OpFunctionCall %void %f0\n", CLOSE);
    for (int i = 0; i < 30; i++)
        used += (size_t)snprintf(text + used, room - used,
                                 "%%f%d = OpFunction %%void None %%leaf\n%%l%d = OpLabel\n"
                                 "%%a%d = OpFunctionCall %%void %%f%d\n%%b%d = OpFunctionCall %%void %%f%d\n"
                                 "%s",
                                 i, i, i, i + 1, i, i + 1, CLOSE);
    snprintf(text + used, room - used, "%%f30 = OpFunction %%void None %%leaf\n%%l30 = OpLabel\n%s%s", leaf,
             CLOSE);
    lw_module *m = assemble(text);
    lw_error error = {0};
    ck_assert_msg(lw_kernel_check(m, 0, &error) == (status == LW_OK), "%s", error.text);
    ck_assert_int_eq(error.status, status);
    ck_assert_msg(status == LW_OK || strstr(error.text, "counted at each call"), "%s", error.text);
    free(text);
    lw_module_free(m);
}

START_TEST(written_size)
{
    check_chain("", LW_OK);
    check_chain("OpControlBarrier %i2 %i2 %i0\n", LW_UNSUPPORTED);
    check_chain("%g = OpGroupAll %bool %i2 %true\n", LW_UNSUPPORTED);
    check_chain("%g = OpGroupAll %bool %i3 %true\n", LW_OK);
}
END_TEST

START_TEST(models)
{
    lw_error error = {0};
    lw_module *m = assemble("OpCapability Addresses\nOpCapability Kernel\nOpMemoryModel Physical32 OpenCL\n");
    ck_assert(!lw_module_check(m, &error) && error.status == LW_UNSUPPORTED &&
              strstr(error.text, "Physical32"));
    lw_module_free(m);
    m = assemble("OpCapability Kernel\n");
    ck_assert(!lw_module_check(m, &error) && error.status == LW_BAD_MODULE);
    lw_module_free(m);
    uint32_t *words;
    size_t count;
    ck_assert(!lw_text_assemble("OpNonsense\n", 11, &words, &count, &error));
    ck_assert(strstr(error.text, "line 1"));
    ck_assert(!lw_module_read("abc", 3, &error) && error.status == LW_BAD_MODULE);
}
END_TEST

/* A loop that loads %x and adds it up in %more: `in` is whether there is a next round, `next` its sum. */
#define ROUNDS(in, next)                                                                                     \
    HEAD TYPES "%zero = OpConstant %long 0\n%one = OpConstant %long 1\n" OPEN                                \
    "%m = OpUConvert %long %n\nOpBranch %head\n%head = OpLabel\n"                                           \
    "%i = OpPhi %long %zero %entry %j %body\n%sum = OpPhi %int %i0 %entry %" next " %body\n"                \
    "OpBranch %body\n%body = OpLabel\n%q = OpInBoundsPtrAccessChain %gptr %p %i\n"                         \
    "%x = OpLoad %int %q Aligned 4\n%more = OpIAdd %int %sum %x\n%j = OpIAdd %long %i %one\n"              \
    "%go = " in "\nOpBranchConditional %go %head %out\n%out = OpLabel\nOpStore %p %sum Aligned 4\n" CLOSE

START_TEST(loops)
{
    static const struct {
        const char *text;
        bool chain;
    } kernels[] = {
        {ROUNDS("OpSLessThan %bool %j %m", "more"), false},
        {ROUNDS("OpSLessThan %bool %x %n", "more"), true},   /* a search */
        {ROUNDS("OpSLessThan %bool %sum %n", "more"), true}, /* a round later */
        {ROUNDS("OpSLessThan %bool %sum %n", "i0"), false},
    };
    lw_error error = {0};
    for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        lw_module *m = assemble(kernels[k].text);
        struct lw_kernel_desc *d = lw_reflect_kernel(m, 0, &error);
        ck_assert_msg(d && d->has_slow_loop && d->has_chain == kernels[k].chain, "loop %u", k);
        lw_kernel_desc_free(d);
        lw_module_free(m);
    }
}
END_TEST

/* 100,000 blocks in a ladder with loops, 900,000 instructions, in far less than the test's limit. */
START_TEST(large)
{
    uint32_t blocks = 100000, extra = 7, at;
    uint32_t *w = malloc(sizeof *w * (blocks * (size_t)(6 + 5 * extra) + 200));
    static const uint32_t head[] = {0x07230203, 0x10400, 0, 0, 0, 2 << 16 | SpvOpCapability,
                                    SpvCapabilityKernel,
                                    3 << 16 | SpvOpMemoryModel, 2, 2, 4 << 16 | SpvOpEntryPoint, 6, 1, 'k',
                                    2 << 16 | SpvOpTypeVoid, 2, 4 << 16 | SpvOpTypeInt, 3, 32, 0,
                                    3 << 16 | SpvOpTypeFunction, 4, 2, 2 << 16 | SpvOpTypeBool, 5,
                                    3 << 16 | SpvOpConstantTrue, 5, 6, 4 << 16 | SpvOpConstant, 3, 7, 9,
                                    5 << 16 | SpvOpFunction, 2, 1, 0, 4};
    memcpy(w, head, sizeof head);
    at = sizeof head / 4;
    uint32_t label = 10, value = label + blocks;
    for (uint32_t b = 0; b < blocks; b++) {
        w[at++] = 2 << 16 | SpvOpLabel;
        w[at++] = label + b;
        for (uint32_t i = 0; i < extra; i++) {
            uint32_t inst[] = {5 << 16 | SpvOpIAdd, 3, value, i ? value - 1 : 7, 7};
            memcpy(w + at, inst, sizeof inst);
            at += 5;
            value++;
        }
        if (b + 2 < blocks) { /* forward one or two, and back now and then */
            uint32_t inst[] = {4 << 16 | SpvOpBranchConditional, 6, label + b + 1,
                               b % 3 == 2 ? label + b - 1 : label + b + 2};
            memcpy(w + at, inst, sizeof inst);
            at += 4;
        } else {
            w[at++] = 1 << 16 | SpvOpReturn;
        }
    }
    w[at++] = 1 << 16 | SpvOpFunctionEnd;
    w[3] = value;
    lw_error error = {0};
    lw_module *m = lw_module_read(w, at * (size_t)4, &error);
    ck_assert_msg(m != NULL, "%s", error.text);
    ck_assert_msg(lw_kernel_check(m, 0, &error), "%s", error.text);
    ck_assert_uint_eq(m->block_count, blocks);
    lw_module_free(m);
    free(w);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("text");
    TCase *t = tcase_create("text");
    tcase_set_timeout(t, 20);
    tcase_add_test(t, specialization);
    tcase_add_loop_test(t, refusals, 0, (int)(sizeof bodies / sizeof *bodies));
    tcase_add_test(t, written_size);
    tcase_add_test(t, modes);
    tcase_add_test(t, models);
    tcase_add_test(t, loops);
    tcase_add_test(t, large);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
