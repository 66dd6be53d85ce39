# SPDX-License-Identifier: MIT
"""y += a * x by pyopencl. The first platform is taken, or the one that PYOPENCL_CTX names: PYOPENCL_CTX=Lanewise."""
import os

import numpy
import pyopencl as cl
import pyopencl.array

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../saxpy.cl")) as file:
    saxpy = cl.Program(context, file.read()).build().saxpy

x = cl.array.arange(queue, 1000, dtype=numpy.float32)
y = cl.array.zeros(queue, 1000, numpy.float32) + 1
saxpy(queue, x.shape, None, numpy.uint32(x.size), numpy.float32(2), x.data, y.data)
assert (y.get() == 2 * x.get() + 1).all()
print(x.size, "elements of 2 * x + y are right, by", context.devices[0].platform.name)
