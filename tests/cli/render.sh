#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# carom render: pictures and films of models and recordings, and what is refused. Without OpenGL for a machine without a screen
# (libosmesa6, or EGL) there are no pictures, and without ffmpeg no films; then only what needs none of them is tested.
. "$CAROM_SOURCE_DIR/tests/support/cli.sh" || exit 1
export PYTHONPATH=$CAROM_SOURCE_DIR/tests/support PYTHONDONTWRITEBYTECODE=1
toss=$CAROM_SOURCE_DIR/examples/cube_toss.xml
throw="--timestep 0.005 --set qvel=0.3,0.8,1.2,3,2,-4"
camera="--lookat 0.1,0.3,0.05 --distance 1.5 --azimuth 120 --elevation -30"

# shellcheck disable=SC2086
expect 0 toss rollout "$toss" --time 1 $throw --out toss.h5
expect 0 drop rollout "$toss" --time 1 --timestep 0.005 --out drop.h5

# ---- what is refused, each in a sentence
refused 2 "--out is missing" render "$toss"
refused 2 "--out page.gif: a name that ends in .mp4 or .png is expected" render "$toss" --out page.gif
refused 2 "none/x.png: cannot be written" render "$toss" --out none/x.png
refused 2 "toss.h5: a recording does not hold its model" render toss.h5 --out x.png
refused 2 "x.mp4: needs a recording" render "$toss" --out x.mp4
refused 2 "--strip: needs a recording" render "$toss" --strip 3 --out x.png
refused 2 "--at: needs a recording" render "$toss" --at 1 --out x.png
refused 2 "--fps with --out x.png: it is for films and numbered pictures" render "$toss" toss.h5 --fps 10 --out x.png
refused 2 "--from with --out x.png: it is for films and several pictures; --at" render "$toss" toss.h5 --from 0.5 --out x.png
refused 2 "--at with --out x.mp4: it is for one picture (.png)" render "$toss" toss.h5 --at 0.5 --out x.mp4
refused 2 "--keyframe up: the recording gives the poses" render "$toss" toss.h5 --keyframe up --out x.png
refused 2 "a picture at 1.5 s: the motion takes 1 s" render "$toss" toss.h5 --at 1.5 --out x.png
refused 2 "a picture at -1 s: the motion takes 1 s" render "$toss" toss.h5 --at -1 --out x.png
refused 2 "pictures to 0.2 s: a time from 0.5 s to 1 s expected" render "$toss" toss.h5 --from 0.5 --to 0.2 --strip 2 --out x.png
refused 2 "x-%x.png: one %d, or %04d, gives pictures their numbers" render "$toss" toss.h5 --out x-%x.png
refused 2 "x-%d.png: a strip is one .png file" render "$toss" toss.h5 --strip 2 --out x-%d.png
refused 2 "--size 640: a width and a height in pixels expected, as 1280x720" render "$toss" --size 640 --out x.png
refused 2 "a picture of 9000 x 10 pixels; 1 to 8192 expected" render "$toss" --size 9000x10 --out x.png
refused 2 "30 pictures of 8000 pixels are wider than 65535" render "$toss" toss.h5 --size 8000x10 --strip 30 --out x.png
refused 2 "x.mp4: a film of 641 x 480 pixels; even numbers expected" render "$toss" toss.h5 --size 641x480 --out x.mp4
refused 2 "--lookat 1,2: three numbers expected, as 0,0,0.5" render "$toss" --lookat 1,2 --out x.png
refused 2 "camera side: the model has 0, none with this name or number" render "$toss" --camera side --out x.png
refused 2 "track ball: the model has 2, none with this name or number" render "$toss" --track ball --out x.png
refused 2 "track cube and lookat: the camera looks at one of them" render "$toss" --track cube --lookat 0,0,0 --out x.png
python3 - "$toss" > scene.xml << 'PYTHON'
import sys
print(open(sys.argv[1]).read().replace('<worldbody>', '''<worldbody><camera name="side" pos="0 -2 0.4" xyaxes="1 0 0 0 0.2 1"/>''')
      .replace("</mujoco>", '<keyframe><key name="high" qpos="0.4 0 0.6 1 0 0 0"/></keyframe></mujoco>'))
PYTHON
refused 2 "camera side is one of the model" render scene.xml --camera side --distance 1 --out x.png
refused 2 "this is a recording of another model" render "$data/double_pendulum.xml" toss.h5 --out x.png
path=$PATH
PATH=$work/none expect 2 bare render "$toss" toss.h5 --out x.mp4
PATH=$path
says bare "x.mp4: a film needs the program ffmpeg (apt-get install ffmpeg); pictures in .png do not"
# libraries that are none
mkdir empty
touch empty/libEGL.so.1 empty/libOSMesa.so.8 empty/libOSMesa.so.6 empty/libOSMesa.so
LD_LIBRARY_PATH=$work/empty refused 2 "rendering needs OpenGL without a screen, by EGL or OSMesa, and neither works here (apt-get install libosmesa6)" \
  render "$toss" --out x.png
