# SPDX-License-Identifier: MIT
"""pyvkfft (VkFFT): complex, real and cosine transforms of one to three dimensions, against numpy's."""
import numpy as np
import pyopencl as cl
import pyopencl.array as arrays
from pyvkfft.fft import fftn, ifftn, irfftn, rfftn, dctn, idctn

from harness import check, finish

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
assert 'Lanewise' in context.devices[0].platform.name
queue = cl.CommandQueue(context)
rng = np.random.default_rng(1)


def compare(got, wanted, tolerance):
    got = got.get()
    assert got.shape == wanted.shape, (got.shape, wanted.shape)
    error = np.abs(got - wanted).max() / np.abs(wanted).max()
    assert error < tolerance, f'off by {error}'


# Lengths of the radices that VkFFT has kernels for, a prime by Bluestein's way, one that takes several
# passes.
SHAPES = [(64,), (243,), (1000,), (4096,), (97,), (7 * 11 * 13,), (1 << 16,), (48, 60), (128, 128), (17, 34),
          (12, 16, 20)]
for shape in SHAPES:
    for kind, tolerance in ('complex64', 2e-6), ('complex128', 1e-13):
        @check(f'{kind} {shape}')
        def complex_transform(shape=shape, kind=kind, tolerance=tolerance):
            data = (rng.random(shape) + 1j * rng.random(shape) - 0.5 - 0.5j).astype(kind)
            device = arrays.to_device(queue, data)
            forward = fftn(device)
            compare(forward, np.fft.fftn(data), tolerance)
            compare(ifftn(forward), data, tolerance)
for shape in [(256,), (1000,), (40, 64), (8, 12, 20)]:
    @check(f'real {shape}')
    def real_transform(shape=shape):
        data = rng.random(shape).astype(np.float32) - np.float32(0.5)
        forward = rfftn(arrays.to_device(queue, data))
        compare(forward, np.fft.rfftn(data), 2e-6)
        compare(irfftn(forward), data, 2e-6)


@check('cosines')
def cosines():
    data = rng.random((30, 64)).astype(np.float32)
    n = np.arange(64)
    basis = 2 * np.cos(np.pi * np.outer(n, n + 0.5) / 64)
    device = arrays.to_device(queue, data)
    got = dctn(device, ndim=1)
    compare(got, data @ basis.T, 1e-5)
    compare(idctn(got, ndim=1), data, 1e-5)


finish('pyvkfft')
