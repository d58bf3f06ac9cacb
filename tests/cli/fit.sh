#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom fit: it finds a side it was not told, the same digits with any number of threads and after
# Ctrl-C; bad input is refused with a sentence and leaves nothing half-written.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1

config=$CAROM_SOURCE_DIR/examples/cube_side.yaml
# same NAME NAME: two fits ended with the same digits
same() {
  python3 - "$1.out" "$2.out" << 'PYTHON' || fail "$2: another result than $1"
import json, sys
a, b = (json.load(open(path)) for path in sys.argv[1:])
sys.exit(any(a[key] != b[key] for key in ("parameters", "loss", "held_out_loss", "evaluations")))
PYTHON
}

small=(--set made.tosses=20 made.rows=60 data.stride=6)

# ---- a made recording, and the truth found
expect 0 found fit "$config" "${small[@]}" --json --out found
holds found 'abs(j["parameters"]["side"] / j["truth"]["side"] - 1) < 0.05'
holds found 'j["start"]["side"] == 0.06 and j["evaluations"] == 60'
holds found 'j["loss"] < j["start_loss"] / 3 and j["held_out_loss"] < j["start_loss"]'
cmp -s found.out <(cat found/result.json; echo) || fail "result.json is not what was printed"
for file in history.csv checkpoint.txt plot.png plot.gp tosses.h5 motion.html; do
  [ -s found/$file ] || fail "found/$file is missing"
done
# the page: the first toss as recorded; the cube of the start is as small as the start says; predictions begin where the recording does,
# and the one after the fit ends nearer to it
PYTHONPATH="$CAROM_SOURCE_DIR/tests/support" PYTHONDONTWRITEBYTECODE=1 python3 - << 'PY' || fail "found/motion.html is not the fit's"
import json
import page
d, fitted = page.read("found/motion.html"), json.load(open("found/result.json"))
assert [m["name"] for m in d["motions"]] == ["recorded", "predicted at the start", "predicted after the fit"]
cube = next(i for i, g in enumerate(d["geoms"]) if g["name"] == "cube")
assert abs(2 * d["motions"][1]["sizes"][3 * cube] - fitted["start"]["side"]) < 1e-12
assert abs(2 * d["geoms"][cube]["size"][0] - fitted["parameters"]["side"]) < 1e-12 and "sizes" not in d["motions"][0]
poses = [page.rows(m["pose"], 7 * len(d["bodies"])) for m in d["motions"]]
body = 7 * d["geoms"][cube]["body"]
off = lambda k, row: sum((a - b) ** 2 for a, b in zip(poses[k][row][body:body + 3], poses[0][row][body:body + 3])) ** 0.5
assert len({len(p) for p in poses}) == 1 and len(poses[0]) == 60
assert off(1, 0) < 1e-4 and off(2, 0) < 1e-4 and off(2, -1) < 0.8 * off(1, -1), (off(1, -1), off(2, -1))
assert not page.unpack(d["motions"][0]["contact"]) and page.unpack(d["motions"][2]["contact"])
PY
expect 1 missed fit "$config" "${small[@]}" --set made.tolerance=0 optimisers.adam.iterations=1 \
  --out missed

# ---- what was made reads as a recording; the same digits with any number of threads
expect 0 one fit "$config" --data found/tosses.h5 --set data.stride=6 --threads 1 --json --out one
for threads in 2 8; do
  expect 0 many fit "$config" --data found/tosses.h5 --set data.stride=6 --threads $threads --json \
    --force --out many
  cmp -s one/history.csv many/history.csv || fail "$threads threads: another history"
  same one many
done

# ---- without contacts from distance nothing tells a cube that is too small to grow
expect 1 blind fit "$config" --data found/tosses.h5 --set cfd.use=false parameters.side.start=0.03 \
  --json --out blind
holds blind 'j["zero_gradient_windows"] == 1 and abs(j["parameters"]["side"] - 0.03) < 1e-12'

# ---- the options of rollout and grad: steps between rows, tolerances, contacts from distance
method=(--data found/tosses.h5 --set data.stride=30 optimisers.adam.iterations=3 --json --force --out method)
dt=0.006756756756756757
expect 0 coarse fit "$config" "${method[@]}"
expect 0 fine fit "$config" "${method[@]}" --timestep "$(python3 -c "print($dt / 4)")"
expect 0 adaptive fit "$config" "${method[@]}" --integrator tsit5 --rtol 1e-7 --events \
  --first-step 1e-4 --max-steps 5000 --grid "$(python3 -c "print($dt / 2)")"
