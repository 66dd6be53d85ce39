#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of sums.cl against the same in Python; and, by spirv-run's dump behind the transformation,
which ors are known to be sums: none that has a bit in common.

    test_sums.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, N = 96, 2
IN = [(i * 7919 + 13) % 1000 for i in range(ITEMS * 64 + 256)]
TWICE = range(N)
# kernel, what is or'ed to i << 6 in each round, are there ors that are no sums?
CASES = (
    ("below", [k for _ in TWICE for k in range(64)], False),
    ("up_to", [k for _ in TWICE for k in range(65)], True),
    ("steps", [k for _ in TWICE for k in range(3, 64, 4)], False),
    ("over", [k for _ in TWICE for k in range(0, 65, 4)], True),
    ("two", [k | q for _ in TWICE for k in range(0, 64, 8) for q in range(8)], False),
    ("more", [k | q for _ in TWICE for k in range(0, 64, 8) for q in range(9)], True),
    ("halved", [k >> 1 for _ in TWICE for k in range(128)], False),
    ("halved_more", [k >> 1 for _ in TWICE for k in range(130)], True),
    ("open", list(TWICE), True),
)


def wrapped(n):
    return (n + 2**31) % 2**32 - 2**31


def result(rounds, i):
    total = 0
    for k in rounds:
        total = wrapped(total * 3 + IN[i << 6 | k])
    return total


failed = 0
for isa in levels():
    for name, rounds, others in CASES:
        want = ",".join("%d" % result(rounds, i) for i in range(ITEMS))
        command = [sys.argv[1], "-g", str(ITEMS), "-w", "32", "--isa", isa, "--dump", "sums", "-k", name,
                   "--expect", "2=" + want, sys.argv[2], str(N),
                   "i32[%d]=%s" % (len(IN), ",".join(map(str, IN))), "i32[%d]" % ITEMS]
        for lanes in "1", "16":
            environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0",
                               LANEWISE_VERIFY="1", LANEWISE_LANES=lanes)
            done = subprocess.run(command, capture_output=True, env=environment, text=True)
            if done.returncode:
                raise SystemExit("FAILED %s, %s: %s" % (name, isa, (done.stdout + done.stderr)[-500:]))
            left = len(re.findall(r"= or i", done.stderr))
            if bool(left) != others:
                failed += 1
                print("FAILED %s, %s: %d ors that are no sums" % (name, isa, left))
print("%d failed" % failed)
sys.exit(failed != 0)
