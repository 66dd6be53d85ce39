#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LANEWISE_GDB by gdb itself: a breakpoint on a kernel's source line stops there, and only where the line is run.

    test_debugger.py SPIRV_RUN SAXPY.spv SAXPY.cl     the module has line information
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

RUN, MODULE, SOURCE = (os.path.abspath(p) for p in sys.argv[1:4])


def line_of(text):
    with open(SOURCE) as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def gdb(commands, program, **env):
    """spirv-run works in a child: gdb goes there, and the compiler is in that process."""
    settings = ["set confirm off", "set pagination off", "set breakpoint pending on", "set debuginfod enabled off",
                "set follow-fork-mode child"]
    words = [word for command in settings + commands for word in ("-ex", command)]
    process = subprocess.run(["gdb", "-nx", "-batch", *words, "--args", *program], text=True, timeout=120,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, "LANEWISE_COMPILER_PROCESS": "0", "LANEWISE_CACHE": "0", **env})
    return process.stdout


class Debugger(unittest.TestCase):
    def stop(self, tier, n, line, gdb_on="1"):
        return gdb([f"break saxpy.cl:{line}", "run", "bt 3"],
                   [RUN, "-g", "64", "-w", "16", MODULE, str(n), "2", "f32[64]=iota", "f32[64]"],
                   LANEWISE_GDB=gdb_on, LANEWISE_TIER=tier)

    def test_stops_at_the_line(self):
        line = line_of("y[i] =")
        for tier in ("specialised", "masked", "first"):
            told = self.stop(tier, 64, line)
            self.assertRegex(told, r"hit Breakpoint 1[^\n]*, saxpy \(\) at [^\n]*saxpy\.cl:%d\n" % line, told)
            self.assertRegex(told, r"\n%d\t +y\[i\] = a \* x\[i\] \+ y\[i\];" % line)
            self.assertRegex(told, r"\n#0 +saxpy \(\) at ", told)
            self.assertRegex(told, r"\n#1 +saxpy \(\) at [^\n]*\n#2 [^\n]*run_stretch", told)

    def test_only_where_the_line_is_run(self):
        """With n = 0 no work-item gets to the store; the condition is evaluated nevertheless."""
        told = self.stop("specialised", 0, line_of("y[i] ="))
        self.assertNotIn("hit Breakpoint", told)
        self.assertIn("exited normally", told)
        told = self.stop("specialised", 0, line_of("if (i < n)"))
        self.assertIn("hit Breakpoint", told)

    def test_only_where_asked(self):
        told = self.stop("specialised", 64, line_of("y[i] ="), gdb_on="0")
        self.assertNotIn("hit Breakpoint", told)
        self.assertIn("exited normally", told)


if __name__ == "__main__":
    if not shutil.which("gdb"):
        print("skipped: there is no gdb")
        sys.exit(77)
    if not re.search("exited normally", gdb(["run"], ["/bin/true"])):
        print("skipped: gdb cannot run a program here (ptrace)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
