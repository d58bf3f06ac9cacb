// SPDX-License-Identifier: Apache-2.0
// Moves and rates on the configuration manifold: what they mean, and their derivatives.
#include "kinematics/configuration.h"

#include "base/random.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "support/close.h"

static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL, CR_JNT_HINGE, CR_JNT_SLIDE};

enum { NV = 11, NQ = 13 };

typedef struct {
  cr_model m;
  cr_real q[NQ], v[NV], a[NV], b[NV];
  cr_random random;
} fixture;

static fixture f;

static void fill(cr_real* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = cr_random_normal(&f.random);
  }
}

static void begin(void) {
  assert_int_equal(chain_model(&f.m, 4, joints, 0, NULL), CR_OK);
  f.random = cr_random_seed(1, 46);
  fill(f.q, NQ);
  cr_quat_normalize(f.q + 3);
  cr_quat_normalize(f.q + 7);
  fill(f.v, NV);
  fill(f.a, NV);
  fill(f.b, NV);
}

static void end(void) { cri_model_free(&f.m); }

// d (-) c in tangent coordinates at c
static void difference(const cr_real* to, const cr_real* from, cr_real* x) {
  for (int i = 0; i < 3; i++) {
    x[i] = to[i] - from[i];
  }
  cr_quat_sub(x + 3, to + 3, from + 3);
  cr_quat_sub(x + 6, to + 7, from + 7);
  x[9] = to[11] - from[11];
  x[10] = to[12] - from[12];
}

TEST(moves_add_up_along_one_direction) {
  begin();
  cr_real half[NQ], twice[NQ], once[NQ], x[NV];
  cri_configuration_move(&f.m, f.q, f.v, CR_R(0.15), half);
  cri_configuration_move(&f.m, half, f.v, CR_R(0.15), twice);
  cri_configuration_move(&f.m, f.q, f.v, CR_R(0.3), once);
  assert_all_close(twice, once, NQ, 10 * ROUND_OFF);
  difference(once, f.q, x);
  for (int i = 0; i < NV; i++) {
    assert_close(x[i], CR_R(0.3) * f.v[i], 10 * ROUND_OFF);
  }
  // in place, and from a quaternion that is not of unit length
  for (int k = 3; k < 7; k++) {
    f.q[k] *= 3;
  }
  cri_configuration_move(&f.m, f.q, f.v, CR_R(0.3), f.q);
  assert_all_close(f.q, once, NQ, 10 * ROUND_OFF);
  end();
}

// fourth-order difference of (q (+) s a) (+) h (v + s b) along s
static void move_difference(cr_real h, cr_real* expected) {
  const cr_real weight[] = {1, -8, 8, -1}, at[] = {-2, -1, 1, 2}, step = CR_R(1e-3);
  cr_real base[NQ], q[NQ], v[NV], x[NV];
  cri_configuration_move(&f.m, f.q, f.v, h, base);
  cr_zero(expected, NV);
  for (int k = 0; k < 4; k++) {
    cri_configuration_move(&f.m, f.q, f.a, at[k] * step, q);
    for (int i = 0; i < NV; i++) {
      v[i] = f.v[i] + at[k] * step * f.b[i];
    }
    cri_configuration_move(&f.m, q, v, h, q);
    difference(q, base, x);
    for (int i = 0; i < NV; i++) {
      expected[i] += weight[k] * x[i] / (12 * step);
    }
  }
}

TEST(move_derivatives_agree) {
  const cr_real steps[] = {0, CR_R(1e-9), CR_R(0.01), 1, CR_R(2.7)};
  begin();
  for (int k = 0; k < 5; k++) {
    cr_real tan[NV], expected[NV], bar[NV], q_bar[NV] = {0}, v_bar[NV] = {0}, in = 0, out = 0;
    cri_configuration_move_jvp(&f.m, f.v, steps[k], f.a, f.b, tan);
    move_difference(steps[k], expected);
    assert_all_close(tan, expected, NV, CR_R(1e-9));
    fill(bar, NV);
    cri_configuration_move_vjp(&f.m, f.v, steps[k], bar, q_bar, v_bar);
    for (int i = 0; i < NV; i++) {
      out += bar[i] * tan[i];
      in += q_bar[i] * f.a[i] + v_bar[i] * f.b[i];
    }
    assert_close(in, out, 100 * ROUND_OFF);
    // the tangent may take the place of that of the coordinates
    cr_real shared[NV];
    cr_copy(shared, f.a, NV);
    cri_configuration_move_jvp(&f.m, f.v, steps[k], shared, f.b, shared);
    assert_all_close(shared, tan, NV, 0);
  }
  end();
}

