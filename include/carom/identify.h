// SPDX-License-Identifier: Apache-2.0
// Identification: parameters of a model from measured signals by least squares, with intervals and with what the
// data cannot tell. States at the start are unknowns too; delays and offsets of channels may be.
#ifndef CAROM_IDENTIFY_H
#define CAROM_IDENTIFY_H

#include "carom/measure.h"
#include "carom/parameters.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters, measurements and windows. Belongs to one thread.
typedef struct cr_identification cr_identification;

/// The state at the start of a window.
typedef enum {
  CR_START_ESTIMATED,  // unknown; the search begins at what positions and velocities were measured
  CR_START_REFERENCE   // the model's reference pose, at rest: known
} cr_start;

/// What is compared, and what is unknown. What a zero stands for is in brackets.
typedef struct {
  size_t size;     // sizeof(cr_identification_options), set by the caller
  cr_real window;  // seconds that are predicted from one start; 0: [a run is one window]
  cr_start start;
  cr_real
      continuity;  // windows of a run go on where the last one ended, to this standard deviation of every number
                   // of the state's tangent (m, rad, m/s, rad/s); 0: [not asked for]
  cr_real huber;  // errors beyond so many standard deviations count linearly; 0: [none]
  cr_real
      held_out;  // share of the groups of runs that is held aside, at least one where it is not 0
  int64_t seed;  // of what is held aside
  const char* const* delayed;  // places whose delay is estimated, from that of the channel on
  int ndelayed;
  cr_real longest_delay;  // s, bound of these; 0: [0.1]
  const char* const*
      shifted;  // places of which every number has a constant offset that is estimated
  int nshifted;
  cr_real confidence;           // of intervals; 0: [0.9]
  int nthread;                  // 0: [one a processor]
  bool (*stop)(void* context);  // asked now and then, by any thread; true ends the search
  /// Called after every step of the search, with the number of steps so far and the cost.
  void (*progress)(void* context, int step, cr_real cost);
  void* context;
} cr_identification_options;

/// Cuts the measurements into windows. Parameters and measurements have to outlive it and stay as they are.
/// Owner    the caller, cr_identification_destroy
/// Errors   CR_ERR_ARG: options that are not sane, measurements of a model of other sizes, an adaptive integrator, no run to train on;
///          CR_ERR_NAME: a delayed or shifted place that no run measures, a place without a derivative; CR_ERR_FORMAT naming the run: no
///          measurement in it, a control that begins after the first measurement, a control of the model that is missing; CR_ERR_MEMORY
CR_API cr_status cr_identification_create(cr_identification** identification,
                                          cr_parameters* parameters,
                                          const cr_measurements* measurements,
                                          const cr_identification_options* options,
                                          cr_error* error);
CR_API void cr_identification_destroy(cr_identification* identification);

/// Numbers that are estimated beside the states at the starts: those of the parameters, then delays, then offsets; name of number i,
/// "damping", "delay of sensordata[imu]" ...; NULL out of range.
/// Owner    borrowed from the identification
CR_API int cr_identification_count(const cr_identification* identification);
CR_API const char* cr_identification_name(const cr_identification* identification, int i);

/// x to begin with: of the parameters their starts, of delays those of the channels, of offsets 0.
/// Shapes   x[n], n = cr_identification_count
CR_API cr_status cr_identification_get_start(const cr_identification* identification, cr_real* x,
                                             cr_error* error);

/// Runs that are fitted; those held aside.
typedef enum { CR_RUNS_TRAIN, CR_RUNS_HELD } cr_run_part;

/// How a search is done. What a zero stands for is in brackets.
typedef struct {
  size_t size;        // sizeof(cr_search), set by the caller
  int iterations;     // steps that are tried, for each set of noises; 0: [100]
  cr_real tolerance;  // ends when a step lowers the cost by less than this part; 0: [1e-10]
  bool gauss_newton;  // without damping
} cr_search;

/// How a search ended.
typedef struct {
  size_t size;  // sizeof(cr_search_end), set by the caller
  cr_real cost,
      start_cost;  // half the sum of squared errors over their standard deviations, at the end and at the start
  int steps, rounds;  // steps that were taken; rounds with other noises
  bool converged;
  const char* reason;  // in a few words; belongs to the library
} cr_search_end;

