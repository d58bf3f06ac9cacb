// SPDX-License-Identifier: Apache-2.0
// The force law from the other side: the force is the one in its cone that minimises
// f' R f / 2 + e' f. Then its cost, curvature and derivatives by differences.
#include "solver/friction_cone.h"

#include "base/random.h"
#include "support/close.h"

enum { NF = 3, NL = 3, N_CONE = 3, NEFC = NF + NL + 3 + 4 + 6 };

static const int DIM[N_CONE] = {3, 4, 6};

#ifdef CR_LONG_DOUBLE
static const cr_real TOLERANCE = CR_R(1e-11);
#else
static const cr_real TOLERANCE = CR_R(1e-8);
#endif

typedef struct {
  cr_data d;
  int32_t type[NEFC], id[NEFC], dim[N_CONE], state[NEFC];
  cr_real D[NEFC], loss[NEFC], mu[N_CONE], friction[5 * N_CONE];
  cr_real e[NEFC], f[NEFC];
} fixture;

// rows with random numbers; an elliptic contact's D as the regularisation makes them
static void begin(fixture* x, cr_random* r) {
  memset(x, 0, sizeof *x);
  int i = 0;
  for (; i < NF + NL; i++) {
    x->type[i] = i < NF ? CR_CNSTR_FRICTION_DOF : CR_CNSTR_LIMIT_JOINT;
    x->D[i] = cr_random_range(r, CR_R(0.5), 3);
    x->loss[i] = i < NF ? cr_random_range(r, CR_R(0.2), 2) : 0;
  }
  for (int c = 0; c < N_CONE; c++) {
    cr_real* friction = x->friction + 5 * c;
    for (int k = 0; k < 5; k++) {
      friction[k] = cr_random_range(r, CR_R(0.3), CR_R(1.5));
    }
    x->dim[c] = DIM[c];
    x->mu[c] = friction[0] * cr_random_range(r, CR_R(0.5), 2);
    cr_real D0 = cr_random_range(r, CR_R(0.5), 3);
    for (int k = 0; k < DIM[c]; k++, i++) {
      x->type[i] = CR_CNSTR_CONTACT_ELLIPTIC;
      x->id[i] = c;
      cr_real ratio = k == 0 ? 1 : friction[k - 1] / x->mu[c];
      x->D[i] = D0 * ratio * ratio;
    }
  }
  for (i = 0; i < NEFC; i++) {
    x->e[i] = cr_random_normal(r);
  }
  x->d = (cr_data){.nefc = NEFC,
                   .nf = NF,
                   .nl = NL,
                   .efc_type = x->type,
                   .efc_id = x->id,
                   .efc_D = x->D,
                   .efc_frictionloss = x->loss,
                   .contact_dim = x->dim,
                   .contact_mu = x->mu,
                   .contact_friction = x->friction};
}

// a random point of the set that the forces of all rows live in
static void admissible(const fixture* x, cr_random* r, cr_real* f) {
  int i = 0;
  for (; i < NF + NL; i++) {
    f[i] = i < NF ? cr_random_range(r, -x->loss[i], x->loss[i]) : cr_random_range(r, 0, 3);
  }
  for (int c = 0; c < N_CONE; c++) {
    cr_real t[5], sum = 0, normal = cr_random_range(r, 0, 3);
    for (int k = 0; k < DIM[c] - 1; k++) {
      t[k] = cr_random_normal(r);
      sum += t[k] * t[k];
    }
    cr_real share = normal * cr_random_uniform(r) / cr_sqrt(sum);
    f[i++] = normal;
    for (int k = 0; k < DIM[c] - 1; k++) {
      f[i++] = share * t[k] * x->friction[5 * c + k];
    }
  }
}

TEST(force_is_the_best_in_its_cone) {
  cr_random r = cr_random_seed(1, 5);
  int seen[5] = {0};
  for (int sample = 0; sample < 200; sample++) {
    fixture x;
    begin(&x, &r);
    cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);

    // admissible itself
    for (int i = 0; i < NF + NL; i++) {
      assert_true(i < NF ? cr_abs(x.f[i]) <= x.loss[i] : x.f[i] >= 0);
    }
    for (int c = 0, i = NF + NL; c < N_CONE; i += DIM[c++]) {
      cr_real sum = 0;
      for (int k = 1; k < DIM[c]; k++) {
        cr_real t = x.f[i + k] / x.friction[5 * c + k - 1];
        sum += t * t;
      }
      assert_true(cr_sqrt(sum) <= x.f[i] * (1 + 8 * CR_EPS));
    }

    // and no other admissible force is better: (R f + e)' (g - f) >= 0
    for (int other = 0; other < 50; other++) {
      cr_real g[NEFC], product = 0, size = 0;
      admissible(&x, &r, g);
      for (int i = 0; i < NEFC; i++) {
        cr_real term = (x.f[i] / x.D[i] + x.e[i]) * (g[i] - x.f[i]);
        product += term;
        size += cr_abs(term);
      }
      assert_true(product >= -32 * CR_EPS * size);
    }
    for (int i = 0; i < NEFC; i++) {
      seen[x.state[i]]++;
    }
  }
  for (int k = 0; k < 5; k++) {
    assert_true(seen[k] > 0);
  }
}

