// SPDX-License-Identifier: Apache-2.0
// Steps with corrections of every kind pass the generic check of derivatives, with all integrators; untrained ones
// change no bit.
#include <stdio.h>

#include "augment/correction.h"
#include "carom/carom.h"
#include "checks/stage_check.h"
#include "scenes/random_model.h"
#include "support/allocation.h"
#include "support/test.h"

static cr_error error;

// ---- corrections

typedef struct {
  const char* target;
  cr_correction_act act;
  const char* inputs[4];
  cr_real scale;
} wish;

static const wish wishes[] = {
    {"qfrc_passive", CR_CORRECTION_ADD, {"qpos", "qvel", "body_mass", "time"}, 1},
    {"qfrc_passive[*]", CR_CORRECTION_ADD, {"qpos[*]", "qvel[*]", NULL, "dof_damping[*]"}, 1},
    {"qfrc_passive", CR_CORRECTION_SCALE, {"qvel", "qfrc_passive"}, CR_R(0.2)},
    {"qfrc_bias", CR_CORRECTION_BLEND, {"qvel", "xipos", "qfrc_bias"}, CR_R(0.3)},
    {"qfrc_passive[*]", CR_CORRECTION_REPLACE, {"qvel[*]", "qfrc_passive[*]"}, 1},
    {"qfrc_passive[*]", CR_CORRECTION_SCALE, {"qvel[*]", "qfrc_passive"}, CR_R(0.3)},
    {"qfrc_spring[*]", CR_CORRECTION_ADD, {"qpos[*]", "xmat"}, 1},
    {"qfrc_damper", CR_CORRECTION_SCALE, {"qvel", "qfrc_damper"}, CR_R(0.3)},
    {"qfrc_smooth", CR_CORRECTION_ADD, {"qfrc_bias", "qfrc_passive", "ctrl"}, 1},
    {"actuator_force", CR_CORRECTION_ADD, {"actuator_length", "ctrl", "qvel"}, 1},
    {"actuator_force[*]", CR_CORRECTION_SCALE, {"actuator_velocity[*]"}, CR_R(0.3)},
    {"actuator_length", CR_CORRECTION_ADD, {"qvel", "actuator_length"}, CR_R(0.1)},
    {"ten_length", CR_CORRECTION_SCALE, {"ten_length"}, CR_R(0.1)},
    {"ten_force", CR_CORRECTION_ADD, {"ten_length", "qvel"}, 2},
    {"ten_force[*]", CR_CORRECTION_ADD, {"ten_velocity[*]", "time"}, 2},
    {"contact[*].friction",
     CR_CORRECTION_SCALE,
     {"contact[*].dist", "contact[*].pos", "qvel"},
     CR_R(0.3)},
    {"contact[*].friction.0",
     CR_CORRECTION_BLEND,
     {"contact[*].friction", "contact[*].frame"},
     CR_R(0.3)},
    {"contact[*].solref", CR_CORRECTION_SCALE, {"contact[*].dist", "body_quat"}, CR_R(0.05)},
    {"contact[*].force", CR_CORRECTION_ADD, {"contact[*].dist", "contact[*].frame", "qvel"}, 2},
    {"contact[*].force", CR_CORRECTION_SCALE, {"contact[*].dist", "qvel"}, CR_R(0.3)},
    {"contact[*].friction_force", CR_CORRECTION_ADD, {"contact[*].dist", "qvel"}, 2},
    {"contact[*].normal_force", CR_CORRECTION_ADD, {"contact[*].pos", "time"}, 2},
    {"contact[*].solimp", CR_CORRECTION_SCALE, {"contact[*].solimp"}, CR_R(0.02)},
    // parameters of the model, behind what is made before they are used
    {"dof_damping[*]", CR_CORRECTION_SCALE, {"qpos[*]", "qvel[*]"}, CR_R(0.2)},
    {"dof_damping", CR_CORRECTION_SCALE, {"qvel", "dof_damping", "xipos", "time"}, CR_R(0.2)},
    {"dof_dampingpoly[*]", CR_CORRECTION_ADD, {"qvel[*]"}, CR_R(0.1)},
    {"jnt_stiffness", CR_CORRECTION_BLEND, {"qpos", "jnt_stiffness"}, 1},
    {"jnt_stiffness", CR_CORRECTION_REPLACE, {"qvel", "cvel"}, 1},
    {"qpos_spring[*]", CR_CORRECTION_ADD, {"ctrl", "qvel"}, CR_R(0.1)},
    {"dof_armature", CR_CORRECTION_SCALE, {"qpos", "plugin_state"}, CR_R(0.2)},
    {"dof_frictionloss", CR_CORRECTION_SCALE, {"qvel", "qpos"}, CR_R(0.2)},
    {"body_mass", CR_CORRECTION_SCALE, {"qpos", "time"}, CR_R(0.1)},
    {"body_ipos", CR_CORRECTION_ADD, {"qvel", "body_mass"}, CR_R(0.02)},
    {"gravity", CR_CORRECTION_ADD, {"qpos", "time"}, 1},
    {"wind", CR_CORRECTION_REPLACE, {"qpos", "time"}, 1},
    {"viscosity", CR_CORRECTION_SCALE, {"qvel"}, CR_R(0.2)},
    {"tendon_stiffness[*]", CR_CORRECTION_SCALE, {"ten_length[*]", "qvel"}, CR_R(0.2)},
    {"tendon_damping", CR_CORRECTION_ADD, {"ten_velocity", "ten_length"}, CR_R(0.1)},
    {"tendon_lengthspring", CR_CORRECTION_ADD, {"ten_length"}, CR_R(0.01)},
    {"actuator_gear[0]", CR_CORRECTION_SCALE, {"qpos", "act"}, CR_R(0.1)},
    {"actuator_biasprm[0]", CR_CORRECTION_BLEND, {"act", "ctrl"}, CR_R(0.1)},
    {"actuator_acc0", CR_CORRECTION_SCALE, {"qpos"}, CR_R(0.1)},
    {"geom_friction[*]", CR_CORRECTION_SCALE, {"geom_xpos[*]", "qvel"}, CR_R(0.2)},
    {"geom_friction[*][0]", CR_CORRECTION_SCALE, {"geom_xmat[*]"}, CR_R(0.2)},
    {"geom_solref", CR_CORRECTION_SCALE, {"qvel", "geom_solref"}, CR_R(0.03)},
    {"jnt_solimp[*]", CR_CORRECTION_SCALE, {"qvel"}, CR_R(0.01)},
    {"dof_invweight0", CR_CORRECTION_SCALE, {"qvel"}, CR_R(0.1)},
    // entries of operators
    {"ten_J[0]", CR_CORRECTION_ADD, {"qpos", "ten_length"}, CR_R(0.05)},
    {"ten_J[1]", CR_CORRECTION_SCALE, {"qvel", "xpos"}, CR_R(0.2)},
    {"ten_J[1]", CR_CORRECTION_BLEND, {"qvel", "time"}, CR_R(0.2)},
    {"actuator_moment[0]", CR_CORRECTION_ADD, {"qpos", "ten_velocity"}, CR_R(0.1)},
    {"actuator_moment[1]", CR_CORRECTION_SCALE, {"actuator_length", "ctrl"}, CR_R(0.2)},
    {"actuator_moment[0]", CR_CORRECTION_REPLACE, {"actuator_length", "qvel"}, CR_R(0.2)},
    {"M[0,0]", CR_CORRECTION_SCALE, {"qpos", "qvel"}, CR_R(0.001)},
    {"M[1,0]", CR_CORRECTION_ADD, {"qvel", "xpos"}, CR_R(0.001)},
    {"M[2,2]", CR_CORRECTION_ADD, {"qvel", "time"}, CR_R(0.001)},
    {"M[4,3]", CR_CORRECTION_SCALE, {"qpos"}, CR_R(0.02)}};

