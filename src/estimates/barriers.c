// SPDX-License-Identifier: Apache-2.0
#include "estimates/barriers.h"

#include <math.h>
#include <stdio.h>

#include "base/quantile.h"
#include "base/status.h"
#include "notebook/scene_file.h"

const char* const cri_barrier_names[CR_N_BARRIER] = {"softplus", "distance", "spring", "log"};
const char* const cri_noise_names[CR_N_NOISE] = {"logistic", "one-sided", "student", "normal"};

cr_noise cri_barrier_noise(cr_barrier kind) {
  static const cr_noise own[CR_N_BARRIER] = {CR_NOISE_LOGISTIC, CR_NOISE_ONE_SIDED,
                                             CR_NOISE_ONE_SIDED, CR_NOISE_STUDENT};
  return own[kind];
}

bool cri_barrier_jumps(cr_barrier kind) {
  return kind == CR_BARRIER_DISTANCE || kind == CR_BARRIER_SPRING;
}

// ---- softplus: one step of 0.005 s from rest; body 2 has v' = h F / m

static const double stiffness = 1000, mass = 0.1, interval = 0.005;  // N/m, kg, s

static cr_status open_sliders(cr_barrier_system* s, const cr_notebook* book, cr_error* error) {
  for (int i = 0; i < 2; i++) {
    s->sliders[i] = (cr_sliders){.law = i == 0 ? CR_SLIDERS_CONTACT : CR_SLIDERS_SOFTPLUS,
                                 .keep = 1,
                                 .stiffness = stiffness,
                                 .kappa = 1 / s->scale,
                                 .steps = 1};
    CR_TRY(cri_sliders_open(book, i == 0 ? "smoothing_hard" : "smoothing_softplus", &s->sliders[i],
                            &s->models[i], error));
    CR_TRY(cri_sliders_add_law(s->models[i], &s->sliders[i], error));
  }
  return CR_OK;
}

// ---- contact from distance: a ball of 1 kg moves down at 1 m/s, one step of 0.01 s

static const char ball[] =
    "<mujoco model=\"a ball above a floor\">\n"
    "  <option timestep=\"0.01\" gravity=\"0 0 0\" cone=\"elliptic\"/>\n"
    "  <default><geom condim=\"1\" solref=\"%s\" solimp=\"0.9 0.9 0.001\"/></default>\n"
    "  <worldbody>\n    <geom type=\"plane\" size=\"1 1 1\"/>\n    <body name=\"ball\">\n"
    "      <joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/>\n"
    "      <joint name=\"z\" type=\"slide\" axis=\"0 0 1\"/>\n"
    "      <geom size=\"0.1\" mass=\"1\"/>\n    </body>\n  </worldbody>\n</mujoco>\n";

// a step from gap x: velocity after it
static cr_status fall(cr_barrier_system* s, int smooth, double x, double* v, cr_error* error) {
  const cr_model* m = s->models[smooth];
  cr_data* d = s->data[smooth];
  const cr_real z = (cr_real)(0.1 + x), down = -1;
  cr_real next[3];
  CR_TRY(cr_data_reset(m, d));
  CR_TRY(cr_data_set(m, d, "qpos[z]", &z, 1, error));
  CR_TRY(cr_data_set(m, d, "qvel[z]", &down, 1, error));
  cr_status status = cr_step(m, d);
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothing: %s", cr_data_error(d));
  }
  CR_TRY(cr_data_get(m, d, "qvel_next", next, 3, error));
  *v = (double)next[2];
  return CR_OK;
}

