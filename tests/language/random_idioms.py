#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random idioms: what other hands write, by seed, in the nests of random_combinations.py and among its
shapes.

    random_idioms.py write FIRST COUNT                            their OpenCL C, to standard output
    random_idioms.py run [OPTIONS] FIRST COUNT                    compiles and runs them, see run --help

Counters of eight and sixteen bits that wrap; indices whose lanes lie on both sides of a wrap; pointers that
walk up and down; quotients of local ids; signed and unsigned around 2^31; packed structs, halves and doubles
at any address; bytes side by side; structs and arrays of pointers; tables of structs; state machines;
functions that return from loops; early returns (kernels without barriers then); reductions over shuffles as
CUDA programs have them; branches and loops that are uniform in a sub-group only; loops around barriers that
a shared flag ends; atomics in divergent loops whose results are indices; local arrays of structs and with
padding; two buffers of local memory in turn; functions with barriers. Kernels whose names end in `_alias`
are given the same memory three times. Every work-item writes places of its own.
"""
import random
import sys

import random_combinations
import random_run
from random_combinations import MOST_ITEMS, WORDS, Shapes


class Idioms(Shapes):

    def __init__(self, seed):
        super().__init__(seed)
        self.r = random.Random(seed * 6700417 + 3)
        self.left = self.r.randint(2, 5)
        self.sub_groups = True
        self.early = self.r.random() < .25  # returns, and no barriers
        self.alias = self.r.random() < .25
        self.retired = False

    def own(self):
        """A region of `out` for this shape, or None."""
        if self.region > 7:
            return None
        self.region += 1
        return (self.region - 1) * MOST_ITEMS

    def target(self):
        return self.r.choice(WORDS)

    # ---- anywhere ----

    def narrow(self, depth, uniform):
        """Counters that wrap at 8 or 16 bits, or end by it."""
        r, k, v, w = self.r, self.fresh("k"), self.target(), self.name()
        step = r.choice([1, 1, 3, 5, 7])
        start = r.choice([w, "LID", "ITEM", "n", "%du" % r.randint(0, 255), "250u", "65530u"])
        head = r.choice([
            "for (uchar %s = (uchar)(%s), e%s = (uchar)(%s + %du); %s != e%s; %s += %d)" %
            (k, start, k, k, step * r.randint(1, 9), k, k, k, step),
            "for (ushort %s = (ushort)(%s), e%s = (ushort)(%s + %du); %s != e%s; %s += %d)" %
            (k, start, k, k, step * r.randint(1, 9), k, k, k, step),
            "for (char %s = (char)%d; %s >= 0; %s += %d)" %
            (k, r.randint(90, 120), k, k, r.choice([3, 11, 17])),
            "for (short %s = (short)(32700 + (%s & 31u)); %s > 0; %s += 9)" % (k, w, k, k),
            "for (uchar %s = (uchar)((%s & 3u) + 2u); %s-- > 0;)" % (k, w, k),
            "for (char %s = (char)((%s & 7u) - 4u); %s < 5; %s++)" % (k, w, k, k),
            "for (short %s = -3; %s <= (short)(%s & 3u); ++%s)" % (k, k, w, k),
            "for (uint %s = 0xfffffffcu + (%s & 1u); %s != 3u; %s++)" % (k, w, k, k),
            "for (uint %s = 0x7ffffffeu; (int)%s != (int)0x80000003u; %s++)" % (k, k, k),
            "for (long %s = 0x7ffffffel, e%s = 0x80000000l + (%s & 3u); %s < e%s; %s++)" % (k, k, w, k, k, k),
            "for (int %s = (int)(%s & 7u) - 3; %s < 4; %s += 2)" % (k, w, k, k),
            "for (int %s = (int)(n & 7u); %s >= 0; %s -= %d)" % (k, k, k, r.randint(1, 3)),
            "for (ulong %s = 0xfffffffdul; (%s & 7ul) != 2ul; %s++)" % (k, k, k)])
        use = r.choice(["%s = %s * 3u + (uint)%s;" % (v, v, k), "%s ^= in[(uint)%s & 4095u];" % (v, k),
                        "%s += in[(uint)(%s + %s) & 1023u];" % (v, k, w),
                        "%s += in[(ITEM + (uint)%s) & 4095u];" % (v, k),
                        "%s += in[(uchar)%s] + (%s > 3);" % (v, k, k)])
        out = [head + " {", "    " + use]
        if r.random() < .3:
            out += ["    if ((%s & 15u) == 3u)" % v, "        %s;" % r.choice(["break", "continue"]),
                    "    %s += 5u;" % self.target()]
        return out + ["}"]

    def wrap(self, depth, uniform):
        """Indices along the lanes that wrap, in the middle of a sub-group at times."""
        r, v, k = self.r, self.target(), self.fresh("i")
        base = r.choice(["LID", "ITEM", "(uint)get_global_id(0)", "LX", "LX * 3u", "LID * 2u",
                         "(SIZE - 1u - LID)"])
        shift = r.choice([1, 3, 5, 8, 17, 33, 64, 100])
        return r.choice([
            ["{ uint %s = %s - %du;" % (k, base, shift), "  if (%s < 4096u) %s += in[%s]; }" % (k, v, k)],
            ["{ uint %s = %s + %du;" % (k, base, (1 << 32) - shift),
             "  %s += in[%s & 4095u] + in[min(%s, 4095u)]; }" % (v, k, k)],
            ["%s += in[(uchar)(%s + %du)];" % (v, base, 256 - shift)],
            ["%s += in[(ushort)(%s + %du) & 4095u];" % (v, base, 65536 - shift)],
            ["%s ^= in[(%s + %du) & 255u] + in[(%s + %du) %% 251u];" %
             (v, base, 256 - shift % 256, base, shift)],
            ["{ int %s = (int)(%s) - %d;" % (k, base, shift),
             "  %s += %s < 0 ? %du : in[%s & 4095]; }" % (v, k, shift, k)],
            ["{ long %s = (long)(%s) - %d;" % (k, base, shift),
             "  if (%s >= 0 && %s < 4096) %s += in[%s]; }" % (k, k, v, k)],
            ["{ ulong %s = (ulong)(uint)(%s - %du) + %dul;" % (k, base, shift, shift),
             "  %s += (uint)(%s >> 32) + in[(uint)%s & 4095u]; }" % (v, k, k)],
            ["{ ulong %s = (ulong)(%s) * 0x%xul;" % (k, base,
                                                     r.choice([0x100000001, 0x1fffffff, 0x80000001])),
                                                     "  %s += in[(%s >> 20) & 4095ul] ^ (uint)(%s >> 32); "
                                                     "}" % (v, k, k)],
            ["{ size_t %s = get_global_id(0) * get_global_size(1) + get_global_id(1);" % k,
             "  %s += in[(%s - %dul) & 4095ul]; }" % (v, k, shift)],
            ["{ char %s = (char)(%s + %du);" % (k, base, 128 - shift % 128),
             "  %s += in[%s + 128] - in[(uchar)%s]; }" % (v, k, k)],
            ["%s += in[(int)(short)(%s + %du) + 32768 & 4095];" % (v, base, 32768 - shift)]])

    def walk(self, depth, uniform):
        """Pointers that go up and down."""
        r, p, v = self.r, self.fresh("p"), self.target()
        kind, most = r.choice([("uint", 4096), ("uchar", 16384), ("ushort", 8192), ("int", 4096),
                               ("ulong", 2048)])
        at = r.choice(["ITEM", "LID", self.name(), "LID * 4u", "n", "0u"])
        count = r.choice(["%du" % r.randint(1, 9), "(%s & 7u)" % self.name(), "(n & 7u) + 1u"])
        head = "global const %s *%s = (global const %s *)in + 16u + (%s & %du)" % (kind, p, kind, at,
                                                                                   most // 2 - 1)
        return r.choice([
            ["{ %s, *e = %s + %s;" % (head, p, count),
             "  while (%s < e) %s = %s * 3u + (uint)*%s++; }" % (p, v, v, p)],
            ["{ %s, *e = %s - %s;" % (head, p, count),
             "  while (%s != e) %s = %s * 5u + (uint)*--%s; }" % (p, v, v, p)],
            ["{ %s, *e = %s + 12u;" % (head, p),
             "  do { %s ^= (uint)*%s; %s += %d; } while (%s < e && (*%s & 3u) != 0u); }" %
             (v, p, p, r.randint(1, 3), p, p)],
            ["{ %s, *e = %s + %s;" % (head, p, count),
             "  for (; %s < e; ++%s, --e) %s += (uint)(*%s * e[-1]); }" % (p, p, v, p)],
            ["{ %s; uint left = %s;" % (head, count),
             "  while (left--) { if ((*%s & 1u) != 0u) { %s += 2; continue; } %s += (uint)*%s--; } }" %
             (p, p, v, p)],
            ["{ uint t[9] = {a, b, c, d, 1u, 2u, a, b, 3u}, *%s = t + (%s & 3u), *e = t + 9;" %
             (p, self.name()),
             "  while (%s < e) { *%s += %s; %s += *%s++; } }" % (p, p, v, v, p)],
            ["{ %s; for (uint i = 0u; i < 3u; i++, %s += get_local_size(0)) %s = %s * 7u + (uint)%s[0]; }" %
             (head.replace("%du)" % (most // 2 - 1), "255u)"), p, v, v, p)]
            if kind == "uchar" else ["{ %s; %s += (uint)(%s[0] ^ %s[-3]) + (uint)(%s[5]); }" %
                                     (head, v, p, p, p)]])

    def beside(self, depth, uniform):
        """Elements side by side where each lane is, in any order, with gaps; and bytes written so."""
        r, p, v = self.r, self.fresh("p"), self.target()
        kind, most = r.choice([("uchar", 16384), ("ushort", 8192), ("char", 16384), ("uint", 4096)])
        at = r.choice([self.name(), "%s * 3u" % self.name(), "LID * 5u", "ITEM + (%s & 3u)" % self.name()])
        places = r.sample(range(r.choice([3, 4, 5, 9])), r.randint(2, 3))
        out = ["{ global const %s *%s = (global const %s *)in + (%s) %% %du;" %
               (kind, p, kind, at, most - 16)]
        out += ["  %s = %s * 3u + (uint)%s[%d];" % (v, v, p, k) for k in places]
        region = self.own() if r.random() < .4 else None
        if region is not None:
            out += ["  global uchar *o = (global uchar *)(out + %du + ITEM);" % region]
            written = r.sample(range(4), r.randint(3, 4))
            out += ["  o[%d] = (uchar)(%s >> %d);" % (k, v, 4 * k) for k in written]
            out += ["  %s += o[%d];" % (self.target(), r.randint(0, 3))]
        return out + ["}"]

    def ids(self, depth, uniform):
        """Work-item ids taken apart and put together."""
        r, v = self.r, self.target()
        w = r.choice([2, 3, 4, 5, 7, 8, 10, 16, 17, 32, 33, 60])
        x = r.choice(["LID", "ITEM", "(uint)get_global_id(0)", "(uint)get_local_id(0)",
                      "(int)get_global_id(0)", "(ulong)ITEM", "(ushort)LID"])
        return r.choice([
            ["%s += in[(%s / %d * 64 + %s %% %d) & 4095];" % (v, x, w, x, w)],
            ["%s += in[(%s %% %d * 64 + %s / %d) & 4095];" % (v, x, w, x, w)],
            ["if (%s %% %d == %d) %s += in[(%s / %d) & 4095];" % (x, w, r.randrange(w), v, x, w)],
            ["if (%s / %d %% 2 == 0) %s ^= %s; else %s += in[(%s + %d) & 4095];" %
             (x, w, v, self.name(), v, x, w)],
            ["{ uint w = (n & 31u) + 1u; %s += in[(%s / w) & 4095u] - in[(%s %% w) & 4095u]; }" % (v, x, x)],
            ["%s += (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0)) * 3u + "
             "(uint)get_group_id(1) + (uint)get_global_offset(0);" % v],
            ["%s += in[(get_global_id(1) * 60 + get_global_id(0)) & 4095];" % v],
            ["if (get_local_id(0) == 0 || get_local_id(0) == get_local_size(0) - 1 || get_local_id(1) == 0) "
             "%s = ~%s;" % (v, v)],
            ["{ int x = (int)get_local_id(0) - 1, y = (int)get_local_id(1) - 1;",
             "  if (x >= 0 && y >= 0 && x < (int)get_local_size(0) - 2) %s += in[(y * 64 + x) & 4095]; }" %
             v],
            ["{ uint x = LID & 7u, y = LID >> 3; %s += in[(x << 3 | y) & 4095u] + in[((LID ^ (LID >> 1)) * "
             "4u + 1u) & 4095u]; }" % v]])

    def signs(self, depth, uniform):
        """Signed and unsigned, near 2^31."""
        r, v, x = self.r, self.target(), self.name()
        k = r.choice([0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x7ffffff0, 5, 100])
        return r.choice([
            ["if ((int)%s < (int)%du) %s += 3u; else %s ^= %du;" % (x, k, v, v, k)],
            ["if (%s > %du) %s = (uint)((int)%s >> %d);" % (x, k, v, x, r.randint(1, 31))],
            ["%s += (uint)((long)(int)%s * (int)%du >> 16);" % (v, x, k)],
            ["%s = (uint)(((int)%s | 1) / ((int)(LID & 7u) + 1)) + (uint)((int)(%s >> 1) %% 7);" % (v, x, x)],
            ["%s += in[(uint)((int)(%s & 4095u) - 2048 + 2048)] + (uint)max((int)%s, (int)LID);" % (v, x, x)],
            ["{ int i = (int)(LID - %du); %s += (i < 0 ? (uint)-(long)i : (uint)i) & 0xffffu; }" %
             (r.choice([1, 5, 40]), v)],
            ["%s += (uint)abs_diff((int)%s, (int)%du) + (uint)((short)%s < (ushort)%s);" %
             (v, x, k, x, self.name())],
            ["{ long i = (long)(int)%s + (long)%d; %s ^= (uint)(i >> 5) + (uint)(i < 0); }" % (x, k, v)],
            ["for (int i = (int)(LID & 3u); i < (int)(%s & 7u); i++) %s += in[i] + (uint)(i - 5 < "
             "(int)LID);" % (x, v)]])

    def odd(self, depth, uniform):
        """Elements at odd addresses: packed structs, halves, doubles, vectors."""
        r, v, p = self.r, self.target(), self.fresh("o")
        at = r.choice(["ITEM", "LID", self.name(), "LID * 2u", "n"])
        return r.choice([
            ["{ global const struct odd *%s = (global const struct odd *)in + (%s & 1023u);" % (p, at),
             "  %s += %s->v * 3u + %s->c; %s ^= (uint)%s->s; }" % (v, p, p, v, p)],
            ["for (uint i = 0u; i < %s; i++) %s += ((global const struct odd *)in)[(%s + i) & 1023u].v;" %
             (r.choice(["4u", "(a & 3u)"]), v, at)],
            ["{ double x = ((global const struct odd_wide *)in)[%s & 511u].d; ulong x_ = as_ulong(x); %s += "
             "(uint)x_ ^ (uint)(x_ >> 32); }" % (at, v)],
            ["{ ulong x = ((global const struct odd_wide *)in)[%s & 511u].l; %s += (uint)(x >> 17); }" %
             (at, v)],
            ["{ float x = vload_half(%s & 4095u, (global const half *)in + 1); %s += isnan(x) ? 7u : "
             "as_uint(x); }" % (at, v)],
            ["{ uint3 x = vload3(%s & 1023u, in + %d); %s += x.x ^ x.y * 3u ^ x.z; }" %
             (at, r.randint(0, 3), v)],
            ["{ ushort4 x = vload4(%s & 1023u, (global const ushort *)in + %d); %s += x.x * x.w + x.y - "
             "x.z; }" % (at, r.randint(1, 7), v)],
            ["{ uchar8 x = vload8(%s & 1023u, (global const uchar *)in + %d); %s += x.s0 * x.s7 + (x.s3 ^ "
             "x.s5); }" % (at, r.randint(1, 31), v)],
            ["{ uint4 x = vload4(0, in + (%s & 2047u)); %s += x.x + x.y * 3u + x.z * 5u + x.w * 7u; }" %
             (at, v)]])

    def scatter(self, depth, uniform):
        """Rows of bytes, shorts and words of one's own, written and read again."""
        at = self.own()
        if at is None:
            return self.wrap(depth, uniform)
        r, v = self.r, self.target()
        return r.choice([
            ["{ global uchar *q = (global uchar *)(out + %du + ITEM);" % at,
             "  for (uint i = 0u; i < 4u; i++) q[i] = (uchar)(%s >> (i * 8u));" % v,
             "  %s += q[%s & 3u]; }" % (v, self.name())],
            ["{ global ushort *q = (global ushort *)(out + %du + ITEM);" % at,
             "  q[%s & 1u] = (ushort)%s; }" % (self.name(), v)],
            ["for (char i = 3; i >= 0; i--) ((global uchar *)out)[%du + ITEM * 4u + i] ^= (uchar)(%s + i);" %
             (4 * at, v)],
            ["{ global uint *q = out + %du + ITEM; *q = 5u; for (uint i = 0u; i < (%s & 3u); i++) *q = *q * "
             "3u + %s; %s ^= *q; }" % (at, self.name(), v, v)],
            ["vstore2((ushort2)((ushort)%s, (ushort)ITEM), ITEM, (global ushort *)(out + %du));" % (v, at)],
            ["{ uint old = atomic_xchg(out + %du + ITEM, %s); old = atomic_add(out + %du + ITEM, 3u) + (old "
             "& 0u); %s += old; }" % (at, v, at, v)],
            ["((global struct tiny *)(out + %du + ITEM))->%s = (uchar)%s;" % (at, r.choice("xyz"), v)]])

    def soa(self, depth, uniform):
        """Pointers in structs and arrays, given to a function."""
        r, s, f, v = self.r, self.fresh("s"), self.fresh("soa_%d_" % self.seed), self.target()
        form = r.randint(0, 3)
        if form == 0:
            self.functions += ["static %s uint %s(const struct soa *s, uint k)" %
                               (r.choice(["NOINLINE", "inline"]), f), "{",
                               "    uint sum = 0u;", "    for (uint i = 0u; i < s->count; i++)",
                               "        sum += s->x[(k + i) & 1023u] * s->y[%s] + s->z[(k * 2u + i) & "
                               "1023u];" % r.choice(["i", "(k + i * 3u) & 1023u"]),
                               "    return sum;", "}", ""]
            return ["{ struct soa %s = {in, in + 1024, (global const ushort *)in + (n & 7u), %s};" %
                    (s, self.bound()), "  %s += %s(&%s, %s); }" %
                    (v, f, s, r.choice(["ITEM", "LID", self.name()]))]
        if form == 1:
            return ["{ global const uint *%s[4] = {in, in + 64, in + 1024, in + 33};" % s,
                    "  for (uint i = 0u; i < 4u; i++) %s = %s * 3u + %s[%s][%s & 1023u]; }" %
                    (v, v, s, r.choice(["i", "(i + n) & 3u", "(i + %s) & 3u" % self.name()]),
                     r.choice(["ITEM", "LID + i", self.name()]))]
        if form == 2:
            return ["{ global const uint *%s = (%s) ? in : in + 2048; %s += %s[%s & 2047u]; }" %
                    (s, self.condition(), v, s, r.choice(["ITEM", "LID", self.name()]))]
        return ["{ const uint t[4] = {a, b, c, d}; const uint *%s = (%s) ? t : t + 2; %s ^= %s[%s & 1u]; }" %
                (s, self.condition(), v, s, self.name())]

    def table(self, depth, uniform):
        v, k = self.target(), self.r.choice(["ITEM", "LID", self.name(), "n", "LID / 4u"])
        return self.r.choice([
            ["%s = %s * steps[%s & 7u].mul + steps[%s & 7u].add;" % (v, v, k, k)],
            ["for (uint i = 0u; i < 8u; i++) if (steps[i].low <= (%s & 63u)) %s += steps[i].add; else %s;" %
             (k, v, self.r.choice(["break", "continue"]))],
            ["switch (steps[%s & 7u].op) { case 0: %s += 3u; break; case 1: %s ^= 9u; case 2: %s <<= 1; "
             "break; default: %s = ~%s; }" % (k, v, v, v, v, v)],
            ["%s += primes[%s %% 13u] * (uint)deltas[(%s) & 7u];" % (v, k, self.name())]])

    def machine(self, depth, uniform):
        """A loop around a switch over a state, with every way to go on."""
        r, s, k, v = self.r, self.fresh("state"), self.fresh("k"), self.target()
        out = ["uint %s = %s & 3u, %s = %s;" % (s, self.name(), k,
                                                r.choice(["9u", "(n & 7u) + 3u",
                                                          "(%s & 7u) + 1u" % self.name()])),
               r.choice(["while (%s--) {" % k, "for (;;) {", "do {"])]
        loop = out[-1]
        if loop == "for (;;) {":
            out += ["    if (%s-- == 0u)" % k, "        break;"]
        out += ["    switch (%s) {" % s]
        for case in range(3):
            out += ["    case %du:" % case, "        %s;" % self.assign().rstrip(";"), "        %s = %s;" %
                    (s, r.choice(["%du" % r.randint(0, 4), "(%s + 1u) & 3u" % s, "%s & 3u" % v]))]
            out += r.choice([["        break;"], ["        continue;"] if loop != "do {"
                             else ["        break;"], [],
                             ["        if (%s)" % self.condition(), "            break;"],
                             ["        if ((%s & 7u) == 2u)" % v, "            goto end_%s;" % s]])
        out += ["    default:", "        %s += in[%s & 4095u];" % (v, self.name()), "        %s = 0u;" % s,
                "    }", "    %s = %s * 3u + %s;" % (v, v, s)]
        return ["{"] + out + ["} while (%s-- > 1u);" % k if loop == "do {" else "}", "end_%s:;" % s, "}"]

    def grid(self, depth, uniform):
        r, v, i = self.r, self.target(), self.fresh("i")
        kind = r.choice(["uint", "int", "size_t", "long"])
        most = r.choice(["4096", "n", "1000"])
        step = r.choice(["get_global_size(0)", "(%s)(get_num_groups(0) * get_local_size(0))" % kind, "SIZE",
                         "64"])
        start = r.choice(["get_global_id(0)", "LID", "get_group_id(0) * get_local_size(0) + get_local_id(0)"])
        out = ["for (%s %s = %s, fuel = 40; %s < (%s)%s && fuel > 0; %s += %s, fuel--) {" %
               (kind, i, start, i, kind, most, i, step),
               "    %s = %s * 3u + in[%s & 4095];" % (v, v, i)]
        if r.random() < .4:
            out += ["    if ((in[(%s + 1) & 4095] & 7u) == 3u)" % i,
                    "        %s;" % r.choice(["break", "continue"]), "    %s ^= %s;" % (v, self.name())]
        return out + ["}"]

    def search(self, depth, uniform):
        r, v, x = self.r, self.target(), self.name()
        return r.choice([
            ["{ uint lo = 0u, hi = %s; while (lo < hi) { uint mid = (lo + hi) / 2u; if (mid * %du < (%s & "
             "0xffffu)) lo = mid + 1u; else hi = mid; } %s += lo; }" %
             (r.choice(["1000u", "4096u", "(n & 255u) + 1u"]), r.choice([3, 17, 100]), x, v)],
            ["{ uint at = %s & 4095u, tries = 0u; while ((in[at] & 7u) != (%s & 7u)) { at = (at + 1u) & "
             "4095u; if (++tries > 12u) break; } %s += at * 3u + tries; }" % (x, self.name(), v)],
            ["{ uint x = %s | 1u, y = (%s & 0xffffu) | 1u; while (y != 0u) { uint t = x %% y; x = y; y = t; "
             "} %s += x; }" % (x, self.name(), v)],
            ["{ uint x = (%s & 255u) + 1u, k = 0u; while (x != 1u && k < 30u) { x = (x & 1u) ? 3u * x + 1u "
             ": x / 2u; k++; } %s += k; }" % (x, v)],
            ["{ uint x = %s; while (x) { %s += in[ctz(x) + (LID & 63u)]; x &= x - 1u; if ((%s & 31u) == 9u) "
             "break; } }" % (x + " & 0x11113u", v, v)],
            ["for (uint y = 0u; y < 4u; y++) { for (uint x = 0u; x < 4u; x++) { if (x * y > (%s & 7u)) goto "
             "out_%s; %s += in[y * 64u + x + (LID & 31u)]; } if (%s) continue; %s ^= y; } out_%s:;" %
             ((x, ) + (lambda k: (k, v, self.condition(), v, k))(self.fresh("s")))]])

    def values(self, depth, uniform):
        """Structs by value, functions that return from loops, private arrays of structs."""
        r, f, v = self.r, self.fresh("value_%d_" % self.seed), self.target()
        form = r.randint(0, 2)
        if form == 0:
            self.functions += ["static %s struct pair %s(struct pair p, uint n)" %
                               (r.choice(["NOINLINE", "inline"]), f), "{",
                               "    for (uint i = 0u; i < %s; i++) {" % r.choice(["4u", "(p.y & 7u)", "n"]),
                               "        p.x = p.x * 3u + p.y;",
                               "        if ((p.x & %du) == 1u)" % r.choice([3, 7, 15]),
                               "            return p;", "        p.y ^= p.x >> 7;", "    }", "    p.x++;",
                               "    return p;", "}", ""]
            return ["{ struct pair p = {%s, %s}; p = %s(p, %s); %s += p.x; %s ^= p.y; }" %
                    (self.name(), self.name(), f, self.bound(), v, self.target())]
        if form == 1:
            return ["{ struct pair t[5]; for (uint i = 0u; i < 5u; i++) { t[i].x = in[(%s + i) & 4095u]; "
                    "t[i].y = i; }" % r.choice(["ITEM", self.name()]),
                    "  for (uint i = 0u; i < 4u; i++) for (uint j = 0u; j + 1u < 5u - i; j++) if (t[j].x > "
                    "t[j + 1u].x) { struct pair x = t[j]; t[j] = t[j + 1u]; t[j + 1u] = x; }",
                    "  %s += t[%s %% 5u].y * 3u + t[2].x; }" % (v, self.name())]
        k = r.randint(2, 5)
        return ["{ %s t[3][%d]; for (int y = 0; y < 3; y++) for (int x = 0; x < %d; x++) t[y][x] = in[(y * "
                "64 + x + LID) & 4095];" % (r.choice(["uint", "uchar", "ushort"]), k, k),
                "  for (int y = 1; y < 3; y++) for (int x = %d; x-- > 0;) t[y][x] += t[y - 1][(x + %s) %% "
                "%du];" % (k, self.name(), k), "  %s ^= t[%s %% 3u][%s %% %du]; }" %
                (v, self.name(), self.name(), k)]

    def overlap(self, depth, uniform):
        """p and q are parts of out, q a number of words behind p that the compiler does not know."""
        if not self.alias:
            return self.wrap(depth, uniform)
        at = self.own()
        if at is None:
            return self.walk(depth, uniform)
        r, v, w = self.r, self.target(), self.name()
        p, q = "p[%d + (long)ITEM]" % at, "q[%d + (long)ITEM - gap]" % at
        o = "out[%d + ITEM]" % at
        x, y, z = r.sample([p, q, o], 3)
        return r.choice([
            ["%s = %s; %s += %s; %s ^= %s;" % (x, v, y, w, v, z)],
            ["%s = 1u; for (uint i = 0u; i < %s; i++) { %s = %s * 3u + i; %s += %s; }" %
             (z, self.bound(), x, y, y, w)],
            ["%s = %s; if (%s) %s = %s + 5u; %s += %s;" % (x, v, self.condition(), y, z, v, x)],
            ["{ uint t = %s; %s = %s; %s = t + %s; %s -= %s; }" % (x, y, v, z, x, v, y)]])

    def gone(self, depth, uniform):
        """Some return."""
        if not self.early:
            return self.search(depth, uniform)
        self.retired = True
        return ["if (%s) {" % self.r.choice([self.condition(), "ITEM >= n", "get_global_id(0) >= n",
                                             "(a & 7u) == 3u && b > c"]),
                "    out[ITEM] = %s;" % self.name(), "    return;", "}"]

    # ---- with barriers, or work-items together ----

    def warp(self, depth, uniform):
        """Over shuffles, then over the sub-groups, as CUDA programs do."""
        r, v = self.r, self.target()
        k, x = self.fresh("o"), self.fresh("x")
        step = r.choice([
            "{ uint t = sub_group_shuffle_down(%s, %s); if (get_sub_group_local_id() + %s < "
            "get_sub_group_size()) %s += t; }" % (x, k, k, x),
            "{ uint t = sub_group_shuffle_xor(%s, %s); if ((get_sub_group_local_id() ^ %s) < "
            "get_sub_group_size()) %s = max(%s, t); }" % (x, k, k, x, x),
            "{ uint t = sub_group_shuffle_up(%s, %s); if (get_sub_group_local_id() >= %s) %s += t; }" %
            (x, k, k, x),
            "%s += sub_group_shuffle(%s, (get_sub_group_local_id() + %s) %% get_sub_group_size());" %
            (x, x, k)])
        out = ["uint %s = %s;" % (x, self.word()),
               "for (uint %s = get_max_sub_group_size() / 2u; %s > 0u; %s >>= 1)" % (k, k, k), "    " + step]
        if r.random() < .4:
            return ["{"] + out + ["%s += %s;" % (v, r.choice([x, "sub_group_broadcast(%s, 0u)" % x])), "}"]
        return ["{"] + out + ["if (get_sub_group_local_id() == 0u) shared[get_sub_group_id()] = %s;" % x,
                              "barrier(CLK_LOCAL_MEM_FENCE);", "uint sum_%s = 0u;" % x,
                "%s for (uint i = get_sub_group_local_id(); i < get_num_sub_groups(); i += "
                "get_sub_group_size()) sum_%s += shared[i];" %
                (r.choice(["", "if (get_sub_group_id() == 0u)"]), x),
                "sum_%s = sub_group_reduce_add(sum_%s);" % (x, x), "%s ^= sum_%s;" % (v, x),
                "barrier(CLK_LOCAL_MEM_FENCE);", "}"]

    def one(self, w):
        return self.r.choice(["sub_group_reduce_add(%s)", "sub_group_scan_exclusive_add(%s)",
                              "sub_group_scan_inclusive_max(%s)", "sub_group_broadcast(%s, 0u)",
                              "sub_group_reduce_min(%s)",
                              "(uint)sub_group_any((%s & 7u) == 1u)", "sub_group_ballot((%s & 1u) != 0u).x",
                              "(uint)sub_group_all((%s & 3u) != 0u)"]) % w

    def by_sub_group(self, depth, uniform):
        """Branches and loops that are uniform in each sub-group only."""
        r, v, w, k = self.r, self.target(), self.name(), self.fresh("k")
        condition = r.choice(["(get_sub_group_id() & 1u) == 0u", "get_sub_group_id() == 0u",
                              "sub_group_any(%s)" % self.condition(), "sub_group_all(%s)" % self.condition(),
                              "(sub_group_broadcast(%s, 0u) & 1u) != 0u" % w,
                              "get_sub_group_id() + 1u < get_num_sub_groups()",
                              "(sub_group_reduce_add(%s) & 2u) == 0u" % w])
        count = r.choice(["(sub_group_reduce_max(%s & 3u)) + 1u" % w, "(get_sub_group_id() & 3u) + 1u",
                          "(sub_group_broadcast(%s, 0u) & 3u)" % w])
        return r.choice([
            ["if (%s) {" % condition, "    %s += %s;" % (v, self.one(w)), "    %s" % self.assign(),
             "} else {", "    %s ^= %s;" % (v, r.choice([w, self.one(w)])), "}"],
            ["for (uint %s = 0u, e%s = %s; %s < e%s; %s++) {" % (k, k, count, k, k, k),
             "    %s += %s + %s;" % (v, self.one(self.name()), k), "    if (%s)" % condition,
             "        %s;" % r.choice(["break", "continue"]),
             "    %s ^= %s;" % (w if w in WORDS else v, self.one(v)), "}"],
            ["{ uint fuel = 9u; while (%s && fuel-- > 0u) { %s = %s * 5u + 1u; %s += %s; } }" %
             (condition, v, v, self.target(), self.one(v))]])

    def flagged(self, depth, uniform):
        """Loops around barriers that a shared word ends, and in which some go on early."""
        r, v, g, k = self.r, self.target(), self.fresh("flag"), self.fresh("k")
        self.locals += ["local uint %s;" % g]
        body = ["    if (%s)" % self.condition(), "        %s;" %
                r.choice(["atomic_or(&%s, 1u)" % g, "atomic_max(&%s, 1u)" % g, "atomic_inc(&%s)" % g,
                          "%s = 1u" % g])]
        end = r.choice(["%s == 0u" % g, "%s != 0u" % g])
        late = ["    if (%s)" % self.condition(), "        continue;",
                "    %s ^= %s;" % (v, self.name())] if r.random() < .5 else []
        return ["for (uint %s = 0u; %s < %s; %s++) {" % (k, k, r.choice(["4u", "7u", "(n & 7u) + 1u"]), k),
                "    barrier(CLK_LOCAL_MEM_FENCE);", "    if (LID == 0u)", "        %s = 0u;" % g,
                "    barrier(CLK_LOCAL_MEM_FENCE);"] + body + \
            ["    barrier(CLK_LOCAL_MEM_FENCE);", "    if (%s)" % end, "        break;",
             "    %s = %s * 3u + %s;" % (v, v, k)] + late + ["}", "barrier(CLK_LOCAL_MEM_FENCE);"]

    def slots(self, depth, uniform):
        """Places by atomics in a divergent loop; who has which nobody can tell."""
        r, v, g = self.r, self.target(), self.fresh("top")
        self.locals += ["local uint %s;" % g]
        cond = r.choice(["((%s >> i) & 3u) == 0u" % self.name(), "i < (LID & 3u)", self.condition()])
        read = r.choice(["%s += shared[i] * shared[i];" % v, "%s ^= shared[i] * 3u;" % v,
                         "%s = max(%s, shared[i]);" % (v, v)])
        loop = r.choice(["for (uint i = 0u; i < 2u; i++)", "for (uint i = 0u; i < (LID & 1u) + 1u; i++)"])
        return ["if (LID == 0u) %s = 0u;" % g, "barrier(CLK_LOCAL_MEM_FENCE);", "%s {" % loop,
                "    if (%s) {" % cond, "        uint at = atomic_%s;" %
                r.choice(["inc(&%s)" % g, "add(&%s, 1u)" % g]),
                "        shared[at] = %s + i;" % self.name(), "    }", "}", "barrier(CLK_LOCAL_MEM_FENCE);",
                "for (uint i = 0u; i < min(%s, 200u * (uint)(%s <= 200u)); i++)" % (g, g), "    " + read,
                "%s += %s;" % (self.target(), g),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def cells(self, depth, uniform):
        """Local arrays of structs."""
        r, v, c = self.r, self.target(), self.fresh("cells")
        kind, init, read = r.choice([("struct pair", "(struct pair){%s, i}", "%s.x * 3u + %s.y"),
                                     ("struct odd", "(struct odd){(uchar)i, %s, (short)i}", "%s.v + %s.s"),
                                     ("struct tiny", "(struct tiny){(uchar)i, (uchar)%s, 3}",
                                      "(uint)%s.y * %s.x"), ("uint3", "(uint3)(i, %s, 3u)", "%s.x + %s.y")])
        count = r.choice([7, 32, 96, 200])
        self.locals += ["local %s %s[%d];" % (kind, c, count)]
        at = r.choice(["(LID + %du) %% %du" % (r.randint(0, 99), count), "%s %% %du" % (self.name(), count),
                       "LID %% %du" % count])
        read = read % (("%s[%s]" % (c, at), ) * 2)
        out = ["for (uint i = LID; i < %du; i += SIZE) %s[i] = %s;" %
               (count, c, init % r.choice(["in[i]", "in[i * 3u & 4095u]", "n + i"])),
               "barrier(CLK_LOCAL_MEM_FENCE);"]
        if kind == "struct pair" and r.random() < .5:
            out += ["atomic_add(&%s[%s].x, %s);" % (c, at, self.name()), "barrier(CLK_LOCAL_MEM_FENCE);"]
        return out + ["%s += %s;" % (v, read), "barrier(CLK_LOCAL_MEM_FENCE);"]

    def together(self, depth, uniform):
        """Collective operations in loops of uniform trip counts."""
        r, v, w, k = self.r, self.target(), self.name(), self.fresh("k")
        op = r.choice(["work_group_reduce_add(%s)", "work_group_scan_inclusive_max(%s)",
                       "work_group_scan_exclusive_add(%s)", "work_group_broadcast(%s, 0)",
                       "work_group_reduce_min(%s)",
                       "(uint)work_group_any(%s == 3u)"])
        if "broadcast" in op:
            op = "(uint)work_group_all((%s & 1u) == 0u)"
        end = r.choice(["4u", "(n & 3u) + 1u", "work_group_reduce_max(%s & 3u) + 1u" % w])
        leave = r.choice([[], ["    if (work_group_any((%s & 63u) == 5u))" % v, "        break;"],
                          ["    if (((n + %s) & 1u) != 0u)" % k, "        continue;"]])
        return ["for (uint %s = 0u, e%s = %s; %s < e%s; %s++) {" % (k, k, end, k, k, k),
                "    %s = %s * 3u + %s;" % (v, v, op % self.name())] + leave + ["    %s ^= %s;" %
                                                                                (self.target(), op % v), "}"]

    def turns(self, depth, uniform):
        """Two buffers of local memory, one read, one written."""
        v = self.target()
        step = self.r.choice(["LID >= s ? from[LID] + from[LID - s] : from[LID]",
                              "from[LID] * 3u + from[(LID + s) % SIZE]",
                              "max(from[LID], from[SIZE - 1u - LID]) + s"])
        swap = self.r.choice(["{ local uint *t = from; from = to; to = t; }",
                              "{ uint t = 0u; local uint *u = to; to = from; from = u + t; }"])
        return ["{ local uint *from = shared, *to = shared + SIZE;", "from[LID] = %s;" % self.word(),
                "barrier(CLK_LOCAL_MEM_FENCE);",
                "for (uint s = 1u; s < %s; s <<= 1) {" % self.r.choice(["SIZE", "min(SIZE, 16u)", "8u"]),
                "    to[LID] = %s;" % step, "    barrier(CLK_LOCAL_MEM_FENCE);", "    " + swap, "}",
                "%s += from[%s];" % (v, self.r.choice(["LID", "0u", "SIZE - 1u - LID"])),
                "barrier(CLK_LOCAL_MEM_FENCE); }"]

    def padded(self, depth, uniform):
        r, v, t = self.r, self.target(), self.fresh("t")
        w, pad = r.choice([(16, 1), (16, 0), (8, 1), (32, 1), (5, 2)])
        kind = r.choice(["uint", "ushort", "uchar", "ulong"])
        self.locals += ["local %s %s[%d][%d];" % (kind, t, w, w + pad)]
        read = r.choice(["[LID %% %du][(LID / %du) %% %du]" % (w, w, w), "[LX %% %du][LY %% %du]" % (w, w),
                         "[LY %% %du][LX %% %du]" % (w, w), "[%s %% %du][LID %% %du]" % (self.name(), w, w)])
        return ["for (uint i = LID; i < %du; i += SIZE) %s[i / %du][i %% %du] = (%s)in[i * %du & 4095u];" %
                (w * w, t, w, w, kind, r.choice([1, 3, 64])), "barrier(CLK_LOCAL_MEM_FENCE);",
                "%s += (uint)%s%s;" % (v, t, read), "barrier(CLK_LOCAL_MEM_FENCE);"]

    def synced(self, depth, uniform):
        """A function with barriers, called in a loop."""
        r, f, v, k = self.r, self.fresh("sync_%d_" % self.seed), self.target(), self.fresh("k")
        self.functions += ["static %s uint %s(local uint *s, uint x, uint n)" %
                           (r.choice(["NOINLINE", "inline"]), f), "{", "    s[LID] = x;",
                           "    barrier(CLK_LOCAL_MEM_FENCE);", "    uint y = s[%s];" %
                           r.choice(["(LID + 1u) % SIZE", "SIZE - 1u - LID",
                                     "0"])] + r.choice([[],
                                                        ["    if ((n & 1u) != 0u) {",
                                                         "        barrier(CLK_LOCAL_MEM_FENCE);",
                                                         "        return y * 3u;", "    }"]]) + \
            ["    if ((y & 3u) == 1u)", "        y = x;", "    barrier(CLK_LOCAL_MEM_FENCE);",
             "    return y ^ x;", "}", ""]
        return ["for (uint %s = 0u; %s < %s; %s++)" % (k, k, self.bound(), k),
                "    %s += %s(shared, %s, %s);" % (v, f, self.name(), r.choice(["n", k]))]

    NEW = [narrow, narrow, wrap, wrap, walk, walk, beside, ids, signs, odd, scatter, soa, table, machine,
           grid, search, values, overlap, gone]
    ANYWHERE = NEW * 2 + Shapes.ANYWHERE
    UNIFORM = [warp, warp, by_sub_group, by_sub_group, flagged, flagged, slots, cells, together, turns,
               padded, synced] + [Shapes.tile, Shapes.counter, Shapes.ranked, Shapes.stream]

    def text(self):
        body = []
        if self.early:
            body += [self.r.choice(["if (ITEM >= n) return;", "if (get_global_id(0) >= n) return;",
                                    "if ((in[ITEM & 4095u] & 15u) == 1u) return;", ""])]
        if self.alias:
            body += ["const long gap = q - p;"]
        while self.left > 0:
            body += self.block(3, not self.early)
        more = ", global uint *p, global uint *q" if self.alias else ""
        head = ["kernel void idiom_%d_people%s(global uint *out, global const uint *in, uint n, local uint "
                "*shared%s)" % (self.seed, "_alias" if self.alias else "", more), "{"]
        head += ["    " + line for line in self.locals]
        head += ["    uint a = in[ITEM & 4095u], b = a >> 5, c = ITEM, d = LID * 3u;",
                 "    float f = (float)(a & 31u);"]
        tail = ["    out[ITEM] = a + 3u * b + 5u * c + 7u * d + 11u * as_uint(f);", "}", ""]
        return self.functions + head + ["    " + line for line in body if line] + tail


PROLOGUE = random_combinations.PROLOGUE + """
struct __attribute__((packed)) odd { uchar c; uint v; short s; };
struct __attribute__((packed)) odd_wide { uchar c; double d; ulong l; ushort s; };
struct tiny { uchar x, y, z; };
struct pair { uint x, y; };
struct soa { global const uint *x, *y; global const ushort *z; uint count; };
constant struct { uint mul, add; ushort low; char op; } steps[8] = {
    {3, 1, 0, 0}, {5, 7, 4, 1}, {9, 2, 9, 2}, {1, 1, 16, 3},
    {7, 0, 25, 1}, {11, 5, 36, 0}, {2, 8, 49, 7}, {13, 3, 64, 2}};
constant uint primes[13] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};
constant char deltas[8] = {-1, 0, 1, -128, 127, 5, -7, 64};
"""


def write(first, count):
    out = [PROLOGUE]
    for seed in range(first, first + count):
        out += Idioms(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
