#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches MuJoCo's wheel from PyPI and unpacks it into the folder given. Only its C library and
# headers are used, so the wheel is for one fixed Python, whatever Python is here; its hash is
# checked. Usage: fetch_mujoco.sh FOLDER [MACHINE, as uname -m says; this one]
set -eu

folder=${1%/}
work=$folder.part
machine=${2:-$(uname -m)}
case $machine in
x86_64) platform=manylinux_2_28_x86_64 ;;
aarch64 | arm64) platform=manylinux_2_28_aarch64 ;;
*)
  echo "fetch_mujoco: there is no MuJoCo wheel for $machine" >&2
  exit 1
  ;;
esac

rm -rf "$work"
mkdir -p "$work/wheel"
echo "Fetching MuJoCo from PyPI"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
  --python-version 3.12 --platform $platform --require-hashes \
  --dest "$work/wheel" --requirement cmake/mujoco.txt
python3 -m zipfile -e "$work"/wheel/*.whl "$work"
rm -rf "$work/wheel" "$folder"
mv "$work" "$folder"
