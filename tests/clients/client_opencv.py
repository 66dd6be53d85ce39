# SPDX-License-Identifier: MIT
"""OpenCV's T-API: operations on UMat, which run as OpenCL kernels, against the same on arrays, which do
not."""
import os

os.environ['OPENCV_OPENCL_DEVICE'] = ':CPU:'
os.environ['OPENCV_OPENCL_RAISE_ERROR'] = '1'
os.environ['OPENCV_OPENCL_CACHE_ENABLE'] = '0'

import cv2
import numpy as np

from harness import check, finish

cv2.ocl.setUseOpenCL(True)
assert cv2.ocl.haveOpenCL() and cv2.ocl.useOpenCL(), 'OpenCV sees no OpenCL device'
device = cv2.ocl.Device_getDefault()
assert 'Lanewise' in device.version() or 'Lanewise' in device.vendorName(), device.version()

rng = np.random.default_rng(1)
gray = rng.integers(0, 256, (243, 317), dtype=np.uint8)
other = rng.integers(0, 256, (243, 317), dtype=np.uint8)
colour = rng.integers(0, 256, (243, 317, 3), dtype=np.uint8)
real = rng.random((243, 317)).astype(np.float32)
more = (rng.random((243, 317)) + 0.5).astype(np.float32)
words = rng.integers(-3000, 3000, (131, 97), dtype=np.int16)
square = rng.random((96, 96)).astype(np.float32)
table = rng.integers(0, 256, 256, dtype=np.uint8)
turn = cv2.getRotationMatrix2D((150, 120), 33, 0.8)
view = np.array([[1, 0.1, 3], [0.05, 1.1, -5], [1e-4, 2e-4, 1]])
ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5))
kernel = rng.random((5, 5)).astype(np.float32) - 0.5

