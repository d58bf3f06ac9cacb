// SPDX-License-Identifier: Apache-2.0
// The driver: which rows it runs, in which order, and what it does where one fails.
#include "engine/driver.h"

#include "engine/forward.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

static char seen[64];

static void note(const char* what) {
  size_t n = strlen(seen);
  seen[n] = what[0];
  seen[n + 1] = 0;
}

static cr_status a(const cr_model* m, cr_data* d) {
  (void)m, (void)d;
  note("a");
  return CR_OK;
}
static cr_status b(const cr_model* m, cr_data* d) {
  (void)m, (void)d;
  note("b");
  return CR_OK;
}
static cr_status bad(const cr_model* m, cr_data* d) {
  (void)m, (void)d;
  note("!");
  return CR_ERR_NAME;
}
static cr_status a_bar(const cr_model* m, const cr_data* d, cr_data* bar) {
  (void)m, (void)d, (void)bar;
  note("A");
  return CR_OK;
}
static cr_status b_bar(const cr_model* m, const cr_data* d, cr_data* bar) {
  (void)m, (void)d, (void)bar;
  note("B");
  return CR_OK;
}

static const cr_field_id written[] = {CR_FIELD_qacc};
static const cr_stage rows[] = {
    {.name = "a", .forward = a, .jvp = a_bar, .vjp = a_bar},
    {.name = "b", .forward = b, .jvp = b_bar, .vjp = b_bar, .writes = written, .nwrite = 1},
    {.name = "bad", .forward = bad}};
static const cri_schedule schedule = {.row = rows, .n = 3, .ndynamics = 3};

static void look(void* context, int row) {
  assert_string_equal(context, "watcher");
  note(row == 0 ? "0" : "1");
}

TEST(order_and_choice) {
  static char watcher[] = "watcher";
  const bool only[] = {true, false, true};
  cr_model m;
  cr_data* bar;
  assert_int_equal(random_model(&m, 3, NULL), CR_OK);
  cr_data* d = test_data(&m);
  assert_int_equal(cri_data_twin(&bar, &m, d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  cri_rows two = {.end = 2, .after = look, .context = watcher}, some = {.end = 3, .only = only};
  assert_int_equal(cri_drive(&schedule, CRI_FORWARD, &two, &m, NULL, d), CR_OK);
  assert_int_equal(cri_drive(&schedule, CRI_JVP, &two, &m, d, bar), CR_OK);
  bar->qacc[0] = 3;
  assert_int_equal(cri_drive(&schedule, CRI_VJP, &two, &m, d, bar), CR_OK);
  assert_string_equal(seen, "a0b1A0B1B1A0");
  assert_true(bar->qacc[0] == 0);
  assert_int_equal(cri_drive(&schedule, CRI_FORWARD, &some, &m, NULL, d), CR_ERR_NAME);
  assert_string_equal(seen + 12, "a!");
  cri_data_free(bar);
  cri_model_free(&m);
}

// a model's own schedule leaves out what has nothing to write, and changes no bit
TEST(a_schedule_changes_no_bit) {
  static const int32_t types[] = {CR_JNT_FREE, CR_JNT_BALL, CR_JNT_HINGE};
  cr_model m;
  assert_int_equal(chain_model(&m, 3, types, 1, NULL), CR_OK);
  cr_data* whole = test_data(&m);
  cr_data* own = test_data(&m);
  random_state(&m, whole, 1, STATE_FLIGHT);
  random_state(&m, own, 1, STATE_FLIGHT);
  assert_int_equal(cr_forward(&m, whole), CR_OK);
  assert_int_equal(cri_schedule_of(&m)->n, cr_npipeline);
  assert_int_equal(cri_schedule_build(&m, NULL), CR_OK);
  const cri_schedule* s = cri_schedule_of(&m);
  assert_true(s->n < cr_npipeline);
  for (int i = 0; i < s->n; i++) {
    assert_string_not_equal(s->row[i].name, "tendon_bias");
  }
  assert_string_equal(s->row[s->nprepare].name, "acceleration");
  assert_int_equal(s->ndynamics, s->nprepare + 1);
  assert_int_equal(cr_forward(&m, own), CR_OK);
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = cri_field(id)->kind == CR_KIND_INDEX ? 0 : cri_field_rows(&m, own, id);
    for (int k = 0; k < n * cri_field_width(&m, id); k++) {
      assert_true(cri_field_real(&m, own, id)[k] == cri_field_real(&m, whole, id)[k]);
    }
  }
  cri_model_free(&m);
}
