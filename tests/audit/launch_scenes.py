# SPDX-License-Identifier: Apache-2.0
"""Random small models in contact, with a start, a loss and a method: what launches.py asks about."""
import math

SHAPES = ("sphere", "capsule", "cylinder", "box", "ellipsoid")
# solref and solimp: default, soft, bouncing, of next to no force at first touch
CONTACTS = (
    ("0.02 1", "0.9 0.95 0.001"),
    ("0.05 0.5", "0.9 0.95 0.001"),
    ("0.02 0.2", "0.0001 0.9 0.01"),
    ("0.02 0.5", "0.5 0.9 0.002"),
    ("-400 -10", "0.9 0.95 0.001"),
)
# integrator, tolerance (0: fixed steps), events, how often
METHODS = (
    ("tsit5", 1e-5, True, 3), ("tsit5", 1e-6, True, 3), ("tsit5", 1e-7, True, 3),
    ("bosh3", 1e-5, True, 2), ("bosh3", 1e-6, True, 3), ("bosh3", 1e-7, True, 2),
    ("dopri5", 1e-7, True, 2),
    ("bosh3", 1e-5, False, 3), ("tsit5", 1e-6, False, 2),
    ("Euler", 0, False, 3), ("implicitfast", 0, False, 1), ("RK4", 0, False, 1),
)


