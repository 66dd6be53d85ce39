# SPDX-License-Identifier: MIT
"""A module as it is drawn: types, constants, specialization constants, variables. For random_assembly.py."""
import math
import random

from assembly_draw import Skip
from assembly_ops import IN_CONSTANTS, OPERATIONS
from assembly_values import (A, B, F, I, P, REGION, V, Value, align_of, members, pack, size_of, unpack, wrap,
                             zero)

WIDTHS = (8, 16, 32, 64)
VERSIONS = (10, 11, 12, 13, 14, 14, 15, 15, 16)
SINCE = {  # the version of SPIR-V that an instruction is from
    "OpSizeOf": 11, "OpCopyLogical": 14, "OpPtrEqual": 14, "OpPtrNotEqual": 14, "OpPtrDiff": 14
}
STORED = [I(8), I(16), I(32), I(64), F(16), F(32), F(64)]
CAPABILITIES = (
    "Kernel Addresses Linkage Int8 Int16 Int64 Float16 Float64 Vector16 GenericPointer BitInstructions "
    "ExpectAssumeKHR DotProductKHR DotProductInputAllKHR DotProductInput4x8BitKHR "
    "DotProductInput4x8BitPackedKHR Groups Int64Atomics "
    "GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot "
    "GroupNonUniformShuffle GroupNonUniformClustered").split()
EXTENSIONS = ("SPV_KHR_bit_instructions SPV_KHR_expect_assume SPV_KHR_integer_dot_product "
              "SPV_KHR_no_integer_wrap_decoration").split()


class Module:
    def __init__(self, seed):
        self.r = random.Random(seed * 7919 + 5)
        self.names, self.decorations, self.globals, self.bodies = {}, [], [], []
        self.file, self.names_of = "%file", []
        self.known, self.count, self.entries, self.modes = {}, 0, [], []
        self.specs, self.constants, self.junk = {}, [], []
        self.regions, self.variables, self.interface = {}, [], []
        self.version, self.ids = self.r.choice(VERSIONS), {}

    def fresh(self, stem="v"):
        self.count += 1
        return "%%%s%d" % (stem, self.count)

    def once(self, key, text):
        if key not in self.names:
            self.names[key] = self.fresh("t")
            self.globals.append("%s = %s" % (self.names[key], text))
        return self.names[key]

    def type(self, t):
        if t not in self.names:
            inner = [self.type(x) for x in t[1]] if t[0] == "s" else None
            text = {
                "i": lambda: "OpTypeInt %d 0" % t[1],
                "f": lambda: "OpTypeFloat %d" % t[1],
                "b": lambda: "OpTypeBool",
                "v": lambda: "OpTypeVector %s %d" % (self.type(t[1]), t[2]),
                "a": lambda: "OpTypeArray %s %s" % (self.type(t[1]), self.constant(I(32), t[2]).name),
                "s": lambda: "OpTypeStruct " + " ".join(inner),
                "p": lambda: "OpTypePointer %s %s" % (t[1], self.type(t[2]))
            }[t[0]]()
            self.once(t, text)
        return self.names[t]

    def constant(self, t, x, null=True):
        key = (t, repr(x), null)
        if key in self.known:
            return self.known[key]
        if x == zero(t) and not (t[0] == "f" and math.copysign(1, x) < 0) and "-" not in repr(x) and \
                null and self.r.random() < .4 or t[0] == "p":
            text = "OpConstantNull %s" % self.type(t)
        elif t[0] == "b":
            text = "OpConstant%s %s" % (x, self.type(t))
        elif t[0] in "if":
            text = "OpConstant %s %s" % (self.type(t), literal(t, x))
        else:
            parts = [self.constant(m, y).name for m, y in zip(members(t), x)]
            text = "OpConstantComposite %s %s" % (self.type(t), " ".join(parts))
        value = Value(t, self.fresh("c"), x)
        self.globals.append("%s = %s" % (value.name, text))
        self.known[key] = value
        return value

    def check(self, name):
        """Skips what the module's version does not have."""
        since = 13 if name.startswith("OpGroupNonUniform") else SINCE.get(name, 10)
        if self.version < since or name == "OpLessOrGreater" and self.version >= 16:
            raise Skip()

    def built_in(self, name, region, t=V(I(64), 3)):
        v = Value(P("Input", t), self.fresh("id"), region * REGION)
        self.globals.append("%s = OpVariable %s Input" % (v.name, self.type(v.t)))
        self.decorations.append("OpDecorate %s BuiltIn %s" % (v.name, name))
        self.interface.append(v.name)
        return v

    def global_variable(self, storage):
        """Workgroup: an array with an element for each work-item of a work-group; others are only read."""
        r = self.r
        t = r.choice([r.choice(STORED), V(r.choice(STORED), r.choice((2, 3, 4, 8))), *self.shapes])
        region, init = 10 + len(self.variables), ""
        if storage == "Workgroup":
            t = A(t, 64)
            data = bytes(size_of(t))
        else:
            x = self.constant(t, random_value(r, t)) if r.random() < .8 else None
            specs = [v for v in self.constants if v.t == t]
            x = r.choice(specs) if specs and r.random() < .5 else x
            x = x or self.constant(t, zero(t))
            init, data = x.name, pack(t, x.const)
        v = Value(P(storage, t), self.fresh("g"), region * REGION, storage != "Workgroup", True)
        self.globals.append("%s = OpVariable %s %s %s" % (v.name, self.type(v.t), storage, init))
        if r.random() < .2:
            self.align(v)
        self.variables.append(v)
        if self.version >= 14:
            self.interface.append(v.name)
        self.regions[region] = data

    def align(self, v):
        """A variable: to what its type asks for, or to more."""
        self.decorations.append("OpDecorate %s Alignment %d" %
                                (v.name, max(align_of(v.t[2]), self.r.choice((1, 16, 64, 256)))))

    def undefined(self, t):
        return Value(t, self.once(("undef", t), "OpUndef " + self.type(t)), zero(t), False)

    def spec_constants(self):
        r, b = self.r, Constants(self)
        for k in range(r.randint(2, 6)):
            t = r.choice(STORED + [B])
            x, default = random_scalar(r, t), random_scalar(r, t)
            if t[0] == "f":
                x = default = random_scalar(r, t) if r.random() < .3 else float(r.randint(-9, 99))
            name = self.fresh("spec")
            text = "%s = OpSpecConstant%s" % (name, default if t == B else "")
            self.globals.append("%s %s %s" % (text, self.type(t), "" if t == B else literal(t, default)))
            self.decorations.append("OpDecorate %s SpecId %d" % (name, k + 3))
            if r.random() < .6 and t[0] in "ib":
                self.specs[k + 3] = int(x)
            else:
                x = default
            self.constants.append(Value(t, name, x))
        for _ in range(r.randint(0, 30)):
            if r.random() < .3:
                t = b.composite_type()
                parts = [b.value(x) for x in members(t)]
                v = Value(t, self.fresh("spec"), tuple(p.const for p in parts))
                self.globals.append("%s = OpSpecConstantComposite %s %s" %
                                    (v.name, self.type(t), " ".join(p.name for p in parts)))
                self.constants.append(v)
            else:
                draw(r.choice(OPERATIONS), b)

    def text(self):
        lines = [
            "OpCapability " + c for c in CAPABILITIES if self.version > 12 or "NonUniform" not in c
        ]
        lines += ['OpExtension "%s"' % e for e in EXTENSIONS]
        lines += ['%std = OpExtInstImport "OpenCL.std"', "OpMemoryModel Physical64 OpenCL"]
        lines += [
            'OpEntryPoint Kernel %s "%s" %s' % (name, name[1:], " ".join(self.interface))
            for name in self.entries
        ]
        lines += self.modes + ['%file = OpString "no such file"'
                               ] + self.names_of + self.decorations + self.globals
        return "\n".join(lines + self.bodies) + "\n"


