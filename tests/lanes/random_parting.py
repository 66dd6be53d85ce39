#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kernels in which sub-groups part behind a barrier, by seed.

    random_parting.py SPIRV-RUN CLANG FIRST COUNT [FOLDER]

Each round all work-items take one of a few ways to a barrier, a sum over the work-group or a loop of
barriers, and from there each part of k work-items its own way through shared code, by jumps forward; then
all meet at the round's last barrier, or leave by another way in the last round. k is a sub-group, or in
scalar code one work-item. What comes out is computed here. FOLDER keeps the kernels.
"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

# OpenCL C, and the same here: of the part p, the round i, the argument n
CONDITIONS = [("(p + i) & 1", lambda p, i, n: (p + i) & 1), ("p % 3 == 1", lambda p, i, n: p % 3 == 1),
              ("p > 2", lambda p, i, n: p > 2), ("(p * i) & 2", lambda p, i, n: (p * i) & 2),
              ("p == i", lambda p, i, n: p == i), ("(n >> i) & 1", lambda p, i, n: (n >> i) & 1)]

# How all meet on a round's way, and how the last round ends.
MEETS = {None: "", "barrier": "barrier(CLK_LOCAL_MEM_FENCE);", "sum": "v ^= work_group_reduce_add(v & 255);",
         "inner": "for (int m = 0; m <= (n & 1); m++) { v += m; barrier(CLK_LOCAL_MEM_FENCE);"
                  " if (p & 1) v += t[l]; }"}
LAST = {None: "", "break": "if (i == n - 1) break;",
        "parts": "if (i == n - 1) { if (p & 1) v += 3; break; }"}
# OpenCL C, and the same here: of g, the round i, the block's number b
CHANGES = [("", lambda g, i, b: g), ("", lambda g, i, b: g), ("g = %d;", lambda g, i, b: b),
           ("g = i + %d;", lambda g, i, b: i + b), ("g = g * 3 + %d;", lambda g, i, b: wrap(g * 3 + b))]


def wrap(v):
    return (v + 2**31) % 2**32 - 2**31