// s(e) = -(f' R f / 2 + e' f) at that force
TEST(cost_is_the_optimal_value) {
  cr_random r = cr_random_seed(2, 5);
  for (int sample = 0; sample < 100; sample++) {
    fixture x;
    begin(&x, &r);
    cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
    cr_real value = 0;
    for (int i = 0; i < NEFC; i++) {
      value -= x.f[i] * x.f[i] / x.D[i] / 2 + x.e[i] * x.f[i];
    }
    assert_close(cri_constraint_cost(&x.d, cri_all_rows(&x.d), x.e), value,
                 128 * CR_EPS * (1 + value));
    cr_real again = cri_constraint_cost_of(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
    assert_close(again, value, 128 * CR_EPS * (1 + value));
  }
}

// fourth-order difference of the forces of x at e + h e_tan; false beside a change of zone
static bool difference(fixture* x, const cr_real* e_tan, cr_real* f_tan) {
  static const cr_real weight[4] = {8, -8, -1, 1}, step[4] = {1, -1, 2, -2};
  cr_real h = CR_R(2e-4), at[NEFC], f[NEFC];
  int32_t state[NEFC];
  cr_zero(f_tan, NEFC);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < NEFC; i++) {
      at[i] = x->e[i] + step[k] * h * e_tan[i];
    }
    cri_constraint_force(&x->d, cri_all_rows(&x->d), at, f, state);
    if (memcmp(state, x->state, sizeof state) != 0) {
      return false;
    }
    for (int i = 0; i < NEFC; i++) {
      f_tan[i] += weight[k] * f[i] / (12 * h);
    }
  }
  return true;
}

TEST(slope_and_curvature_match_differences) {
  cr_random r = cr_random_seed(3, 5);
  int tried = 0;
  for (int sample = 0; sample < 200; sample++) {
    fixture x;
    begin(&x, &r);
    cr_real u[NEFC], f_tan[NEFC], slope[2] = {0}, first = 0, second = 0, start[NEFC];
    for (int i = 0; i < NEFC; i++) {
      u[i] = cr_random_normal(&r);
      start[i] = x.e[i] - CR_R(0.7) * u[i];
    }
    cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
    if (!difference(&x, u, f_tan)) {
      continue;
    }
    for (int i = 0; i < NEFC; i++) {
      first -= x.f[i] * u[i];
      second -= f_tan[i] * u[i];
    }
    cri_constraint_slope(&x.d, cri_all_rows(&x.d), start, u, CR_R(0.7), slope);
    assert_close(slope[0], first, 1000 * CR_EPS);
    assert_close(slope[1], second, TOLERANCE * 100);
    tried++;
  }
  assert_true(tried > 100);
}

// C of a cone between its zones: -F', symmetric, positive semidefinite
TEST(cone_curvature_matches_differences) {
  cr_random r = cr_random_seed(4, 5);
  int tried = 0;
  for (int sample = 0; sample < 300; sample++) {
    fixture x;
    begin(&x, &r);
    cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
    for (int c = 0, i = NF + NL; c < N_CONE; i += DIM[c++]) {
      cr_real C[36], e_tan[NEFC] = {0}, f_tan[NEFC], product = 0;
      for (int k = 0; k < DIM[c]; k++) {
        e_tan[i + k] = cr_random_normal(&r);
      }
      if (x.state[i] != CR_STATE_CONE || !difference(&x, e_tan, f_tan)) {
        continue;
      }
      cri_friction_cone_hessian(&x.d, x.e, i, C);
      for (int k = 0; k < DIM[c]; k++) {
        cr_real sum = 0;
        for (int l = 0; l < DIM[c]; l++) {
          sum -= C[k * DIM[c] + l] * e_tan[i + l];
          assert_close(C[k * DIM[c] + l], C[l * DIM[c] + k], 0);
        }
        assert_close(sum, f_tan[i + k], TOLERANCE * 100);
        product -= sum * e_tan[i + k];
      }
      assert_true(product >= -CR_R(1e-12));
      tried++;
    }
  }
  assert_true(tried > 100);
}

