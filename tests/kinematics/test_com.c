// SPDX-License-Identifier: Apache-2.0
// Centres of mass by summing over descendants; inertias by the kinetic energy they must give;
// motion axes by the velocities that kinematics gives to the bodies they move.
#include "kinematics/com.h"

#include "kinematics/kinematics.h"
#include "math/quat.h"
#include "math/spatial.h"
#include "model/build.h"
#include "scenes/mechanism.h"
#include "scenes/random_model.h"
#include "support/close.h"

enum { N_SEED = 16 };

static const cr_real tight = 2000 * CR_EPS;

typedef struct {
  cr_model m;
  cr_data *d, *tan, *bar;
} fixture;

static fixture f;

static void allocate_data(void) {
  f.d = test_data(&f.m);
  f.tan = test_twin(&f.m, f.d, CR_DATA_TANGENT);
  f.bar = test_twin(&f.m, f.d, CR_DATA_COTANGENT);
}

static void begin(uint64_t seed) {
  assert_int_equal(random_model(&f.m, seed, NULL), CR_OK);
  allocate_data();
  random_state(&f.m, f.d, seed, STATE_FLIGHT);
  mechanism_pose(&f.m, f.d);
}

static void end(void) { cri_model_free(&f.m); }

// b is `top` or one of its descendants
static bool below(const cr_model* m, int b, int top) {
  while (b > top) {
    b = m->body_parentid[b];
  }
  return b == top;
}

static cr_real brute_com(cr_real com[3], int top) {
  cr_real mass = 0;
  cr_zero3(com);
  for (int b = 0; b < f.m.nbody; b++) {
    if (below(&f.m, b, top)) {
      mass += f.m.body_mass[b];
      cr_accscl3(com, f.d->xipos + 3 * b, f.m.body_mass[b]);
    }
  }
  cr_scl3(com, com, 1 / mass);
  return mass;
}

TEST(com_is_the_mean_over_the_subtree) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    for (int b = 0; b < f.m.nbody; b++) {
      cr_real com[3];
      bool massless = !(brute_com(com, b) > 0);
      const cr_real* expected = massless ? f.d->xipos + 3 * b : com;
      for (int i = 0; i < 3; i++) {
        assert_close(f.d->subtree_com[3 * b + i], expected[i], tight);
      }
    }
    end();
  }
}

// kinetic energy of a body that moves as (w, v): that of its centre and that of its turning
TEST(com_inertia_gives_the_kinetic_energy) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_random r = cr_random_seed(seed, 3);
    for (int b = 1; b < f.m.nbody; b++) {
      cr_real v[6], momentum[6], arm[3], v_com[3], w_local[3], energy;
      for (int i = 0; i < 6; i++) {
        v[i] = cr_random_normal(&r);
      }
      cr_sub3(arm, f.d->xipos + 3 * b, f.d->subtree_com + 3 * f.m.body_rootid[b]);
      cr_copy3(v_com, v + 3);
      cr_acccross3(v_com, v, arm);
      cr_multmat3(w_local, f.d->ximat + 9 * b, v);
      energy = f.m.body_mass[b] * cr_dot3(v_com, v_com);
      for (int i = 0; i < 3; i++) {
        energy += f.m.body_inertia[3 * b + i] * w_local[i] * w_local[i];
      }
      cr_inertia_mul(momentum, f.d->cinert + 10 * b, v);
      assert_close(cr_dot6(v, momentum), energy, tight * energy);
    }
    assert_all_close(f.d->cinert, ((cr_real[10]){0}), 10, 0);
    end();
  }
}

// a tangent of one dof moves what it moves as its axis says, about the centre of mass of the tree
TEST(com_axes_are_velocities_of_bodies) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    const cr_model* m = &f.m;
    for (int j = 0; j < m->nv; j++) {
      cr_zero(f.tan->qpos, m->nv);
      f.tan->qpos[j] = 1;
      assert_int_equal(cr_kinematics_jvp(m, f.d, f.tan), CR_OK);
      for (int b = 1; b < m->nbody; b++) {
        cr_real w[3], v[3] = {0}, arm[3], axis[6] = {0};
        if (mechanism_moves(m, j, b)) {
          cr_copy6(axis, f.d->cdof + 6 * j);
        }
        cr_sub3(arm, f.d->xpos + 3 * b, f.d->subtree_com + 3 * m->body_rootid[b]);
        cr_copy3(v, axis + 3);
        cr_acccross3(v, axis, arm);
        cr_rot_vec(w, f.d->xmat + 9 * b, f.tan->xmat + 9 * b);
        for (int i = 0; i < 3; i++) {
          assert_close(w[i], axis[i], tight);
          assert_close(f.tan->xpos[3 * b + i], v[i], tight);
        }
      }
    }
    end();
  }
}

