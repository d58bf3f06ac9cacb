// SPDX-License-Identifier: Apache-2.0
// Distances of geoms of a model: closed forms, both orders, the reach, and derivatives over all types.
#include "collision/distance.h"

#include "collision/collision.h"
#include "math/quat.h"
#include "model/build.h"
#include "model/fields.h"
#include "scenes/random_model.h"
#include "support/close.h"

// two geoms of the world, side by side
typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
} two;

static void open_two(two* s, int type1, int type2) {
  const int32_t parents[] = {0}, jntnums[] = {0};
  *s = (two){0};
  assert_int_equal(cri_model_sizes(&s->m, 1, parents, jntnums, NULL, NULL), CR_OK);
  s->m.ngeom = 2;
  assert_int_equal(cri_model_allocate(&s->m, NULL), CR_OK);
  cri_model_defaults(&s->m);
  s->m.geom_type[0] = type1;
  s->m.geom_type[1] = type2;
  for (int k = 0; k < 6; k++) {
    s->m.geom_size[k] = CR_R(0.1) * (cr_real)(1 + k % 3);
  }
  bool wanted[CR_N_FIELD] = {[CR_FIELD_geom_size] = true};
  assert_int_equal(cri_model_derive(&s->m, NULL), CR_OK);
  s->d = test_data(&s->m);
  assert_int_equal(cri_data_twin(&s->tan, &s->m, s->d, CR_DATA_TANGENT, wanted, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&s->bar, &s->m, s->d, CR_DATA_COTANGENT, wanted, NULL), CR_OK);
  for (int g = 0; g < 2; g++) {
    const cr_real still[4] = {1, 0, 0, 0};
    cr_quat_to_mat(s->d->geom_xmat + 9 * g, still);
  }
}

static void close_two(two* s) {
  cri_data_free(s->tan);
  cri_data_free(s->bar);
  cri_model_free(&s->m);
}

static void put(two* s, int g, cr_real x, cr_real y, cr_real z) {
  cr_real* pos = s->d->geom_xpos + 3 * g;
  pos[0] = x;
  pos[1] = y;
  pos[2] = z;
}

// boxes corner to corner, which no contact between faces has; and a box in a box
TEST(boxes) {
  two s;
  cri_distance x;
  open_two(&s, CR_GEOM_BOX, CR_GEOM_BOX);
  put(&s, 1, CR_R(0.5), CR_R(0.6), CR_R(1.2));
  assert_true(cri_distance_of(&s.m, s.d, 0, 1, 10, &x));
  assert_close(x.dist, cr_sqrt(CR_R(0.49)), CR_R(1e-14));  // (0.3, 0.2, 0.6)
  assert_close(x.normal[2], CR_R(0.6) / CR_R(0.7), CR_R(1e-13));
  assert_close(x.pos[0], CR_R(0.25), CR_R(1e-13));
  put(&s, 1, 0, CR_R(0.05), CR_R(0.55));
  assert_true(cri_distance_of(&s.m, s.d, 0, 1, 10, &x));
  assert_close(x.dist, CR_R(-0.05), CR_R(1e-13));
  assert_close(x.normal[2], 1, CR_R(1e-13));
  close_two(&s);
}

TEST(the_other_order_is_the_same_segment) {
  cr_random r = cr_random_seed(1, 0);
  int found = 0;
  for (int i = 0; i < 400; i++) {
    two s;
    cri_distance x, y;
    cr_real a[6], b[6];
    open_two(&s, CR_GEOM_SPHERE + i % 5, CR_GEOM_SPHERE + i / 5 % 5);
    for (int g = 0; g < 2; g++) {
      cr_real q[4];
      random_unit_quat(&r, q);
      cr_quat_to_mat(s.d->geom_xmat + 9 * g, q);
      put(&s, g, cr_random_normal(&r), cr_random_normal(&r), cr_random_normal(&r));
    }
    bool near = cri_distance_of(&s.m, s.d, 0, 1, 2, &x);
    assert_true(near == cri_distance_of(&s.m, s.d, 1, 0, 2, &y));
    found += near;
    if (near) {
      cri_distance_ends(&x, a);
      cri_distance_ends(&y, b);
      assert_close(x.dist, y.dist, CR_R(1e-12));
      for (int k = 0; k < 3; k++) {
        assert_close(x.normal[k], -y.normal[k], CR_R(1e-7));
        assert_close(a[k], b[3 + k], CR_R(1e-7));
        assert_close(a[3 + k], b[k], CR_R(1e-7));
        assert_close(a[3 + k] - a[k], x.normal[k] * x.dist, CR_R(1e-13));
      }
    }
    close_two(&s);
  }
  assert_true(found > 100 && found < 400);
}

