#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What code for images has and has not: the kernels of code.cl, whose results are compared too.

    test_code.py SPIRV_RUN MODULE.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

WIDTH, HEIGHT = 64, 16


def texel(x, y):
    """The first channel; others are the numbers behind it."""
    x, y = max(0, min(WIDTH - 1, x)), max(0, min(HEIGHT - 1, y))
    return (y * WIDTH + x) * 4


def word(numbers):
    return [n & 0xffffffff for n in numbers]


def place(dx, dy):
    return lambda x, y: [texel(x + dx, y + dy) + c for c in range(4)]


def sums(x, y):
    return [sum((texel(x + i, y + j) + c) * (i * 3 + j + 13) for j in (-1, 0, 1) for i in (-1, 0, 1))
            for c in range(4)]


def compiled(kernel, item, isa, stage, more=0):
    """The code of a kernel that gave what it must, over a range that is wider than the image by `more`."""
    want = [n for y in range(HEIGHT) for x in range(WIDTH) for n in word(item(x, y))]
    image = "image2d:%dx%d:rgbau32" % (WIDTH, HEIGHT)
    command = [sys.argv[1], "-g", "%d,%d" % (WIDTH + more, HEIGHT), "--isa", isa, "--dump", stage, "-k",
               kernel, "--expect", "1=" + ",".join(map(str, want)), sys.argv[2], image + "=iota", image]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s, %s: %s" % (kernel, isa, (done.stdout + done.stderr)[-500:]))
    return done.stderr


def number(x, y):
    return max(0, min(HEIGHT - 1, y)) * WIDTH + max(0, min(WIDTH - 1, x))


def sum_of(x, y):
    return sum(number(x + i, y + j) * (i * 3 + j + 13) for j in (-1, 0, 1) for i in (-1, 0, 1))


def told(kernel, item, isa):
    """What is told of a kernel over texels of one number, whose results it gave."""
    want = word([item(x, y) for y in range(HEIGHT) for x in range(WIDTH)])
    image = "image2d:%dx%d:ru32" % (WIDTH, HEIGHT)
    command = [sys.argv[1], "-g", "%d,%d" % (WIDTH, HEIGHT), "--isa", isa, "--explain", "-k", kernel,
               "--expect", "1=" + ",".join(map(str, want)), sys.argv[2], image + "=iota", image]
    environment = dict(os.environ, LANEWISE_TIER="specialised", LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    done = subprocess.run(command, capture_output=True, env=environment, text=True)
    if done.returncode:
        raise SystemExit("FAILED %s, %s: %s" % (kernel, isa, (done.stdout + done.stderr)[-500:]))
    return done.stdout


def faults(isa):
    own, wider = (compiled("copy", place(0, 0), isa, "masks", more) for more in (0, 16))
    if re.search(r"masked|icmp \w+ <|store\.lanes", own):
        yield "copy: coordinates of a range that the image holds are compared"
    if re.search(r"select i1 .*lw\.zeros", own + wider):
        yield "copy: what describes an image is read where lanes are active only"
    if not re.search(r"icmp \w+ <", wider):
        yield "copy: coordinates of a range that the image does not hold are not compared"
    if re.search(r"masked.gather|icmp \w+ <", compiled("above", place(0, -3), isa, "masks")):
        yield "above: a row that is clamped as a whole is none any more"
    if not re.search(r"icmp \w+ <", compiled("beside", place(-3, 0), isa, "masks")):
        yield "beside: coordinates that the range does not tell of are not compared"
    rows = told("sums", sum_of, isa)
    if "contiguous but at the bounds" not in rows or "gathered" in rows or "divergent" in rows:
        yield "sums: texels of one number are not rows but at the edges\n" + rows
    rows = told("halves", lambda x, y: number(x // 2, y // 2), isa)
    if isa != "sse4.2" and "looked up in registers where lanes are near" not in rows:
        yield "halves: samples along a row are gathered\n" + rows
    blocks = re.split(r"^\w+:", compiled("sums", sums, isa, "subgroup"), flags=re.M)
    products = [len(re.findall(r"= mul <", block)) for block in blocks]
    if max(products) * 2 > sum(products):
        yield "sums: %d of %d products are in one block" % (max(products), sum(products))


def main():
    failed = 0
    for isa in levels():
        for fault in faults(isa):
            failed += 1
            print("FAILED %s, %s" % (isa, fault))
    print("%d failed" % failed)
    return failed > 0


sys.exit(main())
