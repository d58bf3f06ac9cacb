// SPDX-License-Identifier: Apache-2.0
// Needs: io
// The gradient of a window by one sweep back against the rows of sensitivities: a free body with a limb that rests on the ground, seen
// late and shifted by coordinates, an orientation and an accelerometer, with integrators of one stage and of several.
#include "predict/window_adjoint.h"

#include <stdio.h>

#include "carom/carom.h"
#include "predict/layout.h"
#include "scenes/io_measured.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_walker[] =
    "<mujoco><option timestep='0.004' integrator='%s' cone='elliptic'/><worldbody><geom "
    "type='plane' size='5 5 1'/><body name='trunk' pos='0 0 .095'><freejoint/><geom type='box' "
    "size='.2 .15 .1' mass='3'/><body name='limb' pos='.2 0 .2'><joint name='a' axis='0 1 0' "
    "damping='.1' armature='.01'/><geom type='capsule' fromto='0 0 0 .1 0 .2' size='.02' mass='.4' "
    "contype='0' conaffinity='0'/><site name='imu' pos='.1 0 .2'/></body></body></worldbody>"
    "<actuator><motor name='push' joint='a' gear='.3'/></actuator><sensor><accelerometer "
    "name='acc' site='imu'/></sensor></mujoco>";

enum { NP = 3, MOST = 16, ROWS = 12 };

static cr_error error;

typedef struct {
  const cri_problem* p;
  cr_real cost, gradient[MOST];
  int64_t n;
} summed;

static void add(void* context, const cri_sight* s) {
  summed* to = context;
  const cri_problem* p = to->p;
  cr_real noise = p->places[s->track->place].noise, weight;
  for (int i = 0; i < cri_output_errors(s->output); i++) {
    to->cost += cri_robust(p->huber, s->error[i] / noise, &weight);
    to->n++;
    for (int k = 0; k < p->n; k++) {
      to->gradient[k] +=
          weight * s->error[i] / (noise * noise) * s->rows[(ptrdiff_t)i * cri_columns_of(p) + k];
    }
  }
}

static void compare(cri_window_adjoint* a, cri_predictor* w, cri_problem* p) {
  cr_real cost, x_bar[MOST] = {0}, derived[64] = {0}, by_x[MOST], most = 0;
  int64_t n;
  summed rows = {.p = p};
  assert_true(p->n <= MOST && cri_parameters_nderived(p->parameters) <= 64);
  must(cri_predict(w, p, 0, true, add, &rows, NULL, NULL, &error));
  const cri_window_gradient to = {x_bar, derived};
  must(cri_window_adjoint_run(a, w, p, 0, &cost, &n, &to, &error));
  must(cri_parameters_derived(p->parameters, derived, x_bar, &error));
  cr_copy(by_x, x_bar, p->n);
  cri_parameters_chain(p->parameters, p->x, x_bar, by_x);
  if (n != rows.n || n <= ROWS) {
    fail_msg("%d numbers, by rows %d", (int)n, (int)rows.n);
  }
  assert_true(cr_abs(cost - rows.cost) <= CR_R(1e-9) * rows.cost);
  for (int k = 0; k < p->n; k++) {
    most = cr_max(most, cr_abs(rows.gradient[k]));
    assert_true(rows.gradient[k] != 0);
  }
  for (int k = 0; k < p->n; k++) {
    if (cr_abs(by_x[k] - rows.gradient[k]) >
        CR_R(1e-8) * cr_abs(rows.gradient[k]) + CR_R(1e-12) * most) {
      fail_msg("number %d: %.12g, by rows %.12g", k, (double)by_x[k], (double)rows.gradient[k]);
    }
  }
  cr_real again = cost;
  must(cri_window_adjoint_run(a, w, p, 0, &cost, &n, NULL, &error));
  assert_true(cost == again);
}

static void check(const char* integrator, cr_real huber) {
  static const measured_channel channels[] = {
      {"qpos", 2, 0, 0}, {"acc", 3, 0, 0}, {"xquat[limb]", 4, 0, 0}};
  static const char *const late[] = {"qpos", "acc"}, *const shifted[] = {"xquat[limb]"};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "d",
                                     .target = "dof_damping[a]",
                                     .transform = CR_TRANSFORM_LOG,
                                     .start = CR_R(0.2),
                                     .upper = 9};
  const cr_parameter_info mass = {.size = sizeof mass,
                                  .name = "m",
                                  .target = "body_mass[trunk]",
                                  .start = CR_R(2.5),
                                  .lower = CR_R(0.1),
                                  .upper = 9};
  const cr_parameter_info gear = {.size = sizeof gear,
                                  .name = "g",
                                  .target = "actuator_gainprm[push][0]",
                                  .start = CR_R(1.2),
                                  .upper = 9};
  const cr_parameter_info* const list[NP] = {&damping, &mass, &gear};
  char text[1200];
  cr_model* m = NULL;
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  cri_problem p;
  cri_predictor* w = NULL;
  cri_window_adjoint* a = NULL;
  (void)snprintf(text, sizeof text, text_of_walker, integrator);
  must(cr_model_open(&m, scratch_write("walker.xml", text), &error));
  must(cr_parameters_create(&ps, m, list, NP, &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "r", ROWS, NULL, channels, 3, 1);
  const cr_identification_options o = {.size = sizeof o,
                                       .huber = huber,
                                       .delayed = late,
                                       .ndelayed = 2,
                                       .longest_delay = CR_R(0.008),
                                       .shifted = shifted,
                                       .nshifted = 1};
  must(cri_layout(&p, ps, ms, &o, &error));
  must(cri_predictor_create(&w, &p, &error));
  must(cri_window_adjoint_create(&a, &p, &error));
  cri_layout_starts(&p);
  cri_parameters_start(ps, p.x);
  for (int i = NP; i < p.n; i++) {
    p.x[i] = i < NP + 2 ? CR_R(0.003) : CR_R(0.02);
  }
  p.x[p.n + 6] = CR_R(0.3);
  p.x[p.n + m->nv + 6] = CR_R(0.5);
  cr_real values[NP];
  cri_parameters_values(ps, p.x, values);
  must(cri_parameters_apply(ps, values, &error));
  // the derivatives of the derived constants by the parameters, as a search has them
  for (int k = 0; k < cri_parameters_nderived(ps); k++) {
    cr_real seed[64] = {0};
    seed[k] = 1;
    must(cri_parameters_derived(ps, seed, p.derived + (ptrdiff_t)k * p.np, &error));
  }
  for (int i = 0; i < p.nplace; i++) {
    p.places[i].noise = CR_R(0.1) * (cr_real)(i + 1);
  }
  compare(a, w, &p);
  cri_window_adjoint_free(a);
  cri_predictor_free(w);
  cri_layout_free(&p);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
}

TEST(one_sweep_matches_rows) {
  static const char* const integrators[] = {"Euler", "implicitfast", "implicit", "RK4"};
  for (int k = 0; k < 4; k++) {
    check(integrators[k], 0);
    check(integrators[k], 1);
  }
}
