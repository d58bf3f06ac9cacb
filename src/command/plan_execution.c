// SPDX-License-Identifier: Apache-2.0
// Plans of poses in full dynamics.
#include "command/plan_execution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 20 };              // time steps between rows of a table
enum { CORRECTIONS = 5 };         // of the setpoints within a pose
enum { WAY = 400 };               // most poses on the way to a new grasp
static const double SPEED = 0.5;  // of setpoints on the way to a new grasp, rad/s or m/s
static const double REGULARISATION = 1e-2;

typedef struct {
  cr_plan_execution* x;
  const cr_model* m;
  int nq, nv, nu, no;
  double* numbers;               // what the pointers below lie in
  double *M, *y;                 // [nv nv], [nv]: B B' + r I and its right side, of objects
  int* dof;                      // [nv] dofs of objects
  cr_real *move, *next, *B, *u;  // [nv], [nq], [nv nu], [nu]
  cr_real *from, *to;            // [nu]
  cr_real *way, *pose;           // [WAY nq], [nq]
  const cr_real* range;          // [nu 2] of setpoints
  const int32_t* limited;        // [nu]
} run;

// ---- dynamics

static cr_real* view(const run* r, const char* name) {
  return cr_setup_view(r->x->setup, r->x->d, name);
}

static cr_status told(const run* r, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(r->x->d));
}

static cr_status put_state(const run* r, cr_error* error) {
  return cr_pose_table_add(r->x->table, r->x->time, view(r, "qpos"), error);
}

// setpoints go from `from` to `to` in the share `ramp` of n time steps
static cr_status advance(run* r, int n, double ramp, cr_error* error) {
  cr_plan_execution* x = r->x;
  for (int k = 0; k < n; k++) {
    const double share = ramp > 0 ? fmin(1, (k + 1) / (ramp * n)) : 1;
    cr_real* ctrl = view(r, "ctrl");
    for (int i = 0; i < r->nu; i++) {
      ctrl[i] = (cr_real)((1 - share) * (double)r->from[i] + share * (double)r->to[i]);
    }
    CR_TRY(told(r, cr_step(r->m, x->d), error));
    CR_TRY(told(r, cr_advance(r->m, x->d), error));
    x->time += x->times.timestep;
    CR_TRY(k % EVERY == EVERY - 1 ? put_state(r, error) : CR_OK);
  }
  return CR_OK;
}

// ---- corrections

// solves M y = y in place, M symmetric and positive definite
static void solve(double* M, double* y, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = i + 1; k < n; k++) {
      const double f = M[k * n + i] / M[i * n + i];
      for (int j = i; j < n; j++) {
        M[k * n + j] -= f * M[i * n + j];
      }
      y[k] -= f * y[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      y[i] -= M[i * n + j] * y[j];
    }
    y[i] /= M[i * n + i];
  }
}

static cr_real within_range(const run* r, int i, double u) {
  const cr_real* range = r->range + 2 * (ptrdiff_t)i;
  return (cr_real)(r->limited[i] != 0 ? fmin(fmax(u, (double)range[0]), (double)range[1]) : u);
}

// u becomes u + du; false where the model of the step has no answer, and u stays
static bool correct(run* r, const cr_real* target, cr_real* u) {
  cr_plan_execution* x = r->x;
  const cr_real* q = view(r, "qpos");
  if (cr_quasidynamic_step(x->smooth, q, u, r->next) != CR_OK ||
      cr_quasidynamic_jacobian(x->smooth, NULL, r->B) != CR_OK ||
      cr_quasidynamic_step(x->exact, q, u, r->next) != CR_OK) {
    return false;
  }
  (void)cr_differentiate_pos(r->m, r->move, 1, r->next, target, NULL);
  for (int i = 0; i < r->no; i++) {
    const double wi = x->weight[r->dof[i]];
    const cr_real* a = r->B + (ptrdiff_t)r->dof[i] * r->nu;
    r->y[i] = wi * (double)r->move[r->dof[i]];
    for (int j = 0; j < r->no; j++) {
      const cr_real* b = r->B + (ptrdiff_t)r->dof[j] * r->nu;
      double sum = 0;
      for (int l = 0; l < r->nu; l++) {
        sum += (double)(a[l] * b[l]);
      }
      r->M[i * r->no + j] = sum * wi * x->weight[r->dof[j]] + (i == j ? REGULARISATION : 0);
    }
  }
  solve(r->M, r->y, r->no);
  double norm = 0;
  for (int l = 0; l < r->nu; l++) {
    double du = 0;
    for (int i = 0; i < r->no; i++) {
      du += x->weight[r->dof[i]] * (double)r->B[(ptrdiff_t)r->dof[i] * r->nu + l] * r->y[i];
    }
    r->u[l] = (cr_real)du;
    norm += du * du;
  }
  const double share = fmin(1, x->stepsize / fmax(sqrt(norm), 1e-12));
  for (int l = 0; l < r->nu; l++) {
    u[l] = within_range(r, l, (double)u[l] + share * (double)r->u[l]);
  }
  return true;
}

static cr_status move_to(run* r, const cr_real* target, const cr_real* u, cr_error* error) {
  const cr_plan_execution* x = r->x;
  const int all = (int)(x->times.hold / x->times.timestep + 0.5);
  const int parts = x->exact != NULL ? CORRECTIONS : 1;
  for (int part = 0; part < parts; part++) {
    memcpy(r->from, view(r, "ctrl"), (size_t)r->nu * sizeof *r->from);
    memcpy(r->to, u, (size_t)r->nu * sizeof *r->to);
    if (x->exact != NULL) {
      (void)correct(r, target, r->to);
    }
    CR_TRY(advance(r, all / parts, x->exact != NULL ? 1 : 0.5, error));
  }
  return CR_OK;
}

