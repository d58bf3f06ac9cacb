# SPDX-License-Identifier: Apache-2.0
"""Carom: a differentiable rigid-body simulator for hard contact.

    import carom
    model = carom.load("model.xml")
    data = carom.Data(model)
    data.step(100)
    result = carom.grad(model, "qpos[ball]", nstep=100, wrt=["qvel", "body_mass"])
"""
from carom import _c
from carom._c import CaromError, ERRORS as _ERRORS, lib as _lib, text as _text
from carom.data import Contact, Data
from carom.derivatives import Jacobian, differentiate_pos, integrate_pos, jacobian, jvp, vjp
from carom.fields import Field, fields
from carom.model import Model, load

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


# modules that few programs need are loaded when they are used
_LATER = {"Batch": "rollouts", "Rollout": "rollouts", "rollout": "rollouts", "Gradient": "gradient", "Trust": "gradient",
          "grad": "gradient", "Trajectory": "losses", "backward_model": "method", "Parameter": "parameters",
          "Parameters": "parameters", "Fit": "fitting", "fit": "fitting", "Measurements": "fitting", "check": "checking",
          "Recordings": "windows", "WindowFit": "windows",
          "view": "viewing", "Page": "viewing", "Term": "costs", "Cost": "costs", "plan": "planning",
          "Planner": "planning", "LivePlan": "planning", "Plan": "planning", "lqr": "feedback", "riccati": "feedback",
          "equilibrium": "feedback", "spectral_radius": "feedback", "Regulator": "feedback", "Filter": "feedback",
          "Correction": "corrections"}


def __getattr__(name):
    if name in _LATER:
        import importlib
        value = getattr(importlib.import_module(f"carom.{_LATER[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'carom' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LATER})
