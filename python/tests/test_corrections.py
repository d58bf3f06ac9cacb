# SPDX-License-Identifier: Apache-2.0
"""Corrections: from files and from Python, their weights as parameters, saved and read again."""
import numpy as np
import pytest

import carom
from conftest import GEARBOX_OIL, SOURCE

OIL = {name: value for name, value in GEARBOX_OIL.items() if name not in ("random_output", "seed")}


@pytest.fixture(scope="module")
def gearbox():
    return carom.load(SOURCE / "examples/gearbox.xml")


def test_an_untrained_correction_changes_no_bit(gearbox):
    both = gearbox.corrected(SOURCE / "examples/gearbox.yaml"), gearbox.corrected(OIL)
    assert gearbox.corrections == [] and gearbox.npluginparam == 0
    plain = carom.rollout(gearbox, 50, qvel=[3.0])
    for model in both:
        (oil,) = model.corrections
        assert (oil.name, oil.target, oil.act, oil.members, oil.inputs, oil.outputs) == ("oil", "dof_damping[gear]", "scale", 1, 1, 1)
        assert oil.weights == slice(0, model.npluginparam) and model.npluginparam == 13 and oil.memory == slice(0, 0)
        assert (carom.rollout(model, 50, qvel=[3.0]).qpos == plain.qpos).all()
        assert model.correction_inputs("oil") == [("qvel[gear]", 0, 1.0, True)]
    assert (both[0].plugin_param == both[1].plugin_param).all()


def test_weights_are_parameters(gearbox, tmp_path, random):
    model = gearbox.corrected(GEARBOX_OIL)
    result = carom.grad(model, "qpos[gear]", 100, wrt="plugin_param", qvel=[5.0])
    assert np.allclose(result["plugin_param"], result.differences("plugin_param"), rtol=1e-5, atol=1e-9)
    many = model.plugin_param + 0.1 * random.normal(size=(3, 13))
    run = carom.rollout(model, 100, qvel=[5.0], parameters={"plugin_param": many}, loss="qpos[gear]", gradient=True)
    assert run.gradient["plugin_param"].shape == (3, 13) and len(set(run.loss)) == 3
    model.set(plugin_param=many[1])
    assert carom.rollout(model, 100, qvel=[5.0], loss="qpos[gear]").loss == run.loss[1]
    model.save_corrections(tmp_path / "oil.crb")
    again = gearbox.corrected(tmp_path / "oil.crb")
    assert (again.plugin_param == model.plugin_param).all()
    given = gearbox.corrected({**OIL, "weights": many[2]})
    assert (given.plugin_param == many[2]).all()


def test_one_that_remembers(gearbox):
    model = gearbox.corrected({**OIL, "layers": [{"kind": "gru", "width": 3}], "inputs": ["qvel[gear]", "time"]})
    assert model.corrections[0].memory == slice(0, 3) and model.npluginstate == 3
    data = carom.Data(model)
    data.qvel[:] = 4
    data.step(20)
    assert np.abs(data.plugin_state).max() > 0


def test_mistakes_have_a_sentence(gearbox, tmp_path):
    for change, words in [({"target": "dof_dampin[gear]"}, "did you mean"), ({"act": "multiply"}, "none of add, scale"),
                          ({"layer": 3}, "'layer' is none of"), ({"layers": [{"wide": 3}]}, "a layer: 'wide'"),
                          ({"inputs": [{"plaice": "x"}]}, "an input: 'plaice'"), ({"weights": [1, 2]}, "weights"),
                          ({"inputs": ["qacc[gear]"]}, "qacc")]:
        with pytest.raises(carom.CaromError, match=words):
            gearbox.corrected({**OIL, **change})
    with pytest.raises(carom.FileError, match="none.yaml"):
        gearbox.corrected(tmp_path / "none.yaml")
    with pytest.raises(carom.ArgError, match="no correction 'oil'"):
        gearbox.correction_inputs("oil")
    with pytest.raises(carom.ArgError):
        gearbox.save_corrections(tmp_path / "none.crb")
