// SPDX-License-Identifier: Apache-2.0
// cr_data: a state and everything computed from it, in one block of memory. Its twins, a tangent
// or a cotangent, are cr_data too, with the same field names: bar->xpos is the cotangent of d->xpos.
#ifndef CR_MODEL_DATA_H
#define CR_MODEL_DATA_H

#include "base/real.h"
#include "base/status.h"
#include "model/model.h"
#include "model/tableau.h"

/// What the stages of a model need of a block with these counts (model/schedule.h).
struct cri_need;
struct cri_counts;
typedef struct cri_need cri_needs(const cr_model* m, const struct cri_counts* n);

typedef enum {
  CR_TANGENT_SAME,   // as many numbers as the field
  CR_TANGENT_QPOS,   // nv numbers
  CR_TANGENT_QUAT,   // 3 numbers a row: body perturbation
  CR_TANGENT_ROT,    // 9 ambient numbers, columns turned by a world vector
  CR_TANGENT_FRAME,  // 9 ambient numbers, rows turned by a world vector
  CR_TANGENT_NONE
} cr_tangent;

/// What did not fit into scratch or pairs.
typedef struct cri_beyond {
  bool exceeded;
  size_t needed;          // largest scratch requested at once, 0: all fitted
  struct piece* scratch;  // allocated instead
  struct piece* pairs;
} cri_beyond;

/// Cotangent of an operator: the sum over n pairs of left (x) right.
typedef struct {
  int n, max;                 // max: column NEEDS of engine/pipeline_table.h
  int left_size, right_size;  // capacity of one vector
  cr_real* left;              // max x left_size
  cr_real* right;             // max x right_size

  // the prepared room, and the need if it was too small: see cri_pairs_add
  int room, needed;
  cr_real *room_left, *room_right;
  cri_beyond* beyond;
} cr_pairs;

typedef enum { CR_DATA_PLAIN, CR_DATA_TANGENT, CR_DATA_COTANGENT } cr_data_role;

/// What has been computed in a block since it got its state; bits.
enum {
  CRI_DONE_FRAMES =
      1,  // kinematics up to contacts: of this state; after cr_advance of the state before
  CRI_DONE_FORWARD = 2,  // the dynamics
  CRI_DONE_STEP = 4,     // the next state
  CRI_DONE_INVERSE = 8   // inverse dynamics
};

/// Room for contacts and rows. Zero means the documented rule of cri_capacity_default.
typedef struct {
#define CR_LIVE(name, text) int name;
#include "model/data_counts.h"
} cr_capacity;

struct cr_data {
#define CR_STATE(name, rows, width, tangent, unit, frame, text) cr_real* name;
#define CR_REAL(name, rows, width, tangent, unit, frame, text) cr_real* name;
#define CR_OP(name, left, right, nnz, text) \
  cr_real* name;                            \
  cr_pairs name##_pairs;
#define CR_SAVE(name, rows, width, text) cr_real* name;
#define CR_INDEX(name, rows, width, choice, text) int32_t* name;
#include "model/data_fields.h"

#define CR_LIVE(name, text) int32_t name, name##_max;
#define CR_PART(name, text) int32_t name;
#define CR_ROOM(name, numbers, text) int32_t name;
#include "model/data_counts.h"

  cr_real time;
  bool want_M;       // form M even if no row needs it
  bool M_formed;     // d->M is valid
  bool M_changed;    // a correction has changed entries of M: it is no longer that of the bodies
  bool measured;     // sensors and their inputs are those of this evaluation
  bool beside_rest;  // with the integrator discrete: tendon springs exactly at rest count in the
                     // effective_mass as they do beside it, see inertia/effective_mass.h
  // derivatives of a Runge-Kutta step: which of its stages this is, of what method, and the length of
  // the step; at stage 0, and elsewhere, nothing depends on them
  int32_t stage;
  const cri_tableau* stage_method;
  cr_real stage_step;

  // result of the last solve of the constraint problem
  int32_t solver_iterations;
  cr_real solver_residual;  // |M a - qfrc_smooth - J' f|_inf over the largest of those terms' scale
  cr_real rounding;         // share of the acceleration that rounding may be, engine/rounding.h
  int32_t rounding_dof;     // dof whose inertia is lost beside the inertia it carries; -1: none
  bool
      euler_weak;  // where digits are lost: a2 is a and a difference, integrate/euler.h, integrate/implicit.h

