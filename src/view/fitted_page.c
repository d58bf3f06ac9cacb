// SPDX-License-Identifier: Apache-2.0
#include "view/fitted_page.h"

#include "view/view_page.h"

enum { RECORDED, START, FOUND, N_MOTION, TRIANGLES = 100000 };
static const cr_plotted nothing = {.n = 0};

static cr_status told(const cr_data* d, cr_status status, cr_error* error) {
  return status == CR_OK ? CR_OK : cri_fail(error, status, "%s", cr_data_error(d));
}

// state and controls of row k, as cr_recording_info has them
static cr_status set_row(const cr_fitted_run* f, int k, const cr_model* m, cr_data* d,
                         cr_error* error) {
  static const int parts[] = {CR_STATE_PHYSICS, CR_STATE_PLUGIN, CR_STATE_CTRL};
  enum { N = sizeof parts / sizeof parts[0] };
  const cr_real time = (cr_real)k * f->interval;
  int width = 0;
  for (int i = 0; i < N; i++) {
    width += cr_state_size(m, parts[i]);
  }
  const cr_real* row = f->run->values + (ptrdiff_t)width * k;
  for (int i = 0; i < N; i++) {
    CR_TRY(told(d, cr_state_set(m, d, row, parts[i]), error));
    row += cr_state_size(m, parts[i]);
  }
  return told(d, cr_state_set(m, d, &time, CR_STATE_TIME), error);
}

static cr_status take_recorded(const cr_fitted_run* f, cr_shown_motion* s, cr_data* d,
                               cr_error* error) {
  s->bare = true;  // noise would make contacts
  for (int k = 0; k < f->run->rows; k++) {
    CR_TRY(set_row(f, k, s->m, d, error));
    CR_TRY(cr_shown_motion_take(s, k, d, error));
  }
  return CR_OK;
}

// rows of a rollout from the first row under the recorded controls
static cr_status take_predicted(const cr_fitted_run* f, cr_shown_motion* s, cr_rollout* r,
                                cr_data* d, cr_error* error) {
  int nu = cr_model_count(s->m, "nu"), nstep = (f->run->rows - 1) * f->every;
  cr_real* ctrl = cr_rollout_ctrl(r);
  CR_TRY(cr_rollout_set_adaptive(r, s->m, f->adaptive, error));
  for (int i = 0; i < nstep && nu > 0; i++) {
    CR_TRY(set_row(f, i / f->every, s->m, d, error));
    CR_TRY(cr_data_get(s->m, d, "ctrl", ctrl + (ptrdiff_t)nu * i, nu, error));
  }
  CR_TRY(set_row(f, 0, s->m, cr_rollout_data(r), error));
  CR_TRY(cr_rollout_run(r, s->m, nstep, NULL, error));
  for (int k = 0; k < f->run->rows; k++) {
    CR_TRY(cr_rollout_restore(r, s->m, k * f->every, error));
    CR_TRY(cr_shown_motion_take(s, k, cr_rollout_data(r), error));
  }
  return CR_OK;
}

static cr_status predict(const cr_fitted_run* f, cr_shown_motion* s, cr_data* d, cr_error* error) {
  cr_rollout* r = NULL;
  CR_TRY(cr_rollout_create(&r, s->m, (f->run->rows - 1) * f->every, NULL, 0, error));
  cr_status status = take_predicted(f, s, r, d, error);
  cr_rollout_destroy(r);
  return status;
}

static cr_status take(const cr_fitted_run* f, int kind, cr_shown_motion* s, cr_error* error) {
  static const char* const names[N_MOTION] = {"recorded", "predicted at the start",
                                              "predicted after the fit"};
  const cr_model* m = kind == START ? f->start : f->found;
  cr_data* d = NULL;
  CR_TRY(cr_shown_motion_make(s, m, names[kind], &nothing, f->run->rows, error));
  CR_TRY(cr_data_create(&d, m, error));
  cr_status status = kind == RECORDED ? take_recorded(f, s, d, error) : predict(f, s, d, error);
  cr_data_destroy(d);
  return status;
}

cr_status cr_fitted_page_write(const cr_fitted_run* f, const char* path, cr_error* error) {
  cr_shown_motion motions[N_MOTION] = {{.m = NULL}};
  int n = 0;
  cr_status status = CR_OK;
  for (int kind = 0; kind < N_MOTION && status == CR_OK; kind++) {
    status = take(f, kind, &motions[n], error);
    if (status == CR_OK) {
      n++;
    } else if (kind != RECORDED && status != CR_ERR_MEMORY) {
      cr_shown_motion_free(&motions[n]);
      status = CR_OK;
    }
  }
  if (status == CR_OK) {
    status = cr_view_page_write(f->found, f->title, TRIANGLES, motions, n, path, error);
  }
  for (int i = 0; i < N_MOTION; i++) {
    cr_shown_motion_free(&motions[i]);
  }
  return status;
}
