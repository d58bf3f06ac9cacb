// SPDX-License-Identifier: Apache-2.0
// A step of Euler with implicit damping c of the joints and masses M is (M + h c) v' = M v + h f: that of the header, with
// M = keep m and c = m (1 - keep) / h.
#include "estimates/sliders.h"

#include <math.h>
#include <stdio.h>

#include "notebook/scene_file.h"

static const double mass = 0.1, interval = 0.005;          // kg, s
static const double grip = 1.8, creep = 0.1, width = 0.1;  // N s/m, m/s, m
static const double weights[3] = {0.1, 10, 0.1};           // of both places, of velocities

static const char text[] =
    "<mujoco model=\"two bodies on a line\">\n"
    "  <option timestep=\"%.17g\" gravity=\"0 0 0\"/>\n"
    "  <default>\n"
    "    <joint type=\"slide\" axis=\"1 0 0\" damping=\"%.17g\"/>\n"
    "    <geom type=\"sphere\" size=\"0.5\" mass=\"%.17g\" condim=\"1\" contype=\"%d\" "
    "conaffinity=\"%d\"/>\n"
    "  </default>\n"
    "  <worldbody>\n"
    "    <body name=\"first\"><joint name=\"first\"/><geom name=\"first\"/></body>\n"
    "    <body name=\"second\"><joint name=\"second\"/><geom name=\"second\"/></body>\n"
    "  </worldbody>\n"
    "  <actuator><motor name=\"push\" joint=\"first\"/></actuator>\n"
    "</mujoco>\n";

// ---- forces between the bodies as stages

// a force on body 2 (body 1 feels its opposite), and its slopes by the differences of places and of velocities
typedef struct {
  double force, by_place, by_speed;
} law;

static law softplus(const cr_sliders* s, double place) {
  double x = s->kappa * (1 - place), tail = exp(-fabs(x));
  double share = x > 0 ? 1 / (1 + tail) : tail / (1 + tail);
  return (law){s->stiffness / s->kappa * (fmax(x, 0) + log1p(tail)), -s->stiffness * share, 0};
}

static law friction(double place, double speed) {
  if (fabs(place) >= width) {
    return (law){0, 0, 0};
  }
  bool slips = fabs(speed) > creep;
  return (law){-grip * fmin(fmax(speed, -creep), creep), 0, slips ? 0 : -grip};
}

static law law_of(const void* user, const cr_stage_call* call) {
  const cr_sliders* s = user;
  const cr_real *q = call->read[0].value, *v = call->read[1].value;
  double place = (double)(q[1] - q[0]), speed = (double)(v[1] - v[0]);
  return s->law == CR_SLIDERS_SOFTPLUS ? softplus(s, place) : friction(place, speed);
}

static cr_status forward(void* user, const cr_stage_call* call) {
  law l = law_of(user, call);
  call->change[0].result[0] -= (cr_real)l.force;
  call->change[0].result[1] += (cr_real)l.force;
  return CR_OK;
}

static cr_status jvp(void* user, const cr_stage_call* call) {
  law l = law_of(user, call);
  const cr_real *q = call->read[0].twin, *v = call->read[1].twin;
  cr_real force = (cr_real)l.by_place * (q[1] - q[0]) + (cr_real)l.by_speed * (v[1] - v[0]);
  call->change[0].twin[0] -= force;
  call->change[0].twin[1] += force;
  return CR_OK;
}

static cr_status vjp(void* user, const cr_stage_call* call) {
  law l = law_of(user, call);
  cr_real force = call->change[0].twin[1] - call->change[0].twin[0];
  const cr_real slopes[2] = {(cr_real)l.by_place, (cr_real)l.by_speed};
  for (int i = 0; i < 2; i++) {
    call->read[i].twin[0] -= slopes[i] * force;
    call->read[i].twin[1] += slopes[i] * force;
  }
  return CR_OK;
}

