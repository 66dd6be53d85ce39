# SPDX-License-Identifier: MIT
"""Random values for random_data.py: expressions over every type, and addresses of every kind."""
import collections
import dataclasses
import random
import re

SIGNED = ("char", "short", "int", "long")
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("half", "float", "double")
BYTES = {
    "char": 1,
    "short": 2,
    "int": 4,
    "long": 8,
    "uchar": 1,
    "ushort": 2,
    "uint": 4,
    "ulong": 8,
    "half": 2,
    "float": 4,
    "double": 8
}
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


# T: the type; A, B, C: operands; K: a constant; M: a mask; U: in which sums wrap;
# E, F: operands of half the width; X, Y, Z: without a NaN's bits.
INTEGER = """(U)A + (U)B; (U)A - (U)B; (U)A * (U)B; (U)A * (U)K; (U)A + (U)K; A & B; A | B; A ^ B; ~A; A & K;
A << B; A >> B; A << K; A >> K; A / (B & (T)~2 | (T)1); A % (B & (T)~2 | (T)1); A / (K & (T)~2 | (T)1);
A % (K & (T)~2 | (T)1); add_sat(A, B); sub_sat(A, B); hadd(A, B); rhadd(A, B); mul_hi(A, B); mad_hi(A, B, C);
mad_sat(A, B, C); max(A, B); min(A, B); clamp(A, min(B, C), max(B, C)); rotate(A, B); rotate(A, K);
popcount(A); clz(A); ctz(A); bitselect(A, B, C); select(A, B, M); M ? A : B; as_T(abs(A));
as_T(abs_diff(A, B)); abs(A) > abs(B) ? A : B;
(U)A * (U)B + (U)C; (U)(A & (T)15) * (U)K + (U)B; A > B ? A : B; A < K ? (T)((U)A + (U)B) : C""".split(";")
FLOATING = """A + B; A - B; A * B; A * B + C; A / B; A * K; fmin(A, B) + (T)0; fmax(A, B) + (T)0; fabs(A);
floor(A); ceil(A); trunc(A); rint(A); round(A); copysign(A, Y); select(A, B, M); M ? A : B; A < B ? A : B;
A >= B ? C : A; -A;
bitselect(X, Y, Z) + (T)0; fmax(fmin(A, B), C) + (T)0""".split(";")
MASKS = {
    "int": "A < B; A >= B; A == B; A != K; (A & K) == (T)0; A > K".split(";"),
    "float": """A < B; A >= B; A == B; A != K; isnan(A); isinf(A); isfinite(A); isnormal(A); signbit(X);
isless(A, B); isgreaterequal(A, B); isequal(A, B); isnotequal(A, B); islessgreater(A, B); isunordered(A, B);
!(A > B)""".split(";")
}


