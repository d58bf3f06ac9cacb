// SPDX-License-Identifier: Apache-2.0
// Stages that were added to a model. They change every field that can be changed, with all integrators, and the step
// passes the generic check of derivatives. Other changes are refused with both names.
#include "engine/added_stage.h"

#include <stdio.h>

#include "base/random.h"
#include "carom/carom.h"
#include "checks/stage_check.h"
#include "scenes/random_model.h"
#include "support/test.h"

static cr_error error;

// ---- y = x (1 - a (1 + sin w)), w = sum of all that is read: smooth, by everything, and less, since an
// impedance has to stay below 1

static const cr_real SHARE = CR_R(0.03);

static cr_real phase(const cr_stage_call* c, bool twin) {
  cr_real w = 0;
  for (int k = 0; k < c->nread; k++) {
    const cr_stage_field* f = &c->read[k];
    for (int i = 0; i < (twin ? f->tangent : f->count); i++) {
      w += (twin ? f->twin == NULL ? 0 : f->twin[i] : f->value[i]) / (1 + i);
    }
  }
  return w;
}

static cr_status wave(void* user, const cr_stage_call* c) {
  cr_real s = -SHARE * (1 + cr_sin(phase(c, false)));
  for (int k = 0; k < c->nchange; k++) {
    for (int i = 0; i < c->change[k].count; i++) {
      c->change[k].result[i] += s * c->change[k].value[i];
    }
  }
  (void)user;
  return CR_OK;
}

static cr_status wave_jvp(void* user, const cr_stage_call* c) {
  cr_real w = phase(c, false), s = -SHARE * (1 + cr_sin(w)),
          s_tan = -SHARE * cr_cos(w) * phase(c, true);
  for (int k = 0; k < c->nchange; k++) {
    const cr_stage_field* f = &c->change[k];
    for (int i = 0; i < f->count; i++) {
      f->twin[i] += s * f->twin[i] + s_tan * f->value[i];
    }
  }
  (void)user;
  return CR_OK;
}

static cr_status wave_vjp(void* user, const cr_stage_call* c) {
  cr_real w = phase(c, false), s = -SHARE * (1 + cr_sin(w)), w_bar = 0;
  for (int k = 0; k < c->nchange; k++) {
    const cr_stage_field* f = &c->change[k];
    for (int i = 0; i < f->count; i++) {
      w_bar -= SHARE * cr_cos(w) * f->value[i] * f->twin[i];
      f->twin[i] += s * f->twin[i];
    }
  }
  for (int k = 0; k < c->nread; k++) {
    const cr_stage_field* f = &c->read[k];
    for (int i = 0; i < f->tangent && f->twin != NULL; i++) {
      f->twin[i] += w_bar / (1 + i);
    }
  }
  (void)user;
  return CR_OK;
}

// what a stage of a field may read
static int reads_of(const char* field, const char* reads[3]) {
  const bool damping = strcmp(field, "dof_damping") == 0;
  const bool early = damping || cri_field_of_model(cri_field_find(field));
  reads[0] = "qvel";
  reads[1] = damping ? "jnt_stiffness" : "dof_damping";
  reads[2] = "xipos";
  return strcmp(field, "xipos") == 0 || early ? 2 : 3;
}

static cr_status add_wave(cr_model* m, const char* name, const char* after, const char* field) {
  const char* reads[3];
  const int nread = reads_of(field, reads);
  const char* changes[] = {field};
  const cr_stage_options o = {.size = sizeof o,
                              .name = name,
                              .after = after,
                              .reads = reads,
                              .nread = nread,
                              .changes = changes,
                              .nchange = 1,
                              .forward = wave,
                              .jvp = wave_jvp,
                              .vjp = wave_vjp};
  return cr_model_add_stage(m, &o, &error);
}

// ---- all fields, all integrators

static cr_data* work;

static cr_status step_jvp(const cr_model* m, const cr_data* d, cr_data* tan) {
  return cr_step_jvp(m, d, work, tan);
}

static cr_status step_vjp(const cr_model* m, const cr_data* d, cr_data* bar) {
  return cr_step_vjp(m, m, d, work, bar);
}

static const cr_field_id inputs[] = {
    CR_FIELD_qpos,         CR_FIELD_qvel,         CR_FIELD_act,         CR_FIELD_ctrl,
    CR_FIELD_qfrc_applied, CR_FIELD_xfrc_applied, CR_FIELD_dof_damping, CR_FIELD_body_mass};
