// SPDX-License-Identifier: Apache-2.0
// A gradient by names, as those see it that move all of its numbers at once: trust, estimators.
#ifndef CR_GRADIENT_GRADIENT_H
#define CR_GRADIENT_GRADIENT_H

#include "carom/gradient.h"
#include "gradient/named.h"

typedef struct {
  cri_named named;
  char* name;
  int n;
  cr_real* gradient;
} cri_gradient_name;

struct cr_gradient {
  cr_model* m;
  const cr_model* backward;
  bool derive;
  cr_rollout* rollout;
  int nstep, nrequest;
  cri_gradient_name* requests;
  bool computed;
  cr_loss loss;  // of the last gradient
  cri_start start;
  bool kept;  // the stored start is that of the last run
};

/// Numbers of all names together.
int cri_gradient_size(const cr_gradient* g);

/// True if a name is of a field of the model.
bool cri_gradient_moves_model(const cr_gradient* g);

/// Puts a start, moved by `step` (NULL: not moved), into the rollout and, where a name is of the model, into the model; constants
/// follow where they are derived. Otherwise the model has to have the numbers of the start already.
cr_status cri_gradient_put(cr_gradient* g, const cri_start* start, const cr_real* step,
                           cr_error* error);

/// The gradient of the last backward pass by the step that moved its start, all names together. It is by the tangent at
/// the moved start but for orientations, which a step w turns by exp(w): there it is Jr(w)' times that.
/// Errors   CR_ERR_NONFINITE
cr_status cri_gradient_read_moved(cr_gradient* g, const cr_real* step, cr_real* gradient,
                                  cr_error* error);

#endif
