#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom study quadruped --short: on Carom's own robot; resumed within the training and within the walks of the network; a robot that is
# something else; its motion opens.
. "$CAROM_SOURCE_DIR/tests/support/study.sh" || exit 1
study quadruped quadruped.csv quadruped_course.csv quadruped_speed.csv quadruped_every.csv quadruped_decisions.h5 \
  quadruped.crn robot.xml motion_plan.h5 motion_network.h5 push_plan.h5 push_network.h5

# as if it had been interrupted: behind the plan's walks, within those of the network
cp -r quadruped cut
rm cut/report.txt cut/quadruped.csv cut/quadruped.crn
head -n 3 quadruped/quadruped_network.csv > cut/quadruped_network.csv
expect 0 cut study quadruped --short --resume --output cut
cmp -s quadruped/quadruped.csv cut/quadruped.csv || fail "resumed: another table"

expect 0 page view quadruped/robot.xml quadruped/push_plan.h5 --out page.html
[ -s page.html ] || fail "no page of the motion"

python3 - << 'PY' || fail "the tables do not fit"
import csv
rows = list(csv.DictReader(open("quadruped/quadruped.csv")))
walks = [r for r in rows if r["kind"] == "0"]
assert len(walks) == 2 and all(float(r["fell"]) == -1 for r in walks)
course = list(csv.DictReader(open("quadruped/quadruped_course.csv")))
for r in walks:
    mine = [c for c in course if c["decider"] == r["decider"]]
    assert len(mine) == 12, len(mine)
    # mean power of the course is that of the table
    power = sum(float(c["power"]) for c in mine) / len(mine)
    assert abs(power - float(r["power"])) < 1e-6 * power
    # the speed of the last half second at the last speed that was wanted
    assert abs(float(mine[-1]["speed"]) - float(mine[-1]["wanted"])) < 0.12
# decisions further apart are fewer
every = {r["value"]: int(float(r["decisions"])) for r in rows if r["kind"] == "4" and r["decider"] == "0"}
assert every["5"] > 1.6 * every["15"], every
PY

refused 2 "none: " study quadruped --short --data none --output none
echo "<robot name='a'><link name='b'/></robot>" > b.urdf
refused 2 "the model cannot walk: it has fewer than four legs of three hinges with a round toe" study quadruped --short \
  --data b.urdf --output b
finish
