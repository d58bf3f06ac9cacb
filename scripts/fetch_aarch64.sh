#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian's arm64 packages that the wheel for AArch64 is built and tried with into FOLDER: libraries with headers, and
# a Python. Nothing is installed, and root is not needed. Usage: fetch_aarch64.sh FOLDER
set -eu

packages="libc6-dev libhdf5-dev libnlopt-dev libopenblas-dev libcyaml-dev libyaml-dev libexpat1-dev zlib1g-dev
libpython3-dev python3-minimal"
if ! command -v apt-get > /dev/null || ! command -v dpkg-deb > /dev/null; then
  echo "fetch_aarch64: needs apt-get and dpkg-deb, as on Debian" >&2
  exit 1
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$folder.part
rm -rf "$work"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/sysroot"
: > "$work/apt/status"
cat > "$work/apt/conf" << CONF
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$work/apt";
Dir::State::status "$work/apt/status";
Dir::Cache "$work/apt";
APT::Sandbox::User "";
CONF
export APT_CONFIG="$work/apt/conf"
log=$folder.log
echo "Fetching Debian's packages for AArch64"
# a source without packages for arm64 does not matter
apt-get update > "$log" 2>&1 || true
if ! apt-get install --yes --download-only --no-install-recommends $packages >> "$log" 2>&1; then
  tail -n 10 "$log" >&2
  echo "fetch_aarch64: the sources of apt-get have no arm64 packages of these names; Debian's have" >&2
  exit 1
fi
for package in "$work"/apt/archives/*.deb; do
  dpkg-deb -x "$package" "$work/sysroot"
done
# what the packages' scripts would link
libraries=$work/sysroot/usr/lib/aarch64-linux-gnu
ln -s hdf5-serial.pc "$libraries/pkgconfig/hdf5.pc"
ln -s ../openblas-pthread/pkgconfig/openblas.pc "$libraries/pkgconfig/openblas.pc"
rm -rf "$folder"
mv "$work/sysroot" "$folder"
rm -rf "$work"