def literal(t, x):
    if t[0] == "i":
        return str(x)
    if math.isinf(x) or x != x:
        high = {16: 16, 32: 128, 64: 1024}[t[1]]
        return ("-" if x < 0 else "") + ("0x1.8p+%d" if x != x else "0x1p+%d") % high
    return x.hex()


def random_scalar(r, t):
    if t == B:
        return r.random() < .5
    if t[0] == "i":
        return wrap(
            t[1],
            r.choice([
                r.getrandbits(t[1]),
                r.randint(-3, 9), 1 << r.randrange(t[1]), (1 << r.randrange(t[1])) - 1,
                -1 << r.randrange(t[1])
            ]))
    pick = r.randrange(8)
    if pick == 0:
        return r.choice([0.0, -0.0, math.inf, -math.inf, math.nan])
    if pick < 5:
        return float(r.randint(-20, 200)) / r.choice([1, 1, 2, 4])
    return unpack(t, bytes(r.getrandbits(8) for _ in range(t[1] // 8)))


def random_value(r, t):
    if t[0] in "vas":
        return tuple(random_value(r, x) for x in members(t))
    return 0 if t[0] == "p" else random_scalar(r, t)


def draw(operation, b):
    try:
        operation(b)
        return True
    except Skip:
        return False


class Drawer:
    """What operations ask of whoever draws them."""
    def __init__(self, module):
        self.module, self.r = module, module.r

    def constant(self, t, x, null=True):
        return self.module.constant(t, x, null)

    def undefined(self, t):
        return self.module.undefined(t)

    def vector_type(self):
        return V(self.r.choice(STORED + [I(32), F(32), B]), self.r.choice((2, 3, 4, 8, 16)))

    def composite_type(self):
        there = [v.t for v in self.values() if v.t[0] in "vas" and v.safe]
        return self.r.choice(there) if there and self.r.random() < .5 else (
            self.vector_type() if self.r.random() < .4 else self.r.choice(self.module.shapes +
                                                                          self.module.values_only))

    def any_type(self, composite=True):
        r = self.r
        there = [v.t for v in self.values() if v.safe and v.t[0] != "p"]
        if there and r.random() < .5:
            t = r.choice(there)
        else:
            t = r.choice([
                r.choice(STORED),
                self.vector_type(),
                r.choice(self.module.shapes + self.module.values_only)
            ])
        if not composite and t[0] in "as":
            raise Skip()
        return t

    def value(self, t):
        """Of what there is, what was made last above all; else a constant."""
        there = [v for v in self.values() if v.t == t and v.safe]
        if there and self.r.random() < .9:
            return there[-1 - min(int(self.r.expovariate(.4)), len(there) - 1)]
        if t[0] == "v" and self.r.random() < .5 and not self.spec:
            part = self.value(t[1])
            return self.op(t, "OpCompositeConstruct", [part] * t[2], lambda *xs: xs)
        return self.constant(t, random_value(self.r, t))


class Constants(Drawer):
    spec = True

    def values(self):
        return self.module.constants

    def op(self, t, name, args, run, before="", after="", decorations=(), kind="pure"):
        self.module.check(name)
        if name[2:] not in IN_CONSTANTS or len(self.module.constants) > 60:
            raise Skip()
        m = self.module
        x = run(*[a.const for a in args])
        v = Value(t, m.fresh("spec"), x)
        m.globals.append("%s = OpSpecConstantOp %s %s %s %s" %
                         (v.name, m.type(t), name[2:], " ".join(a.name for a in args), after))
        m.constants.append(v)
        return v
