#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study tennis --short: the same bits for any number of threads.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study tennis tennis.csv tennis_medians.csv tennis_motions.csv tennis_alpha_0.csv tennis.xml
expect 0 one study tennis --short --threads 1 --output one
for file in tennis.csv tennis_motions.csv tennis_first_0.csv; do
  cmp -s tennis/$file one/$file || fail "$file differs with one thread"
done
finish
