#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random programs over OpenCL C's vector language, by seed, against this file's own arithmetic.

    random_vectors.py [--kernels N] [--through WAY[,WAY...]] [--keep FOLDER] FIRST COUNT
    random_vectors.py --write SEED                                 the text of one module

Every type and every number of components; swizzles of all kinds on both sides; conversions, saturated and
with every rounding mode; reinterpretations; vload and vstore, of halves too; structures and arrays of
vectors; casts, comparisons, selections, shuffles, subscripts, loops and branches. A module has N kernels
(40), each a program of its own.

Ways: `source` and `source-O0` are programs in OpenCL C. The others are SPIR-V given to clCreateProgramWithIL:
`lanewise-O0`, `-O1`, `-O2` of clang-22 with lanewise-spirv, which SPIRV_WRITER names; `clang15-O0`, ... of
clang-15 with llvm-spirv-15; `dpcpp-O2` of clang-19 with dpcpp-llvm-spirv; `clang22-O0` of clang-22 alone,
which converts between integers wrongly and ends at some of -O2.

Expectations are computed here: integers as Python's, floating-point numbers as its doubles, rounded after
every operation. Nothing that is undefined is written, but for one thing: floats that are made of any bits are
only moved.
"""
import argparse
import math
import os
import re
import sys
import tempfile

from opencl_program import OpenCL, make_il
from vector_arithmetic import BITS, from_bytes, is_float
from vector_kernels import IN_BYTES, ITEMS, OUT_BYTES, make_input, make_module


def differences(kernel, want, kinds, got):
    if isinstance(got, str):
        return [got]
    found = []
    for item in range(ITEMS):
        data = got[item * OUT_BYTES:(item + 1) * OUT_BYTES]
        if data == want[item]:
            continue
        for at, t in kinds[item]:
            size = BITS[t] // 8
            a, b = want[item][at:at + size], data[at:at + size]
            if a == b or (is_float(t) and all(math.isnan(from_bytes(t, x)[0]) for x in (a, b))):
                continue
            found.append("item %d, %s at byte %d: %s, not %s" %
                         (item, t, at, from_bytes(t, b)[0], from_bytes(t, a)[0]))
        known = {at + k for at, t in kinds[item] for k in range(BITS[t] // 8)}
        found += ["item %d: byte %d is written" % (item, k) for k in range(OUT_BYTES)
                  if k not in known and data[k] != 0xa5]
    return found


def is_left_out(way, kernel):
    """llvm-spirv-15 gives a conversion's rounding and saturation to the value behind its branch or loop;
    dpcpp-llvm-spirv writes it without them there."""
    return way.startswith(("clang15", "dpcpp")) and not way.endswith("-O0") and re.search(
        r"^ {8,}.*convert_[a-z]+\d*_(sat|rt)", kernel.text, re.MULTILINE)


def check(cl, seed, count, way, folder, keep):
    """Builds and runs a module one way; returns the kernels that failed, with what is wrong."""
    head, kernels = make_module(seed, count)
    kernels = [k for k in kernels if not is_left_out(way, k)]
    text = "\n".join([head] + [k.text for k in kernels])
    data = make_input(seed)
    if way.startswith("source"):
        program, said = cl.build(source=text, options="-cl-opt-disable" if way.endswith("O0") else "")
    else:
        il, said = make_il(way, text, folder)
        program, said = cl.build(il=il) if il else (None, said)
    failed = []
    if not program:
        failed.append((None, ["does not build: %s" % said.strip()[-600:]]))
    for kernel in kernels if program else []:
        pairs = [kernel.expect(data[k * IN_BYTES:(k + 1) * IN_BYTES]) for k in range(ITEMS)]
        found = differences(kernel, [p[0] for p in pairs], [p[1] for p in pairs],
                            cl.run(program, "k%d" % kernel.index, data, ITEMS))
        if found:
            failed.append((kernel.index, found))
    if program:
        cl.cl.clReleaseProgram(program)
    if failed and keep:
        with open(os.path.join(keep, "%d-%s.cl" % (seed, way)), "w") as file:
            file.write(text)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--through",
                        default="source,source-O0,lanewise-O0,lanewise-O1,lanewise-O2,clang15-O0,clang15-O2")
    parser.add_argument("--keep")
    parser.add_argument("--write", type=int)
    parser.add_argument("first", type=int, nargs="?", default=1)
    parser.add_argument("count", type=int, nargs="?", default=1)
    options = parser.parse_args()
    if options.write is not None:
        head, kernels = make_module(options.write, options.kernels)
        print("\n".join([head] + [k.text for k in kernels]))
        return
    cl, programs, bad = OpenCL((ITEMS * IN_BYTES, ITEMS * OUT_BYTES)), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            for way in options.through.split(","):
                failed = check(cl, seed, options.kernels, way, folder, options.keep)
                programs += options.kernels
                bad += options.kernels if failed and failed[0][0] is None else len(failed)
                for kernel, found in failed:
                    print("FAILED seed %d, %s, kernel %s: %s" % (seed, way, kernel, "; ".join(found[:3])),
                          flush=True)
    print("%d programs, %d failed" % (programs, bad))
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
