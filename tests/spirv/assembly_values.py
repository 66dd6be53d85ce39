# SPDX-License-Identifier: MIT
"""SPIR-V's types and values in Python: layout, bytes, exact arithmetic, memory, execution of blocks.
For random_assembly.py.

A type is a tuple: I(bits), F(bits), B, V(type, n), A(type, n), S(types, tag), P(storage class, type). Values
are Python's integers (unsigned), floats (rounded to their type), booleans, and tuples of those; pointers are
integers, a region of memory each 2^24 bytes."""
import math
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "language"))
from vector_arithmetic import rounded as round_exactly  # noqa: E402

B = ("b", )
FLOAT_NAME = {16: "half", 32: "float", 64: "double"}
FLOAT_CODE = {16: "e", 32: "f", 64: "d"}
INT_CODE = {8: "B", 16: "H", 32: "I", 64: "Q"}


def I(bits):
    return ("i", bits)


def F(bits):
    return ("f", bits)


def V(t, n):
    return ("v", t, n)


def A(t, n):
    return ("a", t, n)


def S(types, tag=0):
    return ("s", tuple(types), tag)


def P(storage, t):
    return ("p", storage, t)


def element(t):
    """A vector's, else the type itself."""
    return t[1] if t[0] == "v" else t


def with_element(t, e):
    return V(e, t[2]) if t[0] == "v" else e


def members(t):
    return [t[1]] * t[2] if t[0] in "va" else list(t[1])


def align_of(t):
    if t[0] in "if":
        return t[1] // 8
    if t[0] == "p":
        return 8
    if t[0] == "v":
        return size_of(t)
    return align_of(t[1]) if t[0] == "a" else max(align_of(x) for x in t[1])


def size_of(t):
    if t[0] in "if":
        return t[1] // 8
    if t[0] == "p":
        return 8
    if t[0] == "v":
        return size_of(t[1]) * (4 if t[2] == 3 else t[2])
    if t[0] == "a":
        return size_of(t[1]) * t[2]
    return offsets(t)[1]


