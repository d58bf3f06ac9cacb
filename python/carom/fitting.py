# SPDX-License-Identifier: Apache-2.0
"""Parameters of a model from measured signals, with intervals and with what the data cannot tell."""
import os
from typing import NamedTuple

import numpy as np

from carom import arrays, method
from carom._c import (NULL, ArgError, call_text, check, choice, ffi, lib, new_error, owned, struct, text, texts, with_contract)
from carom.parameters import Parameters


class Estimate(NamedTuple):
    """What was found of a number: value, interval, standard deviation of x, whether the data tell it."""

    name: str
    value: float
    lower: float
    upper: float
    deviation: float
    told: bool
    at_bound: bool


class Place(NamedTuple):
    """Errors of a measured place: n numbers, noise, whether it was given, root mean square, explained share, correlation
    of an error with the next one, and what white noise would have."""

    place: str
    n: int
    noise: float
    noise_given: bool
    rms: float
    explained: float
    correlation: float
    white: float


class Measurements:
    """Measured signals of a model: runs with channels.

        data = carom.Measurements(model)
        data.read("run1.csv")
        data.add("run2", {"sensordata[gyro]": (time, values), "ctrl[motor]": (time, torque)})
    """

    @with_contract("cr_measurements_create")
    def __init__(self, model):
        error, measurements = new_error(), ffi.new("cr_measurements**")
        check(lib.cr_measurements_create(measurements, model._ptr, error), error)
        self._ptr = ffi.gc(measurements[0], lib.cr_measurements_destroy)
        self.model = model

    @with_contract("cr_measurements_read")
    def read(self, path, *, run=None, columns=None, ignored=(), rate=0.0):
        """Adds the runs of a .csv, .npz or .h5 file. columns: places of columns whose names are none,
        {"enc1": "qpos[hinge] [deg]"}."""
        error = new_error()
        pairs, kept = texts([f"{column}={place}" for column, place in (columns or {}).items()])
        left_out, kept_too = texts(list(ignored))
        name = NULL if run is None else ffi.new("char[]", run.encode())
        options = struct("cr_measurements_file", run=name, columns=pairs, ncolumn=len(columns or {}), ignored=left_out,
                         nignored=len(ignored), rate=rate)
        check(lib.cr_measurements_read(self._ptr, os.fsencode(path), options, error), error)
        del kept, kept_too
        return self

    @with_contract("cr_measurements_add")
    def add(self, name, channels, *, group=None, noise=None, delay=None):
        """Adds a run of channels, {place: (times, values)}; NaN: not measured then. noise, delay: by place."""
        error = new_error()
        group = self.__len__() if group is None else group
        check(lib.cr_measurements_begin(self._ptr, name.encode(), group, error), error)
        for place, (time, values) in channels.items():
            time = arrays.real(time).reshape(-1)
            count = self.model._place(place).count
            values = arrays.real(values, (time.size, count), place)
            word = ffi.new("char[]", place.encode())
            channel = struct("cr_channel_info", place=word, rows=time.size, time=arrays.pointer(time),
                             values=arrays.pointer(values), noise=(noise or {}).get(place, 0.0),
                             delay=(delay or {}).get(place, 0.0))
            check(lib.cr_measurements_add(self._ptr, channel, error), error)
        return self

    def set_noise(self, place, noise):
        """Standard deviation of a place in all runs."""
        error = new_error()
        check(lib.cr_measurements_set_noise(self._ptr, place.encode(), noise, error), error)

    def set_delay(self, place, delay):
        """Delay of a place in all runs, seconds."""
        error = new_error()
        check(lib.cr_measurements_set_delay(self._ptr, place.encode(), delay, error), error)

    def __len__(self):
        return lib.cr_measurements_count(self._ptr)

    @property
    def names(self):
        """Names of the runs."""
        return [text(lib.cr_measurements_name(self._ptr, i)) for i in range(len(self))]

    def channels(self, run):
        """Channels of a run (name or number): {place: (times, values)}, copies."""
        run = self._run(run)
        return {place: (time, values) for place, time, values in map(
            lambda i: self._channel(run, i), range(lib.cr_measurements_channels(self._ptr, run)))}

    def _run(self, run):
        if isinstance(run, str):
            if run not in self.names:
                raise ArgError(f"there is no run '{run}'; there is: {', '.join(self.names)}")
            return self.names.index(run)
        return int(run)

    def _channel(self, run, i):
        error, info = new_error(), struct("cr_channel_info")
        check(lib.cr_measurements_get(self._ptr, run, i, info, error), error)
        place = text(info.place)
        count = self.model._place(place).count
        time = np.frombuffer(ffi.buffer(info.time, info.rows * 8)).copy()
        values = np.frombuffer(ffi.buffer(info.values, info.rows * count * 8)).copy()
        return place, time, values if count == 1 else values.reshape(info.rows, count)

    @property
    def doubts(self):
        """What looks wrong in the data: (sentence, sure) each; sure: the data contradict each other or the model."""
        n, sure, error = ffi.new("int*"), ffi.new("bool*"), new_error()
        check(lib.cr_measurements_doubt(self._ptr, 0, NULL, 0, NULL, n, error), error)
        found = []
        for i in range(n[0]):
            sentence = call_text(lambda buffer, size, i=i: check(
                lib.cr_measurements_doubt(self._ptr, i, buffer, size, sure, n, error), error))
            found.append((sentence, bool(sure[0])))
        return found


