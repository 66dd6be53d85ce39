#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Orders and scopes of atomic loads, stores, fences and barriers, on their way from OpenCL C.

    test_orders.py CLANG SPIRV_WRITER SPIRV_RUN

What lanewise-spirv writes of them is compared with SPIR-V's tables; loads in clang's own SPIR-V, which has
the scope in place of the semantics, acquire what they must; and orders, scopes and flags that only the
running kernel knows build, and leave what they must.
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

CLANG, WRITER, RUN = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
os.environ.update({"LANEWISE_CLANG": CLANG, "LANEWISE_CACHE": "0"})

from opencl_program import OpenCL

ORDERS = {"relaxed": 0, "acquire": 2, "release": 4, "acq_rel": 8, "seq_cst": 16}
SCOPES = {"work_item": 4, "work_group": 2, "device": 1, "all_svm_devices": 0, "sub_group": 3}
LOCAL, GLOBAL, IMAGE = 0x100, 0x200, 0x800
OP_CONSTANT, OP_NULL, OP_LOAD, OP_STORE, OP_CONTROL, OP_MEMORY = 43, 46, 227, 228, 224, 225
HEAD = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"


def numbers(words, op, first):
    """The operands from word `first` on of each instruction of one kind, once for each kernel."""
    constants, found, at = {}, [], 5
    while at < len(words):
        count, code = words[at] >> 16, words[at] & 0xffff
        operands = words[at + 1:at + count]
        if code in (OP_CONSTANT, OP_NULL):
            constants[operands[1]] = operands[2] if code == OP_CONSTANT else 0
        if code == op:
            found.append([constants[id] for id in operands[first:first + (3 if op == OP_CONTROL else 2)]])
        at += count
    return found


