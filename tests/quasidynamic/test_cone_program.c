// SPDX-License-Identifier: Apache-2.0
// Cone programs: random ones are solved to optimality, their derivatives agree with differences, the barrier tends to the
// exact solution; a problem without a solution is proved to have none.
#include "quasidynamic/cone_program.h"

#include "base/random.h"
#include "support/close.h"

enum { NV = 6, NROW = 24 };

static cri_cone c;
static cr_random random_;

static void open_room(void) { assert_int_equal(cri_cone_create(&c, NV, NROW, NULL), CR_OK); }
static void close_room(void) { cri_cone_free(&c); }
AROUND_EACH(open_room, close_room)

static cr_real draw(void) { return 2 * cr_random_uniform(&random_) - 1; }

// blocks of dimension `dim`; a strictly feasible point is 0
static void make(int seed, int dim, int nblock) {
  random_ = cr_random_seed((uint64_t)seed, 0);
  c.nv = NV;
  c.nblock = nblock;
  c.nrow = dim * nblock;
  for (int i = 0; i < NV; i++) {
    c.b[i] = 20 * draw();
    for (int j = 0; j <= i; j++) {
      c.Q[i * NV + j] = c.Q[j * NV + i] = i == j ? 8 + draw() : draw();
    }
  }
  for (int k = 0; k < nblock; k++) {
    c.adr[k] = dim * k;
    c.dim[k] = dim;
    for (int i = dim * k; i < dim * (k + 1); i++) {
      for (int j = 0; j < NV; j++) {
        c.G[i * NV + j] = draw();
      }
      c.h[i] = i == dim * k ? CR_R(0.3) + CR_R(0.2) * draw() : CR_R(0.01) * draw();
    }
  }
}

TEST(random_problems_are_solved) {
  for (int seed = 1; seed <= 200; seed++) {
    for (int dim = 1; dim <= 4; dim++) {
      make(seed, dim, 24 / dim < 8 ? 24 / dim : 8);
      for (int exact = 0; exact < 2; exact++) {
        c.weight = exact != 0 ? 0 : CR_R(100.0);
        assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
        assert_true(c.residual < CR_R(1e-11));
        assert_true(c.iterations < 40);
      }
    }
  }
}

// [quasidynamic.c2] in the units of the problem
TEST(the_conditions_of_optimality_hold) {
  for (int seed = 1; seed <= 20; seed++) {
    make(seed, 3, 6);
    assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
    for (int i = 0; i < NV; i++) {
      cr_real sum = -c.b[i];
      for (int j = 0; j < NV; j++) {
        sum += c.Q[i * NV + j] * c.x[j];
      }
      for (int r = 0; r < c.nrow; r++) {
        sum -= c.G[r * NV + i] * c.z[r];
      }
      assert_close(sum, 0, CR_R(1e-10));
    }
    for (int k = 0; k < c.nblock; k++) {
      const cr_real *s = c.s + 3 * k, *z = c.z + 3 * k;
      assert_true(s[0] - cr_sqrt(s[1] * s[1] + s[2] * s[2]) > CR_R(-1e-11));
      assert_true(z[0] - cr_sqrt(z[1] * z[1] + z[2] * z[2]) > CR_R(-1e-10));
      assert_close(s[0] * z[0] + s[1] * z[1] + s[2] * z[2], 0, CR_R(1e-10));
    }
  }
}

TEST(the_barrier_tends_to_the_exact_solution) {
  cr_real exact[NV], last = 0;
  for (int dim = 1; dim <= 3; dim++) {
    make(5, dim, 6);
    c.weight = 0;
    assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
    cr_copy(exact, c.x, NV);
    for (int decade = 1; decade <= 9; decade++) {
      cr_real off = 0;
      c.weight = cr_pow(10, (cr_real)decade);
      assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
      for (int i = 0; i < NV; i++) {
        off = cr_max(off, cr_abs(c.x[i] - exact[i]));
      }
      assert_true(decade == 1 || off < last);
      last = off;
    }
    assert_true(last < CR_R(1e-8));
  }
}

