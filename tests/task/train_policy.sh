#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom train of a task with a policy: what it learns and writes, the same for any number of threads, going on, seeds; and tasks that make no sense.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
task=$CAROM_SOURCE_DIR/examples/tasks/cartpole_policy.yaml

# ---- it learns: the pole stands, from wherever it leans
expect 0 learned train "$task" --out learned --json --threads 2
holds learned 'j["estimator"] == "first" and j["steps"] == 50 and j["iterations"] == 100 and j["weights"] == 5' \
  'j["seeds"][0]["first_cost"] > 50 and j["seeds"][0]["expected_cost"] < 1' \
  'j["goals"]["lean"]["value"] < 0.05 and j["cost"] < 0.3 and j["best"] == 1' \
  'close(sum(j["terms"].values()), j["cost"], 1e-9)'
for file in policy.h5 motion.h5 curve.csv curve.png; do
  [ -s "learned/$file" ] || fail "no $file"
done
head -n 1 learned/curve.csv | grep -q "^seed,iteration,cost,cost_error," || fail "$(head -n 1 learned/curve.csv)"
[ "$(wc -l < learned/curve.csv)" -eq 102 ] || fail "$(wc -l < learned/curve.csv) rows"

# ---- every estimator, networks, sets, pairs; threads
short=(train "$task" --set train.iterations=3 train.samples=8 train.starts=2 horizon=0.4)
for set in "train.estimator=zeroth" "train.estimator=alpha train.antithetic=true" "train.estimator=alpha train.bias=10 train.descent=plain train.rate=1e-4" \
  "policy.sets=4 policy.every=2" "train.noise_end=0.1 train.rate_power=0.5 train.clip=1"; do
  # shellcheck disable=SC2086
  expect 0 one "${short[@]}" $set --out one --threads 1 --json --force
  # shellcheck disable=SC2086
  expect 0 three "${short[@]}" $set --out three --threads 3 --json --force
  [ "$(cut -d, -f1-10 one/curve.csv)" = "$(cut -d, -f1-10 three/curve.csv)" ] || fail "$set: threads change digits"
done
expect 0 network "${short[@]}" "policy.hidden=6 5" policy.activation=elu --out network --json
holds network "j['weights'] == 6 * 5 + 5 * 7 + 6"

# ---- ranks: the digits of one process, and one result
if has_ranks; then
  "${RANKS[@]}" -n 3 "$CAROM" "${short[@]}" train.estimator=alpha --seeds 2 --out ranks > ranks.out 2> ranks.err || fail "three ranks: $(cat ranks.err)"
  expect 0 alone "${short[@]}" train.estimator=alpha --seeds 2 --out alone
  [ "$(cut -d, -f1-10 alone/curve.csv)" = "$(cut -d, -f1-10 ranks/curve.csv)" ] || fail "three ranks give other digits"
  cmp <(sed '1d; /^results/d' alone.out) <(sed '1d; /^results/d' ranks.out) || fail "three ranks give another motion"
  [ "$(grep -c "^results in" ranks.out)" -eq 1 ] || fail "said more than once: $(cat ranks.out)"
  "${RANKS[@]}" -n 2 "$CAROM" "${short[@]}" --out ranks > again.out 2> again.err && fail "results of an earlier training are overwritten"
  grep -q "^carom train: rank 0 of 2: ranks: holds policy.h5" again.err || fail "$(cat again.err)"
else
  echo "no mpirun, or a build without MPI: several ranks are not tested"
fi

# ---- stopped and gone on: the digits of a training that was not
rest=(train "$task" --set train.samples=8 train.starts=2 horizon=0.4 train.noise_end=1 train.final_rate=0)
expect 0 whole "${rest[@]}" train.iterations=6 --out whole
expect 0 part "${rest[@]}" train.iterations=4 --out part
expect 0 rest "${rest[@]}" train.iterations=6 --out part --resume
[ "$(cut -d, -f1-10 whole/curve.csv)" = "$(cut -d, -f1-10 part/curve.csv)" ] || fail "another curve after --resume"
# the second seed was not finished: its part is not lost while the first one is saved again
expect 0 two "${rest[@]}" train.iterations=6 --seeds 2 --out two
expect 0 half "${rest[@]}" train.iterations=4 --seeds 2 --out half
grep -E '^[0-9]+,[0-3],' half/curve.csv > made.csv  # with the seconds that they took
expect 0 goes "${rest[@]}" train.iterations=6 --seeds 2 --out half --resume
[ "$(cut -d, -f1-10 two/curve.csv)" = "$(cut -d, -f1-10 half/curve.csv)" ] || fail "another curve of two seeds after --resume"
[ "$(grep -cxFf made.csv half/curve.csv)" -eq 8 ] || fail "iterations of a seed were made twice"
expect 2 other "${short[@]}" policy.sets=2 --out part --resume
says other "part/policy.h5: is of another task"
expect 2 again "${short[@]}" --out part
says again "part: holds policy.h5 of an earlier training; --force overwrites it, --resume goes on"

# ---- seeds: one curve each, the best one moves
expect 0 seeds "${short[@]}" --seeds 3 --out seeds --json
holds seeds '[s["seed"] for s in j["seeds"]] == [1, 2, 3] and len({s["expected_cost"] for s in j["seeds"]}) == 3' \
  'min(j["seeds"], key=lambda s: s["expected_cost"])["seed"] == j["best"]'
expect 0 text "${short[@]}" --seeds 2 --out text
grep -q "(best)" text.out || fail "$(cat text.out)"
grep -q "results in text: policy.h5, motion.h5, curve.csv, curve.png" text.out || fail "$(cat text.out)"

# ---- mistakes: one sentence each
expect 2 control "${short[@]}" observe.0.of=ctrl --out bad
says control "depends on the controls"
expect 2 hidden "${short[@]}" policy.hidden=2.5 --out bad
says hidden "policy: hidden: '2.5' is not a list of widths"
expect 2 noise "${short[@]}" "train.noise=1 2 3" --out bad
says noise "train: noise"
expect 2 spread "${short[@]}" spread.0.place=ctrl --out bad
says spread "spread: ctrl is no place of the state"
expect 2 vary "${short[@]}" "vary.0.field=body_mass[ship]" --out bad
says vary "ship"
expect 2 zero "${short[@]}" train.estimator=zeroth train.noise=0 --out bad
says zero "noise 0 is 0"
expect 2 odd "${short[@]}" train.samples=9 --out bad
says odd "9 samples from 2 starts"
expect 0 help train "$task" --help
grep -q -- "--seeds" help.out || fail "$(cat help.out)"
finish
