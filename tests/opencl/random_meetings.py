#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random loops, ifs, switches, calls and jumps in which work-items of a sub-group meet, by seed.

    random_meetings.py FIRST COUNT      C text of a table: the kernels' OpenCL C, and what comes out
    random_meetings.py FIRST COUNT cl   the kernels alone

What comes out is computed here, of the source's text as it stands: who come to a statement together are those
that are in the same round of all loops around it, and the same arm; all that enter a statement and do not
leave it for good meet behind it. test_meetings.c compares it with what the program makes of it.
"""
import random
import sys

ITEMS = 44  # of the one work-group: with a tail in every size
SIZES = (4, 8, 16, 32, 64)
MASK = 0xffffffff
WORDS = "abcd"


class State:
    """A sub-group's variables (each a list by lane), and where those go that leave a statement for good."""

    def __init__(self, first, count, words):
        x = words[first:first + count]
        self.count, self.words, self.out = count, words, [None] * count
        self.v = {"a": list(x), "b": [w >> 3 for w in x], "c": list(range(count)), "d": [1] * count}
        self.returned = None  # in a function: its results by lane

    def set(self, name, lanes, value):
        values = list(self.v.get(name, [0] * self.count))
        for lane in lanes:
            values[lane] = value(lane) & MASK
        self.v[name] = values

    def holds(self, condition, lanes):
        return [lane for lane in lanes if condition(self, lane)]

    def result(self, lane):
        a, b, c, d = (self.v[name][lane] for name in WORDS)
        return (a + 3 * b + 5 * c + 7 * d) & MASK


def run_block(state, block, lanes, loops):
    for statement in block:
        if lanes:
            lanes = statement.run(state, lanes, loops)
    return lanes


def text_of(block, indent):
    return [line for statement in block for line in statement.text(indent)]


class Assign:
    def __init__(self, name, value):
        self.name, self.value = name, value  # (text, function of state and lane)

    def text(self, indent):
        return ["%s%s = %s;" % (indent, self.name, self.value[0])]

    def run(self, state, lanes, loops):
        state.set(self.name, lanes, lambda lane: self.value[1](state, lane))
        return lanes


class Meet:
    """A function that tells of those who come to it together."""
    KINDS = {
        "sub_group_non_uniform_reduce_add(%s)": lambda v, own: sum(v),
        "sub_group_non_uniform_reduce_max(%s)": lambda v, own: max(v),
        "sub_group_non_uniform_scan_inclusive_add(%s)": lambda v, own: sum(v[:own + 1]),
        "sub_group_non_uniform_scan_exclusive_add(%s)": lambda v, own: sum(v[:own]),
        "sub_group_broadcast_first(%s)": lambda v, own: v[0],
        "(uint)(sub_group_elect() != 0) + %s": lambda v, own: (own == 0) + v[own],
        "(uint)(sub_group_non_uniform_any((%s & 2u) != 0u) != 0)": lambda v, own: any(w & 2 for w in v),
        "(uint)(sub_group_non_uniform_all((%s & 4u) != 0u) != 0)": lambda v, own: all(w & 4 for w in v),
        "sub_group_ballot_bit_count(sub_group_ballot((%s & 1u) != 0u))": lambda v, own: sum(w & 1 for w in v),
        "sub_group_ballot(%s != 77u).x": None,
    }

    def __init__(self, name, kind, of):
        self.name, self.kind, self.of = name, kind, of

    def text(self, indent):
        return ["%s%s = %s * 5u ^ %s;" % (indent, self.name, self.name, self.kind % self.of)]

    def run(self, state, lanes, loops):
        value, own = self.KINDS[self.kind], state.v[self.name]
        values = [state.v[self.of][lane] for lane in lanes]
        if value:
            results = [value(values, k) for k in range(len(lanes))]
        else:
            results = [sum(1 << lane for lane, w in zip(lanes, values) if lane < 32 and w != 77)] * len(lanes)
        state.set(self.name, lanes, lambda lane: own[lane] * 5 & MASK ^ results[lanes.index(lane)] & MASK)
        return lanes


class If:
    def __init__(self, condition, then, other=()):
        self.condition, self.then, self.other = condition, then, list(other)

    def text(self, indent):
        out = ["%sif (%s) {" % (indent, self.condition[0])] + text_of(self.then, indent + "    ")
        if self.other:
            out += [indent + "} else {"] + text_of(self.other, indent + "    ")
        return out + [indent + "}"]

    def which(self, state, lanes):
        return state.holds(self.condition[1], lanes)

    def run(self, state, lanes, loops):
        then = self.which(state, lanes)
        other = [lane for lane in lanes if lane not in then]
        then = run_block(state, self.then, then, loops)
        return sorted(then + run_block(state, self.other, other, loops))


