#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples run, and do what they say.
set -e
said=$("$CAROM_BUILD_DIR/example_follow" "$CAROM_SOURCE_DIR/examples/arm.xml")
echo "$said" | grep -q 'largest distance from the circle after one second: [0-9.e-]* mm' || {
  echo "example_follow says: $said"
  exit 1
}
# a step of 1 ms behind: well below a millimetre
echo "$said" | awk '{ exit !($(NF - 1) < 0.5) }' || {
  echo "the arm does not follow: $said"
  exit 1
}
"$CAROM_BUILD_DIR/example_bounce" "$CAROM_SOURCE_DIR/examples/cube_toss.xml" | grep -q 'dx/dv = ' || {
  echo "example_bounce does not run"
  exit 1
}
