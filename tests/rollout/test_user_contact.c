// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A contact model that a user adds, with the public headers alone: frictionless contacts that push as MuJoCo's do,
// beside the same model that has them itself. Steps, rollouts, their gradients, Jacobians, inverse dynamics,
// recordings and batches of the two have to agree by every way there is.
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

// a tilted box that falls on a floor, with an arm and a limit
static const char text[] =
    "<mujoco><option cone='elliptic' timestep='.004'/><default><geom condim='1' solref='.03 1'/>"
    "<joint damping='.3'/></default><worldbody><geom name='floor' type='plane' size='2 2 .1'/>"
    "<body pos='0 0 .14'><joint name='x' type='slide' axis='1 0 0'/>"
    "<joint name='z' type='slide' axis='0 0 1'/><joint name='turn' axis='0 1 0'/>"
    "<geom name='box' type='box' size='.15 .1 .1' euler='0 20 0'/>"
    "<body pos='0 0 .12'><joint name='arm' axis='0 1 0' range='-20 20' limited='true'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .1 0 .2' contype='0' conaffinity='0'/></body>"
    "</body></worldbody><actuator><motor joint='arm'/><motor joint='x' "
    "gear='5'/></actuator></mujoco>";

enum { NV = 4, NU = 2, STEPS = 40 };

static cr_error error;

static void must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

// ---- the contact model: f = max(0, -D e)

static void push(void* user, cr_contact_call* c) {
  c->zone = c->at->e[0] < 0;
  c->force[0] = c->zone == 1 ? -c->at->D[0] * c->at->e[0] : 0;
  *(int*)user += c->dim != 1;
}
static void push_jvp(void* user, cr_contact_call* c) {
  if (c->at->e[0] < 0) {
    c->force[0] = -c->at->D[0] * c->twin->e[0] - c->twin->D[0] * c->at->e[0];
  }
  (void)user;
}
static void push_vjp(void* user, cr_contact_call* c) {
  if (c->at->e[0] < 0) {
    c->twin->e[0] = -c->at->D[0] * c->force[0];
    c->twin->D[0] = -c->at->e[0] * c->force[0];
  }
  (void)user;
}
static void push_bends(void* user, cr_contact_call* c) {
  c->bend[0] = c->at->e[0];
  (void)user;
}

static int strange;  // calls that should not be

// the model that has its contact model added, and the one that has it itself
static void open_both(cr_model* m[2], const char* integrator) {
  const cr_contact_options o = {.size = sizeof o,
                                .name = "push",
                                .force = push,
                                .jvp = push_jvp,
                                .vjp = push_vjp,
                                .bends = push_bends,
                                .user = &strange};
  for (int i = 0; i < 2; i++) {
    m[i] = NULL;
    must(cr_model_open(&m[i], scratch_write("model.xml", text), &error));
    must(cr_model_set_choice(m[i], "integrator", integrator, &error));
  }
  must(cr_model_add_contact_model(m[0], &o, &error));
  must(cr_model_set_choice(m[0], "contact_model", "push", &error));
}

static void close_both(cr_model* m[2]) {
  cr_model_destroy(m[0]);
  cr_model_destroy(m[1]);
  assert_int_equal(strange, 0);
}

static void set_state(const cr_model* m, cr_data* d) {
  static const double q[NV] = {0.02, -0.01, 0.05, -0.36}, v[NV] = {1.1, -0.3, 0.7, -2};
  memcpy(cr_data_view(m, d, "qpos", NULL, NULL), q, sizeof q);
  memcpy(cr_data_view(m, d, "qvel", NULL, NULL), v, sizeof v);
}

static void compare(const double* a, const double* b, int n, double bound, const char* what) {
  double most = 0, off = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(b[i]));
    off = fmax(off, fabs(a[i] - b[i]));
  }
  if (!(off <= bound * most) || most == 0) {
    fail_msg("%s: off by %g of %g", what, off, most);
  }
}

// ---- rollouts

typedef struct {
  const char* integrator;
  bool adaptive, events, cfd, limited;
  double bound;
} way;

