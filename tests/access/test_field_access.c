// SPDX-License-Identifier: Apache-2.0
// Fields and places through the public header alone: all fields in order, and their numbers.
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"
#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_model* model;
static cr_data* data;
static cr_error error;

static void setup(void) {
  model = malloc(sizeof *model);
  bool made = random_model(model, 2, &error) == CR_OK;
  assert_true(made && cr_data_create(&data, model, &error) == CR_OK);
}

static void teardown(void) {
  cr_data_destroy(data);
  cr_model_destroy(model);
}

AROUND_FILE(setup, teardown)

static cr_field_info get(int i) {
  cr_field_info info = {.size = sizeof info};
  assert_int_equal(cr_field_get(model, i, &info, &error), CR_OK);
  return info;
}

// every field once, and each kind by the function that the header names for it
TEST(every_field_can_be_read) {
  int seen[CR_KIND_INDEX + 1] = {0};
  for (int i = 0; i < cr_field_count(); i++) {
    cr_field_info f = get(i);
    int rows = -1, width = -1;
    const void* there = NULL;
    switch (f.kind) {
      case CR_KIND_CONST:
      case CR_KIND_PARAM:
        there = cr_model_numbers(model, f.name, &rows, &width);
        break;
      case CR_KIND_INT:
        there = cr_model_integers(model, f.name, &rows, &width);
        break;
      case CR_KIND_INDEX:
        there = cr_data_integers(model, data, f.name, &rows, &width);
        break;
      case CR_KIND_STATE:
      case CR_KIND_REAL:
        there = cr_data_view(model, data, f.name, &rows, &width);
        break;
      default:
        assert_null(cr_model_numbers(model, f.name, NULL, NULL));
        assert_null(cr_data_view(model, data, f.name, NULL, NULL));
        seen[f.kind]++;
        continue;
    }
    seen[f.kind]++;
    assert_int_equal(width, f.width);
    assert_true(there != NULL || rows * width == 0);
    int count = cr_model_count(model, f.rows);
    assert_true(count < 0 || strcmp(f.rows, "none") == 0 || rows == count);
    assert_true(f.unit[0] != 0 && f.frame[0] != 0 && f.meaning[0] != 0);
  }
  for (int kind = 0; kind <= CR_KIND_INDEX; kind++) {
    assert_true(seen[kind] > 0);
  }
}

TEST(shapes_and_units) {
  cr_field_info quat = get(CR_FIELD_body_quat), mass = get(CR_FIELD_body_mass);
  assert_int_equal(quat.width, 4);
  assert_int_equal(quat.tangent_width, 3);
  assert_string_equal(mass.unit, "kg");
  assert_string_equal(mass.rows, "nbody");
  assert_int_equal(get(CR_FIELD_key_qpos).width, model->nq);
  int width = 0;
  assert_true(cr_model_numbers(model, "body_mass", NULL, &width) == model->body_mass);
  assert_int_equal(width, 1);
  assert_true(cr_model_integers(model, "jnt_type", NULL, NULL) == model->jnt_type);
}

TEST(what_is_no_field) {
  int rows = 7, width = 7;
  cr_field_info info = {.size = 0}, kept = {.size = sizeof info, .width = 99};
  assert_int_equal(cr_field_get(model, 0, &info, &error), CR_ERR_ARG);
  assert_string_equal(
      error.text,
      "cr_field_get: the member size of cr_field_info is 0; set it to sizeof(cr_field_info)");
  assert_int_equal(cr_field_get(model, cr_field_count(), &kept, &error), CR_ERR_ARG);
  assert_int_equal(cr_field_get(model, -1, &kept, &error), CR_ERR_ARG);
  assert_int_equal(kept.width, 99);
  assert_null(cr_model_numbers(model, "qpos", &rows, &width));
  assert_true(rows == 0 && width == 0);
  assert_null(cr_model_integers(model, "body_mass", NULL, NULL));
  assert_null(cr_data_integers(model, data, "jnt_type", NULL, NULL));
}

// a caller compiled with a later version, whose struct is longer
TEST(a_longer_struct_is_filled_as_far_as_it_is_known) {
  struct {
    cr_field_info info;
    int later;
  } x = {{.size = sizeof x}, 7};
  assert_int_equal(cr_field_get(model, CR_FIELD_body_mass, &x.info, &error), CR_OK);
  assert_string_equal(x.info.name, "body_mass");
  assert_int_equal(x.info.size, sizeof x);
  assert_int_equal(x.later, 7);
}

TEST(places) {
  cr_place_info p = {.size = sizeof p};
  assert_int_equal(cr_model_place(model, "body_quat[1]", &p, &error), CR_OK);
  assert_string_equal(get(p.field).name, "body_quat");
  assert_true(p.first == 4 && p.count == 4 && p.tangent_first == 3 && p.tangent_count == 3);
  assert_int_equal(cr_model_place(model, "tangent[2]", &p, &error), CR_OK);
  assert_true(p.count == 0 && p.tangent_first == 2 && p.tangent_count == 1);
  assert_int_equal(cr_model_place(model, "nothing", &p, &error), CR_ERR_NAME);
}
