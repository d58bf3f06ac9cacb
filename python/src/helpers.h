// SPDX-License-Identifier: Apache-2.0
// What the Python package does in C, with the public headers alone: loops over steps, and losses that keep fields of
// a rollout as arrays and take cotangents of these arrays. make_module.py reads the declarations below.
#ifndef CAROM_PYTHON_HELPERS_H
#define CAROM_PYTHON_HELPERS_H

#include "carom/carom.h"

// A field along n rollouts of nstep steps: its numbers after every step, and cotangents of a loss by them.
typedef struct {
  const char* field;
  int width;          // numbers of all rows of the field
  int tangent;        // the same of its cotangent
  double* values;     // n x nstep x width; NULL: not kept
  const double* bar;  // n x nstep x tangent; NULL: none
} carom_track;

// Python's part of a loss: called once a rollout, when its last step is kept. It sets the loss and the cotangents.
typedef cr_status (*carom_loss_call)(void* handle, int item, int worker, double* loss);

// What all workers of a batch share.
typedef struct {
  carom_track* tracks;
  int ntrack, nstep;
  double *qpos, *qvel, *act;  // n x nstep x nq, nv, na: after every step; NULL: not kept
  bool needs_fields;
  carom_loss_call call;  // NULL: none
  void* handle;
} carom_tracking;

// One worker. `inner` is a loss that is added, as of an expression; its functions may be NULL.
typedef struct {
  const carom_tracking* shared;
  cr_loss inner;
  int item, worker;
} carom_tracker;

// The loss of a tracker, for a single rollout.
cr_loss carom_tracker_loss(carom_tracker* tracker);

// The same of a batch, a cr_batch_loss: the context is an array of trackers, one for each worker.
cr_loss carom_batch_tracker_loss(void* trackers, int item, int worker);

// n steps, each made the present state; stops at the first that fails.
cr_status carom_steps(const cr_model* m, cr_data* d, int n);

// The function whose derivatives are wanted.
typedef enum { CAROM_STEP, CAROM_FORWARD, CAROM_INVERSE } carom_map;

// The numbers of one field in k tangents or cotangents: k x size, row after row.
typedef struct {
  const char* field;
  int size;
  double* values;
} carom_part;

// Cotangents of inputs and parameters in a twin, which a vjp adds to.
typedef struct carom_inputs carom_inputs;
carom_inputs* carom_inputs_create(const cr_model* m, cr_data* bar);
void carom_inputs_destroy(carom_inputs* inputs);

// k tangents of a map, one after the other, at a state that the map has evaluated.
cr_status carom_jvps(carom_map map, const cr_model* m, const cr_data* d, cr_data* work,
                     cr_data* tan, int k, const carom_part* in, int n_in, const carom_part* out,
                     int n_out);

// k cotangents of a map back to inputs and parameters.
cr_status carom_vjps(carom_map map, const cr_model* m, const cr_model* m_backward, const cr_data* d,
                     cr_data* work, cr_data* bar, const carom_inputs* inputs, int k,
                     const carom_part* in, int n_in, const carom_part* out, int n_out);

#endif
