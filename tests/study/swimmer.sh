#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study swimmer --short.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study swimmer swimmer.csv swimmer_motion.csv swimmer_2_water25.xml swimmer_2_vacuum.xml swimmer_2_water25.crb \
  swimmer_2_water25.crn
# the networks kept are those of the row: as many weights, and a motion that stays on its way
expect 0 weights rollout swimmer/swimmer_2_vacuum.xml --blueprint swimmer/swimmer_2_water25.crb --time 0.1 --print qpos
python3 - << 'PY' || fail "errors of the row and of the picture's motion do not fit"
import csv
row = next(r for r in csv.DictReader(open("swimmer/swimmer.csv")) if r["kind"] == "0")
motion = list(csv.DictReader(open("swimmer/swimmer_motion.csv")))
place = {k: [(float(r["x"]), float(r["y"])) for r in motion if r["predictor"] == k] for k in "0123"}
assert all(len(p) == 901 for p in place.values()), [len(p) for p in place.values()]
off = lambda k: (sum((a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in zip(place["0"], place[k])) / 901) ** 0.5
# one of five motions: at most sqrt(5) times their rms
assert 0 < off("1") <= 2.24 * float(row["error_place"]), (off("1"), row["error_place"])
assert 0 < off("2") <= 2.24 * float(row["tuned_place"]), (off("2"), row["tuned_place"])
PY
finish