static const cr_field_id next[] = {CR_FIELD_qpos_next, CR_FIELD_qvel_next, CR_FIELD_act_next};

static void open_model(cr_model* m, uint64_t seed, int integrator) {
  assert_int_equal(random_model(m, seed, NULL), CR_OK);
  m->integrator = integrator;
  if (integrator == CR_INT_RK4) {
    random_model_calm(m);
    m->timestep /= 4;
  }
  if (integrator == CR_INT_DISCRETE) {
    random_model_discrete(m);
  }
}

// the inputs, with the field itself if it is a parameter
static int inputs_of(const char* field, cr_field_id x[9]) {
  const cr_field_id id = cri_field_find(field);
  bool there = !cri_field_of_model(id);
  for (int i = 0; i < 8; i++) {
    x[i] = inputs[i];
    there = there || inputs[i] == id;
  }
  x[8] = id;
  return there ? 8 : 9;
}

static void check_step(const char* after, const char* field, uint64_t seed, int integrator,
                       stage_report* report) {
  cr_field_id x[9];
  const int nx = inputs_of(field, x);
  const cr_stage row = {"step", cr_step, step_jvp, step_vjp, x,    next,
                        nx,     3,       NULL,     NULL,     NULL, NULL};
  cr_model m;
  char label[96];
  open_model(&m, seed, integrator);
  assert_int_equal(add_wave(&m, "wave", after, field), CR_OK);
  cr_data* d = test_data(&m);
  work = test_data(&m);
  (void)snprintf(label, sizeof label, "%s, integrator %d, model %d", field, integrator, (int)seed);
  random_state(&m, d, seed, STATE_CONTACT);
  stage_check_derivatives(report, &m, d, &row, 1, NULL, seed, label);
  cri_model_free(&m);
}

// the stage of the table that writes a field, -1: none does
static int maker_of(cr_field_id id) {
  for (int i = 0; i < cr_npipeline; i++) {
    for (int k = 0; k < cr_pipeline[i].nwrite; k++) {
      if (cr_pipeline[i].writes[k] == id) {
        return i;
      }
    }
  }
  return -1;
}

static bool can_change(cr_field_id id, int maker) {
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  bool can = add_wave(&m, "wave", cr_pipeline[maker].name, cri_field(id)->name) == CR_OK;
  cri_model_free(&m);
  return can;
}

TEST(every_field) {
  static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST, CR_INT_RK4,
                                    CR_INT_DISCRETE};
  int fields = 0, models = 1;
  int failed = 0, samples = 0, skipped = 0;
  for (int i = CR_N_MODEL_FIELD; i < CR_N_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    int maker = maker_of(id);
    if (maker < 0 || maker >= cr_ndynamics || !can_change(id, maker)) {
      continue;
    }
    stage_report report = {0};
    fields++;
    for (int k = 0; k < 5; k++) {
      for (int n = 0; n < models; n++) {
        check_step(cr_pipeline[maker].name, cri_field(id)->name, (uint64_t)(n * 7 + k + 5 * fields),
                   integrators[k], &report);
      }
    }
    failed += report.failures;
    samples += report.samples;
    skipped += report.skipped;
    if (report.failures > 0) {
      print_error("%.1500s\n", report.text);
    }
  }
  print_message("%d fields, %d samples, %d skipped\n", fields, samples, skipped);
  assert_int_equal(failed, 0);
  assert_true(fields > 30 && 3 * skipped < samples);
  (void)state;
}

// parameters, which a stage changes before anything reads them
TEST(every_parameter) {
  static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST, CR_INT_RK4,
                                    CR_INT_DISCRETE};
  int fields = 0, failed = 0, samples = 0, skipped = 0, reached = 0;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    cr_field_id id = (cr_field_id)i;
    if (!can_change(id, 0)) {
      continue;
    }
    stage_report report = {0};
    fields++;
    for (int k = 0; k < 5; k++) {
      check_step("plugin", cri_field(id)->name, (uint64_t)(k + 5 * fields), integrators[k],
                 &report);
    }
    failed += report.failures;
    samples += report.samples;
    skipped += report.skipped;
    reached += report.reached[id];
    if (report.failures > 0) {
      print_error("%.1500s\n", report.text);
    }
    if (!report.reached[id]) {
      print_message("%s moves nothing here\n", cri_field(id)->name);
    }
  }
  print_message("%d parameters, %d move a step, %d samples, %d skipped\n", fields, reached, samples,
                skipped);
  assert_int_equal(failed, 0);
  assert_true(fields > 60 && reached > 50 && 3 * skipped < samples);
  (void)state;
}