typedef struct {
  double loss, q[NV], qpos[NV], qvel[NV], ctrl[STEPS * NU], solref[6];
} result;

static void copy_view(double* to, const cr_model* m, cr_data* d, const char* name, int n) {
  int rows, width;
  const double* x = cr_data_view(m, d, name, &rows, &width);
  assert_int_equal(rows * width, n);
  memcpy(to, x, (size_t)n * sizeof *to);
}

static const struct {
  const char* name;
  double value;
} far[] = {{"cfd_dc", 0.01}, {"cfd_d0", 0.5}, {"cfd_wc", 0.05},
           {"cfd_mc", 0.5},  {"cfd_pc", 2},   {"cfd_scale", 0.01}};

static void roll(const cr_model* m, const way* w, result* out) {
  static const char* const parameters[] = {"geom_solref"};
  const cr_adaptive adaptive = {
      .size = sizeof adaptive, .rtol = 1e-8, .atol = 1e-8, .events = w->events};
  cr_rollout* r;
  cr_model* backward;
  cr_expression* e;
  must(cr_model_copy(&backward, m, &error));
  for (int i = 0; i < 6; i++) {
    must(cr_model_set_option(backward, far[i].name, far[i].value, &error));
  }
  must(cr_model_set_choice(backward, "cfd", w->cfd ? "on" : "off", &error));
  must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, STEPS, parameters, 1, &error));
  if (w->adaptive) {
    must(cr_rollout_set_adaptive(r, m, &adaptive, &error));
  }
  if (w->limited) {
    must(cr_rollout_set_memory(r, m, 8192, &error));
  }
  set_state(m, cr_rollout_data(r));
  for (int i = 0; i < STEPS * NU; i++) {
    cr_rollout_ctrl(r)[i] = 0.3 * sin(0.2 * i);
  }
  must(cr_rollout_run(r, m, STEPS, &loss, &error));
  must(cr_rollout_gradient(r, m, backward, &loss, &error));
  cr_data* bar = cr_rollout_bar(r);
  out->loss = cr_rollout_loss(r);
  copy_view(out->q, m, cr_rollout_data(r), "qpos", NV);
  copy_view(out->qpos, m, bar, "qpos", NV);
  copy_view(out->qvel, m, bar, "qvel", NV);
  copy_view(out->solref, m, bar, "geom_solref", 6);
  memcpy(out->ctrl, cr_rollout_ctrl_bar(r), sizeof out->ctrl);
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  cr_model_destroy(backward);
}

static const way ways[] = {
    {.integrator = "euler", .bound = 1e-10},
    {.integrator = "euler", .cfd = true, .bound = 1e-10},
    {.integrator = "implicit", .bound = 1e-10},
    {.integrator = "implicitfast", .cfd = true, .limited = true, .bound = 1e-10},
    {.integrator = "discrete", .bound = 1e-10},
    {.integrator = "rk4", .bound = 1e-10},
    {.integrator = "tsit5", .adaptive = true, .events = true, .bound = 1e-5},
};

TEST(rollouts_agree) {
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const way* w = &ways[i];
    cr_model* m[2];
    result x[2];
    char what[64];
    (void)snprintf(what, sizeof what, "way %d, %s", (int)i, w->integrator);
    open_both(m, w->integrator);
    roll(m[0], w, &x[0]);
    roll(m[1], w, &x[1]);
    compare(&x[0].loss, &x[1].loss, 1, w->bound, what);
    compare(x[0].q, x[1].q, NV, w->bound, what);
    compare(x[0].qpos, x[1].qpos, NV, w->bound, what);
    compare(x[0].qvel, x[1].qvel, NV, w->bound, what);
    compare(x[0].ctrl, x[1].ctrl, STEPS * NU, w->bound, what);
    compare(x[0].solref, x[1].solref, 6, w->bound, what);
    close_both(m);
  }
  (void)state;
}

