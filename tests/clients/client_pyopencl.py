# SPDX-License-Identifier: MIT
"""pyopencl: arrays, scans, sorts, reductions, random numbers, SVM, events; and a module of SPIR-V (argument
1)."""
import sys
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.algorithm as algorithm
import pyopencl.array as arrays
import pyopencl.clmath as clmath
import pyopencl.clrandom as clrandom
import pyopencl.elementwise
import pyopencl.reduction
import pyopencl.scan
from pyopencl.bitonic_sort import BitonicSort

from harness import check, equal, finish, near

warnings.simplefilter('ignore')
device = cl.get_platforms()[0].get_devices()[0]
assert 'Lanewise' in device.platform.name, device.platform.name
context = cl.Context([device])
queue = cl.CommandQueue(context)
rng = np.random.default_rng(1)
count = 100003
a = rng.integers(-1000, 1000, count).astype(np.int32)
u = rng.integers(0, 1 << 30, count).astype(np.uint32)
f = rng.random(count).astype(np.float32)
A, U, F = (arrays.to_device(queue, x) for x in (a, u, f))

check('arithmetic')(lambda: equal((A * 3 + 1 - A).get(), a * 2 + 1))
check('sum')(lambda: equal(arrays.sum(A).get(), a.sum()))
check('float sum')(lambda: near(arrays.sum(F).get(), f.astype(np.float64).sum()))
check('max')(lambda: equal(arrays.max(A).get(), a.max()))
check('min')(lambda: equal(arrays.min(A).get(), a.min()))
check('dot')(lambda: near(arrays.dot(F, F).get(), np.dot(f.astype(np.float64), f), 1e-4))
check('cumsum')(lambda: equal(arrays.cumsum(A).get(), np.cumsum(a, dtype=np.int32)))
check('if_positive')(lambda: equal(arrays.if_positive(A, A, -A).get(), np.abs(a)))


@check('exclusive scan')
def exclusive_scan():
    result = A.copy()
    pyopencl.scan.ExclusiveScanKernel(context, np.int32, 'a+b', neutral='0')(result)
    equal(result.get(), np.concatenate([[0], np.cumsum(a)[:-1]]))


@check('radix sort')
def radix_sort():
    sort = algorithm.RadixSort(context, 'unsigned *ary', key_expr='ary[i]', sort_arg_names=['ary'])
    (result,), event = sort(U)
    event.wait()
    equal(result.get(), np.sort(u))


@check('bitonic sort')
def bitonic_sort():
    data = rng.random(1 << 14).astype(np.float32)
    result, event = BitonicSort(context)(arrays.to_device(queue, data))
    event.wait()
    equal(result.get(), np.sort(data))


@check('copy_if, partition, unique')
def compaction():
    result, number, _ = algorithm.copy_if(A, 'ary[i] > 300')
    equal(result.get()[:int(number.get())], a[a > 300])
    true, false, number, _ = algorithm.partition(A, 'ary[i] > 300')
    number = int(number.get())
    equal(true.get()[:number], a[a > 300])
    equal(false.get()[:count - number], a[a <= 300])
    result, number, _ = algorithm.unique(arrays.to_device(queue, np.sort(a)))
    equal(result.get()[:int(number.get())], np.unique(a))


@check('list of lists')
def list_of_lists():
    builder = algorithm.ListOfListsBuilder(context, [('mylist', np.int32)], '''
        void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
        { int count = i % 4; for (int j = 0; j < count; ++j) { APPEND_mylist(count); } }''', arg_decls=[])
    result, _ = builder(queue, 2000)
    assert result['mylist'].count == 3000
    equal(result['mylist'].lists.get().sum(), 500 * (1 + 4 + 9))


@check('struct reduction')
def struct_reduction():
    from pyopencl.tools import get_or_register_dtype, match_dtype_to_c_struct
    dtype = np.dtype([('x', np.float32), ('i', np.int32)])
    dtype, declaration = match_dtype_to_c_struct(device, 'pair_t', dtype)
    dtype = get_or_register_dtype('pair_t', dtype)
    kernel = pyopencl.reduction.ReductionKernel(
        context, dtype, neutral='none()', reduce_expr='larger(a, b)', map_expr='made(x[i], i)',
        arguments='float *x',
        preamble=declaration + '''
        pair_t none() { pair_t r; r.x = -1; r.i = -1; return r; }
        pair_t made(float v, int i) { pair_t r; r.x = v; r.i = i; return r; }
        pair_t larger(pair_t a, pair_t b) { return a.x >= b.x ? a : b; }''')
    result = kernel(F).get()
    assert result['x'] == f.max() and f[result['i']] == f.max(), result


@check('random numbers')
def random_numbers():
    for generator in clrandom.PhiloxGenerator, clrandom.ThreefryGenerator:
        uniform = generator(context).uniform(queue, (200000,), np.float32).get()
        assert 0 <= uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.01
        normal = generator(context).normal(queue, (200000,), np.float64).get()
        assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.02


@check('clmath')
def mathematics():
    for name in ('sin cos tan exp log sqrt cbrt sinh cosh tanh log2 log10 exp2 expm1 log1p floor ceil rint '
                 'fabs').split():
        near(getattr(clmath, name)(F + 0.01).get(),
             getattr(np, name)((f + np.float32(0.01)).astype(np.float64)), 1e-4)


@check('elementwise')
def elementwise():
    kernel = pyopencl.elementwise.ElementwiseKernel(context, 'float *x, float *y, float a',
                                                    'y[i] = a*x[i] + y[i]*y[i]')
    result = F.copy()
    kernel(F, result, np.float32(2))
    near(result.get(), 2 * f + f * f)


@check('complex numbers')
def complex_numbers():
    c = (rng.random(1000) + 1j * rng.random(1000)).astype(np.complex64)
    C = arrays.to_device(queue, c)
    near((C * C + C.conj()).get(), c * c + c.conj(), 1e-4)
    near(abs(C).get(), abs(c), 1e-4)


@check('take')
def take():
    index = rng.integers(0, count, 500).astype(np.int32)
    equal(arrays.take(A, arrays.to_device(queue, index)).get(), a[index])


@check('events')
def events():
    kernel = cl.Kernel(cl.Program(context,
                                  'kernel void k(global int *x) { x[get_global_id(0)]++; }').build(), 'k')
    data = arrays.zeros(queue, 100, np.int32)
    gate = cl.UserEvent(context)
    done = [kernel(queue, (100,), None, data.data, wait_for=[gate])]
    for _ in range(9):
        done.append(kernel(queue, (100,), None, data.data, wait_for=[done[-1]]))
    gate.set_status(cl.command_execution_status.COMPLETE)
    cl.wait_for_events(done)
    equal(data.get(), np.full(100, 10, np.int32))


if len(sys.argv) > 1 and sys.argv[1]:
    @check('SPIR-V')
    def spirv():
        with open(sys.argv[1], 'rb') as module:
            program = cl.Program(context, module.read()).build()
        out = arrays.zeros(queue, 1600, np.uint32)
        cl.Kernel(program, 'group_ids')(queue, (1600,), (16,), out.data)
        i = np.arange(1600)
        equal(out.get(), i // 16 + i % 16)


finish('pyopencl ' + '.'.join(map(str, cl.VERSION)))
