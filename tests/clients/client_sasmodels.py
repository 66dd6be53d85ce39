# SPDX-License-Identifier: MIT
"""sasmodels: scattering of particles with dispersed sizes and angles by OpenCL, against the same models
compiled by gcc."""
import os

os.environ['SAS_OPENCL'] = os.environ.get('SAS_OPENCL', '0:0')
os.environ['SAS_DLL_PATH'] = os.environ.get('TMPDIR', '/tmp')

import numpy as np
from sasmodels.core import load_model
from sasmodels.direct_model import call_kernel

from harness import check, finish

q = np.logspace(-3, 0, 200)
qx, qy = (a.reshape(-1) for a in np.meshgrid(np.linspace(-0.2, 0.2, 25), np.linspace(-0.2, 0.2, 25)))
# model: parameters beyond the defaults
MODELS = {
    'sphere': {'radius_pd': 0.1, 'radius_pd_n': 35},
    'cylinder': {'radius_pd': 0.1, 'radius_pd_n': 10, 'length_pd': 0.1, 'length_pd_n': 5},
    'ellipsoid': {'radius_polar_pd': 0.2, 'radius_polar_pd_n': 20},
    'core_shell_sphere': {'radius_pd': 0.1, 'radius_pd_n': 20, 'thickness_pd': 0.1, 'thickness_pd_n': 8},
    'parallelepiped': {},
    'lamellar': {},
    'hardsphere': {'radius_effective': 40},
    'vesicle': {'radius_pd': 0.1, 'radius_pd_n': 15},
    'guinier': {},
}


def compare(name, kind, points, parameters, tolerance):
    values = []
    for platform in 'ocl', 'dll':
        model = load_model(name, dtype=kind, platform=platform)
        assert (platform == 'ocl') == ('Gpu' in type(model).__name__), type(model)
        kernel = model.make_kernel(points)
        values.append(call_kernel(kernel, {'background': 0, **parameters}))
        kernel.release()
    error = np.abs(values[0] - values[1]).max() / np.abs(values[1]).max()
    assert error < tolerance, f'off by {error}'


for name, parameters in MODELS.items():
    check(f'{name}, double')(lambda name=name, p=parameters: compare(name, 'double', [q], p, 1e-9))
    check(f'{name}, single')(lambda name=name, p=parameters: compare(name, 'single', [q], p, 1e-3))
for name in 'sphere', 'cylinder', 'ellipsoid':
    turned = {} if name == 'sphere' else {'theta': 30, 'phi': 20, 'theta_pd': 10, 'theta_pd_n': 12}
    check(f'{name}, oriented')(lambda name=name, p=turned: compare(name, 'double', [qx, qy], p, 1e-9))

finish('sasmodels')