// fewer stored states change no bit, nor does a copy of a model that is closed
TEST(checkpoints_and_copies_change_no_bit) {
  cr_model *m[2], *copy;
  result x[3];
  way w = {.integrator = "euler"};
  open_both(m, w.integrator);
  roll(m[0], &w, &x[0]);
  w.limited = true;
  roll(m[0], &w, &x[1]);
  must(cr_model_copy(&copy, m[0], &error));
  close_both(m);
  roll(copy, &w, &x[2]);
  assert_memory_equal(&x[0], &x[1], sizeof x[0]);
  assert_memory_equal(&x[0], &x[2], sizeof x[0]);
  cr_model_destroy(copy);
  (void)state;
}

TEST(recordings_have_its_forces) {
  cr_model* m[2];
  double force[2], dist[2];
  for (int i = 0; i < 2; i++) {
    cr_rollout* r;
    static const char* const names[] = {"contact[floor:box].dist", "efc_force"};
    open_both(m, "euler");
    must(cr_rollout_create(&r, m[i], STEPS, NULL, 0, &error));
    set_state(m[i], cr_rollout_data(r));
    must(cr_rollout_run(r, m[i], STEPS, NULL, &error));
    must(cr_rollout_save(r, m[i], scratch_path("run.h5"), names, 1, &error));
    must(cr_rollout_forward(r, m[i], STEPS, &error));
    force[i] = cr_data_view(m[i], cr_rollout_data(r), "efc_force", NULL, NULL)[0];
    dist[i] = cr_data_view(m[i], cr_rollout_data(r), "contact_dist", NULL, NULL)[0];
    assert_true(scratch_has("run.h5"));
    cr_rollout_destroy(r);
    close_both(m);
  }
  compare(&force[0], &force[1], 1, 1e-10, "force");
  compare(&dist[0], &dist[1], 1, 1e-10, "distance");
  (void)state;
}

// ---- one step

TEST(jacobians_agree) {
  static const char* const integrators[] = {"euler", "implicit", "implicitfast", "discrete", "rk4"};
  for (int i = 0; i < 5; i++) {
    cr_model* m[2];
    double A[2][4 * NV * NV], B[2][2 * NV * NU], F[2][2 * NV * NV];
    bool fast[2];
    open_both(m, integrators[i]);
    for (int k = 0; k < 2; k++) {
      cr_data* d;
      cr_jacobian* J;
      must(cr_data_create(&d, m[k], &error));
      must(cr_jacobian_create(&J, m[k], d, &error));
      set_state(m[k], d);
      assert_int_equal(cr_step(m[k], d), CR_OK);
      assert_int_equal(cr_step_jacobian(m[k], d, J, A[k], B[k], F[k]), CR_OK);
      fast[k] = cr_jacobian_fallback(J) == NULL;
      cr_jacobian_destroy(J);
      cr_data_destroy(d);
    }
    assert_true(fast[0] == fast[1]);
    compare(A[0], A[1], 4 * NV * NV, 1e-10, integrators[i]);
    compare(B[0], B[1], 2 * NV * NU, 1e-10, integrators[i]);
    compare(F[0], F[1], 2 * NV * NV, 1e-10, integrators[i]);
    close_both(m);
  }
  (void)state;
}

TEST(inverse_dynamics_agree) {
  cr_model* m[2];
  double force[2][NV], by_q[2][NV], by_a[2][NV];
  open_both(m, "euler");
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
    copy_view(by_a[k], m[k], bar, "qacc", NV);
    cr_data_destroy(bar);
    cr_data_destroy(d);
  }
  compare(force[0], force[1], NV, 1e-12, "inverse");
  compare(by_q[0], by_q[1], NV, 1e-12, "inverse by qpos");
  compare(by_a[0], by_a[1], NV, 1e-12, "inverse by qacc");
  close_both(m);
  (void)state;
}

// edges of a pyramid are no normal and tangents
TEST(a_pyramid_is_refused) {
  static const char ball[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='2 2 .1'/><body pos='0 0 .09'>"
      "<freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  const cr_contact_options o = {
      .size = sizeof o, .name = "push", .force = push, .jvp = push_jvp, .vjp = push_vjp};
  cr_model* m = NULL;
  cr_data* d;
  must(cr_model_open(&m, scratch_write("ball.xml", ball), &error));
  must(cr_model_add_contact_model(m, &o, &error));
  must(cr_model_set_choice(m, "contact_model", "push", &error));
  must(cr_data_create(&d, m, &error));
  assert_int_equal(cr_step(m, d), CR_ERR_UNSUPPORTED);
  assert_string_equal(cr_data_error(d),
                      "contact model 'push': forces of the contact of geom 'floor' are along "
                      "normal and tangents; set the option cone to elliptic");
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}