// ---- all readers see a changed parameter: the model beside it has that parameter itself

static const cr_real FACTOR = CR_R(1.03125);  // exact, so that products are

static cr_status times(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].count; i++) {
    c->change[0].result[i] = FACTOR * c->change[0].value[i];
  }
  (void)user;
  return CR_OK;
}

static cr_status times_twin(void* user, const cr_stage_call* c) {
  for (int i = 0; i < c->change[0].count; i++) {
    c->change[0].twin[i] *= FACTOR;
  }
  (void)user;
  return CR_OK;
}

static cr_status add_times(cr_model* m, const char* name, const char* field) {
  const cr_stage_options o = {.size = sizeof o,
                              .name = name,
                              .after = "plugin",
                              .changes = &field,
                              .nchange = 1,
                              .forward = times,
                              .jvp = times_twin,
                              .vjp = times_twin};
  return cr_model_add_stage(m, &o, &error);
}

static cr_stage_options options_of(const char* name, const char* after, const char* const* reads,
                                   const char* const* changes) {
  return (cr_stage_options){.size = sizeof(cr_stage_options),
                            .name = name,
                            .after = after,
                            .reads = reads,
                            .nread = 1,
                            .changes = changes,
                            .nchange = 1,
                            .forward = wave,
                            .jvp = wave_jvp,
                            .vjp = wave_vjp};
}

static void assert_equal(const cr_real* a, const cr_real* b, int n, const char* field,
                         const char* what, int integrator) {
  for (int i = 0; i < n; i++) {
    if (!(a[i] == b[i])) {
      fail_msg("%s, integrator %d: %s[%d] is %.17g beside %.17g", field, integrator, what, i,
               (double)a[i], (double)b[i]);
    }
  }
}

static void assert_near(const cr_real* a, const cr_real* b, int n, cr_real factor,
                        const char* field, const char* what, int integrator) {
  cr_real most = 0;
  for (int i = 0; i < n; i++) {
    most = cr_max(most, cr_abs(b[i]));
  }
  for (int i = 0; i < n; i++) {
    if (!(cr_abs(a[i] - factor * b[i]) <= 64 * CR_EPS * most)) {
      fail_msg("%s, integrator %d: cotangent of %s[%d] is %.17g beside %.17g", field, integrator,
               what, i, (double)a[i], (double)(factor * b[i]));
    }
  }
}

// measured quantities, and what is computed beside steps
static void compare_measures(const cr_model* m[2], cr_data* d[2], const char* field,
                             int integrator) {
  enum { NV = 100 };
  static cr_real M[2][NV * NV], F[2][NV];
  for (int k = 0; k < 2; k++) {
    assert_true(m[k]->nv <= NV);
    assert_int_equal(cr_forward(m[k], d[k]), CR_OK);
    assert_int_equal(cr_full_m(m[k], d[k], M[k]), CR_OK);
    assert_int_equal(cr_rne(m[k], d[k], false, F[k]), CR_OK);
  }
  assert_equal(d[0]->energy, d[1]->energy, 2, field, "energy", integrator);
  assert_equal(d[0]->sensordata, d[1]->sensordata, m[0]->nsensordata, field, "sensordata",
               integrator);
  assert_equal(d[0]->cfrc_int, d[1]->cfrc_int, 6 * m[0]->nbody, field, "cfrc_int", integrator);
  assert_equal(M[0], M[1], m[0]->nv * m[0]->nv, field, "the inertia matrix", integrator);
  assert_equal(F[0], F[1], m[0]->nv, field, "the bias force", integrator);
  if (cr_inverse(m[1], d[1]) != CR_OK) {  // not for all models
    return;
  }
  if (cr_inverse(m[0], d[0]) != CR_OK) {
    fail_msg("%s, integrator %d: inverse: %s", field, integrator, cr_data_error(d[0]));
  }
  assert_equal(d[0]->qfrc_inverse, d[1]->qfrc_inverse, m[0]->nv, field, "qfrc_inverse", integrator);
}