static cr_status add_stage(cr_model* m, const cr_sliders* s, cr_error* error) {
  static const char* const reads[] = {"qpos", "qvel"};
  static const char* const changes[] = {"qfrc_passive"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "between",
                              .after = "passive",
                              .reads = reads,
                              .nread = 2,
                              .changes = changes,
                              .nchange = 1,
                              .forward = forward,
                              .jvp = jvp,
                              .vjp = vjp,
                              .user = (void*)(uintptr_t)s};
  return cr_model_add_stage(m, &o, error);
}

// N = k p: exponent 1, no damping
static cr_status add_contact(cr_model* m, const cr_sliders* s, cr_error* error) {
  static const char* const geoms[] = {"first", "second"};
  CR_TRY(cr_model_set_choice(m, "cone", "elliptic", error));
  CR_TRY(cr_model_set_choice(m, "contact_model", "hunt_crossley", error));
  for (int i = 0; i < 2; i++) {
    char name[64];
    const cr_real numbers[3] = {(cr_real)s->stiffness, 0, 1};
    for (int k = 0; k < 3; k++) {
      (void)snprintf(name, sizeof name, "geom_hunt_crossley[%s][%d]", geoms[i], k);
      CR_TRY(cr_model_set(m, name, &numbers[k], 1, error));
    }
  }
  return CR_OK;
}

cr_status cri_sliders_open(const cr_notebook* book, const char* name, const cr_sliders* s,
                           cr_model** m, cr_error* error) {
  char filled[2048];
  bool meet = s->law == CR_SLIDERS_CONTACT;
  (void)snprintf(filled, sizeof filled, text, interval, mass * (1 - s->keep) / interval,
                 mass * s->keep, meet, meet);
  return cri_scene_open(book, name, filled, m, error);
}

cr_status cri_sliders_add_law(cr_model* m, const cr_sliders* s, cr_error* error) {
  return s->law == CR_SLIDERS_CONTACT ? add_contact(m, s, error) : add_stage(m, s, error);
}

// ---- the loss

double cri_sliders_start_cost(const cr_sliders* s) {
  return weights[0] * pow(s->goal[0], 2) + weights[1] * pow(s->start - s->goal[1], 2);
}

static cr_status begin(const void* context, const cr_motion* motion, const cr_real* x,
                       cr_error* error) {
  const cr_sliders* s = context;
  cr_rollout* rollout = cr_gradient_rollout(motion->gradient);
  const cr_real place = (cr_real)s->start;
  CR_TRY(cr_data_reset(motion->m, cr_rollout_data(rollout)));
  CR_TRY(cr_data_set(motion->m, cr_rollout_data(rollout), "qpos[second]", &place, 1, error));
  cr_real* ctrl = cr_rollout_ctrl(rollout);
  for (int i = 0; i < motion->n; i++) {
    ctrl[i] = x[i];
  }
  return CR_OK;
}

cr_status cri_sliders_motion(cr_motion* motion, const cr_model* m, const cr_sliders* s,
                             cr_error* error) {
  char loss[256];
  (void)snprintf(loss, sizeof loss,
                 "%.9g*(qpos[first] - %.9g)^2 + %.9g*(qpos[second] - %.9g)^2 + %.9g*sum(qvel^2) + "
                 "ctrl[push]^2",
                 weights[0], s->goal[0], weights[1], s->goal[1], weights[2]);
  const cr_motion_options o = {
      .name = "ctrl", .steps = s->steps, .loss = loss, .every = true, .begin = begin, .context = s};
  cr_model* whole = NULL;
  *motion = (cr_motion){.n = 0};
  CR_TRY(cr_model_copy(&whole, m, error));
  cr_status status = cri_sliders_add_law(whole, s, error);
  status = status == CR_OK ? cri_motion_open(motion, whole, &o, error) : status;
  cr_model_destroy(whole);
  return status;
}
