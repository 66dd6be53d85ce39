#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does compile time grow with the kernel's size, or with its square? test_scaling.py BINARY LIBRARY CLANG

Each shape of gen_scaling.py is compiled at n and 2n; what is compared is thread processor time, the least of
three, so that other load on the machine hardly counts. Doubling may cost three times as much at most: a
pass that grows with the square costs four, every time; what does so once, beside other work, is measured
again. Rows below half a millisecond say nothing and are passed over.
The table is printed whatever comes out.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compile_times  # noqa: E402
import gen_scaling  # noqa: E402

# Where LLVM itself grows faster (many live-outs of one loop, deep nests), only our rows are held to it.
WHOLE = {'straight': 100, 'memory': 100, 'ifs': 60, 'selects': 80, 'returns': 60, 'barriers': 60,
         'collectives': 80}
OURS = dict(WHOLE, loops=60, cases=60, breaks=40, nest=30, live=80, arrays=60, barrier_ifs=60)
# Where only many branches show what LLVM does for each pair of them, or functions would be 2^n when inlined:
# one row, compiled once.
LARGE = {'ifs': ('scalar', 1200), 'labels': ('total', 60), 'leaves': ('total', 500),
         'returns': ('total', 1000), 'cases': ('total', 1000), 'arrays': ('subgroup', 400),
         'choices': ('subgroup', 1000), 'chain': ('total', 8)}
# What rows of the pipeline are there for: without the row (LANEWISE_SKIP) a large kernel's code has so many
# times the bytes, or code generation takes so many times as long, at least; about half of what was measured,
# of many_exits with AVX2.
WORTH = {'many_exits': ('leaves', 400, 'bytes', 1.06), 'critical_edges': ('leaves', 300, 'bytes', 1.5),
         'plain_selection': ('straight', 2000, 'codegen', 1.2),
         'many_constants': ('constants', 12000, 'codegen', 1.2)}
ROWS = ('emit', 'canonical', 'widen', 'workgroup')
MOST = 3.0
MOST_LARGE = 3.5  # 4.1 where it is the square
FLOOR = 0.5
TRIES = 5


def compile_shape(binary, library, clang, folder, shape, size, times=3, skip=''):
    source = os.path.join(folder, f'{shape}{size}.cl')
    module = source.replace('.cl', '.spv')
    with open(source, 'w', encoding='ascii') as out:
        out.write(gen_scaling.kernel(shape, size))
    subprocess.run([clang, '--target=spirv64', '-x', 'cl', '-cl-std=CL3.0', '-O1', '-fno-unroll-loops',
                    '-c', source, '-o', module], check=True, timeout=120)
    os.environ['LANEWISE_SKIP'] = skip
    return compile_times.measure(binary, library, module, times)['k']


def check_worth(compiler, folder):
    """The rows that make too little of a difference."""
    failed = []
    for row, (shape, size, what, least) in WORTH.items():
        for _ in range(TRIES):
            there, left_out = (compile_shape(*compiler, folder, shape, size, 1, skip)[what]
                               for skip in ('', row))
            print(f'{shape:12}{size:6} {what} {there:.2f}, without {row} x{left_out / there:4.1f}',
                  flush=True)
            if left_out >= least * there:
                break
        else:
            failed.append(f'{row}: {shape} of {size} without it has {left_out / there:.2f} times the {what}')
    return failed


def check_long_loops(compiler, folder):
    """Constants are not hoisted out of a long loop that is entered twice, once by assembly."""
    compile_shape(*compiler, folder, 'breaks', 200, 1)
    text = subprocess.run([*compiler[:2], os.path.join(folder, 'breaks200.spv')], check=True, text=True,
                          stderr=subprocess.PIPE, env=dict(os.environ, STEPS='long_loops')).stderr
    entered = text.count(' callbr ')
    print(f'breaks         200 long loops entered twice: {entered}')
    return [] if entered else ['long_loops: a loop of 200 breaks is entered as it was']


def too_slow(shape, small, large):
    """The rows that grow too fast, with their ratios."""
    return {row: large[row] / small[row] for row in ROWS + ('total',)
            if small[row] >= FLOOR and large[row] > MOST * small[row] and (row != 'total' or shape in WHOLE)}


def main():
    binary, library, clang = sys.argv[1:]
    failed = []
    print(f'{"shape":12}{"n":>6}' + ''.join(f'{row:>16}' for row in ROWS + ('total',)))
    with tempfile.TemporaryDirectory() as folder:
        for shape, size in OURS.items():
            slow = None
            for _ in range(TRIES):
                small = compile_shape(binary, library, clang, folder, shape, size)
                large = compile_shape(binary, library, clang, folder, shape, 2 * size)
                now = too_slow(shape, small, large)
                slow = {row: now[row] for row in now if slow is None or row in slow}
                cells = ''.join(f'{large[row]:9.2f} x{large[row] / small[row]:4.1f}' if small[row] >= FLOOR
                                else f'{large[row]:9.2f}' + ' ' * 6 for row in ROWS + ('total',))
                print(f'{shape:12}{2 * size:6}{cells}', flush=True)
                if not slow:
                    break
            failed += [f'{shape}: {row} takes {slow[row]:.1f} times as long for {2 * size} as for {size}'
                       for row in slow]
        for shape, (row, size) in LARGE.items():
            for _ in range(TRIES):
                small, large = (compile_shape(binary, library, clang, folder, shape, n,
                                              1) for n in (size, 2 * size))
                ratio = large[row] / small[row]
                print(f'{shape:12}{2 * size:6} {row} {large[row]:9.2f} x{ratio:4.1f}', flush=True)
                if ratio <= MOST_LARGE:
                    break
            else:
                failed.append(f'{shape}: {row} takes {ratio:.1f} times as long for {2 * size} as for {size}')
        failed += check_worth((binary, library, clang), folder)
        failed += check_long_loops((binary, library, clang), folder)
    print('\n'.join(failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
