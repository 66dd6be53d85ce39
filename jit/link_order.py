#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The linker's script for the compiler library: code that every compilation runs, side by side.

link_order.py ORDER OUTPUT ARCHIVE... -- CC...

A compilation runs 6,000 of LLVM's 60,000 functions, once or twice each: the processor waits for their code, less
where it lies together. ORDER (tools/order-compiler writes it) has the CRC-32 of their names, which takes a tenth of
the room of C++ names. OUTPUT is the linker's own script with those functions' sections first. Names that this LLVM
has not are passed over.
"""
import subprocess
import sys
import zlib

BEFORE = '*(.text.unlikely'


def read_ranks(path):
    with open(path, encoding='ascii') as file:
        words = [word for line in file if not line.startswith('#') for word in line.split()]
    return {int(word, 16): rank for rank, word in enumerate(words)}


def functions(archives):
    run = subprocess.run(['nm', '--defined-only', '-P'] + archives, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=True)
    for line in run.stdout.splitlines():
        words = line.split()
        if len(words) >= 2 and words[1] in 'tTwW':
            yield words[0]


def main():
    split = sys.argv.index('--')
    order, output, archives, compiler = sys.argv[1], sys.argv[2], sys.argv[3:split], sys.argv[split + 1:]
    ranks = read_ranks(order)
    ranked = set()
    for name in functions(archives):
        rank = ranks.get(zlib.crc32(name.encode()))
        if rank is not None:
            ranked.add((rank, name))
    run = subprocess.run(compiler +
                         ['-shared', '-nostdlib', '-Wl,--verbose', '-o', '/dev/null', '-x', 'c', '/dev/null'],
                         stdout=subprocess.PIPE, text=True, check=True)
    script = run.stdout.split('=' * 50 + '\n')[1]
    if BEFORE not in script:
        sys.exit('link_order.py: the linker\'s script has no place for ordered code')
    sections = ''.join(f'*(.text.{name})\n' for _, name in sorted(ranked))
    with open(output, 'w', encoding='ascii') as file:
        file.write(script.replace(BEFORE, sections + BEFORE, 1))


if __name__ == '__main__':
    main()
