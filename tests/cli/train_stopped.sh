#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom train that does not come to its end: killed at any moment, Ctrl-C, a full disk in each file that is written. Nothing is lost,
# --resume comes to the same bytes, and refuses another setting.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"
source "$CAROM_SOURCE_DIR/tests/scenes/pendulum_runs.sh"

long=("${train[@]}" --epochs 1000 --batch 2 --seed 4 --json)
# the same bytes of weights, curve and predictions, and the same numbers, whatever time they took
same() {
  for file in corrections.crb history.csv predicted_run1.csv predicted_run4.csv; do
    cmp -s "$1/$file" "$2/$file" || fail "$1 and $2 have another $file"
  done
  python3 - "$@" << 'PYTHON' || fail "$1 and $2 do not have the same numbers"
import json, sys
a, b = (json.load(open(n + "/result.json")) for n in sys.argv[1:3])
for j in (a, b):
    del j["seconds"], j["output"]
sys.exit(a != b)
PYTHON
}

# ---- killed without a warning
expect 0 whole "${long[@]}" --out whole
killed=0
# started FOLDER LINES: a training that has come to so many lines of its curve, as $pid
started() {
  "$CAROM" "${long[@]}" --out "$1" > stopped.out 2> stopped.err &
  pid=$!
  for ((i = 0; i < 6000; i++)); do
    [ -e "$1/history.csv" ] && [ "$(wc -l < "$1/history.csv")" -ge "$2" ] && break
    kill -0 $pid 2> /dev/null || break
    sleep 0.005
  done
}
for lines in 1 600; do
  rm -rf cut
  started cut $lines
  kill -KILL $pid 2> /dev/null
  wait $pid 2> /dev/null
  [ -e cut/result.json ] && continue  # it was quicker
  killed=$((killed + 1))
  refused 2 "cut/training.state: is there of an interrupted training; --resume goes on with it" "${long[@]:0:${#long[@]}-1}" --out cut
  expect 0 resumed "${long[@]}" --out cut --resume
  same whole cut
  [ -e cut/training.state ] && fail "the saved training is left behind"
done
[ $killed -gt 0 ] || fail "no training was killed in time"
echo "killed $killed times with something saved"

# ---- Ctrl-C: exit code 130, and a sentence; then other settings are refused, each by its name
rm -rf cut
started cut 20
kill -TERM $pid
wait $pid
[ $? -eq 130 ] || fail "a training that was stopped does not end with 130"
grep -qE "^carom train: interrupted after [0-9]+ epochs, which are saved in cut; --resume goes on$" stopped.err || fail "$(cat stopped.err)"
grep -q '"error"' stopped.out || fail "no object on standard output"
epochs=$(sed 's/.*after \([0-9]*\) epochs.*/\1/' stopped.err)
[ "$(wc -l < cut/history.csv)" -eq $((epochs + 1)) ] || fail "the curve has other epochs than $epochs"
other() {
  rm -rf other
  cp -r cut other
  expect 2 other "${@:2}" --resume --out other
  says other "other/training.state: belongs to a training with $1; --resume goes on with the same model, runs and options only"
  cmp -s cut/training.state other/training.state || fail "what was saved is changed"
}
# the same training, but for one option
plain=(train free.xml run1.h5 run2.h5 run3.h5 run4.h5 --held-runs run4 --final-rate 0.003 --batch 2 --seed 4)
other "other settings" "${plain[@]}" --blueprint friction.yaml --learning-rate 0.02 --epochs 1000
other "other settings" "${plain[@]}" --blueprint friction.yaml --learning-rate 0.03 --epochs 1100
other "other settings" "${plain[@]}" --blueprint friction.yaml --learning-rate 0.03 --epochs 1000 --seed 5
other "other settings" "${plain[@]}" --blueprint friction.yaml --learning-rate 0.03 --epochs 1000 --window 0.5
other "other settings" "${plain[@]}" --blueprint friction.yaml --learning-rate 0.03 --epochs 1000 --keep best
sed 's/ lasso: 5/ lasso: 6/' friction.yaml > friction6.yaml
other "another --blueprint" "${plain[@]}" --blueprint friction6.yaml --learning-rate 0.03 --epochs 1000
other "another --estimate" "${long[@]}" --estimate 'body_mass[arm]'
other "another model or --integrator" "${long[@]}" --integrator rk4
cp run2.h5 keep.h5
cp run1.h5 run2.h5
other "other runs" "${long[@]}"
mv keep.h5 run2.h5
# damage
rm -rf other
cp -r cut other
printf x | dd of=other/training.state bs=1 seek=400 conv=notrunc 2> /dev/null
refused 2 "other/training.state: the file is damaged" "${long[@]:0:${#long[@]}-1}" --out other --resume
head -c 150 cut/training.state > other/training.state
refused 2 "other/training.state: the file is damaged" "${long[@]:0:${#long[@]}-1}" --out other --resume
# another number of threads is none of it
expect 0 resumed "${long[@]}" --out cut --resume --threads 1
same whole cut

# ---- a full disk, in each file: nothing is left half written, and what was trained is there for --resume
short=("${train[@]}" --epochs 60 --json)
expect 0 small "${short[@]}" --out small
if [ -w /dev/full ]; then
  mkdir begin
  ln -s /dev/full begin/training.state.tmp
  expect 2 begin "${short[@]}" --out begin
  says begin "begin/training.state: cannot be written: No space left on device"
  expect 0 begin "${short[@]}" --out begin
  same small begin
  for file in corrections.crb history.csv predicted_run1.csv result.json; do
    rm -rf full
    mkdir full
    ln -s /dev/full full/$file.tmp
    expect 2 full "${short[@]}" --out full
    says full "full/$file: cannot be written: No space left on device"
    [ $file != history.csv ] && [ -e full/$file ] && fail "$file is there, of a full disk"
    [ -e full/training.state ] || fail "$file: the training is lost"
    rm -f full/$file.tmp
    expect 0 again "${short[@]}" --out full --resume
    same small full
    [ -e full/training.state ] && fail "$file: the saved training is left behind"
  done
  # while it trains: the curve
  mkdir curve
  ln -s /dev/full curve/history.csv
  expect 2 curve "${short[@]}" --out curve
  says curve "curve/history.csv: cannot be written: No space left on device"
  rm curve/history.csv
  expect 0 curve "${short[@]}" --out curve --resume
  same small curve
fi

# ---- two at a time
"$CAROM" "${long[@]}" --out busy > /dev/null 2>&1 &
pid=$!
for ((i = 0; i < 2000; i++)); do [ -e busy/training.state ] && break; sleep 0.01; done
expect 2 second "${long[@]}" --out busy --force
kill -KILL $pid
wait $pid 2> /dev/null
grep -q "busy" second.err || fail "a second run in one folder: $(cat second.err)"
finish
