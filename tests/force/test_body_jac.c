// SPDX-License-Identifier: Apache-2.0
// Columns of the inverse dynamics of bodies, by what holds for every mechanism: Coriolis forces are
// quadratic in the velocity, and nothing depends on where free trees are; and against differences.
#include "force/body_jac.h"

#include <stdlib.h>

#include "engine/forward.h"
#include "inertia/inertia.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 16 };

static cr_model m;
static cr_data *d, *work;
static cri_columns columns;
static cr_real *memory, *a;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  m.disableflags |= CR_DSBL_CONSTRAINT | CR_DSBL_GRAVITY;
  m.density[0] = m.viscosity[0] = 0;
  d = test_data(&m);
  work = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  cr_zero(d->xfrc_applied, 6 * m.nbody);
  size_t v = (size_t)m.nv;
  memory = calloc(2 * v * v + v + 1, sizeof *memory);
  assert_non_null(memory);
  a = memory + 2 * v * v;
  columns = (cri_columns){.ld = 2 * m.nv, .q = memory, .v = memory + v};
}

static void end(void) {
  free(memory);
  cri_model_free(&m);
}

static void evaluate(void) {
  assert_int_equal(cr_forward(&m, d), CR_OK);
  cr_real* at = work->scratch;
  cri_rigid_transport carried = cri_rigid_transport_of(&m, d, a, work);
  assert_true(carried.V == at);
  cri_body_jac(&m, d, &carried, 1, columns, work);
  cri_pop(work, 0);
}

// armature along tendons is not the bodies'
static bool rigid(void) {
  for (int t = 0; t < m.ntendon; t++) {
    if (m.tendon_inertial[t] != 0) {
      return false;
    }
  }
  return true;
}

// d c/dv v = 2 c without gravity
TEST(bias_is_quadratic_in_the_velocity) {
  int compared = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    evaluate();
    cr_real scale = 0, *twice = a;
    for (int i = 0; i < m.nv; i++) {
      scale = cr_max(scale, cr_abs(d->qfrc_bias[i]));
      twice[i] = 0;
      for (int j = 0; j < m.nv; j++) {
        twice[i] -= columns.v[i * columns.ld + j] * d->qvel[j];
      }
    }
    for (int i = 0; i < m.nv && rigid(); i++) {
      assert_close(twice[i], 2 * d->qfrc_bias[i], 100 * ROUND_OFF * scale);
      compared++;
    }
    end();
  }
  assert_true(compared > 50);
}

TEST(a_free_tree_may_be_anywhere) {
  int found = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_random r = cr_random_seed(seed, 9);
    for (int i = 0; i < m.nv; i++) {
      a[i] = cr_random_normal(&r);
    }
    evaluate();
    for (int j = 0; j < m.njnt; j++) {
      int first = m.jnt_dofadr[j];
      for (int k = 0; k < 3 && m.jnt_type[j] == CR_JNT_FREE; k++) {
        for (int i = 0; i < m.nv; i++) {
          assert_close(columns.q[i * columns.ld + first + k], 0, ROUND_OFF);
        }
        found++;
      }
    }
    end();
  }
  assert_true(found > 0);
}

// the inertia's columns are those of M y
TEST(inertia_columns_are_differences_of_the_inertia) {
  static const cr_real weight[] = {1, -8, 8, -1};
  const cr_real h = CR_R(1e-3);
  for (uint64_t seed = 0; seed < N_SEED; seed += 2) {
    begin(seed);
    cr_real *delta = calloc((size_t)m.nv, sizeof *delta), *y = calloc((size_t)m.nv, sizeof *y);
    cr_real *rate = calloc((size_t)m.nv, sizeof *y), *want = calloc((size_t)m.nv, sizeof *y);
    cr_random r = cr_random_seed(seed, 10);
    cri_data_copy(&m, work, d);
    for (int i = 0; i < m.nv; i++) {
      a[i] = cr_random_normal(&r);
      delta[i] = cr_random_normal(&r);
    }
    mechanism_pose(&m, d);
    cri_inertia_jac(&m, d, a, columns, d);
    for (int k = 0; k < 4; k++) {
      mechanism_move(&m, d, delta, h * (cr_real)(k < 2 ? k - 2 : k - 1), work);
      mechanism_pose(&m, work);
      cri_inertia_mul(&m, work, y, a, work);
      for (int i = 0; i < m.nv; i++) {
        rate[i] += weight[k] * y[i] / (12 * h);
      }
    }
    for (int i = 0; i < m.nv; i++) {
      for (int j = 0; j < m.nv; j++) {
        want[i] += columns.q[i * columns.ld + j] * delta[j];
      }
    }
    if (rigid()) {
      assert_all_close(want, rate, m.nv, CR_R(1e-8));
    }
    free(delta);
    free(y);
    free(rate);
    free(want);
    end();
  }
}
