// SPDX-License-Identifier: Apache-2.0
// The answer of a differentiable simulator to Parmar, Halm and Posa (2021): the same tosses, seen with the same noise, and the same errors on the same tosses
// held aside. A box on a plane is identified from a few tosses, where their networks have up to 5000.
#include <math.h>
#include <stdio.h>

#include "notebook/sweep.h"
#include "physics/contest.h"
#include "physics/gated.h"
#include "physics/learned_shape.h"
#include "physics/physics_box.h"
#include "physics/physics_fit.h"
#include "physics/physics_study.h"
#include "physics/wrong_laws.h"
#include "stiff/sights.h"
#include "tools/plot.h"

// ---- what is computed: draws of training tosses of each size, smallest first

static const cri_part all_parts[] = {{1, 6}, {2, 6}, {5, 6}, {10, 3}, {50, 2}, {500, 1}};
static const cri_part brief_parts[] = {{1, 1}, {5, 1}};
enum { N_PART = (int)(sizeof all_parts / sizeof all_parts[0]) };
enum { N_BRIEF = (int)(sizeof brief_parts / sizeof brief_parts[0]) };
enum { STARTS = 3, BRIEF_STARTS = 2, BRIEF_EVALUATION = 100 };
enum { FEWEST = 5 };                    // tosses of the first claim
static const double near_oracle = 1.5;  // what counts as near: errors over the oracle's
enum {
  NETWORKS = 5000
};  // tosses of the published networks, whose roll-outs are off ten times as much as the oracle's or more

typedef struct {
  cri_contest c;
  cri_unknown* box;
  cr_table oracle, fits;
} physics;

// ---- the oracle: a row a floor

enum {
  LOSS = CRI_LOSS,
  POSITION = CRI_POSITION,
  ROTATION = CRI_ROTATION,
  N_QUANTITY = CRI_N_QUANTITY
};
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
  CR_TRY(cri_score_of(s->c.truth[i], NULL, &s->c.aside[i], &score, error));
  row[0] = (cr_real)i;
  put_score(&score, row + 1);
  return CR_OK;
}

static void keep_oracle(physics* s) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cr_copy(s->c.oracle[f], cri_table_row(&s->oracle, f) + 1, N_QUANTITY);
  }
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

static cr_status identify(physics* s, const cri_sighted* tosses, int row, cri_found* found,
                          cr_error* error) {
  const cri_starts starts = {.first = row * STARTS,
                             .least = s->c.starts,
                             .most = CRI_MOST_STARTS,
                             .stop = cri_contest_stopped,
                             .context = &s->c};
  return cri_identify(&starts, s->box, tosses, found, error);
}

static cr_status judge(physics* s, int floor, const cri_found* found, cr_real* row,
                       cr_error* error) {
  cr_model* m = NULL;
  cri_score score;
  CR_TRY(cri_unknown_model(s->box, found->p, &m, error));
  cr_status status = cri_score_of(m, NULL, &s->c.aside[floor], &score, error);
  cr_model_destroy(m);
  CR_TRY(status);
  cr_copy(row + F_FROM, found->from, CRI_BOX_N);
  cr_copy(row + F_FOUND, found->p, CRI_BOX_N);
  row[F_TRAINED] = found->loss;
  row[F_AGREE] = (cr_real)found->agree;
  put_score(&score, row + F_ERRORS);
  for (int q = 0; q < N_QUANTITY; q++) {
    row[F_RATIOS + q] = row[F_ERRORS + q] / s->c.oracle[floor][q];
  }
  return CR_OK;
}

// single-threaded: the fits are what runs in parallel. Draws of one size have no toss in common
static cr_status fit_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  physics* s = context;
  int draw, floor;
  const cri_part* p = cri_contest_find(&s->c, i, &draw, &floor);
  cri_sighted tosses;
  cri_found found;
  (void)worker;
  row[F_FLOOR] = (cr_real)floor;
  row[F_TOSSES] = (cr_real)p->tosses;
  row[F_DRAW] = (cr_real)draw;
  cr_status status = cri_contest_tosses(&s->c, floor, p, draw, &tosses, error);
  status = status == CR_OK ? identify(s, &tosses, i, &found, error) : status;
  status = status == CR_OK ? judge(s, floor, &found, row, error) : status;
  cri_sighted_free(&tosses);
  return status;
}

// ---- over draws

