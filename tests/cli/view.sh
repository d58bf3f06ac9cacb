#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom view: pages of models and recordings, the numbers in them, and what is refused. What a browser makes of them:
# view_browser.long.sh.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
export PYTHONPATH=$CAROM_SOURCE_DIR/tests/support PYTHONDONTWRITEBYTECODE=1
toss=$CAROM_SOURCE_DIR/examples/cube_toss.xml
throw="--timestep 0.005 --set qvel=0.3,0.8,1.2,3,2,-4"

# stands_alone PAGE: nothing in it comes from elsewhere
stands_alone() {
  grep -nE 'https?:|//[a-z]+\.[a-z]|src=|@import|url\(|import ' "$1" | cut -c 1-200 > outside
  [ -s outside ] && fail "$1 refers to something outside: $(head -n 1 outside)"
}

# ---- a toss: poses, plots and contacts are those of the recording
# shellcheck disable=SC2086
expect 0 toss rollout "$toss" --time 1 $throw --out toss.h5
expect 0 page view "$toss" toss.h5 --plot 'qpos[2]' 'contact[board:cube].dist' qvel --out toss.html --json
holds page 'j["out"] == "toss.html" and j["frames"] == [51] and 10000 < j["bytes"] < 200000'
stands_alone toss.html
for time in 0.02 0.5 1; do
  # shellcheck disable=SC2086
  expect 0 at$time rollout "$toss" --time $time $throw --json \
    --print 'xpos[cube]' 'xquat[cube]' 'qpos[2]' 'contact[board:cube].dist' qvel
done
python3 - << 'PYTHON' || fail "the page of the toss"
import json, math, page
d = page.read("toss.html")
m = d["motions"][0]
assert d["bodies"] == ["world", "cube"] and d["model"] == "cube_toss.xml" and m["name"] == "toss.h5"
assert [g["type"] for g in d["geoms"]] == ["plane", "box"] and d["geoms"][1]["size"] == [0.05] * 3
time, pose = page.unpack(m["time"]), page.rows(m["pose"], 14)
assert len(time) == len(pose) == 51
step = m["pose"]["step"]
for k, name in ((1, "at0.02"), (25, "at0.5"), (50, "at1")):
    seen = json.load(open(name + ".out"))["print"]
    assert abs(time[k] - 0.02 * k) < 1e-6
    for a, b, s in zip(pose[k][7:], seen["xpos[cube]"] + seen["xquat[cube]"], step[7:]):
        assert abs(a - b) <= 0.51 * s + 1e-9, (name, a, b, s)  # half a step, as docs/view.md says
    z, dist, qvel = (page.unpack(p) for p in m["plots"])
    assert abs(z[k] - seen["qpos[2]"]) < 1e-6
    assert max(abs(a - b) for a, b in zip(qvel[6 * k:6 * k + 6], seen["qvel"])) < 1e-5
    there = seen["contact[board:cube].dist"]
    assert math.isnan(dist[k]) if there is None else abs(dist[k] - there) < 1e-6, (dist[k], there)
assert [(p["title"], p["unit"], len(p["columns"])) for p in d["plots"]] == \
    [("qpos[2]", "m|rad", 1), ("contact[board:cube].dist", "m", 1), ("qvel", "m/s|rad/s", 6)]
# at rest the contacts carry the weight
first, contact = page.unpack(m["contact_first"]), page.rows(m["contact"], 6)
assert first[0] == first[1] == 0 and first[-1] == len(contact)
assert abs(sum(c[5] for c in contact[first[50]:first[51]]) - d["weight"]) < 0.05 * d["weight"]
assert abs(d["weight"] - 0.37 * 9.81) < 1e-9
PYTHON

# ---- several motions; fewer frames; the model as an option; a page that is there
expect 0 two rollout "$toss" --time 1 --timestep 0.005 --out drop.h5
expect 0 two view toss.h5 drop.h5 --model "$toss" --fps 10 --out two.html --json
holds two 'j["frames"] == [11, 11]'
expect 2 there view "$toss" --out two.html
says there "--out two.html: it exists; --force overwrites it"
expect 0 there view "$toss" --out two.html --force
grep -q "^Wrote two.html" there.out || fail "$(cat there.out)"

