// SPDX-License-Identifier: Apache-2.0
// Both charts: the rate is that of the curve on which the state moves, derivatives match differences,
// each vjp is the transpose of its jvp, and states stay at unit length.
#include "integrate/local_coordinates.h"

#include "kinematics/configuration.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { MOST = 24 };

typedef struct {
  cr_model m;
  cri_local_coordinates chart;
  int width;
  cr_real qpos[MOST], r[MOST], v[MOST];
} fixture;

static void fill(cr_random* random, cr_real* x, int n, cr_real scale) {
  for (int i = 0; i < n; i++) {
    x[i] = scale * cr_random_normal(random);
  }
}

static void open_fixture(fixture* f, cri_local_coordinates chart, cr_random* random) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL, CR_JNT_HINGE, CR_JNT_SLIDE};
  assert_int_equal(chain_model(&f->m, 4, joints, 1, NULL), CR_OK);
  f->chart = chart;
  f->width = cri_local_coordinates_width(&f->m, chart);
  assert_in_range(f->m.nq, 1, MOST);
  fill(random, f->qpos, f->m.nq, 1);
  for (int j = 0; j < 2; j++) {
    (void)cr_quat_normalize(f->qpos + f->m.jnt_qposadr[j] + (j == 0 ? 3 : 0));
  }
  fill(random, f->r, f->width, CR_R(0.4));
  fill(random, f->v, f->m.nv, 1);
}

// the difference of two states, as a tangent at the first
static void apart(const cr_model* m, const cr_real* a, const cr_real* b, cr_real* out) {
  for (int j = 0; j < m->njnt; j++) {
    int q = m->jnt_qposadr[j], v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int n = type == CR_JNT_FREE ? 3 : type == CR_JNT_BALL ? 0 : 1;
    for (int k = 0; k < n; k++) {
      out[v + k] = b[q + k] - a[q + k];
    }
    if (type == CR_JNT_FREE || type == CR_JNT_BALL) {
      cr_quat_sub(out + v + n, b + q + n, a + q + n);
    }
  }
}

static cr_real dot(const cr_real* a, const cr_real* b, int n) {
  cr_real sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

#ifdef CR_LONG_DOUBLE
#define STEP CR_R(1e-6)
#define BOUND CR_R(1e-9)
#else
#define STEP CR_R(1e-5)
#define BOUND CR_R(1e-8)
#endif

static void for_charts(void (*check)(fixture* f, cr_random* random)) {
  cr_random random = cr_random_seed(3, 9);
  for (int k = 0; k < 16; k++) {
    fixture f;
    open_fixture(&f, k % 2 == 0 ? CRI_TURNS : CRI_QUATERNIONS, &random);
    check(&f, &random);
    cri_model_free(&f.m);
  }
}

// q0 (+) (r + h rate) is q0 (+) r moved by h v
static void check_rate(fixture* f, cr_random* random) {
  cr_real rate[MOST], ahead[MOST], behind[MOST], a[MOST], b[MOST], moved[MOST];
  (void)random;
  cri_local_coordinates_rate(&f->m, f->chart, f->r, f->v, rate);
  for (int i = 0; i < f->width; i++) {
    ahead[i] = f->r[i] + STEP * rate[i];
    behind[i] = f->r[i] - STEP * rate[i];
  }
  cri_local_coordinates_move(&f->m, f->chart, f->qpos, ahead, a);
  cri_local_coordinates_move(&f->m, f->chart, f->qpos, behind, b);
  apart(&f->m, b, a, moved);
  for (int i = 0; i < f->m.nv; i++) {
    assert_close(moved[i] / (2 * STEP), f->v[i], BOUND * 10);
  }
}

TEST(the_rate_is_that_of_the_state) { for_charts(check_rate); }

static void check_derivatives(fixture* f, cr_random* random) {
  const cr_model* m = &f->m;
  cr_real q_tan[MOST], r_tan[MOST], v_tan[MOST], next_tan[MOST], rate_tan[MOST];
  cr_real q[2][MOST], r[2][MOST], v[2][MOST], next[2][MOST], rate[2][MOST], slope[MOST];
  fill(random, q_tan, m->nv, 1);
  fill(random, r_tan, f->width, 1);
  fill(random, v_tan, m->nv, 1);
  cri_local_coordinates_move_jvp(m, f->chart, f->r, q_tan, r_tan, next_tan);
  cri_local_coordinates_rate_jvp(m, f->chart, f->r, f->v, r_tan, v_tan, rate_tan);
  for (int side = 0; side < 2; side++) {
    cr_real h = side == 0 ? -STEP : STEP;
    cri_configuration_move(m, f->qpos, q_tan, h, q[side]);
    for (int i = 0; i < f->width; i++) {
      r[side][i] = f->r[i] + h * r_tan[i];
    }
    for (int i = 0; i < m->nv; i++) {
      v[side][i] = f->v[i] + h * v_tan[i];
    }
    cri_local_coordinates_move(m, f->chart, q[side], r[side], next[side]);
    cri_local_coordinates_rate(m, f->chart, r[side], v[side], rate[side]);
  }
  apart(m, next[0], next[1], slope);
  for (int i = 0; i < m->nv; i++) {
    assert_close(slope[i] / (2 * STEP), next_tan[i], BOUND * 10);
  }
  for (int i = 0; i < f->width; i++) {
    assert_close((rate[1][i] - rate[0][i]) / (2 * STEP), rate_tan[i], BOUND * 10);
  }
  // transposes
  cr_real next_bar[MOST], rate_bar[MOST], q_bar[MOST] = {0}, r_bar[MOST] = {0}, v_bar[MOST] = {0};
  fill(random, next_bar, m->nv, 1);
  fill(random, rate_bar, f->width, 1);
  cri_local_coordinates_move_vjp(m, f->chart, f->r, next_bar, q_bar, r_bar);
  assert_close(dot(next_bar, next_tan, m->nv),
               dot(q_bar, q_tan, m->nv) + dot(r_bar, r_tan, f->width), 1000 * CR_EPS);
  cr_zero(r_bar, MOST);
  cri_local_coordinates_rate_vjp(m, f->chart, f->r, f->v, rate_bar, r_bar, v_bar);
  assert_close(dot(rate_bar, rate_tan, f->width),
               dot(r_bar, r_tan, f->width) + dot(v_bar, v_tan, m->nv), 1000 * CR_EPS);
}

TEST(derivatives_match) { for_charts(check_derivatives); }

static void check_length(fixture* f, cr_random* random) {
  cr_real next[MOST], before[MOST], after[MOST];
  (void)random;
  cri_local_coordinates_move(&f->m, f->chart, f->qpos, f->r, next);
  for (int j = 0; j < 2; j++) {
    const cr_real* q = next + f->m.jnt_qposadr[j] + (j == 0 ? 3 : 0);
    assert_close(dot(q, q, 4), 1, 8 * CR_EPS);
  }
  cri_local_coordinates_coordinates(&f->m, f->chart, f->qpos, f->r, before, after);
  for (int i = 0; i < f->width; i++) {
    assert_close(after[i] - before[i], f->r[i], 8 * CR_EPS);
  }
  assert_true(before[0] == f->qpos[0]);
  // without an increment nothing moves
  cr_zero(f->r, f->width);
  cri_local_coordinates_move(&f->m, f->chart, f->qpos, f->r, next);
  for (int i = 0; i < f->m.nq; i++) {
    assert_close(next[i], f->qpos[i], 8 * CR_EPS);
  }
}

TEST(states_have_unit_length) { for_charts(check_length); }
