# SPDX-License-Identifier: MIT
"""dpctl: a DPC++ runtime finds the device; dpctl.tensor's kernels (sub-groups, USM, atomics); a module of our
own
(argument 1) through the SYCL runtime."""
import sys

import dpctl
import dpctl.program
import dpctl.tensor as dt
import numpy as np

from harness import check, equal, finish, near

device = dpctl.get_devices()[0]
assert device.backend == dpctl.backend_type.opencl, device
queue = dpctl.SyclQueue(device)
rng = np.random.default_rng(1)
count = 100003
a = rng.integers(-1000, 1000, count).astype(np.int32)
f = rng.random(count).astype(np.float32)
m = rng.random((301, 257)).astype(np.float32)
x = rng.random((130, 70)).astype(np.float32)
y = rng.random((70, 90)).astype(np.float32)
c = (rng.random(1000) + 1j * rng.random(1000)).astype(np.complex64)
index = rng.integers(0, count, 500)


def to(array):
    return dt.asarray(array, sycl_queue=queue)


A, F, M, X, Y, C = (to(array) for array in (a, f, m, x, y, c))
N = dt.asnumpy

# name: (dpctl's, numpy's), both made when checked
EXACT = {
    'round trip': (lambda: A, lambda: a),
    'arange': (lambda: dt.arange(1000, sycl_queue=queue), lambda: np.arange(1000)),
    'full': (lambda: dt.full((7, 5), 3, sycl_queue=queue), lambda: np.full((7, 5), 3)),
    'eye': (lambda: dt.eye(9, sycl_queue=queue), lambda: np.eye(9)),
    'tril': (lambda: dt.tril(M), lambda: np.tril(m)),
    'add': (lambda: A + A * 2 - 3, lambda: a + a * 2 - 3),
    'floor_divide': (lambda: A // 7, lambda: a // 7),
    'remainder': (lambda: A % 7, lambda: a % 7),
    'bitwise': (lambda: (A & 7) | (A ^ 3) | (A << 1), lambda: (a & 7) | (a ^ 3) | (a << 1)),
    'sum': (lambda: dt.sum(A), lambda: a.sum()),
    'sum of uchar': (lambda: dt.sum(dt.astype(A, 'u1')), lambda: a.astype('u1').sum(dtype=np.uint64)),
    'max': (lambda: dt.max(A), lambda: a.max()),
    'min': (lambda: dt.min(A), lambda: a.min()),
    'argmax': (lambda: dt.argmax(A), lambda: a.argmax()),
    'argmin': (lambda: dt.argmin(A), lambda: a.argmin()),
    'any': (lambda: dt.any(A > 998), lambda: (a > 998).any()),
    'all': (lambda: dt.all(A > -1001), lambda: True),
    'cumulative_sum': (lambda: dt.cumulative_sum(A), lambda: np.cumsum(a)),
    'sort': (lambda: dt.sort(A), lambda: np.sort(a)),
    'sort of float': (lambda: dt.sort(F), lambda: np.sort(f)),
    'radix sort': (lambda: dt.sort(A, kind='radixsort'), lambda: np.sort(a)),
    'descending sort': (lambda: dt.sort(M, axis=1, descending=True), lambda: -np.sort(-m, axis=1)),
    'argsort': (lambda: dt.take(A, dt.argsort(A)), lambda: np.sort(a)),
    'top_k': (lambda: dt.sort(dt.top_k(A, 10).values), lambda: np.sort(a)[-10:]),
    'unique_values': (lambda: dt.unique_values(A), lambda: np.unique(a)),
    'unique_counts': (lambda: dt.unique_counts(A).counts, lambda: np.unique(a, return_counts=True)[1]),
    'searchsorted': (lambda: dt.searchsorted(dt.sort(A), A), lambda: np.searchsorted(np.sort(a), a)),
    'nonzero': (lambda: dt.nonzero(A > 500)[0], lambda: np.nonzero(a > 500)[0]),
    'mask': (lambda: A[A > 500], lambda: a[a > 500]),
    'take': (lambda: dt.take(A, to(index)), lambda: a[index]),
    'where': (lambda: dt.where(A > 0, A, -A), lambda: np.abs(a)),
    'clip': (lambda: dt.clip(A, -5, 5), lambda: np.clip(a, -5, 5)),
    'concat': (lambda: dt.concat([A, A]), lambda: np.concatenate([a, a])),
    'roll': (lambda: dt.roll(A, 5), lambda: np.roll(a, 5)),
    'flip': (lambda: dt.flip(A), lambda: a[::-1]),
    'repeat': (lambda: dt.repeat(A[:99], 3), lambda: a[:99].repeat(3)),
    'diff': (lambda: dt.diff(A), lambda: np.diff(a)),
    'strided copy': (lambda: dt.copy(M.T[::2, ::3]), lambda: m.T[::2, ::3]),
}
ABOUT = {
    'linspace': (lambda: dt.linspace(0, 1, 1000, sycl_queue=queue), lambda: np.linspace(0, 1, 1000)),
    'float sum': (lambda: dt.sum(F), lambda: f.astype('f8').sum()),
    'sum of columns': (lambda: dt.sum(M, axis=0), lambda: m.sum(0)),
    'sum of rows': (lambda: dt.sum(M, axis=1), lambda: m.sum(1)),
    'prod': (lambda: dt.prod(M[:10] + 0.5, axis=0), lambda: (m[:10] + 0.5).prod(0)),
    'mean': (lambda: dt.mean(F), lambda: f.astype('f8').mean()),
    'std': (lambda: dt.std(F), lambda: f.astype('f8').std()),
    'logsumexp': (lambda: dt.logsumexp(F), lambda: np.log(np.exp(f.astype('f8')).sum())),
    'reduce_hypot': (lambda: dt.reduce_hypot(F), lambda: np.sqrt((f.astype('f8') ** 2).sum())),
    'cumulative_sum of columns': (lambda: dt.cumulative_sum(M, axis=0), lambda: np.cumsum(m, axis=0)),
    'matmul': (lambda: dt.matmul(X, Y), lambda: x @ y),
    'double matmul': (lambda: dt.matmul(dt.astype(X, 'f8'), dt.astype(Y, 'f8')),
                      lambda: x.astype('f8') @ y.astype('f8')),
    'matrix by vector': (lambda: dt.matmul(X, Y[:, 0]), lambda: x @ y[:, 0]),
    'tensordot': (lambda: dt.tensordot(X, Y, axes=1), lambda: x @ y),
    'vecdot': (lambda: dt.vecdot(X, X), lambda: (x * x).sum(1)),
    'pow': (lambda: dt.pow(F + 1, F), lambda: (f + 1) ** f),
    'atan2': (lambda: dt.atan2(F, F + 1), lambda: np.arctan2(f, f + 1)),
    'hypot': (lambda: dt.hypot(F, F), lambda: np.hypot(f, f)),
    'logaddexp': (lambda: dt.logaddexp(F, F), lambda: np.logaddexp(f, f)),
    'complex product': (lambda: C * C + dt.conj(C), lambda: c * c + c.conj()),
    'complex exp': (lambda: dt.exp(C), lambda: np.exp(c)),
    'complex sqrt': (lambda: dt.sqrt(C), lambda: np.sqrt(c)),
    'complex sum': (lambda: dt.sum(C), lambda: c.sum()),
}
for name, (got, wanted) in EXACT.items():
    check(name)(lambda got=got, wanted=wanted: equal(N(got()), wanted()))
for name, (got, wanted) in ABOUT.items():
    check(name)(lambda got=got, wanted=wanted: near(N(got()), wanted(), 1e-4))

OTHER_NAMES = {'asin': 'arcsin', 'acos': 'arccos', 'atan': 'arctan', 'asinh': 'arcsinh', 'atanh': 'arctanh'}
for name in ('sin cos tan exp log sqrt cbrt exp2 expm1 log1p log2 log10 tanh sinh cosh asin acos atan asinh '
             'atanh '
             'floor ceil round trunc abs sign square reciprocal negative isnan isinf isfinite').split():
    values = f[:5000] * 0.9 + np.float32(0.05)
    check(name)(lambda name=name: near(N(getattr(dt, name)(to(values))),
                                       getattr(np, OTHER_NAMES.get(name, name))(values), 1e-4))
for kind in 'i1', 'i2', 'i8', 'u1', 'u4', 'f2', 'f4', 'f8', 'c8', '?':
    check('astype ' + kind)(lambda kind=kind: equal(N(dt.astype(A, kind)), a.astype(kind)))


@check('set mask')
def set_mask():
    got, wanted = dt.copy(A), a.copy()
    got[got > 500] = 7
    wanted[wanted > 500] = 7
    equal(N(got), wanted)


@check('put')
def put():
    got, wanted, places = dt.copy(A), a.copy(), np.unique(index)
    dt.put(got, to(places), to(np.arange(len(places), dtype=np.int32)))
    wanted[places] = np.arange(len(places))
    equal(N(got), wanted)


if len(sys.argv) > 1 and sys.argv[1]:
    @check('a module of our own')
    def own_module():
        with open(sys.argv[1], 'rb') as module:
            program = dpctl.program.create_program_from_spirv(queue, module.read())
        kernel = program.get_sycl_kernel('sub_group_sums')
        lanes = kernel.max_sub_group_size
        items, local = 1024, 128
        values = rng.integers(-99, 99, items).astype(np.int32)
        got, places = dt.zeros(items, dtype='i4', sycl_queue=queue), dt.zeros(items, dtype='i4',
                                                                              sycl_queue=queue)
        given = to(values)
        queue.submit(kernel, [given.usm_data, got.usm_data, places.usm_data], [items], [local]).wait()
        assert lanes in device.sub_group_sizes, lanes
        equal(N(places), np.arange(items) % lanes)
        equal(N(got), np.cumsum(values.reshape(-1, lanes), axis=1).reshape(-1))


finish('dpctl ' + dpctl.__version__)
