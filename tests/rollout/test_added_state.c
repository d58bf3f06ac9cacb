// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A state that a user adds, with the public headers alone: the filter of an actuator written as a stage that
// remembers, beside the same model whose actuator has that filter itself. Steps of all integrators, rollouts,
// gradients by every way there is, Jacobians and recordings of the two have to agree.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"
#include "tools/hdf5.h"

// an arm of two links over a floor; the first joint has the actuator
static const char text[] =
    "<mujoco><option cone='elliptic' timestep='.004'/><default><geom solref='.03 1'/>"
    "<joint axis='0 1 0' damping='.1'/></default><worldbody>"
    "<geom type='plane' size='2 2 .1'/><body pos='0 0 %g'><joint name='a'/>"
    "<geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/><body pos='.3 0 0'><joint name='b'/>"
    "<geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/></body></body></worldbody>"
    "<actuator><general joint='a' gear='2' gainprm='%g' %s/></actuator></mujoco>";
static const char filter_text[] = "dyntype='filter' dynprm='.05'";

enum { NV = 2, NX = 2 * NV + 1, STEPS = 60 };
static const double GAIN = 3, GEAR = 2, TAU = 0.05;

// over the floor: within reach, and not. Steps of an adaptive run that meet a contact without ending there
// depend on the last digit
static const double LOW = 0.35, HIGH = 1;

static cr_error error;

// ---- the stage: z' = (u - z) / tau, force += gear gain z

static cr_status filter(void* user, const cr_stage_call* c) {
  const double u = c->read[0].value[0], z = c->read[1].value[0];
  c->change[0].result[0] += (u - z) / TAU;
  c->change[1].result[0] += GEAR * GAIN * z;
  (void)user;
  return CR_OK;
}
static cr_status filter_jvp(void* user, const cr_stage_call* c) {
  c->change[0].twin[0] += (c->read[0].twin[0] - c->read[1].twin[0]) / TAU;
  c->change[1].twin[0] += GEAR * GAIN * c->read[1].twin[0];
  (void)user;
  return CR_OK;
}
static cr_status filter_vjp(void* user, const cr_stage_call* c) {
  const double rate = c->change[0].twin[0] / TAU;
  c->read[0].twin[0] += rate;
  c->read[1].twin[0] += GEAR * GAIN * c->change[1].twin[0] - rate;
  (void)user;
  return CR_OK;
}

static void add_filter(cr_model* m) {
  static const char *const reads[] = {"ctrl", "plugin_state"}, *const changes[] = {
                                                                   "plugin_state_dot",
                                                                   "qfrc_actuator"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "filter",
                              .after = "actuation",
                              .reads = reads,
                              .nread = 2,
                              .changes = changes,
                              .nchange = 2,
                              .forward = filter,
                              .jvp = filter_jvp,
                              .vjp = filter_vjp};
  int first = -1;
  must(cr_model_add_state(m, 1, &first, &error));
  assert_int_equal(first, 0);
  must(cr_model_add_stage(m, &o, &error));
}

static cr_model* open_model(double height, double gain, const char* filtered) {
  char xml[2048];
  cr_model* m = NULL;
  (void)snprintf(xml, sizeof xml, text, height, gain, filtered);
  must(cr_model_open(&m, scratch_write("model.xml", xml), &error));
  return m;
}

// the model whose stage remembers, and the one whose actuator does; and how their states are called
static const char* const memory[2] = {"plugin_state", "act"};

static void open_both(cr_model* m[2], const char* integrator, double height) {
  m[0] = open_model(height, 0, "");
  m[1] = open_model(height, GAIN, filter_text);
  add_filter(m[0]);
  for (int i = 0; i < 2; i++) {
    must(cr_model_set_choice(m[i], "integrator", integrator, &error));
  }
}

static void close_both(cr_model* m[2]) {
  cr_model_destroy(m[0]);
  cr_model_destroy(m[1]);
}

static double* view(const cr_model* m, cr_data* d, const char* name, int n) {
  int rows, width;
  double* x = cr_data_view(m, d, name, &rows, &width);
  assert_non_null(x);
  assert_int_equal(rows * width, n);
  return x;
}

static void set_state(const cr_model* m, cr_data* d, const char* remembered) {
  static const double q[NV] = {0.2, -0.3}, v[NV] = {1.1, -0.7};
  memcpy(view(m, d, "qpos", NV), q, sizeof q);
  memcpy(view(m, d, "qvel", NV), v, sizeof v);
  view(m, d, remembered, 1)[0] = 0.4;
  view(m, d, "ctrl", 1)[0] = -0.3;
}

