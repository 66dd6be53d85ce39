# SPDX-License-Identifier: MIT
"""How operations without memory are drawn: lane by lane, from a builder. For assembly_ops.py.

An operation is a function of a builder `b`, which chooses values (`b.value(type)`), and writes instructions
(`b.op`). The same functions make OpSpecConstantOp, where `b` has constants only and refuses other opcodes."""
from assembly_values import A, F, I, V


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
