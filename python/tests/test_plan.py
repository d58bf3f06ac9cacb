# SPDX-License-Identifier: Apache-2.0
"""Planners: costs of expressions and of functions, iterations, warm starts, loops with a plant, mistakes."""
import threading
import time

import numpy as np
import pytest

import carom
from conftest import SOURCE, in_fork

TERMS = [carom.Term("1 - cos(qpos[hinge])", name="upright", weight=4, terminal=20, norm="smooth_abs", p=0.1),
         carom.Term("qpos[slider]", name="middle", weight=0.5, terminal=5),
         carom.Term("qvel", kind="place", name="rest", weight=0.02, terminal=1),
         carom.Term("ctrl", kind="place", name="effort", weight=0.1)]


@pytest.fixture(scope="module")
def cartpole():
    return carom.load(SOURCE / "examples/tasks/cartpole.xml")


@pytest.fixture
def hanging(cartpole):
    data = carom.Data(cartpole)
    data["qpos[hinge]"] = 3
    return data


def cost_of(cartpole, hanging, ctrl, h=0.01):
    """The cost of a motion, term by term, in NumPy."""
    run = carom.rollout(cartpole, ctrl=ctrl, start=hanging)
    angle, place = run.qpos[:, 1], run.qpos[:, 0]
    norms = {"upright": np.sqrt((1 - np.cos(angle)) ** 2 + 0.01) - 0.1, "middle": place ** 2 / 2,
             "rest": (run.qvel ** 2).sum(1) / 2, "effort": (ctrl ** 2).sum(1) / 2}
    return {t.name: h * t.weight * norms[t.name].sum() + t.terminal * norms[t.name][-1] for t in TERMS}


def test_a_swing_up(cartpole, hanging):
    seen = []
    swing = carom.plan(cartpole, TERMS, horizon=2.5, start=hanging, iterations=60, progress=seen.append, threads=1)
    assert swing.ctrl.shape == (250, 1) and np.abs(swing.ctrl).max() <= 1
    assert [made.cost for made in seen] == swing.costs.tolist() and np.all(np.diff(swing.costs) <= 0)
    assert np.cos(swing.motion.qpos[-1, 1]) > 0.9, "the pole is up at the end"
    expected = cost_of(cartpole, hanging, swing.ctrl)
    for name, part in expected.items():
        assert abs(swing.terms[name] - part) < 1e-9 * max(1, part)
    assert abs(swing.cost - sum(expected.values())) < 1e-9 * swing.cost and abs(swing.cost - swing.costs[-1]) < 1e-9 * swing.cost
    assert swing.planner.gain(0).shape == (1, 4) and swing.planner.gain(250) is None
    assert "upright" in str(swing) and carom.view(cartpole, swing, fps=1e9).states == [251]


@pytest.mark.parametrize("method, options", [
    ("gradient", {}), ("gradient", {"descent": "lbfgs", "clip": 100.0}), ("sampling", {}), ("cem", {"elite": 6}),
    ("mppi", {"temperature": 0.5}), ("mixed", {"polish": 2})])
def test_every_method_improves_with_any_number_of_threads(cartpole, hanging, method, options):
    made = [carom.plan(cartpole, TERMS, 60, start=hanging, method=method, controls="linear", knots=8, samples=24, iterations=4,
                       tolerance=0, colour="pink", threads=threads, **options) for threads in (1, 3)]
    assert (made[0].knots == made[1].knots).all() and made[0].cost == made[1].cost
    assert made[0].knots.shape == (8, 1) and made[0].costs[-1] < carom.plan(cartpole, TERMS, 60, start=hanging, iterations=0).cost


def test_a_function_costs_what_the_expression_costs(cartpole, hanging):
    def upright(state):
        return 1 - np.cos(state.qpos["hinge"])

    def slope(state):
        return {"qpos": [[0, np.sin(state.qpos["hinge"])]]}

    def tip(state):
        return np.array(state.site_xpos["tip"])

    def tip_slope(state):
        return {"site_xpos": np.eye(3)}
    place = carom.Term("site_xpos[tip]", kind="place", weight=2, target=[0, 0, 2])
    for text, function in [(TERMS[0], carom.Term(upright, derivative=slope, weight=4, terminal=20, norm="smooth_abs", p=0.1)),
                           (place, carom.Term(tip, derivative=tip_slope, weight=2, target=[0, 0, 2], fields=True))]:
        a, b = (carom.plan(cartpole, [term, *TERMS[1:]], 40, start=hanging, iterations=3, threads=2) for term in (text, function))
        assert np.allclose(a.costs, b.costs, rtol=1e-12) and np.allclose(a.ctrl, b.ctrl, atol=1e-9)
    assert list(b.terms)[0] == "tip"


