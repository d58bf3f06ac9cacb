#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every defect that the audit puts back can still be put back: its patch finds its place in the sources.
missed=0
for patch in "$CAROM_SOURCE_DIR"/tests/audit/putback/*.patch; do
  out=$(patch -p1 --dry-run -f -d "$CAROM_SOURCE_DIR" -i "$patch" 2>&1) || {
    echo "$patch does not apply: $out"
    missed=1
  }
done
exit $missed
