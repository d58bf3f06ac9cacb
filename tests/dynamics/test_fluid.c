// SPDX-License-Identifier: Apache-2.0
// Fluid forces on mechanisms: drag takes energy, a wind carries along, no medium makes no force,
// and the slopes K are the derivative of the forces over velocity.
#include "dynamics/fluid.h"

#include "dynamics/tree.h"
#include "dynamics/velocity.h"
#include "support/close.h"
#include "support/mechanism.h"
#include "support/random_model.h"

enum { N_SEED = 24, MAX_NV = 128 };

static cr_model m;
static cr_data* d;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  m.disableflags = 0;
  m.density[0] = CR_R(0.7);
  m.viscosity[0] = CR_R(0.02);
  cr_zero(m.wind, 3);
  assert_int_equal(cri_data_create(&d, &m, NULL, NULL), CR_OK);
  random_state(&m, d, seed, STATE_FLIGHT);
  mechanism_pose(&m, d);
}

static void end(void) {
  cri_data_free(d);
  cri_model_free(&m);
}

static void force(void) {
  assert_int_equal(cr_velocity(&m, d), CR_OK);
  assert_int_equal(cr_fluid(&m, d), CR_OK);
  assert_int_equal(d->scratch_used, 0);
}

static void a_calm_medium_takes_energy(void** state) {
  (void)state;
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

static void no_medium_makes_no_force(void** state) {
  (void)state;
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
static void a_wind_carries_along(void** state) {
  (void)state;
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

static void slopes_are_the_derivative_over_velocity(void** state) {
  (void)state;
  static cr_real K[36 * 64], A[6 * 64], F[6 * 64], at[MAX_NV], v[MAX_NV], low[MAX_NV];
  bool symmetric[64] = {false};
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    force();
    cri_fluid_slopes(&m, d, symmetric, K);
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

int test_fluid(void);
int test_fluid(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_calm_medium_takes_energy),
      cmocka_unit_test(no_medium_makes_no_force),
      cmocka_unit_test(a_wind_carries_along),
      cmocka_unit_test(slopes_are_the_derivative_over_velocity),
  };
  return cmocka_run_group_tests_name("fluid", tests, NULL, NULL);
}
