#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of same_tests.cl against the same in Python; and whose loops all lanes leave at once, since
both ways through them end with the same test.

    test_same_tests.py SPIRV_RUN MODULE.spv
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, ROUNDS, GROUP = 64, 23, 32
START = [k * 7 % 31 for k in range(2 * ITEMS)]
# Runs of odd and even numbers, among them many that a switch of the first kernel has a case for.
IN = [(k * k // 5 * 3 + k // 7) % 41 if k % 9 > 5 else (3, 0, 1, 4)[k % 4] + 8 * (k % 3)
      for k in range(ITEMS)]


def wrapped(n):
    return (n + 2**31) % 2**32 - 2**31


def word(out, i):
    digits = [{0: 3, 1: 9, 3: 14, 4: 7}.get(IN[(i + j * 5) & 63] & 7) for j in range(ROUNDS)]
    code = 0
    for digit in digits:
        code = code * 16 + (digit or 0)
    if None not in digits:
        out[i] = code * 3 + ROUNDS


def ends(out, i):
    seen, last, odd = 1, -1, 0
    for j in range(ROUNDS):
        v = IN[(i * 3 + j) & 63]
        if v & 1:
            seen = seen * 3 + v
            odd += 5
        else:
            last = v + seen
            out[64 + i] += v
            odd ^= v
    out[i] = seen + last + odd if v & 1 else last * 2 - seen - odd


def apart(out, i):
    seen, hits, j = 1, 0, 0
    while j < ROUNDS:
        v = IN[(i * 3 + j) & 63]
        if v & 1:
            seen, j = seen * 3 + v, j + 1
        else:
            hits, j = hits * 5 + v, j + 2
            out[64 + i] += v
    out[i] = seen * 7 - hits


def counted(out, i):
    seen, begin = 1, True
    for j in range(ROUNDS):
        if begin:
            out[64 + i] += seen
        v = IN[(i * 3 + j) & 63]
        seen, begin = seen * 3 + v, not v & 1
        if v & 1:
            out[64 + i] = wrapped(out[64 + i]) ^ v
    out[i] = seen


def together(out, i):
    seen, last = 1, 1
    for j in range(ROUNDS):
        v = IN[j & 63]
        if v & 1:
            seen = seen * 3 + v
        else:
            last = last * 5 + v + (i | 15)
    out[i] = last * 2 - seen


def run(name, want, *options, **environment):
    command = [sys.argv[1], "-g", str(ITEMS), "-w", str(GROUP), "-k", name, *options,
               "--expect", "0=" + ",".join(map(str, want)), sys.argv[2],
               "i32[%d]=%s" % (len(START), ",".join(map(str, START))),
               "i32[%d]=%s" % (ITEMS, ",".join(map(str, IN))), str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LANEWISE_CACHE="0", LANEWISE_VERIFY="1", **environment))
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (name, (done.stdout + done.stderr)[-500:]))
    return done.stdout


failed = 0
for isa in levels():
    for kernel, joined in (word, True), (ends, True), (apart, False), (counted, False), (together, False):
        name, out = kernel.__name__, START[:]
        for item in range(ITEMS):
            kernel(out, item)
        want = [wrapped(x) for x in out]
        for tier in "specialised", "masked", "first":
            for lanes in ("16",) if name == "together" else ("1", "8", "16"):
                run(name, want, "--isa", isa, LANEWISE_TIER=tier, LANEWISE_LANES=lanes)
        for tier in "specialised", "masked":
            dump = run(name, want, "--isa", isa, "--dump", "same_tests", "--explain", LANEWISE_TIER=tier,
                       LANEWISE_LANES="16")
            if ("divergent loop" in dump) != (name in ("apart", "counted")):
                failed += 1
                print("FAILED %s, %s, %s: how its loops are left" % (name, isa, tier))
    # The sum's round is in one of two ways that both go on: there they stay.
    environment = dict(os.environ, LANEWISE_CACHE="0", LANEWISE_TIER="specialised")
    dump = subprocess.run([sys.argv[1], "-g", "64", "-w", "32", "-k", "together", "--isa", isa, "--dump",
                           "same_tests", sys.argv[2], "i32[128]", "i32[64]", "9"],
                          capture_output=True, text=True, env=environment).stderr
    if dump.count("icmp eq") < 3:
        failed += 1
        print("FAILED together, %s: ways that others come to were joined" % isa)
print("FAILED" if failed else "passed")
sys.exit(failed != 0)
