#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Instructions that need a capability, as rows of a C initialiser: op_capabilities.py GRAMMAR OUTPUT.

Only those with one capability: where any of several will do, none of them promises the instruction.
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    grammar = json.load(file)
numbers = {}
for kind in grammar["operand_kinds"]:
    if kind["kind"] == "Capability":
        numbers = {e["enumerant"]: e["value"] for e in kind["enumerants"]}
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for inst in grammar["instructions"]:
        needed = inst.get("capabilities", [])
        if len(needed) == 1:
            print('{%d, %d, "%s", "%s"},' % (inst["opcode"], numbers[needed[0]], inst["opname"], needed[0]),
                  file=out)
