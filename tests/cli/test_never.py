#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What would be undefined if it were executed, in kernels that never execute it: they are valid, so they
build and are
right at every instruction set.

    test_never.py SPIRV_RUN [CASE...]

Each case stands behind a branch that no work-item takes, once with a condition that differs between
work-items, once with a uniform one, and must leave alone what the kernel does besides.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

HEAD = """OpCapability Addresses
OpCapability Kernel
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float64
OpCapability Linkage
OpCapability Groups
OpCapability GroupNonUniform
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformShuffle
OpCapability GroupNonUniformShuffleRelative
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformRotateKHR
OpCapability ImageBasic
OpCapability LiteralSampler
OpExtension "SPV_KHR_subgroup_rotate"
%cl = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k" %gid_variable
OpDecorate %gid_variable BuiltIn GlobalInvocationId
OpDecorate %gid_variable Constant
"""
TYPES = """%void = OpTypeVoid
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%v3ulong = OpTypeVector %ulong 3
%v4uint = OpTypeVector %uint 4
%v7uint = OpTypeVector %uint 7
%v8uint = OpTypeVector %uint 8
%v8ushort = OpTypeVector %ushort 8
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u4 = OpConstant %uint 4
%u9 = OpConstant %uint 9
%u40 = OpConstant %uint 40
%u100 = OpConstant %uint 100
%u128 = OpConstant %uint 128
%u200 = OpConstant %uint 200
%u272 = OpConstant %uint 272
%u1000 = OpConstant %uint 1000
%low = OpConstant %uint 2147483648
%ones = OpConstant %uint 4294967295
%l0 = OpConstant %ulong 0
%l1000 = OpConstant %ulong 1000
%l99999 = OpConstant %ulong 1099511627776
%four = OpConstant %ulong 4
%ldiv = OpSpecConstantOp %uint UDiv %u9 %u0
%lrem = OpSpecConstantOp %uint SRem %low %u0
%lshift = OpSpecConstantOp %uint ShiftLeftLogical %u9 %u100
%nan = OpConstant %float 0x1.8p+128
%huge = OpConstant %float 1e+30
%a4 = OpTypeArray %uint %four
%p_in = OpTypePointer Input %v3ulong
%p_uint = OpTypePointer CrossWorkgroup %uint
%p_uchar = OpTypePointer CrossWorkgroup %uchar
%p_v4uint = OpTypePointer CrossWorkgroup %v4uint
%q_uint = OpTypePointer Function %uint
%q_a4 = OpTypePointer Function %a4
%w_uint = OpTypePointer Workgroup %uint
%w_a4 = OpTypePointer Workgroup %a4
%g_uint = OpTypePointer Generic %uint
%null = OpConstantNull %p_uint
%qnull = OpConstantNull %q_uint
%zero4 = OpConstantNull %v4uint
%undef = OpUndef %uint
%undefb = OpUndef %bool
%undefl = OpUndef %ulong
%undefp = OpUndef %p_uint
%undef4 = OpUndef %v4uint
%undef8s = OpUndef %v8ushort
%undef7 = OpUndef %v7uint
%image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
%canvas = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
%volume = OpTypeImage %void 3D 0 0 0 0 Unknown ReadOnly
%sampler = OpTypeSampler
%sampled = OpTypeSampledImage %volume
%v2uint = OpTypeVector %uint 2
%v4float = OpTypeVector %float 4
%f0 = OpConstant %float 0
%f1000 = OpConstant %float 1000
%at = OpConstantComposite %v4float %f1000 %nan %huge %f0
%noimage = OpUndef %image
%nocanvas = OpUndef %canvas
%novolume = OpUndef %volume
%nosampler = OpUndef %sampler
%nosampled = OpUndef %sampled
%linear = OpConstantSampler %sampler Repeat 1 Linear
%edge = OpConstantSampler %sampler ClampToEdge 0 Linear
%gid_variable = OpVariable %p_in Input
%room = OpVariable %w_a4 Workgroup
%fn = OpTypeFunction %void %p_uint %p_uint %uint
"""
# %x is the work-item's number, %n an argument, %v4 a vector of %x; %v is what is stored.
CASES = {
    "cluster of 128": "%v = OpGroupNonUniformIAdd %uint %u3 ClusteredReduce %x %u128",
    "cluster of 3": "%v = OpGroupNonUniformIAdd %uint %u3 ClusteredReduce %x %u3",
    "cluster of 0": "%v = OpGroupNonUniformUMax %uint %u3 ClusteredReduce %x %u0",
    "rotation in 128": "%v = OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %u128",
    "rotation in 200": "%v = OpGroupNonUniformRotateKHR %uint %u3 %x %u1 %u200",
    "shuffle from 1000": "%v = OpGroupNonUniformShuffle %uint %u3 %x %u1000",
    "shuffle xor 1000": "%v = OpGroupNonUniformShuffleXor %uint %u3 %x %u1000",
    "shuffle up 1000": "%v = OpGroupNonUniformShuffleUp %uint %u3 %x %u1000",
    "shuffle down ~0": "%v = OpGroupNonUniformShuffleDown %uint %u3 %x %ones",
    "shuffle undef": "%v = OpGroupNonUniformShuffle %uint %u3 %undef %undef",
    "broadcast from 1000": "%v = OpGroupNonUniformBroadcast %uint %u3 %x %u1000",
    "broadcast from each": "%v = OpGroupBroadcast %uint %u3 %x %x",
    "broadcast undef": "%v = OpGroupBroadcast %uint %u3 %x %undef",
    "reduce undef": "%v = OpGroupIAdd %uint %u3 Reduce %undef",
    "ballot bit 200": "%b = OpGroupNonUniformBallotBitExtract %bool %u3 %zero4 %u200\n"
                      "%v = OpSelect %uint %b %u1 %u2",
    "bits of no ballot": "%v = OpGroupNonUniformBallotFindLSB %uint %u3 %zero4",
    "bits of undef": "%v = OpGroupNonUniformBallotFindMSB %uint %u3 %undef4",
    "udiv 0": "%v = OpUDiv %uint %x %u0",
    "sdiv 0": "%v = OpSDiv %uint %x %u0",
    "sdiv overflow": "%v = OpSDiv %uint %low %ones",
    "umod 0": "%v = OpUMod %uint %x %u0",
    "srem 0": "%v = OpSRem %uint %x %u0",
    "smod overflow": "%v = OpSMod %uint %low %ones",
    "div undef": "%v = OpUDiv %uint %x %undef",
    "vector div 0": "%d = OpSDiv %v4uint %v4 %zero4\n%v = OpCompositeExtract %uint %d 3",
    "constant div 0": "%v = OpIAdd %uint %ldiv %x",
    "constant rem 0": "%v = OpIAdd %uint %lrem %x",
    "constant shift": "%v = OpIAdd %uint %lshift %x",
    "shl 40": "%v = OpShiftLeftLogical %uint %x %u40",
    "shr 200": "%v = OpShiftRightLogical %uint %x %u200",
    "ashr undef": "%v = OpShiftRightArithmetic %uint %x %undef",
    "extract 9 of 4": "%v = OpVectorExtractDynamic %uint %v4 %u9",
    "extract undef": "%v = OpVectorExtractDynamic %uint %v4 %undef",
    "insert 9 of 4": "%d = OpVectorInsertDynamic %v4uint %v4 %x %u9\n%v = OpCompositeExtract %uint %d 3",
    "shuffle vectors of undef": "%d = OpVectorShuffle %v4uint %undef4 %v4 0 1 0xFFFFFFFF 0xFFFFFFFF\n"
                                "%v = OpCompositeExtract %uint %d 2",
    "shuffle with another type": "%d = OpVectorShuffle %v4uint %v4 %undef8s 3 0xFFFFFFFF 1 0\n"
                                 "%v = OpCompositeExtract %uint %d 0",
    "vector of seven": "%d = OpVectorShuffle %v7uint %v4 %undef8s 3 2 1 0 1 2 3\n"
                       "%e = OpIAdd %v7uint %d %undef7\n%f = OpVectorShuffle %v4uint %e %undef7 6 5 4 3\n"
                       "%v = OpCompositeExtract %uint %f 0",
    "array index 1000": "%p = OpAccessChain %q_uint %array %u1000\n%v = OpLoad %uint %p Aligned 4",
    "array index undef": "%p = OpAccessChain %q_uint %array %undef\n%v = OpLoad %uint %p Aligned 4",
    "array store 1000": "%p = OpInBoundsAccessChain %q_uint %array %l1000\nOpStore %p %x Aligned 4\n"
                        "%v = OpCopyObject %uint %x",
    "local index 1000": "%p = OpAccessChain %w_uint %room %l99999\n%v = OpLoad %uint %p Aligned 4",
    "local store 1000": "%p = OpAccessChain %w_uint %room %l99999\nOpStore %p %x\n%v = OpCopyObject %uint %x",
    "load null": "%v = OpLoad %uint %null Aligned 4",
    "store null": "OpStore %null %x Aligned 4\n%v = OpCopyObject %uint %x",
    "load private null": "%v = OpLoad %uint %qnull Aligned 4",
    "atomic null": "%v = OpAtomicIAdd %uint %null %u1 %u272 %x",
    "load undef pointer": "%v = OpLoad %uint %undefp Aligned 4",
    "load far away": "%p = OpPtrAccessChain %p_uint %in %l99999\n%v = OpLoad %uint %p Aligned 4",
    "vload far away": "%d = OpExtInst %v4uint %cl vloadn %l99999 %in 4\n%v = OpCompositeExtract %uint %d 0",
    "copy too much": "%b = OpBitcast %p_uchar %null\n%s = OpBitcast %p_uchar %in\n"
                     "OpCopyMemorySized %b %s %l99999 Aligned 1\n%v = OpCopyObject %uint %x",
    "int of nan": "%v = OpConvertFToU %uint %nan",
    "int of huge": "%v = OpConvertFToS %uint %huge",
    "bit field": "%v = OpExtInst %uint %cl u_mad_sat %x %undef %undef",
    "to the wrong space": "%g = OpPtrCastToGeneric %g_uint %in\n%w = OpGenericCastToPtr %w_uint %g\n"
                          "%v = OpLoad %uint %w Aligned 4",
    "branch on undef": "OpBranchConditional %undefb %one %two\n%one = OpLabel\nOpBranch %three\n"
                       "%two = OpLabel\n"
                       "OpBranch %three\n%three = OpLabel\n%v = OpPhi %uint %u1 %one %u2 %two",
    "switch on undef": "OpSwitch %undef %one 1 %two 7 %two\n%one = OpLabel\nOpBranch %three\n%two = OpLabel\n"
                       "OpBranch %three\n%three = OpLabel\n%v = OpPhi %uint %u1 %one %u2 %two",
    "no end": "OpBranch %round\n%round = OpLabel\nOpBranch %round\n%after = OpLabel\n"
              "%v = OpCopyObject %uint %x",
    "unreachable": "OpUnreachable\n%after = OpLabel\n%v = OpCopyObject %uint %x",
    "barrier": "OpControlBarrier %u2 %u2 %u272\n%v = OpCopyObject %uint %x",
    "work-group sum": "%v = OpGroupIAdd %uint %u2 Reduce %x",
    "work-group broadcast": "%v = OpGroupBroadcast %uint %u2 %x %l1000",
    "read no image": "%c = OpCompositeConstruct %v2uint %x %n\n%d = OpImageRead %v4uint %noimage %c\n"
                     "%v = OpCompositeExtract %uint %d 1",
    "write to no image": "%c = OpCompositeConstruct %v2uint %x %n\nOpImageWrite %nocanvas %c %v4\n"
                         "%v = OpCopyObject %uint %x",
    "sample no image": "%i = OpSampledImage %sampled %novolume %linear\n"
                       "%d = OpImageSampleExplicitLod %v4float %i %at Lod %f0\n"
                       "%e = OpCompositeExtract %float %d 0\n%v = OpBitcast %uint %e",
    "sample the edge of no image": "%i = OpSampledImage %sampled %novolume %edge\n"
                                   "%d = OpImageSampleExplicitLod %v4float %i %at Lod %f0\n"
                                   "%e = OpCompositeExtract %float %d 3\n%v = OpBitcast %uint %e",
    "sample by no sampler": "%i = OpSampledImage %sampled %novolume %nosampler\n"
                            "%d = OpImageSampleExplicitLod %v4uint %i %v4 Lod %f0\n"
                            "%v = OpCompositeExtract %uint %d 3",
    "no sampled image": "%d = OpImageSampleExplicitLod %v4uint %nosampled %v4 Lod %f0\n"
                        "%v = OpCompositeExtract %uint %d 3",
    "size of no image": "%c = OpImageQuerySizeLod %v2uint %noimage %u0\n%v = OpCompositeExtract %uint %c 1",
}
# Those that touch no memory of anybody's even where they are executed, whatever they give.
HARMLESS = [name for name in CASES if name.endswith("image") or "no sampler" in name]
BODY = """%k = OpFunction %void None %fn
%in = OpFunctionParameter %p_uint
%out = OpFunctionParameter %p_uint
%n = OpFunctionParameter %uint
%start = OpLabel
%array = OpVariable %q_a4 Function
%ids = OpLoad %v3ulong %gid_variable Aligned 32
%gid = OpCompositeExtract %ulong %ids 0
%from = OpInBoundsPtrAccessChain %p_uint %in %gid
%to = OpInBoundsPtrAccessChain %p_uint %out %gid
%x = OpLoad %uint %from Aligned 4
%v4 = OpCompositeConstruct %v4uint %x %x %n %x
%twice = OpIMul %uint %x %u3
OpStore %to %twice Aligned 4
%never = {compare} %bool {condition} %u1000
OpBranchConditional %never %dead %join
%dead = OpLabel
{case}
OpStore %to %v Aligned 4
OpBranch %join
%join = OpLabel
OpReturn
OpFunctionEnd
"""
ITEMS = 70
ENVIRONMENTS = [{"LANEWISE_ISA": isa, "LANEWISE_TIER": tier} for isa in levels()
                for tier in ("masked", "specialised")]


