// SPDX-License-Identifier: Apache-2.0
// Many independent rollouts of one model, and their gradients, over the processors of a machine.
#ifndef CAROM_BATCH_H
#define CAROM_BATCH_H

#include "carom/rollout.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Workers, each with the memory of one rollout. So the memory of a batch does not grow with its size.
typedef struct cr_batch cr_batch;

typedef struct {
  size_t size;                    // sizeof(cr_batch_options), set by the caller
  int nstep;                      // of every rollout
  int nthread;                    // 0: [one a processor]
  const char* const* parameters;  // model fields, as "body_mass", of which each rollout has its own
  int nparameter;                 // values and gradients
  bool derive;  // derive constants that follow from parameters (body_invweight0 ...) again for each
                // rollout; gradients go through them
  const cr_adaptive* adaptive;  // NULL: steps of the model's length
  size_t
      memory;  // limit for the stored states of each worker, see cr_rollout_set_memory; 0: [none]
} cr_batch_options;

/// Starts of the rollouts, a row each. NULL: the value in brackets, the same for all.
typedef struct {
  size_t size;                       // sizeof(cr_batch_input), set by the caller
  const cr_real *qpos, *qvel, *act;  // n x nq, n x nv, n x na [those of start]
  const cr_real* ctrl;               // n x nstep x nu [those of start in every step]
  const cr_real* const*
      parameters;  // one array for each of the options': n x its size [the model's]
  const cr_data*
      start;  // everything without rows: also applied forces, mocap poses and time [as after
              // cr_data_reset]
  int first;  // number of row 0 in error sentences: rows may be a part of a larger batch
  const cr_real* kept;  // n x cr_batch_kept_size, output->kept of an earlier call with the same
                        // inputs: the rollouts do not run again, the value of the loss is not
                        // asked for, and output->loss is 0 [NULL: they run]
} cr_batch_input;

/// Where the results go, a row each; NULL: not asked for. Gradients are computed if one is.
typedef struct {
  size_t size;                             // sizeof(cr_batch_output), set by the caller
  cr_real* loss;                           // n
  cr_real *qpos, *qvel, *act;              // at the end: n x nq, n x nv, n x na
  cr_real *qpos_bar, *qvel_bar, *act_bar;  // of the start: n x nv, n x nv, n x na
  cr_real* ctrl_bar;                       // n x nstep x nu
  cr_real* const* parameters_bar;  // n x the size of its tangent: as the input's, but 3 numbers a
                                   // quaternion; each entry may be NULL
  cr_error* error;  // n: how each rollout ended, with its number and step. If given, all rollouts
                    // run; one that fails has zeros in its other rows
  cr_real*
      kept;  // n x cr_batch_kept_size: the runs themselves, for their gradients in a later call
  cr_real *qpos_path, *qvel_path, *act_path;  // after every step: n x nstep x nq, n x nstep x nv,
                                              // n x nstep x na; not where memory is limited
} cr_batch_output;

/// Gives the loss of rollout `item`. The thread that runs the rollout calls it before the run; `worker`
/// is its number (0 <= worker < cr_batch_threads), for losses that store something while they work.
typedef cr_loss (*cr_batch_loss)(void* context, int item, int worker);

/// m and m_backward (usually m, see cr_rollout_gradient) must outlive the batch.
/// Errors   CR_ERR_NAME (not a parameter: the sentence names it), CR_ERR_ARG, CR_ERR_MEMORY
/// Owner    the caller, cr_batch_destroy
CR_API cr_status cr_batch_create(cr_batch** batch, const cr_model* m, const cr_model* m_backward,
                                 const cr_batch_options* options, cr_error* error);
CR_API void cr_batch_destroy(cr_batch* batch);
CR_API int cr_batch_threads(const cr_batch* batch);

/// How many numbers keep a run of nstep steps for a gradient whose loss is not known yet: its states, with the solver's warm
/// starts. 0: nothing can be kept, as steps are adaptive or memory is limited.
CR_API size_t cr_batch_kept_size(const cr_batch* batch);

/// Runs rollouts 0 ... n - 1 and, where asked, their gradients. Rollouts are independent: each gives the
/// same bits for any number of threads and with any other rollouts.
/// Errors   those of the lowest rollout that failed, with its number; later ones may not have run. With
///          output->error only CR_ERR_MEMORY. CR_ERR_ARG: something is to be kept, and cannot; numbers that are not kept runs;
///          states after every step with a limit of memory
CR_API cr_status cr_batch_run(cr_batch* batch, int n, const cr_batch_input* input,
                              cr_batch_loss loss, void* context, const cr_batch_output* output,
                              cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
