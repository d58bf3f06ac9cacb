// SPDX-License-Identifier: Apache-2.0
// The meaning of solref and solimp; solver/reference.h makes aref of it. The impedance I(r), stiffness K and damping B
// of a constraint row, each with its gradient. Source: MuJoCo manual, chapter Modeling, "Solver parameters".
#ifndef CR_CONSTRAINT_SOLREF_IMPEDANCE_H
#define CR_CONSTRAINT_SOLREF_IMPEDANCE_H

#include "model/data.h"

/// MuJoCo's bounds of an impedance.
#define CR_MIN_IMPEDANCE CR_R(0.0001)
#define CR_MAX_IMPEDANCE CR_R(0.9999)

/// Impedance of a row at r = pos - margin, and its slope dI/dr.
/// Equation x = |r| / width;  y = x^p / mid^(p-1) up to mid, 1 - (1-x)^p / (1-mid)^(p-1) beyond it;
///          I = d0 + y (dw - d0), solimp = (d0, dw, width, mid, p) after clamping
///          contacts from distance (`width`, their reach, positive, and r > 0): the same curve from
///          cfd_d0 at 0+ to cfd_dc at `width` with cfd_mc, cfd_pc; only kept within [1e-15, 0.9999],
///          so that a contact fades out at its reach instead of ending at 1e-4
/// Smooth   except at r = 0, |r| = width, and where a clamp begins to act; there the slope is that of
///          the branch taken. At 0 with a width the impedance jumps, by intent.
cr_real cri_impedance(const cr_model* m, const cr_real solimp[5], cr_real r, cr_real width,
                      cr_real* slope);

/// Two numbers that change sign in r where the curve has a bend, at mid and at the end of its width; 1
/// if it has none.
void cri_impedance_bends(const cr_real solimp[5], cr_real r, cr_real bend[2]);

/// The width parameter after clamping, solimp[1]: K and B are scaled by it.
static inline cr_real cri_impedance_width(const cr_real solimp[5]) {
  return cr_clip(solimp[1], CR_MIN_IMPEDANCE, CR_MAX_IMPEDANCE);
}

/// Stiffness and damping of a row.
/// Equation solref = (tc, dr) > 0: K = 1 / (dw tc dr)^2, B = 2 / (dw tc), tc at least two time steps
///          unless the flag refsafe is off or the integrator is discrete; solref = (-k, -b):
///          K = k / dw^2, B = b / dw; signs that do not agree count as (0.02, 1)
void cri_stiffness(const cr_model* m, const cr_real solref[2], cr_real dw, cr_real* K, cr_real* B);

/// I, and the gradients of all three: of I with respect to r and solimp, of K and B with respect to
/// (solref[0], solref[1], solimp[1]). A number that a clamp replaced has no derivative. Nor has
/// solimp with the curve of contacts from distance, which has its own parameters.
typedef struct {
  cr_real I, I_r, I_solimp[5];
  cr_real K_y[3], B_y[3];
} cri_impedance_derivative;

cri_impedance_derivative cri_impedance_derivative_of(const cr_model* m, const cr_real solref[2],
                                                     const cr_real solimp[5], cr_real r,
                                                     cr_real width);

/// Tangent of I; and its transpose, which adds.
cr_real cri_impedance_tan(const cri_impedance_derivative* s, cr_real r_tan,
                          const cr_real solimp_tan[5]);
void cri_impedance_bar(const cri_impedance_derivative* s, cr_real I_bar, cr_real* r_bar,
                       cr_real solimp_bar[5]);

/// The same of K or B, given its gradient y.
cr_real cri_stiffness_tan(const cr_real y[3], const cr_real solref_tan[2],
                          const cr_real solimp_tan[5]);
void cri_stiffness_bar(const cr_real y[3], cr_real bar, cr_real solref_bar[2],
                       cr_real solimp_bar[5]);

/// K, B, I and the slope of row i; friction rows (`stiff` false) have no K.
void cri_make_impedance(const cr_model* m, cr_data* d, int i, const cr_real solref[2],
                        const cr_real solimp[5], cr_real r, cr_real width, bool stiff);

/// Its tangent; and the cotangents of r, solref and solimp from those of the row.
void cri_make_impedance_jvp(const cri_impedance_derivative* s, cr_data* tan, int i, cr_real r_tan,
                            const cr_real solref_tan[2], const cr_real solimp_tan[5], bool stiff);
typedef struct {
  cr_real r, solref[2], solimp[5];
} cri_impedance_derivative_bar;
cri_impedance_derivative_bar cri_make_impedance_vjp(const cri_impedance_derivative* s,
                                                    const cr_data* bar, int i, bool stiff);

/// The length in a contact's reference acceleration: r, or with contacts from distance
///   h(r) = -s log(1 + exp(-r / s)), s = cfd_scale width / cfd_wc: r deep inside, a small push for
/// r > 0, on both sides of 0, so that it is smooth everywhere; min(r, 0) for s = 0. `slope` is dh/dr.
cr_real cri_penetration(const cr_model* m, cr_real r, cr_real width, cr_real* slope);

#endif
