// SPDX-License-Identifier: Apache-2.0
// What is compared: the numbers and orientations that measured places consist of, how far a model is from what was
// seen of them, and the cotangents whose sweep gives the derivative of one.
#ifndef CR_PREDICT_OUTPUTS_H
#define CR_PREDICT_OUTPUTS_H

#include "model/data.h"
#include "model/names.h"

/// How an output has its derivative.
typedef enum {
  CRI_OUTPUT_STATE,    // a number of the state's tangent, three for an orientation: no sweep
  CRI_OUTPUT_NUMBER,   // a number of a computed field
  CRI_OUTPUT_AMBIENT,  // a quaternion among numbers, of a sensor
  CRI_OUTPUT_MATRIX    // a quaternion whose derivative a matrix carries: xquat by xmat
} cri_output_kind;

/// A number, or an orientation, which has an error of three numbers.
typedef struct {
  cri_output_kind kind;
  bool turns;           // an orientation
  cr_field_id field;    // of its value
  int at;               // first number there
  int in_place;         // first number in its place
  int in_errors;        // first error among those of its place
  cr_field_id tangent;  // STATE: unused; else the field whose cotangent is seeded
  int tangent_at;       // first number there; STATE: in the tangent of the whole state
} cri_output;

/// Outputs of a place, at most `room`; *n is their number. qpos, of sensors those that show a coordinate or a velocity, are
/// STATE.
/// Errors   CR_ERR_NAME: part of a quaternion, a contact's place, a place without a derivative
cr_status cri_outputs_of(const cr_model* m, const char* place, cri_output* outputs, int room,
                         int* n, cr_error* error);

/// Numbers of its value, and of its error.
static inline int cri_output_numbers(const cri_output* o) { return o->turns ? 4 : 1; }
static inline int cri_output_errors(const cri_output* o) { return o->turns ? 3 : 1; }

const cr_real* cri_output_value(const cri_output* o, const cr_model* m, const cr_data* d);

/// Error of a value against what was seen.
/// Equation e = value - seen; of orientations e = log(seen^-1 value)                       [identification.m1]
void cri_output_error(const cri_output* o, const cr_real* value, const cr_real* seen, cr_real* e);

/// The rows of the schedule that its cotangents pass through: stages that it does not depend on stay out.
/// Shapes   stages[CR_MAX_STAGES]
void cri_output_reach(const cri_output* o, const cr_model* m, bool* stages);

/// Adds `weight` to the cotangent of row i of the output: of its number, or of the turn about axis i of its own frame.
/// Not of STATE.
void cri_output_seed(const cri_output* o, const cr_model* m, const cr_data* d, int i,
                     cr_real weight, cr_data* bar);

#endif
