#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Typical mistakes at carom fit MODEL RUN... --estimate: units, quaternions, columns, rates, gaps, typing errors, bounds. Each is
# refused with one sentence that names the place; a likeness is a warning that names it. None is silent.
source "$CAROM_SOURCE_DIR/tests/support/cli.sh"
python3 "$CAROM_SOURCE_DIR/tests/scenes/fit_mistakes.py" || fail "no recordings"
mistakes=0

# wrong WORDS ARGUMENTS...: exit code 2, one line with WORDS behind warnings, nothing on standard output, no results
wrong() {
  local words=$1
  shift
  mistakes=$((mistakes + 1))
  rm -rf out
  expect 2 wrong fit "$@" --out out
  grep -v '^carom fit: warning: ' wrong.err > error.err
  says error "$words"
  [ -s wrong.out ] && fail "carom fit $*: something on standard output: $(cat wrong.out)"
  [ -e out/result.json ] && fail "carom fit $*: results are there"
}

# file FILE WORDS: the same of a recording of the two arms, rig of one of slide and ball
file() { wrong "$2" arms.xml "$1" --estimate 'dof_damping[hip]'; }
rig() { wrong "$2" rig.xml "$1" --estimate 'body_mass[trolley]'; }

# doubtful FILE WORDS ARGUMENTS...: nothing contradicts it, but a warning names what it looks like
doubtful() {
  local run=$1 words=$2
  shift 2
  mistakes=$((mistakes + 1))
  "$CAROM" fit arms.xml "$run" --estimate 'dof_damping[hip]' --out doubt --force "$@" > doubt.out 2> doubt.err
  [ $? -le 1 ] || fail "carom fit $run: $(cat doubt.err)"
  grep -F 'carom fit: warning: run ' doubt.err | grep -qF -- "$words" || fail "$run: '$(cat doubt.err)' does not warn '$words'"
}

# fruitless FILE: nothing in it is wrong, but no number comes out
fruitless() {
  mistakes=$((mistakes + 1))
  expect 1 fruitless fit arms.xml "$1" --estimate 'dof_damping[hip]' --out fruitless --force
  grep -qF 'dof_damping[hip]: the data do not tell it' fruitless.out || fail "$1: $(cat fruitless.out)"
}

# ---- as it should be
expect 0 good fit arms.xml good.csv --estimate 'dof_damping[hip]' --out good
[ -s good.err ] && fail "a warning about good data: $(cat good.err)"

# ---- units
rig mm.csv "rail against speed: positions change 1000 times as fast as velocities say: positions in mm?"
rig cm_s.csv "rail against speed: positions change 0.01 times as fast as velocities say: velocities in cm/s?"
file degrees.csv "enc against qvel[hip]: positions change 57.3"
file deg_s.csv "velocities in deg/s?"
file rpm.csv "velocities in rpm?"
file turns.csv "positions in turns?"
file reversed.csv "enc against qvel[hip]: positions change -1 times as fast as velocities say: is one of them reversed?"
file wrong_unit.csv "column 'enc [mm]': it has the unit 'mm', the model's unit is rad"
file no_unit.csv "column 'enc [blub]': there is no unit 'blub'"
file two_units.csv "column 'enc [deg] [rad]' is no place"
file control_unit.csv "column 'drive [mV]': the model has no unit for it"
doubtful degrees_alone.csv "knee_enc, number 0: from"
doubtful volts.csv "beyond -2 to 2, as 10.8: the model cuts them off at its ctrlrange"

# ---- columns and quaternions
file swapped.csv "knee_enc against qvel[knee]: the first moves as qvel[hip] says; columns of two joints swapped?"
file position_as_rate.csv "enc against qvel[hip]: the second is the first integrated; columns exchanged?"
file one_number.csv "columns of two joints swapped?"
fruitless swapped_alone.csv
fruitless swapped_both.csv
fruitless swapped_controls.csv
rig xyzw.csv "pose against gyro: the quaternions look like x, y, z, w; w, x, y, z is expected"
rig world_to_body.csv "pose against gyro: is one of them reversed, or are the quaternions world to body?"
rig gyro_deg.csv "pose against gyro: it turns 0.01745 times as fast as angular velocities say: angular velocities in deg/s?"
rig long_quat.csv "line 2, column 'pose.w': the quaternion has length 2, not 1"
rig part_quat.csv "column 'pose.w' is a part of a quaternion"
rig euler.csv "no component 'roll'"