// ---- a chain of two bodies on a slide, the second massless or not

static void begin_chain(cr_real mass1, cr_real mass2) {
  const int32_t parent[3] = {0, 0, 1}, jntnum[3] = {0, 1, 0}, type = CR_JNT_SLIDE;
  f.m = (cr_model){0};
  assert_int_equal(cri_model_sizes(&f.m, 3, parent, jntnum, &type, NULL), CR_OK);
  assert_int_equal(cri_model_allocate(&f.m, NULL), CR_OK);
  cri_model_defaults(&f.m);
  f.m.body_parentid[2] = 1;
  f.m.body_jntnum[1] = 1;
  f.m.jnt_type[0] = type;
  f.m.body_pos[6] = 4;
  f.m.body_ipos[7] = 1;
  f.m.body_mass[1] = mass1;
  f.m.body_mass[2] = mass2;
  assert_int_equal(cri_model_derive(&f.m, NULL), CR_OK);
  allocate_data();
  mechanism_pose(&f.m, f.d);
}

TEST(com_of_two_bodies) {
  begin_chain(3, 1);
  const cr_real com[9] = {1, CR_R(0.25), 0, 1, CR_R(0.25), 0, 4, 1, 0};
  const cr_real inertia[10] = {
      CR_R(0.1875), 3, CR_R(3.1875), CR_R(-0.75), 0, 0, -3, CR_R(-0.75), 0, 3};
  assert_all_close(f.d->subtree_com, com, 9, tight);
  assert_all_close(f.d->cinert + 10, inertia, 10, tight);
  // more mass in the second body pulls the centre of mass towards it
  f.bar->subtree_com[0] = 1;
  assert_int_equal(cr_com_vjp(&f.m, f.d, f.bar), CR_OK);
  assert_close(f.bar->par.body_mass[1], CR_R(-0.25), tight);
  assert_close(f.bar->par.body_mass[2], CR_R(0.75), tight);
  assert_close(f.bar->xipos[3], CR_R(0.75), tight);
  assert_close(f.bar->xipos[6], CR_R(0.25), tight);
  end();
}

// a subtree without mass is where its body is, and moves with it alone
TEST(com_of_a_massless_subtree) {
  begin_chain(2, 0);
  assert_all_close(f.d->subtree_com + 6, f.d->xipos + 6, 3, 0);
  assert_all_close(f.d->subtree_com + 3, f.d->xipos + 3, 3, 0);
  assert_all_close(f.d->cinert + 20, ((cr_real[10]){0}), 10, 0);
  f.bar->subtree_com[7] = f.bar->subtree_com[4] = 1;
  assert_int_equal(cr_com_vjp(&f.m, f.d, f.bar), CR_OK);
  assert_close(f.bar->xipos[7], 1, 0);
  assert_close(f.bar->xipos[4], 1, tight);
  end();
  begin_chain(0, 0);
  assert_all_close(f.d->subtree_com, f.d->xipos, 9, 0);
  end();
}

// scaling all masses and inertias scales inertias and leaves centres of mass and axes alone
TEST(com_jvp_of_a_change_of_density) {
  for (uint64_t seed = 0; seed < N_SEED; seed++) {
    begin(seed);
    cr_copy(f.tan->par.body_mass, f.m.body_mass, f.m.nbody);
    cr_copy(f.tan->par.body_inertia, f.m.body_inertia, 3 * f.m.nbody);
    assert_int_equal(cr_com_jvp(&f.m, f.d, f.tan), CR_OK);
    assert_all_close(f.tan->cinert, f.d->cinert, 10 * f.m.nbody, tight);
    for (int i = 0; i < 3 * f.m.nbody; i++) {
      assert_close(f.tan->subtree_com[i], 0, tight);
    }
    for (int i = 0; i < 6 * f.m.nv; i++) {
      assert_close(f.tan->cdof[i], 0, tight);
    }
    end();
  }
}
