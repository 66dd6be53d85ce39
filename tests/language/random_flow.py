#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random control flow: kernels of gotos, and of loops, switches and calls in nests, by seed.

    random_flow.py write FIRST COUNT                              their OpenCL C, to standard output
    random_flow.py run [OPTIONS] FIRST COUNT                      compiles and runs them, see run --help

The kernels are tests of tests/language: test_language runs them as clang's SPIR-V on Lanewise, and the same
text, compiled to x86-64, by its reference machine of one coroutine for each work-item.

Every loop ends: whoever goes round spends fuel, or counts to a bound. Barriers stand where flow is uniform,
sub-group functions where it is plain who is active: in ifs and in loops, after JOIN(), never between a way
out of a loop and the decision for it. Contraction of floats is off, so both round alike.
"""
import random
import sys

import random_run

WORDS = ("a", "b", "c", "d", "s", "e", "l")


class Expressions:
    """Expressions over the work-item's variables: a to d of 32 bits, s of 16, e of 8, l of 64, f a float, p a
    pointer into `in`, t a private array, q into it, u uniform; in functions x and y alone."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.seed = seed
        self.variables = WORDS
        self.in_kernel = True  # else in a function that it calls
        self.counters = []  # of loops: (name, uniform)

    def name(self):
        if self.counters and self.r.random() < .2:
            return self.r.choice(self.counters)[0]
        v = self.r.choice(self.variables)
        return v if v in "abcdxy" else "(uint)" + v

    def word(self):
        r = self.r
        v, w, k = self.name(), self.name(), r.randint(1, 9)
        forms = ["%s * %du + %s" % (v, 2 * k + 1, w), "%s ^ (%s >> %d)" % (v, w, k), "%s + %du" % (v, k),
                 "%s - %s" % (v, w), "(%s << %d) + %s" % (v, k % 5, w), "in[(%s + %s) & 1023u]" % (v, w),
                 "%s & (%s | %du)" % (v, w, k), "%s + n" % v,
                 "%s > %s ? %s : %du" % (v, w, self.name(), k)]
        if self.in_kernel:
            forms += ["t[%s & 7u] + %s" % (v, w), "*p ^ %s" % v, "p[%s & 15u]" % v, "%s + (uint)f" % v,
                      "%s + (uint)(l >> 29)" % v, "t[%d] ^ %s" % (k % 8, w), "%s * u + %du" % (v, k)]
        return r.choice(forms)

    def condition(self):
        r = self.r
        v, w, k = self.name(), self.name(), r.randint(0, 7)
        forms = ["(%s & %du) != 0u" % (v, 1 << r.randint(0, 4)), "(%s & 3u) == (%s & 3u)" % (v, w),
                 "%s %% %du == %du" % (v, k + 2, r.randint(0, 1)), "((%s ^ %s) & 1u) != 0u" % (v, w),
                 "%s > %s" % (v, w), "(%s & %du) != 0u" % (v, 1 + r.randint(0, 6))]
        if self.in_kernel:
            forms += ["f < %d.5f" % (4 * k), "(l & %dul) != 0ul" % (1 << 30 + k)]
        if r.random() < .12:
            return self.uniform_condition()
        if r.random() < .15:
            # `&& fuel > 0u` may follow
            return "(%s %s %s)" % (r.choice(forms), r.choice(["&&", "||"]), r.choice(forms))
        return r.choice(forms)

    def uniform(self):
        names = ["n", "u"] + [c for c, uniform in self.counters if uniform]
        return self.r.choice(names if self.in_kernel else ["n"])

    def uniform_condition(self):
        k = self.r.randint(1, 4)
        return "((%s + %du) & %du) != 0u" % (self.uniform(), self.r.randint(0, 3), k)

    def assign(self):
        r = self.r
        v = r.choice(self.variables)
        if not self.in_kernel or v in "abcd":
            return "%s = %s;" % (v, self.word())
        if v in "se":
            return "%s = (%s)(%s);" % (v, {"s": "short", "e": "uchar"}[v], self.word())
        return r.choice(["l = l * 5ul + ((ulong)(%s) << 27);", "f = f * 0.5f + (float)((%s) & 63u);",
                         "p = in + ((%s) & 511u);", "p = in + (((uint)(p - in) + (%s)) & 511u);",
                         "t[%s & 7u] = %%s;" % self.name(), "t[%d] = %%s;" % r.randint(0, 7),
                         "q = &t[(%s) & 7u];", "*q += %s;"]) % self.word()


