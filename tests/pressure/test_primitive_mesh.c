// SPDX-License-Identifier: Apache-2.0
// Tetrahedra of primitives: they fill the shape, the level is the distance from the surface over the largest, boundaries
// are faces of three vertices of level 0, and volumes converge with refinement.
#include "pressure/primitive_mesh.h"

#include "base/random.h"
#include "model/model.h"
#include "pressure/tetrahedron.h"
#include "support/close.h"

static cri_pressure_mesh made(int type, const cr_real size[3], int around) {
  cri_pressure_mesh mesh;
  cr_error error;
  assert_int_equal(cri_primitive_mesh_make(type, size, around, false, &mesh, &error), CR_OK);
  return mesh;
}

static cri_tetrahedron tet_at(const cri_pressure_mesh* m, const cr_real size[3], int i) {
  cri_tetrahedron t;
  for (int k = 0; k < 4; k++) {
    int v = m->tet[4 * i + k];
    cri_pressure_vertex(m->rest + 3 * v, m->place + 9 * v, size, t.vertex[k]);
    t.pressure[k] = m->level[v];
  }
  assert_true(cri_tetrahedron_complete(&t));
  return t;
}

static cr_real volume(const cri_pressure_mesh* m, const cr_real size[3]) {
  cr_real sum = 0;
  for (int i = 0; i < m->ntet; i++) {
    cri_tetrahedron t = tet_at(m, size, i);
    assert_true(cri_tetrahedron_volume6(&t) > 0);
    sum += cri_tetrahedron_volume6(&t) / 6;
  }
  return sum;
}

// pressure at x, and in how many tetrahedra x lies
static int level_at(const cri_pressure_mesh* m, const cr_real size[3], const cr_real x[3],
                    cr_real* level) {
  int count = 0;
  for (int i = 0; i < m->ntet; i++) {
    cri_tetrahedron t = tet_at(m, size, i);
    bool inside = true;
    for (int k = 0; k < 4; k++) {
      inside = inside && cri_affine(t.share[k], x) >= 0;
    }
    if (inside) {
      *level = cri_affine(t.field, x);
      count++;
    }
  }
  return count;
}

TEST(volumes_are_those_of_the_shapes_and_converge_with_order_two) {
  const cr_real size[3] = {CR_R(0.3), CR_R(0.5), CR_R(0.7)};
  const cr_real flat[3] = {CR_R(0.5), CR_R(0.3), 0};
  const cr_real ball = 4 * CR_PI / 3;
  const struct {
    int type;
    const cr_real* size;
    cr_real volume;
  } shape[] = {{CR_GEOM_SPHERE, size, ball * CR_R(0.027)},
               {CR_GEOM_ELLIPSOID, size, ball * CR_R(0.105)},
               {CR_GEOM_CAPSULE, size, ball * CR_R(0.027) + CR_PI * CR_R(0.09)},
               {CR_GEOM_CYLINDER, size, CR_PI * CR_R(0.09)},
               {CR_GEOM_CYLINDER, flat, CR_PI * CR_R(0.25) * CR_R(0.6)}};
  for (size_t s = 0; s < sizeof shape / sizeof shape[0]; s++) {
    cr_real error[2];
    for (int k = 0; k < 2; k++) {
      cri_pressure_mesh m = made(shape[s].type, shape[s].size, k == 0 ? 32 : 64);
      error[k] = 1 - volume(&m, shape[s].size) / shape[s].volume;
      cri_pressure_mesh_free(&m);
    }
    assert_true(error[1] > 0 && error[1] < CR_R(0.01));
    assert_close(error[0] / error[1], 4, CR_R(0.1));
  }
}

// boxes, with one, two or three least sizes: the level is the distance from the surface over the least size
TEST(the_level_of_a_box_is_the_distance_from_its_surface) {
  const cr_real size[4][3] = {{1, 2, 3}, {2, 1, 1}, {1, 1, 1}, {3, 3, CR_R(0.5)}};
  cr_random r = cr_random_seed(1, 0);
  for (int s = 0; s < 4; s++) {
    cri_pressure_mesh m = made(CR_GEOM_BOX, size[s], 4);
    assert_close(volume(&m, size[s]), 8 * size[s][0] * size[s][1] * size[s][2], CR_R(1e-13) * 150);
    for (int k = 0; k < 200; k++) {
      cr_real x[3], level, distance = CR_MAX, least = CR_MAX;
      for (int i = 0; i < 3; i++) {
        x[i] = size[s][i] * (2 * cr_random_uniform(&r) - 1);
        distance = cr_min(distance, size[s][i] - cr_abs(x[i]));
        least = cr_min(least, size[s][i]);
      }
      assert_int_equal(level_at(&m, size[s], x, &level), 1);
      assert_close(level, distance / least, CR_R(1e-13));
    }
    cri_pressure_mesh_free(&m);
  }
}

