#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of components.cl against the same in Python, and by --explain: rows of lanes are loaded in one
piece, not gathered.

    test_components.py SPIRV_RUN PLAIN.spv OPTIMISED.spv
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

WIDTH, HEIGHT = 96, 12
IN = [(k * 7919 + 31) % 1009 - 300 for k in range(WIDTH * HEIGHT)]


def wrap(x, bits=32):
    return (x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def square(x, y):
    def at(i, j):
        return min(max(y + j, 0), HEIGHT - 1) * WIDTH + min(max(x + i, 0), WIDTH - 1)
    return sum(IN[at(i, j)] * (3 * i + j + 5) for j in (-1, 0, 1) for i in (-1, 0, 1))


def planes(x, y):
    p = [x // 2, y // 2 + 1, ((x + 6) >> 1) + 2, (y + 6) >> 1]
    if p[0] & 64:
        p[0] = 0
    return IN[p[1] % 8 * WIDTH + p[0]] * 3 + IN[p[3] % 8 * WIDTH + p[2]]


def mixed(x, y):
    i = y * WIDTH + x
    wide = [((b + 9) & 255) * s for b, s in zip((i & 255, i * 3 & 255, 250, i >> 4 & 255),
                                                 (WIDTH, HEIGHT, HEIGHT, WIDTH))]
    loaded = IN[(i & 7) * 4:(i & 7) * 4 + 4]
    s = [wrap(wide[3 - k] * m + loaded[k] - max(loaded[k], wide[k // 2]))
         for k, m in enumerate((65537, 3, 1 << 30, -5))]
    low = [wrap(s[0] << 3, 16), wrap(s[1] << 1, 16)]
    signs = [i if s[2] < 100 else 0, 7 if s[3] < i else 0]
    return wrap(s[0] ^ wrap(s[1] * 3) ^ wrap(s[2] * 5) ^ wrap(s[3] * 7) ^ (low[0] + low[1] * 11) ^
                (signs[0] - signs[1]))


def moved(x, y):
    i, at = y * WIDTH + x, (x * 37 + y * 5) % (WIDTH * HEIGHT - 1)
    v = IN[at] if IN[at] > 100 else IN[at + 1] if x > y * 8 else 0x04030201
    if y & 4:
        v = (v ^ (x & 15) * 0x010101 if x & 2 else IN[i]) & 0xffffff | 9 << 24
    return wrap(v & 0xffffffff)


def run(module, kernel, level, code, lanes):
    environment = dict(os.environ, LANEWISE_TIER=code, LANEWISE_CACHE="0", LANEWISE_VERIFY="1",
                       LANEWISE_LANES=str(lanes))
    want = [globals()[kernel](x, y) for y in range(HEIGHT) for x in range(WIDTH)]
    text = ["i32[%d]=%s" % (len(n), ",".join(map(str, n))) for n in (want, IN)]
    done = subprocess.run([sys.argv[1], "--explain", "-g", "%d,%d" % (WIDTH, HEIGHT), "-w", "16,4", "--isa",
                           level, "-k", kernel, "--expect", "0=" + text[0].split("=")[1], module,
                           "i32[%d]" % len(want), text[1], "%d,%d" % (WIDTH, HEIGHT)],
                          capture_output=True, env=environment, text=True)
    if done.returncode:
        print("FAILED %s %s, %s, %s, %d lanes: %s" %
              (module, kernel, level, code, lanes, (done.stdout + done.stderr)[-400:]))
    return done.returncode != 0, done.stdout


failures = 0
for spv in sys.argv[2:]:
    for isa in levels():
        for tier, width in (("specialised", 8), ("specialised", 16), ("masked", 4), ("first", 16)):
            for name in ("square", "planes", "mixed", "moved"):
                failed, told = run(spv, name, isa, tier, width)
                failures += failed
                gathers = "load: contiguous but at the bounds" not in told or "load: gathered" in told
                if name == "square" and tier == "specialised" and not failed and gathers:
                    print("FAILED %s, %s: rows are not loaded in one piece\n%s" % (spv, isa, told))
                    failures += 1
print("%d failed" % failures)
sys.exit(failures != 0)
