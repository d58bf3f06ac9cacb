#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study smoothing --short: the same bits for any number of threads.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study smoothing smoothing.csv smoothing_responses.csv smoothing_poses.csv smoothing_widths.csv smoothing_cube.xml
expect 0 one study smoothing --short --threads 1 --output one
for file in smoothing.csv smoothing_poses.csv; do
  cmp -s smoothing/$file one/$file || fail "$file differs with one thread"
done
finish