// ---- samples: a contact that stands for an area, with a stiffness of its own

// [area, stiffness] from the depth and a parameter, behind the stage that makes points of all contacts
static cr_status patch(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].rows; i++) {
    const double dist = c->read[0].value[i];
    c->change[0].result[i] = 0.01 - 0.4 * dist;
    c->change[1].result[i] = 2e4 * (1 + dist) * c->read[1].value[0];
  }
  (void)user;
  return CR_OK;
}
static cr_status patch_jvp(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].rows; i++) {
    const double dist = c->read[0].value[i], size = c->read[1].value[0];
    c->change[0].twin[i] = -0.4 * c->read[0].twin[i];
    c->change[1].twin[i] = 2e4 * size * c->read[0].twin[i];
    c->change[1].twin[i] += c->read[1].twin != NULL ? 2e4 * (1 + dist) * c->read[1].twin[0] : 0;
  }
  (void)user;
  return CR_OK;
}
static cr_status patch_vjp(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].rows; i++) {
    const double dist = c->read[0].value[i], size = c->read[1].value[0];
    const double area_bar = c->change[0].twin[i], stiffness_bar = c->change[1].twin[i];
    c->read[0].twin[i] += 2e4 * size * stiffness_bar - 0.4 * area_bar;
    if (c->read[1].twin != NULL) {
      c->read[1].twin[0] += 2e4 * (1 + dist) * stiffness_bar;
    }
    c->change[0].twin[i] = c->change[1].twin[i] = 0;
  }
  (void)user;
  return CR_OK;
}

// f = max(0, -(D (1 + area / A) + T^2 stiffness) e - depth (stiffness + B velocity)): the last part does not wait
// for the acceleration
enum { HEAVY = 100, QUICK = 10000 };  // 1 / A, 1 / T^2
static const double B = 30;
static double mass_of(const cr_contact_numbers* x) {
  return x->D[0] * (1 + HEAVY * x->area) + x->stiffness / QUICK;
}
static double press_of(const cr_contact_numbers* x) {
  return -mass_of(x) * x->e[0] - x->gap * (x->stiffness - B * x->velocity[0]);
}
static void press(void* user, cr_contact_call* c) {
  const double f = press_of(c->at);
  c->zone = f > 0;
  c->force[0] = f > 0 ? f : 0;
  (void)user;
}
static void press_jvp(void* user, cr_contact_call* c) {
  const cr_contact_numbers *x = c->at, *t = c->twin;
  if (press_of(x) > 0) {
    const double mass =
        t->D[0] * (1 + HEAVY * x->area) + x->D[0] * HEAVY * t->area + t->stiffness / QUICK;
    c->force[0] = -mass * x->e[0] - mass_of(x) * t->e[0] -
                  t->gap * (x->stiffness - B * x->velocity[0]) -
                  x->gap * (t->stiffness - B * t->velocity[0]);
  }
  (void)user;
}
static void press_vjp(void* user, cr_contact_call* c) {
  const cr_contact_numbers* x = c->at;
  cr_contact_numbers* bar = c->twin;
  if (press_of(x) > 0) {
    const double f_bar = c->force[0], mass_bar = -x->e[0] * f_bar;
    bar->e[0] = -mass_of(x) * f_bar;
    bar->D[0] = (1 + HEAVY * x->area) * mass_bar;
    bar->area = x->D[0] * HEAVY * mass_bar;
    bar->stiffness = mass_bar / QUICK - x->gap * f_bar;
    bar->gap = -(x->stiffness - B * x->velocity[0]) * f_bar;
    bar->velocity[0] = B * x->gap * f_bar;
  }
  (void)user;
}

