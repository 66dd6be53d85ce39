#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random SPIR-V assembly, by seed, against what this file computes of it: what no producer writes.

    random_assembly.py write SEED                      the text of one module
    random_assembly.py run [OPTIONS] FIRST COUNT       assembles and runs them

A module has two kernels and functions that both call. A kernel has a row of values to read and one to write
per work-item. Control flow is drawn as a graph: any jump forward, and backward those that fuel allows, so
that loops have several entries; unreachable blocks too. Values are those that dominate, phis join any.
A refusal that docs/status.md names is no failure.
"""
import argparse
import itertools
import math
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from assembly_function import BUILT_INS, Function, Kernel
from assembly_groups import SUBGROUP
from assembly_module import STORED, Module, random_value
from assembly_values import (A, B, F, I, P, S, V, Endless, Memory, REGION, execute, pack, scalars, size_of,
                             unpack)
from machine import has


def make_module(seed):
    m = Module(seed)
    r = m.r
    m.shapes = []
    for k in range(4):
        parts = STORED + [V(e, n) for e in (I(8), I(32), F(32)) for n in (2, 3, 4)] + m.shapes * 3
        m.shapes.append(
            A(r.choice(parts), r.randint(1, 5)) if r.random() <
            .4 else S([r.choice(parts) for _ in range(r.randint(1, 4))], r.randrange(2)))
    m.shapes = [t for t in m.shapes if size_of(t) <= 512]
    parts = m.shapes + [B, V(B, r.choice((2, 3, 4, 8))), r.choice(STORED)]
    m.values_only = [
        S([B] + [r.choice(parts) for _ in range(r.randint(0, 3))]),
        A(r.choice([B, V(B, 3), S([B, r.choice(STORED)])]), r.randint(1, 4))
    ]
    m.dimensions, m.offset = r.choice((1, 1, 1, 2, 3)), r.random() < .2
    for name, (region, t, _) in BUILT_INS.items():
        m.ids[name] = m.built_in(name, region, t)
    m.spec_constants()
    for k in range(r.randint(0, 4)):
        m.global_variable(r.choice(("UniformConstant", "CrossWorkgroup", "Workgroup")))
    functions = []
    for k in range(r.randint(0, 3)):
        some = [
            r.choice(STORED),
            V(r.choice(STORED), r.choice((2, 4))),
            r.choice(m.shapes),
            r.choice(m.shapes), B
        ]
        params = [
            t if r.random() < .6 or t == B else P(r.choice(("Function", "Generic")), t)
            for t in r.sample(some, r.randint(0, 4))
        ]
        f = Function(m, m.fresh("f"), r.choice(some + [None]), params)
        f.callable = list(functions)
        f.make(r.choice((1, 2, 4, 7)), 4)
        functions.append(f)
    kernels = []
    for k in range(2):
        kernel = Kernel(m, "%%k%d" % k)
        kernel.callable = functions
        kernel.make(r.choice((1, 2, 3, 5, 8, 12, 20, 40)), r.choice((3, 6, 10)))
        kernels.append(kernel)
    return m, kernels


def places(sizes):
    """Of a range: every place, x first."""
    return [p[::-1] for p in itertools.product(*[range(n) for n in reversed(sizes)])]


def linear(at, sizes):
    return at[0] + sizes[0] * (at[1] + sizes[1] * at[2])


def expect(kernel, rows, values, shape, local, offset, lanes):
    """What all work-items write."""
    out = bytearray(size_of(kernel.out) * math.prod(shape))
    groups = [-(-n // k) for n, k in zip(shape, local)]
    arguments = [(40 + k) * REGION if t[0] in "as" else x
                 for k, (t, x) in enumerate(zip(kernel.by_value, values))]
    for group in places(groups):
        first = [g * k for g, k in zip(group, local)]
        sizes = [min(k, n - f) for k, n, f in zip(local, shape, first)]
        size = math.prod(sizes)
        running, answers = [], [None] * size
        for k, at in enumerate(places(sizes)):
            own = {key: bytearray(data) for key, data in kernel.module.regions.items()}
            own.update({2: rows, 3: out})
            given = enumerate(zip(kernel.by_value, values))
            own.update({40 + j: bytearray(pack(t, x)) for j, (t, x) in given})
            there = [f + a for f, a in zip(first, at)]
            ids = {
                "GlobalInvocationId": tuple(x + o for x, o in zip(there, offset)),
                "LocalInvocationId": at,
                "SubgroupSize": min(lanes, size - k // lanes * lanes),
                "SubgroupLocalInvocationId": k % lanes,
                "WorkDim": kernel.module.dimensions,
                "GlobalSize": shape,
                "WorkgroupSize": tuple(sizes),
                "EnqueuedWorkgroupSize": local,
                "NumWorkgroups": tuple(groups),
                "WorkgroupId": group,
                "GlobalOffset": offset,
                "GlobalLinearId": linear(there, shape),
                "LocalInvocationIndex": k,
                "SubgroupMaxSize": lanes,
                "NumSubgroups": -(-size // lanes),
                "NumEnqueuedSubgroups": -(-math.prod(local) // lanes),
                "SubgroupId": k // lanes
            }
            own.update({BUILT_INS[n][0]: pack(BUILT_INS[n][1], x) for n, x in ids.items()})
            running.append(execute(kernel, [2 * REGION, 3 * REGION] + arguments, Memory(own)))
        asked = [step(coroutine, None) for coroutine in running]
        while any(asked):
            for members in next_together(asked, lanes):
                inst = asked[members[0]][0]
                answers = inst.run([asked[k][1] for k in members], [k % lanes for k in members])
                for k, answer in zip(members, answers):
                    asked[k] = step(running[k], answer)
    return bytes(out)


def step(coroutine, answer):
    try:
        return coroutine.send(answer)
    except StopIteration:
        return None


def next_together(asked, lanes):
    """Who does the next operation together: of a sub-group those who wait for one that only some come by,
    else all; of a work-group all."""
    found = []
    for k in range(0, len(asked), lanes):
        here = range(k, min(k + lanes, len(asked)))
        inst = next((asked[j][0] for j in here if asked[j] and asked[j][0].some), None)
        if inst:
            found.append([j for j in here if asked[j] and asked[j][0] is inst])
        elif asked[k] and asked[k][0].scope == SUBGROUP:
            found.append(list(here))
    found = found or [list(range(len(asked)))]
    for members in found:
        assert all(asked[j] and asked[j][0] is asked[members[0]][0] for j in members)
    return found


def differences(kernel, want, got, items):
    if len(got) != len(want):
        return ["%d bytes of output, not %d" % (len(got), len(want))]
    found, size = [], size_of(kernel.out)
    for at, t in scalars(kernel.out):
        n = size_of(t)
        for item in range(items):
            a, b = want[item * size + at:item * size + at + n], got[item * size + at:item * size + at + n]
            if a != b and not (t[0] == "f" and all(math.isnan(unpack(t, x)) for x in (a, b))):
                found.append("item %d, byte %d, %s: %s, not %s" % (item, at, t, unpack(t, b), unpack(t, a)))
    return found


def argument(t, x):
    """As spirv-run reads it."""
    if t[0] in "as":
        return "hex:" + pack(t, x).hex()
    return ",".join(map(str, x)) if t[0] == "v" else str(x)


def number_of(sizes):
    return ",".join(map(str, sizes))


RANGES = {1: ((13, 1, 1), (64, 1, 1), (100, 1, 1)), 2: ((10, 10, 1), (64, 2, 1), (5, 7, 1), (1, 40, 1)),
          3: ((4, 4, 5), (3, 5, 7), (32, 1, 2))}
LOCALS = {1: [(n, 1, 1) for n in (1, 3, 7, 16, 24, 32, 60, 64)],
          2: ((4, 4, 1), (8, 8, 1), (7, 3, 1), (2, 16, 1), (16, 1, 1), (1, 5, 1), (16, 4, 1)),
          3: ((4, 4, 4), (2, 2, 2), (3, 1, 2), (8, 2, 4), (1, 3, 7), (16, 1, 2))}


def ways(r, dimensions):
    """What one module is run with: instruction set, environment, sub-group and local size."""
    for isa, tier in (("sse4.2", "masked"), ("avx2", "specialised"), ("avx512", "specialised"),
                      (r.choice(("avx512", "avx2")), r.choice(("masked", "first"))),
                      (r.choice(("avx512", "sse4.2")), "specialised")):
        env = {"LANEWISE_CACHE": "0", "LANEWISE_TIER": tier}
        if r.random() < .25:
            env["LANEWISE_INLINE"] = "0"
        if r.random() < .2:
            env["LANEWISE_GATHERS"] = r.choice(("fast", "slow"))
        lanes = r.choice((4, 8, 16, 32, 64))
        if tier == "specialised" and r.random() < .25:
            env["LANEWISE_LANES"] = r.choice(("1", "4", "8", "16", "32", "64"))
        if r.random() < .2:
            env["LANEWISE_VALUES"] = "always"
        if has(isa):
            yield isa, env, lanes, r.choice(LOCALS[dimensions])


def run_seed(args, seed, folder):
    """Returns what is wrong."""
    module, kernels = make_module(seed)
    text, spv = os.path.join(folder, "%d.spvasm" % seed), os.path.join(folder, "%d.spv" % seed)
    with open(text, "w") as file:
        file.write(module.text())
    version = "spv1.%d" % (module.version - 10)
    made = subprocess.run(["spirv-as", "--target-env", version, text, "-o", spv], stderr=subprocess.PIPE)
    if not made.returncode:
        made = subprocess.run(["spirv-val", "--target-env", version, spv],
                              stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    if made.returncode:
        return ["generator: " + (made.stderr + (made.stdout or b"")).decode()], 0
    r, wrong, runs = random.Random(seed), [], 0
    shape, offset = r.choice(RANGES[module.dimensions]), (0, 0, 0)
    if module.offset:
        offset = tuple(r.choice((0, 3, 1 << 32)) if k < module.dimensions else 0 for k in range(3))
    items = math.prod(shape)
    for kernel in kernels:
        rows = bytearray()
        for _ in range(items):
            rows += pack(kernel.row, random_value(r, kernel.row))
        values = [random_value(r, t) for t in kernel.by_value]
        data = os.path.join(folder, "%d-%s.bin" % (seed, kernel.name[1:]))
        with open(data, "wb") as file:
            file.write(rows)
        want = None
        for isa, env, n, local in ways(r, module.dimensions):
            try:
                if want is None or kernel.together or kernel.shaped:
                    want = expect(kernel, rows, values, shape, local, offset, n)
            except Endless:
                break
            command = [
                args.spirv_run, "-k", kernel.name[1:], "-g",
                number_of(shape[:module.dimensions]), "-w",
                number_of(local[:module.dimensions]), "--offset",
                number_of(offset[:module.dimensions]), "-s",
                str(n), "--isa", isa, "-o", "1=-", "--timeout", "60"
            ]
            for key, x in module.specs.items():
                command += ["--spec", "%d=%d" % (key, x)]
            command += [spv, "@" + data, "u8[%d]" % len(want)]
            command += [argument(t, x) for t, x in zip(kernel.by_value, values)]
            made = subprocess.run(command,
                                  env=dict(os.environ, **env),
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            said = made.stderr.decode(errors="replace")
            if made.returncode == 3 and "is computed of an address or of a structure" in said:
                break
            runs += 1
            found = ["status %d: %s" % (made.returncode, said[-600:])] if made.returncode else \
                differences(kernel, want, made.stdout, items)
            if found:
                words = ["%s=%s" % x for x in env.items()] + command
                wrong.append("%s: %s\n    %s" %
                             (kernel.name, "; ".join(found[:3]), " ".join(map(shlex.quote, words))))
    return wrong, runs


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("write", "run"))
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--spirv-run",
                        default=os.path.join(here, "..", "..", "build", "tools", "spirv-run"))
    parser.add_argument("--keep", metavar="FOLDER", help="leaves what fails there")
    args = parser.parse_args()
    if args.command == "write":
        sys.stdout.write(make_module(args.first)[0].text())
        return 0
    if not (shutil.which("spirv-as") and shutil.which("spirv-val")):
        print("spirv-as and spirv-val are not installed")
        return 77
    failed = total = 0
    for seed in range(args.first, args.first + args.count):
        with tempfile.TemporaryDirectory() as folder:
            wrong, runs = run_seed(args, seed, folder)
            total += runs
            if wrong:
                failed += 1
                if args.keep:
                    for name in os.listdir(folder):
                        shutil.copy(os.path.join(folder, name), args.keep)
                    wrong = [w.replace(folder, args.keep) for w in wrong]
                print("FAILED seed %d: %s\n  repeat: random_assembly.py run %d" %
                      (seed, "\n  ".join(wrong[:3]), seed),
                      flush=True)
    print("%d modules, %d runs, %d failed" % (args.count, total, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
