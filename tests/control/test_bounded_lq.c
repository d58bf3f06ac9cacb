// SPDX-License-Identifier: Apache-2.0
// Linear-quadratic problems with bounds: against dense ones with bounds of the controls, by the variational inequality with bounds of states too, and
// what has no solution.
#include "control/bounded_lq.h"

#include "base/random.h"
#include "control/box_qp.h"
#include "support/close.h"

enum { T = 6, NY = 3, NV = 2, NZ = NY + NV, U = T * NV };

typedef struct {
  cr_real A[T * NY * NY], B[T * NY * NV], weight[T * NZ], target[T * NZ], lower[T * NZ],
      upper[T * NZ], z[T * NZ], r[T * NY];
} problem;

// the motion of controls v from 0 with the offsets r
static void roll(const problem* p, const cr_real* v, cr_real* z) {
  cr_real y[NY] = {0};
  for (int k = 0; k < T; k++) {
    cr_real* to = z + (ptrdiff_t)k * NZ;
    for (int i = 0; i < NY; i++) {
      to[i] = p->r[k * NY + i];
      for (int j = 0; j < NY; j++) {
        to[i] += p->A[(k * NY + i) * NY + j] * y[j];
      }
      for (int j = 0; j < NV; j++) {
        to[i] += p->B[(k * NY + i) * NV + j] * v[k * NV + j];
      }
    }
    cr_copy(to + NY, v + (ptrdiff_t)k * NV, NV);
    cr_copy(y, to, NY);
  }
}

static void make(problem* p, cr_random* random, bool states) {
  const cr_real none = (cr_real)INFINITY, zero[U] = {0};
  for (int i = 0; i < T * NY * NY; i++) {
    p->A[i] = CR_R(0.5) * cr_random_normal(random) + (i % (NY * NY) % (NY + 1) == 0);
  }
  for (int i = 0; i < T * NY * NV; i++) {
    p->B[i] = cr_random_normal(random);
  }
  for (int i = 0; i < T * NY; i++) {
    p->r[i] = CR_R(0.1) * cr_random_normal(random);
  }
  for (int e = 0; e < T * NZ; e++) {
    const bool control = e % NZ >= NY;
    p->weight[e] = control ? CR_R(0.1) : cr_random_uniform(random);
    p->target[e] = 2 * cr_random_normal(random);
    p->lower[e] = control ? CR_R(-0.7) : states && e % NZ == 0 ? -1 : -none;
    p->upper[e] = control ? CR_R(0.5) : states && e % NZ == 1 ? 1 : none;
  }
  roll(p, zero, p->z);
}

static cr_status solve(problem* p, cri_lq_work* work, cr_error* error) {
  const cri_bounded_lq q = {.nstep = T,
                            .ny = NY,
                            .nv = NV,
                            .A = p->A,
                            .B = p->B,
                            .weight = p->weight,
                            .target = p->target,
                            .lower = p->lower,
                            .upper = p->upper,
                            .z = p->z};
  return cri_bounded_lq_solve(&q, work, error);
}

// H and g of the controls alone: columns of the motion
static void condense(const problem* p, cr_real* H, cr_real* g) {
  cr_real base[T * NZ], column[U][T * NZ];
  const cr_real zero[U] = {0};
  roll(p, zero, base);
  for (int j = 0; j < U; j++) {
    cr_real v[U] = {0};
    v[j] = 1;
    roll(p, v, column[j]);
  }
  for (int i = 0; i < U; i++) {
    g[i] = 0;
    for (int e = 0; e < T * NZ; e++) {
      g[i] += 2 * p->weight[e] * (column[i][e] - base[e]) * (base[e] - p->target[e]);
    }
    for (int j = 0; j < U; j++) {
      H[i * U + j] = 0;
      for (int e = 0; e < T * NZ; e++) {
        H[i * U + j] += 2 * p->weight[e] * (column[i][e] - base[e]) * (column[j][e] - base[e]);
      }
    }
  }
}

TEST(bounds_of_controls_as_a_dense_problem) {
  cr_random random = cr_random_seed(1, 0);
  cr_error error = {0};
  cri_lq_work* work = NULL;
  assert_int_equal(cri_lq_work_make(&work, T, NY, NV, &error), CR_OK);
  int held = 0;
  for (int trial = 0; trial < 40; trial++) {
    problem p;
    cr_real H[U * U], g[U], low[U], high[U], v[U] = {0}, L[U * U], room[U * U + 4 * U];
    bool free[U];
    make(&p, &random, false);
    condense(&p, H, g);
    for (int i = 0; i < U; i++) {
      low[i] = CR_R(-0.7);
      high[i] = CR_R(0.5);
    }
    held += U - cri_box_qp(U, H, g, low, high, v, free, L, room);
    assert_int_equal(solve(&p, work, &error), CR_OK);
    for (int k = 0; k < T; k++) {
      assert_all_close(p.z + k * NZ + NY, v + k * NV, NV, CR_R(1e-5));
    }
  }
  assert_true(held > 40);
  cri_lq_work_free(work);
}

// no motion within the bounds is better: slope along the way to any other is not negative
TEST(bounds_of_states_by_the_variational_inequality) {
  cr_random random = cr_random_seed(2, 0);
  cr_error error = {0};
  cri_lq_work* work = NULL;
  assert_int_equal(cri_lq_work_make(&work, T, NY, NV, &error), CR_OK);
  int touched = 0, compared = 0;
  for (int trial = 0; trial < 60; trial++) {
    problem p, other;
    make(&p, &random, true);
    other = p;
    if (solve(&p, work, &error) != CR_OK) {
      continue;  // no controls keep the states within their bounds
    }
    for (int e = 0; e < T * NZ; e++) {
      assert_true(p.z[e] >= p.lower[e] - CR_R(1e-6) && p.z[e] <= p.upper[e] + CR_R(1e-6));
      touched +=
          e % NZ < NY && (p.z[e] - p.lower[e] < CR_R(1e-5) || p.upper[e] - p.z[e] < CR_R(1e-5));
      other.target[e] = 5 * cr_random_normal(&random);
    }
    assert_int_equal(solve(&other, work, &error), CR_OK);
    cr_real slope = 0, size = 0;
    for (int e = 0; e < T * NZ; e++) {
      const cr_real g = 2 * p.weight[e] * (p.z[e] - p.target[e]), step = other.z[e] - p.z[e];
      slope += g * step;
      size += cr_abs(g * step);
    }
    assert_true(slope > CR_R(-1e-5) * size);
    compared++;
  }
  assert_true(compared > 20 && touched > 20);
  cri_lq_work_free(work);
}

TEST(what_has_no_solution_is_refused) {
  cr_random random = cr_random_seed(3, 0);
  cr_error error = {0};
  cri_lq_work* work = NULL;
  problem p;
  assert_int_equal(cri_lq_work_make(&work, T, NY, NV, &error), CR_OK);
  make(&p, &random, false);
  p.lower[(T - 1) * NZ] = 1000;  // out of reach
  assert_int_equal(solve(&p, work, &error), CR_ERR_SOLVER);
  assert_true(strstr(error.text, "no controls keep the limits") != NULL);
  make(&p, &random, false);
  for (int e = 0; e < T * NZ; e++) {
    p.weight[e] = 0;
    p.lower[e] = -(cr_real)INFINITY;
    p.upper[e] = (cr_real)INFINITY;
  }
  assert_int_equal(solve(&p, work, &error), CR_ERR_SOLVER);
  assert_true(strstr(error.text, "no weight") != NULL);
  cri_lq_work_free(work);
}