static cr_model* open_samples(bool motion) {
  static const char *const reads[] = {"contact_dist", "geom_size"}, *const changes[] = {
                                                                        "contact_area",
                                                                        "contact_stiffness"};
  const cr_stage_options stage = {.size = sizeof stage,
                                  .name = "patch",
                                  .after = "mixing",
                                  .reads = reads,
                                  .nread = 2,
                                  .changes = changes,
                                  .nchange = 2,
                                  .forward = patch,
                                  .jvp = patch_jvp,
                                  .vjp = patch_vjp};
  const cr_contact_options o = {.size = sizeof o,
                                .name = "press",
                                .force = press,
                                .jvp = press_jvp,
                                .vjp = press_vjp,
                                .motion = motion,
                                .stages = &stage,
                                .nstage = 1};
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("model.xml", text), &error));
  must(cr_model_add_contact_model(m, &o, &error));
  must(cr_model_set_choice(m, "contact_model", "press", &error));
  return m;
}

// the state after one step, from a start that is moved by h along coordinate i of (qpos, qvel)
static void step_from(const cr_model* m, cr_data* d, int i, double h, double next[2 * NV]) {
  set_state(m, d);
  cr_data_view(m, d, i < NV ? "qpos" : "qvel", NULL, NULL)[i % NV] += h;
  assert_int_equal(cr_step(m, d), CR_OK);
  copy_view(next, m, d, "qpos_next", NV);
  copy_view(next + NV, m, d, "qvel_next", NV);
}

// columns of the Jacobian, tangents and cotangents of a step, against differences
TEST(steps_have_derivatives_by_area_and_stiffness) {
  for (int motion = 0; motion < 2; motion++) {
    cr_model* m = open_samples(motion);
    cr_data *d, *bar;
    cr_jacobian* J;
    double A[4 * NV * NV], by_differences[4 * NV * NV], row[2 * NV], side[2][2 * NV];
    const double h = 1e-6;
    must(cr_data_create(&d, m, &error));
    must(cr_data_create_cotangent(&bar, m, d, &error));
    must(cr_jacobian_create(&J, m, d, &error));
    for (int i = 0; i < 2 * NV; i++) {
      step_from(m, d, i, h, side[0]);
      step_from(m, d, i, -h, side[1]);
      for (int k = 0; k < 2 * NV; k++) {
        by_differences[2 * NV * k + i] = (side[0][k] - side[1][k]) / (2 * h);
      }
    }
    step_from(m, d, 0, 0, side[0]);
    int nefc;
    const double* force = cr_data_view(m, d, "efc_force", &nefc, NULL);
    assert_true(nefc > 0 && force[nefc - 1] > 1);
    assert_true(cr_data_view(m, d, "contact_area", NULL, NULL)[0] > 0.01);
    assert_true(cr_data_view(m, d, "contact_stiffness", NULL, NULL)[0] > 1e3);
    assert_int_equal(cr_step_jacobian(m, d, J, A, NULL, NULL), CR_OK);
    compare(A, by_differences, 4 * NV * NV, 1e-6, "Jacobian");
    // the row of the second velocity by a cotangent
    cr_data_view(m, bar, "qvel_next", NULL, NULL)[1] = 1;
    assert_int_equal(cr_step_vjp(m, m, d, NULL, bar), CR_OK);
    copy_view(row, m, bar, "qpos", NV);
    copy_view(row + NV, m, bar, "qvel", NV);
    compare(row, by_differences + 2 * NV * (NV + 1), 2 * NV, 1e-6, "cotangent");
    cr_jacobian_destroy(J);
    cr_data_destroy(bar);
    cr_data_destroy(d);
    cr_model_destroy(m);
  }
  (void)state;
}

static double loss_of_samples(cr_model* m, double size, double* gradient) {
  static const char* const parameters[] = {"geom_size"};
  cr_rollout* r;
  cr_expression* e;
  must(cr_model_set(m, "geom_size[floor][0]", &size, 1, &error));
  must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, 5, parameters, 1, &error));
  set_state(m, cr_rollout_data(r));
  must(cr_rollout_run(r, m, 5, &loss, &error));
  const double value = cr_rollout_loss(r);
  if (gradient != NULL) {
    must(cr_rollout_gradient(r, m, m, &loss, &error));
    *gradient = cr_data_view(m, cr_rollout_bar(r), "geom_size", NULL, NULL)[0];
  }
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  return value;
}