static void compare_cotangents(const cr_model* m[2], cr_data* d[2], cr_field_id id,
                               int integrator) {
  const char* field = cri_field(id)->name;
  cr_data *bar[2], *again = test_data(m[0]);
  for (int k = 0; k < 2; k++) {
    cr_random r = cr_random_seed(7, 0);
    bar[k] = test_twin(m[k], d[k], CR_DATA_COTANGENT);
    for (int i = 0; i < m[k]->nv; i++) {
      bar[k]->qvel_next[i] = cr_random_normal(&r);
      bar[k]->qpos_next[i] = cr_random_normal(&r);
    }
    for (int i = 0; i < m[k]->na; i++) {
      bar[k]->act_next[i] = cr_random_normal(&r);
    }
    assert_int_equal(cr_step(m[k], d[k]), CR_OK);
    assert_int_equal(cr_step_vjp(m[k], m[k], d[k], again, bar[k]), CR_OK);
  }
  assert_equal(bar[0]->qpos, bar[1]->qpos, m[0]->nv, field, "qpos_bar", integrator);
  assert_equal(bar[0]->qvel, bar[1]->qvel, m[0]->nv, field, "qvel_bar", integrator);
  assert_equal(bar[0]->act, bar[1]->act, m[0]->na, field, "act_bar", integrator);
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (cri_field((cr_field_id)i)->kind == CR_KIND_PARAM) {
      assert_near(cri_field_real(&bar[0]->par, NULL, (cr_field_id)i),
                  cri_field_real(&bar[1]->par, NULL, (cr_field_id)i),
                  cri_field_tangent_size(m[0], NULL, (cr_field_id)i), (int)id == i ? FACTOR : 1,
                  field, cri_field((cr_field_id)i)->name, integrator);
    }
  }
}

// true if the parameter changes the motion at all
static bool compare_parameter(cr_field_id id, uint64_t seed, int integrator) {
  const char* field = cri_field(id)->name;
  cr_model model[2];
  const cr_model* m[2] = {&model[0], &model[1]};
  cr_data* d[2];
  for (int k = 0; k < 2; k++) {
    open_model(&model[k], seed, integrator);
  }
  assert_int_equal(add_times(&model[0], "times", field), CR_OK);
  cr_real* x = cri_field_real(&model[1], NULL, id);
  const int n = cri_field_rows(&model[1], NULL, id) * cri_field_width(&model[1], id);
  bool moves = false;
  for (int i = 0; i < n; i++) {
    moves = moves || x[i] != 0;
    x[i] = FACTOR * x[i];
  }
  for (int k = 0; k < 2; k++) {
    d[k] = test_data(m[k]);
    random_state(m[0], d[k], seed, STATE_CONTACT);
  }
  cr_status status = CR_OK;
  for (int i = 0; i < 3 && status == CR_OK; i++) {
    status = cr_step(m[1], d[1]);
    if (cr_step(m[0], d[0]) != status) {
      fail_msg("%s, integrator %d: %s, %s", field, integrator, cr_data_error(d[0]),
               cr_data_error(d[1]));
    }
    for (int k = 0; k < 2 && status == CR_OK; k++) {
      assert_int_equal(cr_advance(m[k], d[k]), CR_OK);
    }
  }
  moves = moves && status == CR_OK;
  if (status == CR_OK) {
    assert_equal(d[0]->qpos, d[1]->qpos, m[0]->nq, field, "qpos", integrator);
    assert_equal(d[0]->qvel, d[1]->qvel, m[0]->nv, field, "qvel", integrator);
    assert_equal(d[0]->act, d[1]->act, m[0]->na, field, "act", integrator);
    compare_cotangents(m, d, id, integrator);
    compare_measures(m, d, field, integrator);
  }
  cri_model_free(&model[0]);
  cri_model_free(&model[1]);
  test_release();
  return moves;
}

TEST(all_readers_see_a_changed_parameter) {
  static const int integrators[] = {CR_INT_EULER, CR_INT_IMPLICIT, CR_INT_IMPLICITFAST,
                                    CR_INT_RK4,   CR_INT_DISCRETE, CR_INT_FIRST_METHOD};
  int compared = 0;
  for (int i = 0; i < CR_N_MODEL_FIELD; i++) {
    if (!can_change((cr_field_id)i, 0)) {
      continue;
    }
    for (int k = 0; k < 6; k++) {
      compared += compare_parameter((cr_field_id)i, (uint64_t)(i + 5 * k), integrators[k]);
    }
  }
  print_message("%d comparisons\n", compared);
  assert_true(compared > 300);
  (void)state;
}

