#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheel for AArch64 that make_wheel.sh cross-compiles: tags and machine of its libraries, and under QEMU with Debian's Python a
# gradient and the golden digits. Skipped where the tools or Debian's packages are missing.
set -eu
cd "$CAROM_SOURCE_DIR"
skip() {
  echo "wheel_aarch64: $*; skipped"
  exit 0
}
for tool in aarch64-linux-gnu-gcc qemu-aarch64-static apt-get dpkg-deb; do
  command -v $tool > /dev/null || skip "there is no $tool (apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static)"
done
[ "$(uname -m)" = x86_64 ] || skip "this is no x86-64 machine, wheel.long.sh builds the wheel of this one"
build=$CAROM_BUILD_DIR/python/wheel_aarch64
root=$build/sysroot
mkdir -p "$build"
[ -e "$root/usr/bin/python3" ] || sh scripts/fetch_aarch64.sh "$root" || skip "Debian's arm64 packages cannot be fetched"
[ -e "$build/mujoco/mujoco" ] || sh scripts/fetch_mujoco.sh "$build/mujoco" aarch64
rm -rf "$build/dist" "$build/site"
sh scripts/make_wheel.sh "$build" aarch64 "$root" "$build/mujoco/mujoco"
wheel=$(ls "$build"/dist/carom-*-cp311-abi3-manylinux*_aarch64.whl)

# ---- installed beside the wheels that it needs, as pip would on such a machine
python=$build/wheel-tools/bin/python
"$python" -m zipfile -e "$wheel" "$build/site"
"$python" -m pip install --quiet --disable-pip-version-check --target "$build/site" --only-binary=:all: --python-version 3.11 \
  --implementation cp --abi cp311 --abi abi3 --abi none --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 \
  --platform manylinux2014_aarch64 --platform any "numpy<2.3" cffi mujoco-core==4.0.0 pytest
for library in "$build"/site/carom/*.so "$build"/site/carom.libs/*; do
  aarch64-linux-gnu-readelf -h "$library" | grep -q AArch64 || { echo "$library is for another machine"; exit 1; }
done
! grep -rlF "$CAROM_SOURCE_DIR" "$build/site/carom" || { echo "paths of the build are in the wheel"; exit 1; }

# ---- used
emulated=(env -u LD_LIBRARY_PATH qemu-aarch64-static -L "$root" -E "PYTHONPATH=$build/site" -E PYTHONDONTWRITEBYTECODE=1 "$root/usr/bin/python3.11")
"${emulated[@]}" - << 'PYTHON'
import platform

import carom

assert platform.machine() == "aarch64"
model = carom.load("examples/cube_toss.xml")
toss = carom.grad(model, "qpos[0]", 1, wrt="qvel", qvel=[1, 0, 0, 0, -6, 0], integrator="tsit5", rtol=1e-7, atol=1e-7,
                  grid=0.5, events=True)
assert abs(toss["qvel"][0] - 0.2218) < 1e-4, toss["qvel"]
PYTHON
"${emulated[@]}" -m pytest -q -p no:cacheprovider --rootdir "$CAROM_SOURCE_DIR/python" "$CAROM_SOURCE_DIR/python/tests/test_golden.py"
