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
# what differences of the converged motion say: 0.221775, and -0.00998
said=$("$CAROM_BUILD_DIR/example_bounce" "$CAROM_SOURCE_DIR/examples/cube_toss.xml")
echo "$said" | grep -q 'dx/dv = 0\.2217[78]' || {
  echo "example_bounce says: $said"
  exit 1
}
echo "$said" | grep -q 'dx/dfriction of geom 1 = -0\.0099[89]' || {
  echo "example_bounce says: $said"
  exit 1
}