static cr_status set_distance(cr_model* m, double width, cr_error* error) {
  static const struct {
    const char* name;
    double value;
  } options[] = {{"cfd_dc", 0}, {"cfd_d0", 0.9}, {"cfd_mc", 0.5}, {"cfd_pc", 2}};
  for (int i = 0; i < (int)(sizeof options / sizeof options[0]); i++) {
    CR_TRY(cr_model_set_option(m, options[i].name, (cr_real)options[i].value, error));
  }
  CR_TRY(cr_model_set_option(m, "cfd_wc", (cr_real)width, error));
  CR_TRY(cr_model_set_option(m, "cfd_scale", (cr_real)(width / 10), error));
  return cr_model_set_choice(m, "cfd", "on", error);
}

static cr_status open_ball(cr_barrier_system* s, const cr_notebook* book, cr_error* error) {
  char text[1024];
  bool spring = s->kind == CR_BARRIER_SPRING;
  (void)snprintf(text, sizeof text, ball, spring ? "0.02 1" : "-1e-9 -50");
  CR_TRY(cri_scene_open(book, spring ? "smoothing_spring" : "smoothing_distance", text,
                        &s->models[0], error));
  CR_TRY(cr_model_copy(&s->models[1], s->models[0], error));
  return set_distance(s->models[1], s->scale, error);
}

static cr_status find_jump(cr_barrier_system* s, cr_error* error) {
  double touched;
  CR_TRY(fall(s, 0, 2 * s->scale, &s->free, error));
  CR_TRY(fall(s, 0, -1e-9, &touched, error));
  s->jump = touched - s->free;
  return CR_OK;
}

// ---- log barrier: a servo of 500 N/m whose setpoint is at x from a body of 5 kg, 0.05 m away, in a step of 0.1 s

static const char pusher[] =
    "<mujoco model=\"a servo and a body\">\n  <option gravity=\"0 0 0\" cone=\"elliptic\"/>\n"
    "  <default><geom condim=\"1\" size=\"0.1\"/><joint type=\"slide\" axis=\"1 0 0\"/></default>\n"
    "  <worldbody>\n    <body><joint name=\"hand\"/><geom mass=\"1\"/></body>\n"
    "    <body pos=\"0.25 0 0\"><joint name=\"body\"/><geom mass=\"5\"/></body>\n"
    "  </worldbody>\n"
    "  <actuator><position joint=\"hand\" kp=\"500\"/></actuator>\n</mujoco>\n";
static const double servo = 500, apart = 0.05, inertia = 5 / (0.1 * 0.1);  // N/m, m, M / h^2

static cr_status open_pusher(cr_barrier_system* s, const cr_notebook* book, cr_error* error) {
  const double compliance = 1 / servo + 1 / inertia;
  CR_TRY(cri_scene_open(book, "smoothing_log", pusher, &s->models[0], error));
  for (int i = 0; i < 2; i++) {
    const cr_quasidynamic_options o = {
        .size = sizeof o, .weight = i == 0 ? 0 : (cr_real)(2 * compliance / (s->scale * s->scale))};
    CR_TRY(cr_quasidynamic_create(&s->steps[i], s->models[0], &o, error));
  }
  return CR_OK;
}

// the body moves by F / inertia, F = max(0, -x) / compliance
static cr_status push(cr_barrier_system* s, int smooth, double x, double* y, cr_error* error) {
  const cr_real qpos[2] = {0, 0}, u = (cr_real)(apart - x);
  cr_real next[2];
  cr_status status = cr_quasidynamic_step(s->steps[smooth], qpos, &u, next);
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothing: %s", cr_quasidynamic_error(s->steps[smooth]));
  }
  *y = (double)next[1] * inertia * (1 / servo + 1 / inertia);
  return CR_OK;
}

// ---- all

cr_status cri_barrier_open(cr_barrier_system* s, const cr_notebook* book, cr_barrier kind,
                           double scale, cr_error* error) {
  *s = (cr_barrier_system){.kind = kind, .scale = scale};
  if (kind == CR_BARRIER_LOG) {
    return open_pusher(s, book, error);
  }
  CR_TRY(kind == CR_BARRIER_SOFTPLUS ? open_sliders(s, book, error) : open_ball(s, book, error));
  for (int i = 0; i < 2; i++) {
    CR_TRY(cr_data_create(&s->data[i], s->models[i], error));
  }
  return cri_barrier_jumps(kind) ? find_jump(s, error) : CR_OK;
}

