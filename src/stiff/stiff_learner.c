// SPDX-License-Identifier: Apache-2.0
// Learners of the published experiment.
#include "stiff/stiff_learner.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"

const char* const cri_toss_learner_names[CRI_N_LEARNER] = {"mlp", "gru", "lstm", "bilstm"};

enum { WIDTH = 128, MOST_TESTED = 40000, STREAM_SLICES = 3 };

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "stiff-contact: no memory");
}

// ---- networks

static cr_status make_network(int learner, cr_network** network, cr_error* error) {
  const cr_layer hidden = {.size = sizeof hidden, .width = WIDTH, .activation = CR_ACTIVATION_RELU};
  const cr_layer end = {.size = sizeof end, .width = CRI_TWIST};
  if (learner == CRI_MLP) {
    const cr_layer layers[] = {hidden, hidden, hidden, hidden, end};
    return cr_network_create_for_sequences(network, CRI_STATE, layers, 5, error);
  }
  cr_layer memory = {.size = sizeof memory,
                     .kind = learner == CRI_GRU ? CR_LAYER_GRU : CR_LAYER_LSTM,
                     .width = WIDTH,
                     .both_directions = learner == CRI_BILSTM};
  cr_layer decoder = hidden;
  decoder.width = WIDTH / 2;
  const cr_layer layers[] = {memory, decoder, end};
  return cr_network_create_for_sequences(network, CRI_STATE, layers, 3, error);
}

cr_status cri_toss_learner_weights(int learner, int* n, cr_error* error) {
  cr_network* network = NULL;
  CR_TRY(make_network(learner, &network, error));
  *n = cr_network_nweight(network);
  cr_network_destroy(network);
  return CR_OK;
}

// ---- slices: rows that a network sees, and the velocity behind them

static int history_of(int learner) { return learner == CRI_MLP ? 1 : CRI_HISTORY; }

// the first row of a toss is not seen
int cri_toss_learner_slices(int learner, int rows) {
  const int n = rows - 1 - history_of(learner);
  return n > 0 ? n : 0;
}

typedef struct {
  int n, most;
  int32_t *first, *length;  // first row of each in the arrays of the tosses
  cr_real* target;          // [most][CRI_TWIST]
} slices;

static void free_slices(slices* s) {
  free(s->first);
  free(s->length);
  free(s->target);
}

static cr_status make_room(slices* s, int most, cr_error* error) {
  const size_t n = (size_t)(most > 0 ? most : 1);
  *s = (slices){.most = most};
  s->first = malloc(n * sizeof *s->first);
  s->length = malloc(n * sizeof *s->length);
  s->target = malloc(n * CRI_TWIST * sizeof *s->target);
  return s->first != NULL && s->length != NULL && s->target != NULL ? CR_OK : no_memory(error);
}

static void put_slice(slices* s, const cri_tosses* t, int learner, int32_t target) {
  s->length[s->n] = history_of(learner);
  s->first[s->n] = target - history_of(learner);
  cr_copy(s->target + (ptrdiff_t)CRI_TWIST * s->n,
          t->seen + (ptrdiff_t)CRI_STATE * target + CRI_POSE, CRI_TWIST);
  s->n++;
}

// targets are seen rows `history` and on of each toss; row 0 is not seen
static cr_status cut(slices* s, const cri_tosses* t, int learner, int history, int first, int n,
                     cr_error* error) {
  CR_TRY(make_room(s, (int)(t->first[first + n] - t->first[first]), error));
  for (int i = first; i < first + n; i++) {
    for (int32_t row = t->first[i] + 1 + history; row < t->first[i + 1]; row++) {
      put_slice(s, t, learner, row);
    }
  }
  return CR_OK;
}

// the same slices in another order
static cr_status shuffle(const slices* from, const cri_lesson* l, slices* s, cr_error* error) {
  cr_random random = cr_random_seed(l->seed, STREAM_SLICES);
  CR_TRY(make_room(s, from->n, error));
  int32_t* order = malloc((size_t)(from->n > 0 ? from->n : 1) * sizeof *order);
  CR_TRY(order != NULL ? CR_OK : no_memory(error));
  cr_random_shuffle(&random, order, from->n);
  for (int i = 0; i < from->n; i++) {
    put_slice(s, l->tosses, l->learner, from->first[order[i]] + history_of(l->learner));
  }
  free(order);
  return CR_OK;
}

static cr_learning_data data_of(const slices* s, const cri_tosses* t, int first, int n) {
  return (cr_learning_data){.size = sizeof(cr_learning_data),
                            .length = s->length + first,
                            .nsequence = n,
                            .input = t->seen,
                            .target = s->target + (ptrdiff_t)CRI_TWIST * first,
                            .first = s->first + first,
                            .ends = true};
}

// ---- training

