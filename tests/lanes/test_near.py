#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of near.cl against the same in Python: at the ends of buffers and pages, where lanes are near
each other and where they are not, where the first is not active and where none is. By --explain: which way
they went.

    test_near.py SPIRV_RUN PLAIN.spv OPTIMISED.spv
"""
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 1024
FAR = 1 << 28
TYPES = {"uchar": "u8", "ushort": "u16", "int": "i32", "long": "i64"}


def listed(numbers):
    return ",".join(map(str, numbers))


def run(module, kernel, level, code, lanes, start, want, data, kind, *arguments):
    environment = dict(os.environ, LANEWISE_TIER=code, LANEWISE_CACHE="0", LANEWISE_VERIFY="1",
                       LANEWISE_LANES=str(lanes))
    done = subprocess.run([sys.argv[1], "--explain", "-g", str(ITEMS), "-w", "64", "--isa", level,
                           "-k", kernel, "--expect", "0=" + listed(want), module,
                           "i32[%d]=%s" % (ITEMS, listed(start)),
                           "%s[%d]=%s" % (kind, len(data), listed(data)), *map(str, arguments)],
                          capture_output=True, env=environment, text=True)
    # Where an instruction set has no such permutation, a gather costs less than one by way of memory.
    wrong = done.returncode != 0 or by_memory in done.stdout
    if wrong:
        print("FAILED %s %s%s, %s, %s, %d lanes: %s" %
              (module, kernel, arguments, level, code, lanes, (done.stdout + done.stderr)[-400:]))
    return wrong, done.stdout


def scaled(i, scale, offset):
    return max(math.floor(i * scale + offset), 0)


def butterfly(i, m):
    j = i & (m - 1)
    return ((i - j) * 2 + j) & 1023


# By kernel: arguments, each with what index a work-item has for it.
cases = {
    "scaled": [((s, o), lambda i, s=s, o=o: scaled(i, s, o)) for s, o in
               ((0.5, -0.25), (1.0, 3.0), (2.0, 0.0), (0.0, 7.0), (12.0, 1.0), (-0.5, 300.0))],
    "divided": [((n, r), lambda i, n=n, r=r: (i % n if r else i // n) & 1023) for n, r in
                ((1, 0), (3, 0), (100, 0), (5, 1), (40, 1), (1000, 1))],
    "loaded": [(("i32[4]=1,1,3,0", k), lambda i, k=k: i * (1, 1, 3, 0)[k] + 2) for k in (1, 2, 3)],
    "upwind": [((s, 0), lambda i, s=s: int(i * s) + 1 if i % 3 else max(int(i * s) - 1, 0))
               for s in (0.5, 1.5)],
    "butterflies": [((m, 0), lambda i, m=m: butterfly(i, m)) for m in (1, 2, 4, 8, 16, 64, 512)],
}
sides = [i % 3 for i in range(ITEMS)]
by_memory = "shuffle of many registers"
near = "looked up in registers where lanes are near"
beside = re.compile("(load|store): contiguous but at the bounds")
failures = rings = 0
for spv in sys.argv[2:]:
    for isa in levels():
        for tier, width in (("specialised", 16), ("masked", 8), ("specialised", 64)):
            told = 0
            for element, of in TYPES.items():
                bits = int(of[1:])
                for name, calls in cases.items():
                    for rest, index in calls[::2] if width in (8, 64) else calls:
                        places = [index(i) for i in range(ITEMS)]
                        # It ends with the last element that is asked for.
                        values = [(k * 37 + 11) % min(1 << bits, 30000) for k in range(max(places) + 1)]
                        failed, text = run(spv, "%s_%s" % (name, element), isa, tier, width, sides,
                                           [values[k] for k in places], values, of, *rest)
                        failures += failed
                        told += near in text
                        if name == "loaded" and not failed and len(beside.findall(text)) != 2:
                            print("FAILED %s %s, %s: not one piece\n%s" % (spv, element, isa, text))
                            failures += 1
                numbers = [(k * 37 + 11) % 250 for k in range(2 * ITEMS)]
                for j in (1, 8, 64):
                    moved, pairs = list(sides), list(sides)
                    for i in range(ITEMS):
                        if i % 7 != 2:
                            moved[i ^ j] = numbers[i]
                            pairs[i] = numbers[2 * (i ^ j)] + 3 * numbers[2 * (i ^ j) + 1]
                    for name, want, what in ("exchanged_", moved, "store"), ("pairs_", pairs, "load"):
                        failed, text = run(spv, name + element, isa, tier, width, sides, want, numbers, of,
                                           j, 2)
                        if not failed and what not in beside.findall(text):
                            print("FAILED %s %s: apart\n%s" % (spv, name, text))
                        failures += failed or what not in beside.findall(text)
                numbers = [(k * 37 + 11) % 250 for k in range(ITEMS)]
                for rounds in (0, 3, 40):
                    sums = [0] * ITEMS
                    for k in range(rounds):
                        sums = [3 * sums[i] + numbers[i - k] for i in range(ITEMS)]
                    want = [(n + (1 << 31)) % (1 << 32) - (1 << 31) for n in sums]
                    failed, text = run(spv, "ring_" + element, isa, tier, width, sides, want, numbers, of,
                                       ITEMS, rounds)
                    failures += failed
                    rings += "load: " in text and near in text
                active = [int(i < 512 and i % 16 != 0 and i % 7 != 3) for i in range(ITEMS)]
                values = [(k * 37 + 11) % 250 for k in range(171)]
                after = [values[i // 3] if on else 0 for i, on in enumerate(active)]
                for name in ("some_", "left_"):
                    failures += run(spv, name + element, isa, tier, width, active, after, values, of,
                                    3, FAR)[0]
            if not told:
                print("FAILED %s, %s, %s, %d lanes: none looked up" % (spv, isa, tier, width))
            failures += not told
if not rings:
    print("FAILED: no ring looked up")
    failures += 1
print("%d failed" % failures)
sys.exit(failures != 0)
