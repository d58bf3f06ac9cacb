// SPDX-License-Identifier: Apache-2.0
// The public functions that need libmujoco, HDF5 or NLopt, and pages and pictures of a motion, in a library built without them (CAROM_IO=OFF): programs
// link, and each function says what is missing. Otherwise this file is not compiled. Models are opened by
// access/open_core.c.
#include "carom/carom.h"
#include "model/misuse.h"

static cr_status without(const char* function, const char* library, cr_error* error) {
  return cri_fail(error, CR_ERR_UNSUPPORTED, "%s: this library was built without %s (CAROM_IO=OFF)",
                  function, library);
}

// ---- carom/mujoco.h

cr_status cr_mujoco_compile(mjModel** mj, const char* path, const cr_urdf_options* options,
                            cr_load_report* report, cr_error* error) {
  (void)mj, (void)path, (void)options, (void)report;
  return without("cr_mujoco_compile", "libmujoco", error);
}

cr_status cr_model_from_mujoco(cr_model** model, const mjModel* mj, cr_load_report* report,
                               cr_error* error) {
  (void)model, (void)mj, (void)report;
  return without("cr_model_from_mujoco", "libmujoco", error);
}

cr_status cr_mujoco_save(const cr_model* m, const char* source, const cr_urdf_options* options,
                         const char* path, cr_error* error) {
  (void)m, (void)source, (void)options, (void)path;
  return without("cr_mujoco_save", "libmujoco", error);
}

cr_status cr_state_from_mujoco(const cr_model* m, const mjModel* mj, const mjData* from,
                               cr_data* to) {
  (void)m, (void)mj, (void)from;
  return without("cr_state_from_mujoco", "libmujoco", cri_error_of(to));
}

// ---- carom/check.h: there is never a check

cr_status cr_check_create(cr_check** check, cr_error* error) {
  (void)check;
  return without("cr_check_create", "libmujoco", error);
}

void cr_check_destroy(cr_check* check) { (void)check; }

cr_status cr_check_run(cr_check* check, const char* path, const cr_check_options* options,
                       cr_error* error) {
  (void)check, (void)path, (void)options;
  return without("cr_check_run", "libmujoco", error);
}

cr_status cr_check_get_result(const cr_check* check, cr_check_result* result, cr_error* error) {
  (void)check, (void)result;
  return without("cr_check_get_result", "libmujoco", error);
}

int cr_check_field_count(const cr_check* check) {
  (void)check;
  return 0;
}

cr_status cr_check_get_field(const cr_check* check, int i, cr_check_field* field, cr_error* error) {
  (void)check, (void)i, (void)field;
  return without("cr_check_get_field", "libmujoco", error);
}

const char* cr_check_get_kink(const cr_check* check, int i) {
  (void)check, (void)i;
  return NULL;
}

const char* cr_check_get_off(const cr_check* check, int i, int* times, const char** worst) {
  (void)check, (void)i, (void)worst;
  if (times != NULL) {
    *times = 0;
  }
  return NULL;
}

const cr_load_report* cr_check_get_report(const cr_check* check) {
  (void)check;
  return NULL;
}

cr_status cr_follow(const char* path, const cr_check_options* options, int nstep, double* carom,
                    double* twin, int* ncon, int* nefc, int* done, cr_error* error) {
  (void)path, (void)options, (void)nstep, (void)carom, (void)twin, (void)ncon, (void)nefc;
  if (done != NULL) {
    *done = 0;
  }
  return without("cr_follow", "libmujoco", error);
}

// ---- carom/recording.h, and recordings in files

cr_status cr_rollout_save(cr_rollout* rollout, const cr_model* m, const char* path,
                          const char* const* names, int n, cr_error* error) {
  (void)rollout, (void)m, (void)path, (void)names, (void)n;
  return without("cr_rollout_save", "HDF5", error);
}

cr_status cr_controls_read(const cr_model* m, const char* path, int nstep, cr_real interval,
                           cr_real* ctrl, cr_error* error) {
  (void)m, (void)path, (void)nstep, (void)interval, (void)ctrl;
  return without("cr_controls_read", "HDF5", error);
}

cr_status cr_measurements_read(cr_measurements* measurements, const char* path,
                               const cr_measurements_file* options, cr_error* error) {
  (void)measurements, (void)path, (void)options;
  return without("cr_measurements_read", "HDF5 and zlib", error);
}