def measurements(model, runs, **options):
    """Measurements of what carom.fit takes: a Measurements; a path or several; {name: {place: (times, values)}}."""
    if isinstance(runs, Measurements):
        return runs
    data = Measurements(model)
    if isinstance(runs, dict):
        for name, channels in runs.items():
            data.add(name, channels)
        return data
    for path in ([runs] if isinstance(runs, (str, os.PathLike)) else runs):
        data.read(path, **options)
    return data


def _quiet(*_):
    """An exception in _stop, that of Ctrl-C, ends the search, which then raises."""


@ffi.def_extern(name="carom_py_stop", error=True, onerror=_quiet)
def _stop(context):
    # Python raises KeyboardInterrupt here where Ctrl-C was pressed
    return False


class Fit:
    """A fit that was done: fit["density:arm"] is an Estimate, .estimates all of them, .model the model found.

    cost, start_cost, steps, converged, reason, left   how the search ended (cr_search_end)
    """

    @with_contract("cr_identification_create", "cr_identification_solve")
    def __init__(self, model, runs, estimate, *, columns=None, ignored=(), rate=0.0, delays=(), offsets=(), noise=None,
                 start="estimated", window=0.0, continuity=0.0, huber=0.0, held_out=0.0, held_runs=(), seed=0,
                 longest_delay=0.0, confidence=0.9, correlated=False, iterations=0, tolerance=0.0, gauss_newton=False,
                 threads=0, as_recorded=False, **options):
        adaptive, options = method.split(options)
        self._variant = method.variant(model, options)
        file_options = {"columns": columns, "ignored": ignored, "rate": rate}
        self.measurements = measurements(self._variant, runs, **file_options)
        for place, sd in (noise or {}).items():
            self.measurements.set_noise(place, sd)
        #: sentences about what looks wrong in the data
        self.warnings = [sentence for sentence, _ in self.measurements.doubts]
        sure = [sentence for sentence, sure in self.measurements.doubts if sure]
        if sure and not as_recorded:
            raise ArgError(f"{sure[0]} (as_recorded=True takes the data as they are)")
        self.parameters = Parameters(self._variant, estimate)
        c_options = struct("cr_identification_options", window=window, start=choice("start", start), continuity=continuity,
                           huber=huber, held_out=held_out, seed=seed, longest_delay=longest_delay, confidence=confidence,
                           correlated=correlated, nthread=threads, adaptive=method.adaptive(adaptive))
        self._kept = [c_options.adaptive]
        for member, names in (("held", held_runs), ("delayed", delays), ("shifted", offsets)):
            array, kept = texts(list(names))
            setattr(c_options, member, array)
            setattr(c_options, f"n{member}", len(names))
            self._kept += [array, kept]
        c_options.stop = lib.carom_py_stop
        error, identification = new_error(), ffi.new("cr_identification**")
        check(lib.cr_identification_create(identification, self.parameters._ptr, self.measurements._ptr, c_options, error),
              error)
        self._id = owned(identification[0], lib.cr_identification_destroy, self.parameters._ptr, self.measurements._ptr,
                         self._kept)
        self._solve(struct("cr_search", iterations=iterations, tolerance=tolerance, gauss_newton=gauss_newton))

    def _solve(self, search):
        error, end = new_error(), struct("cr_search_end")
        self.x = np.empty(lib.cr_identification_count(self._id))
        check(lib.cr_identification_get_start(self._id, arrays.pointer(self.x), error), error)
        check(lib.cr_identification_solve(self._id, search, arrays.pointer(self.x), end, error), error)
        for name, _ in ffi.typeof("cr_search_end").fields:
            if name not in ("size", "reason"):
                setattr(self, name, getattr(end, name))
        self.reason = text(end.reason)
        self.estimates = {e.name: e for e in self._estimates()}

    @staticmethod
    def _estimate(e):
        return Estimate(text(e.name), e.value, e.lower, e.upper, e.deviation, bool(e.told), bool(e.at_bound))

    def _estimates(self):
        error = new_error()
        for i in range(lib.cr_identification_report_count(self._id)):
            e = struct("cr_estimate")
            check(lib.cr_identification_get_report(self._id, i, e, error), error)
            yield self._estimate(e)

    def __getitem__(self, name):
        return self.estimates[name]

    @property
    def names(self):
        """Names of the numbers of x."""
        return [text(lib.cr_identification_name(self._id, i)) for i in range(len(self.x))]

    @property
    def model(self):
        """The model found, a copy."""
        return self.parameters.model(self.x[:len(self.parameters)])

    @with_contract("cr_identification_profile")
    def profile(self, name):
        """The estimate of a number of x with an interval by profile likelihood."""
        if name not in self.names:
            raise ArgError(f"'{name}' is none of {', '.join(self.names)}")
        e, error = struct("cr_estimate"), new_error()
        check(lib.cr_identification_profile(self._id, self.names.index(name), e, error), error)
        return self._estimate(e)

    def _matrices(self):
        n, error = len(self.x), new_error()
        both = np.empty((2, n, n))
        check(lib.cr_identification_covariance(self._id, arrays.pointer(both[0]), arrays.pointer(both[1]), error), error)
        return both

    @property
    def covariance(self):
        """Covariance of x; NaN for numbers that the data do not tell."""
        return self._matrices()[0]

    @property
    def correlation(self):
        """Correlation of x."""
        return self._matrices()[1]

    @property
    def untold(self):
        """Sentences: what the data cannot tell."""
        n, error = ffi.new("int*"), new_error()
        check(lib.cr_identification_untold(self._id, 0, NULL, 0, n, error), error)
        return [call_text(lambda buffer, size, i=i: check(
            lib.cr_identification_untold(self._id, i, buffer, size, n, error), error)) for i in range(n[0])]

    def places(self, part="train"):
        """Errors of every measured place, over the runs that were fitted ("train") or held aside ("held")."""
        error, found = new_error(), {}
        for i in range(lib.cr_identification_places(self._id)):
            e = struct("cr_fit_of_place")
            check(lib.cr_identification_get_place(self._id, choice("run_part", part), i, e, error), error)
            found[text(e.place)] = Place(text(e.place), e.n, e.noise, bool(e.noise_given), e.rms, e.explained, e.correlation,
                                         e.white)
        return found

    def predict(self, run, place):
        """What the model predicts for a place of a run at the times of its channel."""
        run = self.measurements._run(run)
        channels = list(self.measurements.channels(run).items())
        i = next((i for i, (name, _) in enumerate(channels) if name == place), None)
        if i is None:
            raise ArgError(f"run {run} has no channel '{place}'; there is: {', '.join(name for name, _ in channels)}")
        values, error = np.empty_like(channels[i][1][1]), new_error()
        check(lib.cr_identification_predict(self._id, run, i, arrays.pointer(values), error), error)
        return values

    @property
    def starts(self):
        """The state at the start of every window that was fitted: dicts of run, time, qpos, qvel, act."""
        model = self.parameters._base
        return [self._start(i, model) for i in range(lib.cr_identification_windows(self._id, lib.CR_RUNS_TRAIN))]

    def _start(self, i, model):
        run, time, error = ffi.new("int*"), ffi.new("double*"), new_error()
        qpos, qvel, act = np.empty(model.nq), np.empty(model.nv), np.empty(model.na)
        check(lib.cr_identification_get_state(self._id, i, run, time, *map(arrays.pointer, (qpos, qvel, act)), error), error)
        return {"run": self.measurements.names[run[0]], "time": time[0], "qpos": qpos, "qvel": qvel, "act": act}

    def __str__(self):
        lines = [f"{e.name:28} {e.value:<12.6g} ({e.lower:.6g} to {e.upper:.6g}{'' if e.told else '; not told'})"
                 for e in self.estimates.values()]
        lines += [f"{p.place:24} errors {p.rms:.4g}, noise {p.noise:.4g}, explains {100 * p.explained:.2f} %"
                  for p in self.places().values()]
        return "\n".join(lines + self.untold)

    def __repr__(self):
        return f"<carom.Fit of {', '.join(self.estimates)}: {self.reason}>"


def fit(model, runs, estimate, **options):
    """Finds parameters of a model from measured signals: a Fit.

        fit = carom.fit(model, ["run1.csv", "run2.csv"], ["density:arm", "dof_damping[hip]"], delays=["qvel[hip]"])
        print(fit); fit["density:arm"].value; fit.model.save("found.xml")

    runs         files (.csv, .npz, .h5; docs/recordings.md), {run: {place: (times, values)}}, or Measurements
    estimate     words "[KIND:]TARGET[=START[:LOW:HIGH]]" (docs/identification.md), or Parameter
    columns, ignored, rate     of files: see Measurements.read
    delays, offsets, noise     places whose delay or offset is estimated; standard deviations by place
    start        "estimated", "reference" or "measured"
    window, continuity, huber, held_out, held_runs, seed, longest_delay, confidence, correlated, iterations, tolerance,
    gauss_newton, threads      as in cr_identification_options and cr_search
    as_recorded  takes data that contradict each other
    options      of adaptive steps and of the model, as carom.rollout
    """
    return Fit(model, runs, estimate, **options)
