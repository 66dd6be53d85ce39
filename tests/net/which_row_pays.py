#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is each transformation worth, and where does one do harm? Runs lanewise-bench with one row of the
tables left out after the other (LANEWISE_SKIP, docs/tests.md), specialised code only, without the race of
widths and without the caches.

which_row_pays.py BUILD [--rows NAME,...] [--json FILE] [-- OPTIONS OF lanewise-bench]

For each row: the kernels that are slower without it, and those that are faster without it: there its
condition, or what it thinks that it costs, is wrong. All rows and the suite of strangers take an hour.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from rows import optional_rows

STRANGERS = ["--suite", "strangers", "--threads", "1", "--time", "0.1", "--rounds", "2"]
MUCH = 1.15  # a change that counts, beyond what two runs of the same code differ by


def times(build, options, without):
    """The least time of each kernel, in seconds."""
    environment = dict(os.environ, LANEWISE_SKIP=without, LANEWISE_CACHE="0", LANEWISE_RACE="0",
                       LANEWISE_TIER="specialised")
    bench = build / "tools" / "lanewise-bench" / "lanewise-bench"
    icd = f"lanewise={build}/src/opencl/lanewise.icd:{build}/src"
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [bench, "--icd", icd, "--no-limit", "--no-figures", "--quiet", "--json", out.name, *options]
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL)
        if done.returncode:
            sys.exit(f"lanewise-bench, without {without or 'nothing'}: exit status {done.returncode}")
        kernels = json.load(out)["configurations"][0]["kernels"]
    return {k["name"]: k["results"][0]["least"] for k in kernels if k["results"][0]["status"] == "right"}


def compare(without, bases):
    """By kernel: how many times as long it takes without, where that is more than runs differ by."""
    ratios = {k: t / min(b[k] for b in bases) for k, t in without.items() if all(k in b for b in bases)}
    spread = {k: max(b[k] for b in bases) / min(b[k] for b in bases) for k in ratios}
    changed = {k: r for k, r in ratios.items() if r > MUCH * spread[k] or r < 1 / (MUCH * spread[k])}
    mean = math.exp(sum(map(math.log, ratios.values())) / max(len(ratios), 1))
    return {"mean": round(mean, 3), "slower": {k: round(r, 2) for k, r in changed.items() if r > 1},
            "faster": {k: round(r, 2) for k, r in changed.items() if r < 1}}


def line(row, found):
    def worst(which, reverse):
        few = sorted(found[which].items(), key=lambda kr: kr[1], reverse=reverse)[:4]
        return f"{len(found[which]):3} " + ", ".join(f"{k} {r}" for k, r in few)
    return f"{row:16} {found['mean']:6.3f}  slower {worst('slower', True)}; faster {worst('faster', False)}"


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rows", help="these instead of all")
    parser.add_argument("--json", help="the figures, for programs")
    own, split, bench = sys.argv[1:], "--", STRANGERS
    if split in own:
        own, bench = own[:own.index(split)], own[own.index(split) + 1:]
    options = parser.parse_args(own)
    build, all_rows = options.build.resolve(), optional_rows()
    rows = options.rows.split(",") if options.rows else all_rows
    for row in rows:
        if row not in all_rows:
            parser.error(f"no row {row} that may be left out; there are {', '.join(all_rows)}")
    bases, found = [times(build, bench, "") for _ in range(2)], {}
    for number, row in enumerate(rows):
        print(f"{number + 1} of {len(rows)}: without {row}", file=sys.stderr)
        found[row] = compare(times(build, bench, row), bases)
        print(line(row, found[row]), flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
