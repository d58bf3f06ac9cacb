# SPDX-License-Identifier: Apache-2.0
"""Policies: controls, motions, training by three estimators, memory, tasks in YAML, mistakes."""
import numpy as np
import pytest

import carom
from conftest import SOURCE

TERMS = [carom.Term("qpos[hinge]", name="upright", weight=10, terminal=10),
         carom.Term("qpos[slider]", name="middle", weight=1, terminal=2),
         carom.Term("ctrl", kind="place", name="effort", weight=0.02)]
OBSERVE = [carom.Observation("qpos", kind="place", scale=4), carom.Observation("qvel", kind="place", scale=0.3)]
SPREAD = {"qpos[hinge]": 0.1, "qvel[hinge]": 0.3}


@pytest.fixture(scope="module")
def cartpole():
    model = carom.load(SOURCE / "examples/tasks/cartpole.xml")
    return model.set(timestep=0.02, integrator="implicitfast")


@pytest.fixture
def leaning(cartpole):
    data = carom.Data(cartpole)
    data["qpos[hinge]"] = 0.2
    return data


def training(cartpole, leaning, **options):
    options = {"noise": 0.05, "samples": 16, "starts": 4, "spread": SPREAD, "rate": 0.2, "limited": True, "iterations": 20, **options}
    return carom.PolicyTraining(cartpole, TERMS, OBSERVE, 50, start=leaning, **options)


def test_a_linear_policy_is_weights_times_observations(cartpole, leaning):
    policy = carom.Policy(cartpole, [*OBSERVE, "qpos[hinge]^2"])
    assert policy.ninput == 5 and policy.weights.size == 6
    assert policy.control(leaning).tolist() == [0]
    policy.weights[...] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    leaning["qvel[slider]"] = -1
    seen = [*(4 * leaning.qpos), *(0.3 * leaning.qvel), 0.04]
    assert np.allclose(policy.control(leaning), np.dot(policy.weights[:5], seen) + 0.6, atol=1e-14)


def test_a_motion_follows_the_policy(cartpole, leaning):
    policy = carom.Policy(cartpole, OBSERVE, hidden=(5, 4), limited=True, every=3).init(7)
    policy.weights[...] += 0.3
    motion, cost, terms = policy.run(30, leaning, TERMS)
    data, ctrl = leaning.copy(), []
    for step in range(30):
        ctrl.append(policy.control(data, step) if step % 3 == 0 else ctrl[-1])
        data.ctrl[:] = ctrl[-1]
        data.step()
    assert np.allclose(motion.qpos[-1], data.qpos, atol=1e-13) and motion.qpos.shape == (30, 2)
    assert np.abs(ctrl).max() <= 1 and np.ptp(ctrl) > 0 and np.allclose(motion.ctrl, ctrl, atol=1e-12)
    assert np.isclose(sum(terms.values()), cost) and list(terms) == ["upright", "middle", "effort"]
    assert np.isclose(terms["effort"], 0.02 * 0.02 * np.square(ctrl).sum() / 2)
    assert policy.run(30, leaning)[1:] == (None, None)


@pytest.mark.parametrize("estimator", ["first", "zeroth", "alpha"])
def test_training_lowers_the_cost_with_any_number_of_threads(cartpole, leaning, estimator):
    made = [training(cartpole, leaning, estimator=estimator, threads=threads) for threads in (1, 3)]
    histories = [[one.step() for _ in range(20)] for one in made]
    assert (made[0].policy.weights == made[1].policy.weights).all()
    assert [h.iteration for h in histories[0]] == list(range(20)) and made[0].iterations == 20
    assert histories[0][-1].mean < 0.5 * histories[0][0].mean
    assert histories[0][-1].alpha == {"first": 1, "zeroth": 0}.get(estimator, histories[0][-1].alpha)
    assert np.isnan(histories[0][-1].loss) == (estimator == "first")
    assert made[0].evaluate()[1] < 0.5 * carom.Policy(cartpole, OBSERVE).run(50, leaning, TERMS)[1]