// a plane has no use for its size but the stiffness that the stage makes of it
TEST(gradients_go_through_the_stiffness) {
  const double h = 1e-5;
  double gradient;
  cr_model* m = open_samples(true);
  double difference = (loss_of_samples(m, 2 + h, NULL) - loss_of_samples(m, 2 - h, NULL)) / (2 * h);
  (void)loss_of_samples(m, 2, &gradient);
  compare(&gradient, &difference, 1, 1e-6, "gradient by the size");
  cr_model_destroy(m);
  (void)state;
}

// its stage runs where the contact model is in use, by the option or by a pair
TEST(a_contact_model_brings_its_stages) {
  cr_model* m = open_samples(false);
  int box = cr_model_id(m, "geom", "box");
  bool fallback[4];
  double area[4];
  for (int k = 0; k < 4; k++) {
    cr_data* d;
    cr_jacobian* J;
    double A[4 * NV * NV];
    must(cr_model_set_choice(m, "contact_model", k == 0 ? "press" : "convex", &error));
    must(cr_model_set_contact_pair(m, box, -1, k % 2 == 0 ? "press" : "convex", &error));
    must(cr_data_create(&d, m, &error));
    must(cr_jacobian_create(&J, m, d, &error));
    set_state(m, d);
    assert_int_equal(cr_step(m, d), CR_OK);
    assert_int_equal(cr_step_jacobian(m, d, J, A, NULL, NULL), CR_OK);
    area[k] = cr_data_view(m, d, "contact_area", NULL, NULL)[0];
    fallback[k] = cr_jacobian_fallback(J) != NULL;
    cr_jacobian_destroy(J);
    cr_data_destroy(d);
  }
  assert_true(area[0] > 0.01 && area[1] == 0 && area[2] > 0.01 && area[3] == 0);
  assert_true(fallback[0] && !fallback[1] && fallback[2] && !fallback[3]);
  cr_model_destroy(m);
  (void)state;
}

// MuJoCo's contacts are points
TEST(the_convex_model_has_points) {
  cr_model* m[2];
  cr_data* d;
  open_both(m, "euler");
  must(cr_data_create(&d, m[1], &error));
  set_state(m[1], d);
  assert_int_equal(cr_step(m[1], d), CR_OK);
  assert_true(cr_data_view(m[1], d, "contact_area", NULL, NULL)[0] == 0);
  assert_true(cr_data_view(m[1], d, "contact_stiffness", NULL, NULL)[0] == 0);
  assert_true(cr_data_view(m[1], d, "contact_weight", NULL, NULL)[0] == 1);
  cr_data_destroy(d);
  close_both(m);
  (void)state;
}

// ---- batches

enum { ITEMS = 6 };

static cr_loss loss_of(void* context, int item, int worker) {
  (void)item;
  return ((cr_loss*)context)[worker];
}

static void run_batch(const cr_model* m, int threads, double* ctrl_bar) {
  double qvel[ITEMS * NV];
  cr_loss losses[4];
  cr_expression* e[4];
  cr_batch* batch;
  const cr_batch_options options = {.size = sizeof options, .nstep = STEPS, .nthread = threads};
  for (int i = 0; i < ITEMS * NV; i++) {
    qvel[i] = sin(i);
  }
  const cr_batch_input in = {.size = sizeof in, .qvel = qvel};
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
  open_both(m, "implicitfast");
  run_batch(m[0], 1, bar[0]);
  run_batch(m[0], 3, bar[1]);
  run_batch(m[1], 2, bar[2]);
  assert_memory_equal(bar[0], bar[1], sizeof bar[0]);
  compare(bar[0], bar[2], ITEMS * STEPS * NU, 1e-10, "batch");
  close_both(m);
  (void)state;
}
