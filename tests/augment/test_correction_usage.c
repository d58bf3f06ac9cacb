// SPDX-License-Identifier: Apache-2.0
// What a correction says of its inputs is what differences of the step show: an input whose weights are 0 changes nothing.
#include "augment/correction.h"

#include <stdio.h>

#include "scenes/random_model.h"
#include "support/close.h"
#include "support/test.h"

static cr_error error;
static cr_model m;

enum { HIDDEN = 5, UPPER = 3 };

static void add(cr_layer_kind first, cr_layer_kind second) {
  static const cr_correction_input in[] = {
      {.size = sizeof in[0], .place = "qvel", .offset = CR_R(0.5)},
      {.size = sizeof in[0], .place = "time", .scale = 2},
      {.size = sizeof in[0]}};
  const cr_correction_input* inputs[] = {&in[0], &in[1], &in[2]};
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = first, .width = HIDDEN, .activation = CR_ACTIVATION_TANH},
      {.size = sizeof layers[0], .kind = second, .width = UPPER, .activation = CR_ACTIVATION_ELU}};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = "net",
                                   .target = "qfrc_passive",
                                   .inputs = inputs,
                                   .ninput = 3,
                                   .layers = layers,
                                   .nlayer = 2,
                                   .seed = 9,
                                   .l2 = CR_R(0.25),
                                   .lasso = CR_R(0.5),
                                   .group_lasso = 2,
                                   .random_output = true};
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  if (cr_model_add_correction(&m, &o, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static cr_correction_info info_of(void) {
  cr_correction_info info = {.size = sizeof info};
  assert_int_equal(cr_model_get_correction(&m, 0, &info, &error), CR_OK);
  return info;
}

static cr_correction_usage usage_of(int input) {
  cr_correction_usage u = {.size = sizeof u};
  if (cr_correction_get_usage(&m, 0, input, &u, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  return u;
}

TEST(it_tells_the_norm_of_every_input) {
  for (int k = 0; k < 2; k++) {
    add(k == 0 ? CR_LAYER_DENSE : CR_LAYER_GRU, CR_LAYER_DENSE);
    const cr_correction_info info = info_of();
    const int rows = k == 0 ? HIDDEN : 3 * HIDDEN;
    assert_int_equal(info.ninput, m.nv + 2);
    assert_true(info.l2 == CR_R(0.25) && info.lasso == CR_R(0.5) && info.group_lasso == 2);
    cr_real* w = m.plugin_param + info.weight_first;
    for (int j = 0; j < rows; j++) {
      w[j * info.ninput + 1] = 0;                  // qvel[1]
      w[j * info.ninput + m.nv] = j == 0 ? 3 : 0;  // time
    }
    cr_real shares = 0;
    for (int i = 0; i < info.ninput; i++) {
      const cr_correction_usage u = usage_of(i);
      cr_real sum = 0;
      for (int j = 0; j < rows; j++) {
        sum += w[j * info.ninput + i] * w[j * info.ninput + i];
      }
      assert_close(u.norm, cr_sqrt(sum), CR_R(1e-14));
      assert_true(u.used == (i != 1) && u.weights == rows);
      assert_int_equal(u.zeros, i == 1 ? rows : i == m.nv ? rows - 1 : 0);
      shares += u.share;
      if (i < m.nv) {
        assert_string_equal(u.place, "qvel");
        assert_true(u.number == i && u.count == m.nv);
      }
    }
    assert_close(shares, 1, CR_R(1e-14));
    assert_string_equal(usage_of(m.nv).place, "time");
    assert_null(usage_of(m.nv + 1).place);
    cri_model_free(&m);
  }
}

// the outputs of the network move with exactly the inputs that are used
TEST(an_input_that_is_not_used_changes_nothing) {
  add(CR_LAYER_DENSE, CR_LAYER_DENSE);
  const cr_correction_info info = info_of();
  cr_real x[70] = {0}, room[4096], a[64], b[64];
  assert_true(m.nv <= 64 && cr_network_nroom(info.network) <= 4096);
  for (int i = 0; i < HIDDEN; i++) {
    m.plugin_param[info.weight_first + i * info.ninput] = 0;
    m.plugin_param[info.weight_first + i * info.ninput + m.nv] = 0;
  }
  const cr_real* w = m.plugin_param + info.weight_first;
  int used = 0;
  for (int i = 0; i < info.ninput; i++) {
    bool moves = false;
    x[i] = 0;
    cr_network_forward(info.network, w, x, NULL, a, NULL, room);
    x[i] = 1;
    cr_network_forward(info.network, w, x, NULL, b, NULL, room);
    for (int k = 0; k < info.noutput; k++) {
      moves = moves || a[k] != b[k];
    }
    assert_true(moves == usage_of(i).used);
    used += moves;
  }
  assert_int_equal(used, info.ninput - 2);
  cri_model_free(&m);
}

TEST(it_tells_what_each_weight_is) {
  static const struct {
    cr_layer_kind first, second;
  } rows[] = {{CR_LAYER_DENSE, CR_LAYER_DENSE},
              {CR_LAYER_GRU, CR_LAYER_DENSE},
              {CR_LAYER_DENSE, CR_LAYER_GRU}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    add(rows[r].first, rows[r].second);
    const cr_correction_info info = info_of();
    int32_t kind[4096];
    assert_true(info.nweight <= 4096);
    assert_int_equal(cr_correction_get_weights(&m, 0, kind, &error), CR_OK);
    int count[3] = {0};
    const int gates[2] = {rows[r].first == CR_LAYER_GRU ? 3 : 1,
                          rows[r].second == CR_LAYER_GRU ? 3 : 1};
    for (int i = 0; i < info.nweight; i++) {
      assert_true(kind[i] >= CR_WEIGHT_UPPER && kind[i] < info.ninput);
      count[kind[i] >= 0 ? 0 : -kind[i]]++;
      if (i < gates[0] * HIDDEN * info.ninput) {
        assert_int_equal(kind[i], i % info.ninput);
      }
    }
    const int remembered[2] = {gates[0] > 1 ? 3 * HIDDEN * HIDDEN : 0,
                               gates[1] > 1 ? 3 * UPPER * UPPER : 0};
    const int biases = (gates[0] > 1 ? 6 : 1) * HIDDEN + (gates[1] > 1 ? 6 : 1) * UPPER + m.nv;
    assert_int_equal(count[0], gates[0] * HIDDEN * info.ninput);
    assert_int_equal(count[-CR_WEIGHT_BIAS], biases);
    assert_int_equal(count[-CR_WEIGHT_UPPER],
                     gates[1] * UPPER * HIDDEN + UPPER * m.nv + remembered[0] + remembered[1]);
    cri_model_free(&m);
  }
}

TEST(wrong_calls_are_refused) {
  add(CR_LAYER_DENSE, CR_LAYER_DENSE);
  int32_t kind[4096];
  cr_correction_usage u = {.size = sizeof u};
  assert_int_equal(cr_correction_get_usage(&m, 1, 0, &u, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "there is no correction 1"));
  assert_int_equal(cr_correction_get_usage(&m, 0, m.nv + 2, &u, &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "correction 'net' has no input number"));
  assert_int_equal(cr_correction_get_weights(&m, -1, kind, &error), CR_ERR_ARG);
  cri_model_free(&m);
}
