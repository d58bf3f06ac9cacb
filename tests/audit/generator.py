# SPDX-License-Identifier: Apache-2.0
"""Random models that combine features, as MJCF. The same seed gives the same text."""
import numpy as np

INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
SHAPES = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh")
SOLREFS = ("0.02 1", "0.02 0.2", "0.005 1", "0.1 2", "0.002 1", "-400 -10", "-5000 -5", "-1e5 -100")
SOLIMPS = ("0.9 0.95 0.001", "0 0.95 0.01", "0.0001 0.9 0.01 0.5 1", "0.5 0.5 0.001", "0.95 0.5 0.02 0.3 3",
           "0.9999 0.9999 0.001", "0.7 0.9 0 0.5 2", "0.2 0.99 0.05 0.9 6", "1 1 0.01")


class Scene:
    """What has been made so far: text of each section, and names to refer to."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        self.tags = set()
        self.text = {k: [] for k in ("asset", "world", "tendon", "equality", "actuator", "contact", "sensor")}
        self.joints, self.bodies, self.sites, self.geoms, self.tendons = [], ["world"], [], [], []
        self.count = 0

    def chance(self, p):
        """True with probability p."""
        return bool(self.r.random() < p)

    def pick(self, items):
        """One of them."""
        return items[int(self.r.integers(len(items)))]

    def real(self, low, high):
        """A number between, rounded so that the text holds it exactly."""
        return float(f"{self.r.uniform(low, high):.5g}")

    def log(self, low, high):
        """A number between, its logarithm uniform."""
        return float(f"{np.exp(self.r.uniform(np.log(low), np.log(high))):.5g}")

    def vector(self, size, n=3):
        """n numbers of at most this size, as text."""
        return words(self.real(-size, size) for _ in range(n))

    def name(self, kind):
        """A new name."""
        self.count += 1
        return f"{kind}{self.count}"


def words(numbers):
    """Numbers as text."""
    return " ".join(f"{float(x):.9g}" for x in numbers)


def attributes(**values):
    """As in XML; None is left out."""
    return "".join(f' {k}="{v}"' for k, v in values.items() if v is not None)


# ---- contact and constraint parameters

def solver(s, suffix=""):
    """solref and solimp, often left at their defaults, sometimes extreme."""
    out = {}
    if s.chance(0.35):
        out["solref" + suffix] = s.pick(SOLREFS)
    if s.chance(0.35):
        out["solimp" + suffix] = s.pick(SOLIMPS)
    return out


def contact_of(s):
    """Contact parameters of a geom."""
    out = solver(s)
    out["condim"] = s.pick((1, 3, 3, 4, 6))
    if s.chance(0.5):
        out["friction"] = words((s.pick((0.0, s.real(0.1, 1.5), s.real(0.1, 1.5))), s.real(0.001, 0.05),
                                 s.real(0.0001, 0.01)))
    if s.chance(0.25):
        out["margin"] = s.real(0.001, 0.02)
    if s.chance(0.15):
        out["gap"] = s.real(0.001, 0.02)
    if s.chance(0.1):
        out["priority"] = 1
    if s.chance(0.1):
        out["solmix"] = s.pick((0, 0.3, 2))
    if s.chance(0.06):
        out["adhesion"] = s.real(0.1, 2)
    if s.chance(0.06):
        out["surfacevel"] = s.vector(0.4, 6)
    return out


# ---- shapes

def mesh(s):
    """A mesh of random points, or one with parallel faces."""
    name = s.name("mesh")
    if s.chance(0.5):
        points = s.r.uniform(-0.1, 0.1, (int(s.r.integers(6, 14)), 3))
    else:
        n, radius = int(s.r.integers(3, 7)), s.real(0.05, 0.1)
        angle = 2 * np.pi * np.arange(n) / n
        ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(n, 0.05)], 1)
        points = np.concatenate([ring, ring * [1, 1, -1]])
    s.text["asset"].append(f'<mesh name="{name}" vertex="{words(np.round(points, 5).ravel())}"/>')
    return name


def size_of(s, shape):
    """Half sizes of a shape of about 5 to 10 cm."""
    n = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[shape]
    return words(s.real(0.03, 0.1) for _ in range(n))


def geom(s, pose, shape=None, inertial=True, **more):
    """A geom at this pose, given as attributes."""
    shape = shape or s.pick(SHAPES)
    name = s.name("g")
    s.geoms.append((name, shape))
    size = {"mesh": mesh(s)} if shape == "mesh" else {"size": size_of(s, shape)}
    mass = {"mass": s.log(0.05, 3) if s.chance(0.9) else s.pick((0.001, 30))} if inertial else {}
    options = {**size, **mass, **contact_of(s), **pose, **more}
    if s.chance(0.04):
        options["fluidshape"] = "ellipsoid"
    return f'<geom name="{name}" type="{shape}"{attributes(**options)}/>'


def site(s, size=0.1):
    """A site somewhere on the body."""
    name = s.name("s")
    s.sites.append(name)
    return f'<site name="{name}" pos="{s.vector(size)}" euler="{s.vector(180)}"/>'


# ---- joints

def joint(s, kind, **fixed):
    """A joint with some of: spring, damping, limits, friction loss, armature."""
    name = s.name("j")
    s.joints.append((name, kind))
    a = {"name": name, "type": kind, **fixed}
    if kind in ("hinge", "slide") and "axis" not in a:
        a["axis"] = s.pick(("1 0 0", "0 1 0", "0 0 1", "1 1 0", s.vector(1) if s.chance(0.9) else "0 1 1"))
    if kind in ("hinge", "ball") and "pos" not in a and s.chance(0.2):
        a["pos"] = s.vector(0.05)
    spring(s, a, kind)
    limits(s, a, kind)
    if s.chance(0.25):
        a["frictionloss"] = s.log(0.01, 1)
        a.update(solver(s, "friction") if s.chance(0.3) else {})
    if s.chance(0.4):
        a["armature"] = s.log(0.001, 0.1)
    if kind != "ball" and s.chance(0.12):
        a["actuatorfrcrange"] = f"{-s.real(0.1, 2)} {s.real(0.1, 2)}"
    if s.chance(0.06):
        a["actuatorgravcomp"] = "true"
    return f"<joint{attributes(**a)}/>"


def spring(s, a, kind):
    """Stiffness and damping, the polynomial ones too; most springs are at rest where the model starts."""
    if s.chance(0.35):
        k = s.log(0.1, 200)
        a["stiffness"] = words((k, s.real(-1, 1) * k, s.real(0, 2) * k)) if s.chance(0.25) else k
        if kind != "ball" and s.chance(0.4):
            a["springref"] = s.real(-0.5, 0.5) * (30 if kind == "hinge" else 1)
    if s.chance(0.5):
        b = s.log(0.01, 5)
        a["damping"] = words((b, s.real(0, 1) * b, s.real(0, 1) * b)) if s.chance(0.25) else b


def limits(s, a, kind):
    """A range; now and then the model starts on its end, or outside."""
    if not s.chance(0.35):
        return
    turn = np.degrees(1) if kind in ("hinge", "ball") else 1
    if kind == "ball":
        a["range"] = f"0 {turn * s.real(0.2, 1.5):.6g}"
    else:
        low, high = -s.real(0.05, 1), s.real(0.05, 1)
        which = s.r.random()
        low = 0 if which < 0.1 else (0.02 if which < 0.15 else low)
        a["range"] = f"{turn * low:.6g} {turn * max(high, low + 0.1):.6g}"
    a["limited"] = "true"
    a.update(solver(s, "limit"))
    if s.chance(0.2):
        a["margin"] = s.real(0.001, 0.1)


# ---- bodies

def chain(s, depth, fan=False):
    """A body with joints, geoms, sites, and children of its own."""
    name = s.name("b")
    s.bodies.append(name)
    kinds = s.pick((("hinge",), ("hinge",), ("slide",), ("ball",), ("hinge", "hinge"), ("slide", "hinge"), ()))
    inside = [joint(s, k) for k in kinds]
    along = s.pick(("0.25 0 0", "0 0 -0.25", "0.1 0.2 0"))
    shape = s.pick(SHAPES)
    pose = {"fromto": "0 0 0 " + along} if shape in ("capsule", "cylinder") and s.chance(0.6) else \
        {"pos": s.vector(0.1), "euler": s.vector(180)}
    inside.append(geom(s, pose, shape, **({"size": s.real(0.02, 0.05)} if "fromto" in pose else {})))
    if s.chance(0.3):
        inside.append(geom(s, {"pos": s.vector(0.1)}))
    inside += [site(s) for _ in range(int(s.r.integers(1, 3)))]
    for _ in range(2 if fan else 1):
        if depth > 1 and s.chance(0.75):
            inside.append(chain(s, depth - 1))
    gravcomp = s.real(0, 1.2) if s.chance(0.12) else None
    return f'<body{attributes(name=name, pos=along if depth < 4 else s.vector(0.2), gravcomp=gravcomp)}>' + \
        "".join(inside) + "</body>"


def arm(s):
    """A chain that hangs somewhere above the floor."""
    place = words((s.real(-0.3, 0.3), s.real(-0.3, 0.3), s.real(0.3, 0.9)))
    s.text["world"].append(f'<body name="{s.name("base")}" pos="{place}">' +
                           chain(s, int(s.r.integers(1, 4)), s.chance(0.2)) + "</body>")


def loose(s):
    """A free body, low enough to touch the ground within a rollout; sometimes with a limb."""
    name = s.name("b")
    s.bodies.append(name)
    s.joints.append((name + "free", "free"))
    turn = s.pick(("0 0 0", "0 0 0", s.vector(180), "90 0 0", words((1e-7 * s.real(0.01, 10), 0, 0))))
    place = words((s.real(-0.4, 0.4), s.real(-0.4, 0.4), s.real(0.03, 0.25)))
    inside = [f'<freejoint name="{name}free"/>', geom(s, {}), site(s)]
    if s.chance(0.3):
        inside.append(geom(s, {"pos": s.vector(0.1), "euler": s.vector(180)}))
    if s.chance(0.25):
        inside.append(chain(s, 1))
    s.text["world"].append(f'<body name="{name}" pos="{place}" euler="{turn}">' + "".join(inside) + "</body>")


def simple(s):
    """A body whose block of the inertia matrix is diagonal: slides along axes, or hinges at its centre."""
    name = s.name("b")
    s.bodies.append(name)
    s.tags.add("simple")
    axes = ["1 0 0", "0 1 0", "0 0 1"][:int(s.r.integers(1, 4))]
    joints = [joint(s, "slide", axis=a) for a in axes]
    if s.chance(0.5):
        joints.append(joint(s, "hinge", axis=s.pick(("1 0 0", "0 1 0", "0 0 1")), pos="0 0 0"))
    shape = s.pick(("sphere", "box", "ellipsoid", "cylinder", "capsule"))
    place = words((s.real(-0.4, 0.4), s.real(-0.4, 0.4), s.real(0.05, 0.4)))
    s.text["world"].append(f'<body name="{name}" pos="{place}">' + "".join(joints) + geom(s, {}, shape) +
                           site(s) + "</body>")


def near_flat(s):
    """A cylinder at rest on the floor, upright or lying, tilted by next to nothing."""
    name = s.name("b")
    s.bodies.append(name)
    s.tags.add("near flat")
    s.joints.append((name + "free", "free"))
    tilt = np.degrees(s.log(1e-9, 1e-6))
    lying = s.chance(0.4)
    turn = f"90 {tilt:.9g} 0" if lying else f"{tilt:.9g} 0 0"
    radius, half = s.real(0.05, 0.1), s.real(0.05, 0.1)
    height = (radius if lying else half) - s.log(1e-5, 1e-3)
    where = words((s.real(0.6, 1), s.real(-0.5, 0.5), height))
    s.text["world"].append(f'<body name="{name}" pos="{where}" euler="{turn}"><freejoint name="{name}free"/>'
                           f'<geom type="cylinder" size="{radius} {half}" mass="1" '
                           f'condim="{s.pick((3, 4, 6))}"/></body>')


# ---- what couples them

def tendon(s):
    """A fixed or spatial tendon; its spring is at rest where the model starts, unless it is given a length."""
    name = s.name("t")
    scalar = [n for n, k in s.joints if k in ("hinge", "slide")]
    fixed = bool(scalar) and s.chance(0.5)
    if fixed:
        chosen = list(dict.fromkeys(s.pick(scalar) for _ in range(3)))
        path = "".join(f'<joint joint="{j}" coef="{s.real(-2, 2)}"/>' for j in chosen)
    elif len(s.sites) > 1:
        path = tendon_path(s)
    else:
        return
    a = {"name": name}
    if s.chance(0.5):
        k = s.log(1, 100)
        a["stiffness"] = words((k, s.real(-1, 1) * k, s.real(0, 2) * k)) if s.chance(0.2) else k
        if s.chance(0.35):
            low = s.real(0, 0.6)
            a["springlength"] = s.pick((f"{low} {low + s.real(0, 0.3)}", low))
    if s.chance(0.4):
        b = s.log(0.05, 5)
        a["damping"] = words((b, s.real(0, 1) * b, s.real(0, 1) * b)) if s.chance(0.2) else b
    if s.chance(0.2):
        a["frictionloss"] = s.log(0.01, 1)
    if "<geom" not in path and s.chance(0.2):
        a["armature"] = s.log(0.001, 0.1)
    if s.chance(0.25):
        low = s.real(-0.5, 0.2) if fixed else s.real(0, 0.3)
        a.update({"range": f"{low} {low + s.real(0.1, 0.6)}", "limited": "true", **solver(s, "limit")})
    if s.chance(0.1):
        a["actuatorfrcrange"] = f"{-s.real(0.1, 2)} {s.real(0.1, 2)}"
    kind = "fixed" if fixed else "spatial"
    s.tendons.append((name, kind))
    s.text["tendon"].append(f"<{kind}{attributes(**a)}>{path}</{kind}>")


def tendon_path(s):
    """Sites, with a geom to wrap around or a pulley between."""
    ends = [s.pick(s.sites) for _ in range(4)]
    round_ = [n for n, k in s.geoms if k in ("sphere", "cylinder")]
    path = f'<site site="{ends[0]}"/>'
    if round_ and s.chance(0.5):
        side = f' sidesite="{s.pick(s.sites)}"' if s.chance(0.5) else ""
        path += f'<geom geom="{s.pick(round_)}"{side}/>'
    other = ends[1] if ends[1] != ends[0] else s.pick([x for x in s.sites if x != ends[0]])
    path += f'<site site="{other}"/>'
    if s.chance(0.2) and ends[2] != ends[3]:
        path += f'<pulley divisor="{s.pick((1, 2, 0.5))}"/><site site="{ends[2]}"/><site site="{ends[3]}"/>'
    return path


def equality(s):
    """One equality constraint of any kind."""
    kind = s.pick(("connect", "weld", "joint", "tendon", "connect sites", "weld sites"))
    scalar = [n for n, k in s.joints if k in ("hinge", "slide")]
    a = solver(s)
    if kind in ("connect", "weld") and len(s.bodies) > 2:
        one, two = s.r.choice(len(s.bodies), 2, replace=False)
        a.update(body1=s.bodies[max(one, two)], body2=s.bodies[min(one, two)])
        a.update({"anchor": s.vector(0.1)} if kind == "connect" else {})
    elif kind.endswith("sites") and len(s.sites) > 1:
        one, two = s.r.choice(len(s.sites), 2, replace=False)
        a.update(site1=s.sites[one], site2=s.sites[two])
        kind = kind.split()[0]
    elif kind == "joint" and scalar:
        a.update(joint1=scalar[0], polycoef=s.vector(0.5, 5))
        a.update({"joint2": scalar[-1]} if len(scalar) > 1 and s.chance(0.8) else {})
    elif kind == "tendon" and s.tendons:
        a.update(tendon1=s.tendons[0][0], polycoef=s.vector(0.5, 5))
    else:
        return
    if kind == "weld" and s.chance(0.4):
        a["torquescale"] = s.real(0.1, 2)
    s.text["equality"].append(f"<{kind}{attributes(**a)}/>")


# ---- actuators

def target(s):
    """What an actuator pulls on: attributes of its transmission, and of which kind it is."""
    kinds = []
    kinds += ["joint"] * 4 if s.joints else []
    kinds += ["tendon"] * 3 if s.tendons else []
    kinds += ["site", "site", "crank"] if len(s.sites) > 1 else []
    kind = s.pick(kinds)
    if kind == "joint":
        name, joint_kind = s.pick(s.joints)
        n = {"free": 6, "ball": 3}.get(joint_kind, 1)
        gear = s.vector(1, n) if n > 1 else (s.real(-3, 3) if s.chance(0.6) else None)
        return joint_kind, {s.pick(("joint", "joint", "jointinparent")): name, "gear": gear}
    if kind == "tendon":
        return kind, {"tendon": s.pick(s.tendons)[0], "gear": s.real(-3, 3) if s.chance(0.5) else None}
    one, two = s.r.choice(len(s.sites), 2, replace=False)
    if kind == "crank":
        return kind, {"cranksite": s.sites[one], "slidersite": s.sites[two], "cranklength": s.real(0.2, 1.5)}
    ref = s.sites[two] if s.chance(0.6) else None
    gear = s.pick((f"{s.vector(1)} 0 0 0", f"0 0 0 {s.vector(1)}", s.vector(1, 6)))
    return kind, {"site": s.sites[one], "refsite": ref, "gear": gear}


def ranges(s, a, low=None):
    """Limits of control and force."""
    if s.chance(0.5):
        a["ctrlrange"] = f"{-s.real(0.1, 2) if low is None else low} {s.pick((0, s.real(0.1, 2), s.real(0.1, 2))) if low is None else s.real(0.1, 2)}"
    if s.chance(0.3):
        a["forcerange"] = f"{-s.real(0.1, 5)} {s.real(0.1, 5)}"


def actuator(s):
    """An actuator of any kind."""
    makers = (motor, servo, servo, damper, muscle, muscle, general, general, adhesion, controller)
    s.pick(makers)(s)


def add(s, tag, a):
    """Writes it."""
    s.text["actuator"].append(f'<{tag}{attributes(name=s.name("a"), **a)}/>')


def motor(s):
    """Force in proportion to the control."""
    a = target(s)[1]
    ranges(s, a)
    if s.chance(0.15) and any(k in a for k in ("tendon", "joint")):
        a.update(armature=s.log(0.001, 0.1), damping=s.log(0.01, 1))
    add(s, "motor", a)


def servo(s):
    """Position and velocity servos, with and without a time constant."""
    kind, a = target(s)
    ranges(s, a)
    tag = s.pick(("position", "position", "velocity", "intvelocity"))
    if tag == "position":
        a["kp"] = s.log(0.1, 100)
        if s.chance(0.5):
            a[s.pick(("kv", "dampratio")) if kind in ("hinge", "slide") else "kv"] = s.log(0.05, 2)
        if s.chance(0.3):
            a["timeconst"] = s.log(0.01, 0.5)
    elif tag == "velocity":
        a["kv"] = s.log(0.05, 5)
    else:
        low = -s.real(0.2, 1)
        a.update(kp=s.log(0.1, 50), actrange=f"{low} {-low}")
    add(s, tag, a)


def damper(s):
    """A damper: its gain depends on the velocity, so clipping shows in implicit integrators."""
    a = target(s)[1]
    a.update(kv=s.log(0.05, 3), ctrlrange=f"0 {s.real(0.3, 2)}")
    if s.chance(0.2):
        a["forcerange"] = f"{-s.real(0.1, 5)} {s.real(0.1, 5)}"
    add(s, "damper", a)


def muscle(s):
    """A muscle on a joint or tendon."""
    kind, a = target(s)
    if kind not in ("hinge", "slide", "tendon"):
        return
    a["lengthrange"] = f"{-s.real(0.5, 2)} {s.real(0.5, 2)}" if kind != "tendon" else f"{s.real(0.02, 0.2)} {s.real(0.5, 1.5)}"
    if s.chance(0.4):
        a["force"] = s.real(1, 50)
    else:
        a["scale"] = s.real(1, 50)
    if s.chance(0.3):
        a["tausmooth"] = s.real(0.05, 0.5)
    if s.chance(0.3):
        a["timeconst"] = f"{s.real(0.005, 0.05)} {s.real(0.01, 0.1)}"
    if s.chance(0.15):
        a["ctrllimited"] = "false"
    add(s, "muscle", a)


def general(s):
    """Any dynamics, gain and bias."""
    a = target(s)[1]
    ranges(s, a)
    a["dyntype"] = s.pick(("none", "integrator", "filter", "filterexact"))
    a["dynprm"] = s.log(0.01, 1)
    if s.chance(0.5):
        a.update(gaintype="affine", gainprm=words((s.real(-2, 2), s.real(-1, 1), s.real(-0.5, 0.5))))
    else:
        a["gainprm"] = s.real(-2, 2)
    if s.chance(0.5):
        a.update(biastype="affine", biasprm=words((s.real(-1, 1), s.real(-5, 0), s.real(-0.5, 0.1))))
    if a["dyntype"] != "none":
        a["actearly"] = s.pick(("true", "false"))
        if s.chance(0.5):
            a["actrange"] = s.pick(("0 1", "-0.5 0.5", f"{-s.real(0, 1)} {s.real(0.1, 1)}"))
    add(s, "general", a)


def adhesion(s):
    """A body that grips what it touches."""
    a = {"body": s.pick(s.bodies[1:]), "gain": s.real(0.5, 10), "ctrlrange": f"0 {s.real(0.5, 1.5)}"}
    add(s, "adhesion", a)


def controller(s):
    """PID controllers, DC motors, servos of orientation."""
    kind, a = target(s)
    which = s.pick(("pid", "dcmotor", "orientation"))
    if which == "orientation" and kind in ("ball", "site"):
        a.pop("gear", None)
        a.update(kp=s.log(0.05, 1), kv=s.log(0.01, 0.2), input=s.pick((None, "quat")))
        if "site" in a and not a["refsite"]:
            return
    elif which == "pid" and kind in ("hinge", "slide", "tendon"):
        a.update(kp=s.log(0.1, 10), kv=s.log(0.01, 1))
        if s.chance(0.5):
            a.update(ki=s.log(0.1, 2), imax=s.real(0.1, 1))
        if s.chance(0.3):
            a["slewmax"] = s.real(0.5, 5)
        a["input"] = s.pick((None, "pos vel ff", "pos ff"))
    elif which == "dcmotor" and kind in ("hinge", "slide", "tendon"):
        a.update(motorconst=s.real(0.05, 0.5), resistance=s.real(0.5, 3))
        if s.chance(0.3):
            a["inductance"] = "0.01 0"
        if s.chance(0.3):
            a["cogging"] = "0.1 5 0.2"
        if s.chance(0.3):
            a["lugre"] = "3 .1 .1 .05 .5"
    else:
        return
    add(s, which, a)


# ---- the whole

def ground(s):
    """A floor, a height field, or nothing; and now and then something fixed to fall on."""
    which = s.r.random()
    if which < 0.75:
        s.text["world"].append(f'<geom name="floor" type="plane" size="5 5 .1"{attributes(**contact_of(s))}/>')
    elif which < 0.83:
        heights = s.r.integers(0, 65, (5, 5)) / 64
        heights[0, 0], heights[4, 4] = 0, 1
        s.tags.add("hfield")
        s.text["asset"].append('<hfield name="hills" nrow="5" ncol="5" size="1 1 .15 .1" '
                               f'elevation="{words(heights.ravel())}"/>')
        s.text["world"].append(f'<geom name="floor" type="hfield" hfield="hills"{attributes(**contact_of(s))}/>')
    if s.chance(0.25):
        s.text["world"].append(geom(s, {"pos": words((s.real(-0.3, 0.3), s.real(-0.3, 0.3), 0.05)),
                                        "euler": s.vector(180)}, inertial=False))
    s.text["world"].append(site(s, 0.3))


def option(s):
    """Options and flags."""
    a = {"timestep": s.pick((0.001, 0.002, 0.002, 0.005, 0.01)), "integrator": s.pick(INTEGRATORS),
         "cone": s.pick(("pyramidal", "elliptic"))}
    if s.chance(0.3):
        a["impratio"] = s.pick((0.5, 2, 10))
    if s.chance(0.2):
        a["gravity"] = s.pick(("0 0 0", "1 2 -9", "0 0 -1.6"))
    if s.chance(0.15):
        a.update(density=s.pick((1.2, 1000)), viscosity=s.log(1e-5, 0.1), wind=s.vector(2))
        s.tags.add("fluid")
    flags = {f: "disable" for f in ("eulerdamp", "refsafe", "filterparent", "multiccd") if s.chance(0.06)}
    flags.update({"diagexact": "enable"} if s.chance(0.05) else {})
    s.tags.add(a["integrator"])
    s.step = a["timestep"]
    inside = f"<flag{attributes(**flags)}/>" if flags else ""
    return f"<option{attributes(**a)}>{inside}</option>"


def pairs(s):
    """Explicit pairs and exclusions."""
    if len(s.geoms) > 1 and s.chance(0.2):
        one, two = s.r.choice(len(s.geoms), 2, replace=False)
        a = {**solver(s), "condim": s.pick((1, 3, 4, 6)), "friction": words(s.real(0.01, 1) for _ in range(5))}
        a.update({"solreffriction": "0.05 1.2"} if s.chance(0.3) else {})
        s.text["contact"].append(
            f'<pair geom1="{s.geoms[one][0]}" geom2="{s.geoms[two][0]}"{attributes(**a)}/>')


# ---- what models of seeds from MORE on have besides, drawn apart: the others stay what they are

MORE = 10000
DISABLED = ("constraint", "equality", "frictionloss", "limit", "contact", "spring", "damper", "gravity", "clampctrl",
            "warmstart", "actuation", "island", "midphase", "nativeccd", "eulerdamp", "refsafe", "filterparent", "multiccd")
ENABLED = ("override", "energy", "diagexact", "invdiscrete")
SENSORS = ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "framepos", "framequat", "framexaxis", "framelinvel",
           "frameangvel", "framelinacc", "frameangacc", "subtreecom", "subtreelinvel", "subtreeangmom", "jointpos", "jointvel", "jointactuatorfrc",
           "ballquat", "ballangvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc", "tendonpos", "tendonvel", "tendonlimitpos",
           "tendonlimitfrc", "actuatorpos", "actuatorvel", "actuatorfrc", "distance", "normal", "fromto", "clock", "e_potential",
           "e_kinetic", "magnetometer", "insidesite", "contact")


def more(s, head):
    """Mocap bodies and what hangs on them, bodies that are masked, flags, equalities that are off, sensors; the new head."""
    if s.chance(0.4):
        mocap(s)
    for _ in range(int(s.r.integers(0, 3))):
        s.pick((masked, heavy_free, off_equality, cylinder_actuator, excluded))(s)
    for _ in range(int(s.r.integers(0, 7))):
        sensor(s)
    flags = {f: "disable" for f in DISABLED if s.chance(0.04)}
    flags.update({f: "enable" for f in ENABLED if s.chance(0.06)})
    a = {}
    if flags.get("override") == "enable":
        a.update(o_margin=s.real(0, 0.02), o_solref=s.pick(SOLREFS), o_solimp=s.pick(SOLIMPS), o_friction=words(s.real(0.1, 1) for _ in range(5)))
    if s.chance(0.3):
        a["jacobian"] = s.pick(("dense", "sparse"))
    if s.chance(0.1):
        a["actuatorgroupdisable"] = "3"
    s.tags |= set(flags)
    old, close = head.split(">", 1)
    inner = close.split("<flag", 1)[1].split("/>")[0] if "<flag" in close else ""
    kept = "".join(f" {w}" for w in inner.split() if w.split("=")[0] not in flags)
    return f"{old}{attributes(**a)}><flag{kept}{attributes(**flags)}/></option>"


def mocap(s):
    """A body that is moved from outside, and perhaps something that is tied to it."""
    name = s.name("mocap")
    place = words((s.real(-0.4, 0.4), s.real(-0.4, 0.4), s.real(0.2, 0.6)))
    s.tags.add("mocap")
    s.text["world"].append(f'<body name="{name}" mocap="true" pos="{place}" euler="{s.vector(180)}">' +
                           geom(s, {}, inertial=False) + site(s) + "</body>")
    if s.chance(0.7) and len(s.bodies) > 1:
        kind = s.pick(("connect", "weld"))
        a = {"body1": s.pick(s.bodies[1:]), "body2": name, **solver(s)}
        a.update({"anchor": s.vector(0.1)} if kind == "connect" else {})
        s.text["equality"].append(f"<{kind}{attributes(**a)}/>")


def masked(s):
    """A loose body whose geoms meet only some others, which has a damped, rubbing free joint."""
    name = s.name("b")
    s.bodies.append(name)
    s.joints.append((name + "free", "free"))
    masks = {"contype": s.pick((0, 1, 2, 3)), "conaffinity": s.pick((0, 1, 2))}
    place = words((s.real(-0.4, 0.4), s.real(-0.4, 0.4), s.real(0.03, 0.25)))
    s.text["world"].append(f'<body name="{name}" pos="{place}"><freejoint name="{name}free"/>' + geom(s, {}, **masks) + site(s) + "</body>")


def heavy_free(s):
    """A body on a free joint with all that a joint may have."""
    name = s.name("b")
    s.bodies.append(name)
    s.joints.append((name + "free", "free"))
    a = {"name": name + "free", "type": "free", "damping": s.log(0.01, 5), "armature": s.log(0.001, 0.1)}
    a.update({"frictionloss": s.log(0.01, 1)} if s.chance(0.5) else {})
    a.update({"stiffness": s.log(0.1, 100)} if s.chance(0.4) else {})
    place = words((s.real(-0.4, 0.4), s.real(-0.4, 0.4), s.real(0.03, 0.25)))
    s.text["world"].append(f'<body name="{name}" pos="{place}" gravcomp="{s.real(0, 1)}"><joint{attributes(**a)}/>' + geom(s, {}) + "</body>")


def off_equality(s):
    """An equality that is not active, or one that ties a body to the world, as it is or elsewhere."""
    if len(s.bodies) < 2:
        return
    a = {"body1": s.pick(s.bodies[1:]), "active": s.pick(("true", "false")), **solver(s)}
    if s.chance(0.5):
        s.text["equality"].append(f'<connect{attributes(anchor=s.vector(0.1), **a)}/>')
        return
    a.update({"relpose": words([s.real(-0.3, 0.3) for _ in range(3)] + [1, s.real(-1, 1), s.real(-1, 1), s.real(-1, 1)])} if s.chance(0.5) else {})
    s.text["equality"].append(f"<weld{attributes(**a)}/>")


def cylinder_actuator(s):
    """A pneumatic cylinder, in a group that may be off."""
    if s.joints or s.tendons or len(s.sites) > 1:
        a = target(s)[1]
        a.update(timeconst=s.log(0.01, 1), area=s.log(0.01, 1), bias=words((s.real(-1, 1), s.real(-5, 0), s.real(-0.5, 0))), group=s.pick((0, 3)))
        ranges(s, a)
        add(s, "cylinder", a)


def excluded(s):
    """Two bodies that pass through each other."""
    if len(s.bodies) > 2:
        one, two = s.r.choice(np.arange(1, len(s.bodies)), 2, replace=False)
        s.text["contact"].append(f'<exclude body1="{s.bodies[one]}" body2="{s.bodies[two]}"/>')


def limited(s, name):
    """Whether the element of this name has limits."""
    text = "".join(s.text["world"] + s.text["tendon"])
    return 'limited="true"' in text.split(f'name="{name}"', 1)[1].split(">", 1)[0]


def sensor(s):
    """A sensor of any kind whose object there is, now and then with a cutoff."""
    kind = s.pick(SENSORS)
    scalar = [n for n, k in s.joints if k in ("hinge", "slide")]
    a = {"cutoff": s.log(0.01, 10)} if s.chance(0.4) else {}
    if kind in ("touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer"):
        a["site"] = s.pick(s.sites)
    elif kind.startswith("frame"):
        a.update(objtype="site", objname=s.pick(s.sites)) if s.chance(0.5) else a.update(objtype="geom", objname=s.pick(s.geoms)[0])
        a.update({"reftype": "site", "refname": s.pick(s.sites)} if s.chance(0.4) and not kind.endswith("acc") else {})
        a.pop("cutoff", None) if kind in ("framequat", "framexaxis") else None
    elif kind.startswith("subtree"):
        a["body"] = s.pick(s.bodies[1:]) if len(s.bodies) > 1 else "world"
    elif kind.startswith("joint"):
        if not scalar:
            return
        a["joint"] = s.pick(scalar)
        if "limit" in kind and not limited(s, a["joint"]):
            return
    elif kind.startswith("ball"):
        balls = [n for n, k in s.joints if k == "ball"]
        if not balls:
            return
        a["joint"] = s.pick(balls)
        a.pop("cutoff", None) if kind == "ballquat" else None
    elif kind.startswith("tendon"):
        if not s.tendons:
            return
        a["tendon"] = s.pick(s.tendons)[0]
        if "limit" in kind and not limited(s, a["tendon"]):
            return
    elif kind.startswith("actuator"):
        names = [t.split('name="')[1].split('"')[0] for t in s.text["actuator"]]
        if not names:
            return
        a["actuator"] = s.pick(names)
    elif kind in ("distance", "normal", "fromto"):
        if len(s.geoms) < 2:
            return
        one, two = s.r.choice(len(s.geoms), 2, replace=False)
        a.update(geom1=s.geoms[one][0], geom2=s.geoms[two][0], cutoff=s.real(0.1, 2))
    elif kind == "insidesite":
        a.update(site=s.pick(s.sites), objtype="geom", objname=s.pick(s.geoms)[0])
        a.pop("cutoff", None)
    elif kind == "contact":
        a = {"geom1": s.pick(s.geoms)[0], "num": s.pick((1, 3)), "data": s.pick(("found", "force", "found force dist pos normal"))}
    s.text["sensor"].append(f"<{kind}{attributes(**a)}/>")


# ---- what models of seeds from LATER on have besides, drawn apart again

LATER = 30000


def later(s, head):
    """A nearly flat cylinder that is pushed about, or a tendon past a free body; the new head."""
    if s.chance(0.2):
        pushed_cylinder(s)
    if s.chance(0.12):
        passing_tendon(s)
        old = head.split('integrator="', 1)[1].split('"', 1)[0]
        s.tags = s.tags - {old} | {"discrete"}
        head = head.replace(f'integrator="{old}"', 'integrator="discrete"')
        for kind in ("dense", "sparse"):
            head = head.replace(f' jacobian="{kind}"', "")  # docs/parity.md, "Rows of zeros"
    return head


def pushed_cylinder(s):
    """As near_flat, with a weight beside its axis, pulled along the floor and turned."""
    near_flat(s)
    site_, weight = site(s, 0.05), f'<geom size=".02" pos="{s.real(0.02, 0.05)} 0 .01" mass="{s.log(0.05, 1)}" contype="0" conaffinity="0"/>'
    s.text["world"][-1] = s.text["world"][-1].replace("</body>", weight + site_ + "</body>")
    gear = f"{s.vector(1, 2)} 0 0 0 {s.real(-0.2, 0.2)}"
    add(s, "motor", {"site": s.sites[-1], "gear": gear, "ctrlrange": "-5 5"})


def passing_tendon(s):
    """A tendon that rubs, past or round a free body, of few dofs or of so many that MuJoCo's matrices are sparse."""
    name, y = s.name("passed"), s.pick((0, 0.3))
    s.tags.add("passing tendon")
    s.text["world"].append(
        f'<body pos="5 0 5"><site name="{name}s" pos="-1 0 .04"/></body><body pos="5 0 5"><joint type="slide" axis="1 0 0"/>'
        f'<geom size=".02" mass="1"/><site name="{name}t" pos="1 0 .04"/></body><body pos="5 {y} 5"><freejoint/><geom name="{name}g" '
        'type="cylinder" size=".05 .1" euler="90 0 0" contype="0" conaffinity="0"/></body>')
    for k in range(9 if s.chance(0.6) else 0):
        s.text["world"].append(f'<body pos="5 {k} 7"><freejoint/><geom size=".05 .06 .07" type="ellipsoid"/></body>')
    s.text["tendon"].append(f'<spatial frictionloss="{s.log(0.01, 0.1)}"><site site="{name}s"/><geom geom="{name}g"/><site site="{name}t"/></spatial>')