// within the gap between the polyhedron and the round shape
TEST(the_level_of_round_shapes_is_the_distance_from_their_surface) {
  const cr_real size[3][3] = {
      {CR_R(0.5), 0, 0}, {CR_R(0.4), CR_R(0.9), 0}, {CR_R(0.9), CR_R(0.4), 0}};
  const int type[4] = {CR_GEOM_SPHERE, CR_GEOM_CAPSULE, CR_GEOM_CYLINDER, CR_GEOM_CYLINDER};
  const cr_real* of[4] = {size[0], size[1], size[1], size[2]};
  cr_random r = cr_random_seed(2, 0);
  for (int s = 0; s < 4; s++) {
    cri_pressure_mesh m = made(type[s], of[s], 32);
    int inside = 0;
    for (int k = 0; k < 400; k++) {
      cr_real x[3], level, R = of[s][0], h = of[s][1],
                           top = type[s] == CR_GEOM_CYLINDER ? h : h + R;
      for (int i = 0; i < 3; i++) {
        x[i] = (i < 2 ? R : top) * (2 * cr_random_uniform(&r) - 1);
      }
      cr_real radial = cr_sqrt(x[0] * x[0] + x[1] * x[1]), up = cr_abs(x[2]);
      cr_real past = cr_max(up - h, 0);
      cr_real distance = type[s] == CR_GEOM_CYLINDER ? cr_min(R - radial, h - up)
                                                     : R - cr_sqrt(radial * radial + past * past);
      distance /= type[s] == CR_GEOM_CYLINDER ? cr_min(R, h) : R;
      if (distance > CR_R(0.03)) {
        assert_int_equal(level_at(&m, of[s], x, &level), 1);
        assert_close(level, distance, CR_R(0.03));
        inside++;
      }
    }
    assert_true(inside > 100);
    cri_pressure_mesh_free(&m);
  }
}

// the volume that the triangles enclose, sum x . (y x z) / 6, is that of the tetrahedra; none is inside
TEST(the_surface_encloses_the_tetrahedra) {
  const cr_real size[3] = {CR_R(0.3), CR_R(0.5), CR_R(0.7)};
  for (int type = CR_GEOM_SPHERE; type <= CR_GEOM_BOX; type++) {
    cri_pressure_mesh solid = made(type, size, 16), surface;
    cr_error error;
    assert_int_equal(cri_primitive_mesh_make(type, size, 16, true, &surface, &error), CR_OK);
    cr_real sum = 0;
    for (int i = 0; i < surface.ntet; i++) {
      cr_real x[3][3], c[3];
      for (int k = 0; k < 3; k++) {
        const int v = surface.tet[4 * i + k];
        assert_true(surface.level[v] == 0);
        cri_pressure_vertex(surface.rest + 3 * v, surface.place + 9 * v, size, x[k]);
      }
      assert_int_equal(surface.tet[4 * i + 3], -1);
      cr_cross3(c, x[1], x[2]);
      sum += cr_dot3(x[0], c) / 6;
    }
    assert_close(sum, volume(&solid, size), CR_R(1e-12));
    cri_pressure_mesh_free(&solid);
    cri_pressure_mesh_free(&surface);
  }
}

TEST(bad_shapes_are_refused_in_one_sentence) {
  const cr_real size[3] = {1, 1, 1}, none[3] = {1, 0, 1}, far[3] = {1, 1, (cr_real)INFINITY};
  cri_pressure_mesh m;
  cr_error error;
  assert_int_equal(cri_primitive_mesh_make(CR_GEOM_PLANE, size, 8, false, &m, &error),
                   CR_ERR_UNSUPPORTED);
  assert_int_equal(cri_primitive_mesh_make(CR_GEOM_BOX, none, 8, false, &m, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "size 1 of the geom is 0, not above 0"));
  assert_int_equal(cri_primitive_mesh_make(CR_GEOM_BOX, far, 8, false, &m, &error), CR_ERR_ARG);
  const cr_real needle[3] = {CR_R(1e-5), CR_R(1e-5), 20};
  assert_int_equal(cri_primitive_mesh_make(CR_GEOM_BOX, needle, 8, false, &m, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "sizes 1e-05, 1e-05, 20 make its tetrahedra flat"));
  assert_int_equal(cri_primitive_mesh_make(CR_GEOM_SPHERE, size, 6, false, &m, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "6 edges around a circle"));
  assert_int_equal(m.ntet, 0);
}
