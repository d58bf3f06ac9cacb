# SPDX-License-Identifier: Apache-2.0
"""The digits of models that the tests in C hold (tests/golden/digits.txt), computed through Python."""
import numpy as np
import pytest

import carom
from conftest import DATA, SOURCE

STEPS, LAST = 180, 20
PARAMETERS = ("body_mass", "body_inertia", "dof_damping", "dof_armature", "jnt_stiffness", "geom_friction", "geom_size",
              "geom_solref", "geom_solimp", "tendon_stiffness", "gravity", "actuator_gainprm", "actuator_biasprm")
BOUND, SMALL = 1e-10, 1e-3  # of scripts/compare_digits.py


def golden():
    rows = {}
    for line in (SOURCE / "tests/golden/digits.txt").read_text().splitlines():
        model, quantity, value, scale = line.split()
        rows.setdefault(model.removesuffix(".crm"), {})[quantity] = float(value), float(scale)
    return rows


class Stream:
    """The random streams of src/base/random.h: xoshiro256**, seeded by splitmix64."""

    MASK = (1 << 64) - 1

    def __init__(self, seed, stream):
        x, self.state = seed ^ (stream * 0xd1342543de82ef95 & self.MASK), []
        for _ in range(4):
            x = (x + 0x9e3779b97f4a7c15) & self.MASK
            z = x
            z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & self.MASK
            z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & self.MASK
            self.state.append(z ^ (z >> 31))

    def _rotate(self, x, k):
        return ((x << k) | (x >> (64 - k))) & self.MASK

    def uniform(self):
        s = self.state
        result = self._rotate(s[1] * 5 & self.MASK, 7) * 9 & self.MASK
        t = s[1] << 17 & self.MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self._rotate(s[3], 45)
        return -1 + 2 * ((result >> 11) * 2.0 ** -53)


def digit(array):
    stream = Stream(14, 0)
    return float(np.sum([stream.uniform() * x for x in np.ravel(array)], dtype=np.longdouble))


def weights(n):
    i = np.arange(n)
    return (i * 7 + 3) % 11 / 11 - 0.4


def loss(run):
    """A loss that every number of the last state takes part in."""
    value, bars = 0.0, {}
    for name in ("qvel", "act", "xpos"):
        array = getattr(run, name)
        bars[name] = np.zeros_like(array)
        w = weights(array[-1].size).reshape(array[-1].shape)
        bars[name][-1] = w
        value += np.sum(w * array[-1])
    return value, bars


def digits(model):
    """Quantities by name, as carom_digits prints them."""
    data, stream = carom.Data(model), Stream(14, 1)
    data.qvel[:] = [v + 0.01 * stream.uniform() for v in data.qvel]
    ctrl = 0.1 * weights(STEPS * model.nu).reshape(STEPS, model.nu)
    for row in ctrl:
        data.ctrl[:] = row
        data.step()
    names = [name for name in PARAMETERS if getattr(model, name).size > 0]
    states = [name for name in ("qpos", "qvel", "act") if getattr(data, name).size > 0]
    found = carom.grad(model, loss, LAST, wrt=[*states, *names, *(["ctrl"] if model.nu else [])], ctrl=ctrl[:LAST], start=data,
                       record=["xpos"])
    quantities = {name: getattr(found, name)[-1] for name in states}
    quantities.update({f"gradient.{name}": values for name, values in found.items()})
    end = carom.Data(model).set_state(data.state())
    for row in ctrl[:LAST]:
        end.ctrl[:] = row
        end.step()
    np.testing.assert_array_equal(end.qpos, found.qpos[-1])
    # after a gradient the block holds the start, with the control of the first step
    data.ctrl[:] = ctrl[0]
    jacobian = data.jacobian(sensors=False)
    quantities.update({"jacobian.state": jacobian.A, "jacobian.ctrl": jacobian.B, "jacobian.force": jacobian.F})
    return {name: digit(values) for name, values in quantities.items()}


@pytest.mark.parametrize("name", sorted(golden()))
def test_digits(name):
    expected = golden()[name]
    assert expected.pop("status") == (0, 0)
    found = digits(carom.load(DATA / f"{name}.xml"))
    assert {quantity for quantity, value in found.items() if value != 0} <= set(expected)
    for quantity, (value, scale) in expected.items():
        assert abs(found[quantity] - value) <= BOUND * max(scale, SMALL), quantity


def test_a_changed_digit_is_seen():
    expected = golden()["cube"]
    found = digits(carom.load(DATA / "cube.xml").copy({"body_mass[1]": carom.load(DATA / "cube.xml").body_mass[1] * (1 + 1e-6)}))
    assert any(abs(found[quantity] - value) > BOUND * max(scale, SMALL) for quantity, (value, scale) in expected.items()
               if quantity != "status")
