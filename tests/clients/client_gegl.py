# SPDX-License-Identifier: MIT
"""GEGL: its operations with OpenCL (buffers, its own colour conversions) against the same without."""
import json
import os
import subprocess
import tempfile

import numpy as np

from harness import check, finish

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.environ.update(HOME=folder.name, XDG_CACHE_HOME=folder.name, XDG_CONFIG_HOME=folder.name,
                  XDG_DATA_HOME=folder.name)
height, width = 211, 307
y, x = np.mgrid[0:height, 0:width]
picture = np.stack([127 + 100 * np.sin(x / 37 + y / 50), 127 + 90 * np.cos(y / 23), x * 255 / width], -1)
picture = np.clip(picture + np.random.default_rng(3).normal(0, 6, picture.shape), 0, 255).astype(np.uint8)
with open('in.ppm', 'wb') as file:
    file.write(b'P6\n%d %d\n255\n' % (width, height) + picture.tobytes())


def result(operation, opencl):
    trace = 'trace.json'
    if os.path.exists(trace):
        os.remove(trace)
    subprocess.run(['gegl', 'in.ppm', '-o', 'out.ppm', '--', *('gegl:' + operation).split()], check=True,
                   timeout=300,
                   env={**os.environ, 'GEGL_USE_OPENCL': 'cpu' if opencl else 'no', 'LANEWISE_TRACE': trace},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open('out.ppm', 'rb') as file:
        _, w, h, most, data = parts(file.read())
    kernels = set()
    if os.path.exists(trace):
        with open(trace) as file:
            kernels = {e.get('name') for e in json.loads(file.read().rstrip().rstrip(',').rstrip(']') + ']')
                       if e}
    return data.reshape(int(h), int(w), -1).astype(float) / int(most), kernels


def parts(data):
    """Of a PPM: header words and the samples."""
    words = data.split(None, 4)[:4]
    end = 0
    for word in words:
        end = data.index(word, end) + len(word)
    samples = np.frombuffer(data[end + 1:], '>u2' if int(words[3]) > 255 else np.uint8)
    return (*words, samples)


# The operation and one of its kernels. Left out: those whose two versions differ by themselves
# (noise-reduction, oilify, snn-mean: on Intel's runtime and PoCL the very same pixels), and c2g, which draws
# numbers.
CASES = {
    'brightness-contrast contrast=1.7 brightness=0.1': 'gegl_brightness_contrast',
    'box-blur radius=5': 'kernel_blur_hor',
    'bilateral-filter': 'bilateral_filter',
    'motion-blur-linear length=12': 'motion_blur_linear',
    'pixelize': 'calc_block_color',
    'edge-laplace': 'knl_edgelaplace',
    'exposure exposure=0.5': 'kernel_exposure_rgb',
    'hue-chroma hue=40': 'gegl_hue_chroma',
    'levels in-low=0.2': 'kernel_levels',
    'color-temperature': 'gegl_color_temperature',
    'shadows-highlights shadows=40': 'shadows_highlights',
    'vignette': 'vignette_cl',
    'stretch-contrast': 'cl_stretch_contrast',
    'alien-map': 'cl_alien_map',
    'posterize': 'cl_posterize',
    'mono-mixer': 'gegl_mono_mixer',
    'threshold': 'gegl_threshold',
    'color-exchange': 'cl_color_exchange',
}
for operation, kernel in CASES.items():
    @check(operation)
    def case(operation=operation, kernel=kernel):
        got, kernels = result(operation, True)
        wanted, none = result(operation, False)
        assert kernel in kernels, f'{kernel} did not run, these did: {kernels}'
        assert not none, f'without OpenCL these ran: {none}'
        assert got.shape == wanted.shape, (got.shape, wanted.shape)
        worst = np.abs(got - wanted).max()
        assert worst < 1.5 / 255 and wanted.std() > 0.01, f'{worst} off'

finish('GEGL')
