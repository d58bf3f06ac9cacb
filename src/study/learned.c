// SPDX-License-Identifier: Apache-2.0
// Weights as parameters, and runs as measurements.
#include "study/learned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "learning: no memory");
}

// ---- states

void cri_states_free(cr_states* states) {
  free(states->q);
  *states = (cr_states){0};
}

static cr_status run(cr_states* s, cr_rollout* r, const cr_model* m, const cr_real* qpos,
                     const cr_real* qvel, const cr_real* ctrl, int every, cr_error* error) {
  int nq = cr_model_count(m, "nq"), nv = cr_model_count(m, "nv"), nu = cr_model_count(m, "nu");
  cr_data* d = cr_rollout_data(r);
  if (ctrl != NULL) {
    cr_copy(cr_rollout_ctrl(r), ctrl, (s->rows - 1) * nu);
  }
  cr_copy(cr_data_view(m, d, "qpos", NULL, NULL), qpos, nq);
  cr_copy(cr_data_view(m, d, "qvel", NULL, NULL), qvel, nv);
  CR_TRY(cr_rollout_run(r, m, (s->rows - 1) * every, NULL, error));
  for (int i = 0; i < s->rows; i++) {
    CR_TRY(cr_rollout_get_states(r, m, i * every, 1, NULL, s->q + (ptrdiff_t)i * nq,
                                 s->v + (ptrdiff_t)i * nv, NULL, error));
  }
  return CR_OK;
}

static cr_status states_of(cr_states* states, const cr_model* m, const cr_real* qpos,
                           const cr_real* qvel, const cr_real* ctrl, int rows, int every,
                           cr_error* error) {
  int nq = cr_model_count(m, "nq"), nv = cr_model_count(m, "nv");
  cr_rollout* r = NULL;
  *states = (cr_states){.rows = rows, .interval = (cr_real)every * cr_model_timestep(m)};
  states->q = calloc((size_t)rows * (size_t)(nq + nv), sizeof *states->q);
  CR_TRY(states->q != NULL ? CR_OK : no_memory(error));
  states->v = states->q + (ptrdiff_t)rows * nq;
  cr_status status = cr_rollout_create(&r, m, (rows - 1) * every, NULL, 0, error);
  status = status == CR_OK ? run(states, r, m, qpos, qvel, ctrl, every, error) : status;
  cr_rollout_destroy(r);
  return status;
}

cr_status cri_states_run(cr_states* states, const cr_model* m, const cr_real* qpos,
                         const cr_real* qvel, int rows, int every, cr_error* error) {
  return states_of(states, m, qpos, qvel, NULL, rows, every, error);
}

cr_status cri_states_drive(cr_states* states, const cr_model* m, const cr_real* qpos,
                           const cr_real* qvel, const cr_real* ctrl, int rows, cr_error* error) {
  return states_of(states, m, qpos, qvel, ctrl, rows, 1, error);
}

cr_status cri_states_add(cr_measurements* ms, const cr_states* s, int nq, int nv,
                         const cr_states_part* parts, int npart, cr_error* error) {
  int widest = nq > nv ? nq : nv;
  cr_real* time = calloc((size_t)s->rows * (size_t)(widest + 1), sizeof *time);
  CR_TRY(time != NULL ? CR_OK : no_memory(error));
  cr_real* values = time + s->rows;
  cr_status status = CR_OK;
  for (int k = 0; k < npart && status == CR_OK; k++) {
    const cr_states_part* p = &parts[k];
    for (int i = 0; i < s->rows; i++) {
      const cr_real* row = p->velocity ? s->v + (ptrdiff_t)i * nv : s->q + (ptrdiff_t)i * nq;
      time[i] = (cr_real)i * s->interval;
      cr_copy(values + (ptrdiff_t)i * p->width, row + p->first, p->width);
    }
    const cr_channel_info channel = {.size = sizeof channel,
                                     .place = p->place,
                                     .rows = s->rows,
                                     .time = time,
                                     .values = values,
                                     .noise = p->noise};
    status = cr_measurements_add(ms, &channel, error);
  }
  free(time);
  return status;
}

// ---- weights

enum { NAME = 32 };
typedef struct {
  cr_parameter_info info;
  char name[NAME];
} weight;

static cr_status bind(cr_learner* l, const cr_model* m, const cr_lesson* lesson, weight* weights,
                      const cr_parameter_info** list, cr_error* error) {
  int n;
  const cr_real* value = cr_model_numbers(m, "plugin_param", &n, NULL);
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (lesson->keep_zeros && value[i] == 0) {
      continue;
    }
    weight* w = &weights[count];
    (void)snprintf(w->name, NAME, "plugin_param[%d]", i);
    w->info = (cr_parameter_info){.size = sizeof w->info,
                                  .name = w->name,
                                  .target = w->name,
                                  .start = value[i],
                                  .lower = -(cr_real)INFINITY,
                                  .upper = (cr_real)INFINITY,
                                  .prior_sd = lesson->prior_sd};
    list[count++] = &w->info;
  }
  return cr_parameters_create(&l->parameters, m, list, count, error);
}

