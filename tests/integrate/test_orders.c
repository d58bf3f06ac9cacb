// SPDX-License-Identifier: Apache-2.0
// Orders of convergence of every table, measured: a motor-driven pendulum of three joints, and a body
// that tumbles freely, with both ways to add up rotations; and how far energy and momentum of that body
// drift. It prints the rows of the table in docs/integrators.md.
#include "integrate/inputs.h"
#include "integrate/runge_kutta.h"

#include "engine/forward.h"
#include "math/quat.h"
#include "model/model_options.h"
#include "model/names.h"
#include "scenes/chain_model.h"
#include "support/close.h"

typedef struct {
  cr_model m;
  cr_data* d;
  cr_real start[32];  // qpos, qvel
} problem;

static void open_problem(problem* p, int n, const int32_t* joints) {
  assert_int_equal(chain_model(&p->m, n, joints, 1, NULL), CR_OK);
  p->m.integrator = CR_INT_DOPRI8;  // room for the most stages
  p->d = test_data(&p->m);
}

static void open_pendulum(problem* p) {
  static const int32_t joints[] = {CR_JNT_HINGE, CR_JNT_HINGE, CR_JNT_SLIDE};
  open_problem(p, 3, joints);
  p->d->qpos[0] = CR_R(0.4);
  p->d->qvel[1] = 2;
  p->d->ctrl[0] = CR_R(0.5);
}

// unequal moments of inertia, a turn near the middle axis: it flips over
static void open_tumbler(problem* p) {
  static const int32_t joints[] = {CR_JNT_FREE};
  open_problem(p, 1, joints);
  cr_zero(p->m.gravity, 3);
  cr_zero(p->m.body_ipos + 3, 3);
  cr_real *I = p->m.body_inertia + 3, *q = p->m.body_iquat + 4;
  I[0] = CR_R(0.02);
  I[1] = CR_R(0.05);
  I[2] = CR_R(0.06);
  q[0] = 1;
  cr_zero(q + 1, 3);
  p->d->qvel[3] = CR_R(0.3);
  p->d->qvel[4] = 5;
  p->d->qvel[5] = CR_R(0.2);
}

static void close_problem(problem* p) { cri_model_free(&p->m); }

static void run(problem* p, const cri_tableau* t, cri_local_coordinates chart, cr_real time,
                int steps) {
  cr_data* d = p->d;
  cri_rk rk = {.t = t, .h = time / (cr_real)steps, .chart = chart};
  for (int k = 0; k < steps; k++) {
    assert_int_equal(cri_dynamics(&p->m, d), CR_OK);
    cri_runge_kutta_begin(&p->m, d);
    assert_int_equal(cr_runge_kutta(&rk, &p->m, d), CR_OK);
    cr_copy(d->qpos, d->qpos_next, p->m.nq);
    cr_copy(d->qvel, d->qvel_next, p->m.nv);
    d->time += rk.h;
  }
}

// distance of two states in coordinates and velocities
static cr_real apart(const problem* p, const cr_real* a) {
  cr_real most = 0;
  for (int i = 0; i < p->m.nq; i++) {
    most = cr_max(most, cr_abs(a[i] - p->d->qpos[i]));
  }
  for (int i = 0; i < p->m.nv; i++) {
    most = cr_max(most, cr_abs(a[p->m.nq + i] - p->d->qvel[i]));
  }
  return most;
}

typedef void opener(problem* p);

static void end_of(opener* open, const cri_tableau* t, cri_local_coordinates chart, cr_real time,
                   int steps, cr_real* end) {
  problem p;
  open(&p);
  run(&p, t, chart, time, steps);
  cr_copy(end, p.d->qpos, p.m.nq);
  cr_copy(end + p.m.nq, p.d->qvel, p.m.nv);
  close_problem(&p);
}

static cr_real error_of(opener* open, const cri_tableau* t, cri_local_coordinates chart,
                        cr_real time, int steps, const cr_real* truth) {
  problem p;
  open(&p);
  run(&p, t, chart, time, steps);
  cr_real error = apart(&p, truth);
  close_problem(&p);
  return error;
}

