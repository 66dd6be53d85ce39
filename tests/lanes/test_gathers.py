#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of gathers.cl against the same in Python, gathered and loaded one by one; and, by spirv-run's
dump of what the compiler writes, that each is what was asked for.

    test_gathers.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, PLACES, BEFORE = 128, 1064, 64
TYPES = {"uchar": ("u8", 1), "short": ("i16", 1), "int": ("i32", 1), "float": ("f32", 1), "long": ("i64", 1),
         "double": ("f64", 1), "float2": ("f32", 2), "short4": ("i16", 4)}
INDICES = {"int": "i32", "uint": "u32", "long": "i64", "ulong": "u64"}
FAR = {"int": 2**31 - 1, "uint": 2**32 - 1, "long": 2**40, "ulong": 2**63}


def text(kind, values):
    return "%s[%d]=%s" % (kind, len(values), ",".join(map(str, values)))


def values_of(kind, count):
    return [k * 37 % (251 if kind == "u8" else 30011) for k in range(count)]


def cases():
    for index, of in INDICES.items():
        low = -BEFORE if of[0] == "i" else 0
        at = [low + k * 7919 % (1000 - low) for k in range(ITEMS)]
        for name, (kind, parts) in TYPES.items():
            table = values_of(kind, PLACES * parts)
            want = [table[(BEFORE + k) * parts + p] for k in at for p in range(parts)]
            yield "all_%s_%s" % (name, index), kind, table, of, at, want
            if name in ("uchar", "int", "float", "double"):
                some = [FAR[index] if n % 3 == 1 else k for n, k in enumerate(at)]
                yield ("some_%s_%s" % (name, index), kind, table, of, some,
                       [7 if n % 3 == 1 else w for n, w in enumerate(want)])
    table, at = values_of("i32", PLACES), [k * 5 % 256 for k in range(ITEMS)]
    want = []
    for place in at:
        for _ in range(3):
            place = table[BEFORE + place] & 255
        want.append(table[BEFORE + place] + BEFORE + place)
    yield "links", "i32", table, "i32", at, want
    places = [(k * 7919 % 4096 & 511) + 7 for k in range(ITEMS)]
    want = [table[k] + (table[2 * k + 1] if table[k] & 1 else 0) for k in places]
    yield "few_bits", "i32", table, "u32", [k * 7919 % 4096 for k in range(ITEMS)], want


failed = 0


def run(case, isa, lanes, how):
    name, kind, table, of, at, want = case
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1",
                       LANEWISE_LANES=lanes, LANEWISE_GATHERS=how)
    command = [sys.argv[1], "-g", str(ITEMS), "-w", "64", "--isa", isa, "--dump", "single_loads", "-k", name,
               "--expect", "0=" + ",".join(map(str, want)), sys.argv[2], "%s[%d]" % (kind, len(want)),
               text(kind, table), text(of, at)]
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s, %s, %s lanes, %s: %s"
                         % (name, isa, lanes, how, (done.stdout + done.stderr)[-500:]))
    return re.search("call .*@llvm.masked.gather", done.stderr) is not None


for isa in levels():
    for number, case in enumerate(cases()):
        numbers = ("4", "8", "16", "32", "64")
        if case[0] not in ("links", "few_bits"):
            numbers = numbers[number % 2::2]
        for lanes in numbers:
            made = {how: run(case, isa, lanes, how) for how in ("fast", "slow")}
            gathers = isa != "sse4.2" and not ("uchar" in case[0] or "short_" in case[0])
            masked = case[0].startswith(("some", "few_bits"))
            if gathers and (not made["fast"] or made["slow"] != masked):
                failed += 1
                print("FAILED %s, %s, %s lanes: gathers where they are fast %d, slow %d"
                      % (case[0], isa, lanes, made["fast"], made["slow"]))
print("%d failed" % failed)
sys.exit(failed != 0)
