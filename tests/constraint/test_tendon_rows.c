// SPDX-License-Identifier: Apache-2.0
// Rows of tendons against lengths and their Jacobian.
#include "constraint/tendon_rows.h"

#include "constraint/constraint.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

enum { N_SEED = 60 };

// row i is s times the row of tendon t
static void check_row(const contact_scene* s, int i, int t, cr_real sign) {
  const cr_data* d = s->d;
  int n = s->m.ten_J_rownnz[t], adr = s->m.ten_J_rowadr[t];
  assert_int_equal(d->efc_J_rownnz[i], n);
  for (int k = 0; k < n; k++) {
    assert_int_equal(d->efc_J_colind[d->efc_J_rowadr[i] + k], s->m.ten_J_colind[adr + k]);
    assert_close(d->efc_J[d->efc_J_rowadr[i] + k], sign * d->ten_J[adr + k], 0);
  }
}

TEST(rows_are_those_of_the_tendon) {
  int frictions = 0, lower = 0, upper = 0;
  for (int seed = 1; seed <= N_SEED; seed++) {
    contact_scene s;
    scene_open(&s, seed);
    scene_run(&s, "tendon");
    for (int t = 0; t < s.m.ntendon; t++) {
      // one limit beyond its bound, by turns the lower and the upper one
      cr_real beyond = CR_R(0.01) * (cr_real)(1 + t), length = s.d->ten_length[t];
      s.m.tendon_limited[t] = 1;
      s.m.tendon_range[2 * t] = seed % 2 == 0 ? length + beyond : length - 1;
      s.m.tendon_range[2 * t + 1] = seed % 2 == 0 ? length + 1 : length - beyond;
      s.m.tendon_margin[t] = 0;
    }
    scene_run(&s, "constraint");
    for (int i = s.d->ne; i < s.d->ne + s.d->nf + s.d->nl; i++) {
      int t = s.d->efc_id[i];
      if (s.d->efc_type[i] == CR_CNSTR_FRICTION_TENDON) {
        frictions++;
        check_row(&s, i, t, 1);
        assert_close(s.d->efc_frictionloss[i], s.m.tendon_frictionloss[t], 0);
      } else if (s.d->efc_type[i] == CR_CNSTR_LIMIT_TENDON) {
        cr_real scale = 1 + cr_abs(s.d->ten_length[t]);
        *(seed % 2 == 0 ? &lower : &upper) += 1;
        check_row(&s, i, t, seed % 2 == 0 ? 1 : -1);
        assert_close(s.d->efc_pos[i], -CR_R(0.01) * (cr_real)(1 + t), 8 * CR_EPS * scale);
      }
    }
    scene_close(&s);
  }
  assert_true(frictions > 0 && lower > 0 && upper > 0);
}
