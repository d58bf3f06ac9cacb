#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model, a recording of it as it should be, and the same recording with a typical mistake in each file.

arms.xml has two driven pendulums (hip, knee), rig.xml a slide (cart) and a ball that turns freely (root, with a gyro). good.csv is
integrated here: 1.5 s, a row every 5 ms. Usage: fit_mistakes.py, in an empty folder
"""
import math, random

random.seed(3)
MODEL = """<mujoco><option timestep='0.005' integrator='RK4'/><worldbody>
<body name='arm'><joint name='hip' axis='0 1 0' damping='0.05'/><geom type='sphere' size='.02' pos='0 0 -.4' mass='0.5'/></body>
<body name='leg' pos='0 1 0'><joint name='knee' axis='0 1 0' damping='0.05' range='-150 150'/><geom type='sphere' size='.02' pos='0 0 -.2' mass='0.8'/></body>
</worldbody><actuator><motor name='drive' joint='hip' ctrlrange='-2 2'/><motor name='push' joint='knee'/></actuator>
<sensor><jointpos name='enc' joint='hip'/><jointpos name='knee_enc' joint='knee'/></sensor></mujoco>
"""
RIG = """<mujoco><option timestep='0.005' integrator='RK4' gravity='0 0 0'/><worldbody>
<body name='trolley'><joint name='cart' type='slide' axis='1 0 0'/><geom type='sphere' size='.02' mass='1'/></body>
<body name='ball' pos='0 3 0'><freejoint name='root'/><geom type='sphere' size='.1' mass='1'/><site name='imu'/></body></worldbody>
<sensor><jointpos name='rail' joint='cart'/><jointvel name='speed' joint='cart'/>
<framequat name='pose' objtype='body' objname='ball'/><gyro name='gyro' site='imu'/></sensor></mujoco>
"""
H, ROWS = 0.005, 300
PLACES = ("enc", "qvel[hip]", "knee_enc", "qvel[knee]", "rail", "speed")
NAMES = ["time", "drive", "push"] + list(PLACES) + ["pose." + k for k in "wxyz"] + ["gyro." + k for k in "xyz"]


def pendulum(mass, length, damping, drive):
    """Angle and rate, a row every H; the control is held over a step."""
    inertia = mass * length ** 2 + 0.4 * mass * 0.02 ** 2
    q, w, rows = 0.4, 0.0, []
    for k in range(ROWS):
        rows.append((q, w))
        rate = lambda q, w: (w, (drive(k * H) - damping * w - mass * 9.81 * length * math.sin(q)) / inertia)
        a = rate(q, w)
        b = rate(q + H / 2 * a[0], w + H / 2 * a[1])
        c = rate(q + H / 2 * b[0], w + H / 2 * b[1])
        d = rate(q + H * c[0], w + H * c[1])
        q += H / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        w += H / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return rows


drive = lambda t: 0.9 * math.sin(5 * t + 1)
push = lambda t: 0.2 * math.sin(9 * t)
hip, knee = pendulum(0.5, 0.4, 0.03, drive), pendulum(0.8, 0.2, 0.05, push)
SPIN = (0.9, -1.4, 0.6)  # of the ball, rad/s: constant, as it is a sphere
spin = math.sqrt(sum(x * x for x in SPIN))


def good():
    """Rows of numbers, in the order of NAMES."""
    noise = lambda sd: random.gauss(0, sd)
    rows = []
    for k in range(ROWS):
        t = k * H
        half = 0.5 * spin * t
        quat = [math.cos(half)] + [math.sin(half) * x / spin for x in SPIN]
        rows.append([t, drive(t), push(t), hip[k][0] + noise(1e-3), hip[k][1] + noise(1e-2), knee[k][0] + noise(1e-3),
                     knee[k][1] + noise(1e-2), 0.3 * t + noise(1e-4), 0.3 + noise(1e-3)] + quat + [x + noise(1e-3) for x in SPIN])
    return rows


ALL = good()


def write(name, names=None, rows=None, only=None, separator=",", edit=None):
    """A table. only: these columns; edit(k, row): changes row k, a list in the order of NAMES."""
    names = list(NAMES if names is None else names)
    rows = [list(r) for r in (ALL if rows is None else rows)]
    for k, row in enumerate(rows):
        rows[k] = edit(k, row) or row if edit else row
    keep = [i for i, n in enumerate(NAMES) if only is None or n in only]
    with open(name, "w") as f:
        f.write(separator.join(names[i] for i in keep) + "\n")
        for row in rows:
            f.write(separator.join(row[i] if isinstance(row[i], str) else "%.9g" % row[i] for i in keep) + "\n")


def renamed(**new):
    return [new.get(n.replace(".", "_").replace("[", "_").replace("]", ""), n) for n in NAMES]


def at(column, change, rows=None):
    """An edit of one column, in some rows."""
    i = NAMES.index(column)

    def edit(k, row):
        if rows is None or k in rows:
            row[i] = change(row[i]) if callable(change) else change
    return edit


ARMS = ("time", "drive", "push", "enc", "qvel[hip]", "knee_enc", "qvel[knee]")
BALL = ("time", "pose.w", "pose.x", "pose.y", "pose.z", "gyro.x", "gyro.y", "gyro.z")
CART = ("time", "rail", "speed")
HIP = ("time", "drive", "push", "enc")

for name, text in (("arms.xml", MODEL), ("rig.xml", RIG)):
    with open(name, "w") as f:
        f.write(text)
write("good.csv", only=ARMS)
write("hip.csv", only=HIP)
write("cart.csv", only=CART)
write("ball.csv", only=BALL)


# units
def scaled(*columns, by):
    return lambda k, row: [x * by if n in columns else x for n, x in zip(NAMES, row)]


write("mm.csv", only=CART, edit=scaled("rail", by=1000))
write("cm_s.csv", only=CART, edit=scaled("speed", by=100))
write("degrees.csv", only=ARMS, edit=scaled("enc", by=180 / math.pi))
write("deg_s.csv", only=ARMS, edit=scaled("qvel[hip]", by=180 / math.pi))
write("rpm.csv", only=ARMS, edit=scaled("qvel[hip]", by=30 / math.pi))
write("turns.csv", only=ARMS, edit=scaled("enc", by=0.5 / math.pi))
write("ms.csv", only=ARMS, edit=scaled("time", by=1000))
write("us.csv", only=ARMS, edit=scaled("time", by=1e6))
write("ms_bare.csv", only=HIP, edit=scaled("time", by=1000))
write("minutes.csv", only=ARMS, edit=scaled("time", by=1 / 60))
write("wrong_unit.csv", names=renamed(enc="enc [mm]"), only=ARMS)
write("no_unit.csv", names=renamed(enc="enc [blub]"), only=ARMS)
write("two_units.csv", names=renamed(enc="enc [deg] [rad]"), only=ARMS)
write("control_unit.csv", names=renamed(drive="drive [mV]"), only=ARMS)
write("volts.csv", only=ARMS, edit=scaled("drive", by=12))
write("reversed.csv", only=ARMS, edit=scaled("enc", by=-1))
write("degrees_alone.csv", only=("time", "drive", "push", "knee_enc"), edit=scaled("knee_enc", by=3000))

# columns and quaternions
swap = lambda a, b: renamed(**{a[0]: b[1], b[0]: a[1]})
write("swapped.csv", names=swap(("enc", "enc"), ("knee_enc", "knee_enc")), only=ARMS)
write("swapped_both.csv", names=renamed(enc="knee_enc", knee_enc="enc", qvel_hip="qvel[knee]", qvel_knee="qvel[hip]"), only=ARMS)
write("swapped_alone.csv", names=swap(("enc", "enc"), ("knee_enc", "knee_enc")), only=("time", "drive", "push", "enc", "knee_enc"))
write("swapped_controls.csv", names=renamed(drive="push", push="drive"), only=ARMS)
write("position_as_rate.csv", names=renamed(enc="qvel[hip]", qvel_hip="enc"), only=ARMS)
I = NAMES.index("pose.w")
write("xyzw.csv", only=BALL, edit=lambda k, r: r[:I] + r[I + 1:I + 4] + [r[I]] + r[I + 4:])
write("world_to_body.csv", only=BALL, edit=lambda k, r: r[:I] + [r[I]] + [-x for x in r[I + 1:I + 4]] + r[I + 4:])
write("gyro_deg.csv", only=BALL, edit=scaled("gyro.x", "gyro.y", "gyro.z", by=180 / math.pi))
write("long_quat.csv", only=BALL, edit=scaled("pose.w", "pose.x", "pose.y", "pose.z", by=2))
write("part_quat.csv", only=[n for n in BALL if n != "pose.z"])
write("euler.csv", names=renamed(pose_w="pose.roll"), only=BALL)

# times
write("back.csv", only=ARMS, edit=at("time", 0.1, [200]))
write("twice.csv", only=ARMS, edit=at("time", ALL[199][0], [200]))
write("gap.csv", rows=ALL[:150] + ALL[200:], only=ARMS)
write("no_time.csv", only=ARMS[1:])
write("rate_zero.csv", only=ARMS[1:])
write("jitter.csv", only=ARMS, edit=lambda k, r: [r[0] + (0.002 if k % 2 else 0)] + r[1:])
write("time_hole.csv", only=ARMS, edit=at("time", "", [30]))
write("clock.csv", only=ARMS, edit=lambda k, r: ["12:00:%06.3f" % r[0]] + r[1:])
write("two_times.csv", names=renamed(rail="t"), only=ARMS + ("rail",))
write("sparse.csv", rows=ALL[::40], only=ARMS)
write("dense.csv", only=ARMS, edit=scaled("time", by=0.2))

# controls and names
write("no_control.csv", only=[n for n in ARMS if n != "push"])
write("other_actuator.csv", names=renamed(push="ctrl[pull]"), only=ARMS)
write("typo.csv", names=renamed(enc="encc"), only=ARMS)
write("other_joint.csv", names=renamed(qvel_hip="qvel[hipp]"), only=ARMS)
write("model_field.csv", names=renamed(enc="body_mass[arm]"), only=ARMS)
write("whole_field.csv", names=renamed(enc="qpos"), only=ARMS)
write("upper.csv", names=renamed(enc="ENC"), only=ARMS)
write("duplicate.csv", names=renamed(knee_enc="enc"), only=ARMS)
write("one_number.csv", names=renamed(knee_enc="qpos[hip]"), only=ARMS)
write("late_control.csv", only=ARMS, edit=at("drive", "", range(100)))
write("nan_control.csv", only=ARMS, edit=at("drive", "nan", [5]))
write("component.csv", names=renamed(enc="enc.y"), only=ARMS)
write("rate_column.csv", names=renamed(enc="rate"), only=ARMS)
write("no_measurement.csv", only=("time", "drive", "push"))

# values
write("inf.csv", only=ARMS, edit=at("enc", "inf", [7]))
write("word.csv", only=ARMS, edit=at("enc", "none", [7]))
write("all_nan.csv", only=ARMS, edit=at("enc", "nan"))
write("all_empty.csv", only=HIP, edit=at("enc", ""))
write("constant.csv", only=ARMS, edit=at("enc", 0.4))
write("constant_alone.csv", only=HIP, edit=at("enc", 0.4))
write("saturated.csv", only=ARMS, edit=at("knee_enc", lambda x: max(min(x, 0.05), -0.05)))
write("spike.csv", only=ARMS, edit=at("enc", 1e9, [7]))
write("beyond.csv", only=ARMS, edit=scaled("drive", by=5))
write("one_row.csv", rows=ALL[:1], only=ARMS)
write("two_rows.csv", rows=ALL[:2], only=ARMS)

# the file
write("semicolons_and_commas.csv", separator=";", only=ARMS, edit=at("enc", lambda x: ("%.6f" % x).replace(".", ",")))
write("decimal_commas.csv", only=ARMS, edit=at("enc", lambda x: ("%.6f" % x).replace(".", ",")))
write("blanks.csv", separator=" ", only=ARMS)
lines = open("good.csv").read().split("\n")
files = {"empty.csv": "", "header_only.csv": lines[0] + "\n", "no_header.csv": "\n".join(lines[1:]), "short_line.csv": "\n".join(
    lines[:9] + [lines[9].rsplit(",", 1)[0]] + lines[10:]), "cut.csv": "\n".join(lines[:50])[:-14], "two_headers.csv": "\n".join(
    lines[:50] + lines), "comment_only.csv": "# nothing yet\n", "page.csv": "<html><body>404</body></html>\n", "two_rates.csv":
    "# rate: 200 Hz\n# rate: 100 Hz\n" + "\n".join(lines), "bad_rate.csv": "# rate: fast\n" + open("no_time.csv").read(), "run.txt":
    "\n".join(lines), "not.npz": "\n".join(lines), "not.h5": "\n".join(lines), "no_joints.xml":
    "<mujoco><worldbody><geom size='.1'/></worldbody></mujoco>", "broken.xml": "<mujoco><worldbody></mujoco>", "scene.xml":
    "<scene/>"}
for name, text in files.items():
    with open(name, "w") as f:
        f.write(text)
with open("zeros.csv", "wb") as f:
    f.write(b"time,enc\n" + bytes(100))
