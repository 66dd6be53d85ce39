#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Integer dot products of every component width, count and result width, as no front end writes them all: one
kernel
of SPIR-V assembly each, run by spirv-run on every instruction set, against Python's integers.

    test_dots.py SPIRV_AS SPIRV_RUN
"""
import itertools
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS = 37
OPS = ("SDot", "UDot", "SUDot", "SDotAccSat", "UDotAccSat", "SUDotAccSat")


def cases():
    """(operation, component width, components, result width); components 0: four bytes packed."""
    for op in OPS:
        for width, result in ((8, 8), (8, 16), (8, 32), (8, 64), (16, 32), (16, 64), (32, 32), (32, 64),
                              (64, 64)):
            for count in (2, 3, 4):
                yield op, width, count, result
        for result in (8, 16, 32, 64):
            yield op, 8, 0, result


def module(chosen):
    out = ["OpCapability " + c for c in ("Addresses", "Kernel", "Linkage", "Int64", "Int16", "Int8",
                                         "DotProduct",
                                         "DotProductInputAll", "DotProductInput4x8Bit",
                                         "DotProductInput4x8BitPacked")]
    out += ['OpExtension "SPV_KHR_integer_dot_product"', "OpMemoryModel Physical64 OpenCL"]
    out += ['OpEntryPoint Kernel %%k%d "k%d" %%gid' % (k, k) for k in range(len(chosen))]
    out += ["OpDecorate %gid BuiltIn GlobalLinearId", "%void = OpTypeVoid"]
    for bits in (8, 16, 32, 64):
        out += ["%%i%d = OpTypeInt %d 0" % (bits, bits),
                "%%p%d = OpTypePointer CrossWorkgroup %%i%d" % (bits, bits)]
        out += ["%%v%dx%d = OpTypeVector %%i%d %d" % (bits, n, bits, n) for n in (2, 3, 4)]
    out += ["%pin = OpTypePointer Input %i64", "%gid = OpVariable %pin Input"]
    out += ["%%n%d = OpConstant %%i64 %d" % (k, k) for k in range(5)]
    types = sorted({(32 if n == 0 else w, r) for _, w, n, r in chosen})
    out += ["%%fn%d_%d = OpTypeFunction %%void %%p%d %%p%d %%p%d %%p%d" % (w, r, w, w, r, r) for w,
            r in types]
    for k, (op, width, count, result) in enumerate(chosen):
        width, parts = (32, 1) if count == 0 else (width, count)
        out.append("%%k%d = OpFunction %%void None %%fn%d_%d" % (k, width, result))
        out += ["%%%s%d = OpFunctionParameter %%p%d" % (a, k, width if a in "ab" else result) for a in "abco"]
        out += ["%%e%d = OpLabel" % k, "%%g%d = OpLoad %%i64 %%gid" % k,
                "%%f%d = OpIMul %%i64 %%g%d %%n%d" % (k, k, parts)]
        for a in "ab":
            for n in range(parts):
                at = "%s%d_%d" % (a, k, n)
                out += ["%%i%s = OpIAdd %%i64 %%f%d %%n%d" % (at, k, n),
                        "%%q%s = OpInBoundsPtrAccessChain %%p%d %%%s%d %%i%s" % (at, width, a, k, at),
                        "%%x%s = OpLoad %%i%d %%q%s Aligned %d" % (at, width, at, width // 8)]
            if count:
                out.append("%%v%s%d = OpCompositeConstruct %%v%dx%d %s"
                           % (a, k, width, count, " ".join("%%x%s%d_%d" % (a, k, n) for n in range(parts))))
        left, right = ("%%v%s%d" % (a, k) if count else "%%x%s%d_0" % (a, k) for a in "ab")
        for a in "co":
            out.append("%%q%s%d = OpInBoundsPtrAccessChain %%p%d %%%s%d %%g%d" % (a, k, result, a, k, k))
        out.append("%%z%d = OpLoad %%i%d %%qc%d Aligned %d" % (k, result, k, result // 8))
        accumulator = " %%z%d" % k if "AccSat" in op else ""
        packed = "" if count else " PackedVectorFormat4x8BitKHR"
        out += ["%%r%d = Op%sKHR %%i%d %s %s%s%s" % (k, op, result, left, right, accumulator, packed),
                "OpStore %%qo%d %%r%d Aligned %d" % (k, k, result // 8), "OpReturn", "OpFunctionEnd"]
    return "\n".join(out) + "\n"


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def expected(op, width, result, a, b, c):
    """None where the specification leaves it undefined: the product sum of a saturating one exceeds the
    result."""
    is_signed = not op.startswith("U")
    xs = [signed(x, width) if op[0] == "S" else x for x in a]
    ys = [signed(y, width) if op[:2] == "SD" else y for y in b]
    total = sum(x * y for x, y in zip(xs, ys))
    mask = (1 << result) - 1
    low, high = (-(1 << (result - 1)), (1 << (result - 1)) - 1) if is_signed else (0, mask)
    if "AccSat" in op:
        steps = list(itertools.accumulate(x * y for x, y in zip(xs, ys))) + [x * y for x, y in zip(xs, ys)]
        if any(not low <= s <= high for s in steps):
            return None
        total = min(max(total + (signed(c, result) if is_signed else c), low), high)
    return total & mask


def values(rng, bits, count):
    edges = [0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1]
    small = [k & ((1 << bits) - 1) for k in (1, 2, 3, -1, -2)]
    return [rng.choice(edges) if k % 3 == 0 else rng.choice(small) if k % 3 == 1 else rng.getrandbits(bits)
            for k in range(count)]


def raw(numbers, bits):
    return b"".join(x.to_bytes(bits // 8, "little") for x in numbers)


def run(tool, folder, spv, k, case, isa, size, rng):
    op, width, count, result = case
    parts, bits = (4, 8) if count == 0 else (count, width)
    a, b, c = values(rng, bits, ITEMS * parts), values(rng, bits, ITEMS * parts), values(rng, result, ITEMS)
    files = []
    for name, data in (("a", raw(a, bits)), ("b", raw(b, bits)), ("c", raw(c, result)),
                       ("o", bytes(ITEMS * result // 8))):
        files.append(os.path.join(folder, name + ".bin"))
        with open(files[-1], "wb") as f:
            f.write(data)
    out = os.path.join(folder, "out.bin")
    command = [tool, "-k", "k%d" % k, "-g", str(ITEMS), "-w", "20", "-s", str(size), "--isa", isa, "-o",
               "3=" + out, spv]
    done = subprocess.run(command + ["@" + f for f in files], capture_output=True, text=True)
    if done.returncode:
        return "%s: %s" % (case, done.stderr)
    with open(out, "rb") as f:
        got = f.read()
    for i in range(ITEMS):
        want = expected(op, bits, result, a[i * parts:(i + 1) * parts], b[i * parts:(i + 1) * parts], c[i])
        have = int.from_bytes(got[i * result // 8:(i + 1) * result // 8], "little")
        if want is not None and want != have:
            return "%s, %s, N %d: item %d is %#x, not %#x" % (case, isa, size, i, have, want)
    return None


def main():
    assembler, tool = sys.argv[1:]
    os.environ["LANEWISE_CACHE"] = "0"
    isas, chosen, rng, failed = levels(), list(cases()), random.Random(7), 0
    with tempfile.TemporaryDirectory() as folder:
        text, spv = os.path.join(folder, "dots.spvasm"), os.path.join(folder, "dots.spv")
        with open(text, "w") as f:
            f.write(module(chosen))
        subprocess.run([assembler, "--target-env", "spv1.4", text, "-o", spv], check=True)
        for k, case in enumerate(chosen):
            isa, size = isas[k % len(isas)], (4, 8, 16, 32, 64)[k % 5]
            message = run(tool, folder, spv, k, case, isa, size, rng)
            if message:
                print("FAILED", message)
                failed += 1
    print("%d kernels, %d failed" % (len(chosen), failed))
    return 1 if failed else 0


sys.exit(main())
