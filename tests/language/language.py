#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The older route to SPIR-V: clang-15, then llvm-spirv-15.

    language.py CLANG LLVM_SPIRV EXTENSIONS LEVEL IN.cl OUT.spv [OPTION OF CLANG...]

Where llvm-spirv-15 refuses what -O2 made of the kernels (freeze, integers of odd widths), they come at -O1,
then -O0.
"""
import os
import subprocess
import sys

clang, llvm_spirv, extensions, level, source, out, *more = sys.argv[1:]
for o in [level, "1", "0"]:
    bitcode = out + ".bc"
    subprocess.run([clang, "-target", "spir64", "-x", "cl", "-cl-std=CL3.0", "-Xclang",
                    "-finclude-default-header",
                    "-O" + o, "-w", "-DLLVM_SPIRV", "-I", os.path.dirname(os.path.abspath(__file__)),
                    "-emit-llvm", "-c", source, "-o", bitcode, *more], check=True)
    made = subprocess.run([llvm_spirv, "--spirv-ext=" + extensions, bitcode, "-o", out],
                          stderr=subprocess.PIPE)
    if made.returncode == 0:
        sys.exit(0)
sys.exit(made.stderr.decode())