cr_status cr_recordings_read(cr_recordings** recordings, const cr_model* m, const char* path,
                             cr_error* error) {
  (void)recordings, (void)m, (void)path;
  return without("cr_recordings_read", "HDF5", error);
}

cr_status cr_recordings_write(const cr_recordings* recordings, const char* path, const char* title,
                              cr_error* error) {
  (void)recordings, (void)path, (void)title;
  return without("cr_recordings_write", "HDF5", error);
}

// ---- carom/learned.h

cr_status cr_learned_save_onnx(const cr_learned* learned, const char* path, bool single,
                               cr_error* error) {
  (void)learned, (void)path, (void)single;
  return without("cr_learned_save_onnx", "ONNX", error);
}

cr_status cr_learned_open_onnx(cr_learned** learned, const char* path, cr_error* error) {
  (void)learned, (void)path;
  return without("cr_learned_open_onnx", "ONNX", error);
}

// ---- carom/parameters.h

cr_status cr_minimise_lbfgs(const cr_minimise_problem* problem, const cr_lbfgs_options* options,
                            cr_real* x, const char** reason, cr_error* error) {
  (void)problem, (void)options, (void)x;
  if (reason != NULL) {
    *reason = "";
  }
  return without("cr_minimise_lbfgs", "NLopt", error);
}

// ---- carom/view.h: there is never a page

cr_status cr_view_create(cr_view** view, const cr_model* m, const cr_view_options* options,
                         cr_error* error) {
  (void)view, (void)m, (void)options;
  return without("cr_view_create", "src/view", error);
}

void cr_view_destroy(cr_view* view) { (void)view; }

cr_status cr_view_begin(cr_view* view, const cr_view_motion* motion, cr_error* error) {
  (void)view, (void)motion;
  return without("cr_view_begin", "src/view", error);
}

cr_status cr_view_take(cr_view* view, cr_data* d, cr_error* error) {
  (void)view, (void)d;
  return without("cr_view_take", "src/view", error);
}

cr_status cr_view_read(cr_view* view, const char* path, const char* name, cr_real fps,
                       cr_error* error) {
  (void)view, (void)path, (void)name, (void)fps;
  return without("cr_view_read", "src/view", error);
}

cr_status cr_view_set_live(cr_view* view, cr_data* d, const cr_view_live* live, cr_error* error) {
  (void)view, (void)d, (void)live;
  return without("cr_view_set_live", "src/view", error);
}

int cr_view_states(const cr_view* view, int i) {
  (void)view, (void)i;
  return -1;
}

cr_status cr_view_save(cr_view* view, const char* path, cr_error* error) {
  (void)view, (void)path;
  return without("cr_view_save", "src/view", error);
}

// ---- carom/render.h: there is never a picture

cr_status cr_render_create(cr_render** render, const cr_model* m, const char* source,
                           const cr_urdf_options* urdf, const cr_render_options* options,
                           cr_error* error) {
  (void)render, (void)m, (void)source, (void)urdf, (void)options;
  return without("cr_render_create", "libmujoco", error);
}

void cr_render_destroy(cr_render* render) { (void)render; }

cr_status cr_render_begin(cr_render* render, cr_error* error) {
  (void)render;
  return without("cr_render_begin", "libmujoco", error);
}

cr_status cr_render_take(cr_render* render, const cr_data* d, cr_error* error) {
  (void)render, (void)d;
  return without("cr_render_take", "libmujoco", error);
}

cr_status cr_render_read(cr_render* render, const char* path, cr_error* error) {
  (void)render, (void)path;
  return without("cr_render_read", "libmujoco", error);
}

cr_real cr_render_time(const cr_render* render) {
  (void)render;
  return 0;
}

int cr_render_frames(const cr_render* render, const char* path, const cr_film_options* film) {
  (void)render, (void)path, (void)film;
  return -1;
}

cr_status cr_render_draw(cr_render* render, cr_real time, unsigned char* rgb, cr_error* error) {
  (void)render, (void)time, (void)rgb;
  return without("cr_render_draw", "libmujoco", error);
}

cr_status cr_render_save(cr_render* render, const char* path, const cr_film_options* film,
                         cr_error* error) {
  (void)render, (void)path, (void)film;
  return without("cr_render_save", "libmujoco", error);
}
