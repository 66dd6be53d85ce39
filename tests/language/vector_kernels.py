# SPDX-License-Identifier: MIT
"""Random kernels of OpenCL C's vector language: their text, and what they compute. For random_vectors.py.

A statement is a line of text and a function that does the same to an item's variables, lists of components.
"""
import math
import random
from fractions import Fraction

from vector_arithmetic import (BITS, DIGITS, FLOATS, HEX, INTEGERS, OF_WIDTH, Raw, SUFFIX, WIDTHS, bits_of,
                               clip, from_bytes,
                               is_float, is_signed, limits, name_of, rounded, to_bytes, unsigned, wrap)

ITEMS, IN_BYTES, OUT_BYTES = 6, 4096, 4096


class Variable:
    def __init__(self, name, t, n, raw):
        self.name, self.t, self.n, self.raw = name, t, n, raw

    @property
    def type(self):
        return name_of(self.t, self.n)


class Expression:
    """Text, type, and a function of an item's variables that gives the components."""

    def __init__(self, text, t, n, value, raw=False):
        self.text, self.t, self.n, self.value, self.raw = text, t, n, value, raw


def swizzle_name(r, indices, width):
    letters = width <= 4 and r.random() < .5
    if letters:
        return "".join("xyzw"[i] for i in indices)
    return r.choice("sS") + "".join(r.choice((HEX[i], HEX[i].upper())) for i in indices)


