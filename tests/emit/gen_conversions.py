# SPDX-License-Identifier: MIT
"""Writes a module with one kernel per source type that does every conversion of it, and a table of the
results.
gen_conversions.py OUT.spvasm OUT.txt      table: kernel from to saturated rounding byte-offset"""
import sys

INTS = ['i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64']
FLOATS = ['f16', 'f32', 'f64']
ROUNDINGS = ['default', 'rte', 'rtz', 'rtp', 'rtn']


def spirv_type(name):
    return '%' + name.replace('i', 'u')


def bits(name):
    return int(name[1:])


def cases(source):
    for to in INTS + FLOATS:
        if bits(source) == bits(to) and (source[0] == 'f') == (to[0] == 'f') and source[0] == to[0]:
            continue
        to_float, from_float = to[0] == 'f', source[0] == 'f'
        for rounding in ROUNDINGS if to_float or from_float else ['default']:
            for saturated in [0] if to_float else [0, 1]:
                yield to, rounding, saturated


def operation(source, to, saturated):
    kinds = source[0] + to[0]
    if kinds == 'ff':
        return 'OpFConvert'
    if source[0] == 'f':
        return 'OpConvertFToS' if to[0] == 'i' else 'OpConvertFToU'
    if to[0] == 'f':
        return 'OpConvertSToF' if source[0] == 'i' else 'OpConvertUToF'
    if saturated and kinds == 'iu':
        return 'OpSatConvertSToU'
    if saturated and kinds == 'ui':
        return 'OpSatConvertUToS'
    return ('OpSConvert' if source[0] == 'i' else 'OpUConvert') if bits(source) != bits(to) else None


def main():
    entries, decorations, functions, table = [], [], [], []
    for source in INTS + FLOATS:
        kernel, body, offset = 'from_' + source, [], 0
        for to, rounding, saturated in cases(source):
            op = operation(source, to, saturated)
            if op is None:
                continue
            result = '%%%s_%d' % (kernel, offset)
            body += ['%s = %s %s %%%s_x' % (result, op, spirv_type(to), kernel),
                     '%s_p = OpInBoundsPtrAccessChain %%p_u8 %%%s_out %%c%d' % (result, kernel, offset),
                     '%s_q = OpBitcast %%p_%s %s_p' % (result, spirv_type(to)[1:], result),
                     'OpStore %s_q %s Aligned 8' % (result, result)]
            if rounding != 'default':
                decorations.append('OpDecorate %s FPRoundingMode %s' % (result, rounding.upper()))
            if saturated and not op.startswith('OpSat'):
                decorations.append('OpDecorate %s SaturatedConversion' % result)
            table.append('%s %s %s %d %s %d' % (kernel, source, to, saturated, rounding, offset))
            offset += 8
        entries.append('OpEntryPoint Kernel %%%s "%s"' % (kernel, kernel))
        functions += ['%%%s = OpFunction %%void None %%fn_%s' % (kernel, spirv_type(source)[1:]),
                      '%%%s_out = OpFunctionParameter %%p_u8' % kernel,
                      '%%%s_x = OpFunctionParameter %s' % (kernel, spirv_type(source)),
                      '%%%s_l = OpLabel' % kernel] + body + ['OpReturn', 'OpFunctionEnd']
    types = ['%void = OpTypeVoid'] + ['%%u%d = OpTypeInt %d 0' % (n, n) for n in (8, 16, 32, 64)]
    types += ['%%f%d = OpTypeFloat %d' % (n, n) for n in (16, 32, 64)]
    names = ['u8', 'u16', 'u32', 'u64', 'f16', 'f32', 'f64']
    types += ['%%p_%s = OpTypePointer CrossWorkgroup %%%s' % (n, n) for n in names]
    types += ['%%fn_%s = OpTypeFunction %%void %%p_u8 %%%s' % (n, n) for n in names]
    types += ['%%c%d = OpConstant %%u64 %d' % (n * 8, n * 8) for n in range(200)]
    capabilities = ['Addresses', 'Kernel', 'Int8', 'Int16', 'Int64', 'Float16', 'Float64']
    head = ['OpCapability ' + c for c in capabilities]
    head += ['OpMemoryModel Physical64 OpenCL'] + entries
    with open(sys.argv[1], 'w') as out:
        out.write('\n'.join(head + decorations + types + functions) + '\n')
    with open(sys.argv[2], 'w') as out:
        out.write('\n'.join(table) + '\n')


if __name__ == '__main__':
    main()
