// SPDX-License-Identifier: Apache-2.0
// Which rows have a structured derivative, and what takes it away.
#include "engine/stage_jac.h"

#include "engine/pipeline.h"
#include "integrate/acceleration_jac.h"
#include "scenes/chain_model.h"
#include "support/test.h"

static const int32_t types[] = {CR_JNT_HINGE, CR_JNT_BALL};

// a row that says nothing goes by tangents, whatever stage it is
TEST(absent_is_by_tangents) {
  cr_model m;
  cr_stage rows[CR_MAX_STAGES];
  assert_int_equal(chain_model(&m, 2, types, 1, NULL), CR_OK);
  cr_data* d = test_data(&m);
  assert_null(cri_acceleration_why(&m, d));
  for (int at = 0; at < cr_ndynamics; at++) {
    memcpy(rows, cr_pipeline, (size_t)cr_npipeline * sizeof *rows);
    rows[at].jac = NULL;
    m.schedule = cri_schedule_create(rows, cr_npipeline, cr_ndynamics - 1, cr_ndynamics);
    assert_string_equal(cri_acceleration_why(&m, d), cr_pipeline[at].name);
    cri_schedule_release(m.schedule);
  }
  m.schedule = NULL;
  cri_model_free(&m);
  (void)state;
}

// what only measures is no part of a step
TEST(measures_have_none) {
  for (int i = 0; i < cr_npipeline; i++) {
    assert_true((cr_pipeline[i].jac != NULL) == (i < cr_ndynamics));
  }
  (void)state;
}

TEST(what_is_remembered_has_none) {
  cr_model m;
  assert_int_equal(chain_model(&m, 2, types, 1, NULL), CR_OK);
  cr_data* d = test_data(&m);
  assert_null(cri_jac_plugin(&m, d));
  m.npluginstate = 1;
  assert_string_equal(cri_acceleration_why(&m, d), "the state of added stages");
  cri_model_free(&m);
  (void)state;
}
