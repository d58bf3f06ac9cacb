// SPDX-License-Identifier: Apache-2.0
// Motion between two states: meets both, with the velocity the rate of the position; in closed form
// where the motion is; of the order that it promises.
#include "integrate/dense.h"

#include "carom/state.h"
#include "engine/forward.h"
#include "integrate/runge_kutta.h"
#include "kinematics/configuration.h"
#include "math/quat.h"
#include "scenes/chain_model.h"
#include "support/close.h"

enum { NQ = 12, NV = 9 };

typedef struct {
  cr_model m;
  cr_data *d, *at;
} fixture;

static void begin(fixture* f, int n) {
  static const int32_t joints[] = {CR_JNT_FREE, CR_JNT_BALL};
  assert_int_equal(chain_model(&f->m, n, joints, 0, NULL), CR_OK);
  f->m.integrator = CR_INT_DOPRI8;
  f->d = test_data(&f->m);
  f->at = test_data(&f->m);
  for (int i = 0; i < f->m.nv; i++) {
    f->d->qvel[i] = 2 - CR_R(0.7) * (cr_real)i;
  }
}

static void end(fixture* f) { cri_model_free(&f->m); }

// a node with numbers of its own
typedef struct {
  cr_real qpos[NQ], qvel[NV], qacc[NV];
  cri_node node;
} kept;

static void keep(const fixture* f, kept* k) {
  cr_copy(k->qpos, f->d->qpos, f->m.nq);
  cr_copy(k->qvel, f->d->qvel, f->m.nv);
  cr_copy(k->qacc, f->d->qacc, f->m.nv);
  k->node = (cri_node){.time = f->d->time};
  k->node.state.qpos.x = k->qpos;
  k->node.state.qvel.x = k->qvel;
  k->node.rate.qvel.x = k->qacc;
}

// the exact motion over t, in steps of high order
static void move(fixture* f, cr_real t) {
  enum { STEPS = 8 };
  cri_rk rk = {.t = cri_tableau_of(CR_INT_DOPRI8), .h = t / STEPS};
  for (int i = 0; i < STEPS; i++) {
    assert_int_equal(cri_dynamics(&f->m, f->d), CR_OK);
    cri_runge_kutta_begin(&f->m, f->d);
    assert_int_equal(cr_runge_kutta(&rk, &f->m, f->d), CR_OK);
    cr_copy(f->d->qpos, f->d->qpos_next, f->m.nq);
    cr_copy(f->d->qvel, f->d->qvel_next, f->m.nv);
    f->d->time += rk.h;
  }
  assert_int_equal(cri_dynamics(&f->m, f->d), CR_OK);
}

static cr_real distance(const fixture* f, const cr_real* qpos, const cr_real* qvel, cr_real* v) {
  cr_real way[NV], q = 0;
  cr_differentiate_pos(&f->m, way, 1, qpos, f->at->qpos, NULL);
  *v = 0;
  for (int i = 0; i < f->m.nv; i++) {
    q = cr_max(q, cr_abs(way[i]));
    *v = cr_max(*v, cr_abs(f->at->qvel[i] - qvel[i]));
  }
  return q;
}

// errors in the middle of a step of length h
static void errors(cr_real h, cr_real* q, cr_real* v) {
  fixture f;
  kept a, middle, b;
  begin(&f, 2);
  assert_int_equal(cri_dynamics(&f.m, f.d), CR_OK);
  keep(&f, &a);
  move(&f, CR_R(0.4) * h);
  keep(&f, &middle);
  move(&f, CR_R(0.6) * h);
  keep(&f, &b);
  cri_dense_at(&f.m, &a.node, &b.node, a.node.time + CR_R(0.4) * h, f.at);
  *q = distance(&f, middle.qpos, middle.qvel, v);
  // both ends are met
  cr_real dv, dq;
  cri_dense_at(&f.m, &a.node, &b.node, a.node.time, f.at);
  dq = distance(&f, a.qpos, a.qvel, &dv);
  assert_true(dq < 100 * CR_EPS && dv < 100 * CR_EPS);
  cri_dense_at(&f.m, &a.node, &b.node, b.node.time, f.at);
  dq = distance(&f, b.qpos, b.qvel, &dv);
  assert_true(dq < 100 * CR_EPS && dv < 100 * CR_EPS);
  end(&f);
}

TEST(has_its_order) {
  cr_real q[2], v[2];
  errors(CR_R(0.1), &q[0], &v[0]);
  errors(CR_R(0.05), &q[1], &v[1]);
  assert_true(log2((double)(q[0] / q[1])) > 5.6);
  assert_true(log2((double)(v[0] / v[1])) > 4.6);
  assert_true(v[1] < CR_R(1e-5));
}

TEST(velocity_is_the_rate_of_position) {
  fixture f;
  kept a, b;
  begin(&f, 2);
  assert_int_equal(cri_dynamics(&f.m, f.d), CR_OK);
  keep(&f, &a);
  move(&f, CR_R(0.5));
  keep(&f, &b);
  for (int k = 1; k < 8; k++) {
    cr_real t = a.node.time + CR_R(0.06) * (cr_real)k, h = CR_R(1e-4), before[NQ], way[NV];
    cri_dense_at(&f.m, &a.node, &b.node, t - h, f.at);
    cr_copy(before, f.at->qpos, f.m.nq);
    cri_dense_at(&f.m, &a.node, &b.node, t + h, f.at);
    cr_differentiate_pos(&f.m, way, 2 * h, before, f.at->qpos, NULL);
    cri_dense_at(&f.m, &a.node, &b.node, t, f.at);
    for (int i = 0; i < f.m.nv; i++) {
      assert_close(way[i], f.at->qvel[i], CR_R(1e-5));
    }
  }
  end(&f);
}

// a round body in flight: any number of turns within one step
TEST(whole_turns_are_not_lost) {
  fixture f;
  kept a, b, middle;
  begin(&f, 1);
  for (int k = 0; k < 3; k++) {
    f.m.body_inertia[3 + k] = CR_R(0.1);
    f.m.body_ipos[3 + k] = 0;
  }
  cr_zero(f.d->qvel, f.m.nv);
  f.d->qvel[4] = 7;
  f.d->qvel[5] = -3;
  assert_int_equal(cri_dynamics(&f.m, f.d), CR_OK);
  keep(&f, &a);
  move(&f, CR_R(1.1));
  keep(&f, &middle);
  move(&f, CR_R(1.4));
  keep(&f, &b);
  cr_real dv;
  cri_dense_at(&f.m, &a.node, &b.node, middle.node.time, f.at);
  assert_true(distance(&f, middle.qpos, middle.qvel, &dv) < CR_R(1e-10));
  assert_true(dv < CR_R(1e-10));
  end(&f);
}
