// SPDX-License-Identifier: Apache-2.0
// The matrices behind one product: each against the step that has it in its own, transposed against
// plain. Derivatives are held by inverse dynamics.
#include "engine/step_qderiv.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "inertia/inertia.h"
#include "integrate/step.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_NV = 64 };
static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST};

// (M - hD) a2 = M a, a2 from a step
TEST(as_steps_have_them) {
  int moved = 0;
  for (int k = 0; k < 3; k++) {
    for (int seed = 0; seed < N_SEED; seed++) {
      measured s;
      cr_real a2[MAX_NV], away[MAX_NV], left[MAX_NV], right[MAX_NV] = {0}, size = 1;
      measured_open(&s, seed, STATE_FLIGHT);
      s.m.integrator = integrators[k];
      int nv = s.m.nv;
      if (cr_step(&s.m, s.d) != CR_OK) {
        measured_close(&s);
        continue;
      }
      for (int i = 0; i < nv; i++) {
        a2[i] = (s.d->qvel_next[i] - s.d->qvel[i]) / s.m.timestep;
        away[i] = a2[i] - s.d->qacc[i];
        moved += cr_abs(away[i]) > CR_R(1e-6);
      }
      cri_inertia_mul(&s.m, s.d, left, away, s.d);
      cri_step_qderiv_mul(&s.m, s.d, cri_step_qderiv_of(&s.m), s.m.timestep, a2, right, false, s.d);
      for (int i = 0; i < nv; i++) {
        size = cr_max(size, cr_max(cr_abs(left[i]), cr_abs(s.d->qfrc_smooth[i])));
      }
      for (int i = 0; i < nv; i++) {
        assert_close(left[i], right[i], CR_R(1e6) * ROUND_OFF * size);
      }
      measured_close(&s);
    }
  }
  assert_true(moved > 50);
}

// x' D y = y' D' x
TEST(transposes) {
  static const cri_step_qderiv kinds[] = {CR_STEP_QDERIV_NONE, CR_STEP_QDERIV_DAMPING,
                                          CR_STEP_QDERIV_FAST, CR_STEP_QDERIV_ALL,
                                          CR_STEP_QDERIV_GYRO};
  int unlike = 0;
  for (int k = 0; k < 5; k++) {
    for (int seed = 0; seed < N_SEED; seed++) {
      measured s;
      cr_random r = cr_random_seed((uint64_t)seed, 4);
      cr_real x[MAX_NV], y[MAX_NV], Dy[MAX_NV] = {0}, Dx[MAX_NV] = {0}, left = 0, right = 0,
                                    size = 1;
      measured_open(&s, seed, STATE_FLIGHT);
      for (int t = 0; t < s.m.ntree; t++) {
        s.d->efm_free[t] = t % 2;
      }
      for (int i = 0; i < s.m.nv; i++) {
        x[i] = cr_random_normal(&r);
        y[i] = cr_random_normal(&r);
      }
      cri_step_qderiv_mul(&s.m, s.d, kinds[k], 2, y, Dy, false, s.d);
      cri_step_qderiv_mul(&s.m, s.d, kinds[k], 2, x, Dx, true, s.d);
      for (int i = 0; i < s.m.nv; i++) {
        left += x[i] * Dy[i];
        right += y[i] * Dx[i];
        size += cr_abs(x[i] * Dy[i]) + cr_abs(y[i] * Dx[i]);
      }
      assert_close(left, right, 1000 * ROUND_OFF * size);
      cr_zero(Dx, s.m.nv);
      cri_step_qderiv_mul(&s.m, s.d, kinds[k], 2, y, Dx, true, s.d);
      for (int i = 0; i < s.m.nv; i++) {
        unlike += cr_abs(Dx[i] - Dy[i]) > CR_R(1e-6);
        assert_true(kinds[k] != CR_STEP_QDERIV_NONE || Dy[i] == 0);
      }
      measured_close(&s);
    }
  }
  assert_true(unlike > 10);  // those with the bias force are not symmetric
}

TEST(which_integrator_has_which) {
  measured s;
  measured_open(&s, 0, STATE_FLIGHT);
  s.m.integrator = CR_INT_IMPLICIT;
  assert_int_equal(cri_step_qderiv_of(&s.m), CR_STEP_QDERIV_ALL);
  s.m.integrator = CR_INT_IMPLICITFAST;
  assert_int_equal(cri_step_qderiv_of(&s.m), CR_STEP_QDERIV_FAST);
  s.m.integrator = CR_INT_DISCRETE;
  assert_int_equal(cri_step_qderiv_of(&s.m), CR_STEP_QDERIV_NONE);
  s.m.integrator = CR_INT_EULER;
  s.m.dof_damping[0] = 1;
  assert_int_equal(cri_step_qderiv_of(&s.m), CR_STEP_QDERIV_DAMPING);
  s.m.disableflags |= CR_DSBL_EULERDAMP;
  assert_int_equal(cri_step_qderiv_of(&s.m), CR_STEP_QDERIV_NONE);
  measured_close(&s);
}
