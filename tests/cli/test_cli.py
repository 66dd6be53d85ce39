#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spirv-run from outside: statuses, messages, files, faults, time-outs.

Usage: test_cli.py SPIRV_RUN KERNELS.spv IMAGE.spv CONSTANT.spvasm LINES.spv [unittest arguments]

LINES is a module with line information: examples/saxpy.cl as clang-15 and llvm-spirv-15 make it.
"""
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from machine import has, levels  # noqa: E402

RUN, KERNELS, IMAGE, CONSTANT, LINES = (os.path.abspath(p) for p in sys.argv[1:6])
SCALARS = "8 200 -300 60000 -5 4000000000 -6 18446744073709551615 1.5 -0.25".split()


# out[i] = in[in[i]] * in[i] + n * n, of a kernel whose name is HTML
FORMS = r"""
OpCapability Addresses
OpCapability Kernel
OpCapability Int64
%1 = OpExtInstImport "OpenCL.std"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "a<b>&\"c" %id
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %id Constant
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%v3 = OpTypeVector %u64 3
%pv3 = OpTypePointer Input %v3
%pu32 = OpTypePointer CrossWorkgroup %u32
%type = OpTypeFunction %void %pu32 %pu32 %u32
%id = OpVariable %pv3 Input
%main = OpFunction %void None %type
%in = OpFunctionParameter %pu32
%out = OpFunctionParameter %pu32
%n = OpFunctionParameter %u32
%entry = OpLabel
%ids = OpLoad %v3 %id
%i = OpCompositeExtract %u64 %ids 0
%pin = OpInBoundsPtrAccessChain %pu32 %in %i
%contiguous = OpLoad %u32 %pin Aligned 4
%wide = OpUConvert %u64 %contiguous
%pin2 = OpInBoundsPtrAccessChain %pu32 %in %wide
%gathered = OpLoad %u32 %pin2 Aligned 4
%uniform = OpIMul %u32 %n %n
%quotient = OpIMul %u32 %gathered %contiguous
%side = OpIAdd %u32 %quotient %uniform
%pout = OpInBoundsPtrAccessChain %pu32 %out %i
OpStore %pout %side Aligned 4
OpReturn
OpFunctionEnd
"""


class Result:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.text = self.out.decode(errors="replace")
        self.told = self.err.decode(errors="replace")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def run_cli(self, *args, stdin=b"", timeout=60, env=None):
        process = subprocess.run([RUN, *map(str, args)], input=stdin, capture_output=True, timeout=timeout,
                                 cwd=self.folder.name, env={**os.environ, **(env or {})})
        return Result(process)

    def kernel(self, name, *args, **how):
        """Options, then '--' in `args` where the kernel's arguments begin."""
        split = args.index("--")
        return self.run_cli("-k", name, *args[:split], KERNELS, *args[split + 1:], **how)

    def good(self, result):
        self.assertEqual((result.status, result.told), (0, ""), result.text)
        return result.text

    def refused(self, result, status, *words):
        self.assertEqual(result.status, status, result.told + result.text)
        self.assertEqual(result.told.count("error: "), 1, result.told)
        self.assertTrue(result.told.startswith("error: "), result.told)
        self.assertEqual(result.text, "")
        for word in words:
            self.assertIn(word, result.told)

    def values(self, result):
        return self.good(result).strip().split("[", 1)[1].rstrip("]").split()


class Information(Case):
    def test_cross_check(self):
        """Every code of a kernel is compared with masked code, where it must agree: what atomics tell need
        not."""
        env = {"LANEWISE_CROSS_CHECK": "2"}
        summing = self.kernel("add_one", "-g", "100", "--expect", "0=fill:1", "--", "i32[100]", env=env)
        self.assertEqual(summing.status, 0, summing.told)
        self.assertIn("1 dispatches compared, 0 not", summing.told)
        want = ",".join(str(i * 100 + j) for i in range(64) for j in range(16))
        turned = self.kernel("columns", "-g", "64,16", "--expect", "0=" + want, "--", "i32[1024]", env=env)
        self.assertEqual(turned.status, 0, turned.told)
        self.assertIn("1 dispatches compared, 0 not", turned.told)
        telling = self.kernel("count_up", "-g", "100", "--", "i32[100]=fill:1", "i32[100]", env=env)
        self.assertEqual(telling.status, 0, telling.told)
        self.assertIn("0 dispatches compared, 1 not", telling.told)

    def test_help_version(self):
        self.assertIn("Usage: spirv-run", self.good(self.run_cli("--help")))
        self.assertIn("Lanewise", self.good(self.run_cli("--version")))
        self.assertIn("LANEWISE_DUMP", self.good(self.run_cli("--help-env")))

    def test_list(self):
        text = self.good(self.run_cli("--list", KERNELS))
        self.assertIn("kernel vectors\n", text)
        self.assertIn("float4", text)
        self.assertIn("required work-group size 8,2,1", text)
        tile = text[text.index("kernel tile\n") :]
        # 20 rows of 24 ints
        self.assertIn("local memory of its own: 1920 bytes\n", tile[: tile.index("\nkernel ")])

    def test_list_json(self):
        data = json.loads(self.good(self.run_cli("--json", "-l", KERNELS)))
        kernels = {k["name"]: k for k in data["kernels"]}
        self.assertEqual(kernels["required"]["required_work_group_size"], [8, 2, 1])
        self.assertEqual([a["kind"] for a in kernels["locals"]["arguments"]], ["local", "pointer"])
        self.assertEqual(kernels["structs"]["arguments"][0]["size"], 8)
        self.assertEqual(kernels["vectors"]["arguments"][0]["components"], 4)
        self.assertEqual(data["status"], 0)

    def test_list_constants(self):
        data = json.loads(self.good(self.run_cli("--json", "-l", CONSTANT)))
        self.assertEqual(data["spec_constants"], [{"id": 7, "name": "scale", "type": "u32", "value": [42]}])


