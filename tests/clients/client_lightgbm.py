# SPDX-License-Identifier: MIT
"""LightGBM: decision trees whose histograms are made by OpenCL (float sums by compare-and-exchange in local
memory, the last work-group adds the others' up), against the same trees by its own code in C++."""
import os

# It looks for GPUs only, and has a loader of its own, which takes no .icd file by this name.
os.environ['LANEWISE_DEVICE_TYPE'] = 'gpu'
with open(os.environ['OCL_ICD_VENDORS'], encoding='utf-8') as icd:
    os.environ['OCL_ICD_FILENAMES'] = icd.read().strip()

import lightgbm
import numpy as np

from harness import check, finish

random = np.random.default_rng(1)
x = random.normal(size=(8000, 10)).astype(np.float32)
classes = (x[:, 0] * x[:, 1] + np.sin(x[:, 2]) + 0.1 * random.normal(size=len(x)) > 0).astype(int)


def predict(target, **parameters):
    parameters = {'num_leaves': 31, 'num_threads': 1, 'verbose': -1, **parameters}
    data = lightgbm.Dataset(x, target, params=parameters)
    return lightgbm.train(parameters, data, 5).predict(x)


# Rounding may put an example into another leaf: few are.
def compare(target, **parameters):
    got, wanted = (predict(target, device_type=kind, **parameters) for kind in ('gpu', 'cpu'))
    others = np.abs(got - wanted) > 1e-3 * np.abs(wanted).max()
    assert wanted.std() > 0 and others.mean() < 0.01, f'{others.sum()} of {len(x)} examples differ'


for bins in 15, 63, 255:
    for double in False, True:
        check(f'classes, {bins} bins, {"double" if double else "single"}')(
            lambda b=bins, d=double: compare(classes, objective='binary', max_bin=b, gpu_use_dp=d))
# With weights of one the kernels count instead of adding hessians.
check('regression')(lambda: compare(x[:, 0] + x[:, 3] ** 2, objective='regression', max_bin=63))
check('columns left out')(
    lambda: compare(classes, objective='binary', max_bin=63, feature_fraction=0.5, bagging_fraction=0.5,
                    bagging_freq=1))

finish('LightGBM')
