// SPDX-License-Identifier: Apache-2.0
// Stages that a user adds: code that runs between two stages of the dynamics and changes computed fields.
#ifndef CAROM_STAGE_H
#define CAROM_STAGE_H

#include "carom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CR_MAX_STAGE_READS = 24,
  CR_MAX_STAGE_CHANGES = 8,
  CR_MAX_STAGE_NAME = 47,
  CR_MAX_STAGE_STATES = 1 << 20,
  CR_MAX_STAGE_PARAMETERS = 1 << 24,
  CR_MAX_STAGE_ROOM = 1 << 24
};

/// One field in a call of a stage: `count` numbers, rows x width, row after row. Its tangent has `tangent`
/// numbers (0: it has none, and counts as constant).
typedef struct {
  int rows, width, count, tangent;
  const cr_real* value;  // the numbers; for a changed field those before the change
  cr_real* result;       // forward, for a changed field: its new numbers; at first the old ones
  // jvp: the tangent. For a changed field it is the tangent before the change; turn it into that after.
  // vjp: the cotangent; add to it. For a changed field it is the cotangent after the change; turn it into
  // that before. NULL in forward, and for a parameter that is not differentiated.
  cr_real* twin;
} cr_stage_field;

/// The arguments of a stage: its fields in the order in which it named them.
typedef struct {
  size_t size;  // sizeof(cr_stage_call)
  const cr_model* model;
  int nread, nchange;
  const cr_stage_field* read;
  const cr_stage_field* change;
  cr_real time;      // s, of the data; in a Runge-Kutta step that of its stage
  cr_real* room;     // forward writes it, jvp and vjp only read it; see cr_stage_options
  cr_real* scratch;  // for this call alone
} cr_stage_call;

/// Anything but CR_OK ends the step: its sentence names the stage.
typedef cr_status cr_stage_function(void* user, const cr_stage_call* call);

/// A stage. Let y(x, r) be the new value of a changed field x, with r the fields that it reads:
/// forward    result = y
/// jvp        twin of x becomes dy/dx x' + dy/dr r', r' the twins of the fields read
/// vjp        adds (dy/dr)' y_bar to the twins of the fields read, then the twin of x becomes (dy/dx)' y_bar
/// A stage that adds a force has dy/dx = 1: its jvp adds to the twin of x, its vjp does not change that twin.
/// jvp and vjp may be NULL: derivatives that need them are then refused.
typedef struct {
  size_t size;        // sizeof(cr_stage_options), set by the caller
  const char* name;   // letters, digits and _; no stage may have this name already
  const char* after;  // the stage that it runs behind (docs/fields.md), or one that was added
  const char* const* reads;
  int nread;  // CR_MAX_STAGE_READS at most
  const char* const* changes;
  int nchange;  // 1 ... CR_MAX_STAGE_CHANGES
  cr_stage_function *forward, *jvp, *vjp;
  void* user;  // for the three; stays the caller's
  // Memory from the data, 0: none. Numbers that forward leaves for jvp and vjp, `room` and `room_row` more
  // for each row that the first changed field has room for; numbers of scratch of each call.
  int room, room_row, scratch;
} cr_stage_options;

/// Adds a stage to a model. It runs wherever the dynamics are computed: in cr_forward, in each step of all
/// integrators and methods, in rollouts, batches, inverse dynamics, and in all their derivatives. Jacobians
/// of a step then go column by column. Stages behind the same stage run in the order in which they were added.
/// reads      inputs ("qpos", "ctrl" ...), parameters ("dof_damping" ...) and fields of earlier stages
/// changes    computed fields that have a tangent of their own shape, and that no stage has read yet: mostly
///            those of the stage `after`. "qfrc_passive" behind "passive" takes a force in joint space,
///            also in inverse dynamics; "qfrc_actuator" behind "actuation" a force that counts as actuation.
///            Parameters too ("dof_damping" behind "plugin"): the model itself keeps its number, with which each
///            evaluation begins, and all that reads it later sees the changed one. Not geom_size, hfield_size,
///            hfield_data, wrap_prm, jnt_axis, quaternions, plugin_param. A number outside its range ends the step
///            with CR_ERR_MODEL
/// Smooth     where its functions are
/// Implicit   integrators (implicit, implicitfast, discrete, Euler's damping) treat an added force
///            explicitly, as MuJoCo does with forces of callbacks. Constants that cr_model_derive finds are those
///            of the model without its stages
/// Owner      the texts are copied; `user` is borrowed until the model and its copies (cr_model_copy shares
///            the stages; so do rollouts and batches) are closed
/// Thread     the functions run on every thread that steps, several at once in a batch: equal calls have to
///            give equal numbers, and may keep nothing in `user` between them
/// Data       and rollouts of the model have to be made after the last stage was added
/// Memory     room and scratch are part of each data block
/// Errors     CR_ERR_ARG for NULL, sizes and counts; CR_ERR_NAME for an unknown stage or field, or a
///            name that exists already; CR_ERR_UNSUPPORTED, with the names of both stages, for a field read or
///            changed too early or too late, and for fields that cannot be read or changed; CR_ERR_MEMORY. The
///            model is then unchanged
CR_API cr_status cr_model_add_stage(cr_model* model, const cr_stage_options* options,
                                    cr_error* error);

/// Gives a model n more numbers that evolve, for stages with a state: of a filter, of a network, of
/// a contact model. They are the field "plugin_state". Their rate "plugin_state_dot" is 0 until a stage
/// changes it. They are part of the state: of steps of all integrators, their derivatives
/// and Jacobians (tangents of states have n more numbers, at the end), rollouts, gradients, recordings. They are
/// 0 after cr_data_reset; set them with cr_data_set. cr_state_get has them as CR_STATE_PLUGIN.
/// *first     where the new numbers begin in plugin_state; may be NULL
/// Data       and rollouts of the model have to be made after this
/// Errors     CR_ERR_ARG for n < 1 or too large; CR_ERR_MEMORY
CR_API cr_status cr_model_add_state(cr_model* model, int n, int* first, cr_error* error);

/// Gives a model n more parameters, for stages with numbers that are to be fitted: weights of a network,
/// coefficients of a law. They are the field "plugin_param", which stages may read. Gradients, tangents, lists of
/// parameters, copies, fingerprints and model files have them as any other parameter. cr_model_set changes them.
/// Shapes     values[n]; NULL: 0
/// *first     where the new numbers begin in plugin_param; may be NULL
/// Data       and rollouts of the model have to be made after this. Pointers of cr_model_numbers and
///            cr_model_integers are no longer valid
/// Errors     CR_ERR_ARG for n < 1 or too large; CR_ERR_NONFINITE; CR_ERR_UNSUPPORTED for a model that borrows its
///            numbers; CR_ERR_MEMORY. The model is then unchanged
CR_API cr_status cr_model_add_parameters(cr_model* model, int n, const cr_real* values, int* first,
                                         cr_error* error);

/// Names of the stages of a model in the order of computation, added ones included; NULL if
/// there is no stage i. Owner: the model.
CR_API const char* cr_model_stage(const cr_model* model, int i);

#ifdef __cplusplus
}
#endif
#endif
