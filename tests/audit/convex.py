# SPDX-License-Identifier: Apache-2.0
"""Whose contact is right: the overlap of two convex shapes along a normal, by their support functions.

The depth of two convex shapes is the least overlap over all directions. So a contact is one only if its
distance is minus the overlap along its own normal, and of two normals the one with less overlap is nearer.
"""
import mujoco
import numpy as np

TOLERANCE = 1e-9  # m
MESH_TOLERANCE = 1e-7  # m; faces of meshes are flat to single precision
STANDS_FLAT = 1e-8  # rad; below it Carom keeps the points of a cylinder's rim in gradients
TURNS = 1e-15  # below it they turn with it about its axis
PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)


def support(m, d, g, n):
    """How far geom g reaches along world directions: n is one, or one a row."""
    R, size = d.geom_xmat[g].reshape(3, 3), m.geom_size[g]
    u, kind = n @ R, int(m.geom_type[g])
    if kind == SPHERE:
        reach = size[0]
    elif kind == CAPSULE:
        reach = size[0] + size[1] * np.abs(u[..., 2])
    elif kind == ELLIPSOID:
        reach = np.linalg.norm(size * u, axis=-1)
    elif kind == CYLINDER:
        reach = size[0] * np.hypot(u[..., 0], u[..., 1]) + size[1] * np.abs(u[..., 2])
    elif kind == BOX:
        reach = np.abs(u) @ size
    else:
        reach = (u @ vertices(m, g).T).max(axis=-1)
    return n @ d.geom_xpos[g] + reach


def vertices(m, g):
    """Of a mesh, in the geom's frame."""
    k = m.geom_dataid[g]
    return m.mesh_vert[m.mesh_vertadr[k]:m.mesh_vertadr[k] + m.mesh_vertnum[k]].astype(float)


def prisms(m, d, g):
    """The corners of every prism of a height field, in the world: n x 6 x 3."""
    k = m.geom_dataid[g]
    rows, cols, size = m.hfield_nrow[k], m.hfield_ncol[k], m.hfield_size[k]
    data = m.hfield_data[m.hfield_adr[k]:m.hfield_adr[k] + rows * cols].reshape(rows, cols)
    x, y = np.linspace(-size[0], size[0], cols), np.linspace(-size[1], size[1], rows)
    out = []
    for i in range(rows - 1):
        for j in range(cols - 1):
            for corners in (((i, j), (i + 1, j), (i + 1, j + 1)), ((i, j), (i, j + 1), (i + 1, j + 1))):
                top = [(x[b], y[a], data[a, b] * size[2]) for a, b in corners]
                out.append(top + [(u, v, -size[3]) for u, v, _ in top])
    return d.geom_xpos[g] + np.array(out) @ d.geom_xmat[g].reshape(3, 3).T


def first_supports(m, d, geoms):
    """Support functions of the first geom: one, or for a height field one for each prism."""
    if int(m.geom_type[geoms[0]]) == HFIELD:
        return [lambda n, c=corners: (n @ c.T).max(axis=-1) for corners in prisms(m, d, geoms[0])]
    return [lambda n: support(m, d, geoms[0], n)]


def least(first, other, n):
    """The least overlap that a search over directions finds, which begins everywhere and at n."""
    rng = np.random.default_rng(0)
    best, radius = n / np.linalg.norm(n), 1.0
    value = first(best) + other(-best)
    for _ in range(60):
        tried = best + radius * rng.standard_normal((400, 3))
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        found = first(tried) + other(-tried)
        if found.min() < value:
            best, value = tried[found.argmin()], float(found.min())
        radius *= 0.7
    return value


def judge(m, d, geoms, rows):
    """Whether one side's contacts are right: None for planes but under a cylinder, else True or False.

    Each must be as deep as the shapes overlap along its normal, and no direction may have less overlap. Points
    of one face are as deep as the face is there: of those the deepest counts, and none may be deeper. Two points
    of a capsule that lies nearly along a face are those of its side towards the face, or one of them, the other too far off.
    """
    if PLANE in (int(m.geom_type[g]) for g in geoms) or not rows:
        return keeps_digits(m, d, geoms, rows) if rows and int(m.geom_type[geoms[1]]) == CYLINDER else None
    other = lambda n: support(m, d, geoms[1], n)
    firsts = first_supports(m, d, geoms)
    if len(rows) == 2 and all(beside_face(m, d, geoms, *row) for row in rows):
        return True
    if len(rows) == 1 and ends_beside_face(m, d, geoms, firsts[0], other, rows[0]):
        return True
    return all(any(optimal(f, other, rows, row) for f in firsts) for row in rows)


