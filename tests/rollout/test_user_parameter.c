// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Stages that change parameters of a model within a step, with the public headers alone: springs that stiffen with the
// angle, oil that thickens, more friction, beside the same model that has all of it itself. All ways of computing agree, so all
// readers of a parameter see the changed one.
#include <carom/carom.h>
#include <stdio.h>
#include <string.h>

#include "checks/io_user_ways.h"
#include "support/scratch.h"
#include "support/test.h"

// a tilted box that slides and turns on a floor, with an arm
static const char text[] =
    "<mujoco><option cone='elliptic' timestep='.004'/><default><geom condim='3' "
    "solref='.03 1'/><joint damping='.2 %g' stiffness='%g 0 %g'/></default><worldbody>"
    "<geom name='floor' type='plane' size='2 2 .1' friction='%g .005 .0001'/>"
    "<body pos='0 0 %g'><joint name='x' type='slide' axis='1 0 0'/>"
    "<joint name='z' type='slide' axis='0 0 1'/><joint name='turn' axis='0 1 0'/>"
    "<geom name='box' type='box' size='.15 .1 .1' euler='0 20 0' friction='%g .005 .0001'/>"
    "<body pos='0 0 .12'><joint name='arm' axis='0 1 0'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .1 0 .2' contype='0' conaffinity='0'/></body>"
    "</body></worldbody><actuator><motor joint='arm'/><motor joint='x' "
    "gear='5'/></actuator></mujoco>";

enum { NV = USER_NV };
static const double DRAG = 0.15, TWICE = 2, STIFFNESS = 7, CUBIC = 9, FRICTION = 0.5, SCALE = 1.5;

static cr_model* open_model(double drag, double cubic, double friction, double height) {
  char xml[2048];
  cr_model* m = NULL;
  (void)snprintf(xml, sizeof xml, text, drag, STIFFNESS, cubic, friction, height, friction);
  user_must(cr_model_open(&m, scratch_write("model.xml", xml), &user_error));
  return m;
}

// ---- the stages: jnt_stiffness + k q^2, which is what the second number of a stiffness polynomial means

static cr_status stiffen(void* user, const cr_stage_call* c) {
  const double k = *(const double*)user, *q = c->read[0].value;
  for (int i = 0; i < c->change[0].count; i++) {
    c->change[0].result[i] += k * q[i] * q[i];
  }
  return CR_OK;
}
static cr_status stiffen_jvp(void* user, const cr_stage_call* c) {
  const double k = *(const double*)user, *q = c->read[0].value;
  for (int i = 0; i < c->change[0].count; i++) {
    c->change[0].twin[i] += 2 * k * q[i] * c->read[0].twin[i];
  }
  return CR_OK;
}
static cr_status stiffen_vjp(void* user, const cr_stage_call* c) {
  const double k = *(const double*)user, *q = c->read[0].value;
  for (int i = 0; i < c->change[0].count; i++) {
    c->read[0].twin[i] += 2 * k * q[i] * c->change[0].twin[i];
  }
  return CR_OK;
}

static cr_status scale(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].count; i += c->change[0].width) {
    c->change[0].result[i] = *(const double*)user * c->change[0].value[i];
  }
  return CR_OK;
}
static cr_status scale_twin(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].count; i += c->change[0].width) {
    c->change[0].twin[i] *= *(const double*)user;
  }
  return CR_OK;
}

static void add_scale(cr_model* m, const char* name, const char* field, const double* by) {
  const cr_stage_options o = {.size = sizeof o,
                              .name = name,
                              .after = "plugin",
                              .changes = &field,
                              .nchange = 1,
                              .forward = scale,
                              .jvp = scale_twin,
                              .vjp = scale_twin,
                              .user = (void*)(uintptr_t)by};
  user_must(cr_model_add_stage(m, &o, &user_error));
}

static void add_stages(cr_model* m) {
  static const char *const qpos[] = {"qpos"}, *const stiffness[] = {"jnt_stiffness"};
  const cr_stage_options o = {.size = sizeof o,
                              .name = "spring",
                              .after = "bias",
                              .reads = qpos,
                              .nread = 1,
                              .changes = stiffness,
                              .nchange = 1,
                              .forward = stiffen,
                              .jvp = stiffen_jvp,
                              .vjp = stiffen_vjp,
                              .user = (void*)(uintptr_t)&CUBIC};
  add_scale(m, "oil", "dof_dampingpoly", &TWICE);
  add_scale(m, "grip", "geom_friction", &SCALE);
  // springs have been used by then
  assert_int_equal(cr_model_add_stage(m, &o, &user_error), CR_ERR_UNSUPPORTED);
  assert_non_null(
      strstr(user_error.text, "'spring' changes jnt_stiffness, which 'passive' has used before"));
  cr_stage_options early = o;
  early.after = "velocity";
  user_must(cr_model_add_stage(m, &early, &user_error));
}

// the model that has stages, and the one that has it all itself
static void open_both(cr_model* m[2], const char* integrator, double height) {
  m[0] = open_model(DRAG, 0, FRICTION, height);
  m[1] = open_model(TWICE * DRAG, CUBIC, SCALE * FRICTION, height);
  add_stages(m[0]);
  for (int i = 0; i < 2; i++) {
    user_must(cr_model_set_choice(m[i], "integrator", integrator, &user_error));
  }
}

