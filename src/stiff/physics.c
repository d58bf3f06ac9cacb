// SPDX-License-Identifier: Apache-2.0
// The answer of a differentiable simulator to Parmar, Halm and Posa (2021): the same tosses, seen with the same noise, and the same errors on the same tosses
// held aside. A box on a plane is identified from a few tosses, where their networks have up to 5000.
#include <math.h>
#include <stdio.h>

#include "notebook/sweep.h"
#include "stiff/physics_fit.h"
#include "stiff/physics_score.h"
#include "stiff/sights.h"
#include "stiff/stiff_studies.h"
#include "tools/plot.h"

// ---- what is computed: draws of training tosses of each size, smallest first

typedef struct {
  int tosses, draws;
} part;
static const part all_parts[] = {{1, 6}, {2, 6}, {5, 6}, {10, 3}, {50, 2}, {500, 1}};
static const part brief_parts[] = {{1, 1}, {5, 1}};
enum { N_PART = (int)(sizeof all_parts / sizeof all_parts[0]) };
enum { N_BRIEF = (int)(sizeof brief_parts / sizeof brief_parts[0]) };
enum { STARTS = 3, BRIEF_STARTS = 2, MOST_STARTS = 9, BRIEF_EVALUATION = 100 };
enum { FEWEST = 5 };                    // tosses of the first claim
static const double near_oracle = 1.5;  // what counts as near: errors over the oracle's
enum {
  NETWORKS = 5000
};  // tosses of the published networks, whose roll-outs are off ten times as much as the oracle's or more

typedef struct {
  cr_notebook* book;
  const part* parts;
  int nparts, starts;
  cr_model *truth[CRI_N_FLOOR], *box;
  cri_sighted aside[CRI_N_FLOOR];
  cr_table oracle, fits;
} physics;

static int rows_of(const physics* s) {
  int rows = 0;
  for (int i = 0; i < s->nparts; i++) {
    rows += s->parts[i].draws * CRI_N_FLOOR;
  }
  return rows;
}

// row -> part, draw, floor
static const part* find(const physics* s, int row, int* draw, int* floor) {
  const part* p = s->parts;
  for (; row >= p->draws * CRI_N_FLOOR; p++) {
    row -= p->draws * CRI_N_FLOOR;
  }
  *draw = row / CRI_N_FLOOR;
  *floor = row % CRI_N_FLOOR;
  return p;
}

static bool stop(void* context) {
  const physics* s = context;
  return s->book->request.stop != NULL && s->book->request.stop();
}

// ---- the oracle: a row a floor

enum { LOSS, POSITION, ROTATION, N_QUANTITY };
static const char oracle_header[] = "floor,loss,position,rotation";

static void put_score(const cri_score* score, cr_real* to) {
  to[LOSS] = (cr_real)score->loss.mean;
  to[POSITION] = (cr_real)score->position.mean;
  to[ROTATION] = (cr_real)score->rotation.mean;
}

static cr_status oracle_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  const physics* s = context;
  cri_score score;
  (void)worker;
  CR_TRY(cri_score_of(s->truth[i], &s->aside[i], &score, error));
  row[0] = (cr_real)i;
  put_score(&score, row + 1);
  return CR_OK;
}

static double oracle_of(physics* s, int floor, int quantity) {
  return (double)cri_table_row(&s->oracle, floor)[1 + quantity];
}

// ---- a fit: a row

enum {
  F_FLOOR,
  F_TOSSES,
  F_DRAW,
  F_FROM,
  F_FOUND = F_FROM + CRI_BOX_N,
  F_TRAINED = F_FOUND + CRI_BOX_N,
  F_AGREE,
  F_ERRORS,
  F_RATIOS = F_ERRORS + N_QUANTITY
};
static const char fits_csv[] = "stiff_contact_physics.csv";
static const char fits_header[] =
    "floor,tosses,draw,from_half_side,from_inertia,from_friction,from_stiffness,from_damping,half_"
    "side,inertia,friction,stiffness,damping,training_loss,starts_that_agree,loss,position,"
    "rotation,loss_over_oracle,position_over_oracle,rotation_over_oracle";

