// SPDX-License-Identifier: Apache-2.0
// Losses of batches and their gradients: against differences, for any number of threads, with weights of rows; scales of data.
#include "network/learning_rows.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"

enum { IN = 3, OUT = 2, N = 40, ROWS = 200, MOST = 2048 };

static cr_error error;

static void must(cr_status status) {
  if (status != CR_OK) {
    fail_msg("%s", error.text);
  }
}

static int32_t length[N], which[N];
static cr_real input[ROWS * IN], target[ROWS * OUT], row_weight[ROWS];

static cr_learning_data draw(void) {
  cr_random r = cr_random_seed(6, 0);
  for (int i = 0; i < N; i++) {
    length[i] = 3 + i % 5;
    which[i] = (i * 7) % N;
  }
  for (int i = 0; i < ROWS * IN; i++) {
    input[i] = cr_random_range(&r, -1, 3);
  }
  for (int i = 0; i < ROWS * OUT; i++) {
    target[i] = cr_random_range(&r, -1, 1);
  }
  for (int i = 0; i < ROWS; i++) {
    row_weight[i] = i % 4 == 0 ? 0 : cr_random_range(&r, CR_R(0.5), 2);
  }
  return (cr_learning_data){.size = sizeof(cr_learning_data),
                            .length = length,
                            .nsequence = N,
                            .input = input,
                            .target = target,
                            .weight = row_weight};
}

static cr_network* create(void) {
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = CR_LAYER_LSTM, .width = 4, .both_directions = true},
      {.size = sizeof layers[0], .width = OUT, .activation = CR_ACTIVATION_SOFTPLUS}};
  cr_network* net = NULL;
  must(cr_network_create_for_sequences(&net, IN, layers, 2, &error));
  assert_true(cr_network_nweight(net) <= MOST);
  return net;
}

TEST(the_gradient_is_that_of_the_mean) {
  static cr_real w[MOST], moved[MOST], tan[MOST], gradient[3][MOST];
  const cr_learning_data data = draw();
  cr_network* net = create();
  cri_rows rows;
  must(cri_rows_create(&rows, net, &data, "test", &error));
  assert_int_equal(rows.nrow, ROWS);
  const int n = cr_network_nweight(net);
  cr_random r = cr_random_seed(8, 0);
  for (int i = 0; i < n; i++) {
    w[i] = cr_random_range(&r, -1, 1);
    tan[i] = cr_random_range(&r, -1, 1);
  }
  for (int kind = CR_LEARNING_SQUARES; kind <= CR_LEARNING_HUBER; kind += 2) {
    cr_real loss[3], up, down;
    const cr_real h = CR_R(1e-5);
    for (int threads = 1; threads <= 3; threads++) {
      cri_evaluator* e = NULL;
      must(cri_evaluator_create(&e, net, cri_product_plain, threads, (cr_learning_loss)kind,
                                CR_R(0.3), &error));
      const int k = threads - 1;
      must(cri_evaluate(e, &rows, which, 30, w, &loss[k], gradient[k], &error));
      assert_true(loss[k] == loss[0]);
      for (int i = 0; i < n; i++) {
        assert_true(gradient[k][i] == gradient[0][i]);
      }
      if (threads == 2) {
        cr_real slope = 0;
        for (int i = 0; i < n; i++) {
          moved[i] = w[i] + h * tan[i];
          slope += gradient[0][i] * tan[i];
        }
        must(cri_evaluate(e, &rows, which, 30, moved, &up, NULL, &error));
        for (int i = 0; i < n; i++) {
          moved[i] = w[i] - h * tan[i];
        }
        must(cri_evaluate(e, &rows, which, 30, moved, &down, NULL, &error));
        assert_close((up - down) / (2 * h), slope, CR_R(1e-6));
        assert_true(cr_abs(slope) > CR_R(1e-3));
      }
      cri_evaluator_free(e);
    }
  }
  // rows of weight 0 do not count
  cr_real before, after;
  cri_evaluator* e = NULL;
  must(cri_evaluator_create(&e, net, cri_product_plain, 1, CR_LEARNING_SQUARES, 0, &error));
  must(cri_evaluate(e, &rows, which, N, w, &before, NULL, &error));
  for (int i = 0; i < ROWS; i += 4) {
    rows.target[i * OUT] = CR_R(1e6);
  }
  must(cri_evaluate(e, &rows, which, N, w, &after, NULL, &error));
  assert_true(before == after);
  cri_evaluator_free(e);
  cri_rows_free(&rows);
  cr_network_destroy(net);
}

TEST(scales_are_those_of_some_sequences) {
  const cr_learning_data data = draw();
  cr_network* net = create();
  cr_learned* l = NULL;
  cri_rows rows;
  for (int i = 0; i < ROWS; i++) {
    input[i * IN + 2] = 7;  // never changes
  }
  must(cr_learned_create(&l, net, 0, &error));
  must(cri_rows_create(&rows, net, &data, "test", &error));
  cri_rows_normalise(&rows, which, 25, l);
  cri_rows_scale(&rows, l);
  for (int k = 0; k < IN; k++) {
    cr_real sum = 0, squares = 0, n = 0;
    for (int i = 0; i < 25; i++) {
      for (int64_t row = rows.begin[which[i]]; row < rows.begin[which[i] + 1]; row++, n++) {
        sum += rows.input[row * IN + k];
        squares += rows.input[row * IN + k] * rows.input[row * IN + k];
      }
    }
    assert_true(cr_abs(sum / n) < CR_R(1e-13));
    assert_true(k == 2 ? squares == 0 : cr_abs(squares / n - 1) < CR_R(1e-13));
  }
  assert_true(l->input_scale[2] == 1 && l->input_mean[2] == 7);
  cri_rows_free(&rows);
  cr_learned_destroy(l);
  cr_network_destroy(net);
}

TEST(wrong_rows_are_named) {
  cr_learning_data data = draw();
  cr_network* net = create();
  cri_rows rows;
  target[2 * 17 + 1] = (cr_real)NAN;
  assert_int_equal(cri_rows_create(&rows, net, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "a target of row 17"));
  data = draw();
  row_weight[5] = -1;
  assert_int_equal(cri_rows_create(&rows, net, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the weight of row 5"));
  data = draw();
  length[3] = 0;
  assert_int_equal(cri_rows_create(&rows, net, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "sequence 3"));
  cr_network_destroy(net);
}
