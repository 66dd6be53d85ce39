#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""By spirv-run --explain: what the kernels of strides.cl access in one piece where strides are 1, and
that the report says which are.

    test_unit_strides.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

WIDTH, HEIGHT = 64, 16
# kernel, range, p, q, ra, rs, cs; arguments that the report names, and how often memory is in pieces
CASES = (
    ("axpy", 1, 1, 1, 7, 7, 7, "3 6", 0),
    ("axpy", 1, 1, 7, 7, 7, 7, "3", 2),
    ("axpy", 1, 7, 1, 7, 7, 7, "6", 1),
    ("axpy", 1, 7, 7, 1, 1, 1, "", 3),
    ("called", 1, 1, 1, 7, 7, 7, "3 6", 0),
    ("gemv", 1, 1, 1, 7, 1, WIDTH, "6 8", 0),
    ("walk", 1, 1, 1, 7, 7, 7, "3 6", 0),
    ("both", 2, 1, 1, 7, WIDTH, 1, "9", 0),
    ("both", 2, 1, 1, 7, 1, WIDTH, "8", 0),
    ("turned", 2, 7, 7, WIDTH, WIDTH, 1, "9", 0),
)


def report(kernel, dimensions, p, q, ra, rs, cs, isa):
    size = "%d,%d" % (WIDTH, HEIGHT) if dimensions == 2 else str(WIDTH)
    memory = "i32[8192]"
    command = [sys.argv[1], "--explain", "--isa", isa, "-g", size, "-k", kernel, sys.argv[2],
               str(WIDTH), memory, "0", str(p), memory, "0", str(q), str(ra), str(rs), str(cs)]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s, %s: %s" % (kernel, isa, (done.stdout + done.stderr)[-500:]))
    return done.stdout


failed = 0
for isa in levels():
    for *case, named, pieces in CASES:
        text = report(*case, isa)
        seen = " ".join(re.findall(r"argument +(\d+) .*: 1\b", text))
        scattered = len(re.findall(r"(?:load|store): (?:gathered|scattered)", text))
        if seen != named or scattered != pieces:
            failed += 1
            print("FAILED %s: %s: arguments %s, %d accesses in pieces\n%s" %
                  (isa, case, seen, scattered, text))
print("%d failed" % failed)
sys.exit(failed != 0)