static cr_status identify(physics* s, const cri_sighted* tosses, int row, cri_box_found* found,
                          cr_error* error) {
  const cri_box_starts starts = {
      .first = row * STARTS, .least = s->starts, .most = MOST_STARTS, .stop = stop, .context = s};
  return cri_box_identify(&starts, s->box, tosses, found, error);
}

static cr_status judge(physics* s, int floor, const cri_box_found* found, cr_real* row,
                       cr_error* error) {
  cr_model* m = NULL;
  cri_score score;
  CR_TRY(cri_box_model(s->box, found->p, &m, error));
  cr_status status = cri_score_of(m, &s->aside[floor], &score, error);
  cr_model_destroy(m);
  CR_TRY(status);
  cr_copy(row + F_FROM, found->from, CRI_BOX_N);
  cr_copy(row + F_FOUND, found->p, CRI_BOX_N);
  row[F_TRAINED] = found->loss;
  row[F_AGREE] = (cr_real)found->agree;
  put_score(&score, row + F_ERRORS);
  for (int q = 0; q < N_QUANTITY; q++) {
    row[F_RATIOS + q] = row[F_ERRORS + q] / (cr_real)oracle_of(s, floor, q);
  }
  return CR_OK;
}

// single-threaded: the fits are what runs in parallel. Draws of one size have no toss in common
static cr_status fit_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  physics* s = context;
  int draw, floor;
  const part* p = find(s, i, &draw, &floor);
  cr_data* d = NULL;
  cri_sighted tosses = {.n = 0};
  cri_box_found found;
  (void)worker;
  row[F_FLOOR] = (cr_real)floor;
  row[F_TOSSES] = (cr_real)p->tosses;
  row[F_DRAW] = (cr_real)draw;
  CR_TRY(cr_data_create(&d, s->truth[floor], error));
  cr_status status =
      cri_sighted_make(&tosses, s->truth[floor], d, floor, draw * p->tosses, p->tosses, error);
  status = status == CR_OK ? identify(s, &tosses, i, &found, error) : status;
  status = status == CR_OK ? judge(s, floor, &found, row, error) : status;
  cri_sighted_free(&tosses);
  cr_data_destroy(d);
  return status;
}

// ---- over draws

typedef struct {
  double mean, low, high;
} spread;

static spread spread_of(physics* s, int floor, int tosses, int column) {
  spread is = {0, HUGE_VAL, -HUGE_VAL};
  int n = 0;
  for (int i = 0; i < s->fits.rows; i++) {
    const cr_real* row = cri_table_row(&s->fits, i);
    const double value = (double)row[column];
    if ((int)row[F_FLOOR] == floor && (int)row[F_TOSSES] == tosses) {
      is.mean += value;
      is.low = fmin(is.low, value);
      is.high = fmax(is.high, value);
      n++;
    }
  }
  is.mean /= n;
  return is;
}

static void say_errors(physics* s) {
  cri_say(
      s->book,
      "Errors on %d tosses of a floor that no fit has seen, over those of the oracle: mean over "
      "draws of the training tosses (lowest to highest)\n\n"
      "  %-8s %6s %5s   %-24s %-24s %-24s\n",
      s->aside[0].n, "", "tosses", "draws", "single step", "position, roll-out",
      "rotation, roll-out");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int i = 0; i < s->nparts; i++) {
      cri_say(s->book, "  %-8s %6d %5d ", i == 0 ? cri_floors[f].name : "", s->parts[i].tosses,
              s->parts[i].draws);
      for (int q = 0; q < N_QUANTITY; q++) {
        const spread is = spread_of(s, f, s->parts[i].tosses, F_RATIOS + q);
        cri_say(s->book, "  %6.3f (%.3f to %.3f)  ", is.mean, is.low, is.high);
      }
      cri_say(s->book, "\n");
    }
    cri_say(s->book, "  %-8s %6s %5s   %-24.4g %-24.4g %-24.4g\n", "", "oracle", "",
            oracle_of(s, f, LOSS), oracle_of(s, f, POSITION), oracle_of(s, f, ROTATION));
  }
}

