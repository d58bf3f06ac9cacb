// SPDX-License-Identifier: Apache-2.0
// The two field tables as run-time rows: one id for every field of cr_model and cr_data, with its
// shape, unit, frame, tangent and place in the struct. All generic code loops over these.
#ifndef CR_MODEL_FIELDS_H
#define CR_MODEL_FIELDS_H

#include "carom/fields.h"
#include "model/data.h"
#include "model/model.h"

typedef enum {
#define CR_INT(name, rows, width, range, text) CR_FIELD_##name,
#define CR_CHAR(name, rows, text) CR_FIELD_##name,
#define CR_CONST(name, rows, width, range, unit, frame, text) CR_FIELD_##name,
#define CR_PARAM(name, rows, width, tangent, range, bends, unit, frame, text) CR_FIELD_##name,
#include "model/model_fields.h"
  CR_N_MODEL_FIELD,
  CR_FIELD_DATA_ = CR_N_MODEL_FIELD - 1,
#define CR_STATE(name, rows, width, tangent, unit, frame, text) CR_FIELD_##name,
#define CR_REAL(name, rows, width, tangent, unit, frame, text) CR_FIELD_##name,
#define CR_OP(name, left, right, nnz, text) CR_FIELD_##name,
#define CR_SAVE(name, rows, width, text) CR_FIELD_##name,
#define CR_INDEX(name, rows, width, choice, text) CR_FIELD_##name,
#include "model/data_fields.h"
  CR_N_FIELD
} cr_field_id;

/// What it means that an integer of cr_data differs between two states: column `choice` of
/// model/data_fields.h.
typedef enum {
  CRI_CHOICE_ROWS,
  CRI_CHOICE_LAW,
  CRI_CHOICE_SLOPE,
  CRI_CHOICE_LEAP,
  CRI_CHOICE_PLACE
} cri_choice;

typedef struct {
  const char* name;
  cr_field_kind kind;
  cr_tangent tangent;  // data fields; for parameters SAME, or QUAT
  const char* rows;    // name of the count of rows
  const char* unit;
  const char* frame;
  const char* text;
  size_t offset;      // of the pointer in cr_model or cr_data
  size_t pairs;       // CR_OP: offset of the cr_pairs in cr_data
  cri_choice choice;  // CR_INDEX; else CRI_CHOICE_PLACE
} cr_field;

/// The row of a field; CR_N_FIELD rows.
const cr_field* cri_field(cr_field_id id);

/// The field of a name, CR_N_FIELD if there is none.
cr_field_id cri_field_find(const char* name);

/// The field that a mistyped name most likely means; "" if none is near.
const char* cri_field_nearest(const char* name);

/// Numbers in a row of a field, and in a row of its tangent.
int cri_field_width(const cr_model* m, cr_field_id id);
int cri_field_tangent_width(const cr_model* m, cr_field_id id);

/// Rows allocated, and rows in use (they differ for contacts and constraint rows).
int cri_field_capacity(const cr_model* m, const cr_data* d, cr_field_id id);
int cri_field_rows(const cr_model* m, const cr_data* d, cr_field_id id);

/// True if by the counts of the model alone a field never has a row.
bool cri_field_is_empty(const cr_model* m, cr_field_id id);

/// Numbers in the live tangent of a field: nv for qpos, rows x width for all others.
int cri_field_tangent_size(const cr_model* m, const cr_data* d, cr_field_id id);

/// The array of a field; NULL if a twin does not have it. cri_field_index for int32 fields.
cr_real* cri_field_real(const cr_model* m, const cr_data* d, cr_field_id id);
int32_t* cri_field_index(const cr_model* m, const cr_data* d, cr_field_id id);

/// Clears the live extent of fields of a twin; of an operator its list of pairs.
void cri_fields_clear(const cr_model* m, const cr_data* d, cr_data* twin, const cr_field_id* ids,
                      int n);

/// Legal range of a number of a model field: low <= x <= high. For an integer field that is an index
/// the counts of `m` give it. From the column `range` of model/model_fields.h.
typedef struct {
  cr_real low, high;
  bool counted;  // high comes from a count of the model
} cr_field_range;
cr_field_range cri_field_range(const cr_model* m, cr_field_id id);

/// True for fields of cr_model.
static inline bool cri_field_of_model(cr_field_id id) { return id < CR_N_MODEL_FIELD; }

#endif
