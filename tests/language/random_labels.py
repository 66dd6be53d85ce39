#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random loops of labels: counted loops over private arrays, written with `goto`, which other jumps lead back
into: to the head, into the body, out of two at once; by seed.

    random_labels.py write FIRST COUNT                            their OpenCL C, to standard output
    random_labels.py run [OPTIONS] FIRST COUNT                    compiles and runs them, see run --help

Tests of tests/language like those of random_flow.py, where it is told against what they are run. Every jump
back spends fuel, or stands behind a counter that goes up to a bound.
"""
import sys

import random_flow
import random_run


class Labels(random_flow.Expressions):
    """Counted loops and the jumps between them. Labels are known before the text is, so that any jump may
    lead to any of them."""

    def __init__(self, seed):
        super().__init__(seed)
        self.loops = self.r.randint(1, 4)
        self.written = 0
        self.open = []  # loops around what is being written

    def condition(self):
        if self.r.random() < .35:
            return self.uniform_condition()
        return super().condition()

    def uniform_condition(self):
        return self.r.choice(["n > %du" % self.r.randint(0, 4),
                              "((n + g) & %du) != 0u" % self.r.randint(1, 4),
                              "g > %du" % self.r.randint(1, 4)])

    def assign(self):
        r, k = self.r, self.r.randint(0, 7)
        loop = r.randint(0, max(0, self.written - 1))
        if r.random() < .5:
            return r.choice(["t[i%d & 7u] += %s;" % (loop, self.word()),
                             "t[(i%d + %du) & 7u] = %s;" % (loop, k, self.word()),
                             "a = a * 5u + t[i%d & 7u];" % loop, "b ^= t[(i%d + %du) & 7u];" % (loop, k),
                             "c += i%d * %du;" % (loop, k)])
        return super().assign()

    def jump(self):
        """To a head or into a body, as long as there is fuel; `g` is the same for all."""
        r, to = self.r, self.r.randint(0, self.loops - 1)
        label = "%s%d" % (r.choice("LLM"), to)
        start = "i%d = %s; " % (to, r.choice(["0u", "%du" % r.randint(0, 9),
                                              "a & 7u"])) if r.random() < .5 else ""
        if r.random() < .3:
            return "if (%s && g < 5u) { g++; %sgoto %s; }" % (self.uniform_condition(), start, label)
        return "if (%s && fuel > 0u) { fuel--; %sgoto %s; }" % (self.condition(), start, label)

    def chosen_jump(self):
        lines = ["switch (SPREAD(%s %% 5u)) {" % self.name()]
        for case in self.r.sample(range(5), 2):
            lines += ["case SPREAD(%du): %s" % (case, self.jump()), "    break;"]
        return lines + ["default: break;", "}"]

    def statement(self, depth):
        r, k = self.r, self.r.random()
        if depth and self.written < self.loops and k < .5:
            return self.loop(depth - 1)
        if k < .7:
            return [self.assign()]
        if k < .8:
            return self.chosen_jump() if r.random() < .4 else [self.jump()]
        if k < .9:
            return ["if (%s) {" % self.condition(), "    " + self.assign(), "}"]
        if k < .95:
            return ["if (%s) goto E%d;" % (self.condition(), r.choice(self.open))]
        return ["out[1024 + ITEM] += %s;" % self.word()]

    def block(self, depth):
        out = []
        for _ in range(self.r.randint(1, 3)):
            out += self.statement(depth)
        return ["    " + line for line in out]

    def loop(self, depth):
        r, k = self.r, self.written
        self.written += 1
        bound = r.choice([2, 3, 5, 8, 8])
        down = r.random() < .2
        step = "i%d%s;" % (k, "--" if down else "++")
        test = "i%d > 0u && i%d < 9u" % (k, k) if down else "i%d < %du" % (k, bound)
        start = ["i%d = %s;" % (k, "%du" % bound if down else "0u" if r.random() < .8 else "a & 3u")]
        self.open.append(k)
        body = self.block(depth)
        middle = ["    M%d:;" % k] + self.block(depth)
        self.open.pop()
        form = r.randint(0, 2)
        if form == 0:
            out = ["L%d:;" % k, "if (%s) {" % test] + body + middle + ["    %s goto L%d;" % (step, k), "}"]
        elif form == 1:
            out = ["L%d:;" % k] + body + middle + ["%s if (%s) goto L%d;" % (step, test, k)]
        else:
            out = ["L%d:;" % k, "if (!(%s)) goto E%d;" % (test,
                                                          k)] + body + [step] + middle + ["goto L%d;" % k]
        return start + out + ["E%d:;" % k]

    def text(self):
        head = random_flow.head(self, self.r.choice([2, 4, 6]))
        head[0] = head[0].replace("random_", "labels_")
        out = head + [
            "    uint g = 0u;", "    uint " + ", ".join("i%d = 0u" % k for k in range(self.loops)) + ";"]
        while self.written < self.loops:
            out += ["    " + line for line in self.loop(2)]
            out += ["    " + self.jump()] if self.r.random() < .7 else []
        return out + random_flow.TAIL


def write(first, count):
    out = [random_flow.PROLOGUE]
    for seed in range(first, first + count):
        out += Labels(seed).text()
    return "\n".join(out)


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, write))
