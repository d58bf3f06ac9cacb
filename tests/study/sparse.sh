#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study sparse --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study sparse sparse.csv sparse_swing.csv sparse_torque.csv sparse_hybrid.crb sparse_network.crb sparse_lstm.crn
# the inputs that the lasso took away are columns of zeros, exactly: 8 hidden units, their biases, 8 weights and a bias at the end
# are left of each network with one input
python3 - << 'PY' || fail "the weights left are not those of one input"
import csv
rows = [r for r in csv.DictReader(open("sparse/sparse.csv")) if r["kind"] == "0"]
assert rows and all(float(r["weights"]) == 2 * (8 + 8 + 8 + 1) for r in rows), rows
PY
finish
