// SPDX-License-Identifier: Apache-2.0
// A correction as a model owns it: its network, and where the numbers of each member come from and go to.
// carom/correction.h documents the public functions.
#ifndef CR_AUGMENT_CORRECTION_H
#define CR_AUGMENT_CORRECTION_H

#include <stdatomic.h>

#include "carom/correction.h"
#include "engine/added_stage.h"

/// What a slot reads instead of field k of the stage's reads.
enum { CRI_SLOT_TIME = -1, CRI_SLOT_ONE = -2, CRI_SLOT_TARGET = -3 };

/// Where an input number comes from.
typedef struct {
  int32_t field;    // of the reads, or CRI_SLOT_...
  int32_t value;    // its number; of a quaternion its first
  int32_t tangent;  // its tangent, of a quaternion the first of three; -1: it has none
  int8_t part;      // of a quaternion; -1: a plain number
  bool of_row;      // of the contact itself: counted from its row
} cri_slot;

/// What a change moves: the target alone; with it qfrc_passive, by the same; with it qfrc_actuator, by moments. Of
/// contacts: a force of three numbers in the contact's frame; the constraint mass D of all its rows. Of tendons: a force along
/// them.
typedef enum {
  CRI_CARRY_NOTHING,
  CRI_CARRY_PASSIVE,
  CRI_CARRY_MOMENT,
  CRI_CARRY_FORCE,
  CRI_CARRY_MASS,
  CRI_CARRY_TENDON
} cri_carry;

/// The target is no field: outputs become forces, or factors, of contacts or tendons.
static inline bool cri_carry_is_virtual(cri_carry carry) { return carry >= CRI_CARRY_FORCE; }

typedef struct {
  atomic_int owners;
  cr_correction_options options;  // with copies of all texts and arrays, but without weights
  cr_network* network;
  int ninput, noutput, nmemory, nroom, nweight;  // of the network
  cr_real *offset, *scale;                       // of its inputs
  int* numbers;  // of options.inputs: how many input numbers each is
  cr_real output_scale;

  cr_field_id target;  // changes[0]
  bool contact;        // members are contacts: slots and places are those of row 0
  bool* geoms;         // contact: 2 x ngeom, whether a geom fits the first, the second pattern
  bool reads_target;
  int nmember;     // contact: 0
  int nvalue;      // numbers of the target in a member
  int* value;      // nmember x nvalue, in the target; of operators rows
  int* column;     // of operators: nmember x nvalue columns; else NULL
  cri_slot* slot;  // nmember x ninput
  cri_carry carry;
  int friction;  // CRI_CARRY_FORCE: contact_friction in the reads

  cr_field_id reads[CR_MAX_STAGE_READS], changes[CR_MAX_STAGE_CHANGES];
  int nread, nchange;
  int state, rate;  // of the reads and the changes; -1 without memory
  int weight_first, state_first;
  char after[CR_MAX_STAGE_NAME + 1];
} cri_correction;

/// The three functions of its stage; user: the correction.
/// Equation x_new = x + dx(x, y), y = network(inputs)           [correction.a1] to [correction.a4]
///          z' = (next(z, inputs) - z) / tau                    [correction.m1]
cr_stage_function cri_correction_forward, cri_correction_jvp, cri_correction_vjp;

/// The factor of an M whose entries have changed, M_formed.
/// Errors   CR_ERR_SINGULAR, with the name of the correction
cri_stage_finish cri_correction_factor;

/// Numbers of room of a member, and of scratch of a call.
int cri_correction_room(const cri_correction* c);
int cri_correction_scratch(const cri_correction* c, const cr_model* m);

/// A force f on contact i, in its frame: adds its shares of the contact's rows to w; their tangents; adds the cotangents
/// of f and of friction. Only as many numbers of f count as the contact has, three at most.
/// Equation elliptic  w_k = f_k
///          pyramid   w = f_0 / (2 (dim - 1)) +- f_k / (2 mu_k) on the two rows of tangent k      [correction.f1]
void cri_row_forces(const cr_model* m, const cr_data* d, int i, const cr_real f[3], cr_real* w);
void cri_row_forces_jvp(const cr_model* m, const cr_data* d, int i, const cr_real f[3],
                        const cr_real f_tan[3], const cr_real* mu_tan, cr_real* w_tan);
void cri_row_forces_vjp(const cr_model* m, const cr_data* d, int i, const cr_real f[3],
                        const cr_real* w_bar, cr_real f_bar[3], cr_real* mu_bar);

/// Fills in target, inputs, members: what follows from the texts of c->options.
/// Errors   CR_ERR_NAME, CR_ERR_UNSUPPORTED, CR_ERR_ARG, CR_ERR_MEMORY
cr_status cri_correction_places(cri_correction* c, const cr_model* m, cr_error* error);

/// Target "ten_J[tendon,dof]", "actuator_moment[actuator,dof]", "M[dof,dof]": rows and columns of the entries, from
/// the members that c has, rows of the operator, and the text of the columns, NULL for all non-zeros.
/// Errors   CR_ERR_NAME, CR_ERR_UNSUPPORTED for what is no entry, CR_ERR_MEMORY
cr_status cri_operator_entries(cri_correction* c, const cr_model* m, cr_field_id id,
                               const char* columns, cr_error* error);

/// Place of an entry among the values of an operator; -1: it has none.
int cri_operator_place(const cr_model* m, const cr_data* d, cr_field_id id, int row, int column);

/// The cotangent of an entry, from the pairs of the operator.
cr_real cri_operator_bar(const cr_pairs* pairs, cr_field_id id, int row, int column);

/// Adds an owner, removes one: the last one frees it.
void cri_correction_share(void* correction);
void cri_correction_release(void* correction);

/// Adds several corrections, or none.
/// Errors   those of cr_model_add_correction
cr_status cri_corrections_add(cr_model* m, const cr_correction_options* list, int n,
                              cr_error* error);

/// Correction i of a model, in the order in which they run; NULL: there are not so many.
const cri_correction* cri_correction_at(const cr_model* m, int i);

#endif
