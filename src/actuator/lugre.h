// SPDX-License-Identifier: Apache-2.0
// Bristles, the LuGre friction of DC motors: a state z that bends with the velocity v.
#ifndef CR_ACTUATOR_LUGRE_H
#define CR_ACTUATOR_LUGRE_H

#include "model/model.h"

/// A number with its derivatives: over z, v, the stiffness (dynprm 5) and coulomb, static and
/// Stribeck friction (biasprm 3, 4, 5).
typedef struct {
  cr_real value, by_z, by_v, by_stiffness, by_friction[3];
} cri_lugre;

/// Rate of the bristle of actuator i.
/// Equation g = Fc + (Fs - Fc) exp(-(v / vs)^2),  a = -stiffness |v| / g           [controller.b1]
///          z_dot = a z + v                                             [controller.b2]
/// Units    z rad|m, stiffness N m/rad|N/m, Fc, Fs N m|N, vs rad/s|m/s
/// Smooth   except at v = 0
cri_lugre cri_lugre_rate(const cr_model* m, int i, cr_real z, cr_real v);

/// The bristle after a step of length h at constant v.
/// Equation z+ = e^(ah) z + (e^(ah) - 1) / a v                          [controller.b3]
cri_lugre cri_lugre_next(const cr_model* m, int i, cr_real h, cr_real z, cr_real v);

#endif