static const user_case stages = {.open = open_both,
                                 .height = 0.14,
                                 .qpos = {0.02, -0.03, 0.05, -0.4},
                                 .qvel = {1.1, -0.3, 0.7, -2},
                                 .parameters = {"dof_damping", "geom_friction"},
                                 .factor = {1, 1.5},  // of friction by SCALE
                                 .of_contacts = {false, true},
                                 .fallback = "a stage that was added"};

// ---- every way

TEST(rollouts_agree) { user_rollouts_agree(&stages, user_stage_ways, USER_STAGE_WAYS); }

TEST(checkpoints_and_copies_change_no_bit) { user_checkpoints_and_copies_change_no_bit(&stages); }

TEST(recordings_agree) { user_recordings_agree(&stages); }

TEST(jacobians_agree) { user_jacobians_agree(&stages, user_integrators, USER_INTEGRATORS, 1e-11); }

TEST(inverse_dynamics_agree) { user_inverse_dynamics_agree(&stages); }

TEST(batches_agree) { user_batches_agree(&stages); }

// ---- what is refused

static const char* refusal(cr_model* m, const char* field) {
  const cr_stage_options o = {.size = sizeof o,
                              .name = "x",
                              .after = "plugin",
                              .changes = &field,
                              .nchange = 1,
                              .forward = scale};
  assert_int_equal(cr_model_add_stage(m, &o, &user_error), CR_ERR_UNSUPPORTED);
  return user_error.text;
}

TEST(what_cannot_change_says_why) {
  cr_model* m = open_model(DRAG, 0, FRICTION, 0.14);
  assert_non_null(strstr(refusal(m, "geom_size"), "cannot change a shape, whose bounds"));
  assert_non_null(strstr(refusal(m, "jnt_axis"), "a direction of unit length: jnt_axis"));
  assert_non_null(strstr(refusal(m, "body_quat"), "cannot change an orientation"));
  assert_non_null(strstr(refusal(m, "plugin_param"), "the parameters of added stages"));
  assert_non_null(strstr(refusal(m, "qpos0"), "computed numbers and parameters"));
  cr_model_destroy(m);
  (void)state;
}

// a number that the model may not have
TEST(a_range_is_kept) {
  static const double minus = -1;
  cr_model* m = open_model(DRAG, 0, FRICTION, 0.14);
  cr_data* d;
  add_scale(m, "minus", "dof_damping", &minus);
  user_must(cr_data_create(&d, m, &user_error));
  assert_int_equal(cr_step(m, d), CR_ERR_MODEL);
  assert_non_null(strstr(cr_data_error(d), "stage 'minus' makes number 0 of dof_damping -0.2"));
  cr_data_destroy(d);
  cr_model_destroy(m);
  (void)state;
}

// Data that were made before are refused, and no number of the model changes
TEST(data_are_made_after_the_stages) {
  cr_model* m = open_model(DRAG, 0, FRICTION, 0.14);
  cr_data *d, *late;
  user_must(cr_data_create(&d, m, &user_error));
  add_scale(m, "oil", "dof_damping", &TWICE);
  assert_int_equal(cr_step(m, d), CR_ERR_ARG);
  user_must(cr_data_create(&late, m, &user_error));
  assert_int_equal(cr_step(m, late), CR_OK);
  add_scale(m, "grip", "geom_friction", &SCALE);
  assert_int_equal(cr_step(m, late), CR_ERR_ARG);
  double damping[NV], friction[9];
  user_must(cr_model_get(m, "dof_damping", damping, NV, &user_error));
  user_must(cr_model_get(m, "geom_friction", friction, 9, &user_error));
  assert_true(damping[0] == 0.2 && damping[3] == 0.2 && friction[0] == FRICTION);
  cr_data_destroy(d);
  cr_data_destroy(late);
  cr_model_destroy(m);
  (void)state;
}

static const double MORE = 1.25;

// where a limit begins moves with its range
TEST(events_refuse_what_moves) {
  const cr_adaptive events = {.size = sizeof events, .rtol = 1e-6, .atol = 1e-6, .events = true};
  static const struct {
    const char* field;
    bool moves;
  } cases[] = {{"jnt_range", true},      {"body_pos", true},     {"geom_margin", true},
               {"geom_friction", false}, {"dof_damping", false}, {"body_mass", false}};
  for (int i = 0; i < 6; i++) {
    cr_model* m = open_model(DRAG, 0, FRICTION, 0.14);
    cr_rollout* r;
    user_must(cr_model_set_choice(m, "integrator", "tsit5", &user_error));
    add_scale(m, "more", cases[i].field, &MORE);
    user_must(cr_rollout_create(&r, m, 3, NULL, 0, &user_error));
    assert_int_equal(cr_rollout_set_adaptive(r, m, &events, &user_error),
                     cases[i].moves ? CR_ERR_UNSUPPORTED : CR_OK);
    cr_rollout_destroy(r);
    cr_model_destroy(m);
  }
  (void)state;
}
