// SPDX-License-Identifier: Apache-2.0
// Wrong laws of contact, and what mends them.
#include "physics/wrong_laws.h"

#include <math.h>
#include <stdio.h>

#include "notebook/sweep.h"
#include "physics/corrected.h"
#include "physics/physics_fit.h"
#include "physics/step_network.h"
#include "tools/plot.h"

static const cri_law laws[] = {CRI_LAW_ICE, CRI_LAW_ELASTIC};
enum { N_LAW = 2 };

// ways, each with the errors of all quantities
enum { NUMBERS, INSIDE, BESIDE, N_WAY };
static const char* const way_names[N_WAY] = {"numbers alone", "network inside",
                                             "network beside it"};

enum {
  W_LAW,
  W_FLOOR,
  W_TOSSES,
  W_DRAW,
  W_FOUND,
  W_TRAINED = W_FOUND + CRI_BOX_N,
  W_INSIDE,
  W_INSIDE_TRAINED = W_INSIDE + CRI_BOX_N,
  W_AGREE,
  W_RATIOS,
  W_SCENE = W_RATIOS + N_WAY * CRI_N_QUANTITY
};
static const char wrong_csv[] = "stiff_contact_wrong.csv";
static const char wrong_header[] =
    "law,floor,tosses,draw,half_side,inertia,friction_or_viscosity,stiffness,damping_or_viscosity,"
    "training_loss,inside_half_side,inside_inertia,inside_friction_or_viscosity,inside_stiffness,"
    "inside_damping_or_viscosity,inside_training_loss,inside_starts_that_agree,numbers_loss,"
    "numbers_position,numbers_rotation,inside_loss,inside_position,inside_rotation,beside_loss,"
    "beside_position,beside_rotation,scene";

static int ratio_column(int way, int quantity) {
  return W_RATIOS + CRI_N_QUANTITY * way + quantity;
}

typedef struct {
  cri_contest* c;
  cri_unknown *box[N_LAW], *corrected[N_LAW];
  cr_table table;
} wrong;

// ---- a row: a law, a floor, a draw

enum { EPOCHS = 300, PATIENCE = 30 };

typedef struct {
  const wrong* w;
  int law, floor, number;  // number: a seed
  cri_sighted tosses;
  cr_real* values;
} draw;

static cr_status judge(const draw* d, int way, const cr_model* m, const cri_addition* more,
                       cr_error* error) {
  return cri_contest_judge(d->w->c, d->floor, m, more, d->values + ratio_column(way, 0), error);
}

static cr_status numbers_alone(const draw* d, cr_model** m, cr_error* error) {
  cri_contest* c = d->w->c;
  const cri_starts starts = {.first = d->number * c->starts,
                             .least = c->starts,
                             .stop = cri_contest_stopped,
                             .context = c};
  const cri_unknown* box = d->w->box[d->law];
  cri_found found;
  CR_TRY(cri_identify(&starts, box, &d->tosses, &found, error));
  cr_copy(d->values + W_FOUND, found.p, CRI_BOX_N);
  d->values[W_TRAINED] = found.loss;
  CR_TRY(cri_unknown_model(box, found.p, m, error));
  return judge(d, NUMBERS, *m, NULL, error);
}

// as all numbers are searched for, with the weights among them
static cr_status mend_inside(const draw* d, cr_error* error) {
  cri_contest* c = d->w->c;
  const cri_starts starts = {.first = d->number * CRI_MOST_STARTS,
                             .least = c->starts,
                             .most = CRI_MOST_STARTS,
                             .stop = cri_contest_stopped,
                             .context = c};
  const cri_unknown* u = d->w->corrected[d->law];
  cri_found found;
  cr_model* m = NULL;
  CR_TRY(cri_identify(&starts, u, &d->tosses, &found, error));
  cr_copy(d->values + W_INSIDE, found.p, CRI_BOX_N);
  d->values[W_INSIDE_TRAINED] = found.loss;
  d->values[W_AGREE] = (cr_real)found.agree;
  CR_TRY(cri_unknown_model(u, found.p, &m, error));
  cr_status status = judge(d, INSIDE, m, NULL, error);
  cr_model_destroy(m);
  return status;
}

static cr_status mend_beside(const draw* d, const cr_model* m, cr_error* error) {
  const cri_step_lesson lesson = {.epochs = EPOCHS,
                                  .patience = PATIENCE,
                                  .seed = (uint64_t)d->number,
                                  .stop = cri_contest_stopped,
                                  .context = d->w->c};
  cri_step_network r;
  cr_status status = cri_step_network_train(&r, m, &lesson, &d->tosses, error);
  const cri_addition more = cri_step_network_addition(&r);
  status = status == CR_OK ? judge(d, BESIDE, m, &more, error) : status;
  cri_step_network_free(&r);
  return status;
}