class Kernel:
    """Ways: factor, offset, condition, block that it leads to and other one, how all meet. Blocks: factor,
    offset, is it a loop, condition of a jump, block that this leads to (None: no jump), private word, what
    becomes of g, which the way alone decides."""

    def __init__(self, seed):
        r = random.Random(seed)
        count = r.randint(2, 6)
        self.blocks = []
        for b in range(count):
            to = r.randint(b + 1, count) if r.random() < .8 else None
            self.blocks.append((r.randint(1, 9), r.randint(0, 63), r.random() < .3, r.choice(CONDITIONS), to,
                                r.choice((None, None, "i", "p", "v")), r.choice(CHANGES)))
        self.ways = [(r.randint(1, 9), r.randint(0, 63), r.choice(CONDITIONS), r.randint(0, count),
                      r.randint(0, count), r.choice((None, "barrier", "barrier", "barrier", "sum", "inner")))
                     for _ in range(r.randint(2, 3))]
        self.last = r.choice((None, None, "break", "parts"))
        self.rounds = r.choice((1, 1, 2))

    def text(self):
        lines = ["kernel void k(global int *out, int n, int k) {", "local int t[64];",
                 "int w = get_local_size(0), l = get_local_id(0), p = l / k, v = l, g = n;",
                 "int a[4] = {l, 1, 2, 3};",
                 "t[l] = l;", "barrier(CLK_LOCAL_MEM_FENCE);",
                 "for (int o = 0; o < %d; o++) {" % self.rounds, "for (int i = 0; i < n; i++) {"]
        for k, (factor, offset, condition, to, other, meets) in enumerate(self.ways):
            last = k == len(self.ways) - 1
            lines.append("%sif (%s) {" % ("else " if k else "",
                                          "1" if last else "(n + i) %% %d == %d" % (len(self.ways), k)))
            lines.append("v = v * %d + t[(l + %d) %% w];" % (factor, offset))
            lines.append(MEETS[meets])
            lines.append("if (%s) goto B%d; goto B%d; }" % (condition[0], to, other))
        for b, (factor, offset, loops, condition, to, word, change) in enumerate(self.blocks):
            lines.append("B%d:" % b)
            lines.append("for (int q = 0; q <= (p & 3); q++)" if loops else "")
            lines.append("v = v * %d + t[(l + %d) %% w] - i;" % (factor, offset))
            lines.append("a[%s & 3] += v; v ^= a[(v >> 2) & 3];" % word if word else "")
            lines.append(change[0].replace("%d", str(b)))
            lines.append("if (%s) goto B%d;" % (condition[0], to) if to is not None else "")
        lines += ["B%d: v ^= i;" % len(self.blocks), LAST[self.last], "barrier(CLK_LOCAL_MEM_FENCE);",
                  "t[l] = v & 1023;", "barrier(CLK_LOCAL_MEM_FENCE); }", "v += g;",
                  "v += work_group_broadcast(t[l], o);" if self.last == "parts" else "", "}",
                  "if ((p + n) & 1) out[get_global_id(0)] = v; else out[get_global_id(0)] = v + 1; }"]
        return "\n".join(line for line in lines if line) + "\n"

    def meet(self, t, v, way, i, n, k):
        """What all have behind the barrier of a round's way."""
        w = len(t)
        factor, offset, _, _, _, meets = self.ways[way]
        v = [wrap(v[item] * factor + t[(item + offset) % w]) for item in range(w)]
        if meets == "sum":
            total = sum(x & 255 for x in v)
            v = [x ^ total for x in v]
        for m in range((n & 1) + 1 if meets == "inner" else 0):
            v = [wrap(x + m + (t[item] if item // k & 1 else 0)) for item, x in enumerate(v)]
        return v

    def round(self, t, v, g, a, item, i, n, k):
        """v and g of the work-item at the round's end."""
        p, w = item // k, len(t)
        _, _, condition, to, other, _ = self.ways[(n + i) % len(self.ways)]
        b = to if condition[1](p, i, n) else other
        while b < len(self.blocks):
            factor, offset, loops, condition, to, word, change = self.blocks[b]
            for _ in range((p & 3) + 1 if loops else 1):
                v = wrap(v * factor + t[(item + offset) % w] - i)
            if word:
                at = {"i": i, "p": p, "v": v}[word] & 3
                a[at] = wrap(a[at] + v)
                v ^= a[v >> 2 & 3]
            g = change[1](g, i, b)
            b = to if to is not None and condition[1](p, i, n) else b + 1
        return v ^ i, g

    def result(self, n, k, w):
        t, v, g = list(range(w)), list(range(w)), [n] * w
        a = [[item, 1, 2, 3] for item in range(w)]
        for o in range(self.rounds):
            for i in range(n):
                v = self.meet(t, v, (n + i) % len(self.ways), i, n, k)
                both = [self.round(t, v[item], g[item], a[item], item, i, n, k) for item in range(w)]
                v, g = [x for x, _ in both], [y for _, y in both]
                if self.last and i == n - 1:
                    v = [wrap(x + 3 * (self.last == "parts" and item // k & 1)) for item, x in enumerate(v)]
                else:
                    t = [x & 1023 for x in v]
            v = [wrap(x + y) for x, y in zip(v, g)]
            if self.last == "parts":
                v = [wrap(x + t[o]) for x in v]
        return [wrap(v[item] + 1 - ((item // k + n) & 1)) for item in range(w)]

    def results(self, n, k, w, items):
        return [x for first in range(0, items, w) for x in self.result(n, k, min(w, items - first))]


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
            w = r.choice((64, 64, 60, 23))
            items = r.choice((w, 2 * w + 5))  # a last work-group of five
            tier, isa = r.choice(("masked", "specialised", "first")), r.choice(isas)
            environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
            if lanes:
                environment["LANEWISE_LANES"] = lanes
            done = subprocess.run([sys.argv[1], "-g", str(items), "-w", str(w), "-s", str(size), "--isa", isa,
                                   "-o", "0=-", module, "i32[%d]" % items, str(n), str(k)],
                                  capture_output=True, env=environment)
            want = struct.pack("<%di" % items, *kernel.results(n, k, w, items))
            if done.returncode or done.stdout != want:
                raise SystemExit("FAILED seed %d, n %d, k %d, %d by %d, %s, sub-groups of %d, %s, %s: %s"
                                 % (seed, n, k, items, w, isa, size, tier, "one lane" if lanes else "lanes",
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
