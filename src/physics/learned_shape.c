// SPDX-License-Identifier: Apache-2.0
// Learned shapes.
#include "physics/learned_shape.h"

#include <math.h>

#include "notebook/sweep.h"
#include "physics/corrected.h"
#include "physics/free_hull.h"
#include "physics/physics_fit.h"

// of half the side: by how much each coordinate of a corner is moved before the corners are free
static const double moved = 0.2;

enum {
  S_FLOOR,
  S_TOSSES,
  S_DRAW,
  S_NUMBERS,
  S_TRAINED = S_NUMBERS + CRI_HULL_CORNERS,
  S_AGREE,
  S_START_EDGE,
  S_EDGE,
  S_START_POSITION,
  S_RATIOS
};
static const char shape_csv[] = "stiff_contact_shape.csv";
static const char shape_header[] =
    "floor,tosses,draw,inertia,friction,stiffness,damping,training_loss,starts_that_agree,start_"
    "edge_error,"
    "edge_error,start_position_over_oracle,loss_over_oracle,position_over_oracle,rotation_over_"
    "oracle";

typedef struct {
  cri_contest* c;
  const cri_unknown* box;
  cri_unknown* hull;  // with a correction
  cr_table table;
} shapes;

// ---- a row

static cr_status judge(const shapes* s, int floor, const cri_unknown* u, const cr_real* p,
                       cr_real* ratio, cr_error* error) {
  cr_model* m = NULL;
  CR_TRY(cri_unknown_model(u, p, &m, error));
  cr_status status = cri_contest_judge(s->c, floor, m, NULL, ratio, error);
  cr_model_destroy(m);
  return status;
}

typedef struct {
  const shapes* s;
  int floor;
  int number;  // of the first search
  cri_sighted tosses;
  cri_found box;
  cr_real* row;
} draw;

static bool stopped(void* context) {
  const draw* d = context;
  return cri_contest_stopped(d->s->c);
}

static cr_status near(void* context, int number, cr_real* p, cr_error* error) {
  const draw* d = context;
  (void)error;
  cri_hull_start(d->box.p, moved, number, p);
  return CR_OK;
}

static cr_status free_corners(draw* d, cr_error* error) {
  const cri_starts starts = {.first = d->number,
                             .least = d->s->c->starts,
                             .most = CRI_MOST_STARTS,
                             .near = near,
                             .stop = stopped,
                             .context = d};
  const cri_unknown* u = d->s->hull;
  cr_real before[CRI_N_QUANTITY];
  cri_found found;
  CR_TRY(cri_identify(&starts, u, &d->tosses, &found, error));
  CR_TRY(judge(d->s, d->floor, u, found.from, before, error));
  cri_hull_turn(found.p, found.turn);
  d->row[S_TRAINED] = found.loss;
  d->row[S_AGREE] = (cr_real)found.agree;
  d->row[S_START_EDGE] = (cr_real)cri_hull_edge_error(found.from, cri_tossed_side);
  d->row[S_START_POSITION] = before[CRI_POSITION];
  d->row[S_EDGE] = (cr_real)cri_hull_edge_error(found.p, cri_tossed_side);
  cr_copy(d->row + S_NUMBERS, found.p, CRI_HULL_CORNERS);
  return judge(d->s, d->floor, u, found.p, d->row + S_RATIOS, error);
}

static cr_status learn(draw* d, cr_error* error) {
  const cri_starts starts = {
      .first = d->number, .least = d->s->c->starts, .stop = stopped, .context = d};
  CR_TRY(cri_identify(&starts, d->s->box, &d->tosses, &d->box, error));
  return free_corners(d, error);
}

