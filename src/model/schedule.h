// SPDX-License-Identifier: Apache-2.0
// The schedule of a model: the stages that it needs, in the order of computation, including stages
// added to it, and the model as they see it. A stage is one row. engine/ decides which rows there are and drives them.
#ifndef CR_MODEL_SCHEDULE_H
#define CR_MODEL_SCHEDULE_H

#include "carom/stage.h"
#include "model/fields.h"

typedef cr_status (*cr_stage_forward)(const cr_model* m, cr_data* d);
typedef cr_status (*cr_stage_derivative)(const cr_model* m, const cr_data* d, cr_data* twin);

/// Most rows of a schedule, those of the table and added ones.
enum { CR_MAX_STAGES = 64 };

/// Memory: numbers of scratch, and pairs of every operator.
typedef struct cri_need {
  size_t scratch;
#define CR_OP(name, left, right, nnz, text) size_t name;
#include "model/data_fields.h"
} cri_need;

/// What a stage of the library's own does when its changes are in the data.
typedef cr_status cri_stage_finish(void* user, const cr_model* m, cr_data* d);

/// Declaration of an added stage. `uses`: the fields it reads, then the fields it changes.
typedef struct {
  char name[CR_MAX_STAGE_NAME + 1];
  cr_field_id uses[CR_MAX_STAGE_READS + CR_MAX_STAGE_CHANGES];
  int nread, nchange;
  cr_stage_function *forward, *jvp, *vjp;
  void* user;
  int32_t contact;         // runs only where this contact model is in use; 0: always
  cr_field_id room_of;     // the field whose rows count for room_row
  size_t scratch_row;      // numbers of scratch more for each constraint row that there is room for
  int32_t room, room_row;  // carom/stage.h
  cri_need needs;          // what its functions take: scratch, pairs of the operators it reads
  void (*share)(void* user);    // the schedule counts as an owner of `user`: adds one, removes one;
  void (*release)(void* user);  // NULL: `user` stays the caller's
  cri_stage_finish* finish;     // NULL: nothing
  bool inner;                   // a stage of the library's own, which also reads operators
  bool begins[CR_MAX_STAGE_CHANGES];  // it is the first to change this field, a parameter
} cri_added;

/// Whether a stage that was added runs now.
bool cri_added_runs(const cr_model* m, const cri_added* added);

/// NULL if the Jacobian of a step has the structured derivative of a stage at d; else the name of the feature
/// that it lacks.
typedef const char* (*cr_stage_jac)(const cr_model* m, const cr_data* d);

/// The counts that memory goes by: of the model, and of a block the room for rows and contacts.
typedef struct cri_counts {
#define CR_SIZE(name, text) size_t name;
#include "model/model_fields.h"
#define CR_LIVE(name, text) size_t name;
#define CR_ROOM(name, numbers, text) size_t name;
#include "model/data_counts.h"
  size_t discrete, implicit, embedded,
      smooth;            // 1: the integrator is of that kind, the collision smooth
  size_t nsolve;         // 1: a step may solve with more than M: implicit, or discrete
  size_t nword;          // words of 64 dofs
  size_t ninertial;      // tendons with armature
  size_t nbodymoment;    // actuators on bodies, whose moments are made of rows
  size_t nsplit_tendon;  // rows whose derivative takes a pair of its own: tendons,
  size_t nsplit_moment;  // and outputs of actuators
  size_t nidle;          // rows that may move nothing, with discrete
  size_t nrowpair;       // rows whose regularisation takes a pair of its own
  size_t contact_room;   // numbers of contact models that Newton's method solves for
} cri_counts;

/// What a stage, or who drives stages, needs at most; `all`: the pairs of all of them.
typedef cri_need cr_stage_needs(const cri_counts* n, const cri_need* all);

/// Adds the stage's derivatives to the columns of all forces: engine/stage_jac.h.
struct cri_force_columns;
typedef void cr_stage_columns(const cr_model* m, const cr_data* d, struct cri_force_columns* x);

typedef struct {
  const char* name;
  cr_stage_forward forward;
  cr_stage_derivative jvp;  // overwrites the tangents of what the stage writes
  cr_stage_derivative vjp;  // adds to the cotangents of what the stage reads
  const cr_field_id* reads;
  const cr_field_id* writes;
  int nread, nwrite;
  cr_stage_jac jac;           // NULL: never; the Jacobian goes column by column
  cr_stage_columns* columns;  // NULL: other rows have them, see engine/pipeline_table.h
  cr_stage_needs* needs;      // NULL: nothing
  const cri_added* added;     // instead of the three functions; NULL: a row of the pipeline table
} cr_stage;

