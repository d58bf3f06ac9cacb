# SPDX-License-Identifier: Apache-2.0
"""Parameters from measured signals; a model beside MuJoCo."""
import numpy as np
import pytest

import carom
from conftest import DATA, LEG

TRUTH = {"density:arm": 0.625, "dof_damping[hip]": 0.03, "delay": 0.015}


@pytest.fixture(scope="module")
def model():
    return carom.load(DATA / "driven_arm.xml")


@pytest.fixture(scope="module")
def runs(model):
    """Three runs of an arm that is lighter and less damped than the model's, with noise; its speed is seen 15 ms late."""
    true = model.copy({"body_mass[arm]": model.body_mass["arm"] * 0.625, "body_inertia[arm]": model.body_inertia["arm"] * 0.625,
                       "dof_damping[hip]": 0.03})
    runs, random = {}, np.random.default_rng(3)
    n, h = 400, true.timestep
    for k in range(3):
        time = np.arange(n + 1) * h
        torque = np.sin(2 * np.pi * (1 + k) * time) + 0.5 * np.sin(7 * time + k)
        run = carom.rollout(true, ctrl=torque[:n, None])
        angle = np.concatenate([[0.0], run.qpos[:, 0]]) + 0.002 * random.normal(size=n + 1)
        speed = np.concatenate([[0.0], run.qvel[:, 0]]) + 0.02 * random.normal(size=n + 1)
        runs[f"run{k}"] = {"ctrl[0]": (time, torque), "qpos[hip]": (time, angle), "qvel[hip]": (time + TRUTH["delay"], speed)}
    return runs


def test_a_fit_finds_the_truth_with_intervals_that_hold_it(model, runs):
    fit = carom.fit(model, runs, ["density:arm", "dof_damping[hip]"], delays=["qvel[hip]"], confidence=0.99)
    assert fit.converged
    for name, truth in (("density:arm", 0.625), ("dof_damping[hip]", 0.03), ("delay of qvel[hip]", 0.015)):
        estimate = fit[name]
        assert estimate.told and estimate.lower < truth < estimate.upper, estimate
        assert estimate.upper - estimate.lower < 0.05 * truth
    assert fit.model["dof_damping[hip]"] == pytest.approx(0.03, rel=0.02)
    assert fit.model["body_mass[arm]"] == pytest.approx(0.625 * model.body_mass["arm"], rel=0.01)
    places = fit.places()
    assert places["qpos[hip]"].noise == pytest.approx(0.002, rel=0.1)
    assert places["qvel[hip]"].noise == pytest.approx(0.02, rel=0.1)
    assert fit.covariance.shape == (3, 3) and fit.correlation[0, 0] == pytest.approx(1)
    predicted = fit.predict("run1", "qpos[hip]")
    assert np.nanstd(predicted - runs["run1"]["qpos[hip]"][1]) == pytest.approx(0.002, rel=0.1)
    profile = fit.profile("dof_damping[hip]")
    assert profile.lower == pytest.approx(fit["dof_damping[hip]"].lower, rel=0.02)
    assert fit.starts[0]["run"] == "run0" and "density:arm" in str(fit)


def test_what_the_data_cannot_tell_is_said(model, runs):
    # without gravity only inertia moves the arm: its mass, its armature and the motor's gear show together alone
    fit = carom.fit(model, {"run0": {place: runs["run0"][place] for place in ("ctrl[0]", "qpos[hip]")}},
                    ["density:arm", "dof_armature[hip]=0.001:0:1", "scale:actuator_gear[0][0]", "dof_damping[hip]"])
    assert fit.untold and not all(estimate.told for estimate in fit.estimates.values())


def test_measurements_are_read_and_doubted(model, runs, tmp_path):
    time, angle = runs["run0"]["qpos[hip]"]
    table = np.column_stack([time, runs["run0"]["ctrl[0]"][1], angle])
    np.savetxt(tmp_path / "a.csv", table, delimiter=",", header="time,torque,enc1", comments="")
    data = carom.Measurements(model).read(tmp_path / "a.csv", columns={"torque": "ctrl[0]", "enc1": "qpos[hip]"})
    assert data.names == ["a"] and len(data) == 1
    np.testing.assert_allclose(data.channels("a")["qpos[hip]"][1], angle)
    with pytest.raises(carom.NameError, match="enc1"):
        carom.Measurements(model).read(tmp_path / "a.csv", columns={"torque": "ctrl[0]"})
    with pytest.raises(carom.ArgError, match="no run 'b'"):
        data.channels("b")


def test_parameters_for_ones_own_optimiser(model):
    parameters = carom.Parameters(model, ["density:arm=0.9:0.1:2", "dof_damping[hip]", carom.Parameter("gravity[2]", name="g")])
    assert parameters.names == ["density:arm", "dof_damping[hip]", "g"]
    np.testing.assert_allclose(parameters.values(parameters.start), [0.9, 0.05, -9.81])
    lower, upper = parameters.bounds
    assert lower[0] == pytest.approx(np.log(0.1)) and upper[0] == pytest.approx(np.log(2)) and upper[1] == np.inf
    other = parameters.model(parameters.start)
    assert other["body_mass[arm]"] == pytest.approx(0.9 * model.body_mass["arm"])


@pytest.mark.parametrize("wish, sentence", [
    ("foo:arm", "no kind 'foo'; there is: field"), ("density:leg", "leg"), ("body_mas[arm]", "did you mean 'body_mass'"),
    ("density:arm=1:2", r"\[KIND:\]TARGET"), ("jnt_axis[hip]=x", "could not convert|unit length")])
