// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tools/hdf5.h"

// ---- of a plan

static cr_status run_plan(cr_plan_task* t, cr_rollout* r, const char* path, cr_real* parts,
                          cr_real* cost, cr_error* error) {
  const cr_task_planner* o = &t->planner;
  if (o->rtol > 0) {
    const cr_adaptive adaptive = {.size = sizeof adaptive,
                                  .rtol = (cr_real)o->rtol,
                                  .atol = (cr_real)(o->rtol / 1000),
                                  .events = o->events};
    CR_TRY(cr_rollout_set_adaptive(r, t->m, &adaptive, error));
  }
  CR_TRY(cr_state_copy(t->m, t->start, cr_rollout_data(r), CR_STATE_INTEGRATION));
  memcpy(cr_rollout_ctrl(r), cr_planner_ctrl(t->planning),
         (size_t)t->nstep * (size_t)t->nu * sizeof(cr_real));
  cr_loss loss = cr_cost_loss(t->cost, t->nstep, (cr_real)t->step);
  CR_TRY(cr_rollout_run(r, t->m, t->nstep, &loss, error));
  *cost = cr_rollout_loss(r);
  for (int i = 0; i < cr_cost_count(t->cost); i++) {
    parts[i] = cr_cost_part(t->cost, i);
  }
  return cr_rollout_save(r, t->m, path, NULL, 0, error);
}

cr_status cr_plan_motion(cr_plan_task* t, const char* path, cr_real* parts, cr_real* cost,
                         cr_error* error) {
  cr_rollout* r = NULL;
  CR_TRY(cr_rollout_create(&r, t->m, t->nstep, NULL, 0, error));
  cr_status status = run_plan(t, r, path, parts, cost, error);
  cr_rollout_destroy(r);
  return status;
}

// ---- of a plant

typedef struct {
  cr_plan_task* t;
  cr_data *d, *seen;  // of the plant, and what the planner gets of it
  cr_random random;
  int nq, nv, na, nu, steps, step;
  double *time, *qpos, *qvel, *act, *ctrl;
  double* memory;
  cr_real *late, *now, *half;  // controls on their way, delay + 1 rows; of this step; half ranges
  cr_real* state;              // a state on its way from one model to the other
  cr_loss loss;
  cr_real cost;
} plant;

static cr_status make_room(plant* p, cr_error* error) {
  const cr_plan_task* t = p->t;
  size_t n = (size_t)p->steps, row = 1 + (size_t)(p->nq + p->nv + p->na + p->nu),
         nu = (size_t)p->nu;
  p->memory = calloc((n + 1) * row + 1, sizeof *p->memory);
  p->late = calloc(
      ((size_t)t->mpc.delay + 4) * nu + (size_t)p->nq + 2 * (size_t)p->nv + (size_t)p->na + 2,
      sizeof *p->late);
  if (p->memory == NULL || p->late == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "mpc: no memory for %d steps", p->steps);
  }
  p->time = p->memory;
  p->qpos = p->time + n + 1;
  p->qvel = p->qpos + (n + 1) * (size_t)p->nq;
  p->act = p->qvel + (n + 1) * (size_t)p->nv;
  p->ctrl = p->act + (n + 1) * (size_t)p->na;
  p->now = p->late + ((size_t)t->mpc.delay + 1) * nu;
  p->half = p->now + nu;
  p->state = p->half + 2 * nu;
  const cr_real* range = cr_model_numbers(t->plant, "actuator_ctrlrange", NULL, NULL);
  const int32_t* limited = cr_model_integers(t->plant, "actuator_ctrllimited", NULL, NULL);
  for (int i = 0; i < p->nu; i++) {
    p->half[i] = limited[i] != 0 ? (range[2 * i + 1] - range[2 * i]) / 2 : 1;
  }
  return CR_OK;
}

static void keep(double* rows, int step, int n, cr_data* d, const cr_model* m, const char* name) {
  const cr_real* x = n > 0 ? cr_data_view(m, d, name, NULL, NULL) : NULL;
  for (int i = 0; x != NULL && i < n; i++) {
    rows[(ptrdiff_t)step * n + i] = (double)x[i];
  }
}

static void keep_state(plant* p) {
  const cr_model* m = p->t->plant;
  p->time[p->step] = (double)cr_data_time(p->d);
  keep(p->qpos, p->step, p->nq, p->d, m, "qpos");
  keep(p->qvel, p->step, p->nv, p->d, m, "qvel");
  keep(p->act, p->step, p->na, p->d, m, "act");
}

// row 0 of `late` acts; the new control comes last
static void send(plant* p, const cr_real* ctrl) {
  const cr_plan_task* t = p->t;
  int nu = p->nu, delay = t->mpc.delay;
  memcpy(p->late + (ptrdiff_t)delay * nu, ctrl, (size_t)nu * sizeof *ctrl);
  for (int i = 0; i < nu; i++) {
    p->now[i] = p->late[i];
    if (t->mpc.noise > 0) {
      p->now[i] += (cr_real)t->mpc.noise * p->half[i] * cr_random_normal(&p->random);
    }
  }
  memmove(p->late, p->late + nu, (size_t)delay * (size_t)nu * sizeof *ctrl);
}

