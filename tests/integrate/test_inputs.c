// SPDX-License-Identifier: Apache-2.0
// The inputs of a step: all of them are copied, and bad ones are named.
#include "integrate/inputs.h"

#include "model/fields.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data *d, *to;
} fixture;

static fixture f;

static void begin(void) {
  assert_int_equal(random_model(&f.m, 4, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.to = test_data(&f.m);
}

static void end(void) { cri_model_free(&f.m); }

// real numbers that a field has room for
static int numbers(cr_field_id id) {
  bool index = cri_field(id)->kind == CR_KIND_INDEX;
  return index ? 0 : cri_field_capacity(&f.m, f.d, id) * cri_field_width(&f.m, id);
}

TEST(every_input_is_copied_and_nothing_else) {
  begin();
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = numbers(id);
    for (int k = 0; k < n; k++) {
      cri_field_real(&f.m, f.d, id)[k] = (cr_real)(i + k);
    }
  }
  f.d->time = CR_R(1.5);
  cri_data_reset(&f.m, f.to);
  cri_inputs_copy(&f.m, f.to, f.d);
  assert_close(f.to->time, CR_R(1.5), 0);
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int n = numbers(id);
    for (int k = 0; k < n; k++) {
      cr_real expected = cri_field(id)->kind == CR_KIND_STATE ? (cr_real)(i + k) : 0;
      assert_close(cri_field_real(&f.m, f.to, id)[k], expected, 0);
    }
  }
  end();
}

TEST(bad_coordinates_are_named) {
  begin();
  int joint = f.m.njnt - 1, dof = f.m.jnt_dofadr[joint];
  char expected[64];
  assert_int_equal(cri_coordinates_check(&f.m, f.d, f.d->qpos, f.d->qvel, "the state"), CR_OK);
  f.d->qvel[dof] = CR_R(-1e11);
  assert_int_equal(cri_coordinates_check(&f.m, f.d, f.d->qpos, f.d->qvel, "the state"),
                   CR_ERR_DIVERGED);
  (void)snprintf(expected, sizeof expected, "qvel[%d]", dof);
  assert_non_null(strstr(f.d->error.text, expected));
  assert_non_null(strstr(f.d->error.text, "the state"));
  // coordinates come first, and the joint is the one they belong to
  f.d->qpos[f.m.nq - 1] = (cr_real)NAN;
  assert_int_equal(cri_coordinates_check(&f.m, f.d, f.d->qpos, f.d->qvel, "it"), CR_ERR_DIVERGED);
  (void)snprintf(expected, sizeof expected, "qpos[%d]", f.m.nq - 1);
  assert_non_null(strstr(f.d->error.text, expected));
  assert_non_null(strstr(f.d->error.text, cri_name(&f.m, f.m.name_jntadr, joint)));
  assert_int_equal(f.d->error.status, CR_ERR_DIVERGED);
  end();
}

TEST(limits_are_inclusive) {
  begin();
  cr_real x[] = {CR_R(1e10), CR_R(-1e10), 0, CR_R(1.0001e10)};
  assert_int_equal(cri_values_check(&f.m, f.d, x, 3, NULL, "act", "the next state"), CR_OK);
  assert_int_equal(cri_values_check(&f.m, f.d, x, 4, NULL, "act", "the next state"),
                   CR_ERR_DIVERGED);
  assert_non_null(strstr(f.d->error.text, "act[3] of the next state"));
  end();
}
