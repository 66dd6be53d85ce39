#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes seeded random kernels twice: as OpenCL C, and as plain C that runs one work-item after the other.

The C is compiled by the host's compiler and is the independent answer. Both texts are made of the same
statements; variables are spelled V(x), which is `x` in the kernel and `s->x` in C, where a work-group's items
keep their state in structs so that phases between barriers can be run item by item. All arithmetic is exact
in both: unsigned wrap-around, no contraction, no NaN stored.
"""
import random
import sys

INTS = {"i0": "int", "i1": "int", "u0": "uint", "u1": "uint", "l0": "ulong", "h0": "short", "c0": "uchar"}
FLOATS = {"f0": "float", "d0": "double"}
ARRAYS = {"a": ("int", 8), "b": ("uchar", 16), "g": ("float", 4), "w": ("ulong", 4)}


class Kernel:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.seed = seed
        self.barrier = self.r.random() < 0.35
        self.retire = not self.barrier and self.r.random() < 0.5
        self.loops = 0
        self.names = []
        self.in_loop = 0
        self.budget = self.r.randint(6, 26)
        self.used_goto = False

    # ---- expressions ----
    def u(self, d):
        """An expression of type uint."""
        r = self.r
        if d <= 0 or r.random() < 0.15:
            k = r.randint(0, 6)
            if k == 0:
                return "%du" % r.choice([0, 1, 2, 3, 7, 31, 255, 65535, 2147483648, 4294967295,
                                         r.getrandbits(16)])
            if k == 1:
                return "(uint)GID"
            if k == 2:
                return "(uint)LID"
            if k == 3 and self.names:
                return "(uint)%s" % r.choice(self.names)
            return "(uint)V(%s)" % r.choice(list(INTS))
        k = r.randint(0, 15)
        if k <= 4:
            return "(%s %s %s)" % (self.u(d - 1), r.choice("+-*&|^"), self.u(d - 1))
        if k == 5:
            return "(%s %s (%s & 31u))" % (self.u(d - 1), r.choice(["<<", ">>"]), self.u(d - 1))
        if k == 6:
            return "(%s %s ((%s & 63u) + 1u))" % (self.u(d - 1), r.choice("/%"), self.u(d - 2))
        if k == 7:
            return "(uint)((int)%s %s (int)((%s & 15u) + 1u))" % (self.u(d - 1), r.choice("/%"),
                                                                  self.u(d - 2))
        if k == 8:
            return "(%s ? %s : %s)" % (self.c(d - 1), self.u(d - 1), self.u(d - 1))
        if k == 9:
            return "(uint)V(a)[%s & 7u]" % self.u(d - 1)
        if k == 10:
            return "(uint)V(b)[%s & 15u]" % self.u(d - 1)
        if k == 11:
            return "IN[%s & 63u]" % self.u(d - 1)
        if k == 12:
            return "IN[((uint)GID + %du) & 63u]" % r.randint(0, 5)
        if k == 13:
            return "(uint)(%s)%s" % (r.choice(["char", "short", "uchar", "ushort", "ulong"]), self.u(d - 1))
        if k == 14:
            return "F2U(%s)" % self.f(d - 1)
        return "(uint)(V(w)[%s & 3u] >> (%s & 63u))" % (self.u(d - 2), self.u(d - 2))

    def l(self, d):
        r = self.r
        k = r.randint(0, 3)
        if k == 0 or d <= 0:
            return "(ulong)%s" % self.u(d - 1)
        if k == 1:
            return "(V(l0) %s (ulong)%s)" % (r.choice("+-*^|&"), self.u(d - 1))
        if k == 2:
            return "(V(l0) / ((ulong)%s + 1u))" % self.u(d - 1)
        return "(V(w)[%s & 3u] + (V(l0) << (%s & 63u)))" % (self.u(d - 1), self.u(d - 2))

    def f(self, d):
        r = self.r
        if d <= 0 or r.random() < 0.2:
            return r.choice(["V(f0)", "(float)V(i0)", "1.5f", "-0.25f", "(float)(%s & 1023u)" % self.u(0)])
        k = r.randint(0, 4)
        if k <= 2:
            return "(%s %s %s)" % (self.f(d - 1), r.choice("+-*"), self.f(d - 1))
        if k == 3:
            return "V(g)[%s & 3u]" % self.u(d - 1)
        return "(%s ? %s : %s)" % (self.c(d - 1), self.f(d - 1), self.f(d - 1))

    def c(self, d):
        r = self.r
        k = r.randint(0, 5)
        if k == 0:
            return "(%s < %s)" % (self.f(d - 1), self.f(d - 1))
        if k == 1:
            return "((int)%s %s (int)%s)" % (self.u(d - 1), r.choice(["<", "<=", ">", "=="]), self.u(d - 1))
        if k == 2:
            return "((LID & %du) != 0)" % r.choice([1, 2, 4, 8])
        if k == 3:
            return "(N_ARG > %d)" % r.randint(0, 80)
        if k == 4:
            return "(%s && %s)" % (self.c(d - 1), self.c(d - 1)) if d > 0 else "(V(i0) > 0)"
        return "((%s & 3u) %s %du)" % (self.u(d - 1), r.choice(["==", "!="]), r.randint(0, 3))

    # ---- statements ----
    def assign(self):
        r = self.r
        k = r.randint(0, 9)
        if k <= 3:
            v = r.choice(list(INTS))
            if v == "l0":
                return "V(l0) = %s;" % self.l(3)
            return "V(%s) = (%s)%s;" % (v, INTS[v], self.u(3))
        if k == 4:
            return "V(f0) = %s;" % self.f(3)
        if k == 5:
            return "V(d0) = V(d0) * 0.5 + (double)%s;" % self.f(2)
        if k == 6:
            return "V(a)[%s & 7u] = (int)%s;" % (self.u(2), self.u(3))
        if k == 7:
            return "V(b)[%s & 15u] = (uchar)%s;" % (self.u(2), self.u(2))
        if k == 8:
            return "V(g)[%s & 3u] = %s;" % (self.u(2), self.f(2))
        return "V(w)[%s & 3u] = %s;" % (self.u(1), self.l(2))

    def block(self, depth, pad):
        out = []
        for _ in range(self.r.randint(1, 3)):
            out += self.statement(depth, pad)
        return out

    def loop(self, depth, pad):
        r = self.r
        k = "k%d" % self.loops
        self.loops += 1
        bound = r.choice(["(int)(%s & 7u)" % self.u(2), "(int)(LID & 3u) + 1", "(N_ARG & 3) + 1",
                          str(r.randint(1, 5))])
        self.in_loop += 1
        self.names.append(k)
        form = r.randint(0, 2)
        body = self.block(depth - 1, pad + "    ")
        self.names.pop()
        self.in_loop -= 1
        if form == 0:
            return [pad + "for (int %s = 0; %s < %s; %s++) {" % (k, k, bound, k)] + body + [pad + "}"]
        head = [pad + "{ int %s = 0;" % k]
        if form == 1:
            return head + [pad + "while (%s++ < %s && %s) {" % (k, bound, self.c(1))] + body + [pad + "} }"]
        return head + [pad + "do {"] + body + [pad + "} while (++%s < %s); }" % (k, bound)]

    def statement(self, depth, pad):
        r = self.r
        self.budget -= 1
        if self.budget <= 0 or depth <= 0:
            return [pad + self.assign()]
        k = r.randint(0, 11)
        if k <= 3:
            return [pad + self.assign()]
        if k <= 6:
            out = [pad + "if (%s) {" % self.c(2)] + self.block(depth - 1, pad + "    ")
            if r.random() < 0.5:
                out += [pad + "} else {"] + self.block(depth - 1, pad + "    ")
            return out + [pad + "}"]
        if k <= 9:
            return self.loop(depth, pad)
        if k == 10 and self.in_loop:
            return [pad + "if (%s) %s;" % (self.c(2), r.choice(["break", "continue"]))]
        out = [pad + "switch (%s %% 5u) {" % self.u(2)]
        keep, self.in_loop = self.in_loop, 0
        for n in range(r.randint(1, 4)):
            out += [pad + "case %d:" % n] + self.block(depth - 1, pad + "    ")
            if r.random() < 0.7:
                out += [pad + "    break;"]
        self.in_loop = keep
        return out + [pad + "default:", pad + "    " + self.assign(), pad + "}"]

    def make(self):
        self.first = self.block(3, "    ") + self.block(3, "    ") + self.block(3, "    ")
        self.share = "(uint)(%s)" % self.u(2)
        self.shift = self.r.randint(0, 9)
        self.middle = self.block(2, "        ") if self.barrier else []
        self.last = self.block(2, "    ")


INIT = ["    V(i0) = (int)GID; V(i1) = (int)IN[GID & 63]; V(u0) = IN[(GID * 7) & 63]; V(u1) = (uint)LID * "
        "3u;",
        "    V(l0) = (ulong)IN[(GID + 1) & 63] * 77u; V(h0) = (short)V(u0); V(c0) = (uchar)V(i1);",
        "    V(f0) = (float)(V(i1) & 255); V(d0) = 0.25 * (double)(V(u0) & 1023);",
        "    for (int q = 0; q < 8; q++) V(a)[q] = (int)IN[(GID + q) & 63];",
        "    for (int q = 0; q < 16; q++) V(b)[q] = (uchar)(q * 3);",
        "    for (int q = 0; q < 4; q++) { V(g)[q] = (float)q * 0.5f; V(w)[q] = (ulong)q << 33; }"]

FINAL = ["    uint sum = (uint)V(i0) * 3u + (uint)V(i1) * 5u + V(u0) + V(u1) * 7u + (uint)V(h0) + "
         "(uint)V(c0) * 11u;",
         "    sum += (uint)V(l0) ^ (uint)(V(l0) >> 32); sum += F2U(V(f0)) + F2U((float)V(d0)) * 13u;",
         "    for (int q = 0; q < 8; q++) sum = sum * 31u + (uint)V(a)[q];",
         "    for (int q = 0; q < 16; q++) sum = sum * 17u + V(b)[q];",
         "    for (int q = 0; q < 4; q++) sum = sum * 13u + F2U(V(g)[q]) + (uint)(V(w)[q] >> 20);",
         "    OUT[GID] = sum;"]


def declarations(prefix=""):
    out = ["%s%s %s;" % (prefix, t, v) for v, t in list(INTS.items()) + list(FLOATS.items())]
    return out + ["%s%s %s[%d];" % (prefix, t, v, n) for v, (t, n) in ARRAYS.items()]


def opencl(k):
    out = ["kernel void k%d(global const uint *IN, global uint *OUT, local uint *SHARED, int N_ARG, int "
           "ROUNDS)"
           % k.seed, "{", "    uint GID = (uint)get_global_id(0), LID = (uint)get_local_id(0);"]
    if k.retire:
        out.append("    if ((int)GID >= N_ARG) return;")
    out += declarations("    ") + INIT + k.first
    if k.barrier:
        out += ["    for (int round = 0; round < ROUNDS; round++) {",
                "        SHARED[LID] = %s;" % k.share, "        barrier(CLK_LOCAL_MEM_FENCE);",
                "        V(u1) ^= SHARED[(LID + %du) %% (uint)get_local_size(0)];" % k.shift]
        out += k.middle + ["        barrier(CLK_LOCAL_MEM_FENCE);", "    }"]
    return out + k.last + FINAL + ["}", ""]


def plain_c(k):
    name = "k%d" % k.seed
    out = ["struct s_%s {" % name] + declarations("    ") + ["};"]
    args = ("struct s_%s *s, const uint *IN, uint *OUT, uint *SHARED, uint GID, uint LID, uint LS, "
            "int N_ARG" %
            name)
    unused = "    (void)IN; (void)OUT; (void)SHARED; (void)GID; (void)LID; (void)LS; (void)N_ARG; (void)s;"
    for phase, body in (("first", INIT + k.first), ("share", ["    SHARED[LID] = %s;" % k.share]),
                        ("middle", ["    V(u1) ^= SHARED[(LID + %du) %% LS];" % k.shift] + k.middle),
                        ("last", k.last + FINAL)):
        out += ["static void %s_%s(%s)" % (name, phase, args), "{", unused] + body + ["}"]
    call = "(&s[l], IN, OUT, shared, (uint)(g + l), (uint)l, (uint)n, N_ARG)"
    each = "            for (size_t l = 0; l < n; l++) "
    live = "if (!%d || (int)(g + l) < N_ARG) " % k.retire
    out += ["static void %s_run(const uint *IN, uint *OUT, size_t global, size_t local, int N_ARG, int "
            "ROUNDS)" % name,
            "{", "    static struct s_%s s[8192];" % name, "    static uint shared[8192];",
            "    (void)ROUNDS;",
            "    for (size_t g = 0; g < global; g += local) {",
            "        size_t n = g + local < global ? local : global - g;",
            each + live + "%s_first%s;" % (name, call)]
    if k.barrier:
        out += ["        for (int r = 0; r < ROUNDS; r++) {", each + "%s_share%s;" % (name, call),
                each + "%s_middle%s;" % (name, call), "        }"]
    return out + [each + live + "%s_last%s;" % (name, call), "    }", "    (void)%s_share; (void)%s_middle;"
                  % (name, name), "}", ""]


def main():
    form, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    kernels = [Kernel(first + n) for n in range(count)]
    for k in kernels:
        k.make()
    if form == "cl":
        out = ["#pragma OPENCL FP_CONTRACT OFF", "#define V(x) x",
               "#define F2U(x) ((x) > -1.0e9f && (x) < 1.0e9f ? (uint)(int)(x) : 77u)"]
        for k in kernels:
            out += opencl(k)
    else:
        out = ["#include <stddef.h>", "#include <stdint.h>", '#include "random_kernels.h"',
               "typedef unsigned int uint; typedef uint64_t ulong; typedef unsigned char uchar;",
               "typedef unsigned short ushort;", "#define char signed char", "#define V(x) s->x",
               "#define F2U(x) ((x) > -1.0e9f && (x) < 1.0e9f ? (uint)(int)(x) : 77u)"]
        for k in kernels:
            out += plain_c(k)
        out += ["const struct random_kernel random_kernels[] = {"]
        out += ['    {"k%d", %d, k%d_run},' % (k.seed, k.seed, k.seed) for k in kernels]
        out += ["    {0, 0, 0}", "};"]
    sys.stdout.write("\n".join(out) + "\n")


main()
