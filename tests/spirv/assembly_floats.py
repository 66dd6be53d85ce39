# SPDX-License-Identifier: MIT
"""Operations on floats, each drawn with its operands and with what it gives."""
import math
from fractions import Fraction

from assembly_draw import Skip, lanewise, ext, a_float, all_lanes, bounded
from assembly_values import B, F, I, V, clip, element, exact, rounded, signed, with_element


def nan_free(b, t):
    v = b.value(t)
    c = lanewise(b, "OpIsNan", with_element(t, B), [v], lambda x: x != x)
    if t[0] == "v":
        return lanewise(b, "OpSelect", t, [c, all_lanes(b, t, 1.5), v], lambda c, x, y: x if c else y)
    return b.op(t, "OpSelect", [c, b.constant(t, 1.5), v], lambda c, x, y: x if c else y)


def divide(x, y):
    if y == 0:
        return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1, y)
    return x / y


def multiply_add(w):
    def f(x, y, z):
        if math.isfinite(x) and math.isfinite(y) and math.isinf(z):
            return z
        if not all(map(math.isfinite, (x, y, z))) or x == 0 or y == 0:
            return x * y + z
        return exact(w, Fraction(x) * Fraction(y) + Fraction(z))

    return f


def float_arithmetic(b):
    t = a_float(b)
    w = element(t)[1]
    if b.r.random() < .15:
        return ext(b, "fma", t, [b.value(t) for _ in range(3)], multiply_add(w))
    name, f = b.r.choice([("OpFAdd", lambda x, y: x + y), ("OpFSub", lambda x, y: x - y),
                          ("OpFMul", lambda x, y: x * y), ("OpFDiv", divide)])
    return lanewise(b, name, t, [b.value(t), b.value(t)], lambda x, y: rounded(w, f(x, y)))


def float_unary(b):
    t = a_float(b)
    w = element(t)[1]

    def whole(f):
        return lambda x: x if x != x or math.isinf(x) or x == 0 else math.copysign(float(f(x)), x)

    def away(x):
        return math.floor(Fraction(abs(x)) + Fraction(1, 2))

    name, f = b.r.choice([("fabs", abs), ("floor", whole(lambda x: abs(math.floor(x)))),
                          ("ceil", whole(lambda x: abs(math.ceil(x)))), ("trunc", whole(math.trunc)),
                          ("rint", whole(round)), ("round", whole(away)), (None, lambda x: -x),
                          ("sign", lambda x: 0.0 if x != x else x if x == 0 else math.copysign(1.0, x))])
    return ext(b, name, t, [b.value(t)], f) if name else lanewise(b, "OpFNegate", t, [b.value(t)], f)


def float_binary(b):
    t = a_float(b)
    w = element(t)[1]
    name, f = b.r.choice([("fmin", lambda x, y: y if x != x else x if y != y else min(x, y)),
                          ("fmax", lambda x, y: y if x != x else x if y != y else max(x, y)),
                          ("fdim", lambda x, y: math.nan if x != x or y != y else rounded(w, x - y)
                           if x > y else 0.0),
                          ("fmod", lambda x, y: math.nan
                           if x != x or y != y or y == 0 or math.isinf(x) else math.fmod(x, y))])
    v = ext(b, name, t, [b.value(t), b.value(t)], f)
    # Of two zeros either.
    return lanewise(b, "OpFAdd", t, [v, all_lanes(b, t, 0.0)], lambda x, y: x + y)


def remainder(b):
    t = a_float(b)
    x, y = b.value(t), b.value(t)
    w = element(t)[1]

    def modulo(x, y):
        if x != x or y != y or y == 0 or math.isinf(x):
            return math.nan
        z = math.fmod(x, y)
        if z == 0:
            return math.copysign(0.0, y)
        return rounded(w, z + y) if (z < 0) != (y < 0) else z

    if b.r.random() < .2:
        return lanewise(b, "OpFMod", t, [x, y], modulo)
    if b.r.random() < .2 and not b.spec:
        return dot(b)
    if b.r.random() < .5 or b.spec:
        return lanewise(
            b, "OpFRem", t, [x, y], lambda x, y: math.nan
            if x != x or y != y or y == 0 or math.isinf(x) else math.fmod(x, y))
    to = V(F(b.r.choice((16, 32, 64))), b.r.choice((2, 3, 4, 8, 16)))
    w = to[1][1]
    return b.op(to, "OpVectorTimesScalar", [b.value(to), b.value(to[1])],
                lambda v, s: tuple(rounded(w, x * s) for x in v))


