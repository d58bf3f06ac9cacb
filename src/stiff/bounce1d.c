// SPDX-License-Identifier: Apache-2.0
// Parmar, Halm and Posa, Fundamental Challenges in Deep Learning for Stiff Contact Dynamics (2021), figure 1: a point falls from 1 m
// on a soft or a stiff floor. A network is to predict its velocity after one second from that at the start, from twenty noisy
// examples. The same 100 data sets for both floors; rate and weight decay by a grid search for each floor.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "carom/carom.h"
#include "notebook/sweep.h"
#include "stiff/bounce.h"
#include "stiff/stiff_studies.h"
#include "tools/plot.h"

enum { SOFT, HARD, N_FLOOR };
static const cri_bounce floors[N_FLOOR] = {{9.81, 100}, {9.81, 2500}};
static const char* const floor_names[N_FLOOR] = {"k = 100", "k = 2500"};

static const double lowest = -3, highest = 5, fall = 1, horizon = 1;  // m/s, m, s
static const cr_real noise = CR_R(0.1);                               // m/s, standard deviation

// points of a data set; places at which models are compared with each other, and with the truth
enum { POINTS = 20, PLACES = 51, FINE = 401 };
// no batch is published; with one example a step training ends by chance least often
enum { WIDTH = 128, BATCH = 1, PATIENCE = 10, MOST_EPOCHS = 20000 };

static const cr_real rates[] = {CR_R(1e-2), CR_R(1e-3), CR_R(1e-4)},
                     decays[] = {CR_R(1e-2), CR_R(1e-4), 0};
enum {
  N_RATE = (int)(sizeof rates / sizeof rates[0]),
  N_DECAY = (int)(sizeof decays / sizeof decays[0]),
  N_SETTING = N_RATE * N_DECAY
};

typedef struct {
  const cr_notebook* book;
  cr_network* network;
  int models, searched;  // models of a floor; those of a setting of the search
  int best[N_FLOOR];     // setting
} bounce1d;

static bool stopped(void* context) {
  const bounce1d* b = context;
  return b->book->request.stop != NULL && b->book->request.stop();
}

// number i of n places
static double place_of(int i, int n) { return lowest + (highest - lowest) * i / (n - 1); }

static double truth(int floor, double velocity) {
  return cri_bounce_velocity(&floors[floor], fall, velocity, horizon);
}

// ---- data and training

typedef struct {
  cr_real input[2 * POINTS],
      target[2 * POINTS];  // first those to learn from, then those held aside
} examples;

// the same speeds and the same noise for both floors
static void draw_examples(int floor, int model, examples* e) {
  cr_random random = cr_random_seed(2021, (uint64_t)model);
  for (int i = 0; i < 2 * POINTS; i++) {
    const cr_real v = cr_random_range(&random, (cr_real)lowest, (cr_real)highest);
    e->input[i] = v + noise * cr_random_normal(&random);
    e->target[i] = (cr_real)truth(floor, (double)v) + noise * cr_random_normal(&random);
  }
}

static cr_learning_data data_of(const examples* e, int first) {
  return (cr_learning_data){.size = sizeof(cr_learning_data),
                            .nsequence = POINTS,
                            .input = e->input + first,
                            .target = e->target + first};
}

static cr_status train(const bounce1d* b, int floor, int model, int setting, cr_learned** learned,
                       cr_learning_end* end, cr_error* error) {
  const int n = cr_network_nweight(b->network);
  examples e;
  draw_examples(floor, model, &e);
  const cr_learning_data data = data_of(&e, 0), held = data_of(&e, POINTS);
  cr_real* l2 = malloc((size_t)n * sizeof *l2);
  if (l2 == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "bounce1d: no memory");
  }
  for (int i = 0; i < n; i++) {
    l2[i] = decays[setting % N_DECAY];
  }
  const cr_learning_options o = {.size = sizeof o,
                                 .held = &held,
                                 .epochs = MOST_EPOCHS,
                                 .batch = BATCH,
                                 .rate = rates[setting / N_DECAY],
                                 .l2 = l2,
                                 .patience = PATIENCE,
                                 .seed = (uint64_t)model,
                                 .threads = 1,
                                 .stop = stopped,
                                 .context = (void*)(uintptr_t)b};
  *end = (cr_learning_end){.size = sizeof *end};
  cr_status status = cr_learned_create(learned, b->network, (uint64_t)model, error);
  status = status == CR_OK ? cr_learned_train(*learned, &data, &o, end, error) : status;
  free(l2);
  return status;
}