def parts(r, width, distinct):
    """A swizzle of a vector: its text and the indices."""
    named = [("lo", list(range(0, (width + 1) // 2))),
             ("hi", list(range((width + 1) // 2, width + width % 2))),
             ("even", list(range(0, width, 2))), ("odd", list(range(1, width + width % 2, 2)))]
    if width != 3 and r.random() < .45:
        text, indices = r.choice(named)
        if len(indices) > 1 and r.random() < .4:
            inner, chosen = parts(r, len(indices), distinct)
            return text + "." + inner, [indices[k] for k in chosen]
        return text, indices
    count = r.choice([n for n in WIDTHS if n <= (width if distinct else 16)])
    indices = r.sample(range(width), count) if distinct else [r.randrange(width) for _ in range(count)]
    return swizzle_name(r, indices, width), indices


class Kernel:
    def __init__(self, seed, number):
        self.r = random.Random("%d %d" % (seed, number))
        self.index, self.lines, self.code, self.variables = number, [], [], []
        self.depth, self.count, self.out, self.counters = 1, 0, 0, 0
        self.types = []

    # ---- building blocks ----

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def pick(self, accept=lambda v: True):
        found = [v for v in self.variables if accept(v)]
        return self.r.choice(found) if found else None

    def number(self, t):
        r = self.r
        if is_float(t):
            return rounded(t, r.choice([0.0, 1.0, -1.0, .5, -2.25, 3.0, 100.0, -7.5,
                                        r.randrange(-512, 512) / 8]))
        low, high = limits(t)
        return wrap(t, r.choice([0, 1, -1, 2, low, high, r.randrange(256), r.randrange(low, high + 1), 100]))

    def literal(self, t, x):
        if is_float(t):
            return "%r%s" % (x, SUFFIX[t])
        if t in ("char", "short", "uchar", "ushort"):
            return "(%s)%d" % (t, x)
        text = {"int": "%d", "uint": "%du", "long": "%dL", "ulong": "%dUL"}[t] % x
        if x == limits(t)[0] and is_signed(t):
            text = "(%d%s - 1)" % (x + 1, "L" if t == "long" else "")
        return "(%s)" % text if x < 0 else text

    def constant(self, t, n):
        values = [self.number(t) for _ in range(n)]
        if n > 1 and self.r.random() < .3:
            values = [values[0]] * n
            return Expression("(%s)(%s)" % (name_of(t, n), self.literal(t, values[0])), t, n,
                              lambda e: list(values))
        text = ", ".join(self.literal(t, x) for x in values)
        return Expression("(%s)(%s)" % (name_of(t, n), text) if n > 1 else self.literal(t, values[0]), t, n,
                          lambda e: list(values))

    def loaded(self, t, n):
        """From the input: integers of any bits in its first half, floats behind them."""
        r, size = self.r, BITS[t] // 8
        base = 0 if not is_float(t) else {"half": 1024, "float": 2048, "double": 3072}[t]
        form = r.randrange(3) if n > 1 else 0
        if n == 1:
            at = base + size * r.randrange(1024 // size)
            text = "*(global const %s *)(in + %d)" % (t, at)
        elif form == 0 and n != 3:
            at = base + size * n * r.randrange(1024 // (size * n))
            text = "*(global const %s *)(in + %d)" % (name_of(t, n), at)
        else:
            start, k = size * r.randrange(4), r.randrange(2)
            at = base + start + k * n * size
            text = "vload%d(%d, (global const %s *)(in + %d))" % (n, k, t, base + start)
        return Expression(text, t, n, lambda e: from_bytes(t, e["in"][at:at + n * size]))

    def variable(self, t, n, usable=False):
        """One that is there, or a new one."""
        v = self.pick(lambda v: v.t == t and v.n == n and not (usable and v.raw))
        if v and self.r.random() < .9:
            return v
        return self.define(self.loaded(t, n) if self.r.random() < .7 else self.constant(t, n))

    def some(self, widths=WIDTHS, types=None, usable=False):
        types = types or list(BITS)
        v = self.pick(lambda v: v.t in types and v.n in widths and not (usable and v.raw))
        if v and self.r.random() < .75:
            return v
        return self.variable(self.r.choice(types), self.r.choice(widths), usable)

    def define(self, x):
        self.count += 1
        v = Variable("v%d" % self.count, x.t, x.n, x.raw)
        self.lines_at_start(v)
        self.assign(v, x)
        return v

    def lines_at_start(self, v):
        self.variables.append(v)
        self.types.append("%s %s = (%s)0;" % (v.type, v.name, v.type))

    def assign(self, v, x):
        v.raw = v.raw or x.raw
        self.line("%s = %s;" % (v.name, x.text))
        name, value = v.name, x.value

        def step(e):
            e[name] = value(e)
        self.code.append(step)

    def may_take(self, v, x):
        """A loop does not give any bits to what its earlier statements compute with."""
        return self.depth == 1 or v.raw or not x.raw

    def ref(self, v):
        return Expression(v.name, v.t, v.n, lambda e: list(e[v.name]), v.raw)

    # ---- expressions ----

    def read_swizzle(self):
        v = self.some(widths=[2, 3, 4, 8, 16])
        text, indices = parts(self.r, v.n, False)
        return Expression("%s.%s" % (v.name, text), v.t, len(indices),
                          lambda e: [e[v.name][i] for i in indices], v.raw)

    def literal_of_parts(self):
        t, n = self.r.choice(list(BITS)), self.r.choice(WIDTHS[1:])
        pieces, left = [], n
        while left:
            v = self.some(widths=[w for w in WIDTHS if w <= left], types=[t])
            x = self.ref(v)
            if v.n > 1 and self.r.random() < .5:
                text, indices = parts(self.r, v.n, True)
                x = Expression("%s.%s" % (v.name, text), t, len(indices),
                               lambda e, v=v, i=indices: [e[v.name][k] for k in i], v.raw)
            pieces.append(x)
            left -= x.n
        return Expression("(%s)(%s)" % (name_of(t, n), ", ".join(p.text for p in pieces)), t, n,
                          lambda e: [c for p in pieces for c in p.value(e)], any(p.raw for p in pieces))

    def splat(self):
        t, n = self.r.choice(list(BITS)), self.r.choice(WIDTHS[1:])
        v = self.some(widths=[1], types=[t])
        return Expression("(%s)%s" % (name_of(t, n), v.name) if self.r.random() < .5 else "(%s)(%s)" %
                          (name_of(t, n), v.name), t, n, lambda e: e[v.name] * n, v.raw)

    def convert(self):
        r = self.r
        v = self.some(usable=True)
        to = r.choice(list(BITS))
        source, n = v.t, v.n
        mode = r.choice(["", "", "rte", "rtz", "rtp", "rtn"])
        saturated = not is_float(to) and (is_float(source) or r.random() < .5)
        text = "convert_%s%s%s(%s)" % (name_of(to, n), "_sat" if saturated else "",
                                       "_" + mode if mode else "", v.name)
        if n == 1 and not saturated and not mode and not (is_float(source) and
                                                          not is_float(to)) and r.random() < .5:
            text = "(%s)%s" % (to, v.name)

        def one(x):
            if is_float(to):
                return rounded(to, x, mode or "rte")
            if is_float(source):
                if math.isnan(x):
                    return 0
                if math.isinf(x):
                    return clip(to, 1 << 70 if x > 0 else -(1 << 70))
                exact = Fraction(x)
                whole = {"": int, "rtz": int, "rte": round, "rtp": math.ceil, "rtn": math.floor}[mode](exact)
                return clip(to, whole)
            return clip(to, x) if saturated else wrap(to, x)
        return Expression(text, to, n, lambda e: [one(x) for x in e[v.name]])

    def small_convert(self):
        """Not saturated, from floats that are made small."""
        r = self.r
        v = self.some(types=FLOATS, usable=True)
        to, n = r.choice(INTEGERS), v.n
        low, high = (-100.0, 100.0) if is_signed(to) else (0.0, 200.0)
        mode = r.choice(["", "", "_rte", "_rtz", "_rtp", "_rtn"])
        text = "convert_%s%s(clamp(%s, %s, %s))" % (name_of(to, n), mode, v.name, *[
            self.literal(v.t, x) for x in (low, high)])
        turn = {"": int, "_rtz": int, "_rte": round, "_rtp": math.ceil, "_rtn": math.floor}[mode]
        return Expression(text, to, n, lambda e: [0 if math.isnan(x)
                                                  else turn(Fraction(min(max(x, low), high)))
                                                  for x in e[v.name]])

    def reinterpret(self):
        r = self.r
        v = self.some()
        size = BITS[v.t] * v.n if v.n != 3 else None
        fits = [(t, n) for t in BITS for n in WIDTHS
                if (BITS[t] * n == size if size else n == 3 and BITS[t] == BITS[v.t])]
        if v.n == 4:
            fits += [(t, 3) for t in BITS if BITS[t] == BITS[v.t]]
        t, n = r.choice(fits)

        def value(e):
            data = b"".join(bits_of(v.t, x) for x in e[v.name])
            size = BITS[t] // 8
            if not is_float(t):
                return from_bytes(t, data[:n * size])
            return [Raw(data[k * size:k * size + size]) for k in range(n)]
        return Expression("as_%s(%s)" % (name_of(t, n), v.name), t, n, value, is_float(t))

    def arithmetic(self):
        r = self.r
        a = self.some(usable=True)
        b = self.variable(a.t, a.n, True)
        if r.random() < .25 and a.n > 1:
            b = self.variable(a.t, 1, True)
        t, n = a.t, a.n
        if is_float(t):
            return self.float_arithmetic(a, b)
        op = r.choice("+ - * & | ^ << >> / %".split())
        second = b.name
        if op in ("<<", ">>"):
            b = self.variable(t, n, True)
            second = "(%s & (%s)%d)" % (b.name, t, BITS[t] - 1)
        elif op in "/%":
            second = "(%s & (%s)0x3f | (%s)1)" % (b.name, t, t)
            second = "(%s)%s" % (t, second) if b.n == 1 else second

        def one(x, y):
            if op == "<<":
                return wrap(t, x << (y & BITS[t] - 1))
            if op == ">>":
                return x >> (y & BITS[t] - 1)
            if op in "/%":
                y = (y & 0x3f) | 1
                q = abs(x) // y
                q = -q if x < 0 else q
                return q if op == "/" else x - q * y
            return wrap(t, {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op])
        # Signed numbers wrap as unsigned ones do.
        left, cast = a.name, ""
        if is_signed(t) and op in "+-*":
            left, second = "as_%s(%s)" % (name_of(unsigned(t), n),
                                          a.name), "as_%s(%s)" % (name_of(unsigned(t), b.n), b.name)
        if is_signed(t) and op == "<<":
            left, second = "as_%s(%s)" % (name_of(unsigned(t), n),
                                          a.name), "as_%s(%s)" % (name_of(unsigned(t), n), second) \
                if n > 1 else second
        text = "%s %s %s" % (left, op, second)
        if n == 1:
            text = "(%s)(%s)" % (t, text)
        elif left != a.name:
            text = "as_%s(%s)" % (name_of(t, n), text)
        return Expression(text, t, n, lambda e: [one(x, y) for x,
                                                 y in zip(e[a.name], e[b.name] * (n if b.n == 1 else 1))])

    def float_arithmetic(self, a, b):
        t, n = a.t, a.n
        half = self.literal(t, .5)
        form = self.r.randrange(6)
        text, one = [
            ("(%s + %s) * %s" % (a.name, b.name, half), lambda x, y: rounded(t, rounded(t, x + y) * .5)),
            ("(%s - %s) * %s" % (a.name, b.name, half), lambda x, y: rounded(t, rounded(t, x - y) * .5)),
            ("-%s" % a.name, lambda x, y: -x),
            ("fabs(%s)" % a.name, lambda x, y: abs(x)),
            ("floor(%s * %s)" % (a.name, half),
             lambda x, y: math.copysign(float(math.floor(rounded(t, x * .5))), x) if x else x),
            ("fmax(%s, %s) + (%s)(%s)" % (a.name, b.name, name_of(t, n), self.literal(t, 0.0)), lambda x,
             y: max(x, y) + 0.0),
        ][form]
        return Expression(text, t, n, lambda e: [one(x, y) for x,
                                                 y in zip(e[a.name], e[b.name] * (n if b.n == 1 else 1))])

    def function(self):
        r = self.r
        a = self.some(types=INTEGERS)
        t, n = a.t, a.n
        b, c = self.variable(t, n), self.variable(t, n)
        bits = BITS[t]
        low, high = limits(t)
        name, arguments, result, one = r.choice([
            ("min", (a, b), t, lambda x, y: min(x, y)), ("max", (a, b), t, lambda x, y: max(x, y)),
            ("abs", (a,), unsigned(t), abs), ("abs_diff", (a, b), unsigned(t), lambda x, y: abs(x - y)),
            ("add_sat", (a, b), t, lambda x, y: clip(t, x + y)),
            ("sub_sat", (a, b), t, lambda x, y: clip(t, x - y)),
            ("hadd", (a, b), t, lambda x, y: (x + y) >> 1),
            ("rhadd", (a, b), t, lambda x, y: (x + y + 1) >> 1),
            ("mul_hi", (a, b), t, lambda x, y: (x * y) >> bits),
            ("rotate", (a, b), t, lambda x, y: wrap(t, (x & (1 << bits) - 1) << (y % bits) |
                                                    (x & (1 << bits) - 1) >> (bits - y % bits) % bits if y %
                                                    bits else x)),
            ("clz", (a,), t, lambda x: bits - (x & (1 << bits) - 1).bit_length()),
            ("popcount", (a,), t, lambda x: bin(x & (1 << bits) - 1).count("1")),
            ("bitselect", (a, b, c), t, lambda x, y, z: wrap(t, x & ~z | y & z)),
            ("mad_sat", (a, b, c), t, lambda x, y, z: clip(t, x * y + z)),
            ("clamp", (a, None), t, lambda x: min(max(x, 3), 77)),
            ("upsample", (a, None), None, None),
        ])
        if name == "upsample":
            if bits == 64:
                return self.arithmetic()
            low_part = self.variable(unsigned(t), n)
            wide = {"char": "short", "short": "int", "int": "long"}
            to = wide[t] if is_signed(t) else "u" + wide[t[1:]]
            return Expression("upsample(%s, %s)" % (a.name, low_part.name), to, n, lambda e: [
                wrap(to, x << bits | y) for x, y in zip(e[a.name], e[low_part.name])])
        if name == "clamp":
            text = "clamp(%s, %s, %s)" % (a.name, self.literal(t, 3), self.literal(t, 77))
            arguments = (a,)
        else:
            text = "%s(%s)" % (name, ", ".join(x.name for x in arguments))
        return Expression(text, result, n, lambda e: [one(*x) for x in zip(*[e[y.name] for y in arguments])])

    def comparison(self):
        """A vector of 0 and -1, a scalar of 0 and 1."""
        r = self.r
        a = self.some(usable=True)
        b = self.variable(a.t, a.n, True)
        op = r.choice(["<", "<=", ">", ">=", "==", "!="])
        to = OF_WIDTH[BITS[a.t]] if a.n > 1 else "int"
        text, compare = "%s %s %s" % (a.name, op, b.name), {
            "<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x,
            y: x >= y,
            "==": lambda x, y: x == y, "!=": lambda x, y: x != y}[op]
        if is_float(a.t) and r.random() < .5:
            text = "%s(%s, %s)" % ({"<": "isless", "<=": "islessequal", ">": "isgreater",
                                    ">=": "isgreaterequal",
                                    "==": "isequal", "!=": "isnotequal"}[op], a.name, b.name)
        yes = -1 if a.n > 1 else 1
        return Expression(text, to, a.n, lambda e: [yes * compare(x, y) for x,
                                                    y in zip(e[a.name], e[b.name])])

    def logic(self):
        r = self.r
        a = self.some(types=INTEGERS)
        b = self.variable(a.t, a.n)
        to = OF_WIDTH[BITS[a.t]] if a.n > 1 else "int"
        yes = -1 if a.n > 1 else 1
        form = r.randrange(3)
        text = ("!%s" % a.name, "%s && %s" % (a.name, b.name), "%s || %s" % (a.name, b.name))[form]
        one = (lambda x, y: not x, lambda x, y: x and y, lambda x, y: x or y)[form]
        return Expression(text, to, a.n, lambda e: [yes * bool(one(x, y)) for x,
                                                    y in zip(e[a.name], e[b.name])])

    def selection(self):
        r = self.r
        a = self.some()
        b = self.variable(a.t, a.n)
        n, raw = a.n, a.raw or b.raw
        mask_type = r.choice([OF_WIDTH[BITS[a.t]], unsigned(OF_WIDTH[BITS[a.t]])])
        m = self.variable(mask_type if n > 1 else r.choice(INTEGERS), n)
        sign = 1 << BITS[m.t] - 1
        if r.random() < .5 or n == 1:
            text = "%s ? %s : %s" % (m.name, a.name, b.name)
            if n == 1:
                return Expression(text, a.t, 1, lambda e: e[a.name] if e[m.name][0] else e[b.name], raw)
            return Expression(text, a.t, n, lambda e: [x if z & sign else y for x, y, z in
                                                       zip(e[a.name], e[b.name], e[m.name])], raw)
        return Expression("select(%s, %s, %s)" % (b.name, a.name, m.name), a.t, n, lambda e: [
            x if z & sign else y for x, y, z in zip(e[a.name], e[b.name], e[m.name])], raw)

    def whole(self):
        """A scalar condition chooses whole vectors."""
        a = self.some()
        b, s = self.variable(a.t, a.n), self.variable("int", 1)
        form = self.r.randrange(3)
        m = self.variable(self.r.choice(["char", "short", "int", "long"]), self.r.choice(WIDTHS[1:]))
        sign = 1 << BITS[m.t] - 1
        text, chosen = [("%s > 3" % s.name, lambda e: e[s.name][0] > 3),
                        ("any(%s)" % m.name, lambda e: any(x & sign for x in e[m.name])),
                        ("all(%s)" % m.name, lambda e: all(x & sign for x in e[m.name]))][form]
        return Expression("(%s) ? %s : %s" % (text, a.name, b.name), a.t, a.n,
                          lambda e: e[a.name] if chosen(e) else e[b.name], a.raw or b.raw) if a.n == 1 else \
            Expression("%s((%s), %s, %s)" % ("WHOLE_" + a.type, text, a.name, b.name), a.t, a.n,
                       lambda e: e[a.name] if chosen(e) else e[b.name], a.raw or b.raw)

    def shuffled(self):
        r = self.r
        a = self.some(widths=[2, 4, 8, 16])
        n = r.choice([2, 4, 8, 16])
        mask = self.variable(unsigned(OF_WIDTH[BITS[a.t]]), n)
        if r.random() < .5:
            return Expression("shuffle(%s, %s)" % (a.name, mask.name), a.t, n,
                              lambda e: [e[a.name][k % a.n] for k in e[mask.name]], a.raw)
        b = self.variable(a.t, a.n)
        return Expression("shuffle2(%s, %s, %s)" % (a.name, b.name, mask.name), a.t, n,
                          lambda e: [(e[a.name] + e[b.name])[k % (2 * a.n)] for k in e[mask.name]],
                          a.raw or b.raw)

    def halves(self):
        r, n = self.r, self.r.choice(WIDTHS)
        aligned, k = n > 1 and r.random() < .4, r.randrange(3)
        step = 4 if aligned and n == 3 else n
        at = 1024 + 2 * k * step
        name = "vload%s_half%s" % ("a" if aligned else "", n if n > 1 else "")
        return Expression("%s(%d, (global const half *)(in + 1024))" % (name, k), "float", n,
                          lambda e: from_bytes("half", e["in"][at:at + 2 * n]))

    def subscript(self):
        v, i = self.some(widths=[2, 3, 4, 8, 16]), self.variable("uint", 1)
        return Expression("%s[%s %% %du]" % (v.name, i.name, v.n), v.t, 1,
                          lambda e: [e[v.name][e[i.name][0] % v.n]], v.raw)

    def expression(self):
        forms = [(self.read_swizzle, 5), (self.literal_of_parts, 3), (self.splat, 1), (self.convert, 4),
                 (self.small_convert, 1), (self.reinterpret, 3), (self.arithmetic, 4), (self.function, 3),
                 (self.comparison, 2), (self.logic, 1), (self.selection, 2), (self.whole, 1),
                 (self.shuffled, 1),
                 (self.halves, 1), (self.subscript, 1)]
        while True:
            x = self.r.choices([f for f, _ in forms], [w for _, w in forms])[0]()
            if x.n in WIDTHS:
                return x

    # ---- statements ----

    def plain(self):
        x = self.expression()
        v = self.pick(lambda v: v.t == x.t and v.n == x.n)
        if v and self.may_take(v, x) and (self.r.random() < .4 or self.depth > 1):
            self.assign(v, x)
        else:
            self.define(x)

    def write_swizzle(self):
        v = self.some(widths=[2, 3, 4, 8, 16])
        while True:
            text, indices = parts(self.r, v.n, True)
            if max(indices) < v.n and len(indices) in WIDTHS:
                break
        x = self.ref(self.variable(v.t, len(indices)))
        if len(indices) > 1 and self.r.random() < .3:
            x = Expression(x.text + "." + swizzle_name(self.r,
                                                       p := [self.r.randrange(x.n) for _ in range(x.n)], x.n),
                           x.t, x.n, lambda e, y=x: [y.value(e)[k] for k in p], x.raw)
        if not self.may_take(v, x):
            return
        v.raw = v.raw or x.raw

        def step(e):
            new, old = x.value(e), list(e[v.name])
            for k, i in enumerate(indices):
                old[i] = new[k]
            e[v.name] = old
        self.line("%s.%s = %s;" % (v.name, text, x.text))
        self.code.append(step)

    def add_to_swizzle(self):
        v = self.some(widths=[2, 3, 4, 8, 16], types=[t for t in INTEGERS if not is_signed(t)])
        while True:
            text, indices = parts(self.r, v.n, True)
            if max(indices) < v.n and len(indices) in WIDTHS:
                break
        x = self.ref(self.variable(v.t, len(indices)))

        def step(e):
            new, old = x.value(e), list(e[v.name])
            for k, i in enumerate(indices):
                old[i] = wrap(v.t, old[i] + new[k])
            e[v.name] = old
        self.line("%s.%s += %s;" % (v.name, text, x.text))
        self.code.append(step)

    def subscripted(self):
        v, i = self.some(widths=[2, 3, 4, 8, 16]), self.variable("uint", 1)
        x = self.ref(self.variable(v.t, 1))
        if not self.may_take(v, x):
            return
        v.raw = v.raw or x.raw

        def step(e):
            old = list(e[v.name])
            old[e[i.name][0] % v.n] = x.value(e)[0]
            e[v.name] = old
        self.line("%s[%s %% %du] = %s;" % (v.name, i.name, v.n, x.text))
        self.code.append(step)

    def structure(self):
        """A structure of vectors, put into an array of them and copied about."""
        self.count += 1
        members = [self.some() for _ in range(self.r.randint(2, 4))]
        s, i = "s%d" % self.count, self.variable("uint", 1)
        fields = " ".join("%s m%d;" % (v.type, k) for k, v in enumerate(members))
        self.line("struct { %s } %s[3], %sc;" % (fields, s, s))
        first = ", ".join(v.name for v in members)
        for k, v in enumerate(members):
            self.line("%s[0].m%d = %s;" % (s, k, v.name))
        self.line("%s[1] = %s[0]; %s[2] = %s[1];" % (s, s, s, s))
        change = self.r.randrange(len(members))
        other = self.variable(members[change].t, members[change].n)
        self.line("%s[%s %% 3].m%d = %s;" % (s, i.name, change, other.name))
        self.line("%sc = %s[1];" % (s, s))
        results = []
        for k, v in enumerate(members):
            self.count += 1
            new = Variable("v%d" % self.count, v.t, v.n, v.raw or (k == change and other.raw))
            self.lines_at_start(new)
            self.line("%s = %sc.m%d;" % (new.name, s, k))
            results.append((new, v, k == change))

        def step(e):
            made = [(new.name, list(e[(other if changes and e[i.name][0] % 3 == 1 else v).name]))
                    for new, v, changes in results]
            e.update(made)
        self.code.append(step)
        return first

    def memory(self):
        """Vectors in a private array of scalars and back, at any element."""
        r = self.r
        v = self.some(widths=[2, 3, 4, 8, 16])
        self.count += 1
        a, to = "a%d" % self.count, r.choice([n for n in WIDTHS[1:] if n <= 16])
        room, offset = 40, r.randrange(8)
        other = self.variable(v.t, 1)
        self.line("%s %s[%d]; for (int k = 0; k < %d; k++) %s[k] = %s;" % (v.t, a, room, room, a, other.name))
        self.line("vstore%d(%s, 0, %s + %d);" % (v.n, v.name, a, offset))
        start = r.randrange(8)
        raw = v.raw or other.raw

        def value(e):
            memory = e[other.name] * room
            memory[offset:offset + v.n] = e[v.name]
            return memory[start:start + to]
        self.define(Expression("vload%d(0, %s + %d)" % (to, a, start), v.t, to, value, raw))

    def store_halves(self):
        r = self.r
        v = self.some(types=["float", "double"], usable=True)
        if self.out + 64 > OUT_BYTES - 1024 or self.depth > 1:
            return
        mode = r.choice(["", "_rte", "_rtz", "_rtp", "_rtn"])
        aligned = v.n > 1 and r.random() < .4
        at = (self.out + 31) // 32 * 32 if aligned else (self.out + 1) // 2 * 2
        self.out = at + 2 * v.n
        name = "vstore%s_half%s%s" % ("a" if aligned else "", v.n if v.n > 1 else "", mode)
        self.line("%s(%s, 0, (global half *)(out + %d));" % (name, v.name, at))

        def step(e):
            for k, x in enumerate(e[v.name]):
                e["out"][at + 2 * k:at + 2 * k + 2] = to_bytes("half", rounded("half", x, mode[1:] or "rte"))
                e["kinds"].append((at + 2 * k, "half"))
        self.code.append(step)

    def store(self, v):
        size = BITS[v.t] // 8
        whole = v.n > 1 and self.r.random() < .5
        step = size * (v.n if v.n != 3 and whole else 1)
        at = (self.out + step - 1) // step * step
        if at + size * v.n > OUT_BYTES:
            return
        self.out = at + size * v.n
        if v.n == 1 or (whole and v.n != 3):
            self.line("*(global %s *)(out + %d) = %s;" % (v.type, at, v.name))
        else:
            self.line("vstore%d(%s, 0, (global %s *)(out + %d));" % (v.n, v.name, v.t, at))

        def put(e):
            for k, x in enumerate(e[v.name]):
                e["out"][at + k * size:at + (k + 1) * size] = bits_of(v.t, x)
                e["kinds"].append((at + k * size, v.t))
        self.code.append(put)

    def block(self, statements):
        """Runs a part of the generator, and returns what it wrote as one step."""
        code, self.code = self.code, []
        self.depth += 1
        for _ in range(statements):
            self.r.choice([self.plain, self.plain, self.write_swizzle, self.add_to_swizzle,
                           self.subscripted])()
        self.depth -= 1
        made, self.code = self.code, code
        return made

    def loop(self):
        r = self.r
        self.counters += 1
        c = "c%d" % self.counters
        rounds = r.choice([1, 2, 3, 4])
        dynamic = self.variable("uint", 1) if r.random() < .5 else None
        limit = "%s %% %du" % (dynamic.name, rounds + 1) if dynamic else str(rounds)
        # The limit is taken before the loop, whose body may change the variable.
        self.line("for (uint %s = 0, %sn = %s; %s < %sn; %s++) {" % (c, c, limit, c, c, c))
        body = self.block(r.randint(1, 3))
        self.line("}")

        def step(e):
            for _ in range(e[dynamic.name][0] % (rounds + 1) if dynamic else rounds):
                for s in body:
                    s(e)
        self.code.append(step)

    def branch(self):
        s = self.variable("int", 1)
        self.line("if (%s & 1) {" % s.name)
        body = self.block(self.r.randint(1, 3))
        self.line("}")

        def step(e):
            if e[s.name][0] & 1:
                for x in body:
                    x(e)
        self.code.append(step)

    def write(self):
        r = self.r
        for _ in range(r.randint(8, 16)):
            r.choices([self.plain, self.write_swizzle, self.add_to_swizzle, self.subscripted, self.structure,
                       self.memory,
                       self.store_halves, self.loop, self.branch], [12, 4, 2, 1, 1, 1, 1, 2, 2])[0]()
        for v in self.variables:
            self.store(v)
        head = ["kernel void k%d(global const uchar *in, global uchar *out)" % self.index, "{",
                "    in += get_global_id(0) * %d;" % IN_BYTES,
                "    out += get_global_id(0) * %d;" % OUT_BYTES]
        return "\n".join(head + ["    " + t for t in self.types] + self.lines + ["}"]) + "\n"

    def expect(self, data):
        """What is written of one item's input, and which type each written part has."""
        e = {"in": data, "out": bytearray(b"\xa5" * OUT_BYTES), "kinds": []}
        for v in self.variables:
            e[v.name] = [0.0 if is_float(v.t) else 0] * v.n
        for step in self.code:
            step(e)
        return bytes(e["out"]), e["kinds"]


def make_module(seed, count):
    kernels = []
    for k in range(count):
        kernel = Kernel(seed, k)
        kernel.text = kernel.write()
        kernels.append(kernel)
    wholes = sorted({w.split("(")[0] for k in kernels for w in k.text.split() if w.startswith("WHOLE_")})
    head = ["#pragma OPENCL EXTENSION cl_khr_fp16 : enable", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
            "#pragma OPENCL FP_CONTRACT OFF"]
    head += ["%s %s(int c, %s a, %s b) { if (c) return a; return b; }" % (w[6:], w, w[6:], w[6:]) for w
             in wholes]
    return "\n".join(head) + "\n", kernels


def make_input(seed):
    r = random.Random("input %d" % seed)
    data = b""
    for _ in range(ITEMS):
        item = bytearray(r.randbytes(1024))
        for k in range(0, 1024, 16):
            if r.random() < .3:
                item[k:k + 16] = r.choice([b"\0", b"\xff", b"\x7f", b"\x80"]) * 16
        for t in FLOATS:
            size = BITS[t] // 8
            values = [r.choice([0.0, -0.0, 1.0, -1.0, r.randrange(-512, 512) / 8,
                                r.randrange(-9, 9) * 2.0 ** r.randrange(-6, 9)])
                      for _ in range(1024 // size)]
            item += b"".join(to_bytes(t, x) for x in values)
        data += bytes(item)
    return data
