# SPDX-License-Identifier: Apache-2.0
"""Whose contact is right: the overlap of two convex shapes along a normal, by their support functions.

The depth of two convex shapes is the least overlap over all directions. So a contact is one only if its
distance is minus the overlap along its own normal, and of two normals the one with less overlap is nearer.
"""
import mujoco
import numpy as np

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)


def support(m, d, g, n):
    """How far geom g reaches along the world direction n."""
    R, size = d.geom_xmat[g].reshape(3, 3), m.geom_size[g]
    u, kind = R.T @ n, int(m.geom_type[g])
    if kind == SPHERE:
        reach = size[0]
    elif kind == CAPSULE:
        reach = size[0] + size[1] * abs(u[2])
    elif kind == ELLIPSOID:
        reach = np.linalg.norm(size * u)
    elif kind == CYLINDER:
        reach = size[0] * np.hypot(u[0], u[1]) + size[1] * abs(u[2])
    elif kind == BOX:
        reach = size @ np.abs(u)
    else:
        reach = (vertices(m, g) @ u).max()
    return d.geom_xpos[g] @ n + reach


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


def overlaps(m, d, geoms, n):
    """Overlap along n, which points from the first geom to the second; of a height field one a prism."""
    other = support(m, d, geoms[1], -n)
    if int(m.geom_type[geoms[0]]) == HFIELD:
        return (prisms(m, d, geoms[0]) @ n).max(axis=1) + other
    return np.array([support(m, d, geoms[0], n) + other])


def judge(m, d, geoms, ours, theirs):
    """Of each side the contact that is one of its normal, and the overlap along that; 1e-9 counts as the same."""
    if PLANE in (int(m.geom_type[g]) for g in geoms):
        return {}
    out = {}
    for name, rows in (("ours", ours), ("theirs", theirs)):
        tried = []
        for dist, _, frame in rows:
            along = overlaps(m, d, geoms, frame[:3])
            k = np.abs(along + dist).argmin()
            tried.append((abs(along[k] + dist), along[k]))
        if tried:
            off, overlap = min(tried)
            out.update({name + "_consistent": bool(off <= 1e-9), name + "_overlap": float(overlap)})
    return out


def injected(m, d, put, contacts):
    """The step of MuJoCo with these contacts (dist, pos, frame) in the place of its own."""
    put()
    mujoco.mj_fwdPosition(m, d)
    for c, (dist, pos, frame) in zip(d.contact, contacts):
        c.dist, c.pos[:], c.frame[:] = dist, pos, frame
    mujoco.mj_makeConstraint(m, d)
    mujoco.mj_transmission(m, d)
    mujoco.mj_fwdVelocity(m, d)
    mujoco.mj_fwdActuation(m, d)
    mujoco.mj_fwdAcceleration(m, d)
    mujoco.mj_fwdConstraint(m, d)
    (mujoco.mj_Euler if m.opt.integrator == 0 else mujoco.mj_implicit)(m, d)
    return np.concatenate([d.qpos, d.qvel, d.act])
