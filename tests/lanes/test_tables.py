#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks up in small tables: every kernel of tables.cl at every instruction set and sub-group size.

    test_tables.py SPIRV-RUN TABLES.spv

Tables end where no page follows, so that what is read beyond them fails. What comes out is computed here.
With AVX-512 the form must have been taken where the second last column says so, else the test tests nothing;
and not where the table may end before the range of its index does. Small elements of larger tables are
loaded one by one where all lanes are active.
"""
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from machine import levels  # noqa: E402

ITEMS = 525  # the last work-group is not full
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
K = 3
ONE_BY_ONE = ("spread", "spread_shorts")
X = [(i * 37 + i * i // 7) & 255 for i in range(ITEMS)]
FORMATS = {"u8": "B", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}


def wrapped(n):
    return (n + 2**31) % 2**32 - 2**31


def walked(t, x, element):
    total = 0
    for step in range(K):
        total = wrapped(total * 3 + element(t, x, step))
        x = x * 5 + 1
    return total


# name, type, elements of the table, components, is it looked up (None: not asked), result by t, x, component
KERNELS = [
    ("bytes", "u8", 256, 1, True, lambda t, x, c: t[x]),
    ("bytes_few", "u8", 64, 1, True, lambda t, x, c: t[x & 15]),
    ("bytes_64", "u8", 64, 1, True, lambda t, x, c: t[x & 63]),
    ("shorts", "i16", 32, 1, True, lambda t, x, c: t[x & 31]),
    ("shorts_128", "i16", 128, 1, True, lambda t, x, c: t[x & 127]),
    ("ints", "i32", 16, 1, True, lambda t, x, c: t[x >> 4]),
    ("ints_64", "i32", 64, 1, True, lambda t, x, c: t[x & 63]),
    ("floats", "f32", 16, 1, True, lambda t, x, c: t[x & 15] + t[x >> 4]),
    ("longs", "i64", 8, 1, True, lambda t, x, c: t[x >> 5]),
    ("doubles", "f64", 32, 1, True, lambda t, x, c: t[x & 31]),
    ("colours", "u8", 64, 4, None, lambda t, x, c: t[(x & 15) * 4 + c]),
    ("pairs", "i32", 32, 2, None, lambda t, x, c: t[(x & 15) * 2 + c]),
    ("every_other", "i32", 16, 1, True, lambda t, x, c: t[(x & 7) * 2 + 1]),
    ("members", "i32", 16, 1, True, lambda t, x, c: t[(x & 3) * 3 + 1]),
    ("narrow", "u8", 256, 1, True, lambda t, x, c: t[(x + 200) & 255]),
    ("from_end", "i32", 16, 1, None, lambda t, x, c: t[15 - (x & 15)]),
    ("letter", "u8", 1, 1, True, lambda t, x, c: LETTERS[x & 63]),
    ("prime", "i32", 1, 1, None, lambda t, x, c: PRIMES[x % 10]),
    ("below", "u8", 40, 1, False, lambda t, x, c: t[x] if x < 40 else 7),
    ("behind", "u8", 240, 1, False, lambda t, x, c: t[x - 16] if x >= 16 else 0),
    ("chosen", "i32", 16, 1, True, lambda t, x, c: t[x & 14] if x & 1 else K),
    ("moved", "i32", K + 8, 1, False, lambda t, x, c: t[K + (x & 7)]),
    ("spread", "u8", 766, 1, False, lambda t, x, c: t[x * K]),
    ("spread_shorts", "i16", 767, 1, False, lambda t, x, c: t[x * K + 1]),
    ("walked", "i32", 16, 1, True, lambda t, x, c: walked(t, x, lambda t, x, s: t[x & 15])),
    ("shared", "i32", 16, 1, True, lambda t, x, c: walked(t, x, lambda t, x, s: t[x & 15] + s)),
]


def table_of(t, count):
    return [(i * 91 + 17) % 251 - (0 if t[0] == "u" else 125) for i in range(count)]


def run(kernel, isa, size):
    name, t, count, components, _, _ = kernel
    table = table_of(t, count)
    command = [sys.argv[1], "-g", str(ITEMS), "-w", "64", "-s", str(size), "--isa", isa, "--explain",
               "--dump", "masks", "-k", name, "-o", "2=-", sys.argv[2],
               "%s[%d]=%s" % (t, count, ",".join(map(str, table))),
               "u8[%d]=%s" % (ITEMS, ",".join(map(str, X))), "%s[%d]" % (t, ITEMS * components), str(K)]
    done = subprocess.run(command, capture_output=True, env=dict(os.environ, LANEWISE_TIER="specialised",
                                                                 LANEWISE_CACHE="0", LANEWISE_VERIFY="1"))
    if done.returncode:
        raise SystemExit("FAILED %s, %s, %d lanes: %s" % (name, isa, size, done.stderr[-500:].decode()))
    return table, struct.unpack("<%d%s" % (ITEMS * components, FORMATS[t]), done.stdout), done.stderr.decode()


def check(kernel, isa, size):
    name, _, _, components, taken, result = kernel
    table, got, report = run(kernel, isa, size)
    for at, value in enumerate(got):
        want = result(table, X[at // components], at % components)
        if value != want:
            raise SystemExit("FAILED %s, %s, %d lanes: element %d is %r, must be %r"
                             % (name, isa, size, at, value, want))
    seen = "looked up in registers" in report
    full = "".join(code for code in report.split("; ---- ") if "%exists" not in code)
    if name in ONE_BY_ONE and re.search(r"call .*gather", full):
        raise SystemExit("FAILED %s, %s, %d lanes: words are gathered" % (name, isa, size))
    if (taken is False and seen) or (taken and isa == "avx512" and size >= 16 and not seen):
        raise SystemExit("FAILED %s, %s, %d lanes: %slooked up in registers" % (name, isa, size,
                                                                                "" if seen else "not "))


def main():
    count = 0
    for isa in levels():
        for kernel in KERNELS:
            for size in (4, 8, 16, 32, 64):
                check(kernel, isa, size)
                count += 1
    print("%d runs: every element right" % count)


main()
