#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit MODEL RUN...: a driven pendulum, integrated here, comes back from files with units, noise and a delay; what is
# said where the data do not tell, and typical mistakes.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"

cp "$data/driven_arm.xml" arm.xml
# mass 0.5 kg, damping 0.03
record="python3 $CAROM_SOURCE_DIR/tests/scenes/driven_arm.py"
for i in 1 2 3; do $record run$i.csv $i driven; done
$record swing.csv 4 free

what=(--estimate density:arm 'dof_damping[hip]' --delay 'qvel[hip]')
expect 0 found fit arm.xml run1.csv run2.csv run3.csv "${what[@]}" --held-out 0.3 --json --out found --save found.crm
holds found 'all(e["told"] for e in j["estimates"].values())' \
  'j["estimates"]["density:arm"]["lower"] < 0.625 < j["estimates"]["density:arm"]["upper"]' \
  'abs(j["estimates"]["dof_damping[hip]"]["value"] / 0.03 - 1) < 0.05' \
  'abs(j["estimates"]["delay of qvel[hip]"]["value"] - 0.015) < 1e-3' \
  'j["passed"] and j["converged"] and j["untold"] == [] and j["runs"] == 3' \
  'abs(j["places"]["enc"]["noise"] / 0.002 - 1) < 0.1 and j["places"]["enc"]["white"]' \
  'j["held_out"]["enc"]["explained"] > 0.99'
holds found 'set(j["files"]) == set(__import__("os").listdir("found")) - {"lock"}' 'j["model"] == "found.crm"'
for file in result.json estimates.csv correlation.csv predicted_run1.csv report.html; do
  [ -s found/$file ] || fail "no found/$file"
done
[ "$(cat found/result.json)" = "$(cat found.out)" ] || fail "result.json is not what --json printed"
grep -q '<svg' found/report.html || fail "no plots in report.html"
[ "$(wc -l < found/predicted_run1.csv)" -gt 800 ] || fail "predicted_run1.csv is short"
# the model that was found explains the runs as it is
expect 0 again fit found.crm run1.csv --estimate 'dof_damping[hip]' --delay 'qvel[hip]' --json --out again
holds again 'abs(j["estimates"]["dof_damping[hip]"]["value"] / 0.03 - 1) < 0.05'
# as a file for MuJoCo too
expect 0 mjcf fit arm.xml run1.csv --estimate density:arm --delay 'qvel[hip]' --out mjcf --save found.xml
expect 0 from_mjcf fit found.xml run2.csv --estimate 'body_mass[arm]' --json --out from_mjcf
python3 - << 'PYTHON' || fail "found.xml does not start at the mass that was found"
import json, sys
mass = 0.8 * json.load(open("mjcf/result.json"))["estimates"]["density:arm"]["value"]
sys.exit(abs(json.load(open("from_mjcf.out"))["estimates"]["body_mass[arm]"]["start"] / mass - 1) > 1e-9)
PYTHON
expect 0 mjb fit arm.xml run1.csv --estimate density:arm --delay 'qvel[hip]' --out mjb --save found.mjb
[ -s found.mjb ] || fail "no found.mjb"

# steps as long as the error allows: what Runge-Kutta steps of one length find, whole and in windows; another tolerance is another fit
for name in fixed adaptive; do
  steps=(--integrator rk4)
  [ $name = adaptive ] && steps=(--integrator tsit5 --rtol 1e-9 --events)
  expect 0 $name fit arm.xml run1.csv "${what[@]}" "${steps[@]}" --json --out $name
  expect 0 $name.window fit arm.xml run1.csv "${what[@]}" "${steps[@]}" --window 1 --json --out $name.window
done
python3 - << 'PYTHON' || fail "adaptive steps find something else"
import json, sys
for name in ("", ".window"):
    a, b = (json.load(open(n + name + ".out"))["estimates"] for n in ("fixed", "adaptive"))
    for key in a:
        if abs(a[key]["value"] - b[key]["value"]) > 1e-3 * (a[key]["upper"] - a[key]["lower"]):
            sys.exit(f"{name} {key} {a[key]} {b[key]}")
PYTHON
refused 2 "tolerances need an integrator with an error estimate" fit arm.xml run1.csv "${what[@]}" --rtol 1e-6
refused 2 "--controls linear: measured runs hold a control" fit arm.xml run1.csv "${what[@]}" --integrator tsit5 --rtol 1e-6 \
  --controls linear