static cr_status told(const plant* p, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK
                         : cri_fail(error, status, "the plant at time %.9g: %s",
                                    (double)cr_data_time(p->d), cr_data_error(p->d));
}

static cr_status move(plant* p, const cr_real* ctrl, cr_error* error) {
  const cr_model* m = p->t->plant;
  send(p, ctrl);
  CR_TRY(cr_data_set(m, p->d, "ctrl", p->now, p->nu, error));
  keep(p->ctrl, p->step, p->nu, p->d, m, "ctrl");
  CR_TRY(told(p, cr_step(m, p->d), error));
  CR_TRY(told(p, cr_advance(m, p->d), error));
  p->step++;
  keep_state(p);
  CR_TRY(told(p, cr_forward(m, p->d), error));
  return told(p, p->loss.value(p->loss.context, m, p->d, p->step, &p->cost), error);
}

// what both models have of a state
enum { SEEN = CR_STATE_TIME | CR_STATE_QPOS | CR_STATE_QVEL | CR_STATE_ACT | CR_STATE_WARMSTART };

static cr_status look(plant* p, cr_error* error) {
  CR_TRY(told(p, cr_state_get(p->t->plant, p->d, p->state, SEEN), error));
  return told(p, cr_state_set(p->t->m, p->seen, p->state, SEEN), error);
}

static cr_status follow(plant* p, const cr_plan_loop* loop, cr_error* error) {
  cr_plan_task* t = p->t;
  cr_planner* planner = t->planning;
  cr_real* ctrl = p->half + p->nu;
  keep_state(p);
  while (p->step < p->steps && !loop->stop(loop->context)) {
    if (p->step > 0) {
      CR_TRY(cr_planner_shift(planner, t->mpc.every, error));
    }
    CR_TRY(look(p, error));
    CR_TRY(cr_planner_set_start(planner, p->seen, error));
    CR_TRY(loop->replan(loop->context, p->step, error));
    for (int k = 0; k < t->mpc.every && p->step < p->steps; k++) {
      CR_TRY(look(p, error));
      CR_TRY(cr_planner_control(planner, k < t->nstep ? k : t->nstep - 1, p->seen, ctrl, error));
      CR_TRY(move(p, ctrl, error));
    }
  }
  return CR_OK;
}

static cr_status save(const plant* p, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  const struct {
    const char* name;
    const double* rows;
    int n, width;
  } sets[] = {{"time", p->time, p->step + 1, 0},
              {"qpos", p->qpos, p->step + 1, p->nq},
              {"qvel", p->qvel, p->step + 1, p->nv},
              {"act", p->act, p->step + 1, p->na},
              {"ctrl", p->ctrl, p->step, p->nu}};
  cr_status status = CR_OK;
  for (size_t i = 0; i < sizeof sets / sizeof sets[0] && status == CR_OK; i++) {
    if (i == 0 || (sets[i].width > 0 && sets[i].n > 0)) {
      status = cri_h5_write(file, sets[i].name, sets[i].rows, sets[i].n, sets[i].width, error);
    }
  }
  status =
      status == CR_OK ? cri_h5_write_attribute(file, "/", "timestep", p->t->step, error) : status;
  status = status == CR_OK ? cri_h5_save(file, error) : status;
  cri_h5_close(file);
  return status;
}

static cr_status run_plant(plant* p, const cr_plan_loop* loop, const char* path, cr_error* error) {
  cr_plan_task* t = p->t;
  CR_TRY(make_room(p, error));
  CR_TRY(cr_data_create(&p->d, t->plant, error));
  CR_TRY(cr_data_create(&p->seen, t->m, error));
  CR_TRY(cr_state_copy(t->m, t->start, p->seen, CR_STATE_INTEGRATION));
  CR_TRY(cr_state_get(t->m, t->start, p->state, SEEN));
  CR_TRY(told(p, cr_state_set(t->plant, p->d, p->state, SEEN), error));
  CR_TRY(follow(p, loop, error));
  return save(p, path, error);
}

cr_status cr_plan_follow(cr_plan_task* t, const cr_plan_loop* loop, const char* path,
                         cr_real* parts, cr_real* cost, cr_error* error) {
  double steps = t->mpc.time / t->step;
  plant p = {.t = t,
             .random = cr_random_seed((uint64_t)t->mpc.seed, 0),
             .nq = cr_model_count(t->m, "nq"),
             .nv = cr_model_count(t->m, "nv"),
             .na = cr_model_count(t->m, "na"),
             .nu = t->nu,
             .steps = steps < 1e8 ? (int)(steps + 0.5) : 0};
  if (p.steps < 1) {
    return cri_fail(error, CR_ERR_FORMAT, "mpc.time: %.9g s are %.9g steps", t->mpc.time, steps);
  }
  p.loss = cr_cost_loss(t->cost, p.steps, (cr_real)t->step);
  cr_status status = run_plant(&p, loop, path, error);
  for (int i = 0; i < cr_cost_count(t->cost); i++) {
    parts[i] = cr_cost_part(t->cost, i);
  }
  *cost = p.cost;
  cr_data_destroy(p.d);
  cr_data_destroy(p.seen);
  free(p.memory);
  free(p.late);
  return status;
}
