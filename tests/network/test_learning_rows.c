// SPDX-License-Identifier: Apache-2.0
// Losses of batches and their gradients: against differences, for any number of threads, with weights of rows, of sequences that
// overlap, of ends; scales of data.
#include "network/learning_rows.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"

enum { IN = 3, OUT = 2, N = 40, ROWS = 200, MOST = 2048 };

static cr_error error;

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

static cr_learned* create(void) {
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .kind = CR_LAYER_LSTM, .width = 4, .both_directions = true},
      {.size = sizeof layers[0], .width = OUT, .activation = CR_ACTIVATION_SOFTPLUS}};
  static const cr_real scale[] = {CR_R(0.5), 2, 3}, mean[] = {1, -1, CR_R(0.2)};
  cr_network* net = NULL;
  cr_learned* l = NULL;
  must(cr_network_create_for_sequences(&net, IN, layers, 2, &error));
  must(cr_learned_create(&l, net, 0, &error));
  must(cr_learned_set_normalisation(l, mean, scale, mean, scale, &error));
  cr_network_destroy(net);
  assert_true(l->network.nweight <= MOST);
  return l;
}

// against differences, and the same bits for any number of threads
static void check_gradient(const cr_learning_data* data) {
  static cr_real w[MOST], moved[MOST], tan[MOST], gradient[3][MOST];
  cr_learned* l = create();
  cri_rows rows;
  must(cri_rows_create(&rows, &l->network, data, "test", &error));
  const int n = l->network.nweight;
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
      must(cri_evaluator_create(&e, l, rows.ends, cri_product_plain, threads,
                                (cr_learning_loss)kind, CR_R(0.3), &error));
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
  cri_rows_free(&rows);
  cr_learned_destroy(l);
}

TEST(the_gradient_is_that_of_the_mean) {
  const cr_learning_data data = draw();
  check_gradient(&data);
}

static cr_real loss_of(const cr_learned* l, const cr_learning_data* data, cr_real* gradient) {
  cri_rows rows;
  cri_evaluator* e = NULL;
  cr_real loss;
  must(cri_rows_create(&rows, &l->network, data, "test", &error));
  must(
      cri_evaluator_create(&e, l, rows.ends, cri_product_plain, 1, CR_LEARNING_SQUARES, 0, &error));
  must(cri_evaluate(e, &rows, which, data->nsequence, l->weight, &loss, gradient, &error));
  cri_evaluator_free(e);
  cri_rows_free(&rows);
  return loss;
}

TEST(rows_of_weight_0_do_not_count) {
  const cr_learning_data data = draw();
  cr_learned* l = create();
  const cr_real before = loss_of(l, &data, NULL);
  for (int i = 0; i < ROWS; i += 4) {
    target[i * OUT] = CR_R(1e6);
  }
  assert_true(before == loss_of(l, &data, NULL));
  target[OUT] = CR_R(1e6);
  assert_true(before != loss_of(l, &data, NULL));
  cr_learned_destroy(l);
}

// ---- sequences that overlap

enum { STRIDE = 2, SLICE = 6, N_SLICE = (ROWS - SLICE) / STRIDE + 1 };
static int32_t slice_first[N_SLICE], slice_length[N_SLICE];

static cr_learning_data draw_slices(void) {
  cr_learning_data data = draw();
  for (int i = 0; i < N_SLICE; i++) {
    slice_first[i] = STRIDE * (N_SLICE - 1 - i);
    slice_length[i] = SLICE - i % 3;
  }
  data.length = slice_length;
  data.first = slice_first;
  return data;
}

// the bits of slices that are written out one behind the other
TEST(slices_need_not_be_written_out) {
  static cr_real x[N_SLICE * SLICE * IN], y[N_SLICE * SLICE * OUT], v[N_SLICE * SLICE];
  static cr_real gradient[2][MOST];
  for (int ends = 0; ends < 2; ends++) {
    cr_learned* l = create();
    cr_learning_data data = draw_slices();
    data.ends = ends == 1;
    data.nsequence = N;
    cr_learning_data written = data;
    for (int i = 0, row = 0; i < N; i++) {
      for (int k = slice_first[i]; k < slice_first[i] + slice_length[i]; k++, row++) {
        cr_copy(x + row * IN, input + k * IN, IN);
        cr_copy(y + row * OUT, target + k * OUT, OUT);
        v[row] = row_weight[k];
      }
    }
    written.first = NULL;
    written.input = x;
    written.target = ends == 1 ? target : y;
    written.weight = ends == 1 ? row_weight : v;
    assert_true(loss_of(l, &data, gradient[0]) == loss_of(l, &written, gradient[1]));
    assert_memory_equal(gradient[0], gradient[1],
                        (size_t)l->network.nweight * sizeof gradient[0][0]);
    cr_learned_destroy(l);
  }
}

