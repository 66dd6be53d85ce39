#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of roots.cl against double precision, with zeros, infinities, NaN and subnormal numbers.

    test_roots.py SPIRV_RUN KERNELS.spv
"""
import array
import itertools
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

INF, NAN = math.inf, math.nan
GREATEST, LEAST, NORMAL = 2.0 ** 128 - 2.0 ** 104, 2.0 ** -149, 2.0 ** -126
SPECIAL = [0.0, 1.0, 4.0, 9.0, 2.0, 3.0, LEAST, 3 * LEAST, NORMAL - LEAST, NORMAL, 2 * NORMAL, 2.0 ** -64,
           1e-20, 1e20, 2.0 ** 64, 2.0 ** 126, 2.0 ** 127, GREATEST, INF, NAN]
SPECIAL += [-v for v in SPECIAL]


def of_bits(bits):
    return struct.unpack("f", struct.pack("I", bits))[0]


def root(y):
    return math.copysign(0.0, y) if y == 0 else NAN if not y > 0 else math.sqrt(y)


def quotient(x, y):
    s = root(y)
    if x != x or s != s or (x == 0 and s == 0) or (math.isinf(x) and math.isinf(s)):
        return NAN
    if s == 0:
        return math.copysign(INF, x) * math.copysign(1, s)
    return x / s


def length(v):
    if any(c != c for c in v):
        return None if any(map(math.isinf, v)) else NAN  # None: the specification leaves it open
    return INF if any(map(math.isinf, v)) else math.sqrt(sum(c * c for c in v))


def normal(v):
    if any(c != c for c in v):
        return [NAN] * len(v)
    if any(map(math.isinf, v)):
        v = [math.copysign(math.isinf(c), c) for c in v]
    size = length(v)
    return [c / size if size else c for c in v]


def error(got, want):
    """In units in the last place of `want`; where that is beyond all floats, of the greatest."""
    if want is None:
        return 0
    if want != want or got != got:
        return 0 if want != want and got != got else INF
    if math.isinf(want) or abs(want) >= 2.0 ** 128:
        return 0 if abs(got) > 0.9999999 * GREATEST and (got > 0) == (want > 0) else INF
    if want == 0:
        return 0 if got == 0 and math.copysign(1, got) == math.copysign(1, want) else abs(got) / LEAST
    if math.isinf(got):
        return 0 if abs(want) > 0.9999999 * GREATEST and (got > 0) == (want > 0) else INF
    return abs(got - want) / 2.0 ** (max(math.frexp(want)[1] - 1, -126) - 23)


def rows(values):
    return [values[k:k + 4] for k in range(0, len(values), 4)]


def expect(kernel, x, y):
    if kernel in ("quotient", "quotient_native", "quotient4"):
        return [quotient(a, b) for a, b in zip(x, y)]
    if kernel == "root_native":
        return [root(b) for b in y]
    both = list(zip(rows(x), rows(y)))
    if kernel == "quotient3":
        return [v for a, b in both for v in [quotient(c, b[0]) for c in a[:3]] + [root(b[0])]]
    if kernel == "lengths":
        return [v for a, b in both for v in (length(a[:2]), length(a[:3]), length(a),
                                             length([c - d for c, d in zip(a[:3], b[:3])]))]
    out = []
    for i, (a, _) in enumerate(both):
        count = 4 - i % 3
        out += normal(a[:count]) + [0.0] * (4 - count)
    return out


def run(level, tier, kernel, x, y, folder):
    paths = [os.path.join(folder, name) for name in ("x.bin", "y.bin", "out.bin")]
    for path, values in zip(paths, (x, y)):
        with open(path, "wb") as f:
            array.array("f", values).tofile(f)
    each = 1 if kernel in ("quotient", "quotient_native", "root_native") else 4
    environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    subprocess.run([sys.argv[1], "-g", str(len(x) // each), "--isa", level, "-k", kernel,
                    "-o", "0=" + paths[2], sys.argv[2], "f32[%d]" % len(x), "@" + paths[0], "@" + paths[1]],
                   check=True, env=environment, stdout=subprocess.DEVNULL)
    with open(paths[2], "rb") as f:
        return array.array("f", f.read()).tolist()


# units in the last place: of a quotient by a root less than of the division alone
LIMITS = {"quotient": 2.0, "quotient_native": 2.0, "quotient4": 2.0, "quotient3": 2.0, "root_native": 2.0,
          "lengths": 1.0, "normals": 1.0}
generator = random.Random(1)
pairs = list(itertools.product(SPECIAL, SPECIAL))
pairs += [(of_bits(generator.getrandbits(32)), of_bits(generator.getrandbits(31))) for _ in range(30000)]
pairs += [(generator.uniform(-4, 4), generator.uniform(0, 4)) for _ in range(30000)]
generator.shuffle(pairs)
X = array.array("f", [a for a, _ in pairs]).tolist()
Y = array.array("f", [b for _, b in pairs]).tolist()
del X[len(X) // 4 * 4:], Y[len(Y) // 4 * 4:]
failures = 0
with tempfile.TemporaryDirectory() as scratch:
    for which, limit in LIMITS.items():
        wanted = expect(which, X, Y)
        for level in levels():
            for tier in ("masked", "first", "specialised"):
                worst = max((error(g, w), i) for i, (g, w) in
                            enumerate(zip(run(level, tier, which, X, Y, scratch), wanted)))
                if worst[0] > limit:
                    failures += 1
                    print("FAILED %s, %s, %s: %g ULP at %d" % (which, level, tier, worst[0], worst[1]))
                elif tier == "masked":
                    print("%s, %s: at most %.2f ULP" % (which, level, worst[0]))
print("%d failed" % failures)
sys.exit(failures != 0)