// the problem moves along a direction
static void move(cr_real t, const cr_real* dQ, const cr_real* db, const cr_real* dG,
                 const cr_real* dh) {
  for (int i = 0; i < NV * NV; i++) {
    c.Q[i] += t * dQ[i];
  }
  for (int i = 0; i < NV; i++) {
    c.b[i] += t * db[i];
  }
  for (int i = 0; i < c.nrow; i++) {
    c.h[i] += t * dh[i];
    for (int j = 0; j < NV; j++) {
      c.G[i * NV + j] += t * dG[i * NV + j];
    }
  }
}

static void compare_derivative(int seed, int dim, int nblock, cr_real weight) {
  cr_real dQ[NV * NV], db[NV], dG[NROW * NV], dh[NROW], rho[NV], sigma[NROW], dx[NV], ends[2][NV];
  const cr_real step = CR_R(1e-6);
  make(seed, dim, nblock);
  c.weight = weight;
  for (int i = 0; i < NV; i++) {
    db[i] = draw();
    for (int j = 0; j <= i; j++) {
      dQ[i * NV + j] = dQ[j * NV + i] = draw();
    }
  }
  for (int i = 0; i < c.nrow; i++) {
    dh[i] = draw();
    for (int j = 0; j < NV; j++) {
      dG[i * NV + j] = draw();
    }
  }
  for (int side = 0; side < 2; side++) {
    move(side == 0 ? step : -2 * step, dQ, db, dG, dh);
    assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
    cr_copy(ends[side], c.x, NV);
  }
  move(step, dQ, db, dG, dh);
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
  assert_true(cri_cone_linearise(&c));
  for (int i = 0; i < NV; i++) {
    rho[i] = -db[i];
    for (int j = 0; j < NV; j++) {
      rho[i] += dQ[i * NV + j] * c.x[j];
    }
    for (int r = 0; r < c.nrow; r++) {
      rho[i] -= dG[r * NV + i] * c.z[r];
    }
  }
  for (int r = 0; r < c.nrow; r++) {
    sigma[r] = dh[r];
    for (int j = 0; j < NV; j++) {
      sigma[r] += dG[r * NV + j] * c.x[j];
    }
  }
  cri_cone_tangent(&c, rho, sigma, dx);
  for (int i = 0; i < NV; i++) {
    ends[0][i] = (ends[0][i] - ends[1][i]) / (2 * step);
  }
  assert_all_close(dx, ends[0], NV, CR_R(1e-6));
}

TEST(derivatives_agree_with_differences) {
  for (int seed = 1; seed <= 20; seed++) {
    for (int dim = 1; dim <= 4; dim++) {
      compare_derivative(seed, dim, 5, 0);
      compare_derivative(seed, dim, 5, CR_R(100.0));
    }
  }
}

TEST(nothing_in_the_way_is_the_unconstrained_minimum) {
  make(3, 1, 4);
  for (int i = 0; i < 4; i++) {
    c.h[i] = 1000;
  }
  c.weight = 0;
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_SOLVED);
  assert_int_equal(c.iterations, 0);
  assert_true(cr_is_zero(c.z, c.nrow));
  assert_true(cri_cone_linearise(&c));
}

TEST(what_has_no_solution_is_named) {
  for (int dim = 1; dim <= 3; dim += 2) {
    make(4, dim, 4);
    for (int j = 0; j < NV; j++) {  // the second row against the third
      c.G[2 * dim * NV + j] = -c.G[dim * NV + j];
    }
    c.h[dim] = CR_R(-0.2);
    c.h[2 * dim] = CR_R(-0.1);
    for (int exact = 0; exact < 2; exact++) {
      c.weight = exact != 0 ? 0 : CR_R(100.0);
      assert_int_equal(cri_cone_solve(&c), CRI_CONE_INFEASIBLE);
      assert_true(c.culprit == 1 || c.culprit == 2);
    }
  }
  make(4, 1, 2);
  for (int j = 0; j < NV; j++) {
    c.Q[2 * NV + j] = c.Q[j * NV + 2] = 0;
  }
  assert_int_equal(cri_cone_solve(&c), CRI_CONE_NOT_CONVEX);
  assert_int_equal(c.culprit, 2);
}