# ---- times and rates
file ms.csv "time in ms?"
file ms_bare.csv "enc: a row every 5 s, and a step of the model is 0.005 s: time in ms?"
file us.csv "time in us?"
file minutes.csv "time in minutes?"
file dense.csv "times: all positions change 5 times as fast as velocities say: another rate of rows?"
wrong "all positions change 0.1 times as fast as velocities say: another rate of rows?" arms.xml no_time.csv --estimate 'dof_damping[hip]' --rate 20
doubtful no_time.csv "all positions change 1.25 times as fast as velocities say: another rate of rows?" --rate 250
file back.csv "line 202, column 'time': time 0.1 s comes after 0.995 s; it has to increase"
file twice.csv "line 202, column 'time': time 0.995 s comes after 0.995 s"
file time_hole.csv "line 32, column 'time': the time is missing"
file clock.csv "line 2, column 'time': '12:00:00.000' is no number"
file no_time.csv "has neither a column 'time' nor a line '# rate: 200 Hz'"
file two_times.csv "column 't' is no place of the model"
file two_rates.csv "line 2: a second rate"
file bad_rate.csv "line 1: a rate is a positive number"
file rate_column.csv "a rate is no column"
wrong "the times have 200 rows a second, the rate is 100" arms.xml good.csv --estimate 'dof_damping[hip]' --rate 100
wrong "--rate: '200Hz' is not a number" arms.xml no_time.csv --estimate 'dof_damping[hip]' --rate 200Hz
wrong "--rate 0: a positive number expected" arms.xml no_time.csv --estimate 'dof_damping[hip]' --rate 0
doubtful gap.csv "enc: 1 gap, the longest of 0.255 s at 0.745 s"
doubtful jitter.csv "uneven times"

# ---- controls and names
file no_control.csv "control 'push' is missing"
file other_actuator.csv "there is no 'pull'; did you mean 'push'?"
file late_control.csv "control 'drive' begins at 0.5 s, measurements at 0 s"
file nan_control.csv "line 7, column 'drive': 'nan' is not finite"
file typo.csv "line 1: column 'encc' is no place of the model, no control and not time; did you mean enc?"
file upper.csv "did you mean enc?"
file other_joint.csv "there is no 'hipp'; did you mean 'hip'?"
file model_field.csv "'body_mass[arm]' is of the model, not a signal"
file whole_field.csv "column 'qpos' is 2 numbers"
file component.csv "no component 'y'"
file duplicate.csv "columns 'enc' and 'enc' are one number"
file no_measurement.csv "nothing is measured in it"
wrong "column 'drive' is no place" rig.xml good.csv --estimate 'body_mass[trolley]'
wrong "column 'encc' is no place" arms.xml typo.csv --estimate 'dof_damping[hip]' --column encx=enc
wrong "is not column=place" arms.xml typo.csv --estimate 'dof_damping[hip]' --column encc
wrong "nothing is measured in it" arms.xml good.csv --estimate 'dof_damping[hip]' --ignore enc 'qvel[hip]' knee_enc 'qvel[knee]'

# ---- values
file inf.csv "line 9, column 'enc': 'inf' is not finite"
file word.csv "line 9, column 'enc': 'none' is no number"
file all_nan.csv "column 'enc' has no number in any line"
file all_empty.csv "column 'enc' has no number in any line"
file one_row.csv "all measurements are at one time"
file two_rows.csv "8 numbers are known of the runs to fit, and 9 are to be found"
doubtful constant.csv "enc never changes, while others do"
doubtful saturated.csv "cut off at its least value?"
doubtful spike.csv "enc, number 0: 1 of 300 rows are far off, by 1e+09 at 0.035 s: outliers?"