static double worst;  // largest difference of two results, over the largest number of the second

static void compare(const double* a, const double* b, int n, double bound, const char* what) {
  double most = 0, off = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(b[i]));
    off = fmax(off, fabs(a[i] - b[i]));
  }
  worst = fmax(worst, most > 0 ? off / most : off);
  if (!(off <= bound * most) || most == 0) {
    fail_msg("%s: off by %g of %g", what, off, most);
  }
}

// ---- rollouts

typedef struct {
  const char* integrator;
  bool adaptive, adjoint, limited;
  double bound;
} way;

typedef struct {
  double loss, q[NV], z, qpos[NV], qvel[NV], z_bar, ctrl[STEPS];
} result;

static void prepare(cr_rollout* r, const cr_model* m, const way* w) {
  const cr_adaptive adaptive = {.size = sizeof adaptive, .rtol = 1e-7, .atol = 1e-7};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = 1e-9, .atol = 1e-9};
  if (w->adaptive) {
    must(cr_rollout_set_adaptive(r, m, &adaptive, &error));
  }
  if (w->adjoint) {
    must(cr_rollout_set_adjoint(r, m, &adjoint, &error));
  }
  if (w->limited) {
    must(cr_rollout_set_memory(r, m, 2048, &error));
  }
  for (int i = 0; i < STEPS; i++) {
    cr_rollout_ctrl(r)[i] = 0.3 * sin(0.2 * i);
  }
}

static void roll(const cr_model* m, const char* remembered, const way* w, result* out) {
  cr_rollout* r;
  cr_expression* e;
  must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, STEPS, NULL, 0, &error));
  prepare(r, m, w);
  set_state(m, cr_rollout_data(r), remembered);
  must(cr_rollout_run(r, m, STEPS, &loss, &error));
  out->loss = cr_rollout_loss(r);
  memcpy(out->q, view(m, cr_rollout_data(r), "qpos", NV), sizeof out->q);
  out->z = view(m, cr_rollout_data(r), remembered, 1)[0];
  must(cr_rollout_gradient(r, m, m, &loss, &error));
  cr_data* bar = cr_rollout_bar(r);
  memcpy(out->qpos, view(m, bar, "qpos", NV), sizeof out->qpos);
  memcpy(out->qvel, view(m, bar, "qvel", NV), sizeof out->qvel);
  out->z_bar = view(m, bar, remembered, 1)[0];
  memcpy(out->ctrl, cr_rollout_ctrl_bar(r), sizeof out->ctrl);
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
}

static const way ways[] = {
    {.integrator = "euler", .bound = 1e-11},
    {.integrator = "euler", .limited = true, .bound = 1e-11},
    {.integrator = "implicit", .bound = 1e-11},
    {.integrator = "implicitfast", .bound = 1e-11},
    {.integrator = "rk4", .bound = 1e-11},
    {.integrator = "tsit5", .bound = 1e-11},
    {.integrator = "tsit5", .adaptive = true, .bound = 1e-9},
    {.integrator = "dopri5", .adaptive = true, .bound = 1e-9},
    {.integrator = "dopri5", .adaptive = true, .adjoint = true, .bound = 1e-9},
};

TEST(rollouts_agree) {
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const way* w = &ways[i];
    cr_model* m[2];
    result x[2];
    char what[64];
    worst = 0;
    (void)snprintf(what, sizeof what, "way %d, %s", (int)i, w->integrator);
    open_both(m, w->integrator, w->adaptive ? HIGH : LOW);
    roll(m[0], memory[0], w, &x[0]);
    roll(m[1], memory[1], w, &x[1]);
    compare(&x[0].loss, &x[1].loss, 1, w->bound, what);
    compare(x[0].q, x[1].q, NV, w->bound, what);
    compare(&x[0].z, &x[1].z, 1, w->bound, what);
    compare(x[0].qpos, x[1].qpos, NV, w->bound, what);
    compare(x[0].qvel, x[1].qvel, NV, w->bound, what);
    compare(&x[0].z_bar, &x[1].z_bar, 1, w->bound, what);
    compare(x[0].ctrl, x[1].ctrl, STEPS, w->bound, what);
    print_message("%s: %.1e\n", what, worst);
    close_both(m);
  }
  (void)state;
}

// fewer stored states change no bit
TEST(checkpoints_change_no_bit) {
  cr_model* m[2];
  result x[2];
  way w = {.integrator = "euler"};
  open_both(m, w.integrator, LOW);
  roll(m[0], memory[0], &w, &x[0]);
  w.limited = true;
  roll(m[0], memory[0], &w, &x[1]);
  assert_memory_equal(&x[0], &x[1], sizeof x[0]);
  close_both(m);
  (void)state;
}

