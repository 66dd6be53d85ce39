#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program whose IR neither lanewise-spirv nor clang's back end can write is made by clang-15 and
llvm-spirv-15.

    test_other_producer.py CLANG

The compiler that LANEWISE_CLANG names here is a script: it gives IR with a product of 128 bits, and writes
none.
"""
import os
import stat
import sys
import tempfile

SCRIPT = """#!/bin/sh
case " $* " in
*" ir "*) exit 1 ;;
esac
%s "$@" || exit 1
printf 'define i128 @lanewise_test(i128 %%%%x) {\\n  %%%%y = mul i128 %%%%x, %%%%x\\n  ret i128 %%%%y\\n}\\n'
"""

with tempfile.TemporaryDirectory() as folder:
    script = os.path.join(folder, "clang")
    with open(script, "w") as file:
        file.write(SCRIPT % sys.argv[1])
    os.chmod(script, stat.S_IRWXU)
    os.environ.update({"LANEWISE_CLANG": script, "LANEWISE_CACHE": "0"})

    from opencl_program import OpenCL
    cl = OpenCL((64, 64))
    text = ("kernel void k(global const uint *in, global uint *out) { out[get_global_id(0)] = "
            "in[get_global_id(0)] * SCALE; }")
    program, said = cl.build(source=text, options="-DSCALE=3")
    if not program:
        sys.exit("does not build: " + said)
    got = cl.run(program, "k", b"".join(x.to_bytes(4, "little") for x in range(16)), 16)
    values = [int.from_bytes(got[4 * k:4 * k + 4], "little") for k in range(16)]
    if values != [3 * x for x in range(16)]:
        sys.exit("wrong: %s" % values)
