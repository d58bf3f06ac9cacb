// SPDX-License-Identifier: Apache-2.0
// Forces of feet: the problem against its definition by steps of the body, the conditions of its solution, and what they mean.
#include "walk/force_plan.h"

#include <string.h>

#include "base/random.h"
#include "support/close.h"
#include "support/test.h"
#include "walk/space.h"

static cr_error error;

static cr_force_costs costs_of(void) {
  cr_force_costs c = cri_force_costs;
  const double inertia[9] = {0.6, 0.01, 0.02, 0.01, 1.2, 0, 0.02, 0, 1.3};
  c.mass = 25;
  cri_matrix_copy(inertia, c.inertia);
  return c;
}

static cr_body_view standing(void) {
  cr_body_view v = {.height = 0.42};
  for (int leg = 0; leg < CR_LEGS; leg++) {
    v.stands[leg] = true;
    v.friction[leg] = 0.45;
    v.foot[leg][0] = leg < 2 ? 0.22 : -0.2;
    v.foot[leg][1] = leg % 2 == 0 ? -0.12 : 0.12;
    v.foot[leg][2] = -0.42;
  }
  v.wanted_position[2] = 0.42;
  return v;
}

static cr_body_view moving(void) {
  cr_body_view v = standing();
  const double velocity[3] = {0.5, -0.1, 0.05}, rpy[3] = {0.05, -0.08, 0.1},
               turning[3] = {0.2, -0.3, 0.4};
  memcpy(v.velocity, velocity, sizeof velocity);
  memcpy(v.rpy, rpy, sizeof rpy);
  memcpy(v.turning, turning, sizeof turning);
  v.wanted_velocity[0] = 0.6;
  v.wanted_turning[2] = 0.3;
  v.height = 0.41;
  v.stands[1] = v.stands[2] = false;
  return v;
}

// ---- the cost of forces, by small steps of the body

// x: rpy, position, turning, velocity; its rate under the forces of one step of the plan
static void rate(const cr_force_costs* c, const cr_body_view* v, const double I[9], const double* x,
                 const double* force, double* to) {
  double torque[3] = {0}, pull[3] = {0, 0, -c->gravity * c->mass};
  for (int leg = 0; leg < CR_LEGS; leg++) {
    double part[3];
    cri_cross(v->foot[leg], force + 3 * leg, part);
    cri_add(torque, part, 1, torque);
    cri_add(pull, force + 3 * leg, 1, pull);
  }
  // rates of roll, pitch and yaw where the yaw is 0
  to[0] = x[6] / cos(v->rpy[1]);
  to[1] = x[7];
  to[2] = tan(v->rpy[1]) * x[6] + x[8];
  memcpy(to + 3, x + 9, 3 * sizeof *to);
  cri_solve3(I, torque, to + 6);
  for (int k = 0; k < 3; k++) {
    to[9 + k] = pull[k] / c->mass;
  }
}

static double cost_of(const cr_force_costs* c, const cr_body_view* v,
                      double force[CR_PLAN_STEPS][3 * CR_LEGS]) {
  enum { PARTS = 200 };
  // inertia in the level frame, through a rotation made of quaternions
  double cr = cos(v->rpy[0] / 2), sr = sin(v->rpy[0] / 2), cp = cos(v->rpy[1] / 2),
         sp = sin(v->rpy[1] / 2);
  const double q[4] = {cp * cr, cp * sr, sp * cr, -sp * sr};
  double R[9], T[9], I[9], x[12], cost = 0;
  cri_rotation_of(q, R);
  cri_matrix_product(R, c->inertia, T);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      I[3 * i + j] = cri_dot(T + 3 * i, R + 3 * j);
    }
  }
  const double position[3] = {0, 0, v->height};
  memcpy(x, v->rpy, 3 * sizeof *x);
  memcpy(x + 3, position, sizeof position);
  memcpy(x + 6, v->turning, 3 * sizeof *x);
  memcpy(x + 9, v->velocity, 3 * sizeof *x);
  for (int k = 0; k < CR_PLAN_STEPS; k++) {
    double h = c->step / PARTS, t = c->step * (k + 1);
    for (int i = 0; i < PARTS; i++) {  // the midpoint method is exact for this body
      double first[12], half[12], second[12];
      rate(c, v, I, x, force[k], first);
      for (int j = 0; j < 12; j++) {
        half[j] = x[j] + h / 2 * first[j];
      }
      rate(c, v, I, half, force[k], second);
      for (int j = 0; j < 12; j++) {
        x[j] += h * second[j];
      }
    }
    for (int j = 0; j < 3; j++) {
      double off[4] = {x[j] - v->wanted_rpy[j] - t * v->wanted_turning[j],
                       x[3 + j] - v->wanted_position[j] - t * v->wanted_velocity[j],
                       x[6 + j] - v->wanted_turning[j], x[9 + j] - v->wanted_velocity[j]};
      for (int kind = 0; kind < 4; kind++) {
        cost += c->weight[3 * kind + j] * off[kind] * off[kind];
      }
    }
    for (int j = 0; j < 3 * CR_LEGS; j++) {
      cost += c->effort * force[k][j] * force[k][j] / 2;
    }
  }
  return cost;
}

// x'P x / 2 + q'x for forces of the standing legs
static double value_of(const cr_qp* qp, const double* x) {
  double sum = 0;
  for (int i = 0; i < qp->n; i++) {
    double row = 0;
    for (int j = 0; j < qp->n; j++) {
      row += qp->P[i * qp->n + j] * x[j];
    }
    sum += x[i] * (row / 2 + qp->q[i]);
  }
  return sum;
}