def failure(run, folder, name, condition, executed=False):
    path = os.path.join(folder, "module.spvasm")
    with open(path, "w") as file:
        file.write(HEAD + TYPES + BODY.format(case=CASES[name], condition=condition,
                                              compare="OpULessThan" if executed else "OpUGreaterThan"))
    expect = [] if executed else ["--expect", "1=" + ",".join(str(3 * k) for k in range(ITEMS))]
    for environment in ENVIRONMENTS:
        made = subprocess.run([run, "-g", str(ITEMS), "-w", "35", "--timeout", "20", *expect, path,
                               "u32[%d]=iota" % ITEMS, "u32[%d]" % ITEMS, "9"],
                              env={**os.environ, "LANEWISE_CACHE": "0", **environment}, capture_output=True,
                              text=True)
        if made.returncode:
            return "%s: exit status %d: %s" % (environment, made.returncode,
                                               (made.stdout + made.stderr).strip())
    return None


def main():
    run, *names = sys.argv[1:]
    count = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or CASES:
            for condition in ("%x", "%n"):
                for executed in (False, True) if name in HARMLESS else (False,):
                    said = failure(run, folder, name, condition, executed)
                    count += 1
                    failed += bool(said)
                    if said:
                        print("FAILED %s %s %s: %s" % (name, "if" if executed else "behind", condition, said))
    print("%d cases, %d failed" % (count, failed))
    sys.exit(failed != 0)


main()