class Structured(Expressions):
    """Loops, ifs, switches, calls, barriers and sub-group functions in nests."""

    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        self.barriers = r.random() < .35
        self.sub_groups = r.random() < .4
        self.returns = not self.barriers and r.random() < .5
        self.functions = r.randint(0, 2)
        self.left = r.randint(4, 14)  # statements to come
        self.loops = 0

    def block(self, depth, flow):
        out = []
        for _ in range(self.r.randint(1, 4)):
            out += self.statement(depth, flow)
        return ["    " + line for line in out]

    def statement(self, depth, flow):
        """`flow`: "uniform": all work-items come by; "loop": `break` and `continue` may stand here, and on
        which conditions; "switch": inside of one, and what `break` would leave."""
        r = self.r
        self.left -= 1
        kinds = [self.plain] * 3
        if depth and self.left > 0:
            kinds += [self.branch] * 3 + [self.loop] * 3 + [self.switch]
        if flow["loop"]:
            kinds += [self.leave] * 3
        if self.returns and not flow["uniform"] and self.in_kernel:
            kinds += [self.early_return]
        if not self.in_kernel:
            kinds += [self.early_return]
        if self.sub_groups and self.in_kernel and not flow["switch"]:
            kinds += [self.sub_group] * 2
        if self.barriers and flow["uniform"]:
            kinds += [self.exchange] * 2
        return r.choice(kinds)(depth, flow)

    def plain(self, depth, flow):
        r, k = self.r, self.r.random()
        if self.in_kernel and k < .1:
            return ["out[1024 + ITEM] += %s;" % self.word()]
        if self.in_kernel and self.functions and k < .3:
            which, k = r.randint(0, self.functions - 1), r.randint(0, 7)
            arguments = (self.seed, which, self.name(), self.name(), k)
            return ["a += call_%d_%d(%s, %s, in, n, &t[%d]);" % arguments]
        if flow["uniform"] and k < .4:
            return ["u = u * 3u + %s;" % self.uniform()]
        return [self.assign()]

    def joined(self, flow):
        return ["JOIN();"] if self.sub_groups and self.in_kernel and not flow["switch"] else []

    def branch(self, depth, flow):
        uniform = flow["uniform"] and self.r.random() < .4
        leaves = flow["loop"] if uniform or flow["loop"] != "uniform" else ""
        inner = dict(flow, uniform=uniform, loop=leaves)
        out = ["if (%s) {" % (self.uniform_condition() if uniform else self.condition())]
        out += self.block(depth - 1, inner)
        if self.r.random() < .5:
            out += ["} else {"] + self.block(depth - 1, inner)
        return out + ["}"] + self.joined(flow)

    def loop(self, depth, flow):
        r = self.r
        k = "k%d" % self.loops
        self.loops += 1
        uniform = flow["uniform"] and r.random() < .6
        bound = "(%s & 3u) + 1u" % self.uniform() if uniform else r.choice(
            ["(%s) %% 5u" % self.word(), "(%s & 3u) + 1u" % self.uniform(), "6u", "LID & 7u"])
        inner = {"uniform": uniform, "loop": "uniform" if uniform else "divergent",
                 "switch": "around" if flow["switch"] else ""}
        self.counters.append((k, uniform))
        join = " AND_JOIN" if self.joined(flow) else ""
        body = self.block(depth - 1, inner)
        form = r.randint(0, 1 if uniform or join else 3)
        if form == 0:
            out = ["for (uint %s = 0u, end = %s;" % (k, bound), "     %s < end; %s++%s) {" % (k, k, join)]
        elif form == 1:
            out = ["for (uint %s = %s; %s > 0u; %s--%s) {" % (k, bound, k, k, join)]
        elif form == 2:
            out = ["for (uint %s = 0u;; %s++) {" % (k, k), "    if (fuel == 0u)", "        break;",
                   "    fuel--;", "    if (%s)" % self.condition(), "        break;"]
        else:
            out = ["{ uint %s = 0u;" % k, "do {"]
            body = ["    if (fuel-- == 0u) { fuel = 0u; break; }"] + body
        self.counters.pop()
        end = ["} while (++%s < 5u && %s); }" % (k, self.condition())] if form == 3 else ["}"]
        return out + body + end + self.joined(flow)

    def leave(self, depth, flow):
        condition = self.uniform_condition() if flow["loop"] == "uniform" else self.condition()
        word = "continue" if flow["switch"] == "in loop" else self.r.choice(["break", "continue"])
        return ["if (%s)" % condition, "    %s;" % word]

    def early_return(self, depth, flow):
        if self.in_kernel:
            store = "    out[ITEM] = a + 9u * b + %du;" % depth
            return ["if (%s) {" % self.condition(), store, "    return;", "}"]
        return ["if (%s)" % self.condition(), "    return x + 3u * y;"]

    def switch(self, depth, flow):
        r = self.r
        count = r.choice([2, 3, 5, 9])
        uniform = flow["uniform"] and r.random() < .3
        # No sub-group function in a switch: where its lanes join before the end is the front end's choice.
        inner = {"uniform": False, "switch": "in loop" if flow["loop"] else "alone",
                 "loop": flow["loop"] if flow["loop"] == "divergent" else ""}
        out = ["switch (SPREAD(%s %% %du)) {" % (self.uniform() if uniform else self.name(), count + 2)]
        for case in sorted(r.sample(range(count + 2), count)):
            out += ["case SPREAD(%du):" % case] + self.block(depth - 1, inner)
            if r.random() < .7:
                out += ["    break;"]
        if r.random() < .5:
            out += ["default:"] + self.block(0, inner)
        return out + ["}"] + self.joined(flow)

    def sub_group(self, depth, flow):
        v = self.r.choice("abcd")
        return ["JOIN();", "%s ^= %s;" % (v, self.r.choice(
            ["sub_group_non_uniform_reduce_add(%s)", "sub_group_non_uniform_scan_inclusive_add(%s)",
             "sub_group_non_uniform_scan_exclusive_max(%s)", "sub_group_ballot((%s & 1u) != 0u).x",
             "sub_group_ballot((%s & 2u) != 0u).y", "sub_group_broadcast_first(%s)", "sub_group_elect() + %s",
             "(uint)sub_group_non_uniform_any((%s & 7u) == 0u)",
             "(uint)sub_group_non_uniform_all_equal(%s & 1u)"]) % self.name())]

    def exchange(self, depth, flow):
        return ["shared[LID] = %s;" % self.word(), "barrier(CLK_LOCAL_MEM_FENCE);",
                "%s += shared[(LID + %du) %% SIZE];" % (self.r.choice("abcd"), self.r.randint(0, 70)),
                "barrier(CLK_LOCAL_MEM_FENCE);"]

    def function(self, k):
        """A function with loops of its own, which is not inlined by clang."""
        self.variables, self.in_kernel, self.left = ("x", "y"), False, 6
        flow = {"uniform": False, "loop": "", "switch": ""}
        out = ["static NOINLINE uint call_%d_%d(uint x, uint y, global const uint *in, uint n, uint *r)"
               % (self.seed, k), "{", "    uint fuel = 9u;"] + self.block(3, flow) + self.block(2, flow)
        self.variables, self.in_kernel = WORDS, True
        return out + ["    *r ^= y;", "    return x + y;", "}", ""]

    def text(self):
        left, functions = self.left, []
        for k in range(self.functions):
            functions += self.function(k)
        self.left = left
        body = []
        while self.left > 0:
            body += self.block(4, {"uniform": True, "loop": "", "switch": ""})
        return functions + head(self, self.r.choice([9, 30, 60])) + body + TAIL


