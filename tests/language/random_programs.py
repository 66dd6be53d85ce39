#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random programs: whole kernels as generators of compiler tests write them, by seed.

    random_programs.py write FIRST COUNT                          their OpenCL C, to standard output
    random_programs.py run [OPTIONS] FIRST COUNT                  compiles and runs them, see run --help

A program keeps its state in a struct of scalars, vectors, arrays, a union and a nested struct, of which
volatile and plain pointers go round; functions call each other with pointers to private, local and generic
memory. Its work-items own one word each of a local array and change owners at barriers; they add to local
words by atomics that nobody looks at before the next barrier, and sections that one of them enters,
whichever, do what is the same for all. At the end everything is hashed. Nothing is undefined: arithmetic is
unsigned or guarded, indices are masked, loops end.
"""
import random
import sys

import random_run

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
SCALARS = list(BITS)
WIDTHS = (2, 3, 4, 8, 16)
NAMES = "0123456789abcdef"


def unsigned(base):
    return base if base[0] == "u" else "u" + base


class Program:

    def __init__(self, seed):
        self.r = random.Random(seed * 104729 + 5)
        self.seed = seed
        self.count = 0
        self.fuel = self.r.randint(3, 7)  # statements to come: first code has a budget
        self.members, self.text_of = [], []
        self.functions = []  # (name, type, parameters)
        self.scope = []  # (type, width, text): what may be read and written
        self.readable = []
        self.uniform = ["n", "7u"]
        self.barriers = self.r.random() < .6

    def fresh(self, stem):
        self.count += 1
        return "%s_%d" % (stem, self.count)

    def number(self, base):
        r = self.r
        value = r.choice([r.randint(0, 9), r.randint(0, (1 << BITS[base]) - 1),
                          (1 << BITS[base] - 1) - r.randint(0, 1)])
        suffix = "ul" if BITS[base] == 64 else "u"
        return "(%s)0x%x%s" % (base, value & ((1 << BITS[base]) - 1), suffix)

    # ---- the state ----

    def declare_state(self):
        r = self.r
        out = ["struct inner_%d {" % self.seed]
        for name in "pqr"[:r.randint(1, 3)]:
            base = r.choice(SCALARS)
            out += ["    %s%s %s;" % (r.choice(["", "", "volatile "]), base, name)]
            self.members.append((base, 1, "%%s->in.%s" % name))
        out += ["};", "union word_%d { uint u; uchar4 b; ushort h[2]; short2 s; };" % self.seed,
                "struct state_%d {" % self.seed]
        for name in "abcdef"[:r.randint(3, 6)]:
            base, width = r.choice(SCALARS), r.choice([1, 1, 1, 1] + list(WIDTHS))
            volatile = r.choice(["", "", "", "volatile "]) if width == 1 else ""
            out += ["    %s%s%s %s;" % (volatile, base, width if width > 1 else "", name)]
            self.members.append((base, width, "%%s->%s" % name))
        base, length = r.choice(SCALARS), r.choice([2, 4, 8])
        out += ["    struct inner_%d in;" % self.seed, "    union word_%d w;" % self.seed,
                "    %s t[%d];" % (base, length), "};", ""]
        self.members += [("uint", 1, "%s->w.u"), ("ushort", 1, "%s->w.h[1]"), ("uchar", 4, "%s->w.b")]
        self.table = (base, length)
        return out

    # ---- expressions ----

    def variable(self, base=None, width=None, written=False):
        found = [v for v in (self.scope if written else self.scope + self.readable)
                 if base in (None, v[0]) and width in (None, v[1])]
        return self.r.choice(found) if found else None

    def place(self, depth):
        base, length = self.table
        return "%s->t[(uint)%s & %du]" % (self.state, self.expression("uint", 1, depth), length - 1)

    def scalar(self, base, depth):
        """Of any type, converted."""
        r = self.r
        v = self.variable()
        if v is None or r.random() < .2:
            return self.number(base)
        part = v[2] if v[1] == 1 else "%s.s%s" % (v[2], NAMES[r.randrange(v[1])])
        return self.convert(base, part)

    def convert(self, base, text):
        """By way of 32 bits: clang-22 narrows 64 bits to 8 by an operation of two widths."""
        return "(%s)%s%s" % (base, "(uint)" if BITS[base] < 32 else "", text)

    def expression(self, base, width, depth):
        r = self.r
        t = base + (str(width) if width > 1 else "")
        u = unsigned(base) + (str(width) if width > 1 else "")
        cast = (lambda to, x: "(%s)(%s)" % (to, x)) if width == 1 else (lambda to, x: "as_%s(%s)" % (to, x))
        if depth <= 0 or r.random() < .2:
            v = self.variable(base, width)
            if v and r.random() < .7:
                return v[2]
            if width == 1:
                return self.scalar(base, depth)
            return "(%s)(%s)" % (t, ", ".join(self.scalar(base, 0) for _ in range(width)) if r.random() < .5
                                 else self.scalar(base, 0))
        x, y = self.expression(base, width, depth - 1), self.expression(base, width, depth - 1)
        kind = r.random()
        if width == 1 and BITS[base] < 32:
            u = "uint"  # two of 16 bits would be multiplied as int
        if kind < .3:
            return cast(t, "%s %s %s" % (cast(u, x), r.choice("+-*"), cast(u, y)))
        if kind < .45:
            return cast(t, "%s %s %s" % (cast(u, x), r.choice("&|^"), cast(u, y)))
        if kind < .55:
            low = min(BITS[base], 32) - 1
            return cast(t, "%s %s (%s)%d" % (cast(u, x), r.choice(["<<", ">>"]), u, r.randint(0, low)))
        if kind < .62:
            return cast(t, "%s %s (%s | (%s)1)" % (cast(u, x), r.choice("/%"), cast(u, y), u))
        if kind < .7:
            return "%s(%s, %s)" % (r.choice(["min", "max", "rotate", "hadd", "add_sat", "sub_sat"]),
                                   "(%s)(%s)" % (t, x), "(%s)(%s)" % (t, y))
        if width > 1 and kind < .8:
            swizzle = "".join(r.choice(NAMES[:width]) for _ in range(width))
            v = self.variable(base, width)
            return "%s.s%s" % (v[2], swizzle) if v else x
        if width > 1 and kind < .9:
            return "select(%s, %s, as_%s(%s %s %s))" % (x, y, u, x, r.choice(["<", ">", "==", "!="]), y)
        if width == 1 and kind < .85:
            return "(%s %s %s ? %s : %s)" % (x, r.choice(["<", ">", "==", "!=", ">="]), y, y,
                                             self.expression(base, 1, depth - 1))
        if width == 1 and kind < .9:
            return self.convert(base, self.place(0))
        if width == 1 and kind < .97 and self.functions and self.calls:
            return self.convert(base, self.call())
        return "~(%s)%s" % (t, "(%s)" % x)

    def condition(self, depth=1):
        v = self.r.choice(SCALARS)
        return "%s %s %s" % (self.expression(v, 1, depth), self.r.choice(["<", ">", "==", "!="]),
                             self.expression(v, 1, 0))

    def call(self):
        name, kinds = self.r.choice(self.functions)
        arguments = [self.state]
        for kind in kinds:
            arguments.append("n" if kind == "n" else self.pointer if kind == "pointer"
                             else self.expression(kind, 1, 0))
        return "%s(%s)" % (name, ", ".join(arguments))

    # ---- statements ----

    def block(self, depth, flow):
        out = []
        for _ in range(self.r.randint(1, 3)):
            self.fuel -= 1
            kinds = [self.assign] * 5 + [self.whole]
            if depth and self.fuel > 0:
                kinds += [self.branch, self.branch, self.loop, self.loop, self.switch, self.jump,
                          self.pointers]
            if flow["loop"]:
                kinds += [self.leave]
            if flow["uniform"] and self.barriers:
                kinds += [self.exchange, self.exchange, self.reduce, self.section]
            out += self.r.choice(kinds)(depth, flow)
        return ["    " + line for line in out]

    def assign(self, depth, flow):
        r = self.r
        base, width, text = self.variable(written=True)
        if width > 1 and r.random() < .4:
            chosen = r.sample(range(width), r.choice([1, 2]) if width != 3 else 1)
            part = self.expression(base, len(chosen), 1)
            return ["%s.s%s = %s;" % (text, "".join(NAMES[k] for k in chosen), part)]
        if width == 1 and r.random() < .3:
            return ["%s %s= %s;" % (text, r.choice("^|&"), self.expression(base, 1, 2))]
        if r.random() < .15:
            return ["%s = (%s)%s;" % (self.place(1), self.table[0], self.expression(self.table[0], 1, 1))]
        return ["%s = (%s%s)(%s);" % (text, base, width if width > 1 else "",
                                      self.expression(base, width, 1 if width > 4 else 2))]

    def whole(self, depth, flow):
        """The struct copied, changed and copied back."""
        if not self.in_kernel:
            return self.assign(depth, flow)
        s = self.fresh("s")
        return ["{ struct state_%d %s = *%s; %s.w.u += 3u; %s.t[1] ^= (%s)5; *%s = %s; }" %
                (self.seed, s, self.state, s, s, self.table[0], self.state, s)]

    def branch(self, depth, flow):
        uniform = flow["uniform"] and self.r.random() < .4
        condition = "((%s >> %d) & 1u) == 0u" % (self.r.choice(self.uniform),
                                                 self.r.randint(0, 3)) if uniform else self.condition()
        inner = dict(flow, uniform=uniform)
        out = ["if (%s) {" % condition] + self.block(depth - 1, inner)
        if self.r.random() < .5:
            out += ["} else {"] + self.block(depth - 1, inner)
        return out + ["}"]

    def loop(self, depth, flow):
        r, k = self.r, self.fresh("k")
        uniform = flow["uniform"] and r.random() < .6
        bound = r.choice(["2u", "3u", "5u",
                          "(n & 3u) + 1u"]) if uniform else (
                               "((uint)%s & 3u) + 1u" % self.expression("uint", 1, 0))
        self.readable.append(("uint", 1, k))
        if uniform:
            self.uniform.append(k)
        body = self.block(depth - 1, {"uniform": uniform, "loop": not uniform, "switch": False})
        self.readable.pop()
        if uniform:
            self.uniform.pop()
        if r.random() < .7:
            return ["for (uint %s = 0u, end_%s = %s; %s < end_%s; %s++) {" %
                    (k, k, bound, k, k, k)] + body + ["}"]
        return ["{ uint %s = 0u, end_%s = %s; do {" %
                (k, k, bound)] + body + ["} while (++%s < end_%s); }" % (k, k)]

    def leave(self, depth, flow):
        return ["if (%s)" % self.condition(), "    %s;" %
                ("continue" if flow["switch"] else self.r.choice(["break", "continue"]))]

    def switch(self, depth, flow):
        out = ["switch (SPREAD(%s %% 6u)) {" % self.expression("uint", 1, 1)]
        for case in sorted(self.r.sample(range(6), self.r.randint(2, 4))):
            out += ["case SPREAD(%du): {" %
                    case] + self.block(depth - 1, {"uniform": False, "loop": flow["loop"],
                                                   "switch": True}) + ["}"]
            out += ["    break;"] if self.r.random() < .5 else []
        return out + ["default:"] + self.block(0, {"uniform": False, "loop": False, "switch": True}) + ["}"]

    def jump(self, depth, flow):
        """Forward over a part."""
        to = self.fresh("past")
        inner = {"uniform": False, "loop": False, "switch": False}
        return ["if (%s) goto %s;" % (self.condition(),
                                      to)] + [line[4:] for line in ["    {"] + self.block(depth - 1, inner) +
                                              ["    }"]] + ["%s:;" % to]

    def pointers(self, depth, flow):
        """A pointer to one of two, and a pointer to that."""
        r = self.r
        fits = [v for v in self.scope if v[1] == 1 and ".h[" not in v[2]]
        base = r.choice(fits)[0]
        places = [v[2] for v in fits if v[0] == base]
        p = self.fresh("p")
        out = ["{ volatile %s *%s = &%s, **%s_p = &%s;" % (base, p, r.choice(places), p, p),
               "if (%s) %s = &%s;" % (self.condition(0), p, r.choice(places))]
        self.scope.append((base, 1, "(**%s_p)" % p))
        out += self.block(depth - 1, dict(flow, uniform=False))
        self.scope.pop()
        return out + ["}"]

    # ---- work-items together ----

    def exchange(self, depth, flow):
        """Owners change: each has another word of the local array."""
        k = self.r.randint(1, 300)
        return ["barrier(CLK_LOCAL_MEM_FENCE);", "own = (own + %du) %% SIZE;" % k,
                "shared[own] %s %s;" % (self.r.choice(["+=", "^=", "="]), self.expression("uint", 1, 1))]

    def reduce(self, depth, flow):
        op, v = self.r.choice(["add", "sub", "min", "max", "and", "or", "xor"]), self.r.choice(self.sums)
        add = "atomic_%s(&%s, %s);" % (op, v, self.expression("uint", 1, 2))
        if self.r.random() < .4:
            add = "if (%s) %s" % (self.condition(), add)
        return [add, "barrier(CLK_LOCAL_MEM_FENCE);", "total ^= %s;" % v, "barrier(CLK_LOCAL_MEM_FENCE);",
                "if (LID == 0u) %s = %s;" % (v, self.r.choice(["total", "5u", "0u"])),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def section(self, depth, flow):
        """One work-item enters, whichever."""
        v, c = self.r.choice(self.sums), self.fresh("c")
        self.counters.append(c)
        return ["barrier(CLK_LOCAL_MEM_FENCE);", "if (LID == 0u) %s = 0u;" % c,
                "barrier(CLK_LOCAL_MEM_FENCE);",
                "if (atomic_inc(&%s) == SIZE / %du) { uint x = %s; for (uint i = 0u; i < 3u; i++) x = x * "
                "5u + i; atomic_add(&%s, x); }" %
                (c, self.r.choice([2, 3, 7]), self.r.choice(self.uniform), v),
                "barrier(CLK_LOCAL_MEM_FENCE);", "total += %s + %s;" % (v, c),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    # ---- all of it ----

    def function(self, k):
        r = self.r
        base = r.choice(SCALARS)
        name, kinds = "func_%d_%d" % (self.seed, k), [r.choice(SCALARS + ["n", "pointer"]) for _
                                                      in range(r.randint(1, 4))]
        declared = ["struct state_%d *s" % self.seed]
        self.scope = [(m[0], m[1], m[2] % "s") for m in self.members]
        self.readable, self.uniform, self.state, self.in_kernel = [], ["7u"], "s", False
        for i, kind in enumerate(kinds):
            if kind == "pointer":
                declared.append("uint *p%d" % i)
                self.scope.append(("uint", 1, "(*p%d)" % i))
            elif kind == "n":
                declared.append("uint n%d" % i)
                self.readable.append(("uint", 1, "n%d" % i))
            else:
                declared.append("%s x%d" % (kind, i))
                self.scope.append((kind, 1, "x%d" % i))
        self.pointer = next(("p%d" % i for i, kind in enumerate(kinds) if kind == "pointer"), "&s->w.u")
        self.calls = self.functions and r.random() < .5
        fuel, self.fuel = self.fuel, 4
        body = ["    uint n = 5u;"] + self.block(2,
                                                 {"uniform": False, "loop": False,
                                                  "switch": False}) + ["    return %s;" %
                                                                       self.expression(base, 1, 2)]
        self.fuel = fuel
        self.functions.append((name, kinds))
        return ["static %s %s %s(%s)" % (r.choice(["NOINLINE", "NOINLINE", "inline"]), base, name,
                                         ", ".join(declared)), "{"] + body + ["}", ""]

    def text(self):
        r = self.r
        out = self.declare_state()
        for k in range(r.randint(0, 3)):
            out += self.function(k)
        self.scope = [(m[0], m[1], m[2] % "s") for m in self.members] + [("ulong", 1, "g"), ("uint", 1, "x")]
        self.readable, self.uniform = [("uint", 1, "ITEM"), ("uint", 1, "LID")], ["n", "7u", "SIZE"]
        self.state, self.in_kernel, self.pointer, self.calls = "s", True, "&x", True
        if self.barriers:
            self.readable.append(("uint", 1, "shared[own]"))
        self.sums, self.counters = ["sum_0", "sum_1"], []
        body = []
        while self.fuel > 0:
            body += self.block(3, {"uniform": True, "loop": False, "switch": False})
        head = ["kernel void program_%d_people_small(global uint *out, global const uint *in, uint n, local "
                "uint *shared)" % self.seed, "{"]
        if self.barriers:
            head += ["    local uint %s;" % ", ".join(self.sums + self.counters)]
        head += ["    struct state_%d state, *s = &state;" % self.seed,
                 "    uint x = in[ITEM & 4095u], own = LID, total = 0u;",
                 "    ulong g = (ulong)x * 0x100000001ul;"]
        head += ["    s->w.u = x ^ 0x5a5a5a5au;"]
        base, length = self.table
        head += ["    for (uint i = 0u; i < %du; i++) s->t[i] = (%s)(x * i);" % (length, base)]
        for k, (base, width, text) in enumerate(self.members[:-3]):
            t = base + (str(width) if width > 1 else "")
            head += ["    %s = (%s)(%s);" % (text % "s", t, "(%s)in[(x + %du) & 4095u]" % (base, k) if k % 2
                                             else self.number(base))]
        if self.barriers:
            head += ["    if (LID == 0u) sum_0 = sum_1 = 0u;", "    shared[LID] = x;",
                     "    barrier(CLK_LOCAL_MEM_FENCE);"]
        tail = ["    uint hash = total + (uint)g + (uint)(g >> 32) * 3u + x;"]
        for base, width, text in self.members:
            for k in range(width):
                part = text % "s" + (".s%s" % NAMES[k] if width > 1 else "")
                tail += ["    hash = hash * 31u + (uint)%s%s;" %
                         (part, " + (uint)((ulong)%s >> 32)" % part if BITS[base] == 64 else "")]
        tail += ["    for (uint i = 0u; i < %du; i++) hash = hash * 31u + (uint)s->t[i];" % length]
        if self.barriers:
            tail += ["    barrier(CLK_LOCAL_MEM_FENCE);", "    hash ^= shared[LID];"]
        return out + head + body + tail + ["    out[ITEM] = hash;", "}", ""]


PROLOGUE = """#include "language.h"
#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define SPREAD(x) ((x) * 0x87654321u)
"""


def write(first, count):
    out = [PROLOGUE]
    for seed in range(first, first + count):
        out += Program(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