expect 0 continuous fit "$config" "${method[@]}" --integrator tsit5 --rtol 1e-7 --events --adjoint continuous
expect 0 wider fit "$config" "${method[@]}" --cfd 0,0.01,0.1,1,2
for name in coarse fine adaptive continuous wider; do
  holds $name 'j["loss"] > 0 and 0.04 < j["parameters"]["side"] < 0.2'
done
for name in fine adaptive continuous wider; do
  cmp -s coarse.out $name.out && fail "$name: nothing changed"
done
expect 2 uneven fit "$config" "${method[@]}" --timestep 0.005
says uneven "--timestep 0.005: rows of the tosses are"
expect 2 uneven fit "$config" "${method[@]}" --integrator tsit5 --rtol 1e-6 --grid 0.005
says uneven "--grid 0.005: rows of the tosses are"
expect 2 uneven fit "$config" "${method[@]}" --rtol 1e-6
says uneven "tolerances need an integrator with an error estimate"
expect 2 uneven fit "$config" "${method[@]}" --events
says uneven "--events: only with --rtol or --atol"
expect 2 uneven fit "$config" "${method[@]}" --cfd 1,2
says uneven "--cfd 1,2: dc,d0,wc,mc,pc"

# ---- whole trajectories and absolute errors: from close by
expect 0 entire fit "$config" --data found/tosses.h5 --json --out entire \
  --set data.steps=0 loss.p=1 parameters.side.start=0.1 optimisers.0.rate=0.01 \
  optimisers.0.iterations=5 optimisers.0.keep_best=true
holds entire 'j["windows"]["train"] + j["windows"]["held_out"] == 20' 'j["loss"] <= j["start_loss"]'

# ---- cost terms beside the errors: they count, with any number of threads, and go into the fingerprint
cat > above.yaml << 'YAML'
cost:
  - {name: above, of: "max(0, 0.06 - xpos[cube].z)", norm: quadratic, weight: 1e4}
  - {name: slow, of: qvel, residual: place, norm: smooth_abs, p: 0.1, weight: 0.1}
YAML
with=(--data found/tosses.h5 --json --set data.stride=6 optimisers.0.iterations=5 "cost=$PWD/above.yaml")
expect 0 costly fit "$config" "${with[@]}" --threads 1 --out costly
expect 0 shared fit "$config" "${with[@]}" --threads 3 --out shared
same costly shared
holds costly 'j["loss"] > j["cost"] > 0.01'
sed -i s/1e4/2e4/ above.yaml
expect 2 dearer fit "$config" "${with[@]}" --resume --out costly
says dearer "costly"
sed -i s/cube/tube/ above.yaml
expect 2 unknown fit "$config" "${with[@]}" --out unknown
says unknown "above.yaml"
says unknown "tube"

# ---- L-BFGS
expect 0 lbfgs fit "$config" "${small[@]}" --json --out lbfgs \
  --set optimisers.0.method=lbfgs optimisers.0.iterations=25

# ---- Ctrl-C, then --resume: the same end as without
long=(--data found/tosses.h5 --set data.stride=1 optimisers.adam.iterations=60
      optimisers.adam.batch=300 --json)
expect 0 whole fit "$config" "${long[@]}" --out whole
"$CAROM" fit "$config" "${long[@]}" --out cut > cut.out 2> cut.err &
process=$!
for _ in $(seq 500); do
  [ -e cut/history.csv ] && [ "$(wc -l < cut/history.csv)" -ge 4 ] && break
  sleep 0.01
done
kill -INT $process
wait $process
code=$?
[ $code -eq 130 ] || fail "interrupted: exit code $code: $(cat cut.err)"
holds cut '"--resume goes on" in j["error"]'
[ -e cut/result.json ] && fail "interrupted: there is a result"
expect 0 cut fit "$config" "${long[@]}" --out cut --resume
cmp -s whole/history.csv cut/history.csv || fail "resumed: another history"
same whole cut

