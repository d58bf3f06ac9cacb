#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mistakes at carom train: blueprints, options, recordings, configurations. Each is refused with one sentence that names the place.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"
source "$CAROM_SOURCE_DIR/tests/scenes/pendulum_runs.sh"
mistakes=0

# wrong WORDS ARGUMENTS...: exit code 2, one line with WORDS, nothing on standard output, no results
wrong() {
  local words=$1
  shift
  mistakes=$((mistakes + 1))
  rm -rf out
  refused 2 "$words" train "$@" --out out
  [ -e out ] && fail "carom train $*: a folder is there"
}
# net WORDS SED: after a change of the blueprint; how WORDS OPTIONS...: with more options
net() {
  sed -E "$2" friction.yaml > bad.yaml
  cmp -s friction.yaml bad.yaml && fail "'$2' changes nothing"
  wrong "$1" free.xml run1.h5 --blueprint bad.yaml
}
how() { wrong "$1" free.xml run1.h5 run2.h5 --blueprint friction.yaml "${@:2}"; }

# ---- nothing to train, or nothing to train on
wrong "nothing to train: --blueprint gives the corrections, as --blueprint friction.yaml" free.xml run1.h5
wrong "no file of a run is given behind the model" free.xml --blueprint friction.yaml
wrong "is missing" --blueprint friction.yaml
wrong "none.yaml" free.xml run1.h5 --blueprint none.yaml
: > empty.yaml
wrong "empty.yaml" free.xml run1.h5 --blueprint empty.yaml
echo 'corrections: []' > empty.yaml
wrong "empty.yaml" free.xml run1.h5 --blueprint empty.yaml
wrong "free.xml" free.xml run1.h5 --blueprint free.xml
head -c 100 /dev/urandom > noise.yaml
wrong "noise.yaml" free.xml run1.h5 --blueprint noise.yaml
wrong "none.h5" free.xml none.h5 --blueprint friction.yaml
wrong "one configuration expected" run1.h5 free.xml --blueprint friction.yaml
wrong "none.xml" none.xml run1.h5 --blueprint friction.yaml

# ---- blueprints: file, correction and key
net "bad.yaml: correction 'friction': lasso: -5 is not between 0" 's/ lasso: 5/ lasso: -5/'
net "bad.yaml: correction 'friction': group_lasso: -5 is not between 0" 's/group_lasso: 5/group_lasso: -5/'
net "bad.yaml: correction 'friction': group_lasso: 'five' is not a number" 's/group_lasso: 5/group_lasso: five/'
net "bad.yaml: correction 'friction': l2: nan is not between 0" 's/ lasso: 5/ l2: nan/'
net "bad.yaml: correction 'friction': l2 is of layers above the first" '/layers:/d; /width/d; s/ lasso: 5/ l2: 5/'
net "bad.yaml, line 12: unknown key 'laso' in corrections; did you mean 'lasso'?" 's/ lasso: 5/ laso: 5/'
net "unknown key 'elastic_net'" 's/ lasso: 5/ elastic_net: 5/'
net "bad.yaml: correction 'friction': seed: 1.5 is not a whole number" 's/ lasso: 5/ seed: 1.5/'
net "one value expected" 's/ lasso: 5/ lasso: [5]/'
net "no field 'qfrc_pasive'; did you mean 'qfrc_passive'?" 's/qfrc_passive/qfrc_pasive/'
net "there is no 'elbow'" 's/qfrc_passive\[hip\]/qfrc_passive[elbow]/'
net "there is no field 'speed'" 's/place: time/place: speed[hip]/'
net "'target' is missing" '/target/d'
net "reads qacc, which 'acceleration' makes" 's/place: time/place: qacc/'
net "its corrections have 9996 weights; at most 4096 numbers are trained at once" 's/width: 4/width: 1999/'