/// The first `nprepare` rows are the dynamics before the acceleration, the first `ndynamics` rows those that a
/// step runs. Later rows only measure; no earlier row reads what they write.
typedef struct cri_schedule {
  const cr_stage* row;
  int n, nprepare, ndynamics;
  int nadded;
  int nparam;  // parameters that added stages change
  cr_field_id param[CR_N_MODEL_FIELD];
  bool changes_M;  // a correction changes entries of M
  bool owned;      // made by cri_schedule_create; otherwise constant
} cri_schedule;

/// The counts of a block of this model, its room set.
cri_counts cri_counts_of(const cr_model* m, const cr_data* d);

/// A schedule of these rows, with copies of the declarations of added stages. NULL: no memory.
cri_schedule* cri_schedule_create(const cr_stage* rows, int n, int nprepare, int ndynamics);

/// Adds an owner, removes one: the last one frees it. Copies of a model share its schedule. NULL and constant
/// schedules are allowed.
void cri_schedule_share(const cri_schedule* s);
void cri_schedule_release(const cri_schedule* s);

/// Numbers that added stages before row `row` keep, with the capacities of d: offset in d->stage_before
/// at which that row keeps what it changes, then its room. Of row s->n: all of them.
int64_t cri_schedule_before(const cri_schedule* s, int row, const cr_model* m, const cr_data* d);

/// Numbers of the room of an added stage, with the capacities of d.
int64_t cri_added_room(const cri_added* added, const cr_model* m, const cr_data* d);

// ---- parameters that stages change within a step

// The model is constant and shared, so their numbers of this moment stand in the data block, and stages get a view of the
// model: a shallow copy with pointers to them. In a twin the arrays of `par` are in the same way those of the changed
// parameters while derivatives run, and the caller's own otherwise.

/// What a block has for them; NULL where no stage changes a parameter.
typedef struct cri_effective {
  int n, numbers;      // fields, and numbers of all of them
  int open;            // twin: how often it has been opened
  cr_model view;       // of this block
  cr_field_id* field;  // [n]
  cr_real** own;       // [n] twin: arrays of par while it is open, NULL where not asked for
  cr_real *now,
      *first;  // [numbers] at the last evaluation, and at the first stage of a Runge-Kutta step
} cri_effective;

/// Room for the parameters that the schedule of m changes, with all numbers zero; *e is NULL if there are none.
cr_status cri_effective_make(cri_effective** e, const cr_model* m, cr_error* error);
void cri_effective_free(cri_effective* e);
void cri_effective_clear(cri_effective* e);
void cri_effective_copy(cri_effective* to, const cri_effective* from);

/// The model as it is at d, after its dynamics; m where nothing changes it. The view is valid until the next call for
/// this block. With a view in the place of m it is the same.
const cr_model* cri_view_of(const cr_model* m, const cr_data* d);
static inline const cr_model* cri_model_at(const cr_model* m, const cr_data* d) {
  return d->effective == NULL ? m : cri_view_of(m, d);
}

/// The same with the numbers of the first stage of a Runge-Kutta step.
const cr_model* cri_view_first(const cr_model* m, const cr_data* d);
static inline const cr_model* cri_model_first(const cr_model* m, const cr_data* d) {
  return d->effective == NULL ? m : cri_view_first(m, d);
}

/// The same for derivatives: until cri_twin_close the arrays of twin->par are those of the parameters as they were changed.
/// They keep their numbers between two such times, and are zero after a sweep of cotangents. first: the
/// numbers, and those of the twin, of the first stage of a Runge-Kutta step.
const cr_model* cri_twin_view(const cr_model* m, const cr_data* d, cr_data* twin, bool first);
void cri_twin_unview(cr_data* twin);
static inline const cr_model* cri_twin_open(const cr_model* m, const cr_data* d, cr_data* twin,
                                            bool first) {
  return d->effective == NULL ? m : cri_twin_view(m, d, twin, first);
}
static inline void cri_twin_close(cr_data* twin) {
  if (twin->effective != NULL) {
    cri_twin_unview(twin);
  }
}

/// Of an open twin: the caller's array of a parameter; NULL: not asked for.
cr_real* cri_twin_own(const cr_data* twin, cr_field_id id);

/// Numbers, or tangents, of now become those of the first stage.
void cri_effective_begin(cr_data* d);

/// Cotangents of the first stage become part of those of now.
void cri_effective_return(cr_data* bar);

#endif
