#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random C: programs that csmith writes, as kernels, compared with the same text compiled by gcc.

    random_c.py [OPTIONS] FIRST COUNT                              these seeds, see --help

csmith knows C and nothing of lanes: random_c_text.py makes lanes of its program. It counts where gcc's -O0
under AddressSanitizer and its -O1 find the same, which leaves out what is undefined; the front ends are told
that integers wrap and that pointers of any type may meet. What the front end, the instruction set, the
sub-group size, the local size and the tier are, the seed decides. A module of clang-22 that is refused by
the name of an instruction is counted and no failure: some have operands of other types.

With --reader the emitted IR alone is tested: without its address spaces it is compiled by clang under
AddressSanitizer, and run by a main program that says which lane it is.

Status 77 where csmith or gcc is not installed.
"""
import argparse
import os
import re
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
from machine import has, LEVELS  # noqa: E402
from random_c_text import LANES, written  # noqa: E402
from random_run import well_written  # noqa: E402

DIALECT = ["-w", "-fwrapv", "-fno-strict-aliasing"]
ROUTES = ("clang-O0", "clang-O2", "clang15-O0", "clang15-O2")

READER = """#include <stdio.h>
#include <stdint.h>
static unsigned long lane;
unsigned long global_id(unsigned dimension) __asm__("lw.global_id");
unsigned long global_id(unsigned dimension) { return dimension ? 0 : lane; }
void kernel(uint64_t *) __asm__("lw.kernel");
int main(void)
{
    static uint64_t out[%d];
    for (; lane < %d; lane++) {
        kernel(out);
        printf("%%lu\\n", out[lane]);
    }
}
""" % (LANES, LANES)
# Emitted IR as IR of a program in C: one address space.
PLAIN = ((r"addrspace\([0-9]\) ?", ""), ("addrspacecast", "bitcast"), (r"\.p0\.p[0-9]\.", ".p0.p0."),
         (r"\.p[0-9]\.p0\.", ".p0.p0."), (r"\.p[1-9]\.", ".p0."), ('"target-features"', ""),
         (r"@lw\.cl\.([su])_(min|max)\.", r"@llvm.\1\2."),
         (r'"target-cpu"="[^"]*"', ""), (r"(?m)^attributes #([01]) = \{",
                                                r"attributes #\1 = { sanitize_address"))


def output(command, seconds, env=None):
    """Of a program that takes no more than so many seconds of the processor, or None."""
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, **(env or {})),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)))
    return None if made.returncode else [int(word) for word in made.stdout.split()]


def reference(source):
    """What each lane finds, or None where that is undefined or takes long."""
    program, checked = source[:-3], source[:-3] + ".checked"
    for out, flags in ((program, ["-O1"]), (checked, ["-O0", "-fsanitize=address"])):
        subprocess.run(["gcc", "-x", "c", *DIALECT, *flags, source, "-o", out], check=True)
    want = output([program], 1)
    same = want and want == output([checked], 20, {"ASAN_OPTIONS": "detect_stack_use_after_return=1"})
    return want if same else None


def compiled(args, route, source):
    """The SPIR-V of one front end, or None where it dies or writes what is wrong."""
    module, level = "%s.%s.spv" % (source[:-3], route), "-O" + route[-1]
    flags = ["-x", "cl", "-cl-std=CL3.0", *DIALECT, level, "-c", source, "-o"]
    if route.startswith("clang15"):
        # SPIR-V has no vectors of pointers. (An -O behind the option would undo it.)
        commands = [["clang-15", "-target", "spir64", "-emit-llvm", *flags, module + ".bc",
                     "-fno-slp-vectorize"],
                    ["llvm-spirv-15", module + ".bc", "-o", module]]
    else:  # loops that LLVM rewrites count in integers of odd widths, which clang-22 writes wrongly
        commands = [[args.clang, "--target=spirv64", "-mllvm", "-disable-lsr", "-mllvm", "-disable-lftr",
                     "-mllvm", "-replexitval=never", *flags, module]]
    for command in commands:
        try:
            subprocess.run(command, stderr=subprocess.DEVNULL, timeout=args.timeout, check=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return None
    return module if well_written(module) else None


def settings(r):
    """Options of spirv-run, and the environment."""
    local = r.choice([LANES, 64, 20, 5])
    options = ["-g", str(-(-LANES // local) * local), "-w", str(local),
               "-s", r.choice(["4", "8", "16", "32"]), "--isa", r.choice([isa for isa in LEVELS if has(isa)])]
    env = {"LANEWISE_TIER": r.choice(["masked", "specialised", "specialised", "first"]),
           "LANEWISE_VERIFY": "1", "LANEWISE_CACHE": "0"}
    if r.random() < .15:
        env["LANEWISE_INLINE"] = "0"
    return options, env


def judged(made, got, want):
    """Of a run that ended: "" is well, "refused", or what is wrong."""
    said = made.stderr.decode(errors="replace")
    if made.returncode == 1 and re.match(r"error: Op\w+ at word", said):
        return "refused"
    if made.returncode:
        error = re.search("error: .*", said, re.I)
        return "status %d: %s" % (made.returncode, error[0] if error else said[-400:].strip())
    wrong = [str(lane) for lane in range(LANES) if lane >= len(got) or got[lane] != want[lane]]
    return "lanes %s differ" % " ".join(wrong) if wrong else ""


def run(args, module, want, r):
    """By one of the settings: the verdict, and the command."""
    options, env = settings(r)
    command = [args.spirv_run, *options, "-o", "0=-", module, "u64[%d]" % LANES]
    shown = " ".join(["%s=%s" % item for item in env.items()] + [shlex.quote(word) for word in command])
    made = subprocess.run(command, timeout=args.timeout, env=dict(os.environ, **env),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return judged(made, struct.unpack("<%dQ" % (len(made.stdout) // 8), made.stdout), want), shown


def read(args, module, want, r):
    """The emitted IR by other means: the verdict, and the command."""
    stem, dump = module[:-4], [args.spirv_run, "--dump", "emit", "-g", "1", module, "u64[%d]" % LANES]
    made = subprocess.run(dump, timeout=args.timeout, env=dict(os.environ, LANEWISE_CACHE="0"),
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if made.returncode:
        return judged(made, [], want), shlex.join(dump)
    text = ";" + made.stderr.decode().split("; ---- ")[1]
    for pattern, instead in PLAIN:
        text = re.sub(pattern, instead, text)
    lines = {}  # declarations that differed by address space are one now
    for line in text.split("\n"):
        name = re.match(r"declare .*?@[\w.]+", line)
        lines.setdefault(name[0].split("@")[1] if name else len(lines), line)
    text = "\n".join(lines.values())
    for name, content in ((stem + ".ll", text), (stem + ".main.c", READER)):
        with open(name, "w") as file:
            file.write(content)
    sanitized = ["-O0", "-w", "-fsanitize=address"]
    for command in ([args.clang, *sanitized, "-c", stem + ".ll", "-o", stem + ".o"],
                    ["gcc", *sanitized, stem + ".main.c", stem + ".o", "-o", stem + ".read"],
                    [stem + ".read"]):
        made = subprocess.run(command, timeout=args.timeout, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if made.returncode:
            break
    return judged(made, [int(word) for word in made.stdout.split()], want), shlex.join(command)


def one(args, seed, folder, count):
    """All of a seed; True where something is wrong."""
    text, r = written(seed, args.longest)
    source = os.path.join(folder, "%d.cl" % seed)
    if text:
        with open(source, "w") as file:
            file.write(text)
    want = text and reference(source)
    if not want:
        count["left out"] += 1
        return False
    bad = False
    for route in r.sample([route for route in ROUTES if args.older or "15" not in route], 2):
        module = compiled(args, route, source)
        if not module:
            count["not written"] += 1
            continue
        for _ in range(1 if args.reader else 2):
            try:
                verdict, command = (read if args.reader else run)(args, module, want, r)
            except subprocess.TimeoutExpired as ended:
                verdict, command = "no end", shlex.join(ended.cmd)
            if not verdict or verdict == "refused" and "15" not in route:
                count[verdict or "passed"] += 1
                continue
            count["failed"] += 1
            bad = True
            print("FAILED seed %d, %s: %s\n  run: %s" % (seed, route, verdict, command), flush=True)
    return bad


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--spirv-run", default=os.path.join(HERE, "../../build/tools/spirv-run"))
    parser.add_argument("--clang", default="clang-22", help="compiles the kernels")
    parser.add_argument("--reader", action="store_true", help="tests the emitted IR alone")
    parser.add_argument("--longest", type=int, default=70000, help="leaves out texts of more characters")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one run")
    parser.add_argument("--keep", metavar="FOLDER", help="sources and modules of seeds that fail go there")
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("count", type=int, help="how many")
    args = parser.parse_args()
    for tool in ("csmith", "gcc"):
        if not shutil.which(tool):
            print("skipped: %s is not installed" % tool)
            return 77
    args.older = shutil.which("clang-15") and shutil.which("llvm-spirv-15")
    count = dict.fromkeys(("passed", "failed", "refused", "not written", "left out"), 0)
    for seed in range(args.first, args.first + args.count):
        folder = os.path.join(args.keep, str(seed)) if args.keep else tempfile.mkdtemp(prefix="random_c.")
        os.makedirs(folder, exist_ok=True)
        if one(args, seed, folder, count):
            print("  repeat: random_c.py %s%d 1" % ("--reader " * args.reader, seed))
            print("  kept: %s" % folder, flush=True)
        else:
            shutil.rmtree(folder)
    print("%d programs: %s" % (args.count, ", ".join("%d %s" % (n, what) for what, n in count.items())))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
