#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random data: kernels of plain code over every type, and of patterns of memory, by seed.

    random_data.py write FIRST COUNT                              their OpenCL C, to standard output
    random_data.py run [OPTIONS] FIRST COUNT                      compiles and runs them, see run --help

The kernels are tests of tests/language: test_language runs them as clang's SPIR-V on Lanewise, and the same
text, compiled to x86-64, by its reference machine of one coroutine for each work-item.

Each statement makes variables of earlier ones, and at the end every variable is stored in a place of its own
in `out`. Nothing is undefined: signed numbers are added as unsigned ones, divisors are odd and never -1, what
becomes an integer saturates, lanes are asked that are there. A NaN loses its sign and payload before its bits
are looked at, and of fmin and fmax a zero is positive.
"""
import collections
import dataclasses
import random
import re
import sys

import random_run

SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("half", "float", "double")
BYTES = {"char": 1, "short": 2, "int": 4, "long": 8, "uchar": 1, "ushort": 2, "uint": 4, "ulong": 8, "half": 2,
         "float": 4, "double": 8}
ITEMS = 384  # no range has more work-items
IN_BYTES, OUT_BYTES = 4 << 12, 4 << 16


@dataclasses.dataclass(frozen=True)
class Type:
    """A number, or a vector of n."""
    base: str
    n: int

    def __str__(self):
        return self.base + (str(self.n) if self.n > 1 else "")

    def of(self, base):
        return Type(base, self.n)

    @property
    def number(self):
        return Type(self.base, 1)

    @property
    def bytes(self):
        return BYTES[self.base] * (4 if self.n == 3 else self.n)

    @property
    def signed(self):
        """The integer of the same width, which comparisons give."""
        return self.of(SIGNED[BYTES[self.base].bit_length() - 1])

    @property
    def unsigned(self):
        return self.of("u" + self.signed.base)

    @property
    def halves(self):
        """The integers of half the width, high and low."""
        low = UNSIGNED[BYTES[self.base].bit_length() - 2]
        return self.of(low if self.base in UNSIGNED else low[1:]), self.of(low)

    @property
    def sum(self):
        """In which sums wrap: scalars of few bits become int, which must not overflow."""
        if self.n > 1 or self.base in FLOATS:
            return self
        return Type("ulong" if self.bytes == 8 else "uint", 1)

    def parts(self, name):
        return [name + ".s%x" % k for k in range(self.n)] if self.n > 1 else [name]


# T: the type; A, B, C: operands; K: a constant; M: a mask; U: in which sums wrap; E, F:
# operands of half the width; X, Y, Z: without a NaN's bits.
INTEGER = """(U)A + (U)B; (U)A - (U)B; (U)A * (U)B; (U)A * (U)K; (U)A + (U)K; A & B; A | B; A ^ B; ~A; A & K;
A << B; A >> B; A << K; A >> K; A / (B & (T)~2 | (T)1); A % (B & (T)~2 | (T)1); A / (K & (T)~2 | (T)1);
A % (K & (T)~2 | (T)1); add_sat(A, B); sub_sat(A, B); hadd(A, B); rhadd(A, B); mul_hi(A, B); mad_hi(A, B, C);
mad_sat(A, B, C); max(A, B); min(A, B); clamp(A, min(B, C), max(B, C)); rotate(A, B); rotate(A, K); popcount(A);
clz(A); ctz(A); bitselect(A, B, C); select(A, B, M); M ? A : B; as_T(abs(A)); as_T(abs_diff(A, B)); abs(A) > abs(B) ? A : B;
(U)A * (U)B + (U)C; (U)(A & (T)15) * (U)K + (U)B; A > B ? A : B; A < K ? (T)((U)A + (U)B) : C""".split(";")
FLOATING = """A + B; A - B; A * B; A * B + C; A / B; A * K; fmin(A, B) + (T)0; fmax(A, B) + (T)0; fabs(A); floor(A);
ceil(A); trunc(A); rint(A); round(A); copysign(A, Y); select(A, B, M); M ? A : B; A < B ? A : B; A >= B ? C : A; -A;
bitselect(X, Y, Z); fmax(fmin(A, B), C) + (T)0""".split(";")
MASKS = {"int": "A < B; A >= B; A == B; A != K; (A & K) == (T)0; A > K".split(";"),
         "float": """A < B; A >= B; A == B; A != K; isnan(A); isinf(A); isfinite(A); isnormal(A); signbit(X);
