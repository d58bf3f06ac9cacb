#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The modulus of a pressure field from a recorded press: the height of a ball under a motor, with noise of 20 um.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
cp "$CAROM_SOURCE_DIR/examples/press.xml" press.xml
python3 - << 'PYTHON'
import math
with open("push.csv", "w") as file:
    file.write("press\n" + "".join(f"{20 + 15 * math.sin(0.0082 * k) + 10 * (k // 300 % 2):g}\n" for k in range(1500)))
PYTHON
expect 0 recorded rollout press.xml --time 1.5 --ctrl push.csv --set 'geom_pressure[ball][0]=6e4' --out clean.csv
python3 - << 'PYTHON'
import csv
import random
random.seed(1)
with open("clean.csv") as clean, open("press.csv", "w") as noisy:
    noisy.write("time,height,press\n")
    for row in csv.DictReader(clean):
        noisy.write(f"{row['time']},{float(row['qpos[z]']) + random.gauss(0, 2e-5):.8f},{row['ctrl[press]']}\n")
PYTHON
expect 0 found fit press.xml press.csv --estimate 'geom_pressure[ball][0]' --json --out found
holds found 'j["converged"]' 'abs(j["estimates"]["geom_pressure[ball][0]"]["value"] / 6e4 - 1) < 1e-3' \
  'j["estimates"]["geom_pressure[ball][0]"]["start"] > 9e4' 'abs(j["places"]["height"]["noise"] / 2e-5 - 1) < 0.1'
finish
