// SPDX-License-Identifier: Apache-2.0
// A network beside a simulator.
#include "physics/step_network.h"

#include <stdlib.h>

#include "base/real.h"
#include "base/status.h"

// height, rotation matrix, velocity, angular velocity; change of both in the step. Where the cube is on the plane does not matter
enum { HEIGHT, ROTATION, TWIST = ROTATION + 9, CHANGE = TWIST + CRI_TWIST };
enum { N_INPUT = CHANGE + CRI_TWIST, WIDTH = 64, FIFTH = 5 };

static cr_status no_memory(cr_error* error) {
  return cri_fail(error, CR_ERR_MEMORY, "no memory for a network beside the simulator");
}

static void inputs_of(const cr_real* state, const cr_real* next, cr_real* input) {
  input[HEIGHT] = state[2];
  cri_tossed_rotation(state, input + ROTATION);
  cr_copy(input + TWIST, state + CRI_POSE, CRI_TWIST);
  for (int k = 0; k < CRI_TWIST; k++) {
    input[CHANGE + k] = next[CRI_POSE + k] - state[CRI_POSE + k];
  }
}

// ---- rows to learn from

typedef struct {
  int n, learned;           // all, and those of the tosses that are learned, which come first
  cr_real *input, *target;  // [n][N_INPUT], [n][CRI_TWIST]
} lines;

static cr_status make_lines(lines* l, const cr_model* m, cr_data* d, const cri_sighted* tosses,
                            cr_error* error) {
  const size_t most = (size_t)tosses->first[tosses->n];
  *l = (lines){.input = malloc(most * N_INPUT * sizeof *l->input),
               .target = malloc(most * CRI_TWIST * sizeof *l->target)};
  CR_TRY(l->input != NULL && l->target != NULL ? CR_OK : no_memory(error));
  for (int i = 0; i < tosses->n; i++) {
    int rows;
    const cr_real* seen = cri_sighted_toss(tosses, i, &rows);
    for (int row = 0; row + 1 < rows; row++, seen += CRI_STATE, l->n++) {
      cr_real next[CRI_STATE];
      CR_TRY(cri_tossed_step(m, d, seen, error));
      CR_TRY(cri_tossed_state(m, d, next, error));
      inputs_of(seen, next, l->input + (ptrdiff_t)N_INPUT * l->n);
      for (int k = 0; k < CRI_TWIST; k++) {
        l->target[CRI_TWIST * l->n + k] = seen[CRI_STATE + CRI_POSE + k] - next[CRI_POSE + k];
      }
    }
    l->learned = i < tosses->n - tosses->n / FIFTH ? l->n : l->learned;
  }
  return CR_OK;
}

// ---- training

static cr_status make_network(cr_learned** learned, uint64_t seed, cr_error* error) {
  const cr_layer hidden = {.size = sizeof hidden, .width = WIDTH, .activation = CR_ACTIVATION_TANH};
  const cr_layer end = {.size = sizeof end, .width = CRI_TWIST};
  const cr_layer layers[] = {hidden, hidden, end};
  cr_network* network = NULL;
  CR_TRY(cr_network_create(&network, N_INPUT, layers, 3, error));
  cr_status status = cr_learned_create(learned, network, seed, error);
  cr_network_destroy(network);
  return status;
}

static cr_learning_data data_of(const lines* l, int first, int n) {
  return (cr_learning_data){.size = sizeof(cr_learning_data),
                            .nsequence = n,
                            .input = l->input + (ptrdiff_t)N_INPUT * first,
                            .target = l->target + (ptrdiff_t)CRI_TWIST * first};
}

// what says when to end: rows of tosses that are not learned, where there are enough tosses
static cr_status learn(cri_step_network* r, const lines* l, const cri_step_lesson* lesson,
                       cr_error* error) {
  const bool whole = l->learned < l->n;
  const cr_learning_data data = data_of(l, 0, l->learned);
  const cr_learning_data held = data_of(l, l->learned, l->n - l->learned);
  const cr_learning_options o = {.size = sizeof o,
                                 .normalise = true,
                                 .held_out = whole ? 0 : CR_R(0.2),
                                 .held = whole ? &held : NULL,
                                 .epochs = lesson->epochs,
                                 .patience = lesson->patience,
                                 .batch = 64,
                                 .rate = CR_R(1e-3),
                                 .weight_decay = CR_R(0.01),
                                 .seed = lesson->seed,
                                 .threads = 1,
                                 .stop = lesson->stop,
                                 .context = lesson->context};
  cr_learning_end end = {.size = sizeof end};
  CR_TRY(make_network(&r->learned, lesson->seed, error));
  return cr_learned_train(r->learned, &data, &o, &end, error);
}

cr_status cri_step_network_train(cri_step_network* r, const cr_model* m,
                                 const cri_step_lesson* lesson, const cri_sighted* tosses,
                                 cr_error* error) {
  cr_data* d = NULL;
  lines l = {.n = 0};
  *r = (cri_step_network){.m = m};
  cr_status status = cr_data_create(&d, m, error);
  status = status == CR_OK ? make_lines(&l, m, d, tosses, error) : status;
  status = status == CR_OK ? learn(r, &l, lesson, error) : status;
  const size_t room = status == CR_OK ? (size_t)cr_learned_nroom(r->learned) : 0;
  r->room = malloc((room + 1) * sizeof *r->room);
  status = status == CR_OK && r->room == NULL ? no_memory(error) : status;
  free(l.input);
  free(l.target);
  cr_data_destroy(d);
  return status;
}

void cri_step_network_free(cri_step_network* r) {
  cr_learned_destroy(r->learned);
  free(r->room);
  *r = (cri_step_network){.m = NULL};
}

// ---- in a step

// semi-implicit: the pose follows from the new velocity
static cr_status add(void* context, const cr_real* state, cr_real* next, cr_error* error) {
  const cri_step_network* r = context;
  cr_real input[N_INPUT], more[CRI_TWIST];
  inputs_of(state, next, input);
  cr_learned_step(r->learned, input, NULL, more, r->room);
  for (int k = 0; k < CRI_TWIST; k++) {
    next[CRI_POSE + k] += more[k];
  }
  cr_copy(next, state, CRI_POSE);
  return cr_integrate_pos(r->m, next, next + CRI_POSE, cr_model_timestep(r->m), error);
}

cri_addition cri_step_network_addition(cri_step_network* r) { return (cri_addition){add, r}; }
