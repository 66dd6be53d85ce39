#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do floats' sums over a work-group come out in the order of N lanes, bit for bit, whatever the width of
the code? The kernels of sums.cl by spirv-run, in every tier and width, at every sub-group size and
instruction set, against the same order in Python.

    test_sums.py SPIRV_RUN MODULE.spv [--all]
"""
import itertools
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

# What floats are summed up in and how it is rounded at the end
TYPES = {"half": ("e", "f"), "float": ("f", "f"), "double": ("d", "d")}
RANGES = [((64,), (64,)), ((1,), (1,)), ((9,), (3,)), ((130,), (60,)), ((301,), (100,)), ((16, 11), (7, 5)),
          ((6, 9, 7), (4, 4, 5)), ((1500,), (1000,)), ((17,), (17,)), ((520,), (257,))]
CODES = [("masked", 0), ("first", 0), ("specialised", 0), ("auto", 0)]
CODES += [("specialised", lanes) for lanes in (1, 4, 8, 16, 32, 64)] + [("checked", 0), ("checked", 1)]


def rounded(x, form):
    return struct.unpack(form, struct.pack(form, x))[0]


def value(form, k):
    k = (k * 2654435761 + 12345) % 2 ** 32
    return rounded(0.93 + (k ^ k >> 15) % 65536 / 2.0 ** 16 * 0.14, form)


def in_order(xs, size, form, product):
    """N parts, each work-item's in turn; then halves onto each other."""
    def step(a, b):
        return rounded(a * b if product else a + b, form)
    parts = [1.0 if product else -0.0] * size
    for k, x in enumerate(xs):
        parts[k % size] = step(parts[k % size], x)
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [step(a, b) for a, b in zip(parts[:half], parts[half:])]
    return parts[0]


def groups(size, local):
    """Lists of global linear ids, in the order of local ones."""
    dims = len(size)
    for group in itertools.product(*(range(0, size[d], local[d]) for d in reversed(range(dims)))):
        ids = []
        begin = list(reversed(group))
        for item in itertools.product(*(range(begin[d], min(begin[d] + local[d], size[d]))
                                        for d in reversed(range(dims)))):
            linear = 0
            for d, i in enumerate(item):
                linear = linear * size[dims - 1 - d] + i
            ids.append(linear)
        yield ids


def expected(kernel, at, n):
    name, kind = kernel.split("_")
    stored, summed = TYPES[kind]
    size, local = RANGES[at]
    out = {}
    for ids in groups(size, local):
        xs = [value(stored, k) for k in ids]
        if name == "rounds":
            ys, factor = xs, rounded(0.01, "f")
            for _ in range(3):
                total = rounded(in_order(ys, n, "f", False) * factor, "f")
                ys = [rounded(x + total, "f") for x in xs]
            results = total, in_order([rounded(y - 0.5, "f") for y in ys], n, "f", True)
        else:
            results = [rounded(in_order(xs, n, summed, p), stored) for p in (False, True)]
        for k in ids:
            out[2 * k], out[2 * k + 1] = results
    return b"".join(struct.pack(stored, out[k]) for k in range(len(out)))


def main():
    tool, module = sys.argv[1:3]
    every, wanted, turn, failed = "--all" in sys.argv, {}, 0, 0
    kernels = ["sums_half", "sums_float", "sums_double", "rounds_float"]
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.bin")
        for isa, n, (tier, lanes) in itertools.product(levels(), (4, 8, 16, 32, 64), CODES):
            environment = dict(os.environ, LANEWISE_CACHE="0", LANEWISE_SUB_GROUP_SIZE=str(n),
                               LANEWISE_TIER="auto" if tier == "checked" else tier)
            if tier == "checked":
                environment["LANEWISE_CROSS_CHECK"] = "1"
            if lanes:
                environment["LANEWISE_LANES"] = str(lanes)
            pairs = list(itertools.product(kernels, range(len(RANGES))))
            turn += 7
            for kernel, at in pairs if every else [pairs[(turn + k * 13) % len(pairs)] for k in range(3)]:
                size, local = RANGES[at]
                want, count = os.path.join(folder, "%s.%d.%d" % (kernel, at, n)), 1
                for s in size:
                    count *= s
                form = TYPES[kernel.split("_")[1]][0]
                if want not in wanted:
                    wanted[want] = True
                    with open(want, "wb") as f:
                        f.write(expected(kernel, at, n))
                with open(source, "wb") as f:
                    f.write(b"".join(struct.pack(form, value(form, k)) for k in range(count)))
                command = [tool, "-k", kernel, "-g", ",".join(map(str, size)), "-w",
                           ",".join(map(str, local)), "--isa", isa, "-o", "1=" + os.path.join(folder, "out"),
                           module, "@" + source, "u8[%d]" % (2 * count * struct.calcsize(form))]
                done = subprocess.run(command, capture_output=True, text=True, env=environment)
                good = done.returncode == 0
                if good:
                    with open(os.path.join(folder, "out"), "rb") as f, open(want, "rb") as g:
                        good = f.read() == g.read()
                if not good:
                    failed += 1
                    print("FAILED %s, %s, %s code, lanes %d, N %d, range %s by %s %s"
                          % (kernel, isa, tier, lanes, n, size, local, done.stderr[-300:]))
    return failed > 0


sys.exit(main())
