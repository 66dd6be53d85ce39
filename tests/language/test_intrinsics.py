#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang's builtins of which the SPIR-V back end selects nothing, scalars and vectors, beside Python's.

    test_intrinsics.py
"""
import math
import os
import struct
import sys

os.environ["LANEWISE_CACHE"] = "0"
from opencl_program import OpenCL

VALUES = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 0.3, math.inf, -math.inf, math.nan, -0.125]
KERNEL = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float F5 __attribute__((ext_vector_type(5)));
float sine_of(float x) { float s, c; __builtin_sincosf(x, &s, &c); return s * 2 + c; }
double sine_of_double(double x) { double s, c; __builtin_sincos(x, &s, &c); return s * 2 + c; }
kernel void k(global const double *in, global double *out)
{
    size_t at = get_global_id(0);
    T a = (T)in[at];
    int power = (int)at - 4;
    __builtin_prefetch((const void *)(in + at));
    EXPRESSION;
}
"""


def limited(x):
    return x if abs(x) < 5 else 2.0


LIMITED = "a = !(__builtin_fabs((double)a) < 5) ? (T)2 : a; out[at] = "
# name, types, expression, expected value, relative error
CASES = [
    ("canonicalize", "half float double", "out[at] = __builtin_elementwise_canonicalize(a)",
     lambda x, k: x, 0),
    ("canonicalize of three", "half float double",
     "out[at] = __builtin_elementwise_canonicalize((T3)(2, 1, a)).s2", lambda x, k: x, 0),
    ("ldexp", "float", "out[at] = __builtin_ldexpf(a, power)", math.ldexp, 0),
    ("ldexp", "double", "out[at] = __builtin_ldexp(a, power)", math.ldexp, 0),
    ("ldexp of two", "float double",
     "out[at] = __builtin_elementwise_ldexp((T2)(1, a), (int2)(7, power)).s1", math.ldexp, 0),
    ("exp10", "float double", LIMITED + "__builtin_elementwise_exp10(a)",
     lambda x, k: 10 ** limited(x), 1e-6),
    ("exp10 of five", "float", LIMITED + "__builtin_elementwise_exp10((F5){1, 2, 3, 4, a})[4]",
     lambda x, k: 10 ** limited(x), 1e-6),
    ("lrint", "float", LIMITED + "__builtin_lrintf(a)", lambda x, k: round(limited(x)), 0),
    ("lrint", "double", LIMITED + "__builtin_lrint(a)", lambda x, k: round(limited(x)), 0),
    ("sincos", "float", LIMITED + "sine_of(a)",
     lambda x, k: 2 * math.sin(limited(x)) + math.cos(limited(x)), 1e-6),
    ("sincos", "double", LIMITED + "sine_of_double(a)",
     lambda x, k: 2 * math.sin(limited(x)) + math.cos(limited(x)), 1e-12),
    ("rounding", "float", "out[at] = __builtin_flt_rounds()", lambda x, k: 1, 0),
]
# What a type makes of a value.
AS = {"half": "e", "float": "f", "double": "d"}


def is_near(got, want, error):
    if math.isnan(want) or math.isinf(want) or not error:
        return struct.pack("<d", got) == struct.pack("<d", want) or (math.isnan(got) and math.isnan(want))
    return abs(got - want) <= error * max(1, abs(want))


failures = 0
cl = OpenCL((8 * len(VALUES), 8 * len(VALUES)))
data = struct.pack("<%dd" % len(VALUES), *VALUES)
for name, kinds, expression, function, error in CASES:
    for kind in kinds.split():
        options = "-cl-std=CL3.0 -DT=%s -DT2=%s2 -DT3=%s3 '-DEXPRESSION=%s'" % (kind, kind, kind, expression)
        program, said = cl.build(source=KERNEL, options=options)
        raw = cl.run(program, "k", data, len(VALUES)) if program else said
        if isinstance(raw, str):
            failures += 1
            print(name, kind, raw[:300])
            continue
        for at, (x, got) in enumerate(zip(VALUES, struct.unpack("<%dd" % len(VALUES), raw))):
            x = struct.unpack("<" + AS[kind], struct.pack("<" + AS[kind], x))[0]
            want = float(function(x, at - 4))
            if not is_near(got, want, error):
                failures += 1
                print(name, kind, x, "gives", got, "not", want)
sys.exit("%d failed" % failures if failures else 0)
