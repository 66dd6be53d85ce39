# SPDX-License-Identifier: MIT
"""What this machine can run, for the tests in Python: they import it by `sys.path`, from the folder above
theirs."""

LEVELS = {"sse4.2": "sse4_2", "avx2": "avx2", "avx512": "avx512vl"}


def _flags():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split())
    return set()


def has(isa):
    """True where the processor runs code of this level of `--isa`."""
    return LEVELS[isa] in _flags()


def computes_with_halves():
    return "avx512_fp16" in _flags()


def levels():
    """The levels of `--isa` that this machine runs, least first. Those that it lacks are named on the
    output."""
    for isa in LEVELS:
        if not has(isa):
            print("not run: %s, which this machine lacks" % isa)
    return [isa for isa in LEVELS if has(isa)]
