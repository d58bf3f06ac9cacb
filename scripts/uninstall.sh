#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Removes the files that `cmake --install` of a build puts below a prefix, and Carom's own folders that are
# then empty. Usage: uninstall.sh BUILD_FOLDER PREFIX DESTDIR
set -eu

build=$1
prefix=$2
root=$3
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# the same again elsewhere, to see what it is
DESTDIR=$stage cmake --install "$build" --prefix "$prefix" > /dev/null

(cd "$stage" && find . ! -type d) | while IFS= read -r path; do
  rm -f "$root/$path"
done
(cd "$stage" && find . -depth -type d \( -path '*/carom' -o -path '*/carom/*' \)) |
  while IFS= read -r path; do
    [ ! -d "$root/$path" ] || rmdir --ignore-fail-on-non-empty "$root/$path"
  done
echo "Removed from $root$prefix."
