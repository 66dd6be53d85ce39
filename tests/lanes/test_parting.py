#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs parting.cl: sub-groups that take different ways from a barrier to the next.

    test_parting.py SPIRV-RUN PARTING.spv

Work-items part in parts of k, a multiple of the sub-group size or, in scalar code, of one. What comes out is
computed here, one work-item after the other between two barriers.
"""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = range(64)


def wrap(v):
    return (v + 2**31) % 2**32 - 2**31


def rounds(n, k):
    t, out, v, done = list(ITEMS), [0] * 64, [0] * 64, [False] * 64
    for i in range(n):
        done = [i + 1 <= x // k <= 60 - i for x in ITEMS]
        v = [t[(x - 1) & 63] + t[(x + 1) & 63] if done[x] else v[x] for x in ITEMS]
        if i < n - 1:
            t = [v[x] if done[x] else t[x] for x in ITEMS]
    return [v[x] if done[x] else 0 for x in ITEMS]


def joins(n, k):
    t, v = [x * 3 for x in ITEMS], [0] * 64
    for x in ITEMS:
        if n > 3:
            v[x], goes, more = t[(x + 1) & 63], x // k & 1, 5
        else:
            v[x], goes, more = t[(x + 2) & 63], x // k & 2, 7
        for j in range(x // k % 4 + 1 if goes else 0):
            v[x] = v[x] * 3 + t[(x + j) & 63]
        v[x] = wrap(v[x] * 5 if goes else (v[x] + more) * 2) ^ n
    return [v[(x + 9) & 63] for x in ITEMS]


def rounds_of_joins(n, k):
    t, v = list(ITEMS), [0] * 64
    for i in range(n):
        before = t[:]
        for x in ITEMS:
            y = before[(x + i) & 63] + (0 if n & 1 else before[(x + 7) & 63])
            if (x // k + i) & 1 if n & 1 else (x // k + i) % 3 == 0:
                v[x] = wrap(v[x] * 2 + y + i)
            else:
                v[x] = wrap(v[x] + y if n & 1 else v[x] - y)
            t[x] = v[x] & 1023
    return v


def many_joins(n, k):
    t, v = list(ITEMS), [0] * 64
    for i in range(6):
        before = t[:]
        for x in ITEMS:
            y = before[(x + i) & 63] + (0 if n & 1 else before[(x + 7) & 63])
            if (x // k + i) & 1 if n & 1 else (x // k + i) % 3 == 0:
                for j in range(x // k % 4 + 1):
                    v[x] = wrap(v[x] * 3 + before[(x + j) & 63])
            else:
                v[x] = wrap(v[x] + y if n & 1 else v[x] - y)
            t[x] = v[x] & 1023
    return v


def words(n, k):
    v = list(ITEMS)
    for x in ITEMS:
        for j in range(x & 7 if x // k & 1 else x & 3):
            v[x] = wrap(v[x] * (3 if x // k & 1 else 5) + ((x + j) & 63))
    return [wrap(v[63 - x] * 16 + (3 if x // k & 1 else n)) for x in ITEMS]


def run(kernel, n, k, isa, size, tier, lanes):
    command = [sys.argv[1], "-g", "64", "-w", "64", "-s", str(size), "--isa", isa, "-k", kernel.__name__,
               "-o", "0=-", sys.argv[2], "i32[64]", str(n), str(k)]
    environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    if lanes:
        environment["LANEWISE_LANES"] = lanes
    done = subprocess.run(command, capture_output=True, env=environment)
    what = "%s(%d, %d), %s, sub-groups of %d, %s, %s lanes" % (kernel.__name__, n, k, isa, size, tier,
                                                               lanes or "as many")
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (what, done.stderr[-500:].decode()))
    got = list(struct.unpack("<64i", done.stdout))
    if got != kernel(n, k):
        raise SystemExit("FAILED %s: %r, must be %r" % (what, got, kernel(n, k)))


def count_choices():
    """Where the regions of many_joins choose which goes on, each among all: of n, that were n^2 ways."""
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_LANES="1",
                       LANEWISE_COMPILER_PROCESS="0", LANEWISE_DUMP="workgroup")
    command = [sys.argv[1], "-g", "64", "-w", "64", "-k", "many_joins", sys.argv[2], "i32[64]", "5", "8"]
    done = subprocess.run(command, capture_output=True, env=environment)
    wants, choices = done.stderr.count(b"%want"), done.stderr.count(b"switch i32 %next")
    if not wants or choices != 1:
        raise SystemExit("FAILED many_joins: %d that want, %d choices" % (wants, choices))


def main():
    count = 0
    count_choices()
    for kernel in (rounds, joins, rounds_of_joins, many_joins, words):
        for n in (1, 2, 5):
            for isa in levels():
                for tier in ("masked", "specialised", "first"):
                    for k, size, lanes in ((1, 8, "1"), (1, 8, ""), (4, 4, ""), (8, 8, ""), (16, 16, "")):
                        run(kernel, n, k, isa, size, tier, lanes)
                        count += 1
    print("%d runs: every element right" % count)


main()
