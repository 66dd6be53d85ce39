#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The wheel of tools/build-wheel in a virtual environment of its own: found by PyPI's pyopencl with no
setting, run by
numpy alone, commands, and nothing left after it is removed. Needs PyPI for pyopencl, numpy and auditwheel.

    test_wheel.py WHEEL SAXPY.cl
"""
import os
import subprocess
import sys
import tempfile
import unittest

WHEEL, SOURCE = (os.path.abspath(p) for p in sys.argv[1:3])
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("LANEWISE_", "OCL_ICD_", "OPENCL_", "LD_",
                                                                  "PYTHON"))}

FROM_SOURCE = """
import sys, numpy, pyopencl as cl
platform = [p for p in cl.get_platforms() if p.name == "Lanewise"][0]
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
n = 1000
x, y = numpy.arange(n, dtype="f4"), numpy.full(n, 3, "f4")
flags = cl.mem_flags.COPY_HOST_PTR
bx, by = cl.Buffer(context, flags, hostbuf=x), cl.Buffer(context, flags, hostbuf=y)
saxpy = cl.Program(context, open(sys.argv[1]).read()).build().saxpy
saxpy(queue, (n,), None, numpy.uint32(n), numpy.float32(2), bx, by)
got = numpy.empty_like(y)
cl.enqueue_copy(queue, got, by)
assert (got == 2 * x + 3).all(), got
import lanewise
maps = open("/proc/self/maps").read()
assert lanewise.icd_path() in maps
print("right")
"""

KERNELS = """
import numpy, lanewise, os
spv = os.path.join(lanewise.FOLDER, "share", "saxpy.spv")
saxpy = lanewise.Kernel(spv)
x, y = numpy.arange(100, dtype="f4"), numpy.ones(100, "f4")
saxpy(128, 100, 0.5, x, y, local_size=16)
assert (y == 0.5 * x + 1).all()
saxpy((50,), 100, 1, x, y, offset=50)
assert (y[:50] == 0.5 * x[:50] + 1).all() and (y[50:] == 1.5 * x[50:] + 1).all()
saxpy(100, numpy.uint32(2**32 - 1), 0.0, x, y)

def refused(kind, text, *arguments, **how):
    try:
        saxpy(*arguments, **how)
    except kind as problem:
        assert text in str(problem), problem
    else:
        raise AssertionError(f"{arguments} were taken")

refused(TypeError, "an array is expected", 8, 8, 1, x, 7)
refused(TypeError, "4 arguments", 8, 8, 1, x)
refused(TypeError, "argument 2 (global float* x)", 8, 8, 1, x)
refused(TypeError, "a number is expected, not 'eight'", 8, "eight", 1, x, y)
refused(ValueError, "not contiguous", 4, 4, 1, x[::2], y)
refused(OverflowError, "does not fit", 8, 2**32, 1, x, y)
refused(TypeError, "an integer is expected", 8, 1.5, 1, x, y)
refused(ValueError, "1 numbers are expected", 8, 8, (1, 2), x, y)
y.flags.writeable = False
refused(ValueError, "read-only", 8, 8, 1, x, y)
refused(ValueError, "global_size", (1, 2, 3, 4), 8, 1, x, x)
refused(ValueError, "as many sizes", 8, 8, 1, x, x, local_size=(4, 2))
import warnings
for given, told in ((x, 0), (x.astype("f8"), 1), (numpy.zeros(100, "u4"), 1)):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        saxpy(8, 0, 1.0, given, numpy.ones(100, "f4"))
    texts = [str(w.message) for w in seen]
    assert texts == [f"argument 2 (global float* x): the array has {given.dtype}"] * told, texts
with open("bad.cl", "w") as file:
    file.write("kernel void k(global float *x) { x[0] = 1; }")
try:
    lanewise.Kernel("bad.cl")
except lanewise.Error as problem:
    assert "'bad.cl'" in str(problem) and "clang-22" in str(problem), problem
for bad, kind in ((b"nonsense" * 4, lanewise.Error), ("/nonexistent.spv", FileNotFoundError)):
    try:
        lanewise.Kernel(bad)
    except kind:
        continue
    raise AssertionError(bad)
try:
    lanewise.Kernel(spv, "other")
except ValueError as problem:
    assert "saxpy" in str(problem) and "other" in str(problem)
