// SPDX-License-Identifier: Apache-2.0
// Rows of the integrator discrete by hand, and their gradients.
#include "solver/discrete_row.h"

#include "base/random.h"
#include "support/close.h"

static cr_real KBIP[4], solref[2] = {CR_R(0.02), 1};
static int32_t type[1] = {CR_CNSTR_LIMIT_JOINT}, id[1] = {0};
static cr_model m;
static cr_data d;

static cri_step_row row(cr_real K, cr_real B, cr_real I) {
  KBIP[0] = K;
  KBIP[1] = B;
  KBIP[2] = I;
  m = (cr_model){.integrator = CR_INT_DISCRETE, .timestep = CR_R(0.01), .jnt_solref = solref};
  d = (cr_data){.efc_KBIP = KBIP, .efc_type = type, .efc_id = id};
  return cri_step_row_of(&m, &d, 0);
}

TEST(soft_rows_stay) {
  cri_step_row s = row(2000, 60, CR_R(0.9));
  assert_true(s.K == 2000 && s.B == 60);
  assert_close(s.f, 1 + CR_R(0.6) + CR_R(0.18), 8 * CR_EPS);
  m.integrator = CR_INT_EULER;
  s = cri_step_row_of(&m, &d, 0);
  assert_true(s.K == 2000 && s.B == 60 && s.f == 1);
}

// the spring of a row that is too stiff for the step takes the whole of it, not more
TEST(stiff_rows_are_replaced) {
  cr_real h = CR_R(0.01), I = CR_R(0.9);
  cri_step_row s = row(CR_R(1e6), 300, I);
  assert_close(h * h * s.K * I, 1, 8 * CR_EPS);
  assert_close(s.B, 300 / cr_sqrt(90), CR_R(1e-12) * 300);
  // where the impedance is high damping has a bound
  s = row(CR_R(1e6), CR_R(1e7), I);
  cr_real F = CR_R(0.9999) * (1 - I) / (CR_R(0.0001) * I);
  assert_close(s.B, (F - 2) / h, CR_R(1e-9) * F / h);
  // unless the user says so, or the row is of another kind
  m.disableflags = CR_DSBL_REFSAFE;
  assert_true(cri_step_row_of(&m, &d, 0).K == CR_R(1e6));
  m.disableflags = 0;
  type[0] = CR_CNSTR_EQUALITY;
  assert_true(cri_step_row_of(&m, &d, 0).K == CR_R(1e6));
  type[0] = CR_CNSTR_LIMIT_JOINT;
  solref[0] = -1;
  assert_true(cri_step_row_of(&m, &d, 0).K == CR_R(1e6));
  solref[0] = CR_R(0.02);
}

static cr_real number_of(const cri_step_row* s, int k) {
  return k == 0 ? s->K : (k == 1 ? s->B : s->f);
}

static const cr_real* gradient_of(const cri_step_row* s, int k) {
  return k == 0 ? s->K_y : (k == 1 ? s->B_y : s->f_y);
}

TEST(gradients_match_differences) {
  cr_random r = cr_random_seed(1, 9);
  for (int n = 0; n < 200; n++) {
    cr_real x[3] = {cr_exp(cr_random_range(&r, 4, 14)), cr_exp(cr_random_range(&r, 2, 18)),
                    cr_random_range(&r, CR_R(0.1), CR_R(0.95))};
    cri_step_row s = row(x[0], x[1], x[2]);
    for (int k = 0; k < 3; k++) {
      for (int by = 0; by < 3; by++) {
        cr_real h = CR_R(1e-4) * x[by], sum = 0, second = 0, kept = x[by];
        static const cr_real weight[4] = {1, -8, 8, -1}, plain[4] = {0, -1, 1, 0};
        for (int i = 0; i < 4; i++) {
          x[by] = kept + h * (cr_real)(i < 2 ? i - 2 : i - 1);
          cri_step_row near = row(x[0], x[1], x[2]);
          sum += weight[i] * number_of(&near, k) / (12 * h);
          second += plain[i] * number_of(&near, k) / (2 * h);
        }
        x[by] = kept;
        cr_real scale = cr_abs(number_of(&s, k) / x[by]) + cr_abs(sum);
        if (cr_abs(sum - second) < CR_R(1e-5) * scale) {  // else a bound lies between
          assert_close(gradient_of(&s, k)[by], sum, CR_R(1e-8) * scale);
        }
      }
    }
  }
}
