# SPDX-License-Identifier: MIT
"""What random_flow.py and random_data.py share: kernels are written by seed, compiled by both front ends and
for the reference machine, run by test_language, and reduced to what still fails."""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ("0", "2")
EXTENSIONS = "+SPV_KHR_subgroup_rotate,+SPV_KHR_uniform_group_instructions,+SPV_KHR_integer_dot_product"


def build(args, folder, text, only=None):
    """The kernels as x86-64 code for the reference machine, and as SPIR-V of each front end and level
    (of `only` those)."""
    source, library = os.path.join(folder, "random.cl"), os.path.join(folder, "random.so")
    with open(source, "w") as file:
        file.write(text)
    common = [args.clang, "-x", "cl", "-cl-std=CL3.0", "-I", HERE, "-w"]
    native = [
        "-Xclang", "-cl-ext=+all", "-Xclang", "-ffloat16-excess-precision=none", "-O0", "-DREFERENCE",
        "-fPIC", "-shared", "-Wl,-Bsymbolic"
    ]  # test_language has kernels of the same names
    # Loops that LLVM rewrites count in integers of odd widths, which clang-22 writes wrongly.
    spirv = ["--target=spirv64", "-mllvm", "-disable-lsr", "-mllvm", "-disable-lftr", "-mllvm",
             "-replexitval=never", "-mllvm", "--spirv-ext=" + EXTENSIONS]
    older = [shutil.which("clang-15"), shutil.which("llvm-spirv-15")]
    commands, modules = [common + native + [source, "-o", library]], []
    for level in LEVELS:
        out = os.path.join(folder, "random_%s.spv" % level)
        if not only or out in only:
            commands.append(common + spirv + ["-O" + level, "-c", source, "-o", out])
            modules.append(out)
        out = os.path.join(folder, "random_15_%s.spv" % level)
        if all(older) and (not only or out in only):
            commands.append([sys.executable, os.path.join(HERE, "language.py")] + older +
                            [EXTENSIONS, level, source, out])
            modules.append(out)
    for command in commands:
        made = subprocess.run(command, stderr=subprocess.DEVNULL if only else None)
        module = [m for m in modules if m in command]
        if made.returncode and len(modules) > len(module) and module:
            modules.remove(module[0])  # clang-22 dies of some vectors of 16 at -O2
        elif made.returncode:
            raise subprocess.CalledProcessError(made.returncode, command)
    return library, [module for module in modules if well_written(module)]


def well_written(module):
    """clang-22 gives operations operands of two widths at times; spirv-val tells."""
    if not shutil.which("spirv-val"):
        return True
    made = subprocess.run(["spirv-val", "--target-env", "spv1.4", module],
                          stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL)
    return b"same bit width" not in made.stderr


def attempt(command, timeout):
    """Runs a command; tells how it ended, "" is well, and what it said."""
    try:
        made = subprocess.run(command, timeout=timeout, stdout=subprocess.PIPE, universal_newlines=True)
    except subprocess.TimeoutExpired:
        return "no end after %d seconds" % timeout, ""
    if made.returncode == 0:
        return "", made.stdout
    return "died of signal %d" % -made.returncode if made.returncode < 0 else "wrong", made.stdout


def statements(lines, depth):
    """Of text indented by fours: the ranges of lines that are one statement each at `depth`."""
    found, k, indent = [], 0, " " * (4 * depth)
    while k < len(lines):
        end = k + 1
        if lines[k].startswith(indent) and lines[k][len(indent):][:1] not in (" ", "}", ""):
            while end < len(lines) and (lines[end].startswith(indent + " ")
                                        or lines[end].startswith(indent + "}")):
                end += 1
            found.append((k, end))
        k = end
    return found


