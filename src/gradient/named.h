// SPDX-License-Identifier: Apache-2.0
// Numbers of a rollout by name: places in the state at the start, controls and parameters. They
// are read from a gradient, and moved for differences.
#ifndef CR_GRADIENT_NAMED_H
#define CR_GRADIENT_NAMED_H

#include "model/names.h"
#include "rollout/trajectory.h"

/// One name.
typedef struct {
  const char* name;
  cr_place place;
  bool each_step;  // all controls: steps x nu
  int nstep;
} cri_named;

/// Resolves the name, for a rollout of nstep steps; marks a parameter in `wanted`, flags of cr_field_id.
/// Errors   CR_ERR_NAME if there is no gradient by it
cr_status cri_named_find(cri_named* named, const cr_model* m, int nstep, const char* name,
                         bool* wanted, cr_error* error);

/// How many numbers the name has.
int cri_named_size(const cri_named* named, const cr_model* m);

/// The gradient by its numbers, from r after a gradient. CR_ERR_NONFINITE if one is not finite.
cr_status cri_named_read(const cri_named* named, const cr_model* m, const cr_rollout* r,
                         cr_real* gradient, cr_error* error);

/// Moves its k-th number by h: in the data block and controls of r, or in m.
void cri_named_move(const cri_named* named, cr_model* m, cr_rollout* r, int k, cr_real h);

/// The k-th number itself, 0 for a rotation.
cr_real cri_named_value(const cri_named* named, const cr_model* m, const cr_rollout* r, int k);

/// Copies of everything that may be moved.
typedef struct {
  cr_data* d;
  cr_model m;
  cr_real* ctrl;
  int nstep;
} cri_start;

/// Stores the start of the last run of r. Errors: CR_ERR_MEMORY. Free with cri_start_free, also after an
/// error.
cr_status cri_start_keep(cri_start* start, const cr_model* m, cr_rollout* r, cr_error* error);

/// Puts the stored start into r and m.
void cri_start_put(const cri_start* start, cr_model* m, cr_rollout* r);

/// Into r alone, where m has the start's numbers.
void cri_start_put_state(const cri_start* start, const cr_model* m, cr_rollout* r);

void cri_start_free(cri_start* start);

#endif
