#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The fuzzer over every kind of input, seeded: no failure of ours. Under the sanitizers for an hour.
inputs=2000
seconds=1200
[ -n "$CAROM_SANITIZE" ] && inputs=100000000
cd "$(mktemp -d "$CAROM_BUILD_DIR/fuzz.XXXXXX")" || exit 1
trap 'rm -rf "$PWD"' EXIT
failed=0
for kind in mjcf urdf model; do
  "$CAROM_BUILD_DIR/tests/carom_fuzz" $kind "$CAROM_SOURCE_DIR/tests/data" 1 $inputs $seconds > out
  code=$?
  cat out
  [ $code -eq 0 ] || failed=1
  # most inputs are refused, but enough open to be worth it
  opened=$(sed -n 's/.*: \([0-9]*\) opened.*/\1/p' out)
  [ "${opened:-0}" -ge 100 ] || { echo "$kind: only ${opened:-0} inputs opened"; failed=1; }
done
exit $failed
