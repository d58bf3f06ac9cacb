// SPDX-License-Identifier: Apache-2.0
// What a model does not know, learned from runs whose states are known: the weights of its corrections, all as parameters.
#ifndef CR_STUDY_LEARNED_H
#define CR_STUDY_LEARNED_H

#include "carom/carom.h"
#include "notebook/table.h"

/// States of a run at even times, from `rows` rows of the state.
typedef struct {
  int rows;
  cr_real interval;  // s
  cr_real *q, *v;    // rows x nq, rows x nv
} cr_states;

/// Runs the model from a start; of the steps every `every`-th counts. Free with cri_states_free, also after an error.
/// Shapes   qpos[nq], qvel[nv]
/// Errors   those of steps; CR_ERR_MEMORY
cr_status cri_states_run(cr_states* states, const cr_model* m, const cr_real* qpos,
                         const cr_real* qvel, int rows, int every, cr_error* error);
void cri_states_free(cr_states* states);

/// The same under controls, a row of states for every step.
/// Shapes   ctrl[rows - 1][nu]
cr_status cri_states_drive(cr_states* states, const cr_model* m, const cr_real* qpos,
                           const cr_real* qvel, const cr_real* ctrl, int rows, cr_error* error);

/// A part of the state as a channel of the run that was begun last.
typedef struct {
  const char* place;
  bool velocity;     // of v, not of q
  int first, width;  // numbers of a row
  cr_real noise;     // what an error counts by
} cr_states_part;

/// Adds parts of the states of one run.
/// Errors   those of cr_measurements_add; CR_ERR_MEMORY
cr_status cri_states_add(cr_measurements* ms, const cr_states* states, int nq, int nv,
                         const cr_states_part* parts, int npart, cr_error* error);

/// How the weights are found.
typedef struct {
  cr_real window;    // s that are predicted from one known state; 0: whole runs
  bool find_starts;  // these states are unknown, and begin at what was measured
  cr_real prior_sd;  // of every weight, about 0; 0: none
  bool keep_zeros;   // weights that are exactly 0 stay so
  bool (*stop)(void* context);
  void* context;
} cr_lesson;

/// A model's weights. x holds those that may move; the model in `parameters` follows after cri_learner_put.
typedef struct {
  cr_parameters* parameters;
  cr_identification* id;
  int n;
  cr_real* x;
} cr_learner;

/// Weights of all corrections of m, from where they are. m need not outlive it, ms must. Free with cri_learner_close,
/// also after an error.
/// Errors   CR_ERR_ARG without weights; those of cr_identification_create; CR_ERR_MEMORY
cr_status cri_learner_open(cr_learner* learner, const cr_model* m, const cr_measurements* ms,
                           const cr_lesson* lesson, cr_error* error);

/// The same for other numbers of m.
cr_status cri_learner_open_for(cr_learner* learner, const cr_model* m,
                               const cr_parameter_info* const* numbers, int n,
                               const cr_measurements* ms, const cr_lesson* lesson, cr_error* error);
void cri_learner_close(cr_learner* learner);

/// Least squares from x on: at most so many steps of Levenberg and Marquardt. Puts x into the model.
cr_status cri_learner_solve(cr_learner* learner, int steps, cr_search_end* end, cr_error* error);

/// Descent from x on (carom/training.h). Puts x into the model.
cr_status cri_learner_train(cr_learner* learner, const cr_training_options* how,
                            cr_training_end* end, cr_error* error);

// ---- trials: rows of a table whose first columns are what learns, from how many runs, and the seed

typedef struct {
  int kind, count, seed;
} cr_trial;

enum { CR_MOST_TRIALS = 80 };
typedef struct {
  cr_trial list[CR_MOST_TRIALS];
  int n;
} cr_trials;

/// Adds trials with the seeds 1 ... seeds, as many as there is room for.
void cri_trials_add(cr_trials* trials, int kind, int count, int seeds);

/// Begins a row: the first three columns, all others 0.
void cri_trial_row(const cr_trial* trial, cr_real* row, int width);

/// The row of a trial in the table; NULL if there is none.
const cr_real* cri_trial_find(cr_table* table, int kind, int count, int seed);

/// The median of a column over the seeds; NaN without rows.
double cri_trials_median(cr_table* table, int kind, int count, int column);

#endif
