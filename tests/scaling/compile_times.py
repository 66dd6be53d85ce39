#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile times of real modules, row by row of the pipeline.

compile_times.py BINARY LIBRARY MODULE... [-n N] [-x X]

Thread CPU milliseconds, the least of N compilations in one process; `first` is the first one's total.
"""
import argparse
import collections
import os
import re
import subprocess
import sys


def measure(binary, library, module, count, local=0):
    """{kernel: {row: least, 'first': ..., 'total': ..., 'bytes': ...}}"""
    run = subprocess.run([binary, library, module, str(count)] + ([str(local)] if local else []),
                         stderr=subprocess.PIPE, text=True, check=False)
    kernels = collections.OrderedDict()
    for line in run.stderr.splitlines():
        found = re.match(r'; ---- (\S+): ([0-9.]+) ms, (\d+) bytes: (.*)', line)
        if not found:
            if line.startswith('error:'):
                raise RuntimeError(f'{module}: {line}')
            continue
        rows = kernels.setdefault(found[1], {'first': float(found[2])})
        words = found[4].split()
        for name, value in [('total', found[2]), ('bytes', found[3])] + list(zip(words[::2], words[1::2])):
            rows[name] = min(rows.get(name, float('inf')), float(value))
    if run.returncode != 0:
        raise RuntimeError(f'{module}: exit status {run.returncode}: {run.stderr[-300:]}')
    return kernels


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('binary')
    parser.add_argument('library')
    parser.add_argument('modules', nargs='+')
    parser.add_argument('-n', type=int, default=5)
    parser.add_argument('-x', type=int, default=0)
    options = parser.parse_args()
    header = None
    for module in options.modules:
        for kernel, rows in measure(options.binary, options.library, module, options.n, options.x).items():
            if not header:
                header = [name for name in rows if name not in ('read', 'reflect', 'masks')]
                print(f'{"kernel":34}' + ''.join(f'{name:>9.9}' for name in header))
            label = os.path.basename(module).replace('.spv', '') + ':' + kernel
            print(f'{label:34.34}' + ''.join(f'{rows[n]:9.0f}' if n == 'bytes' else f'{rows[n]:9.2f}'
                                             for n in header))


if __name__ == '__main__':
    sys.exit(main())
