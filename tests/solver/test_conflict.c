// SPDX-License-Identifier: Apache-2.0
// Which constraints push a dof against each other: the largest of either sign, contacts as a whole.
#include "solver/conflict.h"

#include "scenes/contact_scene.h"
#include "support/close.h"

enum { ROWS = 5 };

// rows 0, 1 of limit 0; row 2 of limit 1; rows 3, 4 of limit 0 of another kind; all on dof 0
static void set_rows(cr_data* d, const cr_real* push) {
  static const int32_t type[ROWS] = {CR_CNSTR_LIMIT_JOINT, CR_CNSTR_LIMIT_JOINT,
                                     CR_CNSTR_LIMIT_JOINT, CR_CNSTR_EQUALITY, CR_CNSTR_EQUALITY};
  static const int32_t id[ROWS] = {0, 0, 1, 0, 0};
  d->nefc = ROWS;
  for (int i = 0; i < ROWS; i++) {
    d->efc_type[i] = type[i];
    d->efc_id[i] = id[i];
    d->efc_J_rownnz[i] = 1;
    d->efc_J_rowadr[i] = i;
    d->efc_J_colind[i] = 0;
    d->efc_J[i] = 2;
    d->efc_force[i] = push[i] / 2;
  }
}

TEST(the_largest_of_either_sign_are_named) {
  static const cr_real push[ROWS] = {40, -100, -50, 30, 90};
  contact_scene s;
  scene_open(&s, 1);
  scene_run(&s, "acceleration");
  set_rows(s.d, push);
  cr_run all = {0, ROWS};
  cri_conflict c = cri_conflict_at(s.d, (cr_runs){1, &all}, s.d->efc_force, 0);
  assert_int_equal(c.row[0], 3);
  assert_close(c.push[0], 120, 0);
  assert_int_equal(c.row[1], 0);
  assert_close(c.push[1], -60, 0);
  assert_int_equal(cri_conflict_at(s.d, (cr_runs){1, &all}, s.d->efc_force, 1).push[0] > 0, false);

  s.d->qfrc_constraint[0] = 1;
  c = cri_conflict_worst(&s.m, s.d);
  assert_int_equal(c.dof, 0);
  cri_conflict_text t = cri_conflict_say(&s.m, s.d, &c);
  assert_non_null(
      strstr(t.text, "the equality constraint 'tie0' and the limit of joint 'joint0' push"));
  assert_non_null(strstr(t.text, "(dof 0) against each other with 120 and -60"));
  scene_close(&s);
}

TEST(nothing_is_said_where_nothing_opposes) {
  static const cr_real push[ROWS] = {1, 2, 3, 4, 5};
  contact_scene s;
  scene_open(&s, 1);
  scene_run(&s, "acceleration");
  set_rows(s.d, push);
  cri_conflict c = cri_conflict_worst(&s.m, s.d);
  assert_int_equal(c.dof, -1);
  assert_string_equal(cri_conflict_say(&s.m, s.d, &c).text, "");
  scene_close(&s);
}
