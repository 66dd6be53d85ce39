#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes calls of printf at random, each as OpenCL C and as C with the same text.

    random_cases.py SEED COUNT OUT.h     lines: CASE(number, condition, IN_KERNEL(...), IN_C(...))

Values are made of the work-item's id `x`, below 21, by at most one rounded operation, so that both sides have
the same.
"""
import random
import sys

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
LENGTHS = {8: "hh", 16: "h", 32: "", 64: "l"}
FLAGS = {"d": "-+ 0", "i": "-+ 0", "u": "-0", "o": "-#0", "x": "-#0", "X": "-#0", "c": "-", "s": "-"}
CONDITIONS = ["1", "1", "x % 3 == 0", "(x & 4) != 0", "x > 11", "x * 5 % 7 < 3"]


def flags(r, conversion):
    return "".join(f for f in FLAGS.get(conversion, "-+ #0") if r.random() < 0.3)


def size(r, widest):
    width = str(r.randint(1, 24)) if r.random() < 0.5 else ""
    return width + ("." + r.choice(["", "0", str(r.randint(1, widest))]) if r.random() < 0.5 else "")


def integer(r, kind):
    step, start = r.choice([0, 1, -1, 3, 12345, -98765, 16777259]), r.choice([0, -1, 7, 127, 32768, 99999999])
    value = "(long)x * %d + %d" % (step, start)
    if BITS[kind] == 64 and r.random() < 0.5:
        value = "((long)x << %d) - %d" % (r.randint(1, 58), r.randint(0, 9))
    return "(%s)(%s)" % (kind, value)


def real(r, kind):
    suffix = "f" if kind == "float" else ""
    if r.random() < 0.1:
        return "(%s)((2 * x - 15) * INFINITY)" % kind
    digits = r.choice(["0.0", "0.5", "-1.5", "0.37", "99999.5", "-123456.789", "1e-5", "9.9999995",
                       "6.5e-30", "-3e25"])
    return "(%s)(x * %s%s)" % (kind, digits, suffix)


def conversion(r):
    """The kernel's format and arguments, then C's."""
    kind = r.choice(list(BITS) + ["float", "double"] * 3)
    is_real = kind in ("float", "double")
    letter = r.choice("fFeEgGaA" if is_real else "ouxX" if kind[0] == "u" else "di")
    begin, value = "%" + flags(r, letter) + size(r, 15), real if is_real else integer
    length = "" if is_real else LENGTHS[BITS[kind]]
    form = r.randrange(8)
    if form == 0:
        text, of = r.choice(["", "word", "a longer text", "100%%"]), "%" + flags(r, "s") + size(r, 9) + "s"
        return of, ['"%s"' % text], of, ['"%s"' % text]
    if form == 1:
        of = "%" + flags(r, "c") + r.choice(["", "3"]) + "c"
        return of, ["'A' + x"], of, ["'A' + x"]
    if form < 5:
        lanes = r.choice([2, 3, 4, 8, 16])
        values = [value(r, kind) for _ in range(lanes)]
        width = "l" if kind in ("double", "long", "ulong") else "hl" if kind in ("float", "int",
                                                                                 "uint") else length
        return ("%sv%d%s%s" % (begin, lanes, width, letter),
                ["(%s%d)(%s)" % (kind, lanes, ", ".join(values))],
                ",".join([begin + length + letter] * lanes), values)
    if form == 5:
        of = "%" + flags(r, letter) + "*.*" + length + letter
        given = ["x - %d" % r.randint(0, 20), "x %% %d - 1" % r.randint(2, 9), value(r, kind)]
        return of, given, of, given
    one = value(r, kind)
    return begin + length + letter, [one], begin + length + letter, [one]


def main():
    seed, count, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    r = random.Random(seed)
    lines = ["/* By random_cases.py, seed %d. */" % seed, "#define RANDOM_CASES %d" % count, "#ifdef CASE"]
    for number in range(count):
        kernel, host = ("", []), ("", [])
        for _ in range(r.randint(1, 5)):
            of, given, host_of, host_given = conversion(r)
            between = r.choice(["", " ", "|", "%%", "é", "\\t"])
            kernel = kernel[0] + between + of, kernel[1] + given
            host = host[0] + between + host_of, host[1] + host_given
        calls = ["%s(%s)" % (name, ", ".join(['"%s"' % of] + given))
                 for name, (of, given) in (("IN_KERNEL", kernel), ("IN_C", host))]
        lines.append("CASE(%d, %s, %s, %s)" % (number, r.choice(CONDITIONS), *calls))
    with open(out, "w") as file:
        file.write("\n".join(lines + ["#endif", ""]))


main()
