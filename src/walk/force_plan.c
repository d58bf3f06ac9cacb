// SPDX-License-Identifier: Apache-2.0
// The matrices follow in closed form: over a step h of constant force the velocities gain h a, and positions h^2 (1/2 + k) a after
// k more steps. So P has two blocks of 12 x 12, with a factor for each pair of steps.
#include "walk/force_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "walk/space.h"

enum { AXES = 3, FORCES = AXES * CR_LEGS, ROWS = 5, ENTRIES = 9 };

const cr_force_costs cri_force_costs = {.gravity = 9.81,
                                        .step = 0.025,
                                        .weight = {5, 5, 0.2, 0, 0, 10, 0, 0, 1, 1, 1, 0},
                                        .effort = 1e-5,
                                        .least = 0.1,
                                        .most = 10};

struct cr_force_plan {
  cr_force_costs costs;
  bool
      all;  // legs that swing are part of the problem too, with forces held at 0: it then has one size
  cr_qp qp;
  cr_qp_solver* solver;
  double x[CR_PLAN_STEPS * FORCES], y[CR_PLAN_STEPS * CR_LEGS * ROWS];
};

cr_status cri_force_plan_create(cr_force_plan** plan, const cr_force_costs* costs,
                                cr_qp_method method, cr_error* error) {
  enum { LEGS = CR_PLAN_STEPS * CR_LEGS };
  cr_force_plan* p = calloc(1, sizeof *p);
  *plan = p;
  CR_TRY(p != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a plan of forces"));
  p->costs = *costs;
  p->all = method == CR_QP_OSQP;
  cr_status status = cri_qp_create(&p->qp, AXES * LEGS, ROWS * LEGS, ENTRIES * LEGS, error);
  status = status == CR_OK ? cri_qp_solver_create(&p->solver, &p->qp, method, 0, error) : status;
  if (status != CR_OK) {
    cri_force_plan_destroy(p);
    *plan = NULL;
  }
  return status;
}

void cri_force_plan_destroy(cr_force_plan* plan) {
  if (plan != NULL) {
    cri_qp_solver_destroy(plan->solver);
    cri_qp_free(&plan->qp);
    free(plan);
  }
}

// ---- dynamics: accelerations of (rpy, position, turning, velocity) by the forces of the legs in `leg`

typedef struct {
  int nleg, leg[CR_LEGS];
  double rates[9];            // T: of turning to rates of roll, pitch, yaw
  double turn[AXES][FORCES];  // angular acceleration by forces
  double tilt[AXES][FORCES];  // T of it
} effects;

// roll, pitch, yaw for yaw 0
static void rates_of(const double rpy[3], double T[9]) {
  double c = cos(rpy[1]), t = tan(rpy[1]);
  const double rows[9] = {1 / c, 0, 0, 0, 1, 0, t, 0, 1};
  cri_matrix_copy(rows, T);
}

// R I R', R by roll and pitch
static void level_inertia(const cr_force_costs* c, const double rpy[3], double to[9]) {
  static const double ahead[3] = {1, 0, 0}, left[3] = {0, 1, 0};
  double roll[9], pitch[9], R[9], RI[9];
  cri_rotation(ahead, rpy[0], roll);
  cri_rotation(left, rpy[1], pitch);
  cri_matrix_product(pitch, roll, R);
  cri_matrix_product(R, c->inertia, RI);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to[3 * i + j] = cri_dot(RI + 3 * i, R + 3 * j);
    }
  }
}

static void find_effects(const cr_force_plan* p, const cr_body_view* view, effects* e) {
  double inertia[9];
  level_inertia(&p->costs, view->rpy, inertia);
  rates_of(view->rpy, e->rates);
  e->nleg = 0;
  for (int leg = 0; leg < CR_LEGS; leg++) {
    if (!p->all && !view->stands[leg]) {
      continue;
    }
    for (int axis = 0; axis < AXES; axis++) {
      double force[3] = {axis == 0, axis == 1, axis == 2}, torque[3], turn[3], tilt[3];
      cri_cross(view->foot[leg], force, torque);
      cri_solve3(inertia, torque, turn);
      cri_turn(e->rates, turn, tilt);
      for (int k = 0; k < 3; k++) {
        e->turn[k][AXES * e->nleg + axis] = turn[k];
        e->tilt[k][AXES * e->nleg + axis] = tilt[k];
      }
    }
    e->leg[e->nleg++] = leg;
  }
}

// ---- costs

// sum over the steps after both i and j: of positions and of velocities
static void factors(double h, int i, int j, double* positions, double* velocities) {
  int later = i > j ? i : j;
  *positions = *velocities = 0;
  for (int k = later; k < CR_PLAN_STEPS; k++) {
    *positions += h * h * h * h * (k - i + 0.5) * (k - j + 0.5);
    *velocities += h * h;
  }
}

static void fill_P(cr_force_plan* p, const effects* e) {
  const cr_force_costs* c = &p->costs;
  int width = AXES * e->nleg;
  double position[FORCES][FORCES], velocity[FORCES][FORCES];
  for (int a = 0; a < width; a++) {
    for (int b = 0; b < width; b++) {
      int axis = a % AXES;
      double lift = axis == b % AXES ? 1 / (c->mass * c->mass) : 0;
      position[a][b] = c->weight[3 + axis] * lift;
      velocity[a][b] = c->weight[9 + axis] * lift;
      for (int k = 0; k < 3; k++) {
        position[a][b] += c->weight[k] * e->tilt[k][a] * e->tilt[k][b];
        velocity[a][b] += c->weight[6 + k] * e->turn[k][a] * e->turn[k][b];
      }
    }
  }
  for (int i = 0; i < CR_PLAN_STEPS; i++) {
    for (int j = 0; j < CR_PLAN_STEPS; j++) {
      double by_position, by_velocity;
      factors(c->step, i, j, &by_position, &by_velocity);
      for (int a = 0; a < width; a++) {
        double* row = p->qp.P + (ptrdiff_t)(i * width + a) * p->qp.n + (ptrdiff_t)j * width;
        for (int b = 0; b < width; b++) {
          row[b] = 2 * (by_position * position[a][b] + by_velocity * velocity[a][b]);
          row[b] += i == j && a == b ? c->effort : 0;
        }
      }
    }
  }
}

