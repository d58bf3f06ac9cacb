// SPDX-License-Identifier: Apache-2.0
// Velocities against the sum over ancestors; rates of axes against differences of velocities in
// time, and against what they must be for one joint.
#include "kinematics/velocity.h"

#include "kinematics/tree.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 12, MAX_BODY = 32 };

typedef struct {
  cr_model m;
  cr_data *d, *moved;
} fixture;

static fixture f;

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  f.d = test_data(&f.m);
  f.moved = test_data(&f.m);
  assert_true(f.m.nbody <= MAX_BODY);
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
  assert_int_equal(cr_velocity(&f.m, f.d), CR_OK);
}

static void end(void) { cri_model_free(&f.m); }

TEST(velocity_is_the_sum_over_ancestors) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    for (int b = 0; b < f.m.nbody; b++) {
      cr_real expected[6] = {0};
      for (int j = 0; j < f.m.nv; j++) {
        if (mechanism_moves(&f.m, j, b)) {
          cr_accscl6(expected, f.d->cdof + 6 * j, f.d->qvel[j]);
        }
      }
      assert_all_close(f.d->cvel + 6 * b, expected, 6, CR_R(1e-13));
    }
    end();
  }
}

// velocities of bodies and of the points they refer to, a time h later with the same qvel
static void later(cr_real h, cr_real* cvel, cr_real* point) {
  mechanism_move(&f.m, f.d, f.d->qvel, h, f.moved);
  cr_copy(f.moved->qvel, f.d->qvel, f.m.nv);
  mechanism_pose(&f.m, f.moved);
  assert_int_equal(cr_velocity(&f.m, f.moved), CR_OK);
  cr_copy(cvel, f.moved->cvel, 6 * f.m.nbody);
  for (int b = 0; b < f.m.nbody; b++) {
    cr_copy3(point + 3 * b, f.moved->subtree_com + 3 * f.m.body_rootid[b]);
  }
}

// d cvel / dt about a point that stays: the one that cvel refers to moves, which adds w x point_dot
TEST(velocity_rates_of_axes_make_the_acceleration) {
  const cr_real h = CR_R(1e-3), weight[4] = {1, -8, 8, -1};
  const int at[4] = {-2, -1, 1, 2};
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_real rate[6 * MAX_BODY] = {0}, point_rate[3 * MAX_BODY] = {0};
    for (int k = 0; k < 4; k++) {
      cr_real cvel[6 * MAX_BODY], point[3 * MAX_BODY];
      later((cr_real)at[k] * h, cvel, point);
      for (int i = 0; i < 6 * f.m.nbody; i++) {
        rate[i] += weight[k] * cvel[i] / (12 * h);
      }
      for (int i = 0; i < 3 * f.m.nbody; i++) {
        point_rate[i] += weight[k] * point[i] / (12 * h);
      }
    }
    cr_real A[6 * MAX_BODY] = {0};
    cri_tree_motions(&f.m, f.d->cdof_dot, f.d->qvel, A);
    for (int b = 1; b < f.m.nbody; b++) {
      cr_real carried[3];
      cr_cross3(carried, f.d->cvel + 6 * b, point_rate + 3 * b);
      cr_accscl3(rate + 6 * b + 3, carried, -1);
    }
    assert_all_close(A, rate, 6 * f.m.nbody, CR_R(1e-8));
    end();
  }
}

// translations of a free joint have no rate; its rotations are carried by its translation only
TEST(velocity_free_joint_has_its_closed_form) {
  begin(1);
  assert_int_equal(f.m.jnt_type[0], CR_JNT_FREE);
  const cr_real *cdof = f.d->cdof, *rate = f.d->cdof_dot, none[18] = {0};
  assert_all_close(rate, none, 18, 0);
  for (int k = 3; k < 6; k++) {
    cr_real expected[6] = {0};
    cr_cross3(expected + 3, f.d->qvel, cdof + 6 * k);
    assert_all_close(rate + 6 * k, expected, 6, CR_R(1e-14));
  }
  end();
}
