#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of taken_apart.cl against the same in Python, and by --explain: where lanes lie in one row,
their elements are read in one piece; where only in one long row, what is the same in it is read once.

    test_taken_apart.py SPIRV_RUN PLAIN.spv OPTIMISED.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 1024


def run(module, kernel, level, want, *arguments):
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    data = "i32[%d]=%s" % (ITEMS, ",".join(str(i * 7 % 1000) for i in range(ITEMS)))
    done = subprocess.run([sys.argv[1], "--explain", "-g", str(ITEMS), "--isa", level, "-k", kernel,
                           "--expect", "0=" + ",".join(map(str, want)), module, "i32[%d]" % ITEMS, data,
                           *map(str, arguments)], capture_output=True, env=environment, text=True)
    if done.returncode:
        print("FAILED %s %s, %s, %s: %s" %
              (module, kernel, level, arguments, (done.stdout + done.stderr)[-300:]))
    return done.returncode != 0, done.stdout


def element(i):
    return i * 7 % 1000


def exchanged(i, n, a, b, c):
    w, rest = divmod(i, a * b * c)
    x, rest = divmod(rest, b * c)
    y, z = divmod(rest, c)
    return element(((w * b + y) * a + x) * c + z) if i < n else 0


def left_over(i, n, d):
    rest = i % d if d else i
    return element(rest) + rest if rest < n else 0


def nested(i, n, a, b):
    return element(i // (a * b)) * 3 + element((i // a % b + 1) * a - i % a) if i < n else 0


def count(text, what):
    return sum(int(times or 1) for times in re.findall(what + r"(?: *\(x(\d+)\))?$", text, re.M))


failures = 0
for spv in sys.argv[2:]:
    for isa in levels():
        for sizes in ((ITEMS, 4, 8, 32), (1000, 5, 4, 50), (1000, 2, 100, 5), (1024, 1, 1, 1)):
            failed, text = run(spv, "exchanged", isa, [exchanged(i, *sizes) for i in range(ITEMS)], *sizes)
            whole = "load: contiguous" in text
            if not whole:
                print("FAILED %s, %s: no load in one piece\n%s" % (spv, isa, text))
            failures += failed or not whole
        for sizes in ((ITEMS, 5, 60), (1000, 3, 7), (777, 100, 2)):
            failed, text = run(spv, "nested", isa, [nested(i, *sizes) for i in range(ITEMS)], *sizes)
            twice = count(text, "load: uniform(?:, masked)?") >= 2
            if not twice:
                print("FAILED %s, %s: long rows are not looked at\n%s" % (spv, isa, text))
            failures += failed or not twice
        # Zero only as written: clang's optimiser makes i % d of it.
        for divisor in (0, 1, 3, 100, 5000, -5)[spv != sys.argv[2]:]:
            want = [left_over(i, ITEMS, abs(divisor)) for i in range(ITEMS)]
            failures += run(spv, "left_over", isa, want, ITEMS, divisor)[0]
print("%d failed" % failures)
sys.exit(failures != 0)
