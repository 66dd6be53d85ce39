# SPDX-License-Identifier: MIT
"""ffmpeg's OpenCL filters, on the grey picture of NV12 as images of one channel, against its own in C."""
import subprocess

import numpy as np

from harness import check, finish

WIDTH, HEIGHT, FRAMES = 322, 238, 3
SOURCE = ['-f', 'lavfi', '-i', f'testsrc2=s={WIDTH}x{HEIGHT}:r=25,noise=alls=12:all_seed=4,format=yuv420p']


def frames(filters, opencl):
    device = ['-init_hw_device', 'opencl=cl:0.0', '-filter_hw_device', 'cl'] if opencl else []
    if opencl:
        filters = f'hwupload,{filters},hwdownload'
    made = subprocess.run(['ffmpeg', '-v', 'error', *device, *SOURCE, '-vf',
                           f'{filters},format=yuv420p', '-frames:v', str(FRAMES), '-f', 'rawvideo', '-'],
                          capture_output=True, timeout=300)
    assert made.returncode == 0, made.stderr.decode()[-500:]
    return np.frombuffer(made.stdout, np.uint8).astype(int)


# The filter with OpenCL, the one in C, whose integers may round to the neighbour, and how much of a border,
# which the two do not treat alike, is left out.
SHARPEN = ':'.join(['0 -1 0 -1 5 -1 0 -1 0'] * 4)
CASES = {
    'average': ('avgblur_opencl=sizeX=3', 'avgblur=sizeX=3', 3),
    'convolution': (f'convolution_opencl={SHARPEN}', f'convolution={SHARPEN}', 2),
    'dilation': ('dilation_opencl', 'dilation', 1),
    'erosion': ('erosion_opencl', 'erosion', 1),
    'prewitt': ('prewitt_opencl', 'prewitt', 2),
    'roberts': ('roberts_opencl', 'roberts', 2),
    'sobel': ('sobel_opencl', 'sobel', 2),
    'transpose': ('transpose_opencl=dir=clock', 'transpose=dir=clock', 0),
    'pad': ('pad_opencl=400:300:10:20', 'pad=400:300:10:20', 0),
}


def middle(data, turned, padded, border):
    """The luma planes without their borders."""
    width, height = (400, 300) if padded else (HEIGHT, WIDTH) if turned else (WIDTH, HEIGHT)
    planes = data.reshape(FRAMES, -1)[:, :width * height].reshape(FRAMES, height, width)
    return planes[:, border:height - border, border:width - border]


for name, (opencl, plain, border) in CASES.items():
    @check(name)
    def case(name=name, opencl=opencl, plain=plain, border=border):
        got, wanted = (middle(frames(f, f == opencl), name == 'transpose', name == 'pad', border)
                       for f in (opencl, plain))
        worst = np.abs(got - wanted).max()
        assert worst <= 1 and wanted.std() > 1, f'{worst} off'

finish('ffmpeg')
