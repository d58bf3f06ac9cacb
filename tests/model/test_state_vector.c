// SPDX-License-Identifier: Apache-2.0
// What evolves: views of it in blocks, twins and rows of numbers, and the copies made of them.
#include "model/state_vector.h"

#include "scenes/random_model.h"
#include "support/close.h"

static cr_model m;
static cr_data *d, *bar;

static void begin(void) {
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  assert_true(m.na > 0 && m.nq > m.nv);
  m.npluginstate = 2;
  d = test_data(&m);
  bar = test_twin(&m, d, CR_DATA_COTANGENT);
  for (int i = 0; i < m.nq; i++) {
    d->qpos_next[i] = (cr_real)(1 + i);
  }
  for (int i = 0; i < m.nv; i++) {
    d->qvel_next[i] = -d->qpos_next[i];
    bar->qpos[i] = bar->qvel[i] = 5;
  }
  for (int i = 0; i < m.na; i++) {
    d->act_next[i] = CR_R(0.5);
    bar->act[i] = 5;
  }
  for (int i = 0; i < m.npluginstate; i++) {
    bar->plugin_state[i] = 5;
  }
}

static void end(void) { cri_model_free(&m); }

AROUND_EACH(begin, end)

// every row has its fields, with as many numbers as the field table says; what integrators take for
// plain numbers has tangents of its own shape
TEST(rows_agree_with_the_field_table) {
  for (int k = 0; k < CRI_N_STATE; k++) {
    const cri_state_row* row = &cri_state_rows[k];
    char next[64];
    (void)snprintf(next, sizeof next, "%s_next", cri_field(row->id)->name);
    assert_string_equal(cri_field(row->next)->name, next);
    assert_int_equal(cri_field(row->id)->kind, CR_KIND_STATE);
    assert_int_equal(cri_state_find(row->id), k);
    int n = cri_field_rows(&m, d, row->id) * cri_field_width(&m, row->id);
    assert_int_equal(cri_state_of(&m, d).part[k].n, n);
    assert_int_equal(cri_state_sizes(&m).part[k].n, n);
    assert_int_equal(cri_state_twin(&m, bar).part[k].n, cri_field_tangent_size(&m, d, row->id));
    assert_ptr_equal(cri_state_of(&m, d).part[k].x, cri_field_real(&m, d, row->id));
    assert_ptr_equal(cri_state_rate(&m, d).part[k].x, cri_field_real(&m, d, row->rate));
    assert_ptr_equal(cri_state_twin_next(&m, bar).part[k].x, cri_field_real(&m, bar, row->next));
    bool flat = cri_field(row->id)->tangent == CR_TANGENT_SAME;
    assert_true(flat == (row->law != CRI_STATE_MANIFOLD) && flat == (k >= CRI_STATE_FLAT));
  }
  assert_int_equal(cri_state_find(CR_FIELD_ctrl), -1);
  assert_int_equal(cri_state_size(&m), m.nq + m.nv + m.na + 2);
  assert_int_equal(cri_state_tangent_size(&m), 2 * m.nv + m.na + 2);
  (void)state;
}

TEST(states_go_into_rows_of_numbers_and_back) {
  enum { MOST = 500 };
  cr_real x[MOST] = {0};
  int n = cri_state_size(&m);
  assert_true(2 * n < MOST);
  cri_state rows = cri_state_at(cri_state_sizes(&m), 2, x);
  cri_state_copy(cri_state_row_of(rows, 1), cri_state_next(&m, d));
  cri_state_take_next(&m, d);
  assert_true(x[0] == 0 && x[m.nq] == 1 && x[2 * m.nq + m.nv] == -1);
  assert_true(d->qpos[m.nq - 1] == (cr_real)m.nq && d->act[m.na - 1] == CR_R(0.5));
  cri_state_add(cri_state_of(&m, d), -1, cri_state_row_of(rows, 1));
  for (int k = 0; k < CRI_N_STATE; k++) {
    assert_true(cr_is_zero(cri_state_of(&m, d).part[k].x, cri_state_of(&m, d).part[k].n));
  }
  (void)state;
}

TEST(cotangents_go_back_one_step) {
  cri_state_give_next_twin(&m, bar);
  cri_state now = cri_state_twin(&m, bar), next = cri_state_twin_next(&m, bar);
  for (int k = 0; k < CRI_N_STATE; k++) {
    assert_true(cr_is_zero(now.part[k].x, now.part[k].n));
    assert_true(next.part[k].n > 0 && next.part[k].x[next.part[k].n - 1] == 5);
  }
  cri_state_take_next_twin(&m, bar);
  assert_true(bar->qvel[0] == 5 && bar->qvel_next[0] == 5);
  (void)state;
}
