#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""By spirv-run --dump emit: no variable of a kernel is smaller than the pointers that are stored in it,
whatever its module declares (memory_compared_variable, by clang-22 at -O0).

    test_rooms.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

environment = dict(os.environ, LANEWISE_CACHE="0", LANEWISE_TIER="specialised")
done = subprocess.run([sys.argv[1], "--dump", "emit", "-g", "64", "-k", "memory_compared_variable",
                       sys.argv[2], "u32[64]", "u32[4096]", "1"], capture_output=True, env=environment,
                      text=True)
if done.returncode:
    raise SystemExit("FAILED: " + (done.stdout + done.stderr)[-500:])
variables = dict(re.findall(r"(%\S+) = alloca ([^\n]*?), align", done.stderr))
stored = set(re.findall(r"store ptr(?: addrspace\(\d\))? \S+, ptr (%[^\s,]+)", done.stderr)) & set(variables)
small = ["%s: %s" % (v, variables[v]) for v in stored if variables[v] in ("i8", "i16", "i32")]
print("%d variables hold pointers, too small: %s" % (len(stored), small or "none"))
sys.exit(bool(small) or len(stored) < 3)