// ---- the search: a row a setting of a floor

enum { S_FLOOR, S_RATE, S_DECAY, S_HELD, S_EPOCHS };
static const char search_csv[] = "bounce1d_search.csv";
static const char search_header[] = "floor,rate,decay,held,epochs";

static cr_status search_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const bounce1d* b = context;
  const int floor = i / N_SETTING, setting = i % N_SETTING;
  cr_real held = 0, epochs = 0;
  for (int k = 0; k < b->searched; k++) {
    cr_learned* learned = NULL;
    cr_learning_end end;
    cr_status status = train(b, floor, k, setting, &learned, &end, error);
    cr_learned_destroy(learned);
    CR_TRY(status);
    held += end.held_loss / (cr_real)b->searched;
    epochs += (cr_real)end.epochs / (cr_real)b->searched;
  }
  row[S_FLOOR] = (cr_real)floor;
  row[S_RATE] = rates[setting / N_DECAY];
  row[S_DECAY] = decays[setting % N_DECAY];
  row[S_HELD] = held;
  row[S_EPOCHS] = epochs;
  return CR_OK;
}

static int best_of(cr_table* search, int floor) {
  int best = 0;
  for (int i = 1; i < N_SETTING; i++) {
    const cr_real held = cri_table_row(search, floor * N_SETTING + i)[S_HELD];
    best = held < cri_table_row(search, floor * N_SETTING + best)[S_HELD] ? i : best;
  }
  return best;
}

// ---- models: a row a model of a floor

enum { M_FLOOR, M_MODEL, M_LOSS, M_HELD, M_ERROR, M_EPOCHS, M_CURVE };
static const char model_csv[] = "bounce1d.csv";

// behind the errors the curve of the model: its velocities at all places
static void print_header(char* text, size_t room) {
  int n = snprintf(text, room, "floor,model,loss,held,error,epochs");
  for (int i = 0; i < PLACES; i++) {
    n += snprintf(text + n, room - (size_t)n, ",at_%d", i);
  }
}

static cr_status predict(const cr_learned* learned, int n, cr_real* velocity, cr_error* error) {
  cr_real place[FINE];
  for (int i = 0; i < n; i++) {
    place[i] = (cr_real)place_of(i, n);
  }
  return cr_learned_predict(learned, NULL, n, place, velocity, error);
}

static cr_status compare(const cr_learned* learned, int floor, cr_real* mean, cr_error* error) {
  cr_real velocity[FINE];
  double sum = 0;
  CR_TRY(predict(learned, FINE, velocity, error));
  for (int i = 0; i < FINE; i++) {
    const double miss = (double)velocity[i] - truth(floor, place_of(i, FINE));
    sum += miss * miss;
  }
  *mean = (cr_real)(sum / FINE);
  return CR_OK;
}

static cr_status model_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  (void)worker;
  const bounce1d* b = context;
  const int floor = i / b->models, model = i % b->models;
  cr_learned* learned = NULL;
  cr_learning_end end;
  cr_status status = train(b, floor, model, b->best[floor], &learned, &end, error);
  status = status == CR_OK ? predict(learned, PLACES, row + M_CURVE, error) : status;
  status = status == CR_OK ? compare(learned, floor, &row[M_ERROR], error) : status;
  cr_learned_destroy(learned);
  CR_TRY(status);
  row[M_FLOOR] = (cr_real)floor;
  row[M_MODEL] = (cr_real)model;
  row[M_LOSS] = end.loss;
  row[M_HELD] = end.held_loss;
  row[M_EPOCHS] = (cr_real)end.epochs;
  return CR_OK;
}

// ---- the band of one standard deviation

enum { B_FLOOR, B_VELOCITY, B_TRUTH, B_MEAN, B_LOW, B_HIGH };
static const char band_csv[] = "bounce1d_band.csv";
static const char band_header[] = "floor,velocity,truth,mean,low,high";

static cr_real velocity_of(const bounce1d* b, cr_table* models, int floor, int model, int place) {
  return cri_table_row(models, floor * b->models + model)[M_CURVE + place];
}

