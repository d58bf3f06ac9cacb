// SPDX-License-Identifier: Apache-2.0
// The force of a fluid on one body or geom, in its own frame: on the inertia box of a body, or the
// ellipsoid of a geom (MuJoCo manual, "Fluid forces"). Force, its slope over velocity, and the
// gradients of both. These functions take numbers, no model and no data.
#ifndef CR_FORCE_FLUID_LAW_H
#define CR_FORCE_FLUID_LAW_H

#include "base/real.h"

// inputs of a law
enum {
  CRI_FLUID_SIZE = 0,   // ellipsoid: three semi-axes; box: mass, then inertia
  CRI_FLUID_COEF = 4,   // ellipsoid: the twelve numbers of geom_fluid
  CRI_FLUID_RHO = 16,   // density
  CRI_FLUID_BETA = 17,  // viscosity
  CRI_NFLUID_INPUT = 18
};

// coefficients of a law; vectors have three numbers
enum {
  CRI_FLUID_A = 0,  // (s_j s_k)^2; box: quadratic force coefficients
  CRI_FLUID_M = 3,  // added mass; box: quadratic torque coefficients
  CRI_FLUID_I = 6,  // added inertia
  CRI_FLUID_K = 9,  // angular drag
  CRI_FLUID_MAGNUS = 12,
  CRI_FLUID_KUTTA = 13,
  CRI_FLUID_BLUNT = 14,
  CRI_FLUID_SLENDER = 15,
  CRI_FLUID_LIN = 16,  // linear drag of force and torque
  CRI_FLUID_ANG = 17,
  CRI_FLUID_DENSITY = 18,
  CRI_FLUID_SCALE = 19,  // of the force, not of the slope, as in MuJoCo
  CRI_NFLUID_LAW = 20
};

typedef struct {
  bool box;
  cr_real c[CRI_NFLUID_LAW];
} cri_fluid_law;

/// The law of an ellipsoid or a box from its inputs x, and the transpose: x_bar += (dc/dx)' c_bar.
/// Equation docs/derivations/fluid.md f1, f2.  Shapes x[18].  Smooth except where two semi-axes
/// change their order, and where an inertia is as flat as possible
void cri_fluid_law_make(cri_fluid_law* law, bool box, const cr_real x[CRI_NFLUID_INPUT]);
void cri_fluid_law_vjp(const cri_fluid_law* law, const cr_real x[CRI_NFLUID_INPUT],
                       const cr_real c_bar[CRI_NFLUID_LAW], cr_real x_bar[CRI_NFLUID_INPUT]);

/// Whether a side of the box of a body of this inertia is held at its least length, I_j + I_k - I_i at 1e-15.
bool cri_fluid_box_is_flat(const cr_real I[3]);

/// Keeps drag, the part of a law, or of its cotangent or tangent, that takes energy. Lift, Magnus force and
/// added mass become zero. A box has only drag.
void cri_fluid_law_drag(bool box, cr_real c[CRI_NFLUID_LAW]);

/// Torque and force F at the local velocity v (angular, linear).              [fluid.f3], [fluid.f4]
void cri_fluid_force(const cri_fluid_law* law, const cr_real v[6], cr_real F[6]);
/// Adds the gradient of w . F to v_bar and c_bar.
void cri_fluid_force_vjp(const cri_fluid_law* law, const cr_real v[6], const cr_real w[6],
                         cr_real v_bar[6], cr_real c_bar[CRI_NFLUID_LAW]);

/// For a law of unit density and viscosity: the work w . F due to density, and to viscosity.
void cri_fluid_unit_work(const cri_fluid_law* law, const cr_real v[6], const cr_real w[6],
                         cr_real* density, cr_real* viscosity);

/// B = dF/dv over the scale, rows of F, as in MuJoCo's implicit integrators.
void cri_fluid_slope(const cri_fluid_law* law, const cr_real v[6], cr_real B[36]);
/// Adds the gradient of s l . B r to v_bar, l_bar, r_bar and c_bar.          [fluid.f5]
void cri_fluid_slope_vjp(const cri_fluid_law* law, const cr_real v[6], const cr_real l[6],
                         const cr_real r[6], cr_real s, cr_real v_bar[6], cr_real l_bar[6],
                         cr_real r_bar[6], cr_real c_bar[CRI_NFLUID_LAW]);

#endif
