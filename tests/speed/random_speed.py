#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random kernels, for speed: random_speed.py [--seed N] [--count N] [--time S] [--keep FOLDER] BENCH
ICD[,ICD...]

Shapes of access, types, loops and guards over a grammar of what people write, as OpenCL C and as the same
loop in plain C with OpenMP. lanewise-bench runs all of them on the platforms and beside OpenMP's loops and
checks every result against the C; what comes out here are the worst ratios. Exits with 1 where a result of
Lanewise is wrong or there is none. A seed always makes the same kernel: --seed N --count 1 --keep FOLDER
shows it."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

REALS, INTEGERS = ('float', 'double'), ('uchar', 'short', 'int', 'uint', 'long')
# Small enough that no sum of products overflows an int.
LIMITS = {'uchar': (0, 9), 'short': (-9, 9), 'int': (-9, 9), 'uint': (0, 99), 'long': (-99, 99),
          'float': (0.5, 1.5),
          'double': (0.5, 1.5)}
PRELUDE_C = '''/* SPDX-License-Identifier: MIT */
#include "limit.h"
#include <math.h>
typedef unsigned char uchar;
typedef unsigned int uint;
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define SQRT(x) __builtin_choose_expr(sizeof(x) == 4, sqrtf((float)(x)), sqrt((double)(x)))
#define EXP(x) __builtin_choose_expr(sizeof(x) == 4, expf((float)(x)), exp((double)(x)))
'''
PRELUDE_CL = '''/* SPDX-License-Identifier: MIT */
#define SQRT(x) sqrt(x)
#define EXP(x) exp(x)
'''


