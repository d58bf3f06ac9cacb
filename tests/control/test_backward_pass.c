// SPDX-License-Identifier: Apache-2.0
// The backward pass on random linear-quadratic problems: its gains against the minimum of the whole horizon at once,
// free and held controls; limits; what is not convex.
#include "control/backward_pass.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"

enum { STEPS = 6, NX = 4, NU = 2, NZ = NX + NU };

static cr_real A[STEPS * NX * NX], B[STEPS * NX * NU], gz[STEPS * NZ], Hz[STEPS * NZ * NZ];
static cr_real u[STEPS * NU], k[STEPS * NU], K[STEPS * NU * NX];

static void make(uint64_t seed) {
  cr_random random = cr_random_seed(seed, 0);
  cr_real* const rows[] = {A, B, gz};
  const int sizes[] = {STEPS * NX * NX, STEPS * NX * NU, STEPS * NZ};
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < sizes[r]; i++) {
      rows[r][i] = CR_R(0.6) * cr_random_normal(&random);
    }
  }
  for (int s = 0; s < STEPS; s++) {
    cr_real R[NZ * NZ];
    for (int i = 0; i < NZ * NZ; i++) {
      R[i] = cr_random_normal(&random);
    }
    for (int i = 0; i < NZ * NZ; i++) {
      cr_real sum = i / NZ == i % NZ ? CR_R(0.2) : 0;
      for (int j = 0; j < NZ; j++) {
        sum += R[j * NZ + i / NZ] * R[j * NZ + i % NZ];
      }
      Hz[s * NZ * NZ + i] = sum;
    }
  }
  cr_zero(u, STEPS * NU);
}

// the cost of controls v[STEPS NU] from x0
static cr_real cost_of(const cr_real* x0, const cr_real* v) {
  cr_real x[NX], cost = 0;
  cr_copy(x, x0, NX);
  for (int s = 0; s < STEPS; s++) {
    cr_real z[NZ];
    for (int i = 0; i < NX; i++) {
      z[i] = 0;
      for (int j = 0; j < NX; j++) {
        z[i] += A[(s * NX + i) * NX + j] * x[j];
      }
      for (int j = 0; j < NU; j++) {
        z[i] += B[(s * NX + i) * NU + j] * v[s * NU + j];
      }
    }
    cr_copy(z + NX, v + s * NU, NU);
    for (int i = 0; i < NZ; i++) {
      cost += gz[s * NZ + i] * z[i];
      for (int j = 0; j < NZ; j++) {
        cost += z[i] * Hz[(s * NZ + i) * NZ + j] * z[j] / 2;
      }
    }
    cr_copy(x, z, NX);
  }
  return cost;
}

// the controls that k and K give from x0
static void follow(const cri_controls* c, const cr_real* x0, cr_real* v) {
  cr_real x[NX], next[NX];
  cr_copy(x, x0, NX);
  for (int s = 0; s < STEPS; s++) {
    bool held = s > 0 && c->knot[4 * s] == c->knot[4 * (s - 1)];
    for (int i = 0; i < NU; i++) {
      cr_real sum = k[s * NU + i];
      for (int j = 0; j < NX; j++) {
        sum += K[(s * NU + i) * NX + j] * x[j];
      }
      v[s * NU + i] = held ? v[(s - 1) * NU + i] : sum;
    }
    for (int i = 0; i < NX; i++) {
      next[i] = 0;
      for (int j = 0; j < NX; j++) {
        next[i] += A[(s * NX + i) * NX + j] * x[j];
      }
      for (int j = 0; j < NU; j++) {
        next[i] += B[(s * NX + i) * NU + j] * v[s * NU + j];
      }
    }
    cr_copy(x, next, NX);
  }
}

static cri_controls shape(cr_control_shape kind, int nknot) {
  cri_controls c;
  assert_int_equal(cri_controls_make(&c, kind, STEPS, nknot, NU, NULL), CR_OK);
  for (int i = 0; i < NU; i++) {
    c.lower[i] = -(cr_real)INFINITY;
    c.upper[i] = (cr_real)INFINITY;
  }
  return c;
}