enum { N_WISH = (int)(sizeof wishes / sizeof wishes[0]) };

static cr_status add(cr_model* m, const wish* w, const char* name, cr_layer_kind kind,
                     bool trained) {
  cr_correction_input input[4];
  const cr_correction_input* inputs[4];
  int n = 0;
  for (int k = 0; k < 4 && (k == 0 || w->inputs[k] != NULL || (k < 3 && w->inputs[k + 1] != NULL));
       k++) {
    input[n] = (cr_correction_input){
        .size = sizeof input[0], .place = w->inputs[k], .offset = CR_R(0.1), .scale = CR_R(0.3)};
    inputs[n] = &input[n];
    n++;
  }
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = kind, .width = 5, .activation = CR_ACTIVATION_TANH},
      {.size = sizeof layers[0],
       .kind = CR_LAYER_DENSE,
       .width = 4,
       .activation = CR_ACTIVATION_TANH}};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = name,
                                   .target = w->target,
                                   .act = w->act,
                                   .inputs = inputs,
                                   .ninput = n,
                                   .layers = layers,
                                   .nlayer = 2,
                                   .output_scale = w->scale,
                                   .tau = CR_R(0.1),
                                   .seed = 5,
                                   .random_output = trained};
  return cr_model_add_correction(m, &o, &error);
}

// ---- the step

static cr_data* work;

static cr_status step_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  return cr_step_jvp(m, d, work, tan);
}

