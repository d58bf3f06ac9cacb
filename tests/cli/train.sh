#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom train: a friction that the model lacks is learned from recordings. Runs held aside are then predicted ten times better, inputs
# that say nothing have weights of exactly 0, digits do not depend on threads, and rollout uses what was learned.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"
source "$CAROM_SOURCE_DIR/tests/scenes/pendulum_runs.sh"

expect 0 learned "${train[@]}" --epochs 300 --threads 1 --out learned --json
[ -s learned.err ] && command -v gnuplot > /dev/null && fail "a warning: $(cat learned.err)"
holds learned 'j["passed"] and j["gain"] > 10 and j["epochs"] == 300 and j["best_epoch"] == 300' \
  'j["held_cost"] < j["cost"] * 100 and j["cost"] < 1e-2 * j["start_cost"]' \
  'all(p["uncorrected_rms"] > 10 * p["rms"] for p in j["held_out"].values()) and list(j["held_out"]) == ["qpos", "qvel"]'
# which inputs does the learned term use
holds learned 'j["corrections"][0]["name"] == "friction" and j["corrections"][0]["weights"] == 21' \
  '[i["input"] for i in j["corrections"][0]["inputs"]] == ["qvel[hip]", "qpos[hip]", "time"]' \
  '[i["used"] for i in j["corrections"][0]["inputs"]] == [True, True, False]' \
  'j["corrections"][0]["inputs"][0]["share"] > 0.9 and j["corrections"][0]["inputs"][2]["norm"] == 0' \
  'j["corrections"][0]["inputs"][2]["zeros"] == 4' 'close(sum(i["share"] for i in j["corrections"][0]["inputs"]), 1)'

# the files: each is there, the result is what was printed, and predictions have the errors that are told
python3 - << 'PYTHON' || fail "the files do not say what was printed"
import csv, json, math, os
j = json.load(open("learned.out"))
assert j == json.load(open("learned/result.json"))
assert all(os.path.getsize("learned/" + name) > 0 for name in j["files"]), j["files"]
assert {"corrections.crb", "report.html", "result.json", "history.csv", "predicted_run4.csv"} <= set(j["files"])
rows = list(csv.DictReader(open("learned/history.csv")))
assert [int(r["epoch"]) for r in rows] == list(range(1, 301))
held = [float(r["held_cost"]) for r in rows]
assert math.isclose(held[-1], j["held_cost"], rel_tol=1e-12)
assert math.isclose(float(rows[0]["cost"]), j["start_cost"], rel_tol=1e-9)
for place in ("qpos", "qvel"):
    for key, column in (("rms", "predicted"), ("uncorrected_rms", "uncorrected")):
        e = [float(r[column]) - float(r["seen"]) for r in csv.DictReader(open("learned/predicted_run4.csv")) if r["place"] == place]
        e = [x for x in e if not math.isnan(x)]
        assert math.isclose(math.sqrt(sum(x * x for x in e) / len(e)), j["held_out"][place][key], rel_tol=1e-4), (place, key)
page = open("learned/report.html").read()
for words in ("Which inputs does the learned term use?", "not used: exactly 0", "Learning curve", "Runs held aside", "run4: qpos (held aside)"):
    assert words in page, words
assert page.index("run4: qpos") < page.index("run1: qpos")
PYTHON

# the same bits with two threads, and as text
expect 0 two "${train[@]}" --epochs 300 --threads 2 --out two
for file in corrections.crb history.csv predicted_run4.csv; do
  cmp -s learned/$file two/$file || fail "two threads: another $file"
done
grep -q "^  qvel\[hip\] .* norm .* 9[0-9]\.[0-9] %" two.out || fail "the table lacks qvel: $(cat two.out)"
grep -q "^  time .* not used: its weights are exactly 0" two.out || fail "the table does not say that time is not used"
grep -q "^without the corrections errors are [1-9][0-9]\.*[0-9]* times as large" two.out || fail "no comparison: $(cat two.out)"

# rollout uses what was learned: a start that no run had
start=(--time 1.2 --set 'qpos[hip]=1.1' 'qvel[hip]=-1' --print qpos qvel --json)
for model in rig free; do expect 0 $model rollout $model.xml "${start[@]}"; done
expect 0 corrected rollout free.xml "${start[@]}" --blueprint learned/corrections.crb
python3 - << 'PYTHON' || fail "a rollout with the learned friction is not near the truth"
import json, math
flat = lambda x: x[0] if isinstance(x, list) else x
a, b, c = ([flat(x) for x in json.load(open(f"{n}.out"))["print"].values()] for n in ("rig", "corrected", "free"))
assert math.dist(a, b) < 0.1 * math.dist(a, c), (a, b, c)
PYTHON

# weights to go on from keep their penalties; a number of the model beside them
expect 0 on train free.xml run1.h5 run2.h5 --blueprint learned/corrections.crb --epochs 20 --learning-rate 0.003 \
  --estimate 'body_mass[arm]' --save found.xml --out on --json
