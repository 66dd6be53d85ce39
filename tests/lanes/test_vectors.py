#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of vectors.cl against the same in Python, component by component; and which of them compute in
the order
of memory, by spirv-run --explain. Those of PLACES move vectors at any addresses, whole.

    test_vectors.py SPIRV_RUN MODULE.spv
"""
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import computes_with_halves, levels  # noqa: E402

ITEMS = 519
CODES = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "i64": "q", "f16": "e", "f32": "f",
         "f64": "d"}
BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "i64": 64}


def least(t):
    return 0 if t[0] == "u" else -(1 << BITS[t] - 1)


def most(t):
    return (1 << BITS[t] - (t[0] != "u")) - 1


def wrap(t, x):
    return x if t[0] == "f" else (x - least(t)) % (1 << BITS[t]) + least(t)


def clamp(t, x):
    return min(max(x, least(t)), most(t))


def rounds(k, t, step):
    for _ in range(int(k[0]) & 7):
        t = step(t)
    return t


def rounded(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def half(x):
    return struct.unpack("e", struct.pack("e", x))[0]


def strides(x, y, k, i, j):
    seen = [INTS[q * 4:q * 4 + 4] for q in range(i % 64, k[0] & 511, 64)]
    u = x
    for a in seen:
        u = [wrap("i32", u[m] * 3 - a[m]) for m in range(4)]
    return (sum(y) + sum(map(sum, seen)), u[0] + u[1], u[2], u[3])[j]


def chosen(x, y, k, s, j):
    t = rounds(k, y[j], lambda t: wrap("i32", t - k[j] if t > x[j] else t + x[j]))
    return t if s & 1 else t ^ x[j]


# kernel, type, components, component j of item i by x, y, k (vectors) and s; computed in the order of memory,
# or "kept" in it from block to block, or "all" stores?
CASES = [
    ("add_int4", "i32", 4, lambda x, y, k, s, i, j: x[j] + y[j], True),
    ("add_int2", "i32", 2, lambda x, y, k, s, i, j: x[j] * k[j] - y[j], True),
    ("add_int8", "i32", 8, lambda x, y, k, s, i, j: x[j] * 3 + (y[j] ^ k[j]), True),
    ("add_int16", "i32", 16, lambda x, y, k, s, i, j: (x[j] & y[j]) + (x[j] >> 3), True),
    ("add_uchar4", "u8", 4, lambda x, y, k, s, i, j: x[j] + y[j] * k[j], True),
    ("add_uchar16", "u8", 16, lambda x, y, k, s, i, j: (x[j] + y[j] + 1 >> 1) - k[j], True),
    ("add_short8", "i16", 8, lambda x, y, k, s, i, j: max(x[j], y[j]) + j + 1, True),
    ("add_ushort2", "u16", 2, lambda x, y, k, s, i, j: clamp("u16", x[j] + y[j]), True),
    ("add_long2", "i64", 2, lambda x, y, k, s, i, j: x[j] * y[j] - k[j], True),
    ("add_long4", "i64", 4, lambda x, y, k, s, i, j: x[j] - y[j] * s, True),
    ("add_char8", "i8", 8, lambda x, y, k, s, i, j: clamp("i8", x[j] - y[j]), True),
    ("chosen_int4", "i32", 4, lambda x, y, k, s, i, j: x[j] - k[j] if x[j] > y[j] else y[j] + 1, True),
    ("chosen_uchar8", "u8", 8, lambda x, y, k, s, i, j: y[j] if x[j] < k[j] else x[j], True),
    ("chosen_short16", "i16", 16, lambda x, y, k, s, i, j: x[j] if s & 1 else y[j], None),
    ("turned_int4", "i32", 4, lambda x, y, k, s, i, j: x[3 - j] + y[j], True),
    ("turned_uchar4", "u8", 4, lambda x, y, k, s, i, j: x[j ^ 1] - y[2], True),
    ("turned_short8", "i16", 8, lambda x, y, k, s, i, j: x[7 - j] * y[j], True),
    ("spread_int4", "i32", 4, lambda x, y, k, s, i, j: x[j] * s + y[j], True),
    ("spread_uchar16", "u8", 16, lambda x, y, k, s, i, j: (x[j] ^ s) + y[j], True),
    ("spread_id", "i32", 4, lambda x, y, k, s, i, j: x[j] + i, True),
    ("wide_uchar4", "u8", 4, lambda x, y, k, s, i, j: x[j] * k[j] + y[j] >> 8, True),
    ("wide_uchar16", "u8", 16, lambda x, y, k, s, i, j: x[j] * 77 + y[j] * 150 >> 8, True),
    ("twice_int4", "i32", 4, lambda x, y, k, s, i, j: (x[j] - y[j]) * (x[j] + y[j]), True),
    ("summed_int4", "i32", 4, lambda x, y, k, s, i, j: x[j] * 3 + sum(x), True),
    ("parted_int4", "i32", 4, lambda x, y, k, s, i, j: x[j] + y[j], True),
    ("unlike_int4", "i32", 4, lambda x, y, k, s, i, j: x[j] - y[j] if j == 1 else x[j] + y[j], False),
    ("mixed_int4", "i32", 4, lambda x, y, k, s, i, j: (x if j < 2 else y)[j] + k[j], False),
    ("float_float4", "f32", 4, lambda x, y, k, s, i, j: x[j] + y[j] * 2 - k[j], True),
    ("float_double2", "f64", 2, lambda x, y, k, s, i, j: abs(x[j]) - max(x[j], y[j]), True),
    ("half_float", "f16", 4, lambda x, y, k, s, i, j: half(x[j] * 0.5 + y[j]), True),
    ("half_turned", "f16", 4, lambda x, y, k, s, i, j: half(x[3 - j] * 0.5 + y[j]), False),
    ("half_double", "f16", 4, lambda x, y, k, s, i, j: half(x[j] * 0.5 + y[j]), False),
    ("half_half", "f16", 4, lambda x, y, k, s, i, j: half(x[j] + y[j]), False),
    ("three_ints", "i32", 3, lambda x, y, k, s, i, j: x[j] + y[j], None),
    ("by_three", "i32", 3, lambda x, y, k, s, i, j: x[j] * 5 + y[j], None),
    ("in_place", "i32", 4, lambda x, y, k, s, i, j: x[j] * 3 + y[j], None),
    ("kept_int4", "i32", 4, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: t * 3 + x[j]), "kept"),
    ("kept_int2", "i32", 2, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: (t ^ x[j]) + k[j]), "kept"),
    ("kept_short8", "i16", 8, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: t * x[j] - k[j]), None),
    ("kept_int16", "i32", 16, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: t * 5 + x[j]), None),
    ("kept_uchar4", "u8", 4, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: t * 3 + x[j]), "kept"),
    ("kept_long2", "i64", 2, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: t * 3 - x[j]), "kept"),
    ("kept_turned", "i32", 4, lambda x, y, k, s, i, j:
     rounds(k, y, lambda t: [t[(m + 1) % 4] + x[m] for m in range(4)])[j], None),
    ("kept_mixed", "i32", 4, lambda x, y, k, s, i, j:
     rounds(k, y, lambda t: [(t[3 - m] if m % 2 == 0 else x[3 - m]) * 3 + x[m] for m in range(4)])[j], None),
    ("kept_spread", "i32", 4, lambda x, y, k, s, i, j: rounds(k, y[j], lambda t: t * 7 + x[j]) + s, "kept"),
    ("kept_chosen", "i32", 4, lambda x, y, k, s, i, j: chosen(x, y, k, s, j), "kept"),
    ("kept_summed", "i32", 4, lambda x, y, k, s, i, j:
     rounds(k, y[j], lambda t: t * 3 + x[j]) * 3 + rounds(k, y[2], lambda t: t * 3 + x[2]), None),
    ("kept_parts", "i32", 4, lambda x, y, k, s, i, j:
     7 if j == 3 else rounds(k, y[j], lambda t: t * 3 + x[j]) + (j == 1), None),
    ("parted_sums", "i32", 4, lambda x, y, k, s, i, j: rounds([s], y[j], lambda t: t * 3 + x[j]), None),
    ("kept_float4", "f32", 4, lambda x, y, k, s, i, j:
     rounds(k, y[j], lambda t: abs(t) * 0.5 + x[j]), "kept"),
    ("kept_double2", "f64", 2, lambda x, y, k, s, i, j:
     rounds(k, y[j], lambda t: max(t * 0.5, x[j]) + k[j]), "kept"),
    ("joined_float4", "f32", 4, lambda x, y, k, s, i, j:
     rounded(rounded(x[j ^ j >> 1] * y[j] + k[j]) * y[j ^ j >> 1] + k[j]), None),
    ("left_spread", "i32", 4, lambda x, y, k, s, i, j: y[j] - wrap("i32", x[0] * s + x[1]), None),
    ("left_uniform", "i32", 4, lambda x, y, k, s, i, j: y[j] - wrap("i32", k[0] * k[1] + k[2]), None),
    ("left_vector_uniform", "i32", 4, lambda x, y, k, s, i, j:
     y[j] - wrap("i32", FIRST * k[1] + k[2]), "all"),
    ("left_vector_spread", "i32", 4, lambda x, y, k, s, i, j:
     y[j] - wrap("i32", x[0] * s + k[2]), "all"),
    ("kept_arms", "i32", 4, lambda x, y, k, s, i, j:
     (x if s & 1 else k)[j] * (3 if s & 2 else 1) + (y[j] if s & 2 else 0), None),
    ("kept_places", "i32", 4, lambda x, y, k, s, i, j:
     rounds(k, y[j], lambda t: t * 3 + INTS[i * 265 % ITEMS * 4 + j]), None),
    ("kept_strides", "i32", 4, lambda x, y, k, s, i, j: strides(x, y, k, i, j), "kept"),
    ("kept_stores", "i32", 4, lambda x, y, k, s, i, j:
     rounds(k, y[j], lambda t: t + x[j]) if s & 1 else x[j], None),
    ("behind", "i32", 4, lambda x, y, k, s, i, j: x[j] + y[j] if y[0] & 1 else x[j] - y[j], None),
]


def numbers(t, count, seed):
    source = random.Random(seed)
    if t[0] == "f":
        return [float(source.randint(-1000, 1000)) for _ in range(count)]
    return [source.choice((least(t), most(t), 0, 1, source.randint(least(t), most(t)),
                           source.randint(least(t), most(t))))
            for _ in range(count)]


INTS = numbers("i32", ITEMS * 4, 1)
FIRST = numbers("i32", ITEMS, 3)[0]  # of s


def run(kernel, t, stride, isa, size, data):
    a, b, s, k = data
    text = [",".join(map(repr, x)) for x in (a, b, s)]
    scalar = kernel == "by_three" or kernel.startswith("half_") or len(k) == 1
    command = [sys.argv[1], "-g", str(ITEMS), "-w", "64", "-s", str(size), "--isa", isa, "--explain", "-k",
               kernel, "-o",
               "4=-", sys.argv[2], "%s[%d]=%s" % (t, len(a), text[0]), "%s[%d]=%s" % (t, len(b), text[1]),
               "%s[%d]=%s" % (t, len(s), text[2]), "0" if scalar else ",".join(map(repr, k)),
               "%s[%d]" % (t, ITEMS * stride)]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    if kernel.startswith("left_"):  # to as_stored
        environment["LANEWISE_SKIP"] = "in_order"
    done = subprocess.run(command, capture_output=True, env=environment)
    if done.returncode:
        raise SystemExit("FAILED %s, %s, %d lanes: %s" % (kernel, isa, size, done.stderr[-500:].decode()))
    return struct.unpack("<%d%s" % (ITEMS * stride, CODES[t]), done.stdout), done.stderr.decode()


def check(kernel, t, count, item, wanted, isa, size):
    stride = 4 if kernel == "three_ints" else count
    a, b = numbers(t, ITEMS * stride, 1), numbers(t, ITEMS * stride, 2)
    s, k = numbers(t, ITEMS, 3), numbers(t, count, 4)
    got, told = run(kernel, t, stride, isa, size, (a, b, s, k))
    for i in range(ITEMS):
        x, y = a[i * stride:][:count], b[i * stride:][:count]
        for j in range(count):
            want = wrap(t, item(x, y, k, s[i], i, j))
            if got[i * stride + j] != want:
                print("FAILED %s, %s, %d lanes: component %d of item %d is %r, must be %r" %
                      (kernel, isa, size, j, i, got[i * stride + j], want))
                return 1
    if kernel.startswith("half_") and isa == "avx512" and computes_with_halves():
        wanted = True
    if kernel in ("half_float", "kept_strides") and isa == "sse4.2":  # by integers; no masked moves
        wanted = None
    how = "kept" if wanted == "kept" else "computed"
    if wanted is not None and bool(wanted) != (how + " in the order of memory" in told):
        print("FAILED %s, %s, %d lanes: %s %s in the order of memory" %
              (kernel, isa, size, "not" if wanted else "is", how))
        return 1
    if wanted == "all" and "store: wide + shuffles" in told:
        print("FAILED %s, %s, %d lanes: not all stores in the order of memory" % (kernel, isa, size))
        return 1
    return 0


def halves_are_computed_with():
    """By AVX512-FP16, where the processor has it."""
    if not computes_with_halves():
        print("not run: halves by AVX512-FP16, which this machine lacks")
        return 0
    command = [sys.argv[1], "-g", "512", "-w", "64", "--isa", "avx512", "--dump", "asm", "-k", "half_half",
               sys.argv[2], "f16[2048]", "f16[2048]", "f16[512]", "0", "f16[2048]"]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0"))
    if done.returncode or "vaddph" not in done.stderr or "vcvt" in done.stderr:
        print("FAILED half_half: not by vaddph alone:\n%s" % done.stderr)
        return 1
    return 0


PLACES = [("places_int4", "i32", 4), ("places_int2", "i32", 2), ("places_uchar4", "u8", 4),
          ("places_uchar16", "u8", 16),
          ("places_short8", "i16", 8), ("places_long4", "i64", 4), ("places_float16", "f32", 16),
          ("places_double2", "f64", 2)]


def check_places(kernel, t, count, isa, size):
    a, b, s = numbers(t, ITEMS * count, 1), numbers(t, ITEMS * count, 2), numbers(t, ITEMS, 3)
    got, told = run(kernel, t, 6 * count, isa, size, (a, b, s, [0]))
    want = [0] * (6 * ITEMS * count)
    for i in range(ITEMS):
        p = i * 265 % ITEMS
        for j in range(count):
            def put(part, item, value):
                want[(part * ITEMS + item) * count + j] = wrap(t, value)
            x, y = a[i * count + j], b[i * count + j]
            put(0, i, a[p * count + j] + y)
            put(1, i, a[min(i + 1, ITEMS - 1) * count + j] - a[max(i - 1, 0) * count + j])
            put(2, p, x - y)
            if s[i] > 20:
                put(3, i, a[p * count + j])
                put(4, p, y)
            put(5, i, a[(ITEMS - 1 - i) * count + j])
    for at, (have, must) in enumerate(zip(got, want)):
        if have != must:
            print("FAILED %s, %s, %d lanes: component %d of item %d of part %d is %r, must be %r" %
                  (kernel, isa, size, at % count, at // count % ITEMS, at // count // ITEMS, have, must))
            return 1
    # A row has as many lanes as there are components to 16 bytes, at least one of each; small ones are also
    # loaded by words.
    bytes_each = struct.calcsize(CODES[t])
    for verb in ("load", "store"):
        rows = size >= 16 // bytes_each or bytes_each * count < 16
        words = verb == "load" and bytes_each < 4 and bytes_each * count <= 16
        if (rows or words) != (verb + ": whole vectors of each lane" in told):
            print("FAILED %s, %s, %d lanes: %s of whole vectors or not:\n%s" %
                  (kernel, isa, size, verb, told))
            return 1
    if "contiguous but at the bounds" not in told:
        print("FAILED %s, %s, %d lanes: bounds are not seen" % (kernel, isa, size))
        return 1
    return 0


def main():
    failed = halves_are_computed_with()
    for level, isa in enumerate(levels()):
        for turn, case in enumerate(CASES):  # at another size on each level
            failed += check(*case, isa, (4, 16, 64)[(turn + level) % 3])
        for case in PLACES:
            for size in (4, 16, 64):
                failed += check_places(*case, isa, size)
    print("%d failed" % failed)
    return failed > 0


sys.exit(main())
