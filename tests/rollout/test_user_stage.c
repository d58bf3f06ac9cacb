// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Stages that a user adds, with the public headers alone: a spring and a scale of friction written as
// stages, beside the same model that has both itself. Steps, rollouts, their gradients, Jacobians, inverse
// dynamics and batches of the two have to agree by every way there is.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

// a tilted box that slides and turns on a floor, with an arm
static const char text[] =
    "<mujoco><option cone='elliptic' timestep='.004'/><default><geom condim='3' "
    "solref='.03 1'/><joint damping='.3' stiffness='%g'/></default><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1' friction='%g .005 .0001'/>"
    "<body pos='0 0 %g'><joint name='x' type='slide' axis='1 0 0'/>"
    "<joint name='z' type='slide' axis='0 0 1'/><joint name='turn' axis='0 1 0'/>"
    "<geom name='box' type='box' size='.15 .1 .1' euler='0 20 0' friction='%g .005 .0001'/>"
    "<body pos='0 0 .12'><joint name='arm' axis='0 1 0'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .1 0 .2' contype='0' conaffinity='0'/></body>"
    "</body></worldbody><actuator><motor joint='arm'/><motor joint='x' "
    "gear='5'/></actuator></mujoco>";

enum { NV = 4, NU = 2, STEPS = 40 };
static const double STIFFNESS = 7, FRICTION = 0.4, SCALE = 1.5;

static cr_error error;

static void must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static cr_model* open_model(double stiffness, double friction, double height) {
  char xml[2048];
  cr_model* m = NULL;
  (void)snprintf(xml, sizeof xml, text, stiffness, friction, height, friction);
  must(cr_model_open(&m, scratch_write("model.xml", xml), &error));
  return m;
}

// ---- the stages

static cr_status spring(void* user, const cr_stage_call* c) {
  const double k = *(const double*)user;
  for (int i = 0; i < c->change[0].count; i++) {
    c->change[0].result[i] -= k * c->read[0].value[i];
  }
  return CR_OK;
}
static cr_status spring_jvp(void* user, const cr_stage_call* c) {
  const double k = *(const double*)user;
  for (int i = 0; i < c->change[0].tangent; i++) {
    c->change[0].twin[i] -= k * c->read[0].twin[i];
  }
  return CR_OK;
}
static cr_status spring_vjp(void* user, const cr_stage_call* c) {
  const double k = *(const double*)user;
  for (int i = 0; i < c->change[0].tangent; i++) {
    c->read[0].twin[i] -= k * c->change[0].twin[i];
  }
  return CR_OK;
}

static cr_status scale(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].rows; i++) {
    for (int k = 0; k < 2; k++) {
      c->change[0].result[5 * i + k] = *(const double*)user * c->change[0].value[5 * i + k];
    }
  }
  return CR_OK;
}
static cr_status scale_twin(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].rows; i++) {
    for (int k = 0; k < 2; k++) {
      c->change[0].twin[5 * i + k] *= *(const double*)user;
    }
  }
  return CR_OK;
}

static void add_stages(cr_model* m) {
  static const char *const qpos[] = {"qpos"}, *const force[] = {"qfrc_passive"},
                           *const friction[] = {"contact_friction"};
  const cr_stage_options a = {.size = sizeof a,
                              .name = "spring",
                              .after = "passive",
                              .reads = qpos,
                              .nread = 1,
                              .changes = force,
                              .nchange = 1,
                              .forward = spring,
                              .jvp = spring_jvp,
                              .vjp = spring_vjp,
                              .user = (void*)(uintptr_t)&STIFFNESS};
  const cr_stage_options b = {.size = sizeof b,
                              .name = "grip",
                              .after = "mixing",
                              .changes = friction,
                              .nchange = 1,
                              .forward = scale,
                              .jvp = scale_twin,
                              .vjp = scale_twin,
                              .user = (void*)(uintptr_t)&SCALE};
  must(cr_model_add_stage(m, &a, &error));
  must(cr_model_add_stage(m, &b, &error));
}

