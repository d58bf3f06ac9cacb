// SPDX-License-Identifier: Apache-2.0
#include "task/plan_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "tools/clock.h"
#include "tools/hdf5.h"

// ---- of a plan

static void take_parts(const cr_plan_task* t, cr_real cost, cr_plan_outcome* outcome) {
  outcome->cost = cost;
  for (int i = 0; i < cr_cost_count(t->cost); i++) {
    outcome->parts[i] = cr_cost_part(t->cost, i);
  }
}

static cr_status run_plan(cr_plan_task* t, cr_policy* policy, cr_rollout* r, cr_plan_goals* goals,
                          const char* path, cr_plan_outcome* outcome, cr_error* error) {
  const cr_task_planner* o = &t->planner;
  if (o->rtol > 0) {
    const cr_adaptive adaptive = {.size = sizeof adaptive,
                                  .rtol = (cr_real)o->rtol,
                                  .atol = (cr_real)(o->rtol / 1000),
                                  .events = o->events};
    CR_TRY(cr_rollout_set_adaptive(r, t->m, &adaptive, error));
  }
  CR_TRY(cr_state_copy(t->m, t->start, cr_rollout_data(r), CR_STATE_INTEGRATION));
  if (policy != NULL) {
    CR_TRY(cr_policy_attach(policy, r, NULL, error));
  } else {
    memcpy(cr_rollout_ctrl(r), cr_planner_ctrl(t->planning),
           (size_t)t->nstep * (size_t)t->nu * sizeof(cr_real));
  }
  const cr_loss cost = cr_cost_loss(t->cost, t->nstep, (cr_real)t->step);
  CR_TRY(cr_plan_goals_make(goals, t, t->m, &cost, outcome->goals, error));
  const cr_loss loss = t->ngoal > 0 ? cr_plan_goals_loss(goals) : cost;
  CR_TRY(cr_rollout_run(r, t->m, t->nstep, &loss, error));
  take_parts(t, cr_rollout_loss(r), outcome);
  return cr_rollout_save(r, t->m, path, NULL, 0, error);
}

cr_status cr_plan_motion(cr_plan_task* t, cr_policy* policy, const char* path,
                         cr_plan_outcome* outcome, cr_error* error) {
  cr_rollout* r = NULL;
  cr_plan_goals goals = {.task = NULL};
  CR_TRY(cr_rollout_create(&r, t->m, t->nstep, NULL, 0, error));
  cr_status status = run_plan(t, policy, r, &goals, path, outcome, error);
  cr_plan_goals_free(&goals);
  cr_rollout_destroy(r);
  return status;
}

// ---- of a plant

// data sets of a recorded motion, and the counts of their numbers
enum { QPOS, CTRL = 3, N_SET };
static const struct {
  const char *name, *count;
} recorded[N_SET] = {{"qpos", "nq"}, {"qvel", "nv"}, {"act", "na"}, {"ctrl", "nu"}};

// what both models have of a state
enum { SEEN = CR_STATE_TIME | CR_STATE_QPOS | CR_STATE_QVEL | CR_STATE_ACT | CR_STATE_WARMSTART };

typedef struct {
  cr_plan_task* t;
  cr_data *d, *seen;  // of the plant, and what the planner gets of it
  cr_random random;
  int nu, steps, step;
  int width[N_SET];
  double *time, *rows[N_SET];
  double* memory;
  cr_real *late, *now, *half;  // controls on their way, delay + 1 rows; of this step; half ranges
  cr_real* state;              // a state on its way from one model to the other
  cr_loss loss;
  cr_real cost;
} plant;

static cr_status make_room(plant* p, cr_error* error) {
  const cr_plan_task* t = p->t;
  size_t n = (size_t)p->steps + 1, row = 1, nu = (size_t)p->nu;
  for (int k = 0; k < N_SET; k++) {
    row += (size_t)p->width[k];
  }
  p->memory = calloc(n * row, sizeof *p->memory);
  p->late = calloc(((size_t)t->mpc.delay + 4) * nu, sizeof *p->late);
  p->state = calloc((size_t)cr_state_size(t->plant, SEEN) + 1, sizeof *p->state);
  if (p->memory == NULL || p->late == NULL || p->state == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "mpc: no memory for %d steps", p->steps);
  }
  p->time = p->memory;
  double* at = p->memory + n;
  for (int k = 0; k < N_SET; k++) {
    p->rows[k] = at;
    at += n * (size_t)p->width[k];
  }
  p->now = p->late + ((size_t)t->mpc.delay + 1) * nu;
  p->half = p->now + nu;
  const cr_real* range = cr_model_numbers(t->plant, "actuator_ctrlrange", NULL, NULL);
  const int32_t* limited = cr_model_integers(t->plant, "actuator_ctrllimited", NULL, NULL);
  for (int i = 0; i < p->nu; i++) {
    p->half[i] = limited[i] != 0 ? (range[2 * i + 1] - range[2 * i]) / 2 : 1;
  }
  return CR_OK;
}

