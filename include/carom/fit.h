// SPDX-License-Identifier: Apache-2.0
// Parameters of a model from recorded motion: recordings, the windows that they are cut into, and how well the
// model with given parameters predicts them, with the gradient. This is what carom fit minimises.
#ifndef CAROM_FIT_H
#define CAROM_FIT_H

#include "carom/cost.h"
#include "carom/parameters.h"
#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- recordings

/// Recorded motion of one model: runs of states at equal times.
typedef struct cr_recordings cr_recordings;

/// One run. A row is a state and the controls that are held until the next row: qpos, qvel, act,
/// plugin_state (cr_model_add_state), ctrl.
typedef struct {
  size_t size;       // sizeof(cr_recording_info), set by the caller
  const char* name;  // of it in sentences and files; 1 to 31 characters without '/'
  int rows;
  const cr_real*
      values;  // rows x (nq + nv + na + npluginstate + nu), row after row, in MuJoCo's units and frames
  int group;  // runs of one group (copies of a recording) are on one side where a part is held aside
} cr_recording_info;

/// No recordings yet, of a model like m, with `interval` seconds from row to row. m need not outlive them.
/// Owner    the caller, cr_recordings_destroy
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_recordings_create(cr_recordings** recordings, const cr_model* m,
                                      cr_real interval, cr_error* error);
CR_API void cr_recordings_destroy(cr_recordings* recordings);

/// Adds a copy of a run.
/// Errors   CR_ERR_ARG, also for a name that is taken; CR_ERR_FORMAT naming row and column: a number that is not finite, a quaternion whose
///          length is not 1 to 1e-6; CR_ERR_MEMORY
CR_API cr_status cr_recordings_add(cr_recordings* recordings, const cr_recording_info* run,
                                   cr_error* error);

/// Reads the runs of an HDF5 file (CAROM_IO=ON): data sets run/NAME/state (of one free body also
/// toss/NAME/state) with the columns above, the root attribute dt in seconds. Respected where present: the
/// attribute `columns` of a data set, which has to name the columns as cr_recordings_write does; of run/NAME
/// `copy_of` (number of the run that this one is a copy of, -1: none; copies get the group of their original) and
/// `moved_again_at_frame` (rows from there on are dropped).
/// Owner    the caller, cr_recordings_destroy
/// Errors   CR_ERR_FILE; CR_ERR_FORMAT naming run, row and column: a missing dt or group, another shape, other
///          columns, and what cr_recordings_add refuses
CR_API cr_status cr_recordings_read(cr_recordings** recordings, const cr_model* m, const char* path,
                                    cr_error* error);

/// Writes a file of the same layout, whole or not at all; `title` is an attribute of it. Columns are named qpos[0]
/// ..., of one free body px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz.
/// Errors   CR_ERR_ARG, CR_ERR_FILE
CR_API cr_status cr_recordings_write(const cr_recordings* recordings, const char* path,
                                     const char* title, cr_error* error);

/// How many runs; run i, with name and values borrowed until another run is added or the recordings are destroyed;
/// seconds from row to row.
/// Errors   CR_ERR_ARG for a run that does not exist, a size that is not set
CR_API int cr_recordings_count(const cr_recordings* recordings);
CR_API cr_status cr_recordings_get(const cr_recordings* recordings, int i, cr_recording_info* run,
                                   cr_error* error);
CR_API cr_real cr_recordings_interval(const cr_recordings* recordings);

/// Whether velocities are the rates of positions and orientations, of all free joints. Where they contradict each
/// other beyond doubt, the likely cause in words (units, time between rows, order of quaternions, frames) goes into
/// text of `size`; "" otherwise.
/// Equation a = (p_k+s - p_k) / (s dt), b the mean of v between; a = factor b by least squares, and
///          correlation = sum a.b / sqrt(sum a.a sum b.b)
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY
CR_API cr_status cr_recordings_doubt(const cr_recordings* recordings, char* text, int size,
                                     cr_error* error);

// ---- the fit

/// A loss that is added to that of every window, as a cost is (carom/cost.h): what is known of the motion beside the
/// recording.
typedef struct {
  void* context;
  /// The loss of a window of nstep steps, `interval` seconds each, on thread `worker`; several threads ask at once, each
  /// with a number of its own. It may read whatever the loss of a rollout may. Time begins at 0 in every window.
  cr_loss (*loss)(void* context, int worker, int nstep, cr_real interval);
} cr_more_loss;

