# SPDX-License-Identifier: MIT
"""Vectors, composites and their bits, each operation with its operands and with what it gives."""
from assembly_draw import COUNTS, Skip, vector, lanewise
from assembly_floats import nan_free
from assembly_values import A, B, F, I, S, V, bits_float, float_bits, members, with_element


def bitcast(b):
    """Between vectors of other lengths too; of floats only what is no NaN is looked at."""
    r = b.r
    e = r.choice([I(8), I(16), I(32), I(64), F(16), F(32), F(64)])
    n = r.choice((1, 2, 3, 4, 8, 16))
    total = e[1] * n
    to = [(k, m) for k in (8, 16, 32, 64) for m in (1, 2, 3, 4, 8, 16)
          if k * m == total and (k != e[1] or e[0] == "f")]
    if not to:
        raise Skip()
    k, m = r.choice(to)
    t = vector(e, n)
    v = nan_free(b, t) if e[0] == "f" else b.value(t)

    def run(x):
        x = (x, ) if n == 1 else x
        if e[0] == "f":
            x = [float_bits(e[1], y) for y in x]
        whole = sum(y << e[1] * i for i, y in enumerate(x))
        out = tuple(whole >> k * i & ((1 << k) - 1) for i in range(m))
        return out[0] if m == 1 else out

    return b.op(vector(I(k), m), "OpBitcast", [v], run)


def bitcast_to_float(b):
    w = b.r.choice((16, 32, 64))
    t = vector(I(w), b.r.choice(COUNTS))
    return lanewise(b, "OpBitcast", with_element(t, F(w)), [b.value(t)], lambda x: bits_float(w, x))


def shuffle(b):
    r = b.r
    e = r.choice([I(8), I(16), I(32), I(64), F(32), F(64), B])
    n, m, k = r.choice((2, 3, 4, 8, 16)), r.choice((2, 3, 4, 8, 16)), r.choice((2, 3, 4, 8, 16))
    ways = [r.randrange(n + m) for _ in range(k)]
    undefined = not b.spec and r.random() < .3
    words = list(ways)
    if undefined:
        words[r.randrange(k)] = 0xffffffff
    args = [b.value(V(e, n)), b.value(V(e, m))]
    v = b.op(V(e, k),
             "OpVectorShuffle",
             args,
             lambda x, y: tuple((x + y)[i] for i in ways),
             after=" ".join(map(str, words)))
    if undefined:  # the component is put in afterwards
        at, v.safe = words.index(0xffffffff), False
        return b.op(V(e, k),
                    "OpCompositeInsert", [b.value(e), v],
                    lambda y, x: x[:at] + (y, ) + x[at + 1:],
                    after=str(at))
    return v


def dynamic(b):
    t = b.vector_type()
    n = t[2]
    k = I(b.r.choice((8, 16, 32, 64)))
    at = b.value(k)
    at = lanewise(b, "OpUMod", k, [at, b.constant(k, n)], lambda x, y: x % y)
    if b.r.random() < .5:
        return b.op(t[1], "OpVectorExtractDynamic", [b.value(t), at], lambda x, i: x[i])
    return b.op(t, "OpVectorInsertDynamic", [b.value(t), b.value(t[1]), at], lambda x, y, i: x[:i] +
                (y, ) + x[i + 1:])


def path_into(b, t):
    path = []
    while t[0] in "vas" and (not path or b.r.random() < .7):
        path.append(b.r.randrange(len(members(t))))
        t = members(t)[path[-1]]
    return path, t


def put_in(x, path, y):
    return x[:path[0]] + (put_in(x[path[0]], path[1:], y) if path[1:] else y, ) + x[path[0] + 1:]


def extract(b):
    t = b.composite_type()
    path, to = path_into(b, t)

    def run(x):
        for k in path:
            x = x[k]
        return x

    return b.op(to, "OpCompositeExtract", [b.value(t)], run, after=" ".join(map(str, path)))


def insert(b):
    t = b.composite_type()
    path, part = path_into(b, t)
    return b.op(t,
                "OpCompositeInsert", [b.value(part), b.value(t)],
                lambda y, x: put_in(x, path, y),
                after=" ".join(map(str, path)))


def construct(b):
    if b.spec:
        raise Skip()
    t = b.composite_type()
    if t[0] == "v" and b.r.random() < .6:  # of vectors and scalars
        left, parts = t[2], []
        while left:
            n = b.r.choice([k for k in (1, 2, 3, 4, 8) if k <= left and k < t[2]])
            parts.append(b.value(vector(t[1], n)))
            left -= n
        if len(parts) > 1:
            return b.op(t, "OpCompositeConstruct", parts, lambda *xs: sum(
                (x if p.t[0] == "v" else (x, ) for p, x in zip(parts, xs)), ()))
    return b.op(t, "OpCompositeConstruct", [b.value(x) for x in members(t)], lambda *xs: tuple(xs))


def overlaid_undef(b):
    """An undefined composite, every member of which is put in."""
    if b.spec:
        raise Skip()
    t = b.composite_type()
    v = b.undefined(t)
    order = list(range(len(members(t))))
    b.r.shuffle(order)
    for k in order:
        v = b.op(t,
                 "OpCompositeInsert", [b.value(members(t)[k]), v],
                 lambda y, x, k=k: put_in(x, [k], y),
                 after=str(k))
        v.safe = k == order[-1]
    return v


def copy_object(b):
    if b.spec:
        raise Skip()
    t = b.any_type()
    if t[0] in "as" and b.r.random() < .7:
        other = twin(t)
        if other != t:
            return b.op(other, "OpCopyLogical", [b.value(t)], lambda x: x)
    return b.op(t, "OpCopyObject", [b.value(t)], lambda x: x)


def twin(t):
    """The same structure under another name."""
    return S(t[1], 1 - t[2]) if t[0] == "s" else A(twin(t[1]), t[2]) if t[0] == "a" else t


def ext_shuffle(b):
    r = b.r
    e = r.choice([I(8), I(16), I(32), I(64), F(32)])
    w = e[1]
    n, k = r.choice((2, 4, 8, 16)), r.choice((2, 4, 8, 16))
    mask = b.value(V(I(w), k))
    if r.random() < .5:
        return b.op(V(e, k),
                    "OpExtInst", [b.value(V(e, n)), mask],
                    lambda x, m: tuple(x[i % n] for i in m),
                    before="%std shuffle")
    return b.op(V(e, k),
                "OpExtInst", [b.value(V(e, n)), b.value(V(e, n)), mask],
                lambda x, y, m: tuple((x + y)[i % (2 * n)] for i in m),
                before="%std shuffle2")
