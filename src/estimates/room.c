// SPDX-License-Identifier: Apache-2.0
// A body of 1e-8 kg on slides with dampers of 1 N s/m: its velocity is the force on it, to one part in a million. A stage takes the force away where the step would end in a pillar.
#include "estimates/room.h"

#include <math.h>
#include <stdio.h>

#include "notebook/scene_file.h"

static const double interval = 0.01, goal[2] = {0, 4};  // s, m
static const double control_cost = 0.001, end_cost = 10, bump_cost = 100;
static const double pillars[CR_ROOM_PILLARS][3] = {
    {-0.2, 0.5, 0.2}, {0.5, 1.2, 0.2}, {0, 2.3, 0.3}, {0.4, 3.2, 0.5},
    {-0.8, 3.8, 0.1}, {-1, 1, 0.5},    {0, 1.5, 0.2}};

void cri_room_pillar(int i, double* x, double* y, double* radius) {
  *x = pillars[i][0];
  *y = pillars[i][1];
  *radius = pillars[i][2];
}

cr_status cri_room_open(const cr_notebook* book, cr_model** m, cr_error* error) {
  char text[4096];
  int at = snprintf(text, sizeof text,
                    "<mujoco model=\"a robot among pillars\">\n"
                    "  <option timestep=\"%.17g\" gravity=\"0 0 0\"/>\n"
                    "  <default>\n    <joint type=\"slide\" damping=\"1\"/>\n"
                    "    <geom contype=\"0\" conaffinity=\"0\"/>\n  </default>\n  <worldbody>\n",
                    interval);
  for (int i = 0; i < CR_ROOM_PILLARS; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "    <geom type=\"cylinder\" size=\"%g 0.1\" pos=\"%g %g 0\"/>\n", pillars[i][2],
                   pillars[i][0], pillars[i][1]);
  }
  (void)snprintf(
      text + at, sizeof text - (size_t)at,
      "    <body name=\"robot\">\n"
      "      <inertial pos=\"0 0 0\" mass=\"1e-8\" diaginertia=\"1e-8 1e-8 1e-8\"/>\n"
      "      <joint name=\"x\" axis=\"1 0 0\"/>\n      <joint name=\"y\" axis=\"0 1 0\"/>\n"
      "      <geom size=\"0.03\"/>\n    </body>\n  </worldbody>\n"
      "  <actuator><motor joint=\"x\"/><motor joint=\"y\"/></actuator>\n</mujoco>\n");
  return cri_scene_open(book, "roomba", text, m, error);
}

// ---- the law: reads qpos and ctrl

static bool bumps(const cr_stage_call* call) {
  const cr_real *q = call->read[0].value, *u = call->read[1].value;
  for (int i = 0; i < CR_ROOM_PILLARS; i++) {
    double x = (double)q[0] + interval * (double)u[0] - pillars[i][0];
    double y = (double)q[1] + interval * (double)u[1] - pillars[i][1];
    if (x * x + y * y < pillars[i][2] * pillars[i][2]) {
      return true;
    }
  }
  return false;
}

static cr_status forward(void* user, const cr_stage_call* call) {
  (void)user;
  for (int i = 0; i < 2 && bumps(call); i++) {
    call->change[0].result[i] -= call->read[1].value[i];
  }
  return CR_OK;
}

static cr_status jvp(void* user, const cr_stage_call* call) {
  (void)user;
  for (int i = 0; i < 2 && bumps(call); i++) {
    call->change[0].twin[i] -= call->read[1].twin[i];
  }
  return CR_OK;
}

static cr_status vjp(void* user, const cr_stage_call* call) {
  (void)user;
  for (int i = 0; i < 2 && bumps(call); i++) {
    call->read[1].twin[i] -= call->change[0].twin[i];
  }
  return CR_OK;
}

static cr_status add_law(cr_model* m, cr_error* error) {
  static const char *const reads[] = {"qpos", "ctrl"}, *const changes[] = {"qfrc_passive"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "bumps",
                              .after = "passive",
                              .reads = reads,
                              .nread = 2,
                              .changes = changes,
                              .nchange = 1,
                              .forward = forward,
                              .jvp = jvp,
                              .vjp = vjp};
  return cr_model_add_stage(m, &o, error);
}

// ---- the loss

bool cri_room_bumped(const cr_model* m, const cr_data* d) {
  const cr_real* v = cr_data_numbers(m, d, "qvel", NULL, NULL);
  const cr_real* u = cr_data_numbers(m, d, "ctrl", NULL, NULL);
  return cr_abs(v[0]) + cr_abs(v[1]) < CR_R(1e-3) * (cr_abs(u[0]) + cr_abs(u[1]));
}

static bool every_step(const void* context, int step, int nstep) {
  (void)context;
  (void)step;
  (void)nstep;
  return true;
}

static cr_real weight_of(int step) { return step == CR_ROOM_STEPS ? (cr_real)end_cost : 1; }

static cr_status value(void* context, const cr_model* m, const cr_data* d, int step,
                       cr_real* loss) {
  (void)context;
  const cr_real* q = cr_data_numbers(m, d, "qpos", NULL, NULL);
  const cr_real* u = cr_data_numbers(m, d, "ctrl", NULL, NULL);
  for (int i = 0; i < 2; i++) {
    cr_real e = q[i] - (cr_real)goal[i];
    *loss += weight_of(step) * e * e + (cr_real)control_cost * u[i] * u[i];
  }
  *loss += step == CR_ROOM_STEPS && cri_room_bumped(m, d) ? (cr_real)bump_cost : 0;
  return CR_OK;
}

static cr_status bar(void* context, const cr_model* m, const cr_data* d, int step, cr_data* twin) {
  (void)context;
  const cr_real* q = cr_data_numbers(m, d, "qpos", NULL, NULL);
  const cr_real* u = cr_data_numbers(m, d, "ctrl", NULL, NULL);
  cr_real* q_bar = cr_data_view(m, twin, "qpos", NULL, NULL);
  cr_real* u_bar = cr_data_view(m, twin, "ctrl", NULL, NULL);
  for (int i = 0; i < 2; i++) {
    q_bar[i] += 2 * weight_of(step) * (q[i] - (cr_real)goal[i]);
    u_bar[i] += 2 * (cr_real)control_cost * u[i];
  }
  return CR_OK;
}

static cr_status begin(const void* context, const cr_motion* motion, const cr_real* x,
                       cr_error* error) {
  (void)context;
  (void)error;
  cr_rollout* rollout = cr_gradient_rollout(motion->gradient);
  cr_real* ctrl = cr_rollout_ctrl(rollout);
  for (int i = 0; i < motion->n; i++) {
    ctrl[i] = x[i];
  }
  return cr_data_reset(motion->m, cr_rollout_data(rollout));
}

cr_status cri_room_motion(cr_motion* motion, const cr_model* m, cr_error* error) {
  const cr_motion_options o = {.name = "ctrl",
                               .steps = CR_ROOM_STEPS,
                               .own = {.looks_at = every_step, .value = value, .bar = bar},
                               .begin = begin};
  cr_model* whole = NULL;
  *motion = (cr_motion){.n = 0};
  CR_TRY(cr_model_copy(&whole, m, error));
  cr_status status = add_law(whole, error);
  status = status == CR_OK ? cri_motion_open(motion, whole, &o, error) : status;
  cr_model_destroy(whole);
  return status;
}
