// SPDX-License-Identifier: Apache-2.0
// Tosses and errors that all ways to learn have in common.
#include "physics/contest.h"

#include <math.h>

#include "stiff/sights.h"

cr_status cri_contest_open(cri_contest* c, int evaluated, cr_error* error) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cr_data* d = NULL;
    CR_TRY(cri_tossed_open(c->book, f, &c->truth[f], error));
    CR_TRY(cr_data_create(&d, c->truth[f], error));
    cr_status status =
        cri_sighted_make(&c->aside[f], c->truth[f], d, f, CRI_TRAINING, evaluated, error);
    cr_data_destroy(d);
    CR_TRY(status);
  }
  return CR_OK;
}

void cri_contest_close(cri_contest* c) {
  for (int f = 0; f < CRI_N_FLOOR; f++) {
    cri_sighted_free(&c->aside[f]);
    cr_model_destroy(c->truth[f]);
    c->truth[f] = NULL;
  }
}

cr_status cri_contest_tosses(const cri_contest* c, int floor, const cri_part* part, int draw,
                             cri_sighted* tosses, cr_error* error) {
  cr_data* d = NULL;
  *tosses = (cri_sighted){.n = 0};
  CR_TRY(cr_data_create(&d, c->truth[floor], error));
  cr_status status =
      cri_sighted_make(tosses, c->truth[floor], d, floor, draw * part->tosses, part->tosses, error);
  cr_data_destroy(d);
  return status;
}

cr_status cri_contest_judge(const cri_contest* c, int floor, const cr_model* m,
                            const cri_addition* more, cr_real* ratio, cr_error* error) {
  cri_score score;
  CR_TRY(cri_score_of(m, more, &c->aside[floor], &score, error));
  ratio[CRI_LOSS] = (cr_real)score.loss.mean / c->oracle[floor][CRI_LOSS];
  ratio[CRI_POSITION] = (cr_real)score.position.mean / c->oracle[floor][CRI_POSITION];
  ratio[CRI_ROTATION] = (cr_real)score.rotation.mean / c->oracle[floor][CRI_ROTATION];
  return CR_OK;
}

int cri_contest_rows(const cri_contest* c) {
  int rows = 0;
  for (int i = 0; i < c->nparts; i++) {
    rows += c->parts[i].draws * CRI_N_FLOOR;
  }
  return rows;
}

const cri_part* cri_contest_find(const cri_contest* c, int row, int* draw, int* floor) {
  const cri_part* p = c->parts;
  for (; row >= p->draws * CRI_N_FLOOR; p++) {
    row -= p->draws * CRI_N_FLOOR;
  }
  *draw = row / CRI_N_FLOOR;
  *floor = row % CRI_N_FLOOR;
  return p;
}

int cri_contest_number(int floor, const cri_part* part, int draw) {
  enum { MOST_DRAWS = 10 };
  return (part->tosses * MOST_DRAWS + draw) * CRI_N_FLOOR + floor;
}

bool cri_contest_stopped(void* contest) {
  const cri_contest* c = contest;
  return c->book->request.stop != NULL && c->book->request.stop();
}

cri_spread cri_contest_spread(const cri_contest* c, cr_table* table, int every, int at, int floor,
                              int part, int column) {
  cri_spread is = {0, HUGE_VAL, -HUGE_VAL};
  int first = floor;
  for (int i = 0; i < part; i++) {
    first += c->parts[i].draws * CRI_N_FLOOR;
  }
  for (int draw = 0; draw < c->parts[part].draws; draw++) {
    const int row = every * (first + draw * CRI_N_FLOOR) + at;
    const double value = (double)cri_table_row(table, row)[column];
    is.mean += value;
    is.low = fmin(is.low, value);
    is.high = fmax(is.high, value);
  }
  is.mean /= c->parts[part].draws;
  return is;
}
