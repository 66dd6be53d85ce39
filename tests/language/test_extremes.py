#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""__builtin_elementwise_maximum and its like, of NaNs and of zeros of either sign, scalars and vectors.

    test_extremes.py
"""
import itertools
import math
import os
import struct
import sys

os.environ["LANEWISE_CACHE"] = "0"
from opencl_program import OpenCL

VALUES = [0.0, -0.0, 1.0, -1.5, 2.0, math.inf, -math.inf, math.nan, 0.125]
KERNEL = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global const double *in, global double *out)
{
    size_t at = get_global_id(0);
    T a = (T)in[2 * at], b = (T)in[2 * at + 1];
    V x = (V)(a, b, a), y = (V)(b, b, a);
    out[2 * at] = FUNCTION(a, b);
    out[2 * at + 1] = FUNCTION(x, y).s0;
}
"""


def expected(name, a, b):
    if math.isnan(a) or math.isnan(b):
        other = b if math.isnan(a) else a
        return other if name.endswith("num") else math.nan
    sign = 1 if name.startswith("max") else -1
    return max((a, b), key=lambda x: (sign * x, sign * math.copysign(1, x)))


def text_of(x):
    return "nan" if math.isnan(x) else repr(x)


failures, rows = 0, list(itertools.product(VALUES, VALUES))
cl = OpenCL((16 * len(rows), 16 * len(rows)))
data = struct.pack("<%dd" % (2 * len(rows)), *itertools.chain(*rows))
for name, kind in itertools.product(("maximum", "minimum", "maximumnum", "minimumnum"),
                                    ("half", "float", "double")):
    program, said = cl.build(source=KERNEL, options="-cl-std=CL3.0 -DT=%s -DV=%s3 -DFUNCTION="
                                                    "__builtin_elementwise_%s" % (kind, kind, name))
    raw = cl.run(program, "k", data, len(rows)) if program else said
    got = raw if isinstance(raw, str) else [text_of(x) for x in struct.unpack("<%dd" % (2 * len(rows)), raw)]
    want = [text_of(expected(name, a, b)) for a, b in rows for _ in range(2)]
    if got != want:
        failures += 1
        print(name, kind, got if isinstance(got, str) else [x for x in zip(rows, got[::2], want[::2])
                                                            if x[1] != x[2]][:4])
sys.exit("%d failed" % failures if failures else 0)