def offsets(t):
    """Of a struct: its members' offsets, and its size."""
    at, found = 0, []
    for x in t[1]:
        at = -(-at // align_of(x)) * align_of(x)
        found.append(at)
        at += size_of(x)
    return found, -(-at // align_of(t)) * align_of(t)


def places(t):
    """(offset, type) of each member of a vector, array or struct."""
    if t[0] == "s":
        return list(zip(offsets(t)[0], t[1]))
    return [(k * size_of(t[1]), t[1]) for k in range(t[2])]


def scalars(t, at=0):
    """(offset, type) of every scalar in memory."""
    if t[0] in "ifp":
        return [(at, t)]
    return [x for offset, member in places(t) for x in scalars(member, at + offset)]


def zero(t):
    if t[0] in "vas":
        return tuple(zero(x) for x in members(t))
    return 0.0 if t[0] == "f" else False if t[0] == "b" else 0


def rounded(bits, x):
    """A float to the type, to the nearest."""
    if bits == 64 or x != x or math.isinf(x):
        return x
    try:
        return struct.unpack(FLOAT_CODE[bits], struct.pack(FLOAT_CODE[bits], x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def float_bits(bits, x):
    if math.isinf(x) and bits == 16:
        return 0xfc00 if x < 0 else 0x7c00
    return int.from_bytes(struct.pack("<" + FLOAT_CODE[bits], x), "little")


def bits_float(bits, x):
    return struct.unpack("<" + FLOAT_CODE[bits], x.to_bytes(bits // 8, "little"))[0]


def pack(t, x):
    """The bytes of a scalar, vector, array or struct; padding is zero."""
    if t[0] == "f":
        return float_bits(t[1], x).to_bytes(t[1] // 8, "little")
    if t[0] in "ip":
        return x.to_bytes(size_of(t), "little")
    out = bytearray(size_of(t))
    for (at, member), value in zip(places(t), x):
        out[at:at + size_of(member)] = pack(member, value)
    return bytes(out)


def unpack(t, data):
    if t[0] == "f":
        return bits_float(t[1], int.from_bytes(data, "little"))
    if t[0] in "ip":
        return int.from_bytes(data, "little")
    return tuple(unpack(m, data[at:at + size_of(m)]) for at, m in places(t))


def signed(bits, x):
    return x - (1 << bits) if x >> (bits - 1) else x


def wrap(bits, x):
    return x & ((1 << bits) - 1)


def clip(bits, x, is_signed):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return wrap(bits, min(max(x, low), high))


def exact(bits, x, mode="rte"):
    return round_exactly(FLOAT_NAME[bits], x, mode)


class Value:
    """The result of an instruction; of a constant with what it is. `safe`: may be used by anybody."""
    def __init__(self, t, name, const=None, safe=True, fixed=False):
        self.t, self.name, self.const, self.safe = t, name, const, safe
        self.fixed = fixed  # what it points at is only read
        self.uniform = const is not None  # the same for all work-items
        self.null = False  # a phi of which some ways give null
        self.home = None  # the first element, and how many, of the array that it goes through


REGION = 1 << 24


class Memory:
    """Of one work-item; what it shares with others comes as bytearrays."""
    def __init__(self, regions, calls=None):
        self.regions, self.next = dict(regions), 1000
        self.steps = 0

    def new(self, data):
        self.next += 1
        self.regions[self.next] = bytearray(data)
        return self.next * REGION

    def find(self, address, size):
        data, at = self.regions[address // REGION], address % REGION
        assert at + size <= len(data), "out of bounds"
        return data, at

    def load(self, t, address):
        assert address % align_of(t) == 0
        data, at = self.find(address, size_of(t))
        return unpack(t, bytes(data[at:at + size_of(t)]))

    def store(self, t, address, value):
        assert address % align_of(t) == 0
        data, at = self.find(address, size_of(t))
        for offset, member in scalars(t):  # padding stays
            size = size_of(member)
            whole = pack(t, value)
            data[at + offset:at + offset + size] = whole[offset:offset + size]

    def copy(self, to, come, size):
        source, at = self.find(come, size)
        data = bytes(source[at:at + size])
        target, at = self.find(to, size)
        target[at:at + size] = data


class Endless(Exception):
    """The program takes too long to be a test."""


def execute(function, arguments, memory):
    """Runs a function's blocks: a coroutine, that gives (instruction, operand) of each group operation and is
    sent its result. `function` has params, variables, blocks; instructions have result, args, run."""
    env = dict(zip(function.params, arguments))

    def get(value):
        return value.const if value.const is not None else env[value]

    for variable, t, init in function.variables:
        env[variable] = memory.new(pack(t, init.const) if init else bytes([0xcd]) * size_of(t))
    block, before = function.blocks[0], None
    while True:
        taken = [(phi, get(ways[before])) for phi, ways in block.phis]
        env.update(taken)
        memory.steps += len(block.body) + 1
        if memory.steps > 20000:
            raise Endless()
        for inst in block.body:
            operands = [get(x) for x in inst.args]
            if inst.kind == "memory":
                env[inst.result] = inst.run(memory, *operands)
            elif inst.kind == "call":
                env[inst.result] = yield from execute(inst.run, operands, memory)
            elif inst.kind == "group":
                env[inst.result] = yield inst, operands
            else:
                env[inst.result] = inst.run(*operands)
        where = block.leave([get(x) for x in block.end_args])
        if not isinstance(where, Block):
            return where
        before, block = block, where


class Inst:
    def __init__(self, result, text, args, run, kind):
        self.result, self.text, self.args, self.run, self.kind = result, text, args, run, kind


class Block:
    def __init__(self, index):
        self.index, self.kind, self.phis, self.body = index, None, [], []
        self.end, self.end_args, self.leave = "", [], None
        self.merge, self.some = None, False  # some: not all of a sub-group come by
        self.nexts, self.befores, self.dominator = [], [], None
        self.values = []
