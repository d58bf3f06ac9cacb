# SPDX-License-Identifier: Apache-2.0
"""The page that shows motions in a browser or in a notebook."""
import html
import os
import tempfile

import numpy as np

from carom._c import ArgError, ERRORS, check, fail, ffi, lib, new_error, owned, struct, text, texts, with_contract
from carom.data import Data

CapacityError = ERRORS[lib.CR_ERR_CAPACITY]
_STATES = ("qpos", "qvel", "act", "ctrl")


class Page:
    """A page with motions: one HTML file that needs nothing else. In a notebook it shows itself.

    html     its text
    states   how many states each motion has
    """

    def __init__(self, text_of_page, states, height):
        self.html, self.states, self._height = text_of_page, states, int(height)

    def save(self, path):
        """Writes the page, whole or not at all; a file that exists is replaced. Returns the path."""
        path = os.fspath(path)
        beside, name = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), prefix=".carom-", suffix=".html")
        try:
            with os.fdopen(beside, "w", encoding="utf-8") as file:
                file.write(self.html)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
        return path

    def open(self):
        """Shows the page in a browser, from a file in the folder of temporary files, whose path it returns."""
        import webbrowser
        path = self.save(os.path.join(tempfile.mkdtemp(prefix="carom-view-"), "page.html"))
        webbrowser.open(f"file://{path}")
        return path

    def _repr_html_(self):
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: {self._height}px; border: 0" '
                'allowfullscreen></iframe>')

    def __repr__(self):
        return f"<carom.Page: states {self.states}, {len(self.html) / 1e6:.2f} MB>"


class _Motion:
    """Rows of states, as a page takes them: the arrays that are given, and everything else from `start`."""

    def __init__(self, name, model, time, rows, start=None):
        self.name, self.model, self.time, self.start = name, model, np.asarray(time, float), start
        self.rows = {key: values for key, values in rows.items() if values is not None}

    def chosen(self, fps):
        """The rows to show: at most fps states a second, the first and the last among them."""
        if len(self.time) < 2:
            return range(len(self.time))
        slots = np.floor((self.time - self.time[0]) * fps + 1e-6)
        kept = np.concatenate([[True], slots[1:] > slots[:-1]])
        kept[-1] = True
        return np.flatnonzero(kept)

    def put(self, data, k):
        """Makes row k the state of the data."""
        for key, values in self.rows.items():
            if values.shape[-1] > 0:
                getattr(data, key)[...] = values[k]
        data.time = self.time[k]


class _Recording:
    """A motion that is in a file."""

    def __init__(self, name, path):
        self.name, self.path = name, path


def _with_start(states, begin, first, ctrl):
    """Rows of a rollout with its start in front. The control of a row is that of the step that led there."""
    rows = {key: np.concatenate([np.asarray(begin.get(key, getattr(first, key)))[None], values])
            for key, values in states.items()}
    nstep = len(states["qpos"])
    held = np.tile(np.asarray(first.ctrl), (nstep, 1)) if ctrl is None else ctrl
    rows["ctrl"] = held[np.maximum(np.arange(-1, nstep), 0)]
    return rows


def _of_rollout(run, name):
    """The motions of carom.rollout."""
    model, inputs, start, derive = run._source
    if run.qpos is None:
        raise ArgError("the rollouts were run with states=False; there is nothing to show")
    first = start if start is not None else Data(model)
    time = np.concatenate([[first.time], run.time])
    for k in range(inputs.n):
        states = {key: getattr(run, key) if run._single else getattr(run, key)[k] for key in ("qpos", "qvel", "act")}
        given = {key: array[k] for key, array in inputs.arrays.items()}
        rows = _with_start(states, given, first, given.get("ctrl"))
        own = {key: given[key] for key in inputs.parameters}
        shown = model.copy(own, derive=derive) if own else model
        yield _Motion(f"{name} {k}".strip() if inputs.n > 1 else name, shown, time, rows, first)


def _of_gradient(run, name):
    """The motion of carom.grad."""
    states = {key: getattr(run, key) for key in ("qpos", "qvel", "act")}
    rows = _with_start(states, {}, run._first, run._ctrl)
    yield _Motion(name, run.model, np.concatenate([[run._first.time], run.time]), rows, run._first)


