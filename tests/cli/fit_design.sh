#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit MODEL PLAN... --design: the plan that moves both joints of an arm comes first, what is expected of a run is what a fit of
# its recording has, and typical mistakes.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"

cat > arm.xml << 'XML'
<mujoco><option timestep='0.005' gravity='0 0 0'/><worldbody><body name='upper'><joint name='shoulder' axis='0 0 1' damping='0.3'/>
<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='1'/><body pos='0 0 .1'><joint name='lift' type='slide' axis='0 0 1'
damping='2'/><geom size='.04' mass='0.5'/></body></body></worldbody><actuator><motor name='turn' joint='shoulder'/>
<motor name='push' joint='lift'/></actuator><sensor><jointpos name='angle' joint='shoulder'/></sensor></mujoco>
XML
# plan FILE TURN PUSH ROWS: amplitudes of the two controls; times in ms
plan() {
  awk -v a="$2" -v b="$3" -v n="$4" 'BEGIN { print "time [ms],turn,push"
    for (k = 0; k < n; k++) printf "%d,%.9g,%.9g\n", 10 * k, a * sin(0.05 * k), b * cos(0.08 * k) }' > "$1"
}
plan still_lift.csv 0.2 0 300
plan both.csv 0.2 1 300
plan weak.csv 0.02 0.1 300
what=(--estimate 'dof_damping[shoulder]' 'dof_damping[lift]')
seen=(--observe angle=0.002 'qpos[lift]=0.001')

expect 0 three fit arm.xml still_lift.csv both.csv weak.csv "${what[@]}" "${seen[@]}" --design --json --out three
holds three '[p["plan"] for p in j["order"]] == ["both", "still_lift", "weak"]' 'j["untold"] == []' \
  'j["order"][0]["gain"] > j["order"][1]["gain"] > j["order"][2]["gain"] > 0' \
  'all(close(p["factor"], math.exp(-p["gain"] / 4)) for p in j["order"])' \
  'all(a >= b > c > 0 for a, b, c in (e["half_width"] for e in j["expected"].values()))' \
  'j["expected"]["dof_damping[shoulder]"]["half_width"][1] < 0.9 * j["expected"]["dof_damping[shoulder]"]["half_width"][0]' \
  'j["expected"]["dof_damping[lift]"]["value"] == 2 and j["confidence"] == 0.9'
[ "$(cat three/design.json)" = "$(cat three.out)" ] || fail "design.json is not what --json printed"
[ "$(wc -l < three/design.csv)" -eq 4 ] || fail "design.csv has not a line for each plan"
expect 0 threads fit arm.xml still_lift.csv both.csv weak.csv "${what[@]}" "${seen[@]}" --design --json --out threads --threads 1
cmp -s three/design.csv threads/design.csv || fail "threads change the digits"

# one plan; a joint that does not move is not told
expect 0 alone fit arm.xml still_lift.csv "${what[@]}" "${seen[@]}" --design --json --out alone
holds alone 'j["untold"] == ["dof_damping[lift]"] and j["expected"]["dof_damping[lift]"]["half_width"] == [None]' \
  'j["expected"]["dof_damping[shoulder]"]["half_width"][0] > 0'
expect 0 text fit arm.xml still_lift.csv "${what[@]}" "${seen[@]}" --design --out text
grep -q 'dof_damping\[lift\]: not told by all these plans together' text.out || fail "$(cat text.out)"

# units: of degrees and milliseconds the same, as is a rate that is the plan's; fewer rows tell less
awk -F, -v OFS=, 'NR == 1 { print "time [s]", $2, $3, "qpos[shoulder] [deg]"; next } { print $1 / 1000, $2, $3, 57.29577951308232 }' \
  both.csv > degrees.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "qpos[shoulder]"; next } { print $0, 1 }' both.csv > radians.csv
expect 0 units fit arm.xml degrees.csv "${what[@]}" "${seen[@]}" --design --json --out units
expect 0 same fit arm.xml radians.csv "${what[@]}" --observe angle=0.002@100 'qpos[lift]=0.001@100' --design --json --out same
expect 0 slow fit arm.xml radians.csv "${what[@]}" --observe angle=0.002@25 'qpos[lift]=0.001@25' --design --json --out slow
python3 - << 'PYTHON' || fail "units, or rates"
import json, sys
units, same, slow = ([e["half_width"][0] for e in json.load(open(n + ".out"))["expected"].values()] for n in ("units", "same", "slow"))
alike = all(abs(a / b - 1) < 1e-6 for a, b in zip(units, same))
sys.exit(not (alike and all(1.6 < a / b < 2.6 for a, b in zip(slow, same))))
PYTHON