# runs held aside by name
expect 0 aside fit arm.xml run1.csv run2.csv run3.csv "${what[@]}" --held-runs 'run2*' --json --out aside
holds aside '[s["run"] for s in j["starts"] if s["held_out"]] == ["run2"]' 'len(j["starts"]) == 3' \
  'j["held_out"]["enc"]["explained"] > 0.99'
refused 2 "no run 'run7'; there is: run1, run2" fit arm.xml run1.csv run2.csv "${what[@]}" --held-runs run7
refused 2 "all 2 runs are held aside" fit arm.xml run1.csv run2.csv "${what[@]}" --held-runs '*'
refused 2 "--held-runs names what is held aside" fit arm.xml run1.csv run2.csv "${what[@]}" --held-runs run2 --held-out 0.3

# the state at the start and the model found predict the run again, and go on behind it
expect 0 swing fit arm.xml swing.csv "${what[@]}" --json --out swing --save swing.xml
read -r angle rate < <(python3 -c 'import json; s = json.load(open("swing.out"))["starts"][0]; print(*s["qpos"], *s["qvel"])')
read -r end predicted < <(awk -F, '$1 == "\"enc\"" { print $3, $5 + 0 }' swing/predicted_swing.csv | tail -1)
for time in "$end" 6; do
  expect 0 "on$time" rollout swing.xml --set "qpos[hip]=$angle" "qvel[hip]=$rate" --time "$time" --json
done
holds "on$end" "abs(j['final']['qpos'][0] - $predicted) < 1e-6"
holds on6 "abs(j['final']['qpos'][0] - $predicted) > 1e-3"

# a delay that is left out makes errors that follow each other: wider intervals on demand
expect 0 white fit arm.xml run1.csv --estimate density:arm 'dof_damping[hip]' --as-recorded --out white
grep -q "intervals are too narrow (--correlated)" white.out || fail "$(cat white.out)"
expect 0 white fit arm.xml run1.csv --estimate density:arm 'dof_damping[hip]' --as-recorded --json --force --out white
expect 0 wider fit arm.xml run1.csv --estimate density:arm 'dof_damping[hip]' --as-recorded --correlated --json --out wider
python3 - << 'PYTHON' || fail "--correlated does not widen the intervals"
import json, sys
a, b = (json.load(open(n + ".out")) for n in ("white", "wider"))
width = lambda j, k: j["estimates"][k]["upper"] - j["estimates"][k]["lower"]
same = all(a["estimates"][k]["value"] == b["estimates"][k]["value"] for k in a["estimates"])
sys.exit(not (same and b["correlated"] and all(width(b, k) > 1.02 * width(a, k) for k in a["estimates"])))
PYTHON
refused 2 "--correlated widens intervals by covariance" fit arm.xml run1.csv --estimate density:arm --correlated --profile all
refused 2 "--correlated does not go with --continuity" fit arm.xml run1.csv --estimate density:arm --correlated --window 1 --continuity 0.1

# the same digits with any number of threads
expect 0 one fit arm.xml run1.csv run2.csv "${what[@]}" --window 1 --threads 1 --json --out one
expect 0 two fit arm.xml run1.csv run2.csv "${what[@]}" --window 1 --threads 3 --json --out two
python3 - << 'PYTHON' || fail "threads change the digits"
import json, sys
a, b = (json.load(open(n + ".out")) for n in ("one", "two"))
sys.exit(a["estimates"] != b["estimates"] or a["cost"] != b["cost"])
PYTHON

# an inertia is told as mass, centre and moments; a known mass beside numbers that one axis does not show
expect 0 inertia fit arm.xml run1.csv run2.csv --estimate inertia:arm --delay 'qvel[hip]' --json --out inertia
holds inertia 'len(j["estimates"]) == 11 and close(j["estimates"]["inertia:arm.mass"]["start"], 0.8)' \
  'close(j["estimates"]["inertia:arm.centre_z"]["start"], -0.4)' \
  'not j["estimates"]["inertia:arm.inertia_xy"]["told"] and j["estimates"]["inertia:arm.centre_x"]["told"]'
grep -q '^"inertia:arm.mass",' inertia/estimates.csv || fail "estimates.csv has no mass"
grep -q '<td>inertia:arm.inertia_zz<td' inertia/report.html || fail "report.html has no moments"

