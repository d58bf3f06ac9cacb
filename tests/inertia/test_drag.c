// SPDX-License-Identifier: Apache-2.0
// What drag adds to the inertia: a slide with a closed form, the slope of the fluid's force where drag
// is all of it, and what has none.
#include "inertia/drag.h"

#include "engine/forward.h"
#include "force/fluid.h"
#include "integrate/step.h"
#include "kinematics/velocity.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 20, MAX_NV = 128 };

static cr_model m;
static cr_data* d;

static void end(void) { cri_model_free(&m); }

// ---- one slide: a cube, since its moments of inertia are equal

static void begin_slide(int integrator) {
  static const int32_t slide[] = {CR_JNT_SLIDE};
  assert_int_equal(chain_model(&m, 1, slide, 1, NULL), CR_OK);
  m.integrator = integrator;
  m.timestep = CR_R(0.1);
  m.body_simple[1] = 0;
  m.viscosity[0] = CR_R(3.0);
  m.disableflags = CR_DSBL_GRAVITY | CR_DSBL_ACTUATION;
  m.dof_damping[0] = m.jnt_stiffness[0] = 0;
  cr_real I = m.body_mass[1] * CR_R(0.04) / 6;
  for (int i = 0; i < 3; i++) {
    m.body_inertia[3 + i] = I;  // a side of 0.2
  }
  d = test_data(&m);
  d->qpos[0] = 0;
  d->qvel[0] = CR_R(-0.7);
}

TEST(a_cube_that_slides_has_a_closed_form) {
  begin_slide(CR_INT_DISCRETE);
  cr_real h = m.timestep, c = 3 * CR_PI * m.viscosity[0] * CR_R(0.2);
  assert_int_equal(cr_step(&m, d), CR_OK);
  assert_close(d->efm_fluid[0], h * c, 64 * CR_EPS * c);
  cr_real mass = d->M[0], v = d->qvel[0];
  assert_close(d->qvel_next[0], v - h * c * v / (mass + h * c), 64 * CR_EPS);
  end();
}

// drag that is stiff for the step brings it to rest, explicitly it explodes
TEST(strong_drag_is_stable) {
  static const int integrators[] = {CR_INT_DISCRETE, CR_INT_EULER};
  for (int i = 0; i < 2; i++) {
    begin_slide(integrators[i]);
    m.viscosity[0] = CR_R(1e4);
    for (int k = 0; k < 2; k++) {
      assert_int_equal(cr_step(&m, d), CR_OK);
      cr_advance(&m, d);
    }
    assert_true(i == 0 ? cr_abs(d->qvel[0]) < CR_R(1e-6) : cr_abs(d->qvel[0]) > 10);
    end();
  }
}

// where the slope of drag is part of the step, the side of its bend is a choice
TEST(sides_are_known_where_slopes_count) {
  static const int integrators[] = {CR_INT_DISCRETE, CR_INT_IMPLICIT, CR_INT_EULER};
  for (int i = 0; i < 3; i++) {
    int32_t side[2];
    begin_slide(integrators[i]);
    for (int k = 0; k < 2; k++) {
      d->qvel[0] = k == 0 ? CR_R(-0.7) : CR_R(0.7);
      assert_int_equal(cr_step(&m, d), CR_OK);
      side[k] = d->body_fluid_side[1];
    }
    assert_true((side[0] != side[1]) == (i < 2));
    end();
  }
}

// ---- mechanisms

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  random_model_discrete(&m);
  assert_true(m.nv <= MAX_NV);
  m.disableflags = 0;
  m.density[0] = CR_R(0.7);
  m.viscosity[0] = CR_R(0.02);
  m.timestep = CR_R(0.03);
  d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  assert_int_equal(cr_forward(&m, d), CR_OK);
}

