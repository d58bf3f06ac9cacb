# SPDX-License-Identifier: Apache-2.0
"""Gradients of the mean loss under noise, against closed forms, the command and losses in Python."""
import json
import os
import subprocess

import numpy as np
import pytest

import carom
from conftest import SOURCE

SLIDES = """<mujoco><option timestep="0.01" gravity="0 0 0"/><default><geom contype="0"/></default><worldbody>
<body><joint name="a" type="slide" axis="1 0 0"/><geom size=".1"/></body>
<body><joint name="b" type="slide" axis="1 0 0"/><geom size=".1"/></body></worldbody></mujoco>"""
WORDS = "(qpos[a] + 2 * qpos[b])^2 + qpos[a] * qpos[b]^2"
SIGMA = {"qpos[a]": 0.3, "qpos[b]": 0.2}


@pytest.fixture(scope="module")
def slides():
    return carom.load(SLIDES)


def polynomial(run):
    a, b = run.qpos[-1]
    bars = np.zeros((1, 2))
    bars[-1] = 2 * (a + 2 * b) + b ** 2, 4 * (a + 2 * b) + 2 * a * b
    return (a + 2 * b) ** 2 + a * b ** 2, {"qpos": bars}


def value_alone(run):
    return polynomial(run)[0]


# E by a: 2 (a + 2 b) + b^2 + s_b^2, by b: 4 (a + 2 b) + 2 a b, at a = 0.2, b = -0.1
@pytest.mark.parametrize("estimator", ["first", "zeroth", "alpha"])
@pytest.mark.parametrize("draws", ["random", "antithetic", "quasi"])
def test_estimates_hold_the_closed_form(slides, estimator, draws):
    found = carom.smoothed_gradient(slides, WORDS, 1, qpos=[0.2, -0.1], sigma=SIGMA, estimator=estimator, draws=draws,
                                    samples=4000, confidence=0.9999, seed=3)
    for name, truth in (("qpos[a]", 0.05), ("qpos[b]", -0.04)):
        assert 0 < found.error[name][0] < 0.4
        assert abs(found[name][0] - truth) <= found.error[name][0]
    assert abs(found.mean - (0.09 + 0.16 + 0.2 * 0.05)) <= found.mean_error
    assert np.isnan(found.first_variance) == (estimator == "zeroth") and found.loss == pytest.approx(0.002)
    assert (found.text != "") == (estimator == "alpha") and found.verdict in ("free", "bounded", "zero")


@pytest.mark.parametrize("loss, estimator", [(polynomial, "first"), (value_alone, "zeroth"), (polynomial, "alpha")])
def test_losses_in_python_give_what_expressions_give_on_any_number_of_threads(slides, loss, estimator):
    options = dict(qpos=[0.2, -0.1], sigma=SIGMA, estimator=estimator, samples=200)
    words = carom.smoothed_gradient(slides, WORDS, 1, **options)
    for threads in (1, 2, 3):
        python = carom.smoothed_gradient(slides, loss, 1, threads=threads, **options)
        again = carom.smoothed_gradient(slides, WORDS, 1, threads=threads, **options)
        for name in SIGMA:
            assert again[name] == words[name] and again.error[name] == words.error[name]
            np.testing.assert_allclose(python[name], words[name], rtol=1e-10)
        assert python.mean == pytest.approx(words.mean, rel=1e-12)


def test_a_loss_sees_the_controls_of_its_sample(arm):
    def effort(run):
        return np.sum(run.ctrl ** 2)
    found = carom.smoothed_gradient(arm, effort, 4, ctrl=np.full((4, 1), 0.5), sigma={"ctrl": 0.1}, estimator="zeroth",
                                    samples=4000, confidence=0.9999)
    assert found["ctrl"].shape == (4, 1)  # of E[sum u^2]: 2 u
    assert np.all(abs(found["ctrl"] - 1) <= found.error["ctrl"]) and np.all(found.error["ctrl"] < 0.2)
    assert found.mean == pytest.approx(4 * (0.25 + 0.01), abs=found.mean_error)


def test_covariances_and_standard_deviations_of_each_number(slides):
    options = dict(qpos=[0.2, -0.1], estimator="zeroth", draws="antithetic", samples=400)
    rows = carom.smoothed_gradient(slides, WORDS, 1, sigma={"qpos": [0.3, 0.2]}, **options)
    square = carom.smoothed_gradient(slides, WORDS, 1, wrt="qpos", covariance=np.diag([0.09, 0.04]), **options)
    np.testing.assert_allclose(rows["qpos"], square["qpos"], rtol=1e-9)
    both = carom.smoothed_gradient(slides, "qpos[a] * qpos[b]", 1, wrt="qpos", covariance=[[0.09, 0.05], [0.05, 0.04]],
                                   confidence=0.9999, **{**options, "samples": 8000})
    assert np.all(abs(both["qpos"] - [-0.1, 0.2]) <= both.error["qpos"])


def test_the_numbers_are_those_of_the_command():
    command = os.environ.get("CAROM_BUILD_DIR")
    if command is None:
        pytest.skip("no command beside the package")
    model = carom.load(SOURCE / "examples/cube_toss.xml")
    words = ["--time", repr(30 * model.timestep), "--set", "qvel[4]=-6", "--loss", "qpos[0]", "--wrt", "qvel",
             "--estimator", "alpha", "--sigma", "qvel=0.1", "--samples", "32", "--json"]
    told = subprocess.run([f"{command}/carom", "grad", str(SOURCE / "examples/cube_toss.xml"), *words], check=True,
                          capture_output=True, text=True).stdout
    found = carom.smoothed_gradient(model, "qpos[0]", 30, sigma={"qvel": 0.1}, samples=32, qvel=[0, 0, 0, 0, -6, 0])
    told = json.loads(told)
    for name in ("loss", "mean", "mean_error", "first_variance", "zeroth_variance", "alpha", "verdict", "text"):
        assert told[name] == getattr(found, name)
    assert told["gradient"]["qvel"] == list(found["qvel"]) and told["error"]["qvel"] == list(found.error["qvel"])


def test_wrong_requests_are_refused(slides):
    for options, sentence in (({}, "either sigma or covariance"), ({"sigma": {"qpos": 0.1}, "wrt": ["qvel"]}, "'qpos' is none"),
                              ({"sigma": {"qpos": 0.1}, "wrt": ["qpos", "qvel"]}, "'qvel' has no standard"),
                              ({"sigma": {"qpos": [1, 2, 3]}}, "3 numbers; 1 or 2"), ({"covariance": np.eye(2)}, "wrt is needed"),
                              ({"sigma": {"qpos": 0.1}, "estimator": "second"}, "none of first, zeroth, alpha"),
                              ({"sigma": {"qpos": 0.1}, "bias": 1, "estimator": "first"}, "estimator='alpha'"),
                              ({"sigma": {"qpos": 0.1}, "draws": "quasi", "samples": 9}, "multiple of 8"),
                              ({"sigma": {"qpos": -1}}, "deviation")):
        with pytest.raises(carom.ArgError, match=sentence):
            carom.smoothed_gradient(slides, WORDS, 1, **options)

    def failing(run):
        raise ZeroDivisionError("in the loss")
    with pytest.raises(ZeroDivisionError, match="in the loss"):
        carom.smoothed_gradient(slides, failing, 1, sigma={"qpos": 0.1}, estimator="zeroth")
    with pytest.raises(carom.ArgError, match="returns .value"):
        carom.smoothed_gradient(slides, value_alone, 1, sigma={"qpos": 0.1}, estimator="first")