# ---- files
file empty.csv "the file is empty"
file header_only.csv "has names, but no numbers"
file comment_only.csv "has no line of names"
file no_header.csv "the first line has to name the columns"
file two_headers.csv "line 51, column 'time': 'time' is no number"
file short_line.csv "line 10: 6 cells, the line of names has 7"
file cut.csv "line 50: 6 cells"
file blanks.csv "column 'time drive push"
file decimal_commas.csv "with decimal commas, write points"
file semicolons_and_commas.csv "line 2, column 'enc': '0,"
file page.csv "page.csv: line 1"
file zeros.csv "is no plain text"
file not.npz "is not a .npz file"
file not.h5 "is not an HDF5 file"
file none.csv "none.csv"
file . "a file of measurements ends in"
file arms.xml "a file of measurements ends in"
wrong "there is a run 'good' already" arms.xml good.csv good.csv --estimate 'dof_damping[hip]'
wrong "the model comes first" good.csv arms.xml --estimate 'dof_damping[hip]'
wrong "the model comes first" . good.csv --estimate 'dof_damping[hip]'
wrong "none.xml" none.xml good.csv --estimate 'dof_damping[hip]'
wrong "broken.xml" broken.xml good.csv --estimate 'dof_damping[hip]'
wrong "scene.xml" scene.xml good.csv --estimate 'dof_damping[hip]'
wrong "column 'drive' is no place" no_joints.xml good.csv --estimate 'dof_damping[hip]'

# ---- what to find
find() { wrong "$1" arms.xml good.csv --estimate "${@:2}"; }
find "there is no 'hipp'; did you mean 'hip'?" 'dof_damping[hipp]'
find "no name fits" 'dof_damping[foo*]'
find "there is no field 'dof_dampin'" 'dof_dampin[hip]'
find "row 2 of 2" 'dof_damping[2]'
find "no kind 'mass'" mass:arm
find "the target is missing" density:
find "is derived from other fields" 'body_invweight0[arm]'
find "qpos is not a field that can be fitted" 'qpos[hip]'
find "there is no field 'timestep'" timestep
find "have unit length; write direction:jnt_axis[hip]" 'jnt_axis[hip]'
find "have unit length; write direction:body_quat[arm]" 'body_quat[arm][1]'
find "is not one direction, of unit length" 'direction:body_mass[arm]'
find "body 'world' has no mass" inertia:world
find "two parameters have the name 'dof_damping[hip]'" 'dof_damping[hip]' 'dof_damping[hip]'
find "set the same number" 'tied:dof_damping[*]' 'dof_damping[hip]'
find "set the same number" density:arm 'body_mass[arm]'
find "the start is not between its bounds" 'dof_damping[hip]=1:2:3'
find "LOW has to be below HIGH" 'dof_damping[hip]=2:3:1'
find "LOW has to be below HIGH" 'dof_damping[hip]=1:1:1'
find "LOW of 0 or more expected" 'dof_damping[hip]=0.05:-1:1'
find "this number may not be negative" 'body_mass[arm]=-1'
find "this number may not be negative" density:arm=-1
find "START or START:LOW:HIGH expected" 'dof_damping[hip]=0,05'
find "START or START:LOW:HIGH expected" 'dof_damping[hip]=0.05:1'
find "a number expected behind '='" 'dof_damping[hip]=nan'

# ---- options
how() { wrong "$1" arms.xml good.csv --estimate 'dof_damping[hip]' "${@:2}"; }
how "unknown option '--estimat'" --estimat 'dof_damping[knee]'
how "the share held out is not between 0 and 1" --held-out 1
how "none is left to fit" --held-out 0.5
how "the confidence is not between 0 and 1" --confidence 90
how "windows of 100 s do not fit: the longest run has 1.495 s" --window 100
how "--window -1: a positive number expected" --window -1
how "--continuity needs --window" --continuity 0.1
how "--huber -3: a positive number expected" --huber -3
how "--noise enc=0: PLACE=SD expected" --noise enc=0
how "--noise encc=0.1:" --noise encc=0.1
how "--noise enc=0.2: this place has one already" --noise enc=0.1 enc=0.2
how "delay of drive: no run measures it" --delay drive
how "offset of encc: no run measures it" --offset encc
how "integrator 'rk5'" --integrator rk5
how "--start zero: estimated, reference or measured expected" --start zero
how "--threads 0: at least 1 expected" --threads 0
how "is a folder, not a file" --save .
how "this file is read, it would be lost" --save arms.xml
how "nowhere/found.xml" --save nowhere/found.xml
expect 2 blocked fit arms.xml good.csv --estimate 'dof_damping[hip]' --out good.csv
says blocked "good.csv: this is a file, not a folder"

[ $mistakes -ge 60 ] || fail "$mistakes mistakes"
finish
