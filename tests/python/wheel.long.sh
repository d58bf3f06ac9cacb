#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The wheel that make_wheel.sh builds: installed in a clean virtual environment it needs no compiler, uses the one libmujoco of
# mujoco-core, holds no path of the build, and passes python/tests.
set -eu
cd "$CAROM_SOURCE_DIR"
build=$CAROM_BUILD_DIR/python/wheel
mkdir -p "$build"
rm -rf "$build/dist"
sh scripts/make_wheel.sh "$build"
wheel=$(ls "$build"/dist/carom-*-cp311-abi3-manylinux*.whl)
[ "$(ls "$build"/dist | wc -l)" = 2 ] || { ls "$build/dist"; exit 1; }

python3 -m venv --clear "$build/clean"
"$build/clean/bin/pip" install --quiet --disable-pip-version-check "$wheel"
cd "$build"
env -i PATH=/nonexistent HOME="$HOME" "$build/clean/bin/python" - "$CAROM_SOURCE_DIR" << 'PYTHON'
import sys
from pathlib import Path

import carom
import mujoco

model = carom.load(f"{sys.argv[1]}/examples/cube_toss.xml")
toss = carom.grad(model, "qpos[0]", 1, wrt="qvel", qvel=[1, 0, 0, 0, -6, 0], integrator="tsit5", rtol=1e-7, atol=1e-7,
                  grid=0.5, events=True)
assert abs(toss["qvel"][0] - 0.2218) < 1e-4, toss["qvel"]
ours, theirs = carom.load(model_of := mujoco.MjModel.from_xml_path(f"{sys.argv[1]}/tests/data/walker.xml")), model_of
assert (ours.body_mass == theirs.body_mass).all()
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libmujoco" in line}
assert loaded == {str(Path(mujoco.__file__).parent / "libmujoco.so.4.0.0")}, loaded
PYTHON
! grep -rlF --exclude-dir=__pycache__ "$CAROM_SOURCE_DIR" "$build"/clean/lib/python*/site-packages/carom || { echo "paths of the build are in the wheel"; exit 1; }
"$build/clean/bin/pip" install --quiet --disable-pip-version-check pytest jax gymnasium
env CAROM_SOURCE_DIR="$CAROM_SOURCE_DIR" PYTHONDONTWRITEBYTECODE=1 "$build/clean/bin/python" -m pytest -q \
  -p no:cacheprovider --rootdir "$CAROM_SOURCE_DIR/python" "$CAROM_SOURCE_DIR/python/tests"