def test_sampling_needs_no_derivative(cartpole, hanging):
    term = carom.Term(lambda state: 1 - np.cos(state.qpos["hinge"]), name="up", weight=1)
    assert carom.plan(cartpole, [term], 30, start=hanging, method="cem", controls="linear", knots=4, iterations=2).cost > 0
    with pytest.raises(carom.ArgError, match="up: this method needs derivatives"):
        carom.plan(cartpole, [term], 30, start=hanging, iterations=2)


def test_what_a_function_raises_is_raised(cartpole, hanging):
    calls = []

    def fails(state):
        calls.append(state.time)
        if len(calls) > 50:
            raise ZeroDivisionError("in a cost")
        return state.qvel

    for method in ("ilqr", "sampling"):
        calls.clear()
        term = carom.Term(fails, derivative=lambda state: {"qvel": np.eye(2)}, weight=1)
        with pytest.raises(ZeroDivisionError, match="in a cost"):
            carom.plan(cartpole, [term], 30, start=hanging, method=method, iterations=3)


def test_what_a_derivative_raises_is_raised(cartpole, hanging):
    def fails(state):
        raise ZeroDivisionError("in a derivative")
    term = carom.Term(lambda state: state.qvel, derivative=fails, weight=1)
    for threads in (1, 2):
        with pytest.raises(ZeroDivisionError, match="in a derivative"):
            carom.plan(cartpole, [term], 30, start=hanging, iterations=3, threads=threads)
    good = carom.Term(lambda state: state.qvel, derivative=lambda state: {"qvel": np.eye(2)}, weight=1)
    assert in_fork(lambda: carom.plan(cartpole, [good], 30, start=hanging, iterations=2).ctrl.shape == (30, 1))


def test_targets_move(cartpole):
    times, path = np.array([0, 0.4]), np.array([[0.0], [0.3]])
    follow = carom.plan(cartpole, [carom.Term("qpos[slider]", kind="place", target=path, times=times, weight=100),
                                   carom.Term("qpos[hinge]", weight=1)], horizon=0.4, iterations=40)
    assert np.abs(follow.motion.qpos[14:, 0] - np.interp(follow.motion.time[14:], times, path[:, 0])).max() < 0.02, "after a start from rest"
    for target, words in [([0, 1], "target has 2 numbers a row, its residual 1"), (path, "target has 2 numbers a row")]:
        with pytest.raises(carom.ArgError, match=words):
            carom.plan(cartpole, [carom.Term("qpos[slider]", target=target, weight=1)], 3)
    with pytest.raises(carom.ArgError, match="a row for each"):
        carom.plan(cartpole, [carom.Term("qpos[slider]", kind="place", target=path, times=[0, 1, 2], weight=1)], 3)
    with pytest.raises(carom.ArgError, match="only an expression of one number has a target"):
        carom.plan(cartpole, [carom.Term("qpos + qvel", target=[0, 0], weight=1)], 3)


def test_memory_and_a_warm_start_go_on(cartpole, hanging):
    def make(**options):
        return carom.Planner(cartpole, TERMS, 50, start=hanging, **options)
    whole, first = make(), make()
    for _ in range(3):
        whole.improve()
        first.improve()
    second = make()
    second.memory = first.memory
    assert whole.improve() == second.improve()._replace(iterations=4) and (whole.ctrl == second.ctrl).all()
    warm = make(warm=whole.knots)
    assert warm.motion()[1] == pytest.approx(whole.motion()[1], rel=1e-12) == pytest.approx(whole.improve().before, rel=1e-12)
    with pytest.raises(carom.ArgError):
        make(method="cem").memory = first.memory
    knots = warm.knots
    knots[:] = 0
    assert warm.restart().motion()[1] == pytest.approx(sum(cost_of(cartpole, hanging, np.zeros((50, 1))).values()), rel=1e-9)
    del warm
    assert (knots <= 1).all(), "knots outlive the name of their planner"


def test_feedback_and_shifts(cartpole, hanging):
    planner = carom.Planner(cartpole, TERMS, 50, start=hanging)
    planner.solve(10)
    plain, ctrl = planner.control(7), planner.ctrl
    assert plain == ctrl[7] and planner.control(0, hanging) == ctrl[0]
    beside = hanging.copy()
    beside.qvel["slider"] = 0.01
    expected = np.clip(ctrl[0] + 0.01 * planner.gain(0)[:, 2], -1, 1)
    assert planner.control(0, beside) == pytest.approx(expected, rel=1e-9)
    planner.shift(5)
    assert (planner.ctrl[:45] == ctrl[5:]).all() and (planner.ctrl[45:] == ctrl[-1]).all()


