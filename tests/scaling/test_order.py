#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_order.py LIBRARY ORDER: the functions that jit/code.order names lie together in the library, in its
order."""
import subprocess
import sys
import zlib

library, order = sys.argv[1:3]
words = [word for line in open(order, encoding='ascii') if not line.startswith('#') for word in line.split()]
wanted = {int(word, 16): rank for rank, word in enumerate(words)}
symbols = []
for line in subprocess.run(['nm', '--defined-only', '-P', library], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.splitlines():
    name, kind, value = line.split()[:3]
    if kind in 'tTwW':
        symbols.append((int(value, 16), zlib.crc32(name.encode())))
if len(symbols) < 10000:
    print('the library is stripped: nothing to see')
    sys.exit(77)
found = sorted((address, wanted[name]) for address, name in symbols if name in wanted)
low, high = found[len(found) // 20][0], found[-len(found) // 20][0]
whole = max(symbols)[0] - min(symbols)[0]
rising = sum(a[1] <= b[1] for a, b in zip(found, found[1:])) / len(found)
print(f'{len(found)} of {len(wanted)} functions, nine tenths in {(high - low) / 1e6:.1f} MB of '
      f'{whole / 1e6:.1f}, '
      f'{rising:.0%} behind their predecessor')
sys.exit(0 if len(found) > len(wanted) // 2 and high - low < whole / 3 and rising > 0.8 else 1)
