#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LANEWISE_TRACE and LANEWISE_PERF from outside: what their readers need is there, and agrees with what was
run.

    test_profiling.py SPIRV_RUN SAXPY.spv SAXPY_OPENCL SAXPY.cl SAXPY_WITHOUT_LINES.spv
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

RUN, MODULE, OPENCL, SOURCE, WITHOUT_LINES = (os.path.abspath(p) for p in sys.argv[1:6])
N = 1 << 22


class Profiling(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.trace = os.path.join(self.folder, "trace.json")

    def run_it(self, *command, **env):
        process = subprocess.Popen(command, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env={**os.environ, "LANEWISE_CACHE": "1",
                                        "LANEWISE_CACHE_DIR": self.folder + "/cache",
                                        **env})
        out, told = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, told)
        return out, told

    def saxpy(self, *options, **env):
        return self.run_it(RUN, "-g", str(N), "-w", "256", *options, MODULE, str(N), "2", f"f32[{N}]=iota",
                           f"f32[{N}]",
                           **env)

    def events(self):
        with open(self.trace) as file:
            text = file.read()
        self.assertTrue(text.startswith("[\n"))
        events = json.loads(text + "{}]")[:-1]
        names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] ==
                 "process_name"}
        events = [e for e in events if e["ph"] != "M"]
        self.assertLessEqual({e["pid"] for e in events}, set(names))
        self.assertLessEqual(set(names.values()), {"spirv-run", "saxpy-opencl", "lanewise-compile"})
        for event in events:
            self.assertEqual(event["ph"], "X")
            self.assertGreaterEqual(event["dur"], 0)
        return events

    def test_dispatches_and_work(self):
        self.saxpy("--time", "-n", "7", LANEWISE_TRACE=self.trace, LANEWISE_THREADS="2",
                   LANEWISE_TIER="specialised")
        events = self.events()
        dispatches = [e for e in events if e["cat"] == "dispatch"]
        self.assertGreaterEqual(len(dispatches), 7)
        for event in dispatches:
            self.assertEqual(event["name"], "saxpy")
            self.assertEqual((event["args"]["items"], event["args"]["code"]), (N, "specialised"))
            self.assertEqual(event["args"]["groups"] * event["args"]["local"], N)
        works = [e for e in events if e["cat"] == "work"]
        self.assertTrue(works, "no worker took part")
        for work in works:  # within a dispatch of another thread, and a part of its work-groups
            around = [d for d in dispatches if d["ts"] <= work["ts"] and
                      work["ts"] + work["dur"] <= d["ts"] + d["dur"] + 0.01]
            self.assertEqual(len(around), 1, work)
            self.assertNotEqual(around[0]["tid"], work["tid"])
            self.assertLessEqual(work["args"]["groups"], around[0]["args"]["groups"])

    def test_compilations_and_the_cache(self):
        for process in range(2):
            self.saxpy(LANEWISE_TRACE=self.trace, LANEWISE_TIER="specialised")
        events = [e for e in self.events() if e["cat"] in ("compile", "cache")]
        first, second = sorted({e["pid"] for e in events}, key=[e["pid"] for e in events].index)
        cold = [e for e in events if e["pid"] == first]
        self.assertEqual([e["cat"] for e in cold], ["cache", "compile"] * (len(cold) // 2))
        self.assertFalse(any(e["args"].get("hit") for e in cold))
        self.assertTrue(all(e["args"]["good"] for e in cold if e["cat"] == "compile"))
        warm = [e for e in events if e["pid"] == second]
        self.assertTrue(warm and all(e["cat"] == "cache" and e["args"]["hit"] for e in warm))

    def test_passes(self):
        """Inside of each compilation, by the process that compiles: what is long enough to be seen."""
        self.saxpy(LANEWISE_TRACE="trace.json", LANEWISE_TIER="specialised", LANEWISE_CACHE="0")
        events = self.events()
        compiled = [e for e in events if e["cat"] == "compile"]
        passes = [e for e in events if e["cat"] == "pass"]
        self.assertLessEqual({"codegen", "optimize"}, {e["name"] for e in passes})
        for each in [e for e in events if e["cat"] == "passes"]:
            around = [c for c in compiled if c["name"] == each["name"] and c["ts"] <= each["ts"] and
                      each["ts"] + each["dur"] <= c["ts"] + c["dur"] + 0.01]
            self.assertTrue(around, each)
            self.assertNotEqual(each["pid"], around[0]["pid"])
        for one in passes:
            self.assertTrue([e for e in events if e["cat"] == "passes" and e["tid"] == one["tid"] and
                             e["ts"] <= one["ts"] and one["ts"] + one["dur"] <= e["ts"] + e["dur"] + 0.01],
                             one)

    def test_opencl(self):
        self.run_it(OPENCL, "Lanewise", SOURCE, LANEWISE_TRACE=self.trace)
        kinds = [e["cat"] for e in self.events()]
        self.assertEqual(kinds.count("enqueue"), 1)
        self.assertEqual(kinds.count("dispatch"), 1)

    def test_unwritable(self):
        for setting in ("LANEWISE_TRACE", "LANEWISE_EXPLAIN"):
            _, told = self.saxpy(**{setting: "/dev/null/trace.json"})
            self.assertIn(f"{setting}=/dev/null/trace.json cannot be written", told)

    def notes(self, report):
        return [(n["kind"], n["text"], n["count"]) for n in report["notes"] if n["kind"] != "math"]

    def test_explain(self):
        """LANEWISE_EXPLAIN from any program: beside the text of OpenCL C; as JSON what spirv-run tells."""
        env = {"TMPDIR": self.folder}
        for run in range(2):  # from the cache of sources, too
            _, told = self.run_it(OPENCL, "Lanewise", SOURCE, LANEWISE_EXPLAIN="1", **env)
            self.assertRegex(told, r"kernel saxpy as \d+ lanes of \S+, sub-group size \d+, specialised "
                                   r"code for work-groups of \d+ x 1 x 1\n\S+/lanewise-program\.cl\n")
            self.assertIn("     9 | y[i] = a * x[i] + y[i];\n", told)
            self.assertIn("load: contiguous  (x2)\n", told)
        path = os.path.join(self.folder, "report.json")
        for processes in range(1, 3):  # appended
            self.run_it(OPENCL, "Lanewise", SOURCE, LANEWISE_EXPLAIN=path, **env)
            with open(path) as file:
                reports = [json.loads(line) for line in file]
            self.assertEqual(len(reports), processes)
        report, again = reports
        self.assertEqual(report, again)
        self.assertEqual((report["kernel"], report["code"]), ("saxpy", "specialised"))
        lines = {n["line"] for n in report["notes"]}
        self.assertEqual(lines, {8, 9})
        out, _ = self.run_it(RUN, "-g", "1000", "--explain", "--json", WITHOUT_LINES, "1000", "2",
                             "f32[1000]", "f32[1000]", LANEWISE_EXPLAIN=os.path.join(self.folder, "text"))
        wanted = {}
        for kind, text, count in self.notes(json.loads(out)["explain"]):
            wanted[kind, text] = wanted.get((kind, text), 0) + count
        self.assertEqual({(k, t): c for k, t, c in self.notes(report)}, wanted)
        with open(os.path.join(self.folder, "text")) as file:
            self.assertRegex(file.read(), r"\| OpStore of %y\n *\| *memory *store: contiguous\n")

    def test_explain_failures(self):
        """What slower code took the place of."""
        _, told = self.run_it(OPENCL, "Lanewise", SOURCE, LANEWISE_EXPLAIN="1", LANEWISE_BUDGET="5",
                              TMPDIR=self.folder, LANEWISE_VERIFY="0")
        self.assertRegex(told, r"failed     kernel saxpy: no specialised code: .*budget is 5")
        self.assertRegex(told, r"kernel saxpy as .*, masked code for work-groups of any size\n")

    def test_perf(self):
        self.saxpy(LANEWISE_PERF="1", LANEWISE_TIER="specialised")
        dumps = [f for f in os.listdir(self.folder) if f.startswith("jit-")]
        self.assertEqual(len(dumps), 1)
        process = int(dumps[0][4:-5])
        with open(f"/tmp/perf-{process}.map") as file:
            lines = [line.rstrip("\n").split(" ", 2) for line in file]
        os.unlink(f"/tmp/perf-{process}.map")
        with open(os.path.join(self.folder, dumps[0]), "rb") as file:
            data = file.read()
        magic, version, size, machine, _, owner = struct.unpack_from("<6I", data)
        self.assertEqual((magic, version, size, machine, owner), (0x4A695444, 1, 40, 62, process))
        at, found = size, []
        while at < len(data):
            if struct.unpack_from("<I", data, at)[0] == 2:
                total, told = self.read_lines(data, at)
                at += total
            record = struct.unpack_from("<IIQIIQQQQ", data, at)
            kind, total, _, owner, _, address, code_address, count, index = record
            self.assertEqual((kind, owner, address, index), (0, process, code_address, len(found)))
            name = data[at + 56:data.index(b"\0", at + 56)]
            code = data[at + 56 + len(name) + 1:at + total]
            self.assertEqual(len(code), count)
            found.append([f"{address:x}", f"{count:x}", name.decode()])
            self.disassemble(code)
            self.check_lines(told, address, count)
            at += total
        self.assertEqual(found, lines)
        self.assertIn("saxpy [specialised]", [name for _, _, name in found])

    def read_lines(self, data, at):
        """A record of lines: its size, the code's address, and (address, line, file) of each row."""
        _, total, _, code, count = struct.unpack_from("<IIQQQ", data, at)
        end, at, rows = at + total, at + 32, []
        while at < end:
            address, line, _ = struct.unpack_from("<QII", data, at)
            name = data[at + 16:data.index(b"\0", at + 16)]
            rows.append((address, line, name.decode()))
            at += 16 + len(name) + 1
        self.assertEqual((at, len(rows)), (end, count))
        return total, (code, rows)

    def check_lines(self, told, address, count):
        code, rows = told
        self.assertEqual(code, address)
        self.assertEqual({os.path.realpath(name) for _, _, name in rows}, {os.path.realpath(SOURCE)})
        self.assertTrue(all(address <= a < address + count for a, _, _ in rows), rows)
        with open(SOURCE) as file:
            wanted = {n for n, line in enumerate(file, 1) if "y[i] =" in line or "if (i < n)" in line}
        self.assertLessEqual(wanted, {line for _, line, _ in rows})

    def test_fault_names_its_line(self):
        """LANEWISE_DEBUG: the line of OpenCL C that touched what it may not."""
        path = os.path.join(self.folder, "wild.cl")
        with open(path, "w") as file:
            file.write("kernel void\nsaxpy(uint n, float a, global const float *x, global float *y)\n{\n"
                       "    size_t i = get_global_id(0);\n"
                       "    if (i < n)\n        y[i + ((size_t)n << 40)] = a;\n}\n")
        for tier in ("first", "masked", "specialised"):
            process = subprocess.run([OPENCL, "Lanewise", path], cwd=self.folder, text=True, timeout=120,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     env={**os.environ, "LANEWISE_DEBUG": "1", "LANEWISE_TIER": tier,
                                          "LANEWISE_CACHE": "0"})
            self.assertNotEqual(process.returncode, 0)
            self.assertRegex(process.stdout,
                             r"kernel saxpy: work-group [^\n]* at lanewise-program\.cl:6; the launch")

    def disassemble(self, code):
        """By binutils: the bytes are instructions, of which some return and some multiply floats."""
        path = os.path.join(self.folder, "code")
        with open(path, "wb") as file:
            file.write(code)
        out, _ = self.run_it("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", path)
        self.assertRegex(out, r"\tret")
        self.assertRegex(out, r"\tv?(mul|fmadd\d+)[ps]s")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[6:])
