# SPDX-License-Identifier: MIT
"""dask on loopback: examples/python/dask_mandelbrot.py by two workers, each with a context of its own, on one
cold cache."""
import json
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../examples/python'))
SIZE, MOST = 128, 50


def expected():
    """The same arithmetic in float32, where no product is contracted with a sum; and where that may
    matter."""
    f = np.float32
    a = f(3) * np.arange(SIZE, dtype=f) / f(SIZE) - f(2.2)
    b = (f(3) * np.arange(SIZE, dtype=f) / f(SIZE) - f(1.5))[:, None]
    u = np.zeros((SIZE, SIZE), f)
    v = np.zeros((SIZE, SIZE), f)
    steps = np.zeros((SIZE, SIZE), np.int32)
    inside = np.ones((SIZE, SIZE), bool)
    for _ in range(MOST):
        inside &= u * u + v * v < 4
        steps += inside
        u, v = np.where(inside, u * u - v * v + a, u), np.where(inside, 2 * u * v + b, v)
    return steps


def compilations(trace):
    with open(trace) as file:
        return [e for e in json.loads(file.read() + '{}]')[:-1] if e.get('cat') == 'compile']


def main():
    from dask.distributed import Client, LocalCluster, wait
    import dask_mandelbrot
    from harness import check, finish

    with tempfile.TemporaryDirectory() as folder:
        trace = folder + '/trace.json'
        os.environ.update(LANEWISE_CACHE='1', LANEWISE_CACHE_DIR=folder + '/cache', LANEWISE_TRACE=trace,
                          LANEWISE_TIER='specialised', PYOPENCL_NO_CACHE='1')
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host='127.0.0.1',
                               local_directory=folder)
        with cluster, Client(cluster) as client:
            client.upload_file(dask_mandelbrot.__file__)
            names = list(client.scheduler_info()['workers'])

            @check('each worker has a context')
            def contexts():
                first = [client.submit(dask_mandelbrot.band, 0, 8, SIZE, MOST, pure=False, workers=[name])
                         for name in names]
                wait(first)
                assert len({process for _, process in client.gather(first)}) == len(names) == 2

            @check('picture')
            def same():
                steps, _ = dask_mandelbrot.picture(client, SIZE, 16, MOST)
                wrong = np.count_nonzero(steps != expected())
                assert steps.shape == (SIZE, SIZE) and wrong < SIZE * SIZE // 50, f'{wrong} points differ'

            @check('one cache')
            def cache():
                made = compilations(trace)
                names = [(e['name'], e['args']['code'], tuple(e['args']['local'])) for e in made]
                assert names and len(names) == len(set(names)), f'compiled twice: {names}'
    finish('dask')


if __name__ == '__main__':
    main()