// found below the reach, and not at it; types that never meet have no distance
TEST(the_reach) {
  two s;
  cri_distance x;
  open_two(&s, CR_GEOM_SPHERE, CR_GEOM_SPHERE);
  put(&s, 1, 1, 0, 0);
  assert_true(cri_distance_of(&s.m, s.d, 0, 1, CR_R(0.8001), &x));
  assert_close(x.dist, CR_R(0.8), CR_R(1e-14));
  assert_false(cri_distance_of(&s.m, s.d, 0, 1, CR_R(0.7999), &x));
  assert_true(x.dist == CR_R(0.7999));
  assert_false(cri_distance_of(&s.m, s.d, 0, 1, 0, &x));
  close_two(&s);
  open_two(&s, CR_GEOM_PLANE, CR_GEOM_SPHERE);
  put(&s, 1, 50, -70, CR_R(0.3));  // far from where the plane's frame is
  assert_true(cri_distance_of(&s.m, s.d, 1, 0, 1, &x));
  assert_close(x.dist, CR_R(0.2), CR_R(1e-14));
  assert_close(x.normal[2], -1, CR_R(1e-14));
  close_two(&s);
  open_two(&s, CR_GEOM_PLANE, CR_GEOM_PLANE);
  assert_false(cri_distance_of(&s.m, s.d, 0, 1, 1, &x));
  close_two(&s);
}

// the tangent of the distance is what differences of it are, and the transpose is its transpose
TEST(derivatives) {
  cr_random r = cr_random_seed(2, 0);
  int compared = 0;
  for (int i = 0; i < 300; i++) {
    two s;
    cri_distance x, moved[2];
    cr_hit_tan x_tan, x_bar;
    cr_real v[6], w[6], size_tan[6];
    open_two(&s, i % 7 == 1 ? CR_GEOM_PLANE : i % 7, i / 7 % 5 + 2);
    cr_real pos[6], mat[18], quat[8];
    for (int g = 0; g < 2; g++) {
      random_unit_quat(&r, quat + 4 * g);
      cr_quat_to_mat(mat + 9 * g, quat + 4 * g);
    }
    for (int k = 0; k < 6; k++) {
      pos[k] = CR_R(0.4) * cr_random_normal(&r);
      v[k] = cr_random_normal(&r);
      w[k] = cr_random_normal(&r);
      size_tan[k] = CR_R(0.1) * cr_random_normal(&r);
    }
    cr_copy(s.d->geom_xpos, pos, 6);
    cr_copy(s.d->geom_xmat, mat, 18);
    bool near = s.m.geom_type[0] < CR_GEOM_MESH && cri_distance_of(&s.m, s.d, 0, 1, 5, &x);
    if (near) {
      cr_copy(s.tan->geom_xpos, v, 6);
      cr_copy(s.tan->par.geom_size, size_tan, 6);
      for (int g = 0; g < 2; g++) {
        cr_rot_tan(s.tan->geom_xmat + 9 * g, w + 3 * g, mat + 9 * g);
      }
      cri_distance_tan(&s.m, s.d, s.tan, &x, &x_tan);
      x_bar = (cr_hit_tan){.dist = cr_random_normal(&r)};
      for (int k = 0; k < 3; k++) {
        x_bar.pos[k] = cr_random_normal(&r);
        x_bar.normal[k] = cr_random_normal(&r);
      }
      cri_distance_bar(&s.m, s.d, s.bar, &x, &x_bar);
      cr_real left = x_bar.dist * x_tan.dist + cr_dot3(x_bar.pos, x_tan.pos) +
                     cr_dot3(x_bar.normal, x_tan.normal);
      cr_real right = 0, scale = 1 + cr_abs(left);
      for (int k = 0; k < 18; k++) {
        right += s.bar->geom_xmat[k] * s.tan->geom_xmat[k];
        right += k < 6 ? s.bar->geom_xpos[k] * v[k] + s.bar->par.geom_size[k] * size_tan[k] : 0;
        scale += cr_abs(s.bar->geom_xmat[k]);
      }
      assert_close(left, right, CR_R(1e-11) * scale);
      const cr_real h = CR_R(1e-6);
      for (int side = 0; side < 2; side++) {
        cr_real step = side == 0 ? -h : h;
        for (int k = 0; k < 6; k++) {
          s.d->geom_xpos[k] = pos[k] + step * v[k];
          s.m.geom_size[k] += side == 0 ? -h * size_tan[k] : 2 * h * size_tan[k];
        }
        for (int g = 0; g < 2; g++) {
          cr_real moved_quat[4], axis[3];
          // world axes: turned on the left
          cr_multmat3(axis, mat + 9 * g, w + 3 * g);
          cr_copy(moved_quat, quat + 4 * g, 4);
          cr_quat_integrate(moved_quat, axis, step);
          cr_quat_to_mat(s.d->geom_xmat + 9 * g, moved_quat);
        }
        assert_true(cri_distance_of(&s.m, s.d, 0, 1, 5, &moved[side]));
      }
      bool same = memcmp(moved[0].hit.feature, moved[1].hit.feature, sizeof x.hit.feature) == 0;
      if (same) {
        assert_close((moved[1].dist - moved[0].dist) / (2 * h), x_tan.dist,
                     CR_R(1e-7) * (1 + cr_abs(x_tan.dist)));
        compared++;
      }
    }
    close_two(&s);
  }
  assert_true(compared > 150);
}
