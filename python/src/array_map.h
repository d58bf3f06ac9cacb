// SPDX-License-Identifier: Apache-2.0
// n rollouts as a function of arrays, with its gradient: what carom.torch and carom.jax call. make_module.py reads the
// declarations below.
#ifndef CAROM_PYTHON_ARRAY_MAP_H
#define CAROM_PYTHON_ARRAY_MAP_H

#include "helpers.h"

// One input or output. n rollouts have n rows of it.
typedef struct {
  const char* name;  // "qpos", "qvel", "act", "ctrl", a parameter, a field that is recorded
  int rank;          // axes of a row
  int size;          // numbers of a row
  int tangent;       // numbers of its cotangent: of all steps for an output; 0: it has none
  bool quaternions;  // a parameter of quaternions
  bool computed;     // a field that a step computes, not a part of the state
} carom_array;

// Runs of one batch exclude each other.
typedef struct carom_lock carom_lock;
carom_lock* carom_lock_create(void);
void carom_lock_destroy(carom_lock* lock);
void carom_lock_take(carom_lock* lock);
void carom_lock_give(carom_lock* lock);

// Quaternions may have any length: the map is that of the orientations that they stand for. Gradients by qpos have nq
// numbers, and so have cotangents of it.
typedef struct {
  const cr_model* model;
  cr_batch* batch;
  carom_lock* lock;
  int nstep, nq, nv, nparameter;
  int ninput;  // the parameters among them in the order of the batch
  const carom_array* inputs;
  int noutput;  // qpos, qvel and act after every step, then recorded fields
  const carom_array* outputs;
  int nplain;
  const int* plain;  // pairs: address in qpos, degree of freedom
  int nquaternion;
  const int* quaternion;  // the same of the first number of each quaternion
  const cr_loss* losses;  // one for each worker; NULL: none
} carom_array_map;

// Outputs of n rollouts. kept: n x cr_batch_kept_size numbers, for a gradient in a later call; NULL: none.
cr_status carom_map_forward(const carom_array_map* map, int n, const double* const* in,
                            double* const* out, double* kept, cr_error* error);

// Gradients by the inputs, from cotangents of the outputs (NULL: zero) and the output qpos. kept: of the forward call;
// NULL: the rollouts run again. An entry of `gradients` may be NULL.
cr_status carom_map_backward(const carom_array_map* map, int n, const double* const* in,
                             const double* qpos, const double* const* bars, const double* kept,
                             double* const* gradients, cr_error* error);

// Losses of n rollouts and, unless `gradients` is NULL, their gradients by the inputs. `trackers` (helpers.h) have the losses,
// one for each worker; NULL: those of the map.
cr_status carom_map_cost(const carom_array_map* map, int n, const double* const* in,
                         carom_tracker* trackers, double* values, double* const* gradients,
                         cr_error* error);

#endif
