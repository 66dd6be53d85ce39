#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LANEWISE_GDB by gdb itself: a breakpoint on a kernel's source line stops there, and only where the line is
run; the
lanes of variables are those of the work-items.

    test_debugger.py SPIRV_RUN SAXPY.spv SAXPY.cl LANES.cl CLANG LANEWISE_SPIRV SAXPY_OPENCL

The module has line information. LANEWISE_SPIRV may be "-": then what it writes is not looked at.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

RUN, MODULE, SOURCE, LANES = (os.path.abspath(p) for p in sys.argv[1:5])
CLANG, WRITER, OPENCL = sys.argv[5:8]


def line_of(text, source=SOURCE):
    with open(source) as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def numbers(told, name):
    """What gdb shows of a variable, where it stopped last: a list of its lanes, or one value; None:
    nothing."""
    found = re.findall(rf"^{re.escape(name)} = (.*)$", told, re.M)
    if not found or "optimized out" in found[-1]:
        return None
    lanes = []
    for part in re.findall(r"(-?[\d.]+)(?: <repeats (\d+) times>)?", found[-1]):
        lanes += [float(part[0])] * int(part[1] or 1)
    return lanes if found[-1].startswith("{") else lanes[0]


def gdb(commands, program, follow="child", **env):
    """spirv-run works in a child: gdb goes there, and the compiler is in that process."""
    settings = ["set confirm off", "set pagination off", "set breakpoint pending on",
                "set debuginfod enabled off",
                f"set follow-fork-mode {follow}"]
    words = [word for command in settings + commands for word in ("-ex", command)]
    process = subprocess.run(["gdb", "-nx", "-batch", *words, "--args", *program], text=True, timeout=120,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**os.environ, "LANEWISE_COMPILER_PROCESS": "0", "LANEWISE_CACHE": "0",
                                  **env})
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


@unittest.skipIf(WRITER == "-", "there is no lanewise-spirv")
class Variables(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def build(self, *options):
        """By the way that OpenCL C takes through the ICD."""
        ir = subprocess.run([CLANG, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", "-O2", *options, "-S",
                             "-emit-llvm",
                             "-o", "-", LANES], check=True, stdout=subprocess.PIPE).stdout
        module = subprocess.run([WRITER], input=ir, check=True, stdout=subprocess.PIPE).stdout
        path = os.path.join(self.folder, "lanes.spv")
        with open(path, "wb") as file:
            file.write(module)
        return path

    def stop(self, module, tier, isa, line):
        return gdb([f"break lanes.cl:{line}", "run", "info locals"],
                   [RUN, "-g", "16", "-w", "16", module, "16", "f32[64]=iota", "f32[32]", "local:64"],
                   LANEWISE_GDB="1", LANEWISE_TIER=tier, LANEWISE_ISA=isa, LANEWISE_VERIFY="1",
                   LANEWISE_SUB_GROUP_SIZE="4")

    def test_lanes(self):
        module = self.build("-g")
        for tier, isa in (("specialised", "auto"), ("specialised", "sse4.2"), ("masked", "auto"),
                          ("first", "sse4.2")):
            with self.subTest(tier=tier, isa=isa):
                told = self.stop(module, tier, isa, line_of("out[l] =", LANES))
                ids = numbers(told, "l")
                self.assertIsNotNone(ids, told)
                self.assertIn(len(ids), (4, 16))
                self.assertEqual(ids, [float(i) for i in range(len(ids))], told)
                sums = [8 * (15 - l) + 3 for l in range(16)]
                self.assertEqual(numbers(told, "other"),
                                 [-s if l & 1 else s for l, s in enumerate(sums)][:len(ids)], told)
                for k, part in enumerate("xyzw"):
                    self.assertEqual(numbers(told, f"v.{part}"), [4 * l + k for l in range(len(ids))],
                                     told)
                rounds = numbers(told, "rounds")  # one multiplication, where clang saw that
                self.assertIn(rounds, (None, [16 * l for l in range(len(ids))]), told)
                self.assertEqual(numbers(told, "n"), 16, told)

    def test_only_where_they_have_a_value(self):
        told = self.stop(self.build("-g"), "specialised", "sse4.2", line_of("v = in[l]", LANES))
        self.assertEqual(numbers(told, "l"), [0, 1, 2, 3], told)
        self.assertIsNone(numbers(told, "other"), told)

    def test_modules(self):
        """Marks become what SPIR-V has for lines and variables; IR without debug information has neither."""
        for options, lines, values in ((["-g"], True, True), (["-gline-tables-only"], True, False),
                                       ([], False, False)):
            path = self.build(*options)
            subprocess.run(["spirv-val", path], check=True)
            text = subprocess.run(["spirv-dis", path], check=True, text=True, stdout=subprocess.PIPE).stdout
            self.assertNotIn("lw_mark", text)
            seen = {int(n) for n in re.findall(r"OpLine %\S+ (\d+) ", text)}
            wanted = {line_of(t, LANES) for t in ("v = in[l]", "room[l] =", "float other", "out[l] =")}
            self.assertEqual(wanted & seen, wanted if lines else set(), text)
            self.assertEqual("DebugValue" in text, values)
            out = subprocess.run([RUN, "-g", "16", "-w", "16", "--print", "2", path, "16", "f32[64]=iota",
                                  "f32[32]",
                                  "local:64"], text=True, check=True, stdout=subprocess.PIPE).stdout
            expected = [(8 * (15 - l) + 3) * (-1 if l & 1 else 1) for l in range(16)] + [16 * l for l
                                                                                         in range(16)]
            self.assertEqual([float(x) for x in re.findall(r"-?\d+", out.split("[")[1])], expected)

    def test_opencl(self):
        """OpenCL C through the ICD, with no option: the text is a file that gdb shows."""
        line = line_of("y[i] =")
        told = gdb([f"break lanewise-program.cl:{line}", "run", "info locals"], [OPENCL, "Lanewise", SOURCE],
                   follow="parent", LANEWISE_GDB="1", TMPDIR=self.folder)
        self.assertRegex(told, r"saxpy \(\) at %s/lanewise-\d+/[0-9a-f]{16}/lanewise-program\.cl:%d" %
                         (re.escape(self.folder), line), told)
        self.assertRegex(told, r"\n%d\t +y\[i\] = a \* x\[i\] \+ y\[i\];" % line)
        self.assertEqual((numbers(told, "n"), numbers(told, "a")), (1000, 2), told)
        self.assertEqual(numbers(told, "i")[:4], [0, 1, 2, 3], told)


if __name__ == "__main__":
    if not shutil.which("gdb"):
        print("skipped: there is no gdb")
        sys.exit(77)
    if not re.search("exited normally", gdb(["run"], ["/bin/true"])):
        print("skipped: gdb cannot run a program here (ptrace)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[8:])