def test_wrong_wishes_are_refused(model, wish, sentence):
    with pytest.raises((carom.CaromError, ValueError), match=sentence):
        carom.Parameters(model, wish)


def test_check_compares_with_mujoco(tmp_path):
    (tmp_path / "leg.xml").write_text(LEG)
    check = carom.check(tmp_path / "leg.xml", states=5)
    assert check and check.parity < check.parity_bound and check.gradient < check.gradient_bound
    assert check.fields["qacc"][2] < 1e-9 and check.nv == 8
    with pytest.raises(carom.FileError):
        carom.check(tmp_path / "none.xml")


def test_windows_of_recorded_states_find_a_damping(model, tmp_path):
    true = model.copy({"dof_damping[hip]": 0.03})
    data = carom.Recordings(model, model.timestep)
    random = np.random.default_rng(2)
    for k in range(4):
        qvel, ctrl = random.normal(size=1), random.normal(size=(101, 1))
        run = carom.rollout(true, qvel=qvel, ctrl=ctrl[:100])
        data.add(f"run{k}", np.vstack([[0], run.qpos]), np.vstack([qvel, run.qvel]), ctrl=ctrl)
    data.write(tmp_path / "runs.h5", "made")
    data = carom.Recordings.read(model, tmp_path / "runs.h5")
    assert data.doubt == "" and len(data) == 4
    fit = carom.WindowFit(model, data, "dof_damping[hip]", steps=20, stride=20, held_out=0.25)
    assert fit.info()["groups"] == 3 and fit.info("held")["groups"] == 1
    x, h = fit.parameters.start, 1e-5
    loss, gradient = fit.evaluate(x)
    quotient = (fit.evaluate(x + h, gradient=False) - fit.evaluate(x - h, gradient=False)) / (2 * h)
    assert gradient[0] == pytest.approx(quotient, rel=1e-6)
    by_adam = fit.minimise(method="adam", rate=0.05, final_rate=1e-3, iterations=50)
    assert fit.parameters.values(by_adam)[0] == pytest.approx(0.03, rel=0.1)
    found = fit.minimise()
    assert fit.parameters.values(found)[0] == pytest.approx(0.03, rel=1e-3) and fit.reason
    assert fit.evaluate(found, "held", gradient=False) < 1e-4 * loss
    assert fit.model(found)["dof_damping[hip]"] == pytest.approx(0.03, rel=1e-3)
    for method, estimator in (("lbfgs", "first"), ("adam", "zeroth"), ("adam", "alpha")):
        shaken = fit.minimise(method=method, estimator=estimator, sigma=0.02, samples=6, rate=0.05, final_rate=1e-3, iterations=50)
        assert fit.parameters.values(shaken)[0] == pytest.approx(0.03, rel=0.1)
    with pytest.raises(carom.ArgError, match="go together"):
        fit.minimise(estimator="first")
    tossed = carom.load(DATA / "toss_cube.xml")
    rest = np.tile(tossed.qpos0, (30, 1))
    standing = carom.Recordings(tossed, tossed.timestep).add("still", rest, np.zeros((30, 6)))
    reach = dict(dc=0.0, d0=0.9, wc=0.5, mc=0.5, pc=2.0)
    blind = carom.WindowFit(tossed, standing, "body_mass[1]", steps=3)
    seeing = carom.WindowFit(tossed, standing, "body_mass[1]", steps=3, cfd=reach)
    start = blind.parameters.start
    assert blind.evaluate(start)[0] == seeing.evaluate(start)[0] and blind.evaluate(start)[1][0] != seeing.evaluate(start)[1][0]
    with pytest.raises(carom.ArgError, match="train or held"):
        fit.info("all")


def test_windows_count_by_norms_and_costs(model):
    data = carom.Recordings(model, model.timestep)
    run = carom.rollout(model.copy({"dof_damping[hip]": 0.03}), qvel=[1.0], ctrl=np.zeros((40, 1)))
    data.add("run", run.qpos, run.qvel, ctrl=np.zeros((40, 1)))

    def loss_of(**options):
        fit = carom.WindowFit(model, data, "dof_damping[hip]", steps=10, threads=2, **options)
        x, h = fit.parameters.start, 1e-5
        loss, gradient = fit.evaluate(x)
        quotient = (fit.evaluate(x + h, gradient=False) - fit.evaluate(x - h, gradient=False)) / (2 * h)
        assert gradient[0] == pytest.approx(quotient, rel=1e-5)
        return loss

    squares = loss_of()
    assert loss_of(norm="quadratic") == pytest.approx(squares / 2) and loss_of(norm="smooth_abs", p=0.01) != squares
    fast = carom.Term("qvel", kind="place", weight=0.3)
    assert loss_of(cost=[fast, carom.Term("xipos[1].z", terminal=0.1)]) > loss_of(cost=fast) > squares
    slow = carom.Term(lambda state: state.qvel, derivative=lambda state: {"qvel": np.eye(1)}, weight=0.3)
    assert loss_of(cost=slow) == pytest.approx(loss_of(cost=fast))
    with pytest.raises(ZeroDivisionError):
        loss_of(cost=carom.Term(lambda state: state.qvel * 0 if state.time == 0 else 1 / 0, weight=0.3))
    with pytest.raises(carom.ArgError, match="'cubic' is none of"):
        loss_of(norm="cubic")