// the model that has stages, and the one that has it all itself
static void open_both(cr_model* m[2], const char* integrator, double height) {
  m[0] = open_model(0, FRICTION, height);
  m[1] = open_model(STIFFNESS, SCALE * FRICTION, height);
  add_stages(m[0]);
  for (int i = 0; i < 2; i++) {
    must(cr_model_set_choice(m[i], "integrator", integrator, &error));
  }
}

static void close_both(cr_model* m[2]) {
  cr_model_destroy(m[0]);
  cr_model_destroy(m[1]);
}

static void set_state(const cr_model* m, cr_data* d) {
  static const double q[NV] = {0.02, -0.03, 0.05, -0.4}, v[NV] = {1.1, -0.3, 0.7, -2};
  memcpy(cr_data_view(m, d, "qpos", NULL, NULL), q, sizeof q);
  memcpy(cr_data_view(m, d, "qvel", NULL, NULL), v, sizeof v);
}

static double worst;  // largest difference of two results, over the largest number of the second

static void compare(const double* a, const double* b, int n, double factor, double bound,
                    const char* what) {
  double most = 0, off = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(b[i] * factor));
    off = fmax(off, fabs(a[i] - b[i] * factor));
  }
  worst = fmax(worst, most > 0 ? off / most : off);
  if (!(off <= bound * most) || most == 0) {
    fail_msg("%s: off by %g of %g", what, off, most);
  }
}

// ---- rollouts

// Steps of an adaptive run that meet a contact without ending there depend on the last digit: those are in
// flight, from a height of 1.
typedef struct {
  const char* integrator;
  double height;
  bool adaptive, events, adjoint, cfd, limited;
  double bound;
} way;

typedef struct {
  double loss, q[NV], qpos[NV], qvel[NV], ctrl[STEPS * NU], damping[NV], friction[6];
} result;

static void copy_view(double* to, const cr_model* m, cr_data* d, const char* name, int n) {
  int rows, width;
  const double* x = cr_data_view(m, d, name, &rows, &width);
  assert_int_equal(rows * width, n);
  memcpy(to, x, (size_t)n * sizeof *to);
}

static void prepare(cr_rollout* r, const cr_model* m, const way* w) {
  const cr_adaptive adaptive = {
      .size = sizeof adaptive, .rtol = 1e-7, .atol = 1e-7, .events = w->events};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = 1e-9, .atol = 1e-9};
  if (w->adaptive) {
    must(cr_rollout_set_adaptive(r, m, &adaptive, &error));
  }
  if (w->adjoint) {
    must(cr_rollout_set_adjoint(r, m, &adjoint, &error));
  }
  if (w->limited) {
    must(cr_rollout_set_memory(r, m, 8192, &error));
  }
  set_state(m, cr_rollout_data(r));
  for (int i = 0; i < STEPS * NU; i++) {
    cr_rollout_ctrl(r)[i] = 0.3 * sin(0.2 * i);
  }
}

static const struct {
  const char* name;
  double value;
} far[] = {{"cfd_dc", 0.01}, {"cfd_d0", 0.5}, {"cfd_wc", 0.05},
           {"cfd_mc", 0.5},  {"cfd_pc", 2},   {"cfd_scale", 0.01}};