TEST(the_problem_is_the_cost_of_the_body_in_steps) {
  cr_force_costs c = costs_of();
  for (int k = 0; k < 12; k++) {
    c.weight[k] = 1 + k;  // also what the trot does not weigh
  }
  const cr_body_view v = moving();
  cr_force_plan* plan;
  double first[CR_LEGS][3], none[CR_PLAN_STEPS][3 * CR_LEGS] = {{0}};
  const double *x, *y;
  cr_random random = cr_random_seed(9, 0);
  assert_int_equal(cri_force_plan_create(&plan, &c, CR_QP_INTERIOR, &error), CR_OK);
  assert_int_equal(cri_force_plan_decide(plan, &v, first, &error), CR_OK);
  const cr_qp* qp = cri_force_plan_problem(plan, &x, &y);
  assert_int_equal(qp->n, CR_PLAN_STEPS * 2 * 3);
  double start = cost_of(&c, &v, none);
  for (int round = 0; round < 5; round++) {
    double force[CR_PLAN_STEPS][3 * CR_LEGS] = {{0}}, unknown[CR_PLAN_STEPS * 3 * CR_LEGS];
    int n = 0;
    for (int k = 0; k < CR_PLAN_STEPS; k++) {
      for (int leg = 0; leg < CR_LEGS; leg++) {
        for (int axis = 0; axis < 3 && v.stands[leg]; axis++) {
          force[k][3 * leg + axis] = unknown[n++] = 100 * cr_random_normal(&random);
        }
      }
    }
    double should = cost_of(&c, &v, force) - start;
    assert_close(value_of(qp, unknown), should, 1e-9 * fabs(should));
  }
  cri_force_plan_destroy(plan);
}

TEST(forces_carry_the_robot_and_stay_within_the_friction_pyramid) {
  const cr_force_costs c = costs_of();
  for (int method = 0; method < 2; method++) {
    if (!cri_qp_has((cr_qp_method)method)) {
      continue;
    }
    cr_force_plan* plan;
    cr_body_view v = moving();
    v.wanted_velocity[0] = 5;  // far more than the feet hold
    double force[CR_LEGS][3], up = 0;
    const double *x, *y;
    assert_int_equal(cri_force_plan_create(&plan, &c, (cr_qp_method)method, &error), CR_OK);
    for (int again = 0; again < 3; again++) {
      assert_int_equal(cri_force_plan_decide(plan, &v, force, &error), CR_OK);
    }
    const cr_qp* qp = cri_force_plan_problem(plan, &x, &y);
    assert_true(cri_qp_residual(qp, x, y) < (method == CR_QP_OSQP ? 0.05 : 1e-5));
    assert_true(cri_force_plan_iterations(plan) > 0);
    bool slides = false;
    for (int leg = 0; leg < CR_LEGS; leg++) {
      for (int axis = 0; axis < 2; axis++) {
        assert_true(fabs(force[leg][axis]) <= 0.45 * force[leg][2] + 0.1);
        slides = slides || (v.stands[leg] && fabs(force[leg][axis]) > 0.44 * force[leg][2]);
      }
      assert_true(force[leg][2] >= (v.stands[leg] ? 0.1 * 25 * 9.81 - 0.1 : 0));
      assert_true(v.stands[leg] || force[leg][2] == 0);
      up += force[leg][2];
    }
    assert_true(slides);
    assert_true(up > 150);
    cri_force_plan_destroy(plan);
  }
}

TEST(both_methods_decide_alike) {
  const cr_force_costs c = costs_of();
  cr_force_plan* plan[2];
  if (!cri_qp_has(CR_QP_OSQP)) {
    skip();
  }
  for (int method = 0; method < 2; method++) {
    assert_int_equal(cri_force_plan_create(&plan[method], &c, (cr_qp_method)method, &error), CR_OK);
  }
  for (int round = 0; round < 8; round++) {  // from standing to moving and back, with one solver
    double force[2][CR_LEGS][3];
    cr_body_view v = round % 2 == 0 ? standing() : moving();
    v.velocity[0] += 0.02 * round;
    for (int method = 0; method < 2; method++) {
      assert_int_equal(cri_force_plan_decide(plan[method], &v, force[method], &error), CR_OK);
    }
    for (int leg = 0; leg < CR_LEGS; leg++) {
      for (int axis = 0; axis < 3; axis++) {
        assert_close(force[1][leg][axis], force[0][leg][axis], 3);  // N, of some 100
      }
    }
  }
  cri_force_plan_destroy(plan[0]);
  cri_force_plan_destroy(plan[1]);
}

TEST(without_feet_there_are_no_forces) {
  const cr_force_costs c = costs_of();
  cr_force_plan* plan;
  cr_body_view v = standing();
  double force[CR_LEGS][3] = {{1, 1, 1}};
  memset(v.stands, 0, sizeof v.stands);
  assert_int_equal(cri_force_plan_create(&plan, &c, CR_QP_INTERIOR, &error), CR_OK);
  assert_int_equal(cri_force_plan_decide(plan, &v, force, &error), CR_OK);
  assert_close(force[0][0], 0, 0);
  v = standing();
  v.velocity[1] = (double)NAN;
  assert_int_equal(cri_force_plan_decide(plan, &v, force, &error), CR_ERR_NONFINITE);
  cri_force_plan_destroy(plan);
}
