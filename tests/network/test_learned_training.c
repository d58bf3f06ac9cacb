// SPDX-License-Identifier: Apache-2.0
// Training of learned functions: closed forms, the lasso, what is held aside, going on to the same bits, threads, errors.
#include "network/learned_function.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_error error;

static cr_learned* create(int ninput, const cr_layer* layers, int n, uint64_t seed) {
  cr_network* net = NULL;
  cr_learned* l = NULL;
  must(cr_network_create_for_sequences(&net, ninput, layers, n, &error));
  must(cr_learned_create(&l, net, seed, &error));
  cr_network_destroy(net);
  return l;
}

static cr_layer layer_of(cr_layer_kind kind, int width) {
  return (cr_layer){.size = sizeof(cr_layer), .kind = kind, .width = width};
}

static cr_learning_end train(cr_learned* l, const cr_learning_data* data,
                             const cr_learning_options* o) {
  cr_learning_end end = {.size = sizeof end};
  must(cri_learned_train(l, data, o, &end, cri_product_plain, &error));
  return end;
}

// ---- one layer that is linear

enum { N = 60, IN = 4 };
static cr_real input[N * IN], target[N];

// y = 2 x_0 - x_1 + 0.5 + noise; x_2 and x_3 have nothing to do with it
static cr_learning_data linear_data(cr_real noise) {
  cr_random r = cr_random_seed(3, 0);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < IN; k++) {
      input[i * IN + k] = cr_random_range(&r, -1, 1);
    }
    const cr_real* x = input + i * IN;
    target[i] = 2 * x[0] - x[1] + CR_R(0.5) + noise * cr_random_normal(&r);
  }
  return (cr_learning_data){
      .size = sizeof(cr_learning_data), .nsequence = N, .input = input, .target = target};
}

// slope of the mean of squares by weight k (IN: the bias)
static cr_real slope_of(const cr_real* w, int k) {
  cr_real sum = 0;
  for (int i = 0; i < N; i++) {
    const cr_real* x = input + i * IN;
    cr_real e = w[IN] - target[i];
    for (int j = 0; j < IN; j++) {
      e += w[j] * x[j];
    }
    sum += 2 * e * (k < IN ? x[k] : 1);
  }
  return sum / N;
}

TEST(squares_end_at_least_squares) {
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  const cr_learning_data data = linear_data(CR_R(0.3));
  cr_learned* l = create(IN, &layer, 1, 1);
  const cr_learning_options o = {
      .size = sizeof o, .epochs = 3000, .rate = CR_R(0.05), .final_rate = CR_R(1e-7)};
  const cr_learning_end end = train(l, &data, &o);
  for (int k = 0; k <= IN; k++) {
    assert_true(cr_abs(slope_of(l->weight, k)) < CR_R(1e-5));
  }
  cr_real loss;
  must(cri_learned_evaluate(l, &data, CR_LEARNING_SQUARES, 0, &loss, cri_product_plain, &error));
  assert_close(loss, end.loss, CR_R(1e-14));
  assert_true(end.loss < end.start_loss && isnan(end.held_loss) && end.steps == 3000);
  cr_learned_destroy(l);
}

// a lasso ends where the slope of the loss is minus that of the penalty; inputs that are not needed lose their weights
TEST(a_lasso_makes_weights_exactly_zero) {
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  const cr_learning_data data = linear_data(CR_R(0.1));
  int32_t group[IN + 1];
  for (int k = 0; k < 2; k++) {
    cr_learned* l = create(IN, &layer, 1, 1);
    must(cr_network_input_groups(&l->network, group, &error));
    assert_true(group[0] == 0 && group[3] == 3 && group[IN] == -1);
    const cr_real lasso = CR_R(0.1);
    const cr_learning_options o = {.size = sizeof o,
                                   .epochs = 3000,
                                   .rate = CR_R(0.05),
                                   .final_rate = CR_R(1e-7),
                                   .group = group,
                                   .lasso = k == 0 ? lasso : 0,
                                   .group_lasso = k == 0 ? 0 : lasso};
    const cr_learning_end end = train(l, &data, &o);
    assert_true(l->weight[2] == 0 && l->weight[3] == 0);
    assert_int_equal(end.nonzero, 3);
    assert_true(cr_abs(slope_of(l->weight, 0) + lasso) < CR_R(1e-4));
    assert_true(cr_abs(slope_of(l->weight, 1) - lasso) < CR_R(1e-4));
    assert_true(cr_abs(slope_of(l->weight, 2)) <= lasso &&
                cr_abs(slope_of(l->weight, IN)) < CR_R(1e-4));
    cr_learned_destroy(l);
  }
}

