// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Stages that a user adds, with the public headers alone: a spring and a scale of friction written as
// stages, beside the same model that has both itself. Steps, rollouts, their gradients, Jacobians, inverse
// dynamics and batches of the two have to agree by every way there is.
#include <carom/carom.h>
#include <stdio.h>
#include <string.h>

#include "checks/io_user_ways.h"
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

enum { NV = USER_NV };
static const double STIFFNESS = 7, FRICTION = 0.4, SCALE = 1.5;

static cr_model* open_model(double stiffness, double friction, double height) {
  char xml[2048];
  cr_model* m = NULL;
  (void)snprintf(xml, sizeof xml, text, stiffness, friction, height, friction);
  user_must(cr_model_open(&m, scratch_write("model.xml", xml), &user_error));
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
  user_must(cr_model_add_stage(m, &a, &user_error));
  user_must(cr_model_add_stage(m, &b, &user_error));
}

// the model that has stages, and the one that has it all itself
static void open_both(cr_model* m[2], const char* integrator, double height) {
  m[0] = open_model(0, FRICTION, height);
  m[1] = open_model(STIFFNESS, SCALE * FRICTION, height);
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
  user_must(cr_model_add_stage(m, &o, &user_error));
  user_must(cr_data_create(&d, m, &user_error));
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
  user_must(cr_model_set_choice(m, "integrator", "tsit5", &user_error));
  user_must(cr_model_add_stage(m, &o, &user_error));
  user_must(cr_rollout_create(&r, m, 3, NULL, 0, &user_error));
  user_must(cr_rollout_set_adaptive(r, m, &plain, &user_error));
  assert_int_equal(cr_rollout_set_adaptive(r, m, &events, &user_error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(user_error.text, "events: stage 'lift'"));
  cr_rollout_destroy(r);
  cr_model_destroy(m);
  (void)state;
}

// a file would be another model
TEST(a_file_holds_no_code) {
  cr_model* m = open_model(0, FRICTION, 0.14);
  user_must(cr_model_save(m, scratch_path("plain.crm"), &user_error));
  add_stages(m);
  assert_int_equal(cr_model_save(m, scratch_path("stages.crm"), &user_error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(user_error.text, "stages that were added"));
  assert_true(scratch_has("plain.crm") && !scratch_has("stages.crm"));
  cr_model_destroy(m);
  (void)state;
}
