#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches CasADi's wheel from PyPI and keeps of it OSQP alone: static library, headers and licences. Nothing is installed; the
# wheel's hash is checked. Usage: fetch_osqp.sh FOLDER
set -eu

folder=${1%/}
work=$folder.part
case $(uname -m) in
x86_64) platform=manylinux2014_x86_64 ;;
aarch64 | arm64) platform=manylinux2014_aarch64 ;;
*)
  echo "fetch_osqp: there is no CasADi wheel for $(uname -m)" >&2
  exit 1
  ;;
esac

rm -rf "$work"
mkdir -p "$work/wheel" "$work/all" "$work/new/include"
echo "Fetching OSQP from PyPI"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
  --python-version 3.12 --platform $platform --require-hashes \
  --dest "$work/wheel" --requirement cmake/osqp.txt
python3 -m zipfile -e "$work"/wheel/*.whl "$work/all"
mv "$work/all/casadi/libosqpstatic.a" "$work/new/"
mv "$work/all/casadi/include/osqp" "$work/new/include/"
licences=$work/all/casadi/include/licenses
mv "$licences/osqp-external/LICENSE" "$work/new/LICENSE.osqp"
mv "$licences/osqp-external-build/_deps/qdldl-src/LICENSE" "$work/new/LICENSE.qdldl"
mv "$licences/osqp-external/algebra/_common/lin_sys/qdldl/amd/LICENSE" "$work/new/LICENSE.amd"
rm -rf "$folder"
mv "$work/new" "$folder"
rm -rf "$work"