TEST(the_gradient_of_ends) {
  cr_learning_data data = draw_slices();
  data.ends = true;
  check_gradient(&data);
}

// rows of no sequence may be anything; a row of two sequences counts twice
TEST(scales_of_slices_with_ends) {
  cr_learning_data data = draw_slices();
  cr_learned* l = create();
  cri_rows rows;
  data.ends = true;
  data.nsequence = 2;
  slice_first[0] = 1;
  slice_first[1] = 2;
  slice_length[0] = slice_length[1] = 2;
  input[0] = input[4 * IN] = (cr_real)NAN;
  must(cri_rows_create(&rows, &l->network, &data, "test", &error));
  assert_int_equal(rows.nrow, 4);
  const int32_t both[] = {0, 1};
  cri_rows_normalise(&rows, both, 2, l);
  for (int k = 0; k < IN; k++) {
    const cr_real* x = input + k;
    assert_close(l->input_mean[k], (x[IN] + 2 * x[2 * IN] + x[3 * IN]) / 4, CR_R(1e-13));
  }
  for (int k = 0; k < OUT; k++) {
    assert_close(l->output_mean[k], (target[k] + target[OUT + k]) / 2, CR_R(1e-13));
    assert_close(l->output_scale[k], cr_abs(target[k] - target[OUT + k]) / 2, CR_R(1e-13));
  }
  cri_rows_free(&rows);
  target[OUT] = (cr_real)NAN;
  assert_int_equal(cri_rows_create(&rows, &l->network, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "a target of sequence 1"));
  input[3 * IN] = (cr_real)NAN;
  target[OUT] = 0;
  assert_int_equal(cri_rows_create(&rows, &l->network, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "an input of row 3"));
  slice_first[1] = -1;
  assert_int_equal(cri_rows_create(&rows, &l->network, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "sequence 1 has 2 rows from row -1 on"));
  cr_learned_destroy(l);
}

TEST(scales_are_those_of_some_sequences) {
  const cr_learning_data data = draw();
  cr_learned* l = create();
  cri_rows rows;
  for (int i = 0; i < ROWS; i++) {
    input[i * IN + 2] = 7;  // never changes
  }
  must(cri_rows_create(&rows, &l->network, &data, "test", &error));
  assert_int_equal(rows.nrow, ROWS);
  cri_rows_normalise(&rows, which, 25, l);
  for (int k = 0; k < IN; k++) {
    cr_real sum = 0, squares = 0, n = 0;
    for (int i = 0; i < 25; i++) {
      for (int64_t row = rows.begin[which[i]]; row < rows.begin[which[i] + 1]; row++, n++) {
        cr_real x[IN];
        cri_learned_scale_inputs(l, 1, input + row * IN, x);
        sum += x[k];
        squares += x[k] * x[k];
      }
    }
    assert_true(cr_abs(sum / n) < CR_R(1e-13));
    assert_true(k == 2 ? squares == 0 : cr_abs(squares / n - 1) < CR_R(1e-13));
  }
  assert_true(l->input_scale[2] == 1 && l->input_mean[2] == 7);
  cri_rows_free(&rows);
  cr_learned_destroy(l);
}

TEST(wrong_rows_are_named) {
  cr_learning_data data = draw();
  cr_learned* l = create();
  cri_rows rows;
  target[2 * 17 + 1] = (cr_real)NAN;
  assert_int_equal(cri_rows_create(&rows, &l->network, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "a target of row 17"));
  data = draw();
  row_weight[5] = -1;
  assert_int_equal(cri_rows_create(&rows, &l->network, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "the weight of row 5"));
  data = draw();
  length[3] = 0;
  assert_int_equal(cri_rows_create(&rows, &l->network, &data, "test", &error), CR_ERR_ARG);
  assert_non_null(strstr(error.text, "sequence 3"));
  cr_learned_destroy(l);
}
