// SPDX-License-Identifier: Apache-2.0
// Forces on bodies against the same forces in joint space, and action against reaction.
#include "sensor/external_force.h"

#include "checks/measured.h"
#include "constraint/rows.h"
#include "force/wrench.h"
#include "kinematics/tree.h"
#include "scenes/chain_model.h"
#include "sensor/tendon_tension.h"
#include "sensor/tendon_wrench.h"
#include "support/close.h"

enum { N_SEED = 16, MAX_NV = 64, MAX_BODY = 32 };

// forces of the rows of contacts and connects and welds only
static void keep_outer_rows(const cr_model* m, const cr_data* d, cr_real* f) {
  for (int i = 0; i < d->nefc; i++) {
    bool connect_weld = i < d->ne && cri_is_connect_weld(m->eq_type[d->efc_id[i]]);
    f[i] = connect_weld || i >= d->ne + d->nf + d->nl ? d->efc_force[i] : 0;
  }
}

// q += J' T of the tendons
static void add_tendons(const measured* s, cr_real* q, int* pulling) {
  const cr_model* m = &s->m;
  cr_real* T = cri_push(s->d, (size_t)m->ntendon);
  cri_tendon_tension(m, s->d, T, s->d);
  for (int t = 0; t < m->ntendon; t++) {
    for (int k = m->ten_J_rowadr[t]; k < m->ten_J_rowadr[t] + m->ten_J_rownnz[t]; k++) {
      q[m->ten_J_colind[k]] += T[t] * s->d->ten_J[k];
    }
    *pulling += T[t] != 0;
  }
}

// s_i . sum of F behind dof i = J' f of contacts and connects and welds + adhesion + applied + pull of tendons
TEST(bodies_and_joints_feel_the_same) {
  int contacts = 0, connect_welds = 0, tendons = 0;
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_real q[MAX_NV] = {0}, F[6 * MAX_BODY], size = 1;
    measured_open(&s, seed, STATE_CONTACT);
    cr_real* f = cri_push(s.d, (size_t)s.d->nefc);
    keep_outer_rows(&s.m, s.d, f);
    cri_rows_mul_transposed(&s.m, s.d, s.d->efc_J, q, f);
    cri_wrench(&s.m, s.d, s.d->xfrc_applied, q, s.d);
    add_tendons(&s, q, &tendons);
    cri_external(&s.m, s.d, F, s.d);
    cri_tree_gather(&s.m, F, 6);
    for (int i = 0; i < s.d->nefc; i++) {
      size = cr_max(size, cr_abs(f[i]));
      connect_welds += i < s.d->ne && f[i] != 0;
    }
    for (int i = 0; i < s.m.nv; i++) {
      cr_real joint = cr_dot6(s.d->cdof + 6 * i, F + 6 * s.m.dof_bodyid[i]);
      assert_close(joint, q[i] + s.d->qfrc_adhesion[i], 1000 * ROUND_OFF * size);
    }
    contacts += s.d->ncon;
    cri_pop(s.d, 0);
    measured_close(&s);
  }
  assert_true(contacts > 0 && connect_welds > 0 && tendons > 0);
}

static void without_tendons(const measured* s, cr_real* F) {
  cr_real P[6 * MAX_BODY] = {0};
  cri_external(&s->m, s->d, F, s->d);
  cri_tendon_wrench(&s->m, s->d, P, s->d);
  for (int k = 0; k < 6 * s->m.nbody; k++) {
    F[k] -= P[k];
  }
}

// what a contact does to one body it does to the other, about the same point
TEST(contacts_push_both_ways) {
  int pairs = 0;
  for (int seed = 1; seed < N_SEED; seed += 4) {  // heaps
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    cr_zero(s.d->xfrc_applied, 6 * s.m.nbody);
    for (int c = 0; c < s.d->ncon; c++) {
      const int32_t* g = s.d->contact_geom + 2 * c;
      int a = s.m.geom_bodyid[g[0]], b = s.m.geom_bodyid[g[1]], row = s.d->contact_efc_address[c];
      cr_real F[6 * MAX_BODY];
      if (a == 0 || b == 0 || row < 0) {
        continue;
      }
      // this contact alone
      cr_real keep[12];
      int n = cri_contact_rows(&s.m, s.d->contact_dim[c]);
      cr_copy(keep, s.d->efc_force + row, n);
      cr_zero(s.d->efc_force, s.d->nefc);
      cr_zero(s.d->contact_adhesion, s.d->ncon);
      cr_copy(s.d->efc_force + row, keep, n);
      s.d->efc_force[row] += 1;
      without_tendons(&s, F);
      for (int k = 3; k < 6; k++) {
        assert_close(F[6 * a + k], -F[6 * b + k], ROUND_OFF * (1 + cr_abs(F[6 * a + k])));
      }
      assert_true(cr_norm3(F + 6 * b + 3) > CR_R(0.1));
      pairs++;
    }
    measured_close(&s);
  }
  assert_true(pairs > 0);
}
