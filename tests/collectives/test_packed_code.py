#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are sub-groups that go together packed? The kernels of side_by_side.cl, by spirv-run's dump behind the
pass: what each stores, and that no reduction or narrow store is left; volatile stores stay one by one.
Results are test_side_by_side.c's business.

    test_packed_code.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import has  # noqa: E402

# kernel, element, instruction set, sub-group size, what must be stored, what must be gone
CASES = [
    ("sum_int", "i32", "avx512", 16, "store <16 x i32>", "vector.reduce|store i32"),
    ("sum_int", "i32", "avx2", 8, "store <8 x i32>", "vector.reduce|store i32"),
    ("sum_int", "i32", "sse4.2", 4, "store <4 x i32>", "vector.reduce|store i32"),
    ("sum_float", "f32", "avx512", 16, "store <16 x float>", "lw.reduce|store float"),
    ("sum_float", "f32", "avx2", 16, "store <8 x float>", "lw.reduce|store float"),
    ("sum_half", "f16", "avx2", 16, "store <8 x half>", "lw.reduce|store half"),
    ("ends_int", "i32", "avx2", 16, "store <8 x i32>", "vector.reduce|store i32"),
    ("scans_char", "i8", "avx512", 16, "store <64 x i8>", "store <16 x i8>"),
    ("scans_char", "i8", "avx2", 16, "store <32 x i8>", "store <16 x i8>"),
    ("scans_short", "i16", "avx512", 16, "store <32 x i16>", "store <16 x i16>"),
    ("eight_plain", "i32", "avx2", 8, "store <8 x i32>", "store i32"),
    ("eight_volatile", "i32", "avx2", 8, "store volatile i32", "store <"),
]


def code(spirv_run, module, case):
    kernel, element, isa, size = case[:4]
    command = [spirv_run, "-g", "1024", "-w", "256", "-s", str(size), "--isa", isa, "--dump", "pack", "-k",
               kernel, module]
    command += ["%s[1024]=iota" % element] + ["%s[1024]" % element] * 2
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0")
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel, run.stderr[-500:]))
    return run.stderr.split("after pack", 1)[-1]


def main():
    failed = 0
    for case in CASES:
        if not has(case[2]):
            print("not run: %s on %s, which this machine lacks" % (case[0], case[2]))
            continue
        body = re.sub(r"^declare.*$", "", code(sys.argv[1], sys.argv[2], case), flags=re.M)
        if case[4] in body and not re.search(case[5], body):
            print("%s on %s: packed" % (case[0], case[2]))
            continue
        failed += 1
        print("FAILED %s on %s, sub-group size %d: no `%s`, or one of `%s`:\n%s" %
              (case[0], case[2], case[3], case[4],
                                                                              case[5], body))
    return failed > 0


sys.exit(main())
