// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of a comparison: parity/parity compares, parity/parity_states chooses the states,
// parity/parity_time measures times, parity/parity_bench makes their work memory.
#ifndef CR_PARITY_PARITY_BENCH_H
#define CR_PARITY_PARITY_BENCH_H

#include "parity/parity.h"

struct cr_parity_bench {
  mjModel* mj;
  mjOption file_options;
  const cr_model* m;
  mjData *state, *d, *scratch;  // the driven state; the evaluation; steps
  mjData* kept;                 // the state while its edges are compared
  cr_model discrete;            // m with the integrator discrete, and its data where m has another
  cr_data* discrete_data;
  int visited;
  double slow_transition;  // microseconds, if mjd_transitionFD is too slow to run it again
  cr_parity* result;       // of the current comparison
  cr_data* carom;
};

typedef enum { CR_EDGE_NONE, CR_EDGE_PLAIN, CR_EDGE_FAST } cri_parity_edge_kind;

/// Relative residual of the solve in d, |M a - qfrc_smooth - J' f| over the scale of its terms; room for nv.
double cri_parity_residual(const cr_parity_bench* b, mjData* d, mjtNum* Ma);

/// Sets b->state to edge k of the state in b->kept, 0 the first; none if there are no more. For every
/// state: controls on their range, beyond it and far beyond, activations likewise; the same at ten times
/// the speed. For the first one also the model's default start and its keyframes, as they are.
cri_parity_edge_kind cri_parity_edge(cr_parity_bench* b, int k, bool first, cr_random* random);

#endif