static cr_status all_ways(const draw* d, cr_error* error) {
  cr_model* m = NULL;
  cr_status status = numbers_alone(d, &m, error);
  status = status == CR_OK ? mend_inside(d, error) : status;
  status = status == CR_OK ? mend_beside(d, m, error) : status;
  cr_model_destroy(m);
  return status;
}

static cr_status wrong_row(void* context, int i, int worker, cr_real* values, cr_error* error) {
  const wrong* w = context;
  draw d = {.w = w, .law = i % N_LAW, .values = values};
  int draw_number;
  const cri_part* p = cri_contest_find(w->c, i / N_LAW, &draw_number, &d.floor);
  (void)worker;
  d.number = N_LAW * cri_contest_number(d.floor, p, draw_number) + d.law;
  values[W_LAW] = (cr_real)d.law;
  values[W_FLOOR] = (cr_real)d.floor;
  values[W_TOSSES] = (cr_real)p->tosses;
  values[W_DRAW] = (cr_real)draw_number;
  values[W_SCENE] = (cr_real)(CRI_N_FLOOR * d.law + d.floor);
  cr_status status = cri_contest_tosses(w->c, d.floor, p, draw_number, &d.tosses, error);
  status = status == CR_OK ? all_ways(&d, error) : status;
  cri_sighted_free(&d.tosses);
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

// with the most tosses: the wrong law is far from the oracle, the network inside comes near to it, the one beside it takes a part of the error away
static void claim(wrong* w) {
  const int most = w->c->nparts - 1, tosses = w->c->parts[most].tosses;
  const bool brief = w->c->book->request.brief;  // five tosses do less than five hundred
  for (int law = 0; law < N_LAW; law++) {
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      const char *name = cri_law_names[laws[law]], *floor = cri_floors[f].name;
      const double alone = spread_of(w, law, f, most, NUMBERS, CRI_POSITION).mean;
      const double inside = spread_of(w, law, f, most, INSIDE, CRI_POSITION).mean;
      const double beside = spread_of(w, law, f, most, BESIDE, CRI_POSITION).mean;
      cri_claim(w->c->book, alone, 5, HUGE_VAL, "",
                "%s, %s, %d tosses: position, numbers alone over the oracle", name, floor, tosses);
      cri_claim(w->c->book, inside, 0, 3, "",
                "%s, %s, %d tosses: position, network inside over the oracle", name, floor, tosses);
      cri_claim(w->c->book, beside / alone, 0, brief ? 1 : 0.5, "",
                "%s, %s, %d tosses: position, network beside it over numbers alone", name, floor,
                tosses);
    }
  }
}

// ---- the picture: a chart for each law and floor

static cr_status draw_charts(const wrong* w, cr_error* error) {
  enum { N_CHART = N_LAW * CRI_N_FLOOR };
  const double nan = (double)NAN;
  static const char* const columns[N_WAY] = {"numbers_position", "inside_position",
                                             "beside_position"};
  char titles[N_CHART][64];
  cr_curve curves[N_CHART][N_WAY];
  cr_chart charts[N_CHART];
  for (int k = 0; k < N_CHART; k++) {
    for (int way = 0; way < N_WAY; way++) {
      curves[k][way] = (cr_curve){
          wrong_csv, "tosses", columns[way], way_names[way], CR_CURVE_POINTS, "scene", k};
    }
    (void)snprintf(titles[k], sizeof titles[k], "%s, %s: position over the oracle",
                   cri_law_names[laws[k / CRI_N_FLOOR]], cri_floors[k % CRI_N_FLOOR].name);
    charts[k] = (cr_chart){"tosses", titles[k], true, true, nan, nan, curves[k], N_WAY};
  }
  return cri_charts(w->c->book->folder, "stiff_contact_wrong",
                    "Roll-outs with a wrong law of contact", charts, N_CHART, CRI_N_FLOOR, error);
}

// ---- the study

cr_status cri_wrong_laws(cri_contest* c, cr_error* error) {
  wrong w = {.c = c};
  cr_status status =
      cri_table_create(&w.table, wrong_csv, wrong_header, NULL, N_LAW * cri_contest_rows(c), error);
  for (int law = 0; law < N_LAW && status == CR_OK; law++) {
    status = cri_box_open(c->book, laws[law], &w.box[law], error);
    status = status == CR_OK ? cri_corrected_open(w.box[law], laws[law], &w.corrected[law], error)
                             : status;
  }
  status = status == CR_OK ? cri_sweep(c->book, &w.table, 2 * CRI_N_FLOOR, wrong_row, &w, error)
                           : status;
  if (status == CR_OK) {
    say(&w);
    claim(&w);
    status = draw_charts(&w, error);
  }
  for (int law = 0; law < N_LAW; law++) {
    cri_unknown_destroy(w.box[law]);
    cri_unknown_destroy(w.corrected[law]);
  }
  cri_table_free(&w.table);
  return status;
}