// of boxes drag is all there is, and its slope is symmetric
TEST(boxes_have_the_slope_of_their_force) {
  static cr_real low[MAX_NV], high[MAX_NV], at[MAX_NV], x[MAX_NV], expected[MAX_NV];
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    for (int g = 0; g < m.ngeom; g++) {
      m.geom_fluid[12 * g] = 0;
    }
    for (int b = 0; b < m.nbody; b++) {
      m.body_simple[b] = 0;
    }
    assert_int_equal(cr_drag(&m, d), CR_OK);
    assert_int_equal(d->scratch_used, 0);
    cr_zero(expected, m.nv);
    for (int i = 0; i < m.nv; i++) {
      x[i] = CR_R(0.1) * (cr_real)(1 + i % 3);
    }
    for (int i = 0; i < m.nv; i++) {
      for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; k++) {
        int j = m.M_colind[k];
        expected[i] -= d->efm_fluid[k] * x[j] / m.timestep;
        expected[j] -= i == j ? 0 : d->efm_fluid[k] * x[i] / m.timestep;
      }
    }
    const cr_real h = CR_R(1e-6);
    cr_copy(at, d->qvel, m.nv);
    for (int side = -1; side < 2; side += 2) {
      for (int i = 0; i < m.nv; i++) {
        d->qvel[i] = at[i] + (cr_real)side * h * x[i];
      }
      assert_int_equal(cr_velocity(&m, d), CR_OK);
      assert_int_equal(cr_fluid(&m, d), CR_OK);
      cr_copy(side < 0 ? low : high, d->qfrc_fluid, m.nv);
    }
    for (int i = 0; i < m.nv; i++) {
      cr_real slope = (high[i] - low[i]) / (2 * h);
      assert_close(slope, expected[i], CR_R(1e-6) * (1 + cr_abs(expected[i])));
    }
    end();
  }
}

static cr_real largest(void) {
  cr_real most = 0;
  for (int k = 0; k < d->nefmfluid; k++) {
    most = cr_max(most, cr_abs(d->efm_fluid[k]));
  }
  return most;
}

// lift and added mass, however large, leave it as it is
TEST(only_drag_counts) {
  static cr_real before[MAX_NV * MAX_NV];
  int ellipsoids = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_copy(before, d->efm_fluid, m.nC);
    for (int g = 0; g < m.ngeom; g++) {
      ellipsoids += m.geom_fluid[12 * g] > 0;
      for (int k = 4; k < 12; k++) {
        m.geom_fluid[12 * g + k] += 100;
      }
    }
    assert_int_equal(cr_drag(&m, d), CR_OK);
    assert_true(largest() > 0);
    assert_all_close(d->efm_fluid, before, m.nC, 0);
    end();
  }
  assert_true(ellipsoids > N_SEED);
}

TEST(bodies_with_a_diagonal_block_have_a_diagonal) {
  begin(1);  // a heap of free bodies
  cr_real most = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 1; b < m.nbody; b++) {
      m.body_simple[b] = pass;
    }
    assert_int_equal(cr_drag(&m, d), CR_OK);
    for (int i = 0; i < m.nv; i++) {
      for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i] - 1; k++) {
        most = pass == 0 ? cr_max(most, cr_abs(d->efm_fluid[k])) : most;
        assert_true(pass == 0 || d->efm_fluid[k] == 0);
      }
    }
  }
  assert_true(most > 0);
  end();
}

TEST(without_a_medium_there_is_none) {
  begin(4);
  assert_true(largest() > 0);
  m.disableflags = CR_DSBL_SPRING | CR_DSBL_DAMPER;
  assert_int_equal(cr_drag(&m, d), CR_OK);
  assert_true(largest() == 0);
  m.disableflags = 0;
  m.density[0] = m.viscosity[0] = 0;
  assert_int_equal(cr_drag(&m, d), CR_OK);
  assert_true(largest() == 0);
  end();
  // data made for another integrator have no room, and the acceleration says so
  begin_slide(CR_INT_EULER);
  assert_int_equal(d->nefmfluid, 0);
  m.integrator = CR_INT_DISCRETE;
  assert_int_equal(cr_forward(&m, d), CR_ERR_CAPACITY);
  end();
}
