// SPDX-License-Identifier: Apache-2.0
// What all ways to learn a tossed cube have in common: tosses to learn from, tosses held aside, and errors over those of the oracle.
#ifndef CR_PHYSICS_CONTEST_H
#define CR_PHYSICS_CONTEST_H

#include "notebook/notebook.h"
#include "notebook/table.h"
#include "physics/physics_score.h"

/// Draws of so many training tosses. Draws of one size have no toss in common.
typedef struct {
  int tosses, draws;
} cri_part;

enum { CRI_MOST_STARTS = 9 };  // of a search in which no two agree

enum { CRI_LOSS, CRI_POSITION, CRI_ROTATION, CRI_N_QUANTITY };

typedef struct {
  cr_notebook* book;
  const cri_part* parts;  // [nparts], smallest first
  int nparts;
  int starts;                      // of a search, at least
  cr_model* truth[CRI_N_FLOOR];    // owned
  cri_sighted aside[CRI_N_FLOOR];  // owned; tosses that no way to learn has seen
  cr_real oracle[CRI_N_FLOOR][CRI_N_QUANTITY];
} cri_contest;

/// Opens the scenes and makes the tosses held aside. Free with cri_contest_close, also after an error.
/// Errors   CR_ERR_FILE, CR_ERR_MEMORY, those of steps
cr_status cri_contest_open(cri_contest* c, int evaluated, cr_error* error);
void cri_contest_close(cri_contest* c);

/// The training tosses of a draw. Free with cri_sighted_free, also after an error.
cr_status cri_contest_tosses(const cri_contest* c, int floor, const cri_part* part, int draw,
                             cri_sighted* tosses, cr_error* error);

/// Errors on the tosses held aside, over those of the oracle.
/// Shapes   ratio[CRI_N_QUANTITY]
cr_status cri_contest_judge(const cri_contest* c, int floor, const cr_model* m,
                            const cri_addition* more, cr_real* ratio, cr_error* error);

/// Rows of a table with a row for each floor and draw; row -> part, draw, floor.
int cri_contest_rows(const cri_contest* c);
const cri_part* cri_contest_find(const cri_contest* c, int row, int* draw, int* floor);

/// A number of its own for each floor and draw, which does not depend on what else is computed: a seed.
int cri_contest_number(int floor, const cri_part* part, int draw);

/// True if the user wants to stop; the context is the contest.
bool cri_contest_stopped(void* contest);

/// Over draws: the mean, the lowest and the highest number.
typedef struct {
  double mean, low, high;
} cri_spread;

/// Of a column of a table which has `every` rows, one behind the other, where cri_contest_rows counts one; of these row `at`.
cri_spread cri_contest_spread(const cri_contest* c, cr_table* table, int every, int at, int floor,
                              int part, int column);

#endif