def dot(b):
    """Of small integers, whose sum is exact in any order."""
    n, w = b.r.choice((2, 3, 4, 8, 16)), b.r.choice((16, 32, 64))
    xs = [
        lanewise(b, "OpConvertUToF", V(F(w), n), [bounded(b, V(I(w), n), 7)], float) for _ in range(2)
    ]
    return b.op(F(w), "OpDot", xs, lambda x, y: sum(p * q for p, q in zip(x, y)))


def float_compare(b):
    t = a_float(b)
    to = with_element(t, B)
    if b.r.random() < .4:
        w = element(t)[1]
        least = 2.0**{16: -14, 32: -126, 64: -1022}[w]
        name, f = b.r.choice([("OpIsNan", lambda x: x != x), ("OpIsInf", math.isinf),
                              ("OpIsFinite", math.isfinite),
                              ("OpIsNormal", lambda x: math.isfinite(x) and abs(x) >= least)])
        if b.r.random() < .2:
            return lanewise(b, "OpSignBitSet", to, [nan_free(b, t)], lambda x: math.copysign(1, x) < 0)
        return lanewise(b, name, to, [b.value(t)], f)
    if b.r.random() < .2:
        name, f = b.r.choice([("OpLessOrGreater", lambda x, y: x < y or x > y),
                              ("OpOrdered", lambda x, y: x == x and y == y),
                              ("OpUnordered", lambda x, y: x != x or y != y)])
        return lanewise(b, name, to, [b.value(t), b.value(t)], f)
    stem, f = b.r.choice([("Equal", lambda x, y: x == y), ("NotEqual", lambda x, y: x != y),
                          ("LessThan", lambda x, y: x < y), ("GreaterThan", lambda x, y: x > y),
                          ("LessThanEqual", lambda x, y: x <= y),
                          ("GreaterThanEqual", lambda x, y: x >= y)])
    unordered = b.r.random() < .5
    return lanewise(b, ("OpFUnord" if unordered else "OpFOrd") + stem, to,
                    [b.value(t), b.value(t)], lambda x, y: unordered if x != x or y != y else f(x, y))


MODES = {None: "rte", "RTE": "rte", "RTZ": "rtz", "RTP": "rtp", "RTN": "rtn"}


def convert_float(b):
    r = b.r
    t = a_float(b)
    w = element(t)[1]
    mode = None if b.spec else r.choice(list(MODES))
    how = ["FPRoundingMode " + mode] if mode else []
    kind = r.randrange(3)
    if kind == 0:
        to = r.choice([k for k in (16, 32, 64) if k != w])
        return lanewise(b,
                        "OpFConvert",
                        with_element(t, F(to)), [b.value(t)],
                        lambda x: exact(to, x, MODES[mode]),
                        decorations=how)
    n = r.choice((8, 16, 32, 64))
    if kind == 1:
        sign = r.random() < .5
        i = with_element(t, I(n))
        return lanewise(b,
                        "OpConvertSToF" if sign else "OpConvertUToF",
                        t, [b.value(i)],
                        lambda x: exact(w, Fraction(signed(n, x) if sign else x), MODES[mode]),
                        decorations=how)
    if b.spec:
        raise Skip()
    sign = r.random() < .5

    def whole(x):
        if x != x:
            return 0
        if math.isinf(x):
            return clip(n, 1 << 70 if x > 0 else -1 << 70, sign)
        f = {None: math.trunc, "RTZ": math.trunc, "RTE": round, "RTP": math.ceil, "RTN": math.floor}[mode]
        return clip(n, f(x), sign)

    return lanewise(b,
                    "OpConvertFToS" if sign else "OpConvertFToU",
                    with_element(t, I(n)), [b.value(t)],
                    whole,
                    decorations=how + ["SaturatedConversion"])
