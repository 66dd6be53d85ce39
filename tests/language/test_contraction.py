#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`a * b + c` on its way from OpenCL C: of halves two operations that a consumer may contract, of floats the
one that clang made of it; `fma` stays what was asked for.

    test_contraction.py CLANG SPIRV_WRITER
"""
import struct
import subprocess
import sys
import unittest

CLANG, WRITER = sys.argv.pop(1), sys.argv.pop(1)
FADD, FMUL, EXT_INST, FMA = 129, 133, 12, 26


def operations(text):
    """How many sums, products and calls of fma there are."""
    head = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    front = [CLANG, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", "-O1", "-w"]
    ir = subprocess.run(front + ["-S", "-emit-llvm", "-o", "-", "-"], input=(head + text).encode(),
                        check=True, stdout=subprocess.PIPE).stdout
    module = subprocess.run([WRITER], input=ir, check=True, stdout=subprocess.PIPE).stdout
    words, at, found = struct.unpack("<%dI" % (len(module) // 4), module), 5, []
    while at < len(words):
        op = words[at] & 0xffff
        found.append("fma" if op == EXT_INST and words[at + 4] == FMA else {FADD: "+", FMUL: "*"}.get(op))
        at += words[at] >> 16
    return found.count("+"), found.count("*"), found.count("fma")


class Contraction(unittest.TestCase):
    def expect(self, kind, expression, one):
        arguments = ", ".join("global %s *%s" % (kind, name) for name in "abc")
        text = "kernel void k(%s) { *a = %s; }" % (arguments, expression)
        found = operations(text)  # clang writes the body of a kernel twice
        self.assertTrue(found in (one, tuple(2 * k for k in one)), "%s: %s" % (text, found))

    def test_expressions(self):
        for kind in ("half", "half2", "half3", "half16"):
            self.expect(kind, "*b * *c + *a", (1, 1, 0))
            self.expect(kind, "*b * *c - *a", (1, 1, 0))
        for kind in ("float", "float4"):
            self.expect(kind, "*b * *c + *a", (0, 0, 1))

    def test_functions(self):
        for kind in ("half", "half4", "float"):
            self.expect(kind, "fma(*b, *c, *a)", (0, 0, 1))


if __name__ == "__main__":
    unittest.main(verbosity=1)
