# SPDX-License-Identifier: MIT
"""Operations without memory, each drawn with its operands and with what it gives. For random_assembly.py.

An operation is a function of a builder `b`, which chooses values (`b.value(type)`), and writes instructions
(`b.op`). The same functions make OpSpecConstantOp, where `b` has constants only and refuses other opcodes."""
import math
from fractions import Fraction

from assembly_values import (A, B, F, I, S, V, bits_float, clip, element, exact, float_bits, members,
                             rounded, signed, with_element, wrap)

COUNTS = (1, 1, 1, 2, 2, 3, 4, 4, 8, 16)


class Skip(Exception):
    """Cannot be drawn here."""


def vector(e, n):
    return e if n == 1 else V(e, n)


def lanewise(b, name, t, args, f, **how):
    """An instruction that does the same in each lane."""
    many = t[0] == "v"
    return b.op(t, name, args, (lambda *xs: tuple(f(*c) for c in zip(*xs))) if many else f, **how)


def ext(b, name, t, args, f, **how):
    return lanewise(b, "OpExtInst", t, args, f, before="%%std %s" % name, **how)


def an_int(b, widths=(8, 16, 32, 64)):
    return vector(I(b.r.choice(widths)), b.r.choice(COUNTS))


def a_float(b, widths=(16, 32, 64)):
    return vector(F(b.r.choice(widths)), b.r.choice(COUNTS))


def all_lanes(b, t, x):
    return b.constant(t, (x, ) * t[2] if t[0] == "v" else x)


def bounded(b, t, mask, add=0):
    """A value of at most `mask` + add."""
    v = lanewise(b, "OpBitwiseAnd", t, [b.value(t), all_lanes(b, t, mask)], lambda x, y: x & y)
    return lanewise(b, "OpIAdd", t, [v, all_lanes(b, t, add)], lambda x, y: x + y) if add else v


# ---- integers ----


def arithmetic(b):
    t = an_int(b)
    w = element(t)[1]
    name, f = b.r.choice([("OpIAdd", lambda x, y: wrap(w, x + y)), ("OpISub", lambda x, y: wrap(w, x - y)),
                          ("OpIMul", lambda x, y: wrap(w, x * y)), ("OpBitwiseAnd", lambda x, y: x & y),
                          ("OpBitwiseOr", lambda x, y: x | y), ("OpBitwiseXor", lambda x, y: x ^ y)])
    return lanewise(b, name, t, [b.value(t), b.value(t)], f)


def unary(b):
    t = an_int(b)
    w = element(t)[1]
    name, f = b.r.choice([("OpSNegate", lambda x: wrap(w, -x)), ("OpNot", lambda x: wrap(w, ~x))])
    return lanewise(b, name, t, [b.value(t)], f)


def shift(b):
    t = an_int(b)
    w = element(t)[1]
    by = t if b.r.random() < .5 else with_element(t, I(b.r.choice((8, 16, 32, 64))))
    name, f = b.r.choice([("OpShiftLeftLogical", lambda x, k: wrap(w, x << k)),
                          ("OpShiftRightLogical", lambda x, k: x >> k),
                          ("OpShiftRightArithmetic", lambda x, k: wrap(w,
                                                                       signed(w, x) >> k))])
    return lanewise(b, name, t, [b.value(t), bounded(b, by, w - 1)], f)