// one behind the other: the second begins with what the first left
TEST(two_stages_change_one_parameter) {
  static const char* const field = "dof_damping";
  static const int integrators[] = {CR_INT_EULER, CR_INT_RK4};
  for (int k = 0; k < 2; k++) {
    cr_model model[2];
    const cr_model* m[2] = {&model[0], &model[1]};
    cr_data* d[2];
    open_model(&model[0], 0, integrators[k]);
    open_model(&model[1], 0, integrators[k]);
    assert_int_equal(add_times(&model[0], "times", field), CR_OK);
    assert_int_equal(add_times(&model[0], "again", field), CR_OK);
    for (int i = 0; i < model[1].nv; i++) {
      model[1].dof_damping[i] = FACTOR * (FACTOR * model[1].dof_damping[i]);
    }
    for (int j = 0; j < 2; j++) {
      d[j] = test_data(m[j]);
      random_state(m[j], d[j], 3, STATE_FLIGHT);
      assert_int_equal(cr_step(m[j], d[j]), CR_OK);
    }
    assert_equal(d[0]->qvel_next, d[1]->qvel_next, m[0]->nv, field, "qvel_next", integrators[k]);
    cr_data *bar[2], *again = test_data(m[0]);
    for (int j = 0; j < 2; j++) {
      bar[j] = test_twin(m[j], d[j], CR_DATA_COTANGENT);
      bar[j]->qvel_next[0] = 1;
      assert_int_equal(cr_step_vjp(m[j], m[j], d[j], again, bar[j]), CR_OK);
    }
    assert_near(bar[0]->par.dof_damping, bar[1]->par.dof_damping, m[0]->nv, FACTOR * FACTOR, field,
                field, integrators[k]);
    cri_model_free(&model[0]);
    cri_model_free(&model[1]);
    test_release();
  }
  (void)state;
}

