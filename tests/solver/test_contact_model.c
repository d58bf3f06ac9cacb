// SPDX-License-Identifier: Apache-2.0
// Which contact model there is: the convex one, whole; others by their names, or a sentence.
#include "solver/contact_model.h"

#include "carom/model.h"
#include "model/file.h"
#include "model/misuse.h"
#include "model/model_check.h"
#include "solver/convex_model.h"
#include "support/chain_model.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_model m;
static cr_error error;

static void begin(void) {
  static const int32_t joints[] = {CR_JNT_HINGE, CR_JNT_SLIDE};
  assert_int_equal(chain_model(&m, 2, joints, 0, &error), CR_OK);
}

static void refuses(const cri_contact_choice* choices, int n, const char* because) {
  assert_int_equal(cri_contact_models_add(&m, choices, n, &error), CR_ERR_ARG);
  assert_string_equal(error.text, because);
  assert_int_equal(m.nadded_contact, 0);
}

TEST(interface_is_complete) {
  begin();
  assert_ptr_equal(cri_contact_model(&m), &cri_convex);
  assert_string_equal(cr_model_get_choice(&m, "contact_model"), "convex");
  const cri_contact_choice again = {"as convex", &cri_convex};
  assert_int_equal(cri_contact_models_add(&m, &again, 1, &error), CR_OK);
  cri_model_free(&m);
}

TEST(a_name_chooses) {
  const cr_contact_model other = cri_convex;
  const cri_contact_choice choices[] = {{"one", &cri_convex}, {"other", &other}};
  begin();
  assert_int_equal(cri_contact_models_add(&m, choices, 2, &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&m), &cri_convex);
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "other", &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&m), &other);
  assert_string_equal(cr_model_get_choice(&m, "contact_model"), "other");
  cr_model copy;
  assert_int_equal(cri_model_copy(&copy, &m, &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&copy), &other);
  cri_model_free(&copy);
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "third", &error), CR_ERR_ARG);
  assert_string_equal(error.text, "contact_model 'third': convex, one or other expected");
  assert_ptr_equal(cri_contact_model(&m), &other);
  assert_int_equal(cr_model_set_option(&m, "contact_model", 3, &error), CR_ERR_MODEL);
  assert_string_equal(error.text, "option contact_model: there is no 3");
  assert_int_equal(cri_contact_models_add(&m, choices, 1, &error), CR_ERR_ARG);
  assert_string_equal(error.text,
                      "option contact_model: it is 2, and needs more than 1 added contact models");
  assert_ptr_equal(cri_contact_model(&m), &other);
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "convex", &error), CR_OK);
  assert_ptr_equal(cri_contact_model(&m), &cri_convex);
  cri_model_free(&m);
}

TEST(what_is_no_contact_model_is_refused) {
  cr_contact_model lame = cri_convex;
  lame.bends = NULL;
  const cri_contact_choice convex = {"convex", &cri_convex}, part = {"part", &lame},
                           twice[] = {{"a", &cri_convex}, {"a", &cri_convex}};
  begin();
  refuses(&convex, 1, "contact model 'convex': there is one of this name");
  refuses(twice, 2, "contact model 'a': there is one of this name");
  refuses(&part, 1, "contact model 'part': a function is missing");
  refuses(twice, 9, "9 contact models: at most 8 can be added");
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "part", &error), CR_ERR_ARG);
  assert_string_equal(error.text, "contact_model 'part': convex expected");
  cri_model_free(&m);
}

// a file keeps the number, and what is read needs its contact model again
TEST(a_file_keeps_the_choice) {
  const cri_contact_choice one = {"one", &cri_convex};
  const char* path = scratch_path("contact_model.crm");
  begin();
  assert_int_equal(cri_contact_models_add(&m, &one, 1, &error), CR_OK);
  assert_int_equal(cr_model_set_choice(&m, "contact_model", "one", &error), CR_OK);
  assert_int_equal(cri_model_save(&m, path, &error), CR_OK);
  cri_model_free(&m);
  assert_int_equal(cri_model_read(&m, path, &error), CR_OK);
  assert_int_equal(cri_model_check(&m, &error), CR_ERR_MODEL);
  assert_non_null(strstr(error.text, "option contact_model: there is no 1"));
  assert_int_equal(cri_contact_models_add(&m, &one, 1, &error), CR_OK);
  assert_int_equal(cri_model_check(&m, &error), CR_OK);
  cri_model_free(&m);
}

// data have room for what the contact model keeps, and are not used with one that keeps more
TEST(data_of_another_contact_model_are_refused) {
  const cri_contact_choice one = {"one", &cri_convex};
  cr_data* d;
  begin();
  assert_int_equal(cri_data_create(&d, &m, NULL, &error), CR_OK);
  assert_int_equal(cri_contact_models_add(&m, &one, 1, &error), CR_OK);
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
