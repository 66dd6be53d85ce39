#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of invariants.cl against the same in Python; and, by spirv-run's dump behind LLVM's passes,
that what their conditions guard is read in front of the loops.

    test_invariants.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 128
AT = [(i * 37 + 5) % ITEMS for i in range(ITEMS)]
X = [(i * 11 + 3) % 64 - 20 for i in range(ITEMS)]


def by_argument(n, flag, i):
    return n * X[AT[i]] if flag > 3 else -sum(range(n))


def by_rounds(n, m, i):
    return n * max(m, 0) * X[AT[i]]


def by_lanes(n, m, i):
    return n * X[AT[i]] if AT[i] > m else 0


def meeting(n, flag, i):
    other = i ^ 63 if flag > 3 else i ^ 1
    return (1 if flag > 3 else -1) * sum(X[AT[other]] + k for k in range(n))


def compiled(kernel, n, m, isa):
    """The code of a kernel that gave what it must."""
    want = ",".join("%d" % kernel(n, m, i) for i in range(ITEMS))
    command = [sys.argv[1], "-g", str(ITEMS), "-w", "64", "--isa", isa, "--dump", "optimize", "-k",
               kernel.__name__, "--expect", "4=" + want, sys.argv[2], str(n), str(m),
               "i32[%d]=%s" % (ITEMS, ",".join(map(str, AT))),
               "f32[%d]=%s" % (ITEMS, ",".join(map(str, X))), "f32[%d]" % ITEMS]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s, %s: %s" % (kernel.__name__, isa, (done.stdout + done.stderr)[-500:]))
    return done.stderr.split("after optimize", 1)[-1]


def goes_back(code):
    """Does a loop of the kernel's own, not one over its work-groups or sub-groups, gather?"""
    blocks = dict(re.findall(r'^([\w.$"]+):(.*?)(?=^[\w.$"]+:|^\})', code, flags=re.M | re.S))
    kept = re.compile(r'label %((?!group|sub_groups)[\w.$"]+)')
    after = {b: kept.findall(text) for b, text in blocks.items()}
    for block, text in blocks.items():
        seen, left = set(), list(after[block])
        while left and "gather" in text:
            at = left.pop()
            if at == block:
                return True
            if at not in seen and at in after:
                seen.add(at)
                left += after[at]
    return False


failed = 0
for level in levels():
    for function in (by_argument, by_rounds, by_lanes, meeting):
        for first, second in ((0, 5), (1, 0), (3, 4), (4, 3), (5, 70), (2, -1), (3, 500)):
            text = compiled(function, first, second, level)
            if level != "sse4.2" and function is not meeting and goes_back(text):
                failed += 1
                print("FAILED %s, %s: a loop reads what does not change in it" % (function.__name__, level))
print("%d failed" % failed)
sys.exit(failed != 0)