def keyframes(text, model, seed):
    """The text with up to two keyframes, at random states of the compiled model."""
    r = np.random.default_rng([seed, 2])
    rows = []
    for i in range(int(r.integers(0, 3))):
        qpos = model.qpos0 + 0.3 * r.standard_normal(model.nq)
        a = {"qpos": words(qpos), "qvel": words(r.standard_normal(model.nv)), "act": words(r.uniform(0, 0.6, model.na)),
             "ctrl": words(r.uniform(-1, 1, model.nu)), "mpos": words(r.uniform(-0.4, 0.6, 3 * model.nmocap)),
             "mquat": words(r.standard_normal(4 * model.nmocap))}
        rows.append(f"<key{attributes(name=f'key{i}', **{k: v for k, v in a.items() if v})}/>")
    return text.replace("</mujoco>", "<keyframe>\n  " + "\n  ".join(rows) + "\n</keyframe>\n</mujoco>") if rows else text


def compose(seed):
    """The text of model number `seed`, and a set of words for what is in it."""
    s = Scene(seed)
    head = option(s)
    ground(s)
    for _ in range(int(s.r.integers(1, 4))):
        s.pick((arm, arm, loose, loose, simple))(s)
    if s.chance(0.08):
        near_flat(s)
    for _ in range(int(s.r.integers(0, 4))):
        tendon(s)
    for _ in range(int(s.r.integers(0, 3)) if s.chance(0.4) else 0):
        equality(s)
    for _ in range(int(s.r.integers(0, 6))):
        actuator(s)
    pairs(s)
    if seed >= MORE:
        s.r = np.random.default_rng([seed, 1])
        head = more(s, head)
    if seed >= LATER:
        s.r = np.random.default_rng([seed, 4])
        head = later(s, head)
    body = "".join(f"<{k}>\n  " + "\n  ".join(t) + f"\n</{k}>\n" for k, t in
                   (("worldbody" if k == "world" else k, t) for k, t in s.text.items()) if t)
    text = f'<mujoco model="audit {seed}">\n<compiler autolimits="true"/>\n{head}\n{body}</mujoco>\n'
    return text, s.tags
