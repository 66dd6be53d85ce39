#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names the transformations without which a command succeeds that fails with them (LANEWISE_SKIP,
docs/tests.md).

which_pass.py [--seconds S] -- COMMAND...: a test, spirv-run with --expect, an OpenCL program that checks
itself. The rows that may be left out are those of jit/passes.def, which is beside this file's folder.
"""
import argparse
import os
import subprocess
import sys

from rows import optional_rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120, help="after which a run counts as failed")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    def good(skipped):
        environment = dict(os.environ, LANEWISE_SKIP=",".join(skipped), LANEWISE_CACHE="0")
        try:
            done = subprocess.run(options.command, env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL,
                                  timeout=options.seconds)
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    rows = optional_rows()
    if good([]):
        sys.exit("the command succeeds as it is")
    if not good(rows):
        sys.exit("the command fails without any of them too: look at the rows that are NEEDED")
    # As few as suffice: pieces are put back as long as the command succeeds without the others.
    size = len(rows) // 2
    while size:
        for begin in range(0, len(rows), size):
            fewer = rows[:begin] + rows[begin + size:]
            if fewer and good(fewer):
                rows = fewer
                break
        else:
            size //= 2
    print("succeeds with LANEWISE_SKIP=" + ",".join(rows))


if __name__ == "__main__":
    main()
