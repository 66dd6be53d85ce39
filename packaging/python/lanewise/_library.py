# SPDX-License-Identifier: MIT
"""liblanewise by ctypes: modules of SPIR-V and their kernels on numpy arrays. See lanewise/lanewise.h."""
import ctypes
import functools
import os
import threading
import warnings

from ctypes import POINTER, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint32, c_void_p

VALUE, STRUCT, POINTER_ARG, LOCAL, PIPE = range(5)
SCALARS = {"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
           "f16": "f2", "f32": "f4", "f64": "f8"}


class _Error(ctypes.Structure):
    _fields_ = [("status", c_int), ("word", c_uint32), ("text", c_char * 1000)]


class _ArgInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("kind", c_int), ("scalar", c_char * 8),
                ("components", c_uint32), ("size", c_uint32), ("align", c_uint32), ("address_space", c_uint32)]


class _KernelInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("arg_count", c_uint32), ("required_local_size", c_uint32 * 3),
                ("local_size_hint", c_uint32 * 3), ("required_sub_group_size", c_uint32),
                ("required_sub_groups_per_group", c_uint32), ("local_bytes", c_uint32),
                ("observes_sub_groups", c_bool), ("has_barrier", c_bool), ("unsupported", c_char_p)]


class _Range(ctypes.Structure):
    _fields_ = [("dimensions", c_uint32), ("global_", c_size_t * 3), ("local", c_size_t * 3), ("offset", c_size_t * 3)]


_FUNCTIONS = {
    "lw_device_create": (c_void_p, c_void_p, POINTER(_Error)),
    "lw_program_create": (c_void_p, c_void_p, c_char_p, c_size_t, POINTER(_Error)),
    "lw_program_release": (None, c_void_p),
    "lw_program_kernel_count": (c_uint32, c_void_p),
    "lw_program_kernel_info": (c_bool, c_void_p, c_uint32, POINTER(_KernelInfo)),
    "lw_program_arg_info": (c_bool, c_void_p, c_uint32, c_uint32, POINTER(_ArgInfo)),
    "lw_kernel_create": (c_void_p, c_void_p, c_char_p, POINTER(_Error)),
    "lw_kernel_release": (None, c_void_p),
    "lw_kernel_set_arg": (c_bool, c_void_p, c_uint32, c_void_p, c_size_t, POINTER(_Error)),
    "lw_kernel_set_arg_pointer": (c_bool, c_void_p, c_uint32, c_void_p, c_size_t, POINTER(_Error)),
    "lw_kernel_set_arg_local": (c_bool, c_void_p, c_uint32, c_size_t, POINTER(_Error)),
    "lw_kernel_run": (c_bool, c_void_p, POINTER(_Range), POINTER(_Error)),
    "lw_isa_host": (c_int,),
    "lw_isa_name": (c_char_p, c_int),
    "lw_version": (c_char_p,),
}


class Error(RuntimeError):
    """What liblanewise says; `status` is a lw_status."""

    def __init__(self, error, path=None):
        told = error.text.decode(errors="replace")
        if path:
            told = f"'{path}': {told}"
        if path and str(path).endswith(".cl"):
            told += (f"; it is source: clang-22 --target=spirv64 -x cl -cl-std=CL3.0 -O2 -c {path} -o "
                     f"{str(path)[:-3]}.spv makes a module of it")
        super().__init__(told)
        self.status = error.status


class Local:
    """Local memory of `size` bytes for each work-group, as a kernel's argument."""

    def __init__(self, size):
        self.size = size