# ---- bad input
expect 2 bad fit none.yaml
says bad "none.yaml: cannot be read: No such file"
expect 2 bad fit "$config" --data none.h5 --json --out bad
says bad "none.h5: cannot be read: No such file"
holds bad 'j["error"].startswith("none.h5")'
expect 2 bad fit "$config" --data "$config" --out bad
says bad "this is not an HDF5 file"
head -c 3000 found/tosses.h5 > short.h5
expect 2 bad fit "$config" --data short.h5 --out bad
expect 2 bad fit "$config" --set parameters.side.stat=1 --out bad
says bad "there is no key 'stat' in parameters; did you mean 'start'?"
expect 2 bad fit "$config" --set model=none.xml --out bad
expect 2 bad fit "$config" --set parameters.side.geom=dice --out bad
says bad "the model has no geom 'dice'"
expect 2 bad fit "$config" --set parameters.side.lower=0.5 --out bad
says bad "parameter 'side': the lower bound 0.5 is above the upper bound 0.3"
expect 2 bad fit found/tosses.h5 --out bad
says bad "found/tosses.h5: this is data (HDF5), not a configuration (YAML); give data with --data"
expect 2 bad fit "$config" --threads 0 --out bad
says bad "--threads 0: at least 1 expected"
expect 2 bad fit "$config" --threads -1 --out bad
says bad "--threads -1"
expect 2 bad fit "$config" --resume --out bad
says bad "checkpoint.txt: cannot be read"
[ -e bad/result.json ] && fail "bad input left a result"
expect 2 bad fit "$config" --data found/tosses.h5 --set data.stride=5 --resume --out one
says bad "other settings, model or data"
# what changes the motion is a setting too
for other in "--muscle-smooth 0.01" "--collision smooth" "--collision smooth --softness 0.2"; do
  # shellcheck disable=SC2086
  expect 2 bad fit "$config" --data found/tosses.h5 --set data.stride=6 $other --resume --out one
  says bad "other settings, model or data"
done
[ -e one/result.json ] || fail "a refused --resume removed a result"

# ---- recordings that contradict themselves; insisting on them, the model explains little
if python3 -c 'import h5py' 2> /dev/null; then
  python3 - << 'PYTHON'
import h5py, math, shutil
import numpy as np
def change(name, f):
    shutil.copy("found/tosses.h5", name)
    with h5py.File(name, "r+") as h:
        if name == "ms.h5":
            h.attrs["dt"] = 1000 * h.attrs["dt"]
        for toss in h["toss"].values():
            toss["state"][:] = f(toss["state"][:])
def mm(s): s[:, :3] *= 1000; return s
def degrees(s): s[:, 10:] *= 180 / math.pi; return s
def xyzw(s): s[:, 3:7] = s[:, [4, 5, 6, 3]]; return s
change("mm.h5", mm)
change("degrees.h5", degrees)
change("xyzw.h5", xyzw)
change("ms.h5", lambda s: s)
with h5py.File("named.h5", "w") as h:
    with h5py.File("found/tosses.h5") as g:
        g.copy("toss", h)
        h.attrs["dt"] = g.attrs["dt"]
    h["toss/0001/state"].attrs["columns"] = np.array(b"px py pz qx qy qz qw vx vy vz wx wy wz".split())
PYTHON
  while IFS=: read -r name words; do
    refused 2 "$words" fit "$config" --data "$name.h5" --out bad
  done << 'END'
mm: times as fast as the recorded velocities say: positions in mm?
degrees: times as fast as the recorded velocities say: angular velocities in degrees?
xyzw:xyzw.h5: quaternions look like x, y, z, w; w, x, y, z is expected
ms: s: dt in ms?
named:named.h5: the attribute 'columns' of 'toss/0001/state' should be: px,py,pz,qw,qx,qy,qz
END
  "$CAROM" fit "$config" --data degrees.h5 --as-recorded --set data.stride=6 optimisers.adam.iterations=1 \
    --json --out insists > insists.out 2> insists.err
  grep -q "warning: degrees.h5: orientations turn" insists.err || fail "$(cat insists.err)"
  holds insists 'j["loss"] > j["standing_loss"] / 2'
else
  echo "no h5py: recordings that contradict themselves are left to learn/agreement"
fi

# ---- a full disk
mkdir full
ln -s /dev/full full/checkpoint.txt.tmp
expect 2 bad fit "$config" --data found/tosses.h5 --out full
says bad "full/checkpoint.txt: cannot be written: No space left on device"
[ -e full/result.json ] && fail "a full disk left a result"

# ---- help
"$CAROM" fit --help | grep -q -- --resume || fail "--help does not know --resume"

# ---- under noise: out of a valley in which the fit without contacts from distance sits
sed "/^cfd:/,/^  scale/d; s|^model: .*|model: $CAROM_SOURCE_DIR/examples/cube_toss.xml|" "$CAROM_SOURCE_DIR/examples/cube_side.yaml" > noise.yaml
set -- fit noise.yaml --set made.tosses=12 optimisers.0.iterations=40
expect 1 valley "$@" --out valley --json
expect 0 out "$@" optimisers.0.estimator=zeroth optimisers.0.sigma=0.3 made.tolerance=0.12 --out out_of_it --json
holds out 'j["loss"] < 0.5 * '"$(python3 -c 'import json; print(json.load(open("valley.out"))["loss"])')"
refused 2 "optimisers.0: an estimator and a sigma above 0 go together" "$@" optimisers.0.sigma=0.3 --out none

finish
