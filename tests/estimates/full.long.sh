#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The studies of gradients under noise and of jumps, whole: what they claim holds.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
for name in box-push bundles contact-jumps continuity curling heaviside lqr mating pivot pushing roomba smoothing tennis wall; do
  expect 0 $name study $name --json --output $name
  holds $name 'j["passed"] and not j["short"]' 'all(c["holds"] for c in j["claims"])'
done
finish