// a stage that reads a parameter stands behind those that change it
TEST(parameters_are_read_in_order) {
  static const char *const damping[] = {"dof_damping"}, *const force[] = {"qfrc_passive"};
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  cr_stage_options early = options_of("early", "kinematics", damping, (const char*[]){"xpos"});
  cr_stage_options late = options_of("late", "com", (const char*[]){"qvel"}, damping);
  assert_int_equal(cr_model_add_stage(&m, &early, &error), CR_OK);
  assert_int_equal(cr_model_add_stage(&m, &late, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "'late' changes dof_damping, which 'early' has used before"));
  late.after = "plugin";
  assert_int_equal(cr_model_add_stage(&m, &late, &error), CR_OK);
  cr_stage_options before = options_of("before", "plugin", (const char*[]){"qvel"}, damping);
  before.reads = (const char*[]){"jnt_stiffness"};
  assert_int_equal(cr_model_add_stage(&m, &before, &error), CR_OK);
  cr_stage_options stiff =
      options_of("stiff", "velocity", (const char*[]){"qvel"}, (const char*[]){"jnt_stiffness"});
  assert_int_equal(cr_model_add_stage(&m, &stiff, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(
      strstr(error.text, "'stiff' changes jnt_stiffness, which 'before' has used before"));
  cr_stage_options reader = options_of("reader", "passive", damping, force);
  assert_int_equal(cr_model_add_stage(&m, &reader, &error), CR_OK);
  cri_model_free(&m);
  (void)state;
}

// ---- what is refused, and what is said

typedef struct {
  const char *name, *after, *reads, *changes, *says;
} wish;

static const wish refused[] = {
    {"x", "passive", "qfrc_bias", "qfrc_passive",
     "'x' reads qfrc_bias, which 'bias' computes later"},
    {"x", "passive", "qvel", "efc_aref", "'x' changes efc_aref, which 'reference' computes later"},
    {"x", "actuation", "qvel", "ten_length",
     "'x' changes ten_length, which 'constraint' has used before"},
    {"x", "tendon", "qvel", "ten_velocity", "which 'velocity' computes later"},
    {"x", "acceleration", "qvel", "qfrc_passive", "which 'smooth' has used before"},
    {"x", "acceleration", "qvel", "act_dot", "which 'acceleration' has used before"},
    {"x", "acceleration", "qvel", "qacc", "cannot change the unknowns of the acceleration"},
    {"x", "sensor", "qvel", "efc_force", "cannot change the unknowns of the acceleration"},
    {"x", "sensor", "qvel", "xpos", "'x' changes xpos, which 'constraint' has used before"},
    {"x", "velocity", "qvel", "cvel", "has to fit to other fields: cvel"},
    {"x", "kinematics", "qvel", "xmat",
     "cannot change an orientation, or a field without a derivative"},
    {"x", "kinematics", "qvel", "qpos", "can change only computed numbers and parameters"},
    {"x", "inertia", "qvel", "M", "can change only computed numbers"},
    {"x", "passive", "ten_J", "qfrc_passive", "cannot read fields that are not plain numbers"},
    {"x", "passive", "qpos_next", "qfrc_passive", "cannot read fields that are not plain numbers"},
    {"x", "passive", "xquat", "qfrc_passive",
     "cannot read a field without a derivative of its own: xquat"},
    {"x", "pasive", "qvel", "qfrc_passive", "there is no stage 'pasive'"},
    {"x", "passive", "qvel", "qfrc_pasive", "no field 'qfrc_pasive'; 'qfrc_passive' may be meant"},
    {"x", "passive", "qvl", "qfrc_passive", "there is no field 'qvl'"},
    {"x", "passive", "qfrc_passive", "qfrc_passive", "names qfrc_passive twice"},
    {"bias", "passive", "qvel", "qfrc_passive", "there is a stage 'bias' already"},
    {"a b", "passive", "qvel", "qfrc_passive", "'a b' is no name"},
    {"", "passive", "qvel", "qfrc_passive", "is no name"},
};

TEST(refusals_say_why) {
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    const wish* w = &refused[i];
    cr_stage_options o = options_of(w->name, w->after, &w->reads, &w->changes);
    assert_int_not_equal(cr_model_add_stage(&m, &o, &error), CR_OK);
    if (strstr(error.text, w->says) == NULL) {
      fail_msg("\"%s\" does not say \"%s\"", error.text, w->says);
    }
    assert_null(m.schedule);
  }
  cri_model_free(&m);
}

TEST(options_are_checked) {
  static const char *const reads[] = {"qvel"}, *const changes[] = {"qfrc_passive"};
  cr_model m;
  assert_int_equal(random_model(&m, 0, NULL), CR_OK);
  cr_stage_options good = options_of("x", "passive", reads, changes), o;
  assert_int_equal(cr_model_add_stage(NULL, &good, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_add_stage(&m, NULL, &error), CR_ERR_ARG);
#define BAD(field, value)                                           \
  o = good;                                                         \
  o.field = value;                                                  \
  assert_int_equal(cr_model_add_stage(&m, &o, &error), CR_ERR_ARG); \
  assert_int_equal(cr_model_add_stage(&m, &o, NULL), CR_ERR_ARG)
  BAD(size, 8);
  BAD(name, NULL);
  BAD(after, NULL);
  BAD(reads, NULL);
  BAD(changes, NULL);
  BAD(forward, NULL);
  BAD(nread, -1);
  BAD(nread, CR_MAX_STAGE_READS + 1);
  BAD(nchange, 0);
  BAD(nchange, CR_MAX_STAGE_CHANGES + 1);
  BAD(room, -1);
  BAD(room_row, CR_MAX_STAGE_ROOM + 1);
  BAD(scratch, -1);
#undef BAD
  static const char* const nothing[] = {NULL};
  o = options_of("x", "passive", nothing, changes);
  assert_int_equal(cr_model_add_stage(&m, &o, &error), CR_ERR_NAME);
  cri_model_free(&m);
}

// ---- order

TEST(stages_stand_where_they_were_put) {
  static const struct {
    const char *name, *after, *field, *behind;
  } added[] = {{"a", "passive", "qfrc_passive", "passive"},
               {"b", "passive", "qfrc_passive", "a"},
               {"c", "a", "qfrc_passive", "a"},
               {"d", "reference", "efc_aref", "reference"},
               {"e", "sensor", "sensordata", "sensor"}};
  cr_model m, copy;
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(add_wave(&m, added[i].name, added[i].after, added[i].field), CR_OK);
    assert_int_equal(add_wave(&m, added[i].name, added[i].after, added[i].field), CR_ERR_NAME);
    int at = 0;
    while (strcmp(cr_model_stage(&m, at), added[i].name) != 0) {
      at++;
    }
    assert_string_equal(cr_model_stage(&m, at - 1), added[i].behind);
  }
  assert_int_equal(cri_model_copy(&copy, &m, NULL), CR_OK);
  cri_model_free(&m);
  const cri_schedule* s = cri_schedule_of(&copy);
  assert_int_equal(s->n, cr_npipeline + 5);
  assert_string_equal(s->row[s->nprepare].name, "acceleration");
  assert_int_equal(s->ndynamics, s->nprepare + 1);
  assert_string_equal(cr_model_stage(&copy, s->n - 1), "e");
  assert_null(cr_model_stage(&copy, s->n));
  assert_null(cr_model_stage(&copy, -1));
  assert_null(cr_model_stage(NULL, 0));
  cri_model_free(&copy);
}

// one that was added reads what another would change later, or changes what another has read
TEST(added_stages_read_each_other_in_order) {
  static const char *const spring[] = {"qfrc_spring"}, *const passive[] = {"qfrc_passive"};
  static const char* const damper[] = {"qfrc_damper"};
  cr_model m;
  assert_int_equal(random_model(&m, 1, NULL), CR_OK);
  cr_stage_options reader = options_of("reader", "passive", spring, passive);
  assert_int_equal(cr_model_add_stage(&m, &reader, &error), CR_OK);
  cr_stage_options late = options_of("late", "passive", damper, spring);
  assert_int_equal(cr_model_add_stage(&m, &late, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "'late' changes qfrc_spring, which 'reader' has used before"));
  cr_stage_options last = options_of("last", "passive", passive, damper);
  assert_int_equal(cr_model_add_stage(&m, &last, &error), CR_OK);
  cr_stage_options between = options_of("between", "reader", damper, spring);
  assert_int_equal(cr_model_add_stage(&m, &between, &error), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "'between' reads qfrc_damper, which 'last' changes later"));
  cri_model_free(&m);
}

