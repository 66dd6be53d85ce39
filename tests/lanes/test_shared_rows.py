#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of shared_rows.cl against the same in Python; and, by spirv-run --explain, which of them load
what rows of work-items have in common once for several of them.

    test_shared_rows.py SPIRV_RUN MODULE.spv
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

N, PITCH = 12, 40
A = [(i * 7919 + 13) % 1000 - 300 for i in range(64 * N)]
B = [(i * 104729 + 7) % 1000 - 500 for i in range(64 * N)]


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


def row(values, at):
    return values[at * N:at * N + N]


def transposed(x, y):
    return sum(p * q for p, q in zip(row(A, y), row(B, x)))


def guarded(x, y):
    total = 0
    for p, q in zip(row(A, y), row(B, x)):
        total = wrapped(total * 3 + (p ^ q))
    return total


def vectors(x, y):
    return sum(p * q * (1, 3, 5, 7)[k % 4] for k, (p, q) in enumerate(zip(row(A, y), row(B, x))))


def own(x, y):
    total = 0
    for k in range(N):
        total = wrapped(total * 3 + A[(x + y) * N // 4 + k] + B[k])
    return total


# kernel, global size, where it writes, is anything shared?
CASES = ((transposed, (40, 32), (40, 32), True), (transposed, (32, 7), (32, 7), True),
         (guarded, (32, 48), (37, 30), True), (vectors, (40, 24), (40, 24), True),
         (own, (40, 24), (40, 24), False))

failed = 0
for isa in levels():
    for kernel, size, written, shared in CASES:
        want = [-1] * (PITCH * 48)
        for x in range(written[0]):
            for y in range(written[1]):
                want[y * PITCH + x] = wrapped(kernel(x, y))
        command = [sys.argv[1], "--explain", "--isa", isa, "-g", "%d,%d" % size, "-w", "8,1",
                   "-k", kernel.__name__, "--expect", "2=" + ",".join(map(str, want)), sys.argv[2],
                   "i32[%d]=%s" % (len(A), ",".join(map(str, A))),
                   "i32[%d]=%s" % (len(B), ",".join(map(str, B))), "i32[%d]=fill:-1" % len(want), str(N)]
        environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
        done = subprocess.run(command, capture_output=True, env=environment, text=True)
        if done.returncode:
            raise SystemExit("FAILED %s, %s: %s" % (kernel.__name__, isa, (done.stdout + done.stderr)[-500:]))
        if ("for all rows of the sub-group" in done.stdout) != shared:
            failed += 1
            print("FAILED %s, %s, %s: %s" % (kernel.__name__, isa, size, done.stdout))
print("%d failed" % failed)
sys.exit(failed != 0)
