// SPDX-License-Identifier: Apache-2.0
// Needs: io
// Blueprints in YAML and files with weights give the corrections that the C calls give; all of a file or none. tests/cli/blueprint.sh
// has the mistakes.
#include <carom/carom.h>
#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/test.h"

static const char arm[] =
    "<mujoco><worldbody><body><joint name='hip' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/><body>"
    "<joint name='knee' axis='0 1 0'/><geom size='.1' pos='.5 0 "
    "0'/></body></body></worldbody></mujoco>";

static const char yaml[] =
    "corrections:\n"
    "  - name: net\n"
    "    target: qfrc_passive[*]\n"
    "    act: blend\n"
    "    inputs:\n"
    "      - place: qpos[*]\n"
    "        offset: 0.5\n"
    "      - {place: 'qvel[*]', scale: 0.1}\n"
    "      - place: constant\n"
    "    layers:\n"
    "      - {kind: gru, width: 3}\n"
    "      - {kind: lstm, width: 2}\n"
    "      - {width: 4, activation: silu}\n"
    "    output_scale: 2\n"
    "    tau: 0.25\n"
    "    seed: 7\n"
    "    random_output: true\n";

static cr_error error;

static cr_model* open_arm(void) {
  cr_model* m = NULL;
  must(cr_model_open(&m, scratch_write("arm.xml", arm), &error));
  return m;
}

static void add_in_c(cr_model* m) {
  const cr_correction_input in[] = {
      {.size = sizeof in[0], .place = "qpos[*]", .offset = 0.5, .scale = 1},
      {.size = sizeof in[0], .place = "qvel[*]", .scale = 0.1},
      {.size = sizeof in[0]}};
  const cr_correction_input* inputs[] = {&in[0], &in[1], &in[2]};
  const cr_layer layers[] = {{.size = sizeof layers[0], .kind = CR_LAYER_GRU, .width = 3},
                             {.size = sizeof layers[0], .kind = CR_LAYER_LSTM, .width = 2},
                             {.size = sizeof layers[0],
                              .kind = CR_LAYER_DENSE,
                              .width = 4,
                              .activation = CR_ACTIVATION_SILU}};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "net",
                                   .target = "qfrc_passive[*]",
                                   .act = CR_CORRECTION_BLEND,
                                   .inputs = inputs,
                                   .ninput = 3,
                                   .layers = layers,
                                   .nlayer = 3,
                                   .output_scale = 2,
                                   .tau = 0.25,
                                   .seed = 7,
                                   .random_output = true};
  must(cr_model_add_correction(m, &o, &error));
}

// state after some steps
static void run(const cr_model* m, cr_real x[32]) {
  cr_data* d = NULL;
  const cr_real q[2] = {0.3, -0.7};
  must(cr_data_create(&d, m, &error));
  must(cr_data_set(m, d, "qpos", q, 2, &error));
  for (int i = 0; i < 20; i++) {
    must(cr_step(m, d));
    must(cr_advance(m, d));
  }
  memset(x, 0, 32 * sizeof *x);
  must(cr_data_get(m, d, "qpos", x, 2, &error));
  must(cr_data_get(m, d, "qvel", x + 2, 2, &error));
  must(cr_data_get(m, d, "plugin_state", x + 4, 14, &error));
  cr_data_destroy(d);
}

TEST(three_ways_to_one_correction) {
  cr_model* m[3] = {open_arm(), open_arm(), open_arm()};
  cr_real x[3][32];
  add_in_c(m[0]);
  must(cr_model_read_blueprint(m[1], scratch_write("net.yaml", yaml), &error));
  must(cr_model_save_blueprint(m[1], scratch_path("net.crb"), &error));
  must(cr_model_read_blueprint(m[2], scratch_path("net.crb"), &error));
  for (int i = 0; i < 3; i++) {
    run(m[i], x[i]);
    assert_memory_equal(x[0], x[i], sizeof x[0]);
    cr_model_destroy(m[i]);
  }
  assert_true(x[0][4] != 0 && x[0][17] != 0);
  (void)state;
}

TEST(all_of_a_file_or_none) {
  cr_model* m = open_arm();
  char text[2048];
  (void)snprintf(text, sizeof text, "%s%s", yaml,
                 "  - name: other\n    target: qfrc_pasive\n    inputs: [{place: time}]\n");
  assert_int_equal(cr_model_read_blueprint(m, scratch_write("bad.yaml", text), &error),
                   CR_ERR_NAME);
  assert_non_null(strstr(error.text, "bad.yaml: "));
  assert_int_equal(cr_model_correction_count(m), 0);
  assert_int_equal(cr_model_count(m, "npluginparam") + cr_model_count(m, "npluginstate"), 0);
  must(cr_model_read_blueprint(m, scratch_write("net.yaml", yaml), &error));
  assert_int_equal(cr_model_correction_count(m), 1);
  assert_int_equal(cr_model_read_blueprint(m, scratch_path("none.yaml"), &error), CR_ERR_FILE);
  // code is not written to a model file; weights are in files of their own
  assert_int_equal(cr_model_save(m, scratch_path("m.crm"), &error), CR_ERR_UNSUPPORTED);
  cr_model_destroy(m);
  (void)state;
}
