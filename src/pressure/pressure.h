// SPDX-License-Identifier: Apache-2.0
// The stage of pressure fields: forces between geoms that have them.
#ifndef CR_PRESSURE_PRESSURE_H
#define CR_PRESSURE_PRESSURE_H

#include "model/data.h"
#include "pressure/meeting.h"

/// Forces of the contact surfaces of all pairs of geoms with pressure fields.
/// Map      (geom_xpos, geom_xmat, cvel, cdof, subtree_com; geom_size, geom_pressure, geom_friction) -> qfrc_pressure
/// Equation faces of each pair                                              [pressure.f1] to [pressure.f4]
///          velocity of b against a at the centre of pressure x: v = V_b(x) - V_a(x), V(x) = V_v + V_w x (x - com)
///          force of the face on b: F(n, A p, v)                            [pressure.t1], [pressure.t2]
///          F_b += ((x - com_b) x F, F), F_a -= ((x - com_a) x F, F);  q_i = s_i . sum of F behind dof i [pressure.q1]
///          dissipation of a pair: with both compliant each by the other's share of E_a + E_b, else that of the compliant one;
///          transition velocity: the mean; friction: of the geom with the higher priority, else the larger  [pressure.q2]
///          derivation: docs/derivations/pressure.md
/// Shapes   qfrc_pressure[nv].  Units N|N m
/// Sets     pressure_pattern: a number that another one follows where a face or a corner of one appears or goes
/// Memory   no allocation; faces are not stored, so that no number of them is too large
/// Errors   CR_ERR_MODEL for sizes at which tetrahedra are flat or turned inside out, for a modulus, transition or thickness
///          that is not within 1e-30 and 1e30, a dissipation not within -1e30 and 1e30
/// Smooth   where pressure_pattern is constant. The force is continuous elsewhere too, and so is its derivative, unless a
///          whole edge or side of a body begins to touch at once, or a face starts to pull
cr_status cr_pressure(const cr_model* m, cr_data* d);
cr_status cr_pressure_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_pressure_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// True if two geoms of the model can make a surface.
bool cri_pressure_acts(const cr_model* m);

#endif
