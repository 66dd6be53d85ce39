#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No two objects of a library of ours define one global name: of static libraries the linker takes the first,
silently, and calls of the other go there.

    test_symbols.py NM LIBRARY...     each a static library, or the folder of objects of another kind
"""
import collections
import glob
import os
import re
import subprocess
import sys
import unittest

NM, LIBRARIES = sys.argv[1], sys.argv[2:]
GLOBAL = "TDBRSC"  # of nm: code, data, zeros, constants; not what may be there twice


def definitions(files):
    """Of each global name, where it is defined, by nm's own lines: FILE: NAME T ..."""
    out = subprocess.run([NM, "-A", "-P", "-g", "--defined-only"] + files, check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    found = collections.defaultdict(set)
    for where, name, kind in re.findall(r"^(.*): (\S+) (\w)\b.*$", out, re.MULTILINE):
        if kind in GLOBAL:
            found[name].add(where)
    return found


class Symbols(unittest.TestCase):
    def test_one_of_each(self):
        files = []
        for library in LIBRARIES:
            files += glob.glob(os.path.join(library, "*.o")) if os.path.isdir(library) else [library]
        found = definitions(files)
        self.assertGreater(len(found), 300)
        twice = {name: sorted(where) for name, where in found.items() if len(where) > 1}
        self.assertEqual(twice, {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