def keeps_digits(m, d, geoms, rows):
    """Whether the deepest contact of a cylinder over a plane is as deep as it is, to rounding: no difference of numbers
    near to each other leaves fewer digits where it is nearly flat."""
    plane, g = geoms
    n, R, (r, half) = d.geom_xmat[plane].reshape(3, 3)[:, 2], d.geom_xmat[g].reshape(3, 3), m.geom_size[g, :2]
    height = n @ (d.geom_xpos[g] - d.geom_xpos[plane])
    exact = height - half * abs(n @ R[:, 2]) - r * np.hypot(n @ R[:, 0], n @ R[:, 1])
    return abs(min(row[0] for row in rows) - exact) < 1e-14 + 1e-15 * np.abs(d.geom_xpos[g]).max()


def nearest(m, d, geoms, dist, p, q):
    """Whether two points are those where two convex shapes are nearest: no two points can be nearer, or overlap less, than
    the shapes do along a direction, and here they do so along that of the points."""
    if abs(dist) < 1e-6 or min(int(m.geom_type[g]) for g in geoms) <= HFIELD:
        return False
    n = (q - p) / dist
    first, other = (lambda u, g=g: support(m, d, g, u) for g in geoms)
    along = first(n) + other(-n)
    if abs(along + dist) > MESH_TOLERANCE or abs(np.linalg.norm(q - p) - abs(dist)) > TOLERANCE:
        return False
    return dist > 0 or least(first, other, n) >= along - MESH_TOLERANCE


def between_faces(m, d, geoms, rows):
    """Whether several contacts of one normal are points of one overlap: each leads from a point of one shape, beyond which
    it ends, to one of the other, as deep as it says."""
    if PLANE in (int(m.geom_type[g]) for g in geoms) or HFIELD in (int(m.geom_type[g]) for g in geoms) or len(rows) < 2:
        return False
    r, first = np.random.default_rng(0), rows[0][2][:3]
    u = np.concatenate([r.standard_normal((4000, 3)), first + 0.1 * r.standard_normal((4000, 3)),
                        -first + 0.1 * r.standard_normal((4000, 3))])
    inside = lambda g, x: bool(np.all(u @ x <= support(m, d, g, u) + MESH_TOLERANCE))
    for dist, pos, frame in rows:
        n = frame[:3]
        ends = pos - dist / 2 * n, pos + dist / 2 * n
        if np.abs(n - rows[0][2][:3]).max() > 1e-6 or not all(inside(g, x) for g, x in zip(geoms, ends)) or \
                inside(geoms[0], ends[0] + 1e-3 * n) or inside(geoms[1], ends[1] - 1e-3 * n):
            return False
    return True


def ends_beside_face(m, d, geoms, first, other, row):
    """Whether the one contact of a capsule is an end of what its side and the face of least overlap share."""
    g, n = geoms[0], row[2][:3]
    if not beside_face(m, d, geoms, *row) or least(first, other, n) < first(n) + other(-n) - MESH_TOLERANCE:
        return False
    along = d.geom_xmat[g].reshape(3, 3)[:, 2] * 1e-3  # m
    nearer = along @ n
    return not all(beside_face(m, d, geoms, row[0] - s * nearer, row[1] + s * (along - nearer / 2 * n), row[2]) for s in (1, -1))


def is_native(m, d, geoms, rows):
    """Whether contacts are those of MuJoCo's newer search, where a flag has it use the older one; the data are at the state."""
    off = int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    if not m.opt.disableflags & off:
        return False
    m.opt.disableflags &= ~off
    try:
        mujoco.mj_collision(m, d)
        theirs = [c for c in d.contact if tuple(int(g) for g in c.geom) == tuple(geoms)]
        return len(theirs) == len(rows) and all(
            min(max(abs(c.dist - r[0]), np.abs(c.pos - r[1]).max(), np.abs(c.frame - r[2]).max()) for c in theirs) < TOLERANCE
            for r in rows)
    finally:
        m.opt.disableflags |= off
        mujoco.mj_forward(m, d)


def beside_face(m, d, geoms, dist, pos, frame):
    """Whether a contact of a capsule is on its side towards a face of the other, as far from it as it says, above a
    point of that face. docs/derivations/collision_convex.md [h4], [h5]."""
    g, other = geoms
    if int(m.geom_type[g]) != CAPSULE or int(m.geom_type[other]) not in (CYLINDER, BOX, MESH):
        return False
    n, axis, (r, half) = frame[:3], d.geom_xmat[g].reshape(3, 3)[:, 2], m.geom_size[g, :2]
    side = d.geom_xpos[g] + r * (n - axis * (axis @ n))
    on_side, on_face = pos - dist / 2 * n - side, pos + dist / 2 * n
    along = axis @ on_side
    if np.abs(on_side - along * axis).max() > TOLERANCE or abs(along) > half + TOLERANCE:
        return False
    u = np.random.default_rng(0).standard_normal((4000, 3))
    return abs(support(m, d, other, -n) + n @ on_face) < MESH_TOLERANCE and \
        np.all(u @ on_face <= support(m, d, other, u) + MESH_TOLERANCE)


