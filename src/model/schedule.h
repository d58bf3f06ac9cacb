// SPDX-License-Identifier: Apache-2.0
// The schedule of a model: the stages that it needs, in the order of computation, including stages
// added to it. A stage is one row. engine/ decides which rows there are and drives them.
#ifndef CR_MODEL_SCHEDULE_H
#define CR_MODEL_SCHEDULE_H

#include "carom/stage.h"
#include "model/fields.h"

typedef cr_status (*cr_stage_forward)(const cr_model* m, cr_data* d);
typedef cr_status (*cr_stage_derivative)(const cr_model* m, const cr_data* d, cr_data* twin);

/// Most rows of a schedule, those of the table and added ones.
enum { CR_MAX_STAGES = 64 };

/// Declaration of an added stage. `uses`: the fields it reads, then the fields it changes.
typedef struct {
  char name[CR_MAX_STAGE_NAME + 1];
  cr_field_id uses[CR_MAX_STAGE_READS + CR_MAX_STAGE_CHANGES];
  int nread, nchange;
  cr_stage_function *forward, *jvp, *vjp;
  void* user;
} cri_added;

/// NULL if the Jacobian of a step has the structured derivative of a stage at d; else the name of the feature
/// that it lacks.
typedef const char* (*cr_stage_jac)(const cr_model* m, const cr_data* d);

typedef struct {
  const char* name;
  cr_stage_forward forward;
  cr_stage_derivative jvp;  // overwrites the tangents of what the stage writes
  cr_stage_derivative vjp;  // adds to the cotangents of what the stage reads
  const cr_field_id* reads;
  const cr_field_id* writes;
  int nread, nwrite;
  cr_stage_jac jac;        // NULL: never; the Jacobian goes column by column
  const cri_added* added;  // instead of the three functions; NULL: a row of the pipeline table
} cr_stage;

/// The first `nprepare` rows are the dynamics before the acceleration, the first `ndynamics` rows those that a
/// step runs. Later rows only measure; no earlier row reads what they write.
typedef struct cri_schedule {
  const cr_stage* row;
  int n, nprepare, ndynamics;
  int nadded;
  bool owned;  // made by cri_schedule_create; otherwise constant
} cri_schedule;

/// A schedule of these rows, with copies of the declarations of added stages. NULL: no memory.
cri_schedule* cri_schedule_create(const cr_stage* rows, int n, int nprepare, int ndynamics);

/// Adds an owner, removes one: the last one frees it. Copies of a model share its schedule. NULL and constant
/// schedules are allowed.
void cri_schedule_share(const cri_schedule* s);
void cri_schedule_release(const cri_schedule* s);

/// Numbers that added stages before row `row` change, with the capacities of d: offset in d->stage_before
/// at which that row keeps what it changes. Of row s->n: all of them.
int64_t cri_schedule_before(const cri_schedule* s, int row, const cr_model* m, const cr_data* d);

#endif