# ---- a shape of each type, a tendon around a geom, names that end a script, a keyframe
cat > zoo.xml << 'MODEL'
<mujoco><asset><mesh name='wedge' vertex='0 0 0 .3 0 0 0 .3 0 0 0 .3'/><material name='red' rgba='1 0 0 1'/>
<hfield name='hill' nrow='2' ncol='3' size='1 1 .1 .1' elevation='0 1 0 1 0 1'/></asset><worldbody>
<geom type='plane' size='0 0 1'/><geom type='hfield' hfield='hill' pos='3 0 0'/>
<body name='a&lt;/script&gt;' pos='0 0 1'><joint name='hinge' axis='0 1 0'/><geom type='capsule' size='.05 .2' material='red'/>
<geom type='sphere' size='.1' group='3'/><geom type='ellipsoid' size='.1 .2 .3'/><geom name='post' type='cylinder' size='.1 .2'/>
<geom type='box' size='.1 .2 .3'/><geom type='mesh' mesh='wedge'/><site name='tip' pos='0 0 -.5'/></body>
<site name='wall' pos='1 0 1'/></worldbody><tendon><spatial name='cord'><site site='wall'/><geom geom='post'/><site site='tip'/></spatial>
</tendon><actuator><muscle name='pull' tendon='cord'/></actuator><keyframe><key name='up' qpos='1.5'/></keyframe></mujoco>
MODEL
expect 0 zoo view zoo.xml --out zoo.html
stands_alone zoo.html
expect 0 up view zoo.xml --keyframe up --out up.html
expect 0 up rollout zoo.xml --set 'qpos[hinge]=1.5' --time 0.002 --out up.h5
expect 0 up view zoo.xml up.h5 --out moved.html
python3 - << 'PYTHON' || fail "the page of all shapes"
import math, page
d, up, moved = (page.read(name + ".html") for name in ("zoo", "up", "moved"))
assert [g["type"] for g in d["geoms"]] == \
    ["plane", "hfield", "capsule", "sphere", "ellipsoid", "cylinder", "box", "mesh"]
assert d["bodies"][1] == "a</script>" and d["still"] == [True, False]
assert d["geoms"][2]["rgba"] == [1, 0, 0, 1] and d["geoms"][3]["group"] == 3
assert len(page.unpack(d["meshes"][0]["face"])) == 12 and max(page.unpack(d["meshes"][0]["face"])) == 3
assert page.unpack(d["fields"][0]["height"]) == [1, 0, 1, 0, 1, 0] and d["fields"][0]["rows"] == 2
assert d["tendons"][0]["lines"] == [4]  # two sites, two points of the geom
path = page.rows(d["motions"][0]["path"], 3)
assert path[0] == [1, 0, 1] and max(abs(a - b) for a, b in zip(path[3], [0, 0, 0.5])) < 1e-6
for shown in (up, moved):
    quat = page.rows(shown["motions"][0]["pose"], 14)[0][10:]
    assert max(abs(a - b) for a, b in zip(quat, [math.cos(0.75), 0, math.sin(0.75), 0])) < 1e-5, quat
PYTHON

# ---- textures: small pictures of those that geoms have; a sphere has the mean colour of its flat one
cat > room.xml << 'MODEL'
<mujoco><asset><texture name='squares' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 0 1' width='600' height='300'/>
<texture name='faces' type='cube' builtin='flat' rgb1='0 1 0' rgb2='1 1 0' width='300' height='1800'/>
<texture name='sky' type='skybox' builtin='gradient' width='64' height='384'/><texture name='spare' type='2d' builtin='flat' width='8' height='8'/>
<material name='floor' texture='squares' texrepeat='3 2'/><material name='die' texture='faces' texuniform='true'/><material name='spare' texture='spare'/></asset>
<worldbody><geom type='plane' size='2 1 .1' material='floor'/><geom type='plane' size='2 1 .1' pos='0 0 -1' material='floor'/>
<geom type='box' size='.1 .1 .1' pos='0 0 .5' material='die'/><geom type='sphere' size='.1' pos='1 0 .5' material='floor'/><geom size='.1'/></worldbody></mujoco>
MODEL
expect 0 room view room.xml --out room.html --json
holds room 'j["bytes"] < 90000'
stands_alone room.html
python3 - << 'PYTHON' || fail "the textures of the page"
import base64, browser, page
d = page.read("room.html")
assert [t["type"] for t in d["textures"]] == ["2d", "cube"]
flat, cube = (browser.pixels(base64.b64decode(t["png"])) for t in d["textures"])
assert (len(flat[0]), len(flat)) == (200, 100) and (len(cube[0]), len(cube)) == (100, 600)
assert flat[10][10] == flat[90][190] == (255, 0, 0) and flat[10][190] == flat[90][10] == (0, 0, 255)
assert [cube[100 * k + 50][50] for k in range(6)] == [(0, 255, 0)] * 3 + [(255, 255, 0)] + [(0, 255, 0)] * 2
looks = {look["geom"]: look for look in d["looks"]}
assert sorted(looks) == [0, 1, 2, 3] and looks[0] == {"geom": 0, "texture": 0, "repeat": [3, 2], "uniform": False}
assert looks[1]["texture"] == 0 and looks[2]["texture"] == 1 and looks[2]["uniform"] is True
assert all(abs(a - b) < 0.01 for a, b in zip(looks[3]["mean"], (0.5, 0, 0.5))), looks[3]
PYTHON

