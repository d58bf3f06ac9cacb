// SPDX-License-Identifier: Apache-2.0
// Slider-cranks: a flywheel with a rod against the textbook's formula, and rows against the
// derivative of the length, which they are.
#include "transmission/transmission_slidercrank.h"

#include "engine/forward.h"
#include "model/build.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

static const cr_real radius = CR_R(0.3);

// a wheel that turns about y; the pin on its rim, the slider along z through its axle
static void wheel(cr_model* m, cr_data** d, cr_real rod) {
  const int32_t parents[] = {0, 0}, jntnum[] = {0, 1}, types[] = {CR_JNT_HINGE};
  *m = (cr_model){.nsite = 2, .nactuator = 1, .nout = 1, .nu = 1};
  assert_int_equal(cri_model_sizes(m, 2, parents, jntnum, types, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(m, NULL), CR_OK);
  cri_model_defaults(m);
  m->body_parentid[1] = 0;
  m->body_jntnum[1] = 1;
  m->jnt_type[0] = CR_JNT_HINGE;
  m->jnt_axis[1] = 1;
  m->jnt_axis[0] = m->jnt_axis[2] = 0;
  m->body_mass[1] = 1;
  cr_real inertia[3] = {CR_R(0.1), CR_R(0.1), CR_R(0.1)};
  cr_copy(m->body_inertia + 3, inertia, 3);
  m->site_bodyid[0] = 1;
  m->site_pos[2] = radius;
  m->actuator_trntype[0] = CR_TRN_SLIDERCRANK;
  m->actuator_trnid[0] = 0;
  m->actuator_trnid[1] = 1;
  m->actuator_cranklength[0] = rod;
  m->actuator_gear[0] = 2;
  assert_int_equal(cri_model_derive(m, NULL), CR_OK);
  *d = test_data(m);
}

// height of the slider: r cos(q) - sqrt(l^2 - r^2 sin(q)^2)
TEST(a_piston_moves_as_the_textbook_says) {
  cr_model m;
  cr_data* d = NULL;
  cr_real rod = CR_R(0.8);
  wheel(&m, &d, rod);
  for (int k = 0; k < 12; k++) {
    cr_real q = CR_R(0.5) * (cr_real)k, s = cr_sin(q), c = cr_cos(q);
    cr_real root = cr_sqrt(rod * rod - radius * radius * s * s);
    d->qpos[0] = q;
    assert_int_equal(cr_forward(&m, d), CR_OK);
    assert_close(d->actuator_length[0], 2 * (radius * c - root), 20 * ROUND_OFF);
    assert_int_equal(d->moment_rownnz[0], 1);
    assert_close(d->actuator_moment[0], 2 * (-radius * s + radius * radius * s * c / root),
                 20 * ROUND_OFF);
  }
  cri_model_free(&m);
}

// a rod too short to reach leaves the projection of the pin
TEST(a_short_rod_does_not_reach) {
  cr_model m;
  cr_data* d = NULL;
  wheel(&m, &d, CR_R(0.1));
  d->qpos[0] = 1;
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_close(d->actuator_length[0], 2 * radius * cr_cos(1), 20 * ROUND_OFF);
  assert_close(d->actuator_moment[0], -2 * radius * cr_sin(1), 20 * ROUND_OFF);
  d->qpos[0] = CR_R(0.2);
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_true(d->actuator_length[0] < 2 * radius * cr_cos(d->qpos[0]) - CR_R(0.1));
  cri_model_free(&m);
}

// length at a step h along qvel
static cr_real length_at(const cr_model* m, const cr_data* d, int out, cr_real h, cr_data* to) {
  mechanism_move(m, d, d->qvel, h, to);
  assert_int_equal(cr_forward(m, to), CR_OK);
  return to->actuator_length[out];
}

TEST(rows_are_the_derivative_of_the_length) {
  const cr_real h = CR_R(1e-3);
  int cranks = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    cr_model m;
    cr_data *d = NULL, *to = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    d = test_data(&m);
    to = test_data(&m);
    random_state(&m, d, seed, STATE_FLIGHT);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int i = 0; i < m.nactuator; i++) {
      if (m.actuator_trntype[i] != CR_TRN_SLIDERCRANK) {
        continue;
      }
      int out = m.actuator_outadr[i];
      cr_real near = length_at(&m, d, out, h, to) - length_at(&m, d, out, -h, to);
      cr_real far = length_at(&m, d, out, 2 * h, to) - length_at(&m, d, out, -2 * h, to);
      cr_real expected = (8 * near - far) / (12 * h);
      assert_close(d->actuator_velocity[out], expected, CR_R(1e-7) * (1 + cr_abs(expected)));
      cranks++;
    }
    cri_model_free(&m);
  }
  assert_true(cranks > 5);
}
