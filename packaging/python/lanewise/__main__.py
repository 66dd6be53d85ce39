# SPDX-License-Identifier: MIT
"""python -m lanewise env | check"""
import os
import shutil
import sys

import lanewise

SMALL_SPV = os.path.join(lanewise.FOLDER, "share", "saxpy.spv")


def env():
    """Settings for loaders that look nowhere; for a shell's eval."""
    print(f"export OCL_ICD_VENDORS={lanewise.icd_path()}")
    print(f"# where the loader is Khronos' own: export OCL_ICD_FILENAMES={lanewise.icd_path()}")
    return 0


def clang():
    """As the platform looks for it: source.c."""
    own = os.environ.get("LANEWISE_CLANG")
    for name in [own] if own else ["clang-22", "clang-23", "clang-24"]:
        found = shutil.which(name)
        if found:
            return found
    # lanewise[clang], in an environment that may not be activated
    beside = os.path.normpath(os.path.join(lanewise.FOLDER, "../../../../bin/clang-22"))
    return beside if not own and os.access(beside, os.X_OK) else None


def check_kernel():
    import numpy
    x, y = numpy.arange(1000, dtype="f4"), numpy.ones(1000, "f4")
    lanewise.Kernel(SMALL_SPV)(1000, 1000, 2.0, x, y)
    if not numpy.array_equal(y, 2 * x + 1):
        raise RuntimeError("a kernel of 1000 work-items left wrong numbers")
    return "right, 1000 work-items on numpy arrays"


def check_pyopencl():
    try:
        import pyopencl
        pyopencl.get_platforms
    except (ImportError, AttributeError):
        return "not installed"
    names = [p.name for p in pyopencl.get_platforms()]
    if "Lanewise" not in names:
        raise RuntimeError(f"pyopencl finds {names or 'no platform'}: its loader is not the one of its wheels? Set what "
                           "`python -m lanewise env` prints")
    return f"finds the platform Lanewise, among {len(names)}"


def check():
    lw, failed = lanewise.library(), False
    rows = [("version", lambda: lanewise.__version__), ("platform", lanewise.icd_path),
            ("instruction set", lambda: lw.lw_isa_name(lw.lw_isa_host()).decode()),
            ("clang", lambda: clang() or "none, so that OpenCL C is refused and SPIR-V alone runs: install clang-22, "
                                         "or lanewise[clang], or name one by LANEWISE_CLANG"),
            ("kernel", check_kernel), ("pyopencl", check_pyopencl)]
    for name, look in rows:
        try:
            said = look()
        except Exception as problem:  # each is told, the others are looked at
            said, failed = f"FAILED: {problem}", True
        print(f"{name:16} {said}")
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["env"], ["check"]):
        told = ("usage: python -m lanewise env | check\n"
                "  env    prints settings for OpenCL loaders that do not look beside pyopencl: eval \"$(...)\"\n"
                "  check  looks for the platform, a clang for OpenCL C and pyopencl, and runs a kernel")
        if sys.argv[1:] in (["--help"], ["-h"]):
            print(told)
            sys.exit(0)
        sys.exit(told)
    sys.exit(env() if sys.argv[1] == "env" else check())
