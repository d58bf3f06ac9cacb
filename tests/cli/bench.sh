#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom bench: every form of its answer, models that no file holds, and mistakes.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
few=(--states 3 --rounds 2)

expect 0 one bench "$data/cube.xml" "${few[@]}" --profile --json
holds one 'j["nv"] == 6 and j["states"] == 3 and j["rounds"] == 2' \
  'all(0 < j[f"{name}_us"] < 1e6 for name in ("mj_step", "step", "step_vjp", "step_jacobian", "mjd_transitionFD"))' \
  '0 < j["mjd_transitionFD_centred_us"] < 1e6' \
  '0 <= j["residual"]["carom"] < 1e-10 and 0 <= j["residual"]["mujoco"] < 1e-3' \
  'j["step_jacobian_by_columns"] == 0 and 0 < j["ratio"]["step_jacobian_of_step"][0]' \
  '0 < j["ratio"]["step_vjp_of_step"][1] <= j["ratio"]["step_vjp_of_step"][2]' \
  'j["profile"][0]["stage"] == "kinematics" and j["profile"][-1]["stage"] == "integrator"' \
  'all(0 < sum(r[k]["us"] for r in j["profile"]) < 1e5 for k in ("forward", "jvp", "vjp"))'

# what the object promises, for each model: numbers, none of them NaN, and nothing left out
for model in "$data/double_pendulum.xml" "$data/quadruped.urdf" "$data/tendon_rows.xml" '"a\"=2*'"$data/cube.xml" chain:4 stack:2; do
  expect 0 each bench "$model" "${few[@]}" --profile --json
  python3 - each.out << 'PYTHON' || fail "bench $model --json: $(head -c 600 each.out)"
import json, math, sys
def refuse(name):
    raise ValueError(name + " is no JSON")
def number(x):
    return type(x) in (int, float) and math.isfinite(x)
j = json.load(open(sys.argv[1]), parse_constant=refuse)
times = ["mj_step_us", "step_us", "step_vjp_us", "step_jacobian_us", "mjd_transitionFD_us"]
assert all(number(j[k]) and j[k] > 0 for k in times), times
assert set(j["residual"]) == {"mujoco", "carom"} and all(number(x) and x >= 0 for x in j["residual"].values())
assert len(j["profile"]) > 10 and len({row["stage"] for row in j["profile"]}) == len(j["profile"])
for row in j["profile"]:
    assert set(row) == {"stage", "forward", "jvp", "vjp"}, row
    assert all(number(row[k]["us"]) for k in ("forward", "jvp", "vjp")), row
PYTHON
done

expect 0 four bench "a=$data/cube.xml" "b=2*$data/cube.xml" chain:3 stack:11 "${few[@]}" --json --csv four.csv
holds four '[m["model"] for m in j["models"]] == ["a", "b", "chain:3", "stack:11"]' \
  '[m["nv"] for m in j["models"]] == [6, 12, 3, 66]' \
  'j["models"][2]["rows"] == 0 and j["models"][3]["contacts"] > 43'
[ "$(wc -l < four.csv)" = 5 ] || fail "four.csv: $(cat four.csv)"
expect 0 table bench "$data/cube.xml" "${few[@]}" --markdown --no-differences
tail -1 table.out | grep -q '^| cube.xml | 6 |' || fail "no row: $(cat table.out)"
expect 0 text bench "$data/cube.xml" "${few[@]}"
grep -q 'of mj_step' text.out || fail "no ratio: $(cat text.out)"

# rollouts over threads
expect 0 batch bench "$data/cube.xml" "$data/double_pendulum.xml" --batch 5 --steps 4 --threads 1,3 --states 3 --rounds 2 \
  --json --csv batch.csv
holds batch 'all(m["same_bits"] and m["mjb_rollout_failed"] == 0 and m["rollouts"] == 5 for m in j["models"])' \
  '[t["threads"] for t in j["models"][0]["threads"]] == [1, 3]' \
  'all(t[k] > 0 for m in j["models"] for t in m["threads"] for k in ("seconds", "forward_seconds", "mjb_rollout_seconds", "times_faster"))'
[ "$(wc -l < batch.csv)" = 5 ] || fail "batch.csv: $(cat batch.csv)"
expect 0 table bench "$data/cube.xml" --batch 2 --steps 2 --threads 1 --rounds 1 --memory 1M --no-peer --markdown
tail -1 table.out | grep -q '| 2 x 2 | 1 |.*| yes |$' || fail "no row: $(cat table.out)"
# an iteration of a planner, and what it would take with differences
examples=$CAROM_SOURCE_DIR/examples/tasks
sed 's/ integrator="RK4"//' "$examples/cartpole.xml" > cartpole.xml
cp "$examples/cartpole.yaml" task.yaml
task=task.yaml
expect 0 plan bench "$task" --plan 2 --rounds 2 --set horizon=0.2 --json
holds plan 'j["task"] == "task.yaml" and j["steps"] == 20 and j["iterations"] == 2' \
  'all(0 < j[k] < 1e4 for k in ("iteration_ms", "jacobians_ms", "mjd_transitionFD_ms"))' \
  '0 < j["with_differences_of_iteration"][1] <= j["with_differences_of_iteration"][2]'
expect 0 table bench "$task" --plan 1 --rounds 1 --set horizon=0.1 --markdown
tail -1 table.out | grep -q '^| task.yaml | 10 | 1 |' || fail "no row: $(cat table.out)"
refused 2 "times ilqr" bench "$task" --plan 1 --set planner.method=cem
refused 2 "refuses Runge-Kutta" bench "$examples/cartpole.yaml" --plan 1
refused 2 "--set needs it" bench "$data/cube.xml" --set horizon=1
refused 2 "do not go with it" bench "$task" --plan 1 --profile
refused 2 "--no-peer need it" bench "$data/cube.xml" --steps 3
refused 2 "--threads 1,x" bench "$data/cube.xml" --batch 2 --threads 1,x
refused 2 "not with --profile" bench "$data/cube.xml" --batch 2 --profile
refused 2 "MODEL ... is missing" bench
refused 2 "none.xml" bench none.xml
refused 2 "chain:0: '0' is not a number" bench chain:0
refused 2 "not a number from 1" bench "0*$data/cube.xml"
refused 2 "--states 0: must be" bench "$data/cube.xml" --states 0
refused 2 "--rounds 1000: must be" bench "$data/cube.xml" --rounds 1000
expect 2 both bench "$data/cube.xml" --json --markdown
says both "not with --json"
expect 2 nowhere bench "$data/cube.xml" "${few[@]}" --csv no/such/folder/four.csv
says nowhere "no/such/folder/four.csv"
finish
