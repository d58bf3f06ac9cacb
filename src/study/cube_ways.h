// SPDX-License-Identifier: Apache-2.0
// More ways to learn a tossed cube from recordings: a simulator whose corners are free, with a network on the friction of contacts; a network
// beside a simulator, which adds to its steps; and a network made for jumps, without a simulator.
#ifndef CR_STUDY_CUBE_WAYS_H
#define CR_STUDY_CUBE_WAYS_H

#include "physics/gate_training.h"
#include "physics/step_network.h"
#include "study/cube.h"

/// Learns from all tosses. Each may be stopped.
typedef struct {
  const cr_recordings* tosses;
  int epochs;  // of corners and networks
  int share;   // of gates: 1 all steps of a training, n an n-th of them
  uint64_t seed;
  bool (*stop)(void* context);  // may be NULL
  void* context;
} cr_cube_lesson;

/// A model whose cube touches with eight balls, which stand in the corners of the cube with the numbers `found` (items of the cube). Writes
/// folder/cube_corners.xml.
/// Owner    the caller, cr_model_destroy, also after an error
/// Shapes   found[CR_CUBE_N]
/// Errors   those of files and models
cr_status cri_cube_open_corners(cr_model** m, const cr_notebook* book, const cr_cube* cube,
                                const cr_real* found, cr_error* error);

/// A copy of it that has learned: place and radius of each ball, the numbers of contacts, gravity, inertia and the weights of a correction of the
/// friction, all together, on windows of 60 rows.
/// Owner    the caller, cr_model_destroy, also after an error
/// Shapes   loss[2]: before and after
/// Errors   those of corrections, parameters and fits
cr_status cri_cube_free_corners(cr_model** m, const cr_model* corners, const cr_cube_lesson* lesson,
                                cr_real loss[2], cr_error* error);

/// Trains a network beside a model.
/// Owner    the caller, cri_step_network_free, also after an error
/// Errors   those of cri_step_network_train
cr_status cri_cube_beside(cri_step_network* r, const cr_model* m, const cr_cube_lesson* lesson,
                          cr_error* error);

/// Predicts a toss from its first row by steps of the model of the network, each with what the network adds.
/// Shapes   rows[toss->rows][13]
/// Errors   those of steps
cr_status cri_cube_beside_predict(cri_step_network* r, const cr_recording_info* toss, cr_real* rows,
                                  cr_error* error);

/// Gates of contact with their weights. Free with cri_cube_gates_free, also after an error.
typedef struct {
  cri_gates g;
  cr_real *p, *room;
} cr_cube_gates;

/// Errors   those of cri_gates_train
cr_status cri_cube_gates_train(cr_cube_gates* gates, const cr_cube_lesson* lesson, cr_error* error);
void cri_cube_gates_free(cr_cube_gates* gates);

/// Shapes   rows[toss->rows][13]
void cri_cube_gates_predict(const cr_cube_gates* gates, const cr_recording_info* toss,
                            cr_real* rows);

#endif
