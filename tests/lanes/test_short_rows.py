#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of short_rows.cl against the same in Python; and, by spirv-run --explain, which of them are run
a row at a time where the rows do not fill their sub-groups: their stores then follow from the row.

    test_short_rows.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

PITCH, PLANE, HEIGHT, DEPTH = 32, 1024, 11, 3
SIZE = 32 * PLANE
IN = [(i * 7919 + 13) % 1000 for i in range(SIZE)]


def beside(x, y, z):
    at = z * PLANE + y * PITCH + x
    return at, IN[at] * 3 + IN[at + 1] - z


def halved(x, y, z):
    return x * PLANE + y * PITCH + z, IN[z * PLANE + y * PITCH + (x >> 1)] + IN[y * PITCH + (x >> 2)]


def computes(x, y, z):
    at = z * PLANE + y * PITCH + x
    a, b = IN[at], IN[0]
    for k in range(40):
        t = (a * a - b * (b >> 3) + k) & 0xffffffff
        b = ((a ^ b) * 5 + (t >> 7)) & 0xffffffff
        a = (t ^ (b << 3) ^ (b >> 2)) & 0xffffffff
    return at, (a + 2**31) % 2**32 - 2**31


def apart(x, y, z):
    at = x * PLANE + y * PITCH + z * 9
    return at, IN[at] - y


# kernel, width, is a row alone?
CASES = ((beside, 30, True), (beside, 14, True), (halved, 30, True), (computes, 14, False),
         (computes, 30, True), (apart, 30, False))

failed = 0
for isa in levels():
    for kernel, width, alone in CASES:
        want = [-1] * SIZE
        for at, value in (kernel(x, y, z) for x in range(width) for y in range(HEIGHT) for z in range(DEPTH)):
            want[at] = value
        command = [sys.argv[1], "--explain", "--isa", isa, "-g", "%d,%d,%d" % (width, HEIGHT, DEPTH),
                   "-k", kernel.__name__, "--expect", "1=" + ",".join(map(str, want)), sys.argv[2],
                   "i32[%d]=%s" % (SIZE, ",".join(map(str, IN))), "i32[%d]=fill:-1" % SIZE]
        environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
        done = subprocess.run(command, capture_output=True, env=environment, text=True)
        store = re.search(r"store: (.*)", done.stdout)
        if done.returncode or not store:
            raise SystemExit("FAILED %s, %s: %s" % (kernel.__name__, isa, (done.stdout + done.stderr)[-500:]))
        if store.group(1).startswith("scattered") == alone:
            failed += 1
            print("FAILED %s, %s, width %d: store %s" % (kernel.__name__, isa, width, store.group(1)))
print("%d failed" % failed)
sys.exit(failed != 0)