static void roll(const cr_model* m, const way* w, result* out) {
  static const char* const parameters[] = {"dof_damping", "geom_friction"};
  cr_rollout* r;
  cr_model* backward;
  cr_expression* e;
  must(cr_model_copy(&backward, m, &error));
  for (int i = 0; i < 6; i++) {
    must(cr_model_set_option(backward, far[i].name, far[i].value, &error));
  }
  if (w->cfd) {
    must(cr_model_set_choice(backward, "cfd", "on", &error));
  }
  must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, STEPS, parameters, 2, &error));
  prepare(r, m, w);
  must(cr_rollout_run(r, m, STEPS, &loss, &error));
  must(cr_rollout_gradient(r, m, w->cfd ? backward : m, &loss, &error));
  cr_data* bar = cr_rollout_bar(r);
  out->loss = cr_rollout_loss(r);
  copy_view(out->q, m, cr_rollout_data(r), "qpos", NV);
  copy_view(out->qpos, m, bar, "qpos", NV);
  copy_view(out->qvel, m, bar, "qvel", NV);
  copy_view(out->damping, m, bar, "dof_damping", NV);
  double friction[9];
  copy_view(friction, m, bar, "geom_friction", 9);
  memcpy(out->friction, friction, sizeof out->friction);
  memcpy(out->ctrl, cr_rollout_ctrl_bar(r), sizeof out->ctrl);
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  cr_model_destroy(backward);
}

static const way ways[] = {
    {.integrator = "euler", .bound = 1e-11},
    {.integrator = "euler", .limited = true, .bound = 1e-11},
    {.integrator = "euler", .cfd = true, .height = 0.16, .bound = 1e-11},
    {.integrator = "implicit", .bound = 1e-11},
    {.integrator = "implicitfast", .bound = 1e-11},
    {.integrator = "implicitfast", .cfd = true, .limited = true, .bound = 1e-11},
    {.integrator = "rk4", .bound = 1e-11},
    {.integrator = "tsit5", .bound = 1e-11},
    {.integrator = "tsit5", .adaptive = true, .height = 1, .bound = 1e-9},
    {.integrator = "tsit5", .adaptive = true, .events = true, .height = 0.2, .bound = 1e-5},
    {.integrator = "dopri5", .adaptive = true, .adjoint = true, .height = 1, .bound = 1e-9},
};

TEST(rollouts_agree) {
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const way* w = &ways[i];
    cr_model* m[2];
    result x[2];
    char what[64];
    worst = 0;
    (void)snprintf(what, sizeof what, "way %d, %s", (int)i, w->integrator);
    open_both(m, w->integrator, w->height > 0 ? w->height : 0.14);
    roll(m[0], w, &x[0]);
    roll(m[1], w, &x[1]);
    compare(&x[0].loss, &x[1].loss, 1, 1, w->bound, what);
    compare(x[0].q, x[1].q, NV, 1, w->bound, what);
    compare(x[0].qpos, x[1].qpos, NV, 1, w->bound, what);
    compare(x[0].qvel, x[1].qvel, NV, 1, w->bound, what);
    compare(x[0].ctrl, x[1].ctrl, STEPS * NU, 1, w->bound, what);
    compare(x[0].damping, x[1].damping, NV, 1, w->bound, what);
    if (w->height < 1) {
      compare(x[0].friction, x[1].friction, 6, SCALE, w->bound, what);
    }
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
  open_both(m, w.integrator, 0.14);
  roll(m[0], &w, &x[0]);
  w.limited = true;
  roll(m[0], &w, &x[1]);
  assert_memory_equal(&x[0], &x[1], sizeof x[0]);
  close_both(m);
  (void)state;
}

// ---- one step

