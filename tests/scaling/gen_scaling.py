#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OpenCL C kernels that grow in one way each: gen_scaling.py SHAPE SIZE > kernel.cl

SIZE counts the repeated part: statements, ifs, loops, barriers, cases, arrays.
"""
import sys

HEAD = 'kernel void k(global const int *in, global int *out, int n, local int *shared)\n{\n' \
       '    int i = get_global_id(0), l = get_local_id(0), x = in[i], y = in[i + n];\n'
TAIL = '    out[i] = x + y;\n}\n'


def straight(size):
    """One block; a long dependence chain with short-lived values."""
    return ''.join(f'    x = (x ^ (y + {k})) * {2 * k + 3}; y += x >> {k % 7 + 1};\n' for k in range(size))


def constants(size):
    """Numbers that are all different."""
    text = ''.join(f'    f = f * {k + 1}.5f + g; g = g * {k + 1}.25f - f;\n' for k in range(size))
    return f'    float f = x, g = y;\n{text}    x = f; y = g;\n'


def memory(size):
    """One block of loads and stores."""
    return ''.join(f'    out[i + n * {k + 1}] = x += in[i + n * {k + 2}];\n' for k in range(size))


def ifs(size):
    """Divergent ifs with a side effect, one after the other."""
    return ''.join(f'    if (x & {1 << k % 30}) {{ out[i + n * {k + 1}] = y; y += x * {k + 3}; }}\n'
                   for k in range(size))


def choices(size):
    """Divergent ifs, something else for the others, stores to each lane's own place on both sides."""
    return ''.join(f'    if (x & {1 << k % 20}) {{ out[(x + {k}) & 1023] = x * {k + 3}; x ^= {k}; }}\n'
                   f'    else {{ out[(x - {k}) & 1023] = x + {k}; x += {3 * k}; }}\n' for k in range(size))


def selects(size):
    """Divergent ifs that only choose values."""
    return ''.join(f'    if (x > {k * 7}) y = y * {k + 3} + x; else x = x * 5 + y;\n' for k in range(size))


def nested(size):
    """Ifs within ifs."""
    return ''.join(f'    if (x > in[i + {k}]) {{ y += x * {k + 3}; out[i + n * {k + 1}] = y;\n'
                   for k in range(size)) + '    }' * size + '\n'


def loops(size):
    """Divergent loops, one after the other."""
    return ''.join(f'    for (int j = x & 15; j > 0; j--) y = y * {k + 3} + in[j + {k}];\n'
                   for k in range(size))


def nest(size):
    """Divergent loops within loops; each level has work before and after."""
    text = ''.join(f'    for (int j{k} = in[y & 7]; j{k} > 0; j{k}--) {{ y += x * {k + 3};\n'
                   for k in range(size))
    return text + ''.join(f'    x ^= y + j{k}; }}\n' for k in reversed(range(size)))


def returns(size):
    """Many early returns."""
    return ''.join(f'    if (x == {k * 5 + 1}) {{ out[i] = y; return; }}\n    y += x * {k + 3};\n'
                   f'    x ^= in[i + n * {k + 2}];\n' for k in range(size))


def breaks(size):
    """A divergent loop with many exits."""
    text = ''.join(f'        if (x == {k * 5 + 1}) {{ y += {k}; break; }}\n'
                   f'        x = x * {k + 3} + in[i + {k}];\n'
                   for k in range(size))
    return f'    for (int j = 0; j < n; j++) {{\n{text}    }}\n'


def leaves(size):
    """A divergent loop left in many ways: to one place, with something to do on the way, for good."""
    ways = ('break;', '{ y += x; break; }', '{ out[i + n] = x; break; }', '{ out[i] = y; return; }')
    text = ''.join(f'        x = x * {2 * k + 3} + y; if ((uint)x % {k % 50 + 137} == 5) {ways[k % 4]}\n'
                   for k in range(size))
    return f'    for (int j = 0; j < n; j++) {{\n{text}        y ^= x;\n    }}\n'


def labels(size):
    """Labels that jump to each other."""
    text = ''.join(f'L{k}: if (--n < 0) goto done; x = x * 1664525 + {k}; y ^= x >> {k % 7};\n'
                   f'    if (x & {1 << k % 13}) goto L{k * 7 % size}; if (x & 64) goto L{k * 5 % size};\n'
                   for k in range(size))
    return text + 'done:;\n'


def barriers(size):
    """Pairs of barriers around an exchange through local memory."""
    return ''.join(f'    shared[l] = x; barrier(CLK_LOCAL_MEM_FENCE); x += shared[(l + {k + 1}) & 15];\n'
                   '    barrier(CLK_LOCAL_MEM_FENCE);\n' for k in range(size))


def barrier_ifs(size):
    """Divergent ifs between barriers, values live across all of them."""
    return ''.join(f'    if (x & {1 << k % 30}) shared[l] = y;\n    barrier(CLK_LOCAL_MEM_FENCE);\n'
                   f'    y += shared[l ^ 1] * {k + 3};\n    barrier(CLK_LOCAL_MEM_FENCE);\n'
                   for k in range(size))


def live(size):
    """Many values live across two barriers."""
    text = ''.join(f'    int v{k} = in[i + n * {k + 2}];\n' for k in range(size))
    text += '    shared[l] = x; barrier(CLK_LOCAL_MEM_FENCE);\n'
    text += '    x = shared[l ^ 1]; barrier(CLK_LOCAL_MEM_FENCE);\n'
    return text + ''.join(f'    out[i + n * {k + 1}] = v{k} * x;\n' for k in range(size))


def cases(size):
    """A divergent switch."""
    text = ''.join(f'    case {k * 3}: y = y * {k + 3} + in[i + {k}]; break;\n' for k in range(size))
    return f'    switch (x) {{\n{text}    default: y = 1;\n    }}\n'


def arrays(size):
    """Private arrays with dynamic indices."""
    return ''.join(f'    int a{k}[4] = {{x, y, {k}, n}}; a{k}[y & 3] += x; y += a{k}[x & 3];\n'
                   for k in range(size))


def collectives(size):
    """Sub-group reductions."""
    return ''.join(f'    y += sub_group_reduce_add(x + {k}); x ^= sub_group_scan_inclusive_add(y);\n'
                   for k in range(size))


def chain(size):
    """A call of functions that each call the one before twice (`functions`)."""
    return f'    x = f{size}(x, y);\n'


def functions(size):
    """What `chain` calls."""
    return '__attribute__((noinline)) static int f0(int x, int y) { return x * 5 ^ y; }\n' + ''.join(
        f'__attribute__((noinline)) static int f{k}(int x, int y) '
        f'{{ return f{k - 1}(x * {2 * k + 3}, y) + f{k - 1}(x ^ {k}, y + {k}); }}\n'
        for k in range(1, size + 1))


SHAPES = {f.__name__: f for f in (straight, constants, memory, ifs, choices, selects, nested, loops, nest,
                                  returns, breaks, leaves, labels, barriers, barrier_ifs, live, cases, arrays,
                                  collectives, chain)}


def kernel(shape, size):
    return (functions(size) if shape == 'chain' else '') + HEAD + SHAPES[shape](size) + TAIL


if __name__ == '__main__':
    if len(sys.argv) != 3 or sys.argv[1] not in SHAPES:
        sys.exit('usage: gen_scaling.py ' + '|'.join(SHAPES) + ' SIZE')
    sys.stdout.write(kernel(sys.argv[1], int(sys.argv[2])))
