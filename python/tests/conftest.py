# SPDX-License-Identifier: Apache-2.0
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import carom

#: a shaft in oil, and the correction that its damping needs
GEARBOX_OIL = {"name": "oil", "target": "dof_damping[gear]", "act": "scale", "inputs": [{"place": "qvel[gear]", "scale": 0.2}],
               "layers": [4], "random_output": True, "seed": 5}

SOURCE = Path(os.environ.get("CAROM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
DATA = SOURCE / "tests/data"

#: a leg with a free trunk that lands on the floor: contacts, a limit, a motor, sensors
LEG = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="0.004"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 0.52">
      <freejoint name="root"/>
      <geom name="trunk" size="0.1" mass="1"/>
      <site name="imu"/>
      <body name="thigh" pos="0 0 -0.1">
        <joint name="hip" type="hinge" axis="0 1 0" damping="0.1" range="-1 1" limited="true"/>
        <geom name="thigh" type="capsule" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.4"/>
        <body name="shin" pos="0 0 -0.2">
          <joint name="knee" type="hinge" axis="0 1 0" damping="0.1"/>
          <geom name="shin" type="capsule" fromto="0 0 0 0.05 0 -0.18" size="0.03" mass="0.3"/>
          <site name="foot" pos="0.05 0 -0.18"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="hip" joint="hip" gear="2"/>
    <position name="knee" joint="knee" kp="5"/>
  </actuator>
  <sensor>
    <gyro name="gyro" site="imu"/>
    <jointpos name="hip_angle" joint="hip"/>
    <framepos name="foot" objtype="site" objname="foot"/>
  </sensor>
  <keyframe><key name="bent" qpos="0 0 0.5 1 0 0 0 0.3 -0.6"/></keyframe>
</mujoco>
"""

#: a muscle and a spring tendon over two joints: activations, no contact, no quaternion
ARM = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <site name="origin" pos="0 0 0.1"/>
    <body name="upper">
      <joint name="shoulder" type="hinge" axis="0 1 0" damping="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1"/>
      <site name="belly" pos="0.15 0 0.05"/>
      <body name="lower" pos="0.3 0 0">
        <joint name="elbow" type="hinge" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.02" mass="0.5"/>
        <site name="end" pos="0.1 0 0.03"/>
      </body>
    </body>
  </worldbody>
  <tendon>
    <spatial name="biceps" stiffness="20" springlength="0.3" damping="0.5">
      <site site="origin"/><site site="belly"/><site site="end"/>
    </spatial>
  </tendon>
  <actuator><muscle name="biceps" tendon="biceps" lengthrange="0.1 0.5" force="50"/></actuator>
</mujoco>
"""


@pytest.fixture(scope="session")
def leg():
    return carom.load(LEG)


@pytest.fixture(scope="session")
def arm():
    return carom.load(ARM)


@pytest.fixture
def random():
    return np.random.default_rng(7)


@pytest.fixture
def landed(leg):
    """Data of the leg while it stands on the floor."""
    data = carom.Data(leg, "bent")
    data.ctrl[:] = 0.2, -0.5
    data.step(40).forward()
    assert len(data.contacts) > 0
    return data


@pytest.fixture(scope="session")
def oiled():
    """A model with a correction whose weights are not zero."""
    return carom.load(SOURCE / "examples/gearbox.xml").corrected(GEARBOX_OIL)


def in_fork(function):
    """Whether a function returns True in a fork of this process; one that waits for ever is ended."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        good = False
        try:
            good = bool(function())
        finally:
            os._exit(0 if good else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
