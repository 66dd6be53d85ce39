#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of final_exchanges.cl: what must be in memory behind them, and which of them are said to wait
for others.

    test_final_exchanges.py SPIRV_RUN MODULE.spv
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, ROOM = 64, 256
KEYS = [(k * 7919 + 13) % 41 * 1000003 + 1 for k in range(ITEMS)]  # 41 different ones
EMPTY = [0] * ROOM


def is_inserted(table, seen):
    """Each once, none behind an empty place."""
    filled = [x for x in table if x]
    for key in KEYS:
        at = key * 2654435761 & 255
        while table[at] not in (0, key):
            at = (at + 1) & 255
        if table[at] != key:
            return False
    return sorted(filled) == sorted(set(KEYS))


def is_beside(table, seen):
    firsts = sorted(key for key, old in zip(KEYS, seen) if old == 0)
    return is_inserted(table, seen) and firsts == sorted(set(KEYS)) and \
        all(old in (0, key) for key, old in zip(KEYS, seen))


def is_lent(table, seen):
    return table == EMPTY and sum(seen[4:8]) == ITEMS


# kernel: what must hold; is it said to wait in specialised code, in masked code?
CASES = {
    "inserted": (is_inserted, False, False),
    "beside": (is_beside, False, True),
    "claimed": (lambda table, seen: table == [1] * ROOM, False, False),
    "lent": (is_lent, True, True),
    "lent_by_store": (is_lent, True, True),
    "lent_by_exchange": (is_lent, True, True),
    "asked": (lambda table, seen: table == [7] + [0] * (ROOM - 1), True, True),
    "asked_by_number": (lambda table, seen: table == [0, 9] + [0] * (ROOM - 2), True, True),
}


def run(name, folder, *options, **environment):
    files = [os.path.join(folder, "%d.bin" % k) for k in (0, 2)]
    command = [sys.argv[1], "-g", str(ITEMS), "-w", "32", "-k", name, "--timeout", "60", *options,
               "-o", "0=" + files[0], "-o", "2=" + files[1], sys.argv[2], "u32[%d]" % ROOM,
               "u32[%d]=%s" % (ITEMS, ",".join(map(str, KEYS))), "u32[%d]" % ITEMS]
    done = subprocess.run(command, capture_output=True, text=True,
                          env=dict(os.environ, LANEWISE_CACHE="0", LANEWISE_VERIFY="1", **environment))
    if done.returncode:
        raise SystemExit("FAILED %s: %s" % (name, (done.stdout + done.stderr)[-500:]))
    found = []
    for path in files:
        with open(path, "rb") as file:
            data = file.read()
        found.append(list(struct.unpack("<%dI" % (len(data) // 4), data)))
    return done.stdout, found


failed = 0
with tempfile.TemporaryDirectory() as folder:
    for isa in levels():
        for name, (holds, *waits) in CASES.items():
            for tier, waiting in zip(("specialised", "masked", "first"), waits + [None]):
                for size in "4", "16", "64":
                    found = run(name, folder, "--isa", isa, "-s", size, LANEWISE_TIER=tier)[1]
                    if not holds(*found):
                        failed += 1
                        print("FAILED %s, %s, %s, sub-groups of %s: %s" % (name, isa, tier, size, found))
                if waiting is None:
                    continue
                told = run(name, folder, "--isa", isa, "--explain", LANEWISE_TIER=tier)[0]
                if ("take turns" in told) != waiting:
                    failed += 1
                    print("FAILED %s, %s, %s: who waits" % (name, isa, tier))
print("%d failed" % failed)
sys.exit(failed != 0)