void cri_barrier_close(cr_barrier_system* s) {
  for (int i = 0; i < 2; i++) {
    cr_quasidynamic_destroy(s->steps[i]);
    cr_data_destroy(s->data[i]);
    cr_model_destroy(s->models[i]);
  }
  *s = (cr_barrier_system){.scale = 0};
}

static cr_status meet(cr_barrier_system* s, int smooth, double x, double* y, cr_error* error) {
  const cr_model* m = s->models[smooth];
  cr_data* d = s->data[smooth];
  const cr_real place = (cr_real)(1 + x);
  cr_real next[2];
  CR_TRY(cr_data_reset(m, d));
  CR_TRY(cr_data_set(m, d, "qpos[second]", &place, 1, error));
  cr_status status = cr_step(m, d);
  if (status != CR_OK) {
    return cri_fail(error, status, "smoothing: %s", cr_data_error(d));
  }
  CR_TRY(cr_data_get(m, d, "qvel_next", next, 2, error));
  *y = (double)next[1] * mass / interval / stiffness;
  return CR_OK;
}

cr_status cri_barrier_response(cr_barrier_system* s, bool smooth, double x, double* y,
                               cr_error* error) {
  if (s->kind == CR_BARRIER_SOFTPLUS) {
    return meet(s, smooth, x, y, error);
  }
  if (s->kind == CR_BARRIER_LOG) {
    return push(s, smooth, x, y, error);
  }
  double v = 0;
  CR_TRY(fall(s, smooth, x, &v, error));
  *y = (v - s->free) / s->jump;
  return CR_OK;
}

// ---- noise

double cri_noise_quantile(cr_noise noise, double q) {
  switch (noise) {
    case CR_NOISE_LOGISTIC:
      return log(q / (1 - q));
    case CR_NOISE_ONE_SIDED:  // y = 2 x^2 up to 1/2, then 1 - 2 (1 - x)^2
      return q > 0.5 ? -sqrt((1 - q) / 2) : sqrt(q / 2) - 1;
    case CR_NOISE_STUDENT:
      return (2 * q - 1) / sqrt(2 * q * (1 - q));
    default: {
      double both = fabs(2 * q - 1);
      double z = both > 0 ? (double)cri_normal_quantile((cr_real)both) : 0;
      return q > 0.5 ? z : -z;
    }
  }
}

cr_scaled_noise cri_noise_like(const cr_barrier_system* s, cr_noise noise) {
  cr_noise own = cri_barrier_noise(s->kind);
  double wide = cri_noise_quantile(own, 0.75) - cri_noise_quantile(own, 0.25);
  double factor =
      s->scale * wide / (cri_noise_quantile(noise, 0.75) - cri_noise_quantile(noise, 0.25));
  return (cr_scaled_noise){
      .noise = noise,
      .factor = factor,
      .centre = s->scale * cri_noise_quantile(own, 0.5) - factor * cri_noise_quantile(noise, 0.5)};
}

// quantiles q = u^2 (3 - 2 u), u evenly spaced: dense at both ends, where noise has its tails
cr_status cri_barrier_mean(cr_barrier_system* s, const cr_scaled_noise* noise, int nodes, double x,
                           double* y, cr_error* error) {
  double sum = 0;
  for (int i = 0; i < nodes; i++) {
    double u = (i + 0.5) / nodes, q = u * u * (3 - 2 * u), one = 0;
    double w = noise->centre + noise->factor * cri_noise_quantile(noise->noise, q);
    CR_TRY(cri_barrier_response(s, false, x + w, &one, error));
    sum += 6 * u * (1 - u) * one;
  }
  *y = sum / nodes;
  return CR_OK;
}
