// SPDX-License-Identifier: Apache-2.0
// Body forces in joint space: dof by dof, and as the power of the forces.
#include "force/wrench.h"

#include "math/spatial.h"
#include "scenes/chain_model.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 8, MAX_NV = 64, MAX_BODY = 32 };

typedef struct {
  cr_model m;
  cr_data *d, *moved;
  cr_real x[6 * MAX_BODY], q[MAX_NV], v[MAX_NV];
} fixture;

static fixture f;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.moved = test_data(&f.m);
  assert_true(f.m.nv <= MAX_NV && f.m.nbody <= MAX_BODY);
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
  cr_random r = cr_random_seed(seed, 41);
  for (int i = 0; i < 6 * f.m.nbody; i++) {
    f.x[i] = cr_random_normal(&r);
  }
  for (int i = 0; i < f.m.nv; i++) {
    f.v[i] = cr_random_normal(&r);
  }
}

static void end(void) { cri_model_free(&f.m); }

// what dof j does to body b: turn, and velocity of the centre of mass
static cr_real work_of_dof(int j, int b) {
  if (!mechanism_moves(&f.m, j, b)) {
    return 0;
  }
  cr_real r[3], velocity[3];
  const cr_real* s = f.d->cdof + 6 * j;
  cr_sub3(r, f.d->xipos + 3 * b, f.d->subtree_com + 3 * f.m.body_rootid[b]);
  cr_cross3(velocity, s, r);
  cr_acc3(velocity, s + 3);
  return cr_dot3(velocity, f.x + 6 * b) + cr_dot3(s, f.x + 6 * b + 3);
}

TEST(wrench_matches_the_sum_over_bodies) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_real expected[MAX_NV];
    for (int j = 0; j < f.m.nv; j++) {
      f.q[j] = expected[j] = CR_R(0.5);
      for (int b = 1; b < f.m.nbody; b++) {
        expected[j] += work_of_dof(j, b);
      }
    }
    cri_wrench(&f.m, f.d, f.x, f.q, f.d);
    assert_all_close(f.q, expected, f.m.nv, ROUND_OFF);
    assert_int_equal(f.d->scratch_used, 0);
    end();
  }
}

// sum of f . xipos and, for torques, nothing: along a velocity
static cr_real potential_after(cr_real h) {
  mechanism_move(&f.m, f.d, f.v, h, f.moved);
  mechanism_pose(&f.m, f.moved);
  cr_real sum = 0;
  for (int b = 1; b < f.m.nbody; b++) {
    sum += cr_dot3(f.x + 6 * b, f.moved->xipos + 3 * b);
  }
  return sum;
}

TEST(wrench_has_the_power_of_the_forces) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_real power = 0, size = 0, h = CR_R(1e-3);
    for (int b = 0; b < f.m.nbody; b++) {
      cr_zero3(f.x + 6 * b + 3);
    }
    cr_zero(f.q, f.m.nv);
    cri_wrench(&f.m, f.d, f.x, f.q, f.d);
    for (int i = 0; i < f.m.nv; i++) {
      power += f.q[i] * f.v[i];
      size += cr_abs(f.q[i] * f.v[i]);
    }
    cr_real near = potential_after(h) - potential_after(-h);
    cr_real far = potential_after(2 * h) - potential_after(-2 * h);
    assert_close(power, (8 * near - far) / (12 * h), CR_R(1e-9) * size);
    end();
  }
}

// at zero force the force's own cotangent is there, and nothing else
TEST(wrench_cotangent_holds_at_zero) {
  begin(1);
  cr_data *bar, *zero_bar;
  cr_real a[6 * MAX_BODY] = {0}, b[6 * MAX_BODY] = {0}, zeros[6 * MAX_BODY] = {0};
  assert_int_equal(cri_data_twin(&bar, &f.m, f.d, CR_DATA_COTANGENT, cri_no_params, NULL), CR_OK);
  assert_int_equal(cri_data_twin(&zero_bar, &f.m, f.d, CR_DATA_COTANGENT, cri_no_params, NULL),
                   CR_OK);
  cri_wrench_vjp(&f.m, f.d, bar, zeros, f.v, a);
  cri_wrench_vjp(&f.m, f.d, zero_bar, NULL, f.v, b);
  assert_all_close(a, b, 6 * f.m.nbody, 0);
  cr_real power = 0, along = 0;
  cr_zero(f.q, f.m.nv);
  cri_wrench(&f.m, f.d, f.x, f.q, f.d);
  for (int i = 0; i < f.m.nv; i++) {
    power += f.q[i] * f.v[i];
  }
  for (int i = 0; i < 6 * f.m.nbody; i++) {
    along += f.x[i] * a[i];
  }
  assert_true(cr_abs(power) > CR_R(1e-3));
  assert_close(along, power, 100 * ROUND_OFF * cr_abs(power));
  for (int i = 0; i < 6 * f.m.nv; i++) {
    assert_true(zero_bar->cdof[i] == 0);
  }
  cri_data_free(zero_bar);
  cri_data_free(bar);
  end();
}
