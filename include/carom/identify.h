// SPDX-License-Identifier: Apache-2.0
// Identification: parameters of a model from measured signals by least squares, with intervals and with what the
// data cannot tell. States at the start are unknowns too; delays and offsets of channels may be.
#ifndef CAROM_IDENTIFY_H
#define CAROM_IDENTIFY_H

#include "carom/measure.h"
#include "carom/parameters.h"
#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters, measurements and windows. Belongs to one thread.
typedef struct cr_identification cr_identification;

/// The state at the start of a window.
typedef enum {
  CR_START_ESTIMATED,  // unknown; the search begins at what positions and velocities were measured
  CR_START_REFERENCE,  // the model's reference pose, at rest: known
  CR_START_MEASURED    // where the search of an estimated start begins: known
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
  const char* const*
      held;  // names of runs to hold aside in place of a share, or patterns in which * stands for any characters;
             // runs of their groups go with them. They have to outlive the identification
  int nheld;
  const char* const* delayed;  // places whose delay is estimated, from that of the channel on
  int ndelayed;
  cr_real longest_delay;  // s, bound of these; 0: [0.1]
  const char* const*
      shifted;  // places of which every number has a constant offset that is estimated
  int nshifted;
  cr_real confidence;  // of intervals; 0: [0.9]
  /// Intervals count that errors follow each other, at places where they do (cr_fit_of_place.correlation): covariance H^-1 M H^-1,
  /// M with the autocorrelation that the errors show, and no interval is narrower than without [identification.m10]. Not with
  /// continuity, and not in cr_identification_profile
  bool correlated;
  /// Steps as long as these tolerances allow, from one time step of the model to the next: controls change there, what is seen
  /// between is interpolated. Their lengths count as constants in derivatives; with events these count how the moments of
  /// contacts and limits move. Controls are held, not linear. NULL: [steps of one length]
  const cr_adaptive* adaptive;
  int nthread;                  // 0: [one a processor]
  bool (*stop)(void* context);  // asked now and then, by any thread; true ends the search
  /// Called after every step of the search, with the number of steps so far and the cost.
  void (*progress)(void* context, int step, cr_real cost);
  void* context;
} cr_identification_options;

/// Cuts the measurements into windows. Parameters and measurements have to outlive it and stay as they are.
/// Owner    the caller, cr_identification_destroy
/// Errors   CR_ERR_ARG: options that are not sane, measurements of a model of other sizes, adaptive steps that are not valid, no run to train on,
///          windows of more than twice the longest run, no more measured numbers than unknowns;
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
  /// Takes the state after every step that was taken, to be kept byte by byte for `resume`; `step` as progress has it. A status
  /// other than CR_OK ends the search. NULL: [none]
  cr_status (*save)(void* context, int step, const void* state, size_t size, cr_error* error);
  void* context;  // of save
  /// A state of a search with the same parameters, measurements and options: the search goes on to the same digits as if it had
  /// not ended, for any number of threads; x is then not read. `iterations` may be others, to make a search longer;
  /// nthread and confidence too. NULL: [none]
  const void* resume;
  size_t resume_size;
  /// x is where a search ended (cr_identification_descend): starts are found first, with x held, so that this search
  /// stays in its valley. Otherwise the coarse stage may leave it.
  bool stay;
} cr_search;

/// How a search ended.
typedef struct {
  size_t size;  // sizeof(cr_search_end), set by the caller
  cr_real cost,
      start_cost;  // half the sum of squared errors over their standard deviations, at the end and at the start
  int steps, rounds;  // steps that were taken; rounds with other noises
  bool converged;
  const char* reason;  // in a few words; belongs to the library
  // how far the linearised errors would still move a number that is told, in its standard deviations: the largest. Above 1
  // the search stopped where the sum of squares is rougher than its derivative: it has not converged, and intervals are a guess
  cr_real left;
  int uncounted;  // events of the runs to train on that the derivative at the end does not count, of steps that end in events
} cr_search_end;

/// Least squares over all unknowns from x: Levenberg and Marquardt, states at the starts eliminated window by window.
/// The standard deviations of channels without a given noise are estimated between searches until they stay the same.
/// Map      x -> x, states at the starts, noises
/// Equation min 1/2 sum of rho((y(x, t - delay) + offset - seen) / noise)^2; of orientations the rotation vector from
///          seen to predicted                                                [identification.m1]-[identification.m4]
/// Shapes   x[n]
/// Threads  the same bits for any number of them
/// Errors   CR_ERR_ARG, CR_ERR_INTERRUPTED; those of steps, with run and time; CR_ERR_FORMAT: `resume` is a state of another search,
///          named by what differs, or damaged; those of `save`
CR_API cr_status cr_identification_solve(cr_identification* identification, const cr_search* search,
                                         cr_real* x, cr_search_end* end, cr_error* error);

