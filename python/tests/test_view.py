# SPDX-License-Identifier: Apache-2.0
"""The page of motions: the numbers in it are those of the states that were given, wherever they come from."""
import base64
import importlib.util
import inspect
import pickle
import re

import numpy as np
import pytest

import carom
from conftest import SOURCE

SPEC = importlib.util.spec_from_file_location("page", SOURCE / "tests/support/page.py")
reader = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reader)

TOSS = {"qvel": [0.3, 0.8, 1.2, 3, 2, -4], "timestep": 0.005}


def read(page, tmp_path):
    return reader.read(page.save(tmp_path / "page.html"))


def poses(motion, body, nbody):
    """Position and quaternion of a body, and how far each number may be off (docs/view.md)."""
    rows = np.array(reader.rows(motion["pose"], 7 * nbody))[:, 7 * body:7 * body + 7]
    return rows, 0.51 * np.array(motion["pose"]["step"])[7 * body:7 * body + 7] + 1e-9


@pytest.fixture(scope="module")
def cube():
    return carom.load(SOURCE / "examples/cube_toss.xml")


def test_a_rollout_is_shown_from_its_start(cube, tmp_path):
    run = carom.rollout(cube, 200, **TOSS)
    page = carom.view(cube, run, plot=["qpos[2]", "qvel"], names=["toss"])
    assert page.states == [51] and 20_000 < len(page.html) < 200_000
    data = read(page, tmp_path)
    motion = data["motions"][0]
    assert data["model"] == "cube_toss.xml" and motion["name"] == "toss" and motion["start"] == 0
    time = np.array(reader.unpack(motion["time"]))
    assert np.allclose(time, 0.02 * np.arange(51), atol=1e-6)
    rows, off = poses(motion, 1, 2)
    assert (np.abs(rows[0] - cube.qpos0) <= off).all()
    assert (np.abs(rows[1:] - run.qpos[3::4]) <= off).all()
    height, speed = (np.array(reader.unpack(plot)) for plot in motion["plots"])
    assert np.allclose(height[1:], run.qpos[3::4, 2], atol=1e-6)
    assert np.allclose(speed.reshape(51, 6)[1:], run.qvel[3::4], atol=1e-5)
    first = reader.unpack(motion["contact_first"])
    assert first[1] == 0 and first[-1] > first[-2], "it flies, then it lies on the board"


def test_a_batch_has_its_own_sizes(cube, tmp_path):
    sizes = cube.geom_size * np.array([1.0, 0.5])[:, None, None]
    run = carom.rollout(cube, 20, parameters={"geom_size": sizes}, **TOSS)
    data = read(carom.view(cube, {"cube": run}), tmp_path)
    assert [motion["name"] for motion in data["motions"]] == ["cube 0", "cube 1"]
    assert np.allclose(data["motions"][1]["sizes"], 0.5 * cube.geom_size.ravel())


def test_every_source_gives_the_same_motion(cube, tmp_path):
    start = carom.Data(cube)
    start.qvel[:] = TOSS["qvel"]
    gradient = carom.grad(cube, "qpos[0]", 60, wrt="qvel", start=start)
    run = carom.rollout(cube, 60, start=start)
    qpos = np.concatenate([cube.qpos0[None], run.qpos])
    time = np.concatenate([[0], run.time])
    motions = {"rollout": run, "gradient": gradient, "arrays": {"qpos": qpos, "time": time}, "poses": qpos}
    data = read(carom.view(cube, motions, fps=1e9), tmp_path)
    assert [motion["name"] for motion in data["motions"]] == list(motions)
    for motion in data["motions"]:
        rows, off = poses(motion, 1, 2)
        assert rows.shape == (61, 7) and (np.abs(rows - qpos) <= off).all()
        assert np.allclose(reader.unpack(motion["time"]), time, atol=1e-6)


