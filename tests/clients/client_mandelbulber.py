# SPDX-License-Identifier: MIT
"""Mandelbulber: fractals ray-marched by kernels of thousands of lines, against its own renderer in C++."""
import glob
import json
import os
import subprocess
import tempfile

import numpy as np
from PIL import Image

from harness import check, finish

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.environ.update(HOME=folder.name, QT_QPA_PLATFORM='offscreen', LANG='C')
EXAMPLES = '/usr/share/mandelbulber2/examples'


def picture(settings, opencl):
    trace = os.path.join(folder.name, 'trace.json')
    if os.path.exists(trace):
        os.remove(trace)
    # Precise mathematics, as the renderer in C++ has; 3: every device, the full engine.
    choice = f'opencl_enabled={int(opencl)}#opencl_device_type=3#opencl_mode=3#opencl_use_fast_relaxed_math=0'
    subprocess.run(['mandelbulber2', '-n', '-C', '-f', 'png', '-r', '64x48', '-O', choice, '-o', 'out.png',
                    settings], check=True, timeout=600, env={**os.environ, 'LANEWISE_TRACE': trace},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kernels = set()
    if os.path.exists(trace):
        with open(trace) as file:
            events = json.loads(file.read().rstrip().rstrip(',').rstrip(']') + ']')
        kernels = {event['name'] for event in events if event}
    pixels = np.asarray(Image.open('out.png').convert('RGB')).astype(float)
    os.remove('out.png')
    return pixels, kernels


# Pictures with nothing random in them.
for name in ('aboxMod11_hybrid', 'asurf_invert_spherical', 'Sierpinski 4D'):
    @check(name)
    def case(name=name):
        settings, = glob.glob(f'{EXAMPLES}/**/{name}.fract', recursive=True)
        got, kernels = picture(settings, True)
        wanted, none = picture(settings, False)
        assert 'fractal3D' in kernels, f'fractal3D did not run, these did: {kernels}'
        assert not none, f'without OpenCL these ran: {none}'
        assert wanted.std() > 10, 'an empty picture'
        off = np.abs(got - wanted).mean()
        assert off < 2, f'{off} off'

finish('Mandelbulber')
