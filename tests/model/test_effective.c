// SPDX-License-Identifier: Apache-2.0
// Views of a model whose parameters a stage changes: what they share, what stands in the data, and when the arrays of a twin
// are the caller's own.

#include "carom/stage.h"
#include "model/schedule.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_status nothing(void* user, const cr_stage_call* c) {
  (void)user, (void)c;
  return CR_OK;
}

static void add(cr_model* m, const char* name, const char* field) {
  cr_error error;
  const cr_stage_options o = {.size = sizeof o,
                              .name = name,
                              .after = "plugin",
                              .changes = &field,
                              .nchange = 1,
                              .forward = nothing,
                              .jvp = nothing,
                              .vjp = nothing};
  assert_int_equal(cr_model_add_stage(m, &o, &error), CR_OK);
}

static void open_model(cr_model* m) {
  assert_int_equal(random_model(m, 0, NULL), CR_OK);
  add(m, "a", "dof_damping");
  add(m, "b", "body_mass");
  add(m, "c", "dof_damping");
}

TEST(the_schedule_lists_what_changes) {
  cr_model m;
  open_model(&m);
  assert_int_equal(m.schedule->nparam, 2);
  assert_true(m.schedule->param[0] == CR_FIELD_dof_damping);
  assert_true(m.schedule->param[1] == CR_FIELD_body_mass);
  int begins = 0;
  for (int i = 0; i < m.schedule->n; i++) {
    begins += m.schedule->row[i].added != NULL && m.schedule->row[i].added->begins[0];
  }
  assert_int_equal(begins, 2);
  cri_model_free(&m);
}

TEST(a_view_shares_all_but_what_changes) {
  cr_model m;
  open_model(&m);
  cr_data *d = test_data(&m), *other = test_data(&m);
  const cr_model* v = cri_model_at(&m, d);
  assert_ptr_not_equal(v, &m);
  assert_ptr_equal(v->base, &m);
  assert_ptr_equal(v->dof_damping, d->effective->now);
  assert_ptr_equal(v->body_mass, d->effective->now + m.nv);
  assert_ptr_equal(v->jnt_stiffness, m.jnt_stiffness);
  assert_int_equal(d->effective->numbers, m.nv + m.nbody);
  // a view of a view is one of the model
  assert_ptr_equal(cri_model_at(v, d), v);
  assert_ptr_equal(cri_model_at(v, other)->base, &m);
  assert_ptr_equal(cri_model_first(&m, d)->dof_damping, d->effective->first);
  cri_model_free(&m);
}

TEST(a_model_without_such_stages_is_its_own_view) {
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  cr_data *d = test_data(&m), *bar = test_twin(&m, d, CR_DATA_COTANGENT);
  assert_null(d->effective);
  assert_ptr_equal(cri_model_at(&m, d), &m);
  assert_ptr_equal(cri_model_first(&m, d), &m);
  assert_ptr_equal(cri_twin_open(&m, d, bar, false), &m);
  cri_twin_close(bar);
  cri_model_free(&m);
}

TEST(an_open_twin_has_the_changed_arrays) {
  cr_model m;
  open_model(&m);
  cr_data *d = test_data(&m), *bar = test_twin(&m, d, CR_DATA_COTANGENT);
  cr_real *damping = bar->par.dof_damping, *stiffness = bar->par.jnt_stiffness;
  const cr_model* v = cri_twin_open(&m, d, bar, false);
  assert_ptr_equal(v->dof_damping, d->effective->now);
  assert_ptr_equal(bar->par.dof_damping, bar->effective->now);
  assert_ptr_equal(bar->par.jnt_stiffness, stiffness);
  assert_ptr_equal(cri_twin_own(bar, CR_FIELD_dof_damping), damping);
  assert_null(cri_twin_own(bar, CR_FIELD_jnt_stiffness));
  // opened once more within
  assert_ptr_equal(cri_twin_open(v, d, bar, false), v);
  cri_twin_close(bar);
  assert_ptr_equal(bar->par.dof_damping, bar->effective->now);
  cri_twin_close(bar);
  assert_ptr_equal(bar->par.dof_damping, damping);
  cri_twin_close(bar);
  assert_ptr_equal(bar->par.dof_damping, damping);
  cri_model_free(&m);
}

// cotangents of the first stage of a step wait there until it is that stage's turn
TEST(the_first_stage_keeps_its_numbers) {
  cr_model m;
  open_model(&m);
  cr_data *d = test_data(&m), *bar = test_twin(&m, d, CR_DATA_COTANGENT), *copy = test_data(&m);
  d->effective->now[1] = 5;
  cri_effective_begin(d);
  d->effective->now[1] = 6;
  assert_true(cri_model_first(&m, d)->dof_damping[1] == 5);
  assert_true(cri_model_at(&m, d)->dof_damping[1] == 6);
  cri_data_copy(&m, copy, d);
  assert_true(copy->effective->now[1] == 6 && copy->effective->first[1] == 5);
  (void)cri_twin_open(&m, d, bar, true);
  bar->par.dof_damping[1] += 2;
  cri_twin_close(bar);
  bar->effective->now[1] = 1;
  cri_effective_return(bar);
  assert_true(bar->effective->now[1] == 3 && bar->effective->first[1] == 0);
  cri_twin_clear(bar);
  assert_true(bar->effective->now[1] == 0);
  cri_model_free(&m);
}
