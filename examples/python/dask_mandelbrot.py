#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mandelbrot's set by dask's workers, each with an OpenCL context of its own (docs/cluster.md).

    pip install distributed pyopencl
    dask_mandelbrot.py [SCHEDULER:PORT]      # without an address: two workers on this machine

What a worker needs once, the context and the program, is made when its first task comes, and stays. All of them share the cache on
disk: the kernel is compiled by one.
"""
import sys

import numpy as np
from dask.distributed import Client, LocalCluster

SOURCE = """
kernel void
mandelbrot(global int *steps, int first_row, int rows, int most)
{
    int x = get_global_id(0), y = first_row + get_global_id(1), n = get_global_size(0), k = 0;
    float a = 3.0f * x / n - 2.2f, b = 3.0f * y / rows - 1.5f, u = 0, v = 0;
    for (; k < most && u * u + v * v < 4; k++) {
        float t = u * u - v * v + a;
        v = 2 * u * v + b;
        u = t;
    }
    steps[get_global_id(1) * n + x] = k;
}
"""


def on_this_worker():
    """The context, queue and kernel of the process that asks."""
    import pyopencl as cl

    if not hasattr(on_this_worker, "kept"):
        device = next(d for p in cl.get_platforms() if "Lanewise" in p.name for d in p.get_devices())
        context = cl.Context([device])
        program = cl.Program(context, SOURCE).build()
        on_this_worker.kept = context, cl.CommandQueue(context), program
    return on_this_worker.kept


def band(first_row, count, size, most):
    """Rows first_row to first_row + count - 1 of the picture, and which process made them."""
    import os
    import pyopencl as cl

    context, queue, program = on_this_worker()
    steps = np.empty((count, size), np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, steps.nbytes)
    program.mandelbrot(queue, (size, count), None, buffer, np.int32(first_row), np.int32(size), np.int32(most))
    cl.enqueue_copy(queue, steps, buffer)
    return steps, os.getpid()


def picture(client, size=512, bands=16, most=200):
    """The picture, and the processes that had a part in it."""
    rows = size // bands
    tasks = [client.submit(band, i * rows, rows, size, most, pure=False) for i in range(bands)]
    parts = client.gather(tasks)
    return np.concatenate([steps for steps, _ in parts]), {process for _, process in parts}


def main():
    if len(sys.argv) > 1:
        client = Client(sys.argv[1])
    else:
        client = Client(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None))
    with client:
        steps, processes = picture(client)
    for row in steps[16::32, 8::16]:
        print("".join(" .:-=+*#%@"[min(k, 199) * 10 // 200] for k in row))
    print(f"{steps.size} points by {len(processes)} processes")


if __name__ == "__main__":
    main()
