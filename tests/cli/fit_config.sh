#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit CONFIG of measured runs: the same digits as the options it stands for; what the command line changes; mistakes
# with file and line.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"

mkdir -p "lab [1]/runs"
cp "$data/driven_arm.xml" "lab [1]/arm.xml"
for i in 1 2; do python3 "$CAROM_SOURCE_DIR/tests/scenes/driven_arm.py" "lab [1]/runs/$i.csv" $i driven; done
cat > "lab [1]/arm.yaml" << 'YAML'
model: arm.xml
runs:
  - runs/*.csv
  - runs/1.csv
estimate:
  - density:arm
  - dof_damping[hip]=0.1:0:2
delay:
  - qvel[hip]
noise: ["enc=0.002"]
window: 1
as_recorded: yes
profile:
  - dof_damping[hip]
output: from_file
YAML
file="lab [1]/arm.yaml"

expect 0 file fit "$file" --json
holds file 'j["output"] == "from_file" and j["runs"] == 2' 'j["estimates"]["dof_damping[hip]"]["profiled"]' \
  'close(j["estimates"]["dof_damping[hip]"]["start"], 0.1)' 'j["places"]["enc"]["noise_given"]'
expect 0 options fit "lab [1]/arm.xml" "lab [1]/runs/1.csv" "lab [1]/runs/2.csv" --estimate density:arm 'dof_damping[hip]=0.1:0:2' \
  --delay 'qvel[hip]' --noise enc=0.002 --window 1 --as-recorded --profile 'dof_damping[hip]' --json --out options
python3 - << 'PYTHON' || fail "the file and its options do not give the same digits"
import json, sys
a, b = (json.load(open(n + ".out")) for n in ("file", "options"))
sys.exit(any(a[k] != b[k] for k in ("estimates", "places", "cost", "steps")))
PYTHON

# the command line wins over the file, and --set changes the file
expect 0 line fit "$file" --estimate 'dof_damping[hip]' --noise enc=0.004 --out line --json
holds line 'list(j["estimates"]) == ["dof_damping[hip]", "delay of qvel[hip]"]' 'j["output"] == "line"' \
  'close(j["estimates"]["dof_damping[hip]"]["start"], 0.05)' 'j["places"]["enc"]["noise"] == 0.004'
expect 0 set fit "$file" --set output=set --set runs=runs/2.csv --set profile=all --set window=2 --json
holds set 'j["output"] == "set" and j["runs"] == 1' 'all(e["profiled"] for e in j["estimates"].values())'
sed '/^output/d; s/^profile:/seed: 3/; /^  - dof_damping.hip.$/d' "$file" > "lab [1]/plain.yaml"
expect 0 plain fit "lab [1]/plain.yaml" --json
holds plain 'j["output"] == "fit_plain"' 'not any(e["profiled"] for e in j["estimates"].values())'
# a mapping in braces
echo '{ "model": arm.xml, runs: [runs/1.csv], estimate: ["dof_damping[hip]"], as_recorded: yes }' > "lab [1]/flow.yaml"
expect 0 flow fit "lab [1]/flow.yaml" --json
holds flow 'j["runs"] == 1 and list(j["estimates"]) == ["dof_damping[hip]"]'

# ---- mistakes, each one sentence
# mistaken SED: the file with a change, as bad.yaml beside it
mistaken() { sed "$1" "$file" > "lab [1]/bad.yaml"; }
bad="lab [1]/bad.yaml"
mistaken 's/^window/windows/'
refused 2 "bad.yaml, line 11: unknown key 'windows'; did you mean 'window'?" fit "$bad"
mistaken 's/^window: 1/window: long/'
refused 2 "bad.yaml, line 11: window: 'long' is not a number" fit "$bad"
mistaken 's/^window: 1/window: -1/'
refused 2 "bad.yaml, line 11: window -1: a positive number expected" fit "$bad"
mistaken 's/^window: 1/window: [1, 2]/'
refused 2 "bad.yaml, line 11: window: one value expected" fit "$bad"
mistaken 's/^noise: .*/noise: enc=0.002/'
refused 2 "bad.yaml, line 10: noise: a list expected" fit "$bad"
mistaken 's/^as_recorded: .*/as_recorded: perhaps/'
refused 2 "bad.yaml, line 12: as_recorded: 'perhaps' is not true or false" fit "$bad"
mistaken 's/runs.1.csv/swings\/*.csv/'
refused 2 "bad.yaml, line 4: runs: no file fits 'swings/*.csv'" fit "$bad"
mistaken '/^model/d'
refused 2 "bad.yaml: 'model' is missing" fit "$bad"
mistaken 's/arm.xml/leg.xml/'
refused 2 "leg.xml" fit "$bad"
mistaken 's/density:arm/density:leg/'
refused 2 "bad.yaml, line 6: estimate: parameter 'density:leg': the model has no body 'leg'" fit "$bad"
mistaken 's/dof_damping.hip.=0.1:0:2/dof_damping[hip]=3:0:2/'
refused 2 "bad.yaml, line 7: estimate: dof_damping[hip]=3:0:2: the start is not between its bounds" fit "$bad"
mistaken 's/qvel.hip./qvel[knee]/'
refused 2 "bad.yaml, line 9: delay: delay of qvel[knee]: no run measures it" fit "$bad"
mistaken 's/^noise: .*/noise: ["enc=-1"]/'
refused 2 "bad.yaml, line 10: noise: enc=-1: PLACE=SD expected, SD above 0" fit "$bad"
mistaken 's/^output: .*/search: hops/'
refused 2 "bad.yaml, line 15: search: hops: local, restarts" fit "$bad"
mistaken 's/^window: 1/out: there/'
refused 2 "bad.yaml, line 15: 'out' and 'output' both name the folder of the results; give one" fit "$bad"
refused 2 "--search hops: local, restarts" fit "$file" --search hops
refused 2 "--set window=wide: window: 'wide' is not a number" fit "$file" --set window=wide
refused 2 "--set windows=1: there is no key 'windows'" fit "$file" --set windows=1
refused 2 "--data belongs to a configuration of tosses" fit "$file" --data tosses.h5
refused 2 "one configuration expected" fit "$file" "lab [1]/runs/1.csv"
refused 2 "arm.yaml: this file is read, it would be lost" fit "$file" --save "$file"
finish