// ---- new grasps

// open loop: fingers are set down around the object where it is
static void set_fingers(run* r, const cr_real* pose, const cr_real* u) {
  cr_real* q = view(r, "qpos");
  for (int i = 0; i < r->nq; i++) {
    q[i] = r->x->object[i] ? q[i] : pose[i];
  }
  memset(view(r, "qvel"), 0, (size_t)r->nv * sizeof *q);
  memcpy(view(r, "ctrl"), u, (size_t)r->nu * sizeof *u);
}

// setpoints whose joints the way moves go to the next pose of the way; the others stay
static cr_status follow(run* r, const cr_real* before, const cr_real* after, cr_error* error) {
  double most = 0;
  memcpy(r->from, view(r, "ctrl"), (size_t)r->nu * sizeof *r->from);
  (void)cr_quasidynamic_hold(r->x->exact, before, r->u);
  (void)cr_quasidynamic_hold(r->x->exact, after, r->to);
  for (int i = 0; i < r->nu; i++) {
    r->to[i] = r->to[i] != r->u[i] ? r->to[i] : r->from[i];
    most = fmax(most, fabs((double)(r->to[i] - r->from[i])));
  }
  return advance(r, (int)(most / (SPEED * r->x->times.timestep)) + 1, 1, error);
}

// setpoints go where the joints are: fingers that pressed let go, as new grasps of plans suppose
static cr_status relax(run* r, cr_error* error) {
  memcpy(r->from, view(r, "ctrl"), (size_t)r->nu * sizeof *r->from);
  (void)cr_quasidynamic_hold(r->x->exact, view(r, "qpos"), r->to);
  return advance(r, (int)(0.5 * r->x->times.hold / r->x->times.timestep), 0.5, error);
}

static cr_status move_fingers(run* r, const cr_real* planned, const cr_real* pose,
                              cr_error* error) {
  cr_plan_execution* x = r->x;
  const cr_real* q = view(r, "qpos");
  int n = 0;
  CR_TRY(relax(r, error));
  for (int i = 0; i < r->nq; i++) {
    r->pose[i] = pose[i] != planned[i] ? pose[i] : q[i];
  }
  const cr_status status =
      cr_quasidynamic_way(x->exact, q, r->pose, (cr_real)x->gap, 1, WAY, r->way, &n);
  if (status != CR_OK && status != CR_ERR_CAPACITY) {
    return cri_fail(error, status, "%s", cr_quasidynamic_error(x->exact));
  }
  x->blocked += n == 0;
  for (ptrdiff_t i = 1; i < n; i++) {
    CR_TRY(follow(r, r->way + (i - 1) * r->nq, r->way + i * r->nq, error));
  }
  memcpy(r->from, view(r, "ctrl"), (size_t)r->nu * sizeof *r->from);
  memcpy(r->to, r->from, (size_t)r->nu * sizeof *r->to);
  return advance(r, (int)(0.5 * x->times.hold / x->times.timestep), 0, error);
}

// ---- the plan

static cr_status make_room(run* r, cr_error* error) {
  const size_t q = (size_t)r->nq, v = (size_t)r->nv, u = (size_t)r->nu;
  r->numbers = calloc(v * v + v, sizeof *r->numbers);
  r->dof = calloc(v + 1, sizeof *r->dof);
  r->move = calloc(v + 2 * q + v * u + 3 * u + WAY * q, sizeof *r->move);
  if (r->numbers == NULL || r->dof == NULL || r->move == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "quasidynamic: no memory for the execution");
  }
  r->M = r->numbers;
  r->y = r->M + v * v;
  r->next = r->move + v;
  r->B = r->next + q;
  r->u = r->B + v * u;
  r->from = r->u + u;
  r->to = r->from + u;
  r->pose = r->to + u;
  r->way = r->pose + q;
  for (int i = 0; i < r->nv; i++) {
    if (r->x->weight[i] > 0) {
      r->dof[r->no++] = i;
    }
  }
  return CR_OK;
}

static cr_status run_plan(run* r, const cr_servo_plan* plan, cr_error* error) {
  cr_plan_execution* x = r->x;
  const bool feedback = x->exact != NULL;
  CR_TRY(x->time == 0 ? put_state(r, error) : CR_OK);
  for (ptrdiff_t i = 1; i < plan->n; i++) {
    const cr_real *pose = plan->qpos + i * r->nq, *u = plan->u + i * r->nu;
    const int blocked = x->blocked;
    if (plan->grasp[i] && feedback) {
      CR_TRY(move_fingers(r, pose - r->nq, pose, error));
    } else if (plan->grasp[i]) {
      set_fingers(r, pose, u);
    } else {
      CR_TRY(move_to(r, pose, u, error));
    }
    const double off = cr_object_distance(r->m, x->weight, r->move, view(r, "qpos"), pose);
    x->to_plan = fmax(x->to_plan, off);
    x->poses++;
    if (feedback && (off > x->give_up || x->blocked > blocked)) {
      break;
    }
  }
  return CR_OK;
}

static run open_run(cr_plan_execution* x) {
  const cr_setup* s = x->setup;
  return (run){.x = x,
               .m = s->m,
               .nq = s->nq,
               .nv = s->nv,
               .nu = s->nu,
               .range = cr_model_numbers(s->m, "actuator_ctrlrange", NULL, NULL),
               .limited = cr_model_integers(s->m, "actuator_ctrllimited", NULL, NULL)};
}

cr_status cr_plan_execute(cr_plan_execution* x, const cr_servo_plan* plan, cr_error* error) {
  run r = open_run(x);
  cr_status status = make_room(&r, error);
  status = status == CR_OK ? run_plan(&r, plan, error) : status;
  free(r.numbers);
  free(r.dof);
  free(r.move);
  return status;
}
