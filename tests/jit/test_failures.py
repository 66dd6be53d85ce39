#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the compiler may fail with, message by message: for lack of a resource, or as a defect of ours.
Nothing that a
kernel asks for is refused behind the complete check, which the build log tells.

    test_failures.py SOURCE_ROOT
"""
import collections
import glob
import os
import re
import sys

root = sys.argv[1]
# Functions that fail with the status they are given, and those that have one of their own.
GIVEN = ("lw_former_fail", "lw_jit_fail", "lw_builtin_fail", "fail")
OWN = {"lw_emit_fail": "LW_INTERNAL", "lw_widen_fail": "LW_INTERNAL"}
ALLOWED = {"LW_INTERNAL", "LW_OUT_OF_MEMORY"}
# Of the request, not of the kernel: a stage to dump, a row to leave out, code for another machine, a kernel
# that the caller made up.
REQUEST = ("no stage %.*s to dump", "LANEWISE_SKIP: ", "this machine does not run %s code",
           "no kernel %s in the module")

found, bad = collections.Counter(), []
for folder in ("jit", "vectorizer", "builtins", "spirv"):
    for path in sorted(glob.glob(os.path.join(root, folder, "emit*.c" if folder == "spirv" else "*.c"))):
        with open(path) as file:
            text = file.read()
        for name in GIVEN + tuple(OWN):
            for call in re.finditer(r"\b%s\(([^;{]*?)\)\s*[;,?&|:)]" % name, text, re.DOTALL):
                message = re.search(r'"((?:[^"\\]|\\.)*)"', call.group(1))
                status = OWN.get(name) or (re.findall(r"\bLW_[A-Z_]+\b",
                                                      call.group(1).split('"')[0]) or [None])[-1]
                if not message or not status:
                    continue  # a definition, or what passes another's error on
                if message.group(1).startswith("out of memory"):
                    status = "LW_OUT_OF_MEMORY"
                # of a better code's compilation; masked code has none and serves
                if "its budget is" in text[call.start():call.start() + 400]:
                    status = "LW_OUT_OF_MEMORY"
                found[status] += 1
                if status not in ALLOWED and not message.group(1).startswith(REQUEST):
                    bad.append("%s: %s: %s" % (os.path.relpath(path, root), status, message.group(1)))
        for status in re.findall(r"status = (LW_[A-Z_]+);", text):
            if status not in ALLOWED and status != "LW_OK":
                bad.append("%s: sets %s" % (os.path.relpath(path, root), status))
for status, count in sorted(found.items()):
    print("%s: %d messages" % (status, count))
for line in bad:
    print("FAILED " + line)
if found["LW_INTERNAL"] < 100 or found["LW_OUT_OF_MEMORY"] < 5:
    sys.exit("too few messages: the functions have other names")
sys.exit(bool(bad))