def compile_text(text, way):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.spv")
        front = [CLANG, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", "-O1", "-w", "-"]
        if way == "clang":
            subprocess.run(front + ["-c", "-o", out], input=text, text=True, check=True)
        else:
            ir = subprocess.run(front + ["-S", "-emit-llvm", "-o", "-"], input=text, text=True, check=True,
                                stdout=subprocess.PIPE).stdout
            with open(out, "wb") as file:
                subprocess.run([WRITER], input=ir.encode(), check=True, stdout=file)
        with open(out, "rb") as file:
            return file.read()


def words_of(text):
    """Of the last half of the module: clang writes the body of a kernel twice."""
    module = compile_text(HEAD + text, "lanewise-spirv")
    return struct.unpack("<%dI" % (len(module) // 4), module)


class Orders(unittest.TestCase):
    def same(self, text, op, first, want):
        found = numbers(words_of(text), op, first)
        self.assertEqual(found, want * (len(found) // len(want)), text)
        self.assertTrue(found)

    def test_loads_and_stores(self):
        for kind in ["int", "double", "ulong", "float"]:
            for space in ["global", "local", ""]:  # whose functions all take generic pointers
                asked = [(o, s) for o in ["relaxed", "acquire", "seq_cst"] for s in [""] + list(SCOPES)]
                head = "kernel void k(global %s *out, global atomic_%s *g, local atomic_%s *l, int n) {\n" % (
                    (kind,) * 3)
                either = "n ? (atomic_%s *)g : (atomic_%s *)l" % (kind, kind)
                head += "volatile %s atomic_%s *p = %s;\n" % (space, kind, space[:1] or either)
                loads = stores = head
                for k, (order, scope) in enumerate(asked):
                    last = "memory_order_%s%s" % (order, scope and ", memory_scope_" + scope)
                    loads += "out[%d] = atomic_load_explicit(p + %d, %s);\n" % (k, k, last)
                    stores += "atomic_store_explicit(p + %d, n, %s);\n" % (
                        k, last.replace("acquire", "release"))
                for text, op, first, half in [(loads, OP_LOAD, 3, 2), (stores, OP_STORE, 1, 4)]:
                    self.same(text + "}", op, first, [
                        [SCOPES[s or "device"], (half if o == "acquire" else ORDERS[o]) | GLOBAL | LOCAL]
                        for o, s in asked])

    def test_fences_and_barriers(self):
        text, want = "kernel void k(void) {\n", []
        for flags, memory in [("CLK_LOCAL_MEM_FENCE", LOCAL), ("CLK_GLOBAL_MEM_FENCE", GLOBAL),
                              ("CLK_IMAGE_MEM_FENCE | CLK_LOCAL_MEM_FENCE", IMAGE | LOCAL)]:
            for order in ORDERS:
                for scope in SCOPES:
                    text += "atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s);\n" % (
                        flags, order, scope)
                    want.append([SCOPES[scope], ORDERS[order] | memory])
        self.same(text + "}", OP_MEMORY, 0, want)
        text, want = "kernel void k(void) {\n", []
        for scope in ["work_group", "device", "all_svm_devices"]:
            text += "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_%s);\n" % scope
            want.append([SCOPES["work_group"], SCOPES[scope], GLOBAL | 16])
        text += "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }"
        self.same(text, OP_CONTROL, 0, want + [[2, 2, LOCAL | GLOBAL | 16]])

    def test_loads_of_clangs_own(self):
        """Every load that acquires, at a scope that others are in."""
        for order in ["acquire", "seq_cst"]:
            for scope in ["work_group", "sub_group", "device", "all_svm_devices"]:
                text = ("kernel void k(global atomic_int *in, global int *out) { out[get_global_id(0)] = "
                        "atomic_load_explicit(in + get_global_id(0), memory_order_%s, memory_scope_%s); }" %
                        (order, scope))
                with tempfile.NamedTemporaryFile(suffix=".spv") as file:
                    file.write(compile_text(text, "clang"))
                    file.flush()
                    told = subprocess.run([RUN, "-g", "4", "--dump", "emit", "--expect", "1=0,1,2,3",
                                           file.name, "i32[4]=iota", "i32[4]"],
                                          capture_output=True, text=True)
                self.assertEqual(told.returncode, 0, told.stderr)
                loads = [line for line in told.stderr.splitlines() if "load atomic" in line]
                self.assertTrue(loads and all(" acquire" in line or " seq_cst" in line for line in loads),
                                "%s %s: %s" % (order, scope, loads))

    def test_at_run_time(self):
        """Each work-item has words of its own: every order and scope gives the same."""
        kinds = ["int", "ulong", "float", "double"]
        text = HEAD
        for kind in kinds:
            text += """
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void k_%s(global const int *in, global int *out)
{
    local atomic_%s words[64];
    size_t i = get_local_id(0);
    volatile local atomic_%s *w = words + i;
    memory_order m = in[0];
    memory_scope s = in[1];
    %s e = 5, old = 0;
    atomic_store_explicit(w, 7, m, s);
    old += atomic_fetch_add_explicit(w, (%s)3, m, s);
    old += atomic_fetch_max_explicit(w, (%s)20, m, s);
    old += atomic_exchange_explicit(w, 30, m, s);
    int hit = atomic_compare_exchange_strong_explicit(w, &e, 1, m, m, s);
    hit += 2 * atomic_compare_exchange_strong_explicit(w, &e, 40, m, m);
    old += atomic_load_explicit(w, m, s) + e;
    atomic_work_item_fence(in[2], m, s);
    atomic_store_explicit(w, (int)get_global_id(0), m);
    work_group_barrier(in[2] | CLK_LOCAL_MEM_FENCE, s);
    out[get_global_id(0)] = 1000 * (int)old + 100 * hit +
                            (int)atomic_load_explicit(words + (get_local_size(0) - 1 - i), m);
}
""" % ((kind,) * 6)
        cl = OpenCL((64, 4 * 64))
        program, said = cl.build(source=text, options="-cl-std=CL3.0")
        self.assertTrue(program, said)
        want = [1000 * (7 + 10 + 20 + 40 + 30) + 100 * 2 + 63 - i for i in range(64)]
        for kind in kinds:
            for order in (0, 2, 3, 4, 5):
                got = cl.run(program, "k_" + kind, struct.pack("<3i", order, 1 + order % 4, order % 4), 64)
                self.assertEqual(list(struct.unpack("<64i", got)), want, "%s %d" % (kind, order))


unittest.main()
