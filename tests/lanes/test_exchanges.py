#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of exchanges.cl against the same in Python; which of them keep a compare-and-exchange behind
the transformation; and which of them are said to wait for others.

    test_exchanges.py SPIRV_RUN MODULE.spv
"""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 64
AT = [i * 5 % 3 + (i > 40) * 4 for i in range(ITEMS)]


def added(start):
    out = start[:]
    for i, k in enumerate(AT):
        out[k] += i + 1
    return out


def bits(x):
    return struct.unpack("<i", struct.pack("<f", x))[0]


START = [7 * k + 3 for k in range(2 * ITEMS)]
SAME = START[:ITEMS] * 2
# kernel, items, what stands there, what is to stand there, as floats?, does a compare-and-exchange stay?
CASES = (
    ("floats", ITEMS, START, added(START), True, False),
    ("rounded", ITEMS, [1] + START[1:], [1] + START[1:], True, False),
    ("carried", ITEMS, START, added(START), True, False),
    ("integers", ITEMS, START, added(START), False, False),
    ("locals", ITEMS, START, added(START), True, False),
    ("own_addend", ITEMS, START, [x + (x >> 1) for x in START[:ITEMS]] + START[ITEMS:], False, True),
    ("asked", ITEMS, START, [x * 2 for x in START[:ITEMS]] + START[ITEMS:], False, True),
    ("turns", 1, [0] + START[1:], [1] + START[1:], False, True),
    ("elsewhere", ITEMS, SAME, [x + 5 for x in SAME[:ITEMS]] + SAME[ITEMS:], False, True),
    ("products", ITEMS, [1] * 128, [3 ** AT.count(k) % 2**32 for k in range(128)], False, True),
)


def wrapped(n):
    return (n + 2**31) % 2**32 - 2**31


def run(name, items, start, want, *options, **environment):
    command = [sys.argv[1], "-g", str(items), "-w", str(min(items, 32)), "-k", name, *options,
               "--expect", "0=" + ",".join(map(str, want)), sys.argv[2],
               "i32[%d]=%s" % (len(start), ",".join(map(str, start))),
               "i32[%d]=%s" % (ITEMS, ",".join(map(str, AT)))]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LANEWISE_CACHE="0", LANEWISE_VERIFY="1", **environment))
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (name, (done.stdout + done.stderr)[-500:]))
    return done


failed = 0
for isa in levels():
    for name, items, start, want, floats, stays in CASES:
        form = bits if floats else wrapped
        start, want = [form(x) for x in start], [form(x) for x in want]
        for tier in "specialised", "masked", "first":
            for lanes in "1", "8", "16":
                dump = ("--dump", "exchanges") if tier != "first" else ()
                done = run(name, items, start, want, "--isa", isa, *dump,
                           LANEWISE_TIER=tier, LANEWISE_LANES=lanes)
                if dump and ("cmpxchg" in done.stderr) != stays:
                    failed += 1
                    print("FAILED %s, %s, %s: exchanges that stay" % (name, isa, tier))
        told = run(name, items, start, want, "--isa", isa, "--explain", LANEWISE_TIER="specialised").stdout
        if ("take turns" in told) != (name in ("turns", "elsewhere")):
            failed += 1
            print("FAILED %s, %s: who waits" % (name, isa))
print("%d failed" % failed)
sys.exit(failed != 0)
