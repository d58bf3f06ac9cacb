// SPDX-License-Identifier: Apache-2.0
// Fields of a model and of data, one after the other, with shape, unit and frame; and the numbers
// of a field that a name stands for. Use these to bind another language.
#ifndef CAROM_FIELDS_H
#define CAROM_FIELDS_H

#include "carom/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kind of a field, and the function that reads it.
typedef enum {
  CR_KIND_INT,    // model: integers; cr_model_integers
  CR_KIND_CHAR,   // model: text; cr_model_name reads the names in it
  CR_KIND_CONST,  // model: numbers without a derivative; cr_model_numbers
  CR_KIND_PARAM,  // model: numbers that may be parameters; cr_model_numbers
  CR_KIND_STATE,  // data: inputs of the step; cr_data_view
  CR_KIND_REAL,   // data: computed; cr_data_view
  CR_KIND_OP,     // data: a sparse operator, used in products only
  CR_KIND_SAVE,   // data: internal
  CR_KIND_INDEX   // data: integers; cr_data_integers
} cr_field_kind;

/// A field. The texts belong to the library and stay valid.
typedef struct {
  size_t size;  // sizeof(cr_field_info), set by the caller
  const char* name;
  cr_field_kind kind;
  const char* rows;  // name of the count of rows: "nbody", "ncon" ...; "none": one row
  int width;         // numbers in a row
  int tangent_width;  // numbers in a row of its tangent: 3 for a quaternion that is a parameter; 0: none
  const char* unit;   // "-" where there is none
  const char* frame;  // "world", "body" ...
  const char* meaning;
} cr_field_info;

/// Enumerations by name, as "transform": the word of a value, as "softplus", and the value of a word. `kind` is the name
/// of the C type without cr_: status, load_finding, field_kind, frame, adjoint_states, trust_verdict, transform, correction_act, activation, layer_kind,
/// estimator_kind, draws, alpha_verdict, fit_kind, fit_part, least_squares_method, global_method, local_method, start, run_part, residual_kind, norm,
/// plan_method, control_shape, noise_colour, descent, policy_descent, friction, inertia_use.
/// Errors   NULL, and -1, for a kind, a value or a word that is none
CR_API const char* cr_enum_word(const char* kind, int value);
CR_API int cr_enum_value(const char* kind, const char* word);

/// Number of fields. Fields of models come first, then those of data: 0 ... cr_field_count() - 1.
CR_API int cr_field_count(void);

/// Describes field i as it is in a model.
/// Errors   CR_ERR_ARG for an i out of range, or a size that is not set; *info is then unchanged
CR_API cr_status cr_field_get(const cr_model* model, int i, cr_field_info* info, cr_error* error);

/// Numbers of a field of the model (CONST, PARAM), or integers of a field (INT): rows x width, row after row.
/// Shapes   *rows, *width; each may be NULL
/// Owner    borrowed from the model, read only (cr_model_set writes); valid until it is closed
/// Errors   NULL if there is no such field; *rows and *width are then 0
CR_API const cr_real* cr_model_numbers(const cr_model* model, const char* name, int* rows,
                                       int* width);
CR_API const int32_t* cr_model_integers(const cr_model* model, const char* name, int* rows,
                                        int* width);

/// The same for integers in a data block (INDEX), as "efc_type" or "contact_geom"; live rows.
/// Owner    borrowed, read only; valid until the block is destroyed or grows
/// Errors   NULL, with a sentence in cr_data_error(data)
CR_API const int32_t* cr_data_integers(const cr_model* model, const cr_data* data, const char* name,
                                       int* rows, int* width);

/// The numbers of a field in a data block (STATE, REAL) as cr_data_view has them, for who only reads, as a loss
/// does; of a twin also parameters (PARAM).
/// Shapes   those of cr_data_view
/// Owner    borrowed, to be read only; valid until the block is destroyed or grows
/// Errors   NULL, with a sentence in cr_data_error(data)
CR_API const cr_real* cr_data_numbers(const cr_model* model, const cr_data* data, const char* name,
                                      int* rows, int* width);

/// The numbers that a name stands for, as "qpos[elbow]", "site_xpos[tip].z" or "sensordata[gyro]".
typedef struct {
  size_t size;       // sizeof(cr_place_info), set by the caller
  int field;         // cr_field_get
  int first, count;  // in the numbers of the field, row after row
  int tangent_first,
      tangent_count;  // in the numbers of its tangent; count 0 where it has none of its own
  bool contact;  // of a contact, as "contact[floor:cube].dist": contacts come and go, so first is
                 // -1, and cr_data_get finds them
} cr_place_info;

/// Finds the numbers of a name.
/// Errors   CR_ERR_NAME with a sentence that says which part is wrong; CR_ERR_ARG
CR_API cr_status cr_model_place(const cr_model* model, const char* name, cr_place_info* place,
                                cr_error* error);

/// The name of one number of a field, as labels and columns of tables have it: "qpos[elbow]", "qvel[root][5]",
/// "geom_size[cube][0]", "gravity[2]"; by its row where no object has a name, "body_mass[3]". cr_model_place finds the number
/// by it. With `tangent` that of a number of the tangent: of qpos "qpos[elbow]" for a joint of one coordinate and
/// "tangent[root][3]" for others; of a quaternion that is a parameter "body_quat[arm] about x", which is no place.
/// Shapes   text[size]; CR_NUMBER_NAME is always enough
/// Errors   CR_ERR_ARG for a field or a number that is none, also for numbers of contacts; for a text that is too short
CR_API cr_status cr_number_name(const cr_model* model, int field, int number, bool tangent,
                                char* text, int size, cr_error* error);
enum { CR_NUMBER_NAME = 192 };

/// Moves the numbers of an input of the step or of a parameter by h times a tangent: x (+) h t.
/// Map      (x, t) -> x
/// Equation x + h t; q exp(h t / 2) for quaternions that have a tangent of three, and for the orientations in
///          qpos                                                             [runge_kutta.q1]
/// Shapes   x: all rows of the field, changed in place; tangent: as many rows of tangent_width, nv numbers
///          for qpos
/// Errors   CR_ERR_ARG for a field that does not exist or is neither of these, or h that is not finite
/// Smooth   everywhere
CR_API cr_status cr_field_move(const cr_model* model, int i, cr_real* x, const cr_real* tangent,
                               cr_real h, cr_error* error);

#ifdef __cplusplus
}
#endif
#endif