// what is missed without forces at the end of step k: rpy, position, turning, velocity
static void missed_at(const cr_force_plan* p, const cr_body_view* view, const effects* e, int k,
                      double off[12]) {
  double t = p->costs.step * (k + 1), rates[3];
  cri_turn(e->rates, view->turning, rates);
  for (int axis = 0; axis < 3; axis++) {
    double fall = axis == 2 ? -p->costs.gravity : 0, at = axis == 2 ? view->height : 0;
    off[axis] =
        view->rpy[axis] + t * rates[axis] - view->wanted_rpy[axis] - t * view->wanted_turning[axis];
    off[3 + axis] = at + t * view->velocity[axis] + t * t * fall / 2 - view->wanted_position[axis] -
                    t * view->wanted_velocity[axis];
    off[6 + axis] = view->turning[axis] - view->wanted_turning[axis];
    off[9 + axis] = view->velocity[axis] + t * fall - view->wanted_velocity[axis];
  }
}

static void fill_q(cr_force_plan* p, const cr_body_view* view, const effects* e) {
  const cr_force_costs* c = &p->costs;
  int width = AXES * e->nleg;
  double off[CR_PLAN_STEPS][12];
  for (int k = 0; k < CR_PLAN_STEPS; k++) {
    missed_at(p, view, e, k, off[k]);
  }
  for (int i = 0; i < CR_PLAN_STEPS; i++) {
    for (int a = 0; a < width; a++) {
      int axis = a % AXES;
      double sum = 0;
      for (int k = i; k < CR_PLAN_STEPS; k++) {
        double by_position = c->step * c->step * (k - i + 0.5), by_velocity = c->step;
        sum += by_position * c->weight[3 + axis] * off[k][3 + axis] / c->mass;
        sum += by_velocity * c->weight[9 + axis] * off[k][9 + axis] / c->mass;
        for (int r = 0; r < 3; r++) {
          sum += by_position * c->weight[r] * off[k][r] * e->tilt[r][a];
          sum += by_velocity * c->weight[6 + r] * off[k][6 + r] * e->turn[r][a];
        }
      }
      p->qp.q[i * width + a] = 2 * sum;
    }
  }
}

// ---- constraints: a friction pyramid of four rows and the upward force

static void put_row(cr_qp* qp, int* at, int first, const double entry[3], double low, double high) {
  int row = (*at)++;
  qp->start[row + 1] = qp->start[row];
  for (int k = 0; k < 3; k++) {
    if (entry[k] != 0 || k == 2) {
      qp->column[qp->start[row + 1]] = first + k;
      qp->entry[qp->start[row + 1]++] = entry[k];
    }
  }
  qp->lower[row] = low;
  qp->upper[row] = high;
}

static void fill_rows(cr_force_plan* p, const cr_body_view* view, const effects* e) {
  double weight = p->costs.mass * p->costs.gravity;
  int row = 0;
  p->qp.start[0] = 0;
  for (int k = 0; k < CR_PLAN_STEPS * e->nleg; k++) {
    int leg = e->leg[k % e->nleg];
    double mu = view->friction[leg], most = view->stands[leg] ? p->costs.most * weight : 0;
    double slide = (mu + 1) * most;
    const double sides[4][3] = {{-1, 0, mu}, {1, 0, mu}, {0, -1, mu}, {0, 1, mu}};
    const double up[3] = {0, 0, 1};
    for (int side = 0; side < 4; side++) {
      put_row(&p->qp, &row, AXES * k, sides[side], 0, slide);
    }
    put_row(&p->qp, &row, AXES * k, up, view->stands[leg] ? p->costs.least * weight : 0, most);
  }
}

cr_status cri_force_plan_decide(cr_force_plan* plan, const cr_body_view* view,
                                double force[CR_LEGS][3], cr_error* error) {
  effects e;
  find_effects(plan, view, &e);
  memset(force, 0, sizeof(double) * FORCES);
  plan->qp.n = CR_PLAN_STEPS * AXES * e.nleg;
  plan->qp.m = CR_PLAN_STEPS * ROWS * e.nleg;
  if (e.nleg == 0) {
    return CR_OK;
  }
  fill_P(plan, &e);
  fill_q(plan, view, &e);
  fill_rows(plan, view, &e);
  CR_TRY(cri_qp_solve(plan->solver, &plan->qp, plan->x, plan->y, error));
  for (int k = 0; k < e.nleg; k++) {
    // a solution that is not exact may pull a little where no foot stands
    for (int axis = 0; axis < AXES && view->stands[e.leg[k]]; axis++) {
      force[e.leg[k]][axis] = plan->x[AXES * k + axis];
    }
  }
  return CR_OK;
}

const cr_qp* cri_force_plan_problem(const cr_force_plan* plan, const double** x, const double** y) {
  *x = plan->x;
  *y = plan->y;
  return &plan->qp;
}

int cri_force_plan_iterations(const cr_force_plan* plan) { return cri_qp_iterations(plan->solver); }
