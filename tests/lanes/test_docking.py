#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A docking kernel of 3, 4 and 8 poses to a work-item: specialised and first code at every instruction set
and
several sub-group sizes leave what masked code of four lanes does. usage: test_docking.py SPIRV_RUN
MODULE.spv..."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ARGUMENTS = ["f32[4096]=rand:5", "f32[4096]=rand:6", "f32[4096]=rand:1", "f32[4096]", "f32[4096]=rand:9",
             "9", "7",
             "512"]


def run(spirv_run, tier, options, module):
    environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_VERIFY="1", LANEWISE_CACHE="0")
    command = [spirv_run, "-g", "64", "-w", "64"] + options + [module] + ARGUMENTS
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=300)


def main(spirv_run, modules):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for turn, module in enumerate(modules):
            want = os.path.join(folder, "want.npy")
            made = run(spirv_run, "masked", ["-s", "4", "--isa", "sse4.2", "-o", "3=" + want], module)
            if made.returncode:
                print("FAILED %s: %s" % (module, made.stdout))
                failed += 1
                continue
            for isa in levels():
                for tier, size in (("specialised", "16"), ("specialised", ("4", "8", "32", "64")[turn % 4]),
                                   ("first", "8")):
                    options = ["-s", size, "--isa", isa, "--rtol", "1e-3", "--atol", "1e-1", "--expect",
                               "3=@" + want]
                    made = run(spirv_run, tier, options, module)
                    if made.returncode:
                        print("FAILED %s, %s, %s, sub-group size %s: %s" %
                              (module, tier, isa, size, made.stdout))
                        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
