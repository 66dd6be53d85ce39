# SPDX-License-Identifier: MIT
"""A function as it is drawn: a graph of blocks, values that dominate, phis. For random_assembly.py."""
from assembly_draw import bounded
from assembly_floats import float_compare
from assembly_groups import draw_together
from assembly_integers import any_all, compare, logic
from assembly_memory import MemoryDrawer
from assembly_module import STORED, draw, random_scalar, random_value
from assembly_ops import OPERATIONS
from assembly_values import (B, I, P, S, V, Block, Inst, Value, align_of, offsets, scalars, size_of,
                             wrap)


class Function(MemoryDrawer):
    """A function as it is drawn: blocks, the values of each, text."""
    spec = False
    only_uniform = False  # what is drawn must be the same for all work-items
    uniform_flow = False  # all go the same way, and do things together anywhere

    def __init__(self, module, name, returns, params):
        super().__init__(module)
        self.name, self.returns = name, returns
        self.params = [Value(t, module.fresh("p")) for t in params]
        self.variables, self.blocks, self.block = [], [], None
        self.slots = []

    # ---- what operations use ----

    def values(self):
        found, block = [], self.block
        while block:
            found = block.values + found
            block = block.dominator
        found = self.module.constants + self.module.variables + self.params + [
            v[0] for v in self.variables
        ] + found
        return [v for v in found if v.uniform] if self.only_uniform else found

    def op(self, t, name, args, run, before="", after="", decorations=(), kind="pure"):
        m = self.module
        m.check(name)
        fixed = any(a.fixed for a in args)
        result = Value(t, m.fresh(), fixed=fixed) if t else None
        if t == "void":
            t, kind_name = None, m.once("void", "OpTypeVoid")
        else:
            kind_name = m.type(t) if t else None
        words = [name] + ([kind_name] if kind_name else []) + [before] + [a.name for a in args] + [after]
        text = ("%s = " % result.name if result else "") + " ".join(w for w in words if w)
        self.block.body.append(Inst(result, text, args, run, kind))
        if result:
            result.uniform = kind == "pure" and all(a.uniform for a in args)
        for d in decorations:
            m.decorations.append("OpDecorate %s %s" % (result.name, d))
        if t:
            self.block.values.append(result)
        return result

    # ---- statements ----

    def statement(self):
        draw(lambda _: self.any_statement(), self)

    def any_statement(self):
        r = self.r
        if self.uniform_flow and r.random() < (.4 if self.block.some else .15):
            draw_together(self)
        kind = r.random()
        if kind < .66:
            draw(r.choice(OPERATIONS), self)
        elif kind < .75:
            self.load(self.into(self.pointer()))
        elif kind < .83:
            p = self.into(self.pointer(True))
            self.store(p, self.value(p.t[2]))
        elif kind < .86:
            self.write_slot()
        elif kind < .89:
            self.copy_memory()
        elif kind < .93:
            self.pointers()
        else:
            r.choice((self.call, self.call, self.atomic, self.vector_memory, self.walk, self.walk,
                      self.table_of_pointers, self.noise))()

    def write_slot(self):
        if self.slots:
            t, p = self.r.choice(self.slots)
            self.store(p, self.value(t))

    def call(self):
        if not self.callable:
            return
        f = self.r.choice(self.callable)
        args = []
        for p in f.params:
            if p.t[0] == "p" and p.t[1] == "Generic":
                args.append(self.generic(p.t))
            elif p.t[0] == "p":
                same = [v for v in self.values() if v.t == p.t and v.safe]
                args.append(self.r.choice(same) if same else self.variable_for(p.t))
            else:
                args.append(self.value(p.t))
        t = f.returns
        if t is None:
            name = self.module.once("void", "OpTypeVoid")
            result = Value(None, self.module.fresh())
            text = "%s = OpFunctionCall %s %s %s" % (result.name, name, f.name, " ".join(a.name
                                                                                         for a in args))
            self.block.body.append(Inst(result, text, args, f, "call"))
        else:
            self.op(t, "OpFunctionCall", args, f, before=f.name, kind="call")

    def generic(self, t):
        """A pointer to memory of any kind, that may be written."""
        there = [
            v for v in self.values() if v.t[0] == "p" and v.t[2] == t[2] and v.safe and not v.fixed
            and v.t[1] in ("Generic", "Function", "Workgroup", "CrossWorkgroup")
        ]
        p = self.r.choice(there) if there else self.variable_for(P("Function", t[2]))
        return p if p.t == t else self.op(t, "OpPtrCastToGeneric", [p], lambda x: x)

    # ---- control flow ----

    def graph(self, n):
        """Blocks, where each may go. Back to an earlier one only where fuel lasts."""
        r = self.r
        self.blocks = [Block(k) for k in range(n)]
        self.forks()
        past = lambda k: next(b for b in self.blocks[k:] if not b.some)
        for k, block in enumerate(self.blocks[:-1]):
            ahead = lambda: past(k + 1 + min(int(r.expovariate(.5)), n - k - 2))
            kind = r.random()
            if block.kind:
                pass
            elif kind < .15:
                block.kind, block.nexts = "branch", [ahead()]
            elif kind < .5:
                block.kind, block.nexts = "if", [ahead(), ahead()]
            elif kind < .72 and k:
                block.kind, block.nexts = "back", [past(r.randint(1, k)), ahead()]
                if r.random() < .5:
                    block.nexts.reverse()
            elif kind < .93:
                block.kind = "switch"
                block.nexts = [ahead() for _ in range(r.choice((1, 2, 3, 5, 9, 20)) + 1)]
            else:
                block.kind, block.nexts = "return", []
        self.blocks[-1].kind = "return"
        dead = None
        for block in self.blocks[:-1]:
            if block.kind == "switch" and r.random() < .15:
                dead = dead or Block(n)
                block.nexts.append(dead)
        if dead:
            dead.kind = "unreachable"
            self.blocks.append(dead)
        for block in self.blocks:
            for to in block.nexts:
                if block not in to.befores:
                    to.befores.append(block)
        self.order()

    def forks(self):
        """Where all go the same way: places where each goes its own, and all meet again behind one block, two
        blocks, or a loop of one."""
        r, k = self.r, 0
        while self.uniform_flow and k < len(self.blocks) - 3:
            if r.random() < .3:
                sides = r.choice((1, 2))
                block, join = self.blocks[k], self.blocks[k + sides + 1]
                block.kind, block.nexts = "fork", self.blocks[k + 1:k + 1 + sides] + [join] * (2 - sides)
                for side in self.blocks[k + 1:k + 1 + sides]:
                    side.kind, side.nexts, side.some = "branch", [join], True
                    if r.random() < .3:
                        side.kind, side.nexts = "loop", [side, join]
                k += sides
            k += 1

    def order(self):
        """Reverse postorder, dominators; unreachable blocks at the end."""
        done, order = set(), []

        def visit(block):
            stack = [(block, iter(self.r.sample(block.nexts, len(block.nexts))))]
            done.add(block)
            while stack:
                top, rest = stack[-1]
                to = next((x for x in rest if x not in done), None)
                if to:
                    done.add(to)
                    stack.append((to, iter(self.r.sample(to.nexts, len(to.nexts)))))
                else:
                    order.append(stack.pop()[0])

        visit(self.blocks[0])
        order.reverse()
        place = {b: k for k, b in enumerate(order)}
        first = order[0]
        first.dominator, changed = first, True
        while changed:
            changed = False
            for block in order[1:]:
                new = None
                for p in block.befores:
                    if p in place and p.dominator:
                        a, c = p, new or p
                        while a is not c:
                            if place[a] > place[c]:
                                a = a.dominator
                            else:
                                c = c.dominator
                        new = a
                changed, block.dominator = changed or new is not block.dominator, new
        first.dominator = None
        self.reached = len(order)
        self.blocks = order + [b for b in self.blocks if b not in place]

    def fill(self, size):
        r = self.r
        for k, block in enumerate(self.blocks):
            self.block = block
            block.name = self.module.fresh("b")
            if block.befores and k:
                for _ in range(r.choice((0, 1, 1, 2, 3))):
                    t = self.any_type()
                    there = [v.t for v in self.values() if v.t[0] == "p" and v.safe]
                    if there and r.random() < .3:
                        t = r.choice(there)
                    elif r.random() < .1:
                        t = B
                    phi = Value(t, self.module.fresh("phi"), fixed=t[0] == "p" and t[1] != "Function")
                    together = self.uniform_flow and not any(x.some for x in block.befores)
                    phi.uniform = together and t[0] != "p" and r.random() < .4
                    homes = [v for v in self.values() if v.home]
                    if homes and r.random() < .4:
                        one = r.choice(homes)
                        phi.t, phi.fixed, phi.home, phi.uniform = one.t, False, one.home, False
                    phi.null = t[0] == "p" and t[1] not in ("Generic", "Input") and not phi.home and \
                        (t[1] == "Function" or t in there) and r.random() < .5
                    phi.safe = not phi.null
                    block.phis.append((phi, {}))
                    block.values.append(phi)
                for phi, _ in block.phis:
                    if phi.null:
                        self.replace_null(phi)
            for _ in range(max(1, int(r.gauss(size, size / 2)))):
                self.statement()
            self.only_uniform = self.uniform_flow and block.kind not in ("return", "fork", "loop")
            self.finish(block)
            self.only_uniform = False
        for block in self.blocks:
            for phi, ways in block.phis:
                for before in block.befores:
                    self.block, self.only_uniform = before, phi.uniform
                    ways[before] = self.phi_operand(phi, before)
                    self.only_uniform = False

    def phi_operand(self, phi, before):
        there = [v for v in self.values() if v.t == phi.t and v.safe and v.home == phi.home]
        if phi.t[0] == "p":
            if phi.null and self.r.random() < .4:
                return self.constant(phi.t, 0)
            there = there[-4:] if phi.home else there
            return self.r.choice(there
                                 or [self.constant(phi.t, 0)])  # no way comes from an unreachable block
        if there and self.r.random() < .9:
            return there[-1 - min(int(self.r.expovariate(.3)), len(there) - 1)]
        return self.constant(phi.t, random_value(self.r, phi.t))

    def finish(self, block):
        r, kind, nexts = self.r, block.kind, block.nexts
        names = lambda: [b.name for b in nexts]
        latches = [
            b for b in self.blocks if b.kind == "back" and block in b.nexts and b.index >= block.index
        ]
        if latches and kind in ("branch", "if", "back") and block.index and r.random() < .5:
            block.merge = lambda to: "OpLoopMerge %s %s %s" % (
                to, r.choice([b for b in latches if b.name != to] or [block]).name,
                r.choice(["None", "Unroll", "DontUnroll"] + (
                    ["PeelCount 1", "PartialCount 2", "MaxIterations 1000000"] if self.module.version >= 14
                    else [])))
        elif r.random() < .25 and kind in ("if", "switch"):
            block.merge = lambda to: "OpSelectionMerge %s %s" % (
                to, r.choice(["None", "Flatten", "DontFlatten"]))
        if kind == "branch":
            block.end, block.leave = (lambda: "OpBranch %s" % names()[0]), lambda x: nexts[0]
        elif kind in ("if", "back", "fork", "loop"):
            c = self.value(B)
            if c.const is not None or r.random() < .5:
                draw(r.choice((compare, float_compare, logic, any_all)), self)
                c = self.value(B)
            if kind in ("back", "loop"):
                fuel = self.fuel if kind == "back" else self.own_fuel
                left = self.load(fuel)
                left.uniform = kind == "back"
                self.store(
                    fuel,
                    self.op(I(32), "OpISub", [left, self.constant(I(32), 1)], lambda x, y: wrap(32, x - y)))
                more = self.op(B, "OpSGreaterThan", [left, self.constant(I(32), 0)],
                               lambda x, y: 0 < x < 1 << 31)
                back = block.index >= nexts[0].index
                c = self.op(B, "OpLogicalAnd" if back else "OpLogicalOr",
                            [c, more if back else self.op(B, "OpLogicalNot", [more], lambda x: not x)],
                            (lambda x, y: x and y) if back else (lambda x, y: x or y))
            weights = " %d %d" % (r.randint(1, 9), r.randint(0, 9)) if r.random() < .2 else ""
            block.end_args = [c]
            one = nexts[0] is nexts[1] and self.module.version >= 16
            block.merge = None if one else block.merge
            block.end = lambda: "OpBranch %s" % names()[0] if one else \
                "OpBranchConditional %s %s %s%s" % (c.name, names()[0], names()[1], weights)
            block.leave = lambda x: nexts[0 if x[0] else 1]
        elif kind == "switch":
            t = I(r.choice((8, 16, 32, 64)))
            v = self.value(t)
            dead = nexts[-1].kind == "unreachable"
            if dead or r.random() < .7:
                v = bounded(self, t, r.choice((1, 3, 7, 15, 31)))
            some = list({
                random_scalar(r, t) if r.random() < .2 and not dead else r.randint(0, 32)
                for _ in nexts[1:]
            })
            literals = some[:len(nexts) - 1] + [100 + k for k in range(len(nexts) - 1 - len(some))]
            if dead:
                literals[-1] = 99
            literals = list(dict.fromkeys(literals))
            while len(literals) < len(nexts) - 1:
                literals.append(max(literals[-1] if literals else 0, 33) + 1 & 127)
                literals = list(dict.fromkeys(literals))
            table = dict(zip(literals, nexts[1:]))
            block.end_args = [v]
            block.end = lambda: "OpSwitch %s %s %s" % (v.name, names()[0], " ".join(
                "%d %s" % (k, b.name) for k, b in table.items()))
            block.leave = lambda x: table.get(x[0], nexts[0])
        elif kind == "return":
            self.before_return()
            if self.returns:
                v = self.value(self.returns)
                block.end_args, block.end = [v], lambda: "OpReturnValue " + v.name
                block.leave = lambda x: x[0]
            else:
                block.end, block.leave = (lambda: "OpReturn"), lambda x: None
        else:
            block.end = lambda: "OpUnreachable"

    def before_return(self):
        for t, p in self.slots:
            there = [v for v in self.values() if v.t == t and v.const is None and v.safe]
            if there and self.r.random() < .7:
                self.store(p, self.r.choice(there[-8:]))

    def write(self):
        m = self.module
        t = m.type(self.returns) if self.returns else m.once("void", "OpTypeVoid")
        kind = m.once(("fn", self.returns, tuple(p.t for p in self.params)),
                      "OpTypeFunction %s %s" % (t, " ".join(m.type(p.t) for p in self.params)))
        lines = ["%s = OpFunction %s %s %s" % (self.name, t, self.control, kind)]
        lines += ["%s = OpFunctionParameter %s" % (p.name, m.type(p.t)) for p in self.params]
        merges = []
        for k, block in enumerate(self.blocks):
            lines.append("%s = OpLabel" % block.name)
            for phi, ways in block.phis:
                lines.append("%s = OpPhi %s %s" %
                             (phi.name, m.type(phi.t), " ".join("%s %s" % (v.name, b.name)
                                                                for b, v in ways.items())))
            if k == 0:
                lines += [
                    "%s = OpVariable %s Function %s" % (v.name, m.type(v.t), init.name if init else "")
                    for v, _, init in self.variables
                ]
            lines += [inst.text for inst in block.body]
            free = [b for b in self.blocks[1:] if b not in merges and b is not block]
            if block.merge and free:
                merges.append(self.r.choice(free))
                lines.append(block.merge(merges[-1].name))
            lines.append(block.end())
        m.bodies += lines + ["OpFunctionEnd"]

    def make(self, blocks, size):
        self.control = self.r.choice(["None", "None", "Inline", "DontInline", "None"])
        self.graph(blocks)
        self.fuel = Value(P("Function", I(32)), self.module.fresh("fuel"), safe=False)
        self.variables.append((self.fuel, I(32), self.constant(I(32), self.r.choice((3, 8, 20)))))
        self.own_fuel = Value(P("Function", I(32)), self.module.fresh("fuel"), safe=False)
        self.variables.append((self.own_fuel, I(32), self.constant(I(32), self.r.choice((3, 8, 20)))))
        self.block = self.blocks[0]
        self.begin()
        self.fill(size)
        self.write()

    def begin(self):
        pass


