#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of side_by_side.cl against the same in Python, and by --explain: where an ISA gathers, whole
vectors and shuffles are used instead.

    test_side_by_side.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 256
KERNELS = {
    "pairs": lambda e, i, n: e(2 * i) * 3 + e(2 * i + 1),
    "backwards": lambda e, i, n: e(2 * (n - 1 - i)) * 3 + e(2 * (n - 1 - i) + 1),
    "triples": lambda e, i, n: e(3 * i) * 3 + e(3 * i + 1) * 5 + e(3 * i + 2),
    "two_of_four": lambda e, i, n: e(4 * i + 1) * 3 + e(4 * i + 2),
    "elements": lambda e, i, n: e(2 * i) * 3 + e(2 * i + 1),
}


def element(k):
    return k * 37 % 1009


failures = 0
for isa in levels():
    for kernel, value in KERNELS.items():
        for n in (ITEMS, 77):
            want = [value(element, i, n) if i < n else 0 for i in range(ITEMS)]
            data = "i32[%d]=%s" % (4 * ITEMS, ",".join(str(element(k)) for k in range(4 * ITEMS)))
            environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0",
                               LANEWISE_VERIFY="1")
            done = subprocess.run([sys.argv[1], "--explain", "-g", str(ITEMS), "-w", "64", "--isa", isa, "-k",
                                   kernel, "--expect", "0=" + ",".join(map(str, want)), sys.argv[2],
                                   "i32[%d]" % ITEMS, data, str(n)], capture_output=True, env=environment,
                                  text=True)
            loads = set(re.findall(r" load: (.*)", done.stdout))
            if done.returncode or (isa != "sse4.2" and not all("wide + shuffles" in x for x in loads)):
                failures += 1
                print("FAILED %s, %s, %d: %s\n%s" %
                      (isa, kernel, n, loads, (done.stdout + done.stderr)[-500:]))
print("%d failed" % failures)
sys.exit(failures != 0)
