# SPDX-License-Identifier: MIT
"""What the Python clients share: named checks, all of which run, and a count at the end."""
import sys
import traceback

import numpy as np

results = {}


def check(name):
    """Runs the function at once and notes whether it failed."""
    def run(function):
        try:
            function()
            results[name] = None
        except Exception as problem:  # whatever it is, the others run
            results[name] = problem
            print(f'FAILED {name}')
            traceback.print_exc(limit=3, file=sys.stdout)
        return function
    return run


def equal(got, wanted):
    assert np.array_equal(got, wanted), f'{got} is not {wanted}'


def near(got, wanted, tolerance=1e-5):
    assert np.allclose(got, wanted, rtol=tolerance, atol=1e-6), f'{got} is not about {wanted}'


def finish(client):
    failed = [name for name, problem in results.items() if problem]
    print(f'{client}: {len(results) - len(failed)} checks passed, {len(failed)} failed: '
          f'{", ".join(failed) or "-"}')
    sys.exit(1 if failed or not results else 0)
