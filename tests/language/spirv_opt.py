#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spirv-opt's passes one by one, then in random order: modules stay valid, and their kernels' results the
same.

    spirv_opt.py [--kernels N] [--orders N] [--through WAY,...] FIRST COUNT

The modules are those of random_vectors.py, as two producers write them without optimisation, with the
variables, branches and calls that the passes are for. A pass that spirv-opt itself fails with, or whose
result its own validator refuses where it took the module before, is not ours to judge.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

from opencl_program import OpenCL, make_il
from random_vectors import differences
from vector_kernels import IN_BYTES, ITEMS, OUT_BYTES, make_input, make_module

# Those that are for kernels; the others are for shaders, descriptors and interfaces.
PASSES = """--ccp --cfg-cleanup --combine-access-chains --compact-ids --convert-local-access-chains
--copy-propagate-arrays
--eliminate-dead-branches --eliminate-dead-code-aggressive --eliminate-dead-const --eliminate-dead-functions
--eliminate-dead-inserts --eliminate-dead-variables --eliminate-insert-extract --eliminate-local-multi-store
--eliminate-local-single-block --eliminate-local-single-store --flatten-decorations
--fold-spec-const-op-composite
--freeze-spec-const --if-conversion --inline-entry-points-exhaustive --local-redundancy-elimination
--loop-invariant-code-motion --loop-unroll --merge-blocks --merge-return --private-to-local --reduce-load-size
--redundancy-elimination --remove-duplicates --scalar-replacement=100 --simplify-instructions --ssa-rewrite
--strength-reduction --strip-debug --strip-nonsemantic --unify-const --vector-dce -O -Os""".split()


def is_valid(path):
    return subprocess.run(["spirv-val", path], capture_output=True).returncode == 0


def optimised(il, passes, folder):
    """The module after the passes, or None where spirv-opt is at fault."""
    source, out = os.path.join(folder, "before.spv"), os.path.join(folder, "after.spv")
    with open(source, "wb") as file:
        file.write(il)
    if os.path.exists(out):
        os.remove(out)
    made = subprocess.run(["spirv-opt", "--skip-validation", *passes, source, "-o", out], capture_output=True)
    if made.returncode or not os.path.exists(out) or (is_valid(source) and not is_valid(out)):
        return None
    with open(out, "rb") as file:
        return file.read()


def failures(cl, il, kernels, data, wanted):
    program, said = cl.build(il=il)
    if not program:
        return ["does not build: %s" % said.strip()[-500:]]
    found = []
    for kernel, (want, kinds) in zip(kernels, wanted):
        found += differences(kernel, want, kinds, cl.run(program, "k%d" % kernel.index, data, ITEMS))[:2]
    cl.cl.clReleaseProgram(program)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", type=int, default=4)
    parser.add_argument("--through", default="lanewise-O0,clang15-O0")
    parser.add_argument("--orders", type=int, default=12)
    parser.add_argument("first", type=int, nargs="?", default=1)
    parser.add_argument("count", type=int, nargs="?", default=1)
    options = parser.parse_args()
    cl, modules, skipped, bad = OpenCL((ITEMS * IN_BYTES, ITEMS * OUT_BYTES)), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.first, options.first + options.count):
            r = random.Random("orders %d" % seed)
            head, kernels = make_module(seed, options.kernels)
            data, wanted = make_input(seed), []
            for kernel in kernels:
                pairs = [kernel.expect(data[k * IN_BYTES:(k + 1) * IN_BYTES]) for k in range(ITEMS)]
                wanted.append(([p[0] for p in pairs], [p[1] for p in pairs]))
            orders = [[p] for p in PASSES] + [r.sample(PASSES,
                                                       r.randint(2, 8)) for _ in range(options.orders)]
            for way, passes in [(way, passes) for way in options.through.split(",") for passes in orders]:
                if passes == orders[0]:
                    il, said = make_il(way, "\n".join([head] + [k.text for k in kernels]), folder)
                    if not il:
                        sys.exit(said)
                after = optimised(il, passes, folder)
                modules, skipped = modules + 1, skipped + (after is None)
                found = failures(cl, after, kernels, data, wanted) if after else []
                bad += bool(found)
                if found:
                    print("FAILED seed %d, %s, %s: %s" % (seed, way, " ".join(passes), "; ".join(found[:2])),
                          flush=True)
    print("%d modules, %d that spirv-opt fails with, %d failed" % (modules, skipped, bad))
    sys.exit(bad != 0 or skipped * 2 > modules)


main()