# Other pixels at one place in 500: geometry's coordinates are rounded otherwise, Canny's comparisons of
# slopes too (as on Intel's runtime: the same 72 pixels).
FEW = 0.1
# name: (function of the operands, the operands, what may differ)
CASES = {
    'add': (cv2.add, (gray, other), 0),
    'subtract': (cv2.subtract, (gray, other), 0),
    'absdiff': (cv2.absdiff, (words, words[::-1].copy()), 0),
    'multiply': (lambda a, b: cv2.multiply(a, b, scale=0.01), (gray, other), 1),
    'divide': (cv2.divide, (real, more), 1e-5),
    'addWeighted': (lambda a, b: cv2.addWeighted(a, 0.3, b, 0.8, 5), (gray, other), 1),
    'bitwise_and': (cv2.bitwise_and, (gray, other), 0),
    'bitwise_not': (cv2.bitwise_not, (gray,), 0),
    'compare': (lambda a, b: cv2.compare(a, b, cv2.CMP_GT), (gray, other), 0),
    'min': (cv2.min, (real, more), 0),
    'max': (cv2.max, (gray, other), 0),
    'inRange': (lambda a: cv2.inRange(a, (50, 60, 70), (200, 190, 180)), (colour,), 0),
    'threshold': (lambda a: cv2.threshold(a, 100, 255, cv2.THRESH_BINARY)[1], (gray,), 0),
    'exp': (cv2.exp, (real,), 1e-5),
    'log': (cv2.log, (more,), 1e-5),
    'pow': (lambda a: cv2.pow(a, 1.7), (more,), 1e-4),
    'sqrt': (cv2.sqrt, (real,), 1e-6),
    'magnitude': (cv2.magnitude, (real, more), 1e-5),
    'phase': (cv2.phase, (real, more), 1e-3),
    'gemm': (lambda a, b: cv2.gemm(a, b, 1.5, None, 0), (square, square.T.copy()), 1e-3),
    'transpose': (cv2.transpose, (colour,), 0),
    'flip': (lambda a: cv2.flip(a, -1), (colour,), 0),
    'repeat': (lambda a: cv2.repeat(a, 2, 3), (gray,), 0),
    'merge': (lambda a, b: cv2.merge([a, b, a]), (gray, other), 0),
    'extractChannel': (lambda a: cv2.extractChannel(a, 1), (colour,), 0),
    'LUT': (lambda a: cv2.LUT(a, table), (gray,), 0),
    'normalize': (lambda a: cv2.normalize(a, None, 0, 1, cv2.NORM_MINMAX), (real,), 1e-5),
    'convertScaleAbs': (lambda a: cv2.convertScaleAbs(a, alpha=0.1, beta=3), (words,), 1),
    'reduce': (lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM, dtype=cv2.CV_32F), (real,), 1e-3),
    'dft': (lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), (square,), 1e-2),
    'cvtColor gray': (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), (colour,), 1),
    'cvtColor HSV': (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), (colour,), 1),
    'cvtColor YCrCb': (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YCrCb), (colour,), 1),
    'cvtColor Lab': (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2Lab), (colour,), 2),
    'resize linear': (lambda a: cv2.resize(a, (200, 301)), (gray,), 1),
    'resize area': (lambda a: cv2.resize(a, (150, 100), interpolation=cv2.INTER_AREA), (gray,), 1),
    'resize nearest': (lambda a: cv2.resize(a, (500, 400), interpolation=cv2.INTER_NEAREST), (colour,), 0),
    'warpAffine': (lambda a: cv2.warpAffine(a, turn, (317, 243)), (real,), FEW),
    'warpPerspective': (lambda a: cv2.warpPerspective(a, view, (317, 243)), (real,), FEW),
    'GaussianBlur': (lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), (real,), 1e-5),
    'blur': (lambda a: cv2.blur(a, (5, 3)), (gray,), 1),
    'medianBlur': (lambda a: cv2.medianBlur(a, 5), (gray,), 0),
    'bilateralFilter': (lambda a: cv2.bilateralFilter(a, 7, 50, 50), (gray,), 2),
    'filter2D': (lambda a: cv2.filter2D(a, -1, kernel), (real,), 1e-4),
    'Sobel': (lambda a: cv2.Sobel(a, cv2.CV_32F, 1, 0), (gray,), 1e-2),
    'Laplacian': (lambda a: cv2.Laplacian(a, cv2.CV_32F, ksize=3), (real,), 1e-4),
    'erode': (lambda a: cv2.erode(a, ellipse), (gray,), 0),
    'dilate': (lambda a: cv2.dilate(a, ellipse), (gray,), 0),
    'morphologyEx': (lambda a: cv2.morphologyEx(a, cv2.MORPH_GRADIENT, ellipse), (gray,), 0),
    'pyrDown': (cv2.pyrDown, (gray,), 1),
    'pyrUp': (cv2.pyrUp, (gray,), 1),
    'equalizeHist': (cv2.equalizeHist, (gray,), 1),
    'integral': (cv2.integral, (gray,), 0),
    'Canny': (lambda a: cv2.Canny(a, 100, 250), (gray,), FEW),
    'copyMakeBorder': (lambda a: cv2.copyMakeBorder(a, 3, 5, 7, 2, cv2.BORDER_REFLECT), (gray,), 0),
    'matchTemplate': (lambda a, b: cv2.matchTemplate(a, b, cv2.TM_CCORR_NORMED),
                      (real, real[40:60, 50:80].copy()), 1e-3),
}
SCALARS = {
    'sum': (lambda a: cv2.sumElems(a), (colour,)),
    'countNonZero': (cv2.countNonZero, (gray,)),
    'minMaxLoc': (cv2.minMaxLoc, (real,)),
    'norm': (lambda a: cv2.norm(a, cv2.NORM_L2), (real,)),
    'norm of difference': (lambda a, b: cv2.norm(a, b, cv2.NORM_L1), (gray, other)),
    'mean': (cv2.mean, (colour,)),
    'meanStdDev': (lambda a: [np.asarray(m.get() if isinstance(m, cv2.UMat) else m) for m
                              in cv2.meanStdDev(a)], (gray,)),
}


def flat(values):
    return np.concatenate([np.ravel(np.asarray(v, dtype=float)) for v
                           in (values if isinstance(values, (tuple, list)) else [values])])


for name, (function, operands, tolerance) in CASES.items():
    @check(name)
    def case(function=function, operands=operands, tolerance=tolerance):
        wanted = function(*operands)
        got = function(*(cv2.UMat(x) for x in operands))
        assert isinstance(got, cv2.UMat), 'it did not stay a UMat'
        got = got.get()
        assert got.shape == wanted.shape and got.dtype == wanted.dtype, (got.shape, got.dtype, wanted.dtype)
        difference = np.abs(got.astype(float) - wanted.astype(float))
        allowed = 0.002 if tolerance == FEW else 0
        apart = difference > tolerance
        assert apart.mean() <= allowed, f'{difference.max()} off at {apart.sum()} places'
for name, (function, operands) in SCALARS.items():
    @check(name)
    def scalar(function=function, operands=operands):
        got, wanted = flat(function(*(cv2.UMat(x) for x in operands))), flat(function(*operands))
        assert np.allclose(got, wanted, rtol=1e-5), f'{got} is not {wanted}'

finish('OpenCV ' + cv2.__version__)
