// SPDX-License-Identifier: Apache-2.0
// Wrong laws of contact, and what mends them.
#include "stiff/wrong_laws.h"

#include <math.h>
#include <stdio.h>

#include "notebook/sweep.h"
#include "stiff/physics_box.h"
#include "stiff/physics_fit.h"
#include "stiff/step_network.h"

static const cri_law laws[] = {CRI_LAW_ICE, CRI_LAW_ELASTIC};
enum { N_LAW = 2 };

// ways, each with the errors of all quantities
enum { NUMBERS, RESIDUAL, N_WAY };
static const char* const way_names[N_WAY] = {"numbers alone", "network beside it"};

enum { W_LAW, W_FLOOR, W_TOSSES, W_DRAW, W_FOUND, W_TRAINED = W_FOUND + CRI_BOX_N, W_RATIOS };
static const char wrong_csv[] = "stiff_contact_wrong.csv";
static const char wrong_header[] =
    "law,floor,tosses,draw,half_side,inertia,friction_or_viscosity,stiffness,damping_or_viscosity,"
    "training_loss,numbers_loss,numbers_position,numbers_rotation,residual_loss,residual_position,"
    "residual_rotation";

static int ratio_column(int way, int quantity) {
  return W_RATIOS + CRI_N_QUANTITY * way + quantity;
}

typedef struct {
  cri_contest* c;
  cri_unknown* box[N_LAW];
  cr_table table;
} wrong;

// ---- a row: a law, a floor, a draw

enum { EPOCHS = 300, BRIEF_EPOCHS = 30, PATIENCE = 30 };

static cr_status mend_beside(const wrong* w, int floor, int row, const cr_model* m,
                             const cri_sighted* tosses, cr_real* ratio, cr_error* error) {
  const cri_step_lesson lesson = {.epochs = w->c->book->request.brief ? BRIEF_EPOCHS : EPOCHS,
                                  .patience = PATIENCE,
                                  .seed = (uint64_t)row,
                                  .stop = cri_contest_stopped,
                                  .context = w->c};
  cri_step_network r;
  cr_status status = cri_step_network_train(&r, m, &lesson, tosses, error);
  const cri_addition more = cri_step_network_addition(&r);
  status = status == CR_OK ? cri_contest_judge(w->c, floor, m, &more, ratio, error) : status;
  cri_step_network_free(&r);
  return status;
}

static cr_status all_ways(const wrong* w, int law, int floor, int row, const cri_sighted* tosses,
                          cr_real* values, cr_error* error) {
  const cri_starts starts = {.first = row * w->c->starts,
                             .least = w->c->starts,
                             .most = w->c->starts,
                             .stop = cri_contest_stopped,
                             .context = w->c};
  cri_found found;
  cr_model* m = NULL;
  CR_TRY(cri_identify(&starts, w->box[law], tosses, &found, error));
  cr_copy(values + W_FOUND, found.p, CRI_BOX_N);
  values[W_TRAINED] = found.loss;
  CR_TRY(cri_unknown_model(w->box[law], found.p, &m, error));
  cr_status status =
      cri_contest_judge(w->c, floor, m, NULL, values + ratio_column(NUMBERS, 0), error);
  status = status == CR_OK
               ? mend_beside(w, floor, row, m, tosses, values + ratio_column(RESIDUAL, 0), error)
               : status;
  cr_model_destroy(m);
  return status;
}

static cr_status wrong_row(void* context, int i, int worker, cr_real* values, cr_error* error) {
  const wrong* w = context;
  const int law = i % N_LAW;
  int draw, floor;
  const cri_part* p = cri_contest_find(w->c, i / N_LAW, &draw, &floor);
  cri_sighted tosses;
  (void)worker;
  values[W_LAW] = (cr_real)law;
  values[W_FLOOR] = (cr_real)floor;
  values[W_TOSSES] = (cr_real)p->tosses;
  values[W_DRAW] = (cr_real)draw;
  cr_status status = cri_contest_tosses(w->c, floor, p, draw, &tosses, error);
  status = status == CR_OK ? all_ways(w, law, floor, i, &tosses, values, error) : status;
  cri_sighted_free(&tosses);
  return status;
}

// ---- the report

static cri_spread spread_of(wrong* w, int law, int floor, int part, int way, int quantity) {
  return cri_contest_spread(w->c, &w->table, N_LAW, law, floor, part, ratio_column(way, quantity));
}

static void say_way(wrong* w, int law, int floor, int part, int way) {
  cri_say(w->c->book, "  %-8s %6d %5d  %-18s", way == 0 ? cri_floors[floor].name : "",
          w->c->parts[part].tosses, w->c->parts[part].draws, way_names[way]);
  for (int q = 0; q < CRI_N_QUANTITY; q++) {
    const cri_spread is = spread_of(w, law, floor, part, way, q);
    cri_say(w->c->book, " %7.3f (%.3f to %.3f) ", is.mean, is.low, is.high);
  }
  cri_say(w->c->book, "\n");
}

static void say(wrong* w) {
  static const char* const titles[N_LAW] = {
      "Wrong friction: a floor of ice in a viscous medium",
      "Wrong restitution: a contact without damping in a viscous medium"};
  for (int law = 0; law < N_LAW; law++) {
    cri_say(w->c->book,
            "\n%s. Errors over those of the oracle: mean (lowest to highest)\n\n"
            "  %-8s %6s %5s  %-18s %-24s %-24s %-24s\n",
            titles[law], "", "tosses", "draws", "", "single step", "position, roll-out",
            "rotation, roll-out");
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      for (int part = 0; part < w->c->nparts; part++) {
        for (int way = 0; way < N_WAY; way++) {
          say_way(w, law, f, part, way);
        }
      }
    }
  }
}

// with the most tosses: the wrong law is far from the oracle, and the network beside it takes a part of its error away
static void claim(wrong* w) {
  const int most = w->c->nparts - 1, tosses = w->c->parts[most].tosses;
  for (int law = 0; law < N_LAW; law++) {
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      const double alone = spread_of(w, law, f, most, NUMBERS, CRI_POSITION).mean;
      const double beside = spread_of(w, law, f, most, RESIDUAL, CRI_POSITION).mean;
      cri_claim(w->c->book, alone, 5, HUGE_VAL, "",
                "%s, %s, %d tosses: position, numbers alone over the oracle",
                cri_law_names[laws[law]], cri_floors[f].name, tosses);
      cri_claim(w->c->book, beside / alone, 0, 0.5, "",
                "%s, %s, %d tosses: position, network beside it over numbers alone",
                cri_law_names[laws[law]], cri_floors[f].name, tosses);
    }
  }
}

// ---- the study

cr_status cri_wrong_laws(cri_contest* c, cr_error* error) {
  wrong w = {.c = c};
  cr_status status =
      cri_table_create(&w.table, wrong_csv, wrong_header, NULL, N_LAW * cri_contest_rows(c), error);
  for (int law = 0; law < N_LAW && status == CR_OK; law++) {
    status = cri_box_open(c->book, laws[law], &w.box[law], error);
  }
  status = status == CR_OK ? cri_sweep(c->book, &w.table, 2 * CRI_N_FLOOR, wrong_row, &w, error)
                           : status;
  if (status == CR_OK) {
    say(&w);
    claim(&w);
  }
  for (int law = 0; law < N_LAW; law++) {
    cri_unknown_destroy(w.box[law]);
  }
  cri_table_free(&w.table);
  return status;
}
