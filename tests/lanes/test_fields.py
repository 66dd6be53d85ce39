#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of fields.cl, which change fields of words, against the same in Python; and which of them are
computed in the order of memory, by spirv-run --explain.

    test_fields.py SPIRV_RUN MODULE.spv
"""
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 199


def shorts(f, mask=0xffff):
    """f of each field; two of 16 bits."""
    def words(p, q):
        a, b = (p & 0xffff, p >> 16), (q & 0xffff, q >> 16)
        return sum((f(a, b, k) & mask) << 16 * k for k in range(2))
    return words


def sign(x):
    return x - 0x10000 if x & 0x8000 else x


def blend(p, q):
    alpha, word = q >> 24, 0
    for k in range(0, 32, 8):
        m = ((q >> k & 255) * alpha + (p >> k & 255) * (255 - alpha) + 128) & 0xffff
        word |= ((m + (m >> 8) & 0xffff) >> 8 & 255) << k
    return word


def signed_limited(a, b, k):
    x, y = sign(a[k]), sign(b[k])
    return max(-32768, min(32767, (max(x, y) >> 3) + y)) * -5 + min(x, -9)


def turned(a, b, k):
    s, t = a[k] ^ b[k] * 5 & 0xffff, b[k] ^ a[k] * 7 & 0xffff
    return s - t if k == 0 else t - s


def used_elsewhere(p, q):
    s = [((p >> k & 0xffff) * (q >> k & 0xffff) + 77) & 0xffff for k in (0, 16)]
    return (s[0] * 3 & 0xffff) | (s[0] if s[0] & 1 else s[1] * 3 & 0xffff) << 16


def bytes_(p, q):
    word = 0
    for k in range(4):
        a, b = p >> 8 * k & 255, q >> 8 * k & 255
        word |= ((a & (60, 255)[k % 2]) + b - 200 & 255) << 8 * k
    return word


def sometimes(p, q):
    a, b = [p & 0xffff, p >> 16], [q & 0xffff, q >> 16]
    if a[0] % 3 == 0:
        a = [(x * y + x) & 0xffff for x, y in zip(a, b)]
    k = 0
    while k < (a[1] & 3):
        a = [(x * 5 + y) & 0xffff for x, y in zip(a, b)]
        k += 1
    return a[0] | a[1] << 16


def kept(p, q):
    return (p & 0xff000000) | sum(((p >> k & 255) * (q >> 24) >> 8 & 255) << k for k in (0, 8, 16))


# kernel, what one item gives, is it computed in the order of memory?
CASES = [
    ("blend", blend, True),
    ("scaled", shorts(lambda a, b, k: a[k] * (3, 60000)[k] + b[k] * 7 - (a[k] >> (3, 5)[k])), True),
    ("limited", shorts(lambda a, b, k: min(65535, abs(a[k] - b[k]) + a[k]) ^ max(b[k] - 1000, 0)), True),
    ("signed_limited", shorts(signed_limited), True),
    ("crossed", shorts(lambda a, b, k: (a[1 - k] * 3 + 1 & 0xffff) ^ b[k]), True),
    ("turned", shorts(turned), False),
    ("swapped", shorts(lambda a, b, k: (a[k] * 5 + b[k] * 9) * a[k]), True),
    ("used_elsewhere", used_elsewhere, False),
    ("bytes", bytes_, True),
    ("sometimes", sometimes, False),
    ("kept", kept, False),
]


def run(kernel, isa, size, p, q):
    items = 2 * ITEMS if kernel == "bytes" else ITEMS
    command = [sys.argv[1], "-g", str(items), "-w", str(ITEMS), "-s", str(size), "--isa", isa,
               "--explain", "-k", kernel, "-o", "2=-", sys.argv[2]]
    words = [",".join(map(str, x)) for x in (p, q)]
    command += ["u32[%d]=%s" % (ITEMS, x) for x in words] + ["u32[%d]" % ITEMS]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment)
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (kernel, done.stderr[-500:].decode()))
    return list(struct.unpack("<%dI" % ITEMS, done.stdout)), done.stderr.decode()


def main():
    failed = 0
    numbers = random.Random(7)
    p, q = ([numbers.getrandbits(32) for _ in range(ITEMS)] for _ in range(2))
    for isa in levels():
        for kernel, item, stored in CASES:
            want = [item(x, y) & 0xffffffff for x, y in zip(p, q)]
            for size in (4, 16, 64):
                got, told = run(kernel, isa, size, p, q)
                wrong = next((k for k in range(ITEMS) if got[k] != want[k]), None)
                good = wrong is None and stored == ("computed in the order of memory" in told)
                failed += not good
                if wrong is not None:
                    print("FAILED %s, %s, %d lanes: item %d is %08x, must be %08x" %
                          (kernel, isa, size, wrong, got[wrong], want[wrong]))
                elif not good:
                    print("FAILED %s, %s, %d lanes: is%s computed in the order of memory" %
                          (kernel, isa, size, " not" if stored else ""))
    print("%d failed" % failed)
    return failed > 0


sys.exit(main())
