#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `meson install` leaves, below a DESTDIR that is moved afterwards, as a user finds it: the programs
run, the
compiler library is found, an example in C builds and runs by what pkg-config says, OpenCL programs run on the
platform.

    test_install.py BUILD SOURCE PREFIX SAXPY.spv
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE, PREFIX, MODULE = sys.argv[1:5]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("LANEWISE_", "OCL_ICD_", "OPENCL_",
                                                                  "LD_LIBRARY"))}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        first = os.path.join(cls.folder, "first")
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", first],
                              text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=CLEAN)
        if done.returncode:
            raise RuntimeError(done.stdout)
        cls.told = done.stdout
        cls.root = os.path.join(cls.folder, "moved")
        os.rename(first, cls.root)
        cls.prefix = cls.root + PREFIX
        cls.env = {**CLEAN, "XDG_CACHE_HOME": os.path.join(cls.folder, "cache")}
        cls.icd_library = cls.find("liblanewise-opencl.so")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def find(cls, name):
        found = [os.path.join(f, name) for f, _, names in os.walk(cls.root) if name in names]
        if len(found) != 1:
            raise RuntimeError(f"{len(found)} files are named {name}")
        return found[0]

    def run_it(self, *command, **env):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=120,
                              env={**self.env, **env})
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}")
        return done.stdout

    def test_last_lines_say_what_to_set(self):
        self.assertTrue("OCL_ICD_VENDORS=" in self.told, self.told[-500:])

    def test_spirv_run(self):
        out = self.run_it(self.find("spirv-run"), "-g", "4", "--print", "3", MODULE, "4", "2", "f32[4]=iota",
                          "f32[4]=fill:1")
        self.assertIn("[1 3 5 7]", out)

    def test_c_example(self):
        """pkg-config's root stands before what the file says, as for a cross build."""
        pc = os.path.dirname(self.find("lanewise.pc"))
        flags = self.run_it("pkg-config", "--cflags", "--libs", "lanewise", PKG_CONFIG_PATH=pc,
                            PKG_CONFIG_SYSROOT_DIR=self.root).split()
        program = os.path.join(self.folder, "saxpy")
        self.run_it("cc", "-Wall", "-Werror", os.path.join(SOURCE, "examples/c/saxpy.c"), *flags, "-o",
                    program)
        out = self.run_it(program, MODULE, LD_LIBRARY_PATH=os.path.dirname(self.find("liblanewise.so.0")))
        self.assertIn("are right", out)

    def test_icd(self):
        """Through the loader, from source: clang and lanewise-spirv are found, too."""
        out = self.run_it(os.path.join(BUILD, "examples/saxpy-opencl"), "Lanewise",
                          os.path.join(SOURCE, "examples/saxpy.cl"), OCL_ICD_VENDORS=self.icd_library)
        self.assertIn("are right", out)

    def test_icd_file(self):
        with open(self.find("lanewise.icd")) as file:
            self.assertEqual(self.root + file.read().strip(), self.icd_library)

    def test_bench(self):
        """Its kernels, its code by hand and its platform are found from where it lies."""
        out = self.run_it(self.find("lanewise-bench"), "--quick", "--kernel", "triad", "--no-figures",
                          "--icd",
                          self.icd_library)
        self.assertIn("triad", out)
        self.assertIn("by hand", out)

    def test_no_path_of_the_build(self):
        """But in debug information, which packages have for themselves. Two builds anywhere are equal so."""
        stripped = os.path.join(self.folder, "stripped")
        for folder, _, names in os.walk(self.root):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    data = file.read()
                if data[:4] == b"\x7fELF":
                    self.run_it("objcopy", "--strip-debug", path, stripped)
                    with open(stripped, "rb") as file:
                        data = file.read()
                for place in {BUILD, SOURCE, os.path.realpath(SOURCE)}:
                    at = data.find(os.path.abspath(place).encode() + b"/")
                    self.assertEqual(at, -1, f"{path}: {data[max(at - 40, 0):at + 80]}")

    def test_uninstalled_names(self):
        """Nothing says the build tree's paths where the loader would follow them."""
        for name in ("spirv-run", "lanewise-bench", "opencl-latency", "liblanewise.so.0",
                     "liblanewise-opencl.so"):
            dynamic = self.run_it("readelf", "-dW", self.find(name))
            for line in dynamic.splitlines():
                if "RUNPATH" in line or "RPATH" in line:
                    self.assertIn("[$ORIGIN/", line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