// ---- one step

TEST(jacobians_agree) {
  static const char* const integrators[] = {"euler", "implicit", "implicitfast", "rk4", "tsit5"};
  for (int i = 0; i < 5; i++) {
    cr_model* m[2];
    double A[2][NX * NX], B[2][NX];
    open_both(m, integrators[i], LOW);
    for (int k = 0; k < 2; k++) {
      cr_data* d;
      cr_jacobian* J;
      must(cr_data_create(&d, m[k], &error));
      must(cr_jacobian_create(&J, m[k], d, &error));
      set_state(m[k], d, memory[k]);
      assert_int_equal(cr_step(m[k], d), CR_OK);
      assert_int_equal(cr_step_jacobian(m[k], d, J, A[k], B[k], NULL), CR_OK);
      cr_jacobian_destroy(J);
      cr_data_destroy(d);
    }
    compare(A[0], A[1], NX * NX, 1e-11, integrators[i]);
    compare(B[0], B[1], NX, 1e-11, integrators[i]);
    // the last row is that of the filter, which knows its own state and control alone
    assert_true(A[0][NX * NX - 1] < 1 && A[0][NX * NX - 1] > 0.8 && A[0][NX * NX - 2] == 0);
    close_both(m);
  }
  (void)state;
}

// ---- kept, recorded, set

TEST(recordings_have_it) {
  cr_model* m[2];
  open_both(m, "euler", LOW);
  double* z[2];
  for (int k = 0; k < 2; k++) {
    cr_rollout* r;
    cr_h5* file;
    int rows, width;
    const way w = ways[0];
    must(cr_rollout_create(&r, m[k], STEPS, NULL, 0, &error));
    prepare(r, m[k], &w);
    set_state(m[k], cr_rollout_data(r), memory[k]);
    must(cr_rollout_run(r, m[k], STEPS, NULL, &error));
    const char* path = scratch_path("run.h5");
    must(cr_rollout_save(r, m[k], path, NULL, 0, &error));
    must(cri_h5_open(&file, path, &error));
    must(cri_h5_read(file, memory[k], &z[k], &rows, &width, &error));
    assert_true(rows == STEPS + 1 && width == 1);
    assert_true(cri_h5_has(file, memory[1 - k]) == false);
    cri_h5_close(file);
    cr_rollout_destroy(r);
  }
  compare(z[0], z[1], STEPS + 1, 1e-11, "recorded");
  free(z[0]);
  free(z[1]);
  close_both(m);
  (void)state;
}

TEST(it_is_part_of_the_state) {
  cr_model* m[2];
  cr_data* d;
  double x = 0;
  open_both(m, "euler", LOW);
  must(cr_data_create(&d, m[0], &error));
  set_state(m[0], d, memory[0]);
  assert_int_equal(cr_model_count(m[0], "npluginstate"), 1);
  assert_int_equal(cr_state_size(m[0], CR_STATE_PLUGIN), 1);
  assert_int_equal(cr_state_size(m[0], CR_STATE_FULLPHYSICS), 2 * NV + 2);
  must(cr_state_get(m[0], d, &x, CR_STATE_PLUGIN));
  assert_true(x == 0.4);
  x = 0.5;
  must(cr_state_set(m[0], d, &x, CR_STATE_PLUGIN));
  must(cr_data_get(m[0], d, "plugin_state[0]", &x, 1, &error));
  assert_true(x == 0.5);
  must(cr_data_reset(m[0], d));
  assert_true(view(m[0], d, memory[0], 1)[0] == 0);
  // data of before do not fit
  must(cr_model_add_state(m[0], 2, NULL, &error));
  assert_int_equal(cr_step(m[0], d), CR_ERR_ARG);
  assert_non_null(strstr(cr_data_error(d), "npluginstate"));
  cr_data_destroy(d);
  close_both(m);
  (void)state;
}

TEST(counts_are_checked) {
  cr_model* m = open_model(LOW, 0, "");
  assert_int_equal(cr_model_add_state(NULL, 1, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_add_state(m, 0, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_add_state(m, CR_MAX_STAGE_STATES + 1, NULL, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "1 to 1048576"));
  assert_int_equal(cr_model_count(m, "npluginstate"), 0);
  must(cr_model_add_state(m, 3, NULL, &error));
  int first = 0;
  must(cr_model_add_state(m, 2, &first, &error));
  assert_int_equal(first, 3);
  cr_model_destroy(m);
  (void)state;
}
