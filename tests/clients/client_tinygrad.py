# SPDX-License-Identifier: MIT
"""tinygrad (DEV=CL): its generated OpenCL C, and program binaries read back."""
import numpy as np
from tinygrad import Device, Tensor, dtypes

from harness import check, equal, finish, near

assert Device.DEFAULT == 'CL', Device.DEFAULT
rng = np.random.default_rng(1)
a = rng.random((64, 96)).astype(np.float32)
b = rng.random((96, 50)).astype(np.float32)
check('matmul')(lambda: near((Tensor(a) @ Tensor(b)).numpy(), a @ b, 1e-4))
check('softmax')(lambda: near(Tensor(a).softmax().numpy(), np.exp(a) / np.exp(a).sum(1, keepdims=True), 1e-4))
check('sort')(lambda: equal(Tensor(a).sort()[0].numpy(), np.sort(a, 1)))
check('cumsum')(lambda: near(Tensor(a).cumsum(1).numpy(), np.cumsum(a, 1), 1e-4))
check('half')(lambda: equal(Tensor(a).cast(dtypes.half).numpy(), a.astype(np.float16)))


@check('convolution')
def convolution():
    image = rng.random((2, 3, 16, 16)).astype(np.float32)
    kernel = rng.random((4, 3, 3, 3)).astype(np.float32)
    wanted = np.zeros((2, 4, 14, 14), np.float32)
    for y in range(14):
        for x in range(14):
            wanted[:, :, y, x] = np.einsum('ncij,kcij->nk', image[:, :, y:y + 3, x:x + 3], kernel)
    near(Tensor(image).conv2d(Tensor(kernel)).numpy(), wanted, 1e-4)


@check('random')
def random():
    assert abs(Tensor.rand(10000).numpy().mean() - 0.5) < 0.05


finish('tinygrad')