static void say_numbers(physics* s) {
  static const char* const names[CRI_BOX_N] = {"side, mm", "inertia, g m^2", "friction",
                                               "stiffness", "damping"};
  static const double units[CRI_BOX_N] = {2000, 1000, 1, 1, 1};
  cri_say(s->book, "\nNumbers found: mean (lowest to highest)\n\n  %-8s %6s ", "", "tosses");
  for (int k = 0; k < CRI_BOX_N; k++) {
    cri_say(s->book, "  %-26s", names[k]);
  }
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cr_real truth[CRI_BOX_N];
    cri_box_truth(f, truth);
    for (int i = 0; i < s->nparts; i++) {
      cri_say(s->book, "\n  %-8s %6d ", i == 0 ? cri_floors[f].name : "", s->parts[i].tosses);
      for (int k = 0; k < CRI_BOX_N; k++) {
        const spread is = spread_of(s, f, s->parts[i].tosses, F_FOUND + k);
        cri_say(s->book, "  %7.4g (%.4g to %.4g)  ", units[k] * is.mean, units[k] * is.low,
                units[k] * is.high);
      }
    }
    cri_say(s->book, "\n  %-8s %6s ", "", "truth");
    for (int k = 0; k < CRI_BOX_N; k++) {
      cri_say(s->book, "  %-26.4g", units[k] * (double)truth[k]);
    }
  }
  cri_say(s->book, "\n");
}

// fewest tosses from which on all draws are near the oracle in roll-outs; 0: none
static int enough(physics* s, int floor) {
  int tosses = 0;
  for (int i = s->nparts - 1; i >= 0; i--) {
    const double position = spread_of(s, floor, s->parts[i].tosses, F_RATIOS + POSITION).high;
    const double rotation = spread_of(s, floor, s->parts[i].tosses, F_RATIOS + ROTATION).high;
    if (!(position <= near_oracle && rotation <= near_oracle)) {
      break;
    }
    tosses = s->parts[i].tosses;
  }
  return tosses;
}

static void claim(physics* s) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    const int tosses = enough(s, f);
    cri_claim(s->book, spread_of(s, f, FEWEST, F_RATIOS + POSITION).high, 0, near_oracle,
              "10 or more, with 5000", "%s, %d tosses: position over the oracle's, worst draw",
              cri_floors[f].name, (int)FEWEST);
    cri_claim(s->book, spread_of(s, f, FEWEST, F_RATIOS + ROTATION).high, 0, near_oracle,
              "10 or more, with 5000", "%s, %d tosses: rotation over the oracle's, worst draw",
              cri_floors[f].name, (int)FEWEST);
    cri_claim(s->book, tosses > 0 ? (double)NETWORKS / tosses : 0, (double)NETWORKS / FEWEST,
              HUGE_VAL, "", "%s: %d over the tosses that all draws need to be near the oracle",
              cri_floors[f].name, (int)NETWORKS);
  }
}

// ---- the picture

