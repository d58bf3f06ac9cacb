# SPDX-License-Identifier: Apache-2.0
"""Drake's discrete step of the ball of bench/pressure_cost.c, by hydroelastic contact, and that program in the same run: us a step, processor
time, the best of the rounds. Needs tests/pressure/requirements.txt.
Usage: bench/pressure_peer.py build/pressure_cost"""
import subprocess
import sys
import time

from pydrake.geometry import AddCompliantHydroelasticProperties, AddRigidHydroelasticProperties, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction, ContactModel
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

STEPS, ROUNDS, STEP = 1000, 20, 0.001


def simulator():
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, time_step=STEP)
    plant.set_contact_model(ContactModel.kHydroelastic)
    friction = CoulombFriction(1, 1)
    ball, floor = ProximityProperties(), ProximityProperties()
    # a sphere of 128 tetrahedra; Carom's has 288
    AddCompliantHydroelasticProperties(resolution_hint=0.04, hydroelastic_modulus=1e5, properties=ball)
    AddRigidHydroelasticProperties(properties=floor)
    for p in (ball, floor):
        p.AddProperty("material", "coulomb_friction", friction)
    ball.AddProperty("material", "hunt_crossley_dissipation", 2.0)
    body = plant.AddRigidBody("ball", SpatialInertia.SolidSphereWithMass(1.0, 0.1))
    plant.RegisterCollisionGeometry(body, RigidTransform(), Sphere(0.1), "ball", ball)
    plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", floor)
    plant.Finalize()
    diagram = builder.Build()
    simulated = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulated.get_mutable_context())
    plant.SetFreeBodyPose(context, body, RigidTransform([0, 0, 0.0995]))
    simulated.Initialize()
    simulated.AdvanceTo(2.0)
    return simulated


def main():
    run = simulator()
    best, now = 1.0, 2.0
    for _ in range(ROUNDS):
        begun = time.thread_time()
        now += STEPS * STEP
        run.AdvanceTo(now)
        best = min(best, (time.thread_time() - begun) / STEPS)
    ours = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    field = float(ours.split("pressure field  step")[1].split()[0])
    print(ours, end="")
    print(f"Drake, hydroelastic  step {1e6 * best:.2f} us   pressure field / Drake {field / (1e6 * best):.2f}")


if __name__ == "__main__":
    main()
