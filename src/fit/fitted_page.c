// SPDX-License-Identifier: Apache-2.0
#include "fit/fitted_page.h"

enum { RECORDED, START, FOUND, N_MOTION, TRIANGLES = 100000 };

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

static cr_status begin(const cr_fitted_run* f, cr_view* v, int kind, cr_error* error) {
  static const char* const names[N_MOTION] = {"recorded", "predicted at the start",
                                              "predicted after the fit"};
  const cr_view_motion motion = {.size = sizeof motion,
                                 .name = names[kind],
                                 .model = kind == START ? f->start : f->found,
                                 .no_contacts = kind == RECORDED};  // noise would make contacts
  return cr_view_begin(v, &motion, error);
}

static cr_status show_recorded(const cr_fitted_run* f, cr_view* v, cr_error* error) {
  cr_data* d = NULL;
  CR_TRY(begin(f, v, RECORDED, error));
  CR_TRY(cr_data_create(&d, f->found, error));
  cr_status status = CR_OK;
  for (int k = 0; k < f->run->rows && status == CR_OK; k++) {
    status = set_row(f, k, f->found, d, error);
    status = status == CR_OK ? cr_view_take(v, d, error) : status;
  }
  cr_data_destroy(d);
  return status;
}

// a rollout from the first row under the recorded controls
static cr_status predict(const cr_fitted_run* f, const cr_model* m, cr_rollout* r,
                         cr_error* error) {
  int nu = cr_model_count(m, "nu"), nstep = (f->run->rows - 1) * f->every;
  cr_real* ctrl = cr_rollout_ctrl(r);
  cr_data* d = cr_rollout_data(r);
  CR_TRY(cr_rollout_set_adaptive(r, m, f->adaptive, error));
  for (int i = 0; i < nstep && nu > 0; i++) {
    CR_TRY(set_row(f, i / f->every, m, d, error));
    CR_TRY(cr_data_get(m, d, "ctrl", ctrl + (ptrdiff_t)nu * i, nu, error));
  }
  CR_TRY(set_row(f, 0, m, d, error));
  return cr_rollout_run(r, m, nstep, NULL, error);
}

static cr_status take_rows(const cr_fitted_run* f, cr_view* v, const cr_model* m, cr_rollout* r,
                           cr_error* error) {
  for (int k = 0; k < f->run->rows; k++) {
    CR_TRY(cr_rollout_restore(r, m, k * f->every, error));
    CR_TRY(cr_view_take(v, cr_rollout_data(r), error));
  }
  return CR_OK;
}

// what a model predicts; one that cannot be simulated to the end is left out
static cr_status show_predicted(const cr_fitted_run* f, cr_view* v, int kind, cr_error* error) {
  const cr_model* m = kind == START ? f->start : f->found;
  cr_rollout* r = NULL;
  CR_TRY(cr_rollout_create(&r, m, (f->run->rows - 1) * f->every, NULL, 0, error));
  cr_status status = predict(f, m, r, error);
  if (status == CR_OK) {
    status = begin(f, v, kind, error);
    status = status == CR_OK ? take_rows(f, v, m, r, error) : status;
  } else {
    status = status == CR_ERR_MEMORY ? status : CR_OK;
  }
  cr_rollout_destroy(r);
  return status;
}

cr_status cr_fitted_page_write(const cr_fitted_run* f, const char* path, cr_error* error) {
  cr_view* v = NULL;
  const cr_view_options options = {
      .size = sizeof options, .title = f->title, .triangles = TRIANGLES};
  CR_TRY(cr_view_create(&v, f->found, &options, error));
  cr_status status = show_recorded(f, v, error);
  for (int kind = START; kind < N_MOTION && status == CR_OK; kind++) {
    status = show_predicted(f, v, kind, error);
  }
  status = status == CR_OK ? cr_view_save(v, path, error) : status;
  cr_view_destroy(v);
  return status;
}