def _of_arrays(model, given, name):
    """The motions of arrays of states, rows x numbers, or several such behind each other."""
    unknown = set(given) - {*_STATES, "time"}
    if unknown or "qpos" not in given:
        raise ArgError(f"a motion is given by 'qpos', and 'qvel', 'act', 'ctrl' and 'time' where they are known; not by "
                       f"'{sorted(unknown)[0]}'" if unknown else "a motion of arrays needs 'qpos'")
    values = {key: np.asarray(array, float) for key, array in given.items() if array is not None}
    sizes = {"qpos": model.nq, "qvel": model.nv, "act": model.na, "ctrl": model.nu}
    for key, size in sizes.items():
        if key in values and (values[key].ndim not in (1, 2, 3) or values[key].shape[-1] != size):
            raise ArgError(f"{key} has shape {values[key].shape}; ([n,] states, {size}) expected")
    rows = {key: np.atleast_2d(values[key]) for key in sizes if key in values}
    n, states = max(array.shape[0] if array.ndim == 3 else 1 for array in rows.values()), rows["qpos"].shape[-2]
    time = values.get("time", model.timestep * np.arange(states))
    for key, array in {**rows, "time": time[:, None]}.items():
        # a recording has one control less than states
        if array.shape[-2] != states and not (key == "ctrl" and array.shape[-2] == states - 1):
            raise ArgError(f"{key} has {array.shape[-2]} rows, qpos has {states}")
    if "ctrl" in rows:
        at = np.maximum(np.arange(-1, states - 1), 0) if rows["ctrl"].shape[-2] == states - 1 else np.arange(states)
        rows["ctrl"] = rows["ctrl"][..., at, :]
    for k in range(n):
        yield _Motion(f"{name} {k}".strip() if n > 1 else name, model, time,
                      {key: array[k] if array.ndim == 3 else array for key, array in rows.items()})


def _motions(model, given, name):
    """The motions of what view() takes; paths stay as they are."""
    if hasattr(given, "motion"):
        given = given.motion
    if isinstance(given, (str, os.PathLike)):
        yield _Recording(name, os.fspath(given))
    elif isinstance(given, Data):
        yield _Motion(name, given.model, [given.time], {}, given)
    elif hasattr(given, "_source"):
        yield from _of_rollout(given, name)
    elif hasattr(given, "_first"):
        yield from _of_gradient(given, name)
    elif isinstance(given, dict) and not set(given) & {*_STATES, "time"}:
        for key, motion in given.items():
            yield from _motions(model, motion, str(key))
    else:
        yield from _of_arrays(model, given if isinstance(given, dict) else {"qpos": given}, name)


def _take(view, motion, fps):
    """Puts the states of a motion into the page, in data that have room for its contacts."""
    data = Data(motion.model)
    for k in motion.chosen(fps):
        while True:
            if motion.start is not None:
                data.set_state(motion.start.state())
            motion.put(data, k)
            error = new_error()
            status = lib.cr_view_take(view, data._ptr, error)
            if status != lib.CR_ERR_CAPACITY or data._contacts > 1 << 20:
                break
            data = Data(motion.model, contacts=2 * data._contacts + 256)
        if status != lib.CR_OK:
            fail(status, f"{motion.name or 'the motion'}: state {k}: {text(error.text)}")


def _created(model, title, plot, triangles, textures, kept):
    """A page without motions."""
    origin = model._origin
    title = title or (os.path.basename(origin.path) if origin and origin.path else "model")
    word, error, made = ffi.new("char[]", title.encode()), new_error(), ffi.new("cr_view**")
    c_plot, kept_plot = texts(plot)
    options = struct("cr_view_options", title=word, plots=c_plot, nplot=len(plot), triangles=int(triangles))
    if textures and origin and origin.is_there():
        with origin.source() as (path, urdf):
            options.source, options.urdf = path, urdf
            check(lib.cr_view_create(made, model._ptr, options, error), error)
    else:
        check(lib.cr_view_create(made, model._ptr, options, error), error)
    del kept_plot
    return owned(made[0], lib.cr_view_destroy, kept)


def _begin(view, model, motion, kept):
    error = new_error()
    name = ffi.new("char[]", (motion.name or "").encode())
    other = motion.model._ptr if motion.model is not model else ffi.NULL
    kept.append(motion.model)
    check(lib.cr_view_begin(view, struct("cr_view_motion", name=name, model=other), error), error)


def _text_of(view):
    with tempfile.TemporaryDirectory(prefix="carom-") as folder:
        error, path = new_error(), os.path.join(folder, "page.html")
        check(lib.cr_view_save(view, os.fsencode(path), error), error)
        with open(path, encoding="utf-8") as file:
            return file.read()


