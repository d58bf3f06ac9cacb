// SPDX-License-Identifier: Apache-2.0
// Triangles that close and that do not, the boundary of tetrahedra, equal vertices, volume and centroid.
#include "pressure/closed_surface.h"

#include "support/close.h"

// a tetrahedron at the origin with edges of 1
static const cr_real CORNER[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int32_t CLOSED[4 * 3] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1};
static const int32_t OWN[4] = {0, 1, 2, 3};

static void refuse(int nface, const int32_t* face, const char* text) {
  cr_error error;
  assert_int_equal(cri_surface_closes(nface, face, OWN, &error), CR_ERR_ARG);
  if (strstr(error.text, text) == NULL) {
    fail_msg("'%s' without '%s'", error.text, text);
  }
}

TEST(triangles_close_or_one_sentence_says_where_not) {
  cr_error error;
  int32_t face[8 * 3];
  assert_int_equal(cri_surface_closes(4, CLOSED, OWN, &error), CR_OK);
  refuse(3, CLOSED, "its surface is open: the edge from vertex 0 to 1 belongs to triangle 2 alone");
  memcpy(face, CLOSED, sizeof CLOSED);
  face[0] = 2;
  face[1] = 1;  // turned over
  refuse(4, face,
         "triangles 0 and 3 do not make one closed surface at the edge from vertex 1 to 2");
  memcpy(face, CLOSED, sizeof CLOSED);
  memcpy(face + 12, CLOSED, sizeof CLOSED);
  refuse(8, face, "they coincide, or one is turned over");
}

// vertices that are listed once for each triangle close too, and triangles without area do not count
TEST(equal_vertices_are_one) {
  cr_real vertex[15 * 3];
  int32_t face[5 * 3], first[15];
  cr_error error;
  for (int i = 0; i < 12; i++) {
    cr_copy3(vertex + 3 * i, CORNER + 3 * CLOSED[i]);
    face[i] = i;
  }
  for (int i = 12; i < 15; i++) {
    cr_copy3(vertex + 3 * i, CORNER + 3 * (i == 12));
    face[i] = i;
  }
  assert_int_equal(cri_equal_vertices(15, vertex, first, &error), CR_OK);
  assert_int_equal(first[0], 0);
  assert_int_equal(first[11], 0);  // vertex 1 of the last triangle
  assert_int_equal(first[14], first[13]);
  assert_int_equal(cri_surface_closes(5, face, first, &error), CR_OK);
  vertex[4] = (cr_real)NAN;
  assert_int_equal(cri_equal_vertices(15, vertex, first, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "vertex 1 is at nan"));
}

// two tetrahedra on both sides of a triangle: six of their eight faces are outside
TEST(the_boundary_of_tetrahedra) {
  const int32_t tet[3 * 4] = {0, 1, 2, 3, 4, 2, 1, 3, 0, 1, 2, 3}, first[5] = {0, 1, 2, 3, 4};
  const cr_real vertex[5 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  int32_t boundary[12 * 3];
  int n;
  cr_error error;
  cr_real centroid[3];
  assert_int_equal(cri_tetrahedra_boundary(2, tet, first, boundary, &n, &error), CR_OK);
  assert_int_equal(n, 6);
  assert_int_equal(cri_surface_closes(n, boundary, first, &error), CR_OK);
  assert_close(cri_enclosed_volume6(n, boundary, vertex, centroid), 3, CR_R(1e-14));
  for (int k = 0; k < 3; k++) {  // (1/4 + 2 * 1/2) / 3
    assert_close(centroid[k], CR_R(1.25) / 3, CR_R(1e-14));
  }
  assert_int_equal(cri_tetrahedra_boundary(3, tet, first, boundary, &n, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "coincide at their face of vertices"));
}