/// What is compared, and how the model is run. What a zero stands for is in brackets.
typedef struct {
  size_t size;       // sizeof(cr_fit_options), set by the caller
  int first, run;    // recordings first ... first + run - 1; run 0: [all behind first]
  int steps;         // rows that a window predicts; 0: [the whole run is one window]
  int stride;        // rows from the start of one window to the next; 0: [1]
  cr_real held_out;  // share of the groups that is held aside, at least one where it is not 0
  int64_t seed;      // of what is held aside, and of batches
  cr_real position, rotation, velocity,
      spin;  // weights of errors: m, rad or the nine entries of a rotation
             // matrix, m/s, rad/s; all 0: [1 each]
  cr_norm
      norm;  // of the errors of a joint's position, rotation, ...; not NULL or RECTIFY; 0: [CR_NORM_POWER]
  cr_real p, q;                 // of the norm; 0: [2 for CR_NORM_POWER: squares of errors]
  cr_more_loss more;            // without a function: [none]
  const cr_adaptive* adaptive;  // tolerances; NULL: steps of the model's length
  const cr_adjoint* adjoint;    // gradients by the continuous adjoint; NULL: of the steps
  size_t memory;                // limit for the stored states of a thread, in bytes; 0: [none]
  bool cfd;  // contacts from distance in the backward pass, with the options cfd_... of the model
  int nthread;  // 0: [one a processor]
  bool (*stop)(
      void* context);  // asked now and then, by any thread; true ends the evaluation; may be NULL
  void* context;
} cr_fit_options;

/// Parameters, recordings and windows. Belongs to one thread.
typedef struct cr_fit cr_fit;

/// Cuts the recordings into windows. Parameters and recordings have to outlive it; options are copied, with the
/// tolerances.
/// Owner    the caller, cr_fit_destroy
/// Errors   CR_ERR_ARG: options that are not sane, recordings of a model of other sizes, rows that are no multiple
///          of the time step (with tolerances: of the grid) apart, no window to train on; those of
///          cr_rollout_set_adaptive, cr_rollout_set_memory and cr_rollout_set_adjoint; CR_ERR_MEMORY
CR_API cr_status cr_fit_create(cr_fit** fit, cr_parameters* parameters,
                               const cr_recordings* recordings, const cr_fit_options* options,
                               cr_error* error);
CR_API void cr_fit_destroy(cr_fit* fit);

/// The windows that are fitted; those held aside.
typedef enum { CR_FIT_TRAIN, CR_FIT_HELD } cr_fit_part;

/// The size of a part.
typedef struct {
  size_t size;          // sizeof(cr_fit_info), set by the caller
  int windows, groups;  // groups: independent recordings
  int longest;          // rows that the longest window of all predicts
  cr_real
      standing_loss;  // loss where nothing moves, without options.more: a model has to do better; 0 without windows
} cr_fit_info;

/// Errors   CR_ERR_ARG
CR_API cr_status cr_fit_get_info(const cr_fit* fit, cr_fit_part part, cr_fit_info* info,
                                 cr_error* error);

/// Threads that evaluate; 0 for no fit. The numbers that options.more is asked with are below it.
CR_API int cr_fit_threads(const cr_fit* fit);

/// Windows that an iteration of an optimiser sees (`batch` of cr_fit_evaluate), drawn anew from the seed for every
/// pass over all; 0: all. Errors: CR_ERR_ARG.
CR_API cr_status cr_fit_set_batch(cr_fit* fit, int windows, cr_error* error);

/// One evaluation.
typedef struct {
  size_t size;        // sizeof(cr_fit_value), set by the caller
  cr_real* gradient;  // n numbers, set by the caller; NULL: not asked for
  cr_real loss;
  int windows;       // that were looked at
  int zero_windows;  // of these, how many have a gradient of exactly zero; 0 without the gradient
  int contact_free;  // of these, how many never had a constraint row
  cr_real more;      // what options.more added to the loss
} cr_fit_value;

/// The mean loss over windows of a part at x, and its gradient in x. `batch`: the iteration whose windows are
/// meant, or CR_ALL_DATA; of what is held aside always all.
/// Map      x -> loss, gradient
/// Equation mean over windows of 1/(E rows) sum over rows and groups of w n(s - seen), plus what options.more adds; n the
///          norm, by default the sum of squares; s: per joint its position (slide, free), angle (hinge) or the nine entries of
///          its rotation matrix (ball, free), and its velocities; E numbers a row  [identification.w1]-[identification.w4]
/// Shapes   x[n], n = cr_parameters_count
/// Threads  the same bits for any number of them
/// Errors   CR_ERR_ARG, CR_ERR_INTERRUPTED; those of parameters; those of rollouts, with run and rows
/// Smooth   where rollouts and the norm are; of |e| the slope at 0 is 0
CR_API cr_status cr_fit_evaluate(cr_fit* fit, cr_fit_part part, int batch, const cr_real* x,
                                 cr_fit_value* value, cr_error* error);

/// The same of the windows to train on, as the function of a cr_minimise_problem whose context is the fit.
/// Shapes   value: one number; gradient[n]
CR_API cr_status cr_fit_objective(void* fit, int batch, const cr_real* x, cr_real* value,
                                  cr_real* gradient, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
