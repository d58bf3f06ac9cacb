// SPDX-License-Identifier: Apache-2.0
// Needs: io
// A contact model that a user adds, with the public headers alone: frictionless contacts that push as MuJoCo's do,
// beside the same model that has them itself. Steps, rollouts, their gradients, Jacobians, inverse dynamics,
// recordings and batches of the two have to agree by every way there is.
#include <carom/carom.h>
#include <stdatomic.h>

#include "checks/io_user_ways.h"
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

enum { NV = USER_NV };
static const double HEIGHT = 0.14;  // of the box, in the text above

// ---- the contact model: f = max(0, -D e)

static void push(void* user, cr_contact_call* c) {
  c->zone = c->at->e[0] < 0;
  c->force[0] = c->zone == 1 ? -c->at->D[0] * c->at->e[0] : 0;
  (void)atomic_fetch_add((atomic_int*)user, c->dim != 1);
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

static atomic_int strange;  // calls that should not be, of any thread

// the model that has its contact model added, and the one that has it itself
static void open_both(cr_model* m[2], const char* integrator, double height) {
  const cr_contact_options o = {.size = sizeof o,
                                .name = "push",
                                .force = push,
                                .jvp = push_jvp,
                                .vjp = push_vjp,
                                .bends = push_bends,
                                .user = &strange};
  assert_true(height == HEIGHT);
  for (int i = 0; i < 2; i++) {
    m[i] = NULL;
    user_must(cr_model_open(&m[i], scratch_write("model.xml", text), &user_error));
    user_must(cr_model_set_choice(m[i], "integrator", integrator, &user_error));
  }
  user_must(cr_model_add_contact_model(m[0], &o, &user_error));
  user_must(cr_model_set_choice(m[0], "contact_model", "push", &user_error));
}

static const user_case contacts = {.open = open_both,
                                   .height = 0.14,
                                   .qpos = {0.02, -0.01, 0.05, -0.36},
                                   .qvel = {1.1, -0.3, 0.7, -2},
                                   .parameters = {"geom_solref", "dof_damping"},
                                   .factor = {1, 1},
                                   .of_contacts = {true, false}};

// ---- every way

static const user_way ways[] = {
    {.integrator = "euler", .bound = 1e-10},
    {.integrator = "euler", .cfd = true, .bound = 1e-10},
    {.integrator = "implicit", .bound = 1e-10},
    {.integrator = "implicitfast", .cfd = true, .limited = true, .bound = 1e-10},
    {.integrator = "discrete", .bound = 1e-10},
    {.integrator = "rk4", .bound = 1e-10},
    {.integrator = "tsit5", .adaptive = 1e-8, .events = true, .bound = 1e-5},
};
static const char* const integrators[] = {"euler", "implicit", "implicitfast", "discrete", "rk4"};

TEST(rollouts_agree) {
  user_rollouts_agree(&contacts, ways, (int)(sizeof ways / sizeof ways[0]));
  assert_int_equal(strange, 0);
}

TEST(checkpoints_and_copies_change_no_bit) { user_checkpoints_and_copies_change_no_bit(&contacts); }

TEST(recordings_agree) { user_recordings_agree(&contacts); }

TEST(jacobians_agree) { user_jacobians_agree(&contacts, integrators, 5, 1e-10); }

TEST(inverse_dynamics_agree) { user_inverse_dynamics_agree(&contacts); }

TEST(batches_agree) {
  user_batches_agree(&contacts);
  assert_int_equal(strange, 0);
}

// ---- what is refused

// edges of a pyramid are no normal and tangents
TEST(a_pyramid_is_refused) {
  static const char ball[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='2 2 .1'/><body pos='0 0 .09'>"
      "<freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  const cr_contact_options o = {
      .size = sizeof o, .name = "push", .force = push, .jvp = push_jvp, .vjp = push_vjp};
  cr_model* m = NULL;
  cr_data* d;
  user_must(cr_model_open(&m, scratch_write("ball.xml", ball), &user_error));
  user_must(cr_model_add_contact_model(m, &o, &user_error));
  user_must(cr_model_set_choice(m, "contact_model", "push", &user_error));
  user_must(cr_data_create(&d, m, &user_error));
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
  user_must(cr_model_open(&m, scratch_write("model.xml", text), &user_error));
  user_must(cr_model_add_contact_model(m, &o, &user_error));
  user_must(cr_model_set_choice(m, "contact_model", "press", &user_error));
  return m;
}

// the state after one step, from a start that is moved by h along coordinate i of (qpos, qvel)
static void step_from(const cr_model* m, cr_data* d, int i, double h, double next[2 * NV]) {
  user_set_state(&contacts, m, d);
  cr_data_view(m, d, i < NV ? "qpos" : "qvel", NULL, NULL)[i % NV] += h;
  assert_int_equal(cr_step(m, d), CR_OK);
  user_copy(next, m, d, "qpos_next", NV);
  user_copy(next + NV, m, d, "qvel_next", NV);
}

// columns of the Jacobian, tangents and cotangents of a step, against differences
TEST(steps_have_derivatives_by_area_and_stiffness) {
  for (int motion = 0; motion < 2; motion++) {
    cr_model* m = open_samples(motion);
    cr_data *d, *bar;
    cr_jacobian* J;
    double A[4 * NV * NV], by_differences[4 * NV * NV], row[2 * NV], side[2][2 * NV];
    const double h = 1e-6;
    user_must(cr_data_create(&d, m, &user_error));
    user_must(cr_data_create_cotangent(&bar, m, d, &user_error));
    user_must(cr_jacobian_create(&J, m, d, &user_error));
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
    user_compare(A, by_differences, 4 * NV * NV, 1e-6, "Jacobian");
    // the row of the second velocity by a cotangent
    cr_data_view(m, bar, "qvel_next", NULL, NULL)[1] = 1;
    assert_int_equal(cr_step_vjp(m, m, d, NULL, bar), CR_OK);
    user_copy(row, m, bar, "qpos", NV);
    user_copy(row + NV, m, bar, "qvel", NV);
    user_compare(row, by_differences + 2 * NV * (NV + 1), 2 * NV, 1e-6, "cotangent");
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
  user_must(cr_model_set(m, "geom_size[floor][0]", &size, 1, &user_error));
  user_must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &user_error));
  cr_loss loss = cr_expression_loss(e, false);
  user_must(cr_rollout_create(&r, m, 5, parameters, 1, &user_error));
  user_set_state(&contacts, m, cr_rollout_data(r));
  user_must(cr_rollout_run(r, m, 5, &loss, &user_error));
  const double value = cr_rollout_loss(r);
  if (gradient != NULL) {
    user_must(cr_rollout_gradient(r, m, m, &loss, &user_error));
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
  user_compare(&gradient, &difference, 1, 1e-6, "gradient by the size");
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
    user_must(cr_model_set_choice(m, "contact_model", k == 0 ? "press" : "convex", &user_error));
    user_must(cr_model_set_contact_pair(m, box, -1, k % 2 == 0 ? "press" : "convex", &user_error));
    user_must(cr_data_create(&d, m, &user_error));
    user_must(cr_jacobian_create(&J, m, d, &user_error));
    user_set_state(&contacts, m, d);
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
  open_both(m, "euler", HEIGHT);
  user_must(cr_data_create(&d, m[1], &user_error));
  user_set_state(&contacts, m[1], d);
  assert_int_equal(cr_step(m[1], d), CR_OK);
  assert_true(cr_data_view(m[1], d, "contact_area", NULL, NULL)[0] == 0);
  assert_true(cr_data_view(m[1], d, "contact_stiffness", NULL, NULL)[0] == 0);
  assert_true(cr_data_view(m[1], d, "contact_weight", NULL, NULL)[0] == 1);
  cr_data_destroy(d);
  user_close(m);
  (void)state;
}