T3 = V(I(64), 3)
BUILT_INS = {  # region, type, whether all work-items of a work-group are told the same
    "GlobalInvocationId": (50, T3, False), "LocalInvocationId": (51, T3, False),
    "SubgroupSize": (52, I(32), False), "SubgroupLocalInvocationId": (53, I(32), False),
    "WorkDim": (54, I(32), True), "GlobalSize": (55, T3, True), "WorkgroupSize": (56, T3, True),
    "EnqueuedWorkgroupSize": (57, T3, True), "NumWorkgroups": (58, T3, True), "WorkgroupId": (59, T3, True),
    "GlobalOffset": (60, T3, True), "GlobalLinearId": (61, I(64), False),
    "LocalInvocationIndex": (62, I(64), False), "SubgroupMaxSize": (63, I(32), True),
    "NumSubgroups": (64, I(32), True), "NumEnqueuedSubgroups": (65, I(32), True),
    "SubgroupId": (66, I(32), False)
}


class Kernel(Function):
    """Its parameters: a row to read and a row to write per work-item, and some by value."""
    def __init__(self, module, name):
        r = module.r
        pick = lambda: r.choice([r.choice(STORED), V(r.choice(STORED), r.choice((2, 3, 4, 8, 16)))])
        self.row = S([pick() for _ in range(r.randint(3, 9))], 2)
        self.out = S([pick() for _ in range(r.randint(3, 9))], 3)
        self.by_value = [
            r.choice([r.choice(STORED), V(r.choice(STORED), r.choice((2, 3, 4, 8))),
                      r.choice(module.shapes)]) for _ in range(r.choice((0, 0, 1, 2, 4)))
        ]
        super().__init__(module, name, None, [P("CrossWorkgroup", self.row), P("CrossWorkgroup", self.out)] +
                         [P("Function", t) if t[0] in "as" else t for t in self.by_value])
        self.together = r.random() < .4
        self.uniform_flow = self.together and r.random() < .7
        module.entries.append(name)
        for p in self.params[:2]:
            p.safe = False
            self.attributes(p, ("NoAlias", "NoCapture", "NoWrite" if p is self.params[0] else "NoAlias"),
                            ("Restrict", "Alignment %d" % align_of(p.t[2])))
        for p, t in zip(self.params[2:], self.by_value):
            if p.t != t:
                module.decorations.append("OpDecorate %s FuncParamAttr ByVal" % p.name)
                self.attributes(p, ("NoAlias", "NoCapture"), ("Alignment %d" % align_of(t), ))
            else:
                p.uniform = True
                self.attributes(p, ("Sext", "Zext") if t[0] == "i" and t[1] < 32 else (), ())
        module.modes.append("OpExecutionMode %s ContractionOff" % name)

    def attributes(self, p, some, decorations):
        r = self.r
        words = ["FuncParamAttr " + r.choice(some)] if some and r.random() < .4 else []
        words += [r.choice(decorations)] if decorations and r.random() < .3 else []
        self.module.decorations += ["OpDecorate %s %s" % (p.name, w) for w in words]

    def query(self, name):
        """A built-in variable's value: a number, or three."""
        if name not in self.asked:
            t = BUILT_INS[name][1]
            v = self.op(t, "OpLoad", [self.module.ids[name]], lambda m, a: m.load(t, a), kind="memory")
            v.uniform, v.safe = BUILT_INS[name][2], name not in ("GlobalInvocationId", "LocalInvocationId")
            self.asked[name] = v
            self.shaped |= name not in ("GlobalInvocationId", "GlobalLinearId", "GlobalSize", "GlobalOffset",
                                        "WorkDim")
        return self.asked[name]

    def linear(self, name, id_, size):
        """A work-item's place in the range or in its group: as it is told, or as it is computed."""
        way = self.r.random()
        moved = self.module.offset and id_ == "GlobalInvocationId"
        if self.module.dimensions == 1 and not moved and way < .9:
            return self.component(self.query(id_), 0)
        if way < .4 or way > .95:
            return self.query(name)
        sizes, at = self.query(size), None
        for k in (2, 1, 0):
            x = self.component(self.query(id_), k)
            if id_ == "GlobalInvocationId":
                x = self.op(I(64), "OpISub", [x, self.component(self.query("GlobalOffset"), k)],
                            lambda x, y: wrap(64, x - y))
            if at:
                at = self.op(I(64), "OpIMul", [at, self.component(sizes, k)], lambda x, y: wrap(64, x * y))
                at = self.op(I(64), "OpIAdd", [at, x], lambda x, y: wrap(64, x + y))
            at = at or x
        return at

    def component(self, v, k):
        return self.op(I(64), "OpCompositeExtract", [v], lambda x: x[k], after=str(k))

    def begin(self):
        m = self.module
        self.asked, self.shaped = {}, False
        lid = None
        for v in m.variables:
            if v.t[1] == "Workgroup":
                lid = lid or self.linear("LocalInvocationIndex", "LocalInvocationId", "WorkgroupSize")
                p = self.op(P("Workgroup", v.t[2][1]),
                            self.r.choice(("OpAccessChain", "OpInBoundsAccessChain")), [v, lid],
                            lambda a, i, s=size_of(v.t[2][1]): a + i * s)
                p.fixed = False
                self.store(p, self.value(v.t[2][1]))
        at = gid = self.linear("GlobalLinearId", "GlobalInvocationId", "GlobalSize")
        for name in self.r.sample(sorted(BUILT_INS), self.r.choice((0, 0, 1, 3))):
            self.query(name).safe = True
        if self.r.random() < .3:
            at = self.op(I(32), "OpUConvert", [gid], lambda x: wrap(32, x))
        way = self.r.choice(["OpPtrAccessChain", "OpInBoundsPtrAccessChain"])
        for p, t in zip(self.params, (self.row, self.out)):
            for k, (offset, member) in enumerate(zip(offsets(t)[0], t[1])):
                if t is self.row and self.r.random() < .1:
                    continue
                q = self.op(P("CrossWorkgroup", member),
                            way, [p, at, self.constant(I(32), k, False)],
                            lambda a, i, n, s=size_of(t), o=offset: a + s * i + o)
                if t is self.row:
                    self.load(q)
                    q.safe = False
                else:
                    self.slots.append((member, q))
                    self.store(q, self.value(member))
                    q.safe = scalars(member)[0][1][0] == "i"
        for p in self.params[2:]:
            if p.t[0] == "p" and self.r.random() < .7:
                self.load(p).uniform = True
        if self.together:
            for k, (offset, member) in enumerate(zip(offsets(self.row)[0], self.row[1])):
                if self.uniform_flow and self.r.random() < .7:
                    q = self.op(P("CrossWorkgroup", member),
                                "OpInBoundsPtrAccessChain",
                                [self.params[0],
                                 self.constant(I(32), 0),
                                 self.constant(I(32), k, False)],
                                lambda a, i, n, o=offset: a + o)
                    q.safe = False
                    self.load(q).uniform = True
            self.lanes = self.query("SubgroupSize")
            self.query("SubgroupLocalInvocationId")
            for _ in range(self.r.randint(1, 5)):
                draw_together(self)
                draw(self.r.choice(OPERATIONS), self)
