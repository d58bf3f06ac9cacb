// SPDX-License-Identifier: Apache-2.0
// The implicit acceleration against its equation, a damper by hand, a spinning body that must not
// gain energy, and a matrix that cannot be factored.
#include "integrate/implicit.h"

#include <math.h>

#include "inertia/inertia.h"
#include "inertia/qderiv.h"
#include "integrate/step.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };

static cr_model m;
static cr_data* d;

static void begin(uint64_t seed, int integrator) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  assert_true(m.nv <= MAX_NV);
  m.integrator = integrator;
  d = test_data(&m);
  random_state(&m, d, seed, STATE_CONTACT);
}

static void end(void) { cri_model_free(&m); }

TEST(the_acceleration_solves_its_equation) {
  static cr_real lower[MAX_NV * MAX_NV], upper[MAX_NV * MAX_NV];
  for (uint64_t seed = 0; seed < 2 * N_SEED; seed++) {
    begin(seed / 2, seed % 2 == 0 ? CR_INT_IMPLICIT : CR_INT_IMPLICITFAST);
    assert_int_equal(cr_step(&m, d), CR_OK);
    assert_int_equal(d->scratch_used, 0);
    cr_real left[MAX_NV], right[MAX_NV];
    cri_inertia_mul(&m, d, left, d->euler_qacc, d);
    cri_inertia_mul(&m, d, right, d->qacc, d);
    cri_qderiv(&m, d, seed % 2 == 0 ? CR_QDERIV_ALL : CR_QDERIV_FAST, lower, upper, d);
    for (int i = 0; i < m.nv; i++) {
      for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; k++) {
        int j = m.M_colind[k];
        left[i] -= m.timestep * lower[k] * d->euler_qacc[j];
        left[j] -= i == j ? 0 : m.timestep * upper[k] * d->euler_qacc[i];
      }
    }
    assert_all_close(left, right, m.nv, CR_R(1e-9));
    for (int i = 0; i < m.nv; i++) {
      assert_close(d->qvel_next[i], d->qvel[i] + m.timestep * d->euler_qacc[i], 0);
    }
    end();
  }
}

// torque-free tumbling, ten turns: Euler's kinetic energy grows, that of the implicit ones does not
static cr_real energy_after_tumbling(int integrator) {
  begin(1, integrator);
  m.disableflags =
      CR_DSBL_CONSTRAINT | CR_DSBL_GRAVITY | CR_DSBL_SPRING | CR_DSBL_DAMPER | CR_DSBL_ACTUATION;
  m.timestep = CR_R(0.01);
  cr_zero(d->qvel, m.nv);
  cr_zero(d->qfrc_applied, m.nv);
  cr_zero(d->xfrc_applied, 6 * m.nbody);
  d->qvel[3] = 20;
  d->qvel[4] = CR_R(0.5);
  cr_real energy[2] = {0, 0}, momentum[MAX_NV];
  for (int k = 0; k < 300; k++) {
    assert_int_equal(cr_step(&m, d), CR_OK);
    cri_inertia_mul(&m, d, momentum, d->qvel, d);
    energy[k > 0] = 0;
    for (int i = 0; i < m.nv; i++) {
      energy[k > 0] += momentum[i] * d->qvel[i] / 2;
    }
    cr_advance(&m, d);
  }
  end();
  return energy[1] / energy[0];
}

TEST(spinning_bodies_do_not_gain_energy) {
  cr_real fast = energy_after_tumbling(CR_INT_IMPLICITFAST);
  assert_true(fast < 1 + CR_R(1e-6) && fast > CR_R(0.5));
  // a free body is treated alike by both
  assert_close(energy_after_tumbling(CR_INT_IMPLICIT), fast, CR_R(1e-9));
}

TEST(a_vanishing_pivot_is_an_error) {
  begin(0, CR_INT_IMPLICIT);
  assert_int_equal(cr_step(&m, d), CR_OK);
  d->qvel[0] = (cr_real)NAN;
  m.dof_dampingpoly[0] = 1;
  assert_int_equal(cri_implicit_accelerate(&m, d), CR_ERR_NONFINITE);
  assert_int_equal(d->scratch_used, 0);
  assert_true(cri_is_implicit(&m));
  m.integrator = CR_INT_RK4;
  assert_false(cri_is_implicit(&m));
  end();
}
