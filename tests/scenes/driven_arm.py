#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording of tests/data/driven_arm.xml as it really is: integrated here, with noise. Usage: driven_arm.py FILE SEED driven|free

Mass 0.5 kg (the model: 0.8), damping 0.03 (the model: 0.05), 4 s. The angle is seen every 5 ms in degrees, with 0.002 rad of noise; the rate
every 10 ms, 15 ms late, with 0.02 rad/s.
"""
import math, random, sys
name, seed, driven = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "driven"
random.seed(seed)
m, l, c, h, I = 0.5, 0.4, 0.03, 0.005, 0.5 * 0.16 + 0.4 * 0.5 * 0.02 ** 2
u = lambda t: 0.4 * math.sin(3 * t + seed) if driven else 0.0
def rate(t0, t, q, w):
    return w, (u(t0) - c * w - m * 9.81 * l * math.sin(q)) / I
q, w, rows = 0.5, 0.0, []
for k in range(800):
    rows.append((k * h, u(k * h), q, w))
    t = k * h
    for _ in range(4):  # the control is held over a step
        a = rate(k * h, t, q, w); s = h / 4
        b = rate(k * h, t, q + s / 2 * a[0], w + s / 2 * a[1])
        d = rate(k * h, t, q + s / 2 * b[0], w + s / 2 * b[1])
        e = rate(k * h, t, q + s * d[0], w + s * d[1])
        q += s / 6 * (a[0] + 2 * b[0] + 2 * d[0] + e[0])
        w += s / 6 * (a[1] + 2 * b[1] + 2 * d[1] + e[1])
with open(name, "w") as f:
    f.write("time [ms],drive,enc [deg],qvel[hip]\n")
    for k, (t, v, angle, speed) in enumerate(rows):
        late = "%.9g" % (rows[k - 3][3] + random.gauss(0, 0.02)) if k >= 3 and k % 2 == 0 else ""
        f.write("%.9g,%.9g,%.9g,%s\n" % (1000 * t, v, math.degrees(angle + random.gauss(0, 0.002)), late))
