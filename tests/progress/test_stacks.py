#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Work-items that wait with many values alive, which lie on the stack of their sub-group: as many as fit are
right, more are refused by name. Those of a loop that might have waited, and does not, lie on the thread's.

    test_stacks.py SPIRV_RUN CLANG
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 100


WAITS = "while (!*flag)\n        ;"
COUNTS = "for (uint k = 0; k < i % 5; k++)\n        h += atomic_inc(flag) >> 31;"


def source(count, loop):
    takes = "\n".join("    ulong a%d = in[%d + i];" % (k, k * ITEMS) for k in range(count))
    uses = "\n".join("    h = h * 31 + a%d;" % k for k in range(count))
    return """kernel void many(global ulong *out, global const ulong *in, volatile global uint *flag)
{
    uint i = get_global_id(0);
    ulong h = 0;
%s
    %s
%s
    out[i] = h;
}
""" % (takes, loop, uses)


def wanted(count):
    made = []
    for i in range(ITEMS):
        h = 0
        for k in range(count):
            h = (h * 31 + k * ITEMS + i) % 2 ** 64
        made.append(h)
    return made


def compiled(clang, folder, count, loop):
    name = os.path.join(folder, "%s%d" % (loop.split()[0], count))
    text, module = name + ".cl", name + ".spv"
    with open(text, "w") as file:
        file.write(source(count, loop))
    subprocess.run([clang, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", "-O1", "-c", text, "-o", module],
                   check=True)
    return module


def fault_of(spirv_run, module, count, isa, size, tier, fits):
    """In words; None: there is none."""
    command = [spirv_run, "-g", str(ITEMS), "-w", str(ITEMS), "-s", str(size), "--isa", isa, "-o", "0=-",
               module, "u64[%d]" % ITEMS, "u64[%d]=iota" % (ITEMS * count), "u32[1]=1"]
    environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0")
    run = subprocess.run(command, capture_output=True, env=environment)
    told = run.stderr.decode()
    if not fits:
        refused = run.returncode in (1, 3) and "stack frame size" in told
        return None if refused else "not refused: %d %s" % (run.returncode, told)
    if run.returncode:
        return told
    got = list(struct.unpack("<%dQ" % ITEMS, run.stdout))
    return None if got == wanted(count) else "wrong numbers"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        few, many, counts = (compiled(sys.argv[2], folder, count, loop)
                             for count, loop in ((700, WAITS), (2500, WAITS), (2000, COUNTS)))
        isa = levels()[-1]
        for tier, module, count, fits in (("masked", few, 700, True), ("specialised", few, 700, True),
                                          ("masked", many, 2500, False), ("masked", counts, 2000, True)):
            fault = fault_of(sys.argv[1], module, count, isa, 64, tier, fits)
            if fault:
                failed += 1
                print("FAILED %d values, %s, %s: %s" % (count, isa, tier, fault))
    print("%d failed" % failed)
    return failed > 0


sys.exit(main())
