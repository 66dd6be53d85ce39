# SPDX-License-Identifier: MIT
"""Every instruction of the OpenCL.std grammar has its rows in builtins.def, in all its types.

usage: test_grammar.py extinst.opencl.std.100.grammar.json builtins.def
"""
import json
import re
import sys

INTEGERS = {'s_mul24': 'w', 'u_mul24': 'w', 's_mad24': 'w', 'u_mad24': 'w', 's_upsample': 'bhw',
            'u_upsample': 'bhw', 'nan': 'hwl'}
BOTH = {'select', 'bitselect'}

table = [re.sub(r'\s+', '', line) for line in open(sys.argv[2])]
floats, integers, others = set(), {}, set()
for line in table:
    if m := re.match(r'FLOAT\((\w+),(\w+),([^,]+),([^,]+),([^,]+),[\w.]+,[\w.]+,[\w.]+\)$', line):
        floats.add(m.group(1))
    elif m := re.match(r'INT\((\w+),(\w+),(\w+),([^,]+)\)$', line):
        integers[m.group(1)] = m.group(3)
    elif m := re.match(r'(EXPANDED|REFUSED)\((\w+)\)$', line):
        others.add(m.group(2))
bad = []
for instruction in json.load(open(sys.argv[1]))['instructions']:
    name = instruction['opname']
    is_integer = bool(re.match(r'[su]_', name)) or name in {'clz', 'ctz', 'rotate', 'popcount', 'nan'} | BOTH
    is_float = name in BOTH or not is_integer
    if name in others:
        continue
    if is_integer and integers.get(name) != INTEGERS.get(name, 'bhwl'):
        bad.append(name)
    if is_float and name not in floats:
        bad.append(name)
if bad:
    sys.exit('without a row in builtins.def, or without one for all types: ' + ' '.join(bad))