static const cr_real lengths[] = {0, CR_R(1e-9), CR_R(0.1), CR_R(0.299), CR_R(0.301), 1,
                                  3, 4,          CR_R(6.2), 7,           100};
enum { N_LENGTH = sizeof lengths / sizeof *lengths };

// rotation vectors of all orientations get this length
static void set_length(cr_real* r, cr_real length) {
  for (int i = 3; i < 9; i += 3) {
    cr_normalize3(r + i);
    cr_scl3(r + i, r + i, length);
  }
}

// moving r at its rate turns q0 (+) r with the velocity it was made from
TEST(rate_gives_the_velocity_back) {
  const cr_real h = CR_R(1e-4);
  begin();
  for (int k = 0; k < N_LENGTH && lengths[k] < CR_R(3.1); k++) {
    cr_real rate[NV], r[NV], plus[NQ], minus[NQ], x[NV];
    set_length(f.a, lengths[k]);
    cri_configuration_rate(&f.m, f.a, f.v, rate);
    for (int side = 1; side >= -1; side -= 2) {
      for (int i = 0; i < NV; i++) {
        r[i] = f.a[i] + (cr_real)side * h * rate[i];
      }
      cri_configuration_move(&f.m, f.q, r, 1, side > 0 ? plus : minus);
    }
    difference(plus, minus, x);
    for (int i = 0; i < NV; i++) {
      assert_close(x[i] / (2 * h), f.v[i], CR_R(1e-6));
    }
  }
  end();
}

TEST(rate_uses_the_shorter_turn) {
  begin();
  cr_real a[NV], b[NV];
  set_length(f.a, 4);
  cri_configuration_rate(&f.m, f.a, f.v, a);
  set_length(f.a, -(2 * CR_PI - 4));
  cri_configuration_rate(&f.m, f.a, f.v, b);
  assert_all_close(a, b, NV, 10 * ROUND_OFF);
  end();
}

static void rate_difference(cr_real* expected) {
  const cr_real weight[] = {1, -8, 8, -1}, at[] = {-2, -1, 1, 2}, step = CR_R(1e-4);
  cr_zero(expected, NV);
  for (int k = 0; k < 4; k++) {
    cr_real r[NV], v[NV], rate[NV];
    for (int i = 0; i < NV; i++) {
      r[i] = f.a[i] + at[k] * step * f.b[i];
      v[i] = f.v[i] + at[k] * step * f.q[i];
    }
    cri_configuration_rate(&f.m, r, v, rate);
    for (int i = 0; i < NV; i++) {
      expected[i] += weight[k] * rate[i] / (12 * step);
    }
  }
}

TEST(rate_derivatives_agree) {
  begin();
  for (int k = 0; k < N_LENGTH; k++) {
    cr_real tan[NV], expected[NV], bar[NV], r_bar[NV] = {0}, v_bar[NV] = {0}, in = 0, out = 0;
    set_length(f.a, lengths[k]);
    cri_configuration_rate_jvp(&f.m, f.a, f.v, f.b, f.q, tan);
    rate_difference(expected);
    assert_all_close(tan, expected, NV, CR_R(1e-8));
    fill(bar, NV);
    cri_configuration_rate_vjp(&f.m, f.a, f.v, bar, r_bar, v_bar);
    for (int i = 0; i < NV; i++) {
      out += bar[i] * tan[i];
      in += r_bar[i] * f.b[i] + v_bar[i] * f.q[i];
    }
    assert_close(in, out, 1000 * ROUND_OFF);
  }
  end();
}

// the series and the closed form meet
TEST(rate_has_no_seam) {
  begin();
  cr_real below[NV], above[NV];
  set_length(f.a, CR_R(0.3) - CR_R(1e-9));
  cri_configuration_rate_jvp(&f.m, f.a, f.v, f.b, f.q, below);
  set_length(f.a, CR_R(0.3) + CR_R(1e-9));
  cri_configuration_rate_jvp(&f.m, f.a, f.v, f.b, f.q, above);
  assert_all_close(above, below, NV, CR_R(1e-8));
  end();
}