static cr_status step_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  return cr_step_vjp(m, m, d, work, bar);
}

static const cr_field_id inputs[] = {
    CR_FIELD_qpos,         CR_FIELD_qvel,         CR_FIELD_act,         CR_FIELD_ctrl,
    CR_FIELD_qfrc_applied, CR_FIELD_xfrc_applied, CR_FIELD_dof_damping, CR_FIELD_body_mass,
    CR_FIELD_plugin_param, CR_FIELD_plugin_state, CR_FIELD_body_quat};
static const cr_field_id next[] = {CR_FIELD_qpos_next, CR_FIELD_qvel_next, CR_FIELD_act_next,
                                   CR_FIELD_plugin_state_next};

static void open_model(cr_model* m, uint64_t seed, int integrator) {
  assert_int_equal(random_model(m, seed, NULL), CR_OK);
  m->integrator = integrator;
  if (integrator == CR_INT_RK4 || integrator >= CR_INT_FIRST_METHOD) {
    random_model_calm(m);
    m->timestep /= 4;
  }
  if (integrator == CR_INT_DISCRETE) {
    random_model_discrete(m);
  }
}

// a model without such fields refuses
static bool can_add(cr_model* m, const wish* w, cr_layer_kind kind) {
  cr_status status = add(m, w, "net", kind, true);
  bool part = false;
  static const char* const why[] = {"switches a part of the model", "is no entry",
                                    "of an actuator on a body"};
  for (int i = 0; i < 3; i++) {
    part = part || (status != CR_OK && strstr(error.text, why[i]) != NULL);
  }
  if (status != CR_OK && status != CR_ERR_NAME && !part) {
    fail_msg("%s: %s", w->target, error.text);
  }
  return status == CR_OK;
}

static int check_step(const wish* w, uint64_t seed, int integrator, cr_layer_kind kind,
                      stage_report* report) {
  const cr_stage row = {"step", cr_step, step_jvp, step_vjp, inputs, next,
                        11,     4,       NULL,     NULL,     NULL,   NULL};
  cr_model m;
  char label[96];
  open_model(&m, seed, integrator);
  const bool can = can_add(&m, w, kind);
  if (can) {
    cr_data* d = test_data(&m);
    work = test_data(&m);
    (void)snprintf(label, sizeof label, "%s, integrator %d, model %d", w->target, integrator,
                   (int)seed);
    random_state(&m, d, seed, STATE_CONTACT);
    for (int i = 0; i < m.npluginstate; i++) {
      d->plugin_state[i] = CR_R(0.1) * (cr_real)(i % 5 - 2);
    }
    stage_check_derivatives(report, &m, d, &row, 1, NULL, seed, label);
  }
  cri_model_free(&m);
  test_release();
  return can;
}

static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST,
                                  CR_INT_RK4,   CR_INT_DISCRETE, CR_INT_FIRST_METHOD};
enum { N_INTEGRATOR = (int)(sizeof integrators / sizeof integrators[0]) };

TEST(every_target_every_integrator) {
  int failed = 0, samples = 0, skipped = 0;
  for (int i = 0; i < N_WISH; i++) {
    stage_report report = {0};
    int made = 0;
    for (int k = 0; k < N_INTEGRATOR; k++) {
      for (uint64_t seed = 0; seed < 2; seed++) {
        made += check_step(&wishes[i], 5 * seed + (uint64_t)(i + 7 * k), integrators[k],
                           CR_LAYER_DENSE, &report);
      }
    }
    if (report.failures > 0 || made < 3) {
      print_error("%s: %d models\n%.1500s\n", wishes[i].target, made, report.text);
    }
    assert_true(made >= 3 && report.samples > 0);
    failed += report.failures;
    samples += report.samples;
    skipped += report.skipped;
  }
  print_message("%d samples, %d skipped\n", samples, skipped);
  assert_int_equal(failed, 0);
  assert_true(3 * skipped < samples);
  (void)state;
}

// ---- bits

// recurrent layers: memory as an evolving quantity, with all integrators
TEST(recurrent_networks) {
  static const int which[] = {0, 1, 4, 9, 10, 23, 25};
  stage_report report = {0};
  int made = 0;
  for (int i = 0; i < 7; i++) {
    for (int k = 0; k < N_INTEGRATOR; k++) {
      for (int kind = CR_LAYER_GRU; kind <= CR_LAYER_LSTM; kind++) {
        made += check_step(&wishes[which[i]], (uint64_t)(3 * i + 7 * k + kind), integrators[k],
                           (cr_layer_kind)kind, &report);
      }
    }
  }
  stage_report_assert(&report, "recurrent");
  assert_true(made > 30 && report.samples > 30 && report.reached[CR_FIELD_plugin_state]);
  (void)state;
}

