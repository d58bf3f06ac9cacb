// SPDX-License-Identifier: Apache-2.0
// A block has the scratch and the pairs that the stages of its model need; its twins have those of the same stages.
#include "engine/data_create.h"

#include <string.h>

#include "carom/step.h"
#include "engine/pipeline.h"
#include "scenes/random_model.h"
#include "support/test.h"

TEST(blocks_have_what_their_stages_need) {
  for (uint64_t seed = 0; seed < 8; seed++) {
    cr_model m;
    cr_data *d = NULL, *bar = NULL;
    assert_int_equal(random_model(&m, seed, NULL), CR_OK);
    assert_int_equal(cri_data_create(&d, &m, NULL, NULL), CR_OK);
    assert_int_equal(cri_data_twin(&bar, &m, d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
    const cri_counts counts = cri_counts_of(&m, d);
    const cri_need need = cri_needs_of(&m, &counts);
    assert_true(need.scratch > 0);
    assert_int_equal(d->scratch_size, need.scratch);
    assert_int_equal(bar->scratch_size, need.scratch);
    assert_int_equal(bar->M_pairs.max, need.M);
    assert_int_equal(d->M_pairs.max, 0);  // only cotangents have pairs
    cri_data_free(bar);
    cri_data_free(d);
    cri_model_free(&m);
  }
}

// fewer stages, fewer needs
static cri_need nothing(const cr_model* m, const cri_counts* n) {
  (void)m, (void)n;
  return (cri_need){.scratch = 0};
}

TEST(needs_come_with_the_block) {
  cr_model m;
  cr_data *d = NULL, *tan = NULL;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  assert_int_equal(cri_data_make(&d, &m, nothing, NULL, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&tan, &m, d, CR_DATA_TANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(d->scratch_size, 0);
  assert_int_equal(tan->scratch_size, 0);
  cri_data_free(tan);
  cri_data_free(d);
  cri_model_free(&m);
}

TEST(blocks_have_the_room_that_is_asked_for) {
  cr_model m;
  cr_error error;
  cr_data *d = NULL, *bar = NULL, *plain = NULL;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  const cr_capacity rule = cri_capacity_default(&m);
  assert_int_equal(cr_data_create_room(&d, &m, 3 * rule.ncon + 5, &error), CR_OK);
  assert_int_equal(d->ncon_max, 3 * rule.ncon + 5);
  assert_true(d->nefc_max >= 3 * rule.nefc && d->nJ_max >= 3 * rule.nJ);
  assert_int_equal(cr_data_create_cotangent(&bar, &m, d, &error), CR_OK);
  assert_int_equal(bar->ncon_max, d->ncon_max);
  // a step in it has the same bits as in one of the rule
  assert_int_equal(cr_data_create_room(&plain, &m, 0, &error), CR_OK);
  assert_int_equal(plain->ncon_max, rule.ncon);
  assert_int_equal(cr_step(&m, d), CR_OK);
  assert_int_equal(cr_step(&m, plain), CR_OK);
  assert_memory_equal(d->qvel_next, plain->qvel_next, (size_t)m.nv * sizeof *d->qvel_next);
  cr_data_destroy(bar);
  cr_data_destroy(plain);
  cr_data_destroy(d);
  assert_int_equal(cr_data_create_room(&d, &m, -1, &error), CR_ERR_ARG);
  assert_null(d);
  assert_int_equal(cr_data_create_room(&d, &m, 1000000000, &error), CR_ERR_MEMORY);
  assert_non_null(strstr(error.text, "1000000000 contacts"));
  cri_model_free(&m);
}