def optimal(first, other, rows, row):
    """Whether a contact, or one of the same normal, is the least overlap of two support functions."""
    n = row[2][:3]
    along = first(n) + other(-n)
    alike = [r[0] for r in rows if np.abs(r[2][:3] - n).max() < 1e-6]
    deepest = min(alike)
    if abs(along + row[0]) > TOLERANCE and (len(alike) == 1 or row[0] < -along - TOLERANCE):
        return False
    if abs(along + deepest) > TOLERANCE and len(alike) == 1:
        return False
    return least(first, other, n) >= along - TOLERANCE


def rims(m, d, contacts):
    """Of each cylinder that stands flat on a plane: the points that it touches with, in its own frame, that frame and its sizes."""
    out = {}
    for geoms, dist, pos, frame, slip in contacts:
        plane, g = geoms
        if (int(m.geom_type[plane]), int(m.geom_type[g])) != (PLANE, CYLINDER):
            continue
        R = d.geom_xmat[g].reshape(3, 3).copy()
        tilt = np.hypot(*(frame[:3] @ R[:, :2]))
        if tilt < STANDS_FLAT:
            point = (pos + dist / 2 * frame[:3] - d.geom_xpos[g]) @ R
            out.setdefault(geoms, []).append((point, R, m.geom_size[g].copy(), tilt < TURNS, slip))
    return out


def with_rims(m, d, contacts, held):
    """Contacts at the state of the data, with these points of rims in the place of those that touch now."""
    out, seen = [], set()
    for geoms, *row in contacts:
        if geoms not in held:
            out.append((geoms, *row))
        elif geoms not in seen:
            seen.add(geoms)
            out += [(geoms, *held_point(m, d, geoms, row[2], *x)) for x in held[geoms]]
    return out


def held_point(m, d, geoms, frame, point, before, size, turns, slip):
    """The contact of a point of a rim that tilts with the disk, and turns with it about its axis only if it is said to."""
    plane, g = geoms
    R, n = d.geom_xmat[g].reshape(3, 3), frame[:3]
    arm = point * m.geom_size[g, [0, 0, 1]] / size[[0, 0, 1]]
    if turns:
        arm = R @ arm
    else:
        arm, axis = before @ arm, np.cross(before[:, 2], R[:, 2])
        arm = arm + np.cross(axis, arm) + np.cross(axis, np.cross(axis, arm)) / (1 + before[:, 2] @ R[:, 2])
    at = d.geom_xpos[g] + arm
    dist = n @ (at - d.geom_xpos[plane])
    return dist, at - dist / 2 * n, frame, slip


def injected(m, d, put, contacts):
    """The step of MuJoCo with these contacts (geoms, dist, pos, frame, surfacevel) in the place of its own."""
    put()
    forward_with(m, d, contacts)
    (mujoco.mj_Euler if m.opt.integrator == 0 else mujoco.mj_implicit)(m, d)
    return np.concatenate([d.qpos, d.qvel, d.act])


def forward_with(m, d, contacts):
    """MuJoCo's accelerations at the state of the data, with these contacts. A pair may have more or fewer than MuJoCo finds,
    which has to find one: all of the pair take its parameters."""
    mujoco.mj_fwdPosition(m, d)
    own = {}
    for i, c in enumerate(d.contact):
        own.setdefault(tuple(int(g) for g in c.geom), []).append(i)
    left = {geoms: list(rows) for geoms, rows in own.items()}
    for geoms, dist, pos, frame, slip in contacts:
        if left[geoms]:
            i = left[geoms].pop(0)
        else:
            mujoco.mj_addContact(m, d, d.contact[own[geoms][0]])
            i = d.ncon - 1
        c = d.contact[i]
        c.dist, c.pos[:], c.frame[:], c.surfacevel[:] = dist, pos, frame, slip
    for i in (i for rows in left.values() for i in rows):
        d.contact[i].exclude, d.contact[i].efc_address, d.contact[i].adhesion = 1, -1, 0
    mujoco.mj_makeConstraint(m, d)
    mujoco.mj_island(m, d)
    mujoco.mj_transmission(m, d)
    mujoco.mj_fwdVelocity(m, d)
    mujoco.mj_fwdActuation(m, d)
    mujoco.mj_fwdAcceleration(m, d)
    mujoco.mj_fwdConstraint(m, d)
