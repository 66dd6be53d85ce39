#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables of 128 bytes lie where their alignment says, in private, local, program-scope and constant
memory.

    test_aligned.py SPIRV_RUN MODULE.spv...
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

run, *modules = sys.argv[1:]
ITEMS, N = 24, 4
wanted = ",".join(str(v) for i in range(ITEMS) for v in (N + i, N + i + 1, 5, 2 * (N + i), 1 + i % 2, 1 + N))
failed = 0
for module in modules:
    for isa in levels():
        for size in (4, 8, 16, 32, 64):
            for tier in ("masked", "first", "specialised"):
                made = subprocess.run([run, "-g", str(ITEMS), "-w", "12", "-s", str(size), "--expect",
                                       "0=" + wanted,
                                       module, "i64[%d]" % (6 * ITEMS), str(N)], capture_output=True,
                                       text=True,
                                      env={**os.environ, "LANEWISE_CACHE": "0", "LANEWISE_ISA": isa,
                                           "LANEWISE_TIER": tier})
                if made.returncode:
                    failed += 1
                    print("FAILED %s, %s, sub-group size %d, %s: %s" %
                          (module, isa, size, tier, made.stdout + made.stderr))
sys.exit(failed != 0)
