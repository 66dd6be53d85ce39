#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kernels in which sub-groups part behind a barrier, by seed.

    random_parting.py SPIRV-RUN CLANG FIRST COUNT [FOLDER]

Each round all work-items take one of a few ways to a barrier, and from there each part of k work-items its
own way through shared code, by jumps forward; then all meet at the round's last barrier. k is a sub-group, or
in scalar code one work-item. What comes out is computed here. FOLDER keeps the kernels.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 64
# OpenCL C, and the same here: of the part p, the round i, the argument n
CONDITIONS = [("(p + i) & 1", lambda p, i, n: (p + i) & 1), ("p % 3 == 1", lambda p, i, n: p % 3 == 1),
              ("p > 2", lambda p, i, n: p > 2), ("(p * i) & 2", lambda p, i, n: (p * i) & 2),
              ("p == i", lambda p, i, n: p == i), ("(n >> i) & 1", lambda p, i, n: (n >> i) & 1)]


def wrap(v):
    return (v + 2**31) % 2**32 - 2**31


class Kernel:
    """Ways: factor, offset, condition, block that it leads to and other one, barrier. Blocks: factor, offset,
    is it a loop, condition of a jump, block that this leads to (None: no jump)."""

    def __init__(self, seed):
        r = random.Random(seed)
        count = r.randint(2, 6)
        self.blocks = []
        for b in range(count):
            to = r.randint(b + 1, count) if r.random() < .8 else None
            self.blocks.append((r.randint(1, 9), r.randint(0, 63), r.random() < .3, r.choice(CONDITIONS), to))
        self.ways = [(r.randint(1, 9), r.randint(0, 63), r.choice(CONDITIONS), r.randint(0, count),
                      r.randint(0, count), r.random() < .8) for _ in range(r.randint(2, 3))]
        self.breaks = r.random() < .5

    def text(self):
        lines = ["kernel void k(global int *out, int n, int k) {", "local int t[64];",
                 "int l = get_local_id(0), p = l / k, v = l;", "t[l] = l;", "barrier(CLK_LOCAL_MEM_FENCE);",
                 "for (int i = 0; i < n; i++) {"]
        for k, (factor, offset, condition, to, other, meets) in enumerate(self.ways):
            last = k == len(self.ways) - 1
            lines.append("%sif (%s) {" % ("else " if k else "",
                                          "1" if last else "(n + i) %% %d == %d" % (len(self.ways), k)))
            lines.append("v = v * %d + t[(l + %d) & 63];" % (factor, offset))
            lines.append("barrier(CLK_LOCAL_MEM_FENCE);" if meets else "")
            lines.append("if (%s) goto B%d; goto B%d; }" % (condition[0], to, other))
        for b, (factor, offset, loops, condition, to) in enumerate(self.blocks):
            lines.append("B%d:" % b)
            lines.append("for (int q = 0; q <= (p & 3); q++)" if loops else "")
            lines.append("v = v * %d + t[(l + %d) & 63] - i;" % (factor, offset))
            lines.append("if (%s) goto B%d;" % (condition[0], to) if to is not None else "")
        lines += ["B%d: v ^= i;" % len(self.blocks), "if (i == n - 1) break;" if self.breaks else "",
                  "barrier(CLK_LOCAL_MEM_FENCE);", "t[l] = v & 1023;", "barrier(CLK_LOCAL_MEM_FENCE); }",
                  "if ((p + n) & 1) out[get_global_id(0)] = v; else out[get_global_id(0)] = v + 1; }"]
        return "\n".join(line for line in lines if line) + "\n"

    def round(self, t, v, item, i, n, k):
        p = item // k
        factor, offset, condition, to, other, _ = self.ways[(n + i) % len(self.ways)]
        v = wrap(v * factor + t[(item + offset) & 63])
        b = to if condition[1](p, i, n) else other
        while b < len(self.blocks):
            factor, offset, loops, condition, to = self.blocks[b]
            for _ in range((p & 3) + 1 if loops else 1):
                v = wrap(v * factor + t[(item + offset) & 63] - i)
            b = to if to is not None and condition[1](p, i, n) else b + 1
        return v ^ i

    def result(self, n, k):
        t = list(range(ITEMS))
        v = list(range(ITEMS))
        for i in range(n):
            v = [self.round(t, v[item], item, i, n, k) for item in range(ITEMS)]
            t = [x & 1023 for x in v]
        return [wrap(v[item] + 1 - ((item // k + n) & 1)) for item in range(ITEMS)]


def check(seed, isas, folder):
    kernel, r = Kernel(seed), random.Random(seed)
    source, module = os.path.join(folder, "%d.cl" % seed), os.path.join(folder, "%d.spv" % seed)
    with open(source, "w") as text:
        text.write(kernel.text())
    subprocess.run([sys.argv[2], "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", r.choice(("-O0", "-O2")),
                    "-c", source, "-o", module], check=True)
    count = 0
    for n in (1, 4):
        for k, size, lanes in ((1, 8, "1"), (1, 8, ""), (8, 8, ""), (16, 16, "")):
            tier, isa = r.choice(("masked", "specialised", "first")), r.choice(isas)
            environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
            if lanes:
                environment["LANEWISE_LANES"] = lanes
            done = subprocess.run([sys.argv[1], "-g", "64", "-w", "64", "-s", str(size), "--isa", isa,
                                   "-o", "0=-", module, "i32[64]", str(n), str(k)], capture_output=True,
                                  env=environment)
            if done.returncode or list(struct.unpack("<64i", done.stdout)) != kernel.result(n, k):
                raise SystemExit("FAILED seed %d, n %d, k %d, %s, sub-groups of %d, %s, %s lanes: %s"
                                 % (seed, n, k, isa, size, tier, lanes or "as many",
                                    done.stderr.decode()[-500:]))
            count += 1
    return count


def main():
    first, count = int(sys.argv[3]), int(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        folder = sys.argv[5] if len(sys.argv) > 5 else folder
        isas = levels()
        runs = sum(check(seed, isas, folder) for seed in range(first, first + count))
    print("%d runs of %d kernels: every element right" % (runs, count))


main()
