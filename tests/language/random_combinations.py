#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random combinations: kernels of two to five of the shapes that optimisations recognise, in nests, by seed.

    random_combinations.py write FIRST COUNT                      their OpenCL C, to standard output
    random_combinations.py run [OPTIONS] FIRST COUNT              compiles and runs them, see run --help

The kernels are tests of tests/language, over the ranges of its set `people`: local sizes as programs have
them.

A shape is a method of Shapes. Those of UNIFORM have barriers and stand where all work-items of a work-group
come by; those of ANYWHERE do not. A shape with a body takes others in. Every item writes places of its own;
local memory is written between barriers, and whoever reads it reads what those barriers order. What atomics
return is only used in ways that do not tell who came first.
"""
import random
import sys

import random_run

WORDS = ("a", "b", "c", "d")
MOST_ITEMS = 8192  # of a range of the set; `out` has eight words for each


class Shapes:

    def __init__(self, seed):
        self.r = random.Random(seed * 7919 + 11)
        self.seed = seed
        self.left = self.r.randint(2, 5)  # shapes to come
        self.locals, self.functions = [], []
        self.count = 0
        self.region = 1  # of `out`: the first is for what is left at the end
        self.counters = []
        self.sub_groups = self.r.random() < .4

    # ---- words ----

    def fresh(self, stem):
        self.count += 1
        return "%s%d" % (stem, self.count)

    def name(self):
        if self.counters and self.r.random() < .25:
            return self.r.choice(self.counters)
        return self.r.choice(WORDS)

    def word(self):
        r, v, w = self.r, self.name(), self.name()
        k = r.randint(1, 9)
        return r.choice([
            "%s * %du + %s" % (v, 2 * k + 1, w), "(%s ^ (%s >> %d))" % (v, w, k), "%s + %du" % (v, k),
            "(%s & %s) + %du" % (v, w, k), "%s - %s" % (v, w), "(%s > %s ? %s : %du)" % (v, w, v, k),
            "(%s << %d | %s)" % (v, k, w), "in[(%s + %s) & 4095u]" % (v, w), "in[(ITEM + %s) & 4095u]" % v,
            "rotate(%s, %du)" % (v, k), "mul_hi(%s, %s)" % (v, w), "(uint)(uchar)%s" % v,
            "as_uint(f) + %s" % v,
            "(uint)(int)f + %s" % w, "(%s %% %du)" % (v, 2 * k + 1), "popcount(%s)" % v, "%s * n" % v,
            "(uint)((ulong)%s * %s >> 32)" % (v, w)])

    def condition(self):
        r, v, w = self.r, self.name(), self.name()
        k = r.randint(0, 5)
        return r.choice([
            "(%s & %du) != 0u" % (v, 1 << k), "(%s & 3u) == (%s & 3u)" % (v, w), "%s > %s" % (v, w),
            "LID < %du" % (9 * k + 1),
            "ITEM %% %du == 0u" % (k + 2), "f < %d.0f" % (4 * k), "(LID & %du) == 0u" % (1 << k),
            "(LID ^ %s) & %du" % (v, k + 1)])

    def uniform(self):
        k = self.r.randint(1, 3)
        return self.r.choice(["((n + %du) & %du) != 0u" % (k, k), "(GROUP & %du) == 0u" % k,
                              "SIZE > %du" % (60 * k),
                              "get_num_groups(0) > %du" % k])

    def bound(self):
        return self.r.choice(["2u", "3u", "4u", "8u", "16u", "(n & 3u) + 1u", "(n & 7u)"])

    def assign(self):
        r = self.r
        return r.choice(["%s = %s;" % (r.choice(WORDS), self.word()),
                         "%s %s= %s;" % (r.choice(WORDS), r.choice("+^-"), self.word()),
                         "f = f * 0.5f + (float)(%s & 63u);" % self.name()])

    # ---- nests ----

    def block(self, depth, uniform):
        out = []
        for _ in range(self.r.randint(1, 2)):
            out += self.statement(depth, uniform)
        return ["    " + line for line in out]

    def statement(self, depth, uniform):
        r = self.r
        if self.left <= 0 or r.random() < .2:
            return [self.assign()]
        self.left -= 1
        kinds = self.ANYWHERE + (self.NESTS if depth else [])
        if uniform:
            nests = self.UNIFORM_NESTS + ([Shapes.alike] * 3 if self.seed > 30 else [])
            kinds = kinds + self.UNIFORM * 2 + (nests * 3 if depth else [])
        shape = r.choice(kinds)
        if shape in (Shapes.vote, ) and not self.sub_groups:
            shape = Shapes.rows
        return shape(self, depth, uniform) + ([self.assign()] if r.random() < .4 else [])

    def uniform_loop(self, depth, uniform):
        k = self.fresh("k")
        self.counters.append(k)
        out = ["for (uint %s = 0u; %s < %s; %s++) {" % (k, k, self.bound(),
                                                        k)] + self.block(depth - 1, uniform) + ["}"]
        self.counters.pop()
        return out

    def uniform_branch(self, depth, uniform):
        out = ["if (%s) {" % self.uniform()] + self.block(depth - 1, uniform)
        if self.r.random() < .4:
            out += ["} else {"] + self.block(depth - 1, uniform)
        return out + ["}"]

    def alike(self, depth, uniform):
        """A condition that varies for all that a compiler can tell, and has one answer. Nobody is in a loop
        that would not end."""
        r, k = self.r, self.fresh("k")
        never = r.random() < .4
        least = "1000u" if never else r.choice(["(n & 1u) * 1000u", "0u", "(GROUP & 1u) * 1000u"])
        body = self.block(depth - 1, uniform)
        if never and r.random() < .7:
            head = r.choice(["for (uint %s = n & 1u; %s != 8u; %s += n >> 31) {" % (k, k, k),
                             "for (uint %s = in[LID ? n & 7u : 3u]; %s < 9u; %s = in[%s]) {" % (k, k, k, k),
                             "for (uint %s = 0u; %s < 2u || n < 1u << 30; %s++) {" % (k, k, k)])
            body = [head] + body + ["}"]
        out = ["if (in[(%s & 127u) * 5u] >= %s) {" % (self.name(), least)] + body
        if r.random() < .4:
            out += ["} else {"] + self.block(depth - 1, uniform)
        return out + ["}"]

    def branch(self, depth, uniform):
        out = ["if (%s) {" % self.condition()] + self.block(depth - 1, False)
        if self.r.random() < .4:
            out += ["} else {"] + self.block(depth - 1, False)
        return out + ["}"]

    def divergent_loop(self, depth, uniform):
        r, k = self.r, self.fresh("k")
        self.counters.append(k)
        head = "for (uint %s = 0u; %s < (%s & 7u) + 1u; %s++) {" % (k, k, self.name().replace(k, "a"), k)
        if r.random() < .5:
            head = "for (uint %s = 0u, most = (LID & 3u) + 2u; %s < most; %s++) {" % (k, k, k)
        out = [head] + self.block(depth - 1, False)
        if r.random() < .7:
            out += ["    if (%s)" % self.condition(),
                    "        %s;" % r.choice(["break", "continue"])] + self.block(0, False)
        self.counters.pop()
        return out + ["}"]

    def goto_loop(self, depth, uniform):
        """Counted by labels; at times with a second way back into its head."""
        r, k = self.r, self.fresh("g")
        self.counters.append(k)
        body = self.block(depth - 1, False)
        self.counters.pop()
        bound = r.choice(["8u", "(n & 3u) + 2u", "(LID & 3u) + 1u"])
        out = ["{ uint %s = 0u; uint fuel = %du;" % (k, r.choice([1, 3, 9])), "head_%s:" % k,
               "if (%s < %s) {" % (k, bound)] + body
        if r.random() < .4:
            out += ["    if (%s) goto done_%s;" % (self.condition(), k)]
        out += ["    %s++;" % k, "    goto head_%s;" % k, "}"]
        if r.random() < .5:
            out += ["if (fuel != 0u && %s) { fuel--; %s -= %s != 0u; goto head_%s; }" %
                    (self.condition(), k, k, k)]
        return out + ["done_%s:; }" % k]

    def switch(self, depth, uniform):
        r = self.r
        count = r.choice([3, 4, 6])
        out = ["switch (SPREAD(%s %% %du)) {" % (self.name(), count + 1)]
        for case in range(count):
            out += ["case SPREAD(%du): {" %
                    case] + self.block(depth - 1, False) + ["}"] + (["    break;"] if r.random() < .4 else [])
        return out + ["}"]

    def private(self, depth, uniform):
        """An array in a counted loop, other shapes within."""
        r, t, k = self.r, self.fresh("t"), self.fresh("k")
        count = r.choice([4, 8, 16, 3])
        at = lambda: r.choice([k, "(%s + 1u) %% %du" % (k, count), "%s %% %du" % (self.name(), count),
                               str(r.randrange(count))])
        kind = r.choice(["uint", "uint", "uchar", "float", "ulong"])
        value = "(float)(%s & 255u)" if kind == "float" else "(" + kind + ")(%s)"
        out = ["%s %s[%d];" % (kind, t, count),
               "for (uint i = 0u; i < %du; i++) %s[i] = %s;" % (count, t, value % (self.name() + " + i"))]
        self.counters.append(k)
        out += ["for (uint %s = 0u; %s < %s; %s++) {" %
                (k, k, r.choice(["%du" % count, "%du" % count, "%du + (n & 3u) * 0u" % count]), k)]
        body = ["%s[%s] = %s;" % (t, at(), value % self.word()),
                "%s += (uint)%s[%s];" % (r.choice(WORDS), t, at()),
                "%s[%s] += (%s)3;" % (t, at(), kind)]
        r.shuffle(body)
        out += ["    " + line for line in body] + (self.block(depth - 1, uniform) if depth else []) + ["}"]
        self.counters.pop()
        return out + ["%s ^= (uint)%s[%s %% %du];" % (r.choice(WORDS), t, self.name(), count)]

    # ---- without barriers ----

    def rows(self, depth, uniform):
        """Each lane reads, at times writes, a row of its own, element by element."""
        r, p, k = self.r, self.fresh("p"), self.fresh("k")
        kind, most = r.choice([("uint", 4096), ("uchar", 16384), ("ushort", 8192), ("ulong", 2048)])
        width = r.choice([3, 4, 8, 16, 17])
        out = ["global const %s *%s = (global const %s *)in + (%s %% %du) * %du;" %
               (kind, p, kind, r.choice(["ITEM", "LID", "ITEM", self.name()]), most // width, width)]
        v = r.choice(WORDS)
        out += ["for (uint %s = 0u; %s < %s; %s++) {" %
                (k, k, r.choice(["%du" % width, "%du" % width, "%du" % (width - 1)]), k),
                "    %s = %s * 5u + (uint)%s[%s];" % (v, v, p, k)]
        if r.random() < .3:
            out += ["    if ((%s & 31u) == 7u)" % v, "        break;"]
        out += ["}"]
        if r.random() < .3 and self.region < 7:
            out += ["for (uint i = 0u; i < 2u; i++)",
                    "    out[%du + ITEM * 2u + i] = %s + i;" % (self.region * MOST_ITEMS, v)]
            self.region += 2
        return out

    def records(self, depth, uniform):
        r, p, k = self.r, self.fresh("p"), self.fresh("k")
        count = r.choice(["4u", "(n & 7u) + 1u", "16u"])
        return r.choice([
            ["for (uint %s = 0u; %s < %s; %s++) {" % (k, k, count, k),
             "    struct record %s = ((global const struct record *)in)[%s & 1023u];" %
             (p, r.choice([k, "ITEM + %s" % k, "ITEM * %s" % k])),
             "    a += %s.x ^ %s.y; f = fmax(f, (float)(%s.z & 1023u)); b += %s.w.y;" % (p, p, p, p), "}"],
            ["for (uint %s = 0u; %s < %s; %s++) {" % (k, k, count, k),
             "    float4 %s = convert_float4(((global const uint4 *)in)[%s & 1023u] & 255u);" %
             (p, r.choice([k, "ITEM + %s" % k])),
             "    f += %s.x * %s.y; f -= %s.z; c ^= as_uint(%s.w);" % (p, p, p, p),
             "    f = f - 65536.0f * floor(f * (1.0f / 65536.0f));", "}"],
            ["uint4 %s = ((global const uint4 *)in)[(%s) & 1023u];" % (p, self.word()),
             "a += %s.x; b ^= %s.y; c += %s.z; d -= %s.w;" % (p, p, p, p)]])

    def bounded(self, depth, uniform):
        r = self.r
        x, v = self.name(), r.choice(WORDS)
        k = r.randint(1, 40)
        return r.choice([
            ["%s += in[clamp((int)(%s & 8191u) - %d, 0, 4095)];" % (v, x, k)],
            ["%s ^= in[min(%s, %du)];" % (v, x, r.choice([4095, 63, 7]))],
            ["%s += in[max((int)LID - %d, 0)] - in[min(LID + %du, 4000u)];" % (v, k, k)],
            ["if (ITEM >= %du && ITEM < 4000u) %s += in[ITEM - %du] + in[ITEM + %du];" % (k, v, k, k)],
            ["{ int x = (int)get_global_id(0) % 60, y = (int)get_global_id(1) % 60;",
             "  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)",
             "      %s += in[clamp(y + i, 0, 59) * 64 + clamp(x + j, 0, 59)]; }" % v]])

    def bytes(self, depth, uniform):
        r, p = self.r, self.fresh("q")
        v, w = r.choice(WORDS), self.name()
        return r.choice([
            ["uchar4 %s = as_uchar4(%s);" % (p, w), "%s.x += 3; %s.yz = max(%s.zy, %s.xw);" % (p, p, p, p),
             "%s = as_uint(%s);" % (v, p)],
            ["uchar4 %s = ((global const uchar4 *)in)[%s & 4095u];" % (p, w),
             "%s += %s.x * 77u + %s.y * 150u + %s.z * 29u + %s.w;" % (v, p, p, p, p)],
            ["uint4 %s = (uint4)(%s, %s >> 8, %s >> 16, %s >> 24) & 255u;" % (p, w, w, w, w),
             "%s = %s.x | %s.y << 8 | min(%s.z, 200u) << 16 | %s.w << 24;" % (v, p, p, p, p)],
            ["ushort8 %s = ((global const ushort8 *)in)[%s & 1023u] >> (ushort)3;" % (p, w),
             "%s += %s.s0 + %s.s7 * %s.s3;" % (v, p, p, p)]])

    def network(self, depth, uniform):
        r, m = self.r, self.fresh("m")
        count = r.choice([3, 4, 5, 8, 9])
        kind = r.choice(["uint", "int", "uchar", "ushort"])
        out = ["%s %s[%d];" % (kind, m, count),
               "for (uint i = 0u; i < %du; i++) %s[i] = (%s)in[(%s + i * %du) & 4095u];" %
               (count, m, kind, r.choice(["ITEM", "LID", self.name()]), r.choice([1, 3, 64]))]
        if r.random() < .5:
            out += ["for (uint i = 0u; i < %du; i++) for (uint j = i + 1u; j < %du; j++) SORT(%s, %s[i], "
                    "%s[j])" % (count, count, kind, m, m)]
        else:
            for _ in range(2 * count):
                x, y = r.sample(range(count), 2)
                out += ["SORT(%s, %s[%d], %s[%d])" % (kind, m, x, m, y)]
        return out + ["%s += (uint)%s[%d];" % (r.choice(WORDS), m, r.randrange(count))]

    def call(self, depth, uniform):
        """A function with a loop, given a pointer to private or global memory."""
        r, f, t = self.r, self.fresh("call_%d_" % self.seed), self.fresh("t")
        inline = r.choice(["NOINLINE", "NOINLINE", "inline"])
        self.functions += [
            "static %s uint %s(uint x, %s *p, uint n)" % (inline, f, r.choice(["private uint", "uint"])), "{",
            "    for (uint k = 0u; k < %s; k++) {" % r.choice(["4u", "(x & 3u) + 1u", "(n & 3u) + 1u"]),
            "        x = x * %du + p[(x + k) & 3u];" % r.choice([3, 5, 9]), "        p[k & 3u] ^= x >> 3;"]
        if r.random() < .4:
            self.functions += ["        if ((x & 15u) == 3u)", "            return x + p[1];"]
        self.functions += ["    }", "    return x ^ p[x & 3u];", "}", ""]
        return ["uint %s[4] = {a, b, c, d};" % t, "%s = %s(%s, %s, n);" %
                (r.choice(WORDS), f, self.name(), t), "b += %s[%s & 3u];" % (t, self.name())]

    def store(self, depth, uniform):
        """Every other work-item's word, a row, or a vector at once; in a loop the last one stays."""
        if self.region > 7:
            return [self.assign()]
        at, self.region = self.region * MOST_ITEMS, self.region + 1
        r, v = self.r, self.r.choice(WORDS)
        return r.choice([
            ["if (%s) out[%du + ITEM] = %s;" % (self.condition(), at, v)],
            ["out[%du + ITEM] += %s;" % (at, v)],
            ["((global uchar *)out)[%du + ITEM] = (uchar)%s;" % (4 * at, v)],
            ["((global ushort2 *)out)[%du + ITEM] = (ushort2)((ushort)%s, (ushort)(%s >> 7));" % (at, v, v)],
            ["{ volatile global uint *v = out + %du + ITEM; *v = %s; %s += *v; *v ^= %s; }" %
             (at, v, v, self.name())]])

    def vote(self, depth, uniform):
        """Sub-group operations under a guard."""
        v, w = self.r.choice(WORDS), self.name()
        one = self.r.choice([
            "sub_group_non_uniform_reduce_add(%s)", "sub_group_non_uniform_scan_inclusive_max(%s)",
            "sub_group_non_uniform_scan_exclusive_add(%s)", "sub_group_ballot((%s & 1u) != 0u).x",
            "sub_group_broadcast_first(%s)", "(uint)sub_group_non_uniform_any((%s & 7u) == 0u)"]) % w
        if not uniform:
            return [self.assign()]
        if self.r.random() < .5:
            return ["JOIN();", "%s ^= %s;" % (v, one)]
        return ["JOIN();", "if (%s) {" % self.condition(), "    JOIN();", "    %s ^= %s;" % (v, one), "}",
                "JOIN();"]

    # ---- with barriers ----

    def counter(self, depth, uniform):
        """Local atomics on one word."""
        r, v = self.r, self.fresh("v")
        self.locals += ["local uint %s;" % v]
        kind = r.randint(0, 5)
        op = ["atomic_inc(&%s);" % v, "atomic_add(&%s, %s);" % (v, self.word()),
              "atomic_max(&%s, %s);" % (v, self.word()),
              "atomic_xor(&%s, %s);" % (v, self.word()), "atomic_sub(&%s, %s);" % (v, self.word()),
              "atomic_min(&%s, %s);" % (v, self.word())][kind]
        if r.random() < .4:
            op = "if (%s) %s" % (self.condition(), op)
        if r.random() < .3:
            op = "for (uint i = 0u; i < %s; i++) { %s }" % (r.choice(["4u", "(a & 3u)", "(n & 3u) + 1u"]), op)
        if r.random() < .3 and kind == 0:  # every old value is there once: a sum does not tell whose it was
            self.locals += ["local uint %s_sum;" % v]
            return ["if (LID == 0u) { %s = 0u; %s_sum = 0u; }" % (v, v), "barrier(CLK_LOCAL_MEM_FENCE);",
                    "{ uint old = atomic_inc(&%s); atomic_add(&%s_sum, old * old); }" % (v, v),
                    "barrier(CLK_LOCAL_MEM_FENCE);",
                    "%s += %s_sum + %s;" % (r.choice(WORDS), v, v), "barrier(CLK_LOCAL_MEM_FENCE);"]
        return ["if (LID == %s) %s = 5u;" % (r.choice(["0u", "0u", "SIZE - 1u"]), v),
                "barrier(CLK_LOCAL_MEM_FENCE);", op,
                "barrier(CLK_LOCAL_MEM_FENCE);", "%s += %s;" % (r.choice(WORDS), v),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def histogram(self, depth, uniform):
        r, h = self.r, self.fresh("h")
        bins = r.choice([16, 64, 256])
        self.locals += ["local uint %s[%d];" % (h, bins)]
        return ["for (uint i = LID; i < %du; i += SIZE) %s[i] = 0u;" % (bins, h),
                "barrier(CLK_LOCAL_MEM_FENCE);",
                "for (uint i = 0u; i < %s; i++) atomic_add(&%s[(%s >> i) & %du], %s);" %
                (self.bound(), h, self.name(), bins - 1, r.choice(["1u", "i + 1u", self.name()])),
                "barrier(CLK_LOCAL_MEM_FENCE);", "%s += %s[(LID + %du) & %du];" %
                (r.choice(WORDS), h, r.randint(0, 9), bins - 1),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def tile(self, depth, uniform):
        """What others loaded: copies between sub-groups, transposes, neighbours."""
        r, v = self.r, self.r.choice(WORDS)
        read = r.choice(["(LID + %du) %% SIZE" % r.randint(1, 300), "SIZE - 1u - LID",
                         "(LID * %du) %% SIZE" % r.choice([3, 5, 16, 17]),
                         "min(LID + 1u, SIZE - 1u)",
                         "(LID & ~15u) + ((LID * 7u) & 15u) < SIZE ? (LID & ~15u) + ((LID * 7u) & 15u) : LID",
                         "%s %% SIZE" % self.name(), "LID ^ %du" % (1 << r.randint(0, 5)),
                         "LX * LY_SIZE + LY"])
        if "^" in read:
            read = "(%s) < SIZE ? (%s) : LID" % (read, read)
        out = ["shared[LID] = %s;" % self.word(), "barrier(CLK_LOCAL_MEM_FENCE);"]
        if r.random() < .4:
            k = self.fresh("k")
            out += ["for (uint %s = 0u; %s < %s; %s++) %s = %s * 3u + shared[(%s + %s) %% SIZE];" %
                    (k, k, r.choice(["4u", "16u", "min(SIZE, 32u)"]), k, v, v,
                     r.choice(["LID", "0u", "LID & ~3u"]), k)]
        elif r.random() < .4:
            out += ["if (%s) %s += shared[%s];" % (self.condition(), v, read)]
        else:
            out += ["%s += shared[%s];" % (v, read)]
        return out + ["barrier(CLK_LOCAL_MEM_FENCE);"]

    def tree(self, depth, uniform):
        v = self.r.choice(WORDS)
        op = self.r.choice(["shared[LID] += shared[LID + s];",
                            "shared[LID] = max(shared[LID], shared[LID + s]);",
                            "shared[LID] ^= shared[LID + s] * 3u;"])
        return ["shared[LID] = %s;" % self.word(), "barrier(CLK_LOCAL_MEM_FENCE);",
                "for (uint s = POWER(SIZE) >> 1; s > 0u; s >>= 1) {",
                "    if (LID < s && LID + s < SIZE)", "        " + op, "    barrier(CLK_LOCAL_MEM_FENCE);",
                "}", "%s += shared[0];" % v,
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def prefix(self, depth, uniform):
        v = self.r.choice(WORDS)
        return ["shared[LID] = %s & 255u;" % self.name(), "barrier(CLK_LOCAL_MEM_FENCE);",
                "for (uint s = 1u; s < SIZE; s <<= 1) {",
                "    uint t = LID >= s ? shared[LID - s] : 0u;", "    barrier(CLK_LOCAL_MEM_FENCE);",
                "    shared[LID] += t;",
                "    barrier(CLK_LOCAL_MEM_FENCE);", "}",
                "%s += shared[%s];" % (v, self.r.choice(["LID", "SIZE - 1u", "LID / 2u"])),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def ranked(self, depth, uniform):
        """Who has something writes it behind those before: out[base + rank]."""
        r = self.r
        if self.region > 7:
            return self.tile(depth, uniform)
        at, self.region = self.region * MOST_ITEMS, self.region + 1
        c, base = self.condition(), self.fresh("r")
        form = r.randint(0, 2)
        if form == 0:
            return ["{ uint keep = (%s) ? 1u : 0u;" % c, "  uint rank = work_group_scan_exclusive_add(keep);",
                    "  if (keep != 0u) out[%du + FIRST + rank] = %s; }" % (at, self.name())]
        if form == 1:
            self.locals += ["local uint %s;" % base]
            return ["if (LID == 0u) %s = 0u;" % base, "barrier(CLK_LOCAL_MEM_FENCE);",
                    "for (uint i = 0u; i < 3u; i++) {",
                    "    uint keep = ((%s >> i) & 3u) == 0u ? 1u : 0u;" % self.name(),
                    "    uint rank = work_group_scan_exclusive_add(keep);",
                    "    uint all = work_group_reduce_add(keep);",
                    "    if (keep != 0u && %s + rank < SIZE) out[%du + FIRST + %s + rank] = %s + i;" %
                    (base, at, base, self.name()), "    barrier(CLK_LOCAL_MEM_FENCE);",
                    "    if (LID == 0u) %s += all;" % base,
                    "    barrier(CLK_LOCAL_MEM_FENCE);", "}"]
        self.locals += ["local uint %s;" % base]
        return ["if (LID == 0u) %s = 0u;" % base, "barrier(CLK_LOCAL_MEM_FENCE);",
                "if (%s) shared[atomic_inc(&%s)] = %s;" % (c, base, self.name()),
                "barrier(CLK_LOCAL_MEM_FENCE);", "for (uint i = 0u; i < %s; i++) a += shared[i] * 3u;" %
                base, "d ^= %s;" % base,
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def stream(self, depth, uniform):
        """The work-group goes through an array together."""
        r, v = self.r, self.r.choice(WORDS)
        most = r.choice([1000, 4096, 257])
        return ["for (uint i = LID; i < %du; i += SIZE) {" % most, "    %s = %s * 3u + in[i];" % (v, v)] + \
            (["    if ((%s & 63u) == 5u) continue;" % v,
              "    b ^= in[(i + 1u) & 4095u];"] if r.random() < .5 else []) + ["}"]

    def product(self, depth, uniform):
        """Tiles of a loop, loaded together and read by all."""
        r = self.r
        return ["for (uint t = 0u; t < %s; t++) {" % r.choice(["2u", "3u", "(n & 1u) + 1u"]),
                "    shared[LID] = in[(t * SIZE + LID) & 4095u];",
                "    barrier(CLK_LOCAL_MEM_FENCE);",
                "    for (uint k = 0u; k < %s; k++)" % r.choice(["16u", "8u", "min(SIZE, 24u)"]),
                "        %s += shared[%s %% SIZE] * (%s + k);" %
                (r.choice(WORDS), r.choice(["k", "(LID / 16u * 16u + k)", "(k * 16u + (LID & 15u))"]),
                 self.name()),
                "    barrier(CLK_LOCAL_MEM_FENCE);", "}"]

    def collective(self, depth, uniform):
        v, w = self.r.choice(WORDS), self.name()
        return ["%s += %s;" % (v, self.r.choice([
            "work_group_reduce_add(%s)", "work_group_scan_inclusive_add(%s)", "work_group_reduce_max(%s)",
            "work_group_scan_exclusive_max(%s)",
            "(uint)work_group_all((%s & 1u) == 0u)", "(uint)work_group_any((%s & 31u) == 3u)"]) % w)]

    ANYWHERE = [rows, rows, records, bounded, bytes, network, call, store, vote]
    NESTS = [branch, divergent_loop, divergent_loop, goto_loop, switch, private, private]
    UNIFORM = [counter, counter, histogram, tile, tile, tree, prefix, ranked, ranked, stream, product,
               collective]
    UNIFORM_NESTS = [uniform_loop, uniform_loop, uniform_branch, private]

    def text(self):
        body = []
        while self.left > 0:
            body += self.block(3, True)
        head = ["kernel void combination_%d_people(global uint *out, global const uint *in, uint n, local "
                "uint *shared)" % self.seed, "{"]
        head += ["    " + line for line in self.locals]
        head += ["    uint a = in[ITEM & 4095u], b = a >> 5, c = ITEM, d = LID * 3u;",
                 "    float f = (float)(a & 31u);"]
        tail = ["    out[ITEM] = a + 3u * b + 5u * c + 7u * d + 11u * as_uint(f);", "}", ""]
        return self.functions + head + body + tail


PROLOGUE = """#include "language.h"
#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#define GROUP \\
    ((uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0)))
#define FIRST \\
    (GROUP * (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2)))
#define LX ((uint)get_local_id(0))
#define LY ((uint)(get_local_id(1) + get_local_id(2) * get_local_size(1)))
#define LY_SIZE ((uint)(get_local_size(1) * get_local_size(2)))
#define POWER(x) (1u << (32u - clz((x) - 1u)))
#define SPREAD(x) ((x) * 0x87654321u)
#define SORT(T, a, b) { T low = min(a, b), high = max(a, b); a = low; b = high; }
struct record { uint x, y; ushort z; uchar4 w; };
"""


def write(first, count):
    out = [PROLOGUE]
    for seed in range(first, first + count):
        out += Shapes(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
