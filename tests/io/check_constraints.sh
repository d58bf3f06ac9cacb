#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Models with every kind of constraint row, and of force that depends on velocity, against MuJoCo: fields, steps, gradients of a step.
set -e
for model in rolling override equality tendon_rows sticky diagexact implicit discrete; do
  "$CAROM" check "$CAROM_SOURCE_DIR/tests/data/$model.xml" --states 6 > /dev/null || {
    echo "carom check fails on tests/data/$model.xml"
    exit 1
  }
done
