// SPDX-License-Identifier: Apache-2.0
// Trains gates of contact on tosses that are seen: on single steps first, then on windows that are rolled out.
#ifndef CR_PHYSICS_GATE_TRAINING_H
#define CR_PHYSICS_GATE_TRAINING_H

#include "physics/contact_gates.h"
#include "stiff/sighted.h"
#include "stiff/stiff_oracle.h"

typedef struct {
  uint64_t seed;                // of the first weights, and of the order of windows
  int share;                    // 1: all steps of Adam; n: an n-th part of them
  bool (*stop)(void* context);  // asked at every step of Adam; may be NULL
  void* context;
} cri_gate_lesson;

/// Equation loss = mean over rows of 10 |v - v_seen| + |w - w_seen|, in m/s and rad/s
/// Shapes   p[g->n]: the weights; *loss: of windows of one step
/// Errors   CR_ERR_INTERRUPTED, CR_ERR_MEMORY, CR_ERR_NONFINITE; CR_ERR_ARG: no toss is long enough
cr_status cri_gates_train(const cri_gates* g, const cri_gate_lesson* lesson,
                          const cri_sighted* tosses, cr_real* p, cr_real* loss, cr_error* error);

/// Trained gates in the place of a simulator, for scores. It borrows all three; the simulator's step does not count.
/// Shapes   p[g->n], room[cri_gates_room(g)]
typedef struct {
  const cri_gates* g;
  const cr_real* p;
  cr_real* room;
} cri_gated;
cri_addition cri_gated_addition(cri_gated* gated);

#endif
