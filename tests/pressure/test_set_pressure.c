// SPDX-License-Identifier: Apache-2.0
// Fields given to geoms: what they leave in the model, and what is refused in one sentence.
#include "pressure/pressure_scene.h"
#include "support/close.h"

static const cr_pressure_options SOFT = {.size = sizeof SOFT, .kind = "compliant", .modulus = 1000};

static void open_plain(cr_model* m) {
  const pressure_solid solid[PRESSURE_SOLIDS] = {{.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}},
                                                 {.type = CR_GEOM_MESH, .size = {1, 1, 1}}};
  pressure_scene(m, NULL, 1, solid);
}

TEST(a_field_is_part_of_the_model) {
  cr_model m, copy;
  cr_error error;
  open_plain(&m);
  assert_int_equal(cr_model_set_pressure(&m, 1, &SOFT, &error), CR_OK);
  assert_int_equal(m.geom_pressure_kind[1], CR_PRESSURE_COMPLIANT);
  assert_int_equal(m.geom_pressure_tetnum[1], 8 * 36);  // 24 edges around: 6 a quarter
  assert_close(m.geom_pressure[4], 1000, 0);
  assert_close(m.geom_pressure[4 + 2], CR_R(0.01), 0);
  assert_int_equal(cri_model_copy(&copy, &m, &error), CR_OK);
  assert_int_equal(copy.npressuretet, m.npressuretet);
  assert_memory_equal(copy.pressure_tet, m.pressure_tet,
                      sizeof(int32_t) * 4 * (size_t)m.npressuretet);
  cri_model_free(&copy);
  cri_model_free(&m);
}

static void refuse(cr_model* m, int geom, cr_pressure_options o, cr_status status,
                   const char* text) {
  cr_error error;
  assert_int_equal(cr_model_set_pressure(m, geom, &o, &error), status);
  if (strstr(error.text, text) == NULL) {
    fail_msg("'%s' without '%s'", error.text, text);
  }
}

TEST(bad_fields_are_refused_in_one_sentence) {
  cr_model m;
  cr_error error;
  open_plain(&m);
  cr_pressure_options o = SOFT;
  refuse(&m, 7, o, CR_ERR_ARG, "there is no geom 7");
  o.modulus = 0;
  refuse(&m, 1, o, CR_ERR_ARG, "modulus is 0, above 0 expected");
  o = SOFT;
  o.dissipation = (cr_real)NAN;
  refuse(&m, 1, o, CR_ERR_ARG, "dissipation is nan, 0 or more expected");
  o = SOFT;
  refuse(&m, 0, o, CR_ERR_ARG, "thickness is 0, above 0 expected");
  o.kind = "soft";
  refuse(&m, 1, o, CR_ERR_ARG, "kind 'soft', 'compliant' or 'rigid' expected");
  o = SOFT;
  o.around = 7;
  refuse(&m, 1, o, CR_ERR_ARG, "7 edges around a circle");
  assert_int_equal(m.npressuretet, 0);
  m.geom_type[1] = CR_GEOM_MESH;
  refuse(&m, 1, SOFT, CR_ERR_UNSUPPORTED, "it has no mesh to make a pressure field of");
  m.geom_type[1] = CR_GEOM_HFIELD;
  refuse(&m, 1, SOFT, CR_ERR_UNSUPPORTED, "geoms of type 1 have none");
  const cr_pressure_solid none = {.size = sizeof none};
  o.around = 0;
  o.kind = SOFT.kind;
  o.solid = &none;
  refuse(&m, 1, o, CR_ERR_ARG, "geom 1 (''): its mesh has 0 vertices");
  o.thickness = 1;
  refuse(&m, 0, o, CR_ERR_ARG, "a plane has no elements of its own");
  m.geom_type[1] = CR_GEOM_SPHERE;
  assert_int_equal(cr_model_set_pressure(&m, 1, &SOFT, &error), CR_OK);
  refuse(&m, 1, SOFT, CR_ERR_ARG, "there is one");
  cri_model_free(&m);
}
