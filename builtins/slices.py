# SPDX-License-Identifier: MIT
"""Cuts libclc and library/*.c into one small bitcode module per function that builtins.def needs.

usage: slices.py LIBLLVM DEF LIBCLC.bc OUT.bin OUT.inc OUT.S LIBRARY.bc...

A slice is a complete module with one external function, `lw.cl.NAME.T`: its callees are inlined, its tables
are in constant memory (address space 2), nothing of the target it was compiled for is left, and it calls no
more than the intrinsics listed here, which x86 has as vector instructions. Where a slice uses fma it is
written a second time without, for the ISA level that has none; where it has other bodies for AVX-512 (files
named *.avx512.bc), a third time with those. Works on the textual IR, whose parts are
lines; LLVM is called as a library, because a process per slice would take a minute.
"""
import ctypes
import re
import sys

FLOATS = ('f16', 'f32', 'f64')
INTEGERS = {'b': 'i8', 'h': 'i16', 'w': 'i32', 'l': 'i64'}
CODE = {'f32': 'f', 'f64': 'd'}
ALLOWED = {'fabs', 'copysign', 'floor', 'ceil', 'trunc', 'rint', 'sqrt', 'fma', 'fmuladd', 'minnum', 'maxnum',
           'minimumnum', 'maximumnum', 'smin', 'smax', 'umin', 'umax', 'abs', 'ctlz', 'cttz', 'ctpop', 'fshl',
           'fshr', 'is.fpclass', 'uadd.sat', 'usub.sat', 'sadd.sat', 'ssub.sat', 'umul.with.overflow',
           'assume',
           'lifetime.start', 'lifetime.end'}
# Instructions that vectorizer/lanes/avx512.c widens.
ALLOWED_AVX512 = {'x86.avx512.%s.%s' % (operation, element) for element in ('ss', 'sd') for operation in
                  ('rcp14', 'rsqrt14', 'mask.scalef', 'mask.getexp', 'mask.getmant')}
ALLOWED_AVX512.add('x86.avx512.mask.add.ss.round')
# Slices that no row names: what resolve.c needs for the ISA levels.
SUPPORT = {'lw.soft.extend': 'lw_extend_f16_f32', 'lw.soft.truncate': 'lw_truncate_f32_f16',
           'lw.soft.odd': 'lw_odd_f64_f32'}
SUPPORT.update(('lw.image.%s%s.%s' % (soon, name, kind),
                'lw_image_%s%s_%s' % (soon.replace('.', '_'), name, kind))
               for soon in ('', 'soon.') for name in ('fetch', 'reread', 'sample', 'write') for kind in 'fi')


def fail(text):
    sys.exit('slices.py: ' + text)


