#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of bytes.cl, which filter bytes in 16 bits, against the same in Python; and which of them
multiply and add
bytes that lie side by side (pmaddubsw), behind the last pass.

    test_bytes.py SPIRV_RUN MODULE.spv
"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, WIDTH = 1031, 333


def short(x):
    return (x & 0xffff) - (x & 0x8000) * 2


def byte_filter(f):
    """f of what is around the item's place in this row and in the next, and of the other byte."""
    def item(data, other, i):
        return f(lambda k: data[i + 2 + k], lambda k: data[i + 2 + WIDTH + k], other[i])
    return item


def changes(data, other, i):
    after = data[i + 1] + (WIDTH if i + 1 < 64 else 0) & 255
    return (data[i] * 2 + after * 6 + other[i] + 4) // 8


# kernel, what one item gives, does it multiply and add?
CASES = [
    ("two", byte_filter(lambda p, q, r: (p(0) * 3 + p(1) * 5 + 4) // 8), True),
    ("three", byte_filter(lambda p, q, r: (p(-1) + 2 * p(0) + p(1) + 2) // 4), True),
    ("four", byte_filter(lambda p, q, r: (p(-1) * 7 + p(0) * 57 + p(1) * 57 + p(2) * 7 + 64) // 128), True),
    ("five", byte_filter(lambda p, q, r: (p(-2) + 4 * p(-1) + 6 * p(0) + 4 * p(1) + p(2) + 8) // 16), True),
    ("rows", byte_filter(lambda p, q, r: (p(-1) + 2 * p(0) + p(1) + 2 * q(-1) + 4 * q(0) + 2 * q(1) + r * 4 +
                                          8) // 16),
     True),
    ("apart", byte_filter(lambda p, q, r: (p(-2) * 3 + p(0) * 9 + p(2) * 4) // 16), True),
    ("again", byte_filter(lambda p, q, r: (p(0) + p(1) + p(0) * 11 + r) >> 4), True),
    ("edge", byte_filter(lambda p, q, r: p(1) - p(-1) + 2 * (q(1) - q(-1)) >> 3), None),
    ("sharper", byte_filter(lambda p, q, r: p(0) * 5 - p(-1) - p(1) - q(0) - r >> 1), None),
    ("most", byte_filter(lambda p, q, r: p(0) * 127 + p(1) >> 8), True),
    ("more", byte_filter(lambda p, q, r: p(0) * 127 + p(1) * 2 >> 8), None),
    ("much", byte_filter(lambda p, q, r: (p(0) * 255 + p(1) * 200 + r * 300 & 0xffff) >> 8), False),
    ("least", byte_filter(lambda p, q, r: (p(0) * -128 - p(1) & 0xffff) >> 7), None),
    ("average", byte_filter(lambda p, q, r: p(0) + q(0) + 1 >> 1), False),
    ("averages", byte_filter(lambda p, q, r: (p(0) + p(1) + 1 >> 1) + (q(0) + r + 1 >> 1) + 1 >> 1), False),
    ("lower", byte_filter(lambda p, q, r: p(0) + q(0) >> 1), None),
    ("higher", byte_filter(lambda p, q, r: p(0) + q(0) + 2 >> 1), None),
    ("quarter", byte_filter(lambda p, q, r: p(0) + q(0) + 1 >> 2), None),
    ("of_three", byte_filter(lambda p, q, r: p(0) + q(0) + r + 1 >> 1), None),
    ("in_sum", byte_filter(lambda p, q, r: (p(0) + q(0) + 1 >> 1) * 3 + p(1) >> 2), None),
    ("blended", byte_filter(lambda p, q, r: p(0) * r + q(0) * (255 - r) + 128 >> 8), False),
    ("clamped", byte_filter(lambda p, q, r: min(p(0) + p(1) + r, 255)), None),
    ("distance", byte_filter(lambda p, q, r: abs(p(0) * 2 - p(1) - r) >> 1), None),
    ("uniform", byte_filter(lambda p, q, r: (p(0) * (WIDTH + 3) + p(1) & 0xffff) >> 3), None),
    ("twice", byte_filter(lambda p, q, r: ((p(0) + p(1) + r & 0x1ff) * 3 + (p(0) + p(1) + r >> 2)) >> 3),
     None),
    ("changes", changes, None),
]


def run(kernel, isa, size, items, local, data, other):
    command = [sys.argv[1], "-g", str(items), "-w", str(local), "-s", str(size), "--isa", isa, "--dump",
               "masks",
               "-k", kernel, "-o", "3=-", sys.argv[2], str(WIDTH)]
    command += ["u8[%d]=%s" % (len(x), ",".join(map(str, x))) for x in (data, other)] + ["u8[%d]" % items]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment)
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel, done.stderr[-500:].decode()))
    return list(done.stdout), done.stderr.decode()


def check(kernel, item, multiplies, isa, size, data, other):
    alone = kernel == "changes"
    items, local = (64, 64) if alone else (ITEMS, 256)
    got, code = run(kernel, isa, size, items, local, data, other)
    wrong = next((i for i in range(items) if got[i] != item(data, other, i) & 255), None)
    found = any("call" in line and "llvm.x86." in line and ".pmadd" in line for line in code.splitlines())
    if wrong is not None:
        print("FAILED %s, %s, %d lanes: item %d is %d, must be %d" %
              (kernel, isa, size, wrong, got[wrong], item(data, other, wrong) & 255))
    elif size == 64 and kernel.startswith("average") and code.count(".pavg.") < 2:
        print("FAILED %s, %s: no average of bytes" % (kernel, isa))
    elif multiplies not in (None, found):
        print("FAILED %s, %s, %d lanes: bytes side by side are%s multiplied together" %
              (kernel, isa, size, "" if found else " not"))
    else:
        return 0
    return 1


def main():
    failed = 0
    numbers = random.Random(11)
    data, other = ([numbers.choice((0, 1, 127, 128, 254, 255, numbers.getrandbits(8), numbers.getrandbits(8)))
                    for _ in range(ITEMS + WIDTH + 8)] for _ in range(2))
    for isa in levels():
        for kernel, item, multiplies in CASES:
            for size in (64,) if kernel == "changes" else (16, 64):
                failed += check(kernel, item, multiplies, isa, size, data, other)
    print("%d failed" % failed)
    return failed > 0


sys.exit(main())
