#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of divisors.cl, which divide by zero and ask whether they did, against the same in Python.

    test_divisors.py SPIRV_RUN PLAIN.spv OPTIMISED.spv
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 64
TYPES = {"char": "i8", "ushort": "u16", "int": "i32", "uint": "u32", "long": "i64", "ulong": "u64"}


def list_of(kind, values):
    return "%s[%d]=%s" % (kind, len(values), ",".join(map(str, values)))


def divide(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def asked(x, same, own):
    def both(d, q, r):
        return [divide(x, d), x - divide(x, d) * d] if d else [q, r]
    return both(same, 77, 78) + both(own, 79, 80)


def moved(x, same, rounds):
    total = 1
    for k in range(rounds):
        if same:
            total += divide(k, same)
        for _ in range(rounds if x > 5 else 2):
            total *= divide(k, same) if same else 1
    return total


def run(module, kernel, want, *arguments):
    failed = 0
    for level in levels():
        for tier in ("masked", "first", "specialised"):
            environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
            done = subprocess.run([sys.argv[1], "-g", str(ITEMS), "--isa", level, "-k", kernel, "--expect",
                                   "0=" + want, module, *arguments], capture_output=True, env=environment,
                                  text=True)
            if done.returncode:
                failed += 1
                print("FAILED %s, %s, %s: %s" % (kernel, level, tier, (done.stdout + done.stderr)[-300:]))
    return failed


def run_asked(name, kind, parts, same):
    low = 0 if kind[0] == "u" else -9
    x = [low + i * 7 % 50 for i in range(ITEMS * parts)]
    own = [0 if i % 5 == 2 else max(low, -3) + i % 7 for i in range(ITEMS * parts)]
    want = [None] * (4 * len(x))
    for k, value in enumerate(x):
        for which, result in enumerate(asked(value, same, own[k])):
            want[(k // parts * 4 + which) * parts + k % parts] = result
    return run(sys.argv[2], "asked_" + name, ",".join(map(str, want)), "%s[%d]" % (kind, len(want)),
               list_of(kind, x), str(same), list_of(kind, own))


failures = 0
for divisor in (0, 3):
    for ctype, element in TYPES.items() if divisor == 0 else ():
        failures += run_asked(ctype, element, 1, divisor)
    failures += run_asked("int4", "i32", 4, divisor)
    items = [i % 11 for i in range(ITEMS)]
    failures += run(sys.argv[3], "moved", ",".join(str(moved(v, divisor, 3)) for v in items),
                    "i32[%d]" % ITEMS, list_of("i32", items), str(divisor), "3")
print("%d failed" % failures)
sys.exit(failures != 0)