static cri_backward pass_of(const cri_controls* c) {
  return (cri_backward){.nstep = STEPS,
                        .nx = NX,
                        .nu = NU,
                        .A = A,
                        .B = B,
                        .gz = gz,
                        .Hz = Hz,
                        .limits = c,
                        .u = u,
                        .k = k,
                        .K = K};
}

static cr_real* room(void) { return calloc(cri_backward_room(NX, NU), sizeof(cr_real)); }

// no change of a knot lowers the cost of what the gains do, from any start; and k lowers it from 0 by what is expected
static void check(cr_control_shape kind, int nknot, uint64_t seed) {
  make(seed);
  cri_controls c = shape(kind, nknot);
  cri_backward b = pass_of(&c);
  cr_real* work = room();
  assert_true(cri_backward_pass(&b, 0, work));
  free(work);
  cr_random random = cr_random_seed(seed, 1);
  for (int trial = 0; trial < 3; trial++) {
    cr_real x0[NX], v[STEPS * NU], moved[STEPS * NU], none[STEPS * NU] = {0};
    for (int i = 0; i < NX; i++) {
      x0[i] = trial == 0 ? 0 : cr_random_normal(&random);
    }
    follow(&c, x0, v);
    cr_real best = cost_of(x0, v);
    if (trial == 0) {
      assert_close(b.slope + b.curvature / 2, best - cost_of(x0, none),
                   CR_R(1e-9) * (1 + cr_abs(best)));
    }
    for (int j = 0; j < nknot * NU; j++) {
      cr_real change[2];
      for (int side = 0; side < 2; side++) {
        cr_copy(moved, v, STEPS * NU);
        for (int s = 0; s < STEPS; s++) {
          if (c.knot[4 * s] == j / NU) {
            moved[s * NU + j % NU] += side == 0 ? CR_R(1e-3) : -CR_R(1e-3);
          }
        }
        change[side] = cost_of(x0, moved) - best;
      }
      assert_true(change[0] > 0 && change[1] > 0);
      assert_close(change[0], change[1], CR_R(1e-4) * change[0]);
    }
  }
  cri_controls_free(&c);
}

TEST(gains_reach_the_minimum) {
  for (uint64_t seed = 0; seed < 20; seed++) {
    check(CR_CONTROLS_STEP, STEPS, seed);
    check(CR_CONTROLS_ZERO, 3, seed);
    check(CR_CONTROLS_ZERO, 4, seed);
    check(CR_CONTROLS_ZERO, 1, seed);
  }
}

TEST(limits_hold) {
  make(5);
  cri_controls c = shape(CR_CONTROLS_STEP, STEPS);
  cr_real* work = room();
  int held = 0;
  for (int i = 0; i < NU; i++) {
    c.lower[i] = -CR_R(0.1);
    c.upper[i] = CR_R(0.05);
  }
  cri_backward b = pass_of(&c);
  assert_true(cri_backward_pass(&b, 0, work));
  for (int i = 0; i < STEPS * NU; i++) {
    assert_true(k[i] >= -CR_R(0.1) && k[i] <= CR_R(0.05));
    if (k[i] == -CR_R(0.1) || k[i] == CR_R(0.05)) {
      held++;
      for (int j = 0; j < NX; j++) {
        assert_true(K[i * NX + j] == 0);
      }
    }
  }
  assert_true(held > 0);
  free(work);
  cri_controls_free(&c);
}

TEST(regularisation_makes_it_convex) {
  make(6);
  for (int s = 0; s < STEPS; s++) {
    for (int i = NX; i < NZ; i++) {
      Hz[(s * NZ + i) * NZ + i] -= 60;
    }
  }
  cri_controls c = shape(CR_CONTROLS_STEP, STEPS);
  cr_real* work = room();
  cri_backward b = pass_of(&c);
  assert_false(cri_backward_pass(&b, 0, work));
  assert_true(cri_backward_pass(&b, CR_R(1e6), work));
  free(work);
  cri_controls_free(&c);
}
