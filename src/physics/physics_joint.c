// SPDX-License-Identifier: Apache-2.0
// A fit for each toss; the numbers of the model are common to them.
#include "physics/physics_joint.h"

#include <stdlib.h>

// of a toss: level, and the quaternion of the turn. They stand behind the common numbers
enum { LEVEL, TURN, N_OWN = TURN + 4, N_TOSS = CRI_MOST_UNKNOWN + N_OWN };

// what Adam moves is in units of these: m, and half an angle in rad
static const cr_real level_unit = CR_R(0.02), turn_unit = CR_R(0.1);
static const cr_real most_level = CR_R(0.02);  // m

typedef struct {
  cr_parameters* parameters;
  cr_recordings* recording;
  cr_fit* fit;
  int windows;
} toss_fit;

typedef struct {
  const cri_unknown* u;
  toss_fit* toss;
  int n, windows;
} joint;

static void joint_free(joint* j) {
  for (int i = 0; i < j->n && j->toss != NULL; i++) {
    cr_fit_destroy(j->toss[i].fit);
    cr_parameters_destroy(j->toss[i].parameters);
    cr_recordings_destroy(j->toss[i].recording);
  }
  free(j->toss);
}

static cr_status bind(toss_fit* t, const cri_unknown* u, const cr_model* m, cr_error* error) {
  const cr_parameter_info level = {.size = sizeof level,
                                   .name = "level",
                                   .target = "geom_pos[floor][2]",
                                   .kind = CR_FIT_FIELD,
                                   .lower = -most_level,
                                   .upper = most_level};
  const cr_parameter_info turn = {
      .size = sizeof turn, .name = "turn", .target = u->turned, .kind = CR_FIT_DIRECTION};
  const cr_parameter_info* list[CRI_MOST_UNKNOWN + 2];
  for (int i = 0; i < u->n; i++) {
    list[i] = &u->item[i];
  }
  list[u->n] = &level;
  list[u->n + 1] = &turn;
  return cr_parameters_create(&t->parameters, m, list, u->n + 2, error);
}

static cr_status toss_make(toss_fit* t, const cri_unknown* u, const cr_model* m,
                           const cri_sighted* tosses, int i, const cr_fit_options* options,
                           cr_error* error) {
  cr_recording_info run = {.size = sizeof run, .name = "toss"};
  cr_fit_info info = {.size = sizeof info};
  run.values = cri_sighted_toss(tosses, i, &run.rows);
  CR_TRY(bind(t, u, m, error));
  CR_TRY(cr_recordings_create(&t->recording, m, cri_tossed_timestep, error));
  CR_TRY(cr_recordings_add(t->recording, &run, error));
  CR_TRY(cr_fit_create(&t->fit, t->parameters, t->recording, options, error));
  CR_TRY(cr_fit_get_info(t->fit, CR_FIT_TRAIN, &info, error));
  t->windows = info.windows;
  return CR_OK;
}

