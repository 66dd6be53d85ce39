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
import sys

import random_run
from random_values import BYTES, FLOATS, INTEGERS, IN_BYTES, ITEMS, Type, UNSIGNED, Values


class Kernel(Values):
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
        self.begin("if (%s)" %
                   (self.mask(t) if self.r.random() < .8 else "(n & %du) != 0u" % self.r.choice([1, 2, 4])))
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
        self.line(
            self.r.choice([
                "if (%s >= %du) %s = ((global const %s *)in)[%s - %du] + 0;" % (id, k, name, t, id, k),
                "%s = %s >= %du ? (%s)(((global const %s *)in)[%s - %du] + 0) : %s;" %
                (name, id, k, t, t, id, k, name)
            ]))

    def filter(self):
        """Neighbours times constants, summed and narrowed."""
        r = self.r
        t = self.type(bases=[r.choice(["uchar", "uchar", "char", "short", "ushort"])],
                      widths=[1, 1, 4, 8, 16])
        acc = t.of(r.choice(["int", "uint"] if t.n == 1 else ["short", "ushort", "int"]))
        p, pitch = self.fresh("p"), r.choice([24, 64, 100])
        self.line("global const %s *%s = (global const %s *)in + 128 + (%s);" %
                  (t.base, p, t.base,
                   r.choice(["ITEM", "ITEM", "ITEM", "LID", "LID * 2u",
                             "ITEM * %du" % t.n,
                             self.index(1024)])))
        taps = [(x, y) for x in range(-2, 3) for y in (0, 1)]
        first = r.randint(0, 3)
        taps = r.choice([[(x, 0) for x in range(first - 2, first + r.randint(0, 2))],
                         r.sample(taps, r.randint(2, 6)), [(-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]])
        terms, top = [], r.choice([4, 9, 9, 57, 127, 300])
        least = 0 if acc.base in UNSIGNED else r.choice([0, 0, -top])
        for x, y in taps:
            at = "%s + (%d)" % (p, x + y * pitch)
            value = "(%s)*(%s)" % (acc, at) if t.n == 1 else "CONVERT(%s, vload%d(0, %s))" % (acc, t.n, at)
            terms.append("%s * (%s)%d" % (value, acc.base, r.choice([1, 1, 2, r.randint(least, top)])))
        total = "(%s + (%s)%d)" % (" + ".join(terms), acc.base, r.choice([0, 4, 8, 128]))
        if t.n == 1 and r.random() < .4:
            total = "(%s)(%s)%s" % (acc, r.choice(["ushort", "short"]), total)
        if r.random() < .8:
            total = "(%s)(%s >> (%s)%d)" % (acc, total, acc.base, r.randint(1, 8))
        if r.random() < .3 and acc.base != "uint":
            total = "clamp(%s, (%s)0, (%s)255)" % ((total, ) + (acc, ) * 2)
        self.define(t, self.convert(t, "(%s)%s" % (acc, total)))

    def network(self):
        """Minima and maxima of neighbours, in an array that is sorted or half sorted."""
        r = self.r
        t = self.type(
            bases=[r.choice(["int", "uint", "float", "uchar", "ushort", "short", "double", "half", "long"])],
            widths=[1])
        count = r.choice([3, 4, 5, 7, 8, 9, 13, 25])
        m, p, floating = self.fresh("m"), self.fresh("p"), t.base in FLOATS
        width, pitch = r.choice([(count, 0), (3, 40), (5, 64)])
        zero = " + 0" if floating else ""
        self.line(
            "global const %s *%s = (global const %s *)in + %s;" %
            (t, p, t,
             r.choice(["ITEM", "LID", "ITEM * 2u", "(uint)get_local_id(0) + 40u * (uint)get_local_id(1)"])))
        self.line(
            "%s %s[%d];" % (t, m, count),
            "for (uint k = 0; k < %d; k++) %s[k] = %s[k %% %d + k / %d * %d]%s;" %
            (count, m, p, width, width, pitch, zero))
        sort = "SORT_%s(%s, " % (
            r.choice(["FUNCTION", "LESS"] if not floating else ["FLOAT", "FLOAT", "LESS"]), t)
        if r.random() < .4 and count <= 9:
            self.line("for (uint i = 0; i < %d; i++) for (uint k = i + 1; k < %d; k++) %s%s[i], %s[k]);" %
                      (count, count, sort, m, m))
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
        self.line("global const struct %s *%s = (global const struct %s *)in + (%s);" %
                  (name, p, name, r.choice(["ITEM", "ITEM", "LID", self.index(512)])))
        self.line("struct %s %s = *%s;" % (name, s, p))
        for base, member in members:
            if base not in FLOATS and r.random() < .5:
                self.names[Type(base, 1)].append("%s.%s" % (s, member))
        for base, member in r.sample(members, r.randint(1, len(members))):
            self.line("%s.%s = %s;" %
                      (s, member,
                       self.quiet(Type(base, 1)) if base in FLOATS else self.expression(Type(base, 1), 1)))
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

    def packed(self):
        """Small vectors that are widened, changed and narrowed again."""
        r = self.r
        t = Type(r.choice(["uchar", "uchar", "char", "ushort", "short"]), r.choice([2, 4, 4]))
        wide = t.of(r.choice([t.base, "ushort", "short", "int"]))
        for _ in range(r.randint(1, 3)):
            self.define(
                wide,
                self.convert(
                    wide, "((global const %s *)in)[%s]" %
                    (t, r.choice(["ITEM", "ITEM + %du" % r.randint(1, 99),
                                  self.index(1024)]))))
        for _ in range(r.randint(1, 4)):
            value = self.define(wide, self.expression(wide, r.randint(0, 2)))
        self.define(t, self.convert(t, value))

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
        self.line("%sglobal %s *%s = (%sglobal %s *)%s + ITEM%s;" %
                  (volatile, t, c, volatile, t, room, "" if apart else " * %du" % count))
        place = lambda: at % r.choice([str(r.randrange(count)), "(uint)%s & %du" % (self.word(), count - 1)])
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
        self.line(
            "%s %s[%d];" % (t, a, count), "for (uint k = 0; k < %d; k++) %s[k] = %s + (%s)k;" %
            (count, a, "(%s)%s" % (t.sum, self.variable(t)), t.sum if t.n == 1 else t.base))
        place = lambda: r.choice([str(r.randrange(count)), "(uint)%s & %du" % (self.word(), count - 1)])
        for _ in range(r.randint(2, 6)):
            if r.random() < .5:
                self.line("%s[%s] = %s;" % (a, place(), self.operand(t)))
            elif r.random() < .7 or t.n > 1:
                self.define(t, "%s[%s]" % (a, place()))
            elif t.base in INTEGERS and r.random() < .4:
                self.define(Type("uchar", 1), "((uchar *)%s)[%s]" % (a, place()))
            else:
                self.define(Type(t.base, 2),
                            "vload2(%s, %s + %d)" % ("(%s) / 4" % place(), a, r.randint(0, 1)))

    def loop(self):
        r = self.r
        t = self.type(widths=[1, 1, 1, 4])
        name, step = self.define(t, self.constant(t)), r.choice([1, 2, 3, 4, 16, 33])
        count = r.choice(["2u", "3u", "4u", "7u", "8u", "((n & 3u) + 1u)", "(LID & 3u)", "16u"])
        most = max(512, IN_BYTES // t.bytes)
        at = r.choice([
            "ITEM * %du + k" % r.choice([1, 4]),
            "ITEM + k * %du" % step, "LID + k",
            "k * %du" % step, "(ITEM - k) & 255u",
            "(uchar)(ITEM + k * %du)" % step,
            "(%s + k) & %du" % (self.index(512), 511)
        ])
        value = "((global const %s *)in)[(%s) & %du]" % (t, at, most // 1 - 1)
        if t.base in FLOATS:
            op = "%s = fmax(%s, %s + (%s)0) + (%s)0;" % (name, name, value, t, t)
        else:
            op = r.choice([
                "%s = (%s)((%s)%s + (%s)(%s));" % (name, t, t.sum, name, t.sum, value),
                "%s = max(%s, %s);" % (name, name, value),
                "%s ^= %s;" % (name, value),
                "%s = (%s)((%s)%s * (%s)(%s)3 + (%s)(%s));" %
                (name, t, t.sum, name, t.sum, t.base, t.sum, value)
            ])
        self.line("for (uint k = 0; k < %s; k++) %s" % (count, op))

    def halves(self):
        """float and double in memory as half."""
        r, n = self.r, self.r.choice([1, 1, 2, 3, 4, 8, 16])
        t = Type(r.choice(["float", "float", "double"]), n)
        width, aligned = str(n) if n > 1 else "", n > 1 and n != 3 and r.random(
        ) < .3  # clang-22 reads vloada_half3 as if it were not aligned
        f = self.define(
            Type("float", n),
            "vload%s_half%s(%s, (global const half *)in)" % ("a" if aligned else "", width, self.index(512)))
        room = self.room(ITEMS * 2 * (4 if n == 3 else n))
        if room:
            value = self.quiet(
                t) if r.random() < .5 or t.base != "float" else "(%s != %s ? (%s)0.5f : %s)" % (f, f, t, f)
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
            self.line("%s[%s] = %s;" % (l, "LID * %du + %du" %
                                        (rows, k) if across else "LID + SIZE * %du" % k, self.operand(t, 0)))
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        for k in range(rows):
            at = r.choice([
                "LID", "SIZE - 1u - LID",
                "(LID + %du) %% SIZE" % r.randint(1, 70), "LID ^ 0u",
                "(LID * %du) %% SIZE" % r.choice([3, 5, 7, 8]),
                "(uint)%s %% SIZE" % self.word(),
                "min(LID ^ %du, SIZE - 1u)" % r.choice([1, 2, 4, 8]),
                "(uint)(get_local_id(1) + get_local_id(0) * get_local_size(1)) %% SIZE"
            ])
            at = at.replace("%%", "%")
            self.define(
                t, "%s[%s]" % (l, "(%s) + SIZE * %du" % (at, k) if r.random() < .5 else "(%s) * %du + %du" %
                               (at, rows, k)))
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def sub_group(self):
        r = self.r
        t = self.type(widths=[1])
        value = self.operand(t, 0)
        small = "(%s)(%s)(LANE * %du %% 17u + (uint)(%s))" % (t, t, r.choice([1, 3, 5]),
                                                              "n & 3u") if t.base in FLOATS else value
        kind = r.random()
        if kind < .45:
            lane = r.choice([
                "LANE ^ %du" % r.choice([1, 2, 3, 4, 7, 8, 16]),
                "LANE + %du" % r.choice([1, 2, 5]),
                "LANE - %du" % r.choice([1, 2, 5]),
                "(uint)%s" % self.word(), "LANE * 3u",
                "%du" % r.randint(0, 5), "get_sub_group_size() - 1u - LANE"
            ])
            self.define(
                t,
                r.choice([
                    "sub_group_shuffle(%s, (%s) %% get_sub_group_size())" % (value, lane),
                    "sub_group_shuffle(%s, (%s) %% get_sub_group_size())" % (value, lane),
                    "sub_group_broadcast(%s, (n + %du) %% get_sub_group_size())" % (value, r.randint(0, 9))
                ]))
        elif kind < .6:
            k = r.choice([1, 2, 3, 4, 8])
            function, lane = r.choice([("shuffle_xor", "LANE ^ %du"), ("shuffle_up", "LANE - %du"),
                                       ("shuffle_down", "LANE + %du"),
                                       ("rotate", "(LANE + %du) %% get_max_sub_group_size()")])
            moved = "sub_group_%s(%s, %d)" % (function, value, k)
            name = self.define(t, moved)
            self.line("%s = (%s) < get_sub_group_size() ? %s : %s;" % (name,
                                                                       (lane % k), name, self.constant(t)))
        else:
            shape = r.choice(["reduce", "scan_inclusive", "scan_exclusive"])
            form = r.choice(["", "", "non_uniform_"])
            op = r.choice(["add", "min", "max"] +
                          ([] if t.base in FLOATS or not form else ["mul", "and", "or", "xor"]))
            self.define(t, "sub_group_%s%s_%s(%s)" % (form, shape, op, small))

    def exchange(self):
        """A sorting network or a butterfly over the lanes."""
        r = self.r
        t = self.type(widths=[1])
        if t.base in FLOATS:
            t = Type("float", 1)
        v = self.define(t, "(%s)(LANE * 7u %% 13u)" % t if t.base in FLOATS else self.operand(t, 0))
        step = r.choice([
            "%(v)s = (LANE & %(k)du) != 0u ? %(max)s(%(v)s, o) : %(min)s(%(v)s, o);",
            "%(v)s = (((LANE & %(k)du) != 0u) == (%(v)s < o)) ? o : %(v)s;",
            "%(v)s = (%(t)s)((%(u)s)%(v)s + (%(u)s)o);",
            "%(v)s = (%(t)s)((LANE & %(k)du) != 0u ? (%(u)s)o - (%(u)s)%(v)s : (%(u)s)%(v)s + (%(u)s)o);"
        ])
        for _ in range(r.randint(2, 9)):
            words = {
                "v": v,
                "k": r.choice([1, 2, 4, 8, 16, 3]),
                "t": t,
                "u": t.sum,
                "max": "fmax" if t.base in FLOATS else "max",
                "min": "fmin" if t.base in FLOATS else "min"
            }
            self.line(
                "{ %(t)s o = sub_group_shuffle_xor(%(v)s, %(k)d); "
                "o = (LANE ^ %(k)du) < get_sub_group_size() ? o : %(v)s; "
                % words + step % words + " }")

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
        kinds += r.sample([
            self.filter, self.network, self.fields, self.tile, self.sub_group, self.exchange, self.packed,
            self.halves
        ], 2) * 3
        self.plain()
        for _ in range(r.randint(2, 8)):
            r.choice(kinds)()
        for name, t in self.declared:
            self.store(name, t)
        head = [
            "kernel void random_data_%d(global uint *out, global const uint *in, uint n, local uint *shared)"
            % self.seed, "{"
        ]
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
        out.append("struct%s %s { %s };" % (attribute, name, " ".join("%s %s;" % member
                                                                      for member in members)))
    out.append("")
    for seed in range(first, first + count):
        out += Kernel(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
