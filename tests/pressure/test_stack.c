// SPDX-License-Identifier: Apache-2.0
// A stack of three compliant boxes on rigid ground stands still.
#include "carom/step.h"
#include "engine/constants.h"
#include "pressure/pressure_scene.h"

#define MODULUS CR_R(1e6)
#define DRIFT CR_R(1e-6)  // m, of any box in 10 s

static cr_pressure_options field_of(const char* kind) {
  return (cr_pressure_options){.size = sizeof(cr_pressure_options),
                               .kind = kind,
                               .modulus = MODULUS,
                               .dissipation = 2,
                               .transition = CR_R(0.1)};
}

static void run(const cr_model* m, cr_data* d, cr_real seconds) {
  const int n = (int)(seconds / m->timestep + CR_R(0.5));
  for (int i = 0; i < n; i++) {
    if (cr_step(m, d) != CR_OK || cr_advance(m, d) != CR_OK) {
      fail_msg("%s", d->error.text);
    }
  }
}

// Drift of three boxes, one on the other: each has so many times the size and the modulus of the one below it.
static cr_real drift_of(cr_real size_ratio, cr_real modulus_ratio) {
  const cr_pressure_options ground = field_of("rigid");
  pressure_solid solid[PRESSURE_SOLIDS];
  cr_model m;
  cr_real half = CR_R(0.1), modulus = MODULUS, top = 0, start[3 * 7];
  for (int i = 0; i < 3; i++, half *= size_ratio, modulus *= modulus_ratio) {
    solid[i] = (pressure_solid){
        .type = CR_GEOM_BOX, .size = {half, half, half}, .field = field_of("compliant")};
    solid[i].field.modulus = modulus;
  }
  pressure_scene(&m, &ground, 3, solid);
  m.gravity[2] = CR_R(-9.81);
  m.timestep = CR_R(0.001);
  cr_data* d = test_data(&m);
  assert_int_equal(cr_constants(&m, d), CR_OK);
  for (int i = 0; i < 3; i++) {
    const cr_real h = solid[i].size[2], pos[3] = {0, 0, top + h}, up[3] = {0, 0, 1};
    pressure_pose(&m, d, i + 1, pos, up, 0);
    top += 2 * h;
  }
  run(&m, d, 4);  // boxes sink until they carry their weight
  cr_copy(start, d->qpos, 21);
  run(&m, d, 10);
  cr_real drift = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      drift = cr_max(drift, cr_abs(d->qpos[7 * i + k] - start[7 * i + k]));
    }
  }
  print_message("    drift %.2g m in 10 s\n", (double)drift);
  assert_true(start[2] < CR_R(0.1) - CR_R(1e-6));  // it does press
  cri_model_free(&m);
  return drift;
}

// Equal boxes of one modulus would push each other aside: their sides lie in one plane (docs/pressure.md).
TEST(a_stack_of_smaller_and_smaller_boxes_stands_still) {
  assert_true(drift_of(CR_R(0.8), 1) < DRIFT);
}
TEST(a_stack_of_equal_boxes_with_other_moduli_stands_still) {
  assert_true(drift_of(1, CR_R(1.1)) < DRIFT);
}