static cr_status open_weights(cr_learner* l, const cr_model* m, const cr_lesson* lesson,
                              cr_error* error) {
  int n = 0;
  if (cr_model_numbers(m, "plugin_param", &n, NULL) == NULL || n == 0) {
    return cri_fail(error, CR_ERR_ARG, "learning: the model has no corrections");
  }
  weight* weights = calloc((size_t)n, sizeof *weights);
  const cr_parameter_info** list = calloc((size_t)n, sizeof *list);
  cr_status status = weights != NULL && list != NULL ? CR_OK : no_memory(error);
  status = status == CR_OK ? bind(l, m, lesson, weights, list, error) : status;
  free(list);
  free(weights);
  return status;
}

// from the parameters that it has
static cr_status open_search(cr_learner* l, const cr_measurements* ms, const cr_lesson* lesson,
                             cr_error* error) {
  const cr_identification_options options = {
      .size = sizeof options,
      .window = lesson->window,
      .start = lesson->find_starts ? CR_START_ESTIMATED : CR_START_MEASURED,
      .nthread = 1,
      .stop = lesson->stop,
      .context = lesson->context};
  CR_TRY(cr_identification_create(&l->id, l->parameters, ms, &options, error));
  l->n = cr_identification_count(l->id);
  l->x = calloc((size_t)l->n, sizeof *l->x);
  CR_TRY(l->x != NULL ? CR_OK : no_memory(error));
  return cr_identification_get_start(l->id, l->x, error);
}

cr_status cri_learner_open(cr_learner* learner, const cr_model* m, const cr_measurements* ms,
                           const cr_lesson* lesson, cr_error* error) {
  *learner = (cr_learner){0};
  CR_TRY(open_weights(learner, m, lesson, error));
  return open_search(learner, ms, lesson, error);
}

cr_status cri_learner_open_for(cr_learner* learner, const cr_model* m,
                               const cr_parameter_info* const* numbers, int n,
                               const cr_measurements* ms, const cr_lesson* lesson,
                               cr_error* error) {
  *learner = (cr_learner){0};
  CR_TRY(cr_parameters_create(&learner->parameters, m, numbers, n, error));
  return open_search(learner, ms, lesson, error);
}

void cri_learner_close(cr_learner* learner) {
  cr_identification_destroy(learner->id);
  cr_parameters_destroy(learner->parameters);
  free(learner->x);
  *learner = (cr_learner){0};
}

cr_status cri_learner_solve(cr_learner* learner, int steps, cr_search_end* end, cr_error* error) {
  const cr_search search = {.size = sizeof search, .iterations = steps, .tolerance = CR_R(1e-4)};
  *end = (cr_search_end){.size = sizeof *end};
  CR_TRY(cr_identification_solve(learner->id, &search, learner->x, end, error));
  return cr_parameters_set(learner->parameters, learner->x, error);
}

cr_status cri_learner_train(cr_learner* learner, const cr_training_options* how,
                            cr_training_end* end, cr_error* error) {
  *end = (cr_training_end){.size = sizeof *end};
  CR_TRY(cr_identification_train(learner->id, how, learner->x, end, error));
  return cr_parameters_set(learner->parameters, learner->x, error);
}

// ---- trials

void cri_trials_add(cr_trials* trials, int kind, int count, int seeds) {
  for (int k = 1; k <= seeds && trials->n < CR_MOST_TRIALS; k++) {
    trials->list[trials->n++] = (cr_trial){kind, count, k};
  }
}

void cri_trial_row(const cr_trial* trial, cr_real* row, int width) {
  cr_zero(row, width);
  row[0] = (cr_real)trial->kind;
  row[1] = (cr_real)trial->count;
  row[2] = (cr_real)trial->seed;
}

static bool is_of(const cr_real* row, int kind, int count) {
  return row[0] == (cr_real)kind && row[1] == (cr_real)count;
}

const cr_real* cri_trial_find(cr_table* table, int kind, int count, int seed) {
  for (int i = 0; i < table->rows; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (is_of(row, kind, count) && row[2] == (cr_real)seed) {
      return row;
    }
  }
  return NULL;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double cri_trials_median(cr_table* table, int kind, int count, int column) {
  double list[CR_MOST_TRIALS];
  int n = 0;
  for (int i = 0; i < table->rows && n < CR_MOST_TRIALS; i++) {
    const cr_real* row = cri_table_row(table, i);
    if (is_of(row, kind, count)) {
      list[n++] = (double)row[column];
    }
  }
  qsort(list, (size_t)n, sizeof list[0], compare);
  return n > 0 ? (list[(n - 1) / 2] + list[n / 2]) / 2 : (double)NAN;
}
