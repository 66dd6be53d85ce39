#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do sub-groups that go together share what they load? The sums over tiles of local_forms.cl, by spirv-run's
dump
behind LLVM's passes: how many sums one turn of the loop over the sub-groups has, and how many loads of
vectors. What fills the tiles is written out for each sub-group, so that nothing is divided at run time.
Results are test_local_forms.c's business.

    test_shared_loads.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import has  # noqa: E402

# kernel, instruction set, sub-group size, fewest fused sums, most loads of vectors in their block
CASES = [
    ("product", "avx512", 16, 128, 32),
    ("product", "avx2", 8, 128, 48),
    ("taps", "avx512", 16, 96, 44),
    ("taps", "avx2", 16, 96, 44),
]


def blocks(spirv_run, module, kernel, isa, size):
    command = [spirv_run, "-g", "1024", "-w", "256", "-s", str(size), "--isa", isa, "--dump", "optimize",
               "-k", kernel,
               module, "i32[1024]=iota", "i32[1024]"]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0")
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel, run.stderr[-500:]))
    return re.split(r"^\S+:", run.stderr.split("after optimize", 1)[-1], flags=re.M)


def main():
    failed = 0
    for kernel, isa, size, sums, most in CASES:
        if not has(isa):
            print("not run: %s on %s, which this machine lacks" % (kernel, isa))
            continue
        code = blocks(sys.argv[1], sys.argv[2], kernel, isa, size)
        best = max(code, key=lambda b: b.count("llvm.fm"))
        found = best.count("call <%d x float> @llvm.fm" % size)
        loads = len(re.findall(r"load <%d x float>" % size, best))
        divisions = len(re.findall(r"= (udiv|urem) ", "".join(code)))
        good = found >= sums and loads <= most and not divisions
        failed += not good
        print("%s%s on %s: %d sums, %d loads of vectors, %d divisions" %
              ("" if good else "FAILED ", kernel, isa, found, loads, divisions))
    return failed > 0


sys.exit(main())
