// SPDX-License-Identifier: Apache-2.0
// Options of a model by name: numbers, choices and flags, and what each cannot be.
#include "model/model_options.h"

#include <stdlib.h>

#include "carom/carom.h"
#include "model/tableau.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model* model;
static cr_error error;

static void setup(void) {
  model = malloc(sizeof *model);
  assert_true(random_model(model, 2, &error) == CR_OK);
}

static void teardown(void) { cr_model_destroy(model); }

AROUND_FILE(setup, teardown)

static void refused_option(const char* name, cr_real value, cr_status status, const char* because) {
  cr_real before = 0, after = 0;
  assert_int_equal(cr_model_get_option(model, name, &before, NULL), CR_OK);
  assert_int_equal(cr_model_set_option(model, name, value, &error), status);
  if (strstr(error.text, because) == NULL) {
    fail_msg("%s %g: %s", name, (double)value, error.text);
  }
  assert_int_equal(cr_model_get_option(model, name, &after, NULL), CR_OK);
  assert_true(before == after);
}

TEST(options) {
  cr_real before = cr_model_timestep(model);
  assert_true(before == model->timestep);
  assert_int_equal(cr_model_set_option(model, "timestep", CR_R(0.01), &error), CR_OK);
  assert_true(cr_model_timestep(model) == CR_R(0.01));
  refused_option("timestep", 0, CR_ERR_MODEL, "option timestep: 0 is not positive");
  refused_option("timestep", (cr_real)NAN, CR_ERR_MODEL, "timestep: nan is not finite");
  refused_option("timestep", (cr_real)INFINITY, CR_ERR_MODEL, "timestep: inf is not finite");
  assert_int_equal(cr_model_set_option(model, "timestep", before, &error), CR_OK);
  assert_int_equal(cr_model_set_option(model, "muscle_smooth", CR_R(0.1), &error), CR_OK);
  refused_option("muscle_smooth", -1, CR_ERR_MODEL, "muscle_smooth: -1 is not in [0, 10]");
  refused_option("muscle_smooth", (cr_real)NAN, CR_ERR_MODEL, "is not finite");
  assert_true(model->muscle_smooth == CR_R(0.1));
  assert_int_equal(cr_model_set_option(model, "muscle_smooth", 0, &error), CR_OK);
  refused_option("cone", 2, CR_ERR_MODEL, "option cone: there is no 2");
  refused_option("cone", CR_R(0.5), CR_ERR_ARG, "option cone: 0.5 is no integer");
  refused_option("disableflags", 1 << 20, CR_ERR_MODEL, "is unknown or not supported");
  refused_option("softness", (cr_real)NAN, CR_ERR_MODEL, "is not finite");
  refused_option("cfd", 2, CR_ERR_MODEL, "option cfd: there is no 2");
  cr_real value;
  assert_int_equal(cr_model_get_option(model, "gravity", &value, &error), CR_ERR_NAME);
  assert_string_equal(error.text, "there is no option 'gravity'");
  assert_int_equal(cr_model_set_option(model, "", 1, &error), CR_ERR_NAME);
}

TEST(choices) {
  for (int i = 0; i < CRI_N_OPTION; i++) {
    const cri_option* o = cri_option_row(i);
    bool choice = o->kind == CRI_OPTION_CHOICE && strcmp(o->name, "cfd") != 0;
    for (const cri_word* w = o->words; choice && w->name != NULL; w++) {
      assert_int_equal(cr_model_set_choice(model, o->name, w->name, &error), CR_OK);
      assert_string_equal(cr_model_get_choice(model, o->name), w->name);
      assert_true(cri_option_get(model, o) == (cr_real)w->value);
    }
    if (choice) {
      assert_int_equal(cr_model_set_choice(model, o->name, o->words->name, &error), CR_OK);
    } else if (o->kind != CRI_OPTION_CHOICE) {
      assert_null(cr_model_get_choice(model, o->name));
      assert_int_equal(cr_model_set_choice(model, o->name, "on", &error), CR_ERR_ARG);
    }
  }
  assert_int_equal(model->integrator, CR_INT_EULER);
  assert_int_equal(cr_model_set_choice(model, "integrator", "Euler", &error), CR_ERR_ARG);
  assert_string_equal(
      error.text,
      "integrator 'Euler': euler, rk4, implicit, implicitfast, discrete, tsit5, dopri5, "
      "dopri8, bosh3, heun, midpoint, ralston or forward-euler expected");
}

TEST(a_soft_choice_has_a_width) {
  model->softness = 0;
  assert_int_equal(cr_model_set_choice(model, "collision", "soft", &error), CR_OK);
  assert_true(model->softness == CR_DEFAULT_SOFTNESS);
  refused_option("softness", -1, CR_ERR_MODEL, "option softness: -1 is not in (0, 100]");
  assert_int_equal(cr_model_set_choice(model, "collision", "hard", &error), CR_OK);
}

TEST(flags) {
  assert_int_equal(cr_model_get_flag(model, "contact"), 1);
  assert_int_equal(cr_model_set_flag(model, "contact", false, &error), CR_OK);
  assert_int_equal(cr_model_get_flag(model, "contact"), 0);
  assert_int_equal(model->disableflags, CR_DSBL_CONTACT);
  assert_int_equal(cr_model_set_flag(model, "contact", true, &error), CR_OK);
  assert_int_equal(model->disableflags, 0);
  assert_int_equal(cr_model_get_flag(model, "diagexact"), 0);
  assert_int_equal(cr_model_set_flag(model, "diagexact", true, &error), CR_OK);
  assert_int_equal(model->enableflags, CR_ENBL_DIAGEXACT);
  assert_int_equal(cr_model_set_flag(model, "diagexact", false, &error), CR_OK);
  assert_int_equal(cr_model_get_flag(model, "sleep"), -1);
  assert_int_equal(cr_model_set_flag(model, "sleep", true, &error), CR_ERR_NAME);
  assert_string_equal(error.text, "there is no flag 'sleep'");
}

TEST(words_in_a_sentence) {
  assert_string_equal(cri_integrators(cri_is_embedded).text,
                      "tsit5, dopri5, dopri8, bosh3, heun, midpoint or ralston");
  assert_string_equal(cri_words(cri_option_find("cone")->words, NULL).text,
                      "pyramidal or elliptic");
}
