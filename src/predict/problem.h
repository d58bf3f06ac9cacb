// SPDX-License-Identifier: Apache-2.0
// An identification as its parts see it: runs with their tracks and controls, windows, and the numbers of the
// current point. Shared by all workers; nothing here changes while windows are run.
#ifndef CR_PREDICT_PROBLEM_H
#define CR_PREDICT_PROBLEM_H

#include "carom/identify.h"
#include "learn/parameters.h"
#include "predict/chain.h"
#include "predict/outputs.h"

/// A place over all runs. Its delay, and the offset of its first error, are numbers of x, or -1.
typedef struct {
  const char* name;
  int nerror;  // errors of one row
  bool noise_given;
  cr_real noise;
  int delay_at, offset_at;
} cri_measured;

/// What was seen of a place in one run. Arrays belong to the measurements, outputs to the problem.
typedef struct {
  int place;    // among the measured places
  int channel;  // in its run
  int rows, width;
  const cr_real *time, *values;
  cr_real delay;  // given
  const cri_output* outputs;
  int noutput;
  int value_at,
      error_at;  // of the first output, among the values and errors of all tracks of the run
} cri_track;

/// A control of one run: held from its time on.
typedef struct {
  int first, count;  // in ctrl
  int rows;
  const cr_real *time, *values;
} cri_input;

typedef struct {
  const char* name;
  int group;
  cr_real begin, end;  // s, of its measurements
  cri_track* tracks;
  cri_input* inputs;
  int ntrack, ninput;
  int nvalue, nerror;  // of all tracks together
} cri_track_run;

/// nstep steps from the time `begin` on. Its state at the start is row `start` of the problem's; `next` is the window that
/// goes on where it ends, or -1.
typedef struct {
  int run, nstep, next;
  cr_real begin;
  bool last;  // also has the measurement at its end
} cri_span;

typedef struct {
  cr_parameters* parameters;
  const cr_model* m;  // the variant with the parameters
  cri_track_run* runs;
  cri_measured* places;
  cri_output* outputs;
  bool* reach;  // CR_MAX_STAGES for each output
  int nrun, nplace;
  cri_span* spans;
  int nspan, ntrain;  // the spans to train on come first
  int np, nx, n;      // numbers of x: of the parameters; a state's tangent; all of x
  bool starts_known, starts_measured;
  cr_real continuity, huber, longest_delay;
  cr_adaptive adaptive;  // atol 0: steps of one length

  // the current point
  cr_real* state;    // nspan x size of a state: about which coordinates of starts are
  cr_real* x;        // n, then nspan x nx: coordinates of the starts
  cr_real* derived;  // nderived x np: of the derived constants by the parameters
  cri_chain*
      chain;  // of all numbers of the model by the parameters; NULL: by a pullback of every row
} cri_problem;

/// Columns of a window's rows: x, its start, and the start of the window behind it.
static inline int cri_columns_of(const cri_problem* p) { return p->n + 2 * p->nx; }

/// Delay of a track at the current point.
static inline cr_real cri_delay_of(const cri_problem* p, const cri_track* t) {
  int at = p->places[t->place].delay_at;
  return at >= 0 ? p->x[at] : t->delay;
}

/// rho of an error in standard deviations, and rho' = *weight z.
/// Equation rho(z) = z^2 / 2, or k |z| - k^2 / 2 where |z| > k = huber > 0              [identification.m4]
static inline cr_real cri_robust(cr_real huber, cr_real z, cr_real* weight) {
  *weight = 1;
  if (huber > 0 && cr_abs(z) > huber) {
    *weight = huber / cr_abs(z);
    return huber * cr_abs(z) - huber * huber / 2;
  }
  return z * z / 2;
}

#endif