isless(A, B); isgreaterequal(A, B); isequal(A, B); isnotequal(A, B); islessgreater(A, B); isunordered(A, B);
!(A > B)""".split(";")}


class Kernel:
    def __init__(self, seed):
        self.seed = seed
        self.r = random.Random(seed)
        self.lines, self.depth = [], 1
        self.names = collections.defaultdict(list)  # of each type
        self.declared = []  # what is stored at the end: (name, type)
        self.count, self.used = 0, 4 * 1024
        # Kernels keep to few types, or what is made of one seldom meets the next.
        self.bases = self.r.sample(INTEGERS + FLOATS, self.r.randint(2, 5))
        self.widths = self.r.choice([[1], [1], [1], [1, 1, 1, 4], [1, 1, 1, 2], [1, 1, 1, 2, 3, 4], [1] * 9 + [8, 16]])

    # ---- Lines and names -------------------------------------------------------------------------------------

    def line(self, text, *more):
        for part in (text,) + more:
            self.lines.append("    " * self.depth + part)

    def begin(self, text):
        self.line(text + " {")
        self.depth += 1

    def end(self):
        self.depth -= 1
        self.line("}")

    def fresh(self, prefix):
        self.count += 1
        return "%s%d" % (prefix, self.count)

    def define(self, t, value):
        """A variable, which later statements know."""
        name = self.fresh("v")
        self.line("%s %s = %s;" % (t, name, value))
        self.names[t].append(name)
        if self.depth == 1:
            self.declared.append((name, t))
        return name

    def room(self, bytes):
        """A part of `out` for this alone, or None where it is full."""
        at, end = self.used, self.used + (bytes + 127) // 128 * 128
        if end > OUT_BYTES:
            return None
        self.used = end
        return "(out + %d)" % (at // 4)

    # ---- Values ----------------------------------------------------------------------------------------------

    def type(self, bases=None, widths=None):
        known = [b for b in self.bases if b in bases] if bases else self.bases
        return Type(self.r.choice(known or bases), self.r.choice(widths or self.widths))

    def constant(self, t):
        r, bits = self.r, 8 * BYTES[t.base]
        if t.base in FLOATS:
            number = r.choice(["0.0f", "-0.0f", "1.5f", "-2.25f", "3.0f", "0.1f", "100.0f", "INFINITY", "NAN", "1e-40f",
                               "3e38f", "6e4f"])
        else:
            top = 1 << bits - 1
            number = r.choice([0, 1, 2, 3, 5, 7, bits - 1, bits, bits + 3, top, top - 1, 2 * top - 1, 2 * top - 3,
                               r.randrange(2 * top), r.randrange(16), 1 << r.randrange(bits)])
            number = "0x%x%s" % (number, "ul" if bits == 64 else "u")
        return "((%s)(%s)%s)" % (t, t.base, number)

    def variable(self, t):
        if not self.names[t] or self.r.random() < .15:
            return self.define(t, self.leaf(t))
        return self.r.choice(self.names[t][-4:] if self.r.random() < .6 else self.names[t])

    def word(self):
        """Some integer."""
        known = [name for t, names in self.names.items() if t.n == 1 and t.base in INTEGERS for name in names]
        return self.r.choice(known) if known else "in[ITEM]"

    def quiet(self, t):
        """A variable without the bits of a NaN."""
        name = self.variable(t)
        return "(%s != %s ? (%s)(%s)1.5f : %s)" % (name, name, t, t.base, name) if t.base in FLOATS else name

    def operand(self, t, depth=1):
        k = self.r.random()
        if depth and k < .35:
            return self.expression(t, depth - 1)
        return self.constant(t) if k > .93 else self.variable(t)

    def mask(self, t, depth=0):
        """Of a vector type the signed integers of the same width, 0 or -1; of scalars an int."""
        forms = MASKS["float" if t.base in FLOATS else "int"]
        return "(%s)(%s)" % (t.signed, self.filled(self.r.choice(forms), t, depth))

    def filled(self, form, t, depth):
        make = {"T": lambda: str(t), "U": lambda: str(t.sum), "K": lambda: self.constant(t), "M": lambda: self.mask(t),
                "E": lambda: self.operand(t.halves[0], depth), "F": lambda: self.operand(t.halves[1], depth)}
        for letter in "ABC":
            make[letter] = lambda: self.operand(t, depth)
        for letter in "XYZ":
            make[letter] = lambda: self.quiet(t)
        return re.sub(r"\b([A-Z])\b|(?<=as_)T\b", lambda m: make[m.group(0)](), form.strip())

    def expression(self, t, depth):
        r = self.r
        if t.base in FLOATS:
            forms = FLOATING + (["fma(A, B, C)", "fma(A, K, C)"] if t.base != "half" else [])
        else:
            forms = INTEGER + (["upsample(E, F)"] * 2 if t.bytes // t.n > 1 and t.n != 3 else [])
            if t.base in ("int", "uint"):
                forms = forms + ["mul24(A >> (T)8, B >> (T)8)", "mad24(A >> (T)8, B >> (T)8, C)"]
        if r.random() < .2:
            return self.converted(t)
        if t.n > 1 and r.random() < .15:
            return self.moved(t)
        return "(%s)(%s)" % (t, self.filled(r.choice(forms), t, depth))

    def converted(self, t):
        """From another type: by value, saturated or not, or by bits."""
        r = self.r
        source = self.type().of(r.choice(INTEGERS + FLOATS))
        source = Type(source.base, t.n)
        if r.random() < .25:
            source = t.of(r.choice([b for b in BYTES if BYTES[b] == BYTES[t.base] and b != t.base] or [t.base]))
            name = self.quiet(source)
            value = "as_%s(%s)" % (t, name)
            if t.base in FLOATS:
                value = self.define(t, value)
                value = "(%s != %s ? (%s)(%s)0.5f : %s)" % (value, value, t, t.base, value)
            return value
        if source.base in FLOATS and t.base in INTEGERS:
            return "convert_%s_sat%s(%s)" % (t, r.choice(["", "", "_rte", "_rtz", "_rtp", "_rtn"]), self.variable(source))
        if t.base == "half" and (BYTES[source.base] > 2 and source.base != "float"):
            source = t.of("short")  # others are rounded twice on the way to half, in the reference
        if t.base in INTEGERS and source.base in INTEGERS and r.random() < .4:
            limit = lambda b: (-1 << 8 * BYTES[b] - 1, (1 << 8 * BYTES[b] - 1) - 1) if b in SIGNED else (
                0, (1 << 8 * BYTES[b]) - 1)
            low, high = (f(x, y) for f, x, y in zip((max, min), limit(t.base), limit(source.base)))
            word = "((%s)(%s)0x%%xul)" % (source, source.base)
            return "SATURATE%s(%s, %s, %s, %s)" % ("_1" if t.n == 1 else "", t, self.variable(source),
                                                    word % (low & (1 << 64) - 1), word % high)
        return self.convert(t, self.variable(source))

    def convert(self, t, value):
        return "CONVERT%s(%s, %s)" % ("_1" if t.n == 1 else "", t, value)

    def moved(self, t):
        """From elements of others."""
        r = self.r
        kind = r.randint(0, 5)
        if kind == 0 and t.n in (2, 4, 8):
            return "%s.%s" % (self.variable(Type(t.base, 2 * t.n)), r.choice(["lo", "hi", "odd", "even"]))
        if kind == 1 and t.n > 3:
            half = Type(t.base, t.n // 2)
            return "(%s)(%s, %s)" % (t, self.variable(half), self.variable(half))
        if kind == 2 and t.n != 3:
            source = Type(t.base, r.choice([2, 4, 8, 16] if t.n > 4 else [2, 4]))
            return r.choice(["shuffle(%s, %s)" % (self.variable(source), self.operand(t.unsigned, 0)), "shuffle2(%s, %s, %s)" % (
                self.variable(source), self.variable(source), self.operand(t.unsigned, 0))])
        if kind == 3:
            return "(%s)(%s)" % (t, ", ".join(self.variable(t.number) for _ in range(t.n)))
        name = self.variable(t)
        return "(%s)(%s)" % (t, ", ".join(r.choice(t.parts(name)) for _ in range(t.n)))

    def leaf(self, t):
        r = self.r
        k = r.random()
        if k < .25:
            return self.converted(t) if self.depth < 4 and any(self.names.values()) else self.load(t)
        if k < .4:
            return "(%s)((%s)(%s))" % (t, t.base, r.choice(["ITEM", "LID", "n", "get_global_id(0)", "get_local_id(1)"]))
        return self.load(t)

    # ---- Addresses -------------------------------------------------------------------------------------------

    def index(self, limit):
        """Below `limit`, a power of two of 512 at least: by ids in a row, reversed, in rows; in few bits, which
        wrap; or anywhere."""
        r = self.r
        step = r.choice([1, 1, 1, 2, 3, 4, 5, 7, 8])
        step = min(step, limit // 512)
        spare = limit - ITEMS * step
        add = r.choice([0, 0, 1, 2, 3, 5, r.randrange(spare)])
        word = self.word()
        last = limit - 1
        wide = r.choice(["uint", "int", "ulong", "long", "size_t"])
        return r.choice([
            "ITEM * %du + %du" % (step, min(add, spare - 1))] * 3 + [
            "(%s)ITEM * %d + %d" % (wide, step, min(add, spare - 1)),
            "%du - ITEM * %du" % (last - min(add, spare - 1), step),
            "LID * %du + %du" % (min(4, step), add % 64),
            "(get_global_id(0) + %du * get_global_id(1) + %du) & %du" % (r.choice([7, 16, 33, 64]), add, last),
            "(uint)get_local_id(0) + %du * (uint)get_local_id(1) + %du" % (r.choice([8, 16, 17, 32]), add % 64),
            "((uint)get_local_id(0) * %du + (uint)get_local_id(1)) & %du" % (r.choice([5, 8, 16]), last),
            "(uchar)(ITEM * %du + %du)" % (r.choice([1, 1, 2, 3, 5]), r.randrange(256)),
            "(uchar)(LID + %du)" % r.randrange(256), "(uchar)((uchar)LID - (uchar)%d)" % r.randrange(70),
            "256 + (char)(ITEM + %du)" % r.randrange(256), "256 + (char)(LID * %du)" % r.choice([1, 2, 3]),
            "(ushort)(ITEM * %du + %du) & %du" % (r.choice([1, 1, 2, 257]), r.choice([0, 65530, 65500, 40000]), last),
            "((short)(LID + %du) + 32768) & %du" % (r.choice([32760, 32700, 5]), last),
            "(ITEM + 0x%xu) & %du" % (r.choice([0xfffffff0, 0xffffff00, 0x7ffffff8, 0xfffffffd]), last),
            "(ITEM - %du) & %du" % (r.choice([1, 3, 17, 100]), last),
            "(ITEM * 0x%xu) >> %d" % (r.choice([0x02000000, 0x01000001, 0x00800000, 0xff000000]),
                                      33 - limit.bit_length()),
            "(ITEM ^ %du) & %du" % (r.choice([1, 2, 3, 5, 16, 31]), last), "ITEM / %du" % r.choice([2, 3, 4, 8, 16]),
            "ITEM %% %du" % r.choice([3, 4, 8, 10, 16, 48, 100]), "(LID / 8u) * 16u + LID %% 8u + %du" % (add % 32),
            "LID %% %du * %du + LID / %du" % ((r.choice([4, 7, 8, 16]),) * 2 + (r.choice([4, 7, 8]),)),
            "(%s) & %d" % (word, last), "((uint)%s + LID) & %du" % (word, last), "(%s & 15) + ITEM" % word,
            "(ulong)%s %% %du" % (word, limit), "n & %du" % last, "(n & 7u) + ITEM", "(uint)SUB * 3u + LANE"])

    def load(self, t):
        r = self.r
        source = "((global const %s *)in)"
        limit = IN_BYTES // t.bytes
        if t.n == 1 and limit > 1024 and r.random() < .15:  # around an element in the middle
            return "(%s + 128)[(int)(%s) - 128]" % (source % t, self.index(limit // 2))
        if t.n == 1 or (t.n != 3 and r.random() < .5):
            return "%s[%s]" % (source % t, self.index(limit))
        limit = max(512, limit // 2)
        if r.random() < .5:
            return "vload%d(%s, %s + %d)" % (t.n, self.index(limit), source % t.base, r.randint(0, 5) if limit > 512 else 0)
        return "vload%d(0, %s + (%s))" % (t.n, source % t.base, self.index(limit))

    # ---- Statements ------------------------------------------------------------------------------------------

    def plain(self):
        r, t = self.r, self.type()
        self.define(t, self.expression(t, r.randint(0, 2)))

    def assign(self):
        name, t = self.r.choice(self.declared)
        self.line("%s = %s;" % (name, self.expression(t, 1)))

    def branch(self):
        """Lightly: variables change on one side or both."""
        self.variable(self.type())
        t = self.type(widths=[1])
        known = {t: list(names) for t, names in self.names.items()}
        self.begin("if (%s)" % (self.mask(t) if self.r.random() < .8 else "(n & %du) != 0u" % self.r.choice([1, 2, 4])))
        for _ in range(self.r.randint(1, 3)):
            self.assign()
        self.names = collections.defaultdict(list, {t: list(names) for t, names in known.items()})
        if self.r.random() < .5:
            self.depth -= 1
            self.begin("} else")
            self.assign()
            self.names = collections.defaultdict(list, known)
        self.end()

    def neighbour(self):
        """What only some lanes may read, as index 0 - 1 would be out of bounds."""
        t, k = self.type(widths=[1]), self.r.randint(1, 3)
        name = self.define(t, self.constant(t))
        id = self.r.choice(["LID", "ITEM", "get_local_id(0)"])
        self.line(self.r.choice(["if (%s >= %du) %s = ((global const %s *)in)[%s - %du];" % (id, k, name, t, id, k),
                                 "%s = %s >= %du ? ((global const %s *)in)[%s - %du] : %s;" % (name, id, k, t, id, k, name)]))

    def filter(self):
        """Neighbours times constants, summed and narrowed."""
        r = self.r
        t = self.type(bases=[r.choice(["uchar", "uchar", "char", "short", "ushort"])], widths=[1, 1, 4, 8, 16])
        acc = t.of(r.choice(["int", "uint"] if t.n == 1 else ["short", "ushort", "int"]))
        p, pitch = self.fresh("p"), r.choice([24, 64, 100])
        self.line("global const %s *%s = (global const %s *)in + 128 + (%s);" % (
            t.base, p, t.base, r.choice(["ITEM", "ITEM", "LID", "LID * 2u", "ITEM * %du" % t.n, self.index(1024)])))
        taps = [(x, y) for x in range(-2, 3) for y in (0, 1)]
        first = r.randint(0, 3)
        taps = r.choice([[(x, 0) for x in range(first - 2, first + r.randint(0, 2))], r.sample(taps, r.randint(2, 6)),
                         [(-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]])
        terms, top = [], r.choice([4, 9, 64, 127, 129, 300])
        for x, y in taps:
            at = "%s + (%d)" % (p, x + y * pitch)
            value = "(%s)*(%s)" % (acc, at) if t.n == 1 else "CONVERT(%s, vload%d(0, %s))" % (acc, t.n, at)
            factor = r.choice([1, 1, 2, r.randint(-top, top)])
            terms.append("%s * (%s)%d" % (value, acc.base, max(0, factor) if acc.base == "uint" else factor))
        total = "(%s + (%s)%d)" % (" + ".join(terms), acc.base, r.choice([0, 4, 8, 128]))
        if r.random() < .5:
            total = "(%s)(%s >> (%s)%d)" % (acc, total, acc.base, r.randint(1, 8))
        if r.random() < .3 and acc.base != "uint":
            total = "clamp(%s, (%s)0, (%s)255)" % ((total,) + (acc,) * 2)
        self.define(t, self.convert(t, "(%s)%s" % (acc, total)))

    def network(self):
        """Minima and maxima of neighbours, in an array that is sorted or half sorted."""
        r = self.r
        t = self.type(bases=[r.choice(["int", "uint", "float", "uchar", "ushort", "short", "double", "half", "long"])], widths=[1])
        count = r.choice([3, 4, 5, 7, 8, 9, 13, 25])
        m, p, floating = self.fresh("m"), self.fresh("p"), t.base in FLOATS
        width, pitch = r.choice([(count, 0), (3, 40), (5, 64)])
        zero = " + 0" if floating else ""
        self.line("global const %s *%s = (global const %s *)in + %s;" % (
            t, p, t, r.choice(["ITEM", "LID", "ITEM * 2u", "(uint)get_local_id(0) + 40u * (uint)get_local_id(1)"])))
        self.line("%s %s[%d];" % (t, m, count),
                  "for (uint k = 0; k < %d; k++) %s[k] = %s[k %% %d + k / %d * %d]%s;" % (count, m, p, width, width, pitch, zero))
        sort = "SORT_%s(%s, " % (r.choice(["FUNCTION", "LESS"] if not floating else ["FLOAT", "FLOAT", "LESS"]), t)
        if r.random() < .4 and count <= 9:
            self.line("for (uint i = 0; i < %d; i++) for (uint k = i + 1; k < %d; k++) %s%s[i], %s[k]);" % (
                count, count, sort, m, m))
        else:
            for _ in range(r.randint(count // 2, 3 * count)):
                a, b = r.sample(range(count), 2)
                self.line("%s%s[%d], %s[%d]);" % (sort, m, a, m, b))
        for _ in range(r.choice([1, 1, 2, 3])):
            self.define(t, "%s[%d]%s" % (m, r.choice([0, count // 2, r.randrange(count)]), zero))

    def fields(self):
        """Members of structs, and fields of words."""
        r = self.r
        name, members, whole = r.choice(STRUCTS)
        size = sum(BYTES[b] for b, _ in members)
        s, p, room = self.fresh("s"), self.fresh("p"), self.room(ITEMS * 2 * size)
        self.line("global const struct %s *%s = (global const struct %s *)in + (%s);" % (name, p, name, r.choice(
            ["ITEM", "ITEM", "LID", self.index(512)])))
        self.line("struct %s %s = *%s;" % (name, s, p))
        for base, member in members:
            if base not in FLOATS and r.random() < .5:
                self.names[Type(base, 1)].append("%s.%s" % (s, member))
        for base, member in r.sample(members, r.randint(1, len(members))):
            self.line("%s.%s = %s;" % (s, member, self.quiet(Type(base, 1)) if base in FLOATS else
                                       self.expression(Type(base, 1), 1)))
        for base, member in members:
            known = self.names[Type(base, 1)]
            self.names[Type(base, 1)] = [k for k in known if not k.startswith(s + ".")]
        if not room:
            return
        to = "((global struct %s *)%s)[ITEM]" % (name, room)
        if whole and r.random() < .6:
            self.line("%s = %s;" % (to, s))
        else:
            for _, member in r.sample(members, len(members)):
                self.line("%s.%s = %s.%s;" % (to, member, s, member))

    def own(self):
        """A few elements of `out` of its own, written, read over and across each other; volatile or not."""
        r = self.r
        t, count = self.type(widths=[1]), r.choice([4, 8, 16])
        room = self.room(ITEMS * count * t.bytes)
        if not room or t.base in FLOATS:
            return
        c, volatile = self.fresh("c"), r.choice(["", "", "volatile "])
        apart = r.random() < .3  # elements lie apart, beside those of others
        at = "%d * (%%s)" % ITEMS if apart else "%s"
        self.line("%sglobal %s *%s = (%sglobal %s *)%s + ITEM%s;" % (volatile, t, c, volatile, t, room,
                                                                  "" if apart else " * %du" % count))
        place = lambda: at % r.choice([str(r.randrange(count)), "(uint)%s & %du" % (
            self.word(), count - 1)])
        for _ in range(r.randint(3, 8)):
            kind = r.random()
            if kind < .45:
                self.line("%s[%s] = %s;" % (c, place(), self.operand(t)))
            elif kind < .6:
                self.line("%s[%s] += (%s)3;" % (c, place(), t.sum))
            elif kind < .85 or apart or volatile:
                self.define(t, "%s[%s]" % (c, place()))
            else:
                wide = Type(t.base, r.choice([2, 3, 4]))
                where = "%s + %d" % (c, r.randint(0, count - wide.n))
                if r.random() < .5:
                    self.line("vstore%d(%s, 0, %s);" % (wide.n, self.operand(wide, 0), where))
                else:
                    self.define(wide, "vload%d(0, %s)" % (wide.n, where))

    def private(self):
        r = self.r
        t, count = self.type(widths=[1, 1, 1, 4]), r.choice([4, 8, 16])
        a = self.fresh("t")
        self.line("%s %s[%d];" % (t, a, count), "for (uint k = 0; k < %d; k++) %s[k] = %s + (%s)k;" % (
            count, a, "(%s)%s" % (t.sum, self.variable(t)), t.sum if t.n == 1 else t.base))
        place = lambda: r.choice([str(r.randrange(count)), "(uint)%s & %du" % (
            self.word(), count - 1)])
        for _ in range(r.randint(2, 6)):
            if r.random() < .5:
                self.line("%s[%s] = %s;" % (a, place(), self.operand(t)))
            elif r.random() < .7 or t.n > 1:
                self.define(t, "%s[%s]" % (a, place()))
            elif t.base in INTEGERS and r.random() < .4:
                self.define(Type("uchar", 1), "((uchar *)%s)[%s]" % (a, place()))
            else:
                self.define(Type(t.base, 2), "vload2(%s, %s + %d)" % ("(%s) / 4" % place(), a, r.randint(0, 1)))

    def loop(self):
        r = self.r
        t = self.type(widths=[1, 1, 1, 4])
        name, step = self.define(t, self.constant(t)), r.choice([1, 2, 3, 4, 16, 33])
        count = r.choice(["2u", "3u", "4u", "7u", "8u", "((n & 3u) + 1u)", "(LID & 3u)", "16u"])
        most = max(512, IN_BYTES // t.bytes)
        at = r.choice(["ITEM * %du + k" % r.choice([1, 4]), "ITEM + k * %du" % step, "LID + k", "k * %du" % step,
                       "(ITEM - k) & 255u", "(uchar)(ITEM + k * %du)" % step, "(%s + k) & %du" % (self.index(512), 511)])
        value = "((global const %s *)in)[(%s) & %du]" % (t, at, most // 1 - 1)
        if t.base in FLOATS:
            op = "%s = fmax(%s, %s) + (%s)0;" % (name, name, value, t)
        else:
            op = r.choice(["%s = (%s)((%s)%s + (%s)(%s));" % (name, t, t.sum, name, t.sum, value),
                           "%s = max(%s, %s);" % (name, name, value), "%s ^= %s;" % (name, value),
                           "%s = (%s)((%s)%s * (%s)(%s)3 + (%s)(%s));" % (name, t, t.sum, name, t.sum, t.base, t.sum, value)])
        self.line("for (uint k = 0; k < %s; k++) %s" % (count, op))

    def halves(self):
        """float and double in memory as half."""
        r, n = self.r, self.r.choice([1, 1, 2, 3, 4, 8, 16])
        t = Type(r.choice(["float", "float", "double"]), n)
        width, aligned = str(n) if n > 1 else "", n > 1 and n != 3 and r.random() < .3  # clang-22 reads vloada_half3 as if it were not aligned
        f = self.define(Type("float", n), "vload%s_half%s(%s, (global const half *)in)" % (
            "a" if aligned else "", width, self.index(512)))
        room = self.room(ITEMS * 2 * (4 if n == 3 else n))
        if room:
            value = self.quiet(t) if r.random() < .5 or t.base != "float" else "(%s != %s ? (%s)0.5f : %s)" % (f, f, t, f)
            mode = r.choice(["", "_rte", "_rtz", "_rtp", "_rtn"])
            name = "vstorea_half%s" % width if n in (3, 4) and r.random() < .5 else "vstore_half%s" % width
            self.line("%s%s(%s, ITEM, (global half *)%s);" % (name, mode, value, room))

    def tile(self):
        """Elements handed to others of the work-group."""
        r = self.r
        t = self.type(widths=[1, 1, 1, 2, 4])
        rows = r.choice([1, 1, 2, 3, 4])
        l = self.fresh("l")
        if r.random() < .4:
            self.line("local %s %s[%d];" % (t, l, 80 * rows))
        else:
            self.line("local %s *%s = (local %s *)shared;" % (t, l, t))
        across = r.random() < .5
        for k in range(rows):
            self.line("%s[%s] = %s;" % (l, "LID * %du + %du" % (rows, k) if across else "LID + SIZE * %du" % k,
                                        self.operand(t, 0)))
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        for k in range(rows):
            at = r.choice(["LID", "SIZE - 1u - LID", "(LID + %du) %% SIZE" % r.randint(1, 70), "LID ^ 0u",
                           "(LID * %du) %% SIZE" % r.choice([3, 5, 7, 8]), "(uint)%s %% SIZE" % self.word(), "min(LID ^ %du, SIZE - 1u)" % r.choice([1, 2, 4, 8]),
                           "(uint)(get_local_id(1) + get_local_id(0) * get_local_size(1)) %% SIZE"])
            at = at.replace("%%", "%")
            self.define(t, "%s[%s]" % (l, "(%s) + SIZE * %du" % (at, k) if r.random() < .5 else
                                       "(%s) * %du + %du" % (at, rows, k)))
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def sub_group(self):
        r = self.r
        t = self.type(widths=[1])
        value = self.operand(t, 0)
        small = "(%s)(%s)(LANE * %du %% 17u + (uint)(%s))" % (t, t, r.choice([1, 3, 5]), "n & 3u") if t.base in FLOATS else value
        kind = r.random()
        if kind < .45:
            lane = r.choice(["LANE ^ %du" % r.choice([1, 2, 3, 4, 7, 8, 16]), "LANE + %du" % r.choice([1, 2, 5]),
                             "LANE - %du" % r.choice([1, 2, 5]), "(uint)%s" % self.word(),
                             "LANE * 3u", "%du" % r.randint(0, 5), "get_sub_group_size() - 1u - LANE"])
            self.define(t, r.choice(["sub_group_shuffle(%s, (%s) %% get_sub_group_size())" % (value, lane),
                                     "sub_group_shuffle(%s, (%s) %% get_sub_group_size())" % (value, lane),
                                     "sub_group_broadcast(%s, (n + %du) %% get_sub_group_size())" % (value, r.randint(0, 9))]))
        elif kind < .6:
            k = r.choice([1, 2, 3, 4, 8])
            function, lane = r.choice([("shuffle_xor", "LANE ^ %du"), ("shuffle_up", "LANE - %du"),
                                       ("shuffle_down", "LANE + %du"), ("rotate", "(LANE + %du) %% get_max_sub_group_size()")])
            moved = "sub_group_%s(%s, %d)" % (function, value, k)
            name = self.define(t, moved)
            self.line("%s = (%s) < get_sub_group_size() ? %s : %s;" % (name, (lane % k), name, self.constant(t)))
        else:
            shape = r.choice(["reduce", "scan_inclusive", "scan_exclusive"])
            form = r.choice(["", "", "non_uniform_"])
            op = r.choice(["add", "min", "max"] + ([] if t.base in FLOATS or not form else ["mul", "and", "or", "xor"]))
            self.define(t, "sub_group_%s%s_%s(%s)" % (form, shape, op, small))

    def store(self, name, t):
        """In one of the forms that lanes store in."""
        r = self.r
        bytes = BYTES[t.base] * t.n
        room = self.room((ITEMS + 2) * bytes if t.n == 3 else ITEMS * t.bytes)
        if not room:
            return
        if t.base in FLOATS:
            self.line("%s = %s != %s ? (%s)(%s)NAN : %s;" % (name, name, name, t, t.base, name))
        form = r.random()
        item = "ITEM" if r.random() < .85 else "%du - ITEM" % (ITEMS - 1)
        p = "((global %s *)%s)"
        if t.n == 1 or (t.n != 3 and form < .5):
            self.line("%s[%s] = %s;" % (p % (t, room), item, name))
        elif form < .7:
            self.line("vstore%d(%s, %s, %s);" % (t.n, name, item, p % (t.base, room)))
        elif form < .85:
            for k, part in r.sample(list(enumerate(t.parts(name))), t.n):
                self.line("%s[%s * %du + %du] = %s;" % (p % (t.base, room), "(%s)" % item, t.n, k, part))
        else:
            for k, part in enumerate(t.parts(name)):
                self.line("%s[%s + %du] = %s;" % (p % (t.base, room), item, k * ITEMS, part))

    def text(self):
        r = self.r
        kinds = [self.plain] * 5 + [self.branch, self.neighbour, self.loop, self.private, self.own]
        kinds += r.sample([self.filter, self.network, self.fields, self.tile, self.sub_group, self.halves], 2) * 3
        self.plain()
        for _ in range(r.randint(2, 8)):
            r.choice(kinds)()
        for name, t in self.declared:
            self.store(name, t)
        head = ["kernel void random_data_%d(global uint *out, global const uint *in, uint n, local uint *shared)"
                % self.seed, "{"]
        return head + self.lines + ["}", ""]


STRUCTS = [("pair", [("short", "a"), ("short", "b"), ("int", "c")], True),
           ("quad", [("float", "x"), ("float", "y"), ("float", "z"), ("float", "w")], True),
           ("bytes", [("uchar", "r"), ("uchar", "g"), ("uchar", "b"), ("uchar", "a")], True),
           ("three", [("ushort", "x"), ("ushort", "y"), ("ushort", "z")], True),
           ("mixed", [("uchar", "a"), ("ushort", "b"), ("uint", "c")], False),
           ("tight", [("uchar", "a"), ("uint", "b"), ("ushort", "c")], True),
           ("wide", [("ulong", "a"), ("int", "b"), ("short", "c"), ("char", "d")], False)]

PROLOGUE = """#include "language.h"
#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define LANE get_sub_group_local_id()
#define SUB get_sub_group_id()
/* clang-22 mistakes the sign of the source of conversions between integers. */
#ifdef LLVM_SPIRV
#define CONVERT_1(T, v) convert_##T(v)
#define CONVERT(T, v) convert_##T(v)
#define SATURATE_1(T, v, low, high) convert_##T##_sat(v)
#define SATURATE(T, v, low, high) convert_##T##_sat(v)
#else
#define CONVERT_1(T, v) (T)(v)
#define CONVERT(T, v) __builtin_convertvector(v, T)
#define SATURATE_1(T, v, low, high) (T)clamp(v, low, high)
#define SATURATE(T, v, low, high) __builtin_convertvector(clamp(v, low, high), T)
#endif
#define SORT_WITH(T, a, b, lesser, greater) { T low = lesser, high = greater; a = low; b = high; }
#define SORT_FUNCTION(T, a, b) SORT_WITH(T, a, b, min(a, b), max(a, b))
#define SORT_FLOAT(T, a, b) SORT_WITH(T, a, b, fmin(a, b), fmax(a, b))
#define SORT_LESS(T, a, b) SORT_WITH(T, a, b, a < b ? a : b, a < b ? b : a)
"""


def write(first, count):
    out = [PROLOGUE]
    for name, members, _ in STRUCTS:
        attribute = " __attribute__((packed))" if name == "tight" else ""
        out.append("struct%s %s { %s };" % (attribute, name, " ".join("%s %s;" % member for member in members)))
    out.append("")
    for seed in range(first, first + count):
        out += Kernel(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
