#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The style that CONTRIBUTING.md asks for, as far as a program can see it: lines, functions, comments,
licences.

    test_style.py SOURCE_ROOT
"""
import os
import re
import sys
import unittest

ROOT = os.path.abspath(sys.argv[1])
COLUMNS, LINES = 110, 60
CHECKED = ("include", "src", "spirv", "vectorizer", "jit", "builtins", "producer", "tools", "tests",
           "benchmark", "examples")

# Folders that have longer lines yet, and how many: fewer is good, and then to be written here.
LONG_LINES = {"spirv": 20, "vectorizer": 1, "jit": 19, "builtins": 3, "tools": 1, "examples": 3}

# Includes run one way: what each folder may take from others. Only compiler.h joins the runtime, which is
# without LLVM, to the compiler library; jit/process is the runtime's child, and speaks its protocol.
INCLUDES = {"include": (), "spirv": ("include/",), "src": ("spirv/", "include/"),
            "tools": ("src/", "spirv/", "include/"), "builtins": ("spirv/", "include/"),
            "producer": ("spirv/",),
            "vectorizer": ("spirv/", "src/compiler.h"),
            "jit": ("vectorizer/", "spirv/", "builtins/builtins.h", "src/compiler.h", "src/trace.h",
                    "src/native/library_calls.def"),
            "jit/process": ("jit/", "src/")}

# The rooms of src/ and of its OpenCL face, from the ground up: each may take from those before it, and what
# all of them know.
VOCABULARY = ("src/objects.h", "src/api.h", "src/compiler.h", "src/options.h", "src/trace.h", "spirv/",
              "include/")
ROOMS = ["src/" + room for room in ("host", "threads", "native", "compiler", "ranges", "tiers", "services",
                                    "dispatch")]
FACE = ["src/opencl/" + room for room in ("devices", "opencl_c", "memory", "commands", "programs")]
OF_FACE = ("src/opencl/objects.h", "src/opencl/entry_points.h", "src/opencl/newer.h",
           "producer/spirv_options.h")
for rooms, known in ((ROOMS, VOCABULARY), (FACE, VOCABULARY + OF_FACE + tuple(room + "/" for room in ROOMS))):
    for number, room in enumerate(rooms):
        INCLUDES[room] = known + tuple(below + "/" for below in rooms[:number])

# Functions that are longer, and why one piece is better.
LONG_FUNCTIONS = {
    "tools/lanewise-bench/help.c help_print": "one text",
    "tools/lanewise-bench/options.c take_option": "one switch over all options",
    "tools/spirv-run/options.c apply": "one switch over all options",
    "tools/spirv-run/arguments.c cli_arg_parse": "one grammar, its alternatives one after the other",
    "tests/bench/test_output.c sub_group_sizes": "two modules, word by word",
    "tests/opencl/test_devices.c test_program_of_several": "one story of a program and its devices",
    "tests/opencl/test_devices.c test_link_of_several": "one story of programs and their devices",
    "tests/opencl/test_kernel.c test_uniform_by_version": "a table, and what it is checked by",
    "tests/spirv/test_modules.c arguments": "a table, and what it is checked by",
}


def sources(*ends):
    for folder in CHECKED:
        for where, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "__", "build")))
            for name in sorted(names):
                if name.endswith(ends):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, ROOT), file.read().split("\n")


def functions(lines):
    """(name, lines of the body) of each: braces at the margin, the name on the line above with its
    parameters."""
    start, name = 0, ""
    for number, line in enumerate(lines, 1):
        found = re.match(r"(?:START_TEST\()?(\w+)(?:\(|\))", line)
        if found and not start:
            name = found.group(1)
        if line == "{":
            start = number
        elif line == "}" and start:
            yield name, number - start - 1
            start = 0


class Style(unittest.TestCase):
    def test_lines(self):
        long, places = {}, []
        for path, lines in sources(".c", ".h", ".def", ".py"):
            for number, line in enumerate(lines, 1):
                if len(line) > COLUMNS:
                    folder = path.split("/")[0]
                    long[folder] = long.get(folder, 0) + 1
                    places.append(f"{path}:{number}: {len(line)} columns")
        for folder in CHECKED:
            self.assertLessEqual(long.get(folder, 0), LONG_LINES.get(folder, 0),
                                 "\n".join(p for p in places if p.startswith(folder + "/")))
        for folder, count in LONG_LINES.items():  # so that the table keeps what was gained
            self.assertGreater(long.get(folder, 0), count * 0.9 - 1,
                               f"{folder}: {long.get(folder, 0)} are left: say so")

    def test_includes(self):
        for path, lines in sources(".c", ".h"):
            folder = os.path.dirname(path)
            folder = folder if folder in INCLUDES else folder.split("/")[0]
            for line in lines if folder in INCLUDES else ():
                named = re.match(r'#include "([^"]+)"', line)
                target = named and os.path.normpath(os.path.join(os.path.dirname(path), named.group(1)))
                if target and os.path.exists(os.path.join(ROOT, target)):
                    self.assertTrue(target.startswith((folder + "/",) + INCLUDES[folder]),
                                    f"{path} includes {target}")

    def test_functions(self):
        found = set()
        for path, lines in sources(".c"):
            for name, length in functions(lines):
                if length > LINES:
                    entry = path if path in LONG_FUNCTIONS else f"{path} {name}"
                    found.add(entry)
                    self.assertIn(entry, LONG_FUNCTIONS, f"{length} lines: split it, or say why not")
        self.assertEqual(set(LONG_FUNCTIONS) - found, set(), "no longer long: take them from the table")

    def test_it_sees_functions(self):
        counted = list(functions("int\nf(int a,\n  int b)\n{\n    a;\n    b;\n}\nSTART_TEST(g)\n{\n    c;\n"
                                 "}".split("\n")))
        self.assertEqual(counted, [("f", 2), ("g", 1)])

    def test_comments(self):
        """Of C files: /* */ only, a licence first, no spaces at ends of lines, no tabs."""
        for path, lines in sources(".c", ".h"):
            self.assertIn("SPDX-License-Identifier: MIT", lines[0], path)
            inside = False
            for number, line in enumerate(lines, 1):
                where = f"{path}:{number}: {line}"
                self.assertEqual(line, line.rstrip(), where)
                self.assertNotIn("\t", line, where)
                bare = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', "", line)
                if not inside:
                    self.assertNotRegex(re.sub(r"/\*.*?(\*/|$)", "", bare), "//", where)
                opened, closed = bare.rfind("/*"), bare.rfind("*/")
                inside = opened > closed or (inside and closed < 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
