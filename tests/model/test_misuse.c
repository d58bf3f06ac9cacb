// SPDX-License-Identifier: Apache-2.0
// Checks of arguments and their sentences. All public functions are held by tests/io/test_public.c.
#include "model/misuse.h"

#include "engine/data_create.h"
#include "scenes/random_model.h"
#include "support/close.h"

static cr_error error;
static const cri_call call = {"cr_call", &error};

static void assert_says(cr_status status, cr_status expected, const char* words) {
  assert_int_equal(status, expected);
  if (strstr(error.text, words) == NULL || strncmp(error.text, "cr_call: ", 9) != 0) {
    fail_msg("'%s' does not say '%s'", error.text, words);
  }
}

TEST(sentences_name_what_is_wrong) {
  cr_model m, other;
  cr_data *d = NULL, *tan = NULL, *larger = NULL;
  assert_int_equal(random_model(&m, 1, &error), CR_OK);
  assert_int_equal(random_model(&other, 2, &error), CR_OK);
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  assert_int_equal(cri_data_twin(&tan, &m, d, CR_DATA_TANGENT, NULL, &error), CR_OK);
  const cr_capacity room = {d->ncon_max + 1, d->nefc_max, d->nJ_max};
  assert_int_equal(cri_data_create(&larger, &m, &room, &error), CR_OK);
  // right
  assert_int_equal(cri_given(&call, d, "d"), CR_OK);
  assert_int_equal(cri_check_data(&call, &m, d, CR_DATA_PLAIN, "d"), CR_OK);
  assert_int_equal(cri_check_twin(&call, &m, d, tan, CR_DATA_TANGENT, "tan"), CR_OK);
  assert_int_equal(cri_check_done(&call, &m, d, 0), CR_OK);
  // wrong
  assert_says(cri_given(&call, NULL, "d"), CR_ERR_ARG, "d is NULL");
  assert_says(cri_check_data(&call, NULL, d, CR_DATA_PLAIN, "d"), CR_ERR_ARG, "the model is NULL");
  assert_says(cri_check_data(&call, &m, tan, CR_DATA_PLAIN, "d"), CR_ERR_ARG,
              "d is tangents, not a plain data block");
  assert_says(cri_check_data(&call, &other, d, CR_DATA_PLAIN, "d"), CR_ERR_ARG,
              "d is of another model, with n");
  assert_says(cri_check_variant(&call, &other, d, "m_backward"), CR_ERR_ARG, "of another model");
  assert_says(cri_check_work(&call, &m, d, d), CR_ERR_ARG, "work is the data itself");
  assert_says(cri_check_work(&call, &m, d, larger), CR_ERR_ARG, "has not the room of the data");
  assert_says(cri_check_done(&call, &m, d, CRI_DONE_STEP), CR_ERR_ARG, "call cr_step");
  assert_says(cri_check_done(&call, &m, d, CRI_DONE_INVERSE), CR_ERR_ARG, "call cr_inverse");
  assert_says(cri_check_done(&call, &m, d, CRI_DONE_FORWARD), CR_ERR_ARG, "call cr_forward");
  // where nobody listens
  const cri_call deaf = {"cr_call", NULL};
  assert_int_equal(cri_given(&deaf, NULL, "d"), CR_ERR_ARG);
  assert_null(cri_error_of(NULL));
  assert_ptr_equal(cri_error_of(d), &d->error);
  cri_data_free(larger);
  cri_data_free(tan);
  cri_data_free(d);
  cri_model_free(&m);
  cri_model_free(&other);
}

// room for stages and for the effective inertia is there or is asked for
TEST(integrators_need_their_room) {
  cr_model m;
  cr_data* d = NULL;
  assert_int_equal(random_model(&m, 1, &error), CR_OK);
  m.integrator = CR_INT_EULER;
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  m.integrator = CR_INT_RK4;
  assert_int_equal(cri_check_data(&call, &m, d, CR_DATA_PLAIN, "d"), CR_OK);
  m.integrator = CR_INT_DOPRI8;
  assert_says(cri_check_data(&call, &m, d, CR_DATA_PLAIN, "d"), CR_ERR_ARG, "no room for dopri8");
  m.integrator = CR_INT_DISCRETE;
  assert_says(cri_check_data(&call, &m, d, CR_DATA_PLAIN, "d"), CR_ERR_CAPACITY,
              "no room for discrete");
  cri_data_free(d);
  cri_model_free(&m);
}

// counts and integers make the shape; numbers do not; an unknown structure is any
TEST(shapes) {
  cr_model m;
  assert_int_equal(random_model(&m, 1, &error), CR_OK);
  m.structure = cri_model_structure(&m);
  cri_shape shape = cri_shape_of(&m);
  m.body_mass[1] *= 2;
  assert_true(m.structure == cri_model_structure(&m) && cri_has_shape(&m, &shape));
  m.jnt_type[0] = m.jnt_type[0] == CR_JNT_HINGE ? CR_JNT_SLIDE : CR_JNT_HINGE;
  m.structure = cri_model_structure(&m);
  assert_false(cri_has_shape(&m, &shape));
  m.structure = 0;
  assert_true(cri_has_shape(&m, &shape));
  m.nkey++;
  assert_false(cri_has_shape(&m, &shape));
  m.nkey--;
  cri_model_free(&m);
}
