// SPDX-License-Identifier: Apache-2.0
// Momenta of subtrees against sums over bodies, and against the motion of centres of mass.
#include "sensor/subtree.h"

#include "checks/measured.h"
#include "math/vec3.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { N_SEED = 8 };

static bool inside(const cr_model* m, int body, int root) {
  while (body > root) {
    body = m->body_parentid[body];
  }
  return body == root;
}

// velocity of the centre of mass of a body
static void velocity(const cr_model* m, const cr_data* d, int b, cr_real v[3]) {
  cr_real r[3];
  cr_sub3(r, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
  cr_copy3(v, d->cvel + 6 * b + 3);
  cr_acccross3(v, d->cvel + 6 * b, r);
}

// body by body: m v, and (x - com) x m v + R diag(I) R' w
static void brute_force(const cr_model* m, const cr_data* d, int root, cr_real p[3], cr_real l[3],
                        cr_real* mass) {
  cr_zero3(p);
  cr_zero3(l);
  *mass = 0;
  for (int b = 1; b < m->nbody; b++) {
    cr_real v[3], r[3], w[3], turned[3];
    if (!inside(m, b, root)) {
      continue;
    }
    velocity(m, d, b, v);
    cr_scl3(v, v, m->body_mass[b]);
    cr_acc3(p, v);
    cr_sub3(r, d->xipos + 3 * b, d->subtree_com + 3 * root);
    cr_acccross3(l, r, v);
    cr_multmat3(w, d->ximat + 9 * b, d->cvel + 6 * b);
    for (int k = 0; k < 3; k++) {
      w[k] *= m->body_inertia[3 * b + k];
    }
    cr_mulmat3(turned, d->ximat + 9 * b, w);
    cr_acc3(l, turned);
    *mass += m->body_mass[b];
  }
}

TEST(momenta_are_sums_over_bodies) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    measured_open(&s, seed, STATE_CONTACT);
    for (int b = 0; b < s.m.nbody; b++) {
      cr_real p[3], l[3], mass;
      brute_force(&s.m, s.d, b, p, l, &mass);
      for (int k = 0; k < 3; k++) {
        assert_close(mass * s.d->subtree_linvel[3 * b + k], p[k], 100 * ROUND_OFF);
        assert_close(s.d->subtree_angmom[3 * b + k], l[k], 100 * ROUND_OFF);
      }
    }
    measured_close(&s);
  }
}

// linvel is the rate of subtree_com: fourth-order differences along the motion
TEST(velocity_is_the_rate_of_the_centre_of_mass) {
  for (int seed = 0; seed < N_SEED; seed++) {
    measured s;
    cr_data* at[4];
    const cr_real h = CR_R(1e-3), steps[4] = {-2 * h, -h, h, 2 * h};
    measured_open(&s, seed, STATE_FLIGHT);
    for (int k = 0; k < 4; k++) {
      at[k] = test_data(&s.m);
      measured_move(&s, steps[k], at[k]);
    }
    for (int i = 0; i < 3 * s.m.nbody; i++) {
      cr_real rate = (at[0]->subtree_com[i] - 8 * at[1]->subtree_com[i] +
                      8 * at[2]->subtree_com[i] - at[3]->subtree_com[i]) /
                     (12 * h);
      assert_close(s.d->subtree_linvel[i], rate, CR_R(1e-7));
    }
    for (int k = 0; k < 4; k++) {
    }
    measured_close(&s);
  }
}

// a subtree without mass has no velocity, and is no division by zero
TEST(nothing_weighs_nothing) {
  measured s;
  measured_open(&s, 0, STATE_FLIGHT);
  int last = s.m.nbody - 1;
  cr_zero(s.d->cinert + 10 * last, 10);
  assert_int_equal(cr_subtree(&s.m, s.d), CR_OK);
  for (int k = 0; k < 3; k++) {
    assert_true(s.d->subtree_linvel[3 * last + k] == 0);
    assert_true(s.d->subtree_angmom[3 * last + k] == 0);
  }
  measured_close(&s);
}