class Llvm:
    """The few functions of the LLVM C API that are needed."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for name in ('LLVMContextCreate', 'LLVMCreateMemoryBufferWithMemoryRangeCopy', 'LLVMGetBufferStart',
                     'LLVMCreatePassBuilderOptions', 'LLVMPrintModuleToString',
                     'LLVMWriteBitcodeToMemoryBuffer', 'LLVMRunPasses', 'LLVMGetErrorMessage'):
            getattr(self.lib, name).restype = ctypes.c_void_p
        self.lib.LLVMGetBufferSize.restype = ctypes.c_size_t
        # Short conditional code becomes selects, here too.
        arguments = (ctypes.c_char_p * 3)(b'slices', b'-phi-node-folding-threshold=40',
                                          b'-two-entry-phi-node-folding-threshold=40')
        self.lib.LLVMParseCommandLineOptions(3, arguments, None)
        self.context = ctypes.c_void_p(self.lib.LLVMContextCreate())
        self.options = ctypes.c_void_p(self.lib.LLVMCreatePassBuilderOptions())

    def buffer(self, data):
        return ctypes.c_void_p(self.lib.LLVMCreateMemoryBufferWithMemoryRangeCopy(
            data, ctypes.c_size_t(len(data)), b'slice'))

    def text(self, bitcode):
        module = ctypes.c_void_p()
        if self.lib.LLVMParseBitcodeInContext2(self.context, self.buffer(bitcode), ctypes.byref(module)):
            fail('not bitcode')
        text = self.lib.LLVMPrintModuleToString(module)
        result = ctypes.string_at(text).decode()
        self.lib.LLVMDisposeMessage(ctypes.c_void_p(text))
        self.lib.LLVMDisposeModule(module)
        return result

    def bitcode(self, name, text, passes):
        module, message = ctypes.c_void_p(), ctypes.c_char_p()
        if self.lib.LLVMParseIRInContext(self.context, self.buffer(text.encode()), ctypes.byref(module),
                                         ctypes.byref(message)):
            fail('%s: %s\n%s' % (name, message.value.decode(), text[:2000]))
        error = self.lib.LLVMRunPasses(module, passes.encode(), None, self.options)
        if error:
            fail('%s: %s' % (name, ctypes.string_at(self.lib.LLVMGetErrorMessage(ctypes.c_void_p(error)))))
        printed = self.lib.LLVMPrintModuleToString(module)
        final = ctypes.string_at(printed).decode()
        self.lib.LLVMDisposeMessage(ctypes.c_void_p(printed))
        buffer = ctypes.c_void_p(self.lib.LLVMWriteBitcodeToMemoryBuffer(module))
        data = ctypes.string_at(self.lib.LLVMGetBufferStart(buffer), self.lib.LLVMGetBufferSize(buffer))
        self.lib.LLVMDisposeMemoryBuffer(buffer)
        self.lib.LLVMDisposeModule(module)
        return data, final


class Source:
    """The parts of a module's text by name, without metadata and target attributes."""

    def __init__(self):
        self.functions, self.globals, self.declares, self.types, self.attributes = {}, {}, {}, {}, {}
        self.own = set()   # functions of the file that was added last
        self.used = set()  # what the last slice was cut of

    def add(self, text, offset):
        body = name = None
        self.own = set()
        for line in text.split('\n'):
            if not line.startswith('@'):  # those may hold any text
                line = re.sub(r',? ![A-Za-z_.]+ ![0-9]+', '', line)
                line = re.sub(r'#(\d+)', lambda m: '#%d' % (int(m.group(1)) + offset), line)
            line = line.replace('addrspace(4)', 'addrspace(2)')
            if body is not None:
                body.append(line)
                if line == '}':
                    self.functions[name] = body
                    self.own.add(name)
                    body = None
            elif line.startswith('define '):
                name = re.search(r'@([\w.$]+)\(', line).group(1)
                body = [re.sub(r'\b(dso_local|linkonce_odr|weak_odr|hidden|protected|local_unnamed_addr|'
                               r'unnamed_addr|internal) ', '', line)]
            elif line.startswith('declare '):
                self.declares[re.search(r'@([\w.$]+)\(', line).group(1)] = re.sub(
                    r'\b(dso_local|local_unnamed_addr) ', '', line)
            elif line.startswith('@'):
                table = re.match(r'@([\w.$]+)', line).group(1)
                line = re.sub(r'= .*?(addrspace\(\d+\) )?constant ', r'= internal unnamed_addr \1constant ',
                              line)
                if self.globals.setdefault(table, line) != line:
                    fail('two tables have the name ' + table)
            elif line.startswith('%'):
                self.types[line.split(' ')[0]] = line
            elif line.startswith('attributes '):
                key, value = line.split(' = ')
                value = re.sub(r' "[^"]*"(="[^"]*")?', '', value)
                value = re.sub(r' (convergent|noinline|uwtable|alwaysinline)\b', '', value)
                self.attributes[key.split()[1]] = value

    def guarded(self, name, text):
        """Bounds the indices of table loads: libclc computes them of NaNs and huge values too, whose results
        it selects away afterwards, but the load would fault (and the index may be poison)."""
        def guard(m):
            value, element, table, index = m.groups()
            shape = re.search(r'constant \[(\d+) x (.*?)\] ', self.globals[table])
            if not shape or element not in ('i8', shape.group(2)):
                fail('%s: the access to %s is not understood' % (name, table))
            # The one table of bytes is the digits of 2 / pi, read as five words from an index on.
            last = int(shape.group(1)) - (40 if element == 'i8' else 1)
            tag = '%index.' + value[1:]
            return ('  %s.f = freeze i64 %s\n  %s.b = call i64 @llvm.umin.i64(i64 %s.f, i64 %d)\n'
                    '  %s = getelementptr inbounds %s, ptr addrspace(2) @%s, i64 %s.b' %
                    (tag, index, tag, tag, last, value, element, table, tag))
        text, count = re.subn(r'  (%[\w.]+) = getelementptr inbounds(?: nuw)? (.+), '
                              r'ptr addrspace\(2\) @(\w+), i64 (%[\w.]+)', guard, text)
        if count != len(re.findall(r'getelementptr[^\n]*@', text)):
            fail(name + ': an access to a table is not understood')
        if count and '@llvm.umin.i64' not in self.declares:
            self.declares['llvm.umin.i64'] = 'declare i64 @llvm.umin.i64(i64, i64)'
        return text

    def cut(self, root, name, without_fma):
        """The text of a module that defines `name` as the function `root`; None where fma is not in it."""
        near = {'@llvm.fma.f32(': '@lw_near_fma_f32(', '@llvm.fma.f64(': '@lw_near_fma_f64(',
                '@lw_reduce_f32(': '@lw_near_reduce_f32(', '@lw_reduce_f64(': '@lw_near_reduce_f64(',
                '@lw_half_reduce_f32(': '@lw_near_half_reduce_f32(',
                '@lw_by_pi_f32(': '@lw_near_by_pi_f32(',
                '@lw_exp2_part_f64(': '@lw_near_exp2_part_f64(',
                '@lw_exp10_part_f64(': '@lw_near_exp10_part_f64(',
                '@lw_half_turn_f64(': '@lw_near_half_turn_f64(',
                '@lw_power_f64(': '@lw_near_power_f64(',
                '@lw_times_pi_f32(': '@lw_near_times_pi_f32(',
                '@lw_quotient_rest_f32(': '@lw_near_quotient_rest_f32('}
        parts, seen, work, fused = [], set(), [root], False
        while work:
            item = work.pop()
            if item in seen:
                continue
            seen.add(item)
            if item in self.functions:
                text = self.guarded(name, '\n'.join(self.functions[item]))
                text = re.sub(r'(tail )?call i32 @lw_kept_apart\(i32 [^%]*(%[\w.]+|\d+)\)( #\d+)?', r'freeze i32 \2', text)
                if item == root:
                    if '@' + root + '(' in text.split('\n', 1)[1]:
                        fail(root + ' is recursive')
                    text = text.replace('@%s(' % root, '@%s(' % name, 1)
                else:
                    text = text.replace('define ', 'define internal ', 1)
                    text = text.replace(' {\n', ' alwaysinline {\n', 1)
                    text = re.sub(r'(#\d+) alwaysinline \{', r'alwaysinline \1 {', text, 1)
                if without_fma:
                    for old, new in near.items():
                        fused |= old in text
                        text = text.replace(old, new)
            elif item in self.globals:
                text = self.globals[item]
            elif item in self.declares:
                text = self.declares[item]
            else:
                fail('%s: no definition of %s' % (name, item))
            parts.append(text)
            work += [r for r in re.findall(r'@([\w.$]+)', text) if r != name]
        self.used = seen
        whole = '\n'.join(parts)
        types = [t for k, t in self.types.items() if k in whole]
        groups = ['attributes %s = %s' % (k, self.attributes[k]) for k in set(re.findall(r'#\d+', whole))]
        return None if without_fma and not fused else '\n'.join(types + parts + groups)


