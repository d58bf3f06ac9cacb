# SPDX-License-Identifier: Apache-2.0
"""Between numbers of qpos (nq, with quaternions) and of its tangent (nv): a quaternion q has the tangent w with
dq = q (0, w) / 2, in the frame of the body (docs/conventions.md)."""
import numpy as np

_FREE, _BALL = 0, 1


def layout(model):
    """Address pairs (qpos, dof) of plain coordinates and of quaternions, kept with the model."""
    found = model.__dict__.get("_layout")
    if found is None:
        plain, quaternions = [], []
        for kind, q, v in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr):
            if kind == _FREE:
                plain += [(q + i, v + i) for i in range(3)]
                quaternions.append((q + 3, v + 3))
            elif kind == _BALL:
                quaternions.append((q, v))
            else:
                plain.append((q, v))
        found = np.array(plain, dtype=int).reshape(-1, 2), quaternions
        model.__dict__["_layout"] = found
    return found


def _columns(q):
    """The three derivatives of q (0, w) by w."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return (np.stack([-x, w, z, -y], -1), np.stack([-y, -z, w, x], -1), np.stack([-z, y, -x, w], -1))


def to_tangent(model, qpos, cotangent):
    """Cotangents of nq numbers at qpos as cotangents of the tangent, nv numbers. Leading axes are batches."""
    plain, quaternions = layout(model)
    out = np.zeros(cotangent.shape[:-1] + (model.nv,))
    out[..., plain[:, 1]] = cotangent[..., plain[:, 0]]
    for q, v in quaternions:
        for i, column in enumerate(_columns(qpos[..., q:q + 4])):
            out[..., v + i] = 0.5 * np.sum(cotangent[..., q:q + 4] * column, axis=-1)
    return out


def normalised(model, qpos):
    """qpos with quaternions of length one, a new array."""
    out = np.array(qpos, dtype=np.float64)
    for q, _ in layout(model)[1]:
        out[..., q:q + 4] /= np.linalg.norm(out[..., q:q + 4], axis=-1, keepdims=True)
    return out