// over all rows of the slices; a row counts as often as slices have it
static cr_status normalise(cr_learned* learned, const slices* s, int n, const cri_tosses* t,
                           cr_error* error) {
  cr_real mean[CRI_STATE], scale[CRI_STATE];
  for (int k = 0; k < CRI_STATE; k++) {
    double sum = 0, squares = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < n; i++) {
        for (int32_t row = s->first[i]; row < s->first[i] + s->length[i]; row++) {
          const double x = (double)t->seen[(ptrdiff_t)CRI_STATE * row + k];
          const double off = pass == 1 ? x - (double)mean[k] : 0;
          sum += pass == 0 ? x : 0;
          count += pass == 0 ? 1 : 0;
          squares += off * off;
        }
      }
      mean[k] = (cr_real)(sum / count);
    }
    scale[k] = (cr_real)sqrt(squares / count);
  }
  return cr_learned_set_normalisation(learned, mean, scale, NULL, NULL, error);
}

static cr_status begin(const cri_lesson* l, const slices* s, int n, cr_learned** learned,
                       bool* go_on, cr_error* error) {
  *go_on = l->resume && l->file != NULL && access(l->file, F_OK) == 0;
  if (*go_on) {
    return cr_learned_open(learned, l->file, error);
  }
  cr_network* network = NULL;
  CR_TRY(make_network(l->learner, &network, error));
  cr_status status = cr_learned_create(learned, network, l->seed, error);
  cr_network_destroy(network);
  return status == CR_OK ? normalise(*learned, s, n, l->tosses, error) : status;
}

static cr_real* same_decay(const cr_learned* learned, cr_real decay) {
  const int n = cr_network_nweight(cr_learned_network(learned));
  cr_real* l2 = malloc((size_t)n * sizeof *l2);
  for (int i = 0; i < n && l2 != NULL; i++) {
    l2[i] = decay;
  }
  return l2;
}

static cr_status run(const cri_lesson* l, const slices* s, int train, int held, cr_learned* learned,
                     bool go_on, cr_learning_end* end, cr_error* error) {
  const cr_learning_data data = data_of(s, l->tosses, 0, train);
  const cr_learning_data aside = data_of(s, l->tosses, train, held);
  cr_real* l2 = same_decay(learned, l->decay);
  CR_TRY(l2 != NULL ? CR_OK : no_memory(error));
  const cr_learning_options o = {.size = sizeof o,
                                 .held = &aside,
                                 .epochs = l->epochs,
                                 .batch = 64,
                                 .rate = l->rate,
                                 .l2 = l2,
                                 .patience = l->patience,
                                 .seed = l->seed,
                                 .threads = 1,
                                 .go_on = go_on,
                                 .save = l->file,
                                 .save_every = 1 + 500 / l->n,
                                 .stop = l->stop,
                                 .progress = l->progress,
                                 .context = l->context};
  *end = (cr_learning_end){.size = sizeof *end};
  cr_status status = cr_learned_train(learned, &data, &o, end, error);
  free(l2);
  return status == CR_OK && l->file != NULL ? cr_learned_save(learned, l->file, error) : status;
}

// sums of squares of the errors of the first n slices
static cr_status add_errors(const cr_learned* learned, const slices* s, int n, const cri_tosses* t,
                            cri_log_sums* sums, cr_error* error) {
  if (n == 0) {
    return CR_OK;
  }
  cr_real* velocity = malloc((size_t)n * CRI_TWIST * sizeof *velocity);
  CR_TRY(velocity != NULL ? CR_OK : no_memory(error));
  cr_status status =
      cr_learned_predict_ends(learned, s->first, s->length, n, t->seen, velocity, error);
  for (int i = 0; i < n && status == CR_OK; i++) {
    double squares = 0;
    for (int k = CRI_TWIST * i; k < CRI_TWIST * (i + 1); k++) {
      const double off = (double)(velocity[k] - s->target[k]);
      squares += off * off;
    }
    cri_log_sums_add(sums, squares);
  }
  free(velocity);
  return status;
}

cr_status cri_toss_learner_train(const cri_lesson* l, cr_learned** learned, cr_learning_end* end,
                                 cri_log_sums* trained, cr_error* error) {
  slices all = {0}, s = {0};
  bool go_on = false;
  *learned = NULL;
  cr_status status =
      cut(&all, l->tosses, l->learner, history_of(l->learner), l->first, l->n, error);
  status = status == CR_OK ? shuffle(&all, l, &s, error) : status;
  free_slices(&all);
  const int train = (int)(0.7 * s.n), held = (int)(0.2 * s.n);
  if (status == CR_OK && (train < 1 || held < 1)) {
    status = cri_fail(error, CR_ERR_ARG, "stiff-contact: %d slices are too few", s.n);
  }
  status = status == CR_OK ? begin(l, &s, train, learned, &go_on, error) : status;
  status = status == CR_OK ? run(l, &s, train, held, *learned, go_on, end, error) : status;
  if (status == CR_OK) {
    *trained = (cri_log_sums){.n = 0};
    status = add_errors(*learned, &s, train < MOST_TESTED ? train : MOST_TESTED, l->tosses, trained,
                        error);
  }
  free_slices(&s);
  return status;
}

