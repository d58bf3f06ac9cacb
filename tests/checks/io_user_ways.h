// SPDX-License-Identifier: Apache-2.0
// What a user adds to a model, in every kind of computation: steps, rollouts with all methods, checkpoints, recordings,
// Jacobians, inverse dynamics and batches. Each compares two models: one with what the user added, and one that has the
// same by itself.
#ifndef CR_TESTS_IO_USER_WAYS_H
#define CR_TESTS_IO_USER_WAYS_H

#include <carom/carom.h>

/// Dofs and controls of the models, steps of a rollout.
enum { USER_NV = 4, USER_NU = 2, USER_STEPS = 40, USER_PARAMETERS = 2 };

typedef struct {
  /// [0] has what the user added, [1] has it by itself.
  void (*open)(cr_model* m[2], const char* integrator, double height);
  double height;  // at which contacts are met at once
  double qpos[USER_NV], qvel[USER_NV];
  /// Gradients are by these fields; those of the first model are `factor` times those of the second.
  const char* parameters[USER_PARAMETERS];
  double factor[USER_PARAMETERS];
  bool of_contacts[USER_PARAMETERS];  // a gradient of 0 where there are none
  /// Why the Jacobian of the first model goes column by column; NULL: both go the same way.
  const char* fallback;
} user_case;

/// How a rollout goes. Steps of an adaptive run that meet a contact without ending there depend on the last digit:
/// those are in flight.
typedef struct {
  const char* integrator;
  double height;    // 0: that of the case
  double adaptive;  // tolerance; 0: steps of the model's length
  bool flight, events, adjoint, cfd, limited;
  double bound;
} user_way;

/// Those of a stage that a user adds, and integrators whose Jacobians it takes part in.
enum { USER_STAGE_WAYS = 11, USER_INTEGRATORS = 5 };
extern const user_way user_stage_ways[USER_STAGE_WAYS];
extern const char* const user_integrators[USER_INTEGRATORS];

/// Fails with cr_error's sentence. `user_error` is the error that all of these take.
extern cr_error user_error;
void user_must(cr_status status);

/// Fails if a number is off by more than `bound` of the largest one of b, or if all of b are 0.
void user_compare(const double* a, const double* b, int n, double bound, const char* what);

/// Copies a field of data, which has n numbers.
void user_copy(double* to, const cr_model* m, cr_data* d, const char* field, int n);

void user_set_state(const user_case* u, const cr_model* m, cr_data* d);
void user_close(cr_model* m[2]);

void user_rollouts_agree(const user_case* u, const user_way* ways, int n);
void user_checkpoints_and_copies_change_no_bit(const user_case* u);
void user_recordings_agree(const user_case* u);
void user_jacobians_agree(const user_case* u, const char* const* integrators, int n, double bound);
void user_inverse_dynamics_agree(const user_case* u);
void user_batches_agree(const user_case* u);

#endif
