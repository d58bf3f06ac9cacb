// SPDX-License-Identifier: Apache-2.0
// Faces as the public call lists them: their sum is the force of the stage, in both orders of geoms; given tetrahedra of a
// primitive make its forces.
#include <stdlib.h>

#include "carom/step.h"
#include "engine/constants.h"
#include "pressure/pressure_scene.h"
#include "pressure/primitive_mesh.h"
#include "support/close.h"

enum { MOST = 4000 };

static const cr_pressure_options SOFT = {
    .size = sizeof SOFT, .kind = "compliant", .modulus = 1000, .around = 16};

// force on geom 2 and area of the surface between geoms 1 and 2
static cr_real listed(const cr_model* m, const cr_data* d, int geom1, int geom2, cr_real force[3]) {
  static cr_pressure_face face[MOST];
  cr_real area = 0;
  int n = 0, again = 0;
  cr_error error;
  assert_int_equal(cr_pressure_faces(m, d, geom1, geom2, MOST, face, &n, &error), CR_OK);
  assert_int_equal(cr_pressure_faces(m, d, geom1, geom2, 0, NULL, &again, &error), CR_OK);
  assert_int_equal(n, again);
  assert_true(n <= MOST);
  cr_zero3(force);
  for (int i = 0; i < n; i++) {
    cr_accscl3(force, face[i].normal, face[i].area * face[i].pressure);
    area += face[i].area;
    assert_true(face[i].pressure > 0 && face[i].area > 0);
  }
  return area;
}

// area and normal of each polygon are those of its face
static void corners_fit(const cr_model* m, const cr_data* d, int geom1, int geom2) {
  static cr_pressure_face face[MOST];
  static cr_real corner[8 * MOST][3];
  static int32_t ncorner[MOST];
  int n = 0, count = 0;
  cr_error error;
  assert_int_equal(cr_pressure_faces(m, d, geom1, geom2, MOST, face, &n, &error), CR_OK);
  assert_int_equal(
      cr_pressure_corners(m, d, geom1, geom2, 8 * MOST, corner[0], ncorner, &count, &error), CR_OK);
  assert_true(count <= 8 * MOST);
  int at = 0;
  for (int i = 0; i < n; i++) {
    cr_real twice[3] = {0}, u[3], v[3];
    for (int k = 1; k + 1 < ncorner[i]; k++) {
      cr_sub3(u, corner[at + k], corner[at]);
      cr_sub3(v, corner[at + k + 1], corner[at]);
      cr_acccross3(twice, u, v);
    }
    for (int k = 0; k < 3; k++) {
      assert_close(twice[k] / 2, face[i].area * face[i].normal[k],
                   CR_R(1e-12) * face[i].area + CR_R(1e-15));
    }
    at += ncorner[i];
  }
  assert_int_equal(at, count);
}

static cr_data* posed(cr_model* m) {
  cr_data* d = test_data(m);
  assert_int_equal(cr_constants(m, d), CR_OK);
  const cr_real low[3] = {0, 0, 1}, high[3] = {CR_R(0.02), CR_R(-0.03), CR_R(1.16)};
  const cr_real axis[3] = {CR_R(0.6), CR_R(0.8), 0};
  pressure_pose(m, d, 1, low, axis, CR_R(0.2));
  pressure_pose(m, d, 2, high, axis, CR_R(-0.5));
  assert_int_equal(cr_forward(m, d), CR_OK);
  return d;
}

