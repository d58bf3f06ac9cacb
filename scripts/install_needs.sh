#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the named groups need and is missing. Without root, or on a system without apt-get,
# it says what to run and fails. Usage: install_needs.sh {build|format|clang|wasm|python|peers|mpi|render|deb|cross|aarch64}...
set -eu

missing=""
foreign=""  # a command that must run before the packages can be found

# need PACKAGE PROBE...: the package is missing when the probe fails
need() {
  package=$1
  shift
  "$@" > /dev/null 2>&1 || missing="$missing $package"
}

for group in "$@"; do
  case $group in
  build)
    # the compilers first: libc6-dev is only recommended by gcc
    need gcc gcc --version
    need libc6-dev test -e /usr/include/stdio.h
    need g++ g++ --version
    need binutils nm --version
    need cmake cmake --version
    need ninja-build ninja --version
    need pkg-config pkg-config --version
    need python3 python3 --version
    need python3-pip python3 -m pip --version
    need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
    need libhdf5-dev pkg-config --exists hdf5
    need libnlopt-dev pkg-config --exists nlopt
    need libopenblas-dev pkg-config --exists openblas
    need libcyaml-dev pkg-config --exists libcyaml
    need libexpat1-dev pkg-config --exists expat
    need zlib1g-dev pkg-config --exists zlib
    # named by libcyaml's link line, not required by its package
    need libyaml-dev pkg-config --exists yaml-0.1
    need libcmocka-dev pkg-config --exists cmocka
    need gnuplot-nox gnuplot --version
    # renders man pages in a test
    need groff-base groff --version
    ;;
  format) need clang-format-14 sh -c 'clang-format-14 --version || clang-format --version' ;;
  python) # virtual environments, and the header of the extension module
    need python3-venv python3 -c 'import ensurepip, venv'
    need python3-dev python3 -c 'import os, sysconfig; os.stat(sysconfig.get_paths()["include"] + "/Python.h")'
    ;;
  peers)
    need libeigen3-dev test -e /usr/include/eigen3/Eigen/Core
    need python3-venv python3 -c 'import ensurepip, venv'
    ;;
  mpi) # optional: batch, fit, grad --estimator and train under mpirun
    need libopenmpi-dev mpicc --version
    need openmpi-bin mpirun --version
    ;;
  wasm) # compiles the core for carom view --live
    need clang clang --version
    need lld wasm-ld --version
    need wasi-libc test -e /usr/include/wasm32-wasi/stdio.h
    need libclang-rt-dev-wasm32 sh -c 'test -e "$(clang --target=wasm32-wasi -print-libgcc-file-name)"'
    ;;
  render) # optional: pictures and films of carom render
    need libosmesa6 python3 -c 'import ctypes; ctypes.CDLL("libOSMesa.so.8")'
    need ffmpeg ffmpeg -version
    ;;
  deb) need dpkg-dev dpkg-shlibdeps --version ;;
  cross) # compiler for AArch64
    need gcc-aarch64-linux-gnu aarch64-linux-gnu-gcc --version
    need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
    ;;
  aarch64) # with group cross: emulator and what the tests link
    need qemu-user-static qemu-aarch64-static --version
    need libcmocka-dev:arm64 test -e /usr/lib/aarch64-linux-gnu/libcmocka.so
    case $missing in *:arm64*) foreign="dpkg --add-architecture arm64" ;; esac
    ;;
  clang)
    need clang clang --version
    need clang-tidy clang-tidy --version
    ;;
  *)
    echo "install_needs: unknown group $group" >&2
    exit 2
    ;;
  esac
done

[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
  echo "Missing:$missing" >&2
  echo "Run: ${foreign:+sudo $foreign && }sudo apt-get update &&" \
       "sudo apt-get install -y --no-install-recommends$missing" >&2
  exit 1
fi

echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { ${foreign:-true} && apt-get update && apt-get install -y --no-install-recommends $missing; } \
  > "$log" 2>&1 < /dev/null; then
  cat "$log" >&2
  exit 1
fi
rm -f "$log"
