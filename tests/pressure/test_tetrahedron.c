// SPDX-License-Identifier: Apache-2.0
// Shares are barycentric coordinates, the field goes through the pressures of the vertices; derivatives; flat ones.
#include "pressure/tetrahedron.h"

#include "base/random.h"
#include "support/close.h"

static cri_tetrahedron drawn(cr_random* r) {
  cri_tetrahedron t;
  do {
    for (int i = 0; i < 12; i++) {
      t.vertex[i / 3][i % 3] = cr_random_normal(r);
    }
  } while (cr_abs(cri_tetrahedron_volume6(&t)) < CR_R(0.3));
  for (int i = 0; i < 4; i++) {
    t.pressure[i] = cr_random_normal(r);
  }
  assert_true(cri_tetrahedron_complete(&t));
  return t;
}

TEST(shares_are_one_at_their_vertex_and_the_field_has_the_pressures) {
  cr_random r = cr_random_seed(1, 0);
  for (int k = 0; k < 100; k++) {
    cri_tetrahedron t = drawn(&r);
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        assert_close(cri_affine(t.share[i], t.vertex[j]), i == j, CR_R(1e-12));
      }
      assert_close(cri_affine(t.field, t.vertex[i]), t.pressure[i], CR_R(1e-12));
    }
  }
}

static cri_tetrahedron moved(const cri_tetrahedron* t, const cri_tetrahedron* t_tan, cr_real h) {
  cri_tetrahedron x = *t;
  for (int i = 0; i < 4; i++) {
    cr_accscl3(x.vertex[i], t_tan->vertex[i], h);
    x.pressure[i] += h * t_tan->pressure[i];
  }
  assert_true(cri_tetrahedron_complete(&x));
  return x;
}

// the tangent against differences of order four, the cotangent against the tangent
TEST(derivatives_agree_with_differences_and_with_each_other) {
  const cr_real h = cr_pow(CR_EPS, CR_R(0.2)) / 50;
  cr_random r = cr_random_seed(2, 0);
  for (int k = 0; k < 50; k++) {
    cri_tetrahedron t = drawn(&r), t_tan = drawn(&r), t_bar = drawn(&r), x[4];
    cri_tetrahedron_complete_tan(&t, &t_tan);
    for (int i = 0; i < 4; i++) {
      const cr_real at[4] = {-2, -1, 1, 2};
      x[i] = moved(&t, &t_tan, h * at[i]);
    }
    cr_real out = 0, in = 0;
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        cr_real slope =
            (x[0].share[i][j] - 8 * x[1].share[i][j] + 8 * x[2].share[i][j] - x[3].share[i][j]) /
            (12 * h);
        assert_close(t_tan.share[i][j], slope, 100 * CR_EPS / h * (1 + cr_abs(slope)));
        out += t_bar.share[i][j] * t_tan.share[i][j];
      }
      cr_real slope =
          (x[0].field[i] - 8 * x[1].field[i] + 8 * x[2].field[i] - x[3].field[i]) / (12 * h);
      assert_close(t_tan.field[i], slope, 100 * CR_EPS / h * (1 + cr_abs(slope)));
      out += t_bar.field[i] * t_tan.field[i];
    }
    memset(t_bar.vertex, 0, sizeof t_bar.vertex);
    memset(t_bar.pressure, 0, sizeof t_bar.pressure);
    cri_tetrahedron_complete_bar(&t, &t_bar);
    for (int i = 0; i < 4; i++) {
      in += cr_dot3(t_bar.vertex[i], t_tan.vertex[i]) + t_bar.pressure[i] * t_tan.pressure[i];
    }
    assert_close(in, out, CR_R(1e-11) * (1 + cr_abs(out)));
  }
}

TEST(flat_ones_are_refused) {
  cri_tetrahedron t = {.vertex = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {CR_R(0.3), CR_R(0.3), 0}}};
  assert_false(cri_tetrahedron_complete(&t));
  t.vertex[3][2] = CR_R(1e-14);
  assert_false(cri_tetrahedron_complete(&t));
  t.vertex[3][2] = CR_R(1e-3);
  assert_true(cri_tetrahedron_complete(&t));
  t.vertex[3][2] = (cr_real)NAN;
  assert_false(cri_tetrahedron_complete(&t));
}
