// SPDX-License-Identifier: Apache-2.0
// Which contact model there is: the convex one, whole, or one that was added.
#include "solver/contact_model.h"

#include "carom/model.h"
#include "engine/data_create.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "scenes/chain_model.h"
#include "scenes/coulomb.h"
#include "solver/convex_model.h"
#include "solver/newton_model.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_model m;
static cr_error error;

static void begin(void) {
  static const int32_t joints[] = {CR_JNT_HINGE, CR_JNT_SLIDE};
  assert_int_equal(chain_model(&m, 2, joints, 0, &error), CR_OK);
}

static void add(const char* name) {
  cr_contact_options o = coulomb;
  o.name = name;
  assert_int_equal(cr_model_add_contact_model(&m, &o, &error), CR_OK);
}

TEST(the_convex_model_is_the_default) {
  begin();
  assert_ptr_equal(cri_contact_model(&m), &cri_convex);
  assert_string_equal(cr_model_get_choice(&m, "contact_model"), "convex");
  cri_model_free(&m);
}

TEST(a_name_chooses) {
  begin();
  add("one");
  add("other");
  assert_ptr_equal(cri_contact_model(&m), &cri_convex);
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "other", &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&m), &cri_newton);
  assert_string_equal(cr_model_get_choice(&m, "contact_model"), "other");
  assert_string_equal(cr_model_get_choice(&m, "contact_model"), "other");
  cr_model copy;
  assert_int_equal(cri_model_copy(&copy, &m, &error), CR_OK);
  assert_string_equal(cr_model_get_choice(&copy, "contact_model"), "other");
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "third", &error), CR_ERR_ARG);
  assert_string_equal(error.text,
                      "contact_model 'third': convex, hunt_crossley, ncp, one or other expected");
  assert_string_equal(cr_model_get_choice(&m, "contact_model"), "other");
  assert_int_equal(cr_model_set_option(&m, "contact_model", 3, &error), CR_ERR_MODEL);
  assert_string_equal(error.text, "option contact_model: there is no 3");
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "convex", &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&m), &cri_convex);
  // a copy has what was added, also when the model is closed
  cri_model_free(&m);
  assert_string_equal(cr_model_get_choice(&copy, "contact_model"), "other");
  cri_model_free(&copy);
}

// a file holds no code: one that names a contact model is refused
TEST(a_file_keeps_no_contact_model) {
  const char* path = scratch_path("contact_model.crm");
  begin();
  add("one");
  assert_int_equal(cr_model_save(&m, path, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "one", &error), CR_OK);
  assert_int_equal(cr_model_save(&m, path, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "the model has a contact model that was added"));
  assert_int_equal(cri_model_save(&m, path, &error), CR_OK);
  cri_model_free(&m);
  assert_int_equal(cri_model_read(&m, path, &error), CR_OK);
  assert_int_equal(cri_model_check(&m, &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "option contact_model: there is no 1"));
  add("one");
  assert_int_equal(cri_model_check(&m, &error), CR_OK);
  cri_model_free(&m);
}

// data have room for what the contact model keeps, and are not used with one that keeps more
TEST(data_of_another_contact_model_are_refused) {
  cr_data* d;
  begin();
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  add("one");
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "one", &error), CR_OK);
  const cri_call call = {"call", &error};
  assert_int_equal(cri_check_data(&call, &m, d, CR_DATA_PLAIN, "the data"), CR_ERR_ARG);
  assert_string_equal(error.text,
                      "call: the data was made for another contact model; make it again");
  cri_data_free(d);
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  assert_int_equal(cri_check_data(&call, &m, d, CR_DATA_PLAIN, "the data"), CR_OK);
  cri_data_free(d);
  cri_model_free(&m);
}