static void band_row(const bounce1d* b, cr_table* models, int floor, int place, cr_real* row) {
  double sum = 0, squares = 0;
  for (int k = 0; k < b->models; k++) {
    sum += (double)velocity_of(b, models, floor, k, place);
  }
  const double mean = sum / b->models;
  for (int k = 0; k < b->models; k++) {
    const double off = (double)velocity_of(b, models, floor, k, place) - mean;
    squares += off * off;
  }
  const double deviation = sqrt(squares / (b->models - 1));
  row[B_FLOOR] = (cr_real)floor;
  row[B_VELOCITY] = (cr_real)place_of(place, PLACES);
  row[B_TRUTH] = (cr_real)truth(floor, place_of(place, PLACES));
  row[B_MEAN] = (cr_real)mean;
  row[B_LOW] = (cr_real)(mean - deviation);
  row[B_HIGH] = (cr_real)(mean + deviation);
}

static cr_status make_band(const bounce1d* b, cr_table* models, cr_table* band, cr_error* error) {
  CR_TRY(cri_table_create(band, band_csv, band_header, NULL, N_FLOOR * PLACES, error));
  for (int i = 0; i < N_FLOOR * PLACES; i++) {
    band_row(b, models, i / PLACES, i % PLACES, cri_table_row(band, i));
  }
  return cri_table_save(band, b->book->folder, error);
}

// ---- claims

typedef struct {
  double mean, error;  // standard error of the mean
} estimate;

enum { LOSS, ERROR, VARIANCE, N_QUANTITY };
static const struct {
  const char* name;
  double published;  // hard over soft, less 1
} quantities[N_QUANTITY] = {{"training loss, (m/s)^2", 1.97},
                            {"error against the truth, (m/s)^2", 4.13},
                            {"variance between models, (m/s)^2", 3.09}};

// a model's share of a quantity, so that the quantity is the mean of the shares
static double share_of(const bounce1d* b, cr_table* models, cr_table* band, int floor, int model,
                       int quantity) {
  if (quantity != VARIANCE) {
    const cr_real* row = cri_table_row(models, floor * b->models + model);
    return (double)row[quantity == LOSS ? M_LOSS : M_ERROR];
  }
  double sum = 0;
  for (int i = 0; i < PLACES; i++) {
    const cr_real mean = cri_table_row(band, floor * PLACES + i)[B_MEAN];
    const double off = (double)(velocity_of(b, models, floor, model, i) - mean);
    sum += off * off;
  }
  return sum / PLACES * b->models / (b->models - 1);
}

static estimate mean_of(const bounce1d* b, cr_table* models, cr_table* band, int floor,
                        int quantity) {
  double sum = 0, squares = 0;
  for (int k = 0; k < b->models; k++) {
    const double x = share_of(b, models, band, floor, k, quantity);
    sum += x;
    squares += x * x;
  }
  const double n = b->models, mean = sum / n;
  return (estimate){mean, sqrt(fmax(squares / n - mean * mean, 0) / (n - 1))};
}

// hard over soft, less 1. Model k of both floors has the same examples, so that the error comes from pairs
static estimate change_of(const bounce1d* b, cr_table* models, cr_table* band, int quantity) {
  const double soft = mean_of(b, models, band, SOFT, quantity).mean;
  const double ratio = mean_of(b, models, band, HARD, quantity).mean / soft;
  double squares = 0;
  for (int k = 0; k < b->models; k++) {
    const double off = share_of(b, models, band, HARD, k, quantity) -
                       ratio * share_of(b, models, band, SOFT, k, quantity);
    squares += off * off;
  }
  const double n = b->models;
  return (estimate){ratio - 1, sqrt(squares / (n * (n - 1))) / soft};
}

static void say_search(cr_notebook* book, const bounce1d* b, cr_table* search) {
  cri_say(
      book,
      "Search, %d models a setting: mean loss of the examples held aside, (m/s)^2\n\n  %-10s %-10s "
      "%12s %12s\n",
      b->searched, "rate", "decay", floor_names[SOFT], floor_names[HARD]);
  for (int i = 0; i < N_SETTING; i++) {
    cri_say(book, "  %-10g %-10g", (double)rates[i / N_DECAY], (double)decays[i % N_DECAY]);
    for (int f = 0; f < N_FLOOR; f++) {
      cri_say(book, " %11.4f%s", (double)cri_table_row(search, f * N_SETTING + i)[S_HELD],
              i == b->best[f] ? "*" : " ");
    }
    cri_say(book, "\n");
  }
}