def quotient(b):
    t = an_int(b)
    w = element(t)[1]
    by = bounded(b, t, (1 << b.r.randint(1, w - 2)) - 1, 1)
    if b.r.random() < .5:
        by = lanewise(b, "OpBitwiseOr", t, [b.value(t), all_lanes(b, t, 1)], lambda x, y: x | y)
        name, f = b.r.choice([("OpUDiv", lambda x, y: x // y), ("OpUMod", lambda x, y: x % y)])
        return lanewise(b, name, t, [b.value(t), by], f)
    if b.r.random() < .5:
        by = lanewise(b, "OpSNegate", t, [by], lambda x: wrap(w, -x))
        x = lanewise(b, "OpShiftRightArithmetic", t, [b.value(t), all_lanes(b, t, 1)],
                     lambda x, k: wrap(w,
                                       signed(w, x) >> k))  # never the least by -1
    else:
        x = b.value(t)

    def cut(x, y):
        q = abs(x) // abs(y)
        return q if (x < 0) == (y < 0) else -q

    name, f = b.r.choice([("OpSDiv", cut), ("OpSRem", lambda x, y: x - y * cut(x, y)),
                          ("OpSMod", lambda x, y: x % y)])
    return lanewise(b, name, t, [x, by], lambda x, y: wrap(w, f(signed(w, x), signed(w, y))))


def bits(b):
    t = an_int(b)
    w = element(t)[1]
    x = b.value(t)
    kind = b.r.randrange(6)
    if kind == 0:
        return lanewise(b, "OpBitCount", with_element(t, I(b.r.choice((8, 16, 32, 64)))), [x],
                        lambda x: bin(x).count("1"))
    if kind == 1:
        return lanewise(b, "OpBitReverse", t, [x], lambda x: int(format(x, "0%db" % w)[::-1], 2))
    at = b.r.randint(0, w)
    size = b.r.randint(0, w - at)
    if b.r.random() < .5:
        k = I(b.r.choice((8, 16, 32, 64)))
        at, size = b.constant(k, at), b.constant(I(b.r.choice((8, 16, 32))), size)
    else:
        k = I(b.r.choice((8, 16, 32)))
        at, size = bounded(b, k, w // 2 - 1), bounded(b, k, w // 2 - 1)
    many = t[0] == "v"
    if kind < 4:
        name, sign = b.r.choice([("OpBitFieldUExtract", False), ("OpBitFieldSExtract", True)])

        def take(x, at, size):
            x = x >> at & ((1 << size) - 1)
            return wrap(w, signed(size, x)) if sign and size else x

        return b.op(t, name, [x, at, size], lambda v, a, s: tuple(take(x, a, s) for x in v)
                    if many else take(v, a, s))

    def put(x, y, at, size):
        mask = (1 << size) - 1 << at
        return x & ~mask | y << at & mask

    return b.op(
        t, "OpBitFieldInsert", [x, b.value(t), at, size],
        lambda v, u, a, s: tuple(put(x, y, a, s) for x, y in zip(v, u)) if many else put(v, u, a, s))


def carry(b):
    t = an_int(b)
    w = element(t)[1]
    many = t[0] == "v"
    name, f = b.r.choice([("OpIAddCarry", lambda x, y: (wrap(w, x + y), x + y >> w)),
                          ("OpISubBorrow", lambda x, y: (wrap(w, x - y), int(x < y))),
                          ("OpUMulExtended", lambda x, y: (wrap(w, x * y), x * y >> w)),
                          ("OpSMulExtended", lambda x, y:
                           (wrap(w,
                                 signed(w, x) * signed(w, y)), wrap(w,
                                                                    signed(w, x) * signed(w, y) >> w)))])

    def run(x, y):
        return tuple(zip(*[f(*c) for c in zip(x, y)])) if many else f(x, y)

    return b.op(S((t, t)), name, [b.value(t), b.value(t)], run)


def convert_int(b):
    t = an_int(b)
    w = element(t)[1]
    to = b.r.choice([k for k in (8, 16, 32, 64) if k != w])
    name, f = b.r.choice([("OpUConvert", lambda x: wrap(to, x)),
                          ("OpSConvert", lambda x: wrap(to, signed(w, x)))])
    return lanewise(b, name, with_element(t, I(to)), [b.value(t)], f)


def saturate(b):
    t = an_int(b)
    w, to = element(t)[1], b.r.choice((8, 16, 32, 64))
    name, f = b.r.choice([("OpSatConvertSToU", lambda x: clip(to, signed(w, x), False)),
                          ("OpSatConvertUToS", lambda x: clip(to, x, True))])
    return lanewise(b, name, with_element(t, I(to)), [b.value(t)], f)


def compare(b):
    t = an_int(b)
    w = element(t)[1]
    s = lambda f: lambda x, y: f(signed(w, x), signed(w, y))
    less, equal = (lambda x, y: x < y), (lambda x, y: x == y)
    name, f = b.r.choice([("OpIEqual", equal), ("OpINotEqual", lambda x, y: x != y), ("OpULessThan", less),
                          ("OpUGreaterThan", lambda x, y: x > y), ("OpULessThanEqual", lambda x, y: x <= y),
                          ("OpUGreaterThanEqual", lambda x, y: x >= y), ("OpSLessThan", s(less)),
                          ("OpSGreaterThan", s(lambda x, y: x > y)),
                          ("OpSLessThanEqual", s(lambda x, y: x <= y)),
                          ("OpSGreaterThanEqual", s(lambda x, y: x >= y))])
    return lanewise(b, name, with_element(t, B), [b.value(t), b.value(t)], f)


def dot(b):
    if b.spec:
        raise Skip()
    r = b.r
    w = r.choice((8, 16, 32, 8))
    packed = w == 8 and r.random() < .4
    n = 4 if packed else r.choice((2, 3, 4))
    t = I(32) if packed else V(I(w), n)
    to = I(r.choice([k for k in (8, 16, 32, 64) if k >= w and (not packed or k >= 8)]))
    sx, sy, name = r.choice([(1, 1, "OpSDot"), (0, 0, "OpUDot"), (1, 0, "OpSUDot")])
    sat = r.random() < .4

    def lanes(x, sign):
        x = [x >> 8 * k & 255 for k in range(4)] if packed else x
        return [signed(w, y) if sign else y for y in x]

    def f(x, y, acc=0):
        total = sum(p * q for p, q in zip(lanes(x, sx), lanes(y, sy)))
        if not sat:
            return wrap(to[1], total)
        # the sum without accumulator wraps to the result's width, if it does not fit
        total = clip(to[1], total + (signed(to[1], acc) if sx else acc), sx) if fits(total) else None
        return total

    def fits(total):
        low, high = (-(1 << to[1] - 1), (1 << to[1] - 1) - 1) if sx else (0, (1 << to[1]) - 1)
        return low <= total <= high

    if sat and 2 * w + 2 > to[1]:
        sat = False
    args = [b.value(t), b.value(t)] + ([b.value(to)] if sat else [])
    name += "AccSat" if sat else ""
    return b.op(to, name, args, f, after="PackedVectorFormat4x8Bit" if packed else "")


def ext_int(b):
    t = an_int(b)
    w = element(t)[1]
    s = lambda x: signed(w, x)
    low = lambda x: (x & -x).bit_length() - 1 if x else w
    name, n, f = b.r.choice(
        [("s_abs", 1, lambda x: wrap(w, abs(s(x)))), ("u_abs", 1, lambda x: x),
         ("s_abs_diff", 2, lambda x, y: abs(s(x) - s(y))), ("u_abs_diff", 2, lambda x, y: abs(x - y)),
         ("s_add_sat", 2,
          lambda x, y: clip(w,
                            s(x) + s(y), True)), ("u_add_sat", 2, lambda x, y: clip(w, x + y, False)),
         ("s_sub_sat", 2, lambda x, y: clip(w,
                                            s(x) - s(y), True)),
         ("u_sub_sat", 2,
          lambda x, y: clip(w, x - y, False)), ("s_hadd", 2, lambda x, y: wrap(w,
                                                                               s(x) + s(y) >> 1)),
         ("u_hadd", 2, lambda x, y: x + y >> 1), ("s_rhadd", 2, lambda x, y: wrap(w,
                                                                                  s(x) + s(y) + 1 >> 1)),
         ("u_rhadd", 2, lambda x, y: x + y + 1 >> 1), ("clz", 1, lambda x: w - x.bit_length()),
         ("ctz", 1, low), ("popcount", 1, lambda x: bin(x).count("1")),
         ("s_mad_hi", 3, lambda x, y, z: wrap(w, (s(x) * s(y) >> w) + s(z))),
         ("u_mad_hi", 3, lambda x, y, z: wrap(w, (x * y >> w) + z)),
         ("s_mad_sat", 3, lambda x, y, z: clip(w,
                                               s(x) * s(y) + s(z), True)),
         ("u_mad_sat", 3,
          lambda x, y, z: clip(w, x * y + z, False)), ("s_max", 2, lambda x, y: wrap(w, max(s(x), s(y)))),
         ("u_max", 2, max), ("u_min", 2, min), ("s_min", 2, lambda x, y: wrap(w, min(s(x), s(y)))),
         ("s_mul_hi", 2, lambda x, y: wrap(w,
                                           s(x) * s(y) >> w)), ("u_mul_hi", 2, lambda x, y: x * y >> w),
         ("rotate", 2, lambda x, y: wrap(w, x << y % w | x >> (w - y % w))),
         ("bitselect", 3, lambda x, y, z: x & ~z | y & z)] +
        ([("select", 3, lambda x, y, z: y if z >>
           (w - 1) else x)] if t[0] == "v" else [("select", 3, lambda x, y, z: y if z else x)]))
    return ext(b, name, t, [b.value(t) for _ in range(n)], f)


def ext_wide(b):
    r = b.r
    if r.random() < .5:
        w = r.choice((8, 16, 32))
        t = vector(I(w), r.choice(COUNTS))
        name = r.choice(("u_upsample", "s_upsample"))
        return ext(b, name, with_element(t, I(2 * w)), [b.value(t), b.value(t)], lambda x, y: x << w | y)
    t = vector(I(32), r.choice(COUNTS))
    if r.random() < .5:
        return ext(b, "u_mad24", t,
                   [bounded(b, t, 0xffffff), bounded(b, t, 0xffffff),
                    b.value(t)], lambda x, y, z: wrap(32, x * y + z))
    low, high = b.value(t), bounded(b, t, 0x7fffffff)
    low = lanewise(b, "OpBitwiseAnd", t, [low, high], lambda x, y: x & y)
    return ext(b, "u_clamp", t, [b.value(t), low, high], lambda x, y, z: min(max(x, y), z))


# ---- conditions ----


def logic(b):
    t = vector(B, b.r.choice(COUNTS))
    name, n, f = b.r.choice([("OpLogicalEqual", 2, lambda x, y: x == y),
                             ("OpLogicalNotEqual", 2, lambda x, y: x != y),
                             ("OpLogicalAnd", 2, lambda x, y: x and y),
                             ("OpLogicalOr", 2, lambda x, y: x or y), ("OpLogicalNot", 1, lambda x: not x)])
    return lanewise(b, name, t, [b.value(t) for _ in range(n)], f)


def any_all(b):
    t = V(B, b.r.choice((2, 3, 4, 8, 16)))
    name, f = b.r.choice([("OpAny", any), ("OpAll", all)])
    return b.op(B, name, [b.value(t)], f)


def select(b):
    r = b.r
    t = b.any_type(composite=not b.spec)
    if t[0] == "v" and r.random() < .6:
        return lanewise(
            b, "OpSelect", t,
            [b.value(with_element(t, B)), b.value(t), b.value(t)], lambda c, x, y: x if c else y)
    if b.spec and t[0] == "v":
        raise Skip()
    return b.op(t, "OpSelect", [b.value(B), b.value(t), b.value(t)], lambda c, x, y: x if c else y)


def expect(b):
    t = vector(b.r.choice((B, I(8), I(16), I(32), I(64))), b.r.choice(COUNTS))
    if b.spec:
        raise Skip()
    v = b.value(t)
    if b.r.random() < .3:
        b.op(None, "OpAssumeTrueKHR", [
            lanewise(b, "OpULessThan", B, [bounded(b, I(16), 7), b.constant(I(16), 8)], lambda x, y: True)
        ], lambda x: None)
    return b.op(t, "OpExpectKHR", [v, b.value(t)], lambda x, y: x)


# ---- floats ----


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
    if b.r.random() < .5 or b.spec:
        return lanewise(
            b, "OpFRem", t, [x, y], lambda x, y: math.nan
            if x != x or y != y or y == 0 or math.isinf(x) else math.fmod(x, y))
    to = V(F(b.r.choice((16, 32, 64))), b.r.choice((2, 3, 4, 8, 16)))
    w = to[1][1]
    return b.op(to, "OpVectorTimesScalar", [b.value(to), b.value(to[1])],
                lambda v, s: tuple(rounded(w, x * s) for x in v))


def no_wrap(b):
    """Sums and products that do not wrap, and say so."""
    if b.spec:
        raise Skip()
    w = b.r.choice((8, 16, 32, 64))
    t = vector(I(w), b.r.choice(COUNTS))
    x, y = [bounded(b, t, (1 << w // 2 - 1) - 1) for _ in range(2)]
    some = b.r.sample(["NoSignedWrap", "NoUnsignedWrap"], b.r.randint(1, 2))
    name, f = b.r.choice([("OpIAdd", lambda x, y: x + y), ("OpIMul", lambda x, y: x * y)])
    z = lanewise(b, name, t, [x, y], f, decorations=some)
    if b.r.random() < .5:
        return lanewise(b, "OpISub", t, [z, y], lambda x, y: wrap(w, x - y), decorations=["NoSignedWrap"])
    k = b.r.randint(0, w // 4)
    x = bounded(b, t, (1 << w // 2) - 1)
    return lanewise(b,
                    "OpShiftLeftLogical",
                    t, [x, all_lanes(b, t, k)],
                    lambda x, y: x << y,
                    decorations=some)


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


# ---- bits, vectors, composites ----


def bitcast(b):
    """Between vectors of other lengths too; of floats only what is no NaN is looked at."""
    r = b.r
    e = r.choice([I(8), I(16), I(32), I(64), F(16), F(32), F(64)])
    n = r.choice((1, 2, 3, 4, 8, 16))
    total = e[1] * n
    to = [(k, m) for k in (8, 16, 32, 64) for m in (1, 2, 3, 4, 8, 16)
          if k * m == total and (k != e[1] or e[0] == "f")]
    if not to:
        raise Skip()
    k, m = r.choice(to)
    t = vector(e, n)
    v = nan_free(b, t) if e[0] == "f" else b.value(t)

    def run(x):
        x = (x, ) if n == 1 else x
        if e[0] == "f":
            x = [float_bits(e[1], y) for y in x]
        whole = sum(y << e[1] * i for i, y in enumerate(x))
        out = tuple(whole >> k * i & ((1 << k) - 1) for i in range(m))
        return out[0] if m == 1 else out

    return b.op(vector(I(k), m), "OpBitcast", [v], run)


def bitcast_to_float(b):
    w = b.r.choice((16, 32, 64))
    t = vector(I(w), b.r.choice(COUNTS))
    return lanewise(b, "OpBitcast", with_element(t, F(w)), [b.value(t)], lambda x: bits_float(w, x))


def shuffle(b):
    r = b.r
    e = r.choice([I(8), I(16), I(32), I(64), F(32), F(64), B])
    n, m, k = r.choice((2, 3, 4, 8, 16)), r.choice((2, 3, 4, 8, 16)), r.choice((2, 3, 4, 8, 16))
    ways = [r.randrange(n + m) for _ in range(k)]
    undefined = not b.spec and r.random() < .3
    words = list(ways)
    if undefined:
        words[r.randrange(k)] = 0xffffffff
    args = [b.value(V(e, n)), b.value(V(e, m))]
    v = b.op(V(e, k),
             "OpVectorShuffle",
             args,
             lambda x, y: tuple((x + y)[i] for i in ways),
             after=" ".join(map(str, words)))
    if undefined:  # the component is put in afterwards
        at, v.safe = words.index(0xffffffff), False
        return b.op(V(e, k),
                    "OpCompositeInsert", [b.value(e), v],
                    lambda y, x: x[:at] + (y, ) + x[at + 1:],
                    after=str(at))
    return v


def dynamic(b):
    t = b.vector_type()
    n = t[2]
    k = I(b.r.choice((8, 16, 32, 64)))
    at = b.value(k)
    at = lanewise(b, "OpUMod", k, [at, b.constant(k, n)], lambda x, y: x % y)
    if b.r.random() < .5:
        return b.op(t[1], "OpVectorExtractDynamic", [b.value(t), at], lambda x, i: x[i])
    return b.op(t, "OpVectorInsertDynamic", [b.value(t), b.value(t[1]), at], lambda x, y, i: x[:i] +
                (y, ) + x[i + 1:])


def path_into(b, t):
    path = []
    while t[0] in "vas" and (not path or b.r.random() < .7):
        path.append(b.r.randrange(len(members(t))))
        t = members(t)[path[-1]]
    return path, t


def put_in(x, path, y):
    return x[:path[0]] + (put_in(x[path[0]], path[1:], y) if path[1:] else y, ) + x[path[0] + 1:]


def extract(b):
    t = b.composite_type()
    path, to = path_into(b, t)

    def run(x):
        for k in path:
            x = x[k]
        return x

    return b.op(to, "OpCompositeExtract", [b.value(t)], run, after=" ".join(map(str, path)))


def insert(b):
    t = b.composite_type()
    path, part = path_into(b, t)
    return b.op(t,
                "OpCompositeInsert", [b.value(part), b.value(t)],
                lambda y, x: put_in(x, path, y),
                after=" ".join(map(str, path)))


def construct(b):
    if b.spec:
        raise Skip()
    t = b.composite_type()
    if t[0] == "v" and b.r.random() < .6:  # of vectors and scalars
        left, parts = t[2], []
        while left:
            n = b.r.choice([k for k in (1, 2, 3, 4, 8) if k <= left and k < t[2]])
            parts.append(b.value(vector(t[1], n)))
            left -= n
        if len(parts) > 1:
            return b.op(t, "OpCompositeConstruct", parts, lambda *xs: sum(
                (x if p.t[0] == "v" else (x, ) for p, x in zip(parts, xs)), ()))
    return b.op(t, "OpCompositeConstruct", [b.value(x) for x in members(t)], lambda *xs: tuple(xs))


def overlaid_undef(b):
    """An undefined composite, every member of which is put in."""
    if b.spec:
        raise Skip()
    t = b.composite_type()
    v = b.undefined(t)
    order = list(range(len(members(t))))
    b.r.shuffle(order)
    for k in order:
        v = b.op(t,
                 "OpCompositeInsert", [b.value(members(t)[k]), v],
                 lambda y, x, k=k: put_in(x, [k], y),
                 after=str(k))
        v.safe = k == order[-1]
    return v


def copy_object(b):
    if b.spec:
        raise Skip()
    t = b.any_type()
    if t[0] in "as" and b.r.random() < .7:
        other = twin(t)
        if other != t:
            return b.op(other, "OpCopyLogical", [b.value(t)], lambda x: x)
    return b.op(t, "OpCopyObject", [b.value(t)], lambda x: x)


def twin(t):
    """The same structure under another name."""
    return S(t[1], 1 - t[2]) if t[0] == "s" else A(twin(t[1]), t[2]) if t[0] == "a" else t


def ext_shuffle(b):
    r = b.r
    e = r.choice([I(8), I(16), I(32), I(64), F(32)])
    w = e[1]
    n, k = r.choice((2, 4, 8, 16)), r.choice((2, 4, 8, 16))
    mask = b.value(V(I(w), k))
    if r.random() < .5:
        return b.op(V(e, k),
                    "OpExtInst", [b.value(V(e, n)), mask],
                    lambda x, m: tuple(x[i % n] for i in m),
                    before="%std shuffle")
    return b.op(V(e, k),
                "OpExtInst", [b.value(V(e, n)), b.value(V(e, n)), mask],
                lambda x, y, m: tuple((x + y)[i % (2 * n)] for i in m),
                before="%std shuffle2")


OPERATIONS = ([arithmetic] * 4 + [compare, select] * 3 + [insert, extract, construct, shuffle, shift] * 2 +
              [convert_int, ext_int, float_arithmetic, float_compare, convert_float, dynamic] * 2 +
              [unary, quotient, bits, carry, saturate, dot, ext_wide, logic, any_all, expect, float_unary] +
              [float_binary, remainder, no_wrap, bitcast, bitcast_to_float, overlaid_undef, copy_object] +
              [ext_shuffle])
IN_CONSTANTS = set(
    "SConvert UConvert FConvert SNegate Not IAdd ISub IMul UDiv SDiv UMod SRem SMod ShiftRightLogical "
    "ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseXor BitwiseAnd VectorShuffle CompositeExtract "
    "CompositeInsert LogicalOr LogicalAnd LogicalNot LogicalEqual LogicalNotEqual Select IEqual INotEqual "
    "ULessThan SLessThan UGreaterThan SGreaterThan ULessThanEqual SLessThanEqual UGreaterThanEqual "
    "SGreaterThanEqual ConvertFToS ConvertSToF ConvertFToU ConvertUToF Bitcast FNegate FAdd FSub FMul FDiv".
    split())