static cr_status draw(const physics* s, cr_error* error) {
  static const struct {
    const char *column, *title;
    bool log_y;
  } what[] = {{"position_over_oracle", "position of a roll-out, over that of the oracle", false},
              {"rotation_over_oracle", "rotation of a roll-out, over that of the oracle", false},
              {"half_side", "half of the side, m (true: 0.05)", false},
              {"friction", "friction (true: 1)", false},
              {"inertia", "inertia, kg m^2 (true: 6.167e-4)", false},
              {"stiffness", "stiffness, N/(kg m) (true: 2500, 300, 100)", true}};
  enum { N_CHART = (int)(sizeof what / sizeof what[0]) };
  cr_curve curves[N_CHART][CRI_N_FLOOR];
  cr_chart charts[N_CHART];
  for (int k = 0; k < N_CHART; k++) {
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      curves[k][f] = (cr_curve){
          fits_csv, "tosses", what[k].column, cri_floors[f].name, CR_CURVE_POINTS, "floor", f};
    }
    charts[k] = (cr_chart){.xlabel = "tosses",
                           .ylabel = what[k].title,
                           .log_x = true,
                           .log_y = what[k].log_y,
                           .low = (double)NAN,
                           .high = (double)NAN,
                           .curves = curves[k],
                           .ncurve = CRI_N_FLOOR};
  }
  return cri_charts(s->book->folder, "stiff_contact_physics",
                    "A box on a plane, identified from a few tosses", charts, N_CHART, 2, error);
}

// ---- the study

// s of one processor, measured; of a start and toss with a few of them, and of each toss where there are many
static const double second_few = 0.6, second_many = 0.06;

static const double gigabytes_toss = 1.3e-3;  // measured

static void say_cost(const physics* s) {
  // the data, and a fit of the most tosses in each thread
  const double gigabytes =
      0.1 + gigabytes_toss * s->parts[s->nparts - 1].tosses * cr_pool_size(s->book->pool);
  double seconds = 0;
  for (int i = 0; i < s->nparts; i++) {
    const int n = s->parts[i].tosses, few = n < 5 ? n : 5;
    seconds +=
        CRI_N_FLOOR * s->parts[i].draws * (second_few * s->starts * few + second_many * (n - few));
  }
  (void)fprintf(stderr,
                "stiff-contact-physics: %d fits, about %.1f minutes of processor time on %d "
                "threads, %.1f GB of memory, 1 MB of disk\n",
                rows_of(s), seconds / 60, cr_pool_size(s->book->pool), gigabytes);
}

static cr_status open_all(physics* s, cr_error* error) {
  const int n = s->book->request.brief ? BRIEF_EVALUATION : CRI_EVALUATION;
  CR_TRY(cri_box_open(s->book, &s->box, error));
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cr_data* d = NULL;
    CR_TRY(cri_tossed_open(s->book, f, &s->truth[f], error));
    CR_TRY(cr_data_create(&d, s->truth[f], error));
    cr_status status = cri_sighted_make(&s->aside[f], s->truth[f], d, f, CRI_TRAINING, n, error);
    cr_data_destroy(d);
    CR_TRY(status);
  }
  return CR_OK;
}

static void close_all(physics* s) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cri_sighted_free(&s->aside[f]);
    cr_model_destroy(s->truth[f]);
  }
  cr_model_destroy(s->box);
  cri_table_free(&s->oracle);
  cri_table_free(&s->fits);
}

static cr_status compute(physics* s, cr_error* error) {
  say_cost(s);
  CR_TRY(cri_table_create(&s->oracle, "stiff_contact_physics_oracle.csv", oracle_header, NULL,
                          CRI_N_FLOOR, error));
  CR_TRY(cri_table_create(&s->fits, fits_csv, fits_header, NULL, rows_of(s), error));
  CR_TRY(open_all(s, error));
  CR_TRY(cri_sweep(s->book, &s->oracle, CRI_N_FLOOR, oracle_row, s, error));
  CR_TRY(cri_sweep(s->book, &s->fits, 2 * CRI_N_FLOOR, fit_row, s, error));
  say_errors(s);
  say_numbers(s);
  claim(s);
  return draw(s, error);
}

cr_status cri_study_stiff_contact_physics(cr_notebook* book, cr_error* error) {
  const bool brief = book->request.brief;
  physics s = {.book = book,
               .parts = brief ? brief_parts : all_parts,
               .nparts = brief ? N_BRIEF : N_PART,
               .starts = brief ? BRIEF_STARTS : STARTS};
  cr_status status = compute(&s, error);
  close_all(&s);
  return status;
}
