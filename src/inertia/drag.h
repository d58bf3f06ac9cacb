// SPDX-License-Identifier: Apache-2.0
// The drag of a medium in the inertia of the integrator discrete: its slope over velocity,
// a part of the implicit inertia of inertia/implicit_inertia. Zero with any other integrator.
#ifndef CR_INERTIA_DRAG_H
#define CR_INERTIA_DRAG_H

#include "model/data.h"

/// The drag at the end of the step.
/// Map      (cvel, cdof, xipos, ximat, geom_xpos, geom_xmat, subtree_com; density, viscosity, wind,
///          body_mass, body_inertia, geom_size, geom_fluid) -> efm_fluid
/// Equation E_ij = -h s_j . K s_i behind dof i, j an ancestor of i or i itself, K the symmetric
///          slopes of drag alone, f8 of force/fluid.h                      [discrete.n5]
///          for a body whose block of M is diagonal (body_simple) only the diagonal, as in MuJoCo
///          derivation: docs/derivations/discrete.md
/// Shapes   efm_fluid[nC], in M's pattern; only with the integrator discrete
/// Units    kg | kg m | kg m^2
/// Flags    CR_DSBL_SPRING and CR_DSBL_DAMPER together switch it off, as the fluid
/// Memory   scratch 36 numbers a body, in jvp 96, in vjp 24 and 2 nv
/// Errors   none
/// Smooth   except where the fluid's second derivatives are not, see force/fluid.h
cr_status cr_drag(const cr_model* m, cr_data* d);
cr_status cr_drag_jvp(const cr_model* m, const cr_data* d, cr_data* tan);

/// Consumes bar->efm_fluid_pairs: the pair (l, r) is the cotangent of l' E r.
cr_status cr_drag_vjp(const cr_model* m, const cr_data* d, cr_data* bar);

#endif