class Match(If):
    """Those whose variable is what the first one has."""

    def __init__(self, name, then, other):
        text = "(%s & 3u) == sub_group_broadcast_first(%s & 3u)" % (name, name)
        super().__init__((text, None), then, other)
        self.name = name

    def which(self, state, lanes):
        key = [w & 3 for w in state.v[self.name]]
        return [lane for lane in lanes if key[lane] == key[lanes[0]]]


class Switch:
    """Each case ends with a break: where others meet is the front end's choice."""

    def __init__(self, name, count, cases):
        self.name, self.count, self.cases = name, count, cases

    def text(self, indent):
        out = ["%sswitch (%s %% %du) {" % (indent, self.name, self.count)]
        for k, case in enumerate(self.cases):
            out += ["%scase %du: {" % (indent, k)] + text_of(case, indent + "    ") + [indent + "} break;"]
        return out + [indent + "}"]

    def run(self, state, lanes, loops):
        which = [w % self.count for w in state.v[self.name]]
        left = [lane for lane in lanes if which[lane] >= len(self.cases)]
        for k, case in enumerate(self.cases):
            left += run_block(state, case, [lane for lane in lanes if which[lane] == k], loops)
        return sorted(left)


class Leave:
    """break, continue, or a jump behind a loop further out: their work-items wait at the round's end."""

    def __init__(self, word, loop=None):
        self.word, self.loop = word, loop

    def text(self, indent):
        return ["%s%s;" % (indent, "goto end%d" % self.loop.number if self.loop else self.word)]

    def run(self, state, lanes, loops):
        loop = self.loop or loops[-1]
        (loop.again if self.word == "continue" else loop.left).extend(lanes)
        return []


class Return:
    def __init__(self, in_kernel):
        self.in_kernel = in_kernel

    def text(self, indent):
        value = "a ^ 7u * b"
        if self.in_kernel:
            return ["%sout[get_global_id(0)] = %s;" % (indent, value), indent + "return;"]
        return ["%sreturn %s;" % (indent, value)]

    def run(self, state, lanes, loops):
        to = state.out if self.in_kernel else state.returned
        for lane in lanes:
            to[lane] = state.v["a"][lane] ^ 7 * state.v["b"][lane] & MASK
        return []


class Call:
    def __init__(self, name, function, a, b):
        self.name, self.function, self.arguments = name, function, (a, b)

    def text(self, indent):
        return ["%s%s ^= %s(%s, %s, in);" % ((indent, self.name, self.function.name) + self.arguments)]

    def run(self, state, lanes, loops):
        own, before = dict(state.v), state.returned
        a, b = (list(own[name]) for name in self.arguments)
        state.v = {"a": a, "b": b, "c": list(range(state.count)), "d": [3] * state.count}
        state.returned = results = [0] * state.count
        for lane in run_block(state, self.function.body, lanes, []):
            results[lane] = state.result(lane)
        state.v, state.returned = own, before
        state.set(self.name, lanes, lambda lane: own[self.name][lane] ^ results[lane])
        return lanes


class Function:
    def __init__(self, name, inlined):
        self.name, self.inlined, self.body = name, inlined, []

    def text(self):
        head = "%suint %s(uint a, uint b, global const uint *in)" % (
            "" if self.inlined else "__attribute__((noinline)) ", self.name)
        return ([head, "{", "    uint c = get_sub_group_local_id(), d = 3u;"] + text_of(self.body, "    ") +
                ["    return a + 3u * b + 5u * c + 7u * d;", "}", ""])