  cr_data_role role;
  unsigned done;    // CRI_DONE_...
  cri_shape shape;  // of the model that the block was made for
  cr_model par;     // twins: tangents or cotangents of parameters; arrays NULL where not asked for
  struct cri_effective* effective;  // parameters that stages change, model/schedule.h; or NULL
  cr_error error;                   // the sentence of the last status that was not CR_OK

  // scratch stack: cri_push until cri_pop
  cr_real* scratch;
  size_t scratch_size, scratch_used, scratch_peak;
  cri_beyond* beyond;  // shared by shallow copies
  cri_needs* needs;    // of the stages of a model, which decide the size of the scratch

  void* memory;        // all fields, then the scratch
  size_t memory_size;  // of both
  size_t field_size;   // of the fields
  void* block;         // the allocated block
};
typedef struct cr_data cr_data;

/// Capacity rule: contacts min(sum of the most contacts of every candidate pair, 64 + 8 ngeom);
/// rows of all equality constraints + nv friction losses + 2 limits a joint + 3 rows a tendon +
/// ncon x (2 (dim - 1) pyramidal, dim elliptic), dim the largest dimension of any geom and pair, 3
/// at least; non-zeros nefc x min(nv, 2 x deepest chain of dofs).
cr_capacity cri_capacity_default(const cr_model* m);

/// Numbers that a contact model has for its linear solve: those of a triangle; for an added
/// contact model those of a square matrix.
int64_t cri_contact_room(const cr_model* m);

/// The room that a block was made with.
static inline cr_capacity cri_capacity_of(const cr_data* d) {
  return (cr_capacity){
#define CR_LIVE(name, text) .name = d->name##_max,
#include "model/data_counts.h"
  };
}

/// Allocates a data block, all zero, state reset to qpos0. `needs` says what the stages of a model need; its twins
/// ask it too. NULL capacity: the rule above. engine/data_create.h makes blocks for the stages that there are.
cr_status cri_data_make(cr_data** d, const cr_model* m, cri_needs* needs,
                        const cr_capacity* capacity, cr_error* error);

/// A twin of d: all fields that have a derivative, zero, with scratch of its own. `wanted` lists
/// the parameters for which it has room (indices of cr_field_id); NULL means all, see cri_no_params.
cr_status cri_data_twin(cr_data** twin, const cr_model* m, const cr_data* d, cr_data_role role,
                        const bool* wanted, cr_error* error);

/// Pass as `wanted` for a twin without parameters.
extern const bool cri_no_params[];

/// Sets a twin to zero, except for its parameters.
void cri_twin_clear(cr_data* twin);

void cri_data_free(cr_data* d);

/// State to qpos0, zero velocity; clears controls, applied forces, warm start and time.
void cri_data_reset(const cr_model* m, cr_data* d);

/// Copies every array and live count; the capacities must agree.
void cri_data_copy(const cr_model* m, cr_data* to, const cr_data* from);

/// n numbers of scratch, not cleared, never NULL. Release with cri_pop(d, mark), mark = cri_mark(d).
/// If the prepared scratch is too small, allocates them, so that nothing is written
/// out of bounds, and cri_room_check reports it. Traps if there is no memory for that either.
cr_real* cri_push(cr_data* d, size_t n);
int32_t* cri_push_int(cr_data* d, size_t n);
static inline size_t cri_mark(const cr_data* d) { return d->scratch_used; }
static inline void cri_pop(cr_data* d, size_t mark) { d->scratch_used = mark; }

/// Appends a zeroed pair to an operator's cotangent and returns its index; the caller fills
/// left + k left_size and right + k right_size. If there is no room, all move to a larger place, and
/// cri_room_check reports it.
int cri_pairs_add(cr_pairs* pairs);

/// CR_ERR_CAPACITY with a sentence in d->error if scratch or pairs of d were too small for `who`
/// since the last call; frees the memory allocated instead. Every driver of stages calls it after each
/// stage.
cr_status cri_room_fail(cr_data* d, const char* who);
static inline cr_status cri_room_check(cr_data* d, const char* who) {
  return d->beyond->exceeded ? cri_room_fail(d, who) : CR_OK;
}

/// Removes from the end, down to number `first`, the pairs whose left vector is zero: they add
/// nothing, and cost their consumer as much as others.
void cri_pairs_trim(cr_pairs* pairs, int first);
static inline cr_real* cri_pair_left(const cr_pairs* p, int k) {
  return p->left + (size_t)k * (size_t)p->left_size;
}
static inline cr_real* cri_pair_right(const cr_pairs* p, int k) {
  return p->right + (size_t)k * (size_t)p->right_size;
}

#endif