static cri_spread spread_of(physics* s, int floor, int part, int column) {
  return cri_contest_spread(&s->c, &s->fits, 1, 0, floor, part, column);
}

// the part with so many tosses
static int part_of(const physics* s, int tosses) {
  int i = 0;
  while (s->c.parts[i].tosses != tosses) {
    i++;
  }
  return i;
}

static void say_errors(physics* s) {
  cri_say(
      s->c.book,
      "Errors on %d tosses of a floor that no fit has seen, over those of the oracle: mean over "
      "draws of the training tosses (lowest to highest)\n\n"
      "  %-8s %6s %5s   %-24s %-24s %-24s\n",
      s->c.aside[0].n, "", "tosses", "draws", "single step", "position, roll-out",
      "rotation, roll-out");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int i = 0; i < s->c.nparts; i++) {
      cri_say(s->c.book, "  %-8s %6d %5d ", i == 0 ? cri_floors[f].name : "", s->c.parts[i].tosses,
              s->c.parts[i].draws);
      for (int q = 0; q < N_QUANTITY; q++) {
        const cri_spread is = spread_of(s, f, i, F_RATIOS + q);
        cri_say(s->c.book, "  %6.3f (%.3f to %.3f)  ", is.mean, is.low, is.high);
      }
      cri_say(s->c.book, "\n");
    }
    cri_say(s->c.book, "  %-8s %6s %5s   %-24.4g %-24.4g %-24.4g\n", "", "oracle", "",
            (double)s->c.oracle[f][LOSS], (double)s->c.oracle[f][POSITION],
            (double)s->c.oracle[f][ROTATION]);
  }
}

static void say_numbers(physics* s) {
  static const char* const names[CRI_BOX_N] = {"side, mm", "inertia, g m^2", "friction",
                                               "stiffness", "damping"};
  static const double units[CRI_BOX_N] = {2000, 1000, 1, 1, 1};
  cri_say(s->c.book, "\nNumbers found: mean (lowest to highest)\n\n  %-8s %6s ", "", "tosses");
  for (int k = 0; k < CRI_BOX_N; k++) {
    cri_say(s->c.book, "  %-26s", names[k]);
  }
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cr_real truth[CRI_BOX_N];
    cri_box_truth(f, truth);
    for (int i = 0; i < s->c.nparts; i++) {
      cri_say(s->c.book, "\n  %-8s %6d ", i == 0 ? cri_floors[f].name : "", s->c.parts[i].tosses);
      for (int k = 0; k < CRI_BOX_N; k++) {
        const cri_spread is = spread_of(s, f, i, F_FOUND + k);
        cri_say(s->c.book, "  %7.4g (%.4g to %.4g)  ", units[k] * is.mean, units[k] * is.low,
                units[k] * is.high);
      }
    }
    cri_say(s->c.book, "\n  %-8s %6s ", "", "truth");
    for (int k = 0; k < CRI_BOX_N; k++) {
      cri_say(s->c.book, "  %-26.4g", units[k] * (double)truth[k]);
    }
  }
  cri_say(s->c.book, "\n");
}

// fewest tosses from which on all draws are near the oracle in roll-outs; 0: none
static int enough(physics* s, int floor) {
  int tosses = 0;
  for (int i = s->c.nparts - 1; i >= 0; i--) {
    const double position = spread_of(s, floor, i, F_RATIOS + POSITION).high;
    const double rotation = spread_of(s, floor, i, F_RATIOS + ROTATION).high;
    if (!(position <= near_oracle && rotation <= near_oracle)) {
      break;
    }
    tosses = s->c.parts[i].tosses;
  }
  return tosses;
}

static void claim(physics* s) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    const int tosses = enough(s, f);
    cri_claim(s->c.book, spread_of(s, f, part_of(s, FEWEST), F_RATIOS + POSITION).high, 0,
              near_oracle, "10 or more, with 5000",
              "%s, %d tosses: position over the oracle's, worst draw", cri_floors[f].name,
              (int)FEWEST);
    cri_claim(s->c.book, spread_of(s, f, part_of(s, FEWEST), F_RATIOS + ROTATION).high, 0,
              near_oracle, "10 or more, with 5000",
              "%s, %d tosses: rotation over the oracle's, worst draw", cri_floors[f].name,
              (int)FEWEST);
    cri_claim(s->c.book, tosses > 0 ? (double)NETWORKS / tosses : 0, (double)NETWORKS / FEWEST,
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
  const double nan = (double)NAN;
  cr_curve curves[N_CHART][CRI_N_FLOOR];
  cr_chart charts[N_CHART];
  for (int k = 0; k < N_CHART; k++) {
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      curves[k][f] = (cr_curve){
          fits_csv, "tosses", what[k].column, cri_floors[f].name, CR_CURVE_POINTS, "floor", f};
    }
    charts[k] =
        (cr_chart){"tosses", what[k].title, true, what[k].log_y, nan, nan, curves[k], CRI_N_FLOOR};
  }
  return cri_charts(s->c.book->folder, "stiff_contact_physics",
                    "A box on a plane, identified from a few tosses", charts, N_CHART, 2, error);
}

