# SPDX-License-Identifier: Apache-2.0
"""Pressure fields: elements of shapes and given ones, their faces, gradients through them, and refusals."""
import copy
import pickle

import numpy as np
import pytest

import carom

PRESS = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="block" pos="0 0 0.049">
      <freejoint/>
      <geom name="block" type="box" size="0.1 0.1 0.05" mass="1"/>
    </body>
  </worldbody>
</mujoco>
"""

#: a cube of 2 x 2 x 1 in six tetrahedra around its diagonal, times 0.1 m, and a point inside of it
CORNERS = np.array([[x, y, z] for z in (-0.05, 0.05) for y in (-0.1, 0.1) for x in (-0.1, 0.1)])
SIDES = np.array([[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6],
                  [1, 3, 5], [3, 7, 5]])


def fan():
    """Tetrahedra from the middle of the block to its sides."""
    return np.vstack([CORNERS, [0, 0, 0]]), np.column_stack([np.full(12, 8), SIDES])


#: a soft ball that rolls against a post on a hinge
ROLL = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="ball" pos="0 0 0.103">
      <freejoint name="ball"/>
      <geom name="ball" type="sphere" size="0.1" mass="1" friction="1.2"/>
    </body>
    <body name="post" pos="0.25 0 0.15">
      <joint name="post" type="hinge" axis="0 1 0" stiffness="5" damping="0.1"/>
      <geom name="post" type="box" size="0.02 0.1 0.1" mass="0.5"/>
    </body>
  </worldbody>
  <custom>
    <text name="pressure:floor" data="rigid transition=0.2"/>
    <text name="pressure:ball" data="compliant modulus=2e4 dissipation=1 transition=0.2 around=12"/>
    <text name="pressure:post" data="rigid transition=0.2"/>
  </custom>
</mujoco>
"""
PUSH = [2, 0.1, -0.5, 1, 2, -3, 0]


def pressed(model):
    return carom.Data(model).forward()


@pytest.fixture
def block():
    return carom.load(PRESS).with_pressure("floor", "rigid").with_pressure("block", "compliant", modulus=1e5)


def test_a_block_on_the_floor(block):
    """The field of a box rises with the depth: p = E z / h, over an area of (0.2 m)^2."""
    data = pressed(block)
    faces = data.pressure_faces("block", "floor")
    assert faces.area.sum() == pytest.approx(0.04, rel=1e-2)
    np.testing.assert_allclose(faces.force(), data.qfrc_passive[:3] * [0, 0, -1], atol=1e-9)
    assert faces.force()[2] < 0  # the floor is pressed down
    np.testing.assert_allclose(faces.normal, np.tile([0, 0, -1], (len(faces.area), 1)), atol=1e-12)
    np.testing.assert_allclose(faces.gradient[:, 1], 0, atol=0)
    for area, corners in zip(faces.area, faces.corners):
        spokes = corners[1:] - corners[0]
        assert np.linalg.norm(np.cross(spokes[:-1], spokes[1:]).sum(axis=0)) / 2 == pytest.approx(area, rel=1e-9)


def test_given_tetrahedra_press_as_those_of_triangles():
    vertices, tets = fan()
    model = carom.load(PRESS).with_pressure("floor", "rigid")
    given = pressed(model.with_pressure("block", "compliant", modulus=1e5, vertices=vertices, tets=tets))
    surface = pressed(model.with_pressure("block", "compliant", modulus=1e5, vertices=CORNERS, triangles=SIDES))
    force = given.pressure_faces("floor", "block").force()
    assert force[2] > 1
    np.testing.assert_allclose(force, surface.pressure_faces("floor", "block").force(), rtol=1e-12)
    twice = pressed(model.with_pressure("block", "compliant", modulus=1e5, vertices=vertices, tets=tets,
                                        level=[0] * 8 + [2]))
    np.testing.assert_allclose(twice.pressure_faces("floor", "block").force(), 2 * force, rtol=1e-12)


def test_a_mesh_of_mjcf_presses_as_its_triangles():
    numbers = " ".join(str(x) for x in CORNERS.ravel())
    text = PRESS.replace("<worldbody>", f'<asset><mesh name="block" vertex="{numbers}"/></asset><worldbody>', 1)
    text = text.replace('type="box" size="0.1 0.1 0.05"', 'type="mesh" mesh="block"')
    text = text.replace("</mujoco>", """<custom><text name="pressure:floor" data="rigid"/>
        <text name="pressure:block" data="compliant modulus=1e5"/></custom></mujoco>""")
    surface = carom.load(PRESS).with_pressure("floor", "rigid").with_pressure("block", "compliant", modulus=1e5,
                                                                              vertices=CORNERS, triangles=SIDES)
    mesh, given = (pressed(model).pressure_faces("floor", "block") for model in (carom.load(text), surface))
    np.testing.assert_allclose(mesh.force(), given.force(), rtol=5e-6)  # MuJoCo keeps vertices in single precision
    assert given.force()[2] > 1 and mesh.area.sum() == pytest.approx(given.area.sum(), rel=5e-6)