/// One way down from x, for cr_minimise_global with CR_LOCAL_OWN: a cr_descent_function, its context an identification. Starts and
/// noises begin as in a new identification, so the end depends on x alone; so does a cr_identification_solve that comes
/// after. A solve from the end stays there with cr_search.stay. What a solve found before is forgotten. iterations as in
/// cr_search; 0: x stays, only starts and noises are found.
/// One search of several threads takes an identification for each, with parameters of its own.
/// Equation value = cost + sum of n log(noise) over places whose noise is estimated, with n numbers seen: the negative
///          logarithm of the likelihood, up to a constant              [identification.g1]
/// Shapes   x[n]; *value infinite, and x as it was: the model cannot be simulated from there
/// Errors   CR_ERR_ARG, CR_ERR_INTERRUPTED, CR_ERR_CAPACITY, CR_ERR_MEMORY
CR_API cr_status cr_identification_descend(void* identification, int iterations, cr_real* x,
                                           cr_real* value, cr_error* error);

/// Bounds of x for a global search: of parameters theirs (CR_TRANSFORM_BOUNDED: from 0.001 to 0.999 of the interval), of delays 0
/// and longest_delay, of offsets how far the numbers seen there are apart, of one of an orientation pi. Ways down keep
/// them.
/// Shapes   lower[n], upper[n]
/// Errors   CR_ERR_ARG naming the first number that has no finite bounds
CR_API cr_status cr_identification_get_bounds(const cr_identification* identification,
                                              cr_real* lower, cr_real* upper, cr_error* error);

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

/// What a report tells, as cr_parameters_report_values has it: of an inertia mass, centre and moments, of a direction its numbers, of
/// every other parameter the number itself; then delays and offsets. Number i after cr_identification_solve, its interval by the covariance
/// and the derivative of the report by x. `deviation` is that of the value of an inertia or direction, of every other number
/// that of x, as cr_identification_get has it.
/// Equation deviation^2 = g covariance g', g = dvalue/dx. The interval is even on the scale of the number: of a mass and of moments about
///          the axes value exp(-+ q deviation / value), of a number v of a direction sin(asin(v) -+ q deviation / sqrt(1 - v^2)), of
///          centres and products of inertia value -+ q deviation; of all others that of cr_identification_get. To first order: wide
///          intervals, and those of a number of a direction that is nearly 1 or -1, are rough                 [identification.m6]
///          `told` where deviation < |g S|, S the scales of x (cr_identification_get_scale), and g has no part in what the data say nothing
///          about: so a direction is told whose x has a length that nothing tells
/// Errors   CR_ERR_ARG, also before a solve
CR_API int cr_identification_report_count(const cr_identification* identification);
CR_API cr_status cr_identification_get_report(const cr_identification* identification, int i,
                                              cr_estimate* estimate, cr_error* error);

/// Estimate i with an interval by profile likelihood: where the model is so far from linear that an interval by covariance is wrong,
/// or where a bound cuts it. x_i is held at values away from the estimate, and all other numbers and the starts are searched anew, each
/// time from the place before. Takes some ten searches. Noises stay as the solve found them. The identification is as before
/// afterwards; options.stop ends it, options.progress hears of every step.
/// Equation the values p(x_i) with 2 (min cost(x_i) - min cost) / excess <= q^2, excess = max(chi^2 per degree of freedom, 1),
///          q of Student's t; the first such end on each side                 [identification.m7]
///          A side without an end within 40 scales of x_i (cr_identification_get_scale; or 40 q deviations), or beyond which the model
///          cannot be simulated, goes to the end of the transform, p(-+ infinity). A side that reaches a bound ends there, and at_bound
///          says so. `told` if one end at least is by the data. Of a direction, whose x may have any length, no number has an end:
///          cr_identification_get_report tells it
/// Errors   CR_ERR_ARG, also before a solve; CR_ERR_INTERRUPTED; those of cr_identification_solve
CR_API cr_status cr_identification_profile(cr_identification* identification, int i,
                                           cr_estimate* estimate, cr_error* error);

/// What is told of a combination g'x, as a base parameter of a robot is one: value, and an interval of value -+ q deviation.
/// Of a function of x, g is its gradient, and its interval lies as far about its own value.
/// Equation deviation^2 = g covariance g', told as in cr_identification_get_report           [identification.m6]
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

