# SPDX-License-Identifier: MIT
"""The programs of the package as commands: each replaces this process."""
import os
import sys

from . import FOLDER, icd_path


def _run(name):
    program = os.path.join(FOLDER, "bin", name)
    os.execv(program, [name] + sys.argv[1:])


def spirv_run():
    _run("spirv-run")


def lanewise_bench():
    _run("lanewise-bench")


def opencl_latency():
    os.environ.setdefault("OCL_ICD_VENDORS", icd_path())
    _run("opencl-latency")
