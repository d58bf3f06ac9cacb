// SPDX-License-Identifier: Apache-2.0
// The force law of MuJoCo's convex contact model: row forces f(e) = -ds/de of e = J a - aref, with
// its cost s, curvature and derivatives. [MuJoCo manual, Computation, "Constraint solver"]
//   equality        s = D e^2 / 2
//   friction loss   s = D e^2 / 2 up to |f| = efc_frictionloss, linear beyond
//   limit, contact  s = D min(e, 0)^2 / 2, also for the rows of a pyramid
//   elliptic cone   with N = mu e_0, t_j = friction_j e_j, T = |t|, g = N - mu T:
//                     N >= mu T        s = 0                                    (top)
//                     mu N + T <= 0    s = sum D_j e_j^2 / 2                    (bottom)
//                     between          s = D_0 g^2 / (2 mu^2 (1 + mu^2))        (middle)
// Every s is convex and once continuously differentiable. Across zones F' jumps, and a derivative
// is that of the current zone. Rows are those of d, which holds D, friction loss, mu, friction.
#ifndef CR_SOLVER_FRICTION_CONE_H
#define CR_SOLVER_FRICTION_CONE_H

#include "math/runs.h"
#include "model/data.h"

/// Values of efc_state: MuJoCo's mjtConstraintState.
enum {
  CR_STATE_SATISFIED = 0,
  CR_STATE_QUADRATIC = 1,
  CR_STATE_LINEAR_NEG = 2,
  CR_STATE_LINEAR_POS = 3,
  CR_STATE_CONE = 4
};

enum { CR_MAX_CONE = 6 };  // rows of an elliptic contact

/// All rows, for the functions below.
static inline cr_run cri_all_rows(const cr_data* d) { return (cr_run){0, d->nefc}; }

/// Forces f and states of these rows at e.
void cri_constraint_force(const cr_data* d, cr_run rows, const cr_real* e, cr_real* f,
                          int32_t* state);

/// Sum of s over these rows.
cr_real cri_constraint_cost(const cr_data* d, cr_run rows, const cr_real* e);

/// The same from the forces and states at e: s = -e f / 2 if s is of second degree, as it is except for
/// friction loss beyond its limit.
cr_real cri_constraint_cost_of(const cr_data* d, cr_run rows, const cr_real* e, const cr_real* f,
                               const int32_t* state);

/// Adds the first and second derivative of s(e + alpha u) with respect to alpha over these rows.
void cri_constraint_slope(const cr_data* d, cr_run rows, const cr_real* e, const cr_real* u,
                          cr_real alpha, cr_real slope[2]);

/// C (dim x dim) = -F' of the elliptic contact at row i, which is in the middle zone: positive
/// semidefinite.
void cri_friction_cone_hessian(const cr_data* d, const cr_real* e, int i, cr_real* C);

/// f_tan and e_bar of a contact model (solver/contact_model.h) at e, of these rows.
void cri_constraint_jvp(const cr_data* d, cr_run rows, const cr_real* e, const cr_data* tan,
                        const cr_real* e_tan, cr_real* f_tan);
void cri_constraint_vjp(const cr_data* d, cr_run rows, const cr_real* e, cr_data* bar,
                        const cr_real* f_bar, cr_real* e_bar);

#endif
