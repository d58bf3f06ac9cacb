// SPDX-License-Identifier: Apache-2.0
// Gates of contact in the contest.
#include "physics/gated.h"

#include <math.h>
#include <stdlib.h>

#include "notebook/sweep.h"
#include "physics/gate_training.h"
#include "tools/plot.h"

enum { G_FLOOR, G_TOSSES, G_DRAW, G_TRAINED, G_RATIOS };
static const char gates_csv[] = "stiff_contact_gates.csv";
static const char gates_header[] =
    "floor,tosses,draw,training_loss,loss_over_oracle,position_over_oracle,rotation_over_oracle";

typedef struct {
  cri_contest* c;
  cri_gates g;
  cr_table table;
} contest;

// ---- a row

enum { BRIEF_SHARE = 4 };

static cr_status learn(const contest* s, int floor, int number, const cri_sighted* tosses,
                       cr_real* room, cr_real* row, cr_error* error) {
  cr_real* p = room + cri_gates_room(&s->g);
  const cri_gate_lesson lesson = {.seed = (uint64_t)number,
                                  .share = s->c->book->request.brief ? BRIEF_SHARE : 1,
                                  .stop = cri_contest_stopped,
                                  .context = s->c};
  CR_TRY(cri_gates_train(&s->g, &lesson, tosses, p, &row[G_TRAINED], error));
  cri_gated gated = {&s->g, p, room};
  const cri_addition instead = cri_gated_addition(&gated);
  return cri_contest_judge(s->c, floor, s->c->truth[floor], &instead, row + G_RATIOS, error);
}

static cr_status gates_row(void* context, int i, int worker, cr_real* row, cr_error* error) {
  const contest* s = context;
  int draw, floor;
  const cri_part* p = cri_contest_find(s->c, i, &draw, &floor);
  cri_sighted tosses;
  (void)worker;
  row[G_FLOOR] = (cr_real)floor;
  row[G_TOSSES] = (cr_real)p->tosses;
  row[G_DRAW] = (cr_real)draw;
  cr_real* room = malloc((cri_gates_room(&s->g) + (size_t)s->g.n) * sizeof *room);
  CR_TRY(room != NULL ? CR_OK : cri_fail(error, CR_ERR_MEMORY, "no memory for gates of contact"));
  cr_status status = cri_contest_tosses(s->c, floor, p, draw, &tosses, error);
  status = status == CR_OK
               ? learn(s, floor, cri_contest_number(floor, p, draw), &tosses, room, row, error)
               : status;
  cri_sighted_free(&tosses);
  free(room);
  return status;
}

// ---- the report

static cri_spread spread_of(contest* s, int floor, int part, int quantity) {
  return cri_contest_spread(s->c, &s->table, 1, 0, floor, part, G_RATIOS + quantity);
}

static void say(contest* s) {
  cri_say(s->c->book,
          "\nA network made for jumps: gates of contact, without a simulator. Errors over those of "
          "the oracle: mean (lowest to highest)\n\n"
          "  %-8s %6s %5s   %-24s %-24s %-24s\n",
          "", "tosses", "draws", "single step", "position, roll-out", "rotation, roll-out");
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    for (int part = 0; part < s->c->nparts; part++) {
      cri_say(s->c->book, "  %-8s %6d %5d ", part == 0 ? cri_floors[f].name : "",
              s->c->parts[part].tosses, s->c->parts[part].draws);
      for (int q = 0; q < CRI_N_QUANTITY; q++) {
        const cri_spread is = spread_of(s, f, part, q);
        cri_say(s->c->book, "  %6.2f (%.2f to %.2f)  ", is.mean, is.low, is.high);
      }
      cri_say(s->c->book, "\n");
    }
  }
}

// published networks are off ten times as much as the oracle or more, with 5000 tosses
static void claim(contest* s) {
  const int most = s->c->nparts - 1, tosses = s->c->parts[most].tosses;
  const double bound = s->c->book->request.brief ? 50 : 10;
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cri_claim(s->c->book, spread_of(s, f, most, CRI_POSITION).high, 0, bound,
              "10 or more, with 5000", "gates, %s, %d tosses: position over the oracle",
              cri_floors[f].name, tosses);
    cri_claim(s->c->book, spread_of(s, f, most, CRI_ROTATION).high, 0, bound,
              "10 or more, with 5000", "gates, %s, %d tosses: rotation over the oracle",
              cri_floors[f].name, tosses);
  }
}

static cr_status draw_charts(const contest* s, cr_error* error) {
  const double nan = (double)NAN;
  static const char* const columns[] = {"position_over_oracle", "rotation_over_oracle"};
  static const char* const titles[] = {"position of a roll-out, over that of the oracle",
                                       "rotation of a roll-out, over that of the oracle"};
  cr_curve curves[2][CRI_N_FLOOR];
  cr_chart charts[2];
  for (int k = 0; k < 2; k++) {
    for (int f = 0; f < CRI_N_FLOOR; f++) {
      curves[k][f] = (cr_curve){gates_csv,       "tosses", columns[k], cri_floors[f].name,
                                CR_CURVE_POINTS, "floor",  f};
    }
    charts[k] = (cr_chart){"tosses", titles[k], true, true, nan, nan, curves[k], CRI_N_FLOOR};
  }
  return cri_charts(s->c->book->folder, "stiff_contact_gates", "A network made for jumps", charts,
                    2, 2, error);
}

// ---- the whole

cr_status cri_gated_contest(cri_contest* c, cr_error* error) {
  contest s = {.c = c};
  cr_status status =
      cri_table_create(&s.table, gates_csv, gates_header, NULL, cri_contest_rows(c), error);
  status = status == CR_OK ? cri_gates_make(&s.g, cri_tossed_timestep, error) : status;
  status = status == CR_OK ? cri_sweep(c->book, &s.table, 2 * CRI_N_FLOOR, gates_row, &s, error)
                           : status;
  if (status == CR_OK) {
    say(&s);
    claim(&s);
    status = draw_charts(&s, error);
  }
  cri_gates_free(&s.g);
  cri_table_free(&s.table);
  return status;
}
