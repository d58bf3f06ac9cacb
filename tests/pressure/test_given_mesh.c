// SPDX-License-Identifier: Apache-2.0
// Given tetrahedra and triangles: levels by distance, fans, surfaces, and one sentence for each that does not fit.
#include "pressure/given_mesh.h"

#include "pressure/tetrahedron.h"
#include "support/close.h"

// a cube of sides 2 in triangles, one of them turned by `turn`
static const cr_real CUBE[8 * 3] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                    -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int32_t SIDES[12 * 3] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static cr_pressure_solid cube(void) {
  return (cr_pressure_solid){
      .size = sizeof(cr_pressure_solid), .nvert = 8, .vertex = CUBE, .nface = 12, .face = SIDES};
}

static cri_pressure_mesh made(const cr_pressure_solid* s, bool surface) {
  cri_pressure_mesh m;
  cr_error error;
  if (cri_given_mesh_make(s, surface, &m, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return m;
}

static cr_real volume(const cri_pressure_mesh* m) {
  cr_real sum = 0;
  for (int i = 0; i < m->ntet; i++) {
    cri_tetrahedron t;
    for (int k = 0; k < 4; k++) {
      cr_copy3(t.vertex[k], m->rest + 3 * m->tet[4 * i + k]);
    }
    assert_true(cri_tetrahedron_volume6(&t) > 0);
    sum += cri_tetrahedron_volume6(&t) / 6;
  }
  return sum;
}

TEST(a_closed_mesh_is_a_fan_from_its_centroid) {
  cr_pressure_solid s = cube();
  cri_pressure_mesh m = made(&s, false);
  assert_int_equal(m.ntet, 12);
  assert_close(volume(&m), 8, CR_R(1e-14));
  assert_close(cr_norm3(m.rest + 24), 0, CR_R(1e-15));
  assert_close(m.level[8], 1, 0);
  assert_close(m.level[7], 0, 0);
  cri_pressure_mesh_free(&m);
  int32_t inwards[36];
  for (int i = 0; i < 36; i++) {
    inwards[i] = SIDES[35 - i];
  }
  s.face = inwards;
  m = made(&s, false);
  assert_close(volume(&m), 8, CR_R(1e-14));
  cri_pressure_mesh_free(&m);
  m = made(&s, true);
  assert_int_equal(m.ntet, 12);
  assert_int_equal(m.tet[3], -1);
  cri_pressure_mesh_free(&m);
}

// the cube with its centre and a point halfway to the right: levels are distances from the surface over the largest
TEST(levels_are_distances_from_the_boundary) {
  cr_real vertex[10 * 3] = {0};
  int32_t tet[15 * 4];
  cr_copy(vertex, CUBE, 24);
  vertex[27] = CR_R(0.5);
  int n = 0;
  for (int i = 0; i < 10; i++, n++) {  // from the centre to all sides but the right one
    const int32_t one[4] = {SIDES[3 * i], SIDES[3 * i + 1], SIDES[3 * i + 2], 8};
    memcpy(tet + 4 * n, one, sizeof one);
  }
  for (int i = 10; i < 12; i++, n++) {  // from the point to the right one
    const int32_t one[4] = {SIDES[3 * i], SIDES[3 * i + 1], SIDES[3 * i + 2], 9};
    memcpy(tet + 4 * n, one, sizeof one);
  }
  const int32_t ring[4] = {1, 3, 7, 5};
  for (int i = 0; i < 3; i++, n++) {  // and between both; one side of the ring stays open
    const int32_t one[4] = {8, 9, ring[i], ring[i + 1]};
    memcpy(tet + 4 * n, one, sizeof one);
  }
  cr_pressure_solid s = {.size = sizeof s, .nvert = 10, .vertex = vertex, .ntet = n, .tet = tet};
  cri_pressure_mesh m;
  cr_error error;
  // the open side makes both points a part of the boundary
  assert_int_equal(cri_given_mesh_make(&s, false, &m, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "none of its vertices has a level above 0"));
  int32_t all[16 * 4];
  memcpy(all, tet, sizeof tet);
  const int32_t last[4] = {8, 9, ring[3], ring[0]};
  memcpy(all + 4 * n, last, sizeof last);
  s.tet = all;
  s.ntet = n + 1;
  m = made(&s, false);
  assert_close(volume(&m), 8, CR_R(1e-14));
  assert_close(m.level[8], 1, 0);
  assert_close(m.level[9], CR_R(0.5), CR_R(1e-15));
  assert_close(m.level[0], 0, 0);
  cri_pressure_mesh_free(&m);
  m = made(&s, true);
  assert_int_equal(m.ntet, 12);
  cri_pressure_mesh_free(&m);
}

static void refuse(const cr_pressure_solid* s, const char* text) {
  cri_pressure_mesh m;
  cr_error error;
  assert_int_equal(cri_given_mesh_make(s, false, &m, &error), CR_ERR_ARG);
  if (strstr(error.text, text) == NULL) {
    fail_msg("'%s' without '%s'", error.text, text);
  }
  assert_int_equal(m.ntet, 0);
}

TEST(what_does_not_fit_is_refused_in_one_sentence) {
  cr_pressure_solid s = cube();
  s.nface = 11;
  refuse(&s, "its surface is open");
  s = cube();
  s.nvert = 7;
  refuse(&s, "has vertex 7, of 7");
  s = cube();
  s.nvert = 3;
  refuse(&s, "its mesh has 3 vertices");
  s = cube();
  s.ntet = 1;
  s.tet = SIDES;
  refuse(&s, "1 tetrahedra and 12 triangles, either of them expected");
  const int32_t flat[4] = {0, 1, 2, 3}, twice[8] = {0, 1, 2, 4, 0, 1, 2, 7};
  s = (cr_pressure_solid){.size = sizeof s, .nvert = 8, .vertex = CUBE, .ntet = 1, .tet = flat};
  refuse(&s, "tetrahedron 0 is flat");
  s.ntet = 2;
  s.tet = twice;
  refuse(&s, "tetrahedra 0 and 1 coincide at their face of vertices 0, 1 and 2");
  const cr_real level[8] = {0, 0, 0, 0, 0, 0, 0, 1}, below[8] = {0, -1};
  const int32_t outside[4] = {0, 1, 2, 7};
  s.ntet = 1;
  s.tet = outside;
  s.level = level;
  refuse(&s, "vertex 7 on the boundary has a level of 1, 0 expected there");
  s.level = below;
  refuse(&s, "vertex 1 has a level of -1, 0 or more expected");
  const int32_t two_sides[6] = {0, 1, 2, 2, 1, 0};
  s = (cr_pressure_solid){
      .size = sizeof s, .nvert = 8, .vertex = CUBE, .nface = 2, .face = two_sides};
  refuse(&s, "enclose no volume");
}

// a long bent body, an L of three cubes: from its centroid not all sides are seen
TEST(a_body_that_is_not_star_shaped_needs_tetrahedra) {
  const cr_real outline[6][2] = {{0, 0}, {9, 0}, {9, 1}, {1, 1}, {1, 9}, {0, 9}};
  static const int32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  cr_real vertex[12 * 3];
  int32_t face[20 * 3];
  int n = 0;
  for (int i = 0; i < 6; i++) {
    const int next = (i + 1) % 6;
    const int32_t side[6] = {i, next, 6 + next, i, 6 + next, 6 + i};
    for (int up = 0; up < 2; up++) {
      cr_copy(vertex + 3 * (6 * up + i), outline[i], 2);
      vertex[3 * (6 * up + i) + 2] = (cr_real)up;
    }
    memcpy(face + 3 * n, side, sizeof side);
    n += 2;
  }
  for (int i = 0; i < 4; i++) {
    const int32_t low[3] = {cap[i][0], cap[i][2], cap[i][1]};
    const int32_t high[3] = {6 + cap[i][0], 6 + cap[i][1], 6 + cap[i][2]};
    memcpy(face + 3 * n++, low, sizeof low);
    memcpy(face + 3 * n++, high, sizeof high);
  }
  const cr_pressure_solid s = {
      .size = sizeof s, .nvert = 12, .vertex = vertex, .nface = n, .face = face};
  refuse(&s, "does not face the centroid of the mesh");
  cri_pressure_mesh m = made(&s, true);  // a rigid one needs none
  assert_int_equal(m.ntet, n);
  cri_pressure_mesh_free(&m);
}
