#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study stiff-contact --short; --resume keeps its tosses. A study that was stopped while it trained ends with the same errors.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study stiff-contact stiff_contact_oracle.csv cube_hard.xml tosses_hard.h5 tosses_medium.h5 tosses_soft.h5 \
  stiff_contact_oracle.txt stiff_contact_learned.csv stiff_contact_learned.png networks/hard_gru_50_0.crn networks/soft_mlp_100_1.crn
cp -p stiff-contact/tosses_soft.h5 kept.h5
expect 0 again study stiff-contact --short --json --resume --output stiff-contact
cmp -s kept.h5 stiff-contact/tosses_soft.h5 || fail "--resume made other tosses"
[ kept.h5 -nt stiff-contact/tosses_soft.h5 ] || [ stiff-contact/tosses_soft.h5 -nt kept.h5 ] &&
  fail "--resume wrote tosses again"
expect 0 rollout rollout stiff-contact/cube_soft.xml --time 0.0674 --print qpos

"$CAROM" study stiff-contact --short --output stopped > stopped.txt 2>&1 &
for _ in $(seq 600); do
  [ -e stopped/networks/medium_gru_50_0.crn ] && break
  sleep 1
done
kill -TERM $! && wait $!
[ -e stopped/networks/soft_mlp_100_1.crn ] && fail "the study was not stopped while it trained"
expect 0 resumed study stiff-contact --short --resume --output stopped
cmp -s stopped/stiff_contact_learned.csv stiff-contact/stiff_contact_learned.csv ||
  fail "a study that was stopped ended with other errors"
finish
