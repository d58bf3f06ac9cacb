// SPDX-License-Identifier: Apache-2.0
// Soft comparisons: limits, values by hand, tangents; the transpose by directions.
#include "collision/soft.h"

#include "checks/pair_check.h"
#include "collision/soft_pairs.h"
#include "support/close.h"

#define TOLERANCE (64 * CR_EPS)

typedef cr_soft rounded(cr_soft x, cr_real s);

static cr_soft clip(cr_soft x, cr_real s) {
  return cri_soft_clip(x, (cr_soft){-1, 0}, (cr_soft){2, 0}, s);
}

TEST(comparisons_have_their_limits) {
  for (int i = -1; i <= 1; i += 2) {
    // far out, and where exp would overflow
    assert_close(cri_soft_step((cr_soft){CR_R(1e6) * (cr_real)i, 1}, CR_R(1e-3)).v, i > 0, 0);
    assert_close(cri_soft_ramp((cr_soft){CR_R(1e6) * (cr_real)i, 1}, CR_R(1e-3)).v,
                 i > 0 ? CR_R(1e6) : 0, 0);
    assert_close(clip((cr_soft){CR_R(1e6) * (cr_real)i, 1}, CR_R(1e-3)).v, i > 0 ? 2 : -1,
                 CR_R(1e6) * CR_EPS);
  }
  assert_close(cri_soft_step((cr_soft){0, 0}, CR_R(0.1)).v, CR_R(0.5), 0);
  assert_close(cri_soft_ramp((cr_soft){0, 0}, CR_R(0.1)).v, CR_R(0.1) * cr_log1p(1), TOLERANCE);
  cr_real e = cr_exp(-2);
  assert_close(cri_soft_step((cr_soft){CR_R(0.2), 0}, CR_R(0.1)).v, 1 / (1 + e), TOLERANCE);
  assert_close(clip((cr_soft){CR_R(0.5), 0}, CR_R(0.1)).v, CR_R(0.5), CR_R(1e-7));
}

TEST(tangents_match_differences) {
  rounded* f[] = {cri_soft_step, cri_soft_ramp, clip};
  cr_real h = CR_R(1e-4);
  for (int k = 0; k < 3; k++) {
    for (int i = -20; i <= 20; i++) {
      cr_real x = CR_R(0.17) * (cr_real)i, s = CR_R(0.3);
      cr_real far = f[k]((cr_soft){x + 2 * h, 0}, s).v - f[k]((cr_soft){x - 2 * h, 0}, s).v;
      cr_real near = f[k]((cr_soft){x + h, 0}, s).v - f[k]((cr_soft){x - h, 0}, s).v;
      assert_close(f[k]((cr_soft){x, 2}, s).tan, 2 * (8 * near - far) / (12 * h), CR_R(1e-10));
    }
  }
}

TEST(hint_turns_from_y_to_z) {
  cr_real hint[3];
  const cr_real up[3] = {0, 0, 1}, along[3] = {0, 1, 0};
  cri_soft_hint(up, up, CR_R(0.1), hint, NULL);
  assert_true(hint[1] > CR_R(0.98) && hint[2] < CR_R(0.02));
  cri_soft_hint(along, up, CR_R(0.1), hint, NULL);
  assert_true(hint[1] < CR_R(0.01) && hint[2] > CR_R(0.99));
  for (int i = -40; i <= 40; i++) {
    cr_real y = CR_R(0.025) * (cr_real)i, h = CR_R(1e-4), minus[3], plus[3], hint_tan[3];
    cri_soft_hint((const cr_real[3]){0, y - h, 0}, up, CR_R(0.1), minus, NULL);
    cri_soft_hint((const cr_real[3]){0, y + h, 0}, up, CR_R(0.1), plus, NULL);
    cri_soft_hint((const cr_real[3]){0, y, 0}, along, CR_R(0.1), hint, hint_tan);
    for (int k = 0; k < 3; k++) {
      assert_close(hint_tan[k], (plus[k] - minus[k]) / (2 * h), CR_R(1e-4));
    }
  }
}

TEST(transpose_adds_what_the_tangent_says) {
  cr_random r = cr_random_seed(1, 0);
  solid a = solid_random(&r, 0, 1, 1), b = solid_random(&r, CR_R(0.1), 1, 1);
  b.softness = CR_R(0.1);
  cr_shape x = solid_shape(&a), y = solid_shape(&b);
  const int32_t feature[4] = {1, 0, 0, 0};
  const cr_real local[6] = {0, 0, 0, 0, 0, 0};
  const cr_hit_tan hit_bar = {3, {1, -2, 4}, {5, 6, -7}, {8, -9, 1}};
  cr_shape_tan a_bar = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, b_bar = a_bar;
  cri_soft_bar(cri_soft_plane_cylinder_tan, &x, &y, feature, local, &hit_bar, &a_bar, &b_bar);
  const cr_shape_tan none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, turn = {{0}, {0, 1, 0}, {0}};
  cr_hit_tan t;
  cri_soft_plane_cylinder_tan(&x, &y, feature, local, &none, &turn, &t);
  cr_real expected = 1 + 3 * t.dist + cr_dot3(hit_bar.pos, t.pos) +
                     cr_dot3(hit_bar.normal, t.normal) + cr_dot3(hit_bar.hint, t.hint);
  assert_close(b_bar.rot[1], expected, TOLERANCE * cr_abs(expected));
}