TEST(faces_sum_to_the_force_of_the_stage) {
  const pressure_solid ball = {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = SOFT};
  const pressure_solid box = {
      .type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.1), CR_R(0.1)}, .field = SOFT};
  pressure_solid solid[PRESSURE_SOLIDS] = {ball, box};
  for (int kind = 0; kind < 3; kind++) {
    cr_model m;
    solid[0].field.kind = kind == 1 ? "rigid" : "compliant";
    solid[1].field.kind = kind == 2 ? "rigid" : "compliant";
    pressure_scene(&m, NULL, 2, solid);
    cr_data* d = posed(&m);
    cr_real there[3], back[3];
    const cr_real area = listed(&m, d, 1, 2, there);
    assert_true(area > CR_R(1e-3));
    corners_fit(&m, d, 1, 2);
    corners_fit(&m, d, 2, 1);
    assert_close(listed(&m, d, 2, 1, back), area, CR_R(1e-15));
    for (int k = 0; k < 3; k++) {
      assert_close(there[k], d->qfrc_pressure[6 + k], CR_R(1e-13));
      assert_close(back[k], d->qfrc_pressure[k], CR_R(1e-13));
    }
    test_release();
    cri_model_free(&m);
  }
}

// the tetrahedra of a sphere, given to a geom of another shape and size
TEST(given_tetrahedra_press_as_the_shape_that_has_them) {
  const cr_real size[3] = {CR_R(0.1), 0, 0};
  cri_pressure_mesh mesh;
  cr_error error;
  assert_int_equal(cri_primitive_mesh_make(CR_GEOM_SPHERE, size, 16, false, &mesh, &error), CR_OK);
  cr_real* vertex = calloc(3 * (size_t)mesh.nvert, sizeof *vertex);
  for (int i = 0; i < mesh.nvert; i++) {
    cri_pressure_vertex(mesh.rest + 3 * i, mesh.place + 9 * i, size, vertex + 3 * i);
  }
  const cr_pressure_solid given = {.size = sizeof given,
                                   .nvert = mesh.nvert,
                                   .vertex = vertex,
                                   .level = mesh.level,
                                   .ntet = mesh.ntet,
                                   .tet = mesh.tet};
  pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = SOFT},
      {.type = CR_GEOM_BOX, .size = {CR_R(0.1), CR_R(0.1), CR_R(0.1)}, .field = SOFT}};
  for (int kind = 0; kind < 2; kind++) {
    cr_model plain, own;
    cr_real force[2][3];
    solid[0].type = CR_GEOM_SPHERE;
    solid[0].field.kind = kind == 0 ? "compliant" : "rigid";
    solid[0].field.solid = NULL;
    pressure_scene(&plain, NULL, 2, solid);
    solid[0].type = CR_GEOM_ELLIPSOID;
    solid[0].field.solid = &given;
    pressure_scene(&own, NULL, 2, solid);
    const cr_real area = listed(&plain, posed(&plain), 1, 2, force[0]);
    assert_close(listed(&own, posed(&own), 1, 2, force[1]), area, CR_R(1e-13));
    for (int k = 0; k < 3; k++) {
      assert_close(force[1][k], force[0][k], CR_R(1e-12));
    }
    test_release();
    cri_model_free(&plain);
    cri_model_free(&own);
  }
  free(vertex);
  cri_pressure_mesh_free(&mesh);
}

TEST(what_is_no_pair_is_refused_or_has_no_faces) {
  const pressure_solid solid[PRESSURE_SOLIDS] = {
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}, .field = SOFT},
      {.type = CR_GEOM_SPHERE, .size = {CR_R(0.1)}}};
  cr_model m;
  pressure_scene(&m, NULL, 2, solid);
  cr_data* d = posed(&m);
  int n = 7;
  cr_error error;
  assert_int_equal(cr_pressure_faces(&m, d, 1, 2, 0, NULL, &n, &error), CR_OK);
  assert_int_equal(n, 0);
  assert_int_equal(cr_pressure_faces(&m, d, 1, 3, 0, NULL, &n, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "there is no geom 3"));
  assert_int_equal(cr_pressure_faces(&m, d, 1, 2, -1, NULL, &n, &error), CR_ERR_ARG);
  assert_int_equal(cr_pressure_faces(&m, d, 1, 2, 1, NULL, &n, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "faces is NULL"));
  cri_model_free(&m);
}