/// Takes x as the solution without a search, to tell how well the model with these numbers predicts: then cr_identification_get_place,
/// _predict and _get_state have answers, and there are no intervals. Starts that are not known stay as they are: where a search begins, or as
/// the last one found them; noises too.
/// Shapes   x[n]
/// Errors   CR_ERR_ARG; those of steps, with run and time
CR_API cr_status cr_identification_take(cr_identification* identification, const cr_real* x,
                                        cr_error* error);

/// What the model predicts for channel `channel` of run `run` at its own times, in the units of the place, at the solution.
/// Shapes   values: rows x numbers of the place; NaN where nothing is predicted
/// Errors   CR_ERR_ARG, also before a solve
CR_API cr_status cr_identification_predict(cr_identification* identification, int run, int channel,
                                           cr_real* values, cr_error* error);

/// Windows of a part: 0 to n - 1 to train on, from n on those held aside.
CR_API int cr_identification_windows(const cr_identification* identification, cr_run_part part);

/// The state at the start of window i, as the solve found it, for a rollout with the model found: of one held aside fitted for it.
/// `run` is the run's index, `time` the time of the start in it.
/// Shapes   qpos[nq], qvel[nv], act[na]; each of the five may be NULL
/// Errors   CR_ERR_ARG, also before a solve; those of rollouts for the part held aside
CR_API cr_status cr_identification_get_state(cr_identification* identification, int i, int* run,
                                             cr_real* time, cr_real* qpos, cr_real* qvel,
                                             cr_real* act, cr_error* error);

/// How far each number may move from x before it is another one: a parameter by all of its value (of a logarithm: 1), or between its
/// bounds where the value is 0, or 1; of a direction the length of its x; of an inertia 1 of its logarithms, a radius of gyration of
/// its lengths; a delay up to the longest; an offset by a hundred standard deviations of its place. In units of x. A number is told if its
/// deviation is below this.
/// Shapes   x[n], scale[n]
/// Errors   CR_ERR_ARG
CR_API cr_status cr_identification_get_scale(cr_identification* identification, const cr_real* x,
                                             cr_real* scale, cr_error* error);

/// What run `run` alone would tell about x: the Fisher information, its starts eliminated, without priors. A planned run is
/// measurements like any other, with the times, controls and noises that are planned. Values do not count, any finite ones do, but
/// where they give the state at the start: the first ones of qpos and of qvel, and where there are none of qvel the slope of the first six
/// of qpos. After a solve the starts of runs to train on are those it found. Noises that are not given are those of the last solve, before it
/// a hundredth of the values' spread. The identification is as before afterwards.
/// Equation J'J of errors over noises, of a model that is right, starts eliminated            [identification.m8]
/// Shapes   x[n], information[n n]
/// Errors   CR_ERR_ARG; those of steps, with run and time
CR_API cr_status cr_identification_information(cr_identification* identification, int run,
                                               const cr_real* x, cr_real* information,
                                               cr_error* error);

/// An order of runs: at each place the one that adds most to what is known, by the determinant (D-optimal, greedy). Of runs that
/// add alike, to 1e-9 of the gain, the one with the lower index comes first. gain[k] is what run order[k] adds, 0 if nothing.
/// Equation log det M grows by gain = log det(M + S I_run S) - log det M, S = diag(scale); M = 1 + S known S and then the runs before it
///          The 1 is a prior: every number is known to one scale. So singular information counts, a direction that nobody tells costs
///          nothing, units do not matter, and knowing a number better than its scale is what is worth something [identification.m9]
/// Shapes   information[nrun n n], known[n n] (information that is there already, NULL: none), scale[n], order[nrun], gain[nrun] (may be
///          NULL)
/// Errors   CR_ERR_ARG: no number or run, a scale that is not positive, information that is not finite, not symmetric, or negative on its
///          diagonal; CR_ERR_MEMORY
CR_API cr_status cr_design_order(const cr_real* information, int n, int nrun, const cr_real* known,
                                 const cr_real* scale, int* order, cr_real* gain, cr_error* error);

/// Standard deviations of the numbers of x where this information is all that is known of them, the sum over runs for instance:
/// what cr_identification_get would have after a fit of a model that is right. Infinite where a number would not be told.
/// Equation deviation_i^2 = (S V diag(1/l) V' S)_ii, S H S = V diag(l) V'              [identification.m5]
/// Shapes   information[n n], scale[n] (cr_identification_get_scale), deviation[n]
/// Errors   CR_ERR_ARG as cr_design_order; CR_ERR_MEMORY
CR_API cr_status cr_design_deviations(const cr_real* information, int n, const cr_real* scale,
                                      cr_real* deviation, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
