// SPDX-License-Identifier: Apache-2.0
// Contacts and limits as cones of a cone program: their linearised distances stay positive, with friction as Anitescu's
// convex relaxation.
//   pyramid:  (J_n +- mu_k J_k) d + phi >= 0                                                 [quasidynamic.k1]
//   cone:     J_n d + phi >= |(mu_k J_k d)_k|                                                [quasidynamic.k2]
//   limit:    J d + phi >= 0
// phi is the distance less the margin. A contact whose distance no dof changes has no rows. A tangent along which no dof moves the contact has no rows: in a plane a pyramid
// has two rays.
#ifndef CR_QUASIDYNAMIC_CONTACT_CONES_H
#define CR_QUASIDYNAMIC_CONTACT_CONES_H

#include "model/data.h"
#include "quasidynamic/cone_program.h"

/// A row of the program: row `first` of efc_J, or the mean of two; times friction number mu if that is not -1.
typedef struct {
  int32_t first, second, mu;
  bool has_distance;
} cri_cone_row;

/// Rows of the program at d, whose stages have run up to the constraint rows; margin[njnt] are the joints' own.
/// Sets c's blocks, G and h.
void cri_cones_set(const cr_model* m, const cr_data* d, const cr_real* margin, cri_cone* c,
                   cri_cone_row* row);

/// The multipliers z of the program as forces of the constraint rows, force[nefc].
void cri_cones_force(const cr_data* d, const cri_cone* c, const cri_cone_row* row, cr_real* force);

/// Products with the tangent of G and h, for force of cri_cones_force and rate = efc_J x.
/// Map      sigma = dG x + dh [nrow], q += dG'z [nv]
/// Shapes   work[nefc]
void cri_cones_tangent(const cr_model* m, const cr_data* d, const cr_data* tan, const cri_cone* c,
                       const cri_cone_row* row, const cr_real* force, const cr_real* rate,
                       cr_real* work, cr_real* sigma, cr_real* q);

/// How an error names block k: its geoms, or its joint.
void cri_cones_label(const cr_model* m, const cr_data* d, const cri_cone* c,
                     const cri_cone_row* row, int k, char* text, size_t size);

#endif
