#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A kernel with thousands of different constants of five types, against Python's own arithmetic, by masked
and by specialised code on each instruction set (jit/many_constants.c moves most of them).

    test_many_constants.py SPIRV_RUN CLANG
"""
import ctypes
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

STEPS, ITEMS = 900, 40
HEAD = """kernel void k(global float *f, global double *d, global uint *u, global ushort *s, global float2 *v)
{
    size_t i = get_global_id(0);
    float a = f[i]; double b = d[i]; uint c = u[i]; ushort e = s[i]; float2 g = v[i];
"""
TAIL = "    f[i] = a; d[i] = b; u[i] = c; s[i] = e; v[i] = g;\n}\n"


def single(x):
    return ctypes.c_float(x).value


class Kernel:
    """The text, and what it does to one work-item's values."""

    def __init__(self, seed):
        r = random.Random(seed)
        self.steps = [(single(r.uniform(-9, 9)), r.uniform(-9, 9), r.getrandbits(32) | 1,
                       r.getrandbits(16) | 1, single(r.uniform(-9, 9)), single(r.uniform(-9, 9)),
                       r.randrange(1, 15)) for _ in range(STEPS)]
        self.text = HEAD + "".join(
            f"    a = a * 0.5f + {f!r}f; b = {d!r} - b * 0.25; c = (c ^ {u}u) * {u ^ 6}u - (c >> {shift});\n"
            f"    e = (e + {s}) ^ (e << {shift}); g = g * 0.5f - (float2)({x!r}f, {y!r}f);\n"
            f"    if (c & {1 << shift}) a = fma(a, 0.75f, {y!r}f);\n"
            for f, d, u, s, x, y, shift in self.steps) + TAIL

    def run(self, a, b, c, e, g):
        for f, d, u, s, x, y, shift in self.steps:
            a, b = single(single(a * 0.5) + f), d - b * 0.25
            c = ((c ^ u) * (u ^ 6) - (c >> shift)) & 0xffffffff
            e = ((e + s) ^ (e << shift)) & 0xffff
            g = [single(single(h * 0.5) - w) for h, w in zip(g, (x, y))]
            if c & 1 << shift:
                a = single(a * 0.75 + y)  # the product is exact in double, and so is what both round to
        return a, b, c, e, g


def main():
    spirv_run, clang = sys.argv[1:]
    r, kernel, failed = random.Random(2), Kernel(1), []
    items = [(single(r.uniform(-1, 1)), r.uniform(-1, 1), r.getrandbits(32), r.getrandbits(16),
              [single(r.uniform(-1, 1)) for _ in range(2)]) for _ in range(ITEMS)]
    want = [kernel.run(*item) for item in items]

    def columns(rows):
        packed = [(struct.pack("f", a), struct.pack("d", b), struct.pack("I", c), struct.pack("H", e),
                   struct.pack("2f", *g)) for a, b, c, e, g in rows]
        return [b"".join(row[k] for row in packed) for k in range(5)]
    with tempfile.TemporaryDirectory() as folder:
        source, module = (os.path.join(folder, name) for name in ("k.cl", "k.spv"))
        with open(source, "w", encoding="ascii") as out:
            out.write(kernel.text)
        subprocess.run([clang, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", "-O1", "-ffp-contract=off",
                        "-c", source, "-o", module], check=True, timeout=300)
        arguments, results = [], []
        for k, data in enumerate(columns(items)):
            name = os.path.join(folder, f"{k}.bin")
            with open(name, "wb") as out:
                out.write(data)
            arguments.append("@" + name)
            results += ["-o", f"{k}={name}.out"]
        for isa in levels():
            for tier in "masked", "specialised":
                environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
                subprocess.run([spirv_run, "-g", str(ITEMS), "-w", "8", "--isa", isa, *results, module,
                                *arguments], check=True, timeout=600, env=environment)
                for k, data in enumerate(columns(want)):
                    with open(os.path.join(folder, f"{k}.bin.out"), "rb") as got:
                        if got.read() != data:
                            failed.append(f"{isa}, {tier}: argument {k} is wrong")
    print("\n".join(failed) or f"{STEPS} steps, right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
