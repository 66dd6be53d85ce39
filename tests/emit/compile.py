# SPDX-License-Identifier: MIT
"""The corpus: every kernel file by both front ends at several levels.
compile.py STAMP DIRECTORY KERNEL.cl...     compiles
compile.py --emit EMITTER DIRECTORY         emits each module under two sets of facts and verifies it"""
import concurrent.futures
import os
import subprocess
import sys

ROUTES = [(end, level, debug) for end in ('22', '15') for level, debug in
          (('-O0', False), ('-O1', False), ('-O2', False), ('-O2', True), ('-O0', True))]


def compile_one(source, directory, route):
    end, level, debug = route
    name = os.path.splitext(os.path.basename(source))[0]
    out = os.path.join(directory, '%s-%s%s%s.spv' % (name, end, level, '-g' if debug else ''))
    flags = ['-cl-std=CL3.0', level] + (['-g'] if debug else [])
    if end == '22':
        steps = [['clang-22', '--target=spirv64', '-x', 'cl'] + flags + ['-c', source, '-o', out]]
    else:
        header = ['-Xclang', '-finclude-default-header']
        steps = [['clang-15', '-target', 'spir64'] + header + flags +
                 ['-emit-llvm', '-c', source, '-o', out + '.bc'],
                 ['llvm-spirv-15', out + '.bc', '-o', out]]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True)
        if done.returncode:
            return out, done.stderr.strip()[-400:]
    return out, None


def compile_all(stamp, directory, sources):
    os.makedirs(directory, exist_ok=True)
    jobs = [(s, directory, r) for s in sources for r in ROUTES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: compile_one(*job), jobs))
    errors = [(out, error) for out, error in results if error]
    for out, error in errors:
        print('not compiled:', out, error)
    if not errors:
        with open(stamp, 'w') as file:
            file.write('\n'.join(out for out, _ in results))
    return 1 if errors else 0


def emit_all(emitter, directory):
    modules = sorted(os.path.join(directory, f) for f in os.listdir(directory) if f.endswith('.spv'))
    failed = 0
    for facts in ([], ['-x', '-l', '7,5,1']):
        done = subprocess.run([emitter, '-q'] + facts + modules, capture_output=True, text=True)
        print(done.stderr, end='')
        failed += done.returncode != 0
    print('%d modules emitted twice' % len(modules))
    return 1 if failed or len(modules) < 50 else 0


def main():
    if sys.argv[1] == '--emit':
        return emit_all(sys.argv[2], sys.argv[3])
    return compile_all(sys.argv[1], sys.argv[2], sys.argv[3:])


if __name__ == '__main__':
    sys.exit(main())
