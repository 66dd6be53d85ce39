#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of places.cl, which compare work-items' places with bounds inside and outside of their
sub-group and across the ends of their types, against the same in Python; and, by spirv-run's dump, that many
registers of ids are compared as bytes.

    test_places.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, LOCAL = 256, 128
# kernel, bits, place of i, what off may be
KERNELS = (
    ("ids", 64, lambda i, off: i, (0,)),
    ("moved", 64, lambda i, off: i + off, (0, 5, -1, -100, 2**63 - 70, 2**63)),
    ("ints", 32, lambda i, off: i, (0,)),
    ("moved_ints", 32, lambda i, off: i + off, (0, 5, -1, -100, 2**31 - 70, 2**31)),
    ("halves", 64, lambda i, off: i, (0,)),
    ("signs", 64, lambda i, off: i - 100, (0,)),
    ("local_ids", 32, lambda i, off: i % LOCAL, (0,)),
    ("twice", 64, lambda i, off: i * 2, (0,)),
    ("far", 64, lambda i, off: i * 3, (0,)),
    ("down", 64, lambda i, off: 255 - i, (0,)),
    ("masked", 32, lambda i, off: i & 15, (0,)),
)


def signed(x, bits):
    return x - (1 << bits if x >> (bits - 1) else 0)


def answers(x, bound, bits):
    s, t = signed(x, bits), signed(bound, bits)
    truths = (x < bound, x <= bound, x > bound, x >= bound, x == bound, x != bound, s < t, s <= t,
              bound < x, t <= s)
    return sum(truth << k for k, truth in enumerate(truths))


def check(name, bits, place, off, bound, isa, size):
    whole = (1 << bits) - 1
    if name == "halves":
        bound &= 255
    if name == "signs":
        bound = signed(bound & 2**32 - 1, 32)
    want = [answers(place(i, off) & whole, bound & whole, bits) for i in range(ITEMS)]
    command = [sys.argv[1], "-g", str(ITEMS), "-w", str(LOCAL), "-s", str(size), "--isa", isa, "--dump",
               "widen", "-k", name, "--expect", "2=" + ",".join(map(str, want)), sys.argv[2],
               str(off & whole), str(bound & whole), "u16[%d]" % ITEMS]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1",
                       LANEWISE_RESHAPE="0")
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s, %s, %d lanes, %d, %d: %s" %
                         (name, isa, size, off, bound, (done.stdout + done.stderr)[-300:]))
    return len(re.findall(r"icmp \w+ <%d x i%d>" % (size, 8 if size == 64 else 32), done.stderr))


failed = 0
for level in levels():
    for kernel, width, function, offs in KERNELS:
        for lanes in (8, 64):
            for first in offs:
                for limit in {0, 1, 127, first, first + 63, first + 64, first + 129, -1, 2**(width - 1)}:
                    found = check(kernel, width, function, first, limit, level, lanes)
                    if kernel in (("ids", "twice") if lanes == 64 else ("halves",)) and not found and \
                            (lanes == 64 or level != "sse4.2"):
                        failed += 1
                        print("FAILED %s, %s: ids are compared as they are" % (kernel, level))
print("%d failed" % failed)
sys.exit(failed != 0)