def _simulate(view, model, start, parameters, body, ahead):
    """Makes the page simulate from a state, in data that have room for its contacts."""
    names = [parameters] if isinstance(parameters, str) else parameters
    ends = names if isinstance(names, dict) else dict.fromkeys(names)
    words, kept = texts(list(ends))
    low, high = ([0.0 if e is None else float(e[k]) for e in ends.values()] for k in (0, 1))
    body = ffi.NULL if body is None else ffi.new("char[]", body.encode())
    low, high = ffi.new("double[]", low), ffi.new("double[]", high)
    options = struct("cr_view_live", parameters=words, low=low, high=high, nparameter=len(ends), body=body,
                     ahead=float(ahead))
    data, error = start, new_error()
    status = lib.cr_view_set_live(view, data._ptr, options, error)
    while status == lib.CR_ERR_CAPACITY and data._contacts <= 1 << 20:
        data = Data(model, contacts=2 * data._contacts + 256)
        data.set_state(start.state())
        status = lib.cr_view_set_live(view, data._ptr, options, error)
    del kept
    check(status, error)


def _check_live(motions, plot, names):
    if len(motions) > 1 or (motions and not isinstance(motions[0], Data)):
        raise ArgError("live: the page simulates; give it no motions, or one Data where it begins")
    if plot or names is not None:
        raise ArgError("live: the page has no plots, and no motions with names")


@with_contract("cr_view_create", "cr_view_take", "cr_view_set_live", "cr_view_save")
def view(model, *motions, names=None, plot=(), fps=50, title=None, keyframe=None, triangles=0, height=480, look="",
         live=False, parameters=(), body=None, ahead=0.0, textures=True):
    """Shows a model, and motions over each other: a Page. In a notebook it appears below the cell that ends with it.

        carom.view(model)                                        its reference pose
        carom.view(model, carom.rollout(model, 500), plot=["qpos[elbow]"])
        carom.view(model, {"measured": "swing.h5", "model": run}).save("both.html")
        carom.view(model, qpos_of_every_frame).open()            in a browser
        carom.view(model, live=True, parameters={"gravity[2]": (-20, 0)})

    motions    each a Rollout (all its rollouts), a Gradient, a Plan; Data, for one state; the path of a recording (.h5);
               qpos as an array, [n x] states x nq; or a dict of such arrays, "qpos", "qvel", "act", "ctrl" and "time". A dict
               with other keys gives motions their names
    names      in the legend, one for each motion
    plot       places whose numbers are plotted beside the motion
    fps        at most so many states a second are kept; between them the page interpolates
    keyframe   without motions: show this keyframe, by name or number
    triangles  of all meshes together, about; 0: 150000
    height     in a notebook, in pixels
    look       what is seen first, as behind # in the address of a page (docs/view.md): "time=0.5&theme=dark"
    live       the page simulates: from Data, if given instead of motions, or from the keyframe. The mouse pulls
               bodies, sliders move controls and parameters, and the gradient of a prediction is shown
    parameters with live: names, or a dict of names and the two ends of their sliders (None: chosen)
    body       with live: whose centre of mass is predicted at first; None: the first that moves
    ahead      with live: how many seconds ahead; 0: 0.3
    textures   show the textures of materials. They come from the file or the text of which the model was loaded, and are left out where it
               has none: loaded from a mujoco.MjModel or a Carom model file, or a file that is gone
    """
    if keyframe is not None and motions:
        raise ArgError("keyframe: the motions give the poses")
    if not fps > 0:
        raise ArgError(f"fps={fps}: a positive number expected")
    plot = [plot] if isinstance(plot, str) else list(plot)
    if live:
        _check_live(motions, plot, names)
    elif parameters or body is not None or ahead:
        raise ArgError("parameters, body and ahead: need live=True")
    found = [] if live else [motion for given in (motions or (Data(model, keyframe),)) for motion in _motions(model, given, "")]
    if names is not None:
        if isinstance(names, str) or len(names) != len(found):
            raise ArgError(f"names: {len(found)} are needed, one for each motion")
        for motion, name in zip(found, names):
            motion.name = str(name)
    kept, error = [model], new_error()
    page = _created(model, title, plot, triangles, textures, kept)
    if live:
        _simulate(page, model, motions[0] if motions else Data(model, keyframe), parameters, body, ahead)
    for motion in found:
        if isinstance(motion, _Recording):
            name = ffi.new("char[]", motion.name.encode()) if motion.name else ffi.NULL
            check(lib.cr_view_read(page, os.fsencode(motion.path), name, float(fps), error), error)
        else:
            _begin(page, model, motion, kept)
            _take(page, motion, fps)
    content = _text_of(page)
    if look:
        content = content.replace('<html lang="en">', f'<html lang="en" data-look="{html.escape(look)}">', 1)
    return Page(content, [lib.cr_view_states(page, i) for i in range(len(found) or 1)], height)