ls x* 2> /dev/null && fail "something was written after all"

# ---- is there OpenGL?
"$CAROM" render "$toss" --out first.png > first.out 2> first.err
if grep -q "rendering needs OpenGL" first.err; then
  echo "render: there is no OpenGL without a screen (apt-get install libosmesa6); pictures are not tested"
  finish
fi

# ---- one picture: it is not blank, and the cube is where the recording says
for time in 0 0.12 0.36 1; do
  # shellcheck disable=SC2086
  expect 0 picture render "$toss" toss.h5 --at $time $camera --size 320x240 --out "at$time.png" --json
  holds picture 'j["pictures"] == 1 and [j["width"], j["height"]] == [320, 240]'
  # shellcheck disable=SC2086
  [ $time = 0 ] || expect 0 at$time rollout "$toss" --time $time $throw --json --print 'xpos[cube]'
done
# between two rows: half way between their poses
expect 0 half render "$toss" toss.h5 --at 0.0525 $camera --size 320x240 --out half.png
python3 - << 'PYTHON' || fail "the cube in the pictures"
import json, math, browser
def dot(a, b): return sum(x * y for x, y in zip(a, b))
az, el = math.radians(120), math.radians(-30)
forward = [math.cos(el) * math.cos(az), math.cos(el) * math.sin(az), math.sin(el)]
right = [math.sin(az), -math.cos(az), 0]
up = [right[1] * forward[2] - right[2] * forward[1], right[2] * forward[0] - right[0] * forward[2],
      right[0] * forward[1] - right[1] * forward[0]]
eye = [a - 1.5 * f for a, f in zip((0.1, 0.3, 0.05), forward)]
def project(p):
    to = [a - b for a, b in zip(p, eye)]
    scale = 120 / math.tan(math.radians(22.5)) / dot(to, forward)
    return 160 + scale * dot(to, right), 120 - scale * dot(to, up)
def cube_in(name):
    rows = browser.pixels(open(name, "rb").read())
    assert len(rows) == 240 and all(len(r) == 320 for r in rows)
    found = [(c, r) for r, row in enumerate(rows) for c, (red, _, blue) in enumerate(row) if red > blue + 25]
    assert len(found) > 100, (name, len(found))
    return [sum(x) / len(found) for x in zip(*found)], len(found)
seen = {}
for time in ("0", "0.12", "0.36", "1"):
    pos = json.load(open(f"at{time}.out"))["print"]["xpos[cube]"] if time != "0" else [0, 0, 0.2]
    (c, r), n = cube_in(f"at{time}.png")
    x, y = project(pos)
    # faces that are seen lie nearer than the centre, so their mean is some pixels off
    assert math.hypot(c - x, r - y) < 0.2 * math.sqrt(n), (time, (c, r), (x, y), n)
    seen[time] = (c, r)
    colours = {p for row in browser.pixels(open(f"at{time}.png", "rb").read()) for p in row}
    assert len(colours) > 10, (time, len(colours))
assert math.dist(seen["0"], seen["0.36"]) > 20
# at the height of the parabola the cube's centre is at t (0.3, 0.8, 1.2 - 9.81 t / 2)
t = 0.0525
(c, r), n = cube_in("half.png")
x, y = project([0.3 * t, 0.8 * t, 0.2 + 1.2 * t - 9.81 * t * t / 2])
assert math.hypot(c - x, r - y) < 0.2 * math.sqrt(n), ((c, r), (x, y))
PYTHON

# ---- the same picture again is the same file; a file that is there
expect 2 there render "$toss" toss.h5 --at 1 --out at1.png
says there "--out at1.png: it exists; --force overwrites it"
# shellcheck disable=SC2086
expect 0 again render "$toss" toss.h5 --at 1 $camera --size 320x240 --out again.png
cmp -s at1.png again.png || fail "a picture differs from the same one"
grep -qxF "Wrote again.png (1 picture of 320 x 240 pixels)" again.out || fail "$(cat again.out)"

# ---- a strip, a camera that follows, motions over each other, forces, a camera of the model, a keyframe
# shellcheck disable=SC2086
expect 0 strip render "$toss" toss.h5 --from 0 --to 0.36 --strip 3 $camera --size 320x240 --out strip.png --json
holds strip 'j["pictures"] == 3 and [j["width"], j["height"]] == [960, 240]'
expect 0 follow render "$toss" toss.h5 --strip 4 --track cube --distance 1 --size 200x200 --out follow.png
# shellcheck disable=SC2086
expect 0 both render "$toss" toss.h5 drop.h5 --at 1 $camera --size 320x240 --out both.png
for forces in "" --forces; do
  # shellcheck disable=SC2086
  expect 0 forces render "$toss" toss.h5 --at 1 $forces --track cube --distance 0.4 --size 320x240 --out close$forces.png
