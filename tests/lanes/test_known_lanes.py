#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of known_lanes.cl against the same in Python; and, by spirv-run's dump of what the compiler
writes, that no scatter, and on processors that are slow at them no gather, is left of lanes that are known.

    test_known_lanes.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, ROOM, BEFORE = 256, 512, 77
TYPES = {"uchar": "u8", "short": "i16", "int": "i32", "float": "f32", "long": "i64", "double": "f64"}
GROUPS = ("64", "256", "32")
values = [k * 37 % 101 for k in range(ITEMS + 1)]
far = [k * 11 % ITEMS if k % 4 == 2 else 2**31 - 1 - k for k in range(ITEMS)]

# name: which work-items store, where, what
KERNELS = {
    "halves": (lambda i: i % 2 == 0, lambda i: i // 2, lambda i: values[i] + values[i ^ 1]),
    "quarters": (lambda i: i % 4 == 1, lambda i: i // 4, lambda i: values[i] + values[i + 1]),
    "back": (lambda i: i % 2 == 1, lambda i: (255 - i) // 2, lambda i: values[i]),
    "pieces": (lambda i: i % 2 == 0, lambda i: (i & 4) * 40 + (i & ~7) // 4 + (i & 2) // 2,
               lambda i: values[i]),
    "leaders": (lambda i: i % 8 == 5, lambda i: i * 3 // 2, lambda i: values[i]),
    "looked_up": (lambda i: True, lambda i: i, lambda i: values[far[i]] if i % 4 == 2 else 5),
}


def text(kind, numbers):
    return "%s[%d]=%s" % (kind, len(numbers), ",".join(map(str, numbers)))


def run(name, type_name, isa, lanes, group):
    stores, place, value = KERNELS[name]
    want = [BEFORE] * ROOM
    for i in filter(stores, range(ITEMS)):
        want[place(i)] = value(i)
    kind = TYPES[type_name]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1",
                       LANEWISE_LANES=lanes, LANEWISE_GATHERS="slow")
    command = [sys.argv[1], "-g", str(ITEMS), "-w", group, "--isa", isa, "--dump", "broaden,halves",
               "-k", "%s_%s" % (name, type_name), "--expect", "0=" + ",".join(map(str, want)), sys.argv[2],
               text(kind, [BEFORE] * ROOM), text(kind, values)]
    if name == "looked_up":
        command.append(text("i32", far))
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s_%s, %s, %s lanes, groups of %s: %s"
                         % (name, type_name, isa, lanes, group, (done.stdout + done.stderr)[-500:]))
    return done.stderr


failed = 0
for isa in levels():
    for number, (name, type_name) in enumerate((n, t) for n in KERNELS for t in TYPES):
        for lanes in ("4", "8", "16", "32", "64")[number % 2::2]:
            group = GROUPS[number % 3]
            left = re.findall("call .*@llvm.masked.(gather|scatter)", run(name, type_name, isa, lanes, group))
            # Four lanes hold one of eight work-items now and then; a sub-group wider than its group has some
            # that are never there; elements of 8 and 16 bits have no gathers and scatters.
            known = int(lanes) <= int(group) and (name != "leaders" or lanes != "4")
            if left and known and type_name not in ("uchar", "short"):
                failed += 1
                print("FAILED %s_%s, %s, %s lanes, groups of %s: left are %s"
                      % (name, type_name, isa, lanes, group, left))
print("%d failed" % failed)
sys.exit(failed != 0)