print("right")
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.env = {**CLEAN, "XDG_CACHE_HOME": os.path.join(cls.folder, "cache"), "HOME": cls.folder}
        subprocess.run([sys.executable, "-m", "venv", os.path.join(cls.folder, "venv")], check=True)
        cls.python = os.path.join(cls.folder, "venv/bin/python")
        cls.pip("install", "numpy", "pyopencl", "auditwheel")
        cls.before = cls.files()
        cls.pip("install", "--no-index", WHEEL)

    @classmethod
    def tearDownClass(cls):
        cls.pip("uninstall", "-y", "lanewise")
        left = {f for f in cls.files() - cls.before if "__pycache__" not in f}
        cls.temporary.cleanup()
        if left:
            raise AssertionError(f"left behind: {sorted(left)}")

    @classmethod
    def pip(cls, *arguments):
        subprocess.run([cls.python, "-m", "pip", "-q", "--disable-pip-version-check", *arguments],
                       check=True, env=CLEAN)

    @classmethod
    def files(cls):
        return {os.path.join(f, n) for f, _, names in os.walk(os.path.join(cls.folder, "venv")) for n
                in names}

    def run_it(self, *command, status=0, **env):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=120,
                              cwd=self.folder, env={**self.env, **env})
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def command(self, name):
        return os.path.join(self.folder, "venv/bin", name)

    def test_pyopencl_with_no_setting(self):
        self.assertEqual(self.run_it(self.python, "-c", FROM_SOURCE, SOURCE).strip(), "right")

    def test_numpy(self):
        self.assertEqual(self.run_it(self.python, "-c", KERNELS).strip(), "right")

    def test_check(self):
        out = self.run_it(self.python, "-m", "lanewise", "check")
        self.assertIn("finds the platform Lanewise", out)
        self.assertIn("right, 1000 work-items", out)
        self.assertNotIn("FAILED", out)

    def test_check_without_clang(self):
        self.assertIn("install clang-22", self.run_it(self.python, "-m", "lanewise", "check",
                                                      PATH="/nonexistent"))

    def test_env(self):
        """For a loader that looks nowhere, and one that looks at /etc: the system's clinfo, where there is
        one."""
        path = self.run_it(self.python, "-c", "import lanewise; print(lanewise.icd_path())").strip()
        self.assertIn(f"export OCL_ICD_VENDORS={path}", self.run_it(self.python, "-m", "lanewise", "env"))
        self.assertTrue(os.access(path, os.R_OK))

    def test_commands(self):
        spv = self.run_it(self.python, "-c",
                          "import lanewise; print(lanewise.FOLDER)").strip() + "/share/saxpy.spv"
        out = self.run_it(self.command("spirv-run"), "-g", "4", "--print", "3", spv, "4", "2", "f32[4]=iota",
                          "f32[4]=fill:1")
        self.assertIn("[1 3 5 7]", out)
        self.run_it(self.command("spirv-run"), status=2)
        out = self.run_it(self.command("lanewise-bench"), "--quick", "--no-figures", "--kernel", "triad")
        self.assertIn("lanewise: Lanewise", out)
        self.assertIn("by hand", out)
        self.assertIn("usage: opencl-latency", self.run_it(self.command("opencl-latency"), "--help"))

    def test_auditwheel(self):
        tag = WHEEL.rsplit("-", 1)[1][:-len(".whl")]
        out = " ".join(self.run_it(self.python, "-m", "auditwheel", "show", WHEEL).split())
        self.assertIn(f'consistent with the following platform tag: "{tag}"', out)

    def test_size(self):
        self.assertLess(os.path.getsize(WHEEL), 35 << 20)


class Clang(unittest.TestCase):
    """lanewise[clang], on a machine without one, in an environment that is not activated. 110 MB of PyPI."""

    def test_clang_of_pypi(self):
        with tempfile.TemporaryDirectory() as folder:
            python = os.path.join(folder, "venv/bin/python")
            subprocess.run([sys.executable, "-m", "venv", os.path.join(folder, "venv")], check=True)
            subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "numpy",
                            "pyopencl",
                            WHEEL + "[clang]"], check=True, env=CLEAN)
            env = {**CLEAN, "PATH": "/nonexistent", "XDG_CACHE_HOME": os.path.join(folder, "cache"),
                   "HOME": folder}
            done = subprocess.run([python, "-c", FROM_SOURCE, SOURCE], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120, env=env)
            self.assertEqual(done.stdout.strip(), "right")
            done = subprocess.run([python, "-m", "lanewise", "check"], text=True, stdout=subprocess.PIPE,
                                  timeout=120, env=env)
            self.assertIn("venv/bin/clang-22", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
