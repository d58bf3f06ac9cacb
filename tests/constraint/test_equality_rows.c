// SPDX-License-Identifier: Apache-2.0
// Rows of equality constraints: which there are, signs, and a coupling against its polynomial.
#include "constraint/equality_rows.h"

#include "constraint/constraint.h"
#include "scenes/contact_scene.h"
#include "support/close.h"

static cr_real size_of(const cr_real* x, int n) {
  cr_real most = 0;
  for (int k = 0; k < n; k++) {
    most = cr_max(most, cr_abs(x[k]));
  }
  return most;
}

// a quaternion and its opposite: rows of opposite sign, the same regularisation
TEST(opposite_quaternion_turns_all_signs) {
  connect_weld_scene w;
  connect_weld_scene_open(&w, CR_EQ_WELD, false);
  cr_data* d = w.s.d;
  scene_run(&w.s, "reference");
  int row = 0;
  while (d->efc_id[row] != w.eq) {
    row++;
    assert_true(row < d->ne);
  }
  cr_real pos[6], aref[6], D[6];
  cr_copy(pos, d->efc_pos + row, 6);
  cr_copy(aref, d->efc_aref + row, 6);
  cr_copy(D, d->efc_D + row, 6);
  for (int k = 0; k < 4; k++) {
    w.s.m.eq_data[CR_NEQDATA * w.eq + 6 + k] *= -1;
  }
  scene_run(&w.s, "reference");
  for (int k = 0; k < 6; k++) {
    cr_real sign = k < 3 ? 1 : -1;
    assert_close(d->efc_pos[row + k], sign * pos[k], 8 * CR_EPS);
    assert_close(d->efc_aref[row + k], sign * aref[k], 64 * CR_EPS * size_of(aref, 6));
    assert_close(d->efc_D[row + k], D[k], 16 * CR_EPS * D[k]);
  }
  scene_close(&w.s);
}

TEST(inactive_constraint_has_no_rows) {
  connect_weld_scene w;
  connect_weld_scene_open(&w, CR_EQ_CONNECT, false);
  scene_run(&w.s, "constraint");
  int ne = w.s.d->ne, nefc = w.s.d->nefc;
  w.s.d->eq_active[w.eq] = 0;
  scene_run(&w.s, "constraint");
  assert_int_equal(w.s.d->ne, ne - 3);
  assert_int_equal(w.s.d->nefc, nefc - 3);
  scene_close(&w.s);
}

// nothing moves the two bodies: no rows, and no error
TEST(connect_weld_of_what_stands_still_has_no_rows) {
  connect_weld_scene w;
  connect_weld_scene_open(&w, CR_EQ_CONNECT, false);
  scene_run(&w.s, "constraint");
  int ne = w.s.d->ne;
  w.s.m.eq_obj1id[w.eq] = w.s.m.eq_obj2id[w.eq] = 0;
  scene_run(&w.s, "constraint");
  assert_int_equal(w.s.d->ne, ne - 3);
  scene_close(&w.s);
}

// the row of a joint coupling is 1 at the first dof and -P'(x) at the second, its position y - P(x)
TEST(coupling_row_is_its_derivative) {
  connect_weld_scene w;
  connect_weld_scene_open(&w, CR_EQ_JOINT, false);
  const cr_model* m = &w.s.m;
  const cr_data* d = w.s.d;
  int first = m->eq_obj1id[w.eq], second = m->eq_obj2id[w.eq], row = 0;
  scene_run(&w.s, "constraint");
  while (d->efc_id[row] != w.eq) {
    row += cri_rows_block(m, d, row);
    assert_true(row < d->ne);
  }
  const cr_real *p = m->eq_data + CR_NEQDATA * w.eq, *J = d->efc_J + d->efc_J_rowadr[row];
  cr_real x = 0, P = p[0], slope = 0;
  if (second >= 0) {
    int q = m->jnt_qposadr[second];
    x = d->qpos[q] - m->qpos0[q];
    P = p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
    slope = p[1] + x * (2 * p[2] + x * (3 * p[3] + x * 4 * p[4]));
  }
  int q = m->jnt_qposadr[first];
  cr_real y = d->qpos[q] - m->qpos0[q];
  assert_close(d->efc_pos[row], y - P, 16 * CR_EPS * (1 + cr_abs(y) + cr_abs(P)));
  for (int k = 0; k < d->efc_J_rownnz[row]; k++) {
    int col = d->efc_J_colind[d->efc_J_rowadr[row] + k];
    bool is_first = col == m->jnt_dofadr[first];
    assert_close(J[k], is_first ? 1 : -slope, 32 * CR_EPS * (1 + cr_abs(slope)));
  }
  scene_close(&w.s);
}
