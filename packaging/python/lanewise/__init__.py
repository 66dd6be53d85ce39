# SPDX-License-Identifier: MIT
"""Lanewise: OpenCL SPIR-V kernels on the SIMD lanes of x86 processors.

With pyopencl installed beside this package nothing has to be set: its loader finds the platform "Lanewise".
Without any OpenCL, a module of SPIR-V runs on numpy arrays:

    import numpy, lanewise
    y = numpy.ones(8, "f4")
    lanewise.Kernel("saxpy.spv")(8, 8, 2.0, numpy.arange(8, dtype="f4"), y)
"""
import os

from ._version import __version__
from ._library import Error, Kernel, Local, library

FOLDER = os.path.dirname(os.path.abspath(__file__))

__all__ = ["Error", "Kernel", "Local", "__version__", "icd_path", "include_path", "library"]


def icd_path():
    """The OpenCL platform, a shared object: for OCL_ICD_VENDORS of ocl-icd, OCL_ICD_FILENAMES of Khronos' loader."""
    return os.path.join(FOLDER, "lib", "lanewise", "liblanewise-opencl.so")


def include_path():
    """The folder of lanewise/lanewise.h, for programs in C."""
    return os.path.join(FOLDER, "include")