done
expect 0 side render scene.xml --camera side --size 160x120 --out side.png
expect 0 side0 render scene.xml --camera 0 --size 160x120 --out side0.png
cmp -s side.png side0.png || fail "the name and the number of a camera give two pictures"
expect 0 high render scene.xml --camera side --keyframe high --size 160x120 --out high.png
python3 - << 'PYTHON' || fail "strips, cameras, several motions and forces"
import browser
read = lambda name: browser.pixels(open(name, "rb").read())
strip = read("strip.png")
for k, name in ((0, "at0.png"), (2, "at0.36.png")):
    assert [row[320 * k:320 * k + 320] for row in strip] == read(name), name
follow = read("follow.png")
for k in range(4):
    found = [(c, r) for r, row in enumerate(follow) for c, p in enumerate(row[200 * k:200 * k + 200]) if p[0] > p[2] + 25]
    c, r = (sum(x) / len(found) for x in zip(*found))
    assert abs(c - 100) < 8 and abs(r - 100) < 8, (k, c, r)
count = lambda rows, seen: sum(seen(*p) for row in rows for p in row)
both = read("both.png")
assert count(both, lambda r, g, b: b > r + 80) > 100 and count(both, lambda r, g, b: r > b + 40) > 100
arrow = lambda r, g, b: r > 180 and r > g + 60 and b < 60
assert count(read("close--forces.png"), arrow) > 60 and count(read("close.png"), arrow) == 0
middle = lambda rows: [sum(x) / len(x) for x in zip(*[(c, r) for r, row in enumerate(rows) for c, p in enumerate(row) if p[0] > p[2] + 25])]
low, high = middle(read("side.png")), middle(read("high.png"))
assert high[0] > low[0] + 15 and high[1] < low[1] - 15, (low, high)
PYTHON

# ---- numbered pictures: time 0.2 to 0.6 s, ten a second, at half the speed
expect 0 many render "$toss" toss.h5 --from 0.2 --to 0.6 --fps 10 --speed 0.5 --size 64x48 --out many-%03d.png --json
holds many 'j["pictures"] == 9'
[ "$(echo many-*)" = "$(printf 'many-%03d.png ' 0 1 2 3 4 5 6 7 8 | sed 's/ $//')" ] || fail "$(echo many-*)"
expect 2 there render "$toss" toss.h5 --fps 10 --size 64x48 --out many-%03d.png
says there "--out many-000.png: it exists; --force overwrites it"
# a motion that ends earlier stays at its end
expect 0 short rollout "$toss" --time 0.2 --timestep 0.005 --out short.h5
expect 0 both render short.h5 toss.h5 --model "$toss" --at 1 --size 64x48 --out late.png

python3 "$CAROM_SOURCE_DIR/tests/support/terminal.py" 100 "$CAROM" render "$toss" toss.h5 --fps 100 --size 64x48 --out told-%03d.png > progress.out ||
  fail "at a terminal: $(tail -n 2 progress.out)"
grep -q "picture [0-9]* of 101, about [0-9]* s left" progress.out || fail "no time left: $(head -c 300 progress.out)"

# ---- films
if ! command -v ffmpeg > none.out || ! ffmpeg -hide_banner -encoders 2> none.err | grep -q libx264; then
  echo "render: there is no ffmpeg (apt-get install ffmpeg); films are not tested"
  finish
fi
expect 0 film render "$toss" toss.h5 --out film.mp4 --size 160x120 --json
holds film 'j["pictures"] == 31'
expect 0 slow render "$toss" toss.h5 --speed 0.5 --fps 20 --out slow.mp4 --size 160x120 --json
holds slow 'j["pictures"] == 41'
for film in film:31:30/1 slow:41:20/1; do
  IFS=: read -r name frames rate <<< "$film"
  seen=$(ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,r_frame_rate,nb_read_frames -of csv=p=0 "$name.mp4")
  [ "$seen" = "h264,160,120,$rate,$frames" ] || fail "$name.mp4: $seen"
done
ls ./*.tmp 2> /dev/null && fail "a part of a film was left"
# an interrupt leaves nothing
"$CAROM" render "$toss" toss.h5 --fps 50000 --out long.mp4 --size 160x120 > long.out 2> long.err &
sleep 2
kill -INT $!
wait $!
code=$?
[ $code -eq 130 ] || fail "interrupted: exit code $code: $(cat long.err)"
[ -e long.mp4 ] || [ -e long.mp4.tmp ] && fail "an interrupted film is there"
finish
