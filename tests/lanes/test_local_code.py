#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is made of some kernels of local_forms.cl, side_by_side.cl and forms.cl, by spirv-run's dumps: columns
that are turned in registers, masks that a uniform condition turns over, loops between barriers that go wide
or, where lanes wait for each other's atomics, do not, how wide loops without a barrier go, rounds of all
lanes, arrays turned in memory, halves of registers that are stored where they are, sorts of which a median
needs a part, indices that the loop over the sub-groups only adds to,
parts of registers that a tree loads. Results are the business of the tests
in C.

    test_local_code.py SPIRV_RUN LOCAL_FORMS.spv SIDE_BY_SIDE.spv FORMS.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import has  # noqa: E402

# module, kernel, arguments, instruction set, sub-group size, stage, what must be there, what must be gone
COLUMNS = ["i32[512]=iota", "i32[512]"]
SUMS = ["f32[1024]=iota", "f32[1024]", "f32[1024]"]
WIDE = ["i64[1536]=iota", "i64[512]", "512"]
INTS, FLOATS = ["i32[520]=iota", "i32[512]", "512"], ["f32[520]=iota", "f32[512]", "512"]
RECORDS = ["f32[2048]=iota", "f32[2048]", "512"]
CASES = [
    (0, "columns", COLUMNS, "avx512", 16, "pack", "load <4 x i32>", "call .*gather"),
    (0, "columns", COLUMNS, "avx2", 16, "pack", "load <4 x i32>", "call .*gather"),
    (0, "network", COLUMNS + ["local:1024"], "avx2", 8, "masks", "llvm.smin", "shufflevector <8 x i1>"),
    (0, "counted", COLUMNS, "avx2", 0, "widen", "load <8 x i32>, ptr addrspace(1)", "(?!)"),
    (0, "counted", COLUMNS, "avx512", 0, "widen", "load <16 x i32>, ptr addrspace(1)", "(?!)"),
    (0, "digits", COLUMNS, "avx2", 0, "explain", "turned in memory", "wide \\+ shuffles"),
    (0, "digits", COLUMNS, "avx512", 0, "explain", "turned in memory", "wide \\+ shuffles"),
    (0, "digits_volatile", COLUMNS, "avx2", 0, "explain", "turned in memory", "(?!)"),
    (0, "digits_waiting", COLUMNS, "avx512", 0, "explain", "turned in memory", "wide \\+ shuffles"),
    (0, "digits_numbered", COLUMNS, "avx512", 0, "explain", "one of a record's 16", "turned in memory"),
    (1, "group_float", SUMS, "avx2", 0, "explain", "as 32 lanes", "as 8 lanes"),
    (1, "group_float", SUMS, "avx512", 0, "explain", "as 64 lanes", "as 16 lanes"),
    (0, "rows_of_float", ["f32[2048]=iota", "f32[512]", "4"], "avx2", 0, "explain", "as 16 lanes", "(?!)"),
    (0, "rows_of_float", ["f32[2048]=iota", "f32[512]", "4"], "avx512", 0, "explain", "as 64 lanes", "(?!)"),
    (0, "list_lengths", ["i32[512]=zeros", "i32[512]"], "avx2", 0, "explain", "as 32 lanes", "(?!)"),
    (0, "rows_of_double", ["f64[2048]=iota", "f64[512]", "4"], "avx2", 0, "explain", "as 16 lanes", "(?!)"),
    (0, "rows_of_double", ["f64[2048]=iota", "f64[512]", "4"], "avx512", 0, "explain", "as 32 lanes", "(?!)"),
    (2, "median9_int", INTS, "avx2", 8, "masks", "call <8 x i32> @llvm.smin",
     r"(?s)(@llvm\.s(min|max)[^@]*){44}"),
    (2, "median9", FLOATS, "avx2", 8, "masks", "any_nan", r"(?s)(call nnan <8 x float> @llvm\.m[^@]*){42}"),
    (2, "median9", FLOATS, "avx512", 16, "masks", "any_nan",
     r"(?s)(call nnan <16 x float> @llvm\.m[^@]*){42}"),
    (2, "turned4", RECORDS, "avx2", 8, "asm", "vextractf128", "vperm2f128"),
    (0, "halving", SUMS[:2] + ["local:1024"], "avx2", 8, "masks", "load <4 x float>, ptr addrspace(3)",
     r"call .*masked\.load\.v8f32"),
    (0, "halving", SUMS[:2] + ["local:1024"], "avx512", 8, "masks", "load <4 x float>, ptr addrspace(3)",
     r"call .*masked\.load\.v8f32"),
    (2, "index_wide", WIDE, "avx2", 8, "masks", "sext i32", "(?s)sub_groups:.*sext i32"),
    (2, "index_wide", WIDE, "avx512", 16, "masks", "sext i32", "(?s)sub_groups:.*sext i32"),
]


def code(spirv_run, modules, case):
    module, kernel, arguments, isa, size, stage = case[:6]
    command = [spirv_run, "-g", "512", "-w", "256", "--isa", isa, "-k", kernel]
    command += ["-s", str(size)] if size else []
    command += ["--explain"] if stage == "explain" else ["--dump", stage]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0")
    run = subprocess.run(command + [modules[module]] + arguments, capture_output=True, text=True,
                         env=environment)
    if run.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel, run.stderr[-500:]))
    return run.stdout if stage == "explain" else run.stderr.split("after " + stage, 1)[-1]


def main():
    failed = 0
    for case in CASES:
        if not has(case[3]):
            print("not run: %s on %s, which this machine lacks" % (case[1], case[3]))
            continue
        text = code(sys.argv[1], sys.argv[2:], case)
        if case[6] in text and not re.search(case[7], text):
            print("%s on %s: good" % (case[1], case[3]))
            continue
        failed += 1
        print("FAILED %s on %s: no `%s`, or one of `%s`:\n%s" % (case[1], case[3], case[6], case[7], text))
    return failed > 0


sys.exit(main())