def test_a_plant_follows(cartpole, hanging):
    heavy = cartpole.copy({"body_mass[pole]": 0.105})
    planner = carom.Planner(cartpole, TERMS, horizon=1.5, start=hanging, threads=1)
    seen = []
    done = planner.follow(3, heavy, every=2, first=200, noise=0.01, delay=1, seed=4, look=lambda data: seen.append(data.time))
    assert done.plans == 150 and done.ctrl.shape == (300, 1) and len(seen) == 300 and done.ctrl[0] != 0
    assert np.cos(done.motion.qpos[-50:, 1]).min() > 0.9, "the pole stays up"
    assert abs(sum(done.terms.values()) - done.cost) < 1e-9 * done.cost
    assert np.allclose(carom.rollout(heavy, ctrl=done.ctrl, start=hanging).qpos, done.motion.qpos, atol=1e-12)
    again = carom.Planner(cartpole, TERMS, horizon=1.5, start=hanging, threads=2).follow(
        0.3, heavy, every=2, first=200, noise=0.01, delay=1, seed=4)
    assert (again.motion.qpos == done.motion.qpos[:30]).all()
    assert carom.view(heavy, done).states[0] > 100


def test_a_planner_that_lives(cartpole, hanging):
    planner = carom.Planner(cartpole, TERMS, horizon=0.5, start=hanging)
    with carom.LivePlan(planner, first=3) as live:
        with pytest.raises(carom.ArgError, match="a LivePlan uses this planner"):
            planner.improve()
        data = hanging.copy()
        step, begun = 0, time.monotonic()
        while step < 20 or (live.report["plans"] < 2 and time.monotonic() - begun < 30):
            live.observe(data, step)
            data.ctrl[:] = live.control(step, data)
            data.step()
            time.sleep(0.002)
            step += 1
        assert live.report["plans"] > 1 and live.report["failed"] == 0
    planner.improve()
    with pytest.raises(carom.ArgError, match="closed"):
        live.observe(data, step)
    begun = time.monotonic()
    done = planner.set_start(hanging).follow(0.2, real_time=True, first=2)
    assert time.monotonic() - begun >= 0.19 and done.plans >= 1 and done.report["age"] >= 0 and 0 <= done.missed <= 20


def test_other_threads_run_meanwhile(cartpole, hanging):
    planner, counted, stop = carom.Planner(cartpole, TERMS, 250, start=hanging, threads=1), [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0005)
    thread = threading.Thread(target=count)
    thread.start()
    before, begun = counted[0], time.monotonic()
    while time.monotonic() - begun < 0.3:
        planner.improve()
    during = counted[0] - before
    stop.set()
    thread.join()
    assert during > 20, "the GIL is free while C plans"


def test_mistakes_have_a_sentence(cartpole, hanging):
    good = TERMS[:1]
    for terms, options, words in [
            (good, {}, "as nstep or as horizon"), (good, dict(nstep=3, horizon=1), "as nstep or as horizon"),
            (good, dict(nstep=3, method="icem"), "'icem' is none of gradient, ilqr"), (good, dict(nstep=0), "steps"),
            ([carom.Term("qpos[hinge]")], dict(nstep=3), "weight"), ([carom.Term("qvel", weight=-1, kind="place")], dict(nstep=3), "weight"),
            (["qpos"], dict(nstep=3), "a list of carom.Term"), (good, dict(nstep=3, lower=1, upper=-1), "limit"),
            ([carom.Term("qpos[hinge]", weight=1, norm="l3")], dict(nstep=3), "'l3' is none of null, quadratic"),
            (good, dict(nstep=3, rtol=1e-3), "adaptive")]:
        with pytest.raises(carom.ArgError, match=words):
            carom.plan(cartpole, terms, **options)
    with pytest.raises(carom.NameError, match="qpos\\[hing\\]"):
        carom.plan(cartpole, [carom.Term("qpos[hing]", weight=1)], 3)
    for make, words in [(lambda: carom.Term(3), "a text or a function"), (lambda: carom.Term("qpos", kind="field"), "kind='field'"),
                        (lambda: carom.Term("qpos", derivative=len), "derivative is for functions")]:
        with pytest.raises(carom.ArgError, match=words):
            make()
    planner = carom.Planner(cartpole, TERMS, 5, start=hanging)
    for call, words in [(lambda: planner.follow(0), "less than a step"), (lambda: planner.follow(1, every=0), "at least one step"),
                        (lambda: planner.follow(1, cartpole.copy(timestep=0.02)), "the same timestep"),
                        (lambda: planner.control(5), "step"), (lambda: planner.shift(-1), "steps")]:
        with pytest.raises(carom.ArgError, match=words):
            call()


def test_estimators_see_contacts_ahead():
    model = carom.load(SOURCE / "examples/tasks/push.xml")
    cost = [carom.Term("qpos[puck] - 0.4", name="goal", terminal=10, norm="quadratic"),
            carom.Term("ctrl[0]", name="effort", weight=0.001, norm="quadratic")]
    options = dict(nstep=100, method="gradient", controls="linear", knots=4, rate=0.1, iterations=80, tolerance=0)
    plain = carom.plan(model, cost, **options)
    assert plain.cost == pytest.approx(0.8)
    for estimator in ("first", "zeroth", "alpha"):
        assert carom.plan(model, cost, estimator=estimator, sigma=1.5, **options).cost < 0.05
    with pytest.raises(carom.ArgError, match="go together"):
        carom.plan(model, cost, sigma=1.5, **options)
