// SPDX-License-Identifier: Apache-2.0
// Targets of several places, patterns, and names of numbers.
#include "parameter/parameter_target.h"

#include <stdlib.h>

#include "scenes/solid_model.h"
#include "support/close.h"

static cr_model m;

static void open(void) { solid_model(&m); }
static void close(void) { cri_model_free(&m); }
AROUND_EACH(open, close)

TEST(patterns_fit_names) {
  static const struct {
    const char *pattern, *name;
    bool fits;
  } rows[] = {{"leg_*", "leg_hip", true},
              {"leg_*", "leg_", true},
              {"leg_*", "leg", false},
              {"*hip", "leg_hip", true},
              {"*hip", "leg_hip2", false},
              {"l*_*p", "leg_hip", true},
              {"*", "", true},
              {"a*b*c", "aXbYbZc", true},
              {"a*b*c", "aXbYbZ", false},
              {"leg_hip", "leg_hip", true},
              {"leg", "leg_hip", false},
              {"", "", true},
              {"**p", "hip", true},
              {"h*ip", "hip", true},
              {"*a", "b", false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (cri_name_fits(rows[i].pattern, strlen(rows[i].pattern), rows[i].name) != rows[i].fits) {
      fail_msg("'%s' against '%s'", rows[i].pattern, rows[i].name);
    }
  }
}

// places as "field first count" in order
static void has(const char* target, const char* expected) {
  cr_place* places = NULL;
  cr_error error = {0};
  int n = 0;
  char text[256] = "";
  if (cri_target_find(&m, target, &places, &n, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  for (int i = 0; i < n; i++) {
    size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, "%s%s %d %d", i > 0 ? ", " : "",
                   cri_field(places[i].field)->name, places[i].first, places[i].count);
  }
  free(places);
  assert_string_equal(text, expected);
}

TEST(words_are_places) {
  has("dof_damping", "dof_damping 0 23");
  has("dof_damping[*]", "dof_damping 0 23");
  has("dof_damping[leg_*]", "dof_damping 0 1, dof_damping 1 1");
  has("dof_damping[*nkle]", "dof_damping 2 3");
  has(" body_mass[box],dof_damping[leg_hip]\tgravity.z,",
      "body_mass 4 1, dof_damping 0 1, gravity 2 1");
  has("geom_size[s*][1]", "geom_size 4 1");
  has("geom_size[*th*].y", "geom_size 1 1");
  has("body_ipos[*][2]",
      "body_ipos 5 1, body_ipos 8 1, body_ipos 11 1, body_ipos 14 1, body_ipos 17 1, "
      "body_ipos 20 1");
  has("body_mass[*]",
      "body_mass 1 1, body_mass 2 1, body_mass 3 1, body_mass 4 1, body_mass 5 1, body_mass 6 1");
}

TEST(blanks_in_names_do_not_part_words) {
  memcpy(m.names + m.name_jntadr[0], "leg hip", 7);
  has("dof_damping[leg hip] dof_damping[leg_knee]", "dof_damping 0 1, dof_damping 1 1");
}

TEST(bad_words_are_named) {
  static const char* const rows[][2] = {{"", "names nothing"},
                                        {"dof_damping[x*]", "'dof_damping[x*]': no name fits"},
                                        {"dof_dampin[*]", "there is no field 'dof_dampin'"},
                                        {"qvel[*]", "there is no field 'qvel' of the model"},
                                        {"body_mass[box] nothing", "nothing"},
                                        {"dof_damping[leg_*][3]", "component 3 of 1"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    cr_place* places = NULL;
    cr_error error = {0};
    int n = 0;
    assert_int_equal(cri_target_find(&m, rows[i][0], &places, &n, &error), CR_ERR_NAME);
    if (strstr(error.text, rows[i][1]) == NULL) {
      fail_msg("'%s' does not say '%s'", error.text, rows[i][1]);
    }
  }
}

// every number of every parameter has a name that leads back to it
TEST(names_lead_back) {
  int named = 0;
  for (int f = 0; f < CR_N_MODEL_FIELD; f++) {
    const cr_field_id id = (cr_field_id)f;
    int n = cri_field_rows(&m, NULL, id) * cri_field_width(&m, id);
    for (int i = 0; i < n && cri_field(id)->kind == CR_KIND_PARAM; i++) {
      char text[128];
      cr_place place;
      cri_target_name(&m, id, i, text, sizeof text);
      assert_int_equal(cri_place_find(&place, &m, text, NULL), CR_OK);
      if (place.field != id || place.first != i || place.count != 1) {
        fail_msg("%s is not number %d of %s", text, i, cri_field(id)->name);
      }
      named += strpbrk(text, "abcdefghijklmnopqrstuvwxyz") != NULL && strchr(text, '[') != NULL;
    }
  }
  assert_true(named > 500);
}

TEST(names_are_those_of_objects) {
  static const struct {
    cr_field_id field;
    int i;
    const char* name;
  } rows[] = {{CR_FIELD_dof_damping, 0, "dof_damping[leg_hip]"},
              {CR_FIELD_dof_damping, 3, "dof_damping[ankle][1]"},
              {CR_FIELD_dof_damping, 7, "dof_damping[7]"},
              {CR_FIELD_dof_dampingpoly, 1, "dof_dampingpoly[leg_hip][1]"},
              {CR_FIELD_dof_dampingpoly, 7, "dof_dampingpoly[3][1]"},
              {CR_FIELD_geom_size, 4, "geom_size[shank][1]"},
              {CR_FIELD_body_mass, 0, "body_mass[0]"},
              {CR_FIELD_body_mass, 2, "body_mass[shank]"},
              {CR_FIELD_gravity, 2, "gravity[2]"},
              {CR_FIELD_density, 0, "density"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[128];
    cri_target_name(&m, rows[i].field, rows[i].i, text, sizeof text);
    assert_string_equal(text, rows[i].name);
  }
}

TEST(objects_have_names_and_numbers) {
  assert_int_equal(cri_target_object(&m, CRI_OBJECT_body, "shank"), SHANK);
  assert_int_equal(cri_target_object(&m, CRI_OBJECT_body, "2"), SHANK);
  assert_int_equal(cri_target_object(&m, CRI_OBJECT_body, "7"), -1);
  assert_int_equal(cri_target_object(&m, CRI_OBJECT_body, ""), -1);
  assert_int_equal(cri_target_object(&m, CRI_OBJECT_body, "shan"), -1);
  assert_int_equal(cri_target_object(&m, CRI_OBJECT_body, "99999999999"), -1);
}
