#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loops that go round by code for all lanes: rounds.cl at every instruction set, sub-group size and tier
against the same
program in Python. usage: test_rounds.py SPIRV_RUN MODULE"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 64
WORD = 0xffffffff


def program(item, x):
    """What rounds.cl leaves in out[item] and out[1024 + item]."""
    s = (x & 0xffff) - (0x10000 if x & 0x8000 else 0)
    l = x * 0x100000001
    t = [x * k & WORD for k in range(8)]
    fuel, i0, i2, e, total = 6 + (x & 3), x & 3, 0, x >> 5 & 255, 0
    while True:
        t[4] = t[5] = (s + (l >> 29)) & WORD
        if x > 1:
            fuel = 0
        while True:
            total = (total + (x << 4) + e) & WORD
            e = (item - e) & 255
            i2 += 1
            if i2 >= 5:
                break
        i0 += 1
        if i0 < 2:
            continue
        if (x & 31) < 29 and fuel > 0:
            fuel -= 1
            continue
        a = s if x >> 3 > item else 2
        return (a + t[x & 7]) & WORD, total


def main(spirv_run, module):
    draw = random.Random(7)
    values = [draw.getrandbits(32) | 2 for _ in range(ITEMS)]
    results = [program(item, x) for item, x in enumerate(values)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        def file(name, words):
            path = os.path.join(folder, name)
            with open(path, "wb") as out:
                out.write(struct.pack("<%dI" % len(words), *words))
            return "@" + path
        arguments = ["u8[%d]" % (4 * (1024 + ITEMS)), file("in.bin", values)]
        left = [r[0] for r in results] + [0] * (1024 - ITEMS) + [r[1] for r in results]
        wanted = ["--expect", "0=" + file("wanted.bin", left)]
        for isa in levels():
            for tier in ("masked", "first", "specialised"):
                for size in ("4", "8", "16", "32", "64"):
                    for sizes in (["-g", "64", "-w", "64"], ["-g", "8,8", "-w", "4,4"],
                                  ["-g", "8,8", "-w", "8,8"]):
                        made = subprocess.run([spirv_run] + sizes + ["-s", size, "--isa", isa] + wanted +
                                              [module] + arguments,
                                              env=dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0"),
                                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                              universal_newlines=True, timeout=120)
                        if made.returncode:
                            print("FAILED %s %s %s %s: %s" % (isa, tier, size, sizes, made.stdout))
                            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
