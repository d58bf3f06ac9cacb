// SPDX-License-Identifier: Apache-2.0
// Mass, centre of mass and inertia of a body by ten free numbers, each of which is physical: the log-Cholesky factor
// of the pseudo-inertia [Rucker and Wensing, Smooth parameterization of rigid-body inertia, RA-L 2022].
#ifndef CR_PARAMETER_PSEUDO_INERTIA_H
#define CR_PARAMETER_PSEUDO_INERTIA_H

#include "base/real.h"

/// theta = alpha, d1 d2 d3, s12 s23 s13, t1 t2 t3:
///   [identification.p5] J = U U', U = e^alpha [[A, t], [0, 1]], A = [[e^d1 s12 s13] [0 e^d2 s23] [0 0 e^d3]]
///   [identification.p6] mass = e^(2 alpha), centre = t, I = tr(S) 1 - S with S = mass A A', about the centre
enum { CRI_PSEUDO = 10 };

/// Symmetric 3 x 3 matrices are row-major with all nine entries.
typedef struct {
  cr_real mass, centre[3], inertia[9];
} cri_rigid_body;

void cri_pseudo_body(const cr_real theta[CRI_PSEUDO], cri_rigid_body* body);

/// Tangent; and the transpose, which adds to theta_bar. inertia of bar is symmetric, its product with a tangent is the
/// sum over all nine entries.
void cri_pseudo_jvp(const cr_real theta[CRI_PSEUDO], const cr_real theta_tan[CRI_PSEUDO],
                    cri_rigid_body* tan);
void cri_pseudo_vjp(const cr_real theta[CRI_PSEUDO], const cri_rigid_body* bar,
                    cr_real theta_bar[CRI_PSEUDO]);

/// theta of a body; false if no mass with a volume has this inertia (a moment as large as the sum of the others, a
/// mass of zero).
bool cri_pseudo_theta(const cri_rigid_body* body, cr_real theta[CRI_PSEUDO]);

/// theta of the body whose pseudo-inertia is J + dJ, dJ the tangent of J by `step`; where that is no body, or one of less than half the
/// mass, theta + step. Dynamics are linear in J: they are nearly linear along this way, also along combinations that motion does not
/// tell, while theta + step bends away from these.                                    [identification.p12]
void cri_pseudo_move(const cr_real theta[CRI_PSEUDO], const cr_real step[CRI_PSEUDO],
                     cr_real to[CRI_PSEUDO]);

/// Principal axes of the inertia: I = R diag(moments) R', R a rotation near the one given, where the moments differ.
/// Moments that are nearer than sqrt(CR_EPS) of their sum are moved apart to that distance, so that their axes are
/// defined and I has a derivative through (moments, R) everywhere. This moves them by as much, and the
/// derivative has about as much round-off: the moments' difference divides it.      [identification.p7]
void cri_principal_axes(const cr_real inertia[9], const cr_real near[9], cr_real moments[3],
                        cr_real R[9]);

/// Tangents of moments and axes, R_tan = R [turn]x, of a tangent of I; and the transpose, which sets I_bar. They
/// are exact for R diag(moments) R'.
void cri_principal_jvp(const cr_real moments[3], const cr_real R[9], const cr_real inertia_tan[9],
                       cr_real moments_tan[3], cr_real turn[3]);
void cri_principal_vjp(const cr_real moments[3], const cr_real R[9], const cr_real moments_bar[3],
                       const cr_real turn_bar[3], cr_real inertia_bar[9]);

#endif