class Arguments(Case):
    def test_scalars(self):
        got = self.values(self.kernel("scalars", "-g", 1, "--print", 10, "--", *SCALARS, "f64[10]"))
        self.assertEqual([float(v) for v in got], [float(v) for v in SCALARS])

    def test_scalar_patterns(self):
        args = ["0xff", "-1", "65535", "-1", "0xffffffff", "-1", "-1", "-1", "-inf", "0x1p-3", "f64[10]"]
        got = self.values(self.kernel("scalars", "-g", 1, "--print", 10, "--", *args))
        self.assertEqual([float(v) for v in got],
                         [-1, 255, -1, 65535, -1, 4294967295, -1, float(2**64 - 1), -math.inf, 0.125])

    def test_scalar_refusals(self):
        for index, value, word in [(0, "256", "does not fit"), (0, "-129", "does not fit"),
                                   (4, "1.5", "no integer"),
                                   (8, "1.5x", "no number"), (4, "f32[4]", "a buffer was given"),
                                   (4, "1,2", "2 values for 1"), (4, "local:8", "local memory was given"),
                                   (4, "null", "null was given"), (9, "", "none of a number"),
                                   (6, "99999999999999999999", "no number")]:
            args = SCALARS + ["f64[10]"]
            args[index] = value
            result = self.kernel("scalars", "-g", 1, "--", *args)
            self.refused(result, 2, f"argument {index}", word, "kernel scalars(0: ", "try: spirv-run")

    def test_vectors(self):
        got = self.values(self.kernel("vectors", "-g", 1, "--print", 3, "--", "1,-2.5,3,4", "-5,6,7", "250,9",
                                      "f32[9]"))
        self.assertEqual([float(v) for v in got], [1, -2.5, 3, 4, -5, 6, 7, 250, 9])
        self.refused(self.kernel("vectors", "-g", 1, "--", "1,2,3", "1,2,3", "1,2", "f32[9]"), 2,
                     "3 values for 4")

    def test_structs(self):
        data = struct.pack("<if", -7, 2.5)
        for arg in ["hex:" + data.hex(), "@" + self.write("pair.bin", data)]:
            got = self.values(self.kernel("structs", "-g", 1, "--print", 1, "--", arg, "f32[2]"))
            self.assertEqual(got, ["-7", "2.5"])
        self.refused(self.kernel("structs", "-g", 1, "--", "hex:0102", "f32[2]"), 2, "2 bytes were given",
                     "has 8")
        self.refused(self.kernel("structs", "-g", 1, "--", "1", "f32[2]"), 2, "a struct by value")

    def test_locals(self):
        got = self.values(self.kernel("locals", "-g", 8, "-w", 4, "--print", 1, "--", "local:16", "i32[8]"))
        self.assertEqual(got, "3 2 1 0 3 2 1 0".split())
        self.refused(self.kernel("locals", "-g", 8, "--", "i32[4]", "i32[8]"), 2, "pointer to local memory")
        self.refused(self.kernel("locals", "-g", 8, "--", "local:-1", "i32[8]"), 2, "number of bytes")
        self.refused(self.kernel("add_one", "-g", 8, "--", "local:64"), 2, "pointer to global memory")

    def test_null(self):
        for arg, want in [("null", "1"), ("i32[1]", "0")]:
            self.assertEqual(self.values(self.kernel("is_null", "-g", 1, "--print", 1, "--", arg, "i32[1]")),
                             [want])
        self.refused(self.kernel("is_null", "-g", 1, "--print", 0, "--", "null", "i32[1]"), 2, "no buffer")

    def test_specs(self):
        for spec, want in [("u16[4]", "0 0 0 0"), ("u16[4]=zeros", "0 0 0 0"), ("f32[4]=iota", "0 1 2 3"),
                           ("f16[4]=fill:0.1", "0.1 0.1 0.1 0.1"), ("i8[4]=-1,2,-3,4", "-1 2 -3 4"),
                           ("f64[2]=-0,1e300", "-0 1e+300"), ("f32[3]=inf,-inf,nan", "inf -inf nan"),
                           ("i64[1]=-9223372036854775808", "-9223372036854775808"), ("u8[3]=iota", "0 1 2")]:
            self.assertEqual(" ".join(self.values(self.kernel("is_null", "-g", 1, "--print", 0, "--", spec,
                                                              "i32[1]"))), want)

    def test_spec_refusals(self):
        for spec, word in [("i32[2]=1", "1 value for 2"), ("i32[2]=1,2,3", "3 values for 2"),
                           ("x32[2]", "the type is"),
                           ("i32[x]", "TYPE[N]"), ("i32[2", "TYPE[N]"), ("i32[2]x", "'=SPEC'"),
                           ("i32[2]=foo", "none of zeros"), ("u8[1]=-1", "does not fit"),
                           ("i32[2]=", "none of"),
                           ("i8[1]=fill:128", "does not fit"), ("i32[2]=rand:x", "seed"),
                           ("f32[99999999999999999]", "too large"), ("f32[9999999999999]", "no memory"),
                           ("f64[18446744073709551615]", "too large"), ("hex:123", "two hexadecimal digits"),
                           ("hex:zz", "no hexadecimal digit"), ("@", "name of a file"),
                           ("@/dev/null/none", "cannot open"),
                           ("@/", "no regular file"), ("--print", "options come before"),
                           ("bogus", "none of a number")]:
            self.refused(self.kernel("is_null", "-g", 1, "--", spec, "i32[1]"), 2, "argument 0", word)

    def test_random_is_reproducible(self):
        first, again, other = (self.values(self.kernel("is_null", "-g", 1, "--print", 0, "--",
                                                       f"f32[64]=rand:{seed}",
                                                       "i32[1]")) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertTrue(all(0 <= float(v) < 1 for v in first))
        self.assertGreater(len(set(first)), 60)

    def test_counts(self):
        self.refused(self.kernel("copy", "-g", 4, "--", "u8[4]"), 2, "takes 2 arguments, and 1 was given",
                     "kernel copy(0: ", "try: spirv-run -k copy -g 4 ")
        self.refused(self.kernel("copy", "--", "u8[4]", "u8[4]"), 2, "-g is missing", "kernel copy(")

    def test_options_after_the_module(self):
        for late in (["-g", "8"], ["--global", "8"], ["--print=1"]):
            self.refused(self.kernel("copy", "--", "u8[4]", "u8[4]", *late), 2,
                         f"'{late[0]}' comes after the module",
                         "options precede the module")
        self.refused(self.kernel("copy", "-g", "4", "--", "u8[4]", "u8[4]", "--time"), 2,
                     "options precede the module")
        self.refused(self.kernel("copy", "--", "-5", "-nan"), 2, "-g is missing")  # values, no options

    def test_source_in_place_of_a_module(self):
        path = self.write("two.cl", b"kernel void k(global int *a) { a[get_global_id(0)] = 7; }\n")
        self.refused(self.run_cli("-l", path), 1, "not a SPIR-V module", "clang-22 --target=spirv64",
                     "two.spv")

    def test_a_damaged_module_is_named(self):
        for data in (b"", b"hello", b"\x03\x02\x23\x07" + bytes(40)):
            path = self.write("damaged.spv", data)
            self.refused(self.run_cli("-l", path), 1, "damaged.spv': ")

    def test_untyped_pointer(self):
        """The pointers of a kernel's arguments become OpTypeUntypedPointerKHR: word count 4 to 3, a nop's
        word after."""
        words = list(struct.unpack(f"<{len(self.read(KERNELS)) // 4}I", self.read(KERNELS)))
        at = 5
        while at < len(words):
            count, op = words[at] >> 16, words[at] & 0xffff
            if op == 32 and words[at + 2] == 5:  # OpTypePointer, CrossWorkgroup
                words[at] = 3 << 16 | 4417
                words[at + 3] = 1 << 16  # OpNop
            at += count
        path = self.write("untyped.spv", struct.pack(f"<{len(words)}I", *words))
        result = self.run_cli("-k", "copy", "-g", "4", path, "u8[4]", "u8[4]")
        self.refused(result, 3, "untyped pointer")
        self.assertNotIn("host", result.told)

    def test_the_suggestion_works(self):
        kernels = "copy add_one scalars vectors structs locals is_null where_am_i required sub_groups"
        for kernel in kernels.split():
            self.follow(self.kernel(kernel, "--").told)
        # Many work-items: no larger images and local memory than devices have.
        for kernel, module in (("locals", KERNELS), ("some_reads", IMAGE)):
            self.follow(self.run_cli("-k", kernel, "-g", "65536,64", module).told)

    def follow(self, told):
        command = told.split("try: spirv-run ")[1].split("\n")[0]
        result = subprocess.run(f"{RUN} {command}", shell=True, capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 0, command + result.stderr.decode())


def npy(descr, shape, data, version=1, order="False"):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    prefix = 10 if version == 1 else 12
    header += b" " * (-(len(header) + prefix + 1) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + data


class Hints(Case):
    """What is nearly right says what would be."""
    def test_a_file_without_its_sign(self):
        path = self.write("in.bin", b"1234")
        self.refused(self.kernel("add_one", "-g", 1, "--", path), 2, "is a file, which is written '@" + path)

    def test_a_misspelt_content(self):
        for text in ("iotta", "none"):
            self.refused(self.kernel("add_one", "-g", 4, "--", "i32[4]=" + text), 2, f"'{text}'")

    def test_what_is_a_buffer(self):
        self.refused(self.run_cli("-g", 4, "--print", 0, LINES, 4, 1, "f32[4]", "f32[4]"), 2,
                     "--print names argument 0, which is no buffer", "argument 2 is one",
                     "argument 3 is one")

    def test_where_results_go(self):
        self.refused(self.kernel("add_one", "-g", 4, "-o", "0", "--", "i32[4]"), 2, "I=FILE.png")


class Files(Case):
    def copy(self, arg, size, *options):
        return self.kernel("copy", "-g", size, *options, "--", arg, f"u8[{size}]")

    def test_bin(self):
        data = bytes(range(256)) * 3
        self.good(self.copy("@" + self.write("in.bin", data), len(data), "-o", "1=out.bin"))
        self.assertEqual(self.read(self.path("out.bin")), data)

    def test_standard_output(self):
        result = self.copy("hex:00ff0a0d", 4, "-o", "1=-", "--print", 1)
        self.assertEqual((result.status, result.out), (0, b"\x00\xff\x0a\x0d"))
        self.assertIn("[0 255 10 13]", result.told)

    def test_npy_round_trip(self):
        numbers = random.Random(1)
        for letter, size, code in [("i", 1, "b"), ("u", 1, "B"), ("i", 2, "h"), ("u", 2, "H"), ("i", 4, "i"),
                                   ("u", 4, "I"), ("i", 8, "q"), ("u", 8, "Q"), ("f", 2, "e"), ("f", 4, "f"),
                                   ("f", 8, "d")]:
            values = [numbers.randrange(-100, 100) if letter != "u" else numbers.randrange(200) for _
                      in range(6)]
            data = struct.pack("<6" + code, *values)
            for version in 1, 2, 3:
                descr = ("|" if size == 1 else "<") + f"{letter}{size}"
                self.write("in.npy", npy(descr, (2, 3), data, version))
                result = self.kernel("is_null", "-g", 1, "--print", 0, "-o", "0=out.npy", "--", "@in.npy",
                                     "i32[1]")
                self.assertEqual([float(v) for v in self.values(result)], [float(v) for v in values])
                out = self.read(self.path("out.npy"))
                self.assertEqual(out[-len(data):], data)
                self.assertEqual(len(out) % 64, len(data) % 64)
                self.assertIn(b"'descr': '" + descr.encode() + b"'", out)
                self.assertIn(b"'shape': (2, 3)", out)

    def test_npy_big_endian(self):
        self.write("in.npy", npy(">f4", (3,), struct.pack(">3f", 1, -2, 0.5)))
        result = self.kernel("is_null", "-g", 1, "--print", 0, "-o", "0=out.npy", "--", "@in.npy", "i32[1]")
        self.assertEqual(self.values(result), ["1", "-2", "0.5"])
        self.assertIn(b"'<f4'", self.read(self.path("out.npy")))

    def test_npy_of_another_type(self):
        """It is taken as it lies; what may be a mistake is said."""
        for descr, data, told in (("<f8", struct.pack("<2d", 1, 2), "has f64, and the parameter is global "),
                                  ("<f4", struct.pack("<2f", 1, 2), "has f32, and the parameter is global "),
                                  ("<u4", struct.pack("<2I", 1, 2), "")):
            self.write("in.npy", npy(descr, (2,), data))
            result = self.kernel("add_one", "-g", 2, "--", "@in.npy")
            self.assertEqual(result.status, 0, result.text)
            self.assertIn(told, result.told)
            self.assertEqual("warning" in result.told, bool(told))
        result = self.kernel("copy", "-g", 2, "--", "@in.npy", "u8[2]")
        self.assertNotIn("warning", result.told)

    def test_npy_type_of_the_buffer(self):
        self.good(self.kernel("copy", "-g", 8, "-o", "1=out.npy", "--", "u8[8]=iota", "f16[4]"))
        self.assertIn(b"'<f2', 'fortran_order': False, 'shape': (4,)", self.read(self.path("out.npy")))

    def test_npy_refusals(self):
        good = npy("<f4", (3,), bytes(12))
        for data, word in [(b"", "no .npy"), (b"hello world, hello", "no .npy"), (good[:40], "cut short"),
                           (good[:-1], "ends before"), (npy("<c8", (1,), bytes(8)), "element type"),
                           (npy("<f4", (2, 2), bytes(16), order="True"), "Fortran"),
                           (npy("<f4", (2**62, 2**62), b""), "too large"),
                           (npy("<f4", "3", bytes(12)), "shape"),
                           (npy("<f4", (2**40,), b""), "ends before"),
                           (b"\x93NUMPY\x09\x00\x10\x00" + bytes(64), "version"),
                           (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(64), "not known")]:
            self.write("bad.npy", data)
            self.refused(self.kernel("is_null", "-g", 1, "--", "@bad.npy", "i32[1]"), 2, "bad.npy", word)

    def test_damaged_npy(self):
        numbers, good = random.Random(2), npy("<i2", (2, 2), bytes(8))
        for _ in range(60):
            data = bytearray(good)
            for _ in range(numbers.randrange(1, 4)):
                data[numbers.randrange(len(data))] = numbers.randrange(256)
            self.write("bad.npy", bytes(data))
            self.assertIn(self.kernel("is_null", "-g", 1, "--", "@bad.npy", "i32[1]").status, (0, 2))

    def test_unwritable(self):
        self.refused(self.copy("hex:01", 1, "-o", "1=/dev/null/out.bin"), 2,
                     "cannot write '/dev/null/out.bin'")
        self.refused(self.copy("hex:01", 1, "-o", "1=/"), 2, "cannot write '/'")
        self.refused(self.copy("hex:01", 1, "-o", "1=/dev/full"), 2, "cannot write '/dev/full'")

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            process = subprocess.run([RUN, "-k", "copy", "-g", "1", "--print", "1", KERNELS, "hex:01",
                                      "u8[1]"],
                                     stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn(b"standard output", process.stderr)

    def test_no_trace_of_failed_runs(self):
        self.write("out.bin", b"before")
        self.assertEqual(self.kernel("stray", "-g", 4, "-o", "0=out.bin", "-o", "0=new.npy", "--", "i32[4]",
                                     0,
                                     10).status, 4)
        self.assertEqual(os.listdir(self.folder.name), ["out.bin"])
        self.assertEqual(self.read(self.path("out.bin")), b"before")

    def test_device_as_output(self):
        self.good(self.copy("hex:01", 1, "-o", "1=/dev/null"))


class Expectations(Case):
    def expect(self, data, *options):
        return self.kernel("is_null", "-g", 1, *options, "--", data, "i32[1]")

    def test_equal(self):
        for data, what in [("i32[4]=iota", "0,1,2,3"), ("i32[4]=iota", "iota"), ("f32[2]", "zeros"),
                           ("f32[2]", "-0,0"),
                           ("f32[2]=nan,inf", "nan,inf"), ("u8[9]=rand:4", "rand:4"),
                           ("i8[3]=fill:-2", "fill:-2")]:
            self.good(self.expect(data, "--expect", "0=" + what))

    def test_different(self):
        self.refused(self.expect("i32[4]=iota", "--expect", "0=0,1,7,3"), 1, "argument 0", "1 of 4 elements",
                     "[2] is 2, expected 7")
        self.refused(self.expect("f32[1]=nan", "--expect", "0=1"), 1, "is nan, expected 1")
        self.refused(self.expect("f32[1]=inf", "--expect", "0=1e30", "--rtol", 10), 1, "is inf")

    def test_two(self):
        result = self.expect("i32[2]=1,2", "--expect", "0=1,3", "--expect", "1=fill:5")
        self.refused(result, 1, "argument 0", "argument 1", "differs too")

    def test_tolerances(self):
        for data, what, option, least in [("f32[1]=1.5", "1", "--atol", 0.5),
                                          ("f32[1]=110", "100", "--rtol", 0.1),
                                          ("f32[1]=0x1.000004p0", "1", "--ulp", 2),
                                          ("f16[1]=2", "1", "--ulp", 1024),
                                          ("f64[1]=0x1.0000000000001p0", "1", "--ulp", 1),
                                          ("i32[1]=-3", "4", "--atol", 7),
                                          ("u64[1]=18446744073709551615", "18446744073709551614", "--atol",
                                           1)]:
            self.good(self.expect(data, "--expect", "0=" + what, option, least * 1.0001))
            self.refused(self.expect(data, "--expect", "0=" + what, option, least * 0.9), 1)

    def test_files(self):
        self.write("good.npy", npy("<i4", (2, 2), struct.pack("<4i", 0, 1, 2, 3)))
        self.write("bad.bin", struct.pack("<4i", 0, 1, 2, 4))
        self.write("type.npy", npy("<u4", (4,), bytes(16)))
        self.write("long.npy", npy("<i4", (5,), bytes(20)))
        self.good(self.expect("i32[4]=iota", "--expect", "0=@good.npy"))
        self.refused(self.expect("i32[4]=iota", "--expect", "0=@bad.bin"), 1, "[3] is 3, expected 4")
        self.refused(self.expect("i32[4]=iota", "--expect", "0=@type.npy"), 2, "u32")
        self.refused(self.expect("i32[4]=iota", "--expect", "0=@long.npy"), 2, "20 bytes")
        self.refused(self.expect("i32[4]=iota", "--expect", "0=@none.npy"), 2, "cannot open")

    def test_refusals(self):
        for what, word in [("0=1,2", "2 values for 4"), ("7=1", "argument 7"), ("0", "expected I=SPEC"),
                           ("x=1", "I=SPEC")]:
            self.refused(self.expect("i32[4]", "--expect", what), 2, word)
        self.refused(self.expect("i32[4]", "--ulp", 1), 2, "--expect")

    def test_json(self):
        result = self.expect("f32[3]=1,nan,3", "--json", "--expect", "0=1,2,3", "--print", 0)
        data = json.loads(result.text)
        self.assertEqual((result.status, data["status"]), (1, 1))
        self.assertEqual(data["print"][0]["values"], [1, "nan", 3])
        self.assertEqual(data["expect"], [{"argument": 0, "elements": 3, "differences": 1,
                                           "first": [{"index": 1, "is_and_expected": ["nan", 2]}]}])
        self.assertIn("differs", data["error"])


class Running(Case):
    def test_print_comes_first(self):
        text = self.good(self.kernel("print_and_store", "-g", 3, "-w", 3, "--print", 0, "--", "i32[3]"))
        self.assertEqual(text, "".join(f"item {i} {i},7 text\n" for i in range(3)) + "data: [5 5 5]\n")

    def test_print_range(self):
        self.assertEqual(self.values(self.kernel("add_one", "-g", 8, "--print", "0:2:5", "--",
                                                 "i32[8]=iota")),
                         ["3", "4", "5"])
        self.refused(self.kernel("add_one", "-g", 8, "--print", "0:2:9", "--", "i32[8]"), 2, "has 8")
        self.refused(self.kernel("add_one", "-g", 8, "--print", "1", "--", "i32[8]"), 2, "argument 1")

    def test_sizes_and_offset(self):
        result = self.kernel("where_am_i", "-g", "4,3", "-w", "2,2", "--offset", "10,0", "--print", 0, "--",
                             "u32[12]")
        self.assertEqual(self.values(result), "10 11 12 13".split() * 3)
        self.good(self.kernel("where_am_i", "-g", "5,3,1", "-w", "auto", "--", "u32[15]"))

    def test_zero_range(self):
        self.assertEqual(self.values(self.kernel("add_one", "-g", 0, "--print", 0, "--", "i32[2]")),
                         ["0", "0"])

    def test_bad_sizes(self):
        for options, word in [(["-g", "4", "-w", "2,2"], "-w has 2 dimensions, and -g has 1"),
                              (["-g", "x"], "X,Y"),
                              (["-g", "1,2,3,4"], "X,Y"), (["-g", "-4"], "X,Y"),
                              (["-g", "4", "-w", "0"], "at least 1"),
                              (["-g", "4", "--offset", "1,1"], "--offset has 2"),
                              (["-g", "4", "-w", "1000000"], ""),
                              (["-g", "18446744073709551615,18446744073709551615,18446744073709551615"], ""),
                              (["-g", "4", "--offset", "18446744073709551615"], ""),
                              (["-g", "99999999999999999999"], "X,Y"), (["-g", "4", "-s", "5"], "4, 8, 16"),
                              (["-g", "4", "-s", "128"], "-s")]:
            self.refused(self.kernel("add_one", *options, "--", "i32[4]"), 2, word)

    def test_required_size(self):
        result = self.kernel("required", "-g", "8,4", "--print", 0, "--", "u32[32]")
        self.assertEqual(self.values(result), (["0"] * 8 + ["1"] * 8) * 2)
        self.refused(self.kernel("required", "-g", "8,4", "-w", "4,4", "--", "u32[32]"), 2, "required")

    def test_sub_group_size(self):
        for size in 4, 8, 16, 32, 64:
            got = self.values(self.kernel("sub_groups", "-g", 3, "-s", size, "--print", 0, "--", "u32[3]"))
            self.assertEqual(got, [str(size)] * 3)

    def test_isa_and_threads(self):
        self.assertEqual(self.values(self.kernel("add_one", "-g", 3, "--isa", "sse4.2", "--threads", 1,
                                                 "--print", 0,
                                                 "--", "i32[3]")), ["1"] * 3)
        self.refused(self.kernel("add_one", "-g", 3, "--isa", "mmx", "--", "i32[3]"), 2, "sse4.2")
        self.refused(self.kernel("add_one", "-g", 3, "--threads", 0, "--", "i32[3]"), 2, "--threads")

    def test_time_repeats_from_the_same_contents(self):
        text = self.good(self.kernel("add_one", "-g", 64, "--time", "-n", 5, "--print", "0:0:2", "--",
                                     "i32[64]"))
        self.assertIn("[1 1]", text)
        self.assertIn("median of 5", text)
        data = json.loads(self.good(self.kernel("add_one", "-g", 64, "--json", "--time", "-n", 3, "--",
                                                "i32[64]")))
        self.assertEqual(data["time"]["repetitions"], 3)
        self.assertLessEqual(data["time"]["run_min_ms"], data["time"]["run_median_ms"])
        self.assertGreater(data["time"]["compile_ms"], 0)
        self.refused(self.kernel("add_one", "-g", 4, "-n", 2, "--", "i32[4]"), 2, "--time")

    def test_explain(self):
        text = self.good(self.kernel("add_one", "-g", 64, "--explain", "--", "i32[64]"))
        self.assertIn("kernel add_one as ", text)
        self.assertIn("OpLoad", text)
        self.assertIn("contiguous", text)
        data = json.loads(self.good(self.kernel("add_one", "-g", 64, "--explain", "--json", "--", "i32[64]")))
        self.assertIn("notes", data["explain"])

    def test_budget(self):
        """Specialised code that would be too long is given up; masked code gives the same, and says so."""
        for budget, specialised in (("5", False), ("100000", True)):
            env = {"LANEWISE_BUDGET": budget, "LANEWISE_CACHE": "0"}
            run = self.kernel("add_one", "-g", 64, "--explain", "--json", "--expect", "0=fill:1", "--",
                              "i32[64]", env=env)
            data = json.loads(self.good(run))
            texts = [note["text"] for note in data["explain"]["notes"] if note["kind"] == "failed"]
            self.assertEqual(len(texts), 0 if specialised else 1, texts)
            if not specialised:
                self.assertIn("no specialised code", texts[0])
                self.assertIn("its budget is 5 (LANEWISE_BUDGET)", texts[0])
        self.assertEqual(self.values(self.kernel("add_one", "-g", 3, "--print", 0, "--", "i32[3]",
                                                 env={"LANEWISE_BUDGET": "5", "LANEWISE_CACHE": "0"})),
                                                 ["1"] * 3)
        wrong = self.kernel("add_one", "-g", 3, "--", "i32[3]", env={"LANEWISE_BUDGET": "many"})
        self.assertIn("LANEWISE_BUDGET=many is ignored", wrong.told)

    def test_explain_atomics(self):
        """One address for the whole work-group, and one for each sub-group."""
        run = self.kernel("count_up", "-g", 256, "-w", 128, "--explain", "--", "i32[256]=fill:1", "i32[64]",
                          env={"LANEWISE_TIER": "specialised"})
        text = self.good(run)
        self.assertEqual(text.count("one for all sub-groups"), 1)
        self.assertIn("atomic on a uniform address", text)

    def test_explain_neighbours(self):
        """Lanes lie along an image's row also where its coordinate is a sum of vectors."""
        width, height = 70, 5
        texels = [[(37 * x + 101 * y) % 251 for x in range(width)] for y in range(height)]
        with open(self.path("texels.bin"), "wb") as f:
            f.write(bytes(sum(texels, [])))
        wanted = []
        for y in range(height):
            for x in range(width):
                total = 0
                for j in (-1, 0, 1):
                    for i in (-2, -1, 0, 1, 2):
                        inside = 0 <= x + i < width and 0 <= y + j < height
                        total = (3 * total + (texels[y + j][x + i] if inside else 0)) % 2 ** 32
                wanted.append(total)
        with open(self.path("wanted.bin"), "wb") as f:
            f.write(struct.pack(f"<{len(wanted)}I", *wanted))
        for isa in levels():
            for size in 4, 16, 64:
                text = self.good(self.run_cli("-k", "neighbours", "-g", f"{width},{height}", "-s", size,
                                              "--isa", isa,
                                              "--explain", "--expect", "1=@" + self.path("wanted.bin"), IMAGE,
                                              f"image2d:{width}x{height}:ru8=@" + self.path("texels.bin"),
                                              f"u32[{width * height}]"))
                self.assertIn("load: contiguous", text)
                self.assertNotIn("gathered", text)

    def test_explain_pieces(self):
        text = self.good(self.kernel("tile", "-g", "32,32", "-w", "16,16", "-s", 16, "--isa", "avx2",
                                     "--explain", "--",
                                     "i32[4096]", "i32[1024]"))
        self.assertIn("load: contiguous in two pieces", text)
        self.assertIn("store: contiguous in two pieces", text)
        self.assertIn("no mask where the bounds hold for the first lane and the last", text)
        text = self.good(self.kernel("rows", "-g", "32,32", "-w", "8,8", "-s", 16, "--isa", "avx2",
                                     "--explain", "--",
                                     "i32[1024]", "i32[1024]", env={"LANEWISE_RESHAPE": "0"}))
        self.assertIn("load: contiguous in each row", text)
        self.assertIn("load: one for each row", text)
        self.assertIn("store: contiguous in each row", text)

    def test_explain_streams(self):
        for isa in ("sse4.2", "avx2"):
            text = self.good(self.kernel("sums", "-g", 64, "-s", 8, "--isa", isa, "--explain", "--",
                                         "u32[65]=iota", "i32[64]",
                                         "i32[64]"))
            self.assertIn("load: four elements of each lane at once", text)

    def test_explain_rows(self):
        for isa, elements in (("sse4.2", 4), ("avx2", 8)):
            text = self.good(self.kernel("row_sums", "-g", 64, "-s", 8, "--isa", isa, "--explain", "--print",
                                         1, "--", "i32[640]=iota",
                                         "i32[64]", 10, env={"LANEWISE_TIER": "specialised"}))
            self.assertIn("load: %d elements of each lane at once" % elements, text)
            self.assertIn("[%s]" % " ".join(str(sum(range(10 * k, 10 * k + 10))) for k in range(64)), text)

    def test_explain_bounds(self):
        for isa in ("sse4.2", "avx2"):
            text = self.good(self.kernel("clamped", "-g", 64, "--isa", isa, "--explain", "--print", 1, "--",
                                         "i32[64]=iota",
                                         "i32[64]"))
            self.assertEqual(text.count("load: contiguous but at the bounds"), 2)
            wanted = [max(k - 1, 0) + 100 * min(k + 3, 63) for k in range(64)]
            self.assertIn("[%s]" % " ".join(map(str, wanted)), text)

    def test_explain_few_rows(self):
        wanted = []
        for x in range(64):
            count, sum_of = [0] * 8, 0
            for k in range(40):
                count[(x + k) % 64 & 7] = (count[(x + k) % 64 & 7] + k) & 255
            for c in count:
                sum_of = sum_of * 7 + c
            wanted.append(sum_of)
        for isa in levels():
            text = self.good(self.kernel("counted", "-g", 64, "--isa", isa, "--explain", "--print", 1, "--",
                                         "i32[64]=iota",
                                         "i32[64]"))
            self.assertIn("private array, blended into all rows", text)
            self.assertNotIn("private array, scattered", text)
            self.assertIn("[%s]" % " ".join(map(str, wanted)), text)

    def test_gathers_in_parts(self):
        if not has("avx512"):
            print("not run: gathers of AVX-512, which this machine lacks")
            return
        result = self.kernel("search", "-g", 128, "-w", 128, "-s", 64, "--isa", "avx512", "--dump", "masks",
                             "--expect", "3=iota",
                             "--", 128, "u32[128]=iota", "u32[128]=iota", "u32[128]")
        self.assertEqual(result.status, 0, result.text)
        self.assertIn("call <16 x i32> @llvm.masked.gather", result.told)
        self.assertNotIn("call <64 x i32> @llvm.masked.gather", result.told)

    def test_scalar_loops(self):
        """Where one lane is all there is, a work-item's loop becomes vectors; without the row it does not."""
        wanted = "[%s]" % " ".join(str(3 * x + 1) for x in range(2560))
        for skipped in "", "scalar_loops":
            result = self.run_cli("-k", "chunks", "-g", 64, "-w", 8, "--isa", "sse4.2",
                                  "--dump", "scalar_loops", "--print", 1, IMAGE,
                                  "i32[2560]=iota", "i32[2560]", 2560 // 64,
                                  env={"LANEWISE_LANES": "1", "LANEWISE_SKIP": skipped,
                                       "LANEWISE_CACHE": "0"})
            self.assertEqual(result.status, 0, result.told)
            self.assertIn(wanted, result.text)
            self.assertEqual("load <4 x i32>" in result.told, not skipped)

    def test_explain_turns(self):
        """Loops that wait, and nobody else, say who takes turns. Lanes give a lock back in the loop
        (late_meeting.c), or themselves, where the address is cast."""
        kernels = {"wait_for_flag": "waits: sub-groups take turns",
                   "take_lock": "waits: sub-groups take turns",
                   "give_back_in_loop": "waits: sub-groups take turns",
                   "add_by_tries": None,
                   "add_one": None}
        for name, wanted in kernels.items():
            args = ["i32[64]", "i32[1]"] if wanted else ["i32[64]"]
            data = json.loads(self.good(self.kernel(name, "-g", 64, "-w", 64, "-s", 8, "--explain", "--json",
                                                    "--print", 0,
                                                    "--", *args)))
            texts = [note["text"] for note in data["explain"]["notes"] if "take turns" in note["text"]]
            self.assertEqual(texts, [wanted] if wanted else [], name)

    def test_explain_by_line(self):
        text = self.good(self.run_cli("-g", 64, "--explain", LINES, 64, 1, "f32[64]", "f32[64]"))
        self.assertIn("| y[i] = a * x[i] + y[i];", text)
        self.assertIn("load: contiguous", text)

    def page(self, *args):
        """Rows of the page of --html: (class, number, source, notes), in a document that is well-formed."""
        path = self.path("page.html")
        self.assertEqual(self.good(self.run_cli("--explain", "--html", path, *args)), "")
        text = self.read(path).decode()
        self.assertNotRegex(text, r"(?i)<(script|link|img)\b|url\(|@import|\b(src|href)=")
        body = re.sub(r"&times;", "x", text[text.index("<main>"):text.index("</body>")])
        tree = xml.etree.ElementTree.fromstring(body)
        return text, [(row.get("class"), *("".join(cell.itertext()) for cell in row)) for row
                      in tree.iter("tr")]

    @unittest.skipUnless(has("avx2"), "no AVX2")
    def test_explain_html(self):
        """With lines: every line of the source in its order and as it is, each note beside its line."""
        text, rows = self.page("-g", 64, "--isa", "avx2", LINES, 64, 1, "f32[64]", "f32[64]")
        report = json.loads(self.good(self.run_cli("-g", 64, "--isa", "avx2", "--explain", "--json", LINES,
                                                   64, 1, "f32[64]",
                                                   "f32[64]")))["explain"]
        files = {note["file"] for note in report["notes"] if note["file"]}
        self.assertEqual(len(files), 1)
        source = self.read(files.pop()).decode().splitlines()
        numbered = [row for row in rows if row[1]]
        self.assertEqual([row[1:3] for row in numbered],
                         [(str(n + 1), line) for n, line in enumerate(source)])
        for note in report["notes"]:
            row = numbered[note["line"] - 1] if note["line"] else rows[-1]
            self.assertIn(note["kind"] + " " + note["text"], row[3])
        for number, (form, _, line, notes) in enumerate(numbered, 1):
            self.assertEqual(form == "none", not notes, line)
            if "y[i] =" in line:
                counted = {c["kind"]: c["count"] for c in report["lines"] if c["line"] == number}
                self.assertEqual(form, "vector")
                self.assertGreaterEqual(counted["vector"], 4)  # two loads, a fused product, store
                self.assertIn("%d vector, %d scalar" % (counted["vector"], counted.get("scalar", 0)), notes)

    @unittest.skipUnless(has("avx2"), "no AVX2")
    def test_explain_html_forms(self):
        """Without lines: the kernel's instructions, coloured by what they became; what the module calls
        itself is text."""
        assembly = self.write("forms.spvasm", FORMS.encode())
        text, rows = self.page("-g", 64, "--isa", "avx2", assembly, "i32[64]=iota", "i32[64]", 3)
        forms = {op: [row[0] for row in rows if " %s " % op in row[2]] for op
                 in ("OpLoad", "OpIMul", "OpIAdd")}
        self.assertEqual(forms["OpLoad"][1:], ["vector", "gathered"])
        self.assertEqual(forms["OpIMul"] + forms["OpIAdd"], ["scalar", "vector", "vector"])
        self.assertTrue(any("OpFunction " in row[2] for row in rows))
        self.assertFalse(any("OpCapability" in row[2] for row in rows))
        self.assertIn("<title>a&lt;b&gt;&amp;&quot;c</title>", text)
        self.refused(self.run_cli("--html", "x.html", "-g", 1, assembly), 2, "--explain")
        self.refused(self.run_cli("--explain", "--html", "/nowhere/x.html", "-g", 1, assembly, "i32[64]",
                                  "i32[64]", 3), 2,
                     "cannot write '/nowhere/x.html'")

    def test_nothing_unasked(self):
        self.assertEqual(self.good(self.kernel("add_one", "-g", 4, "--", "i32[4]")), "")

    def test_view_of_a_ragged_buffer(self):
        """A buffer that ends at its guard page is misaligned for float4; the run is then made with an aligned
        one."""
        got = self.values(self.kernel("view", "-g", 2, "--print", 1, "--", "f32[9]=iota", "f32[2]"))
        self.assertEqual(got, ["6", "22"])

    def test_kernel_names(self):
        self.refused(self.run_cli("-g", 1, KERNELS), 2, "several kernels", "  copy\n", "  spin\n")
        self.refused(self.run_cli("-g", 1, "-k", "nothing", KERNELS), 2, "no kernel 'nothing'", "  copy\n")

    def test_large_buffers(self):
        size = 64 << 20
        self.good(self.kernel("is_null", "-g", 1, "--expect", "0=zeros", "--", f"u8[{size}]", "i32[1]"))


class Modules(Case):
    def store(self, *options, module=CONSTANT, **how):
        return self.run_cli("-g", 1, "--print", 0, *options, module, "u32[1]", **how)

    def test_text(self):
        self.assertEqual(self.values(self.store()), ["42"])

    def test_standard_input(self):
        text = self.read(CONSTANT)
        self.assertEqual(self.values(self.store(module="-", stdin=text)), ["42"])
        binary = self.read(KERNELS)
        result = self.run_cli("-k", "add_one", "-g", 2, "--print", 0, "-", "i32[2]", stdin=binary)
        self.assertEqual(self.values(result), ["1", "1"])

    def test_odd_vector(self):
        module = os.path.join(os.path.dirname(CONSTANT), "odd_vector.spvasm")
        got = self.values(self.run_cli("-g", 8, "--print", 1, module, "u32[8]=iota", "u16[16]"))
        self.assertEqual([int(x) for x in got], [n for g in range(8) for n in (g + 1, g)])
        text = self.read(module).replace(b"OpTypeVector %short 6", b"OpTypeVector %short 65")
        self.refused(self.run_cli("-g", 8, "-", "u32[8]", "u16[16]", stdin=text), 3, "2 to 64")
        text = self.read(module).replace(b"OpIAdd %uint %y", b"OpVectorInsertDynamic %uint %x %y")
        self.refused(self.run_cli("-g", 8, "-", "u32[8]", "u16[16]", stdin=text), 1, "OpVectorInsertDynamic")

    def test_spec_constants(self):
        self.assertEqual(self.values(self.store("--spec", "7=0x10")), ["16"])
        self.assertEqual(self.values(self.store("--spec", "7=-1")), ["4294967295"])
        self.refused(self.store("--spec", "8=1"), 2, "no such specialization constant", "7: u32 scale")
        self.refused(self.kernel("add_one", "-g", 4, "--spec", "8=1", "--", "i32[4]"), 2,
                     "the module has no specialization constants")
        self.refused(self.store("--spec", "7=1.5"), 2, "--spec 7", "no integer")
        self.refused(self.store("--spec", "7"), 2, "ID=VALUE")

    def test_validate(self):
        self.good(self.run_cli("--validate", CONSTANT))
        text = self.read(CONSTANT).replace(b"OpStore %out %scale Aligned 4", b"OpStore %scale %out Aligned 4")
        self.refused(self.run_cli("--validate", self.write("bad.spvasm", text)), 1)

    def test_bad_text(self):
        self.refused(self.run_cli("-l", self.write("bad.spvasm", b"OpNonsense %1\n")), 1)
        self.refused(self.run_cli("-l", self.write("empty.spvasm", b"")), 1)

    def test_bad_binaries(self):
        good = self.read(KERNELS)
        for name, data in [("empty", b""), ("short", good[:18]), ("cut", good[:len(good) // 2]),
                           ("odd", good[:-1]),
                           ("zeros", bytes(4096)), ("text", b"this is no module at all"), ("magic", good[:4]),
                           ("bound", good[:12] + b"\xff\xff\xff\xff" + good[16:])]:
            self.refused(self.run_cli("-l", self.write(name + ".spv", data)), 1)

    def test_foreign_endian(self):
        good = self.read(KERNELS)
        words = struct.unpack(f"<{len(good) // 4}I", good)
        module = self.write("big.spv", struct.pack(f">{len(words)}I", *words))
        result = self.run_cli("-k", "add_one", "-g", 2, "--print", 0, module, "i32[2]")
        self.assertEqual(self.values(result), ["1", "1"])

    def test_flipped_bits(self):
        """Whatever a damaged module does, it is told in one sentence, and none of our own failures."""
        good, numbers = self.read(KERNELS), random.Random(3)
        for _ in range(150):
            data = bytearray(good)
            for _ in range(numbers.randrange(1, 5)):
                data[numbers.randrange(len(data))] ^= 1 << numbers.randrange(8)
            module = self.write("flipped.spv", bytes(data))
            result = self.run_cli("-k", "add_one", "-g", 4, "--timeout", 20, module, "i32[4]")
            self.assertIn(result.status, (0, 1, 2, 3, 4), result.told)
            self.assertNotIn("defect", result.told)
            if result.status:
                self.assertEqual(result.told.count("error: "), 1, result.told)

    def test_missing(self):
        self.refused(self.run_cli("-l", "/nonexistent.spv"), 2, "cannot open '/nonexistent.spv'")
        self.refused(self.run_cli("-l", "/"), 2, "'/'")
        self.refused(self.run_cli(), 2, "which module?")

    def test_unsupported(self):
        self.refused(self.run_cli("-k", "fetch", "-g", 1, IMAGE, "null", "f32[4]"), 3, "fetch", "mage")
        self.assertIn("not supported", self.good(self.run_cli("-l", IMAGE)))

    def test_bad_options(self):
        for options, word in [(["--nonsense"], "no such option: --nonsense"), (["-k"], "-k needs a value"),
                              (["--list=yes"], "no such option"), (["--timeout", "-1"], "--timeout"),
                              (["--timeout", "x"], "--timeout"), (["-o", "0=", KERNELS], "-o"),
                              (["-o", "x", KERNELS], "-o")]:
            self.refused(self.run_cli(*options), 2, word)

    def test_many_image_reads(self):
        # Past 256 reads, and in first code, they are of the short form, and the results are the same.
        for name, rounds, tier, short in [("many_reads", 6, "specialised", True),
                                          ("some_reads", 3, "specialised", False),
                                          ("some_reads", 3, "first", True)]:
            sums = [sum(16 * y + min(max(x - 7 + a + b + k, 0), 15)
                        for a in range(rounds) for b in range(5) for k in range(10))
                    for y in range(2) for x in range(20)]
            told = self.run_cli("-k", name, "-g", "20,2", "-w", "20,1", "--dump", "emit",
                                "--expect", "1=" + ",".join(map(str, sums)),
                                IMAGE, "image2d:16x2:ru8=iota", "u32[40]",
                                env={"LANEWISE_TIER": tier, "LANEWISE_CACHE": "0"})
            self.assertEqual(told.status, 0, told.told)
            self.assertEqual("@lw.image.soon.fetch" in told.told, short, name)
            self.assertEqual("@lw.image.fetch" in told.told, not short, name)

    def test_unknown_dump_stage(self):
        result = self.store("--dump", "nonsense")
        self.assertIn("nonsense", result.told)

    def test_left_out(self):
        result = self.store(env={"LANEWISE_SKIP": "nonsense", "LANEWISE_CACHE": "0"})
        self.assertIn("no transformation nonsense", result.told)
        self.assertIn(", min_max,", result.told)
        self.refused(self.store(env={"LANEWISE_SKIP": "emit", "LANEWISE_CACHE": "0"}), 2,
                     "without emit no right code")
        for skipped in "", "min_max,apart":
            told = self.store("--dump", "steps", env={"LANEWISE_SKIP": skipped, "LANEWISE_CACHE": "0"}).told
            self.assertEqual("masks: min_max:" in told, not skipped)
            self.assertIn("masks: bytes:", told)

    def test_json_errors(self):
        for args, status in [(["-l", "/nonexistent.spv"], 2), (["-g", "1", KERNELS], 2),
                             (["-k", "fetch", "-g", "1", IMAGE, "null", "f32[4]"], 3), (["--bogus"], 2)]:
            result = self.run_cli("--json", *args)
            data = json.loads(result.text)
            self.assertEqual((result.status, data["status"]), (status, status))
            self.assertTrue(data["error"])


class Faults(Case):
    def test_past_the_end(self):
        for count in 64, 61: # the end of both touches the guard page
            result = self.kernel("stray", "-g", count, "-w", 4, "--", f"i32[{count}]", 42, 0)
            self.refused(result, 4, "kernel 'stray' faulted", "wrote", " 0 bytes past the end of argument 0",
                         "in work-group 10,0,0")

    def test_distances(self):
        # of those that 32 bits can index: code for small buffers is free to compute no others
        for distance, words in [(5, " 20 bytes past the end of"), (-65, " bytes before argument 0"),
                                (-2000, "before argument 0"),
                                (-(1 << 30) - 4096, "near no argument")]:
            self.refused(self.kernel("stray", "-g", 64, "--", "i32[64]", 3, distance), 4, words)

    def test_null(self):
        self.refused(self.kernel("add_one", "-g", 4, "--", "null"), 4, "null pointer")

    def test_printed_before(self):
        cases = [("print_and_stray", 4), ("print_and_spin", 124, "--timeout", 0.5)]
        if "TSAN_OPTIONS" in os.environ:
            cases.pop() # ThreadSanitizer puts signals off to the next call, and the loop makes none
        for name, status, *args in cases:
            result = self.kernel(name, "-g", 2, "-w", 1, *args, "--", "i32[2]")
            self.assertEqual(result.status, status, result.told)
            self.assertIn(f"error: kernel '{name}'", result.told)
            self.assertEqual(result.text.count("item 0\n"), 1, result.text)

    def test_nearest_argument(self):
        result = self.kernel("copy", "-g", 32, "--", "u8[32]", "u8[16]")
        self.refused(result, 4, "0 bytes past the end of argument 1", "u8[16]")

    def test_local_memory(self):
        # Arguments and variables, each with its own guard; all work-groups of every instruction set.
        for isa in levels():
            def stray(name, *given):
                return self.kernel(name, "-g", 128, "-w", 16, "--isa", isa, *given)
            arguments = "--", "local:64", "local:256", "i32[128]"
            good = self.values(stray("stray_local", "--print", 2, *arguments, 15, 99))
            self.assertEqual(good, ["15"] * 128)
            for at, distance in (16, 0), (17, 4), (1000, 3936):
                self.refused(stray("stray_local", *arguments, at, 6), 4,
                             "kernel 'stray_local' faulted: it wrote",
                             f" {distance} bytes past the end of local argument 0 (first), 64 bytes of "
                             f"local memory",
                             "in work-group 6,0,0")
                self.refused(stray("stray_variable", "--", "i32[128]", at, 3), 4, "it wrote",
                             f" {distance} bytes past the end of local variable stray_variable.first",
                             "in work-group 3,0,0")
            self.refused(stray("stray_variable", "--", "i32[128]", 5, -97), 4, "it wrote",
                         " 0 bytes past the end of local variable stray_variable.odd, 5 bytes",
                         "in work-group 3,0,0")
            self.refused(stray("stray_read", "--", "i32[128]", 16), 4, "it read",
                         "bytes past the end of local variable")
            # What is measured, explained and dumped is the code as it is without guards.
            got = stray("stray_variable", "--time", "-n", 1, "--print", 0, "--", "i32[128]", 3, 99)
            self.assertEqual(got.status, 0, got.text)

    def test_ends_of_local_memory(self):
        def value(i):
            tile = sum(i % 17 * 17 + k - k * 17 - 16 for k in range(17))
            return 3 * (60 - i % 61) % 256 + 3 * (i % 7) + 3 * (i % 20) + 2 + tile
        for isa in levels():
            for count in 64, 100:
                result = self.kernel("odd_local", "-g", 2 * count, "-w", count, "--isa", isa, "--print", 0,
                                     "--",
                                     f"i32[{2 * count}]")
                self.assertEqual(self.values(result), [str(value(i)) for i in range(count)] * 2)

    def test_alignment_of_local_memory(self):
        # Not a multiple of what its type is aligned to: that counts, not where it ends.
        result = self.kernel("stray_local", "-g", 16, "-w", 4, "--print", 2, "--", "local:20", "local:68",
                             "i32[16]", 3, 99)
        self.assertEqual(self.values(result), ["3"] * 16)

    def test_json(self):
        result = self.kernel("stray", "-g", 4, "--json", "--print", 0, "--", "i32[4]", 0, 0)
        data = json.loads(result.text)
        self.assertEqual((result.status, data["status"]), (4, 4))
        self.assertIn("faulted", data["error"])

    def test_timeout(self):
        begin = time.monotonic()
        result = self.kernel("spin", "-g", 64, "-w", 8, "--timeout", 0.5, "--", "i32[2]")
        self.refused(result, 124, "kernel 'spin' timed out after 0.5 s while running")
        self.assertLess(time.monotonic() - begin, 5)

    def test_interrupt_leaves_nothing(self):
        process = subprocess.Popen([RUN, "-k", "spin", "-g", "4", "-o", "0=out.bin", KERNELS, "i32[2]"],
                                   cwd=self.folder.name)
        time.sleep(0.7)
        process.terminate()
        self.assertEqual(process.wait(10), -15)
        self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