// the groups of a recurrent layer in both directions
TEST(inputs_of_recurrent_layers_are_groups) {
  cr_layer layers[] = {layer_of(CR_LAYER_GRU, 2), layer_of(CR_LAYER_DENSE, 1)};
  layers[0].both_directions = true;
  cr_learned* l = create(3, layers, 2, 1);
  int32_t group[200];
  int count[3] = {0}, none = 0;
  must(cr_network_input_groups(&l->network, group, &error));
  for (int i = 0; i < l->network.nweight; i++) {
    none += group[i] < 0;
    count[group[i] < 0 ? 0 : group[i]] += group[i] >= 0;
  }
  assert_true(count[0] == 12 && count[1] == 12 && count[2] == 12);
  assert_int_equal(none, l->network.nweight - 36);
  cr_learned_destroy(l);
}

TEST(ridge_and_decay) {
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  const cr_learning_data data = linear_data(CR_R(0.1));
  cr_learned* l = create(IN, &layer, 1, 1);
  const cr_real l2[IN + 1] = {CR_R(0.5), CR_R(0.5), 2, 0, 0};
  cr_learning_options o = {
      .size = sizeof o, .epochs = 3000, .rate = CR_R(0.05), .final_rate = CR_R(1e-7), .l2 = l2};
  (void)train(l, &data, &o);
  for (int k = 0; k <= IN; k++) {
    assert_true(cr_abs(slope_of(l->weight, k) + l2[k] * l->weight[k]) < CR_R(1e-4));
  }
  cr_learned_destroy(l);
  // one step of decay alone
  l = create(IN, &layer, 1, 1);
  cr_real before[IN + 1], after[IN + 1];
  cr_copy(before, l->weight, IN + 1);
  o = (cr_learning_options){.size = sizeof o, .epochs = 1, .rate = CR_R(0.01)};
  (void)train(l, &data, &o);
  cr_copy(after, l->weight, IN + 1);
  cr_copy(l->weight, before, IN + 1);
  o.weight_decay = CR_R(0.3);
  (void)train(l, &data, &o);
  for (int k = 0; k <= IN; k++) {
    assert_close(l->weight[k] - after[k], -CR_R(0.01) * CR_R(0.3) * before[k], CR_R(1e-11));
  }
  cr_learned_destroy(l);
}

// a network that is a constant finds the mean, the median and Huber's estimate of one number
TEST(losses_end_at_their_estimates) {
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  static const cr_real y[5] = {0, 1, 2, 4, 30};
  const cr_real x[5] = {0}, delta = 3;
  // Huber: sum of clipped errors 0; with c between 1 and 5: (c - 1) + (c - 2) + (c - 4) + c + 0 = 3 where 0 is within 3
  const cr_real right[3] = {CR_R(7.4), 2, CR_R(2.5)};
  const cr_learning_data data = {.size = sizeof data, .nsequence = 5, .input = x, .target = y};
  for (int kind = 0; kind < 3; kind++) {
    cr_learned* l = create(1, &layer, 1, 0);
    const cr_learning_options o = {.size = sizeof o,
                                   .loss = (cr_learning_loss)kind,
                                   .delta = delta,
                                   .epochs = 4000,
                                   .rate = CR_R(0.1),
                                   .final_rate = CR_R(1e-7)};
    (void)train(l, &data, &o);
    assert_true(cr_abs(l->weight[1] - right[kind]) < CR_R(1e-4));
    cr_learned_destroy(l);
  }
}