// from two runs, the second with steps half as long
static cr_real order_of(opener* open, const cri_tableau* t, cri_local_coordinates chart,
                        cr_real time, int steps, const cr_real* truth) {
  cr_real coarse = error_of(open, t, chart, time, steps, truth);
  cr_real fine = error_of(open, t, chart, time, 2 * steps, truth);
  return cr_log(coarse / fine) / cr_log(CR_R(2));
}

// ---- energy and momentum of the tumbler

static cr_real energy(const problem* p) {
  const cr_real *w = p->d->qvel + 3, *I = p->m.body_inertia + 3;
  return (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]) / 2;
}

static void momentum(const problem* p, cr_real L[3]) {
  const cr_real *w = p->d->qvel + 3, *I = p->m.body_inertia + 3;
  cr_real R[9], own[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
  cr_quat_to_mat(R, p->d->qpos + 3);
  cr_mulmat3(L, R, own);
}

static void drifts(const cri_tableau* t, cri_local_coordinates chart, cr_real* of_energy,
                   cr_real* of_momentum) {
  problem p;
  open_tumbler(&p);
  cr_real E = energy(&p), L[3], now[3];
  momentum(&p, L);
  run(&p, t, chart, 10, 1000);
  momentum(&p, now);
  *of_energy = cr_abs(energy(&p) - E) / E;
  *of_momentum = 0;
  for (int i = 0; i < 3; i++) {
    *of_momentum = cr_max(*of_momentum, cr_abs(now[i] - L[i]) / cr_norm3(L));
  }
  close_problem(&p);
}

// ---- the table

// steps coarse enough to see the order above round-off, fine enough to see it at all
static int pendulum_steps(int order) {
  return order >= 8 ? 24 : order >= 5 ? 160 : order >= 3 ? 100 : 400;
}

static int tumbler_steps(int order) {
  return order >= 8 ? 7 : order >= 5 ? 40 : order >= 3 ? 100 : 400;
}

TEST(orders_are_those_of_the_tables) {
  static const int methods[] = {CR_INT_FORWARD_EULER, CR_INT_HEUN,  CR_INT_MIDPOINT,
                                CR_INT_RALSTON,       CR_INT_BOSH3, CR_INT_RK4,
                                CR_INT_DOPRI5,        CR_INT_TSIT5, CR_INT_DOPRI8};
  const cri_tableau* best = cri_tableau_of(CR_INT_DOPRI8);
  cr_real pendulum[32], tumbler[32];
  end_of(open_pendulum, best, CRI_TURNS, 1, 600, pendulum);
  end_of(open_tumbler, best, CRI_TURNS, 1, 600, tumbler);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
    const cri_tableau* t = cri_tableau_of(methods[i]);
    cr_real order[3], E, L;
    int swings = pendulum_steps(t->order), turns = tumbler_steps(t->order);
    order[0] = order_of(open_pendulum, t, CRI_TURNS, 1, swings, pendulum);
    order[1] = order_of(open_tumbler, t, CRI_TURNS, 1, turns, tumbler);
    order[2] = order_of(open_tumbler, t, CRI_QUATERNIONS, 1, turns, tumbler);
    drifts(t, CRI_TURNS, &E, &L);
    print_message("| %s | %d | %.2f | %.2f | %.2f | %.0e | %.0e |\n",
                  cri_integrator_word(methods[i]), t->order, (double)order[0], (double)order[1],
                  (double)order[2], (double)E, (double)L);
    for (int k = 0; k < 3; k++) {
      assert_true(order[k] > (cr_real)t->order - CR_R(0.35));
      assert_true(order[k] < (cr_real)t->order + CR_R(1.2));
    }
    assert_true(E < (t->order >= 4 ? CR_R(1e-5) : t->order > 1 ? CR_R(0.02) : 1));
  }
}
