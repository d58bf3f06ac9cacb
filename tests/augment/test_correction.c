// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Corrections with the public headers alone: what is refused and how, what a model says of them, copies, gradients of
// rollouts, adaptive steps, events, contacts from distance, checkpoints, Jacobians, batches.
#include "augment/correction.h"

#include <carom/carom.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static const char text[] =
    "<mujoco><option cone='elliptic' timestep='.004'/><default><geom solref='.03 1'/></default>"
    "<worldbody><geom name='floor' type='plane' size='2 2 .1'/><body pos='0 0 .4'>"
    "<joint name='hip' axis='0 1 0' damping='.1'/><geom name='thigh' type='capsule' size='.03' "
    "fromto='0 0 0 .3 0 0'/><body pos='.3 0 0'><joint name='knee' axis='0 1 0'/>"
    "<geom name='foot' type='capsule' size='.03' fromto='0 0 0 .3 0 0'/></body></body>"
    "<body pos='1 0 .15'><freejoint name='free'/><geom name='ball' size='.1'/></body></worldbody>"
    "<actuator><motor name='motor' joint='hip'/></actuator></mujoco>";

static cr_error error;

static cr_model* open_model(void) {
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("arm.xml", text), &error));
  return m;
}

// ---- one correction: its inputs are separated by blanks

static cr_correction_input input[8];
static const cr_correction_input* inputs[8];
static char words[256];
static cr_layer layers[2];

static cr_correction_options options_of(const char* name, const char* target, const char* reads) {
  cr_correction_options o = {.size = sizeof o, .name = name, .target = target, .inputs = inputs};
  (void)snprintf(words, sizeof words, "%s", reads);
  for (char* word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
    input[o.ninput] =
        (cr_correction_input){.size = sizeof input[0], .place = word, .scale = CR_R(0.5)};
    inputs[o.ninput] = &input[o.ninput];
    o.ninput++;
  }
  layers[0] = (cr_layer){.size = sizeof layers[0],
                         .kind = CR_LAYER_DENSE,
                         .width = 6,
                         .activation = CR_ACTIVATION_TANH};
  o.layers = layers;
  o.nlayer = 1;
  o.seed = 3;
  o.random_output = true;
  return o;
}

static cr_status add(cr_model* m, const char* name, const char* target, const char* reads) {
  const cr_correction_options o = options_of(name, target, reads);
  return cr_model_add_correction(m, &o, &error);
}

// ---- refusals

static const struct {
  const char *target, *reads, *says;
} refused[] = {
    {"qfrc_pasive", "qvel", "did you mean 'qfrc_passive'?"},
    {"qfrc_passive[elbow]", "qvel", "there is no 'elbow'"},
    {"qfrc_passive[elb*]", "qvel", "'qfrc_passive[elb*]' names nothing"},
    {"qfrc_pasive[*]", "qvel", "no field 'qfrc_pasive'; did you mean 'qfrc_passive'?"},
    {"qfrc_passive", "qvl", "'qvl'"},
    {"qfrc_passive", "qvel[*]", "has a [*], but the target has none"},
    {"qfrc_passive[*]", "qvel[h*]", "is a pattern; in an input [*] stands for"},
    {"qfrc_passive[*]", "xpos[*]", "is of each body, and the members of 'qfrc_passive[*]' are"},
    {"qfrc_passive[*]", "contact[*].dist", "only a correction of contacts can read it"},
    {"contact[*].friction", "contact[ball:*].dist", "contact[*] stands for the member's own"},
    {"contact[bal:*].friction", "qvel", "names a geom that the model has not"},
    {"contact[*].fiction", "qvel", "is no field of contacts"},
    {"contact[ball].friction", "qvel", "needs two geoms in its bracket"},
    {"contact[*]", "qvel", "has to be as contact[foot:*].friction"},
    {"tangent[0]", "qvel", "is a direction"},
    {"dof_damping", "qfrc_bias",
     "changes dof_damping and reads qfrc_bias, which 'bias' makes, but 'passive' has used"},
    {"geom_friction[*]", "qfrc_passive",
     "reads qfrc_passive, which 'passive' makes, but 'mixing' has used geom_friction"},
    {"body_mass", "cvel", "reads cvel, which 'velocity' makes, but 'com' has used body_mass"},
    {"geom_size[ball]", "qvel", "cannot change a shape, whose bounds are found"},
    {"jnt_axis", "qvel", "cannot change a direction of unit length: jnt_axis"},
    {"body_quat", "qvel", "cannot change an orientation"},
    {"qpos0", "qvel", "qpos0 is a number of the model without a derivative"},
    {"plugin_param", "qvel", "has no numbers in this model"},
    {"M[hip]", "qvel", "has to be as M[hip,knee]"},
    {"M[hip,toe]", "qvel", "there is no 'toe'"},
    {"actuator_moment", "qvel", "needs a row"},
    {"actuator_moment[*,knee]", "qfrc_passive", "is no entry"},
    {"qvel", "qpos", "qvel is an input of the step"},
    {"qacc", "qvel", "cannot change the unknowns of the acceleration"},
    {"xmat", "qvel", "cannot change an orientation"},
    {"contact[*].friction", "qfrc_bias",
     "changes contact_friction and reads qfrc_bias, which 'bias' makes, but 'constraint' has used"},
    {"qfrc_passive", "qacc", "reads qacc, which 'acceleration' makes, but 'smooth' has used"},
    {"qfrc_passive", "xquat", "cannot read a field without a derivative of its own: xquat"},
};