// With b1 = b2 = 0 a step is the rate times the sign of the gradient: the distances are the schedule.
TEST(step_sizes_follow_the_schedule) {
  enum { EPOCHS = 5 };
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  const cr_real x = 0, y = 1000, rate = CR_R(0.5), last = CR_R(0.02);
  const cr_learning_data data = {.size = sizeof data, .nsequence = 1, .input = &x, .target = &y};
  for (int kind = 0; kind < 3; kind++) {
    cr_learned* l = create(1, &layer, 1, 0);
    cr_learning_options o = {.size = sizeof o,
                             .epochs = EPOCHS,
                             .rate = rate,
                             .final_rate = last,
                             .b1 = -1,
                             .b2 = -1,
                             .schedule = kind == 1 ? CR_LEARNING_COSINE : CR_LEARNING_GEOMETRIC,
                             .warmup = kind == 2 ? 3 : 0};
    const cr_real before = l->weight[1];
    const cr_learning_end end = train(l, &data, &o);
    cr_real sum = 0;
    for (int e = 0; e < EPOCHS; e++) {
      const cr_real f = (cr_real)e / (EPOCHS - 1);
      cr_real part = kind == 1 ? last + (rate - last) * (1 + cr_cos(CR_PI * f)) / 2
                               : rate * cr_pow(last / rate, f);
      sum += part * (kind == 2 ? cr_min((cr_real)(e + 1) / 4, 1) : 1);
    }
    assert_close(l->weight[1] - before, sum, CR_R(1e-9));
    assert_int_equal(end.steps, EPOCHS);
    cr_learned_destroy(l);
  }
}

// ---- sequences

enum { SEQUENCES = 24, LONGEST = 14, ROWS = SEQUENCES * LONGEST };
static cr_real series[ROWS], response[ROWS];
static int32_t length[SEQUENCES];

// y_t = 0.8 y_t-1 + x_t: a network has to remember
static cr_learning_data filter_data(void) {
  cr_random r = cr_random_seed(9, 0);
  int row = 0;
  for (int i = 0; i < SEQUENCES; i++) {
    cr_real y = 0;
    length[i] = (int32_t)(LONGEST - i % 5);
    for (int t = 0; t < length[i]; t++, row++) {
      series[row] = cr_random_range(&r, -1, 1);
      y = CR_R(0.8) * y + series[row];
      response[row] = 5 * y + 100;
    }
  }
  return (cr_learning_data){.size = sizeof(cr_learning_data),
                            .length = length,
                            .nsequence = SEQUENCES,
                            .input = series,
                            .target = response};
}

static cr_learning_options filter_options(int epochs) {
  return (cr_learning_options){.size = sizeof(cr_learning_options),
                               .normalise = true,
                               .held_out = CR_R(0.25),
                               .epochs = epochs,
                               .batch = 5,
                               .rate = CR_R(0.02),
                               .final_rate = CR_R(0.002),
                               .clip = 1,
                               .seed = 12};
}

static cr_learned* filter_network(cr_layer_kind kind) {
  const cr_layer layers[] = {layer_of(kind, 6), layer_of(CR_LAYER_DENSE, 1)};
  return create(1, layers, 2, 2);
}

TEST(recurrent_networks_learn_a_filter) {
  const cr_learning_data data = filter_data();
  for (int kind = CR_LAYER_GRU; kind <= CR_LAYER_LSTM; kind++) {
    cr_learned* l = filter_network((cr_layer_kind)kind);
    const cr_learning_options o = filter_options(200);
    const cr_learning_end end = train(l, &data, &o);
    assert_true(end.start_loss > CR_R(0.3) && end.held_loss < CR_R(0.01));
    assert_true(l->output_mean[0] > 90 && l->output_scale[0] > 2);
    cr_learned_destroy(l);
  }
}

static void assert_same(const cr_learned* a, const cr_learned* b) {
  for (int i = 0; i < a->network.nweight; i++) {
    assert_true(a->weight[i] == b->weight[i]);
  }
}

TEST(threads_change_no_bit) {
  const cr_learning_data data = filter_data();
  cr_learned* l[3];
  for (int k = 0; k < 3; k++) {
    l[k] = filter_network(CR_LAYER_LSTM);
    cr_learning_options o = filter_options(8);
    o.batch = 0;
    o.threads = k + 1;
    (void)train(l[k], &data, &o);
    assert_same(l[0], l[k]);
  }
  for (int k = 0; k < 3; k++) {
    cr_learned_destroy(l[k]);
  }
}