# what is expected of a run is what a fit of its recording has: a model with other dampings recorded it
python3 - << 'PYTHON' || fail "no recording"
# both joints are linear: integrated here as Euler's method with implicit damping does it
import math, random
random.seed(2)
h, rows = 0.005, []
mass, radius, length = 1.0, 0.03, 0.3
# capsule along x: cylinder and two half balls, about its end
cylinder, ball = math.pi * radius ** 2 * length, 4 / 3 * math.pi * radius ** 3
mc, mb = mass * cylinder / (cylinder + ball), mass * ball / (cylinder + ball)
centre = mc * (3 * radius ** 2 + length ** 2) / 12 + mb * (0.4 * radius ** 2 + length ** 2 / 4 + 3 * length * radius / 8)
I = centre + mass * (length / 2) ** 2 + 0.4 * 0.5 * 0.04 ** 2
M, c = (I, 0.5), (0.31, 2.1)
q, v = [0.0, 0.0], [0.0, 0.0]
with open("recorded.csv", "w") as f:
    f.write("time [ms],turn,push,angle,qpos[lift]\n")
    for k in range(600):
        u = (0.2 * math.sin(0.05 * (k // 2)), math.cos(0.08 * (k // 2)))
        if k % 2 == 0:
            f.write("%d,%.9g,%.9g,%.9g,%.9g\n" % (5 * k, *u, q[0] + random.gauss(0, 0.002), q[1] + random.gauss(0, 0.001)))
        for i in range(2):
            v[i] += h * (u[i] - c[i] * v[i]) / (M[i] + h * c[i])
            q[i] += h * v[i]
PYTHON
expect 0 fitted fit arm.xml recorded.csv "${what[@]}" --noise angle=0.002 'qpos[lift]=0.001' --json --out fitted
expect 0 planned fit arm.xml both.csv "${what[@]}" "${seen[@]}" --design --json --out planned
expect 0 as_is fit arm.xml recorded.csv "${what[@]}" --noise angle=0.002 'qpos[lift]=0.001' --design --json --out as_is
python3 - << 'PYTHON' || fail "intervals: $(cat fitted.out planned.out as_is.out)"
import json, sys
fitted, planned, as_is = (json.load(open(n + ".out")) for n in ("fitted", "planned", "as_is"))
for name, e in fitted["estimates"].items():
    half = (e["upper"] - e["lower"]) / 2
    for plan in (planned, as_is):
        ratio = plan["expected"][name]["half_width"][0] / half
        print(name, half, ratio)
        if not 0.8 < ratio < 1.25:
            sys.exit(1)
sys.exit(not abs(fitted["estimates"]["dof_damping[lift]"]["value"] / 2.1 - 1) < 0.05)
PYTHON

# ---- mistakes, each one sentence
fit=(fit arm.xml both.csv "${what[@]}" --design --out wrong)
refused 2 "both: nothing is measured in it; --observe PLACE=SD says what would be" "${fit[@]}"
refused 2 "recorded: the standard deviation of qpos[lift] is not known; --noise 'qpos[lift]=SD' gives it" \
  fit arm.xml recorded.csv "${what[@]}" --design --noise angle=0.002 --out wrong
refused 2 "--observe qpos[knee]=0.1" "${fit[@]}" --observe 'qpos[knee]=0.1'
refused 2 "--observe angle=0: PLACE=SD or PLACE=SD@HZ expected, SD and HZ above 0" "${fit[@]}" --observe angle=0
refused 2 "--observe angle=1@0: PLACE=SD or PLACE=SD@HZ expected" "${fit[@]}" --observe angle=1@0
refused 2 "--observe angle: PLACE=SD" "${fit[@]}" --observe angle
refused 2 "--observe angle=0.2: " "${fit[@]}" --observe angle=0.1 angle=0.2
refused 2 "--observe ctrl[turn]=1: " "${fit[@]}" --observe 'ctrl[turn]=1'
cut -d, -f1,2 both.csv > half.csv
refused 2 "plan half: control 'push' is missing" fit arm.xml half.csv "${what[@]}" --design "${seen[@]}" --out wrong
refused 2 "--observe belongs to --design" fit arm.xml both.csv "${what[@]}" "${seen[@]}"
refused 2 "--noise would do nothing" "${fit[@]}" "${seen[@]}" --noise angle=1
refused 2 "--design fits nothing" "${fit[@]}" "${seen[@]}" --save a.crm
refused 2 "holds an earlier design.json" fit arm.xml both.csv "${what[@]}" "${seen[@]}" --design --out three
[ ! -e wrong ] || fail "a mistake leaves a folder"
finish
