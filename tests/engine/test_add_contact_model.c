// SPDX-License-Identifier: Apache-2.0
// What is no contact model is refused, with a sentence, and leaves the model as it was.
#include <stdio.h>

#include "carom/contact.h"
#include "engine/pipeline.h"
#include "model/added_contact.h"
#include "scenes/chain_model.h"
#include "scenes/coulomb.h"
#include "support/test.h"

static cr_model m;
static cr_error error;

static void begin(void) {
  static const int32_t joints[] = {CR_JNT_HINGE};
  assert_int_equal(chain_model(&m, 1, joints, 0, &error), CR_OK);
}

static void refuses(const cr_contact_options* o, cr_status status, const char* because) {
  int n = cri_nadded_contact(&m);
  assert_int_equal(cr_model_add_contact_model(&m, o, &error), status);
  assert_string_equal(error.text, because);
  assert_int_equal(cri_nadded_contact(&m), n);
}

TEST(what_is_no_contact_model_is_refused) {
  cr_contact_options o = coulomb;
  begin();
  refuses(NULL, CR_ERR_ARG, "cr_model_add_contact_model: the options is NULL");
  o.size = 8;
  refuses(&o, CR_ERR_ARG,
          "cr_model_add_contact_model: the member size of cr_contact_options is 8; set it to "
          "sizeof(cr_contact_options)");
  o = coulomb;
  o.name = NULL;
  refuses(&o, CR_ERR_ARG, "cr_model_add_contact_model: name is NULL");
  o.name = "two words";
  refuses(&o, CR_ERR_ARG,
          "cr_model_add_contact_model: 'two words' is no name of letters, digits and _");
  o.name = "convex";
  refuses(&o, CR_ERR_NAME, "there is a contact model 'convex' already");
  o = coulomb;
  o.force = NULL;
  refuses(&o, CR_ERR_ARG, "cr_model_add_contact_model: force is NULL");
  o = coulomb;
  o.jvp = NULL;
  refuses(&o, CR_ERR_ARG, "cr_model_add_contact_model: jvp is NULL");
  o = coulomb;
  o.vjp = NULL;
  refuses(&o, CR_ERR_ARG, "cr_model_add_contact_model: vjp is NULL");
  o = coulomb;
  o.nstage = 1;
  refuses(&o, CR_ERR_ARG, "cr_model_add_contact_model: stages is NULL");
  o.nstage = -1;
  refuses(&o, CR_ERR_ARG, "contact model 'coulomb': -1 stages");
  assert_int_equal(cr_model_add_contact_model(NULL, &coulomb, &error), CR_ERR_ARG);
  cri_model_free(&m);
}

static cr_status idle(void* user, const cr_stage_call* call) {
  (void)user, (void)call;
  return CR_OK;
}

// of its stages all or none are there
TEST(stages_that_do_not_fit_are_refused) {
  static const char* const area[] = {"contact_area"};
  cr_stage_options stages[] = {{.size = sizeof stages[0],
                                .name = "first",
                                .after = "mixing",
                                .changes = area,
                                .nchange = 1,
                                .forward = idle},
                               {.size = sizeof stages[0],
                                .name = "second",
                                .after = "kinematics",
                                .changes = area,
                                .nchange = 1,
                                .forward = idle}};
  cr_contact_options o = coulomb;
  o.stages = stages;
  o.nstage = 2;
  begin();
  refuses(&o, CR_ERR_UNSUPPORTED,
          "stage 'second' changes contact_area, which 'mixing' computes later");
  const cri_schedule* s = cri_schedule_of(&m);
  assert_int_equal(s->nadded, 0);
  stages[1].after = "mixing";
  assert_int_equal(cr_model_add_contact_model(&m, &o, &error), CR_OK);
  assert_int_equal(cri_schedule_of(&m)->nadded, 2);
  cri_model_free(&m);
}

TEST(a_model_carries_some) {
  cr_contact_options o = coulomb;
  char name[16];
  begin();
  o.name = name;
  for (int i = 0; i < CR_MAX_CONTACT_MODELS; i++) {
    (void)snprintf(name, sizeof name, "c%d", i);
    assert_int_equal(cr_model_add_contact_model(&m, &o, &error), CR_OK);
  }
  refuses(&o, CR_ERR_NAME, "there is a contact model 'c7' already");
  (void)snprintf(name, sizeof name, "c8");
  refuses(&o, CR_ERR_ARG, "contact model 'c8': a model has room for 8");
  cri_model_free(&m);
}
