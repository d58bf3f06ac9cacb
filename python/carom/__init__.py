# SPDX-License-Identifier: Apache-2.0
"""Carom: a differentiable rigid-body simulator for hard contact.

    import carom
    model = carom.load("model.xml")
    data = carom.Data(model)
    data.step(100)
    result = carom.grad(model, "qpos[ball]", nstep=100, wrt=["qvel", "body_mass"])
"""
from carom._c import CaromError, ERRORS as _ERRORS, lib as _lib, text as _text

__version__ = _text(_lib.cr_version())

# an exception for each status: ArgError, NameError ... ModelError
for _error in _ERRORS.values():
    globals()[_error.__name__] = _error
del _error


def step(data, n=1):
    """Makes n time steps: data.step(n)."""
    return data.step(n)


def forward(data):
    """Computes everything from the state: data.forward()."""
    return data.forward()


def inverse(data, qacc):
    """The force that makes an acceleration: data.inverse(qacc)."""
    return data.inverse(qacc)


# modules are loaded when one of their names is used, NumPy with the first of them: name -> module
_LATER = {name: module for module, names in {
    "checking": "Jump Jumps check jumps",
    "corrections": "Correction",
    "costs": "Cost State Term",
    "data": "Contact Data",
    "derivatives": "Jacobian differentiate_pos integrate_pos jacobian jvp vjp",
    "feedback": "Filter Regulator equilibrium lqr riccati spectral_radius",
    "field_table": "Field fields",
    "fitting": "Fit Measurements fit",
    "gradient": "Gradient Trust grad",
    "losses": "Trajectory",
    "method": "backward_model",
    "model": "Model load",
    "parameters": "Parameter Parameters",
    "planning": "LivePlan Plan Planner plan",
    "policies": "Observation Policy PolicyTraining TrainedPolicy policy_task train_policy",
    "pressure": "PressureFaces",
    "quasidynamic": "ContactPlan QuasiContact QuasiDynamic SmoothedMPC contact_tree",
    "rendering": "render",
    "rollouts": "Batch Rollout rollout",
    "smoothing": "SmoothedGradient smoothed_gradient",
    "viewing": "Page view",
    "windows": "Recordings WindowFit",
}.items() for name in names.split()}

TYPE_CHECKING = False  # type checkers take it for true, and see what is loaded later
if TYPE_CHECKING:
    from carom.checking import Jump, Jumps, check, jumps
    from carom.corrections import Correction
    from carom.costs import Cost, State, Term
    from carom.data import Contact, Data
    from carom.derivatives import Jacobian, differentiate_pos, integrate_pos, jacobian, jvp, vjp
    from carom.feedback import Filter, Regulator, equilibrium, lqr, riccati, spectral_radius
    from carom.field_table import Field, fields
    from carom.fitting import Fit, Measurements, fit
    from carom.gradient import Gradient, Trust, grad
    from carom.losses import Trajectory
    from carom.method import backward_model
    from carom.model import Model, load
    from carom.parameters import Parameter, Parameters
    from carom.planning import LivePlan, Plan, Planner, plan
    from carom.policies import Observation, Policy, PolicyTraining, TrainedPolicy, policy_task, train_policy
    from carom.pressure import PressureFaces
    from carom.quasidynamic import ContactPlan, QuasiContact, QuasiDynamic, SmoothedMPC, contact_tree
    from carom.rendering import render
    from carom.rollouts import Batch, Rollout, rollout
    from carom.smoothing import SmoothedGradient, smoothed_gradient
    from carom.viewing import Page, view
    from carom.windows import Recordings, WindowFit


def __getattr__(name):
    if name in _LATER:
        import importlib
        module = importlib.import_module(f"carom.{_LATER[name]}")
        globals().update({word: getattr(module, word) for word, of in _LATER.items() if of == _LATER[name]})
        return globals()[name]
    raise AttributeError(f"module 'carom' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LATER})