def test_memory_goes_on_to_the_same_digits(cartpole, leaning):
    one, other = training(cartpole, leaning), training(cartpole, leaning)
    for _ in range(3):
        one.step()
    other.memory = one.memory
    assert one.step().mean == other.step().mean and one.iterations == other.iterations == 4
    assert (one.policy.weights == other.policy.weights).all()
    assert one.restart().iterations == 0


def test_a_training_may_vary_parameters_and_see_from_a_distance(cartpole, leaning):
    plain, varied = training(cartpole, leaning), training(cartpole, leaning, vary={"body_mass[pole]": 0.3}, antithetic=True)
    assert plain.step().mean != varied.step().mean
    assert np.isfinite(training(cartpole, leaning, cfd=[0, 0.9, 0.05, 0.5, 2]).step().mean)


def test_train_policy_keeps_its_history(cartpole, leaning):
    seen = []
    trained = carom.train_policy(cartpole, TERMS, OBSERVE, horizon=1, start=leaning, iterations=5, samples=8, starts=2, noise=0.05,
                                 progress=seen.append)
    assert trained.costs.tolist() == [made.mean for made in seen] and len(seen) == 5
    assert trained.motion.ctrl.shape == (50, 1) and trained.training.iterations == 5 and "after 5 iterations" in repr(trained)
    assert np.isclose(sum(trained.terms.values()), trained.cost)


def test_a_task_is_trained_as_the_command_does():
    pytest.importorskip("yaml")
    path = SOURCE / "examples/tasks/cartpole_policy.yaml"
    task = carom.policy_task(path)
    assert task["horizon"] == 1 and task["limited"] and task["spread"]["qpos[slider]"] == 0.3 and len(task["cost"]) == 4
    trained = carom.train_policy(path, iterations=3, samples=8, starts=4)
    assert trained.policy.weights.size == 5 and trained.training.model.timestep == 0.02
    assert np.isclose(trained.training.start["qpos[hinge]"], 0.2)


@pytest.mark.parametrize("call, sentence", [
    (lambda m: carom.Observation(3), "an observation is of a text"),
    (lambda m: carom.Observation("qpos", kind="color"), "color"),
    (lambda m: carom.Policy(m, [3]), "3 is none"),
    (lambda m: carom.Policy(m, []), "it observes nothing"),
    (lambda m: carom.Policy(m, "ctrl"), "control"),
    (lambda m: carom.Policy(m, "qpos", activation="loud", hidden=3), "loud"),
    (lambda m: carom.PolicyTraining(m, TERMS, OBSERVE), "give the length"),
    (lambda m: carom.PolicyTraining(m, TERMS, OBSERVE, 5, spread={"body_mass[pole]": 1}), "no place of the state"),
    (lambda m: carom.PolicyTraining(m, TERMS, OBSERVE, 5, samples=3, starts=2), "3 samples from 2 starts"),
    (lambda m: carom.PolicyTraining(m, TERMS, OBSERVE, 5, estimator="second"), "second"),
    (lambda m: carom.train_policy(m), "cost and observe are needed"),
    (lambda m: carom.train_policy("x.yaml", TERMS), "a task has its own cost")])
def test_mistakes_are_named(cartpole, call, sentence):
    with pytest.raises((carom.CaromError, ValueError), match=sentence):
        call(cartpole)


def test_mistakes_in_a_task_are_named(tmp_path):
    pytest.importorskip("yaml")
    path = tmp_path / "task.yaml"
    path.write_text("model: x.xml\nhorizon: 1\n")
    with pytest.raises(carom.ArgError, match="no section observe"):
        carom.policy_task(path)
    path.write_text("observe: []\nhorizont: 1\n")
    with pytest.raises(carom.ArgError, match="'horizont' is none of"):
        carom.policy_task(path)
