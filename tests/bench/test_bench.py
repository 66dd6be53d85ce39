#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""lanewise-bench from outside: test_bench.py BENCH LANEWISE_ICD FAKE_ICD CLASS"""
import html.parser
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest

BENCH, ICD, FAKE = (os.path.abspath(path) for path in sys.argv[1:4])

COPY = '''kernel void copy(global const int *in, global int *out)
{ out[get_global_id(0)] = in[get_global_id(0)]; }
'''
COPY_TXT = '''group memory
size 4096
kernel copy
global size
local 64
buffer in int[size] random -9 9
buffer out int[size] result
bytes 8*size
'''
COPY_C = '''#include "limit.h"
LIMIT_REFERENCE(copy) { LIMIT_BUFFER(const int32_t, in); LIMIT_BUFFER(int32_t, out);
    for (size_t i = 0; i < limit->size; i++) out[i] = in[i]; }
#if LIMIT_SIMD
LIMIT_PHASES(copy, 2)
LIMIT_UNITS(copy, phase) { return phase == 0 ? limit->size / 64 : 1; }
LIMIT_RUN(copy, phase, begin, end) { LIMIT_BUFFER(const int32_t, in); LIMIT_BUFFER(int32_t, out);
    if (phase == 0) memcpy(out + begin * 64, in + begin * 64, (end - begin) * 256); }
#endif
'''


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = self.folder.name

    def tearDown(self):
        left = [name for name in os.listdir(self.path) if name.startswith('lanewise-bench-')]
        self.folder.cleanup()
        self.assertEqual(left, [], 'temporary folders stay')

    def write(self, **files):
        """name__ext='text' becomes name.ext in a folder of its own."""
        folder = os.path.join(self.path, 'kernels')
        for name, text in files.items():
            stem, _, extension = name.partition('__')
            os.makedirs(os.path.join(folder, stem), exist_ok=True)
            with open(os.path.join(folder, stem, stem + '.' + extension), 'w', encoding='utf-8') as file:
                file.write(text)
        return folder

    def run_bench(self, *arguments, status=0, icd=ICD, own=True, env=None):
        command = [BENCH, *(['--icd', icd] if icd else []), *arguments]
        if own:
            command += ['--suite', os.path.join(self.path, 'kernels'), '--no-built-in']
        done = subprocess.run(command, capture_output=True, text=True, timeout=1000, check=False,
                              cwd=self.path,
                              env={**os.environ, 'TMPDIR': self.path, 'LANEWISE_VERIFY': '0', **(env or {})})
        self.assertEqual(done.returncode, status, f'{command}\n{done.stdout}\n{done.stderr}')
        return done

    def measure(self, *arguments, **how):
        """Returns the JSON's configurations, each a dictionary kernel -> platform -> outcome, and the run."""
        out = os.path.join(self.path, 'out.json')
        done = self.run_bench('--quick', '--json', out, *arguments, **how)
        with open(out, encoding='utf-8') as file:
            self.document = json.load(file)
        return [{k['name']: {r['platform']: r for r in k['results']} for k in c['kernels']}
                for c in self.document['configurations']], done


