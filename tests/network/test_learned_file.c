// SPDX-License-Identifier: Apache-2.0
// Files of learned functions: there and back, and every damage is refused with a sentence.
#include "network/learned_function.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fingerprint.h"
#include "base/random.h"
#include "support/scratch.h"
#include "support/test.h"

static cr_error error;

static cr_learned* create(bool trained) {
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = CR_LAYER_LSTM, .width = 3, .both_directions = true},
      {.size = sizeof layers[0], .kind = CR_LAYER_GRU, .width = 2},
      {.size = sizeof layers[0], .width = 1, .activation = CR_ACTIVATION_SINE}};
  static const cr_real x[8] = {1, 2, 3, 4, 5, 6, 7, 9}, y[4] = {1, 0, CR_R(0.5), 1};
  const int32_t length = 4;
  cr_network* net = NULL;
  cr_learned* l = NULL;
  must(cr_network_create_for_sequences(&net, 2, layers, 3, &error));
  must(cr_learned_create(&l, net, 7, &error));
  cr_network_destroy(net);
  if (trained) {
    const cr_learning_data data = {
        .size = sizeof data, .length = &length, .nsequence = 1, .input = x, .target = y};
    const cr_learning_options o = {
        .size = sizeof o, .epochs = 3, .rate = CR_R(0.1), .normalise = true};
    cr_learning_end end = {.size = sizeof end};
    must(cri_learned_train(l, &data, &o, &end, cri_product_plain, &error));
  }
  return l;
}

// files hold doubles
static void assert_all_same(const cr_real* a, const cr_real* b, int n) {
  for (int i = 0; i < n; i++) {
    assert_true((double)a[i] == (double)b[i]);
  }
}

TEST(there_and_back) {
  for (int trained = 0; trained < 2; trained++) {
    cr_learned *l = create(trained != 0), *m = NULL;
    const int n = l->network.nweight;
    must(cr_learned_save(l, scratch_path("a.crn"), &error));
    must(cr_learned_open(&m, scratch_path("a.crn"), &error));
    assert_true(m->network.nlayer == 3 && m->network.nweight == n && m->network.ninput == 2);
    assert_int_equal(m->network.layer[0].directions, 2);
    assert_int_equal(m->network.layer[2].activation, CR_ACTIVATION_SINE);
    assert_all_same(l->weight, m->weight, n);
    assert_all_same(l->input_scale, m->input_scale, 2);
    assert_all_same(l->output_mean, m->output_mean, 1);
    assert_true((m->state.last != NULL) == (trained != 0));
    if (trained) {
      assert_all_same(l->state.last, m->state.last, 4 * n);
      assert_true(m->state.count[CRI_EPOCH] == 3 && m->state.fingerprint == l->state.fingerprint);
    }
    cr_learned_destroy(l);
    cr_learned_destroy(m);
  }
  (void)state;
}

static size_t read_file(const char* path, unsigned char* data, size_t room) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  const size_t n = fread(data, 1, room, file);
  assert_int_equal(fclose(file), 0);
  assert_true(n < room);
  return n;
}

static void write_file(const char* path, const unsigned char* data, size_t n) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  assert_int_equal(fclose(file), 0);
}

// a number of the file is another one, and the checksum is right again: refused, or opened and saved again
TEST(damaged_numbers_are_refused) {
  static unsigned char data[65536], copy[65536];
  char path[1024];
  (void)snprintf(path, sizeof path, "%s", scratch_path("b.crn"));
  cr_learned *l = create(true), *m = NULL;
  must(cr_learned_save(l, path, &error));
  cr_learned_destroy(l);
  const size_t n = read_file(path, data, sizeof data);
  int refused = 0, opened = 0;
  for (int round = 0; round < 2000; round++) {
    cr_random r = cr_random_seed((uint64_t)round, 0);
    size_t length = n;
    memcpy(copy, data, n);
    if (round % 10 == 0) {
      length = 20 + (size_t)cr_random_int(&r, (int)n - 20);  // cut off
    } else {
      // mostly in the head, where the sizes are
      const size_t at = 8 + (size_t)cr_random_int(&r, round % 2 == 0 ? 64 : (int)n - 24);
      static const unsigned char bytes[] = {0, 1, 0x7f, 0x80, 0xff};
      copy[at] =
          round % 3 == 0 ? bytes[cr_random_int(&r, 5)] : (unsigned char)cr_random_int(&r, 256);
    }
    const uint64_t sum = cri_fingerprint(0, copy, length - 8);
    for (int i = 0; i < 8; i++) {
      copy[length - 8 + (size_t)i] = (unsigned char)(sum >> (8 * i));
    }
    write_file(path, copy, length);
    error.text[0] = 0;
    if (cr_learned_open(&m, path, &error) == CR_OK) {
      opened++;
      must(cr_learned_save(m, path, &error));
      cr_learned_destroy(m);
    } else {
      refused++;
      assert_true(strstr(error.text, path) == error.text && m == NULL);
    }
  }
  assert_true(refused > 500 && opened > 100);
  // and without a right checksum
  data[n / 2] ^= 1;
  write_file(path, data, n);
  assert_int_equal(cr_learned_open(&m, path, &error), CR_ERR_FORMAT);
  assert_non_null(strstr(error.text, "checksum"));
  assert_int_equal(cr_learned_open(&m, scratch_path("none.crn"), &error), CR_ERR_FILE);
  (void)state;
}