@functools.lru_cache(maxsize=None)
def library():
    """liblanewise, its functions typed."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "liblanewise.so.0")
    loaded = ctypes.CDLL(path)
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


@functools.lru_cache(maxsize=None)
def _device():
    """One for the process: its threads and its cache of compiled code."""
    error = _Error()
    device = library().lw_device_create(None, ctypes.byref(error))
    if not device:
        raise Error(error)
    return device


def _sizes(what, sizes):
    sizes = (sizes,) if not isinstance(sizes, (tuple, list)) else tuple(sizes)
    if not 1 <= len(sizes) <= 3 or not all(int(s) == s and s >= 0 for s in sizes):
        raise ValueError(f"{what}: one to three sizes are expected, not {sizes}")
    return sizes


class Kernel:
    """A kernel of a SPIR-V module: bytes, or the path of a file. `name` may be left out where there is one alone.

    kernel(global_size, *arguments, local_size=None, offset=None) runs it to its end. Pointers take C-contiguous arrays,
    used in place, or None; values take numbers, vectors sequences of them, structs anything with their bytes; local
    memory takes Local(bytes). An array whose elements are of another kind or size than the kernel takes them for is used as
    it lies, with a warning.
    """

    def __init__(self, spirv, name=None):
        self._kernel = None
        lw, error, path = library(), _Error(), None
        if isinstance(spirv, (str, os.PathLike)):
            path = os.fspath(spirv)
            with open(path, "rb") as file:
                spirv = file.read()
        program = lw.lw_program_create(_device(), bytes(spirv), len(spirv), ctypes.byref(error))
        if not program:
            raise Error(error, path)
        try:
            self._find(lw, program, name)
            self._kernel = lw.lw_kernel_create(program, self.name.encode(), ctypes.byref(error))
        finally:
            lw.lw_program_release(program)
        if not self._kernel:
            raise Error(error)
        self._lock = threading.Lock()

    def _find(self, lw, program, name):
        names = []
        for k in range(lw.lw_program_kernel_count(program)):
            info = _KernelInfo()
            lw.lw_program_kernel_info(program, k, ctypes.byref(info))
            names.append(info.name.decode())
        if name is None and len(names) == 1:
            name = names[0]
        if name not in names:
            asked = "which kernel?" if name is None else f"no kernel '{name}':"
            raise ValueError(f"{asked} the module has {', '.join(names) or 'none'}")
        index = names.index(name)
        lw.lw_program_kernel_info(program, index, ctypes.byref(info))
        self.name, self.arguments = name, []
        for a in range(info.arg_count):
            argument = _ArgInfo()
            lw.lw_program_arg_info(program, index, a, ctypes.byref(argument))
            self.arguments.append((argument.kind, argument.scalar.decode(), argument.components, argument.size,
                                   argument.address_space, f"argument {a} ({argument.type.decode()} "
                                                           f"{argument.name.decode()})"))

    def __del__(self):
        if getattr(self, "_kernel", None):
            library().lw_kernel_release(self._kernel)
            self._kernel = None

    def _array(self, value, scalar, space, what):
        """The address and the bytes of an array; `value` is kept alive by the caller."""
        if value is None:
            return None, 0
        face = getattr(value, "__array_interface__", None)
        if face is None:
            raise TypeError(f"{what}: an array is expected, not {type(value).__name__}")
        if not value.flags.c_contiguous:
            raise ValueError(f"{what}: the array is not contiguous")
        address, read_only = face["data"]
        if read_only and space != 2:
            raise ValueError(f"{what}: the array is read-only")
        mine = SCALARS.get(scalar, "i1")
        if mine != "i1" and value.dtype.kind in "iuf" and value.dtype.str[1:].replace("u", "i") != mine.replace("u", "i"):
            warnings.warn(f"{what}: the array has {value.dtype}", stacklevel=4)
        return address, value.nbytes

    def _value(self, value, kind, scalar, components, size, what):
        """The bytes of a value."""
        import numpy
        if kind == VALUE and scalar in SCALARS:
            dtype = numpy.dtype(SCALARS[scalar])
            given = numpy.asarray(value)
            if given.dtype.kind not in "iubf":
                raise TypeError(f"{what}: a number is expected, not {value!r}")
            if given.dtype.kind in "iub" and dtype.kind == "i" and not (
                    -(1 << dtype.itemsize * 8 - 1) <= int(given.min()) and int(given.max()) < 1 << dtype.itemsize * 8):
                raise OverflowError(f"{what}: {value} does not fit")
            if dtype.kind == "i" and given.dtype.kind == "f":
                raise TypeError(f"{what}: an integer is expected, not {value}")
            if dtype.kind == "i":  # SPIR-V's integers have no sign: either is taken
                bits = [int(v) & (1 << dtype.itemsize * 8) - 1 for v in given.reshape(-1)]
                given = numpy.array(bits, numpy.dtype(f"u{dtype.itemsize}"))
            else:
                given = given.astype(dtype).reshape(-1)
            if len(given) != components:
                raise ValueError(f"{what}: {components} numbers are expected, not {len(given)}")
            return given.tobytes().ljust(size, b"\0")
        data = bytes(value)
        if len(data) != size:
            raise ValueError(f"{what}: {size} bytes are expected, not {len(data)}")
        return data

    def _set(self, index, value):
        lw, error, (kind, scalar, components, size, space, what) = library(), _Error(), self.arguments[index]
        if kind == POINTER_ARG:
            address, count = self._array(value, scalar, space, what)
            good = lw.lw_kernel_set_arg_pointer(self._kernel, index, address, count, ctypes.byref(error))
        elif kind == LOCAL:
            if not isinstance(value, Local):
                raise TypeError(f"{what}: lanewise.Local(bytes) is expected")
            good = lw.lw_kernel_set_arg_local(self._kernel, index, value.size, ctypes.byref(error))
        elif kind in (VALUE, STRUCT):
            data = self._value(value, kind, scalar, components, size, what)
            good = lw.lw_kernel_set_arg(self._kernel, index, data, len(data), ctypes.byref(error))
        else:
            raise TypeError(f"{what}: this class has no such arguments")
        if not good:
            raise Error(error)

    def __call__(self, global_size, *arguments, local_size=None, offset=None):
        if len(arguments) != len(self.arguments):
            wanted = ", ".join(what for *_, what in self.arguments)
            raise TypeError(f"kernel {self.name} takes {len(self.arguments)} arguments behind global_size, "
                            f"{len(arguments)} are given; they are {wanted or 'none'}")
        sizes, error = _sizes("global_size", global_size), _Error()
        run = _Range(dimensions=len(sizes))
        for field, given in (("global_", sizes), ("local", local_size), ("offset", offset)):
            if given is not None:
                given = _sizes(field.rstrip("_"), given)
                if len(given) != len(sizes):
                    raise ValueError(f"{field.rstrip('_')}: as many sizes as global_size has")
                getattr(run, field)[:] = [int(s) for s in given] + [1 if field != "offset" else 0] * (3 - len(given))
        with self._lock:
            for index, value in enumerate(arguments):
                self._set(index, value)
            if not library().lw_kernel_run(self._kernel, ctypes.byref(run), ctypes.byref(error)):
                raise Error(error)
