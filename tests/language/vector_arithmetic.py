# SPDX-License-Identifier: MIT
"""OpenCL C's numbers in Python: wrapped, clipped, rounded, as bytes. For random_vectors.py."""
import math
import struct
from fractions import Fraction

WIDTHS = (1, 2, 3, 4, 8, 16)
BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64,
        "half": 16, "float": 32, "double": 64}
INTEGERS = [t for t in BITS if t not in ("half", "float", "double")]
FLOATS = ["half", "float", "double"]
PACK = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q",
        "ulong": "Q",
        "half": "e", "float": "f", "double": "d"}
DIGITS = {"half": 11, "float": 24, "double": 53}
LEAST = {"half": -24, "float": -149, "double": -1074}  # exponents of the smallest subnormal numbers
LARGEST = {"half": Fraction(65504), "float": Fraction(2 ** 24 - 1) * 2 ** 104,
           "double": Fraction(2 ** 53 - 1) * 2 ** 971}
SUFFIX = {"half": "h", "float": "f", "double": ""}
SIGNED = {"uchar": "char", "ushort": "short", "uint": "int", "ulong": "long"}
OF_WIDTH = {8: "char", 16: "short", 32: "int", 64: "long"}
HEX = "0123456789abcdef"


def is_float(t):
    return t in DIGITS


def is_signed(t):
    return not t.startswith("u")


def unsigned(t):
    return t if t.startswith("u") else "u" + t


def wrap(t, x):
    x &= (1 << BITS[t]) - 1
    return x - (1 << BITS[t]) if is_signed(t) and x >> (BITS[t] - 1) else x


def limits(t):
    return (-(1 << BITS[t] - 1), (1 << BITS[t] - 1) - 1) if is_signed(t) else (0, (1 << BITS[t]) - 1)


def clip(t, x):
    low, high = limits(t)
    return low if x < low else high if x > high else x


def rounded(t, x, mode="rte"):
    """An exact number, or a float, to the type."""
    if isinstance(x, float):
        if math.isnan(x) or math.isinf(x) or x == 0:
            return x
        x = Fraction(x)
    if x == 0:
        return 0.0
    negative, x = x < 0, abs(Fraction(x))
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    if x < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - DIGITS[t] + 1, LEAST[t])
    low = x // unit
    rest = x - low * unit
    up = {"rte": rest * 2 > unit or (rest * 2 == unit and low % 2 == 1), "rtz": False,
          "rtp": rest > 0 and not negative,
          "rtn": rest > 0 and negative}[mode]
    result = (low + up) * unit
    if result > LARGEST[t]:
        to_largest = mode == "rtz" or (mode == "rtp" and negative) or (mode == "rtn" and not negative)
        value = float(LARGEST[t]) if to_largest else math.inf
    else:
        value = float(result)
    return -value if negative else value


def to_bytes(t, x):
    if is_float(t):
        x = rounded(t, x)
        if t == "half" and (math.isinf(x) or math.isnan(x)):
            return struct.pack("<H", 0x7e00 if math.isnan(x) else 0xfc00 if x < 0 else 0x7c00)
        return struct.pack("<" + PACK[t], x)
    return struct.pack("<" + PACK[t], x)


def from_bytes(t, data):
    return list(struct.unpack("<%d%s" % (len(data) // (BITS[t] // 8), PACK[t]), data))


class Raw(bytes):
    """A floating-point component that is made of any bits, and is only moved."""


def bits_of(t, x):
    return bytes(x) if isinstance(x, Raw) else to_bytes(t, x)


def name_of(t, n):
    return t if n == 1 else "%s%d" % (t, n)