def reduce(text, fails):
    """Leaves out statements, from the outer ones to the inner, while the rest fails."""
    lines = text.split("\n")
    for depth in range(1, 8):
        span = max(1, len(statements(lines, depth)) // 4)
        while span:
            k = len(statements(lines, depth)) - span
            while k > -span:
                chosen = statements(lines, depth)[max(k, 0):k + span]
                rest = lines[:]
                for first, end in reversed(chosen):
                    del rest[first:end]
                if chosen and fails("\n".join(rest)):
                    lines = rest
                k -= span
            span //= 2
    return "\n".join(lines)


def reduced(args, folder, text, said):
    """The least text that fails as the first failure of what test_language said, beside its modules."""
    repeat = [line.split("repeat: test_language ")[1] for line in said.split("\n") if "repeat: " in line]
    if not repeat:
        return
    words = shlex.split(repeat[0])
    command = [args.test] + words

    def fails(candidate):
        try:
            build(args, folder, candidate, only=words[:1])
        except subprocess.CalledProcessError:
            return False
        ended, now = attempt(command, args.timeout)
        return bool(ended) and "reference:" not in now and "no end" not in ended

    text = reduce(text, fails)
    build(args, folder, text)
    print("  reduced: %s\n  run: %s" % (os.path.join(folder, "random.cl"), " ".join(command)), flush=True)


def run(args, write, passed_on):
    name = os.path.basename(sys.argv[0])
    os.environ.setdefault("LANEWISE_CACHE", "0")
    args.test = os.path.join(args.build, "tests", "language", "test_language")
    failed = 0
    for seed in range(args.first, args.first + args.count):
        folder = os.path.join(args.keep, str(seed)) if args.keep else tempfile.mkdtemp(prefix="random.")
        os.makedirs(folder, exist_ok=True)
        library, modules = build(args, folder, write(seed, 1))
        command = [args.test, "--reference", library, "--turn", str(37 * seed)] + modules + passed_on
        command += ["--all"] if passed_on else []
        ended, said = attempt(command, args.timeout)
        if ended:
            sys.stdout.write(said)
            print("FAILED seed %d: %s" % (seed, ended), flush=True)
            print("  repeat: %s run %s" % (name, " ".join([str(seed), "1"] + passed_on)), flush=True)
            failed += 1
            if args.reduce:
                reduced(args, folder, write(seed, 1), said)
        if not ended or not (args.keep or args.reduce):
            shutil.rmtree(folder)
    print("%d seeds, %d failed" % (args.count, failed))
    return failed


def routes(seed):
    """Of the four modules two, other ones from batch to batch: each front end and each level once."""
    chosen = (("_0", "_15_2"), ("_2", "_15_0"))[seed % 2]
    return ["random%s.spv" % route for route in chosen]


def run_batches(args, write, passed_on):
    """`count` seeds, `args.batch` of them in a module. Who dies is told, and those behind it go on."""
    os.environ.setdefault("LANEWISE_CACHE", "0")
    args.test = os.path.join(args.build, "tests", "language", "test_language")
    failed = programs = runs = 0
    for first in range(args.first, args.first + args.count, args.batch):
        count = min(args.batch, args.first + args.count - first)
        folder = os.path.join(args.keep, str(first)) if args.keep else tempfile.mkdtemp(prefix="random.")
        os.makedirs(folder, exist_ok=True)
        wanted = [os.path.join(folder, name) for name in routes(first // args.batch)]
        library, modules = build(args, folder, write(first, count), only=wanted)
        command = [args.test, "--reference", library, "--turn", str(37 * first), "--seconds",
                   "60"] + modules + passed_on
        bad, more = False, []
        while True:
            ended, said = attempt(command + more, args.timeout)
            lines = said.split("\n")
            runs += sum(int(line.split()[0]) for line in lines if line.endswith(" failed") and " passed, "
                        in line)
            if not ended:
                break
            bad = True
            failures = [line for line in lines if line.startswith("FAILED") or "repeat: " in line]
            print("\n".join(failures), flush=True)
            failed += sum(line.startswith("FAILED") for line in failures)
            if lines and lines[-1].endswith(" failed") or "passed, " in said or not any("repeat: " in l for l
                                                                                        in lines):
                break
            names = list(dict.fromkeys(re.findall(r"kernel void (\w+)\(", write(first, count))))
            died = [line for line in lines if "repeat: " in line][-1].split("--kernel ")[1].split()[0]
            if died == names[-1]:
                break
            more = ["--from", names[names.index(died) + 1]]
        programs += count
        if not bad:
            shutil.rmtree(folder)
        else:
            print("  kept: %s" % folder, flush=True)
    print("%d programs, %d runs passed, %d failed" % (programs, runs, failed), flush=True)
    return failed


def main(description, write):
    """The command line of a generator, of which `write(first, count)` gives the text of the kernels."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=plain)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("write", "run"):
        command = commands.add_parser(name)
        command.add_argument("first", type=int, help="the first seed")
        command.add_argument("count", type=int, help="how many")
        if name == "run":
            command.add_argument("--batch", type=int, default=0,
                                 help="so many to a module, and two of the modules")
    command.description = ("Runs a part of the combinations, or all of those chosen by what is passed on to "
                           "test_language: --isa X, -s N, --tier T, --range R, --all.")
    command.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"), help="the build folder")
    command.add_argument("--clang", default="clang-22", help="compiles the kernels")
    command.add_argument("--keep",
                         metavar="FOLDER",
                         help="leaves sources and modules of seeds that fail there")
    command.add_argument("--reduce",
                         action="store_true",
                         help="leaves out what need not be there")
    command.add_argument("--timeout", type=int, default=600, help="seconds for one seed")
    args, passed_on = parser.parse_known_args()
    if args.command == "write" and not passed_on:
        sys.stdout.write(write(args.first, args.count))
        return 0
    return 1 if (run_batches if args.batch else run)(args, write, passed_on) else 0