static void conclude(cr_notebook* book, const bounce1d* b, cr_table* search, cr_table* models,
                     cr_table* band) {
  say_search(book, b, search);
  cri_say(book,
          "\n%d models of each floor, %d examples each to learn from and to hold aside\n\n  %-34s "
          "%16s %16s %16s %10s\n",
          b->models, POINTS, "", floor_names[SOFT], floor_names[HARD], "change", "published");
  for (int q = 0; q < N_QUANTITY; q++) {
    const estimate soft = mean_of(b, models, band, SOFT, q),
                   hard = mean_of(b, models, band, HARD, q);
    const estimate change = change_of(b, models, band, q);
    const double published = 1 + quantities[q].published, near = sqrt(10);
    char text[64];
    cri_say(book, "  %-34s %8.4f+-%.4f %8.4f+-%.4f %+7.0f+-%.0f %% %+8.0f %%\n", quantities[q].name,
            soft.mean, soft.error, hard.mean, hard.error, 100 * change.mean, 100 * change.error,
            100 * quantities[q].published);
    (void)snprintf(text, sizeof text, "%.3g", published);
    cri_claim(book, 1 + change.mean, published / near, published * near, text, "%s: hard over soft",
              quantities[q].name);
    if (!book->request.brief) {
      cri_claim(book, change.mean / change.error, 3, (double)INFINITY, "",
                "%s: change over its standard error", quantities[q].name);
    }
  }
}

static cr_status draw(const cr_notebook* book, cr_error* error) {
  cr_curve curves[N_FLOOR][3];
  cr_chart charts[N_FLOOR];
  for (int f = 0; f < N_FLOOR; f++) {
    curves[f][0] = (cr_curve){band_csv,      "velocity", "low,high", "one standard deviation",
                              CR_CURVE_BAND, "floor",    f};
    curves[f][1] =
        (cr_curve){band_csv, "velocity", "mean", "mean of the models", CR_CURVE_LINE, "floor", f};
    curves[f][2] = (cr_curve){band_csv, "velocity", "truth", "truth", CR_CURVE_DASHES, "floor", f};
    charts[f] = (cr_chart){.xlabel = "velocity at the start, m/s",
                           .ylabel = f == SOFT ? "k = 100: velocity after 1 s, m/s"
                                               : "k = 2500: velocity after 1 s, m/s",
                           .low = -8,
                           .high = 2,
                           .curves = curves[f],
                           .ncurve = 3};
  }
  return cri_charts(book->folder, "bounce1d", "A soft and a stiff floor, learned from 20 examples",
                    charts, N_FLOOR, N_FLOOR, error);
}

// ---- the study

static cr_status compute(bounce1d* b, cr_notebook* book, cr_table* search, cr_table* models,
                         cr_error* error) {
  const int threads = cr_pool_size(book->pool);
  static char header[1024];
  print_header(header, sizeof header);
  CR_TRY(cri_table_create(search, search_csv, search_header, NULL, N_FLOOR * N_SETTING, error));
  CR_TRY(cri_table_create(models, model_csv, header, NULL, N_FLOOR * b->models, error));
  CR_TRY(cri_sweep(book, search, threads, search_row, b, error));
  for (int f = 0; f < N_FLOOR; f++) {
    b->best[f] = best_of(search, f);
  }
  return cri_sweep(book, models, threads, model_row, b, error);
}

static cr_status open(bounce1d* b, cr_error* error) {
  const cr_layer layers[] = {
      {.size = sizeof layers[0], .width = WIDTH, .activation = CR_ACTIVATION_RELU},
      {.size = sizeof layers[0], .width = WIDTH, .activation = CR_ACTIVATION_RELU},
      {.size = sizeof layers[0], .width = 1}};
  return cr_network_create(&b->network, 1, layers, 3, error);
}

cr_status cri_study_bounce1d(cr_notebook* book, cr_error* error) {
  bounce1d b = {.book = book,
                .models = book->request.brief ? 10 : 100,
                .searched = book->request.brief ? 2 : 20};
  cr_table search = {0}, models = {0}, band = {0};
  cr_status status = open(&b, error);
  status = status == CR_OK ? compute(&b, book, &search, &models, error) : status;
  status = status == CR_OK ? make_band(&b, &models, &band, error) : status;
  if (status == CR_OK) {
    conclude(book, &b, &search, &models, &band);
    status = draw(book, error);
  }
  cri_table_free(&search);
  cri_table_free(&models);
  cri_table_free(&band);
  cr_network_destroy(b.network);
  return status;
}
