// SPDX-License-Identifier: Apache-2.0
// D against differences of the smooth forces, and what implicitfast keeps of it.
#include "inertia/qderiv.h"

#include "engine/forward.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 24, MAX_NV = 64 };

static cr_model m;
static cr_data* d;
static cr_real lower[MAX_NV * MAX_NV], upper[MAX_NV * MAX_NV], D[MAX_NV][MAX_NV];

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&m, seed, NULL), CR_OK);
  assert_true(m.nv <= MAX_NV);
  m.disableflags = CR_DSBL_CONSTRAINT;
  // what a limit on totals does to other actuators is left out, as in MuJoCo
  for (int i = 0; i < m.ntendon; i++) {
    m.tendon_actfrclimited[i] = 0;
  }
  for (int i = 0; i < m.nactuator; i++) {
    for (int j = 0; j < m.njnt && m.actuator_trntype[i] != CR_TRN_JOINT; j++) {
      m.jnt_actfrclimited[j] = 0;
    }
  }
  m.density[0] = CR_R(0.6);
  m.viscosity[0] = CR_R(0.01);
  d = test_data(&m);
  random_state(&m, d, seed, STATE_FLIGHT);
  assert_int_equal(cr_forward(&m, d), CR_OK);
}

static void end(void) { cri_model_free(&m); }

static void dense(cri_qderiv_kind kind) {
  cri_qderiv(&m, d, kind, lower, upper, d);
  assert_int_equal(d->scratch_used, 0);
  for (int i = 0; i < MAX_NV * MAX_NV; i++) {
    D[i / MAX_NV][i % MAX_NV] = 0;
  }
  for (int i = 0; i < m.nv; i++) {
    for (int k = m.M_rowadr[i]; k < m.M_rowadr[i] + m.M_rownnz[i]; k++) {
      int j = m.M_colind[k];
      D[i][j] = lower[k];
      if (i != j) {
        D[j][i] = upper[k];
      }
    }
  }
}

// column j by a difference of fourth order
static void measure(int j, cr_real h, cr_real* column) {
  static const cr_real weight[] = {1, -8, 8, -1};
  cr_real v = d->qvel[j];
  cr_zero(column, m.nv);
  for (int k = 0; k < 4; k++) {
    d->qvel[j] = v + h * (cr_real)(k < 2 ? k - 2 : k - 1);
    assert_int_equal(cr_forward(&m, d), CR_OK);
    for (int i = 0; i < m.nv; i++) {
      column[i] += weight[k] * d->qfrc_smooth[i] / (12 * h);
    }
  }
  d->qvel[j] = v;
  assert_int_equal(cr_forward(&m, d), CR_OK);
}

TEST(all_of_it_is_the_derivative_of_the_forces) {
  int compared = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    // D leaves the bias force of tendons out, as MuJoCo's does
    for (int t = 0; t < m.ntendon; t++) {
      m.tendon_inertial[t] = 0;
    }
    // and what it leaves out of controllers: bristles, integrals that act early, and how a torque
    // that its limit holds turns
    for (int i = 0; i < m.nactuator; i++) {
      bool motor = m.actuator_gaintype[i] == CR_GAIN_DCMOTOR;
      bool early = m.actuator_gaintype[i] == CR_GAIN_PID && m.actuator_actearly[i] != 0;
      bool torque = m.actuator_gaintype[i] == CR_GAIN_SO3 && m.actuator_forcelimited[i] != 0;
      m.actuator_group[i] = early || torque || (motor && m.actuator_dynprm[10 * i + 5] > 0);
    }
    m.disableactuator = 1 << 1;
    assert_int_equal(cr_forward(&m, d), CR_OK);
    dense(CR_QDERIV_ALL);
    for (int j = 0; j < m.nv; j += 3) {
      cr_real near[MAX_NV], far[MAX_NV];
      measure(j, CR_R(1e-4), near);
      measure(j, CR_R(2e-4), far);
      for (int i = 0; i < m.nv; i++) {
        // beside a switch the two differ
        cr_real scale = 1 + cr_abs(near[i]);
        bool related = cri_place_in_M(&m, i, j) >= 0;
        if (related && cr_abs(near[i] - far[i]) < CR_R(1e-8) * scale) {
          assert_close(D[i][j], near[i], CR_R(1e-6) * scale);
          compared++;
        }
      }
    }
    end();
  }
  assert_true(compared > 1000);
}

static bool of_free_tree(int i) {
  int tree = m.dof_treeid[i];
  return m.tree_dofnum[tree] == 6 && m.jnt_type[m.dof_jntid[m.tree_dofadr[tree]]] == CR_JNT_FREE;
}

TEST(fast_is_symmetric_but_for_free_bodies) {
  static cr_real all[MAX_NV][MAX_NV];
  int free_entries = 0;
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    dense(CR_QDERIV_ALL);
    for (int i = 0; i < MAX_NV * MAX_NV; i++) {
      all[i / MAX_NV][i % MAX_NV] = D[i / MAX_NV][i % MAX_NV];
    }
    dense(CR_QDERIV_FAST);
    for (int i = 0; i < m.nv; i++) {
      for (int j = 0; j < m.nv; j++) {
        if (of_free_tree(i)) {
          assert_close(D[i][j], all[i][j], 0);
          free_entries++;
        } else {
          assert_close(D[i][j], D[j][i], CR_R(1e-12) * (1 + cr_abs(D[i][j])));
        }
      }
    }
    end();
  }
  assert_true(free_entries > 100);
}

// implicitfast keeps the diagonal of a simple body alone, of dampers, tendons, actuators and the fluid
TEST(fast_has_the_diagonal_of_simple_bodies) {
  static cr_real all[MAX_NV][MAX_NV];
  int dropped = 0;
  for (uint64_t seed = 0; seed < 4 * N_SEED; seed++) {
    begin(seed);
    dense(CR_QDERIV_ALL);
    for (int i = 0; i < MAX_NV * MAX_NV; i++) {
      all[i / MAX_NV][i % MAX_NV] = D[i / MAX_NV][i % MAX_NV];
    }
    dense(CR_QDERIV_FAST);
    for (int i = 0; i < m.nv; i++) {
      for (int j = 0; j < m.nv; j++) {
        if (i != j && cri_is_diagonal(&m, i)) {
          assert_true(D[i][j] == 0 && D[j][i] == 0);
          dropped += all[i][j] != 0;
        }
      }
    }
    end();
  }
  assert_true(dropped > 20);
}