// with tau = timestep and Euler's method the memory after a step is that of the discrete unit
static void check_discrete_memory(cr_layer_kind kind, int nmemory) {
  cr_model m;
  cr_correction_info info = {.size = sizeof info};
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  m.integrator = CR_INT_EULER;
  const cr_correction_input in = {.size = sizeof in, .place = "qvel"};
  const cr_correction_input* list[] = {&in};
  const cr_layer layer = {.size = sizeof layer, .kind = kind, .width = 5};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "net",
                                   .target = "qfrc_passive",
                                   .inputs = list,
                                   .ninput = 1,
                                   .layers = &layer,
                                   .nlayer = 1,
                                   .seed = 4};
  assert_int_equal(cr_model_add_correction(&m, &o, &error), CR_OK);
  assert_int_equal(cr_model_get_correction(&m, 0, &info, &error), CR_OK);
  assert_true(info.nstate == nmemory && info.state_first == 0 && m.npluginstate == nmemory);
  cr_data* d = test_data(&m);
  random_state(&m, d, 3, STATE_FLIGHT);
  cr_real room[4096], y[512], h[10], after[10];
  assert_true(cr_network_nroom(info.network) <= 4096 && m.nv <= 512);
  cr_zero(h, 10);
  for (int i = 0; i < 6; i++) {
    cr_network_forward(info.network, m.plugin_param, d->qvel, h, y, after, room);
    assert_int_equal(cr_step(&m, d), CR_OK);
    assert_int_equal(cr_advance(&m, d), CR_OK);
    cr_copy(h, after, nmemory);
    for (int k = 0; k < nmemory; k++) {
      assert_true(cr_abs(d->plugin_state[k] - h[k]) < CR_R(1e-13) && h[k] != 0);
    }
  }
  cri_model_free(&m);
}

TEST(with_euler_the_memory_is_the_discrete_one) {
  check_discrete_memory(CR_LAYER_GRU, 5);
  check_discrete_memory(CR_LAYER_LSTM, 10);
  (void)state;
}

static void step_some(const cr_model* m, cr_data* d, uint64_t seed) {
  random_state(m, d, seed, STATE_CONTACT);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(cr_step(m, d), CR_OK);
    assert_int_equal(cr_advance(m, d), CR_OK);
  }
}

// equal, with the sign of zeros; extended precision has bytes that mean nothing
static void assert_same(const cr_real* a, const cr_real* b, int n) {
  for (int i = 0; i < n; i++) {
    assert_true(a[i] == b[i] && (signbit(a[i]) != 0) == (signbit(b[i]) != 0));
  }
}

TEST(an_untrained_correction_changes_no_bit) {
  int compared = 0;
  for (int i = 0; i < N_WISH; i++) {
    if (wishes[i].act == CR_CORRECTION_REPLACE) {
      continue;
    }
    for (int k = 0; k < N_INTEGRATOR; k++) {
      cr_model plain, m;
      open_model(&plain, (uint64_t)(i + 7 * k), integrators[k]);
      open_model(&m, (uint64_t)(i + 7 * k), integrators[k]);
      if (add(&m, &wishes[i], "net", CR_LAYER_DENSE, false) == CR_OK) {
        cr_data *a = test_data(&plain), *b = test_data(&m);
        step_some(&plain, a, 3);
        step_some(&m, b, 3);
        assert_same(a->qpos, b->qpos, m.nq);
        assert_same(a->qvel, b->qvel, m.nv);
        compared++;
      }
      cri_model_free(&plain);
      cri_model_free(&m);
      test_release();
    }
  }
  assert_true(compared > 60);
  (void)state;
}

// ---- memory

TEST(a_step_and_its_vjp_allocate_nothing) {
  int made = 0;
  for (int i = 0; i < N_WISH; i++) {
    cr_model m;
    open_model(&m, (uint64_t)i, CR_INT_EULER);
    if (add(&m, &wishes[i], "net", CR_LAYER_DENSE, true) == CR_OK) {
      cr_data *d = test_data(&m), *bar = test_twin(&m, d, CR_DATA_COTANGENT);
      random_state(&m, d, 1, STATE_CONTACT);
      const long before = allocation_count();
      assert_int_equal(cr_step(&m, d), CR_OK);
      for (int k = 0; k < m.nv; k++) {
        bar->qvel_next[k] = 1;
      }
      assert_int_equal(cr_step_vjp(&m, &m, d, NULL, bar), CR_OK);
      assert_true(allocation_count() == before);
      made++;
    }
    cri_model_free(&m);
    test_release();
  }
  assert_true(made > 10);
  (void)state;
}