static cr_status joint_make(joint* j, const cri_joint_stage* stage, const cri_unknown* u,
                            const cr_model* m, const cri_sighted* tosses,
                            bool (*stop)(void* context), void* context, cr_error* error) {
  const cr_fit_options options = {.size = sizeof options,
                                  .steps = stage->steps,
                                  .stride = stage->stride,
                                  .norm = CR_NORM_POWER,
                                  .p = 1,
                                  .cfd = stage->reach > 0,
                                  .nthread = 1,
                                  .stop = stop,
                                  .context = context};
  *j = (joint){.u = u, .n = tosses->n, .toss = calloc((size_t)tosses->n, sizeof *j->toss)};
  CR_TRY(j->toss != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a fit"));
  for (int i = 0; i < j->n; i++) {
    CR_TRY(toss_make(&j->toss[i], u, m, tosses, i, &options, error));
    j->windows += j->toss[i].windows;
  }
  return CR_OK;
}

// ---- y, what Adam moves: free numbers of the model, then level and turn of each toss, in their units

static void x_of_toss(const cri_unknown* u, const cr_real* y, int i, cr_real* x) {
  const cr_real* own = y + u->n + (ptrdiff_t)N_OWN * i;
  for (int k = 0; k < u->n; k++) {
    x[k] = u->unit[k] * y[k];
  }
  x[u->n + LEVEL] = level_unit * own[LEVEL];
  for (int k = TURN; k < TURN + 4; k++) {
    x[u->n + k] = turn_unit * own[k];
  }
}

// the mean over all windows, Equation sum over tosses of windows_i loss_i / sum of windows_i
static cr_status evaluate(void* context, int batch, const cr_real* y, cr_real* value,
                          cr_real* gradient, cr_error* error) {
  const joint* j = context;
  const cri_unknown* u = j->u;
  *value = 0;
  for (int k = 0; k < u->n; k++) {
    gradient[k] = 0;
  }
  for (int i = 0; i < j->n; i++) {
    cr_real x[N_TOSS], g[N_TOSS], *own = gradient + u->n + (ptrdiff_t)N_OWN * i;
    cr_fit_value e = {.size = sizeof e, .gradient = g};
    const cr_real share = (cr_real)j->toss[i].windows / (cr_real)j->windows;
    x_of_toss(u, y, i, x);
    CR_TRY(cr_fit_evaluate(j->toss[i].fit, CR_FIT_TRAIN, batch, x, &e, error));
    *value += share * e.loss;
    for (int k = 0; k < u->n; k++) {
      gradient[k] += share * u->unit[k] * g[k];
    }
    own[LEVEL] = share * level_unit * g[u->n + LEVEL];
    for (int k = TURN; k < TURN + 4; k++) {
      own[k] = share * turn_unit * g[u->n + k];
    }
  }
  return CR_OK;
}

static void bounds_of(const joint* j, cr_real* lower, cr_real* upper) {
  const cri_unknown* u = j->u;
  for (int k = 0; k < u->n; k++) {
    lower[k] = cr_transform_inverse(u->item[k].transform, u->item[k].lower) / u->unit[k];
    upper[k] = cr_transform_inverse(u->item[k].transform, u->item[k].upper) / u->unit[k];
  }
  for (int i = 0; i < N_OWN * j->n; i++) {
    upper[u->n + i] = i % N_OWN == LEVEL ? most_level / level_unit : CR_R(1e3);
    lower[u->n + i] = -upper[u->n + i];
  }
}

static void start_of(const joint* j, const cr_real* p, const cr_real* level, const cr_real* turn,
                     cr_real* y) {
  const cri_unknown* u = j->u;
  for (int k = 0; k < u->n; k++) {
    y[k] = cr_transform_inverse(u->item[k].transform, p[k]) / u->unit[k];
  }
  for (int i = 0; i < j->n; i++) {
    cr_real* own = y + u->n + (ptrdiff_t)N_OWN * i;
    own[LEVEL] = level[i] / level_unit;
    for (int k = 0; k < 4; k++) {
      own[TURN + k] = turn[4 * i + k] / turn_unit;
    }
  }
}

static void end_of(const joint* j, const cr_real* y, cr_real* p, cr_real* level, cr_real* turn) {
  const cri_unknown* u = j->u;
  for (int k = 0; k < u->n; k++) {
    p[k] = cr_transform_value(u->item[k].transform, u->unit[k] * y[k]);
  }
  for (int i = 0; i < j->n; i++) {
    cr_real x[N_TOSS], squares = 0;
    x_of_toss(u, y, i, x);
    const cr_real* q = x + u->n + TURN;
    level[i] = x[u->n + LEVEL];
    for (int k = 0; k < 4; k++) {
      squares += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) {
      turn[4 * i + k] = q[k] / cr_sqrt(squares);
    }
  }
}

static cr_status minimise(joint* j, const cri_joint_stage* stage, cr_real* room, cr_real* p,
                          cr_real* level, cr_real* turn, cr_real* loss, cr_error* error) {
  const int n = j->u->n + N_OWN * j->n;
  cr_real *y = room, *lower = y + n, *upper = lower + n, *gradient = upper + n;
  const cr_adam_options adam = {.size = sizeof adam,
                                .iterations = stage->iterations,
                                .rate = stage->rate,
                                .final_rate = stage->final_rate,
                                .b1 = CR_R(0.5),
                                .b2 = CR_R(0.9),
                                .eps = CR_R(1e-9),
                                .keep_best = true};
  const cr_minimise_problem problem = {.size = sizeof problem,
                                       .n = n,
                                       .evaluate = evaluate,
                                       .context = j,
                                       .lower = lower,
                                       .upper = upper};
  bounds_of(j, lower, upper);
  start_of(j, p, level, turn, y);
  CR_TRY(cr_minimise_adam(&problem, &adam, y, NULL, error));
  end_of(j, y, p, level, turn);
  return loss != NULL ? evaluate(j, CR_ALL_DATA, y, loss, gradient, error) : CR_OK;
}

cr_status cri_joint_run(const cri_joint_stage* stage, const cri_unknown* u,
                        const cri_sighted* tosses, bool (*stop)(void* context), void* context,
                        cr_real* p, cr_real* level, cr_real* turn, cr_real* loss, cr_error* error) {
  joint j = {.n = 0};
  cr_model* m = NULL;
  const size_t n = (size_t)u->n + N_OWN * (size_t)tosses->n;
  cr_real* room = malloc(4 * n * sizeof *room);
  cr_status status = room != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for a fit");
  status = status == CR_OK ? cr_model_copy(&m, u->m, error) : status;
  status =
      status == CR_OK && stage->reach > 0 ? cri_unknown_set_reach(m, stage->reach, error) : status;
  status = status == CR_OK ? joint_make(&j, stage, u, m, tosses, stop, context, error) : status;
  status = status == CR_OK ? minimise(&j, stage, room, p, level, turn, loss, error) : status;
  joint_free(&j);
  cr_model_destroy(m);
  free(room);
  return status;
}