// ---- parameters of stages, room and scratch: f = -p exp(q) on every number of qfrc_passive

enum { ROOM = 2, ROOM_ROW = 1, SCRATCH = 3 };

static cr_status room_force(void* user, const cr_stage_call* c) {
  c->room[0] = 7;
  c->scratch[SCRATCH - 1] = 1;
  for (int i = 0; i < c->change[0].count; i++) {
    c->room[ROOM + i] = cr_exp(c->read[0].value[i] / 10);
    c->change[0].result[i] -= c->read[1].value[i % 2] * c->room[ROOM + i];
  }
  (void)user;
  return c->time == CR_R(0.5) ? CR_ERR_BUDGET : CR_OK;
}

static cr_status room_jvp(void* user, const cr_stage_call* c) {
  const cr_real* p = c->read[1].twin;
  for (int i = 0; i < c->change[0].count; i++) {
    c->change[0].twin[i] -= c->read[1].value[i % 2] * c->room[ROOM + i] * c->read[0].twin[i] / 10;
    c->change[0].twin[i] -= p != NULL ? p[i % 2] * c->room[ROOM + i] : 0;
  }
  c->scratch[SCRATCH - 1] = 1;
  (void)user;
  return c->room[0] == 7 ? CR_OK : CR_ERR_BUDGET;
}

static cr_status room_vjp(void* user, const cr_stage_call* c) {
  cr_real* p = c->read[1].twin;
  for (int i = 0; i < c->change[0].count; i++) {
    const cr_real bar = c->change[0].twin[i] * c->room[ROOM + i];
    c->read[0].twin[i] -= c->read[1].value[i % 2] * bar / 10;
    if (p != NULL) {
      p[i % 2] -= bar;
    }
  }
  c->scratch[SCRATCH - 1] = 1;
  (void)user;
  return c->room[0] == 7 ? CR_OK : CR_ERR_BUDGET;
}

static cr_status add_room(cr_model* m, const char* name) {
  static const char *const reads[] = {"qvel", "plugin_param"}, *const changes[] = {"qfrc_passive"};
  cr_stage_options o = options_of(name, "passive", reads, changes);
  o.nread = 2;
  o.forward = room_force;
  o.jvp = room_jvp;
  o.vjp = room_vjp;
  o.room = ROOM;
  o.room_row = ROOM_ROW;
  o.scratch = SCRATCH;
  return cr_model_add_stage(m, &o, &error);
}

TEST(parameters_room_and_scratch_of_stages) {
  static const cr_field_id x[] = {CR_FIELD_qpos, CR_FIELD_qvel, CR_FIELD_plugin_param};
  const cr_stage row = {"step", cr_step, step_jvp, step_vjp, x, next, 3, 3, NULL, NULL, NULL, NULL};
  const cr_real p[2] = {CR_R(0.3), CR_R(-0.2)};
  stage_report report = {0};
  for (uint64_t seed = 0; seed < 6; seed++) {
    cr_model m;
    int first = -1;
    open_model(&m, seed, seed % 2 == 0 ? CR_INT_EULER : CR_INT_RK4);
    assert_int_equal(cr_model_add_parameters(&m, 2, p, &first, &error), CR_OK);
    assert_int_equal(first, 0);
    assert_int_equal(add_room(&m, "first"), CR_OK);
    assert_int_equal(add_room(&m, "second"), CR_OK);
    cr_data* d = test_data(&m);
    work = test_data(&m);
    random_state(&m, d, seed, STATE_CONTACT);
    stage_check_derivatives(&report, &m, d, &row, 1, NULL, seed, "room");
    d->time = CR_R(0.5);
    assert_int_equal(cr_forward(&m, d), CR_ERR_BUDGET);
    cri_model_free(&m);
    test_release();
  }
  stage_report_assert(&report, "room");
  assert_true(report.samples > 0 && report.reached[CR_FIELD_plugin_param]);
}

