# SPDX-License-Identifier: Apache-2.0
"""Feedback that holds a model at an equilibrium, and an extended Kalman filter for its state."""
import numpy as np

from carom import arrays
from carom._c import NULL, ArgError, check, ffi, lib, new_error, owned, struct, with_contract
from carom.data import Data
from carom.derivatives import differentiate_pos, jacobian


def _positive(values, n, name):
    values = np.asarray(values, float)
    if values.shape in ((), (n,)):
        return np.diag(np.broadcast_to(values, n))
    if values.shape != (n, n):
        raise ArgError(f"{name} has shape {values.shape}; a number, {n} numbers or a matrix {n} x {n} expected")
    return values


@with_contract("cr_equilibrium")
def equilibrium(data, *, hold_pose=False, iterations=0, tolerance=0.0):
    """A state at rest that stays, near the pose and the controls of the data: other Data. With hold_pose only controls and
    activations are looked for."""
    found, error = data.copy(), new_error()
    options = struct("cr_equilibrium_options", hold_pose=bool(hold_pose), iterations=int(iterations), tolerance=float(tolerance))
    check(lib.cr_equilibrium(found.model._ptr, found._ptr, options, error), error)
    return found


@with_contract("cr_lqr")
def riccati(A, B, Q, R):
    """The gain of the discrete linear-quadratic regulator, and the matrix of its cost: (K, P), u = -K x. Q and R are matrices,
    or the numbers of their diagonals."""
    A, B = (np.ascontiguousarray(x, dtype=np.float64) for x in (A, B))
    if A.ndim != 2 or A.shape[0] != A.shape[1] or B.ndim != 2 or B.shape[0] != A.shape[0]:
        raise ArgError(f"A has shape {A.shape}, B {B.shape}; nx x nx and nx x nu expected")
    nx, nu = B.shape
    Q, R = arrays.real(_positive(Q, nx, "Q")), arrays.real(_positive(R, nu, "R"))
    K, P, error = np.empty((nu, nx)), np.empty((nx, nx)), new_error()
    check(lib.cr_lqr(nx, nu, *map(arrays.pointer, (A, B, Q, R, K, P)), error), error)
    return K, P


@with_contract("cr_spectral_radius")
def spectral_radius(A):
    """The largest modulus of the eigenvalues of a matrix: below 1 the system x' = A x comes to rest."""
    A, radius, error = np.ascontiguousarray(A, dtype=np.float64), ffi.new("double*"), new_error()
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ArgError(f"a matrix of shape {A.shape} is not square")
    check(lib.cr_spectral_radius(A.shape[0], arrays.pointer(A), radius, error), error)
    return radius[0]


class Regulator:
    """Feedback at an equilibrium.

    data          the equilibrium
    K, P          the gain, nu x nx, and the matrix of the cost-to-go
    A, B          the step there, linear: nx = 2 nv + na numbers of a tangent
    open, closed  largest modulus of the eigenvalues without and with feedback: below 1 it stays
    """

    def __init__(self, data, Q, R):
        model, step = data.model, jacobian(data, sensors=False)
        self.data, self.A, self.B = data, step.A, step.B
        self.K, self.P = riccati(step.A, step.B, Q, R)
        self.open, self.closed = spectral_radius(step.A), spectral_radius(step.A - step.B @ self.K)
        limited = np.asarray(model.actuator_ctrllimited, bool)
        ranges = np.asarray(model.actuator_ctrlrange)
        self._low = np.where(limited, ranges[:, 0], -np.inf)
        self._high = np.where(limited, ranges[:, 1], np.inf)

    def deviation(self, data):
        """The state minus that of the equilibrium, as a tangent."""
        at = self.data
        return np.concatenate([differentiate_pos(at.model, at.qpos, data.qpos), data.qvel - at.qvel, data.act - at.act])

    def control(self, data):
        """u - K (x - x of the equilibrium), within the limits of the actuators."""
        return np.clip(self.data.ctrl - self.K @ self.deviation(data), self._low, self._high)

    def __repr__(self):
        return f"<carom.Regulator: largest eigenvalue {self.open:.6g} without feedback, {self.closed:.6g} with it>"