class Loop:
    """Up to `most` rounds; `flag`: until that is set."""

    def __init__(self, number, form, most):
        self.number, self.form, self.most = number, form, most
        self.counter, self.flag = "k%d" % number, "g%d" % number if form.startswith("flag") else ""
        self.condition, self.body, self.is_jumped_behind = None, [], False
        self.left, self.again = [], []

    def text(self, indent):
        k, most, body = self.counter, self.most, text_of(self.body, indent + "    ")
        goes_on = "!" + self.flag if self.flag else self.condition[0]
        begin = "%s{ uint %s = 0u; %s" % (indent, k, "int %s = 0; " % self.flag if self.flag else "")
        if self.form == "for":
            out = ["%sfor (uint %s = 0u;; %s++) {" % (indent, k, k),
                   "%s    if (%s == %du)" % (indent, k, most), indent + "        break;"]
            out += body + [indent + "}"]
        elif self.form in ("while", "flag"):
            out = ["%swhile (%s && %s < %du) {" % (begin, goes_on, k, most), "%s    %s++;" % (indent, k)]
            out += body + [indent + "} }"]
        else:
            out = [begin + "do {", "%s    %s++;" % (indent, k)] + body
            out += ["%s} while (%s < %du && %s); }" % (indent, k, most, goes_on)]
        return out + (["%send%d:;" % (indent, self.number)] if self.is_jumped_behind else [])

    def goes_on(self, state, lane):
        if state.v[self.counter][lane] >= self.most:
            return False
        if self.flag:
            return not state.v[self.flag][lane]
        return self.form == "for" or self.condition[1](state, lane)

    def test(self, state, lanes):
        on = state.holds(self.goes_on, lanes)
        self.left.extend(lane for lane in lanes if lane not in on)
        return on

    def run(self, state, lanes, loops):
        keep = self.left, self.again
        self.left = []
        for name in filter(None, (self.counter, self.flag)):
            state.set(name, lanes, lambda lane: 0)
        tests_first = self.form in ("for", "while", "flag")
        count = lambda lane: state.v[self.counter][lane] + 1
        while lanes:
            if tests_first:
                lanes = self.test(state, lanes)
            if self.form != "for":
                state.set(self.counter, lanes, count)
            self.again = []
            lanes = sorted(run_block(state, self.body, lanes, loops + [self]) + self.again)
            if self.form == "for":
                state.set(self.counter, lanes, count)
            if not tests_first:
                lanes = self.test(state, lanes)
        # A jump further out is in that loop's list, and not in this one's.
        left = sorted(self.left)
        self.left, self.again = keep
        return left


