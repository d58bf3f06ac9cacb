# SPDX-License-Identifier: Apache-2.0
"""PyTorch: steps and rollouts with gradients, against differences and against carom.grad."""
import numpy as np
import pytest

import carom

torch = pytest.importorskip("torch")
import carom.torch  # noqa: E402

DOUBLE = torch.float64


def tensor(values, **options):
    return torch.tensor(np.array(values, dtype=np.float64), dtype=DOUBLE, **options)


def leaf(values):
    return tensor(values).requires_grad_()


@pytest.fixture
def contact(landed):
    """qpos, qvel and ctrl of the leg in contact, two rollouts, with a quaternion that is not 1 0 0 0."""
    qpos = np.tile(landed.qpos, (2, 1))
    qpos[1] = carom.integrate_pos(landed.model, qpos[1], [0, 0, 0, 0.02, 0.01, -0.02, 0.01, 0.02])
    return [leaf(x) for x in (qpos, np.tile(landed.qvel, (2, 1)) + 0.01, np.tile(landed.ctrl, (2, 1)))]


def test_gradcheck_of_a_step_in_contact(leg, contact):
    def step(qpos, qvel, ctrl):
        return carom.torch.step(leg, qpos, qvel, ctrl=ctrl)[:2]
    assert torch.autograd.gradcheck(step, contact, eps=1e-7, atol=2e-4, rtol=1e-3)


def test_gradcheck_of_a_rollout_with_parameters(leg, contact):
    scale, friction = leaf([1.0, 1.2]), leaf(leg.geom_friction)

    def run(qpos, qvel, scale, friction):
        masses = scale[:, None] * tensor(leg.body_mass)
        out = carom.torch.rollout(leg, 3, qpos=qpos, qvel=qvel, record=["sensordata"],
                                  parameters={"body_mass": masses, "geom_friction": friction})
        return out["qpos"], out["qvel"], out["sensordata"]
    assert torch.autograd.gradcheck(run, (*contact[:2], scale, friction), eps=1e-6, atol=5e-3, rtol=1e-2)


def test_gradcheck_of_muscles_and_tendons(arm):
    inputs = [leaf([[0.3, 0.4]]), leaf([[0.1, -0.2]]), leaf([[0.3]]), leaf([[0.6]]), leaf(arm.tendon_stiffness)]

    def step(qpos, qvel, act, ctrl, stiffness):
        return carom.torch.step(arm, qpos, qvel, act, ctrl, {"tendon_stiffness": stiffness}, n=4)
    assert torch.autograd.gradcheck(step, inputs, eps=1e-6, atol=1e-6)


def test_gradcheck_of_a_correction(oiled):
    inputs = [leaf([[0.3], [0.1]]), leaf([[2.0], [-4.0]]), leaf(oiled.plugin_param)]

    def run(qpos, qvel, weights):
        out = carom.torch.rollout(oiled, 5, qpos=qpos, qvel=qvel, parameters={"plugin_param": weights})
        return out["qpos"], out["qvel"]
    assert torch.autograd.gradcheck(run, inputs, eps=1e-6, atol=1e-6)
    run(*inputs)[1].sum().backward()
    assert inputs[2].grad.abs().max() > 1e-4


def test_gradcheck_of_quaternion_parameters(leg):
    quaternion = leaf(leg.body_quat + 0.05)
    start = tensor(leg.key_qpos[0])

    def run(quaternion):
        return carom.torch.rollout(leg, 3, qpos=start, parameters={"body_quat": quaternion})["qvel"]
    assert torch.autograd.gradcheck(run, (quaternion,), eps=1e-6, atol=1e-4)


def test_it_is_the_gradient_of_carom(leg, random):
    controls = leaf(random.normal(size=(20, 2)) * 0.3)
    run = carom.torch.rollout(leg, ctrl=controls, qpos=tensor(leg.key_qpos[0]))
    run["qvel"][-1].square().sum().backward()
    reference = carom.grad(leg, "sum(qvel^2)", ctrl=controls.detach().numpy(), wrt="ctrl", qpos=leg.key_qpos[0])
    np.testing.assert_allclose(controls.grad.numpy(), reference["ctrl"], rtol=1e-10, atol=1e-12)


