#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of grid_stride.cl: what must be in memory behind them, and which run a round a work-item.

    test_grid_stride.py SPIRV_RUN MODULE.spv
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ROOM, ITEMS, LOCAL = 8192, 256, 64
ONES = 2**32 - 1
B = [(k * 2654435761 >> 7) & ONES for k in range(ROOM)]
C = [(k * 40503 + 77) & ONES for k in range(ROOM)]


class Item:
    """One work-item, which goes through its rounds."""

    def __init__(self, gid, n, a):
        self.gid, self.n, self.a, self.sum, self.round, self.last = gid, n, a, 0, 0, [1, 2, 3, 4]

    def rounds(self, end, stride=ITEMS):
        return range(self.gid, end, stride)


def scaled(w):
    for i in w.rounds(w.n):
        w.a[i] = 3 * B[i] + C[i]


def by_groups(w):
    for i in w.rounds(w.n):
        w.a[i] = B[i] ^ i


def in_place(w):
    for i in w.rounds(w.n):
        w.a[i] = w.a[i] * 5 + 1


def in_pairs(w):
    for i in w.rounds(w.n // 2):
        w.a[2 * i], w.a[2 * i + 1] = w.a[2 * i + 1] + B[i], w.a[2 * i]


def looked_up(w):
    by = w.n * 7 % 5
    for i in w.rounds(w.n):
        total = sum(C[(B[i] + k * by) & 255] for k in range(B[i] & 7)) & ONES
        if total & 1:
            w.a[i] = total


def in_threes(w):
    for i in w.rounds(w.n // 3):
        w.a[3 * i:3 * i + 3] = [B[i] * k for k in range(3)]


def beside(w):
    for i in w.rounds(w.n - 2):
        w.a[i + 1] = sum(B[i:i + 3])


def demanded(w):
    for i in w.rounds(w.n):
        w.a[i] = B[i] - i


def after_each_other(w):
    for i in w.rounds(w.n - 4, 4):
        w.a[i + 4] = w.a[i] + B[i]


def summed(w):
    for i in w.rounds(w.n):
        w.sum += B[i]
        w.a[i] = w.sum


def counted(w):
    for r, i in enumerate(w.rounds(w.n)):
        w.a[i] = r


def signed_by(w):
    for i in w.rounds(w.n):
        w.a[i] = w.gid


def signed_locally(w):
    for i in w.rounds(w.n):
        w.a[i] = w.gid % LOCAL


def sized(w):
    for i in w.rounds(w.n):
        w.a[i] = ITEMS


def chosen(w):
    for i in w.rounds(w.n):
        w.a[i] = (2 if w.gid < 100 else 3) * i


def left(w):
    for i in w.rounds(w.n):
        if B[i] % 11 == 0:
            break
        w.a[i] = i


def written_after(w):
    for i in w.rounds(w.n):
        w.a[i] = B[i]
    if w.gid < w.n:
        w.a[w.gid] += 1


def remembered(w):
    for i in w.rounds(w.n):
        w.a[i] = w.last[B[i] & 3]
        w.last[C[i] & 3] = i


def at_one_place(w):
    for i in w.rounds(w.n):
        w.a[i & 255] = i


def added_up(w):
    for i in w.rounds(w.n):
        w.a[B[i] & 255] += i


def every_other(w):
    for i in w.rounds(w.n, 2 * ITEMS):
        w.a[i] = B[i]


# How many work-items run where there are `n` to stride through.
STRETCHED = {scaled: lambda n: n, by_groups: lambda n: n, in_place: lambda n: n,
             in_pairs: lambda n: n // 2, looked_up: lambda n: n, demanded: lambda n: n,
             in_threes: lambda n: n // 3, beside: lambda n: n - 2}
AS_WRITTEN = [after_each_other, summed, counted, signed_by, signed_locally, sized, chosen, left,
              written_after, remembered, at_one_place, added_up, every_other]


FEW = {after_each_other: 4}  # work-items, so that a register has several rounds


def run(kernel, n, folder, options, environment):
    out, trace = os.path.join(folder, "a.bin"), os.path.join(folder, "trace.json")
    for name, words in ("b", B), ("c", C):
        with open(os.path.join(folder, name + ".bin"), "wb") as file:
            file.write(struct.pack("<%dI" % ROOM, *words))
    if os.path.exists(trace):
        os.remove(trace)
    size = FEW.get(kernel, ITEMS)
    command = [sys.argv[1], "-g", str(size), "-w", str(min(size, LOCAL)), "-k", kernel.__name__,
               "--timeout", "60", *options, "-o", "0=" + out, sys.argv[2], "u32[%d]=iota" % ROOM,
               "@" + os.path.join(folder, "b.bin"), "@" + os.path.join(folder, "c.bin"), str(n)]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LANEWISE_CACHE="0", LANEWISE_VERIFY="1", LANEWISE_TRACE=trace,
                                   **environment))
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel.__name__, (done.stdout + done.stderr)[-500:]))
    with open(out, "rb") as file:
        found = list(struct.unpack("<%dI" % ROOM, file.read()))
    with open(trace) as file:
        return found, [int(items) for items in re.findall(r'"items":(\d+)', file.read())]


def expected(kernel, n):
    a = list(range(ROOM))
    for gid in range(FEW.get(kernel, ITEMS)):
        kernel(Item(gid, n, a))
    return [x & ONES for x in a]


def check(kernel, n, items, folder, *options, **environment):
    found, ran = run(kernel, n, folder, options, environment)
    wanted = expected(kernel, n)
    what = "%s(%d) %s %s" % (kernel.__name__, n, " ".join(options), environment)
    if found != wanted:
        at = next(k for k in range(ROOM) if found[k] != wanted[k])
        print("FAILED %s: a[%d] is %d, must be %d" % (what, at, found[at], wanted[at]))
    elif set(ran) != {items}:
        print("FAILED %s: %s work-items ran, must be %d" % (what, ran, items))
    else:
        return 0
    return 1


failed = 0
with tempfile.TemporaryDirectory() as folder:
    for isa in levels():
        for tier in "specialised", "masked", "first":
            for n in 0, 200, 256, 257, 1000, 8191, 8192:
                for kernel, stretched in STRETCHED.items():
                    items = stretched(n) if stretched(n) > ITEMS else ITEMS
                    failed += check(kernel, n, items, folder, "--isa", isa, LANEWISE_TIER=tier)
            for kernel in AS_WRITTEN:
                failed += check(kernel, 8000, FEW.get(kernel, ITEMS), folder, "--isa", isa,
                                LANEWISE_TIER=tier)
    failed += check(by_groups, -5, ITEMS, folder)
print("%d failed" % failed)
sys.exit(failed != 0)