class Values:
    """The values of one kernel, and the lines that make them."""

    def __init__(self, seed):
        self.seed = seed
        self.r = random.Random(seed)
        self.lines, self.depth = [], 1
        self.names = collections.defaultdict(list)  # of each type
        self.declared = []  # what is stored at the end: (name, type)
        self.count, self.used = 0, 4 * 1024
        # Kernels keep to few types, or what is made of one seldom meets the next.
        self.bases = self.r.sample(INTEGERS + FLOATS, self.r.randint(2, 5))
        self.widths = self.r.choice([[1], [1], [1], [1, 1, 1, 4], [1, 1, 1, 2], [1, 1, 1, 2, 3, 4],
                                     [1] * 9 + [8, 16]])

    # ---- Lines and names ---------------------------------------------------------------------------------

    def line(self, text, *more):
        for part in (text, ) + more:
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

    # ---- Values ------------------------------------------------------------------------------------------

    def type(self, bases=None, widths=None):
        known = [b for b in self.bases if b in bases] if bases else self.bases
        return Type(self.r.choice(known or bases), self.r.choice(widths or self.widths))

    def constant(self, t):
        r, bits = self.r, 8 * BYTES[t.base]
        if t.base in FLOATS:
            number = r.choice([
                "0.0f", "-0.0f", "1.5f", "-2.25f", "3.0f", "0.1f", "100.0f", "INFINITY", "NAN", "1e-40f",
                "3e38f", "6e4f"
            ])
        else:
            top = 1 << bits - 1
            number = r.choice([
                0, 1, 2, 3, 5, 7, bits - 1, bits, bits + 3, top, top - 1, 2 * top - 1, 2 * top - 3,
                r.randrange(2 * top),
                r.randrange(16), 1 << r.randrange(bits)
            ])
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
        make = {
            "T": lambda: str(t),
            "U": lambda: str(t.sum),
            "K": lambda: self.constant(t),
            "M": lambda: self.mask(t),
            "E": lambda: self.operand(t.halves[0], depth),
            "F": lambda: self.operand(t.halves[1], depth)
        }
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
            source = t.of(
                r.choice([b for b in BYTES if BYTES[b] == BYTES[t.base] and b != t.base] or [t.base]))
            name = self.quiet(source)
            value = "as_%s(%s)" % (t, name)
            if t.base in FLOATS:
                value = self.define(t, value)
                value = "(%s != %s ? (%s)(%s)0.5f : %s)" % (value, value, t, t.base, value)
            return value
        if source.base in FLOATS and t.base in INTEGERS:
            return "convert_%s_sat%s(%s)" % (t, r.choice(["", "", "_rte", "_rtz", "_rtp", "_rtn"
                                                          ]), self.variable(source))
        if t.base == "half" and (BYTES[source.base] > 2 and source.base != "float"):
            source = t.of("short")  # others are rounded twice on the way to half, in the reference
        if t.base in INTEGERS and source.base in INTEGERS and r.random() < .4:
            limit = lambda b: (-1 << 8 * BYTES[b] - 1,
                               (1 << 8 * BYTES[b] - 1) - 1) if b in SIGNED else (0, (1 << 8 * BYTES[b]) - 1)
            low, high = (f(x, y) for f, x, y in zip((max, min), limit(t.base), limit(source.base)))
            word = "((%s)(%s)0x%%xul)" % (source, source.base)
            return "SATURATE%s(%s, %s, %s, %s)" % ("_1" if t.n == 1 else "", t, self.variable(source), word %
                                                   (low & (1 << 64) - 1), word % high)
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
            return r.choice([
                "shuffle(%s, %s)" % (self.variable(source), self.operand(t.unsigned, 0)),
                "shuffle2(%s, %s, %s)" %
                (self.variable(source), self.variable(source), self.operand(t.unsigned, 0))
            ])
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
            return "(%s)((%s)(%s))" % (t, t.base,
                                       r.choice(["ITEM", "LID", "n", "get_global_id(0)", "get_local_id(1)"]))
        return self.load(t)

    # ---- Addresses ---------------------------------------------------------------------------------------

    def index(self, limit):
        """Below `limit`, a power of two of 512 at least: by ids in a row, reversed, in rows; in few bits,
        which wrap; or anywhere."""
        r = self.r
        step = r.choice([1, 1, 1, 2, 3, 4, 5, 7, 8])
        step = min(step, limit // 512)
        spare = limit - ITEMS * step
        add = r.choice([0, 0, 1, 2, 3, 5, r.randrange(spare)])
        word = self.word()
        last = limit - 1
        wide = r.choice(["uint", "int", "ulong", "long", "size_t"])
        return r.choice(["ITEM * %du + %du" % (step, min(add, spare - 1))] * 12 + [
            "(%s)ITEM * %d + %d" % (wide, step, min(add, spare - 1)),
            "%du - ITEM * %du" % (last - min(add, spare - 1), step),
            "LID * %du + %du" % (min(4, step), add % 64),
            "(get_global_id(0) + %du * get_global_id(1) + %du) & %du" %
            (r.choice([7, 16, 33, 64]), add, last),
            "(uint)get_local_id(0) + %du * (uint)get_local_id(1) + %du" %
            (r.choice([8, 16, 17, 32]), add % 64),
            "((uint)get_local_id(0) * %du + (uint)get_local_id(1)) & %du" % (r.choice([5, 8, 16]), last),
            "(uchar)(ITEM * %du + %du)" % (r.choice([1, 1, 2, 3, 5]), r.randrange(256)),
            "(uchar)(LID + %du)" % r.randrange(256),
            "(uchar)((uchar)LID - (uchar)%d)" % r.randrange(70),
            "256 + (char)(ITEM + %du)" % r.randrange(256),
            "256 + (char)(LID * %du)" % r.choice([1, 2, 3]),
            "(ushort)(ITEM * %du + %du) & %du" %
            (r.choice([1, 1, 2, 257]), r.choice([0, 65530, 65500, 40000]), last),
            "((short)(LID + %du) + 32768) & %du" % (r.choice([32760, 32700, 5]), last),
            "(ITEM + 0x%xu) & %du" % (r.choice([0xfffffff0, 0xffffff00, 0x7ffffff8, 0xfffffffd]), last),
            "(ITEM - %du) & %du" % (r.choice([1, 3, 17, 100]), last),
            "(ITEM * 0x%xu) >> %d" %
            (r.choice([0x02000000, 0x01000001, 0x00800000, 0xff000000]), 33 - limit.bit_length()),
            "(ITEM ^ %du) & %du" % (r.choice([1, 2, 3, 5, 16, 31]), last),
            "ITEM / %du" % r.choice([2, 3, 4, 8, 16]),
            "ITEM %% %du" % r.choice([3, 4, 8, 10, 16, 48, 100]),
            "(LID / 8u) * 16u + LID %% 8u + %du" % (add % 32),
            "LID %% %du * %du + LID / %du" % ((r.choice([4, 7, 8, 16]), ) * 2 + (r.choice([4, 7, 8]), )),
            "(%s) & %d" % (word, last),
            "((uint)%s + LID) & %du" % (word, last),
            "(%s & 15) + ITEM" % word,
            "(ulong)%s %% %du" % (word, limit),
            "n & %du" % last, "(n & 7u) + ITEM", "(uint)SUB * 3u + LANE"
        ])

    def load(self, t):
        """An element of `in`, of which signaling NaNs, for which fmax may do as it likes, become quiet."""
        return "(%s)(%s + (%s)0)" % (t, self.element(t), t) if t.base in FLOATS else self.element(t)

    def element(self, t):
        r = self.r
        source = "((global const %s *)in)"
        limit = IN_BYTES // t.bytes
        if t.n == 1 and limit > 1024 and r.random() < .15:  # around an element in the middle
            return "(%s + 128)[(int)(%s) - 128]" % (source % t, self.index(limit // 2))
        if t.n == 1 or (t.n != 3 and r.random() < .5):
            return "%s[%s]" % (source % t, self.index(limit))
        limit = max(512, limit // 2)
        if r.random() < .5:
            return "vload%d(%s, %s + %d)" % (t.n, self.index(limit), source % t.base,
                                             r.randint(0, 5) if limit > 512 else 0)
        return "vload%d(0, %s + (%s))" % (t.n, source % t.base, self.index(limit))