def test_the_gradient_by_the_modulus_is_that_of_differences(block):
    gradient = carom.grad(block, "qpos[2]", nstep=20, wrt=["geom_pressure[block][0]"])
    values = [carom.grad(block.copy({"geom_pressure[block][0]": modulus}), "qpos[2]", nstep=20, wrt=["qvel"]).loss
              for modulus in (0.999e5, 1.001e5)]
    slope = (values[1] - values[0]) / 0.002e5
    assert gradient["geom_pressure[block][0]"] == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("options, tolerance", [
    *[({"integrator": name}, 1e-5) for name in ("euler", "implicit", "implicitfast", "discrete", "rk4")],
    *[({"integrator": "tsit5", "rtol": 1e-8, "atol": 1e-8, "grid": 0.001, "events": events}, 2e-3) for events in (False, True)],
])
def test_gradients_of_a_roll_in_every_integrator(options, tolerance):
    steps = {"qvel": 1e-6, "geom_pressure[ball][0]": 0.01, "geom_friction[ball][0]": 1e-6}
    result = carom.grad(carom.load(ROLL), "norm(qpos)", nstep=150, qvel=PUSH, wrt=list(steps), **options)
    for name, step in steps.items():
        slope = result.differences(name, step)
        np.testing.assert_allclose(result[name], slope, rtol=0, atol=tolerance * np.abs(slope).max())
        assert np.abs(slope).max() > 1e-9


def test_a_correction_of_the_friction_between_surfaces():
    model = carom.load(ROLL).corrected({"name": "slip", "target": "geom_friction[ball][0]", "act": "scale", "layers": [3], "seed": 2,
                                        "inputs": [{"place": "qvel[ball][0]", "scale": 0.5}], "random_output": True})
    result = carom.grad(model, "norm(qpos)", nstep=100, qvel=PUSH, wrt=["plugin_param"])
    slope = result.differences("plugin_param", 1e-5)
    np.testing.assert_allclose(result["plugin_param"], slope, rtol=0, atol=1e-5 * np.abs(slope).max())
    assert np.abs(slope).max() > 1e-6


def test_batches_have_the_same_bits_with_any_number_of_threads():
    model, starts = carom.load(ROLL), np.array(PUSH) * np.linspace(0.5, 1.5, 6)[:, None]
    runs = [carom.rollout(model, 100, qvel=starts, loss="norm(qpos)", gradient=True, threads=threads) for threads in (1, 3)]
    np.testing.assert_array_equal(runs[0].qpos, runs[1].qpos)
    np.testing.assert_array_equal(runs[0].gradient["qvel"], runs[1].gradient["qvel"])
    assert np.abs(np.diff(runs[0].loss)).min() > 0


def test_copies_and_pickles_keep_the_field(block):
    force = pressed(block).qfrc_passive[2]
    assert force > 0
    for other in (block.copy(), copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert pressed(other).qfrc_passive[2] == force


def test_the_model_itself_stays_as_it_is():
    model = carom.load(PRESS)
    model.with_pressure("block", "compliant", modulus=1e5)
    assert model.geom_pressure_kind["block"] == 0


def test_no_faces_where_nothing_touches(block):
    data = carom.Data(block)
    data.qpos[2] = 1
    faces = data.forward().pressure_faces("block", "floor")
    assert len(faces.area) == 0 and faces.corners == [] and faces.force().tolist() == [0, 0, 0]


@pytest.mark.parametrize("options, sentence", [
    ({"vertices": CORNERS}, "tets or with triangles"),
    ({"tets": [[0, 1, 2, 3]]}, "come with vertices"),
    ({"vertices": CORNERS, "tets": [[0, 1, 2, 8]]}, "vertex 8; there are 8"),
    ({"vertices": CORNERS, "tets": [[0, 1, 2]]}, "rows of 4"),
    ({"vertices": CORNERS.T, "triangles": SIDES}, "rows of 3"),
    ({"vertices": CORNERS, "triangles": SIDES[1:]}, "do not close|open"),
    ({"modulus": 0}, "modulus"),
])
def test_refusals(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        carom.load(PRESS).with_pressure("block", "compliant", **{"modulus": 1e5, **options})


def test_a_geom_that_there_is_not():
    with pytest.raises(LookupError, match="'blok'"):
        carom.load(PRESS).with_pressure("blok", "rigid")