// ---- the study

// s of one processor, measured; of a start and toss with a few of them, and of each toss where there are many
static const double second_few = 0.8, second_many = 0.06;
// of each toss that a network beside a simulator learns from, and of a score
static const double second_beside = 0.3, second_score = 1.5;
static const double second_gates = 70;  // of a training of gates, whatever the tosses
// of a draw: the box; two wrong laws, alone and with a network; a box and its hull. And two networks beside a simulator, and gates
enum { FITS = 7, TRAININGS = 3 };

static const double gigabytes_toss = 1.3e-3;  // measured

static double seconds_of(const physics* s, int tosses) {
  const int few = tosses < FEWEST ? tosses : FEWEST, many = tosses - few;
  return second_few * (s->c.starts + (FITS - 1) * STARTS) * few + FITS * second_many * many +
         2 * second_beside * tosses + second_gates / (s->c.book->request.brief ? 4 : 1) +
         (FITS + TRAININGS) * second_score * (s->c.book->request.brief ? 0.1 : 1);
}

static void say_cost(const physics* s) {
  // the data, and a fit of the most tosses in each thread
  const double gigabytes =
      0.1 + gigabytes_toss * s->c.parts[s->c.nparts - 1].tosses * cr_pool_size(s->c.book->pool);
  double seconds = 0;
  for (int i = 0; i < s->c.nparts; i++) {
    seconds += CRI_N_FLOOR * s->c.parts[i].draws * seconds_of(s, s->c.parts[i].tosses);
  }
  (void)fprintf(
      stderr,
      "stiff-contact-physics: %d fits and trainings, about %.1f minutes of processor time on %d "
      "threads, %.1f GB of memory, 1 MB of disk\n",
      (FITS + TRAININGS) * cri_contest_rows(&s->c), seconds / 60, cr_pool_size(s->c.book->pool),
      gigabytes);
}

static void close_all(physics* s) {
  cri_contest_close(&s->c);
  cri_unknown_destroy(s->box);
  cri_table_free(&s->oracle);
  cri_table_free(&s->fits);
}

static cr_status compute(physics* s, cr_error* error) {
  say_cost(s);
  CR_TRY(cri_table_create(&s->oracle, "stiff_contact_physics_oracle.csv", oracle_header, NULL,
                          CRI_N_FLOOR, error));
  CR_TRY(cri_table_create(&s->fits, fits_csv, fits_header, NULL, cri_contest_rows(&s->c), error));
  CR_TRY(cri_box_open(s->c.book, CRI_LAW_TRUE, &s->box, error));
  CR_TRY(
      cri_contest_open(&s->c, s->c.book->request.brief ? BRIEF_EVALUATION : CRI_EVALUATION, error));
  CR_TRY(cri_sweep(s->c.book, &s->oracle, CRI_N_FLOOR, oracle_row, s, error));
  keep_oracle(s);
  CR_TRY(cri_sweep(s->c.book, &s->fits, 2 * CRI_N_FLOOR, fit_row, s, error));
  say_errors(s);
  say_numbers(s);
  claim(s);
  CR_TRY(draw(s, error));
  s->c.starts = STARTS;  // with two, some networks inside end in poor minima
  CR_TRY(cri_wrong_laws(&s->c, error));
  CR_TRY(cri_learned_shape(&s->c, s->box, error));
  return cri_gated_contest(&s->c, error);
}

cr_status cri_study_stiff_contact_physics(cr_notebook* book, cr_error* error) {
  const bool brief = book->request.brief;
  physics s = {.c = {.book = book,
                     .parts = brief ? brief_parts : all_parts,
                     .nparts = brief ? N_BRIEF : N_PART,
                     .starts = brief ? BRIEF_STARTS : STARTS}};
  cr_status status = compute(&s, error);
  close_all(&s);
  return status;
}
