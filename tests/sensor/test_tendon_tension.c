// SPDX-License-Identifier: Apache-2.0
// Tensions against the forces in joint space that are made of them, found there without any tension.
#include "sensor/tendon_tension.h"

#include "checks/measured.h"
#include "engine/forward.h"
#include "kinematics/tendon_path.h"
#include "math/spatial.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { N_SEED = 16, MAX_NV = 64 };

static void add_row(const measured* s, int t, cr_real x, cr_real* q) {
  const cr_model* m = &s->m;
  for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
    q[m->ten_J_colind[k]] += x * s->d->ten_J[k];
  }
}

// J' T of all spatial tendons
static void of_tensions(const measured* s, cr_real* q) {
  cr_real* T = cri_push(s->d, (size_t)s->m.ntendon);
  cri_tendon_tension(&s->m, s->d, T, s->d);
  for (int t = 0; t < s->m.ntendon; t++) {
    add_row(s, t, T[t], q);
  }
  cri_pop(s->d, 0);
}

// what is left when all that does not go through a spatial tendon is taken out of the model: springs
// and dampers of joints and of fixed tendons, all actuators and rows, and armature
TEST(springs_and_dampers) {
  int pulling = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real q[MAX_NV] = {0}, size = 1;
    measured_open(&s, seed, STATE_FLIGHT);
    cr_zero(s.m.jnt_stiffness, s.m.njnt);
    cr_zero(s.m.jnt_stiffnesspoly, 2 * s.m.njnt);
    cr_zero(s.m.dof_damping, s.m.nv);
    cr_zero(s.m.dof_dampingpoly, 2 * s.m.nv);
    cr_zero(s.m.tendon_armature, s.m.ntendon);
    cr_zero(s.m.actuator_armature, s.m.nactuator);
    cr_zero(s.m.actuator_damping, s.m.nactuator);
    cr_zero(s.m.actuator_dampingpoly, 2 * s.m.nactuator);
    s.m.disableflags |= CR_DSBL_ACTUATION | CR_DSBL_CONSTRAINT;
    for (int t = 0; t < s.m.ntendon; t++) {
      bool fixed = cri_tendon_is_fixed(&s.m, t);
      s.m.tendon_stiffness[t] *= fixed ? 0 : 1;
      s.m.tendon_damping[t] *= fixed ? 0 : 1;
      for (int k = 0; k < 2 && fixed; k++) {
        s.m.tendon_stiffnesspoly[2 * t + k] = s.m.tendon_dampingpoly[2 * t + k] = 0;
      }
    }
    assert_int_equal(cr_forward(&s.m, s.d), CR_OK);
    of_tensions(&s, q);
    for (int i = 0; i < s.m.nv; i++) {
      size = cr_max(size, cr_abs(q[i]));
      pulling += q[i] != 0;
    }
    for (int i = 0; i < s.m.nv; i++) {
      cr_real expected = s.d->qfrc_spring[i] + s.d->qfrc_damper[i];
      assert_close(q[i], expected, 100 * ROUND_OFF * size);
    }
    measured_close(&s);
  }
  assert_true(pulling > 10);
}

// of one actuator that pulls, with all else at rest, the tension is its force times the gear; a row's is
// its share of the tendon
TEST(actuators_and_rows) {
  int actuators = 0, rows = 0;
  for (int seed = 0; seed < 2 * N_SEED; seed++) {
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    cr_real *T = cri_push(s.d, (size_t)s.m.ntendon), *rest = cri_push(s.d, (size_t)s.m.ntendon);
    cri_tendon_tension(&s.m, s.d, rest, s.d);
    for (int k = 0; k < s.m.nactuator; k++) {
      int out = s.m.actuator_outadr[k], t = s.m.actuator_trnid[2 * k];
      if (s.m.actuator_trntype[k] == CR_TRN_TENDON && !cri_tendon_is_fixed(&s.m, t)) {
        s.d->actuator_force[out] += 2;
        cri_tendon_tension(&s.m, s.d, T, s.d);
        s.d->actuator_force[out] -= 2;
        assert_close(T[t] - rest[t], 2 * s.m.actuator_gear[6 * out],
                     100 * ROUND_OFF * (1 + cr_abs(rest[t])));
        actuators++;
      }
    }
    for (int i = 0; i < s.d->nefc; i++) {
      // the row is the sum of its shares of tendons: what it does to joints is what tensions do
      cr_real q[MAX_NV] = {0}, size = 1;
      bool spatial = true;
      s.d->efc_force[i] += 3;
      cri_tendon_tension(&s.m, s.d, T, s.d);
      s.d->efc_force[i] -= 3;
      bool any = false;
      for (int t = 0; t < s.m.ntendon; t++) {
        any = any || cr_abs(T[t] - rest[t]) > CR_R(1e-3);
        size = cr_max(size, cr_abs(T[t]));
        add_row(&s, t, (T[t] - rest[t]) / 3, q);
      }
      int e = s.d->efc_type[i] == CR_CNSTR_EQUALITY ? s.d->efc_id[i] : -1;
      for (int k = 0; k < 2 && e >= 0 && any; k++) {
        int t = k == 0 ? s.m.eq_obj1id[e] : s.m.eq_obj2id[e];
        spatial = spatial && (t < 0 || !cri_tendon_is_fixed(&s.m, t));
      }
      for (int k = 0; k < s.d->efc_J_rownnz[i] && any && spatial; k++) {
        int at = s.d->efc_J_rowadr[i] + k;
        assert_close(q[s.d->efc_J_colind[at]], s.d->efc_J[at], 1000 * ROUND_OFF * size);
      }
      rows += any && spatial;
    }
    cri_pop(s.d, 0);
    measured_close(&s);
  }
  assert_true(actuators > 3 && rows > 10);
}
