// SPDX-License-Identifier: Apache-2.0
// The stage of fluid forces, and their slope over velocity for implicit integrators. The force on
// one body is in force/fluid_law.
#ifndef CR_FORCE_FLUID_H
#define CR_FORCE_FLUID_H

#include "model/data.h"

/// Drag, lift and added mass of a medium at rest or in even motion.
/// Map      (cvel, cdof, xipos, ximat, geom_xpos, geom_xmat, subtree_com; density, viscosity, wind,
///          body_mass, body_inertia, geom_size, geom_fluid) -> qfrc_fluid
/// Equation for every geom with an ellipsoid, else for every body as a box of its inertia:
///          v = R' (V_w, V_v + V_w x r - wind), r = x - subtree_com      [fluid.f6]
///          F = F(v) of force/fluid_law.h                                [fluid.f3], [fluid.f4]
///          F_b += (R n + r x R f, R f);  q_i = s_i . sum of F behind dof i    [fluid.f7]
///          derivation: docs/derivations/fluid.md
/// Shapes   qfrc_fluid[nv].  Units N|N m
///          in a vacuum, density and viscosity zero, only these two have derivatives   [fluid.f9]
/// Flags    CR_DSBL_SPRING and CR_DSBL_DAMPER together switch it off, as MuJoCo does
/// Memory   no allocation; scratch 12 numbers a body
/// Errors   none
/// Smooth   except where a component of a box's velocity is zero (second derivatives), and where
///          semi-axes change their order
cr_status cr_fluid(const cr_model* m, cr_data* d);
cr_status cr_fluid_jvp(const cr_model* m, const cr_data* d, cr_data* tan);
cr_status cr_fluid_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

/// True if nothing switches a medium off, if there is one.
bool cri_fluid_on(const cr_model* m);

/// True if there is a medium that acts.
bool cri_fluid_acts(const cr_model* m);

/// Semi-axes of the ellipsoid of a geom: linear in its sizes, so the same function gives tangents.
/// The transpose adds to size_bar[3].
void cri_fluid_axes(cr_real s[3], int type, const cr_real* size);
void cri_fluid_axes_vjp(cr_real* size_bar, int type, const cr_real s_bar[3]);

/// True if the medium acts, or the twin asks for the parameters that could make it act.
bool cri_fluid_matters(const cr_model* m, const cr_data* twin);

/// The forces on the bodies, F[6 nbody].
void cri_fluid_forces(const cr_model* m, const cr_data* d, cr_real* F);

/// True for a body that a medium takes for a box along its principal axes.
bool cri_fluid_takes_box(const cr_model* m, int body);

/// Whether a body is a box in a medium, with a side at its least length: beyond that the side grows as the root
/// of the inertia.
bool cri_fluid_is_flat(const cr_model* m, int body);

/// Sets body_fluid_side, the signs of the velocities of bodies' boxes: there the slopes of drag bend. For who
/// makes these slopes part of the step.
void cri_fluid_sides(const cr_model* m, cr_data* d);

/// Which slopes: those of drag alone, made symmetric, or all of them, made symmetric for bodies with
/// symmetric[b].
typedef struct {
  bool drag;
  const bool* symmetric;  // [nbody], not read for drag
} cri_fluid_part;

/// Slopes of body b's own forces, K[36 nbody]: K_b = sum of X' B X, X the map of f6, B of
/// fluid_law.h, or (B + B') / 2 if they are symmetric. All of K is set.    [fluid.f8]
void cri_fluid_qderiv(const cr_model* m, const cr_data* d, cri_fluid_part part, cr_real* K);

/// Gradient of s l' D r, D = S' K S over dofs, l and r fixed: adds to bar's fields and parameters.
/// Memory   24 numbers a body of bar's scratch
void cri_fluid_qderiv_vjp(const cr_model* m, const cr_data* d, cr_data* bar, cri_fluid_part part,
                          const cr_real* l, const cr_real* r, cr_real s);

/// G_b = K_b R_b and its tangent, from those of R and of the stage's inputs. Both are set.
void cri_fluid_qderiv_jvp(const cr_model* m, const cr_data* d, cr_data* tan, cri_fluid_part part,
                          const cr_real* R, const cr_real* R_tan, cr_real* G, cr_real* G_tan);

#endif
