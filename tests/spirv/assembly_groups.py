# SPDX-License-Identifier: MIT
"""What the work-items of a sub-group or work-group compute together, where all of them come by; and those of
a sub-group where only some do. For random_assembly.py. `run` of such an instruction takes the operands of
each member that comes by, and which members they are, and gives their results."""
from assembly_module import draw
from assembly_values import B, F, I, V, signed, wrap

WORKGROUP, SUBGROUP = 2, 3


def folds(t):
    """(name, with its start) of the operations on numbers of the type."""
    w = t[1]
    top = 1 << (w - 1)
    if t[0] == "f":
        return [("FMin", min, float("inf")), ("FMax", max, float("-inf"))]
    s = lambda x: signed(w, x)
    return [("IAdd", lambda x, y: wrap(w, x + y), 0), ("UMin", min, wrap(w, -1)), ("UMax", max, 0),
            ("SMin", lambda x, y: x if s(x) < s(y) else y, top - 1),
            ("SMax", lambda x, y: x if s(x) > s(y) else y, top)]


def bit_folds(w):
    return [("IMul", lambda x, y: wrap(w, x * y), 1), ("BitwiseAnd", lambda x, y: x & y, wrap(w, -1)),
            ("BitwiseOr", lambda x, y: x | y, 0), ("BitwiseXor", lambda x, y: x ^ y, 0)]


def scan(way, f, start, xs):
    out, so_far = [], start
    for x in xs:
        out.append(so_far if way == "ExclusiveScan" else f(so_far, x))
        so_far = f(so_far, x)
    return [so_far] * len(xs) if way == "Reduce" else out


def clustered(f, start, size, xs, at):
    clusters = {}
    for x, k in zip(xs, at):
        clusters[k // size] = f(clusters.get(k // size, start), x)
    return [clusters[k // size] for k in at]


def together(b, t, name, scope, args, run, before="", after=""):
    v = b.op(t,
             name,
             args,
             run,
             before=(scope_name(b, scope) + " " + before).strip(),
             after=after,
             kind="group")
    b.block.body[-1].scope, b.block.body[-1].some = scope, b.block.some
    return v


def scope_name(b, scope):
    return b.constant(I(32), scope, False).name


def fold(b):
    r = b.r
    t = r.choice([I(8), I(16), I(32), I(64), I(32), F(32), F(64)])
    new = b.block.some or r.random() < .5
    name, f, start = r.choice(folds(t) + (bit_folds(t[1]) if new and t[0] == "i" else []))
    way = r.choice(("Reduce", "InclusiveScan", "ExclusiveScan"))
    scope = SUBGROUP if new else r.choice((WORKGROUP, SUBGROUP))
    x = b.value(t)
    if t[0] == "f":  # no NaN, and one zero
        c = b.op(B, "OpFOrdLessThan", [x, b.constant(t, 0.0)], lambda x, y: x < y)
        x = b.op(t, "OpSelect", [c, b.constant(t, -1.5), b.constant(t, 2.5)], lambda c, x, y: x if c else y)
    if new and r.random() < .3:
        size = r.choice((1, 2, 4))
        return together(b, t, "OpGroupNonUniform" + name, scope, [x, b.constant(I(32), size, False)],
                        lambda xs, at: clustered(f, start, size, [x[0] for x in xs], at), "ClusteredReduce")
    return together(b, t, ("OpGroupNonUniform" if new else "OpGroup") + name, scope, [x],
                    lambda xs, at: scan(way, f, start, [x[0] for x in xs]), way)


def vote(b):
    r = b.r
    c = b.value(B)
    name, f = r.choice([("Any", any), ("All", all)])
    new = b.block.some or r.random() < .5
    if new and r.random() < .2:
        return together(b, B, "OpGroupNonUniformElect", SUBGROUP, [],
                        lambda xs, at: [k == at[0] for k in at])
    if new and r.random() < .3:
        t = r.choice([I(8), I(16), I(32), I(64)])
        x = b.value(t)
        return together(b, B, "OpGroupNonUniformAllEqual", SUBGROUP, [x],
                        lambda xs, at: [len(set(x[0] for x in xs)) == 1] * len(xs))
    if new and r.random() < .3:
        name, f, start = r.choice([("LogicalAnd", lambda x, y: x and y, True),
                                   ("LogicalOr", lambda x, y: x or y, False),
                                   ("LogicalXor", lambda x, y: x != y, False)])
        way = r.choice(("Reduce", "InclusiveScan", "ExclusiveScan"))
        return together(b, B, "OpGroupNonUniform" + name, SUBGROUP, [c],
                        lambda xs, at: scan(way, f, start, [x[0] for x in xs]), way)
    return together(b, B, ("OpGroupNonUniform" if new else "OpGroup") + name, SUBGROUP if new else r.choice(
        (WORKGROUP, SUBGROUP)), [c], lambda xs, at: [f(x[0] for x in xs)] * len(xs))


def exchange(b):
    r = b.r
    t = r.choice([I(8), I(16), I(32), I(64), F(16), F(32), F(64), V(I(32), 2), V(F(32), 4), V(I(8), 4)])
    x = b.value(t)
    pick = 0 if b.block.some else r.randrange(3)
    if pick == 0:
        return together(b, t, "OpGroupNonUniformBroadcastFirst", SUBGROUP, [x],
                        lambda xs, at: [xs[0][0]] * len(xs))
    if pick == 1:
        return together(b, t, "OpGroupNonUniformBroadcast", SUBGROUP, [x, b.constant(I(32), 0, False)],
                        lambda xs, at: [xs[0][0]] * len(xs))
    at = b.op(I(32), "OpUMod", [b.value(I(32)), b.lanes], lambda x, y: x % y)
    if t[0] == "v":
        return None
    return together(b, t, "OpGroupNonUniformShuffle", SUBGROUP, [x, at],
                    lambda xs, at: [xs[i][0] for _, i in xs])


def ballot(b):
    t = V(I(32), 4)

    def run(xs, at):
        bits = sum(1 << k for k, x in zip(at, xs) if x[0])
        return [tuple(bits >> 32 * k & 0xffffffff for k in range(4))] * len(xs)

    v = together(b, t, "OpGroupNonUniformBallot", SUBGROUP, [b.value(B)], run)
    way = b.r.choice(("Reduce", "InclusiveScan", "ExclusiveScan"))

    def number(xs, at):
        bits = [sum(y << 32 * k for k, y in enumerate(x[0])) for x in xs]
        all_, one = sum(1 << k for k in at), [1 << k for k in at]
        masks = {
            "Reduce": [all_] * len(xs),
            "InclusiveScan": [2 * o - 1 for o in one],
            "ExclusiveScan": [o - 1 for o in one]
        }[way]
        return [bin(x & m).count("1") for x, m in zip(bits, masks)]

    return together(b, I(32), "OpGroupNonUniformBallotBitCount", SUBGROUP, [v], number, way)


def barrier(b):
    c = lambda x: b.constant(I(32), x, False)
    scope = b.r.choice((WORKGROUP, SUBGROUP))
    b.op(None, "OpControlBarrier",
         [c(scope), c(b.r.choice(
             (1, 2, 3))), c(b.r.choice((0, 0x110, 0x210, 0x308)))], lambda *_: None)


def draw_together(b):
    some = (fold, fold, fold, vote, exchange, ballot)
    draw(b.r.choice(some if b.block.some else some + (barrier, )), b)