/// Least squares over all unknowns from x: Levenberg and Marquardt, states at the starts eliminated window by window.
/// The standard deviations of channels without a given noise are estimated between searches until they stay the same.
/// Map      x -> x, states at the starts, noises
/// Equation min 1/2 sum of rho((y(x, t - delay) + offset - seen) / noise)^2; of orientations the rotation vector from
///          seen to predicted                                                [identification.m1]-[identification.m4]
/// Shapes   x[n]
/// Threads  the same bits for any number of them
/// Errors   CR_ERR_ARG, CR_ERR_INTERRUPTED; those of steps, with run and time
CR_API cr_status cr_identification_solve(cr_identification* identification, const cr_search* search,
                                         cr_real* x, cr_search_end* end, cr_error* error);

/// The cost at x of a part of the runs, at the states at the starts found last (of the part held aside: at starts fitted for it),
/// and its gradient by x with these states held (of the runs to train on; may be NULL).
/// Shapes   gradient[n]
/// Errors   those of cr_identification_solve
CR_API cr_status cr_identification_evaluate(cr_identification* identification, cr_run_part part,
                                            const cr_real* x, cr_real* cost, cr_real* gradient,
                                            cr_error* error);

/// What was found of a number.
typedef struct {
  size_t size;  // sizeof(cr_estimate), set by the caller
  const char* name;
  cr_real value;  // of the parameter, not of x
  cr_real lower,
      upper;          // interval of the confidence asked for; infinite where the data do not tell
  cr_real deviation;  // standard deviation of x
  bool told;          // false: these data say nothing, or too little, about it
  bool at_bound;
} cr_estimate;

/// Estimate i after cr_identification_solve.
/// Equation covariance = (J'J)^-1 of x, states at the starts eliminated; interval p(x -+ q deviation), q of Student's t
///          with the degrees of freedom that are left                          [identification.m5]
/// Errors   CR_ERR_ARG, also before a solve
CR_API cr_status cr_identification_get(const cr_identification* identification, int i,
                                       cr_estimate* estimate, cr_error* error);

/// What is told of a combination g'x, as a base parameter of a robot is one: value, and an interval of value -+ q deviation.
/// Of a function of x, g is its gradient, and its interval lies as far about its own value.
/// Equation deviation^2 = g covariance g' over every direction, with an information of round-off at least; told where it is below
///          |g S|, S the scales of [identification.m5], and directions at round-off have less than 1 % of g S
/// Shapes   g[n], n = cr_identification_count
/// Errors   CR_ERR_ARG, also before a solve
CR_API cr_status cr_identification_get_combination(const cr_identification* identification,
                                                   const cr_real* g, cr_estimate* estimate,
                                                   cr_error* error);

/// Covariance of x, and correlation, row by row; entries of numbers that the data do not tell are NaN.
/// Shapes   n x n; each may be NULL
CR_API cr_status cr_identification_covariance(const cr_identification* identification,
                                              cr_real* covariance, cr_real* correlation,
                                              cr_error* error);

/// What the data cannot tell, sentence i: a number they say nothing about, or numbers of which only a combination is told.
/// *n is their number.
/// Shapes   text of `size` characters; NULL to count only
CR_API cr_status cr_identification_untold(const cr_identification* identification, int i,
                                          char* text, int size, int* n, cr_error* error);

/// Errors of a place over the runs of a part, at the solution.
typedef struct {
  size_t size;  // sizeof(cr_fit_of_place), set by the caller
  const char* place;
  int64_t n;      // numbers that are compared
  cr_real noise;  // standard deviation: given, or found
  bool noise_given;
  cr_real rms;          // of errors, in the unit of the place
  cr_real explained;    // 1 - sum of errors^2 / sum of (seen - mean)^2
  cr_real correlation;  // of an error with the next one; white noise: 0 -+ `white`
  cr_real white;
} cr_fit_of_place;

/// Places that are measured; errors of place i.
/// Errors   CR_ERR_ARG, also before a solve; those of rollouts for the part held aside
CR_API int cr_identification_places(const cr_identification* identification);
CR_API cr_status cr_identification_get_place(cr_identification* identification, cr_run_part part,
                                             int i, cr_fit_of_place* fit, cr_error* error);

/// What the model predicts for channel `channel` of run `run` at its own times, in the units of the place, at the solution.
/// Shapes   values: rows x numbers of the place; NaN where nothing is predicted
/// Errors   CR_ERR_ARG, also before a solve
CR_API cr_status cr_identification_predict(cr_identification* identification, int run, int channel,
                                           cr_real* values, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
