#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dpcpp.spvasm, a module as DPC++ writes them, at every sub-group size and on every instruction set.

    test_dpcpp.py SPIRV_RUN MODULE.spvasm
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

WIDTH, HEIGHT, GROUPS = 7, 5, 4  # of a work-group; groups side by side
ITEMS = WIDTH * HEIGHT * GROUPS


def expected(size):
    words, sums = [], [0.0, 3.4e38, -3.4e38]
    for item in range(ITEMS):
        y, x = divmod(item, WIDTH * GROUPS)
        group, lx = divmod(x, WIDTH)
        linear = y * WIDTH + lx
        first = linear // size * size
        first_item = first // WIDTH * WIDTH * GROUPS + group * WIDTH + first % WIDTH
        bits = 0
        for k in range(WIDTH):
            bits |= k
        words += [lx + 100 * y, WIDTH + 100 * HEIGHT, linear % size, size, 2 * item,
                  WIDTH * HEIGHT + 100 * bits,
                  item, first_item]
        sums = [sums[0] + 2 * (item % 50), min(sums[1], 2 * (item % 50)), max(sums[2], 2 * (item % 50))]
    return words, sums


def main():
    tool, module = sys.argv[1:]
    os.environ["LANEWISE_CACHE"] = "0"
    failed = 0
    halves = struct.pack("<%de" % ITEMS, *[k % 50 for k in range(ITEMS)])
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, n) for n in ("s.bin", "h.bin", "so.bin", "ho.bin", "o.bin")]
        for path, data in ((paths[0], struct.pack("<3f", 0, 3.4e38, -3.4e38)), (paths[1], halves)):
            with open(path, "wb") as file:
                file.write(data)
        for isa in levels():
            for size in (4, 8, 16, 32, 64):
                done = subprocess.run([tool, "-g", "%d,%d" % (WIDTH * GROUPS, HEIGHT), "-w",
                                       "%d,%d" % (WIDTH, HEIGHT),
                                       "-s", str(size), "--isa", isa, "-o", "0=" + paths[2], "-o",
                                       "1=" + paths[3],
                                       "-o", "2=" + paths[4], module, "@" + paths[0], "@" + paths[1],
                                       "u32[%d]" % (8 * ITEMS)], capture_output=True, text=True)
                words, sums = expected(size)
                got = [] if done.returncode else [open(p, "rb").read() for p in paths[2:]]
                wanted = [struct.pack("<3f", *sums),
                          struct.pack("<%de" % ITEMS, *[k % 50 + 1 for k in range(ITEMS)]),
                          struct.pack("<%dI" % len(words), *words)]
                for name, have, want in zip(("sums", "halves", "words"), got, wanted):
                    at = next((k for k in range(0, len(want), 2) if have[k:k + 2] != want[k:k + 2]), None)
                    if at is not None:
                        print("FAILED %s, N %d: %s differ at byte %d" % (isa, size, name, at))
                        failed += 1
                if done.returncode:
                    print("FAILED %s, N %d: %s" % (isa, size, done.stderr))
                    failed += 1
    return 1 if failed else 0


sys.exit(main())
