#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes one SPIR-V assembly module with a kernel for each type and scope, each with every collective of that
type.

Kernel `TYPE_SCOPE(global T *adds, global T *muls, global T *edges, global T *out, ulong total, uint lane)`:
out[r * total + global linear id] is result r, in the order of RESULTS in test_collectives.c: for each
operation the reduction, the inclusive and the exclusive scan; last, a broadcast of `edges` from work-item
`lane`. Bool kernels read 32-bit integers, odd ones being true, and write 0 or 1.
"""
import sys

INT_OPS = [("IAdd", 0), ("IMul", 1), ("SMin", 2), ("UMin", 2), ("SMax", 2), ("UMax", 2), ("BitwiseAnd", 2),
           ("BitwiseOr", 2), ("BitwiseXor", 2)]
FLOAT_OPS = [("FAdd", 0), ("FMul", 1), ("FMin", 2), ("FMax", 2)]
BOOL_OPS = [("LogicalAnd", 0), ("LogicalOr", 0), ("LogicalXor", 0)]
TYPES = {"i8": INT_OPS, "i16": INT_OPS, "i32": INT_OPS, "i64": INT_OPS, "f16": FLOAT_OPS, "f32": FLOAT_OPS,
         "f64": FLOAT_OPS, "bool": BOOL_OPS}
CORE = {"IAdd", "FAdd", "SMin", "UMin", "FMin", "SMax", "UMax", "FMax"}
SCOPES = {"wg": "%c_workgroup", "sg": "%c_subgroup"}


def instruction(op, scope, form):
    """The opcode: OpGroup* in core, *KHR at work-group scope, OpGroupNonUniform* at sub-group scope."""
    if op in CORE and form == "group":
        return "OpGroup" + op
    return "OpGroup%sKHR" % op if scope == "wg" else "OpGroupNonUniform" + op


def kernel(t, scope, form, out):
    element = "%uint" if t == "bool" else "%" + t
    value = "%bool" if t == "bool" else "%" + t
    n = [0]
    name = "%s_%s%s" % (t, scope, "" if form == "group" else "_nonuniform")

    def fresh():
        n[0] += 1
        return "%%%s_%d" % (name, n[0])

    def store(r, v):
        if t == "bool":
            z = fresh()
            out.append("%s = OpSelect %%uint %s %%c_u1 %%c_u0" % (z, v))
            v = z
        a, b, p = fresh(), fresh(), fresh()
        out.extend(["%s = OpIMul %%ulong %%total_%s %%c_%d" % (a, name, r),
                    "%s = OpIAdd %%ulong %s %s" % (b, a, gid),
                    "%s = OpInBoundsPtrAccessChain %%p_%s %%out_%s %s" % (p, element[1:], name, b),
                    "OpStore %s %s Aligned %d" % (p, v, ALIGN[t])])

    out.append("%%k_%s = OpFunction %%void None %%fn_%s" % (name, element[1:]))
    for a in ("in0", "in1", "in2", "out"):
        out.append("%%%s_%s = OpFunctionParameter %%p_%s" % (a, name, element[1:]))
    out.extend(["%%total_%s = OpFunctionParameter %%ulong" % name,
                "%%lane_%s = OpFunctionParameter %%uint" % name,
                "%s = OpLabel" % fresh()])
    gid = fresh()
    out.append("%s = OpLoad %%ulong %%gl_id Aligned 8" % gid)
    x = []
    for k in range(3):
        p, v = fresh(), fresh()
        out.append("%s = OpInBoundsPtrAccessChain %%p_%s %%in%d_%s %s" % (p, element[1:], k, name, gid))
        out.append("%s = OpLoad %s %s Aligned %d" % (v, element, p, ALIGN[t]))
        if t == "bool":
            b, c = fresh(), fresh()
            out.append("%s = OpBitwiseAnd %%uint %s %%c_u1" % (b, v))
            out.append("%s = OpINotEqual %%bool %s %%c_u0" % (c, b))
            v = c
        x.append(v)
    r = 0
    for op, source in TYPES[t]:
        for how in ("Reduce", "InclusiveScan", "ExclusiveScan"):
            v = fresh()
            out.append("%s = %s %s %s %s %s" % (v, instruction(op, scope, form), value, SCOPES[scope], how,
                                                x[source]))
            store(r, v)
            r += 1
    if t == "bool":
        for op in ("All", "Any"):
            v = fresh()
            core = "OpGroup" if form == "group" else "OpGroupNonUniform"
            out.append("%s = %s%s %%bool %s %s" % (v, core, op, SCOPES[scope], x[0]))
            store(r, v)
            r += 1
    elif form == "group":
        v = fresh()
        out.append("%s = OpGroupBroadcast %s %s %s %%lane_%s" % (v, value, SCOPES[scope], x[2], name))
        store(r, v)
    out.extend(["OpReturn", "OpFunctionEnd"])
    return name


ALIGN = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "f32": 4, "f64": 8, "bool": 4}


def main():
    body, names = [], []
    for t in TYPES:
        for scope in SCOPES:
            names.append(kernel(t, scope, "group", body))
        names.append(kernel(t, "sg", "nonuniform", body))
    head = ["OpCapability " + c for c in ("Addresses", "Kernel", "Linkage", "Int64", "Int16", "Int8",
                                          "Float16",
                                          "Float64", "Groups", "GroupUniformArithmeticKHR", "GroupNonUniform",
                                          "GroupNonUniformArithmetic", "GroupNonUniformVote")]
    head += ['OpExtension "SPV_KHR_uniform_group_instructions"', "OpMemoryModel Physical64 OpenCL"]
    head += ['OpEntryPoint Kernel %%k_%s "%s" %%gl_id' % (n, n) for n in names]
    head += ["OpDecorate %gl_id BuiltIn GlobalLinearId", "OpDecorate %gl_id Constant"]
    head += ["%void = OpTypeVoid", "%bool = OpTypeBool", "%i8 = OpTypeInt 8 0", "%i16 = OpTypeInt 16 0",
             "%uint = OpTypeInt 32 0", "%ulong = OpTypeInt 64 0", "%f16 = OpTypeFloat 16",
             "%f32 = OpTypeFloat 32",
             "%f64 = OpTypeFloat 64", "%c_u0 = OpConstant %uint 0", "%c_u1 = OpConstant %uint 1",
             "%c_workgroup = OpConstant %uint 2", "%c_subgroup = OpConstant %uint 3"]
    head += ["%%c_%d = OpConstant %%ulong %d" % (k, k) for k in range(40)]
    head += ["%p_in = OpTypePointer Input %ulong", "%gl_id = OpVariable %p_in Input"]
    text = []
    for e in ("i8", "i16", "uint", "ulong", "f16", "f32", "f64"):
        text.append("%%p_%s = OpTypePointer CrossWorkgroup %%%s" % (e, e))
        text.append("%%fn_%s = OpTypeFunction %%void %%p_%s %%p_%s %%p_%s %%p_%s %%ulong %%uint" %
                    (e, e, e, e, e))
    body = [line.replace("%p_i32", "%p_uint").replace("%fn_i32", "%fn_uint").replace("%p_i64", "%p_ulong")
            .replace("%fn_i64", "%fn_ulong") for line in body]
    import re
    body = [re.sub(r"%i32\b", "%uint", re.sub(r"%i64\b", "%ulong", line)) for line in body]
    sys.stdout.write("; SPIR-V\n; Version: 1.3\n" + "\n".join(head + text + body) + "\n")


main()
