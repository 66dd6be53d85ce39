#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spirv-run as the ranks of mpirun: what each computes, what is refused, where ranks run.

    test_ranks.py SPIRV_RUN RANKS.spv

Status 77 where there is no mpirun.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

RUN, MODULE = (os.path.abspath(p) for p in sys.argv[1:3])
MPIRUN = shutil.which("mpirun")


def numbers(text):
    return [float(v) for v in text.split("[", 1)[1].split("]")[0].split()]


def cpus_of(text):
    """Of "0-2,5"."""
    return {cpu for part in text.split(",") for cpu
            in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)}


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def ranks(self, count, *args, options=(), env=None):
        """Options, then the kernel's arguments after '--'."""
        split = args.index("--")
        command = [MPIRUN, "--oversubscribe", "-n", count, "--mca", "btl", "self,vader", "--mca", "pml",
                   "ob1", *options,
                   RUN, *args[:split], MODULE, *args[split + 1:]]
        if not any(o.startswith("--bind") for o in options):
            command[1:1] = ["--bind-to", "none"]
        # "root" is what containers run as; Open MPI wants to be told twice
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120,
                              cwd=self.folder,
                              env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                   "TMPDIR": self.folder, **(env or {})})

    def good(self, *args, **how):
        done = self.ranks(*args, **how)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def refused(self, status, word, *args, **how):
        done = self.ranks(*args, **how)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        if status != 4:  # any number of ranks may fault
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
        self.assertIn(word, done.stderr)
        return done.stderr

    def test_ids(self):
        """Every rank sees the whole range, also where work-groups do not divide evenly."""
        for ranks, n, local in (1, 96, 8), (2, 96, 8), (4, 100, 8), (3, 56, 8):
            out = self.good(ranks, "-k", "where_am_i", "-g", n, "-w", local, "--split", 0, "--print", 0, "--",
                            f"u64[{8 * n}]")
            expected = []
            for i in range(n):
                group = i // local
                size = min(local, n - group * local)
                expected += [i, group, i % local, (n + local - 1) // local, n, 0, size, i]
            self.assertEqual(numbers(out), expected, ranks)

    def test_split_and_whole(self):
        n = 3000
        out = self.good(4, "-k", "scale", "-g", n, "-w", 100, "--split", "0,2", "--print", 2, "--",
                        f"f32[{n}]=iota",
                        "f32[7]=1,2,3,4,5,6,7", f"f32[{n}]=fill:-1")
        self.assertEqual(numbers(out), [i * (i % 7 + 1) for i in range(n)])

    def test_files(self):
        """Each rank reads its part of a file; one file is written."""
        n = 50000
        data = bytes(i * 7 % 251 for i in range(4 * n))
        with open(self.folder + "/in.bin", "wb") as file:
            file.write(data)
        self.good(3, "-k", "stencil", "-g", n, "-w", 100, "--split", "0,1", "-o", "1=out.bin", "--",
                  "@in.bin",
                  f"i32[{n}]", n, 0)
        words = memoryview(data).cast("i")
        with open(self.folder + "/out.bin", "rb") as file:
            got = memoryview(file.read()).cast("i")
        self.assertEqual(list(got), [(4 * w + 2**31) % 2**32 - 2**31 for w in words])
        self.assertEqual(sorted(f for f in os.listdir(self.folder) if f.startswith("out")), ["out.bin"])

    def test_one_result_per_group(self):
        out = self.good(4, "-k", "group_sums", "-g", 1024, "-w", 64, "--split", "0,1", "--print", 1, "--",
                        "i32[1024]=iota", "i32[16]")
        self.assertEqual(numbers(out), [sum(range(g * 64, g * 64 + 64)) for g in range(16)])

    def test_rows(self):
        width, height, local = 40, 30, 4
        out = self.good(4, "-k", "rows", "-g", f"{width},{height}", "-w", f"8,{local}", "--split", "0,1",
                        "--print", 1,
                        "--", f"i32[{width * height}]=iota", f"i32[{width * height}]", width)
        self.assertEqual(numbers(out), [3 * i + 1000 * (i // width // local) + 8 for i
                                        in range(width * height)])

    def test_neighbours(self):
        """Elements of the page beside a part are there; what is further away faults."""
        n = 1 << 16
        arguments = ["-k", "stencil", "-g", n, "-w", 256, "--split", "0,1", "--print", 1, "--",
                     f"i32[{n}]=iota",
                     f"i32[{n}]", n]
        expected = [max(i - 1, 0) + 2 * i + min(i + 1, n - 1) for i in range(n)]
        # three ranks: parts end inside of pages
        self.assertEqual(numbers(self.good(3, *arguments, 1)), expected)
        told = self.refused(4, "inside argument 0 (in)", 2, *arguments, 30000)
        self.assertRegex(told,
                         "rank 0: .*of which this rank has elements 0 to 32767|rank 1: .* elements 32768 to "
                         "65535")

    def test_reductions(self):
        n = 4096
        out = self.good(4, "-k", "count", "-g", n, "-w", 64, "--split", 0, "--reduce", "1=sum", "--reduce",
                        "2=min",
                        "--reduce", "3=max", "--print", 1, "--print", 2, "--print", 3, "--",
                        f"i32[{n}]=iota", "i32[1]=fill:5",
                        "i32[1]=fill:77", "u32[1]")
        lines = [numbers(line) for line in out.splitlines()]
        self.assertEqual(lines, [[5 + sum(range(n))], [0], [n - 1]])

    def test_reduced_types(self):
        n = 64
        for how, value in ("sum", float), ("max", lambda i: max(float(i), 0)), ("min",
                                                                                lambda i: min(float(i), 0)):
            reduces = [o for i in range(4) for o in ("--reduce", f"{i}={how}")]
            prints = [o for i in range(4) for o in ("--print", i)]
            out = self.good(2, "-k", "spread", "-g", n, "-w", 8, *reduces, *prints, "--", f"f32[{n}]",
                            f"f64[{n}]",
                            f"i64[{n}]", f"f16[{n}]")
            lines = [numbers(line) for line in out.splitlines()]
            self.assertEqual(lines, [[value(f * i) for i in range(n)] for f in (0.5, 0.25, -1, 1)], how)

    def test_refusals(self):
        one = ["-w", 16, "--", "i32[64]=iota", "i32[4]"]
        self.refused(2, "4 work-groups along dimension 0", 5, "-k", "group_sums", "-g", 64, "--split", "0,1",
                     *one)
        self.refused(2, "argument 1 (out) has 3 elements", 2, "-k", "group_sums", "-g", 64, "-w", 16,
                     "--split", "0,1",
                     "--", "i32[64]=iota", "i32[3]")
        self.refused(2, "--split names argument 7", 2, "-k", "group_sums", "-g", 64, "--split", "0,7", *one)
        self.refused(2, "which is no buffer", 2, "-k", "rows", "-g", "8,8", "-w", "8,1", "--split", "2",
                     "--", "i32[64]",
                     "i32[64]", 8)
        self.refused(2, "--split 0;1", 2, "-k", "group_sums", "-g", 64, "--split", "0;1", *one)
        self.refused(2, "--reduce 1=product", 2, "-k", "group_sums", "-g", 64, "--reduce", "1=product", *one)
        self.refused(2, "in --split and in --reduce", 2, "-k", "group_sums", "-g", 64, "--split", "0,1",
                     "--reduce",
                     "1=sum", *one)
        self.refused(2, "no kernel 'nothing'", 3, "-k", "nothing", "-g", 64, *one)

    def test_writes_that_would_be_lost(self):
        self.refused(2, "kernel 'group_sums' wrote argument 1 (out), of which every rank has its own", 2,
                     "-k",
                     "group_sums", "-g", 64, "-w", 16, "--split", "0", "--", "i32[64]=iota", "i32[4]")
        self.refused(4, "outside of this rank's elements", 2, "-k", "turned_over", "-g", 64, "-w", 8,
                     "--split", "0", "--",
                     "i32[64]", 64, 1)

    def test_report(self):
        out = self.good(3, "-k", "scale", "-g", 999, "-w", 10, "--split", "0,2", "--time", "-n", 3, "--json",
                        "--expect",
                        "2=zeros", "--", "f32[999]", "f32[7]", "f32[999]", env={"LANEWISE_THREADS": "1"})
        ranks = json.loads(out)["ranks"]
        self.assertEqual([(r["rank"], r["first_group"], r["end_group"], r["threads"]) for r in ranks],
                         [(0, 0, 33, 1), (1, 33, 66, 1), (2, 66, 100, 1)])
        text = self.good(2, "-k", "scale", "-g", 999, "-w", 10, "--split", "0,2", "--time", "-n", 3, "--",
                         "f32[999]",
                         "f32[7]", "f32[999]")
        self.assertEqual([line.split(" on ")[0] for line in text.splitlines() if line.startswith("rank ")],
                         ["rank 0", "rank 1"])

    def test_bound_ranks(self):
        """A rank that is bound to some processors has as many threads."""
        count = min(len(os.sched_getaffinity(0)), 2)
        for bind in "core", "none":
            out = self.good(count, "-k", "scale", "-g", 1000, "-w", 10, "--split", "0,2", "--json", "--time",
                            "-n", 1, "--",
                            "f32[1000]", "f32[7]", "f32[1000]", options=["--bind-to", bind],
                            env={"LANEWISE_THREADS": ""})
            ranks = json.loads(out)["ranks"]
            for rank in ranks:
                self.assertLessEqual(rank["threads"], len(cpus_of(rank["cpus"])))
            if bind == "core":
                self.assertEqual(len({rank["cpus"] for rank in ranks}), count, ranks)

    @unittest.skipUnless(shutil.which("numactl"), "NOT RUN: no numactl: apt-get install numactl")
    def test_numa(self):
        """A rank per node: its threads have that node's processors alone."""
        told = subprocess.run(["numactl", "--hardware"], capture_output=True, text=True, check=True).stdout
        nodes = [set(map(int, line.split("cpus:")[1].split())) for line in told.splitlines() if " cpus:"
                 in line]
        nodes = [node for node in nodes if node]
        out = self.good(len(nodes), "-k", "scale", "-g", 1000, "-w", 10, "--split", "0,2", "--json",
                        "--time", "-n", 1,
                        "--", "f32[1000]", "f32[7]", "f32[1000]",
                        options=["--map-by", "numa", "--bind-to", "numa"],
                        env={"LANEWISE_THREADS": ""})
        for rank in json.loads(out).get("ranks", []):
            self.assertTrue(any(cpus_of(rank["cpus"]) <= node for node in nodes), rank)
        print(f"{len(nodes)} NUMA node(s)" + ("" if len(nodes) > 1 else ": nothing to keep apart"))


if __name__ == "__main__":
    if not MPIRUN:
        print("NOT RUN: no mpirun: apt-get install openmpi-bin libopenmpi-dev")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
