// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Rows of a window by every number of its start and by parameters, against differences: a free body with a limb that rests on the
// ground, seen by coordinates, an orientation and an accelerometer, with integrators of one stage and of several.
#include "identify/sensitivity.h"

#include <stdio.h>

#include "carom/carom.h"
#include "identify/layout.h"
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

static cr_error error;

static void must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

enum { NP = 2, ROWS = 12, SEEN = 512, WIDE = 64 };

typedef struct {
  cr_real error[SEEN], rows[SEEN][WIDE];
  int n, columns;
} seen;

static void keep(void* context, const cri_sight* s) {
  seen* k = context;
  for (int i = 0; i < cri_output_errors(s->output); i++) {
    k->error[k->n] = s->error[i];
    if (s->rows != NULL) {
      cr_copy(k->rows[k->n], s->rows + (ptrdiff_t)i * k->columns, k->columns);
    }
    k->n++;
  }
}

static void predict(cri_predictor* w, cri_problem* p, bool derive, seen* k) {
  cr_real values[NP];
  cri_parameters_values(p->parameters, p->x, values);
  must(cri_parameters_apply(p->parameters, values, &error));
  k->n = 0;
  k->columns = cri_columns_of(p);
  assert_true(k->columns <= WIDE);
  must(cri_predict(w, p, 0, derive, keep, k, NULL, NULL, &error));
  assert_true(k->n > ROWS);
}

// every number of x and of the start
static void compare(cri_predictor* w, cri_problem* p) {
  static seen at, high, low;
  predict(w, p, true, &at);
  for (int i = 0; i < p->n + p->nx; i++) {
    cr_real x = p->x[i], h = CR_R(1e-6), most = 0;
    p->x[i] = x + h;
    predict(w, p, false, &high);
    p->x[i] = x - h;
    predict(w, p, false, &low);
    p->x[i] = x;
    for (int k = 0; k < at.n; k++) {
      most = cr_max(most, cr_abs(at.rows[k][i]));
    }
    for (int k = 0; k < at.n; k++) {
      cr_real difference = (high.error[k] - low.error[k]) / (2 * h);
      if (cr_abs(difference - at.rows[k][i]) > CR_R(2e-4) * (most + CR_R(0.01))) {
        fail_msg("row %d, column %d: %.9g, by differences %.9g", k, i, (double)at.rows[k][i],
                 (double)difference);
      }
    }
  }
  for (int i = p->n + p->nx; i < at.columns; i++) {
    assert_true(at.rows[0][i] == 0);
  }
}

TEST(rows_match_differences) {
  static const char* const integrators[] = {"Euler", "implicitfast", "RK4"};
  static const measured_channel channels[] = {
      {"qpos", 2, 0, 0}, {"acc", 3, 0, 0}, {"xquat[limb]", 4, 0, 0}};
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
  for (int k = 0; k < 3; k++) {
    char text[1200];
    cr_model* m = NULL;
    cr_parameters* ps = NULL;
    cr_measurements* ms = NULL;
    cri_problem p;
    cri_predictor* w = NULL;
    (void)snprintf(text, sizeof text, text_of_walker, integrators[k]);
    must(cr_model_open(&m, scratch_write("walker.xml", text), &error));
    must(cr_parameters_create(&ps, m, list, NP, &error));
    must(cr_measurements_create(&ms, m, &error));
    measured_run(ms, m, "r", ROWS, NULL, channels, 3, 1);
    const cr_identification_options o = {.size = sizeof o};
    must(cri_layout(&p, ps, ms, &o, &error));
    must(cri_predictor_create(&w, &p, &error));
    cri_layout_starts(&p);
    cri_parameters_start(ps, p.x);
    p.x[p.n + 3] = CR_R(0.02);
    p.x[p.n + 6] = CR_R(0.3);
    p.x[p.n + m->nv + 5] = CR_R(0.4);
    p.x[p.n + m->nv + 6] = CR_R(0.5);
    compare(w, &p);
    cri_predictor_free(w);
    cri_layout_free(&p);
    cr_measurements_destroy(ms);
    cr_parameters_destroy(ps);
    cr_model_destroy(m);
  }
}
