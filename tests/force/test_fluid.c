// SPDX-License-Identifier: Apache-2.0
// Fluid forces on mechanisms: drag takes energy, a wind carries along, no medium makes no force,
// and the slopes K are the derivative of the forces over velocity.
#include "force/fluid.h"

#include "base/random.h"
#include "kinematics/tree.h"
#include "kinematics/velocity.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 24, MAX_NV = 128 };

static cr_model m;
static cr_data* d;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  m.disableflags = 0;
  m.density[0] = CR_R(0.7);
  m.viscosity[0] = CR_R(0.02);
  cr_zero(m.wind, 3);
  d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  mechanism_pose(&m, d);
}

static void end(void) { cri_model_free(&m); }

static void force(void) {
  assert_int_equal(cr_velocity(&m, d), CR_OK);
  assert_int_equal(cr_fluid(&m, d), CR_OK);
  assert_int_equal(d->scratch_used, 0);
}

TEST(a_calm_medium_takes_energy) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    // lift and added mass do no work, or little: drag alone
    for (int g = 0; g < m.ngeom; g++) {
      m.geom_fluid[12 * g + 1] += m.geom_fluid[12 * g + 2];
      cr_zero(m.geom_fluid + 12 * g + 4, 8);
    }
    force();
    cr_real power = 0;
    for (int i = 0; i < m.nv; i++) {
      power += d->qfrc_fluid[i] * d->qvel[i];
    }
    assert_true(power < 0);
    end();
  }
}

TEST(no_medium_makes_no_force) {
  begin(4);
  force();
  assert_true(cri_fluid_acts(&m));
  m.disableflags = CR_DSBL_SPRING | CR_DSBL_DAMPER;
  assert_false(cri_fluid_acts(&m));
  force();
  for (int i = 0; i < m.nv; i++) {
    assert_close(d->qfrc_fluid[i], 0, 0);
  }
  m.disableflags = 0;
  m.density[0] = m.viscosity[0] = 0;
  assert_false(cri_fluid_acts(&m));
  end();
}

// free bodies that move along with the wind feel nothing
TEST(a_wind_carries_along) {
  begin(1);  // a heap of free bodies
  cr_zero(d->qvel, m.nv);
  m.wind[0] = CR_R(0.3);
  m.wind[1] = CR_R(-0.4);
  for (int j = 0; j < m.njnt; j++) {
    assert_int_equal(m.jnt_type[j], CR_JNT_FREE);
    cr_copy(d->qvel + m.jnt_dofadr[j], m.wind, 3);
  }
  force();
  for (int i = 0; i < m.nv; i++) {
    assert_close(d->qfrc_fluid[i], 0, CR_R(1e-14));
  }
  end();
}

TEST(slopes_are_the_derivative_over_velocity) {
  static cr_real K[36 * 64], A[6 * 64], F[6 * 64], at[MAX_NV], v[MAX_NV], low[MAX_NV];
  bool symmetric[64] = {false};
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    force();
    cri_fluid_qderiv(&m, d, (cri_fluid_part){.symmetric = symmetric}, K);
    cr_copy(at, d->qvel, m.nv);
    for (int i = 0; i < m.nv; i++) {
      v[i] = CR_R(0.1) * (cr_real)(1 + i % 3);
    }
    cr_zero(A, 6);
    cri_tree_motions(&m, d->cdof, v, A);
    cr_zero(F, 6 * m.nbody);
    for (int b = 1; b < m.nbody; b++) {
      for (int i = 0; i < 6; i++) {
        F[6 * b + i] = cr_dot6(K + 36 * b + 6 * i, A + 6 * b);
      }
    }
    cri_tree_gather(&m, F, 6);
    const cr_real h = CR_R(1e-6);
    for (int side = -1; side < 2; side += 2) {
      for (int i = 0; i < m.nv; i++) {
        d->qvel[i] = at[i] + (cr_real)side * h * v[i];
      }
      force();
      cr_copy(side < 0 ? low : at, side < 0 ? d->qfrc_fluid : at, m.nv);
    }
    for (int i = 0; i < m.nv; i++) {
      cr_real expected = (d->qfrc_fluid[i] - low[i]) / (2 * h);
      assert_close(cr_dot6(d->cdof + 6 * i, F + 6 * m.dof_bodyid[i]), expected,
                   CR_R(1e-6) * (1 + cr_abs(expected)));
    }
    end();
  }
}

// ---- a vacuum: its own path against the general one, in a medium that is next to nothing

typedef struct {
  cr_real density, viscosity, force[MAX_NV];
} answer;

static void fill(cr_real* x, int n, uint64_t seed) {
  cr_random r = cr_random_seed(seed, 31);
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(&r);
  }
}

// derivatives of the forces, or of the slopes between two motions, in a medium of `amount`
static answer derivatives_in(cr_real amount, uint64_t seed, bool of_slopes) {
  bool symmetric[64] = {false, true, false, true};
  const cri_fluid_part parts[] = {{.drag = true}, {.symmetric = symmetric}};
  answer a;
  m.density[0] = m.viscosity[0] = amount;
  cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
  cr_data* tan = test_twin(&m, d, CR_DATA_TANGENT);
  fill(bar->qfrc_fluid, m.nv, seed);
  fill(tan->cdof, 6 * m.nv, seed);
  fill(tan->cvel, 6 * m.nbody, seed);
  tan->par.density[0] = 2;
  tan->par.viscosity[0] = -3;
  if (of_slopes) {
    cri_fluid_qderiv_vjp(&m, d, bar, parts[seed % 2], d->qvel, bar->qfrc_fluid, CR_R(0.7));
  } else {
    assert_int_equal(cr_fluid_vjp(&m, d, bar), CR_OK);
  }
  assert_int_equal(bar->scratch_used, 0);
  a.density = bar->par.density[0];
  a.viscosity = bar->par.viscosity[0];
  assert_int_equal(cr_fluid_jvp(&m, d, tan), CR_OK);
  assert_int_equal(tan->scratch_used, 0);
  cr_copy(a.force, tan->qfrc_fluid, m.nv);
  // what flows to the state and to other parameters
  cr_real most = 0;
  for (int i = 0; i < 6 * m.nbody; i++) {
    most = cr_max(most, cr_abs(bar->cvel[i]));
  }
  for (int i = 0; i < 6 * m.nv; i++) {
    most = cr_max(most, cr_abs(bar->cdof[i]));
  }
  for (int i = 0; i < m.nbody; i++) {
    most = cr_max(most, cr_abs(bar->par.body_mass[i]));
  }
  assert_true(amount == 0 ? most == 0 : most > 0 && most < CR_R(1e-90));
  return a;
}

TEST(a_vacuum_has_the_derivatives_of_next_to_nothing) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    m.wind[0] = CR_R(0.3);
    force();
    for (int slopes = 0; slopes < 2; slopes++) {
      answer empty = derivatives_in(0, seed, slopes == 1);
      answer thin = derivatives_in(CR_R(1e-100), seed, slopes == 1);
      assert_true(thin.density != 0 && thin.viscosity != 0);
      assert_close(empty.density, thin.density, 512 * CR_EPS * (1 + cr_abs(thin.density)));
      assert_close(empty.viscosity, thin.viscosity, 512 * CR_EPS * (1 + cr_abs(thin.viscosity)));
      for (int i = 0; i < m.nv; i++) {
        assert_close(empty.force[i], thin.force[i], 512 * CR_EPS * (1 + cr_abs(thin.force[i])));
      }
    }
    end();
  }
}