def test_controls_are_those_that_led_to_a_state(arm, tmp_path):
    controls = np.linspace(0, 1, 50)[:, None]
    run = carom.rollout(arm, ctrl=controls)
    motion = read(carom.view(arm, run, plot="ctrl", fps=1e9), tmp_path)["motions"][0]
    assert np.allclose(reader.unpack(motion["plots"][0]), np.concatenate([[0], controls[:, 0]]), atol=1e-7)
    level = np.array(reader.unpack(motion["level"]))
    assert np.allclose(level[1:], run.act[:, 0], atol=1e-4), "a tendon has the colour of its muscle's activation"


def test_one_state_a_keyframe_and_a_file(leg, cube, tmp_path):
    data = carom.Data(leg, "bent").step(5)
    at = read(carom.view(leg, data), tmp_path)["motions"][0]
    rows, off = poses(at, 1, leg.nbody)
    assert (np.abs(rows[0] - data.qpos[:7]) <= off).all() and abs(at["start"] - data.time) < 1e-9
    bent = poses(read(carom.view(leg, keyframe="bent"), tmp_path)["motions"][0], 1, leg.nbody)[0]
    assert np.allclose(bent[0, :3], [0, 0, 0.5], atol=1e-6)
    with pytest.raises(carom.FileError, match="none.h5"):
        carom.view(cube, tmp_path / "none.h5")


def test_many_contacts_make_room(tmp_path):
    balls = "".join(f'<body pos="{0.1 * (i % 12)} {0.1 * (i // 12)} 0.049"><freejoint/><geom size="0.05"/></body>' for i in range(144))
    model = carom.load(f'<mujoco><worldbody><geom type="plane" size="5 5 1"/>{balls}</worldbody></mujoco>')
    data = carom.Data(model, contacts=1000)
    motion = read(carom.view(model, {"qpos": model.qpos0[None]}), tmp_path)["motions"][0]
    assert reader.unpack(motion["contact_first"])[-1] == len(data.forward().contacts) > 144