# intervals by profile likelihood: close to the others here, where the fit is nearly linear
expect 0 profile fit arm.xml run1.csv run2.csv run3.csv "${what[@]}" --held-out 0.3 --json --out profile \
  --profile 'dof_damping[hip]' 'delay of qvel[hip]'
python3 - << 'PYTHON' || fail "intervals by profile are not near those by covariance, or the same"
import json, sys
a, b = (json.load(open(n + ".out"))["estimates"] for n in ("found", "profile"))
for name in a:
    asked = name != "density:arm"
    ends = [(a[name][k], b[name][k]) for k in ("lower", "upper")]
    width = a[name]["upper"] - a[name]["lower"]
    off = max(abs(p - q) / width for p, q in ends)
    if b[name]["profiled"] != asked or a[name]["profiled"] or a[name]["value"] != b[name]["value"]:
        sys.exit(name)
    if (not 0 < off < 0.1) if asked else off != 0:
        sys.exit("%s: %g" % (name, off))
PYTHON
grep -q '^"dof_damping\[hip\]",.*,1$' profile/estimates.csv || fail "estimates.csv does not mark the profile"
grep -q 'by profile' profile/report.html || fail "report.html does not mark the profile"
expect 0 all fit arm.xml run1.csv --estimate 'dof_damping[hip]' --delay 'qvel[hip]' --profile all --out all
[ "$(grep -c 'by profile' all.out)" = 2 ] || fail "not both by profile: $(cat all.out)"

# without a drive all of it may grow together
expect 1 loose fit arm.xml swing.csv --estimate density:arm 'dof_damping[hip]' --json --out loose
holds loose 'len(j["untold"]) == 1 and "together" in j["untold"][0]' 'not j["passed"]'

# ---- mistakes, each one sentence
refused 2 "no file of a run is given behind the model" fit arm.xml --estimate density:arm
refused 2 "nothing to find: --estimate names it" fit arm.xml run1.csv
refused 2 "none.csv" fit arm.xml none.csv --estimate density:arm
refused 2 "no kind 'mass'" fit arm.xml run1.csv --estimate mass:arm
refused 2 "--profile hip: this is not estimated; known: all, density:arm" fit arm.xml run1.csv --estimate density:arm --profile hip
refused 2 "--profile inertia:arm.mass: an inertia or a direction is searched by other numbers" fit arm.xml run1.csv --estimate inertia:arm \
  --profile inertia:arm.mass
refused 2 "--estimate dof_dampin[hip]" fit arm.xml run1.csv --estimate 'dof_dampin[hip]'
refused 2 "the start is not between its bounds" fit arm.xml run1.csv --estimate 'dof_damping[hip]=1:2:3'
refused 2 "a number expected behind '='" fit arm.xml run1.csv --estimate 'dof_damping[hip]=much'
refused 2 "delay of gyro: no run measures it" fit arm.xml run1.csv --estimate density:arm --delay gyro
refused 2 "--noise enc: PLACE=SD expected" fit arm.xml run1.csv --estimate density:arm --noise enc
refused 2 "this file is read, it would be lost" fit found.crm run1.csv --estimate density:arm --save found.crm
refused 2 "needs a model in MJCF or URDF, which found.crm is not" fit found.crm run1.csv --estimate density:arm --save b.xml
refused 2 "nowhere/a.crm" fit arm.xml run1.csv --estimate density:arm --save nowhere/a.crm
refused 2 "--set belongs to a configuration, not to a model" fit arm.xml run1.csv --estimate density:arm --set a=1
refused 2 "holds result.json of an earlier fit" fit arm.xml run1.csv --estimate density:arm --out found
sed 's/enc \[deg\]/encoder/' run1.csv > typo.csv
refused 2 "encoder" fit arm.xml typo.csv --estimate density:arm
sed 's/,drive,/,drivr,/' run1.csv > control.csv
refused 2 "drivr" fit arm.xml control.csv --estimate density:arm
cut -d, -f1,3,4 run1.csv > bare.csv
refused 2 "control 'drive' is missing" fit arm.xml bare.csv --estimate density:arm
awk -F, -v OFS=, 'NR == 30 { $1 = "" } { print }' run1.csv > hole.csv
refused 2 "line 30" fit arm.xml hole.csv --estimate density:arm
finish
