# SPDX-License-Identifier: MIT
"""piglit's tests of OpenCL: every one, or those whose names an argument (a regular expression) matches."""
import bz2
import glob
import json
import os
import subprocess
import sys
import tempfile

# What fails, and why it is not ours to mend. A test here that passes is told, so that it leaves the list.
KNOWN = {
    'api@clgetcommandqueueinfo': 'asks a host queue for CL_QUEUE_SIZE; on PoCL and Intel too',
    'api@clcreateprogramwithbinary': 'makes a kernel of a program that was not built; on PoCL and Intel too',
    'api@clgetdeviceinfo': 'ends at CL_DEVICE_QUEUE_ON_HOST_PROPERTIES; on PoCL and Intel too',
    'api@clgetextensionfunctionaddressforplatform': 'asks of an invalid platform, which ocl-icd answers; on '
                                                    'PoCL and Intel too',
    'api@clgetkernelarginfo': 'wants no information without -cl-kernel-arg-info; it is there; on Intel too',
    'api@clsetkernelarg': 'passes a sampler, which Lanewise refuses',
    'program@build@include-directories': 'its header is not in the Debian package',
}
with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, 'results')
    command = ['piglit', 'run', *(['-t', sys.argv[1]] if len(sys.argv) > 1 else []), 'cl', out]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, 'HOME': folder})
    results = {}
    for path in glob.glob(out + '/tests/*.json') + glob.glob(out + '/results.json*'):
        with (bz2.open if path.endswith('.bz2') else open)(path, 'rt') as file:
            data = json.load(file)
        results.update(data.get('tests', data))
failed = {name: result for name, result in results.items() if result['result'] not in ('pass', 'skip')}
passed = sum(result['result'] == 'pass' for result in results.values())
new = sorted(set(failed) - set(KNOWN))
for name in new:
    print('FAILED', name, failed[name]['result'], (failed[name].get('out') or '')[-600:],
          (failed[name].get('err') or '')[-300:])
for name in sorted(set(failed) & set(KNOWN)):
    print(f'known: {name}: {KNOWN[name]}')
for name in sorted(set(KNOWN) & set(results) - set(failed)):
    print(f'passes now: {name}')
if not passed:
    print(done.stdout[-2000:])
skipped = len(results) - passed - len(failed)
print(f'piglit: {passed} passed, {skipped} skipped, {len(failed)} failed, {len(new)} of them not known')
sys.exit(1 if new or not passed else 0)
