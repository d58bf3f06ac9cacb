// SPDX-License-Identifier: Apache-2.0
// Added mass and inertia: closed forms of spheres and spheroids, within what fifteen nodes of eight digits
// give; invariants that hold to rounding; and the transpose against differences.
#include "engine/added_mass.h"

#include "base/random.h"
#include "scenes/random_model.h"
#include "support/close.h"

// the rule is good to 1e-6 for bodies that are not needles
static const cr_real rule = CR_R(2e-5);

TEST(sphere) {
  const cr_real s[3] = {CR_R(0.3), CR_R(0.3), CR_R(0.3)};
  cr_real out[6], volume = 4 * CR_PI / 3 * CR_R(0.027);
  cri_added_mass(s, out);
  for (int i = 0; i < 3; i++) {
    assert_close(out[i], volume / 2, CR_R(1e-6) * volume);
    assert_true(out[3 + i] == 0);
  }
  cr_real out_bar[6] = {0, 0, 0, 1, 1, 1}, s_bar[3] = {0};
  cri_added_mass_vjp(s, out_bar, s_bar);
  assert_true(s_bar[0] == 0 && s_bar[1] == 0 && s_bar[2] == 0);
}

// Lamb, Hydrodynamics, 114: elementary integrals of a prolate spheroid
TEST(prolate_spheroid) {
  for (int k = 0; k < 4; k++) {
    const cr_real a = 1, b = (const cr_real[]){CR_R(0.9), CR_R(0.5), CR_R(0.3), CR_R(0.1)}[k];
    cr_real e = cr_sqrt(1 - b * b), log = cr_log((1 + e) / (1 - e)), e3 = e * e * e;
    cr_real along = 2 * (1 - e * e) / e3 * (log / 2 - e);
    cr_real across = 1 / (e * e) - (1 - e * e) / (2 * e3) * log;
    cr_real volume = 4 * CR_PI / 3 * a * b * b, d = a * a - b * b, sum = a * a + b * b;
    cr_real inertia = volume / 5 * d * d * (across - along) / (2 * d - sum * (across - along)),
            out[6];
    cri_added_mass((const cr_real[3]){b, a, b}, out);
    assert_close(out[1], volume * along / (2 - along), rule * volume);
    assert_close(out[0], volume * across / (2 - across), rule * volume);
    assert_close(out[2], out[0], CR_R(1e-14) * volume);
    assert_close(out[3], inertia, CR_R(1e-4) * inertia);
    assert_close(out[5], out[3], CR_R(1e-13) * inertia);
    assert_close(out[4], 0, CR_R(1e-13) * inertia);
  }
}

// lengths times c: masses times c^3, inertias times c^5; axes renamed, numbers renamed
TEST(scales_and_turns) {
  cr_random r = cr_random_seed(1, 9);
  for (int k = 0; k < 20; k++) {
    cr_real s[3], t[3], a[6], b[6], c = cr_exp(cr_random_normal(&r));
    for (int i = 0; i < 3; i++) {
      s[i] = cr_exp(cr_random_normal(&r));
    }
    cri_added_mass(s, a);
    for (int i = 0; i < 3; i++) {
      t[i] = c * s[(i + 1) % 3];
    }
    cri_added_mass(t, b);
    for (int i = 0; i < 3; i++) {
      int from = (i + 1) % 3;
      assert_close(b[i], c * c * c * a[from], 1000 * CR_EPS * b[i]);
      assert_close(b[3 + i], c * c * c * c * c * a[3 + from], 1e5 * CR_EPS * b[3 + i]);
    }
  }
}

static cr_real weighted(const cr_real s[3], const cr_real w[6]) {
  cr_real out[6], sum = 0;
  cri_added_mass(s, out);
  for (int i = 0; i < 6; i++) {
    sum += w[i] * out[i];
  }
  return sum;
}

TEST(vjp_matches_differences) {
  cr_random r = cr_random_seed(2, 9);
  const cr_real steps[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  for (int k = 0; k < 40; k++) {
    cr_real s[3], w[6], out[6], s_bar[3] = {0};
    for (int i = 0; i < 3; i++) {
      s[i] = cr_exp(cr_random_normal(&r));
    }
    cri_added_mass(s, out);
    for (int i = 0; i < 6; i++) {
      w[i] = cr_random_normal(&r) / out[i];
    }
    cri_added_mass_vjp(s, w, s_bar);
    for (int i = 0; i < 3; i++) {
      cr_real h = CR_R(3e-4) * s[i], slope = 0;
      for (int n = 0; n < 4; n++) {
        cr_real moved[3] = {s[0], s[1], s[2]};
        moved[i] += steps[n] * h;
        slope += weights[n] * weighted(moved, w) / (12 * h);
      }
      assert_close(s_bar[i] * s[i], slope * s[i], CR_R(1e-8) * (1 + cr_abs(slope * s[i])));
    }
  }
}

// geoms without the ellipsoid model, and coefficients that are given, stay
TEST(only_ellipsoids) {
  cr_model m, kept;
  int derived = 0;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  assert_int_equal(cri_model_copy(&kept, &m, NULL), CR_OK);
  cri_added_masses(&m);
  for (int i = 0; i < 12 * m.ngeom; i++) {
    bool is = cri_added_mass_derives(&m, i);
    assert_true(is == (i % 12 >= 6 && m.geom_fluid[i / 12 * 12] == 1));
    assert_true(is || m.geom_fluid[i] == kept.geom_fluid[i]);
    derived += is && m.geom_fluid[i] != kept.geom_fluid[i];
  }
  assert_true(derived > 0);
  cri_model_free(&kept);
  cri_model_free(&m);
}
