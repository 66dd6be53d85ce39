#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the kernels of collective_kernels.py once more as OpenCL C: every function of the texts of
cl_khr_work_group_uniform_arithmetic and cl_khr_subgroups, for each type, under the names that producers
resolve or leave as imports. Declared here, since clang-15 knows few of them; `--functions` lists them.
"""
import sys

CL = {"i8": "char", "i16": "short", "i32": "int", "i64": "long", "f16": "half", "f32": "float",
      "f64": "double"}
INT_OPS = [("add", 0, "s"), ("mul", 1, "s"), ("min", 2, "s"), ("min", 2, "u"), ("max", 2, "s"),
           ("max", 2, "u"),
           ("and", 2, "s"), ("or", 2, "s"), ("xor", 2, "s")]
FLOAT_OPS = [("add", 0, "s"), ("mul", 1, "s"), ("min", 2, "s"), ("max", 2, "s")]
UNSIGNED_TOO = {"add", "mul", "and", "or", "xor"}  # told twice: the same instruction by another name
PREFIX = {"wg": "work_group", "sg": "sub_group", "sg_nonuniform": "sub_group_non_uniform"}
HOWS = ("reduce", "scan_inclusive", "scan_exclusive")

functions, kernels = {}, []


def declare(result, name, parameters):
    functions["%s %s(%s)" % (result, name, parameters)] = True


def arithmetic(t, form, lines):
    cl, r = CL[t], 0
    for op, source, sign in (FLOAT_OPS if t[0] == "f" else INT_OPS):
        for how in HOWS:
            name = "%s_%s_%s" % (PREFIX[form], how, op)
            unsigned = "u" + cl
            # Signed and unsigned forms of what they share take turns.
            as_unsigned = sign == "u" or (t[0] == "i" and op in UNSIGNED_TOO and how != "reduce")
            typed = unsigned if as_unsigned else cl
            declare(typed, name, typed)
            value = "%s((%s)in%d[i])" % (name, typed, source)
            lines.append("    out[%d * total + i] = (%s)%s;" % (r, cl, value))
            r += 1
    if form == "wg":
        declare(cl, "work_group_broadcast", cl + ", size_t, size_t, size_t")
        lines.append("    out[%d * total + i] = work_group_broadcast(in2[i], (size_t)lane, (size_t)0, "
                     "(size_t)0);" % r)
    elif form == "sg":
        declare(cl, "sub_group_broadcast", cl + ", uint")
        lines.append("    out[%d * total + i] = sub_group_broadcast(in2[i], lane);" % r)


def logical(form, lines):
    r = 0
    for op in ("and", "or", "xor"):
        for how in HOWS:
            name = "%s_%s_logical_%s" % (PREFIX[form], how, op)
            declare("int", name, "int")
            lines.append("    out[%d * total + i] = %s((in0[i] & 1) * 6) != 0;" % (r, name))
            r += 1
    for vote in ("all", "any"):
        name = "%s_%s" % (PREFIX[form], vote)
        declare("int", name, "int")
        lines.append("    out[%d * total + i] = %s((in0[i] & 1) * 6) != 0;" % (r, name))
        r += 1


for kind in [*CL, "bool"]:
    for shape in PREFIX:
        body = []
        if kind == "bool":
            logical(shape, body)
        else:
            arithmetic(kind, shape, body)
        cl_type = CL.get(kind, "int")
        kernels.append("kernel void\n%s_%s(global %s *in0, global %s *in1, global %s *in2, global %s *out, "
                       "ulong total, "
                       "uint lane)\n{\n    size_t i = get_global_linear_id();\n%s\n}\n" %
                       (kind, shape, *[cl_type] * 4, "\n".join(body)))
if "--functions" in sys.argv:
    print("\n".join(functions))
else:
    print("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    for declaration in functions:
        print("__attribute__((overloadable, convergent)) %s;" % declaration)
    print("\n" + "\n".join(kernels))
