#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sub-groups that are turned, and masks that are one condition (turned.cl): results beside Python's, on every
instruction
set and for local sizes that leave a tail, and by spirv-run's dumps that the code has that form.

    test_turned.py SPIRV_RUN MODULE.spv
"""
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 1536


def groups(values, local, lanes):
    """The sub-groups of all work-groups; the last of each may be smaller."""
    for first in range(0, len(values), local):
        group = values[first:first + local]
        for at in range(0, len(group), lanes):
            yield group[at:at + lanes]


def wrap(x):
    return (x + 2 ** 31) % 2 ** 32 - 2 ** 31


def mixed(values, lanes):
    a, b, step = list(values), [wrap(v * 3 + lane) for lane, v in enumerate(values)], 1
    while step < lanes:
        x = [a[(lane + step) % lanes] for lane in range(lanes)]
        y = [b[lanes - 1 - lane] for lane in range(lanes)]
        a = [wrap(p - (q & 1023)) if p > q else wrap(p ^ q) for p, q in zip(x, y)]
        sums = [wrap(p + q) for p, q in zip(a, y)]
        b = [sums[lane ^ step] for lane in range(lanes)]
        step *= 2
    return [wrap(p + q) for p, q in zip(a, b)]


class Runner:
    def __init__(self, spirv_run, module, folder):
        self.spirv_run, self.module, self.folder, self.failed = spirv_run, module, folder, 0

    def file(self, name, values, kind="i"):
        path = os.path.join(self.folder, name + ".bin")
        with open(path, "wb") as file:
            file.write(struct.pack("<%d%s" % (len(values), kind), *values))
        return "@" + path

    def run(self, what, isa, local, options, arguments, tier="specialised"):
        command = [self.spirv_run, "-g", str(ITEMS), "-w", str(local), "--isa",
                   isa] + options + [self.module] + arguments
        environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
        if run.returncode:
            self.fail("%s on %s, local size %d, %s: %s%s" %
                      (what, isa, local, tier, run.stdout[-500:], run.stderr[-500:]))
        return run

    def fail(self, text):
        self.failed += 1
        print("FAILED " + text)


def check_exchanges(r, isa, values):
    for lanes in (8, 16, 32):
        for name, function in (("sort_%d", sorted), ("mix_%d", lambda g, n=lanes: mixed(g, n))):
            expected = [x for g in groups(values, 256, lanes) for x in function(g)]
            arguments = [r.file("in", values), "i32[%d]" % ITEMS]
            options = ["-k", name % lanes, "--expect", "1=" + r.file("expected", expected)]
            for local, tier in ((256, "specialised"), (768, "specialised"), (96, "masked")):
                r.run(name % lanes, isa, local, options, arguments, tier)
    body = r.run("sort_16", isa, 256, ["-k", "sort_16", "--dump", "turn"],
                 arguments).stderr.split("after turn", 1)[-1]
    body = re.sub(r"^declare.*$", "", body, flags=re.M)
    step = {"sse4.2": 4, "avx2": 8, "avx512": 16}[isa]
    if not re.search(r"smin\.v%di32" % step, body) or (step < 16 and "smin.v16i32" in body):
        r.fail("sort_16 on %s is not turned:\n%s" % (isa, body))


def check_filter(r, isa, values):
    kept = [k for k, v in enumerate(values) if v > 900]
    for size in (4, 8, 16, 32, 64):
        for local in (256, 100):
            out = os.path.join(r.folder, "out.bin")
            options = ["-k", "filter", "-s", str(size), "-o", "1=" + out, "--expect",
                       "2=" + r.file("count", [len(kept)])]
            r.run("filter", isa, local, options, [r.file("in", values), "i32[%d]" % ITEMS, "u32[1]"])
            with open(out, "rb") as file:
                data = file.read()
            if sorted(struct.unpack("<%di" % ITEMS, data)[:len(kept)]) != kept:
                r.fail("filter on %s, sub-group size %d, local size %d: not those that are kept" %
                       (isa, size, local))
    run = r.run("filter", isa, 256, ["-k", "filter", "-s", "8", "--dump", "optimize"],
                [r.file("in", values), "i32[%d]" % ITEMS, "u32[1]"])
    if isa == "avx2" and re.search(r"store <\d+ x i8>", run.stderr):
        r.fail("filter on %s leaves a mask behind lane by lane:\n%s" % (isa, run.stderr))


def check_rows(r, isa, values):
    left = [float(k % 7) for k in range(256)]
    data = [v % 64 for v in values] * 64
    expected = [float(sum(left[row * 64 + k] * data[k * ITEMS + c] for k in range(64))) for row in range(4)
                for c in range(ITEMS)]
    arguments = [r.file("data", data), "i32[1]", r.file("left", left, "f"), "f32[%d]" % (4 * ITEMS)]
    for size in (4, 8, 16):
        options = ["-k", "rows", "-s", str(size), "--expect", "3=" + r.file("product", expected, "f"),
                   "--dump", "optimize"]
        run = r.run("rows", isa, 256, options, arguments)
        if isa == "avx2" and size == 8 and run.stderr.count("call <8 x float> @llvm.fma") < 64:
            r.fail("rows on %s: the sub-groups go one by one" % isa)


def main():
    generator = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        r = Runner(sys.argv[1], sys.argv[2], folder)
        values = [generator.randint(-1000, 1000) for _ in range(ITEMS)]
        for isa in levels():
            check_exchanges(r, isa, values)
            check_filter(r, isa, values)
            check_rows(r, isa, values)
    return r.failed > 0


sys.exit(main())
