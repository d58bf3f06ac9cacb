#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the models that the benchmarks and docs/models.md use: the wheels that cmake/models.txt
# pins, from PyPI, unpacked as data, nothing installed. Usage: fetch_models.sh FOLDER
set -eu

folder=${1%/}
work=$folder.part
rm -rf "$work"
mkdir -p "$work/wheels"
echo "Fetching the models of dm_control, gymnasium, myosuite and mujoco_warp from PyPI"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
  --python-version 3.12 --require-hashes --dest "$work/wheels" --requirement cmake/models.txt
for wheel in "$work"/wheels/*.whl; do
  python3 -m zipfile -e "$wheel" "$work"
done
rm -rf "$work/wheels" "$work"/*.dist-info "$folder"
mv "$work" "$folder"