holds on 'j["start_cost"] < 0.01 * json.load(open("learned.out"))["start_cost"]' 'not j["corrections"][0]["inputs"][2]["used"]' \
  'list(j["numbers"]) == ["body_mass[arm]"] and close(j["numbers"]["body_mass[arm]"]["value"], 0.5, 0.1)' \
  'j["held_out"] == {} and j["held_cost"] is None' 'j["model"] == "found.xml"'
expect 0 found rollout found.xml --time 0.01 --print 'body_mass[arm]' --json
MASS=$(python3 -c 'import json; print(json.load(open("on.out"))["numbers"]["body_mass[arm]"]["value"])')
MASS=$MASS holds found 'close(j["print"]["body_mass[arm]"], float(__import__("os").environ["MASS"]), 1e-9)'

# an adaptive lasso keeps what is used most, and that alone
expect 0 adaptive "${train[@]/friction.yaml/learned/corrections.crb}" --adaptive-lasso --epochs 100 --learning-rate 0.01 --json --out adaptive
holds adaptive '[i["used"] for i in j["corrections"][0]["inputs"]] == [True, False, False]' 'j["gain"] > 10'
sed 's/ *group_lasso: .*//; s/ *lasso: .*//' friction.yaml > free.yaml
expect 0 without train free.xml run1.h5 --blueprint free.yaml --epochs 30 --learning-rate 0.03 --out without
expect 2 nothing train free.xml run1.h5 --blueprint without/corrections.crb --adaptive-lasso --out nothing
says nothing "--adaptive-lasso would do nothing: no correction has a lasso"

# batches, windows, patience, another integrator
expect 0 batches "${train[@]}" --epochs 60 --window 0.3 --batch 4 --weight-decay 0.01 --patience 50 --integrator rk4 --json --out batches
holds batches 'j["steps"] == 3 * j["epochs"] and j["gain"] > 1'
expect 0 patient "${train[@]}" --epochs 300 --patience 3 --keep best --learning-rate 0.1 --final-rate 0.1 --json --out patient
holds patient 'j["epochs"] < 300 and j["best_epoch"] == j["epochs"] - 3 and "held aside" in j["ended"]'
python3 - << 'PYTHON' || fail "the epoch that is kept is not the best one"
import csv, json, math
held = [float(r["held_cost"]) for r in csv.DictReader(open("patient/history.csv"))]
j = json.load(open("patient.out"))
assert held.index(min(held)) + 1 == j["best_epoch"] and math.isclose(min(held), j["held_cost"], rel_tol=1e-12)
PYTHON

# two corrections with penalties of their own: of one nothing is left
cat > two.yaml << 'YAML'
corrections:
  - {name: air, target: 'qfrc_passive[hip]', inputs: [{place: 'qvel[hip]'}], layers: [{width: 3}], l2: 1e-6}
  - name: spring
    target: qfrc_passive[hip]
    inputs: [{place: 'qpos[hip]'}, {place: constant}]
    layers: [{width: 3}]
    group_lasso: 1000
YAML
expect 0 penalties train free.xml run1.h5 run2.h5 --blueprint two.yaml --epochs 100 --learning-rate 0.03 --json --out penalties
holds penalties '[[i["used"] for i in c["inputs"]] for c in j["corrections"]] == [[True], [False, False]]' 'j["gain"] > 3' \
  'all(i["zeros"] == 0 for i in j["corrections"][0]["inputs"])'

# a file of all that
cat > train.yaml << 'YAML'
model: free.xml
runs:
  - run*.h5
blueprint: friction.yaml
held_runs:
  - run4
epochs: 40
learning_rate: 0.03
output: from_file
YAML
mkdir elsewhere
expect 0 file train train.yaml --final-rate 0.003 --json
expect 0 line "${train[@]}" --epochs 40 --json --out line
cmp -s from_file/corrections.crb line/corrections.crb || fail "the file and its options do not give the same digits"
(cd elsewhere && "$CAROM" train ../train.yaml --set epochs=60 > seen.out 2> seen.err) || fail "from elsewhere: $(cat elsewhere/seen.err)"
[ -s elsewhere/from_file/corrections.crb ] || fail "the folder is not where the command ran"

# a recording that rollout made of a driven model: it has no control beside the last state
expect 0 driven rollout "$data/driven_arm.xml" --time 1 --ctrl drive=0.3 --out driven.h5
sed "s/damping='[0-9.]*'//" "$data/driven_arm.xml" > undamped.xml
expect 0 driven train undamped.xml driven.h5 --blueprint friction.yaml --epochs 60 --learning-rate 0.03 --out driven --json
holds driven 'j["gain"] > 1 and j["held_cost"] is None'
expect 1 exact train "$data/driven_arm.xml" driven.h5 --blueprint friction.yaml --epochs 2 --learning-rate 1e-9 --out exact
grep -q "^the corrected model predicts no better than the uncorrected one" exact.out || fail "$(cat exact.out)"

# a training that gains nothing says so
expect 1 worse "${train[@]}" --epochs 3 --learning-rate 1e4 --final-rate 1e4 --patience 1 --estimate 'body_mass[arm]=5' --out worse
finish
