#!/bin/bash
# SPDX-License-Identifier: MIT
# Shared by quickstart and run-tests: installs the Debian packages that are missing, configures and builds build/.
# Source it, then call lanewise_setup [NINJA TARGET...] (default: everything, with what only the tests need). Quick when
# everything is there already.

# package:what shows that it is there (a command, or a file where it begins with /; * stands for anything)
lanewise_packages='
gcc:gcc
libc6-dev:/usr/include/stdio.h
libstdc++-12-dev:/usr/lib/gcc/x86_64-linux-gnu/*/libstdc++.so
pkg-config:pkg-config
python3:python3
meson:meson
ninja-build:ninja
llvm-22-dev:llvm-config-22
clang-22:clang-22
libomp-22-dev:/usr/lib/llvm-22/lib/libomp.so
libclc-22:/usr/lib/clc/nvptx64--.bc
libclc-22-dev:/usr/lib/pkgconfig/libclc.pc
clang-15:clang-15
llvm-spirv-15:llvm-spirv-15
spirv-tools:/usr/include/spirv-tools/libspirv.h
spirv-headers:/usr/include/spirv/unified1/spirv.core.grammar.json
libffi-dev:/usr/lib/x86_64-linux-gnu/pkgconfig/libffi.pc
libzstd-dev:/usr/include/zstd.h
zlib1g-dev:/usr/include/zlib.h
libpng-dev:/usr/include/png.h
libjson-c-dev:/usr/include/json-c/json.h
check:/usr/include/check.h
opencl-c-headers:/usr/include/CL/cl_icd.h
ocl-icd-opencl-dev:/usr/lib/x86_64-linux-gnu/pkgconfig/OpenCL.pc
'
# What the tests run besides; python3-pyopencl brings PoCL, another OpenCL platform.
lanewise_test_packages='
clinfo:clinfo
clpeak:clpeak
clfft-client:clFFT-client
clblast-tests:clblast_test_xgemm
libviennacl-dev:/usr/include/viennacl/vector.hpp
libboost1.74-dev:/usr/include/boost/compute.hpp
hashcat:hashcat
python3-pyopencl:/usr/lib/python3/dist-packages/pyopencl
python3-mako:/usr/lib/python3/dist-packages/mako
openmpi-bin:mpirun
libopenmpi-dev:/usr/lib/x86_64-linux-gnu/pkgconfig/ompi-c.pc
numactl:numactl
csmith:csmith
'

lanewise_stop() {
    echo "error: $*" >&2
    exit 1
}

# True where the evidence of a package is there.
lanewise_has() {
    local evidence pattern
    IFS='|' read -r -a evidence <<<"$1"
    for pattern in "${evidence[@]}"; do
        case "$pattern" in
        /*) compgen -G "$pattern" >/dev/null && return 0 ;;
        *) command -v "$pattern" >/dev/null && return 0 ;;
        esac
    done
    return 1
}

lanewise_install() {
    local line missing=() unknown=() as_root=() package
    for line in $lanewise_packages; do
        lanewise_has "${line#*:}" || missing+=("${line%%:*}")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "== installing ${missing[*]}"
    command -v apt-get >/dev/null ||
        lanewise_stop "these Debian packages are missing, and there is no apt-get to install them: ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            lanewise_stop "not root, and no sudo: please install these packages: ${missing[*]}"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq || lanewise_stop "apt-get update failed (its message is above)"
    for package in "${missing[@]}"; do
        apt-cache show "$package" >/dev/null 2>&1 || unknown+=("$package")
    done
    [ ${#unknown[@]} -eq 0 ] ||
        lanewise_stop "the configured apt sources do not have ${unknown[*]}; LLVM 22 comes with" \
            "'deb http://deb.debian.org/debian-security bookworm-security main'"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null || lanewise_stop "apt-get install failed (its message is above)"
    for line in $lanewise_packages; do
        lanewise_has "${line#*:}" || lanewise_stop "${line%%:*} is installed, yet ${line#*:} is not there"
    done
}

# Into build/, which the caller may name by LW_BUILD.
lanewise_setup() {
    [ "$(uname -m)" = x86_64 ] || lanewise_stop "Lanewise compiles for x86-64, and this machine is $(uname -m)"
    grep -qw sse4_2 /proc/cpuinfo || lanewise_stop "this processor has no SSE4.2, the least that Lanewise needs"
    cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
    build=${LW_BUILD:-build}
    [ $# -gt 0 ] || lanewise_packages+=$lanewise_test_packages
    lanewise_install
    if [ ! -f "$build/build.ninja" ]; then
        echo "== configuring $build/"
        meson setup "$build" --buildtype=debugoptimized >"${TMPDIR:-/tmp}/lanewise-meson.$$" 2>&1 || {
            cat "${TMPDIR:-/tmp}/lanewise-meson.$$" >&2
            lanewise_stop "meson could not configure the build (its message is above)"
        }
        rm -f "${TMPDIR:-/tmp}/lanewise-meson.$$"
    fi
    echo "== building (all but the first time only what changed)"
    ninja -C "$build" "$@" || lanewise_stop "the build failed (its message is above)"
}
