#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LANEWISE_GDB by gdb itself: a breakpoint on a kernel's source line stops there, and only where the line is
run; the
lanes of variables are those of the work-items.

    test_debugger.py SPIRV_RUN SAXPY.spv SAXPY.cl LANES.cl PARTS.cl CLANG LANEWISE_SPIRV SAXPY_OPENCL

The module has line information. LANEWISE_SPIRV may be "-": then what it writes is not looked at.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

RUN, MODULE, SOURCE, LANES, PARTS = (os.path.abspath(p) for p in sys.argv[1:6])
CLANG, WRITER, OPENCL = sys.argv[6:9]


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
    for part in re.findall(r"(?<![\w.])-?[\d.]+", found[-1]):
        lanes.append(float(part))
    return lanes if found[-1].startswith("{") else lanes[0]


def shows(*expressions):
    """Commands that print each under its own name, for numbers()."""
    return [command for e in expressions for command in (f"echo {e} =\\040", f"output {e}", "echo \\n")]


def gdb(commands, program, follow="child", **env):
    """spirv-run works in a child: gdb goes there, and the compiler is in that process."""
    settings = ["set confirm off", "set pagination off", "set breakpoint pending on",
                "set debuginfod enabled off", "set print repeats 0",
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

    def build(self, *options, source=LANES):
        """By the way that OpenCL C takes through the ICD."""
        ir = subprocess.run([CLANG, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", "-O2", *options, "-S",
                             "-emit-llvm",
                             "-o", "-", source], check=True, stdout=subprocess.PIPE).stdout
        module = subprocess.run([WRITER], input=ir, check=True, stdout=subprocess.PIPE).stdout
        path = os.path.join(self.folder, "lanes.spv")
        with open(path, "wb") as file:
            file.write(module)
        return path

    def stop(self, module, tier, isa, line):
        return gdb([f"break lanes.cl:{line}", "run", "info locals",
                    *shows("v.x", "v.y", "v.z", "v.w", "in[1]", "*room@4")],
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
                self.assertEqual(numbers(told, "in[1]"), [4, 5, 6, 7], told)
                self.assertEqual(numbers(told, "*room@4"), [8 * l + 3 for l in range(4)], told)

    def test_parts(self):
        """Pointers and what they point to; arrays, structures, an argument by value, part by part."""
        module = self.build("-g", source=PARTS)
        data = os.path.join(self.folder, "in.bin")
        with open(data, "wb") as file:
            for l in range(16):
                file.write(struct.pack("<fiff", 0.5 * l, 3 * l, l, 100 + l))
        row = [[0.5 * l * j + (0.25 if 3 * l % 4 == j else 0) for l in range(16)] for j in range(4)]
        sums = [[sum(range(p, l + 1, 2)) for l in range(16)] for p in range(2)]
        for tier, isa in (("specialised", "auto"), ("specialised", "sse4.2"), ("masked", "auto"),
                          ("first", "sse4.2")):
            with self.subTest(tier=tier, isa=isa):
                told = gdb([f"break parts.cl:{line_of('float other =', PARTS)}", "run",
                            *shows("l", "row", "row[2]", "found.sums[0]", "found.sums[1]", "s.step",
                                   "s.scale[1]", "*in@2", "mine[1] - out", "*mine[3]"), "ptype in"],
                           [RUN, "-g", "16", "-w", "16", module, "16", "@" + data, "f32[16]=iota", "local:64",
                            "hex:" + struct.pack("<iff", 7, 0.5, 0.25).hex()],
                           LANEWISE_GDB="1", LANEWISE_TIER=tier, LANEWISE_ISA=isa, LANEWISE_VERIFY="1",
                           LANEWISE_SUB_GROUP_SIZE="4")
                lanes = len(numbers(told, "l"))
                self.assertIn(lanes, (4, 16), told)
                self.assertEqual(numbers(told, "row"), [x for part in row for x in part[:lanes]], told)
                self.assertEqual(numbers(told, "row[2]"), row[2][:lanes], told)
                for p in range(2):
                    self.assertEqual(numbers(told, f"found.sums[{p}]"), sums[p][:lanes], told)
                self.assertEqual(set(numbers(told, "s.step")), {7}, told)
                self.assertEqual(set(numbers(told, "s.scale[1]")), {0.25}, told)
                self.assertEqual(numbers(told, "*in@2"), [0, 0, 0, 100, 0.5, 3, 1, 101], told)
                self.assertEqual(numbers(told, "mine[1] - out"), 1, told)
                self.assertEqual(numbers(told, "*mine[3]"), 3, told)
                self.assertRegex(told, r"float mass;\n +int kind;\n +float place\[2\];\n} \*", told)

    def test_only_where_they_have_a_value(self):
        told = self.stop(self.build("-g"), "specialised", "sse4.2", line_of("v = in[l]", LANES))
        self.assertIsNone(numbers(told, "v.x"), told)
        self.assertEqual(numbers(told, "l"), [0, 1, 2, 3], told)
        self.assertIsNone(numbers(told, "other"), told)

    def validate(self, path):
        """Its text. spirv-val has pointers point to basic types only, unlike the specification."""
        text = subprocess.run(["spirv-dis", path], check=True, text=True, stdout=subprocess.PIPE).stdout
        basic = re.search(r"(%\w+) = OpExtInst \S+ \S+ DebugTypeBasic", text)
        plain = re.sub(r"(?<=DebugTypePointer )%\w+", basic.group(1), text) if basic else text
        module = subprocess.run(["spirv-as", "--preserve-numeric-ids", "-", "-o", "-"], input=plain.encode(),
                                check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["spirv-val", "-"], input=module, check=True)
        return text

    @unittest.skipUnless(shutil.which("clang-15") and shutil.which("llvm-spirv-15"), "there is no clang-15")
    def test_another_front_end(self):
        """DebugDeclare of clang-15 at -O0: numbers and pointers."""
        bitcode, module = (os.path.join(self.folder, "parts." + e) for e in ("bc", "spv"))
        subprocess.run(["clang-15", "--target=spir64", "-x", "cl", "-cl-std=CL3.0", "-O0", "-g", "-Xclang",
                        "-finclude-default-header", "-emit-llvm", "-c", PARTS, "-o", bitcode], check=True)
        subprocess.run(["llvm-spirv-15", bitcode, "-o", module], check=True)
        told = gdb([f"break parts.cl:{line_of('float other =', PARTS)}", "run",
                    *shows("l", "mine[1] - mine[0]", "*mine[3]")],
                   [RUN, "-g", "16", "-w", "16", module, "16", "i32[64]", "f32[16]=iota", "local:64",
                    "hex:" + "00" * 12], LANEWISE_GDB="1", LANEWISE_SUB_GROUP_SIZE="4")
        self.assertEqual(numbers(told, "l")[:4], [0, 1, 2, 3], told)
        self.assertEqual((numbers(told, "mine[1] - mine[0]"), numbers(told, "*mine[3]")), (1, 3), told)

    def test_parts_are_valid(self):
        text = self.validate(self.build("-g", source=PARTS))
        self.assertIn("DebugDeclare", text)
        self.assertNotIn("lw_mark", text)
        self.assertNotIn("OpConvertPtrToU", text)  # which clang made none of

    def test_modules(self):
        """Marks become what SPIR-V has for lines and variables; IR without debug information has neither."""
        for options, lines, values in ((["-g"], True, True), (["-gline-tables-only"], True, False),
                                       ([], False, False)):
            path = self.build(*options)
            text = self.validate(path)
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
    unittest.main(argv=sys.argv[:1] + sys.argv[9:])