def test_in_a_notebook_and_on_a_disk(cube, tmp_path):
    page = carom.view(cube, look="theme=dark&play", title="a <cube>", height=300)
    shown = page._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;') and "height: 300px" in shown
    assert 'data-look="theme=dark&amp;play"' in page.html and "<title>a &#60;cube&#62;</title>" in page.html
    path = page.save(tmp_path / "page.html")
    assert open(path).read() == page.html and [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(OSError):
        page.save(tmp_path / "none" / "page.html")
    assert "states [1]" in repr(page)


def test_mistakes_have_a_sentence(cube):
    run = carom.rollout(cube, 3)
    for given, error, words in [
            (dict(plot=["xmat"]), carom.ArgError, "plot xmat: it has 18 numbers"),
            (dict(plot="qpso"), carom.NameError, "did you mean"),
            (dict(names=["one", "two"]), carom.ArgError, "names: 1 are needed"),
            (dict(keyframe=0), carom.ArgError, "the motions give the poses"),
            (dict(fps=0), carom.ArgError, "fps=0")]:
        with pytest.raises(error, match=words):
            carom.view(cube, run, **given)
    for motion, words in [(np.zeros((3, 6)), r"qpos has shape \(3, 6\)"), ({"qpos": run.qpos, "qvel": run.qvel[:2]}, "qvel has 2 rows"),
                          ({"qpos": run.qpos, "qvle": 1}, "not by 'qvle'"), ({"qvel": run.qvel}, "needs 'qpos'"),
                          ({"qpos": run.qpos, "time": [0, 1, 1]}, "state 2: time 1 s comes after 1 s")]:
        with pytest.raises(carom.ArgError, match=words):
            carom.view(cube, motion, fps=1e9)
    with pytest.raises(carom.NonfiniteError, match=r"state 0: qpos\[0\] is not finite"):
        carom.view(cube, np.full((1, 7), np.nan))
    with pytest.raises(carom.ArgError, match="states=False"):
        carom.view(cube, carom.rollout(cube, 3, states=False))
    with pytest.raises(carom.ArgError, match="it is another model"):
        carom.view(cube, carom.rollout(carom.load(SOURCE / "examples/arm.xml"), 3))


def test_a_live_page_begins_at_a_state(cube, tmp_path):
    data = carom.Data(cube)
    data.qvel[:] = TOSS["qvel"]
    try:
        page = carom.view(cube, data, live=True, parameters={"gravity[2]": (-20, 0), "body_mass[cube]": None}, ahead=0.2)
    except carom.UnsupportedError:
        pytest.skip("this library has no core as WebAssembly")
    live = read(page, tmp_path)["live"]
    assert page.states == [1] and live["start"] == data.state().tolist() and live["ahead"] == 30
    gravity, mass = live["parameters"]
    assert (gravity["low"], gravity["high"]) == (-20, 0)
    assert np.allclose((mass["low"], mass["high"]), (0.037, 1.11))


def test_what_a_live_page_refuses(cube):
    run = carom.rollout(cube, 2)
    with pytest.raises(carom.ArgError, match="no motions"):
        carom.view(cube, run, live=True)
    with pytest.raises(carom.ArgError, match="no plots"):
        carom.view(cube, live=True, plot="qpos[2]")
    with pytest.raises(carom.ArgError, match="need live=True"):
        carom.view(cube, parameters=["gravity[2]"])


ROOM = """<mujoco><asset><texture name='squares' type='2d' {squares} width='16' height='16'/><material name='floor' texture='squares'/>
</asset><worldbody><geom type='plane' size='2 1 .1' material='floor'/><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"""
CHECKED = "builtin='checker' rgb1='1 0 0' rgb2='0 0 1'"


def test_textures_are_those_of_the_file_or_text(tmp_path):
    path = tmp_path / "room.xml"
    path.write_text(ROOM.format(squares=CHECKED))
    file, text = carom.load(path), carom.load(ROOM.format(squares=CHECKED))
    expected = read(carom.view(file), tmp_path)
    assert [picture["type"] for picture in expected["textures"]] == ["2d"] and expected["looks"][0]["texture"] == 0
    for model in (text, pickle.loads(pickle.dumps(text)), file.copy(timestep=0.001)):
        data = read(carom.view(model), tmp_path)
        assert data["textures"] == expected["textures"] and data["looks"] == expected["looks"]
    assert read(carom.view(text, textures=False), tmp_path)["textures"] == []
    path.write_text("<mujoco/>")
    with pytest.raises(carom.ArgError, match="it is another model"):
        carom.view(file)
    path.unlink()
    assert read(carom.view(file), tmp_path)["textures"] == []


def test_textures_of_assets(tmp_path):
    path = tmp_path / "room.xml"
    path.write_text(ROOM.format(squares=CHECKED))
    picture = read(carom.view(carom.load(path)), tmp_path)["textures"][0]["png"]
    text = ROOM.format(squares="file='squares.png'").replace("width='16' height='16'", "")
    model = carom.load(text, assets={"squares.png": base64.b64decode(picture)})
    assert len(read(carom.view(model), tmp_path)["textures"]) == 1


def test_a_robot_with_options_has_its_page(tmp_path):
    text = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>" \
           "<visual><geometry><sphere radius='.1'/></geometry></visual></link></robot>"
    (tmp_path / "r.urdf").write_text(text)
    for source in (text, tmp_path / "r.urdf"):
        assert read(carom.view(carom.load(source, floating=True, ground=True)), tmp_path)["motions"]


def test_the_command_has_no_option_more(cube):
    """An option of carom view is a parameter of carom.view, of carom.load, or a method of the page."""
    rows = re.findall(r'\{"--([a-z-]+)", CR_OPT', (SOURCE / "src/cli/view.c").read_text())
    rows += re.findall(r'"--([a-z-]+)"', (SOURCE / "src/command/urdf_words.h").read_text())
    other = {"out": "save", "force": "save", "json": "states", "plot": "plot", "parameter": "parameters", "model": "model",
             "package-path": "package_path", "base": "floating", "no-self-collision": "self_collision"}
    known = {*inspect.signature(carom.view).parameters, *inspect.signature(carom.load).parameters, "save", *vars(carom.view(cube))}
    assert len(rows) > 10
    for name in rows:
        assert other.get(name, name) in known, name
