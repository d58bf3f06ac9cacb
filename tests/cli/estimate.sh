#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom estimate: the motion of a mass on a spring is known; its filter finds it from noisy sensors, says how well, and names what is missing.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

cat > mass.xml << 'MODEL'
<mujoco><option timestep='.005' integrator='RK4'/><worldbody><body><joint name='slide' type='slide' axis='1 0 0' stiffness='40'/>
<geom size='.1' mass='1'/><site name='imu'/></body></worldbody><actuator><motor name='push' joint='slide'/></actuator>
<sensor><jointpos name='encoder' joint='slide'/><jointvel name='speed' joint='slide'/></sensor></mujoco>
MODEL
# the push moves the rest to 0.05; the encoder is seen twice as often as the speed, with columns of their own names
python3 - << 'PYTHON'
import math, random
random.seed(3)
w = math.sqrt(40)
with open("run.csv", "w") as file:
    file.write("time,encoder,tacho,push\n")
    for k in range(401):
        t = 0.01 * k
        x, v = 0.05 + 0.5 * math.cos(w * t), -0.5 * w * math.sin(w * t)
        speed = f"{v + random.gauss(0, 0.1):.9g}" if k % 2 == 0 else ""
        file.write(f"{t:.3f},{x + random.gauss(0, 0.02):.9g},{speed},2\n")
PYTHON
run=(estimate mass.xml run.csv --column tacho=speed --noise encoder=0.02 --noise speed=0.1 --start qpos=1 qvel=5)
expect 0 one "${run[@]}" --json --csv states.csv --out states.h5
holds one 'j["rows"] == 801 and j["numbers"] == 602 and j["left_out"] == 0' '0.8 < j["surprise"] < 1.25' 'close(j["time"], 4)' \
  'abs(j["qpos"][0] - 0.05 - 0.5 * math.cos(math.sqrt(40) * 4)) < 3 * j["deviation"][0] < 0.02'
python3 - << 'PYTHON' || fail "the states are not those of the mass"
import csv, math
rows = [[float(x) for x in row] for row in list(csv.reader(open("states.csv")))[1:]]
assert len(rows) == 801 and len(rows[0]) == 5
w, off = math.sqrt(40), 0
for t, x, v, dx, dv in rows[100:]:
    off += abs(x - 0.05 - 0.5 * math.cos(w * t)) > 3 * dx or abs(v + 0.5 * w * math.sin(w * t)) > 3 * dv
assert off < 40, off  # one run is one draw: its errors follow each other
assert rows[800][3] < rows[10][3] / 3, (rows[10][3], rows[800][3])
PYTHON
expect 0 again "${run[@]}" --json
cmp -s one.out again.out || fail "two runs differ"
expect 0 page view mass.xml states.h5 --out page.html
expect 0 text "${run[@]}"
grep -q "as they should be" text.out || fail "$(cat text.out)"
# without the push the model is wrong, and the filter notices unless it may doubt the forces
expect 0 wrong estimate mass.xml run.csv --column tacho=speed --ignore push --noise encoder=0.02 speed=0.1 --start qpos=1 qvel=5 --json
holds wrong 'j["surprise"] > 2'
expect 0 doubting estimate mass.xml run.csv --column tacho=speed --ignore push --noise encoder=0.02 speed=0.1 --start qpos=1 qvel=5 \
  --disturbance 'qfrc_applied[slide]=20' --json
holds doubting 'j["surprise"] < 1.5'

refused 2 "--noise speed=SD is needed" estimate mass.xml run.csv --column tacho=speed --noise encoder=0.02
refused 2 "tacho" estimate mass.xml run.csv --noise encoder=0.02
refused 2 "a place of sensordata is expected" estimate mass.xml run.csv --column tacho=speed --noise qpos=1
refused 2 "a place of the state is expected" estimate mass.xml run.csv --start encoder=1
refused 2 "PLACE=SD is expected" estimate mass.xml run.csv --disturbance 'qfrc_applied[slide]=-1'
refused 2 "a model and a recording are expected" estimate mass.xml
refused 2 "--run other: there is no such run" "${run[@]}" --run other
finish
