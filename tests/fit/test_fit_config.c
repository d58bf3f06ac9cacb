// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>

#include "carom/fields.h"
#include "fit/fit_config.h"
#include "support/scratch.h"

static const char small[] =
    "model: a.xml\n"
    "parameters:\n"
    "  - {name: side, kind: box_side, geom: cube, start: 6e-2}\n"
    "  - {name: mass, field: 'body_mass[cube]', start: 1, transform: softplus, lower: 0}\n"
    "optimisers:\n"
    "  - {method: adam, rate: 0.5}\n"
    "  - {method: lbfgs, iterations: 7}\n";

static cr_fit_config read_with(const char* text, const char* const* set, int n) {
  cr_fit_config c;
  cr_error error = {0};
  if (cr_fit_config_read(&c, scratch_write("c.yaml", text), set, n, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return c;
}

TEST(values_and_defaults) {
  cr_fit_config c = read_with(small, NULL, 0);
  assert_string_equal(c.top.model, "a.xml");
  assert_int_equal(c.top.seed, 1);
  assert_string_equal(c.data.file, "");
  assert_int_equal(c.data.steps, 4);
  assert_true(c.data.held_out == 0.2);
  assert_true(c.loss.spin == 1);
  assert_int_equal(c.nparameter, 2);
  assert_int_equal(c.nstage, 2);
  assert_int_equal(c.stages[0].method, CR_METHOD_ADAM);
  assert_true(c.stages[0].final_rate == 0.5);
  assert_int_equal(c.stages[1].method, CR_METHOD_LBFGS);
  assert_int_equal(c.stages[1].iterations, 7);
  assert_false(c.cfd.use);  // no such section
  assert_true(isnan(c.parameters[0].listed));
  cr_parameter_info items[2];
  cr_fit_config_parameters(&c, items);
  assert_string_equal(items[0].name, "side");
  assert_string_equal(items[0].target, "cube");
  assert_int_equal(items[0].kind, CR_FIT_BOX_SIDE);
  assert_true(items[0].start == 0.06 && isinf(items[0].upper));
  assert_string_equal(items[1].target, "body_mass[cube]");
  assert_int_equal(items[1].transform, CR_TRANSFORM_SOFTPLUS);
  cr_fit_config_free(&c);
}

TEST(set_reaches_every_value) {
  const char* const set[] = {"parameters.side.start=0.14",
                             "parameters.1.upper=9",
                             "optimisers.adam.iterations=3",
                             "optimisers.1.tolerance=1e-3",
                             "data.stride=2",
                             "cfd.wc=0.25",
                             "seed=77",
                             "loss.position=2"};
  cr_fit_config c = read_with(small, set, 8);
  assert_true(c.parameters[0].start == 0.14);
  assert_true(c.parameters[1].upper == 9);
  assert_int_equal(c.stages[0].iterations, 3);
  assert_true(c.stages[1].tolerance == 1e-3);
  assert_int_equal(c.data.stride, 2);
  assert_true(c.cfd.use && c.cfd.wc == 0.25);
  assert_int_equal(c.top.seed, 77);
  assert_true(c.loss.position == 2);
  cr_fit_config_free(&c);
}

static void refuse(const char* text, const char* set, const char* part) {
  cr_fit_config c;
  cr_error error = {0};
  cr_status status =
      cr_fit_config_read(&c, scratch_write("c.yaml", text), &set, set != NULL ? 1 : 0, &error);
  assert_int_not_equal(status, CR_OK);
  assert_int_equal(cr_status_exit_code(status), 2);
  if (strstr(error.text, part) == NULL) {
    fail_msg("'%s' does not say '%s'", error.text, part);
  }
  assert_null(c.raw);
}

TEST(bad_files_are_explained) {
  refuse("", NULL, "c.yaml: the file is empty");
  refuse("model: 'x\n", NULL, "c.yaml, line ");
  refuse("modle: x\n", NULL, "c.yaml, line 1: unknown key 'modle'; did you mean 'model'?");
  refuse("model: x\nparameters:\n  - name: s\n    strat: 1\noptimisers:\n  - method: adam\n", NULL,
         "c.yaml, line 4: unknown key 'strat' in parameters; did you mean 'start'?");
  refuse("model: x\ndata: 3\n", NULL, "c.yaml, line 2");
  refuse("model: x\nparameters:\n  - {name: s, start: 1, field: a}\n", NULL, "optimisers");
}

TEST(bad_values_are_explained) {
  refuse(small, "parameters.side.start=5x", "parameters.side: start: '5x' is not a number");
  refuse(small, "parameters.side.start=", "parameters.side: 'start' is missing");
  refuse(small, "parameters.mass.field=", "parameters.mass: 'field' is missing");
  refuse(small, "data.held_out=2", "data: held_out: 2 is not between 0 and 0.9");
  refuse(small, "data.held_out=nan", "data: held_out: nan is not between");
  refuse(small, "data.steps=2.5", "data: steps: 2.5 is not a whole number");
  refuse(small, "cfd.use=maybe", "cfd: use: 'maybe' is not true or false");
  refuse(small, "optimisers.0.method=sgd", "optimisers.0: method: 'sgd' is not one of: adam lbfgs");
  refuse(small, "parameters.side.name=a side", "letters, digits and _");
  refuse(small, "loss.position=-1", "loss: position: -1 is not between");
}

// the words of an enumeration are the library's own, all of them and in no second list
TEST(words_are_the_librarys) {
  for (int value = CR_TRANSFORM_NONE; value <= CR_TRANSFORM_BOUNDED; value++) {
    char set[64];
    const char* const list[] = {set};
    (void)snprintf(set, sizeof set, "parameters.mass.transform=%s",
                   cr_enum_word("transform", value));
    cr_fit_config c = read_with(small, list, 1);
    assert_int_equal(c.parameters[1].transform, value);
    cr_fit_config_free(&c);
  }
  refuse(small, "parameters.mass.transform=exp",
         "parameters.mass: transform: 'exp' is not one of: none, log, softplus, bounded");
  refuse(small, "parameters.mass.kind=direction",
         "kind: 'direction' is not one of: field, box_side");
  refuse(small, "loss.norm=cubic",
         "loss: norm: 'cubic' is not one of: quadratic, l22, l2, cosh, power, smooth_abs, "
         "smooth_abs2");
}

TEST(bad_settings_are_explained) {
  refuse(small, "seed", "--set seed: KEY=VALUE expected");
  refuse(small, "sead=1", "there is no key 'sead'; did you mean 'seed'?");
  refuse(small, "date.stride=1", "there is no section 'date'; did you mean 'data'?");
  refuse(small, "data=1", "'data' is a section; write data.KEY=VALUE");
  refuse(small, "parameters=1", "'parameters' is a section; write parameters.ITEM.KEY=VALUE");
  refuse(small, "data.strude=1", "there is no key 'strude' in data; did you mean 'stride'?");
  refuse(small, "parameters.width.start=1", "ITEM is one of: side, mass");
  refuse(small, "parameters.2.start=1", "ITEM is one of: side, mass");
  refuse(small, "parameters.side=1", "write parameters.ITEM.KEY=VALUE");
  refuse(small, "parameters.side.strat=1", "there is no key 'strat' in parameters");
}

TEST(text_tells_fits_apart) {
  const char* const set[] = {"parameters.side.start=0.14", "output=x", "optimisers.adam.rate=0.4",
                             "optimisers.adam.iterations=4"};
  const bool same[] = {false, true, false, true};
  cr_fit_config plain = read_with(small, NULL, 0);
  char* text = cr_fit_config_text(&plain);
  for (int i = 0; i < 4; i++) {
    cr_fit_config c = read_with(small, &set[i], 1);
    char* other = cr_fit_config_text(&c);
    assert_int_equal(strcmp(text, other) == 0, same[i]);
    free(other);
    cr_fit_config_free(&c);
  }
  free(text);
  cr_fit_config_free(&plain);
}

// as many parameters as there may be, with long names: none is left out, nor what comes behind them
TEST(text_tells_all_of_many_parameters) {
  enum { EACH = 400 };
  char* yaml = malloc(CR_MAX_PARAMETERS * EACH + 200);
  assert_non_null(yaml);
  size_t n = (size_t)sprintf(yaml, "model: a.xml\nparameters:\n");
  for (int i = 0; i < CR_MAX_PARAMETERS; i++) {
    n += (size_t)sprintf(yaml + n,
                         "  - {name: %063d, field: 'body_mass[%0115d]', start: 0.1, lower: 0.01, "
                         "upper: 0.7, listed: 0.3, draw_low: 0.1, draw_high: 0.3}\n",
                         i, i);
  }
  (void)sprintf(yaml + n, "optimisers:\n  - {method: adam, rate: 0.5}\n");
  cr_fit_config c = read_with(yaml, NULL, 0), other = read_with(yaml, NULL, 0);
  assert_int_equal(c.nparameter, CR_MAX_PARAMETERS);
  char *text = cr_fit_config_text(&c), *again;
  other.stages[0].rate = 0.25;
  again = cr_fit_config_text(&other);
  assert_true(strlen(text) > 1 << 17);
  assert_true(strcmp(text, again) != 0);
  free(text);
  free(again);
  free(yaml);
  cr_fit_config_free(&c);
  cr_fit_config_free(&other);
}

TEST(the_example_is_valid) {
  cr_fit_config c;
  cr_error error = {0};
  if (cr_fit_config_read(&c, CAROM_SOURCE_DIR "/examples/cube_side.yaml", NULL, 0, &error) !=
      CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_true(c.cfd.use);
  assert_true(c.parameters[0].listed == 0.1048);
  cr_fit_config_free(&c);
}
