// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Rows of a window by every number of its start and by parameters, against differences: a free body with a limb that rests on the
// ground, seen by coordinates, an orientation and an accelerometer, with integrators of one stage and of several. And the same rows
// whether A comes from the Jacobian of the step or from sweeps.
#include "predict/sensitivity.h"

#include <stdio.h>

#include "carom/carom.h"
#include "checks/io_predicted.h"
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

static cr_error error;

enum { NP = 2, ROWS = 12 };

// every number of x and of the start
static void compare(cri_predictor* w, cri_problem* p) {
  static predicted at, high, low;
  predict_window(w, p, true, &at);
  assert_true(at.n >= ROWS);
  for (int i = 0; i < p->n + p->nx; i++) {
    cr_real x = p->x[i], h = CR_R(1e-6), most = 0;
    p->x[i] = x + h;
    predict_window(w, p, false, &high);
    p->x[i] = x - h;
    predict_window(w, p, false, &low);
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

typedef struct {
  cr_model* m;
  cr_parameters* ps;
  cr_measurements* ms;
  cri_problem p;
  cri_predictor* w;
} walker;

static void begin(walker* x, const char* integrator, const cr_parameter_info* const* list, int n) {
  static const measured_channel channels[] = {
      {"qpos", 2, 0, 0}, {"acc", 3, 0, 0}, {"xquat[limb]", 4, 0, 0}};
  char text[1200];
  *x = (walker){.m = NULL};
  (void)snprintf(text, sizeof text, text_of_walker, integrator);
  must(cr_model_open(&x->m, scratch_write("walker.xml", text), &error));
  must(cr_parameters_create(&x->ps, x->m, list, n, &error));
  must(cr_measurements_create(&x->ms, x->m, &error));
  measured_run(x->ms, x->m, "r", ROWS, NULL, channels, 3, 1);
  const cr_identification_options o = {.size = sizeof o};
  must(cri_layout(&x->p, x->ps, x->ms, &o, &error));
  must(cri_predictor_create(&x->w, &x->p, &error));
  cri_layout_starts(&x->p);
  cri_parameters_start(x->ps, x->p.x);
  cr_real* start = x->p.x + x->p.n;
  start[3] = CR_R(0.02);
  start[6] = CR_R(0.3);
  start[x->m->nv + 5] = CR_R(0.4);
  start[x->m->nv + 6] = CR_R(0.5);
}

static void end(walker* x) {
  cri_predictor_free(x->w);
  cri_layout_free(&x->p);
  cr_measurements_destroy(x->ms);
  cr_parameters_destroy(x->ps);
  cr_model_destroy(x->m);
}

static const cr_parameter_info damping = {.size = sizeof damping,
                                          .name = "d",
                                          .target = "dof_damping[a]",
                                          .start = CR_R(0.2),
                                          .upper = 9};
static const cr_parameter_info gear = {.size = sizeof gear,
                                       .name = "g",
                                       .target = "actuator_gainprm[push][0]",
                                       .start = CR_R(1.2),
                                       .upper = 9};
static const cr_parameter_info limb = {.size = sizeof limb,
                                       .name = "i",
                                       .target = "limb",
                                       .kind = CR_FIT_INERTIA,
                                       .lower = -(cr_real)INFINITY,
                                       .upper = (cr_real)INFINITY};
static const cr_parameter_info ground = {.size = sizeof ground,
                                         .name = "f",
                                         .target = "geom_friction[*][0]",
                                         .kind = CR_FIT_TIED,
                                         .start = CR_R(0.7),
                                         .upper = 9};
static const cr_parameter_info height = {.size = sizeof height,
                                         .name = "h",
                                         .target = "body_pos[limb][2]",
                                         .start = CR_R(0.2),
                                         .upper = 9};

TEST(rows_match_differences) {
  static const char* const integrators[] = {"Euler", "implicitfast", "RK4"};
  const cr_parameter_info* const list[NP] = {&damping, &gear};
  for (int k = 0; k < 3; k++) {
    walker x;
    begin(&x, integrators[k], list, NP);
    compare(x.w, &x.p);
    end(&x);
  }
}

static void same_rows(const predicted* a, const predicted* b) {
  cr_real most = 0;
  assert_int_equal(a->n, b->n);
  for (int k = 0; k < a->n; k++) {
    for (int i = 0; i < a->columns; i++) {
      most = cr_max(most, cr_abs(b->rows[k][i]));
    }
    for (int i = 0; i < a->columns; i++) {
      if (!(cr_abs(a->rows[k][i] - b->rows[k][i]) <= CR_R(1e-10) * most)) {
        fail_msg("row %d, column %d: %.17g, by whole sweeps %.17g", k, i, (double)a->rows[k][i],
                 (double)b->rows[k][i]);
      }
    }
  }
}

// a parameter that moves frames, and integrators without a Jacobian at once, have sweeps only
TEST(rows_by_the_jacobian_are_those_by_sweeps) {
  static const char* const integrators[] = {"Euler", "implicitfast", "implicit", "RK4"};
  const cr_parameter_info* const list[] = {&limb, &damping, &gear, &ground, &height};
  static predicted at, by_sweeps;
  for (int k = 0; k < 5; k++) {
    walker x;
    begin(&x, integrators[k % 4], list, k < 4 ? 4 : 5);
    x.p.x[x.p.n + x.m->nv] = CR_R(0.8);  // it slides
    assert_true((x.w->jacobian != NULL) == (k < 3));
    predict_window(x.w, &x.p, true, &at);
    cr_jacobian* kept = x.w->jacobian;
    x.w->jacobian = NULL;
    predict_window(x.w, &x.p, true, &by_sweeps);
    x.w->jacobian = kept;
    same_rows(&at, &by_sweeps);
    for (int i = 0; i < x.p.n; i++) {
      cr_real most = 0;
      for (int row = 0; row < at.n; row++) {
        most = cr_max(most, cr_abs(at.rows[row][i]));
      }
      if (most == 0) {
        fail_msg("%s: column %d", integrators[k % 4], i);
      }
    }
    // and by the matrix of the parameters in place of their pullback
    must(cri_chain_create(&x.p.chain, x.ps, &error));
    must(cri_chain_set(x.p.chain, x.ps, x.p.x, x.p.derived, &error));
    predict_window(x.w, &x.p, true, &at);
    same_rows(&at, &by_sweeps);
    end(&x);
  }
}