TEST(refusals_say_why) {
  cr_model* m = open_model();
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    if (add(m, "net", refused[i].target, refused[i].reads) == CR_OK) {
      fail_msg("%s from %s is accepted", refused[i].target, refused[i].reads);
    }
    if (strstr(error.text, refused[i].says) == NULL) {
      fail_msg("\"%s\" does not say \"%s\"", error.text, refused[i].says);
    }
    assert_int_equal(cr_model_count(m, "npluginparam"), 0);
    assert_int_equal(cr_model_correction_count(m), 0);
  }
  cr_model_destroy(m);
  (void)state;
}

TEST(options_are_checked) {
  cr_model* m = open_model();
  cr_correction_options good = options_of("net", "qfrc_passive", "qvel"), o;
  assert_int_equal(cr_model_add_correction(NULL, &good, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_add_correction(m, NULL, &error), CR_ERR_ARG);
#define BAD(field, value)                                               \
  o = good;                                                             \
  o.field = value;                                                      \
  assert_int_equal(cr_model_add_correction(m, &o, &error), CR_ERR_ARG); \
  assert_int_equal(cr_model_add_correction(m, &o, NULL), CR_ERR_ARG)
  BAD(size, 8);
  BAD(name, NULL);
  BAD(name, "a b");
  BAD(target, NULL);
  BAD(act, (cr_correction_act)7);
  BAD(inputs, NULL);
  BAD(ninput, 0);
  BAD(ninput, CR_MAX_CORRECTION_INPUTS + 1);
  BAD(layers, NULL);
  BAD(nlayer, -1);
  BAD(nlayer, CR_MAX_CORRECTION_LAYERS + 1);
  BAD(output_scale, (cr_real)INFINITY);
  BAD(tau, -1);
  BAD(l2, -1);
  BAD(lasso, (cr_real)NAN);
  BAD(group_lasso, -1);
  const cr_real one = 1;
  o = good;
  o.nweight = 1;
  BAD(weights, &one);
#undef BAD
  o = good;
  o.nlayer = 0;
  o.l2 = 1;
  assert_int_equal(cr_model_add_correction(m, &o, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "l2 is of layers above the first"));
  input[0].offset = (cr_real)NAN;
  assert_int_equal(cr_model_add_correction(m, &good, &error), CR_ERR_ARG);
  must(add(m, "net", "qfrc_passive", "qvel"));
  assert_int_equal(add(m, "net", "qfrc_passive", "qvel"), CR_ERR_NAME);
  assert_int_equal(add(m, "passive", "qfrc_passive", "qvel"), CR_ERR_NAME);
  assert_int_equal(cr_model_correction_count(m), 1);
  cr_model_destroy(m);
  (void)state;
}

// ---- what a model says

TEST(a_model_tells_its_corrections) {
  cr_model *m = open_model(), *copy = NULL;
  cr_correction_info info = {.size = sizeof info};
  must(add(m, "late", "qfrc_passive", "qfrc_bias"));
  must(add(m, "joints", "qfrc_passive[*]", "qpos[*] qvel[*] time"));
  must(add(m, "sole", "contact[ball:*].friction", "contact[*].dist"));
  must(cr_model_copy(&copy, m, &error));
  cr_model_destroy(m);
  assert_int_equal(cr_model_correction_count(copy), 3);
  must(cr_model_get_correction(copy, 0, &info, &error));  // in the order in which they run
  assert_string_equal(info.name, "sole");
  assert_string_equal(info.after, "mixing");
  assert_true(info.nmember == 0 && info.ninput == 1 && info.noutput == 5);
  must(cr_model_get_correction(copy, 1, &info, &error));
  assert_string_equal(info.name, "late");
  assert_string_equal(info.after, "bias");
  assert_true(info.nmember == 1 && info.noutput == 8 && info.weight_first == 0);
  const int before = info.nweight;
  must(cr_model_get_correction(copy, 2, &info, &error));
  assert_string_equal(info.target, "qfrc_passive[*]");
  assert_string_equal(info.after, "late");
  assert_true(info.nmember == 2 && info.ninput == 3 && info.noutput == 1);
  assert_int_equal(info.weight_first, before);
  assert_int_equal(info.nweight, (3 + 1) * 6 + 7);
  assert_int_equal(cr_model_get_correction(copy, 3, &info, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_get_correction(copy, -1, &info, &error), CR_ERR_ARG);
  assert_int_equal(cr_model_correction_count(NULL), 0);
  cr_model_destroy(copy);
  (void)state;
}

// members of a set have the same weights, and each its own joint
TEST(a_shared_network_is_that_of_each_member) {
  cr_model *m = open_model(), *one = open_model();
  cr_data *d = NULL, *e = NULL;
  cr_real w[64], a[8], b[8];
  must(add(m, "net", "qfrc_passive[*]", "qpos[*] qvel[*]"));
  must(add(one, "net", "qfrc_passive[knee]", "qpos[knee] qvel[knee]"));
  must(cr_model_get(m, "plugin_param", w, 25, &error));
  must(cr_model_set(one, "plugin_param", w, 25, &error));
  must(cr_data_create(&d, m, &error));
  must(cr_data_create(&e, one, &error));
  const cr_real q[2] = {CR_R(0.3), CR_R(-0.8)};
  for (int i = 0; i < 2; i++) {
    must(cr_data_set(m, d, i == 0 ? "qpos[hip]" : "qpos[knee]", &q[i], 1, &error));
    must(cr_data_set(one, e, i == 0 ? "qpos[hip]" : "qpos[knee]", &q[i], 1, &error));
  }
  must(cr_forward(m, d));
  must(cr_forward(one, e));
  must(cr_data_get(m, d, "qfrc_passive", a, 8, &error));
  must(cr_data_get(one, e, "qfrc_passive", b, 8, &error));
  assert_true(a[1] == b[1] && a[1] != 0);
  assert_true(a[0] != 0 && b[0] == 0 && a[0] != a[1]);
  for (int i = 2; i < 8; i++) {
    assert_true(a[i] == 0);
  }
  cr_data_destroy(d);
  cr_data_destroy(e);
  cr_model_destroy(m);
  cr_model_destroy(one);
  (void)state;
}

// ---- rollouts

enum { STEPS = 40 };

typedef struct {
  const char *integrator, *target, *reads;
  bool adaptive, adjoint, limited, events;
  cr_real low;  // the ball starts so much lower
  cr_real bound;
} way;

static void prepare(cr_rollout* r, const cr_model* m, const way* w) {
  const cr_adaptive adaptive = {
      .size = sizeof adaptive, .rtol = 1e-10, .atol = 1e-10, .events = w->events};
  const cr_adjoint adjoint = {.size = sizeof adjoint, .rtol = 1e-10, .atol = 1e-10};
  if (w->adaptive) {
    must(cr_rollout_set_adaptive(r, m, &adaptive, &error));
  }
  if (w->adjoint) {
    must(cr_rollout_set_adjoint(r, m, &adjoint, &error));
  }
  if (w->limited) {
    must(cr_rollout_set_memory(r, m, 1 << 14, &error));
  }
}

static cr_model* open_way(const way* w) {
  cr_model* m = open_model();
  must(cr_model_set_choice(m, "integrator", w->integrator, &error));
  must(add(m, "net", w->target, w->reads));
  return m;
}

// loss of a rollout, and its gradient by the weights
static cr_real roll(const cr_model* m, const way* w, cr_real* gradient, int n) {
  static const char* const by[] = {"plugin_param"};
  cr_rollout* r;
  cr_expression* e;
  must(cr_expression_create(&e, m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  cr_loss loss = cr_expression_loss(e, false);
  must(cr_rollout_create(&r, m, STEPS, by, 1, &error));
  prepare(r, m, w);
  const cr_real height = CR_R(0.15) - w->low, hip = CR_R(0.2);
  must(cr_data_set(m, cr_rollout_data(r), "qpos[free].z", &height, 1, &error));
  must(cr_data_set(m, cr_rollout_data(r), "qpos[hip]", &hip, 1, &error));
  const cr_real slip = 1;
  must(cr_data_set(m, cr_rollout_data(r), "qvel[free].x", &slip, 1, &error));
  must(cr_rollout_run(r, m, STEPS, &loss, &error));
  const cr_real value = cr_rollout_loss(r);
  if (gradient != NULL) {
    must(cr_rollout_gradient(r, m, m, &loss, &error));
    memcpy(gradient, cr_data_view(m, cr_rollout_bar(r), "plugin_param", NULL, NULL),
           (size_t)n * sizeof *gradient);
  }
  cr_rollout_destroy(r);
  cr_expression_destroy(e);
  return value;
}

static const way ways[] = {
    {.integrator = "euler", .target = "qfrc_passive[*]", .reads = "qpos[*] qvel[*] time"},
    {.integrator = "euler",
     .target = "contact[ball:*].friction",
     .reads = "contact[*].dist qvel",
     .low = 0.06},
    {.integrator = "euler",
     .target = "contact[*].force",
     .reads = "contact[*].dist qvel",
     .low = 0.06},
    {.integrator = "euler", .target = "qfrc_passive", .reads = "qpos qvel", .limited = true},
    {.integrator = "implicit", .target = "qfrc_passive[*]", .reads = "qpos[*] qvel[*] time"},
    {.integrator = "implicitfast",
     .target = "actuator_force[*]",
     .reads = "actuator_length[*] time"},
    {.integrator = "discrete", .target = "qfrc_passive[*]", .reads = "qpos[*] qvel[*] time"},
    {.integrator = "rk4", .target = "qfrc_bias", .reads = "qpos qvel time"},
    {.integrator = "tsit5", .target = "qfrc_passive[*]", .reads = "qpos[*] qvel[*] time"},
    {.integrator = "tsit5",
     .target = "qfrc_passive",
     .reads = "qpos qvel time",
     .adaptive = true,
     .low = -1},
    {.integrator = "dopri5",
     .target = "qfrc_passive[*]",
     .reads = "qpos[*] qvel[*] time",
     .adaptive = true,
     .adjoint = true,
     .low = -1},
    {.integrator = "tsit5",
     .target = "qfrc_passive",
     .reads = "qpos qvel",
     .adaptive = true,
     .events = true,
     .low = 0.03},
    {.integrator = "tsit5",
     .target = "qfrc_passive",
     .reads = "qpos time",
     .adaptive = true,
     .events = true,
     .low = 0.03},
};

TEST(gradients_of_rollouts_are_those_of_differences) {
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const way* w = &ways[i];
    cr_model* m = open_way(w);
    const int n = cr_model_count(m, "npluginparam");
    cr_real g[512], at[512], x[512], slope = 0, h = 1e-5, loss[2];
    assert_true(n > 0 && n < 512);
    (void)roll(m, w, g, n);
    must(cr_model_get(m, "plugin_param", at, n, &error));
    for (int k = 0; k < n; k++) {
      slope += g[k] * sin(1 + k);
    }
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < n; k++) {
        x[k] = at[k] + (side == 0 ? h : -h) * sin(1 + k);
      }
      must(cr_model_set(m, "plugin_param", x, n, &error));
      loss[side] = roll(m, w, NULL, n);
    }
    const cr_real differences = (loss[0] - loss[1]) / (2 * h);
    print_message("%s, %s from %s%s: %.9g, by differences %.9g\n", w->integrator, w->target,
                  w->reads, w->events ? ", events" : "", slope, differences);
    assert_true(fabs(slope) > 1e-6);
    assert_true(fabs(slope - differences) < 1e-5 * fabs(differences));
    cr_model_destroy(m);
  }
  (void)state;
}

// fewer stored states change no bit
TEST(checkpoints_change_no_bit) {
  way w = ways[0];
  cr_model* m = open_way(&w);
  const int n = cr_model_count(m, "npluginparam");
  cr_real a[512], b[512];
  const cr_real first = roll(m, &w, a, n);
  w.limited = true;
  const cr_real second = roll(m, &w, b, n);
  assert_true(first == second);
  assert_memory_equal(a, b, (size_t)n * sizeof a[0]);
  cr_model_destroy(m);
  (void)state;
}

// ---- batches: rows with weights of their own

enum { ROWS = 6, WEIGHTS = 25 };

static cr_loss give_loss(void* context, int item, int worker) {
  (void)item;
  return cr_expression_loss(((cr_expression**)context)[worker], false);
}

static void run_batch(const cr_model* m, int threads, const cr_real* weights, cr_real* loss,
                      cr_real* bar) {
  static const char* const by[] = {"plugin_param"};
  const cr_batch_options options = {.size = sizeof options,
                                    .nstep = STEPS,
                                    .nthread = threads,
                                    .parameters = by,
                                    .nparameter = 1};
  const cr_batch_input in = {.size = sizeof in, .parameters = &weights};
  const cr_batch_output out = {.size = sizeof out, .loss = loss, .parameters_bar = &bar};
  cr_expression* e[4];
  cr_batch* batch = NULL;
  for (int i = 0; i < threads; i++) {
    must(cr_expression_create(&e[i], m, "norm(qpos)^2 + 0.1*norm(qvel)^2", &error));
  }
  must(cr_batch_create(&batch, m, m, &options, &error));
  must(cr_batch_run(batch, ROWS, &in, give_loss, e, &out, &error));
  cr_batch_destroy(batch);
  for (int i = 0; i < threads; i++) {
    cr_expression_destroy(e[i]);
  }
}

TEST(batches_give_the_same_bits_for_any_threads) {
  cr_model* m = open_model();
  cr_real weights[ROWS * WEIGHTS], loss[3][ROWS], bar[3][ROWS * WEIGHTS];
  must(add(m, "net", "qfrc_passive[*]", "qpos[*] qvel[*]"));
  assert_int_equal(cr_model_count(m, "npluginparam"), WEIGHTS);
  for (int i = 0; i < ROWS * WEIGHTS; i++) {
    weights[i] = sin(2 + i);
  }
  for (int k = 0; k < 3; k++) {
    run_batch(m, k + 1, weights, loss[k], bar[k]);
  }
  for (int k = 1; k < 3; k++) {
    assert_memory_equal(loss[0], loss[k], sizeof loss[0]);
    assert_memory_equal(bar[0], bar[k], sizeof bar[0]);
  }
  assert_true(loss[0][0] != loss[0][1] && bar[0][0] != 0 && bar[0][0] != bar[0][WEIGHTS]);
  cr_model_destroy(m);
  (void)state;
}
