#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study roomba --short: the same bits for any number of threads.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study roomba roomba.csv roomba_medians.csv roomba_motions.csv roomba_pillars.csv roomba_alpha_0.csv roomba.xml
expect 0 one study roomba --short --threads 1 --output one
for file in roomba.csv roomba_motions.csv; do
  cmp -s roomba/$file one/$file || fail "$file differs with one thread"
done
finish
