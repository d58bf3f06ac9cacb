#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom batch: one rollout against carom grad; the same file from any number of threads, chunks and
# ranks; a run that is stopped and resumed; what is refused.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
cube=$data/cube.xml
pendulum=$data/double_pendulum.xml

# ---- one rollout is carom grad's
same=(--keyframe raised --time 0.1 --loss 'site_xpos[tip].z + 0.1 * norm(qvel) ^ 2' --at every
  --wrt qpos qvel ctrl body_mass 'body_pos[lower].z' body_quat dof_damping --json)
expect 0 grad grad "$pendulum" "${same[@]}" --ctrl 'elbow=0.4'
expect 0 one batch "$pendulum" "${same[@]}" --ctrl 'elbow=0.4' --count 1 --out one.h5
python3 - << 'PYTHON' || fail "a batch of one is not carom grad"
import json
g, b = json.load(open("grad.out")), json.load(open("one.out"))
flat = lambda x: [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
assert b["rollouts"] == 1 and b["steps"] == g["steps"] == 20
assert b["mean"]["loss"] == g["loss"]
for name, gradient in g["gradient"].items():
    assert flat(b["mean"]["gradient/" + name]) == flat(gradient), name
PYTHON

# ---- more parameters than fields of --random or of --wrt
mapfile -t fields < <(sed -n 's/^CR_PARAM(\([a-z_A-Z0-9]*\),.*/\1/p' "$CAROM_SOURCE_DIR/src/model/model_fields.h" |
  grep -v -e '^body_' -e '^geom_' -e '^gravity$' | head -62)
expect 0 wide batch "$cube" --time 0.01 --count 2 --random "${fields[@]/%/=0.01}" --loss 'norm(qpos)' \
  --wrt body_mass gravity body_inertia geom_size geom_friction body_pos body_ipos geom_pos --out wide.h5

# ---- many: the same bytes from any number of threads, in chunks of any size, stopped and resumed
many=("$cube" --keyframe tilted --time 0.04 --count 23 --seed 3
  --random qpos=0.05 qvel=0.3 'body_mass=0.2' 'geom_size=0.1' --derive
  --loss 'norm(qpos) + qvel[3]' --wrt qpos qvel 'body_mass[cube]' 'geom_size[cube]')
expect 0 first batch "${many[@]}" --threads 1 --out first.h5 --json
holds first 'j["rollouts"] == 23 and j["threads"] == 1 and j["ranks"] == 1 and len(j["mean"]["qpos"]) == 7'
for threads in 2 3; do
  expect 0 many batch "${many[@]}" --threads $threads --chunk $((4 * threads - 3)) --out many.h5 --force
  cmp first.h5 many.h5 || fail "$threads threads"
done
expect 0 other batch "${many[@]}" --seed 4 --threads 1 --out other.h5
cmp -s first.h5 other.h5 && fail "another seed makes the same rollouts"
[ -e many.h5.part ] && fail "a part is left"

# a file that may not grow is refused before anything runs
(ulimit -f 1; "$CAROM" batch "${many[@]}" --chunk 3 --out stop.h5) > stop.out 2> stop.err && fail "a full disk"
says stop "stop.h5.part: cannot be written: File too large"
[ -e stop.h5 ] && fail "half a file has its name"
cp first.h5 cut.h5.part
expect 0 resumed batch "${many[@]}" --resume --out cut.h5
cmp first.h5 cut.h5 || fail "resumed where all is done"
cp other.h5 other.h5.part
expect 2 bad batch "${many[@]}" --resume --out other.h5
says bad "--resume: other.h5.part is of another batch"
cp first.h5 cfd.h5.part
expect 2 bad batch "${many[@]}" --cfd 0.9,0.5,0.02,0.3,2 --resume --out cfd.h5
says bad "--resume: cfd.h5.part is of another batch"
cp first.h5 force.h5.part
expect 2 bad batch "${many[@]}" --set 'qfrc_applied[0]=1' --resume --out force.h5
says bad "--resume: force.h5.part is of another batch"
rm ./*.part

# ---- stopped after 9 rollouts; rows from a file
if python3 -c 'import h5py' 2> /dev/null; then
  python3 - << 'PYTHON'
import h5py
first = h5py.File("first.h5")
with h5py.File("in.h5", "w") as f:
    f["qpos"], f["qvel"] = first["qpos"][:5], first["qvel"][:5]
with h5py.File("bad.h5", "w") as f:
    f["qpos"], f["height"] = first["qpos"][:5], first["loss"][:5]
with h5py.File("narrow.h5", "w") as f:
    f["qpos"] = first["qpos"][:5, :3]
PYTHON
  cp first.h5 cut.h5.part
  python3 - << 'PYTHON'
import h5py
with h5py.File("cut.h5.part", "r+") as f:
    for name in ("qpos", "qvel", "loss", "gradient/qvel"):
        f[name][9:] = 7
    f["done"][0] = 9
PYTHON
  expect 0 resumed batch "${many[@]}" --chunk 5 --resume --out cut.h5
  cmp first.h5 cut.h5 || fail "resumed after 9 rollouts"
  # a bit of a row that was complete
  cp first.h5 cut.h5.part
  python3 - << 'PYTHON'
import h5py
with h5py.File("cut.h5.part", "r+") as f:
    rows = f["gradient/qvel"][7].copy()
    rows.view("u8")[3] ^= 1
    f["gradient/qvel"][7] = rows
    f["done"][0] = 9
PYTHON
  refused 2 "cut.h5.part is damaged: row 7 of 'gradient/qvel' is not what was written" \
    batch "${many[@]}" --chunk 5 --resume --out cut.h5
  rm cut.h5.part
  expect 0 on batch "$cube" --time 0.01 --input in.h5 --out on.h5 --json
  holds on 'j["rollouts"] == 5'
  python3 - << 'PYTHON' || fail "rows of a file"
import h5py, json, subprocess, os
rows, on = h5py.File("in.h5"), h5py.File("on.h5")
for i in (0, 4):
    text = lambda x: ",".join(repr(float(y)) for y in x)
    out = subprocess.run([os.environ["CAROM"], "rollout", os.environ["CAROM_SOURCE_DIR"] + "/tests/data/cube.xml",
        "--time", "0.01", "--set", "qpos=" + text(rows["qpos"][i]), "qvel=" + text(rows["qvel"][i]), "--json"],
        capture_output=True, text=True, check=True).stdout
    assert json.loads(out)["final"]["qpos"] == list(on["qpos"][i])
PYTHON
  refused 2 "bad.h5: 'height' is none of qpos, qvel, act, ctrl" batch "$cube" --time 0.01 --input bad.h5 --out x.h5
  refused 2 "narrow.h5: 'qpos' has 3 numbers a rollout, 7 expected" \
    batch "$cube" --time 0.01 --input narrow.h5 --out x.h5
  refused 2 "'qpos' has 5 rows, 9 rollouts expected" \
    batch "$cube" --time 0.01 --input in.h5 --count 9 --out x.h5
else
  echo "no h5py: rows from a file are not tested"
fi

# ---- some fail, and the others go on: a status and a sentence a rollout, the same bytes from any
# number of threads and chunks, and after a stop
going=("$cube" --keyframe tilted --time 0.02 --count 12 --seed 2 --random qvel=4e9
  --loss 'norm(qpos)' --wrt qvel body_mass --keep-going)
expect 3 all batch "$cube" --keyframe tilted --time 0.02 --count 12 --seed 2 --random qvel=4e9 --out all.h5
says all "rollout "
[ -e all.h5 ] && fail "a batch that failed has its file"
expect 3 going batch "${going[@]}" --threads 1 --out going.h5 --json
holds going '0 < j["failed"] < 12 and j["rollouts"] == 12' 'all(math.isfinite(x) for x in j["mean"]["qvel"])' \
  '"of 12 rollouts failed" in j["error"]' \
  'math.isfinite(j["mean"]["loss"])'
says going "of 12 rollouts failed, as \`status\` and \`failure\` of going.h5 say; the first: rollout "
for threads in 2 3; do
  expect 3 more batch "${going[@]}" --threads $threads --chunk $((2 * threads - 1)) --out more.h5 --force
  cmp going.h5 more.h5 || fail "with failures, $threads threads"
done
cp first.h5 cut.h5.part
expect 2 other batch "${many[@]}" --keep-going --resume --out cut.h5
says other "is of another batch"
expect 0 fine batch "${many[@]}" --keep-going --threads 2 --out fine.h5 --json
holds fine 'j["failed"] == 0'
if python3 -c 'import h5py' 2> /dev/null; then
  cp going.h5 more.h5.part
  python3 - << 'PYTHON' || fail "statuses and rows of a batch with failures"
import h5py, json, math
j, f, first, fine = json.load(open("going.out")), h5py.File("going.h5"), h5py.File("first.h5"), h5py.File("fine.h5")
status, said = f["status"][:], [x.decode() for x in f["failure"][:]]
failed = [i for i in range(12) if status[i] != 0]
assert len(failed) == j["failed"]
for i in range(12):
    rows = [f[name][i] for name in ("qpos", "qvel", "loss", "gradient/qvel", "gradient/body_mass")]
    flat = [float(x) for row in rows for x in getattr(row, "flat", [row])]
    assert all(math.isfinite(x) for x in flat), i
    if i in failed:
        assert said[i].startswith(f"rollout {i}: step ") and not any(flat), (i, said[i])
    else:
        assert said[i] == "" and any(flat), i
good = [i for i in range(12) if i not in failed]
mean = sum(float(f["loss"][i]) for i in good) / len(good)
assert abs(j["mean"]["loss"] - mean) <= 1e-12 * abs(mean)
assert not fine["status"][:].any() and all((fine[n][:] == first[n][:]).all() for n in ("qpos", "qvel", "loss", "gradient/qpos"))
with h5py.File("more.h5.part", "r+") as part:
    for name in ("qpos", "loss", "status"):
        part[name][5:] = 7
    part["failure"][5:] = b"not yet"
    part["done"][0] = 5
PYTHON
  expect 3 resumed batch "${going[@]}" --threads 2 --chunk 4 --resume --out more.h5
  cmp going.h5 more.h5 || fail "with failures, resumed"
  cmp <(sed s/going.h5/more.h5/ going.err) resumed.err || fail "another sum after a stop: $(cat resumed.err)"
fi

# ---- ranks
if has_ranks; then
  for ranks in 2 3; do
    "${RANKS[@]}" -n $ranks "$CAROM" batch "${many[@]}" --chunk 10 --out ranks.h5 --json --force \
      > ranks.out 2> ranks.err || fail "$ranks ranks: $(cat ranks.err)"
    holds ranks 'j["threads"] == 1 and j["chunk"] == 10' "j['ranks'] == $ranks"
    cmp first.h5 ranks.h5 || fail "$ranks ranks"
  done
  "${RANKS[@]}" -n 2 "$CAROM" batch "${going[@]}" --chunk 5 --out ranks.h5 --force > ranks.out 2> ranks.err &&
    fail "rollouts of a rank fail, and the exit code is 0"
  cmp going.h5 ranks.h5 || fail "with failures, 2 ranks"
  grep -q "^carom batch: [0-9]* of 12 rollouts failed" ranks.err || fail "$(cat ranks.err)"
  # some fail: all ranks end, and one says where
  "${RANKS[@]}" -n 2 "$CAROM" batch "$cube" --time 0.01 --count 8 --random qvel=4e9 --seed 2 \
    --out fails.h5 > fails.out 2> fails.err && fail "a rank fails, and the batch does not"
  grep -q "^carom batch: rank [01] of 2: rollout [0-7]: step [0-9]* (time .*): q" fails.err || fail "$(cat fails.err)"
  [ "$(grep -c "^carom batch" fails.err)" -eq 1 ] || fail "said more than once: $(cat fails.err)"
else
  echo "no mpirun, or a build without MPI: several ranks are not tested"
  OMPI_COMM_WORLD_SIZE=3 expect 2 alone batch "${many[@]}" --out x.h5
  says alone "started as one of 3 processes, but this carom was built without MPI"
fi

# ---- what is refused
refused 2 "--out is missing" batch "$cube" --count 2
refused 2 "--count or --input is missing" batch "$cube" --out x.h5
refused 2 "--wrt qpos: needs --loss" batch "$cube" --count 2 --wrt qpos --out x.h5
refused 2 "--wrt xpos: neither state" batch "$cube" --count 2 --loss 'qpos[0]' --wrt xpos --out x.h5
refused 2 "name the whole of it, ctrl" \
  batch "$pendulum" --count 2 --loss 'qpos[0]' --wrt 'ctrl[elbow]' --out x.h5
refused 2 "--random: 'xpos' is none of" batch "$cube" --count 2 --random xpos=1 --out x.h5
refused 2 "--random qpos: NAME=SPREAD" batch "$cube" --count 2 --random qpos --out x.h5
refused 2 "--adjoint continuous: not for batches" \
  batch "$pendulum" --count 2 --integrator tsit5 --adjoint continuous --out x.h5
refused 2 "none.h5: cannot be read" batch "$cube" --input none.h5 --out x.h5
refused 2 "--out first.h5: it exists; --force overwrites it" batch "$cube" --count 1 --time 0.01 --out first.h5
refused 2 "--out first.csv: a name that ends in .h5 or .hdf5 is expected" batch "$cube" --count 1 --time 0.01 --out first.csv
refused 2 "no/where.h5: cannot be written" batch "$cube" --count 1 --time 0.01 --out no/where.h5
[ -e x.h5 ] && fail "a batch that was refused left a file"
finish