TEST(jacobians_agree) {
  static const char* const integrators[] = {"euler", "implicit", "implicitfast", "rk4", "tsit5"};
  static const char* const parameters[] = {"dof_damping", "body_mass"};
  for (int i = 0; i < 5; i++) {
    cr_model* m[2];
    double A[2][4 * NV * NV], B[2][2 * NV * NU], F[2][2 * NV * NV], P[2][2 * NV * (NV + 3)];
    open_both(m, integrators[i], 0.14);
    for (int k = 0; k < 2; k++) {
      cr_data* d;
      cr_jacobian* J;
      cr_parameter_jacobian* by;
      must(cr_data_create(&d, m[k], &error));
      must(cr_jacobian_create(&J, m[k], d, &error));
      must(cr_parameter_jacobian_create(&by, m[k], d, parameters, 2, false, &error));
      set_state(m[k], d);
      assert_int_equal(cr_step(m[k], d), CR_OK);
      assert_int_equal(cr_step_jacobian(m[k], d, J, A[k], B[k], F[k]), CR_OK);
      assert_int_equal(cr_step_parameter_jacobian(m[k], d, by, P[k]), CR_OK);
      const char* why = cr_jacobian_fallback(J);
      assert_true(k == 1 || (why != NULL && strstr(why, "a stage that was added") != NULL));
      cr_parameter_jacobian_destroy(by);
      cr_jacobian_destroy(J);
      cr_data_destroy(d);
    }
    compare(A[0], A[1], 4 * NV * NV, 1, 1e-11, integrators[i]);
    compare(B[0], B[1], 2 * NV * NU, 1, 1e-11, integrators[i]);
    compare(F[0], F[1], 2 * NV * NV, 1, 1e-11, integrators[i]);
    compare(P[0], P[1], 2 * NV * (NV + 3), 1, 1e-11, integrators[i]);
    close_both(m);
  }
  (void)state;
}

TEST(inverse_dynamics_agree) {
  cr_model* m[2];
  double force[2][NV], by_q[2][NV], by_v[2][NV], by_a[2][NV];
  open_both(m, "euler", 0.14);
  for (int k = 0; k < 2; k++) {
    cr_data *d, *bar;
    must(cr_data_create(&d, m[k], &error));
    must(cr_data_create_cotangent(&bar, m[k], d, &error));
    set_state(m[k], d);
    for (int i = 0; i < NV; i++) {
      cr_data_view(m[k], d, "qacc", NULL, NULL)[i] = 1 + i;
      cr_data_view(m[k], bar, "qfrc_inverse", NULL, NULL)[i] = 2 - i;
    }
    assert_int_equal(cr_inverse(m[k], d), CR_OK);
    assert_int_equal(cr_inverse_vjp(m[k], d, bar), CR_OK);
    copy_view(force[k], m[k], d, "qfrc_inverse", NV);
    copy_view(by_q[k], m[k], bar, "qpos", NV);
    copy_view(by_v[k], m[k], bar, "qvel", NV);
    copy_view(by_a[k], m[k], bar, "qacc", NV);
    cr_data_destroy(bar);
    cr_data_destroy(d);
  }
  compare(force[0], force[1], NV, 1, 1e-12, "inverse");
  compare(by_q[0], by_q[1], NV, 1, 1e-12, "inverse by qpos");
  compare(by_v[0], by_v[1], NV, 1, 1e-12, "inverse by qvel");
  compare(by_a[0], by_a[1], NV, 1, 1e-12, "inverse by qacc");
  close_both(m);
  (void)state;
}

// what sums up forces otherwise says so
TEST(inverse_dynamics_refuse_what_they_do_not_use) {
  static const char *const qpos[] = {"qpos"}, *const force[] = {"qfrc_smooth"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "late",
                              .after = "smooth",
                              .reads = qpos,
                              .nread = 1,
                              .changes = force,
                              .nchange = 1,
                              .forward = spring,
                              .user = (void*)(uintptr_t)&STIFFNESS};
  cr_model* m = open_model(0, FRICTION, 0.14);
  cr_data* d;
  must(cr_model_add_stage(m, &o, &error));
  must(cr_data_create(&d, m, &error));
  assert_int_equal(cr_step(m, d), CR_OK);
  assert_int_equal(cr_inverse(m, d), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(cr_data_error(d), "stage 'late' changes qfrc_smooth"));
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}

