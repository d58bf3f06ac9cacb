# SPDX-License-Identifier: Apache-2.0
"""Checks of models: jumps of contact forces."""
import pytest

import carom

EDGE = """<mujoco><worldbody><geom type="box" size=".5 .2 .5" pos=".5 0 -.5"/>
<body pos=".02 0 .0495"><freejoint name="box"/><geom type="box" size=".05 .05 .05" mass="1"/></body></worldbody></mujoco>"""


def test_jumps_of_a_box_over_an_edge(tmp_path):
    path = tmp_path / "edge.xml"
    path.write_text(EDGE)
    data = carom.Data(carom.load(path))
    found = carom.jumps(data, "qvel[box][0]", range=(-0.1, 0.1))
    assert found and found.range == (-0.1, 0.1) and found.largest[0] > 0 and found.contacts >= 4
    first = found.jumps[0]
    assert first.relative > 0.1 and -0.1 < first.at < 0.1 and first.value == 4 and first.before * first.behind < 0
    assert not carom.jumps(data, "qvel[box][0]", range=(-0.1, 0.1), tolerance=10.0)
    with pytest.raises(carom.NameError, match="nobody"):
        carom.jumps(data, "qvel[nobody]")
