#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the models that the benchmarks run on, from the wheel of dm_control (Apache-2.0) on PyPI.
# Usage: fetch_models.sh FOLDER
set -eu

folder=${1%/}
work=$folder.part
rm -rf "$work"
mkdir -p "$work/wheel"
echo "Fetching the models of dm_control from PyPI"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
  --dest "$work/wheel" dm_control==1.0.50
python3 -m zipfile -e "$work"/wheel/*.whl "$work"
rm -rf "$work/wheel" "$folder"
mv "$work" "$folder"
