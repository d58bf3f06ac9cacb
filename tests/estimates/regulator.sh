#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study lqr --short: the same bits for any number of threads.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study lqr lqr.csv lqr_descents.csv lqr_medians.csv lqr_motions.csv lqr_alpha_0.csv lqr_1.xml lqr_8.xml
expect 0 one study lqr --short --threads 1 --output one
for file in lqr.csv lqr_descents.csv lqr_motions.csv; do
  cmp -s lqr/$file one/$file || fail "$file differs with one thread"
done
finish
