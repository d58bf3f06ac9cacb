// SPDX-License-Identifier: Apache-2.0
// A network that decides forces as the plan does: 41 numbers of a view, two hidden layers of 192 units with ELU, 12 forces.
#ifndef CR_WALK_IMITATION_H
#define CR_WALK_IMITATION_H

#include "walk/force_plan.h"

enum { CR_IMITATION_INPUTS = 41, CR_IMITATION_OUTPUTS = 3 * CR_LEGS, CR_IMITATION_WIDTH = 192 };

/// Velocity, roll, pitch and yaw, turning, feet that stand (1 or 0), places of feet, friction, what is wanted of roll, pitch, yaw, of the position,
/// of turning, of the velocity.
void cri_imitation_read(const cr_body_view* view, double input[CR_IMITATION_INPUTS]);

/// Decisions to learn from.
typedef struct {
  int n, room;
  double *input, *output;  // n x inputs, n x outputs
} cr_transitions;

/// Owner: the caller, cri_transitions_free. CR_ERR_MEMORY
cr_status cri_transitions_create(cr_transitions* t, int room, cr_error* error);
void cri_transitions_free(cr_transitions* t);

/// Adds a decision; nothing where there is no room.
void cri_transitions_add(cr_transitions* t, const cr_body_view* view,
                         const double force[CR_LEGS][3]);

/// A view and its forces as a mirror shows them, right and left exchanged.
/// Shapes   input[inputs], output[outputs], and the same of the image
void cri_imitation_mirror(const double* input, const double* output, double* mirrored_input,
                          double* mirrored_output);

typedef struct cr_imitation cr_imitation;

typedef struct {
  int epochs, batch, threads;
  double rate, final_rate;
  uint64_t seed;
  const char*
      save;  // cr_learned_save after every epoch; a training that was stopped goes on from it
  bool go_on;
  bool (*stop)(void* context);                                           // may be NULL
  void (*progress)(void* context, int epoch, double loss, double held);  // may be NULL
  void* context;
} cr_imitation_training;

/// A network with first weights of a seed, or the one of a file.
/// Owner    the caller, cri_imitation_destroy
/// Errors   those of cr_learned_create and cr_learned_open; CR_ERR_FORMAT: a network with other numbers of inputs or outputs
cr_status cri_imitation_create(cr_imitation** imitation, uint64_t seed, cr_error* error);
cr_status cri_imitation_open(cr_imitation** imitation, const char* path, cr_error* error);
void cri_imitation_destroy(cr_imitation* imitation);
int cri_imitation_weights(const cr_imitation* imitation);

/// A file of carom/learned.h. Errors: those of cr_learned_save
cr_status cri_imitation_save(const cr_imitation* imitation, const char* path, cr_error* error);

/// Least squares by Adam, on decisions and their mirror images. held: the mean squared error of the last tenth, which is held aside, by the variance of the forces.
/// Errors   those of cr_learned_train
cr_status cri_imitation_train(cr_imitation* imitation, const cr_transitions* t,
                              const cr_imitation_training* how, double* held, cr_error* error);

/// Forces of the network, within the friction pyramid and the limits of the plan; 0 where no foot stands. Nothing allocates.
void cri_imitation_decide(cr_imitation* imitation, const cr_force_costs* costs,
                          const cr_body_view* view, double force[CR_LEGS][3]);

#endif
