// SPDX-License-Identifier: Apache-2.0
// What smoothed predictive control knows of a system: its steps, and linear models of them along a motion.
#ifndef CR_CONTROL_MPC_SYSTEM_H
#define CR_CONTROL_MPC_SYSTEM_H

#include "base/pool.h"
#include "carom/quasidynamic.h"

/// A system with what only Carom's own have; each function may be NULL, and gets the context of `system`.
typedef struct {
  cr_mpc_system system;
  /// Gets ready for so many threads.
  cr_status (*prepare)(void* context, int nworker, cr_error* error);
  /// The factor of sigma, or what else smooths, in an iteration: 1, 2, ...
  void (*begin)(void* context, int iteration, cr_real* spread);
  /// A smoothed Jacobian, in the place of that of a step.
  cr_status (*derive)(void* context, int worker, const cr_real* x, const cr_real* u, cr_real* A,
                      cr_real* B, cr_error* error);
  /// Controls that hold a state.
  void (*hold)(void* context, const cr_real* x, cr_real* u);
  void (*destroy)(void* context);
} cri_mpc_system;

/// A planner, which owns the system's context also if this fails.
cr_status cri_mpc_make(cr_smoothed_mpc** mpc, const cri_mpc_system* system,
                       const cr_mpc_options* options, const int* follows, cr_error* error);

/// Linear models of steps at states x and controls u.
typedef struct cri_mpc_models cri_mpc_models;

/// Options as in cr_mpc_options: kind, samples, sigma, draws, seed; nstep.
/// Errors   CR_ERR_ARG, CR_ERR_MEMORY. Free with cri_mpc_models_free, also after an error
cr_status cri_mpc_models_make(cri_mpc_models** models, const cri_mpc_system* system,
                              const cr_mpc_options* options, cr_pool* pool, cr_error* error);
void cri_mpc_models_free(cri_mpc_models* models);

/// A[nstep nx nx], B[nstep nx nu] of the steps from x[(nstep + 1) nx], u[nstep nu], with sigma times spread and samples of the iteration's own. A step keeps its
/// model if at least half of its samples have a step. *failed: how many have none
/// Equation [smoothed_mpc.e1], [smoothed_mpc.e2]
cr_status cri_mpc_models_find(cri_mpc_models* models, int iteration, cr_real spread,
                              const cr_real* x, const cr_real* u, cr_real* A, cr_real* B,
                              int* failed, cr_error* error);

#endif
