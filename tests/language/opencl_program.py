# SPDX-License-Identifier: MIT
"""The OpenCL platform through ctypes, and SPIR-V of several producers. For random_vectors.py."""
import ctypes
import os
import subprocess
import sys


class OpenCL:
    def __init__(self, sizes):
        """Buffers of an input's and an output's size."""
        self.cl, self.sizes = ctypes.CDLL("libOpenCL.so.1"), sizes
        cl = self.cl
        p, size = ctypes.c_void_p, ctypes.c_size_t
        for name, types in {"clCreateBuffer": [p, ctypes.c_uint64, size, p, p],
                            "clCreateProgramWithIL": [p, p, size, p],
                            "clCreateProgramWithSource": [p, ctypes.c_uint, p, p, p],
                            "clCreateKernel": [p, ctypes.c_char_p, p],
                            "clCreateContext": [p, ctypes.c_uint, p, p, p, p],
                            "clCreateCommandQueueWithProperties": [p, p, p, p]}.items():
            getattr(cl, name).restype, getattr(cl, name).argtypes = p, types
        cl.clSetKernelArg.argtypes = [p, ctypes.c_uint, size, p]
        cl.clEnqueueNDRangeKernel.argtypes = [p, p, ctypes.c_uint, p, p, p, ctypes.c_uint, p, p]
        cl.clEnqueueReadBuffer.argtypes = cl.clEnqueueWriteBuffer.argtypes = [
            p, p, ctypes.c_uint, size, size, p, ctypes.c_uint, p, p]
        cl.clBuildProgram.argtypes = [p, ctypes.c_uint, p, ctypes.c_char_p, p, p]
        cl.clGetProgramBuildInfo.argtypes = [p, p, ctypes.c_uint, size, p, p]
        for name in ("clReleaseProgram", "clReleaseKernel"):
            getattr(cl, name).argtypes = [p]
        platform, device, name = p(), p(), ctypes.create_string_buffer(200)
        cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
        cl.clGetPlatformInfo.argtypes = [p, ctypes.c_uint, size, p, p]
        cl.clGetPlatformInfo(platform, 0x0902, len(name), name, None)
        if name.value != b"Lanewise":
            sys.exit("the first OpenCL platform is %r; OCL_ICD_VENDORS names another" % name.value.decode())
        if cl.clGetDeviceIDs(platform, ctypes.c_uint64(0xffffffff), 1, ctypes.byref(device), None) != 0:
            sys.exit("no OpenCL device; OCL_ICD_VENDORS names the platform")
        self.device = device
        self.context = p(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
        self.queue = p(cl.clCreateCommandQueueWithProperties(self.context, device, None, None))
        self.input = p(cl.clCreateBuffer(self.context, 4, sizes[0], None, None))
        self.output = p(cl.clCreateBuffer(self.context, 1, sizes[1], None, None))

    def build(self, source=None, il=None, options=""):
        """The program, or what the build log says."""
        cl, error = self.cl, ctypes.c_int()
        if il is not None:
            program = cl.clCreateProgramWithIL(self.context, il, len(il), ctypes.byref(error))
        else:
            text = ctypes.c_char_p(source.encode())
            program = cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None,
                                                   ctypes.byref(error))
        if error.value:
            return None, "no program: %d" % error.value
        status = cl.clBuildProgram(program, 1, ctypes.byref(self.device), options.encode(), None, None)
        log = ctypes.create_string_buffer(1 << 16)
        cl.clGetProgramBuildInfo(program, self.device, 0x1183, len(log), log, None)
        said = log.value.decode(errors="replace")
        if status or "left out" in said:
            cl.clReleaseProgram(program)
            return None, said
        return program, said

    def run(self, program, name, data, items):
        """The output, which was 0xa5 before; or a text that says what failed."""
        cl, error = self.cl, ctypes.c_int()
        kernel = cl.clCreateKernel(program, name.encode(), ctypes.byref(error))
        if error.value:
            return "no kernel: %d" % error.value
        out = ctypes.create_string_buffer(b"\xa5" * self.sizes[1], self.sizes[1])
        size = (ctypes.c_size_t * 1)(items)
        status = [cl.clEnqueueWriteBuffer(self.queue, self.input, 0, 0, len(data), data, 0, None, None),
                  cl.clEnqueueWriteBuffer(self.queue, self.output, 0, 0, len(out), out, 0, None, None),
                  cl.clSetKernelArg(kernel, 0, 8, ctypes.byref(self.input)),
                  cl.clSetKernelArg(kernel, 1, 8, ctypes.byref(self.output)),
                  cl.clEnqueueNDRangeKernel(self.queue, kernel, 1, None, size, None, 0, None, None),
                  cl.clEnqueueReadBuffer(self.queue, self.output, 1, 0, len(out), out, 0, None, None)]
        cl.clReleaseKernel(kernel)
        return "statuses %s" % status if any(status) else out.raw


CLANG = os.environ.get("LANEWISE_CLANG", "clang-22")
EXTENSIONS = "+SPV_KHR_uniform_group_instructions,+SPV_KHR_subgroup_rotate"


def clang_22(level, source, out):
    return [([CLANG, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", level, "-w", "-mllvm", "-disable-lsr",
              "-mllvm",
              "--spirv-ext=" + EXTENSIONS, "-c", source, "-o", out], None)]


def lanewise(level, source, out):
    return [([CLANG, "--target=spirv64", "-x", "cl", "-cl-std=CL3.0", level, "-w", "-S", "-emit-llvm",
              source, "-o",
              out + ".ll"], None), ([os.environ.get("SPIRV_WRITER", "lanewise-spirv")], out + ".ll")]


def clang_15(level, source, out):
    return [(["clang-15", "-target", "spir64", "-x", "cl", "-cl-std=CL3.0", "-Xclang",
              "-finclude-default-header", level,
              "-w", "-emit-llvm", "-c", source, "-o", out + ".bc"], None),
            (["llvm-spirv-15", "--spirv-ext=" + EXTENSIONS, out + ".bc", "-o", out], None)]


def dpcpp(level, source, out):
    return [(["clang-19", "-target", "spir64", "-x", "cl", "-cl-std=CL3.0", "-Xclang",
              "-finclude-default-header", level,
              "-w", "-emit-llvm", "-c", source, "-o", out + ".bc"], None),
            (["dpcpp-llvm-spirv", out + ".bc", "-o", out], None)]


PRODUCERS = {"clang22": clang_22, "lanewise": lanewise, "clang15": clang_15, "dpcpp": dpcpp}


def run_all(commands, out):
    """What the one that fails says, else nothing. A command with a file for its input writes its output to
    `out`."""
    for command, text in commands:
        with open(text or os.devnull, "rb") as stdin, open(out if text else os.devnull, "wb") as stdout:
            made = subprocess.run(command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE)
        if made.returncode:
            return "%s: %s" % (command[0], made.stderr.decode(errors="replace")[-2000:])
    return ""


def make_il(way, text, folder):
    """SPIR-V, or what the producer said. What llvm-spirv refuses of -O2 (integers of odd widths) comes at
    -O1, then -O0."""
    name, level = way.split("-")
    source, out = os.path.join(folder, "module.cl"), os.path.join(folder, "module.spv")
    with open(source, "w") as file:
        file.write(text)
    for each in [level, "O1", "O0"] if name in ("clang15", "dpcpp") else [level]:
        said = run_all(PRODUCERS[name]("-" + each, source, out), out)
        if not said:
            with open(out, "rb") as file:
                return file.read(), ""
    return None, said
