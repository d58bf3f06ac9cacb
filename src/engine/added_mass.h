// SPDX-License-Identifier: Apache-2.0
// The inertia that a medium adds to an ellipsoid that moves through it: the part of geom_fluid that
// follows from sizes.
#ifndef CR_ENGINE_ADDED_MASS_H
#define CR_ENGINE_ADDED_MASS_H

#include "model/model.h"

/// Added mass along, and added inertia about, each axis of an ellipsoid in a medium of density 1.
/// Map      s -> out[6], masses first
/// Equation m_i = V k_i / (2 - k_i),
///          I_i = V/5 (s_j^2 - s_h^2)^2 |k_h - k_j| / |2 (s_j^2 - s_h^2) + (s_j^2 + s_h^2) (k_j - k_h)|,
///          k_i = s_1 s_2 s_3 int_0^inf dl / ((s_i^2 + l) sqrt(prod (s_k^2 + l)))       [Lamb; Tuckerman]
///          by the 15-point rule of Kronrod in x, l = scale x^3 / (1 - x)^2, as MuJoCo sums it
/// Units    s m, all positive; out m^3 and m^5
/// Smooth   everywhere; where two semi-axes are equal the inertia about the third is zero, and its slope
void cri_added_mass(const cr_real s[3], cr_real out[6]);

/// Adds to s_bar.
void cri_added_mass_vjp(const cr_real s[3], const cr_real out_bar[6], cr_real s_bar[3]);

/// True if number i of geom_fluid follows from sizes: added mass and inertia of a geom with the ellipsoid model.
bool cri_added_mass_derives(const cr_model* m, int i);

/// The geom_fluid of all geoms; its tangents from those of geom_size; and the contributions of its cotangents to
/// those of geom_size.
void cri_added_masses(cr_model* m);
void cri_added_masses_jvp(const cr_model* m, cr_model* par_tan);
void cri_added_masses_vjp(const cr_model* m, cr_model* par_bar);

#endif
