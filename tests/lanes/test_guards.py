#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loads whose lanes are active by their places and by data: guards.cl at every instruction set, sub-group
size and tier
against the same program in Python. usage: test_guards.py SPIRV_RUN MODULE"""
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 128
GUARDS = ((0, 17), (0, 23), (1, 4), (9, 12), (9, 64), (17, 64), (24, 64), (18, 21), (28, 36), (33, 49),
          (0, 55), (57, 60))
KINDS = {"int": ("i", 32), "long": ("q", 64)}


def program(values, item, local):
    """What guards.cl leaves in out[item]."""
    place, left, x = item % local, values[item], values[(item + 1) % ITEMS]
    for k, (low, high) in enumerate(GUARDS):
        if low <= place < high and x & 3 != 1:
            left ^= values[place + 64 + k]
    return left ^ values[place + 76] if x & place & 24 else left


def main(spirv_run, module):
    draw, failed = random.Random(11), 0
    with tempfile.TemporaryDirectory() as folder:

        def file(name, letter, words):
            path = os.path.join(folder, name)
            with open(path, "wb") as out:
                out.write(struct.pack("<%d%s" % (len(words), letter), *words))
            return "@" + path

        for kind, (letter, bits) in KINDS.items():
            values = [draw.getrandbits(bits) - (1 << bits - 1) for _ in range(64 + 76)]
            given = file("in.bin", letter, values)
            for local in (64, 32, 28):
                items = ITEMS // local * local
                wanted = file("wanted.bin", letter, [program(values, k, local) for k in range(items)])
                for isa in levels():
                    for size in (16, 32, 64):
                        for tier in ("specialised", "masked"):
                            command = [spirv_run, "-k", "guards_" + kind, "-g", str(items), "-w", str(local),
                                       "-s", str(size), "--isa", isa,
                                       "--expect", "0=" + wanted, module, "u8[%d]" % (items * bits // 8),
                                       given]
                            made = subprocess.run(command,
                                                  env=dict(os.environ, LANEWISE_TIER=tier,
                                                           LANEWISE_CACHE="0"), stdout=subprocess.PIPE,
                                                  stderr=subprocess.STDOUT, universal_newlines=True)
                            if made.returncode:
                                failed += 1
                                print("%s, local size %d, %s, %d lanes, %s code:\n%s" %
                                      (kind, local, isa, size, tier, made.stdout))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