# ---- options
how "--epochs 0: at least 1 expected" --epochs 0
how "--batch -1: at least 1 expected" --batch -1
how "--learning-rate 0: a positive number expected" --learning-rate 0
how "--final-rate: 'slow' is not a number" --final-rate slow
how "--weight-decay -1: 0 or more expected" --weight-decay -1
how "--patience 0: at least 1 expected" --patience 0
how "--keep first: best or last expected" --keep first
how "--adaptive-lasso: --blueprint friction.yaml has no weights of a first training" --adaptive-lasso
how "--save would do nothing: without --estimate the model stays as it is" --save found.xml
how "free.xml: this file is read, it would be lost" --estimate 'body_mass[arm]' --save free.xml
how "friction.yaml: this file is read, it would be lost" --estimate 'body_mass[arm]' --save friction.yaml
how "--start estimated: measured or reference expected" --start estimated
how "unknown option '--epoch'" --epoch 3
how "the weights of all corrections are trained anyway" --estimate 'plugin_param[3]'
how "there is no 'knee'; there are: hip" --estimate 'dof_damping[knee]'
how "--held-runs names what is held aside; leave out --held-out" --held-runs run2 --held-out 0.5
how "night" --held-runs 'night*'
how "all 2 runs are held aside: none is left to fit" --held-runs 'run*'
how "windows of 100 s do not fit" --window 100
how "--set belongs to a configuration" --set epochs=3
how "integrator 'rk5'" --integrator rk5
how "--threads 0: at least 1 expected" --threads 0
how "--noise qpos=0: PLACE=SD expected" --noise qpos=0
how "unknown option '--continuity'" --continuity 1

# ---- a configuration: file, line and key
cat > train.yaml << 'YAML'
model: free.xml
runs:
  - run1.h5
blueprint: friction.yaml
epochs: 3
YAML
config() {
  sed -E "$2" train.yaml > bad_train.yaml
  wrong "$1" bad_train.yaml
}
config "bad_train.yaml, line 5: unknown key 'epoch'; did you mean 'epochs'?" 's/epochs/epoch/'
config "bad_train.yaml, line 5: epochs: 'many' is not a whole number" 's/epochs: 3/epochs: many/'
config "bad_train.yaml, line 5: epochs 0: at least 1 expected" 's/epochs: 3/epochs: 0/'
config "bad_train.yaml, line 3: runs: no file fits 'none*.h5'" 's/run1.h5/none*.h5/'
config "nothing to train: --blueprint gives the corrections" '/blueprint/d'
config "none.yaml" 's/friction.yaml/none.yaml/'
config "bad_train.yaml: 'model' is missing" '/model/d'
config "bad_train.yaml, line 5: keep: first: best or last expected" 's/epochs: 3/keep: first/'
wrong "one configuration expected" train.yaml run1.h5

# ---- folders
expect 0 good "${train[@]}" --epochs 60 --out there
refused 2 "there: holds result.json of an earlier training; --force overwrites it" "${train[@]}" --epochs 60 --out there
refused 2 "--resume: there/training.state is not there: no training was interrupted in this folder" "${train[@]}" --out there --resume
expect 0 again "${train[@]}" --epochs 60 --out there --force
refused 2 "run1.h5: this is a file, not a folder" "${train[@]}" --out run1.h5

# ---- a training that diverges names epoch, run and time
sed 's/width: 4/width: 4, activation: relu/; s/scale: 0.2/scale: 1e6/; s/width: 4, activation: relu/{width: 4, activation: relu}/; s/    lasso: 5/    output_scale: 1e8\n    random_output: true/; /group_lasso/d' friction.yaml > wild.yaml
expect 3 wild train free.xml run1.h5 --blueprint wild.yaml --out wild --json
says wild "epoch 1: run run1, from 0 s on: step"
holds wild '"time" in j["error"] and "--learning-rate" in j["error"]'
expect 3 fast train free.xml run1.h5 --blueprint friction.yaml --learning-rate 1e300 --epochs 2 --out fast
says fast "run run1, from 0 s on: step"

[ $mistakes -ge 50 ] || fail "$mistakes mistakes"
finish
