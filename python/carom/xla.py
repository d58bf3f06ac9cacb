# SPDX-License-Identifier: Apache-2.0
"""Carom's functions as targets of XLA's foreign function interface on the CPU (python/src/xla_calls.h), for carom.jax."""
import ctypes
import re
import warnings
import weakref
from pathlib import Path

import numpy as np

from carom._c import ffi, lib

TARGETS = {"carom_forward": lib.CAROM_XLA_FORWARD, "carom_backward": lib.CAROM_XLA_BACKWARD, "carom_cost": lib.CAROM_XLA_COST}

_ready: list = []  # whether the targets are registered, once that is known


def _version(jax):
    """Version of the interface of this JAX: (major, minor)."""
    text = Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text()
    return tuple(int(re.search(rf"#define XLA_FFI_API_{part}\s+(\d+)", text)[1]) for part in ("MAJOR", "MINOR"))


def _capsule(target):
    build = ctypes.pythonapi.PyCapsule_New
    build.restype, build.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return build(lib.carom_xla_handler(target), None, None)


def _register(jax):
    major, minor = _version(jax)
    newest = ffi.new("int[2]")
    lib.carom_xla_newest(newest, newest + 1)
    if (major, minor) > tuple(newest) and major == newest[0]:
        minor = newest[1]  # XLA goes on serving older handlers, and these compare the sizes of its structs
    if not lib.carom_xla_knows(major, minor):
        raise RuntimeError(f"version {major}.{minor} of XLA's foreign function interface is not known")
    lib.carom_xla_set_version(major, minor)
    for name, target in TARGETS.items():
        jax.ffi.register_ffi_target(name, _capsule(target), platform="cpu")


def ready(jax):
    """Whether XLA can call Carom without Python. Where it cannot, one warning says why, and calls go through the host."""
    if not _ready:
        try:
            _register(jax)
            _ready.append(True)
        except Exception as reason:  # of any module of JAX
            warnings.warn(f"carom.jax calls Carom through Python, which is slower: {reason}", stacklevel=2)
            _ready.append(False)
    return _ready[0] and jax.default_backend() == "cpu"


class Number(np.int64):
    """The number of a map for XLA. What JAX has traced holds the number, and the number the map."""


def number(steps):
    """The Number of an autodiff.Map."""
    found = steps.__dict__.get("_number")
    if found is None:
        value = lib.carom_map_publish(steps.c_map)
        if value == 0:
            raise MemoryError("no memory for a map")
        # what C reads is kept until nobody runs it
        kept = (steps.c_map, steps.batch, steps.model, steps._names, steps._inputs, steps._outputs, steps._plain,
                steps._quaternion, steps._expressions, steps._c_losses)
        weakref.finalize(steps, _withdraw, value, kept).atexit = False
        steps._number = value
        found = value
    result = Number(found)
    result.map = steps
    return result


def _withdraw(value, kept):
    lib.carom_map_withdraw(value)
