// SPDX-License-Identifier: Apache-2.0
// Planners from inside: what all methods share, and the table of methods. carom/plan.h documents the public functions.
//
// A method is one row (cri_plan_method) with memory of its own. Candidates are rollouts from the planner's start; item i of a round goes to
// worker i mod nworker and writes its own results, so the digits do not depend on the number of workers.
#ifndef CR_CONTROL_PLANNER_H
#define CR_CONTROL_PLANNER_H

#include <string.h>

#include "base/pool.h"
#include "control/control_shape.h"
#include "control/cost.h"
#include "rollout/trajectory.h"

/// What one thread has.
typedef struct {
  cr_rollout* rollout;
  cr_cost* cost;
  cr_loss loss;
  cr_error error;  // of the last rollout that failed here
} cri_plan_worker;

/// A pass over the numbers that further iterations depend on: counts them, copies them to `at`, or takes them from there.
typedef struct {
  enum { CRI_NUMBERS_COUNT, CRI_NUMBERS_GET, CRI_NUMBERS_SET } pass;
  cr_real* at;
  size_t n;  // so far
} cri_plan_numbers;
static inline void cri_numbers_of(cri_plan_numbers* v, cr_real* x, size_t n) {
  if (v->pass == CRI_NUMBERS_GET && n > 0) {
    memcpy(v->at + v->n, x, n * sizeof *x);
  }
  if (v->pass == CRI_NUMBERS_SET && n > 0) {
    memcpy(x, v->at + v->n, n * sizeof *x);
  }
  v->n += n;
}

static inline void cri_numbers_int(cri_plan_numbers* v, int* x) {
  cr_real number = (cr_real)*x;
  cri_numbers_of(v, &number, 1);
  *x = (int)number;
}

static inline void cri_numbers_bool(cri_plan_numbers* v, bool* x) {
  int number = *x;
  cri_numbers_int(v, &number);
  *x = number != 0;
}

/// What an estimate of a gradient under noise needs.
typedef struct cri_plan_noise cri_plan_noise;

typedef struct cri_plan_method {
  const char* word;
  bool adaptive;  // knows adaptive steps
  /// Makes, and lets go, the method's memory, p->memory.
  cr_status (*create)(cr_planner* p, cr_error* error);
  void (*destroy)(cr_planner* p);
  /// One iteration: may only lower p->cost, with p->knots. p->known: both belong together and to the start.
  cr_status (*improve)(cr_planner* p, cr_error* error);
  /// The knots were moved by so many steps.
  void (*shift)(cr_planner* p, int steps);
  /// Forgets everything.
  void (*restart)(cr_planner* p);
  /// Passes over the method's own numbers.
  void (*numbers)(cr_planner* p, cri_plan_numbers* v);
} cri_plan_method;

struct cr_planner {
  const cr_model *m, *backward;  // backward: of the derivatives, now
  cr_plan_options o;
  const cri_plan_method* method;
  void* memory;  // of the method
  cr_pool* pool;
  cri_plan_worker* workers;
  int nworker;
  cri_controls controls;
  cri_plan_noise* noise;  // NULL: gradients of the cost itself
  int n;                  // nknot x nu
  cr_real* knots;         // the plan
  cr_real* ctrl;          // its controls
  cr_real cost;           // its cost, if known
  bool known;
  cr_data* start;
  int iterations, rollouts, failed;
  cr_real regularisation, gradient;
};

/// The cost of the controls of knots[n] on a worker, infinity where the motion diverges or has no cost.
/// Errors   CR_ERR_MEMORY, CR_ERR_ARG
cr_status cri_plan_cost(cr_planner* p, int worker, const cr_real* knots, cr_real* cost);

/// The same with its gradient[n] by the knots.
cr_status cri_plan_gradient(cr_planner* p, int worker, const cr_real* knots, cr_real* cost,
                            cr_real* gradient);

/// Memory of estimates for p->o.estimator, if there is one.
/// Errors   CR_ERR_ARG: options that do not go together; CR_ERR_MEMORY
cr_status cri_plan_noise_make(cr_planner* p, cr_error* error);
void cri_plan_noise_free(cri_plan_noise* noise);

/// The cost and the gradient to follow: that of the cost, on one worker; with p->noise that of the mean cost under noise on the knots,
/// of samples over all workers, so only the planner's own thread may ask. One iteration has one set of samples. A sample without a cost adds
/// nothing; where these are more than half, the cost is infinity.
cr_status cri_plan_slope(cr_planner* p, int worker, const cr_real* knots, cr_real* cost,
                         cr_real* gradient);

/// Runs the worker's rollout from the start with the controls that are in it.
cr_status cri_plan_run(cr_planner* p, int worker, cr_real* cost);

/// Costs of count candidates, rows of n knots.
cr_status cri_plan_costs(cr_planner* p, int count, const cr_real* candidates, cr_real* costs);

/// Takes knots as the plan if their cost is lower, or the plan's is not known.
void cri_plan_take(cr_planner* p, const cr_real* knots, cr_real cost);

/// The first of the lowest costs.
int cri_plan_lowest(const cr_real* costs, int count);

/// Feedback of ilqr: gains, nstep x nu x nx, and the states that they refer to, nstep + 1 rows; K NULL: none.
typedef struct {
  const cr_real *K, *state;
} cri_plan_feedback;
cri_plan_feedback cri_plan_feedback_of(const cr_planner* p);

/// ctrl[nu] += K (x - x of the plan) of a step, within the limits. Of the planner it reads what never changes.
/// Shapes   dx[nx], scratch
void cri_plan_feedback_add(const cr_planner* p, const cri_plan_feedback* f, int step,
                           const cr_data* d, cr_real* dx, cr_real* ctrl);

extern const cri_plan_method cri_plan_by_gradient, cri_plan_by_ilqr, cri_plan_by_sampling,
    cri_plan_by_cem, cri_plan_by_mppi, cri_plan_mixed;

#endif
