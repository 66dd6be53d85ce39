# SPDX-License-Identifier: MIT
"""loopy: generated OpenCL C of tiled, prefetched and reduced loops, against numpy."""
import warnings

import loopy as lp
import numpy as np
import pyopencl as cl
import pyopencl.array as arrays

from harness import check, equal, finish, near

warnings.simplefilter('ignore')
context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
assert 'Lanewise' in context.devices[0].platform.name
queue = cl.CommandQueue(context)
rng = np.random.default_rng(1)
ON = {'lang_version': (2018, 2)}


def run(kernel, **given):
    _, out = kernel(queue, **{k: arrays.to_device(queue, v) if isinstance(v, np.ndarray) else v for k,
                              v in given.items()})
    return (out[0] if isinstance(out, (tuple, list)) else out['out']).get()


@check('elementwise')
def elementwise():
    knl = lp.make_kernel('{[i]: 0<=i<n}', 'out[i] = 2*a[i] + sin(a[i])', **ON)
    knl = lp.split_iname(knl, 'i', 128, outer_tag='g.0', inner_tag='l.0')
    a = rng.random(10007).astype(np.float32)
    near(run(knl, a=a), 2 * a + np.sin(a))


@check('unrolled and vectorised')
def vectors():
    knl = lp.make_kernel('{[i]: 0<=i<n}', 'out[i] = a[i] * a[i] + 1', assumptions='n mod 64 = 0 and n >= 64',
                         **ON)
    knl = lp.split_iname(knl, 'i', 4, inner_tag='unr')
    knl = lp.split_iname(knl, 'i_outer', 16, outer_tag='g.0', inner_tag='l.0', slabs=(0, 0))
    a = rng.random(6400).astype(np.float64)
    near(run(knl, a=a), a * a + 1)


@check('transposition through local memory')
def transposition():
    knl = lp.make_kernel('{[i,j]: 0<=i,j<n}', 'out[i,j] = a[j,i]', assumptions='n mod 16 = 0 and n >= 1',
                         **ON)
    knl = lp.split_iname(knl, 'i', 16, outer_tag='g.0', inner_tag='l.1')
    knl = lp.split_iname(knl, 'j', 16, outer_tag='g.1', inner_tag='l.0')
    knl = lp.add_prefetch(knl, 'a', ['i_inner', 'j_inner'], default_tag='l.auto')
    a = rng.random((160, 160)).astype(np.float32)
    equal(run(knl, a=a), a.T)


@check('matrix product, tiled')
def product():
    n = 96
    knl = lp.make_kernel('{[i,j,k]: 0<=i,j,k<%d}' % n, 'out[i,j] = sum(k, a[i,k]*b[k,j])', **ON)
    knl = lp.add_and_infer_dtypes(knl, {'a': np.float32, 'b': np.float32})
    knl = lp.split_iname(knl, 'i', 16, outer_tag='g.0', inner_tag='l.1')
    knl = lp.split_iname(knl, 'j', 16, outer_tag='g.1', inner_tag='l.0')
    knl = lp.split_iname(knl, 'k', 16)
    knl = lp.add_prefetch(knl, 'a', ['k_inner', 'i_inner'], default_tag='l.auto')
    knl = lp.add_prefetch(knl, 'b', ['j_inner', 'k_inner'], default_tag='l.auto')
    knl = lp.add_inames_for_unused_hw_axes(knl)
    a, b = rng.random((n, n)).astype(np.float32), rng.random((n, n)).astype(np.float32)
    near(run(knl, a=a, b=b), a @ b, 1e-4)


@check('reduction within a work-group')
def reduction():
    knl = lp.make_kernel('{[i,j]: 0<=i<200 and 0<=j<128}', 'out[i] = sum(j, a[i,j])', **ON)
    knl = lp.add_and_infer_dtypes(knl, {'a': np.float32})
    knl = lp.tag_inames(knl, {'i': 'g.0', 'j': 'l.0'})
    a = rng.random((200, 128)).astype(np.float32)
    near(run(knl, a=a), a.sum(1), 1e-4)


@check('stencil with a prefetched halo')
def stencil():
    knl = lp.make_kernel('{[i,j]: 0<=i,j<n}',
                         'out[i,j] = a[i+1,j] + a[i+1,j+2] + a[i,j+1] + a[i+2,j+1] - 4*a[i+1,j+1]',
                         assumptions='n mod 16 = 0 and n >= 1', **ON)
    knl = lp.set_options(knl, return_dict=False)
    knl = lp.add_and_infer_dtypes(knl, {'a': np.float32})
    knl = lp.split_iname(knl, 'i', 16, outer_tag='g.1', inner_tag='l.1')
    knl = lp.split_iname(knl, 'j', 16, outer_tag='g.0', inner_tag='l.0')
    knl = lp.add_prefetch(knl, 'a', ['i_inner', 'j_inner'], fetch_bounding_box=True, default_tag='l.auto')
    a = rng.random((82, 82)).astype(np.float32)
    near(run(knl, a=a, n=80), a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1] - 4 * a[1:-1, 1:-1],
         1e-4)


finish('loopy')
