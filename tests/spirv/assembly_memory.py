# SPDX-License-Identifier: MIT
"""What reads and writes memory, and computes with pointers. For random_assembly.py."""
from assembly_module import STORED, WIDTHS, Drawer, random_value
from assembly_values import (A, B, F, I, P, V, Inst, Value, align_of, exact, members, offsets, scalars,
                             size_of, wrap)


class MemoryDrawer(Drawer):
    def access(self, t, more=False):
        r, words = self.r, ""
        if r.random() < .3:
            size = r.choice([k for k in (1, 2, 4, 8, 16) if k <= align_of(t)])
            words = r.choice([
                "None", "Volatile",
                "Aligned %d" % size,
                "Volatile|Aligned %d" % size, "Nontemporal",
                "Aligned|Nontemporal %d" % size
            ])
        return words

    def variable(self, t):
        init = None
        if self.r.random() < .4:
            init = self.constant(t, random_value(self.r, t))
        v = Value(P("Function", t), self.module.fresh("var"))
        if self.r.random() < .1:
            self.module.align(v)
        self.variables.append((v, t, init))
        return v

    def load(self, p):
        t = p.t[2]
        return self.op(t, "OpLoad", [p], lambda m, a: m.load(t, a), after=self.access(t), kind="memory")

    def store(self, p, v):
        t = p.t[2]
        self.op(None,
                "OpStore", [p, v],
                lambda m, a, x: m.store(t, a, x),
                after=self.access(t),
                kind="memory")

    def index(self, n):
        """Of an array: a constant or a value, of any width; and what it is."""
        t = I(self.r.choice(WIDTHS))
        if self.r.random() < .5:
            return self.constant(t, self.r.randrange(n))
        return self.op(t, "OpUMod", [self.value(t), self.constant(t, n)], lambda x, y: x % y)

    def into(self, p, deep=.75):
        """A pointer to a part of what `p` points at."""
        t, args, steps = p.t[2], [], []
        while t[0] in "vas" and self.r.random() < deep:
            if t[0] == "s":
                k = self.r.randrange(len(t[1]))
                args.append(self.constant(I(32), k, False))
                steps.append((None, offsets(t)[0][k]))
            else:
                args.append(self.index(t[2]))
                steps.append((size_of(t[1]), 0))
            t = members(t)[k if t[0] == "s" else 0]
        if not args:
            return p

        def run(a, *indices):
            return a + sum(add if size is None else size * k for (size, add), k in zip(steps, indices))

        name = self.r.choice(["Op%sAccessChain", "OpIn%sAccessChain"]) % ""
        if name == "OpInAccessChain":
            name = "OpInBoundsAccessChain"
        if self.r.random() < .3:  # from the middle of an array, there and back
            k = self.r.randint(-3, 3)
            w = self.r.choice(WIDTHS)
            p = self.op(p.t,
                        "OpPtrAccessChain", [p, self.constant(I(w), wrap(w, k))],
                        lambda a, i, s=size_of(p.t[2]): a + s * k)
            p.safe = False
            return self.op(P(p.t[1], t),
                           "OpPtrAccessChain", [p, self.constant(I(w), wrap(w, -k))] + args,
                           lambda a, i, *rest, s=size_of(p.t[2]): run(a - s * k, *rest))
        return self.op(P(p.t[1], t), name, [p] + args, run)

    def pointer(self, written=False):
        """One that may be read, or written too."""
        there = [v for v in self.values() if v.t[0] == "p" and v.safe and not (written and v.fixed)]
        if not there or self.r.random() < .15:
            return self.variable_with_value()
        return self.r.choice(there)

    def variable_with_value(self):
        v = self.variable(self.any_type_of_memory())
        if not self.variables[-1][2]:
            t = v.t[2]
            self.variables[-1] = (v, t, self.constant(t, random_value(self.r, t)))
        return v

    def any_type_of_memory(self):
        r = self.r
        return r.choice([
            r.choice(STORED),
            V(r.choice(STORED), r.choice((2, 3, 4, 8, 16))),
            r.choice(self.module.shapes),
            r.choice(self.module.shapes)
        ])

    def copy_memory(self):
        p = self.into(self.pointer(), .4)
        t = p.t[2]
        same = [v for v in self.values() if v.t[0] == "p" and v.t[2] == t and v.safe and not v.fixed]
        q = self.r.choice(same) if same and self.r.random() < .6 else self.variable(t)
        if q not in same:
            self.variables[-1] = (q, t, self.constant(t, random_value(self.r, t)))
        # Of one and the same object, or of two.
        if self.r.random() < .5:
            self.op(None,
                    "OpCopyMemory", [q, p],
                    lambda m, a, c: m.copy(a, c, size_of(t)),
                    kind="memory",
                    after=self.access(t))
        else:
            n = self.constant(I(self.r.choice((16, 32, 64))), size_of(t))
            self.op(None,
                    "OpCopyMemorySized", [q, p, n],
                    lambda m, a, c, k: m.copy(a, c, k),
                    kind="memory",
                    after=self.access(t))

    def atomic(self):
        """On what is this work-item's alone; every scope and order that the operation may have."""
        r = self.r
        p = self.into(self.pointer(True))
        t = p.t[2]
        if t not in (I(32), I(64)):
            there = [
                v for v in self.values()
                if v.t[0] == "p" and v.t[2] in (I(32), I(64)) and v.safe and not v.fixed
            ]
            if not there:
                return
            p = r.choice(there)
            t = p.t[2]
        if p.t[1] == "Function" and r.random() < .9:
            return
        if t == I(32) and r.random() < .3:
            return self.flag(p)
        w = t[1]
        s = lambda x: x - (1 << w) if x >> (w - 1) else x
        number = lambda x: self.constant(I(32), x, False)
        scope = number(r.choice((1, 2, 3, 4, 0)))
        space = r.choice((0, 0x200, 0x100, 0x300))
        order = lambda *some: number(r.choice(some) and r.choice(some) | space)

        def run(f):
            def go(m, a, *rest):
                old = m.load(t, a)
                m.store(t, a, wrap(w, f(old, *rest[2:])))
                return old

            return go

        kind = r.randrange(6)
        if kind == 0:
            return self.op(t,
                           "OpAtomicLoad", [p, scope, order(0, 2, 16)],
                           lambda m, a, *_: m.load(t, a),
                           kind="memory")
        if kind == 1:
            return self.op(None,
                           "OpAtomicStore",
                           [p, scope, order(0, 4, 16), self.value(t)],
                           lambda m, a, x, y, v: m.store(t, a, v),
                           kind="memory")
        if kind == 2:
            name, f = r.choice([("OpAtomicIIncrement", lambda x: x + 1),
                                ("OpAtomicIDecrement", lambda x: x - 1)])
            return self.op(t, name, [p, scope, order(0, 2, 4, 8, 16)], run(f), kind="memory")
        if kind == 3:
            new, old = self.value(t), self.value(t)
            if r.random() < .5:
                old = self.load(p)
            return self.op(t,
                           "OpAtomicCompareExchange",
                           [p, scope, order(0, 2, 4, 8, 16),
                            order(0, 2, 16), new, old],
                           lambda m, a, b, c, d, n, o: run(lambda x: n if x == o else x)(m, a, b, c),
                           kind="memory")
        name, f = r.choice([("Exchange", lambda x, y: y), ("IAdd", lambda x, y: x + y),
                            ("ISub", lambda x, y: x - y), ("SMin", lambda x, y: min(s(x), s(y))),
                            ("UMin", min), ("SMax", lambda x, y: max(s(x), s(y))), ("UMax", max),
                            ("And", lambda x, y: x & y), ("Or", lambda x, y: x | y),
                            ("Xor", lambda x, y: x ^ y)])
        return self.op(t,
                       "OpAtomic" + name,
                       [p, scope, order(0, 2, 4, 8, 16), self.value(t)],
                       run(f),
                       kind="memory")

    def flag(self, p):
        """What it holds while it is set is nobody's business."""
        number = lambda x: self.constant(I(32), x, False)
        scope = number(self.r.choice((1, 2, 3, 4)))

        def clear():
            self.op(None, "OpAtomicFlagClear",
                    [p, scope, number(self.r.choice((0, 4, 16)))],
                    lambda m, a, *_: m.store(I(32), a, 0), kind="memory")

        def test_and_set(m, a, *_):
            old = m.load(I(32), a)
            m.store(I(32), a, 1)
            return old != 0

        clear()
        for _ in range(self.r.randint(1, 3)):
            self.op(B, "OpAtomicFlagTestAndSet",
                    [p, scope, number(self.r.choice((0, 2, 4, 8, 16)))], test_and_set, kind="memory")
        clear()

    def is_null(self, p):
        if self.module.version >= 14 and self.r.random() < .6:
            return self.op(B, "OpPtrEqual", [p, self.constant(p.t, 0)], lambda x, y: x == y)
        bits = self.op(I(64), "OpConvertPtrToU", [p], lambda x: x)
        bits.safe = False
        return self.op(B, "OpIEqual", [bits, self.constant(I(64), 0)], lambda x, y: x == y)

    def replace_null(self, p):
        """After a phi of pointers some of which are null: another in their place."""
        there = [v for v in self.values() if v.t == p.t and v.safe and not v.home]
        there = there or [self.variable_for(p.t)]
        self.op(p.t, "OpSelect", [self.is_null(p), self.r.choice(there), p], lambda c, x, y: x if c else y)

    def vector_memory(self):
        """vloadn, vstoren, halves: of arrays, by an element's pointer."""
        r = self.r
        p = self.into(self.pointer(True), .3)
        t = p.t[2]
        if t[0] != "a" or t[1][0] not in "if" or t[2] < 2 or p.t[1] == "UniformConstant":
            e = r.choice(STORED)
            t = A(e, r.randint(4, 20))
            p = self.variable(t)
            self.variables[-1] = (p, t, self.constant(t, random_value(r, t)))
        e, n = t[1], r.choice([k for k in (2, 3, 4, 8, 16) if k <= t[2]])
        first = self.op(P(p.t[1], e), "OpInBoundsAccessChain", [p, self.constant(I(32), 0)], lambda a, i: a)
        v, k = V(e, n), r.randrange(t[2] // n)
        at = self.constant(I(64), k)
        size = size_of(e)

        def put(m, a, x):
            for i, y in enumerate(x):
                m.store(e, a + size * i, y)

        kind = r.randrange(4)
        if e == F(16) and kind > 1:
            mode = r.choice((None, "RTE", "RTZ", "RTP", "RTN"))
            wide = r.choice((F(32), F(64)))
            if kind == 2:
                return self.op(V(F(32), n),
                               "OpExtInst", [at, first],
                               lambda m, i, a: tuple(m.load(e, a + size * (n * k + j)) for j in range(n)),
                               before="%std vload_halfn",
                               after=str(n),
                               kind="memory")
            x = self.value(V(wide, n))
            return self.op("void",
                           "OpExtInst", [x, at, first],
                           lambda m, x, i, a: put(m, a + size * n * k,
                                                  tuple(exact(16, y, (mode or "rte").lower()) for y in x)),
                           kind="memory",
                           before="%std vstore_halfn" + ("_r" if mode else ""),
                           after=mode or "")
        if kind % 2:
            return self.op(v,
                           "OpExtInst", [at, first],
                           lambda m, i, a: tuple(m.load(e, a + size * (n * k + j)) for j in range(n)),
                           before="%std vloadn",
                           after=str(n),
                           kind="memory")
        return self.op("void",
                       "OpExtInst", [self.value(v), at, first],
                       lambda m, x, i, a: put(m, a + size * n * k, x),
                       before="%std vstoren",
                       kind="memory")

    def table_of_pointers(self):
        """Pointers in private memory, one of which is loaded."""
        r = self.r
        there = [v for v in self.values() if v.t[0] == "p" and v.safe and v.t[1] != "Input"]
        if not there:
            return
        one = r.choice(there)
        there = [v for v in there if v.t == one.t and v.fixed == one.fixed]
        t = A(one.t, r.randint(1, 4))
        table = self.variable(t)
        self.variables[-1] = (table, t, None)
        table.safe = False
        for k in range(t[2]):
            to = self.op(P("Function", one.t), "OpAccessChain", [table, self.constant(I(32), k)],
                         lambda a, i: a + 8 * i)
            to.safe = False
            self.op(None,
                    "OpStore", [to, r.choice(there)],
                    lambda m, a, x: m.store(one.t, a, x),
                    kind="memory")
        at = self.op(P("Function", one.t), "OpInBoundsAccessChain", [table, self.index(t[2])],
                     lambda a, i: a + 8 * i)
        at.safe = False
        self.load(at).fixed = one.fixed

    def walk(self):
        """The next element of the array that a pointer goes through, behind the last the first."""
        r = self.r
        there = [v for v in self.values() if v.home]
        if not there:
            p = self.variable_for(P("Function", A(r.choice(STORED), r.randint(2, 9))))
            first = self.op(P("Function", p.t[2][1]), "OpAccessChain", [p, self.constant(I(32), 0)],
                            lambda a, i: a)
            first.home = first, p.t[2][2]
            return
        p = r.choice(there)
        first, n = p.home
        size = size_of(p.t[2])
        w = r.choice((32, 64))
        far = self.op(I(w), "OpPtrDiff", [p, first], lambda x, y: (x - y) // size)
        more = self.op(B, "OpULessThan", [far, self.constant(I(w), n - 1)], lambda x, y: x < y)
        k = I(r.choice(WIDTHS))
        next_ = self.op(p.t, "OpPtrAccessChain", [p, self.constant(k, 1)], lambda a, i: a + size)
        next_.safe = False
        self.op(p.t, "OpSelect", [more, next_, first], lambda c, x, y: x if c else y).home = p.home

    def variable_for(self, t):
        v = self.variable(t[2])
        self.variables[-1] = (v, t[2], self.constant(t[2], random_value(self.r, t[2])))
        return v

    def noise(self):
        r, m = self.r, self.module
        text = r.choice(
            ["OpNop", "OpNoLine",
             "OpLine %s %d %d" % (m.file, r.randint(1, 99), r.randint(0, 9))])
        self.block.body.append(Inst(None, text, [], lambda: None, "pure"))
        if self.values():
            m.names_of.append('OpName %s "%s"' %
                              (r.choice(self.values()).name, r.choice(("a b", "x", "", "k0", "é"))))

    def pointers(self):
        r = self.r
        p = self.into(self.pointer())
        t = p.t
        kind = r.randrange(8)
        same = [v for v in self.values() if v.t == t and v.safe] or [p]
        q = r.choice(same)
        if kind == 0:
            self.op(t, "OpSelect", [self.value(B), p, q], lambda c, x, y: x if c else y)
        elif kind == 1:
            name, f = r.choice([("OpPtrEqual", lambda x, y: x == y),
                                ("OpPtrNotEqual", lambda x, y: x != y)])
            null = self.constant(t, 0)
            self.op(B, name, [p, r.choice([q, null])], f)
        elif kind == 2:
            base = self.op(I(64), "OpConvertPtrToU", [p], lambda x: x)
            base.safe = False
            self.op(t, "OpConvertUToPtr", [base], lambda x: x)
        elif kind == 3 and t[1] not in ("Generic", "UniformConstant"):
            g = self.op(P("Generic", t[2]), "OpPtrCastToGeneric", [p], lambda x: x)
            if r.random() < .4:
                self.op(t, "OpGenericCastToPtr", [g], lambda x: x)
        elif kind == 6:
            self.op(I(r.choice((32, 64))), "OpSizeOf", [p], lambda a, s=size_of(t[2]): s)
        elif kind == 7 and t[1] not in ("Generic", "UniformConstant"):
            g = self.op(P("Generic", t[2]), "OpPtrCastToGeneric", [p], lambda x: x)
            storage = r.choice(("Function", "Workgroup", "CrossWorkgroup"))
            same = storage == t[1]
            q = self.op(P(storage, t[2]),
                        "OpGenericCastToPtrExplicit", [g],
                        lambda x: x if same else 0,
                        after=storage)
            q.safe = same
            null = self.constant(q.t, 0)
            self.op(B, "OpPtrEqual", [q, null], lambda x, y: x == y)
            if t[1] != "Function":
                bits = self.op(I(32), "OpGenericPtrMemSemantics", [g], lambda x: 0x100
                               if t[1] == "Workgroup" else 0x200)
                bits.safe = False
                self.op(I(32), "OpBitwiseAnd", [bits, self.constant(I(32), 0x300)], lambda x, y: x & y)
        elif kind == 4:
            parts = scalars(t[2])
            size = size_of(t[2])
            if any(x[0] != "i" for _, x in parts) or sum(x[1] // 8 for _, x in parts) != size:
                return  # padding, or numbers whose NaNs are not looked at
            e = I(r.choice([k for k in WIDTHS if k // 8 <= align_of(t[2])]))
            n = size * 8 // e[1]
            wanted = r.choice([e, A(e, n)] +
                              ([V(e, n)] if n in (2, 4, 8, 16) and align_of(t[2]) >= size else []))
            self.op(P(t[1], wanted), "OpBitcast", [p], lambda x: x)
        elif t[2][0] == "a":
            e = P(t[1], t[2][1])
            a = [self.op(e, "OpInBoundsAccessChain", [p, self.index(t[2][2])], None) for _ in range(2)]
            for v in a:
                inst = [i for i in self.block.body if i.result is v][0]
                inst.run = lambda x, k, s=size_of(t[2][1]): x + s * k
            w = r.choice((32, 64))
            size = size_of(t[2][1])
            self.op(I(w), "OpPtrDiff", a, lambda x, y: wrap(w, (x - y) // size))