class Writer:
    """One scene: its XML, and what is known of it."""

    def __init__(self, random):
        self.random = random
        self.bodies = []
        self.more = ""
        self.nv = 0
        self.qvel = []
        self.ctrl = 0
        self.losses = []
        self.solref, self.solimp = random.choice(CONTACTS)
        self.cone = random.choice(("pyramidal", "elliptic"))

    def between(self, low, high):
        return self.random.uniform(low, high)

    def contact(self):
        return (f'friction="{self.between(0.2, 1.0):.3f} 0.005 0.0001" condim="{self.random.choice((1, 3, 3, 3, 4, 6))}" '
                f'solref="{self.solref}" solimp="{self.solimp}"')

    def shape(self, kind=None):
        kind = kind or self.random.choice(SHAPES)
        numbers = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
        size = " ".join(f"{self.between(0.03, 0.09):.4f}" for _ in range(numbers))
        return f'<geom type="{kind}" size="{size}" mass="{self.between(0.2, 2):.3f}" {self.contact()}/>'

    def floor(self):
        tilt = f'euler="{self.between(-0.3, 0.3):.3f} 0 0"' if self.random.random() < 0.2 else ""
        self.bodies.append(f'<geom type="plane" size="5 5 0.1" {tilt} solref="{self.solref}" solimp="{self.solimp}"/>')

    def free(self, x, y, z, speed, spin, kind=None, planar=False):
        """A free body, with velocities about as large as asked; planar: in the plane of x and z, so that corners
        come in pairs."""
        turn = " ".join(f"{self.between(-0.6, 0.6) * (k == 1 or not planar):.3f}" for k in range(3))
        self.bodies.append(f'<body pos="{x:.4f} {y:.4f} {z:.4f}" euler="{turn}"><freejoint/>{self.shape(kind)}</body>')
        self.qvel += [self.random.gauss(0, speed) for _ in range(3)] + [self.random.gauss(0, spin) for _ in range(3)]
        if planar:
            self.qvel[-5] = self.qvel[-3] = self.qvel[-1] = 0
        first = 7 * (self.nv // 6)
        self.losses += [f"qpos[{first}]", f"qpos[{first + 1}]", f"qpos[{first + 2}]"]
        self.nv += 6

    def xml(self, timestep, integrator):
        return (f'<mujoco><compiler angle="radian" autolimits="true"/><option timestep="{timestep}" cone="{self.cone}" '
                f'integrator="{integrator}"/><worldbody>{"".join(self.bodies)}</worldbody>{self.more}</mujoco>')


def toss(w):
    w.floor()
    w.free(0, 0, w.between(0.1, 0.25), 1, 3, planar=w.random.random() < 0.2)
    w.qvel[2] = -w.between(0, 2.5)


def tosses(w):
    """Two to five bodies, apart or meeting in the air."""
    w.floor()
    count = w.random.choice((2, 2, 2, 2, 2, 2, 3, 3, 4, 5))
    for k in range(count):
        angle = 2 * math.pi * k / count
        w.free(0.14 * math.cos(angle), 0.14 * math.sin(angle), w.between(0.1, 0.2), 0.4, 2)
        w.qvel[-6] -= 0.8 * math.cos(angle)
        w.qvel[-5] -= 0.8 * math.sin(angle)
        w.qvel[-4] -= w.between(0.5, 1.5)


def stack(w):
    w.floor()
    for k in range(w.random.choice((2, 2, 2, 3))):
        w.free(w.between(-0.03, 0.03), w.between(-0.03, 0.03), 0.12 + 0.18 * k, 0.2, 0.3)


def chain(w, links, over, ranged=0.8):
    """Links on hinges, each within a range that the motion meets."""
    text, end = "", ""
    for k in range(links):
        joint = f'<joint name="j{k}" axis="0 1 0" damping="{w.between(0.005, 0.05):.4f}"'
        if w.random.random() < ranged:
            joint += (f' range="{-w.between(0.2, 0.8):.3f} {w.between(0.2, 0.8):.3f}" solreflimit="{w.solref}"'
                      f' solimplimit="{w.solimp}"')
        place = f"0 0 {over:.3f}" if k == 0 else "0.25 0 0"
        text += (f'<body pos="{place}">{joint}/><geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.025" '
                 f'mass="{w.between(0.2, 1):.3f}" {w.contact()}/>')
        end += "</body>"
    w.bodies.append(text + end)
    w.qvel += [w.random.gauss(0, 3) for _ in range(links)]
    w.losses += [f"qpos[{w.nv + k}]" for k in range(links)]
    w.nv += links


def arm(w):
    w.floor()
    chain(w, w.random.choice((2, 3, 4)), w.between(0.3, 0.8))


def driven_arm(w):
    """Motors, servos or muscles, with controls inside, at and beyond their ranges."""
    w.floor()
    links = w.random.choice((2, 3))
    chain(w, links, w.between(0.4, 1))
    kind = w.random.choice(("motor", "position", "muscle", "muscle"))
    rows = []
    for k in range(links):
        if kind == "motor":
            rows.append(f'<motor joint="j{k}" gear="{w.between(0.5, 3):.3f}" ctrlrange="-1 1"/>')
        elif kind == "position":
            rows.append(f'<position joint="j{k}" kp="{w.between(1, 10):.3f}"/>')
        else:
            rows.append(f'<muscle joint="j{k}" ctrlrange="0 1" force="{w.between(2, 10):.2f}" lengthrange="0.5 2" '
                        f'gear="{w.between(0.3, 1):.2f}"/>')
    w.more = f'<actuator>{"".join(rows)}</actuator>'
    w.ctrl = links
    w.muscles = kind == "muscle"


def hopper(w):
    """A trunk on a leg of two parts, with motors; or two legs."""
    w.floor()
    legs = w.random.choice((1, 1, 2))
    text = (f'<body pos="0 0 {w.between(0.56, 0.75):.3f}"><joint axis="1 0 0" type="slide"/><joint axis="0 0 1" type="slide"/>'
            f'<joint axis="0 1 0"/><geom type="box" size="0.1 0.05 0.04" mass="{w.between(1, 3):.3f}" {w.contact()}/>')
    motors = ""
    for leg in range(legs):
        y = 0.08 * (2 * leg - 1) if legs == 2 else 0
        text += (f'<body pos="0 {y} 0"><joint name="hip{leg}" axis="0 1 0" range="-1 1" damping="0.2"/>'
                 f'<geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.025" mass="0.4" contype="0" conaffinity="0"/>'
                 f'<body pos="0 0 -0.25"><joint name="knee{leg}" axis="0 1 0" range="-1.2 0.6" damping="0.2"/>'
                 f'<geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.02" mass="0.3" contype="0" conaffinity="0"/>'
                 f'<geom type="sphere" pos="0 0 -0.25" size="0.035" mass="0.1" {w.contact()}/></body></body>')
        motors += f'<motor joint="hip{leg}" gear="4"/><motor joint="knee{leg}" gear="3"/>'
    w.bodies.append(text + "</body>")
    w.more = f"<actuator>{motors}</actuator>"
    w.ctrl = 2 * legs
    w.nv = 3 + 2 * legs
    w.qvel = [w.random.gauss(0, 0.5) for _ in range(w.nv)]
    w.losses = ["qpos[0]", "qpos[1]", "qpos[2]"]


def bumper(w):
    """A ball or a capsule thrown at an arm that hangs."""
    w.floor()
    w.free(-0.3, 0, w.between(0.2, 0.4), 0.3, 2, w.random.choice(("sphere", "capsule")))
    w.qvel[0] += w.between(1, 3)
    w.nv = 6
    arm_at = w.nv
    chain(w, 2, 0.6, 0.5)
    w.losses = ["qpos[0]", "qpos[2]", "qpos[7]"]
    w.qvel[arm_at:] = [w.random.gauss(0, 1) for _ in range(2)]


# scene, how often, seconds at most
SCENES = ((toss, 8, 1.6), (tosses, 3, 0.35), (stack, 3, 0.3), (arm, 4, 1.2), (driven_arm, 4, 0.8), (hopper, 4, 0.5),
          (bumper, 2, 0.6))


def pick(random, rows):
    """One of the rows, each as often as its weight says."""
    weights = [row[3] if len(row) == 4 else row[1] for row in rows]
    return random.choices(rows, weights)[0]


def controls(w, random):
    """Values of constant controls: inside their range, at its ends, beyond."""
    if w.ctrl == 0:
        return []
    edge = random.random()
    low = 0 if getattr(w, "muscles", False) else -1
    if edge < 0.15:
        return [random.choice((low, 1)) for _ in range(w.ctrl)]
    if edge < 0.25:
        return [random.choice((1.3, -1.2)) for _ in range(w.ctrl)]
    return [random.uniform(low + 0.05, 0.9) for _ in range(w.ctrl)]


def launch(random):
    """A launch: model text, and what carom grad is asked about it."""
    scene, _, longest = pick(random, SCENES)
    method, tolerance, events, _ = pick(random, METHODS)
    w = Writer(random)
    scene(w)
    time = min(longest, 0.15 + random.expovariate(1 / 0.3))
    timestep = random.choice((0.002, 0.005)) if tolerance else random.choice((0.001, 0.002, 0.004))
    time = round(time / timestep) * timestep
    ctrl = controls(w, random)
    by_control = ctrl and random.random() < 0.4
    return {
        "scene": scene.__name__,
        "xml": w.xml(timestep, "Euler" if tolerance else method),
        "time": time,
        "qvel": w.qvel,
        "ctrl": ctrl,
        "loss": random.choice(w.losses),
        "by": "ctrl" if by_control else "qvel",
        "method": method, "tolerance": tolerance, "events": events,
    }
