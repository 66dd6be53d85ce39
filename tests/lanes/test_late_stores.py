#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The kernels of late_stores.cl against the same in Python, and by --explain: no store under a mask is left
where one behind all ways does.

    test_late_stores.py SPIRV_RUN PLAIN.spv OPTIMISED.spv
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import levels  # noqa: E402

ITEMS, BOX = 1024, 400
data = [i * 37 % 1013 for i in range(ITEMS)]


def run(module, kernel, level, tier, sub_group, before, want, *arguments):
    environment = dict(os.environ, LANEWISE_TIER=tier, LANEWISE_CACHE="0", LANEWISE_VERIFY="1")
    listed = [",".join(map(str, numbers)) for numbers in (before, want)]
    done = subprocess.run([sys.argv[1], "--explain", "-g", str(ITEMS), "-w", "64", "-s", str(sub_group),
                           "--isa", level, "-k", kernel, "--expect", "0=" + listed[1], module,
                           "i32[%d]=%s" % (len(before), listed[0]), *map(str, arguments)],
                          capture_output=True, env=environment, text=True)
    if done.returncode:
        print("FAILED %s %s, %s, %s, sub-groups of %d: %s" %
              (module, kernel, level, tier, sub_group, (done.stdout + done.stderr)[-400:]))
    return done.returncode != 0, done.stdout


def reflected(body):
    x, v, mass = body[:2], body[2:4], body[4]
    for d in range(2):
        v[d] += mass
        x[d] += v[d]
        if x[d] < 0:
            x[d], v[d] = -x[d], -v[d]
        elif x[d] > BOX:
            x[d], v[d] = 2 * BOX - x[d], -v[d]
    return x + v + [mass]


def reflected_once(body):
    x, v = body[0], body[3] + body[4]
    if x < 50:
        x, v = x + 7, -x
    elif x > BOX - 90:
        x, v = x - 9, x * 3
    return [x, body[1], v] + body[3:]


def fall_through(i, rounds):
    a = data[i]
    for k in range(rounds):
        way = (data[i] + k) & 3
        if way == 0:
            a += 2
        if way <= 1:
            a = a * 3 & 4095
        elif way == 2 and a > 4000:
            break
    return a


def small_arms(x):
    if x < 32:
        return x + (3 + x if 1 << x & 0x55555555 else 4 * x if x & 1 else 0)
    return 2 * x - 500 if x > 500 else x


def meets_before(i, rounds):
    x, y, last = data[i], 0, data[i]
    for k in range(rounds):
        last = y + data[(i + k) & 1023]
        y += last & 7
    way = x + y if y & 1 else x - y if y & 2 else last
    return last + (way if x < 300 else last - y if last > 500 else last)


def loop_between(x):
    y = 7 if 300 < x <= 400 else x
    while x > 400 and y & 0x110:
        y = (y >> 1) + 3
    return x + y


def neighbours(x):
    return x if x & 2 else 5 if x & 4 else 500


def largest(i, rounds):
    return max([500] + [data[(i + 5 * k) & 1023] for k in range(rounds)])


# By kernel: what an element becomes that was 500, of its number and its x, and the last argument.
kernels = {
    "largest": (lambda i, x: largest(i, 6), 6),
    "shared_end": (lambda i, x: 500 if not x & 4 else x * 3 if x & 1 else x + 5 if x & 8 else x, 0),
    "read_between": (lambda i, x: x * 2 + 1 if x & 1 else x, 0),
    "read_before_it": (lambda i, x: (x + 1) * (3 if x & 1 else 5 if x & 2 else 1), 0),
    "neighbours_place": (lambda i, x: 500 if i & 1 else neighbours(x), 0),
    "written_between": (lambda i, x: 7 if x & 1 else x, 0),
    "bytes_between": (lambda i, x: x & ~0xff00 | 0x900 if x & 1 else 4 if x & 2 else x, 0),
    "barrier_between": (lambda i, x: data[i ^ 1] + 1, 1),
    "atomic_between": (lambda i, x: 3 if x & 3 == 3 else x + 5 if x & 1 else x, 0),
    "left_between": (lambda i, x: x if x & 1 else 5 if x & 2 else x + 1 if x & 4 else x, 0),
    "fall_through": (lambda i, x: fall_through(i, 9), 9),
    "meets_before": (lambda i, x: meets_before(i, 5), 5),
    "loop_between": (lambda i, x: loop_between(x), 0x110),
    "small_arms": (lambda i, x: small_arms(x), 1),
}
# Stores under masks that are left in specialised code, of those that could be counted.
masked = {"reflect": 0, "largest": 1, "shared_end": 1, "small_arms": 0}

bodies = [[data[i] % BOX, data[i * 3 % ITEMS] % BOX, data[i] % 300 - 150, i % 200 - 100, i % 7]
          for i in range(ITEMS)]
failures = 0
for spv in sys.argv[2:]:
    for isa in levels():
        for code, lanes in (("specialised", 16), ("specialised", 4), ("masked", 8)):
            runs = [(name, sum(bodies, []), sum([becomes(list(b)) for b in bodies], []), [BOX])
                    for name, becomes in (("reflect", reflected), ("reflect_once", reflected_once))]
            for name, (becomes, last) in kernels.items():
                numbers = "i32[%d]=%s" % (ITEMS, ",".join(map(str, data)))
                end = [becomes(i, x) for i, x in enumerate(data)]
                runs.append((name, [500] * ITEMS, end, [numbers, last]))
            for name, start, end, rest in runs:
                failed, text = run(spv, name, isa, code, lanes, start, end, *rest)
                left = sum(int(n or 1) for n in re.findall(r"store: .*masked(?: *\(x(\d+)\))?$", text, re.M))
                late = code != "specialised" or lanes != 16 or left == masked.get(name, left)
                if not late:
                    print("FAILED %s %s, %s: %d stores under masks\n%s" % (spv, name, isa, left, text))
                failures += failed or not late
print("%d failed" % failures)
sys.exit(failures != 0)
