// SPDX-License-Identifier: Apache-2.0
// Files of corrections with their weights: the same steps after reading, and damaged ones refused.
#include "augment/blueprint_file.h"

#include <stdio.h>
#include <string.h>

#include "base/fingerprint.h"
#include "carom/carom.h"
#include "scenes/random_model.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static void add(cr_model* m, const char* name, const char* target, cr_correction_act act) {
  const cr_correction_input in[] = {{.size = sizeof in[0], .place = "qvel", .offset = CR_R(0.5)},
                                    {.size = sizeof in[0], .place = "time", .scale = 2},
                                    {.size = sizeof in[0]}};
  const cr_correction_input* inputs[] = {&in[0], &in[1], &in[2]};
  const cr_layer layer = {
      .size = sizeof layer, .kind = CR_LAYER_DENSE, .width = 4, .activation = CR_ACTIVATION_TANH};
  const cr_correction_options o = {.size = sizeof o,
                                   .name = name,
                                   .target = target,
                                   .act = act,
                                   .inputs = inputs,
                                   .ninput = 3,
                                   .layers = &layer,
                                   .nlayer = 1,
                                   .output_scale = CR_R(0.5),
                                   .seed = 9,
                                   .random_output = true,
                                   .l2 = CR_R(0.25),
                                   .lasso = CR_R(0.5),
                                   .group_lasso = 2};
  assert_int_equal(cr_model_add_correction(m, &o, &error), CR_OK);
}

static size_t load(const char* path, unsigned char* data, size_t room) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  size_t n = fread(data, 1, room, file);
  (void)fclose(file);
  assert_true(n > 0 && n < room);
  return n;
}

static unsigned char bytes[1 << 16];

TEST(what_is_written_is_read) {
  cr_model m, other;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  assert_int_equal(random_model(&other, 4, NULL), CR_OK);
  const char* path = scratch_path("net.crb");
  assert_int_equal(cr_model_save_blueprint(&m, path, &error), CR_ERR_ARG);
  add(&m, "b", "qfrc_bias", CR_CORRECTION_SCALE);
  add(&m, "a", "qfrc_passive", CR_CORRECTION_ADD);
  assert_int_equal(cr_model_save_blueprint(&m, path, &error), CR_OK);
  assert_int_equal(cr_model_save_blueprint(&m, scratch_path("none/net.crb"), &error), CR_ERR_FILE);
  assert_int_equal(cr_model_save_blueprint(NULL, path, &error), CR_ERR_ARG);
  const size_t n = load(path, bytes, sizeof bytes);
  assert_int_equal(cri_blueprint_file_read(&other, bytes, n, path, &error), CR_OK);
  assert_int_equal(cr_model_correction_count(&other), 2);
  cr_data *d = test_data(&m), *e = test_data(&other);
  random_state(&m, d, 1, STATE_CONTACT);
  random_state(&other, e, 1, STATE_CONTACT);
  assert_int_equal(cr_step(&m, d), CR_OK);
  assert_int_equal(cr_step(&other, e), CR_OK);
  for (int i = 0; i < m.nv; i++) {
    assert_true(
        cr_abs(d->qvel_next[i] - e->qvel_next[i]) <=
        (sizeof(cr_real) == sizeof(double) ? 0 : CR_R(1e-9) * (1 + cr_abs(d->qvel_next[i]))));
  }
  // names are there already: refused, and nothing is added
  const int32_t before = other.npluginparam;
  assert_int_equal(cri_blueprint_file_read(&other, bytes, n, path, &error), CR_ERR_NAME);
  assert_true(other.npluginparam == before && cr_model_correction_count(&other) == 2);
  cri_model_free(&m);
  cri_model_free(&other);
}

// puts a checksum that fits on changed bytes
static void seal(unsigned char* data, size_t n) {
  uint64_t hash = cri_fingerprint(0, data, n - 8);
  for (int i = 0; i < 8; i++) {
    data[n - 8 + (size_t)i] = (unsigned char)(hash >> (8 * i));
  }
}

static cr_correction_info info_of(const cr_model* m) {
  cr_correction_info info = {.size = sizeof info};
  assert_int_equal(cr_model_get_correction(m, 0, &info, &error), CR_OK);
  return info;
}

// penalties go with the weights; a file of the first version has none
TEST(penalties_are_kept) {
  enum { PENALTIES = 24, VERSION_AT = 8 };
  cr_model m, with, without;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  assert_int_equal(random_model(&with, 4, NULL), CR_OK);
  assert_int_equal(random_model(&without, 4, NULL), CR_OK);
  add(&m, "a", "qfrc_passive", CR_CORRECTION_ADD);
  const char* path = scratch_path("net.crb");
  assert_int_equal(cr_model_save_blueprint(&m, path, &error), CR_OK);
  size_t n = load(path, bytes, sizeof bytes);
  assert_int_equal(cri_blueprint_file_read(&with, bytes, n, path, &error), CR_OK);
  cr_correction_info info = info_of(&with);
  assert_true(info.l2 == CR_R(0.25) && info.lasso == CR_R(0.5) && info.group_lasso == 2);
  const size_t weights = 4 + 8 * (size_t)info.nweight + 8, at = n - weights - PENALTIES;
  memmove(bytes + at, bytes + at + PENALTIES, weights);
  n -= PENALTIES;
  bytes[VERSION_AT] = 1;
  seal(bytes, n);
  assert_int_equal(cri_blueprint_file_read(&without, bytes, n, path, &error), CR_OK);
  info = info_of(&without);
  assert_true(info.l2 == 0 && info.lasso == 0 && info.group_lasso == 0);
  for (int k = 0; k < info.nweight; k++) {
    assert_true(without.plugin_param[info.weight_first + k] ==
                (cr_real)(double)m.plugin_param[info.weight_first + k]);
  }
  cri_model_free(&m);
  cri_model_free(&with);
  cri_model_free(&without);
}

TEST(damaged_files_are_refused) {
  static unsigned char bad[sizeof bytes];
  cr_model m, fresh;
  assert_int_equal(random_model(&m, 4, NULL), CR_OK);
  assert_int_equal(random_model(&fresh, 4, NULL), CR_OK);
  add(&m, "a", "qfrc_passive", CR_CORRECTION_ADD);
  const char* path = scratch_path("net.crb");
  assert_int_equal(cr_model_save_blueprint(&m, path, &error), CR_OK);
  const size_t n = load(path, bytes, sizeof bytes);
  for (size_t i = 0; i < n; i += 3) {  // one bit anywhere
    memcpy(bad, bytes, n);
    bad[i] ^= 4;
    assert_int_equal(cri_blueprint_file_read(&fresh, bad, n, path, &error), CR_ERR_FORMAT);
    assert_non_null(strstr(error.text, path));
  }
  for (size_t i = 0; i < n; i += 5) {  // cut off
    assert_int_equal(cri_blueprint_file_read(&fresh, bytes, i, path, &error), CR_ERR_FORMAT);
  }
  int refused = 0;
  for (size_t i = 8; i < n - 8; i++) {  // any byte, with a checksum that fits: no crash
    memcpy(bad, bytes, n);
    bad[i] = 0xff;
    seal(bad, n);
    cr_model copy;
    assert_int_equal(random_model(&copy, 4, NULL), CR_OK);
    refused += cri_blueprint_file_read(&copy, bad, n, path, &error) != CR_OK;
    cri_model_free(&copy);
  }
  assert_true(refused > 20 && cr_model_correction_count(&fresh) == 0);
  cri_model_free(&m);
  cri_model_free(&fresh);
}