// when contacts come is not known where a stage moves them
TEST(events_refuse_what_moves) {
  static const char* const dist[] = {"contact_dist"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "lift",
                              .after = "collision",
                              .changes = dist,
                              .nchange = 1,
                              .forward = spring};
  const cr_adaptive plain = {.size = sizeof plain, .rtol = 1e-6, .atol = 1e-6},
                    events = {.size = sizeof events, .rtol = 1e-6, .atol = 1e-6, .events = true};
  cr_model* m = open_model(0, FRICTION, 0.14);
  cr_rollout* r;
  must(cr_model_set_choice(m, "integrator", "tsit5", &error));
  must(cr_model_add_stage(m, &o, &error));
  must(cr_rollout_create(&r, m, 3, NULL, 0, &error));
  must(cr_rollout_set_adaptive(r, m, &plain, &error));
  assert_int_equal(cr_rollout_set_adaptive(r, m, &events, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "events: stage 'lift'"));
  cr_rollout_destroy(r);
  cr_model_destroy(m);
  (void)state;
}

// a file would be another model
TEST(a_file_holds_no_code) {
  cr_model* m = open_model(0, FRICTION, 0.14);
  must(cr_model_save(m, scratch_path("plain.crm"), &error));
  add_stages(m);
  assert_int_equal(cr_model_save(m, scratch_path("stages.crm"), &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "stages that were added"));
  assert_true(scratch_has("plain.crm") && !scratch_has("stages.crm"));
  cr_model_destroy(m);
  (void)state;
}

// ---- batches

enum { ITEMS = 6 };

static cr_loss loss_of(void* context, int item, int worker) {
  (void)item;
  return ((cr_loss*)context)[worker];
}

static void run_batch(const cr_model* m, int threads, double* ctrl_bar) {
  static const char* const parameters[] = {"dof_damping"};
  double qvel[ITEMS * NV], damping[ITEMS * NV];
  const double* values[] = {damping};
  cr_loss losses[4];
  cr_expression* e[4];
  cr_batch* batch;
  const cr_batch_options options = {.size = sizeof options,
                                    .nstep = STEPS,
                                    .nthread = threads,
                                    .parameters = parameters,
                                    .nparameter = 1};
  for (int i = 0; i < ITEMS * NV; i++) {
    qvel[i] = sin(i);
    damping[i] = 0.1 + 0.02 * i;
  }
  const cr_batch_input in = {.size = sizeof in, .qvel = qvel, .parameters = values};
  const cr_batch_output out = {.size = sizeof out, .ctrl_bar = ctrl_bar};
  for (int i = 0; i < 4; i++) {
    must(cr_expression_create(&e[i], m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
    losses[i] = cr_expression_loss(e[i], false);
  }
  must(cr_batch_create(&batch, m, m, &options, &error));
  must(cr_batch_run(batch, ITEMS, &in, loss_of, losses, &out, &error));
  cr_batch_destroy(batch);
  for (int i = 0; i < 4; i++) {
    cr_expression_destroy(e[i]);
  }
}

TEST(batches_agree) {
  cr_model* m[2];
  static double bar[3][ITEMS * STEPS * NU];
  open_both(m, "implicitfast", 0.14);
  run_batch(m[0], 1, bar[0]);
  run_batch(m[0], 3, bar[1]);
  run_batch(m[1], 2, bar[2]);
  assert_memory_equal(bar[0], bar[1], sizeof bar[0]);
  compare(bar[0], bar[2], ITEMS * STEPS * NU, 1, 1e-10, "batch");
  close_both(m);
  (void)state;
}

// ---- owners

// the text of the options may go, and copies keep the stages of a model that is closed
TEST(copies_keep_the_stages) {
  cr_model *m[2], *copy;
  result x[2];
  const way w = {.integrator = "euler"};
  open_both(m, w.integrator, 0.14);
  roll(m[0], &w, &x[0]);
  must(cr_model_copy(&copy, m[0], &error));
  close_both(m);
  roll(copy, &w, &x[1]);
  assert_memory_equal(&x[0], &x[1], sizeof x[0]);
  cr_model_destroy(copy);
  (void)state;
}