class Kernels(Bench):
    def test_user_folder(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), done = self.measure()
        self.assertEqual({name: r['status'] for name, r in result['copy'].items()},
                         {'lanewise': 'right', 'by hand': 'right'})
        ours = result['copy']['lanewise']
        self.assertGreaterEqual(ours['runs'], 9)
        self.assertTrue(0 < ours['least'] <= ours['p10'] <= ours['median'] <= ours['p90'])
        self.assertTrue(ours['share'] > 0 and ours['build'] > 0)
        self.assertEqual(self.document['configurations'][0]['kernels'][0]['global'], [4096])
        self.assertRegex(done.stdout, r'(?m)^copy +[\d.]+ [mun]?s ')

    def test_the_platform_of_the_environment(self):
        """OCL_ICD_VENDORS names the one that stands beside the program: measured once."""
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), _ = self.measure(icd=None, env={'OCL_ICD_VENDORS': ICD})
        self.assertEqual(set(result['copy']), {'lanewise', 'by hand'})

    def test_without_reference(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT)
        (result,), done = self.measure()
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        self.assertEqual(result['copy']['by hand']['status'], 'none')
        self.assertIn('copy: has no reference; compared with the results of lanewise', done.stdout)

    def test_two_platforms_without_reference(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT)
        (result,), _ = self.measure(icd=f'one={ICD},two={ICD}')
        self.assertEqual(result['copy']['one']['status'], 'right')
        self.assertEqual(result['copy']['two']['status'], 'right')
        self.assertGreater(result['copy']['two']['ratio'], 0)

    def test_several_in_a_file(self):
        """Lines before the first `name` are all sections'; the C file and the program are the file's."""
        self.write(pair__cl=COPY + COPY.replace('copy', 'twice').replace('= in', '= 2 * in'),
                   pair__txt='group memory\nsize 4096\n' + ''.join(
                       f'name {name}\nkernel {kernel}\n' + COPY_TXT.partition('kernel copy\n')[2]
                       for name, kernel in (('one', 'copy'), ('two', 'twice'))),
                   pair__c=COPY_C.replace('copy', 'one').split('#if')[0] +
                   COPY_C.replace('copy', 'two').replace('= in',
                                                         '= 2 * in').split('#if')[0].split('\n', 1)[1])
        (result,), _ = self.measure()
        self.assertEqual({name: (r['lanewise']['status'], r['by hand']['status']) for name,
                          r in result.items()},
                         {'one': ('right', 'none'), 'two': ('right', 'none')})

    def test_openmp(self):
        """The loop is timed beside the platforms, and is no platform; one that is wrong is told so."""
        loop = COPY_C.replace('LIMIT_REFERENCE', 'LIMIT_LOOP').split('#if')[0]
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=loop, none__txt=COPY_TXT, none__cl=COPY,
                   wrong__txt=COPY_TXT, wrong__cl=COPY,
                   wrong__c=COPY_C.replace('copy', 'wrong').split('#if')[0] +
                   'LIMIT_OPENMP(wrong) { LIMIT_BUFFER(int32_t, out); out[7] = 99; }\n')
        (result,), done = self.measure('--openmp')
        for name in ('openmp', 'openmp-fast'):
            self.assertEqual({kernel: r[name]['status'] for kernel, r in result.items()},
                             {'copy': 'right', 'none': 'none', 'wrong': 'wrong'})
            self.assertGreater(result['copy'][name]['ratio'], 0)
        self.assertRegex(done.stdout, r'(?m)^openmp-fast: plain C with OpenMP, ')
        (result,), _ = self.measure('--openmp', '--no-limit')
        self.assertEqual(list(result['copy']), ['lanewise'])

    def test_from_source(self):
        """__OPENCL_VERSION__ is the platform's to define: clang-22 alone, which makes the SPIR-V, does
        not."""
        self.write(copy__cl=COPY.replace(' = in[', """ =
#ifndef __OPENCL_VERSION__
1 +
#endif
in["""), copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), done = self.measure('--source', 'two', icd=f'one={ICD},two={ICD}', status=1)
        self.assertEqual([result['copy'][name]['status'] for name in ('one', 'two')], ['wrong', 'right'])
        self.assertRegex(done.stdout, r'(?m)^one: .*, SPIR-V$')
        self.assertRegex(done.stdout, r'(?m)^two: .*, OpenCL C$')

    def test_wrong_kernel(self):
        self.write(copy__cl=COPY.replace(' = in[', ' = 1 + in['), copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), done = self.measure(status=1)
        self.assertEqual(result['copy']['lanewise']['status'], 'wrong')
        self.assertRegex(result['copy']['lanewise']['reason'], r'^out\[0\] is -?\d+, must be -?\d+$')
        self.assertNotIn('median', result['copy']['lanewise'])
        self.assertEqual(result['copy']['by hand']['status'], 'right')
        self.assertRegex(done.stdout, r'(?m)^copy +wrong ')
        self.assertIn('copy, lanewise: wrong: out[0] is ', done.stdout)

    def test_one_wrong_element(self):
        wrong = COPY.replace('= in[get_global_id(0)]', '= in[get_global_id(0)] + (get_global_id(0) == 4095)')
        self.write(copy__cl=wrong, copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), _ = self.measure(status=1)
        self.assertRegex(result['copy']['lanewise']['reason'], r'^out\[4095\] is ')

    def test_element_not_written(self):
        lazy = COPY.replace('{ out', '{ if (get_global_id(0) != 77) out')
        self.write(copy__cl=lazy, copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), _ = self.measure(status=1)
        self.assertRegex(result['copy']['lanewise']['reason'], r'^out\[77\] is ')

    def test_wrong_by_hand(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT,
                   copy__c=COPY_C.replace('phase == 0) memcpy', 'phase == 1) memcpy'))
        (result,), _ = self.measure(status=1)
        self.assertEqual(result['copy']['by hand']['status'], 'wrong')
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        self.assertNotIn('median', result['copy']['by hand'])

    def test_restored_buffer(self):
        """Adds to what it finds: right again and again only if the contents are put back."""
        self.write(add__cl='kernel void add(global int *d, int n) { d[get_global_id(0)] += n; }',
                   add__txt='size 256\nglobal size\nlocal 64\nbuffer d int[size] iota result restored\n'
                            'value n int 5\n',
                   add__c='#include "limit.h"\nLIMIT_REFERENCE(add) { LIMIT_BUFFER(int32_t, d); '
                          'LIMIT_VALUE(int32_t, n);\n'
                          'for (size_t i = 0; i < limit->size; i++) d[i] += n; }\n')
        (result,), _ = self.measure('--no-limit')
        self.assertEqual(result['add']['lanewise']['status'], 'right')

    def test_launches(self):
        self.write(two__cl='kernel void a(global int *x, global int *y, int n) { x[get_global_id(0)] = n; }\n'
                           'kernel void b(global int *y, global const int *x, local int *t) {\n'
                           '  t[get_local_id(0)] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n'
                           '  y[get_global_id(0)] = 2 * t[get_local_id(0) ^ 1]; }\n',
                   two__txt='size 256\nbuffer x int[size] zero\nbuffer y int[size] result\nvalue n int 1\n'
                            'local t int[64]\n'
                            'launch a global size local 32 with n=size/2 args x y n\n'
                            'launch b global size local 64 args y x t\n',
                   two__c='#include "limit.h"\nLIMIT_REFERENCE(two) { LIMIT_BUFFER(int32_t, y);\n'
                          'for (size_t i = 0; i < limit->size; i++) y[i] = (int32_t)limit->size; }\n')
        (result,), _ = self.measure('--size', '512')
        self.assertEqual(result['two']['lanewise'].get('reason'), None)
        self.assertEqual(result['two']['lanewise']['status'], 'right')

    def test_filled_by_c_and_scratch(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT.replace('random -9 9', 'c'),
                   copy__c=COPY_C + 'LIMIT_FILL(copy) { LIMIT_BUFFER(int32_t, in);\n'
                   'for (size_t i = 0; i < limit->size; i++) in[i] = (int)(i * i); }\n'
                   '#if LIMIT_SIMD\nLIMIT_SCRATCH(copy, 4096 * limit->threads)\n#endif\n')
        (result,), _ = self.measure()
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        self.assertEqual(result['copy']['by hand']['status'], 'right')

    def test_source_error(self):
        self.write(copy__cl=COPY.replace('out[', 'ou['), copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), done = self.measure('--verbose', status=1)
        self.assertEqual(result['copy']['lanewise']['status'], 'not built')
        self.assertIn("undeclared identifier 'ou'", result['copy']['lanewise']['log'])
        self.assertIn("undeclared identifier 'ou'", done.stdout)

    def test_missing_kernel(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT.replace('kernel copy', 'kernel kopy'), copy__c=COPY_C)
        (result,), _ = self.measure(status=1)
        self.assertEqual(result['copy']['lanewise']['status'], 'not built')
        self.assertIn('kopy', result['copy']['lanewise']['reason'])