# ---- a mesh of many triangles is drawn with fewer
python3 - > ball.obj << 'PYTHON'
import math
n = 60
for i in range(n + 1):
    for j in range(2 * n):
        u, v = math.pi * i / n, math.pi * j / n
        print("v", math.sin(u) * math.cos(v), math.sin(u) * math.sin(v), math.cos(u))
for i in range(n):
    for j in range(2 * n):
        a, b = 2 * n * i + j + 1, 2 * n * i + (j + 1) % (2 * n) + 1
        print("f", a, a + 2 * n, b + 2 * n) if i < n - 1 else None
        print("f", a, b + 2 * n, b) if i > 0 else None
PYTHON
echo "<mujoco><asset><mesh name='ball' file='ball.obj'/></asset><worldbody><geom type='mesh' mesh='ball'/></worldbody></mujoco>" > ball.xml
expect 0 ball view ball.xml --triangles 2000 --out ball.html
python3 - << 'PYTHON' || fail "the page of a ball"
import page
mesh = page.read("ball.html")["meshes"][0]
vertex, face = page.rows(mesh["vertex"], 3), page.rows(mesh["face"], 3)
assert 500 < len(face) <= 2000, len(face)
assert all(0.9 < sum(x * x for x in v) < 1.01 for v in vertex) and max(map(max, face)) < len(vertex)
PYTHON

# ---- a soft ball in a rigid floor: the surface is the disk that both share, the pressure is largest in its middle
cat > soft.xml << 'MODEL'
<mujoco><worldbody><geom name='floor' type='plane' size='1 1 .1'/><body pos='0 0 .09'><freejoint/>
<geom name='ball' type='sphere' size='.1'/></body></worldbody><custom><text name='pressure:floor' data='rigid'/>
<text name='pressure:ball' data='compliant modulus=1e5 around=64'/></custom></mujoco>
MODEL
expect 0 soft view soft.xml --out soft.html
python3 - << 'PYTHON' || fail "the page of a soft ball"
import math
import page
surface = page.read("soft.html")["motions"][0]["surface"]
corner, pressure = page.rows(surface["corner"], 3), page.unpack(surface["pressure"])
counts, first = page.unpack(surface["corners"]), page.unpack(surface["first"])
assert first == [0, len(counts)] and sum(counts) == len(corner) and len(pressure) == len(counts)
radius = math.sqrt(0.1 ** 2 - 0.09 ** 2)
assert all(abs(z) < 1e-9 for _, _, z in corner)
assert 0.98 * radius < max(math.hypot(x, y) for x, y, _ in corner) <= radius
begin = [sum(counts[:i]) for i in range(len(counts))]
middle = [math.hypot(sum(c[0] for c in corner[b:b + n]) / n, sum(c[1] for c in corner[b:b + n]) / n) for b, n in zip(begin, counts)]
assert pressure[middle.index(min(middle))] > 0.9e4 and pressure[middle.index(max(middle))] < 0.2e4, (min(pressure), max(pressure))
PYTHON

# ---- what is refused, each in a sentence
refused 2 "--out is missing" view "$toss"
refused 2 "--out page.txt: a name that ends in .html or .htm is expected" view "$toss" --out page.txt
refused 2 "none/page.html: cannot be written" view "$toss" --out none/page.html
refused 2 "toss.h5: a recording does not hold its model" view toss.h5 --out page.html
refused 2 "one model expected" view "$toss" zoo.xml --out page.html
refused 2 "missing.xml" view missing.xml --out page.html
refused 2 "missing.h5" view "$toss" missing.h5 --out page.html
refused 2 "toss.h5: 'qpos' has 7 numbers in a row, the model's has 1: this is a recording of another model" \
  view zoo.xml toss.h5 --out page.html
refused 2 "there is no field 'qpso'; did you mean" view "$toss" toss.h5 --plot qpso --out page.html
refused 2 "plot xmat: it has 18 numbers, a plot shows at most 12; name some, as xmat[0]" view "$toss" toss.h5 --plot xmat --out page.html
refused 2 "--plot: needs a recording" view "$toss" --plot 'qpos[2]' --out page.html
refused 2 "--fps: needs a recording" view "$toss" --fps 50 --out page.html
refused 2 "--keyframe up: the recording gives the poses" view zoo.xml up.h5 --keyframe up --out page.html
refused 2 "--keyframe down: the model has 1 keyframes, none with this name or number" view zoo.xml --keyframe down --out page.html
refused 2 "--fps 0: a positive number expected" view "$toss" toss.h5 --fps 0 --out page.html
cp "$toss" text.h5
refused 2 "text.h5" view "$toss" text.h5 --out page.html
[ -e page.html ] && fail "a page was written after all"
finish