class Kernel:
    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.name = "random_%d" % seed
        self.loops, self.loop_count, self.in_kernel = [], 0, True
        self.returns = r.random() < .3
        self.functions = []
        for k in range(r.choice([0, 0, 1, 2])):
            function = Function("call_%d_%d" % (seed, k), r.random() < .5)
            self.in_kernel, self.left = False, 5
            while self.left > 0:
                function.body += self.block(2)
            self.functions.append(function)
        self.in_kernel, self.left, self.body = True, r.randint(6, 16), []
        while self.left > 0:
            self.body += self.block(3)

    def block(self, depth, in_switch=False):
        return [self.statement(depth, in_switch) for _ in range(self.r.randint(1, 4))]

    def word(self):
        r = self.r
        v, w, k = r.choice(WORDS), r.choice(WORDS), r.randint(1, 9)
        return r.choice([
            ("%s * %du + %s" % (v, 2 * k + 1, w), lambda s, l: s.v[v][l] * (2 * k + 1) + s.v[w][l]),
            ("%s ^ (%s >> %d)" % (v, w, k), lambda s, l: s.v[v][l] ^ s.v[w][l] >> k),
            ("%s + %du" % (v, k), lambda s, l: s.v[v][l] + k),
            ("%s - %s" % (v, w), lambda s, l: s.v[v][l] - s.v[w][l]),
            ("in[(%s + %s) & 31u]" % (v, w), lambda s, l: s.words[s.v[v][l] + s.v[w][l] & 31]),
            ("(%s & 1u) ? %s : %du" % (v, w, k), lambda s, l: s.v[w][l] if s.v[v][l] & 1 else k)])

    def condition(self):
        r = self.r
        v, w, k = r.choice(WORDS), r.choice(WORDS), r.randint(0, 7)
        flags = [loop.flag for loop in self.loops if loop.flag]
        if flags and r.random() < .3:
            flag = r.choice(flags)
            return r.choice([(flag, lambda s, l: s.v[flag][l]), ("!" + flag, lambda s, l: not s.v[flag][l])])
        return r.choice([
            ("(%s & %du) != 0u" % (v, 1 << k % 4), lambda s, l: s.v[v][l] & 1 << k % 4),
            ("(%s & %du) == 0u" % (v, 1 << k % 3), lambda s, l: not s.v[v][l] & 1 << k % 3),
            ("(%s & 3u) == (%s & 3u)" % (v, w), lambda s, l: s.v[v][l] & 3 == s.v[w][l] & 3),
            ("%s %% %du == 0u" % (v, k + 2), lambda s, l: s.v[v][l] % (k + 2) == 0),
            ("%s > %s" % (v, w), lambda s, l: s.v[v][l] > s.v[w][l]),
            ("in[0] > 0u", lambda s, l: s.words[0] > 0)])

    def meet(self, depth=0, in_switch=False):
        r = self.r
        return Meet(r.choice(WORDS), r.choice(list(Meet.KINDS)), r.choice(WORDS))

    def perhaps_meet(self):
        return [self.meet()] if self.r.random() < .65 else []

    def statement(self, depth, in_switch):
        self.left -= 1
        kinds = ["assign"] * 2 + ["meet"] * 4
        if depth and self.left > 0:
            kinds += ["branch"] * 4 + ["loop"] * 3 + ["switch"]
        if self.loops and not in_switch:
            kinds += ["leave"] * 3 + ["match"] * 2
        if len(self.loops) > 1:
            kinds += ["jump"] * 2
        if any(loop.flag for loop in self.loops):
            kinds += ["set_flag"] * 3
        if self.returns or not self.in_kernel:
            kinds += ["leave_kernel"]
        if self.functions and self.in_kernel:
            kinds += ["call"] * 2
        return getattr(self, self.r.choice(kinds))(depth, in_switch)

    def assign(self, depth, in_switch):
        return Assign(self.r.choice(WORDS), self.word())

    def branch(self, depth, in_switch):
        other = self.block(depth - 1, in_switch) if self.r.random() < .4 else []
        return If(self.condition(), self.block(depth - 1, in_switch), other)

    def leave(self, depth, in_switch):
        leave = Leave(self.r.choice(["break", "break", "continue"]))
        return If(self.condition(), self.perhaps_meet() + [leave])

    def jump(self, depth, in_switch):
        loop = self.r.choice(self.loops[:-1])
        loop.is_jumped_behind = True
        return If(self.condition(), self.perhaps_meet() + [Leave("goto", loop)])

    def leave_kernel(self, depth, in_switch):
        return If(self.condition(), self.perhaps_meet() + [Return(self.in_kernel)])

    def match(self, depth, in_switch):
        last = Leave("break")
        if self.loops[-1].flag and self.r.random() < .5:
            last = self.set_flag(depth, in_switch)
        other = self.perhaps_meet() if self.r.random() < .5 else []
        return Match(self.r.choice(WORDS), [self.meet(), last], other)

    def set_flag(self, depth, in_switch):
        value = int(self.r.random() < .8)
        flag = self.r.choice([loop.flag for loop in self.loops if loop.flag])
        return Assign(flag, ("%d" % value, lambda s, l: value))

    def call(self, depth, in_switch):
        r = self.r
        return Call(r.choice(WORDS), r.choice(self.functions), r.choice(WORDS), r.choice(WORDS))

    def switch(self, depth, in_switch):
        count = self.r.randint(2, 4)
        cases = count - self.r.randint(0, 1)
        return Switch(self.r.choice(WORDS), count, [self.block(depth - 1, True) for _ in range(cases)])

    def loop(self, depth, in_switch):
        form = self.r.choice(["for", "while", "do", "flag", "flag", "flag do"])
        loop = Loop(self.loop_count, form, self.r.randint(1, 5))
        self.loop_count += 1
        loop.condition = self.condition()
        self.loops.append(loop)
        loop.body = self.block(depth - 1)
        if loop.flag and self.r.random() < .7:
            done = [Assign(loop.flag, ("1", lambda s, l: 1))]
            done = If(self.condition(), self.perhaps_meet() + done)
            loop.body.insert(self.r.randint(0, len(loop.body)), done)
        self.loops.pop()
        return loop

    def text(self):
        lines = [line for function in self.functions for line in function.text()]
        lines += ["kernel void %s(global uint *out, global const uint *in)" % self.name, "{",
                  "    uint a = in[get_global_id(0)], b = a >> 3, c = get_sub_group_local_id(), d = 1u;"]
        return lines + text_of(self.body, "    ") + [
            "    out[get_global_id(0)] = a + 3u * b + 5u * c + 7u * d;", "}", ""]

    def results(self, words, size):
        out = []
        for first in range(0, ITEMS, size):
            state = State(first, min(size, ITEMS - first), words)
            for lane in run_block(state, self.body, list(range(state.count)), []):
                state.out[lane] = state.result(lane)
            out += state.out
        return out


def main(first, count, form=""):
    kernels = [Kernel(seed) for seed in range(int(first), int(first) + int(count))]
    source = [line for kernel in kernels for line in kernel.text()]
    if form == "cl":
        print("\n".join(source))
        return
    print("/* Made by tests/opencl/random_meetings.py. */\n#include \"random_meetings.h\"\n")
    print("const char random_source[] =\n%s;\n" % "\n".join('    "%s\\n"' % line for line in source))
    print("const struct random_kernel random_kernels[] = {")
    for kernel in kernels:
        r = random.Random(kernel.name)
        words = [r.getrandbits(31) for _ in range(ITEMS)]
        results = (kernel.results(words, size) for size in SIZES)
        rows = ",\n      ".join("{%s}" % ", ".join("%du" % w for w in row) for row in results)
        print("    {\"%s\", {%s},\n     {%s}}," % (kernel.name, ", ".join("%du" % w for w in words), rows))
    print("    {0}};")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