def test_cost_is_the_loss_with_its_gradient(leg, random):
    controls = leaf(random.normal(size=(3, 20, 2)) * 0.3)
    costs = carom.torch.cost(leg, "sum(qvel^2)", ctrl=controls)
    weights = tensor([1, 2, 3])
    (costs * weights).sum().backward()
    run = carom.rollout(leg, ctrl=controls.detach().numpy(), loss="sum(qvel^2)", gradient=True)
    np.testing.assert_array_equal(costs.detach().numpy(), run.loss)
    np.testing.assert_allclose(controls.grad.numpy(), run.gradient["ctrl"] * weights.numpy()[:, None, None], rtol=1e-14)
    with torch.no_grad():
        np.testing.assert_array_equal(carom.torch.cost(leg, "sum(qvel^2)", ctrl=controls).numpy(), run.loss)


def test_losses_written_in_torch(leg, random):
    @carom.torch.loss
    def speed(run):
        return run.qvel[-1].square().sum() + 0.1 * run.site_xpos[:, 1, 2].sum()
    controls = random.normal(size=(2, 20, 2)) * 0.3
    ours = carom.rollout(leg, ctrl=controls, loss=speed, record=["site_xpos"], gradient=True)
    every = carom.rollout(leg, ctrl=controls, loss="0.1*site_xpos[foot].z", every=True, gradient=True)
    last = carom.rollout(leg, ctrl=controls, loss="sum(qvel^2)", gradient=True)
    np.testing.assert_allclose(ours.loss, every.loss + last.loss, rtol=1e-12)
    np.testing.assert_allclose(ours.gradient["ctrl"], every.gradient["ctrl"] + last.gradient["ctrl"], rtol=1e-9, atol=1e-12)


def test_single_precision(leg, contact):
    singles = [x.detach().float().requires_grad_() for x in contact]
    qpos, qvel, act = carom.torch.step(leg, *singles[:2], ctrl=singles[2])
    assert qpos.dtype == qvel.dtype == act.dtype == torch.float32
    (qpos.sum() + qvel.sum()).backward()
    doubles = carom.torch.step(leg, *contact[:2], ctrl=contact[2])
    (doubles[0].sum() + doubles[1].sum()).backward()
    torch.testing.assert_close(singles[1].grad, contact[1].grad.float(), rtol=1e-3, atol=1e-2)
    assert singles[0].grad.dtype == torch.float32


def test_shapes(leg):
    qpos, qvel = tensor(leg.qpos0), torch.zeros(leg.nv, dtype=DOUBLE)
    one = carom.torch.step(leg, qpos, qvel, n=2)
    many = carom.torch.step(leg, qpos.expand(4, -1), qvel, n=2)
    assert one[0].shape == (leg.nq,) and many[0].shape == (4, leg.nq) and many[2].shape == (4, 0)
    torch.testing.assert_close(many[1][3], one[1])
    with pytest.raises(carom.ArgError, match="qvel has shape"):
        carom.torch.step(leg, qpos, torch.zeros(3, dtype=DOUBLE))
    with pytest.raises(carom.ArgError, match="rollouts, others"):
        carom.torch.step(leg, qpos.expand(4, -1), qvel.expand(3, -1))
    with pytest.raises(carom.CaromError, match="'foo'"):
        carom.torch.rollout(leg, 2, qpos=qpos, parameters={"foo": qpos})


def test_parameters_shared_by_a_batch_get_the_sum(leg, random):
    controls = tensor(random.normal(size=(3, 10, 2)))
    shared, own = leaf(leg.body_mass), leaf(np.tile(leg.body_mass, (3, 1)))
    for masses in (shared, own):
        carom.torch.rollout(leg, ctrl=controls, parameters={"body_mass": masses})["qvel"].square().sum().backward()
    torch.testing.assert_close(shared.grad, own.grad.sum(0))


def test_a_changed_model_is_used(leg):
    model = leg.copy()
    start = tensor(leg.qpos0), torch.zeros(leg.nv, dtype=DOUBLE)
    before = carom.torch.step(model, *start)[1][2].item()
    model.set(gravity=[0, 0, -1])
    assert carom.torch.step(model, *start)[1][2].item() == pytest.approx(before / 9.81)


def test_a_policy_learns_through_contact(leg):
    torch.manual_seed(0)
    policy = torch.nn.Sequential(torch.nn.Linear(leg.nq + leg.nv, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).double()
    optimiser = torch.optim.Adam(policy.parameters(), 1e-2)
    losses = []
    for _ in range(12):
        qpos, qvel = tensor(leg.key_qpos[0])[None], torch.zeros(1, leg.nv, dtype=DOUBLE)
        for _ in range(8):
            ctrl = policy(torch.cat([qpos, qvel], 1))
            qpos, qvel, _ = carom.torch.step(leg, qpos, qvel, ctrl=ctrl, n=5)
        loss = (qpos[0, 7:] - tensor([0.5, -0.8])).square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]
