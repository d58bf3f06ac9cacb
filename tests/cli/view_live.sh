#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom view --live: what the page holds, what is refused, and that WebAssembly and the library make the same steps. What a
# browser makes of the page: view_browser_live.long.sh. A build without clang for WebAssembly has the refusals alone.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
export PYTHONPATH=$CAROM_SOURCE_DIR/tests/support PYTHONDONTWRITEBYTECODE=1
toss=$CAROM_SOURCE_DIR/examples/cube_toss.xml arm=$CAROM_SOURCE_DIR/examples/arm.xml

# refused NAME WORDS ARGUMENTS...: no page, and one sentence
refused() {
  local name=$1 words=$2
  shift 2
  expect 2 "$name" view "$@" --out "$name.html"
  says "$name" "$words"
  [ ! -e "$name.html" ] || fail "$name: there is a page"
}
refused parameter "--parameter: needs --live" "$toss" --parameter 'gravity[2]'
refused body "--body: needs --live" "$toss" --body cube
refused ahead "--ahead: needs --live" "$toss" --ahead 1
refused plot "--plot: needs a recording" "$toss" --live --plot qpos
refused recording "--live: the page simulates; leave swing.h5 out" "$toss" swing.h5 --live
refused ends "--parameter gravity[2]=3:2: LOW:HIGH expected behind '=', LOW < HIGH" "$toss" --live --parameter 'gravity[2]=3:2'
refused half "LOW:HIGH expected" "$toss" --live --parameter 'gravity[2]=3'

"$CAROM" view "$toss" --live --out try.html > /dev/null 2> try.err
if grep -q "run \`make wasm\`" try.err; then
  [ ! -e try.html ] || fail "a page without a core"
  echo "view_live: this build has no core as WebAssembly (make wasm); the rest is skipped"
  finish
fi
[ -e try.html ] || fail "no page: $(cat try.err)"
refused drawn "parameter geom_size[cube]: a page draws shapes" "$toss" --live --parameter 'geom_size[cube]'
refused none "did you mean 'body_mass'" "$toss" --live --parameter 'body_mas[cube]'
refused state "parameter qpos: it is no parameter" "$toss" --live --parameter qpos
refused quaternion "a quaternion" "$toss" --live --parameter 'body_quat[cube]'
refused outside "parameter gravity[2]: -9.81 is not between 1 and 2" "$toss" --live --parameter 'gravity[2]=1:2'
refused nobody "there is no body 'cub' to predict" "$toss" --live --body cub
refused far "100 s ahead are not 1 to 10000 time steps" "$toss" --live --ahead 100
echo "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>" > still.xml
refused still "the model never moves" still.xml --live

# ---- what is in the page
expect 0 cube view "$toss" --live --out cube.html
expect 0 arm view "$arm" --live --parameter 'gravity' 'dof_damping[elbow]=0:2' --body upper --ahead 0.1 --out arm.html
grep -nE 'https?:|src=|@import|url\(|import ' arm.html | cut -c 1-200 > outside
[ -s outside ] && fail "the page refers to something outside: $(head -n 1 outside)"
python3 - << 'PYTHON' || fail "the data of the pages"
import base64, page, zlib
cube, arm = page.read("cube.html")["live"], page.read("arm.html")["live"]
assert [p["name"] for p in cube["parameters"]] == ["body_mass[cube]", "geom_friction[cube][0]", "gravity[2]"]
mass, _, gravity = cube["parameters"]
assert abs(mass["low"] - 0.037) < 1e-12 and abs(mass["high"] - 1.11) < 1e-12 and mass["unit"] == "kg"
assert abs(gravity["low"] + 29.43) < 1e-12 and abs(gravity["high"] + 0.981) < 1e-12
assert cube["body"] == 1 and cube["ahead"] == 45 and cube["ctrl"] == [] and len(cube["velocities"]) == 6
assert abs(cube["mass"] - 0.37) < 1e-12
assert [p["name"] for p in arm["parameters"]] == ["gravity[0]", "gravity[1]", "gravity[2]", "dof_damping[elbow]"]
assert (arm["parameters"][0]["low"], arm["parameters"][0]["high"]) == (-1, 1)
assert (arm["parameters"][3]["low"], arm["parameters"][3]["high"]) == (0, 2)
for live in (cube, arm):
    assert zlib.decompress(base64.b64decode(live["core"]))[:4] == b"\0asm"
    assert zlib.decompress(base64.b64decode(live["model"]))[:8] == b"CAROMMDL"
PYTHON

# ---- 200 steps in WebAssembly are those of the library
if ! command -v node > /dev/null; then
  echo "view_live: there is no node; the steps are not compared"
  finish
fi
# same NAME MODEL QVEL CTRL
same() {
  local name=$1 model=$2 qvel=$3 ctrl=$4 time
  time=$(python3 -c 'import page, sys; print(200 * page.read(sys.argv[1])["live"]["timestep"])' "$name.html")
  expect 0 "$name" rollout "$model" --time "$time" ${qvel:+--set "qvel=$qvel"} ${ctrl:+--set "ctrl=$ctrl"} --out "$name.csv"
  node "$CAROM_SOURCE_DIR/tests/support/live_steps.mjs" "$name.html" "$CAROM_SOURCE_DIR" 200 "$qvel" "$ctrl" > "$name.json" || fail "$name in node"
  python3 - "$name" << 'PYTHON' || fail "$name: the steps differ"
import csv, json, sys
name = sys.argv[1]
head, start, *rows = csv.reader(open(name + ".csv"))
columns = [i for i, title in enumerate(head) if title.startswith("qpos[")]
there = [[float(row[i]) for i in columns] for row in rows]
seen = json.load(open(name + ".json"))
assert len(seen) == len(there) == 200 and len(seen[0]) == len(columns)
worst = max(abs(a - b) for x, y in zip(seen, there) for a, b in zip(x, y))
moved = max(abs(a - float(start[i])) for a, i in zip(seen[-1], columns))
assert worst < 1e-12 and moved > 0.05, (worst, moved)
PYTHON
}
same cube "$toss" 0.3,0.8,1.2,3,2,-4 ""
same arm "$arm" "" 0.7,-0.2
finish