def check(name, text, avx512):
    for callee in re.findall(r'call [^@\n]*@([\w.$]+)\(', text):
        kind = re.sub(r'(\.(v\d+)?([fi]\d+|p\d+))+$', '', callee[5:])
        if not callee.startswith('llvm.') or not (kind in ALLOWED or avx512 and kind in ALLOWED_AVX512):
            fail('%s calls %s' % (name, callee))
    if 'addrspacecast' in text or re.search(r'addrspace\([^%s]\)' % ('12' if name.startswith('lw.image.') else '2'), text) or 'frem' in text:
        fail(name + ' has an address space or an instruction that it must not have')
    if re.search(r'^attributes .*"', text, re.M):
        fail(name + ' keeps an attribute of its target')


def mangled(name, signature, t):
    """libclc's name of the operation: only the overloads with private pointers are used."""
    code = {'T': CODE[t], 'I': 'i', 'P': 'P' + CODE[t], 'Q': 'Pi'}
    return '_Z%d%s%s' % (len(name), name, ''.join(code[c] for c in signature[1:]))


def rows(path):
    """(slice name, function) of every row that needs a slice."""
    for line in open(path):
        line = re.sub(r'\s+', '', line)
        m = re.match(r'FLOAT\((\w+),(\w+),(.*)\)$', line)
        if m and m.group(1) != 'name':
            name, signature = m.group(1), m.group(2)
            for t, how in zip(FLOATS, m.group(3).split(',')):
                if how == 'CLC':
                    yield 'lw.cl.%s.%s' % (name, t), mangled(name, signature, t)
                elif how in ('BODY', 'FMA'):
                    yield 'lw.cl.%s.%s' % (name, t), 'lw_%s_%s' % (name, t)
        m = re.match(r'INT\((\w+),(\w+),(\w+),BODY\)$', line)
        if m:
            for letter in m.group(3):
                t = INTEGERS[letter]
                yield 'lw.cl.%s.%s' % (m.group(1), t), 'lw_%s_%s' % (m.group(1), t)