class Misbehaviour(Bench):
    def write_crashing_kernel(self):
        self.write(bad__cl=COPY.replace('copy(', 'bad(').replace('out[get', 'out[(1ul << 44) + get'),
                   bad__txt=COPY_TXT.replace('copy', 'bad'), copy__cl=COPY, copy__txt=COPY_TXT,
                   copy__c=COPY_C)

    def test_crashing_kernel(self):
        """Its worker dies; the next kernel has a new one."""
        self.write_crashing_kernel()
        (result,), done = self.measure(status=1, env={'LANEWISE_FAULTS': '0'})
        self.assertEqual(result['bad']['lanewise']['status'], 'crashed')
        self.assertIn('signal 11', result['bad']['lanewise']['reason'])
        self.assertNotIn('median', result['bad']['lanewise'])
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        self.assertRegex(done.stdout, r'(?m)^bad +crashed ')

    def test_faulting_kernel(self):
        """A launch that the platform ends with an error has no time, and the platform's words are the
        reason."""
        self.write_crashing_kernel()
        (result,), done = self.measure(status=1)
        self.assertEqual(result['bad']['lanewise']['status'], 'not run')
        self.assertRegex(result['bad']['lanewise']['reason'],
                         r'kernel bad: the launch ended with CL_OUT_OF_RESOURCES: .*touched a')
        self.assertNotIn('median', result['bad']['lanewise'])
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        self.assertRegex(done.stdout, r'(?m)^bad +not run ')

    def test_crash_by_hand(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT,
                   copy__c=COPY_C.replace('if (phase == 0) memcpy', 'abort(); memcpy'))
        (result,), _ = self.measure(status=1)
        self.assertEqual(result['copy']['by hand']['status'], 'crashed')
        self.assertEqual(result['copy']['lanewise']['status'], 'right')

    def test_wrong_argument_name_by_hand(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT,
                   copy__c=COPY_C.replace('int32_t, out)', 'int32_t, aus)').replace('out', 'aus'))
        (result,), _ = self.measure(status=1)
        self.assertIn('aus: no such argument', result['copy']['lanewise']['reason'])

    def test_endless_kernel(self):
        self.write(bad__cl=COPY.replace('copy(', 'bad(').replace('{ out',
                                                                 '{ while (in[0] < 100) ; out').replace(
                       'global const int *in', 'global volatile int *in'),
                   bad__txt=COPY_TXT.replace('copy', 'bad'), copy__cl=COPY, copy__txt=COPY_TXT)
        (result,), _ = self.measure('--timeout', '4', '--no-limit', status=1)
        self.assertEqual(result['bad']['lanewise']['status'], 'hung')
        self.assertEqual(result['copy']['lanewise']['status'], 'right')

    def test_crashing_platform(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        (result,), _ = self.measure(icd=f'{ICD},fake={FAKE}', env={'FAKE_ICD': 'crash'})
        self.assertEqual(result['copy']['fake']['status'], 'crashed')
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        self.assertEqual(result['copy']['by hand']['status'], 'right')

    def test_hanging_platform(self):
        """It is waited for once, not for every kernel."""
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, other__cl=COPY, other__txt=COPY_TXT)
        (result,), _ = self.measure('--timeout', '5', icd=f'{ICD},fake={FAKE}', env={'FAKE_ICD': 'hang'})
        for name in ('copy', 'other'):
            self.assertEqual(result[name]['fake']['status'], 'hung')
            self.assertEqual(result[name]['fake']['reason'], 'no answer within 5 s')
            self.assertEqual(result[name]['lanewise']['status'], 'right')

    def test_compiler_missing(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        done = self.run_bench('--quick', status=2, env={'LANEWISE_CLANG': '/nonexistent/clang'})
        self.assertIn('/nonexistent/clang: No such file', done.stderr)


class Strangers(Bench):
    """Every kernel of the suite of other hands', from SPIR-V and from OpenCL C, against its reference."""

    def test_all(self):
        (result,), done = self.measure('--suite', 'strangers', '--no-limit', '--time', '0.001', '--rounds',
                                       '1',
                                       '--source', 'two', icd=f'one={ICD},two={ICD}', own=False)
        self.assertGreater(len(result), 50)
        for name, kernel in result.items():
            self.assertEqual({p: r['status'] for p, r in kernel.items()}, {'one': 'right', 'two': 'right'},
                             name)
        self.assertNotIn('has no reference', done.stdout)


class CrossCheck(Bench):
    """Every kernel of every suite by masked, first and specialised code on the same memory: a difference ends
    its launch."""

    def test_all(self):
        for suite, least in (('strangers', 150), ('kernels', 40), ('images', 10), ('pipes', 5)):
            chosen = [] if suite == 'kernels' else ['--suite', suite]
            (result,), _ = self.measure(*chosen, '--no-limit', '--time', '0.001', '--rounds', '1',
                                        icd=f'one={ICD}', own=False, env={'LANEWISE_CROSS_CHECK': '1'})
            self.assertGreaterEqual(len(result), least, suite)
            for name, kernel in result.items():
                self.assertEqual(kernel['one']['status'], 'right', name)


class Pipes(Bench):
    """Every kernel of the suite of pipes, from SPIR-V and from OpenCL C, against its reference."""

    def test_all(self):
        (result,), done = self.measure('--suite', 'pipes', '--time', '0.001', '--rounds', '1', '--size',
                                       '4096', '--source', 'two', icd=f'one={ICD},two={ICD}', own=False)
        self.assertEqual(set(result), {'pipe_item', 'pipe_item_some', 'pipe_item_wide', 'pipe_sub_group',
                                       'pipe_work_group'})
        for name, kernel in result.items():
            self.assertEqual({p: r['status'] for p, r in kernel.items()}, {'one': 'right', 'two': 'right'},
                             name)
        self.assertNotIn('has no reference', done.stdout)

    def test_too_small(self):
        """Packets that find no room are missing in the results."""
        text = ('size 64\nbuffer in int[size] iota\npipe p int[size-1]\nbuffer out int[size] result\n'
                'launch put global size args in p\nlaunch get global size args p out\ncompare sorted\n')
        source = """
            kernel void put(global const int *in, write_only pipe int p)
            {
                write_pipe(p, in + get_global_id(0));
            }
            kernel void get(read_only pipe int p, global int *out)
            {
                int value = -1;
                read_pipe(p, &value);
                out[get_global_id(0)] = value;
            }"""
        reference = """
            #include "limit.h"
            LIMIT_REFERENCE(few) { LIMIT_BUFFER(int, out); for (int i = 0; i < 64; i++) out[i] = i; }"""
        self.write(few__cl=source, few__txt=text, few__c=reference)
        (result,), _ = self.measure('--time', '0.001', '--rounds', '1', status=1)
        self.assertEqual(result['few']['lanewise']['status'], 'wrong')


class Images(Bench):
    """Every kernel of the suite of images, from SPIR-V, from OpenCL C and by hand, against its reference."""

    def test_all(self):
        (result,), done = self.measure('--suite', 'images', '--time', '0.001', '--rounds', '1', '--size',
                                       '256', '--source', 'two', icd=f'one={ICD},two={ICD}', own=False)
        self.assertGreater(len(result), 25)
        for name, kernel in result.items():
            self.assertEqual({p: r['status'] for p, r in kernel.items() if p in ('one', 'two')},
                             {'one': 'right', 'two': 'right'}, name)
        self.assertNotIn('has no reference', done.stdout)
        self.assertNotIn('wrong', done.stdout)

    def test_arguments(self):
        text = ('size 8\nglobal size size\nimage a float[size size] iota\nsampler s edge linear\n'
                'image b float[size size] result\n')
        source = """
            kernel void copy(read_only image2d_t a, sampler_t s, write_only image2d_t b)
            {
                int2 at = (int2)(get_global_id(0), get_global_id(1));
                write_imagef(b, at, read_imagef(a, s, convert_float2(at) + (float2)(1, 0.5f)));
            }"""
        reference = """
            #include "limit.h"
            LIMIT_REFERENCE(copy)
            {
                LIMIT_BUFFER(float, a);
                LIMIT_BUFFER(float, b);
                for (size_t i = 0; i < 64; i++)
                    b[i] = i % 8 == 7 ? a[i] : a[i] + 0.5f;
            }"""
        self.write(copy__cl=source, copy__c=reference, copy__txt=text)
        (result,), _ = self.measure('--no-limit', '--time', '0.001', '--rounds', '1')
        self.assertEqual(result['copy']['lanewise']['status'], 'right')
        for good, bad in (('edge linear', 'edge'), ('edge linear', 'edge repeat linear'),
                          ('edge linear', 'sideways'), ('a float[size size]', 'a double[8 8]'),
                          ('a float[size size]', 'a float[1 2 3 4]')):
            self.write(copy__txt=text.replace(good, bad))
            done = self.run_bench('--quick', status=2)
            self.assertRegex(done.stderr, r'copy\.txt:[345]: ', bad)


class Options(Bench):
    def test_help_and_list(self):
        done = self.run_bench('--help', own=False, icd=None)
        self.assertIn('Exit status', done.stdout)
        done = self.run_bench('--list', own=False)
        self.assertRegex(done.stdout, r'(?m)^triad +a = b')
        self.assertRegex(done.stdout, r'(?m)^lanewise +Lanewise +SPIR-V')

    def test_built_in(self):
        (result,), _ = self.measure('--kernel', 'scan_i*,triad', '--size', '65536', own=False)
        self.assertEqual(set(result), {'scan_int', 'triad'})
        for kernel in result.values():
            self.assertEqual({r['status'] for r in kernel.values()}, {'right'})

    def test_sub_group(self):
        (result,), _ = self.measure('--kernel', 'scan_int', '--size', '65536', '--sub-group', '8', own=False)
        self.assertEqual(result['scan_int']['lanewise']['sub_group'], 8)
        self.assertEqual(result['scan_int']['lanewise']['status'], 'right')
        self.assertEqual(result['scan_int']['by hand']['status'], 'none')

    def test_sizes(self):
        """Those that the version by hand does not take are no wrong results of it."""
        (result,), _ = self.measure('--kernel', 'scan_int,local_bitonic', '--size', '2048', own=False)
        for kernel in result.values():
            self.assertEqual(kernel['lanewise']['status'], 'right')
            self.assertEqual(kernel['by hand']['status'], 'none')
            self.assertIn('for this size', kernel['by hand']['reason'])

    def test_sweeps(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        page = os.path.join(self.path, 'sweep.html')
        results, _ = self.measure('--sweep', 'sub-group', '--html', page)
        self.assertEqual([r['copy']['lanewise']['sub_group'] for r in results], [4, 8, 16, 32, 64])
        results, _ = self.measure('--sweep', 'local-size')
        self.assertEqual([c['kernels'][0]['local'] for c in self.document['configurations']],
                         [[16 << i] for i in range(7)])
        self.assertEqual({r['copy']['lanewise']['status'] for r in results}, {'right'})
        results, _ = self.measure('--sweep', 'isa')
        self.assertEqual([c['isa'] for c in self.document['configurations']][:2], ['sse4.2', 'avx2'])
        with open(page, encoding='utf-8') as file:
            self.assertIn('<polyline', file.read())

    def test_passed_over(self):
        """What a kernel is not made for is nobody's failure."""
        self.write(copy__cl=COPY, copy__txt=COPY_TXT + 'subgroup 16\n', copy__c=COPY_C)
        (result,), _ = self.measure('--sub-group', '8')
        self.assertEqual(result['copy']['lanewise']['status'], 'none')
        (result,), _ = self.measure('--sub-group', '16')
        self.assertEqual(result['copy']['lanewise']['sub_group'], 16)
        (result,), _ = self.measure('--local', '8x8')
        self.assertEqual(result['copy']['lanewise']['status'], 'none')

    def test_interrupt(self):
        """What was measured until then comes out."""
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C, other__cl=COPY, other__txt=COPY_TXT)
        out = os.path.join(self.path, 'out.json')
        with subprocess.Popen([BENCH, '--icd', ICD, '--suite', os.path.join(self.path, 'kernels'),
                               '--no-built-in',
                               '--time', '3', '--no-figures', '--progress', '--json', out], cwd=self.path,
                               text=True,
                              env={**os.environ, 'TMPDIR': self.path}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            while not process.stderr.readline().startswith('[1/2] copy'):
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            process.stderr.read()
            self.assertEqual(process.wait(60), 130)
        with open(out, encoding='utf-8') as file:
            self.assertEqual([k['name'] for k in json.load(file)['configurations'][0]['kernels']], ['copy'])

    def test_local_and_threads(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        self.measure('--local', '32', '--threads', '1', '--size', '640')
        self.assertEqual(self.document['configurations'][0]['kernels'][0]['local'], [32])
        self.assertEqual(self.document['machine']['threads'], 1)

    def test_baseline(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        self.measure()
        old = os.path.join(self.path, 'old.json')
        os.rename(os.path.join(self.path, 'out.json'), old)
        _, done = self.measure('--baseline', old)
        self.assertRegex(done.stdout, r'(?m)^copy .*[+-]\d+\.\d%$')

    def test_json_to_standard_output(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT, copy__c=COPY_C)
        done = self.run_bench('--quick', '--json', '-')
        self.assertEqual(json.loads(done.stdout)['tool'], 'lanewise-bench')
        self.assertIn('share of the version by hand', done.stderr)

    def test_html(self):
        class Checker(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.open, self.count, self.links = [], {}, []

            def handle_starttag(self, tag, attrs):
                self.count[tag] = self.count.get(tag, 0) + 1
                self.links += [value for name, value in attrs if name in ('src', 'href')]
                if tag not in ('meta', 'br'):
                    self.open.append(tag)

            def handle_startendtag(self, tag, attrs):
                self.count[tag] = self.count.get(tag, 0) + 1

            def handle_endtag(self, tag):
                assert self.open and self.open[-1] == tag, f'</{tag}> closes {self.open[-3:]}'
                self.open.pop()
        self.write(copy__cl=COPY, copy__txt='title <b>&"title"\n' + COPY_TXT, copy__c=COPY_C,
                   bad__cl='kernel void bad() { x', bad__txt=COPY_TXT.replace('copy', 'bad'))
        page = os.path.join(self.path, 'page.html')
        self.measure('--html', page, status=1, icd=f'one={ICD},two={ICD}')
        with open(page, encoding='utf-8') as file:
            text = file.read()
        checker = Checker()
        checker.feed(text)
        self.assertEqual(checker.open, [])
        self.assertEqual(checker.links, [])
        self.assertNotIn('http', text)
        self.assertIn('&lt;b&gt;&amp;&quot;title&quot;', text)
        self.assertGreaterEqual(checker.count['rect'], 2)
        self.assertIn('prefers-color-scheme:dark', text)
        self.assertIn('one: not built', text)


class BadInput(Bench):
    def check(self, *arguments, says, **how):
        done = self.run_bench(*arguments, status=2, **how)
        self.assertIn(says, done.stderr)
        self.assertTrue(done.stderr.startswith('error: '), done.stderr)

    def test_command_line(self):
        self.check('--size', 'large', says='--size large: a number', own=False)
        self.check('--bogus', says='--bogus: unknown', own=False)
        self.check('--kernel', 'no_such', says='--kernel no_such: no kernel', own=False)
        self.check('--group', 'no_such', says='--group no_such', own=False)
        self.check('--suite', '/nonexistent/suite', says='/nonexistent/suite: No such file', own=False)
        self.check('--suite', self.path, says='holds no description', own=False)
        self.check('--baseline', '/nonexistent.json', says='/nonexistent.json: No such file', own=False)
        self.check('--json', '/dev/null/x.json', says='/dev/null/x.json', own=False)
        self.check('--subject', 'nobody', says='--subject nobody', own=False)
        self.check('--source', 'lanewise,nobody', says='--source nobody: no platform', own=False)

    def test_icds(self):
        self.check(says='/nonexistent.icd: No such file', icd='/nonexistent.icd', own=False)
        empty = os.path.join(self.path, 'empty.icd')
        with open(empty, 'w', encoding='utf-8'):
            pass
        self.check(says='is empty', icd=empty, own=False)
        self.check(says='holds no .icd file', icd=tempfile.mkdtemp(dir=self.path), own=False)
        missing = os.path.join(self.path, 'missing.icd')
        with open(missing, 'w', encoding='utf-8') as file:
            file.write('/nonexistent/libx.so\n')
        self.check(says='/nonexistent/libx.so: the ICD gives no platform', icd=missing, own=False)

    def test_descriptions(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT + 'nonsense 3\n')
        self.check(says="copy.txt:9: 'nonsense' is not known")
        self.write(copy__txt=COPY_TXT.replace('int[size] result', 'int[sice] result'))
        done = self.run_bench('--quick', status=1)
        self.assertIn("copy.txt:7: 'sice': unknown name 'sice'", done.stdout)
        self.write(copy__txt=COPY_TXT + 'source other.cl\n')
        self.check(says='there is no other.cl beside it')

    def test_c_file(self):
        self.write(copy__cl=COPY, copy__txt=COPY_TXT,
                   copy__c='#include "limit.h"\nLIMIT_REFERENCE(copy) { x }\n')
        self.check(says='copy.c does not compile')
        self.write(copy__txt=COPY_TXT.replace('random -9 9', 'c'), copy__c=COPY_C)
        done = self.run_bench('--quick', status=1)
        self.assertIn('LIMIT_FILL(copy)', done.stdout)

    def test_baseline_of_something_else(self):
        other = os.path.join(self.path, 'other.json')
        for text, says in (('{"tool": "x"}', 'no --json of lanewise-bench'), ('{', 'line 1')):
            with open(other, 'w', encoding='utf-8') as file:
                file.write(text)
            self.check('--baseline', other, says=says, own=False)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], sys.argv[4]] if len(sys.argv) > 4 else [sys.argv[0]])