static bool stop_at(void* context) { return --*(int*)context < 0; }

// a training that is interrupted goes on to the bits of one that is not
TEST(a_training_goes_on_to_the_same_bits) {
  const cr_learning_data data = filter_data();
  int32_t group[2000];
  cr_learned *whole = filter_network(CR_LAYER_GRU), *parts = filter_network(CR_LAYER_GRU);
  must(cr_network_input_groups(&whole->network, group, &error));
  cr_learning_options o = filter_options(12);
  o.group = group;
  o.lasso = CR_R(1e-3);
  const cr_learning_end right = train(whole, &data, &o);
  int steps = 17;  // four a epoch: within the fifth
  cr_learning_end end = {.size = sizeof end};
  o.stop = stop_at;
  o.context = &steps;
  assert_int_equal(cri_learned_train(parts, &data, &o, &end, cri_product_plain, &error),
                   CR_ERR_INTERRUPTED);
  o.stop = NULL;
  o.go_on = true;
  // in memory
  assert_true(parts->state.count[CRI_EPOCH] == 4 && parts->state.count[CRI_STEPS] == 16);
  end = train(parts, &data, &o);
  assert_same(whole, parts);
  assert_true(end.loss == right.loss && end.steps == right.steps);
  cr_learned_destroy(parts);
  // from a file of the last whole epoch
  parts = filter_network(CR_LAYER_GRU);
  o.go_on = false;
  o.epochs = 12;
  o.save = scratch_path("net.crn");
  steps = 17;
  o.stop = stop_at;
  assert_int_equal(cri_learned_train(parts, &data, &o, &end, cri_product_plain, &error),
                   CR_ERR_INTERRUPTED);
  cr_learned_destroy(parts);
  must(cr_learned_open(&parts, o.save, &error));
  assert_int_equal(parts->state.count[CRI_EPOCH], 4);
  o.stop = NULL;
  o.go_on = true;
  end = train(parts, &data, &o);
  if (sizeof(cr_real) == sizeof(double)) {  // files hold doubles
    assert_same(whole, parts);
    assert_true(end.loss == right.loss && end.held_loss == right.held_loss);
  }
  assert_true(end.steps == right.steps && end.best_epoch == right.best_epoch);
  // with other options, and without a training
  o.rate = CR_R(0.03);
  assert_int_equal(cri_learned_train(parts, &data, &o, &end, cri_product_plain, &error),
                   CR_ERR_FORMAT);
  cr_learned* fresh = filter_network(CR_LAYER_GRU);
  assert_int_equal(cri_learned_train(fresh, &data, &o, &end, cri_product_plain, &error),
                   CR_ERR_FORMAT);
  cr_learned_destroy(fresh);
  cr_learned_destroy(parts);
  cr_learned_destroy(whole);
}

// ---- what is held aside

typedef struct {
  int epochs, best;
  cr_real lowest;
} seen;

static void take(void* context, int epoch, cr_real loss, cr_real held) {
  seen* s = context;
  s->epochs = epoch;
  if (held < s->lowest) {
    s->lowest = held;
    s->best = epoch;
  }
  assert_true(isfinite(loss));
}

// a large network and little data with noise: what is held aside gets worse, and the best epoch is kept
TEST(early_stopping_keeps_the_best_epoch) {
  cr_layer layers[] = {layer_of(CR_LAYER_DENSE, 40), layer_of(CR_LAYER_DENSE, 1)};
  layers[0].activation = CR_ACTIVATION_TANH;
  const cr_learning_data data = linear_data(1);
  cr_learned* l = create(IN, layers, 2, 5);
  seen s = {.lowest = (cr_real)INFINITY};
  const cr_learning_options o = {.size = sizeof o,
                                 .normalise = true,
                                 .held_out = CR_R(0.3),
                                 .epochs = 2000,
                                 .batch = 10,
                                 .rate = CR_R(0.02),
                                 .patience = 25,
                                 .progress = take,
                                 .context = &s,
                                 .seed = 1};
  const cr_learning_end end = train(l, &data, &o);
  assert_true(end.epochs < 2000 && end.epochs == end.best_epoch + 25 && s.epochs == end.epochs);
  assert_true(s.best == end.best_epoch && s.lowest == end.held_loss);
  assert_non_null(strstr(end.reason, "no longer falls"));
  // the same training, and the weights of its last epoch
  cr_learned* last = create(IN, layers, 2, 5);
  cr_learning_options to_the_end = o;
  to_the_end.keep_last = true;
  to_the_end.progress = NULL;
  const cr_learning_end other = train(last, &data, &to_the_end);
  assert_true(other.epochs == end.epochs && other.best_epoch == end.epochs);
  assert_true(other.held_loss > end.held_loss && last->weight[0] == l->state.last[0]);
  cr_learned_destroy(last);
  cr_learned_destroy(l);
}

