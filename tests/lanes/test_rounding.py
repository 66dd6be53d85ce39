#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of rounding.cl against the same in Python; and which of them round by the conversion itself
(llvm.lrint), and convert by words of 32 bits.

    test_rounding.py SPIRV_RUN MODULE.spv
"""
import math
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 1003


def single(x):
    """The float nearest to a number; up to 2^53 in one step."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def limited(x, low, high, of_nan=0):
    return of_nan if math.isnan(x) else round(max(low, min(high, x)))


def whole(x):
    return x if math.isnan(x) or math.isinf(x) else math.copysign(float(round(x)), x)


def bytes_(x, _):
    return sum(limited(y, 0, 255) << 8 * k
               for k, y in enumerate((x, single(x * 2), single(x + 0.5), single(x - 3))))


def halves(x, _):
    y = whole(x)
    return int(min(y if y > 1.5 else 1.5, 99.5))


def replaced(x, _):
    y = whole(x)
    return int(min(y if y > 1 else 9, 99))


def used_twice(x, _):
    y = whole(x)
    return limited(y, 0, 9) | (bits(y) >> 16 << 8 if -5 < y < 5 else 1 << 30)


def words(x, _):
    u = bits(x)
    i = u - (1 << 32) if u >> 31 else u
    numbers = (2 * u & 0xffffffff, 2 * u & 0x7fffffff, i, u >> 1, u, i - 1)
    made = 0
    for k, n in enumerate(numbers):
        made ^= bits(single(n)) * (2 * k + 1)
    return made


def classes(x, _):
    return (0 < x * 1e300 < math.inf) | math.isfinite(x) << 1


def longs(x, _):
    y = single(x) * 1e15 if abs(x) < 1000 else 1.5
    n, u = int(y), int(abs(y) * 9)
    back = struct.unpack("<Q", struct.pack("<d", n * 9 + 1))[0]
    return n ^ (n >> 32) * 3 ^ u * 5 ^ (u >> 32) * 7 ^ back >> 20 & 0xffffffff


# kernel, what an item gives of its number and its place, does it round by the conversion?
CASES = [
    ("bytes", bytes_, True),
    ("shorts", lambda x, _: limited(single(x * 1000), -32768, 32767), True),
    ("doubles", lambda x, _: limited(x * 500, 0, 65535), True),
    ("bounded_first", lambda x, _: limited(x, -3, 77, -3) & 255, True),
    ("halves", halves, False),
    ("replaced", replaced, False),
    ("used_twice", used_twice, False),
    ("masked", lambda x, _: limited(x, 0, 255) & 127 | (limited(single(x * 3), 0, 255) << 9 & 0x1fc00), True),
    ("classes", classes, None),
    ("longs", longs, None),
    ("ids", lambda _, k: bits(k * 0.5), None),
    ("words", words, None),
]


def run(kernel, isa, size, numbers):
    command = [sys.argv[1], "-g", str(ITEMS), "-w", str(ITEMS), "-s", str(size), "--isa", isa, "--dump",
               "masks", "-k", kernel, "-o", "1=-", sys.argv[2],
               "u32[%d]=%s" % (ITEMS, ",".join(str(bits(x)) for x in numbers)), "u32[%d]" % ITEMS]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment)
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel, done.stderr[-500:].decode()))
    return list(struct.unpack("<%dI" % ITEMS, done.stdout)), done.stderr.decode()


def fault_of(kernel, item, rounds, got, code, numbers):
    """In words; None: there is none."""
    for k, x in enumerate(numbers):
        want = item(x, k) & 0xffffffff
        if got[k] != want:
            return "item %d, of %r, is %08x, must be %08x" % (k, x, got[k], want)
    if rounds is not None and rounds != ("@llvm.lrint" in code):
        return "it rounds%s by the conversion" % ("" if not rounds else " not")
    if kernel == "ids" and re.search(r"itofp.* <\d+ x i64>", code):
        return "it converts numbers of 64 bits"
    if kernel == "classes" and not re.search("fcmp .* <|fpclass", code):
        return "it takes numbers' bits apart"
    return None


def main():
    chosen = random.Random(11)
    numbers = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, 254.5, 255.5, 255.49998474121094, math.nan, math.inf,
               -math.inf, 1e30, -1e30, 1.2, 1.7, 0.49999997, 98.7, 99.2, 99.5, -3.5, 76.5, 77.5]
    numbers += [single(chosen.uniform(-20, 300)) for _ in range(ITEMS - len(numbers))]
    failed = 0
    for isa in levels():
        for kernel, item, rounds in CASES:
            for size in (4, 16, 64):
                fault = fault_of(kernel, item, rounds, *run(kernel, isa, size, numbers), numbers)
                if fault:
                    failed += 1
                    print("FAILED %s, %s, %d lanes: %s" % (kernel, isa, size, fault))
    print("%d failed" % failed)
    return failed > 0


sys.exit(main())