class Jumps(Expressions):
    """Blocks that jump about, backwards only while there is fuel: loops with several entries and ways out."""

    def target(self, k, count):
        r = self.r
        if r.random() < .12:
            return count
        return r.randint(0, count) if r.random() < .55 else min(count, k + 1 + r.randint(0, 2))

    def jump(self, k, to):
        if to > k:
            return "goto L%d;" % to
        return "{ if (fuel == 0u) goto L%d; fuel--; goto L%d; }" % (k + 1, to)

    def block(self, k, count):
        r = self.r
        out = ["L%d:;" % k] + ["    " + self.assign() for _ in range(r.randint(0, 3))]
        if r.random() < .15:
            out += ["    out[1024 + ITEM] += a ^ %du;" % k]
        to = [self.jump(k, self.target(k, count)) for _ in range(2)]
        kind = r.random()
        if kind < .12:
            return out + ["    " + to[0]]
        if kind < .22:
            cases = r.sample(range(11), r.choice([2, 3, 6]))
            out += ["    switch (SPREAD(%s %% %du)) {" % (self.name(), max(cases) + 2)]
            for case in cases:
                out += ["    case SPREAD(%du): %s" % (case, self.jump(k, self.target(k, count)))]
            out += ["    }"]
        return out + ["    if (%s) %s else %s" % (self.condition(), to[0], to[1])]

    def text(self):
        count = self.r.randint(3, 10)
        out = head(self, self.r.choice([5, 13, 40]))
        for k in range(count):
            out += self.block(k, count)
        return out + ["L%d:;" % count] + TAIL


def head(kernel, fuel):
    return ["kernel void random_%d(global uint *out, global const uint *in, uint n, local uint *shared)"
            % kernel.seed, "{", "    uint x = in[ITEM], a = x, b = x >> 3, c = ITEM, d = 1u, u = n, t[8];",
            "    uint fuel = %du + (x & 3u);" % fuel, "    short s = (short)x;",
            "    uchar e = (uchar)(x >> 5);", "    ulong l = (ulong)x * 0x100000001ul;",
            "    float f = (float)(x & 31u);", "    global const uint *p = in + (x & 255u);",
            "    uint *q = &t[x & 7u];",
            "    for (uint k = 0u; k < 8u; k++)", "        t[k] = x * k;"]


TAIL = ["    for (uint k = 0u; k < 8u; k++)", "        a = a * 31u + t[k];",
        "    a += 3u * b + 5u * c + 7u * d + 11u * fuel + 13u * u + (uint)s + 17u * e;",
        "    out[ITEM] = a + (uint)l + (uint)(l >> 32) + as_uint(f) + (uint)(p - in) + *q;", "}", ""]

PROLOGUE = """#include "language.h"
/* Switches on few bits would become switches of odd widths at -O2, which clang-22 writes wrongly. */
#define SPREAD(x) ((x) * 0x87654321u)
#define SIZE ((uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)))
#ifdef REFERENCE
#define AND_JOIN , ref_join()
#else
#define AND_JOIN
#endif
"""


def write(first, count):
    out = [PROLOGUE]
    for seed in range(first, first + count):
        out += (Jumps if seed % 3 == 0 else Structured)(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
