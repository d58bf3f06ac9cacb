# SPDX-License-Identifier: Apache-2.0
"""Pictures and films of motions, drawn by libmujoco."""
import os

import numpy as np

from carom._c import ArgError, check, fail, ffi, lib, new_error, owned, struct, text, with_contract
from carom.arrays import pointer
from carom.data import Data
from carom.viewing import _Recording, _motions


def _text(word):
    return ffi.NULL if word is None else ffi.new("char[]", str(word).encode())


def _numbers(values, n, name):
    """Numbers for C, NULL for None."""
    if values is None:
        return ffi.NULL
    array = np.atleast_1d(np.asarray(values, float))
    if array.shape != (n,):
        raise ArgError(f"{name} has shape {array.shape}; {n} number{'s' if n > 1 else ''} expected")
    return ffi.new("cr_real[]", array.tolist())


def _check_shapes(model, motion):
    """Several motions are drawn with the shapes of the first one's model."""
    other = motion.model
    for field in ("geom_size", "geom_pos", "geom_quat", "site_pos", "body_pos", "body_quat", "jnt_pos",
                  "jnt_axis"):
        if other is not model and not np.array_equal(getattr(other, field), getattr(model, field)):
            raise ArgError(f"{motion.name or 'a motion'}: its model has another {field}; render it alone")


def _take(render, model, motion):
    data, error = Data(model), new_error()
    check(lib.cr_render_begin(render, error), error)
    for k in range(len(motion.time)):
        if motion.start is not None:
            data.set_state(motion.start.state())
        motion.put(data, k)
        status = lib.cr_render_take(render, data._ptr, error)
        if status != lib.CR_OK:
            fail(status, f"{motion.name or 'the motion'}: state {k}: {text(error.text)}")


@with_contract("cr_render_create", "cr_render_draw", "cr_render_save")
def render(model, *motions, out=None, time=0.0, size=(640, 480), camera=None, azimuth=None, elevation=None,
           lookat=None, distance=0.0, track=None, forces=False, keyframe=None, start=0.0, end=0.0, fps=30.0,
           speed=1.0, strip=0):
    """Draws a model, and motions over each other, as carom render does (docs/render.md).

        carom.render(model)                                          pixels of its reference pose
        carom.render(model, run, time=0.5, track="torso")            of a motion at a time
        carom.render(model, run, out="swing.mp4", speed=0.2)         a film
        carom.render(model, run, out="strip.png", strip=4)           four pictures beside each other

    motions    what carom.view takes; the model was loaded from MJCF or URDF
    out        without it, the pixels at `time` are returned: an array [height x width x 3] of bytes. With it
               a file is written, replacing one that exists, and its path returned: .mp4 a film, .png a
               picture at `time`, "x-%04d.png" numbered pictures
    time       of a picture, s since the first state
    start, end of the part of a motion in films, strips and numbered pictures; end 0: all of it
    camera     of the model, by name or number; otherwise a free one with azimuth, elevation (degrees), lookat
               (3 numbers) and distance, or one that follows the body `track`
    """
    if keyframe is not None and motions:
        raise ArgError("keyframe: the motions give the poses")
    if model._origin is None:
        raise ArgError("the model was not loaded from a file or a text; its lights and textures are not known")
    found = [motion for given in motions or (Data(model, keyframe),) for motion in _motions(model, given, "")]
    states = [motion for motion in found if not isinstance(motion, _Recording)]
    model = states[0].model if states else model
    for motion in states:
        _check_shapes(model, motion)
    width, height = (int(x) for x in size)
    kept = [_text(camera), _text(track), _numbers(azimuth, 1, "azimuth"), _numbers(elevation, 1, "elevation"),
            _numbers(lookat, 3, "lookat")]
    options = struct("cr_render_options", width=width, height=height, camera=kept[0], track=kept[1],
                     azimuth=kept[2], elevation=kept[3], lookat=kept[4], distance=float(distance),
                     forces=bool(forces))
    error, made = new_error(), ffi.new("cr_render**")
    with model._origin.source() as (source, urdf):
        check(lib.cr_render_create(made, model._ptr, source, urdf, options, error), error)
    drawing = owned(made[0], lib.cr_render_destroy, [model])
    for motion in found:
        if isinstance(motion, _Recording):
            check(lib.cr_render_read(drawing, os.fsencode(motion.path), error), error)
        else:
            _take(drawing, model, motion)
    if out is None:
        pixels = np.empty((height, width, 3), np.uint8)
        check(lib.cr_render_draw(drawing, float(time), pointer(pixels, "unsigned char*"), error), error)
        return pixels
    single = os.fspath(out).endswith(".png") and "%" not in os.fspath(out) and strip == 0
    film = struct("cr_film_options", to=float(end), fps=float(fps), speed=float(speed), strip=int(strip),
                  **{"from": float(time if single else start)})
    check(lib.cr_render_save(drawing, os.fsencode(out), film, error), error)
    return os.fspath(out)