def main():
    libllvm, table, libclc, out_bin, out_inc, out_s = sys.argv[1:7]
    llvm, source, wide, own = Llvm(libllvm), Source(), Source(), set()
    files = sorted([libclc] + sys.argv[7:], key=lambda path: path.endswith('.avx512.bc'))
    for i, path in enumerate(files):
        text = llvm.text(open(path, 'rb').read())
        wide.add(text, 1000 * i)
        if path.endswith('.avx512.bc'):
            own |= wide.own
        else:
            source.add(text, 1000 * i)
    passes = 'always-inline,globaldce,function(sroa,early-cse,instcombine,simplifycfg),strip-dead-prototypes'
    blob, index = bytearray(), []
    for name, function in sorted(list(rows(table)) + list(SUPPORT.items())):
        places, first = [], None
        for variant in ('', 'without fma', 'avx512'):
            text = (wide if variant == 'avx512' else source).cut(function, name, variant == 'without fma')
            if text is None or variant == 'avx512' and not own & wide.used:
                places.append((0, 0))
                continue
            data, final = llvm.bitcode(name, text, passes)
            check(name, final, variant == 'avx512')
            if final == first:
                places.append((0, 0))
                continue
            first = first or final
            blob += b'\0' * (-len(blob) % 8)
            places.append((len(blob), len(data)))
            blob += data
        index.append('{"%s", %s},\n' % (name, ', '.join('{%d, %d}' % place for place in places)))
    open(out_bin, 'wb').write(blob)
    open(out_inc, 'w').write(''.join(index))
    open(out_s, 'w').write('.section .rodata\n.balign 16\n.globl lw_slices\n.hidden lw_slices\n'
                           'lw_slices:\n.incbin "%s"\n.byte 0\n'
                           '.section .note.GNU-stack,"",@progbits\n' % out_bin)


main()
