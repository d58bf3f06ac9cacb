#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of examples/gearbox.xml whose oil thins with speed: integrated here, with noise. Usage: gearbox_oil.py FILE ANGLE SPEED SEED

The damping is 0.25 - 0.02 |v| + 0.0012 v^2 N m s/rad. 2 s in the model's own steps (Euler, damping implicit), the angle every 10 ms with
0.0002 rad of noise.
"""
import math, random, sys
name, q, v = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
random.seed(int(sys.argv[4]))
h, m, g, r, l = 0.002, 0.6, 9.81, 0.02, 0.4
tube, ends = l * r ** 2, 4 / 3 * r ** 3  # volumes over pi
tube, ends = m * tube / (tube + ends), m * ends / (tube + ends)
about_middle = tube * (l ** 2 / 12 + r ** 2 / 4) + ends * (2 / 5 * r ** 2 + l ** 2 / 4 + 3 / 8 * l * r)
I = about_middle + m * (l / 2) ** 2 + 0.02
rows = []
for k in range(1000):
    if k % 5 == 0:
        rows.append((k * h, q + random.gauss(0, 0.0002)))
    d = 0.25 - 0.02 * abs(v) + 0.0012 * v ** 2
    v += h * (-m * g * l / 2 * math.sin(q) - d * v) / (I + h * d)
    q += h * v
with open(name, "w") as f:
    f.write("time,angle\n")
    f.writelines("%.9g,%.9g\n" % row for row in rows)
