#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What LLVM makes of expressions in integers, beside Python's: sums, differences and products that may be
too large, by __builtin_*_overflow and by a division, and shifts of two integers in a row, by no bit too.

    test_overflows.py
"""
import itertools
import os
import sys

os.environ["LANEWISE_CACHE"] = "0"
from opencl_program import OpenCL

TYPES = {"char": 8, "short": 16, "int": 32, "long": 64, "_BitInt(24)": 24, "_BitInt(40)": 40,
         "uchar": -8, "ushort": -16, "uint": -32, "ulong": -64}
KERNEL = """
kernel void k(global const long *in, global ulong *out)
{
    size_t at = get_global_id(0);
    %(type)s a = (%(type)s)in[2 * at], b = (%(type)s)in[2 * at + 1], r, q = a;
    ulong flags = 0;
    for (int op = 0; op < 3; op++) {
        bool too_large = op == 0 ? __builtin_add_overflow(a, b, &r)
                       : op == 1 ? __builtin_sub_overflow(a, b, &r) : __builtin_mul_overflow(a, b, &r);
        out[5 * at + op] = (ulong)r;
        flags |= (ulong)too_large << op;
    }
    out[5 * at + 3] = flags;
    if (at %% 3 == 1 && __builtin_mul_overflow(q, b, &q))
        q = 7;
    out[5 * at + 4] = (ulong)q;
}
"""
DIVISION = """
kernel void k(global const long *in, global ulong *out)
{
    size_t at = get_global_id(0);
    int a = (int)in[2 * at], b = (int)in[2 * at + 1], product = (int)((uint)a * (uint)b);
    out[at] = b && b != -1 && product / b != a;
}
"""

# Of uchar and ushort in int, where a shift by all of their bits is one; of the others by LLVM's own name.
SHIFTS = """
kernel void k(global const long *in, global ulong *out)
{
    size_t at = get_global_id(0);
    T a = *(global const T *)(in + 2 * at), b = *(global const T *)(in + 2 * at + 1);
    uint by = (uint)(in[2 * at] >> 3 ^ in[2 * at + 1] >> 1) % BITS;
    out[at] = (T)(EXPRESSION);
}
"""
UNSIGNED = {"uchar": 8, "ushort": 16, "uint": 32, "ulong": 64}
EXPRESSIONS = [["a << by | b >> (BITS - by)", "__builtin_elementwise_fshl(a, b, (T)by)"],
               ["a << (BITS - by) | b >> by", "__builtin_elementwise_fshr(a, b, (T)by)"],
               ["a << by | a >> ((0u - by) % BITS)"], ["a << 3 | b >> (BITS - 3)"]]


def shifted(bits, a, b):
    by = ((a >> 3) ^ (b >> 1)) % (1 << 32) % bits
    most = (1 << bits) - 1
    a, b = a & most, b & most
    values = [a << by | b >> bits - by, a << bits - by | b >> by, a << by | a >> bits - by,
              a << 3 | b >> bits - 3]
    return [x & most for x in values]


def wrapped(value, bits):
    value &= (1 << abs(bits)) - 1
    return value - (1 << bits) if bits > 0 and value >> (bits - 1) else value


def pairs(bits):
    width = abs(bits)
    some = {0, 1, 2, 3, 7, 100, 127}
    for k in (width // 2, width - 1, width):
        some |= {(1 << k) + d for d in (-2, -1, 0, 1)}
    some |= {-x for x in some} | {0x5a5a5a5a5a5a5a5a >> (64 - width), 0x123456789abcdef >> (60 - width % 60)}
    values = sorted({wrapped(x, bits) for x in some})
    return list(itertools.product(values, values))


def expected(bits, at, a, b):
    results = [a + b, a - b, a * b]
    values = [wrapped(x, bits) for x in results]
    flags = sum((x != y) << k for k, (x, y) in enumerate(zip(results, values)))
    last = (7 if flags & 4 else values[2]) if at % 3 == 1 else a
    return [x & (1 << 64) - 1 for x in values + [flags, last]]


def main():
    most = max(len(pairs(bits)) for bits in TYPES.values())
    cl = OpenCL((16 * most, 40 * most))

    def run(text, rows, of_each, options):
        program, said = cl.build(source=text, options=options)
        if not program:
            return said
        data = b"".join((x & (1 << 64) - 1).to_bytes(8, "little") for row in rows for x in row)
        raw = cl.run(program, "k", data, len(rows))
        return raw if isinstance(raw, str) else [
            [int.from_bytes(raw[8 * (of_each * k + j):][:8], "little") for j in range(of_each)]
            for k in range(len(rows))]

    failures = 0
    for options in ("-cl-std=CL3.0", "-cl-std=CL1.2 -cl-opt-disable"):
        for name, bits in TYPES.items():
            rows = pairs(bits)
            got = run(KERNEL % {"type": name}, rows, 5, options)
            want = [expected(bits, at, a, b) for at, (a, b) in enumerate(rows)]
            if got != want:
                failures += 1
                wrong = got if isinstance(got, str) else [x for x in zip(rows, got, want) if x[1] != x[2]][:3]
                print("%s with %s: %s" % (name, options, wrong))
        rows = pairs(32)
        want = [[int(b not in (0, -1) and wrapped(a * b, 32) != a * b)] for a, b in rows]
        if run(DIVISION, rows, 1, options) != want:
            failures += 1
            print("division with %s" % options)
        for (name, bits), k in itertools.product(UNSIGNED.items(), range(4)):
            rows = pairs(64)
            text = EXPRESSIONS[k][0 if bits < 32 else -1]
            got = run(SHIFTS, rows, 1, "%s -DT=%s -DBITS=%du '-DEXPRESSION=%s'" % (options, name, bits, text))
            if got != [[shifted(bits, a, b)[k]] for a, b in rows]:
                failures += 1
                print("%s of %s with %s" % (text, name, options), got if isinstance(got, str) else "")
    sys.exit("%d failed" % failures if failures else 0)


main()
