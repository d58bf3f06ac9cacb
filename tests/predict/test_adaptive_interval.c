// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Rows of a window with steps as long as the error allows, against differences: a driven limb that swings, and a ball that falls on
// the ground and bounces, whose contacts begin and end at other moments when it starts elsewhere.
#include "predict/adaptive_interval.h"

#include "carom/carom.h"
#include "checks/io_predicted.h"
#include "predict/layout.h"
#include "scenes/io_measured.h"
#include "support/scratch.h"
#include "support/test.h"

static const char text_of_limb[] =
    "<mujoco><option timestep='0.02'/><worldbody><body><joint name='a' axis='0 1 0' damping='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .1 0 .2' size='.02' mass='.4'/><body pos='.1 0 .2'><joint "
    "type='ball'/><geom type='box' size='.1 .05 .02' mass='.2'/></body></body></worldbody>"
    "<actuator><motor name='push' joint='a' gear='.3'/></actuator></mujoco>";
static const char text_of_ball[] =
    "<mujoco><option timestep='0.02'/><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 "
    ".12'><joint name='a' type='slide' axis='0 0 1' damping='.1'/><geom size='.1' mass='1' "
    "solref='-3000 -5' condim='1'/></body></worldbody><actuator><motor name='push' joint='a' "
    "gear='.3'/></actuator></mujoco>";

static cr_error error;

enum { NP = 2, ROWS = 12 };

// every number of x and of the start: the largest miss, of the largest row
static cr_real compare(cri_predictor* w, cri_problem* p) {
  static predicted at, high, low;
  cr_real worst = 0;
  predict_window(w, p, true, &at);
  assert_true(at.n >= ROWS);
  for (int i = 0; i < p->n + p->nx; i++) {
    cr_real x = p->x[i], h = CR_R(1e-5), most = CR_R(0.01), miss = 0;
    p->x[i] = x + h;
    predict_window(w, p, false, &high);
    p->x[i] = x - h;
    predict_window(w, p, false, &low);
    p->x[i] = x;
    for (int k = 0; k < at.n; k++) {
      cr_real difference = (high.error[k] - low.error[k]) / (2 * h);
      most = cr_max(most, cr_abs(at.rows[k][i]));
      miss = cr_max(miss, cr_abs(difference - at.rows[k][i]));
    }
    worst = cr_max(worst, miss / most);
  }
  return worst;
}

// worst miss of a model; *events: how many there were
static cr_real miss_of(const char* text, const char* integrator, bool events, int* count) {
  static const measured_channel channels[] = {{"qpos[a]", 1, 0, 0}, {"qvel[a]", 1, 0, 0}};
  const cr_parameter_info damping = {.size = sizeof damping,
                                     .name = "d",
                                     .target = "dof_damping[a]",
                                     .start = CR_R(0.2),
                                     .upper = 9};
  const cr_parameter_info gear = {.size = sizeof gear,
                                  .name = "g",
                                  .target = "actuator_gainprm[push][0]",
                                  .start = CR_R(1.2),
                                  .upper = 9};
  const cr_parameter_info* const list[NP] = {&damping, &gear};
  const cr_adaptive steps = {
      .size = sizeof steps, .rtol = CR_R(1e-9), .atol = CR_R(1e-10), .events = events};
  const cr_identification_options o = {.size = sizeof o, .adaptive = &steps};
  cr_model* m = NULL;
  cr_parameters* ps = NULL;
  cr_measurements* ms = NULL;
  cri_problem p;
  cri_predictor* w = NULL;
  must(cr_model_open(&m, scratch_write("model.xml", text), &error));
  must(cr_model_set_choice(m, "integrator", integrator, &error));
  must(cr_parameters_create(&ps, m, list, NP, &error));
  must(cr_measurements_create(&ms, m, &error));
  measured_run(ms, m, "r", ROWS, NULL, channels, 2, 1);
  must(cri_layout(&p, ps, ms, &o, &error));
  must(cri_predictor_create(&w, &p, &error));
  cri_layout_starts(&p);
  cri_parameters_start(ps, p.x);
  p.x[p.n] = CR_R(0.02);
  p.x[p.n + m->nv] = CR_R(0.1);
  cr_real worst = compare(w, &p);
  *count = w->controller.events;
  cri_predictor_free(w);
  cri_layout_free(&p);
  cr_measurements_destroy(ms);
  cr_parameters_destroy(ps);
  cr_model_destroy(m);
  return worst;
}

TEST(rows_match_differences) {
  static const char* const integrators[] = {"tsit5", "dopri8"};
  for (int k = 0; k < 2; k++) {
    int count;
    cr_real worst = miss_of(text_of_limb, integrators[k], false, &count);
    if (worst > CR_R(1e-5)) {
      fail_msg("%s: %.3g", integrators[k], (double)worst);
    }
  }
}

// without events the moment of the touch has no derivative
TEST(rows_count_that_contacts_come_at_other_moments) {
  int count;
  cr_real worst = miss_of(text_of_ball, "dopri5", true, &count);
  assert_true(count >= 1);
  if (worst > CR_R(1e-4)) {
    fail_msg("%.3g after %d events", (double)worst, count);
  }
}