TEST(data_of_its_own_may_be_held_aside) {
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  const cr_learning_data data = linear_data(CR_R(0.1));
  const cr_real x[2 * IN] = {1, 0, 0, 0, 0, 1, 0, 0}, y[2] = {CR_R(2.5), CR_R(-0.5)};
  const cr_learning_data held = {.size = sizeof held, .nsequence = 2, .input = x, .target = y};
  cr_learned* l = create(IN, &layer, 1, 1);
  const cr_learning_options o = {
      .size = sizeof o, .epochs = 400, .rate = CR_R(0.05), .normalise = true, .held = &held};
  const cr_learning_end end = train(l, &data, &o);
  cr_real loss;
  must(cri_learned_evaluate(l, &held, CR_LEARNING_SQUARES, 0, &loss, cri_product_plain, &error));
  assert_close(end.held_loss, loss, CR_R(1e-12));
  assert_true(loss < CR_R(0.05));
  cr_learned_destroy(l);
}

// ---- errors

TEST(what_is_not_finite_is_an_error_with_the_epoch) {
  const cr_layer layers[] = {layer_of(CR_LAYER_DENSE, 8), layer_of(CR_LAYER_DENSE, 8),
                             layer_of(CR_LAYER_DENSE, 1)};
  const cr_learning_data data = linear_data(CR_R(0.1));
  cr_learned* l = create(IN, layers, 3, 1);
  cr_learning_end end = {.size = sizeof end};
  const cr_learning_options o = {.size = sizeof o, .epochs = 20, .rate = cr_sqrt(CR_MAX) / 1000};
  assert_int_equal(cri_learned_train(l, &data, &o, &end, cri_product_plain, &error),
                   CR_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "epoch 2"));
  for (int i = 0; i < l->network.nweight; i++) {
    assert_true(isfinite(l->weight[i]));
  }
  cr_learned_destroy(l);
}

TEST(refusals) {
  const cr_layer layer = layer_of(CR_LAYER_DENSE, 1);
  const cr_learning_data data = linear_data(0);
  cr_learned* l = create(IN, &layer, 1, 1);
  cr_learning_end end = {.size = sizeof end};
  const cr_learning_options good = {.size = sizeof good, .epochs = 1, .rate = CR_R(0.1)};
  cr_learning_options bad;
#define BAD(member, value, words)                                                      \
  bad = good;                                                                          \
  bad.member = value;                                                                  \
  assert_int_equal(cri_learned_train(l, &data, &bad, &end, cri_product_plain, &error), \
                   CR_ERR_ARG);                                                        \
  assert_non_null(strstr(error.text, words))
  const cr_real negative[IN + 1] = {0, -1, 0, 0, 0};
  const int32_t group[IN + 1] = {0, 9, -1, -1, -1};
  BAD(size, 3, "size");
  BAD(rate, 0, "rate");
  BAD(rate, (cr_real)NAN, "rate");
  BAD(epochs, -1, "negative");
  BAD(held_out, 1, "held_out");
  BAD(held_out, CR_R(1e-9), "held aside");
  BAD(loss, (cr_learning_loss)7, "loss");
  BAD(schedule, (cr_learning_schedule)7, "schedule");
  BAD(lasso, 1, "groups");
  BAD(l2, negative, "l2[1]");
  BAD(lasso_factor, negative, "lasso_factor[1]");
  BAD(group_factor, negative, "group_factor[1]");
  BAD(group, group, "group[1]");
#undef BAD
  cr_learned_destroy(l);
}
