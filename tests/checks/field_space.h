// SPDX-License-Identifier: Apache-2.0
// Fields as points of their spaces: random directions, steps along them on the manifold, values as
// flat vectors, inner products of tangents and cotangents. The generic checks use these.
#ifndef CR_TESTS_FIELD_SPACE_H
#define CR_TESTS_FIELD_SPACE_H

#include "base/random.h"
#include "model/fields.h"

/// True if the field has a tangent at all.
bool field_smooth(cr_field_id id);

/// Numbers in the live tangent of a field, and the array of it in a twin (NULL: the twin has none).
int field_tangent_size(const cr_model* m, const cr_data* d, cr_field_id id);
cr_real* field_tangent(const cr_model* m, const cr_data* twin, cr_field_id id);

/// False for the few entries of smooth fields that carry no derivative.
bool field_entry_smooth(const cr_model* m, const cr_data* d, cr_field_id id, int entry);

/// Fills the tangent of a field in `tan` with a random direction at (m, d), in units of the field's
/// own size; zero where an entry carries no derivative. Operators get values in their structure.
void field_random_tangent(cr_random* r, const cr_model* m, const cr_data* d, cr_data* tan,
                          cr_field_id id);

/// Fills the cotangent of a field in `bar` with normal numbers; an operator gets one pair.
void field_random_cotangent(cr_random* r, const cr_model* m, const cr_data* d, cr_data* bar,
                            cr_field_id id);

/// Adds a cotangent that is 1 at one entry; for an operator the pair of that non-zero's indices.
void field_unit_cotangent(const cr_model* m, const cr_data* d, cr_data* bar, cr_field_id id,
                          int entry);

/// Tangent, or cotangent, to zero.
void field_clear(const cr_model* m, const cr_data* d, cr_data* twin, cr_field_id id);

/// Moves a field of (m_to, d_to) to its value after a step h from (m, d) along `tan`: additive, on
/// the manifold for qpos and quaternions, by a world rotation for ROT and FRAME. Not for operators.
void field_move(const cr_model* m, const cr_data* d, const cr_data* tan, cr_field_id id, cr_real h,
                cr_model* m_to, cr_data* d_to);

/// The field of d as a vector with as many numbers as its tangent; coordinates are taken in the
/// tangent space at those of `origin`.
void field_values(const cr_model* m, const cr_data* d, const cr_data* origin, cr_field_id id,
                  cr_real* x);

/// Sum of bar times tan over a field, and the sum of the absolute values of the terms. Also the product
/// of the largest cotangent with the largest value or tangent: the size from which terms may cancel.
typedef struct {
  cr_real sum, absolute, size;
} field_product;
void field_dot(const cr_model* m, const cr_data* d, const cr_data* bar, const cr_data* tan,
               cr_field_id id, field_product* product);

/// Pairs of an operator in a cotangent.
cr_pairs* field_pairs(const cr_data* bar, cr_field_id id);

#endif
