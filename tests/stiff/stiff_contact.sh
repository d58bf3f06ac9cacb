#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study stiff-contact --short; --resume keeps its tosses.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study stiff-contact stiff_contact_oracle.csv cube_hard.xml tosses_hard.h5 tosses_medium.h5 tosses_soft.h5
cp -p stiff-contact/tosses_soft.h5 kept.h5
expect 0 again study stiff-contact --short --json --resume --output stiff-contact
cmp -s kept.h5 stiff-contact/tosses_soft.h5 || fail "--resume made other tosses"
[ kept.h5 -nt stiff-contact/tosses_soft.h5 ] || [ stiff-contact/tosses_soft.h5 -nt kept.h5 ] &&
  fail "--resume wrote tosses again"
expect 0 rollout rollout stiff-contact/cube_soft.xml --time 0.0674 --print qpos
finish
