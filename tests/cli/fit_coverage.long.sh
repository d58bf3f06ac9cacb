#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Intervals of 90 % hold the truth in nine of ten recordings: sixty recordings of a driven arm, three numbers each.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"
for seed in $(seq 100 159); do
  python3 "$CAROM_SOURCE_DIR/tests/scenes/driven_arm.py" run.csv "$seed" driven
  expect 0 "fit$seed" fit "$data/driven_arm.xml" run.csv --estimate density:arm 'dof_damping[hip]' --delay 'qvel[hip]' \
    --json --force --out out
done
python3 - << 'PYTHON' || fail "intervals that hold the truth too rarely or too often"
import json, sys
truth = {"density:arm": 0.625, "dof_damping[hip]": 0.03, "delay of qvel[hip]": 0.015}
hits = dict.fromkeys(truth, 0)
for seed in range(100, 160):
    estimates = json.load(open(f"fit{seed}.out"))["estimates"]
    for name in truth:
        hits[name] += estimates[name]["lower"] <= truth[name] <= estimates[name]["upper"]
print(hits)
# 54 expected, with a standard deviation of 2.3 each
sys.exit(not (all(47 <= n <= 60 for n in hits.values()) and 152 <= sum(hits.values()) <= 173))
PYTHON
finish