def lqr(data, *, hold_pose=False, pose_weight=1.0, speed_weight=0.1, control_weight=1.0, Q=None, R=None):
    """Finds an equilibrium near the state of the data, and the linear-quadratic regulator there: a Regulator.

        hold = carom.lqr(data)
        data.ctrl[:] = hold.control(data)

    data         Data, or a Model: its reference pose
    hold_pose    the pose is the equilibrium; only controls and activations are looked for
    pose_weight, speed_weight, control_weight
                 of pose and activations, of velocities, of controls, squared
    Q, R         instead of these: matrices, or their diagonals
    """
    data = data if isinstance(data, Data) else Data(data)
    model = data.model
    if model.npluginstate:
        raise ArgError("lqr: a model with states of its own, as of corrections that remember, has no regulator here")
    at = equilibrium(data, hold_pose=hold_pose)
    weights = np.concatenate([np.full(model.nv, pose_weight), np.full(model.nv, speed_weight), np.full(model.na, pose_weight)])
    return Regulator(at, weights if Q is None else Q, control_weight if R is None else R)


class Filter:
    """An extended Kalman filter: the state of a model from its sensors (docs/estimation.md).

        filter = carom.Filter(data, sensor_noise=[0.001, 0.01], force=0.5)
        surprise, seen = filter.correct(sensors, ctrl)          now
        filter.predict(ctrl)                                    a step later
        filter.data.qpos

    data          Data that it begins with
    sensor_noise  standard deviation of each number of sensordata, or of all
    start         of the state at the start, nx = 2 nv + na numbers of a tangent, or one; None: it is known
    force         of forces on joints that the model does not have, nv numbers or one; None: none
    state         of what else a step adds to the state, nx numbers or one; None: nothing
    """

    @with_contract("cr_filter_create")
    def __init__(self, data, *, sensor_noise, start=None, force=None, state=None):
        self.model = model = data.model
        nx = 2 * model.nv + model.na + model.npluginstate
        given = {"sensor_noise": (sensor_noise, model.nsensordata), "start": (start, nx), "force": (force, model.nv),
                 "state": (state, nx)}
        numbers = {}
        for name, (values, n) in given.items():
            if values is not None and np.shape(values) not in ((), (n,)):
                raise ArgError(f"{name} has shape {np.shape(values)}; a number or {n} numbers expected")
            numbers[name] = None if values is None else arrays.real(np.broadcast_to(np.asarray(values, float), n))
        options = struct("cr_filter_options", **{name: arrays.pointer(values) for name, values in numbers.items()})
        error, pointer = new_error(), ffi.new("cr_filter**")
        check(lib.cr_filter_create(pointer, model._ptr, data._ptr, options, error), error)
        self._ptr = owned(pointer[0], lib.cr_filter_destroy, model._ptr)
        #: the estimate: its state is for reading, its applied forces may be set
        self.data = Data.over(model, lib.cr_filter_data(self._ptr), self._ptr)
        #: its covariance in tangent coordinates, nx x nx, in the filter's own memory
        self.covariance = np.asarray(arrays._Memory(lib.cr_filter_covariance(self._ptr), (nx, nx), "<f8", True, self._ptr))

    def _ctrl(self, ctrl):
        return None if ctrl is None else arrays.real(ctrl, (self.model.nu,), "ctrl")

    @with_contract("cr_filter_correct")
    def correct(self, sensordata, ctrl=None):
        """Takes the sensors of the present time in; NaN: not seen. Returns (surprise, seen): of a filter that fits the
        surprise is about as large as the count of numbers seen."""
        seen, surprise, error = ffi.new("int*"), ffi.new("double*"), new_error()
        sensordata, ctrl = arrays.real(sensordata, (self.model.nsensordata,), "sensordata"), self._ctrl(ctrl)
        check(lib.cr_filter_correct(self._ptr, arrays.pointer(sensordata), arrays.pointer(ctrl), surprise, seen, error), error)
        return surprise[0], seen[0]

    @with_contract("cr_filter_predict")
    def predict(self, ctrl=None):
        """Goes on by a time step, with a control that is held from now on."""
        error, ctrl = new_error(), self._ctrl(ctrl)
        check(lib.cr_filter_predict(self._ptr, arrays.pointer(ctrl), error), error)
        return self

    def __repr__(self):
        return f"<carom.Filter at {self.data.time:g} s of {self.model!r}>"
