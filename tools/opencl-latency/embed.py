# SPDX-License-Identifier: MIT
"""embed.py OUT NAME=FILE...: a C header with each file as `static const unsigned char NAME[]`, NUL behind it."""
import sys

with open(sys.argv[1], 'w', encoding='ascii') as out:
    for item in sys.argv[2:]:
        name, _, path = item.partition('=')
        with open(path, 'rb') as file:
            data = file.read()
        out.write(f'static const unsigned char {name}[] __attribute__((aligned(4))) = {{')
        for at in range(0, len(data), 20):
            out.write('\n    ' + ', '.join(str(byte) for byte in data[at:at + 20]) + ',')
        out.write(f'\n    0}};\n#define {name}_bytes {len(data)}u\n')
