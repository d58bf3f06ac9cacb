#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every sensor that is computed against MuJoCo.
set -e
"$CAROM" check "$CAROM_SOURCE_DIR/tests/data/sensors.xml" --states 6 > /dev/null || {
  echo "carom check fails on tests/data/sensors.xml"
  exit 1
}