static cr_status shape_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  const shapes* s = context;
  draw d = {.s = s, .row = row};
  int draw_number;
  const cri_part* p = cri_contest_find(s->c, i, &draw_number, &d.floor);
  (void)worker;
  d.number = cri_contest_number(d.floor, p, draw_number) * s->c->starts;
  row[S_FLOOR] = (cr_real)d.floor;
  row[S_TOSSES] = (cr_real)p->tosses;
  row[S_DRAW] = (cr_real)draw_number;
  cr_status status = cri_contest_tosses(s->c, d.floor, p, draw_number, &d.tosses, error);
  status = status == CR_OK ? learn(&d, error) : status;
  cri_sighted_free(&d.tosses);
  return status;
}

// ---- the report

static cri_spread spread_of(shapes* s, int floor, int part, int column) {
  return cri_contest_spread(s->c, &s->table, 1, 0, floor, part, column);
}

static void say_part(shapes* s, int floor, int part) {
  cri_say(s->c->book, "  %-8s %6d %5d ", part == 0 ? cri_floors[floor].name : "",
          s->c->parts[part].tosses, s->c->parts[part].draws);
  for (int q = 0; q < CRI_N_QUANTITY; q++) {
    const cri_spread is = spread_of(s, floor, part, S_RATIOS + q);
    cri_say(s->c->book, "  %6.3f (%.3f to %.3f)  ", is.mean, is.low, is.high);
  }
  cri_say(s->c->book, " %8.2f %8.2f\n", 1e3 * spread_of(s, floor, part, S_START_EDGE).mean,
          1e3 * spread_of(s, floor, part, S_EDGE).mean);
}

static void say(shapes* s) {
  cri_say(s->c->book,
          "\nA shape that is learned: eight free corners, and a correction of the contact forces. "
          "Errors over those of the oracle: mean (lowest to highest)\n"
          "Edges: mean error over the twelve of them, mm, before and after\n\n"
          "  %-8s %6s %5s   %-24s %-24s %-24s %8s %8s\n",
          "", "tosses", "draws", "single step", "position, roll-out", "rotation, roll-out",
          "before", "edges");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int part = 0; part < s->c->nparts; part++) {
      say_part(s, f, part);
    }
  }
}

// with the most tosses. Five, as in the short study, do not bring every hull near the oracle
static void claim(shapes* s) {
  const int most = s->c->nparts - 1, tosses = s->c->parts[most].tosses;
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    const char* floor = cri_floors[f].name;
    const cri_spread position = spread_of(s, f, most, S_RATIOS + CRI_POSITION);
    if (!s->c->book->request.brief) {
      cri_claim(s->c->book, position.high, 0, 2, "",
                "free corners, %s, %d tosses: position over the oracle", floor, tosses);
    }
    cri_claim(s->c->book, position.mean / spread_of(s, f, most, S_START_POSITION).mean, 0, 0.9, "",
              "free corners, %s, %d tosses: position, after over before", floor, tosses);
    cri_claim(s->c->book,
              spread_of(s, f, most, S_EDGE).mean / spread_of(s, f, most, S_START_EDGE).mean, 0, 1,
              "", "free corners, %s, %d tosses: error of edges, after over before", floor, tosses);
  }
}

// ---- the study

static cr_status open_hull(shapes* s, cr_error* error) {
  cri_unknown* hull = NULL;
  cr_status status = cri_hull_open(s->c->book, &hull, error);
  status = status == CR_OK ? cri_corrected_open(hull, CRI_LAW_TRUE, &s->hull, error) : status;
  cri_unknown_destroy(hull);
  return status;
}

cr_status cri_learned_shape(cri_contest* c, const cri_unknown* box, cr_error* error) {
  shapes s = {.c = c, .box = box};
  cr_status status =
      cri_table_create(&s.table, shape_csv, shape_header, NULL, cri_contest_rows(c), error);
  status = status == CR_OK ? open_hull(&s, error) : status;
  status = status == CR_OK ? cri_sweep(c->book, &s.table, 2 * CRI_N_FLOOR, shape_row, &s, error)
                           : status;
  if (status == CR_OK) {
    say(&s);
    claim(&s);
  }
  cri_unknown_destroy(s.hull);
  cri_table_free(&s.table);
  return status;
}