// ---- roll-outs of all tosses together, a step after the other

typedef struct {
  int n;                   // tosses that are long enough
  int32_t* toss;           // [n] first seen row
  cr_real *seen, *rolled;  // [.][CRI_STATE]; rolled: [n][CRI_HISTORY + CRI_ROLLOUT][CRI_STATE]
  slices at;               // what the network sees
  cr_real* velocity;       // [n][CRI_TWIST]
} rolls;

static void free_rolls(rolls* r) {
  free(r->toss);
  free(r->rolled);
  free(r->velocity);
  free_slices(&r->at);
}

enum { ROLLED = CRI_HISTORY + CRI_ROLLOUT };

static cr_real* rolled_row(const rolls* r, int i, int row) {
  return r->rolled + (ptrdiff_t)CRI_STATE * (ROLLED * i + row);
}

static const cr_real* seen_row(const rolls* r, int i, int row) {
  return r->seen + (ptrdiff_t)CRI_STATE * (r->toss[i] + row);
}

static cr_status begin_rolls(rolls* r, const cri_tosses* t, int first, int n, cr_error* error) {
  r->seen = t->seen;
  r->toss = malloc((size_t)n * sizeof *r->toss);
  r->rolled = malloc((size_t)n * ROLLED * CRI_STATE * sizeof *r->rolled);
  r->velocity = malloc((size_t)n * CRI_TWIST * sizeof *r->velocity);
  CR_TRY(make_room(&r->at, n, error));
  CR_TRY(r->toss != NULL && r->rolled != NULL && r->velocity != NULL ? CR_OK : no_memory(error));
  for (int i = first; i < first + n; i++) {
    if (t->first[i + 1] - t->first[i] - 1 >= ROLLED) {
      r->toss[r->n] = t->first[i] + 1;
      cr_copy(rolled_row(r, r->n, 0), seen_row(r, r->n, 0), CRI_HISTORY * CRI_STATE);
      r->n++;
    }
  }
  return CR_OK;
}

// row `row` of toss i from the predicted velocity, and how far it is off
static cr_status add_row(const rolls* r, const cr_model* m, cr_real interval, int i, int row,
                         cri_oracle* sums, cr_error* error) {
  cr_real* to = rolled_row(r, i, row);
  const cr_real* v = r->velocity + (ptrdiff_t)CRI_TWIST * i;
  double distance, angle;
  cr_copy(to, to - CRI_STATE, CRI_POSE);
  cr_copy(to + CRI_POSE, v, CRI_TWIST);
  CR_TRY(cr_integrate_pos(m, to, v, interval, error));
  CR_TRY(cri_tossed_distance(m, to, seen_row(r, i, row), &distance, &angle, error));
  if (!isfinite(distance) || !isfinite(angle)) {
    return cri_fail(error, CR_ERR_NONFINITE, "a roll-out is not finite at row %d", row);
  }
  cri_log_sums_add(&sums->position, distance);
  cri_log_sums_add(&sums->rotation, angle);
  return CR_OK;
}

static cr_status roll(rolls* r, const cr_learned* learned, int learner, const cr_model* m,
                      cr_real interval, cri_oracle* sums, cr_error* error) {
  for (int row = CRI_HISTORY; row < ROLLED; row++) {
    for (int i = 0; i < r->n; i++) {
      r->at.length[i] = history_of(learner);
      r->at.first[i] = ROLLED * i + row - history_of(learner);
    }
    CR_TRY(cr_learned_predict_ends(learned, r->at.first, r->at.length, r->n, r->rolled, r->velocity,
                                   error));
    for (int i = 0; i < r->n; i++) {
      CR_TRY(add_row(r, m, interval, i, row, sums, error));
    }
  }
  return CR_OK;
}

cr_status cri_toss_learner_test(const cr_learned* learned, int learner, const cr_model* m,
                                cr_real interval, const cri_tosses* tosses, int first, int n,
                                cri_oracle* sums, cr_error* error) {
  slices s = {0};
  rolls r = {0};
  *sums = (cri_oracle){.loss = {.n = 0}};
  cr_status status = cut(&s, tosses, learner, CRI_HISTORY, first, n, error);
  status = status == CR_OK ? add_errors(learned, &s, s.n, tosses, &sums->loss, error) : status;
  status = status == CR_OK ? begin_rolls(&r, tosses, first, n, error) : status;
  status =
      status == CR_OK && r.n > 0 ? roll(&r, learned, learner, m, interval, sums, error) : status;
  free_slices(&s);
  free_rolls(&r);
  return status;
}
