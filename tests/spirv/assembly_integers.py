# SPDX-License-Identifier: MIT
"""Operations on integers and conditions, each drawn with its operands and with what it gives."""
from assembly_draw import COUNTS, Skip, vector, lanewise, ext, an_int, all_lanes, bounded
from assembly_values import B, I, S, V, clip, element, signed, with_element, wrap


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
    if (b.spec or b.module.version < 14) and t[0] in "vas":
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