// parameters and e together, along a line: jvp against differences, vjp against jvp
TEST(derivatives_match) {
  static const cr_real weight[4] = {8, -8, -1, 1}, step[4] = {1, -1, 2, -2};
  cr_random r = cr_random_seed(5, 5);
  int tried = 0;
  for (int sample = 0; sample < 200; sample++) {
    fixture x, t, at;
    begin(&x, &r);
    begin(&t, &r);  // a tangent: its D, loss, mu, friction and e
    cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
    cr_real f_tan[NEFC], expected[NEFC] = {0}, h = CR_R(1e-4);
    cri_constraint_jvp(&x.d, cri_all_rows(&x.d), x.e, &t.d, t.e, f_tan);
    bool same = true;
    for (int k = 0; k < 4; k++) {
      at = x;
      at.d.efc_D = at.D;
      at.d.efc_frictionloss = at.loss;
      at.d.contact_mu = at.mu;
      at.d.contact_friction = at.friction;
      for (int i = 0; i < NEFC; i++) {
        at.D[i] += step[k] * h * t.D[i];
        at.loss[i] += step[k] * h * t.loss[i];
        at.e[i] += step[k] * h * t.e[i];
      }
      for (int i = 0; i < N_CONE; i++) {
        at.mu[i] += step[k] * h * t.mu[i];
      }
      for (int i = 0; i < 5 * N_CONE; i++) {
        at.friction[i] += step[k] * h * t.friction[i];
      }
      cri_constraint_force(&at.d, cri_all_rows(&at.d), at.e, at.f, at.state);
      same = same && memcmp(at.state, x.state, sizeof x.state) == 0;
      for (int i = 0; i < NEFC; i++) {
        expected[i] += weight[k] * at.f[i] / (12 * h);
      }
    }
    if (!same) {
      continue;
    }
    tried++;
    assert_all_close(f_tan, expected, NEFC, TOLERANCE * 100);

    fixture bar;
    begin(&bar, &r);
    cr_real f_bar[NEFC], e_bar[NEFC], only_e[NEFC], left = 0, right = 0, size = 0;
    cr_copy(f_bar, bar.e, NEFC);
    cr_zero(bar.D, NEFC);
    cr_zero(bar.loss, NEFC);
    cr_zero(bar.mu, N_CONE);
    cr_zero(bar.friction, 5 * N_CONE);
    cri_constraint_vjp(&x.d, cri_all_rows(&x.d), x.e, &bar.d, f_bar, e_bar);
    cri_constraint_vjp(&x.d, cri_all_rows(&x.d), x.e, NULL, f_bar, only_e);
    for (int i = 0; i < NEFC; i++) {
      left += f_bar[i] * f_tan[i];
      right += e_bar[i] * t.e[i] + bar.D[i] * t.D[i] + bar.loss[i] * t.loss[i];
      size += cr_abs(f_bar[i] * f_tan[i]) + cr_abs(e_bar[i] * t.e[i]) + cr_abs(bar.D[i] * t.D[i]);
      assert_close(only_e[i], e_bar[i], 0);
    }
    for (int i = 0; i < N_CONE; i++) {
      right += bar.mu[i] * t.mu[i];
    }
    for (int i = 0; i < 5 * N_CONE; i++) {
      right += bar.friction[i] * t.friction[i];
    }
    assert_close(left, right, 256 * CR_EPS * size);
  }
  assert_true(tried > 100);
}

// the apex of a cone and the kinks of the others: the zone that MuJoCo takes, no NaN
TEST(boundaries_belong_to_a_zone) {
  cr_random r = cr_random_seed(6, 5);
  fixture x;
  begin(&x, &r);
  cr_zero(x.e, NEFC);
  cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
  for (int i = 0; i < NEFC; i++) {
    assert_close(x.f[i], 0, 0);
    assert_int_equal(x.state[i], i < NF ? CR_STATE_QUADRATIC : CR_STATE_SATISFIED);
  }
  x.e[NF + NL] = -1;
  x.e[0] = x.loss[0] / x.D[0] * (1 + 4 * CR_EPS);
  cri_constraint_force(&x.d, cri_all_rows(&x.d), x.e, x.f, x.state);
  assert_int_equal(x.state[NF + NL], CR_STATE_QUADRATIC);
  assert_close(x.f[NF + NL], x.D[NF + NL], 0);
  assert_int_equal(x.state[0], CR_STATE_LINEAR_POS);
  assert_close(x.f[0], -x.loss[0], 0);
}
