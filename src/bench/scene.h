// SPDX-License-Identifier: Apache-2.0
// What is timed: a model on both sides, and one sequence of states that both start their steps from.
#ifndef CR_BENCH_SCENE_H
#define CR_BENCH_SCENE_H

#include <mujoco/mujoco.h>

#include "carom/state.h"

typedef struct {
  char name[64];
  mjModel* mj;
  mjData* d;
  mjtNum* states;  // state_size numbers each, mjSTATE_INTEGRATION
  size_t state_size;
  cr_model* m;
  int nq, nv, na, nu, nbody;  // of it
  cr_data *c, *tan, *bar;
  cr_real* ours;  // the same states for Carom: ours_size numbers each, CR_STATE_INTEGRATION
  size_t ours_size;
  int nstate;
  double rows, contacts;  // per state
} cr_scene;

/// Opens what `text` says: [NAME=]MODEL, [NAME=]N*MODEL (N copies of the bodies of an MJCF file side
/// by side), chain:N (N links that hang from each other, nothing touches), stack:N (N boxes on each
/// other). Both sides use Euler, MuJoCo without no-slip and otherwise with the file's solver.
/// Then lets MuJoCo simulate under random controls and keeps every tenth state.
/// Errors: a file that does not open or is not supported, in one sentence.
/// Owner: the caller, cr_scene_close, also after an error.
cr_status cr_scene_open(cr_scene* s, const char* text, int nstate, uint64_t seed, cr_error* error);
void cr_scene_close(cr_scene* s);

/// Puts MuJoCo's data into state k.
void cr_scene_state(cr_scene* s, int k);

/// Puts Carom's data into state k. CR_ERR_NONFINITE, with the sentence in the data.
cr_status cr_scene_ours(cr_scene* s, int k);

/// The largest |M a - qfrc_smooth - J' f| of MuJoCo's last solve over the size of its terms.
double cr_scene_residual(const cr_scene* s);

#endif
