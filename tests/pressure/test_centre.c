// SPDX-License-Identifier: Apache-2.0
// Torques of tilted bodies on a rigid ground: closed forms and their order.
#include "pressure/pressure.h"

#include "pressure/pressure_scene.h"
#include "support/close.h"

#define MODULUS CR_R(1e5)

// A wrench in the plane of the tilt: normal force, and torque about the axis of the tilt, at the centre of the body.
typedef struct {
  cr_real force, torque;
} wrench;

// A body tilted about its y axis, its centre at a height over rigid ground without friction.
static wrench tilted(int type, const cr_real size[3], int around, cr_real height, cr_real tilt) {
  cr_model m;
  const cr_pressure_options ground = {.size = sizeof ground, .kind = "rigid", .around = 16};
  pressure_solid solid[PRESSURE_SOLIDS] = {{.type = type,
                                            .field = {.size = sizeof(cr_pressure_options),
                                                      .kind = "compliant",
                                                      .modulus = MODULUS,
                                                      .around = around}}};
  cr_copy3(solid[0].size, size);
  pressure_scene(&m, &ground, 1, solid);
  cr_data* d = test_data(&m);
  const cr_real pos[3] = {CR_R(0.3), CR_R(-0.2), height}, axis[3] = {0, 1, 0};
  pressure_pose(&m, d, 1, pos, axis, tilt);
  pressure_run(&m, d);
  wrench w = {d->qfrc_pressure[2], d->qfrc_pressure[4]};
  test_release();
  cri_model_free(&m);
  return w;
}

// A box whose lower edge along y is `depth` under the ground, which cuts the bottom and one side. Along the cut, s from the
// bottom's end, the two sides give g = min(s sin, (w - s) cos), w = depth / (sin cos), with its top g* at s*. Across it
// the pressure E / a min(g, b - |y|) has the integral E / a (2 b g - g^2).
static wrench box_wrench(const cr_real size[3], cr_real height, cr_real tilt) {
  const cr_real c = cr_cos(tilt), s = cr_sin(tilt), b = size[1];
  const cr_real least = cr_min(cr_min(size[0], size[1]), size[2]);
  const cr_real depth = size[0] * s + size[2] * c - height, w = depth / (s * c);
  const cr_real top = w * c / (s + c), g = depth / (s + c), rest = w - top;
  const cr_real force = w * (b * g - g * g / 3);
  const cr_real first = b * w * g * (w + top) / 3,
                second = g * g * (top * top / 4 + w * rest / 3 - rest * rest / 4);
  const cr_real mean = (first - second) / force;  // s of the centre of pressure
  // the lower edge is at x = size[0] cos - size[2] sin beside the centre, the bottom's end w cos^2 before it
  const cr_real x = size[0] * c - size[2] * s - depth * c / s + mean;
  return (wrench){MODULUS / least * force, -x * MODULUS / least * force};
}

// ends are closed forms of the field itself, so the tetrahedra of a box have no error
TEST(a_tilted_box_has_the_closed_form) {
  const cr_real size[3] = {CR_R(0.15), CR_R(0.1), CR_R(0.12)};
  for (int i = 1; i < 10; i++) {
    const cr_real tilt = CR_R(0.15) * (cr_real)i, low = CR_R(0.002) * (cr_real)i;
    const cr_real height = size[0] * cr_sin(tilt) + size[2] * cr_cos(tilt) - low;
    const wrench x = tilted(CR_GEOM_BOX, size, 4, height, tilt),
                 exact = box_wrench(size, height, tilt);
    assert_close(x.force, exact.force, 1000 * CR_EPS * exact.force);
    assert_close(x.torque, exact.torque, 1000 * CR_EPS * exact.force * size[0]);
  }
}

// A cylinder with its whole lower rim under the ground. At (rho, phi) on its bottom the ground is s + t rho cos phi above,
// t = tan tilt; the pressure is E / R min(that, R - rho). Along rho by hand, over phi by the trapezoidal rule.
static wrench cylinder_wrench(const cr_real size[3], cr_real middle, cr_real tilt) {
  enum { N = 400 };
  const cr_real R = size[0], s = middle, t = cr_sin(tilt) / cr_cos(tilt), tall = size[1] - s;
  cr_real load = 0, x = 0, z = 0;  // and first moments
  for (int i = 0; i < N; i++) {
    const cr_real cosine = cr_cos(2 * CR_PI * (cr_real)i / N), k = t * cosine;
    const cr_real r = (R - s) / (1 + k), r2 = r * r, r3 = r * r2, r4 = r2 * r2, R3 = R * R * R;
    const cr_real m1 = s * r2 / 2 + k * r3 / 3 + R3 / 6 - R * r2 / 2 + r3 / 3;
    const cr_real m2 = s * r3 / 3 + k * r4 / 4 + R * R3 / 12 - R * r3 / 3 + r4 / 4;
    load += m1 * 2 * CR_PI / N;
    x += cosine * m2 * 2 * CR_PI / N;
    z += (k * m2 - tall * m1) * 2 * CR_PI / N;
  }
  // force along the ground's normal (-sin, 0, cos) of the body; areas are those over the bottom / cos
  const cr_real scale = MODULUS / R / cr_cos(tilt);
  return (wrench){scale * load, -scale * (z * cr_sin(tilt) + x * cr_cos(tilt))};
}

// the errors of force and torque fall by four when edges become half as long
TEST(a_tilted_cylinder_converges_to_the_closed_form) {
  const cr_real size[3] = {CR_R(0.1), CR_R(0.2), 0}, tilt = CR_R(0.1), middle = CR_R(0.015);
  const cr_real height = (size[1] - middle) * cr_cos(tilt);
  const wrench exact = cylinder_wrench(size, middle, tilt);
  wrench error[2];
  for (int k = 0; k < 2; k++) {
    const wrench x = tilted(CR_GEOM_CYLINDER, size, k == 0 ? 64 : 128, height, tilt);
    error[k] = (wrench){x.force / exact.force - 1, x.torque / exact.torque - 1};
  }
  assert_true(cr_abs(error[1].torque) < CR_R(0.01));
  assert_close(error[0].force / error[1].force, 4, CR_R(0.2));
  assert_close(error[0].torque / error[1].torque, 4, CR_R(0.2));
}
