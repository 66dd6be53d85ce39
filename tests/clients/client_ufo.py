# SPDX-License-Identifier: MIT
"""UFO: filters of tomography on buffers and images, against numpy."""
import os
import subprocess
import tempfile

import numpy as np

from harness import check, finish

folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
os.environ['UFO_DEVICE_TYPE'] = 'cpu'
count, height, width = 3, 96, 128
y, x = np.mgrid[0:height, 0:width].astype(np.float32)
pictures = np.stack([np.sin(x / 9 + k) + np.cos(y / 7 - k) / 2 for k in range(count)]).astype(np.float32)
pictures += np.random.default_rng(3).normal(0, 0.1, pictures.shape).astype(np.float32)
pictures.tofile('in.raw')


def result(filters, shape, kind=np.float32):
    if os.path.exists('out.raw'):
        os.remove('out.raw')
    subprocess.run(['ufo-launch', '-q', 'read', 'path=in.raw', f'raw-width={width}', f'raw-height={height}',
                    'raw-bitdepth=32', '!', *filters.split(), '!', 'write', 'filename=out.raw'],
                   check=True, timeout=300, stdout=subprocess.DEVNULL)
    return np.fromfile('out.raw', kind).reshape(shape)


def sample(picture, at_x, at_y):
    """Linear, of pixels' middles; beyond the edges the pixels there."""
    low_x, low_y = np.floor(at_x - 0.5), np.floor(at_y - 0.5)
    part_x, part_y = at_x - 0.5 - low_x, at_y - 0.5 - low_y
    rows = [np.clip(low_y + d, 0, picture.shape[0] - 1).astype(int) for d in (0, 1)]
    columns = [np.clip(low_x + d, 0, picture.shape[1] - 1).astype(int) for d in (0, 1)]
    left, right = columns
    above, below = ((1 - part_x) * picture[row, left] + part_x * picture[row, right] for row in rows)
    return (1 - part_y) * above + part_y * below


def rotated(angle):
    sine, cosine = np.sin(angle), np.cos(angle)
    from_x, from_y = x + 0.5 - width / 2, y + 0.5 - height / 2
    at = cosine * from_x - sine * from_y + width / 2, sine * from_x + cosine * from_y + height / 2
    return np.stack([sample(p.astype(float), *at) for p in pictures]), at


CASES = {
    'transpose': pictures.transpose(0, 2, 1),
    'flip': pictures[:, :, ::-1],
    'flip direction=vertical': pictures[:, ::-1],
    'clip min=-0.5 max=0.75': np.clip(pictures, np.float32(-0.5), np.float32(0.75)),
    'binarize threshold=0.25': (pictures >= np.float32(0.25)).astype(np.float32),
    'bin size=4': pictures.reshape(count, height // 4, 4, width // 4, 4).astype(float).sum((2, 4)),
}
for filters, wanted in CASES.items():
    @check(filters)
    def case(filters=filters, wanted=wanted):
        got = result(filters, wanted.shape)
        assert np.allclose(got, wanted, rtol=1e-5, atol=1e-5), f'{np.abs(got - wanted).max()} off'


@check('fft')
def fourier():
    got, wanted = result('fft', pictures.shape, np.complex64), np.fft.fft(pictures.astype(float))
    assert np.abs(got - wanted).max() < 1e-5 * np.abs(wanted).max(), np.abs(got - wanted).max()


@check('median-filter')
def median():
    windows = np.lib.stride_tricks.sliding_window_view(pictures, (3, 3), (1, 2))
    got = result('median-filter size=3', pictures.shape)
    assert np.array_equal(got[:, 1:-1, 1:-1], np.median(windows, (-2, -1)))


@check('rotate')
def rotation():
    wanted, (at_x, at_y) = rotated(-0.5)
    inside = (at_x > 1) & (at_x < width - 1) & (at_y > 1) & (at_y < height - 1)
    got = result('rotate angle=0.5', pictures.shape)
    worst = np.abs(got - wanted)[:, inside].max()
    assert inside.mean() > 0.5 and worst < 1e-3, worst


@check('backproject')
def backprojection():
    middle = width / 2
    from_y, from_x = np.mgrid[0:width, 0:width] + 0.5 - middle
    angles = np.arange(height)[:, None, None] * np.pi / height
    at = middle + from_x * np.cos(angles) + from_y * np.sin(angles)
    got = result(f'backproject axis-pos={middle} angle-step={np.pi / height}', (count, width, width))
    inside = np.hypot(from_x, from_y) < middle - 2
    for k in range(count):
        wanted = sum(sample(pictures[k].astype(float), at[row], np.full(at[row].shape, row + 0.5))
                     for row in range(height)) * np.pi / height
        assert np.abs(got[k] - wanted)[inside].max() < 1e-2, np.abs(got[k] - wanted)[inside].max()


finish('UFO')