class Kernel:
    """Writes one kernel: `i` is the element, `x` and `y` its place in two dimensions, n the number of
    elements."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.name = f'seed_{seed}'
        self.buffers = {}   # name: (type, count, words)
        self.reads = 0
        self.type = self.pick.choice(('float', 'float', 'float', 'double', 'int', 'uint', 'short', 'long',
                                      'uchar'))
        self.real = self.type in REALS
        self.two = self.pick.random() < 0.4
        self.width = self.pick.choice((200, 256, 320, 333))
        self.height = self.pick.choice((128, 150, 200))
        self.n = self.width * self.height
        self.flipped = self.two and self.pick.random() < 0.3    # dimension 0 runs along y
        self.guarded = not self.two and self.pick.random() < 0.5
        self.loops = 0
        self.body = self.statements()

    # ---- where is read ----
    def buffer(self, kind, count, words=None):
        name = f'b{len(self.buffers)}'
        low, high = LIMITS[kind]
        self.buffers[name] = (kind, count, words or f'random {low} {high}')
        return name

    def index(self, loop):
        """An index and how many elements the buffer must have."""
        pick, n, w, h = self.pick, self.n, self.width, self.height
        forms = [('i', n), ('i', n), (f'{n - 1} - i', n), (f'i * {(s := pick.choice((2, 3, 4, 7)))}', n * s),
                 ('i / 3', n),
                 (f'i % {(m := pick.choice((16, 60, 1000)))}', m),
                 (f'min(i + {(k := pick.randint(1, 9))}, {n - 1})', n),
                 (f'max(i - {k}, 0)', n), ('AT[i]', n), (f'x * {h} + y', n), ('x', w), ('y', h)]
        if loop:
            trip = loop[1]
            forms += [(f'i * {trip} + {loop[0]}', n *
                       trip)] * 3 + [(f'{loop[0]} * {n} + i', n * trip)] * 3 + \
                [(loop[0], trip), (f'y * {trip} + {loop[0]}', h * trip), (f'{loop[0]} * {w} + x', w * trip),
                 (f'min(i + {loop[0]}, {n - 1})', n), (f'(i + {loop[0]} * 13) % {n}', n),
                 (f'AT[i] / {trip} * {trip} + {loop[0]}', n + trip)]
        where, count = pick.choice(forms)
        if 'AT' in where:
            self.buffers['at'] = ('int', n, f'random 0 {n - 1}')
        return where.replace('AT', 'at'), count

    def read(self, loop):
        kind = self.type
        if self.pick.random() < 0.2:
            kind = self.pick.choice(REALS[:1] + INTEGERS[:2]) if self.real else self.pick.choice(INTEGERS[:3])
        where, count = self.index(loop)
        return f'({self.type}){self.buffer(kind, count)}[{where}]'

    # ---- what is computed ----
    def expression(self, loop, depth=2):
        pick = self.pick
        if depth == 0 or pick.random() < 0.25:
            return self.read(loop) if pick.random() < 0.75 else f'({self.type}){pick.randint(1, 9)}'
        a, b = self.expression(loop, depth - 1), self.expression(loop, depth - 1)
        form = pick.choice(('+', '+', '*', '*', 'min', 'max', 'special', 'select'))
        if form in '+*':
            return f'({self.type})({a} {form} {b})'
        if form == 'select':
            return f'({self.condition(loop)} ? {a} : {b})'
        if form == 'special':
            if self.real:
                return pick.choice((f'SQRT({a})', f'EXP(-{a})', f'{a} / ({b} + ({self.type})1)',
                                    f'SQRT({a} * {a} + {b})'))
            return pick.choice((f'({self.type})({a} ^ {b})', f'({self.type})({a} & {b})',
                                f'({self.type})({a} >> 2)',
                                f'({self.type})({a} / ({self.type})7)'))
        return f'{form}(({self.type})({a}), ({self.type})({b}))'

    def condition(self, loop):
        """Of what is read only, so that no rounding decides."""
        where, count = self.index(loop)
        kind = self.pick.choice(('int', 'uchar', 'float'))
        limit = '1.0f' if kind == 'float' else self.pick.choice((0, 20, 60))
        return f'{self.buffer(kind, count, None if kind == "float" else "random 0 99")}[{where}] > {limit}'

    # ---- statements ----
    def loop(self, indent):
        pick = self.pick
        name = 'kml'[self.loops]
        self.loops += 1
        trip = pick.choice((4, 8, 9, 16, 30)) if self.loops == 1 else pick.choice((3, 4))
        space = '    ' * indent
        form = pick.choice(('plain', 'plain', 'plain', 'own', 'rows'))
        count = str(trip)
        if form == 'own':
            count = f'{self.buffer("int", self.n, f"random 0 {trip}")}[i]'
        elif form == 'rows':
            count = f'{self.buffer("int", self.height, f"random 1 {trip}")}[y]'
        loop = (name, trip)
        lines = [f'{space}for (int {name} = 0; {name} < {count}; {name}++) {{']
        if pick.random() < 0.25:
            lines.append(f'{space}    if ({self.condition(loop)})\n'
                         f'{space}        {pick.choice(("continue", "continue", "break"))};')
        if self.loops == 1 and pick.random() < 0.3:
            lines += self.loop(indent + 1)
        else:
            how = pick.choice(('sum', 'sum', 'sum', 'most'))
            value = self.expression(loop)
            lines.append(f'{space}    s = max(s, ({self.type})({value}));' if how == 'most'
                         else f'{space}    s += {value};')
        return lines + [space + '}']

    def statements(self):
        pick = self.pick
        lines = [f'    {self.type} s = {self.expression(None, 1)};']
        for _ in range(pick.choice((0, 1, 1, 2))):
            self.loops = 0
            if pick.random() < 0.25:
                lines += [f'    if ({self.condition(None)}) {{', *self.loop(2), '    }']
            else:
                lines += self.loop(1)
        if pick.random() < 0.3:
            lines.append(f'    if ({self.condition(None)})\n        s = {self.expression(None)};')
        self.store = pick.choice(('i', 'i', 'i', f'{self.n - 1} - i', 'i * 2', f'x * {self.height} + y'))
        lines.append(f'    out[{self.store}] = '
                     f's{" + " + self.expression(None, 1) if pick.random() < 0.3 else ""};')
        return '\n'.join(lines)

    # ---- the three texts ----
    def opencl(self):
        arguments = [f'global const {kind} *{name}' for name, (kind, _, _) in self.buffers.items()]
        ids = [f'    int i = get_global_id(0), x = i % {self.width}, y = i / {self.width};']
        if self.two:
            a, b = ('y', 'x') if self.flipped else ('x', 'y')
            ids = [f'    int {a} = get_global_id(0), {b} = get_global_id(1), i = y * {self.width} + x;']
        if self.guarded:
            ids.append(f'    if (i >= {self.n})\n        return;')
        return f'kernel void\n{self.name}({", ".join([*arguments, f"global {self.type} *out"])})\n{{\n' + \
            '\n'.join(ids) + f'\n{self.body}\n}}\n'

    def plain_c(self):
        lines = [f'LIMIT_LOOP({self.name})\n{{']
        lines += [f'    LIMIT_BUFFER(const {kind}, {name});' for name, (kind, _, _) in self.buffers.items()]
        lines.append(f'    LIMIT_BUFFER({self.type}, out);\n')
        return '\n'.join(lines) + f'''
#pragma omp parallel for
    for (int i = 0; i < {self.n}; i++) {{
    int x = i % {self.width}, y = i / {self.width};
    (void)x, (void)y;
{self.body}
    }}
}}
'''

    def description(self):
        local = self.pick.choice(('none', '64', '128', '256'))
        sizes = f'global  {(self.n + 255) // 256 * 256 if self.guarded or local != "none" else self.n}'
        if local != 'none' and not self.guarded:
            sizes = f'global  {self.n}'
            local = 'none' if self.n % int(local) else local
        if self.two:
            first, second = (self.height, self.width) if self.flipped else (self.width, self.height)
            sizes = f'global  {first} {second}'
            local = 'none'
        lines = [f'name {self.name}', f'size {self.n}', sizes, f'local {local}']
        lines += [f'buffer {name} {kind}[{count}] {words}' for name,
                  (kind, count, words) in self.buffers.items()]
        lines.append(f'buffer out {self.type}[{2 * self.n if self.store == "i * 2" else self.n}] zero '
                     f'result restored')
        lines += ['compare relative 1e-3'] if self.real else []
        return '\n'.join(lines) + '\n'


def write(folder, seeds):
    kernels = []
    for seed in seeds:
        kernel = Kernel(seed)
        if len(kernel.buffers) < 30:
            kernels.append(kernel)
    for ending, prelude, text in (('txt', 'group random\n', Kernel.description),
                                  ('cl', PRELUDE_CL, Kernel.opencl),
                                  ('c', PRELUDE_C, Kernel.plain_c)):
        with open(os.path.join(folder, 'random.' + ending), 'w', encoding='utf-8') as file:
            file.write('\n'.join([prelude, *(text(kernel) for kernel in kernels)]))
    return len(kernels)


def report(document, worst):
    rows, wrong = [], []
    for kernel in document['configurations'][0]['kernels']:
        results = {r['platform']: r for r in kernel['results']}
        ours = next(iter(results.values()))
        if ours['status'] != 'right':
            wrong.append(f'{kernel["name"]}: {ours["status"]}: {ours.get("reason")}')
            continue
        peers = {p: r['ratio'] for p, r in results.items() if r['status'] == 'right' and r.get('ratio')}
        if peers:
            least = min(peers, key=peers.get)
            rows.append((peers[least], least, ours['median'], kernel['name']))
    rows.sort()
    print(f'{"kernel":16} {"ours":>12} {"ratio":>6}  the fastest')
    for ratio, peer, median, name in rows[:worst]:
        print(f'{name:16} {median * 1e6:9.1f} us {ratio:6.2f}  {peer}')
    print(f'{len(rows)} kernels, {sum(r[0] < 1 for r in rows)} slower than the fastest of the others, '
          f'{len(wrong)} wrong')
    for line in wrong:
        print(line)
    return 1 if wrong or not rows else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('bench')
    parser.add_argument('icd')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=50)
    parser.add_argument('--time', default='0.03')
    parser.add_argument('--worst', type=int, default=10)
    parser.add_argument('--keep')
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = arguments.keep or folder
        os.makedirs(folder, exist_ok=True)
        write(folder, range(arguments.seed, arguments.seed + arguments.count))
        out = os.path.join(folder, 'out.json')
        done = subprocess.run([arguments.bench, '--suite', folder, '--no-built-in', '--openmp',
                               '--no-figures', '--quiet', '--time',
                               arguments.time, '--rounds', '3', '--icd', arguments.icd, '--json', out],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if not os.path.exists(out):
            sys.exit(done.stdout)
        with open(out, encoding='utf-8') as file:
            sys.exit(report(json.load(file), arguments.worst))


if __name__ == '__main__':
    main()
