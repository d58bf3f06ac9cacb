# SPDX-License-Identifier: Apache-2.0
"""Pictures of motions show the states that were given. Skipped where there is no OpenGL without a screen."""
import shutil

import numpy as np
import pytest

import carom
from conftest import SOURCE

SIZE = (160, 120)
LOOK = {"size": SIZE, "lookat": (0.1, 0.3, 0.1), "distance": 1.5, "azimuth": 120, "elevation": -30}


@pytest.fixture(scope="module")
def cube():
    model = carom.load(SOURCE / "examples/cube_toss.xml")
    try:
        carom.render(model, size=(8, 8))
    except carom.UnsupportedError as error:
        pytest.skip(str(error))
    return model


@pytest.fixture(scope="module")
def toss(cube):
    return carom.rollout(cube, 100, qvel=[0.3, 0.8, 1.2, 3, 2, -4], timestep=0.005)


def middle(pixels):
    """Of all pixels with the colour of the cube, column and row."""
    rows, columns = np.nonzero(pixels[:, :, 0].astype(int) > pixels[:, :, 2].astype(int) + 25)
    assert len(rows) > 30
    return np.array([columns.mean(), rows.mean()])


def seen_at(point):
    """Where the camera of LOOK sees a point, in pixels."""
    azimuth, elevation = np.radians(LOOK["azimuth"]), np.radians(LOOK["elevation"])
    level = np.array([np.cos(azimuth), np.sin(azimuth), 0])
    forward = np.cos(elevation) * level + np.array([0, 0, np.sin(elevation)])
    right = np.array([np.sin(azimuth), -np.cos(azimuth), 0])
    way = point - (np.array(LOOK["lookat"]) - LOOK["distance"] * forward)
    scale = SIZE[1] / 2 / np.tan(np.radians(22.5)) / (way @ forward)
    up = np.cross(right, forward)
    return np.array([SIZE[0] / 2 + scale * (way @ right), SIZE[1] / 2 - scale * (way @ up)])


def test_the_cube_is_where_the_rollout_has_it(cube, toss):
    for time in (0.05, 0.25, 0.5):
        pixels = carom.render(cube, toss, time=time, **LOOK)
        assert pixels.shape == (120, 160, 3) and pixels.dtype == np.uint8
        off = middle(pixels) - seen_at(toss.qpos[round(time / 0.005) - 1, :3])
        assert np.hypot(*off) < 4, (time, off)


def test_every_source_gives_the_same_picture(cube, toss):
    first = carom.render(cube, toss, time=0.25, **LOOK)
    times = np.concatenate([[0], toss.time])
    arrays = {"qpos": np.concatenate([[cube.qpos0], toss.qpos]), "time": times}
    assert np.array_equal(first, carom.render(cube, arrays, time=0.25, **LOOK))
    data = carom.Data(cube)
    data.qpos[...] = toss.qpos[49]
    # the light is where the motion is, so shadows may differ
    assert np.abs(middle(first) - middle(carom.render(cube, data, **LOOK))).max() < 0.5


def test_sizes_are_those_of_the_motion(cube):
    half = carom.rollout(cube, 20, parameters={"geom_size": 0.5 * cube.geom_size[None]})
    count = lambda pixels: len(np.nonzero(pixels[:, :, 0].astype(int) > pixels[:, :, 2].astype(int) + 25)[0])
    small, large = count(carom.render(cube, half, **LOOK)), count(carom.render(cube, **LOOK))
    assert 0.15 < small / large < 0.35
    with pytest.raises(carom.ArgError, match="its model has another geom_size; render it alone"):
        carom.render(cube, cube.qpos0, half)


def test_files(cube, toss, tmp_path):
    out = carom.render(cube, toss, out=tmp_path / "strip.png", strip=3, size=SIZE)
    assert out == str(tmp_path / "strip.png")
    head = (tmp_path / "strip.png").read_bytes()[:24]
    assert head[:4] == b"\x89PNG" and [int.from_bytes(head[k:k + 4], "big") for k in (16, 20)] == [480, 120]
    carom.render(cube, toss, out=str(tmp_path / "x-%02d.png"), fps=10, start=0.1, end=0.4, size=(32, 32))
    assert sorted(path.name for path in tmp_path.glob("x-*")) == [f"x-{k:02d}.png" for k in range(4)]
    if shutil.which("ffmpeg"):
        carom.render(cube, toss, out=tmp_path / "film.mp4", size=SIZE)
        assert (tmp_path / "film.mp4").stat().st_size > 1000


def test_mistakes_are_named(cube, toss):
    with pytest.raises(carom.NameError, match="camera side: the model has 0"):
        carom.render(cube, toss, camera="side")
    with pytest.raises(carom.ArgError, match="a picture at 9 s: the motion takes 0.5 s"):
        carom.render(cube, toss, out="x.png", time=9)
    with pytest.raises(carom.ArgError, match="lookat has shape"):
        carom.render(cube, toss, lookat=(1, 2))
    mujoco = pytest.importorskip("mujoco")
    with pytest.raises(carom.ArgError, match="the model was not loaded from a file"):
        carom.render(carom.load(mujoco.MjModel.from_xml_string("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")))


def test_a_text_is_drawn_as_its_file(tmp_path):
    text = "<mujoco><worldbody><light pos='0 0 3'/><geom size='1' rgba='1 0 0 1'/></worldbody></mujoco>"
    (tmp_path / "ball.xml").write_text(text)
    drawn = carom.render(carom.load(text))
    assert (drawn == carom.render(carom.load(tmp_path / "ball.xml"))).all() and drawn.std() > 5