static void keep(plant* p, int k) {
  int n = p->width[k];
  const cr_real* x = n > 0 ? cr_data_view(p->t->plant, p->d, recorded[k].name, NULL, NULL) : NULL;
  for (int i = 0; x != NULL && i < n; i++) {
    p->rows[k][(ptrdiff_t)p->step * n + i] = (double)x[i];
  }
}

static void keep_state(plant* p) {
  p->time[p->step] = (double)cr_data_time(p->d);
  for (int k = QPOS; k < CTRL; k++) {
    keep(p, k);
  }
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
  CR_TRY(cr_data_set(m, p->d, recorded[CTRL].name, p->now, p->nu, error));
  keep(p, CTRL);
  CR_TRY(told(p, cr_step(m, p->d), error));
  CR_TRY(told(p, cr_advance(m, p->d), error));
  p->step++;
  keep_state(p);
  CR_TRY(told(p, cr_forward(m, p->d), error));
  return told(p, p->loss.value(p->loss.context, m, p->d, p->step, &p->cost), error);
}

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

// ---- in real time

static void sleep_until(double due) {
  double left = due - cri_seconds();
  if (left > 0) {
    struct timespec rest = {.tv_sec = (time_t)left, .tv_nsec = (long)((left - floor(left)) * 1e9)};
    (void)nanosleep(&rest, NULL);
  }
}

// one step of the loop: tells the state, takes the newest control, moves the plant
static cr_status move_live(plant* p, cr_live_plan* live, cr_plan_pace* pace, cr_error* error) {
  cr_real* ctrl = p->half + p->nu;
  pace->live.size = sizeof pace->live;
  CR_TRY(look(p, error));
  CR_TRY(cr_live_plan_observe(live, p->seen, p->step, error));
  CR_TRY(cr_live_plan_control(live, p->step, p->seen, ctrl, error));
  CR_TRY(cr_live_plan_get_report(live, &pace->live, error));
  pace->mean_age += pace->live.age;
  return move(p, ctrl, error);
}

static cr_status run_live(plant* p, const cr_plan_loop* loop, cr_live_plan* live, cr_error* error) {
  cr_plan_pace* pace = loop->pace;
  double begun = cri_seconds(), due = begun;
  while (p->step < p->steps && !loop->stop(loop->context)) {
    sleep_until(due);
    CR_TRY(move_live(p, live, pace, error));
    double now = cri_seconds();
    due += p->t->step;
    pace->missed += now > due;
    due = now > due ? now : due;
  }
  pace->seconds = cri_seconds() - begun;
  pace->steps = p->step;
  pace->mean_age /= p->step > 0 ? p->step : 1;
  return CR_OK;
}

static cr_status follow_live(plant* p, const cr_plan_loop* loop, cr_error* error) {
  cr_plan_task* t = p->t;
  cr_live_plan* live = NULL;
  const cr_live_options o = {
      .size = sizeof o, .first = t->planner.iterations, .iterations = t->mpc.iterations};
  *loop->pace = (cr_plan_pace){.steps = 0};
  keep_state(p);
  CR_TRY(look(p, error));
  CR_TRY(cr_planner_set_start(t->planning, p->seen, error));
  CR_TRY(cr_live_plan_create(&live, t->planning, &o, error));
  cr_status status = run_live(p, loop, live, error);
  cr_live_plan_destroy(live);
  return status;
}

static cr_status save(const plant* p, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(cri_h5_create(&file, path, error));
  cr_status status = cri_h5_write(file, "time", p->time, p->step + 1, 0, error);
  for (int k = 0; k < N_SET && status == CR_OK; k++) {
    int n = k == CTRL ? p->step : p->step + 1;
    if (p->width[k] > 0 && n > 0) {
      status = cri_h5_write(file, recorded[k].name, p->rows[k], n, p->width[k], error);
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
  CR_TRY((loop->pace != NULL ? follow_live : follow)(p, loop, error));
  return save(p, path, error);
}

cr_status cr_plan_follow(cr_plan_task* t, const cr_plan_loop* loop, const char* path,
                         cr_plan_outcome* outcome, cr_error* error) {
  double steps = t->mpc.time / t->step;
  cr_plan_goals goals;
  plant p = {.t = t,
             .random = cr_random_seed((uint64_t)t->mpc.seed, 0),
             .nu = t->nu,
             .steps = steps < 1e8 ? (int)(steps + 0.5) : 0};
  if (p.steps < 1) {
    return cri_fail(error, CR_ERR_FORMAT, "mpc.time: %.9g s are %.9g steps", t->mpc.time, steps);
  }
  for (int k = 0; k < N_SET; k++) {
    p.width[k] = cr_model_count(t->m, recorded[k].count);
  }
  const cr_loss cost = cr_cost_loss(t->cost, p.steps, (cr_real)t->step);
  cr_status status = cr_plan_goals_make(&goals, t, t->plant, &cost, outcome->goals, error);
  p.loss = cr_plan_goals_loss(&goals);
  status = status == CR_OK ? run_plant(&p, loop, path, error) : status;
  take_parts(t, p.cost, outcome);
  cr_plan_goals_free(&goals);
  cr_data_destroy(p.d);
  cr_data_destroy(p.seen);
  free(p.memory);
  free(p.late);
  free(p.state);
  return status;
}
