// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Names of single numbers: as labels show them, and as cr_model_place finds them again.
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text[] =
    "<mujoco><worldbody>"
    "<body name='base'><freejoint name='root'/><geom name='a' size='.1'/><site name='tip'/>"
    "<body name='arm' pos='0 0 1'><joint name='hinge'/><geom size='.1'/>"
    "<body><joint type='ball'/><geom name='x,y' size='.1'/></body></body></body></worldbody>"
    "<actuator><motor name='drive' joint='hinge'/></actuator></mujoco>";

static cr_model* model;
static cr_error error;

static void open_it(void) {
  assert_int_equal(cr_model_open(&model, scratch_write("names.xml", text), &error), CR_OK);
}

static int field_of(const char* name) {
  cr_place_info place = {.size = sizeof place};
  assert_int_equal(cr_model_place(model, name, &place, &error), CR_OK);
  return place.field;
}

static const char* name_of(const char* field, int number, bool tangent) {
  static char name[CR_NUMBER_NAME];
  cr_status status =
      cr_number_name(model, field_of(field), number, tangent, name, (int)sizeof name, &error);
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
  return name;
}

TEST(numbers_have_the_names_of_their_objects) {
  open_it();
  assert_string_equal(name_of("qpos", 0, false), "qpos[root][0]");
  assert_string_equal(name_of("qpos", 6, false), "qpos[root][6]");
  assert_string_equal(name_of("qpos", 7, false), "qpos[hinge]");
  assert_string_equal(name_of("qpos", 9, false), "qpos[9]");  // a joint without a name
  assert_string_equal(name_of("qvel", 5, false), "qvel[root][5]");
  assert_string_equal(name_of("qpos", 3, true), "tangent[root][3]");
  assert_string_equal(name_of("qpos", 6, true), "qpos[hinge]");
  assert_string_equal(name_of("qpos", 8, true), "tangent[8]");
  assert_string_equal(name_of("ctrl", 0, false), "ctrl[drive]");
  assert_string_equal(name_of("body_mass", 1, false), "body_mass[base]");
  assert_string_equal(name_of("body_mass", 3, true), "body_mass[3]");
  assert_string_equal(name_of("site_xpos", 2, false), "site_xpos[tip][2]");
  assert_string_equal(name_of("geom_size", 1, false), "geom_size[a][1]");
  assert_string_equal(name_of("geom_size", 7, false), "geom_size[2][1]");  // no comma in a label
  assert_string_equal(name_of("gravity", 2, false), "gravity[2]");
  assert_string_equal(name_of("body_quat", 7, true), "body_quat[arm] about y");
  cr_model_destroy(model);
}

// every number of every field that has places: its name leads back to it
TEST(names_lead_back_to_their_numbers) {
  open_it();
  int seen = 0;
  for (int i = 0; i < cr_field_count(); i++) {
    cr_field_info f = {.size = sizeof f};
    cr_place_info whole = {.size = sizeof whole}, one = {.size = sizeof one};
    assert_int_equal(cr_field_get(model, i, &f, &error), CR_OK);
    if (cr_model_place(model, f.name, &whole, NULL) != CR_OK || whole.field != i) {
      continue;
    }
    for (int k = 0; k < whole.count; k++) {
      char name[CR_NUMBER_NAME];
      assert_int_equal(cr_number_name(model, i, k, false, name, (int)sizeof name, &error), CR_OK);
      if (cr_model_place(model, name, &one, &error) != CR_OK || one.field != i || one.first != k ||
          one.count != 1) {
        fail_msg("%s, number %d, is called %s: %s", f.name, k, name, error.text);
      }
      seen++;
    }
  }
  assert_true(seen > 500);
  cr_model_destroy(model);
}

TEST(numbers_of_the_tangent_by_joint) {
  open_it();
  cr_place_info place = {.size = sizeof place};
  assert_int_equal(cr_model_place(model, "tangent[root][3]", &place, &error), CR_OK);
  assert_int_equal(place.tangent_first, 3);
  assert_int_equal(place.tangent_count, 1);
  assert_int_equal(cr_model_place(model, "tangent[root]", &place, &error), CR_OK);
  assert_int_equal(place.tangent_count, 6);
  assert_int_equal(cr_model_place(model, "tangent[hinge]", &place, &error), CR_OK);
  assert_int_equal(place.tangent_first, 6);
  assert_int_equal(cr_model_place(model, "tangent[root].z", &place, &error), CR_OK);
  assert_int_equal(place.tangent_first, 2);
  static const char* const wrong[] = {
      "tangent",       "tangent[10]",       "tangent[rot]",       "tangent[root][6]",
      "tangent[2][0]", "tangent[hinge][1]", "tangent[root][0].x", "tangent[a][b][c]"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(cr_model_place(model, wrong[i], &place, &error), CR_ERR_NAME);
  }
  cr_model_destroy(model);
}

TEST(mistakes_are_told) {
  char name[CR_NUMBER_NAME];
  open_it();
  int field = field_of("body_mass");
  assert_int_equal(cr_number_name(model, field, 4, false, name, (int)sizeof name, &error),
                   CR_ERR_ARG);
  assert_non_null(strstr(error.text, "number 4 of 4 in body_mass"));
  assert_int_equal(cr_number_name(model, field, -1, false, name, (int)sizeof name, &error),
                   CR_ERR_ARG);
  assert_int_equal(cr_number_name(model, -1, 0, false, name, (int)sizeof name, &error), CR_ERR_ARG);
  assert_int_equal(cr_number_name(model, 100000, 0, false, name, (int)sizeof name, &error),
                   CR_ERR_ARG);
  assert_int_equal(cr_number_name(model, field, 1, false, name, 5, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "body_mass needs 16 characters"));
  assert_int_equal(cr_number_name(model, field, 1, false, NULL, 5, &error), CR_ERR_ARG);
  for (int i = 0; i < cr_field_count(); i++) {  // contacts come and go
    cr_field_info f = {.size = sizeof f};
    assert_int_equal(cr_field_get(model, i, &f, &error), CR_OK);
    if (strcmp(f.name, "contact_dist") == 0) {
      assert_int_equal(cr_number_name(model, i, 0, false, name, (int)sizeof name, &error),
                       CR_ERR_ARG);
    }
  }
  cr_model_destroy(model);
}
