// SPDX-License-Identifier: Apache-2.0
// Stages that were added to a model: each is a row of its schedule. carom/stage.h documents the public
// functions.
#ifndef CR_ENGINE_ADDED_STAGE_H
#define CR_ENGINE_ADDED_STAGE_H

#include "carom/stage.h"
#include "engine/pipeline.h"

/// Runs row i of s, an added stage: forward in d, tangents in tan, cotangents in bar.
/// Saves    stage_before
/// Errors   CR_ERR_UNSUPPORTED if the derivative is missing; CR_ERR_NONFINITE; CR_ERR_ARG if d was made
///          before the stage was added; those of its function. The sentence names the stage
cr_status cri_added_forward(const cri_schedule* s, int i, const cr_model* m, cr_data* d);
cr_status cri_added_jvp(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                        cr_data* tan);
cr_status cri_added_vjp(const cri_schedule* s, int i, const cr_model* m, const cr_data* d,
                        cr_data* bar);

/// The arguments of a call, for stages of the library's own: also the data, and what the call writes: the data in
/// forward, the twin in jvp and vjp. A cr_stage_call* of a stage points to the first member.
typedef struct {
  cr_stage_call call;
  cr_stage_field field[CR_MAX_STAGE_READS + CR_MAX_STAGE_CHANGES];
  const cr_data* d;
  cr_data* to;
} cri_stage_call;

/// What a stage of the library's own has beside its options: the pairs that it adds to the cotangents of operators, which
/// it may read, and three of which it may change (the field of a call has then the non-zeros); it may also change fields that have to fit to others, and sees to it; and how the schedule owns `user`.
typedef struct {
  cri_need pairs;
  size_t
      scratch_row;  // numbers of scratch more for each constraint row, which its functions push themselves
  cr_field_id room_of;  // the field whose rows count for room_row
  void (*share)(void* user);
  void (*release)(void* user);
  cri_stage_finish*
      finish;  // after forward, with a sentence in d->error where it fails; NULL: nothing
} cri_inner_stage;

/// Adds a stage of the library's own. The model shares `user` once more, on success.
cr_status cri_inner_stage_add(cr_model* m, const cr_stage_options* options,
                              const cri_inner_stage* inner, cr_error* error);

/// cr_model_add_stage; `contact`: the stage of a contact model (CR_CONTACT_ADDED and on), which runs only where that
/// is in use, 0 none.
cr_status cri_added_add(cr_model* m, const cr_stage_options* options, int32_t contact,
                        cr_error* error);

/// The stage behind which all of n fields are made, where a stage `name` may change field[0]. The names of both stages
/// are said where another has used field[0] before the last of them is made.
/// Errors   CR_ERR_UNSUPPORTED
cr_status cri_added_after(const cr_model* m, const char* name, const cr_field_id* field, int n,
                          const char** after, cr_error* error);

/// `user` of number i of the stages with this forward; NULL: there are not so many.
void* cri_added_user(const cr_model* m, cr_stage_function* forward, int i);

/// Name of the first stage that was added to the dynamics of m, NULL if there is none.
const char* cri_first_added(const cr_model* m);

/// Whether a stage that was added changes the field.
bool cri_added_changes(const cr_model* m, cr_field_id field);

/// Name of the first added stage that changes a distance, a place or a velocity, so that a
/// row's velocity is not the rate of its distance; NULL if there is none.
const char* cri_first_moving(const cr_model* m);

#endif