TEST(parameters_are_part_of_the_model) {
  const cr_real p[3] = {1, 2, 3}, bad[1] = {(cr_real)NAN}, five = 5;
  cr_model m, borrows, copy;
  cr_real x[5];
  int first = 0;
  assert_int_equal(random_model(&m, 2, NULL), CR_OK);
  const cr_real mass = m.body_mass[1];
  assert_int_equal(cr_model_add_parameters(&m, 2, NULL, NULL, &error), CR_OK);
  assert_int_equal(cr_model_add_parameters(&m, 3, p, &first, &error), CR_OK);
  assert_true(first == 2 && m.npluginparam == 5 && m.body_mass[1] == mass);
  const uint64_t before = cr_model_fingerprint(&m, 1);
  assert_int_equal(cr_model_set(&m, "plugin_param[4]", &five, 1, &error), CR_OK);
  assert_true(cr_model_fingerprint(&m, 1) != before);
  assert_int_equal(cri_model_copy(&copy, &m, NULL), CR_OK);
  assert_int_equal(cr_model_get(&copy, "plugin_param", x, 5, &error), CR_OK);
  assert_true(x[0] == 0 && x[1] == 0 && x[2] == 1 && x[3] == 2 && x[4] == 5);
  assert_int_equal(cr_model_add_parameters(&m, 1, bad, NULL, &error), CR_ERR_NONFINITE);
  assert_int_equal(cr_model_add_parameters(&m, 0, NULL, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_add_parameters(&m, INT32_MAX, NULL, NULL, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_add_parameters(NULL, 1, NULL, NULL, &error), CR_ERR_ARG);
  borrows = m;
  borrows.memory = NULL;
  assert_int_equal(cr_model_add_parameters(&borrows, 1, NULL, NULL, &error), CR_ERR_UNSUPPORTED);
  assert_int_equal(m.npluginparam, 5);
  cri_model_free(&copy);
  cri_model_free(&m);
}

// ---- failures

static cr_status spoil(void* user, const cr_stage_call* c) {
  const int* kind = user;
  c->change[0].result[0] = *kind == 1 ? (cr_real)NAN : c->change[0].value[0];
  return *kind == 2 ? CR_ERR_BUDGET : CR_OK;
}

TEST(failures_name_the_stage) {
  static const char *const reads[] = {"qvel"}, *const changes[] = {"qfrc_passive"};
  cr_model m;
  int kind = 1;
  assert_int_equal(random_model(&m, 3, NULL), CR_OK);
  cr_data* old = test_data(&m);
  cr_stage_options o = options_of("mine", "passive", reads, changes);
  o.forward = spoil;
  o.jvp = o.vjp = NULL;
  o.user = &kind;
  assert_int_equal(cr_model_add_stage(&m, &o, &error), CR_OK);
  cr_data* d = test_data(&m);
  cr_data* bar = test_twin(&m, d, CR_DATA_COTANGENT);
  assert_int_equal(cr_step(&m, old), CR_ERR_ARG);
  assert_non_null(strstr(old->error.text, "before a stage was added"));
  assert_int_equal(cr_forward(&m, d), CR_ERR_NONFINITE);
  assert_non_null(strstr(d->error.text, "stage 'mine' makes number 0 of qfrc_passive not finite"));
  kind = 2;
  assert_int_equal(cr_forward(&m, d), CR_ERR_BUDGET);
  assert_non_null(strstr(d->error.text, "stage 'mine': its forward says"));
  kind = 0;
  assert_int_equal(cr_forward(&m, d), CR_OK);
  assert_int_equal(cr_forward_vjp(&m, d, bar), CR_ERR_UNSUPPORTED);
  assert_non_null(strstr(bar->error.text, "stage 'mine' has no vjp"));
  cri_model_free(&m);
}
